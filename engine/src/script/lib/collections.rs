//! `Collections` and `Arrays`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal, no_cast, throw, thrown};
use super::super::types::Type;
use super::super::value::{Array, Data, List, ListKind, Map, MapKind, Value};
use super::super::vm::Vm;
use super::args::{int, ok_bool, ok_int};
use super::collection::items_of;
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
    match (best, of.data()) {
        (Some(best), _) => Ok(best),
        // Documents tell of values that they do not have by themselves.
        (None, Some(Data::DocValues(slot))) => super::super::doc::get(vm, *slot, 0),
        (None, _) => Err(thrown("NoSuchElementException", None)),
    }
}

const EMPTY_LIST: &str = "java.util.Collections$EmptyList";
const EMPTY_MAP: &str = "java.util.Collections$EmptyMap";
const EMPTY_SET: &str = "java.util.Collections$EmptySet";
const SINGLETON_MAP: &str = "java.util.Collections$SingletonMap";
const SINGLETON_SET: &str = "java.util.Collections$SingletonSet";
const SINGLETON_LIST: &str = "java.util.Collections$SingletonList";
const UNMODIFIABLE_LIST: &str = "java.util.Collections$UnmodifiableList";
/// What `Arrays.asList` makes.
const FIXED_LIST: &str = "java.util.Arrays$ArrayList";

/// A list that cannot be changed, of a class that scripts cannot name.
fn unmodifiable(vm: &mut Vm, items: Vec<Value>, own_class: &'static str) -> Outcome {
    Ok(known_as(of_kind(vm, ListKind::Unmodifiable, items)?, own_class))
}

/// The same collection, of a class that scripts cannot name.
pub(super) fn known_as(made: Value, own_class: &'static str) -> Value {
    match made.data() {
        Some(Data::List(list)) => list.borrow_mut().own_class = Some(own_class),
        Some(Data::Map(map) | Data::Set(map)) => map.borrow_mut().own_class = Some(own_class),
        _ => {}
    }
    made
}

/// Whether taking things out of it is refused only where they are there: it goes over what it has till it comes to them.
pub(super) fn looks_before_it_refuses(map: &Map) -> bool {
    matches!(map.own_class, Some(EMPTY_MAP | EMPTY_SET | SINGLETON_MAP | SINGLETON_SET))
}

/// What is said of a place where a list has nothing: each class has its own words.
#[cold]
pub fn no_item(list: &List, at: i32) -> Failed {
    let len = list.items.len();
    match list.own_class {
        Some(EMPTY_LIST) => throw("IndexOutOfBoundsException", format!("Index: {at}")),
        Some(SINGLETON_LIST | UNMODIFIABLE_LIST) => {
            throw("IndexOutOfBoundsException", format!("Index: {at}, Size: {len}"))
        }
        Some(FIXED_LIST) => {
            throw("ArrayIndexOutOfBoundsException", format!("Index {at} out of bounds for length {len}"))
        }
        _ => super::list::bounds(at, len),
    }
}

/// The class of a part of a list.
pub(super) fn sub_class(kind: ListKind) -> &'static str {
    match kind {
        ListKind::Array => "java.util.ArrayList$SubList",
        ListKind::Linked => "java.util.AbstractList$SubList",
        _ => "java.util.AbstractList$RandomAccessSubList",
    }
}

/// Some items of a list in a row. What documents have stays unchangeable.
pub(super) fn sub_list(vm: &mut Vm, of: &Value, items: Vec<Value>) -> Outcome {
    let is_of_doc = matches!(of.data(), Some(Data::DocValues(_)));
    let kind = if is_of_doc { ListKind::Linked } else { super::list::list(of)?.borrow().kind };
    let part = known_as(vm.list(items)?, sub_class(kind));
    if is_of_doc {
        super::list::list(&part)?.borrow_mut().kind = ListKind::Unmodifiable;
    }
    Ok(part)
}

