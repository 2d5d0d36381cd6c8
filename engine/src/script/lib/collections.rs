//! `Collections` and `Arrays`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Outcome, thrown};
use super::super::value::{Data, ListKind, Map, MapKind, Value};
use super::super::vm::Vm;
use super::args::{int, ok_bool, ok_int};
use super::collection::items_of;
use super::comparator::sort;
use super::display::array_text;
use super::list::{add_all, list, of_kind, place, sort_list};

fn extreme(vm: &mut Vm, of: &Value, comparator: Option<&Value>, wanted: i32) -> Outcome {
    let mut best: Option<Value> = None;
    for item in items_of(vm, of)? {
        let better = match &best {
            None => true,
            Some(best) => {
                let order = match comparator {
                    Some(c) => super::compare_with(vm, c, &item, best)?,
                    None => super::collection::natural(&item, best)?,
                };
                order.signum() == wanted
            }
        };
        if better {
            best = Some(item);
        }
    }
    best.ok_or_else(|| thrown("NoSuchElementException", None))
}

fn frozen_map(vm: &mut Vm, of: &Value) -> Outcome {
    let entries = super::entries(of);
    let mut map = Map::new(MapKind::Linked);
    vm.grow(entries.len() * 64)?;
    map.entries.extend(entries.into_iter().map(|(key, value)| (super::super::value::Key(key), value)));
    map.frozen = true;
    Ok(match of.data() {
        Some(Data::Set(_)) => vm.alloc(Data::Set(map.into()))?,
        _ => vm.alloc(Data::Map(map.into()))?,
    })
}

/// Where a sorted list has an item, or -1 less the place where it would be.
fn search(vm: &mut Vm, of: &Value, wanted: &Value, comparator: Option<&Value>) -> Outcome {
    let items = items_of(vm, of)?;
    let (mut low, mut high) = (0i32, items.len() as i32 - 1);
    while low <= high {
        let middle = (low + high) / 2;
        let item = &items[middle as usize];
        let order = match comparator {
            Some(comparator) => super::compare_with(vm, comparator, item, wanted)?,
            None => super::collection::natural(item, wanted)?,
        };
        match order.signum() {
            -1 => low = middle + 1,
            1 => high = middle - 1,
            _ => return Ok(Value::Int(middle)),
        }
    }
    Ok(Value::Int(-(low + 1)))
}

/// Where one list stands within another, first or last; -1 if nowhere.
fn part_of(vm: &mut Vm, a: &[Value], last: bool) -> Outcome {
    let (whole, part) = (items_of(vm, &a[0])?, items_of(vm, &a[1])?);
    if part.len() > whole.len() {
        return Ok(Value::Int(-1));
    }
    vm.work(whole.len().saturating_mul(part.len()))?;
    let places = 0..=whole.len() - part.len();
    let mut found = places.filter(|at| whole[*at..].iter().zip(&part).all(|(x, y)| Vm::equal(x, y)));
    Ok(Value::Int(if last { found.next_back() } else { found.next() }.map_or(-1, |at| at as i32)))
}