fn frozen_map(vm: &mut Vm, of: &Value) -> Outcome {
    let entries = super::entries(of);
    let mut map = Map::new(MapKind::Linked);
    vm.grow(entries.len() * 64)?;
    map.entries.extend(entries.into_iter().map(|(key, value)| (super::super::value::Key(key), value)));
    map.frozen = true;
    let is_set = !matches!(of.data(), Some(Data::Map(_)));
    map.own_class = Some(match is_set {
        true => "java.util.Collections$UnmodifiableSet",
        false => "java.util.Collections$UnmodifiableMap",
    });
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

/// Values in an array that a function makes for so many.
fn into_made_array(vm: &mut Vm, a: &[Value]) -> Outcome {
    let items = super::stream::take(vm, &a[0])?;
    let array = vm.call(&a[1], &[Value::Int(items.len() as i32)])?;
    let Some(Data::Array(target)) = array.data() else {
        return Err(no_cast(&array.java_class(), "[Ljava.lang.Object;"));
    };
    let class = target.borrow().element_type();
    let takes =
        |item: &Value| class.is_def() || class == Type::OBJECT || item.is_null() || item.class_name() == class.name();
    for (at, item) in items.into_iter().enumerate() {
        if !takes(&item) {
            return Err(throw("ArrayStoreException", item.class_name()));
        }
        if at < target.borrow().len() {
            target.borrow_mut().set(at, item);
        }
    }
    Ok(array.clone())
}

const COLLECTIONS: &[Row] = &[
    Row("static List EMPTY_LIST", |vm, _| unmodifiable(vm, vec![], EMPTY_LIST)),
    Row("static List emptyList()", |vm, _| unmodifiable(vm, vec![], EMPTY_LIST)),
    Row("static Map EMPTY_MAP", |vm, _| Ok(known_as(empty_map(vm, MapKind::Linked)?, EMPTY_MAP))),
    Row("static Map emptyMap()", |vm, _| Ok(known_as(empty_map(vm, MapKind::Linked)?, EMPTY_MAP))),
    Row("static Set EMPTY_SET", |vm, _| Ok(known_as(empty_set(vm, MapKind::Linked)?, EMPTY_SET))),
    Row("static Set emptySet()", |vm, _| Ok(known_as(empty_set(vm, MapKind::Linked)?, EMPTY_SET))),
    Row("static void shuffle(List)", |vm, a| {
        shuffle(vm, &a[0], |vm, bound| Ok((super::misc::next_random(vm) % bound as u64) as i32))
    }),
    Row("static void shuffle(List,Random)", |vm, a| shuffle(vm, &a[0], |_, bound| super::random::below(&a[1], bound))),
    Row("static List singletonList(def)", |vm, a| unmodifiable(vm, vec![a[0].clone()], SINGLETON_LIST)),
    Row("static Set singleton(def)", |vm, a| {
        let mut map = Map::new(MapKind::Linked);
        map.entries.insert(super::super::value::Key(a[0].clone()), Value::Null);
        map.frozen = true;
        map.own_class = Some(SINGLETON_SET);
        vm.alloc(Data::Set(map.into()))
    }),
    Row("static Map singletonMap(def,def)", |vm, a| {
        let mut map = Map::new(MapKind::Linked);
        map.entries.insert(super::super::value::Key(a[0].clone()), a[1].clone());
        map.frozen = true;
        map.own_class = Some(SINGLETON_MAP);
        vm.alloc(Data::Map(map.into()))
    }),
    Row("static boolean addAll(Collection,def[])", |vm, a| {
        let items = items_of(vm, &a[1])?;
        add_all(vm, &a[0], None, items)
    }),
    Row("static void copy(List,List)", |vm, a| {
        let items = items_of(vm, &a[1])?;
        let Some(Data::List(target)) = a[0].data() else { return Err(super::args::unexpected(&a[0])) };
        let mut target = target.borrow_mut();
        super::check_changeable(&target)?;
        if items.len() > target.items.len() {
            return Err(throw("IndexOutOfBoundsException", "Source does not fit in dest"));
        }
        for (at, item) in items.into_iter().enumerate() {
            target.items[at] = item;
        }
        Ok(Value::Null)
    }),
    Row("static Iterator emptyIterator()", |vm, _| {
        let list = of_kind(vm, ListKind::Unmodifiable, vec![])?;
        super::iterator_of(vm, &list)
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
        let count = int(&a[0])?;
        let Ok(count) = usize::try_from(count) else { return Err(illegal(format!("List length = {count}"))) };
        vm.grow(count.saturating_mul(16))?;
        unmodifiable(vm, vec![a[1].clone(); count], "java.util.Collections$CopiesList")
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
        let linked = matches!(a[0].data(), Some(Data::List(list)) if list.borrow().kind == ListKind::Linked);
        unmodifiable(
            vm,
            items,
            if linked { UNMODIFIABLE_LIST } else { "java.util.Collections$UnmodifiableRandomAccessList" },
        )
    }),
    Row("static Collection unmodifiableCollection(Collection)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        unmodifiable(vm, items, "java.util.Collections$UnmodifiableCollection")
    }),
    Row("static Map unmodifiableMap(Map)", |vm, a| frozen_map(vm, &a[0])),
    Row("static Set unmodifiableSet(Set)", |vm, a| frozen_map(vm, &a[0])),
];