const COLLECTIONS: &[Row] = &[
    Row("static List EMPTY_LIST", |vm, _| of_kind(vm, ListKind::Unmodifiable, vec![])),
    Row("static List emptyList()", |vm, _| of_kind(vm, ListKind::Unmodifiable, vec![])),
    Row("static Map emptyMap()", |vm, _| {
        let mut map = Map::new(MapKind::Linked);
        map.frozen = true;
        vm.alloc(Data::Map(map.into()))
    }),
    Row("static Set emptySet()", |vm, _| {
        let mut map = Map::new(MapKind::Linked);
        map.frozen = true;
        vm.alloc(Data::Set(map.into()))
    }),
    Row("static List singletonList(def)", |vm, a| of_kind(vm, ListKind::Unmodifiable, vec![a[0].clone()])),
    Row("static Set singleton(def)", |vm, a| {
        let mut map = Map::new(MapKind::Linked);
        map.entries.insert(super::super::value::Key(a[0].clone()), Value::Null);
        map.frozen = true;
        vm.alloc(Data::Set(map.into()))
    }),
    Row("static Map singletonMap(def,def)", |vm, a| {
        let mut map = Map::new(MapKind::Linked);
        map.entries.insert(super::super::value::Key(a[0].clone()), a[1].clone());
        map.frozen = true;
        vm.alloc(Data::Map(map.into()))
    }),
    Row("static boolean addAll(Collection,def[])", |vm, a| {
        let items = items_of(vm, &a[1])?;
        add_all(vm, &a[0], None, items)
    }),
    Row("static boolean disjoint(Collection,Collection)", |vm, a| {
        let (x, y) = (items_of(vm, &a[0])?, items_of(vm, &a[1])?);
        vm.work(x.len() * y.len())?;
        ok_bool(!x.iter().any(|x| y.iter().any(|y| Vm::equal(x, y))))
    }),
    Row("static int frequency(Collection,def)", |vm, a| {
        ok_int(items_of(vm, &a[0])?.iter().filter(|item| Vm::equal(item, &a[1])).count())
    }),
    Row("static def max(Collection)", |vm, a| extreme(vm, &a[0], None, 1)),
    Row("static def max(Collection,Comparator)", |vm, a| extreme(vm, &a[0], Some(&a[1]), 1)),
    Row("static def min(Collection)", |vm, a| extreme(vm, &a[0], None, -1)),
    Row("static def min(Collection,Comparator)", |vm, a| extreme(vm, &a[0], Some(&a[1]), -1)),
    Row("static List nCopies(int,def)", |vm, a| {
        let count = super::args::index(&a[0])?;
        vm.grow(count.saturating_mul(16))?;
        of_kind(vm, ListKind::Unmodifiable, vec![a[1].clone(); count])
    }),
    Row("static void reverse(List)", |vm, a| {
        let mut items = items_of(vm, &a[0])?;
        items.reverse();
        list(&a[0])?.borrow_mut().items = items;
        Ok(Value::Null)
    }),
    Row("static int binarySearch(List,def)", |vm, a| search(vm, &a[0], &a[1], None)),
    Row("static int binarySearch(List,def,Comparator)", |vm, a| search(vm, &a[0], &a[1], Some(&a[2]))),
    Row("static void fill(List,def)", |_, a| {
        list(&a[0])?.borrow_mut().items.fill(a[1].clone());
        Ok(Value::Null)
    }),
    Row("static int indexOfSubList(List,List)", |vm, a| part_of(vm, a, false)),
    Row("static int lastIndexOfSubList(List,List)", |vm, a| part_of(vm, a, true)),
    Row("static boolean replaceAll(List,def,def)", |vm, a| {
        let mut list = list(&a[0])?.borrow_mut();
        vm.work(list.items.len())?;
        let mut found = false;
        for item in list.items.iter_mut().filter(|item| Vm::equal(item, &a[1])) {
            (*item, found) = (a[2].clone(), true);
        }
        ok_bool(found)
    }),
    Row("static void rotate(List,int)", |vm, a| {
        let mut list = list(&a[0])?.borrow_mut();
        vm.work(list.items.len())?;
        let len = list.items.len();
        if len > 0 {
            list.items.rotate_right(i64::from(int(&a[1])?).rem_euclid(len as i64) as usize);
        }
        Ok(Value::Null)
    }),
    Row("static Comparator reverseOrder()", |vm, _| super::comparator::reverse_order(vm)),
    Row("static Comparator reverseOrder(Comparator)", |vm, a| super::comparator::reversed(vm, &a[0])),
    Row("static void sort(List)", |vm, a| sort_list(vm, &a[0], None)),
    Row("static void sort(List,Comparator)", |vm, a| sort_list(vm, &a[0], Some(&a[1]))),
    Row("static void swap(List,int,int)", |_, a| {
        let mut list = list(&a[0])?.borrow_mut();
        let len = list.items.len();
        let (x, y) = (place(int(&a[1])?, len)?, place(int(&a[2])?, len)?);
        list.items.swap(x, y);
        Ok(Value::Null)
    }),
    Row("static List unmodifiableList(List)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        of_kind(vm, ListKind::Unmodifiable, items)
    }),
    Row("static Collection unmodifiableCollection(Collection)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        of_kind(vm, ListKind::Unmodifiable, items)
    }),
    Row("static Map unmodifiableMap(Map)", |vm, a| frozen_map(vm, &a[0])),
    Row("static Set unmodifiableSet(Set)", |vm, a| frozen_map(vm, &a[0])),
];

const ARRAYS: &[Row] = &[
    Row("static List asList(def[])", |vm, a| {
        let items = items_of(vm, &a[0])?;
        of_kind(vm, ListKind::Fixed, items)
    }),
    Row("static String toString(def[])", |vm, a| vm.string(array_text(&super::args::array(&a[0])?.borrow()))),
    Row("static boolean equals(def[],def[])", |vm, a| {
        let (x, y) = (items_of(vm, &a[0])?, items_of(vm, &a[1])?);
        ok_bool(x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| Vm::equal(x, y)))
    }),
    Row("static void sort(def[])", |vm, a| {
        let items = items_of(vm, &a[0])?;
        let sorted = sort(vm, items, None)?;
        let mut array = super::args::array(&a[0])?.borrow_mut();
        for (i, item) in sorted.into_iter().enumerate() {
            array.set(i, item);
        }
        Ok(Value::Null)
    }),
    Row("static Stream stream(def[])", |vm, a| {
        let items = items_of(vm, &a[0])?;
        super::stream::of_objects(vm, items)
    }),
];

pub const CLASSES: &[ClassRow] =
    &[ClassRow::new("java.util.Collections", &[], COLLECTIONS), ClassRow::new("java.util.Arrays", &[], ARRAYS)];