/// A map without entries that cannot be changed.
pub(super) fn empty_map(vm: &mut Vm, kind: MapKind) -> Outcome {
    let map = Map { frozen: true, ..Map::new(kind) };
    vm.alloc(Data::Map(map.into()))
}

/// The same as a set.
pub(super) fn empty_set(vm: &mut Vm, kind: MapKind) -> Outcome {
    let map = Map { frozen: true, ..Map::new(kind) };
    vm.alloc(Data::Set(map.into()))
}

/// Swaps each item, from the last on, with one that is not behind it.
fn shuffle(vm: &mut Vm, of: &Value, random: impl Fn(&mut Vm, i32) -> Result<i32, Failed>) -> Outcome {
    let len = list(of)?.borrow().items.len();
    vm.work(len)?;
    for at in (1..len).rev() {
        let other = random(vm, at as i32 + 1)? as usize;
        list(of)?.borrow_mut().items.swap(at, other);
    }
    Ok(Value::Null)
}

/// Arrays within arrays are looked into no deeper: what holds itself ends here.
const DEEP_MAX: u32 = 30;

fn array_of(value: &Value) -> Option<&std::cell::RefCell<Array>> {
    match value.data() {
        Some(Data::Array(array)) => Some(array),
        _ => None,
    }
}

pub(super) fn deep_equal(vm: &mut Vm, a: &Value, b: &Value, depth: u32) -> Result<bool, Failed> {
    vm.work(1)?;
    let (Some(x), Some(y), true) = (array_of(a), array_of(b), depth < DEEP_MAX) else { return Ok(Vm::equal(a, b)) };
    let (x, y) = (x.borrow(), y.borrow());
    if x.len() != y.len() {
        return Ok(false);
    }
    for at in 0..x.len() {
        let (one, other) = (x.get(at).unwrap_or_default(), y.get(at).unwrap_or_default());
        if !deep_equal(vm, &one, &other, depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn deep_hash(vm: &mut Vm, value: &Value, depth: u32) -> Result<i32, Failed> {
    vm.work(1)?;
    let (Some(array), true) = (array_of(value), depth < DEEP_MAX) else { return Ok(super::display::hash(value, 0)) };
    let array = array.borrow();
    let mut hash = 1i32;
    for at in 0..array.len() {
        let item = array.get(at).unwrap_or_default();
        hash = hash.wrapping_mul(31).wrapping_add(deep_hash(vm, &item, depth + 1)?);
    }
    Ok(hash)
}

fn deep_text(vm: &mut Vm, value: &Value, depth: u32, out: &mut String) -> Result<(), Failed> {
    vm.work(1)?;
    let (Some(array), true) = (array_of(value), depth < DEEP_MAX) else {
        let text = super::plain(value);
        vm.grow(text.len() + 2)?;
        out.push_str(&text);
        return Ok(());
    };
    let array = array.borrow();
    out.push('[');
    for at in 0..array.len() {
        if at > 0 {
            out.push_str(", ");
        }
        deep_text(vm, &array.get(at).unwrap_or_default(), depth + 1, out)?;
    }
    out.push(']');
    Ok(())
}

const ARRAYS: &[Row] = &[
    Row("static List asList(Object[])", |vm, a| {
        let items = items_of(vm, &a[0])?;
        Ok(known_as(of_kind(vm, ListKind::Fixed, items)?, FIXED_LIST))
    }),
    Row("static boolean deepEquals(Object[],Object[])", |vm, a| ok_bool(deep_equal(vm, &a[0], &a[1], 0)?)),
    Row("static int deepHashCode(Object[])", |vm, a| {
        Ok(Value::Int(if a[0].is_null() { 0 } else { deep_hash(vm, &a[0], 0)? }))
    }),
    Row("static String deepToString(Object[])", |vm, a| {
        let mut text = String::new();
        deep_text(vm, &a[0], 0, &mut text)?;
        vm.string(text)
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.stream.ToArrayBase", &[], &[Row("def[] toArray(IntFunction)", into_made_array)]),
    ClassRow::new("java.util.Collections", &["CollectionsMoreBase"], COLLECTIONS),
    ClassRow::new("java.util.Arrays", &[], ARRAYS),
];
