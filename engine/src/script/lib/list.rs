//! `Iterable`, `Collection`, `List` and their kin, `Collections` and `Arrays`.

mod vector;

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, no_cast, throw, thrown};
use super::super::types::Type;
use super::super::value::{Array, Data, List, ListKind, Map, MapKind, Value, View};
use super::super::vm::Vm;
use super::args::{double, int, ok_bool, ok_int, text, unexpected};
use super::collection::{
    check_changeable, check_resizable, copy_of, expect_next, has_next, items_of, iterator_of, next_of, put,
    remove_last, unchangeable,
};
use super::comparator::sort;
use super::display::write_text;
use std::cell::RefCell;

pub(super) fn list(value: &Value) -> Result<&RefCell<List>, Failed> {
    match value.data() {
        Some(Data::List(list)) => Ok(list),
        // Values of documents look like lists, but cannot change.
        Some(Data::DocValues(_) | Data::MapView(..)) => {
            Err(throw("UnsupportedOperationException", "doc values are unmodifiable"))
        }
        _ => Err(unexpected(value)),
    }
}

#[cold]
pub(super) fn bounds(at: i32, len: usize) -> Failed {
    throw("IndexOutOfBoundsException", format!("Index {at} out of bounds for length {len}"))
}

pub(super) fn place(at: i32, len: usize) -> Result<usize, Failed> {
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(|| bounds(at, len))
}

fn get(vm: &mut Vm, of: &Value, at: i32) -> Outcome {
    match of.data() {
        Some(Data::DocValues(slot)) => super::super::doc::get(vm, *slot, at),
        _ => {
            let list = list(of)?.borrow();
            place(at, list.items.len())
                .map(|at| list.items[at].clone())
                .map_err(|_| super::collections::no_item(&list, at))
        }
    }
}

pub(super) fn add(vm: &mut Vm, of: &Value, at: Option<i32>, item: Value) -> Outcome {
    vm.grow(16)?;
    match of.data() {
        Some(Data::Set(_)) => return super::set::add(vm, of, item),
        Some(Data::Queue(..)) => return super::queue::offer(vm, of, item),
        Some(Data::MapView(..)) => return Err(unchangeable()),
        _ => {}
    }
    let mut list = list(of)?.borrow_mut();
    check_resizable(&list)?;
    if item.is_null() && !list.has_places() {
        return Err(thrown("NullPointerException", None));
    }
    let len = list.items.len();
    match at {
        None => list.items.push(item),
        Some(at) => {
            let place = usize::try_from(at).ok().filter(|at| *at <= len);
            let Some(place) = place else {
                return Err(throw("IndexOutOfBoundsException", format!("Index: {at}, Size: {len}")));
            };
            vm.work((len - place) / 16)?;
            list.items.insert(place, item);
        }
    }
    list.changes += 1;
    ok_bool(true)
}

pub(super) fn add_all(vm: &mut Vm, of: &Value, at: Option<i32>, items: Vec<Value>) -> Outcome {
    let mut changed = false;
    for (i, item) in items.into_iter().enumerate() {
        let at = at.map(|at| at.saturating_add(i as i32));
        changed |= matches!(add(vm, of, at, item)?, Value::Bool(true));
    }
    ok_bool(changed)
}

/// Keeps the items that pass; true if some did not.
fn retain(vm: &mut Vm, of: &Value, mut keep: impl FnMut(&mut Vm, &Value) -> Result<bool, Failed>) -> Outcome {
    let items = items_of(vm, of)?;
    let mut kept = Vec::with_capacity(items.len());
    let mut gone = vec![];
    for item in items {
        if keep(vm, &item)? { kept.push(item) } else { gone.push(item) }
    }
    let changed = !gone.is_empty();
    match of.data() {
        Some(Data::List(list)) => {
            let mut list = list.borrow_mut();
            if changed {
                check_resizable(&list)?;
                list.changes += 1;
                list.items = kept;
            }
        }
        _ => {
            for item in gone {
                super::set::remove(vm, of, &item)?;
            }
        }
    }
    ok_bool(changed)
}

pub(super) fn truth(value: Value) -> Result<bool, Failed> {
    super::args::boolean(&value)
}

pub(super) fn join(vm: &mut Vm, items: &[Value], separator: &str) -> Outcome {
    let mut out = String::new();
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        write_text(vm, item, &mut out)?;
        vm.work(separator.len() / 8)?;
    }
    vm.string(out)
}

fn index_of(vm: &mut Vm, of: &Value, item: &Value, last: bool) -> Outcome {
    let items = items_of(vm, of)?;
    let same = |other: &Value| Vm::equal(item, other);
    let at = if last { items.iter().rposition(same) } else { items.iter().position(same) };
    Ok(Value::Int(at.map_or(-1, |at| at as i32)))
}

fn remove_at(of: &Value, at: i32) -> Outcome {
    let mut list = list(of)?.borrow_mut();
    check_resizable(&list)?;
    let at = place(at, list.items.len())?;
    list.changes += 1;
    Ok(list.items.remove(at))
}

/// A number that Java takes for one of any class.
fn number(item: &Value) -> Result<f64, Failed> {
    double(item).map_err(|failed| match item.is_null() {
        true => failed,
        false => no_cast(&item.java_class(), "java.lang.Number"),
    })
}

fn sum(vm: &mut Vm, items: Vec<Value>, of: Option<&Value>) -> Outcome {
    let mut total = 0.0;
    for item in items {
        let item = match of {
            Some(f) => vm.call(f, &[item])?,
            None => item,
        };
        total += number(&item)?;
    }
    Ok(Value::Double(total))
}

/// `getByPath`: keys and indexes separated by dots.
pub(super) fn get_by_path(a: &[Value]) -> Outcome {
    super::by_path::by_path(&a[0], &text(&a[1])?, a.get(2))
}

const ITERABLE: &[Row] = &[
    Row("Iterator iterator()", |vm, a| iterator_of(vm, &a[0])),
    Row("void forEach(Consumer)", each),
    Row("augmented def each(Consumer)", |vm, a| each(vm, a).map(|_| a[0].clone())),
    Row("augmented def eachWithIndex(ObjIntConsumer)", |vm, a| {
        for (i, item) in items_of(vm, &a[0])?.into_iter().enumerate() {
            vm.call(&a[1], &[item, Value::Int(i as i32)])?;
        }
        Ok(a[0].clone())
    }),
    Row("augmented boolean any(Predicate)", |vm, a| {
        for item in items_of(vm, &a[0])? {
            if truth(vm.call(&a[1], &[item])?)? {
                return ok_bool(true);
            }
        }
        ok_bool(false)
    }),
    Row("augmented boolean every(Predicate)", |vm, a| {
        for item in items_of(vm, &a[0])? {
            if !truth(vm.call(&a[1], &[item])?)? {
                return ok_bool(false);
            }
        }
        ok_bool(true)
    }),
    Row("augmented Collection asCollection()", |_, a| Ok(a[0].clone())),
    Row("augmented List asList()", |vm, a| match a[0].data() {
        Some(Data::List(_)) => Ok(a[0].clone()),
        _ => {
            let items = items_of(vm, &a[0])?;
            vm.list(items)
        }
    }),
    Row("augmented List findResults(Function)", |vm, a| {
        let mut out = vec![];
        for item in items_of(vm, &a[0])? {
            let result = vm.call(&a[1], &[item])?;
            if !result.is_null() {
                out.push(result);
            }
        }
        vm.list(out)
    }),
    Row("augmented Map groupBy(Function)", |vm, a| {
        let out = vm.alloc(Data::Map(Map::new(MapKind::Linked).into()))?;
        for item in items_of(vm, &a[0])? {
            let key = vm.call(&a[1], std::slice::from_ref(&item))?;
            let known = super::get(vm, &out, &key)?;
            let group = if known.is_null() { vm.list(vec![])? } else { known };
            add(vm, &group, None, item)?;
            put(vm, &out, key, group)?;
        }
        Ok(out)
    }),
    Row("augmented String join(String)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        join(vm, &items, &text(&a[1])?)
    }),
    Row("augmented double sum()", |vm, a| {
        let items = items_of(vm, &a[0])?;
        sum(vm, items, None)
    }),
    Row("augmented double sum(ToDoubleFunction)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        sum(vm, items, Some(&a[1]))
    }),
];

fn each(vm: &mut Vm, a: &[Value]) -> Outcome {
    for item in items_of(vm, &a[0])? {
        vm.call(&a[1], &[item])?;
    }
    Ok(Value::Null)
}

/// What of each item comes out of a function.
fn collected(vm: &mut Vm, of: &Value, f: &Value) -> Result<Vec<Value>, Failed> {
    items_of(vm, of)?.into_iter().map(|item| vm.call(f, &[item])).collect()
}

fn size(vm: &mut Vm, of: &Value) -> Result<usize, Failed> {
    match of.data() {
        Some(Data::List(list) | Data::Queue(list, _)) => Ok(list.borrow().items.len()),
        Some(Data::Set(map)) => Ok(map.borrow().entries.len()),
        Some(Data::DocValues(slot)) => super::super::doc::count(vm, *slot),
        _ => Ok(items_of(vm, of)?.len()),
    }
}

/// What holds the items of a set, or the keys of a map.
fn keys_of(of: &Value) -> Option<&RefCell<Map>> {
    match of.data() {
        Some(Data::Set(map)) => Some(map),
        Some(Data::MapView(map, View::Keys)) => match map.data() {
            Some(Data::Map(map)) => Some(map),
            _ => None,
        },
        _ => None,
    }
}

const COLLECTION: &[Row] = &[
    Row("boolean add(def)", |vm, a| add(vm, &a[0], None, a[1].clone())),
    Row("boolean addAll(Collection)", |vm, a| {
        let items = items_of(vm, &a[1])?;
        add_all(vm, &a[0], None, items)
    }),
    Row("void clear()", |vm, a| retain(vm, &a[0], |_, _| Ok(false)).map(|_| Value::Null)),
    Row("boolean contains(def)", |vm, a| match keys_of(&a[0]) {
        Some(keys) => ok_bool(super::collection::known_as(vm, keys, &a[1])?.is_some()),
        None => ok_bool(items_of(vm, &a[0])?.iter().any(|item| Vm::equal(item, &a[1]))),
    }),
    Row("boolean containsAll(Collection)", |vm, a| {
        if let Some(keys) = keys_of(&a[0]) {
            for wanted in items_of(vm, &a[1])? {
                if super::collection::known_as(vm, keys, &wanted)?.is_none() {
                    return ok_bool(false);
                }
            }
            return ok_bool(true);
        }
        let items = items_of(vm, &a[0])?;
        let wanted = items_of(vm, &a[1])?;
        vm.work(items.len() * wanted.len())?;
        ok_bool(wanted.iter().all(|w| items.iter().any(|item| Vm::equal(item, w))))
    }),
    Row("boolean isEmpty()", |vm, a| ok_bool(size(vm, &a[0])? == 0)),
    Row("int size()", |vm, a| ok_int(size(vm, &a[0])?)),
    Row("boolean removeAll(Collection)", |vm, a| {
        let gone = items_of(vm, &a[1])?;
        if keys_of(&a[0]).is_some() && size(vm, &a[0])? > gone.len() {
            let mut changed = false;
            for item in gone {
                changed |= truth(super::set::remove(vm, &a[0], &item)?)?;
            }
            return ok_bool(changed);
        }
        retain(vm, &a[0], |vm, item| {
            vm.work(gone.len())?;
            Ok(!gone.iter().any(|g| Vm::equal(g, item)))
        })
    }),
    Row("boolean retainAll(Collection)", |vm, a| {
        let stay = items_of(vm, &a[1])?;
        retain(vm, &a[0], |vm, item| {
            vm.work(stay.len())?;
            Ok(stay.iter().any(|s| Vm::equal(s, item)))
        })
    }),
    Row("boolean removeIf(Predicate)", |vm, a| {
        let f = a[1].clone();
        retain(vm, &a[0], |vm, item| Ok(!truth(vm.call(&f, std::slice::from_ref(item))?)?))
    }),
    Row("Stream stream()", |vm, a| {
        let items = items_of(vm, &a[0])?;
        super::stream::of_objects(vm, items)
    }),
    Row("def[] toArray()", |vm, a| {
        let items = items_of(vm, &a[0])?;
        vm.grow(items.len() * 16)?;
        vm.alloc(Data::Array(Array::Objects(Type::DEF, items).into()))
    }),
    Row("def[] toArray(def[])", |vm, a| {
        let items = items_of(vm, &a[0])?;
        vm.grow(items.len() * 16)?;
        let element = super::args::array(&a[1])?.borrow().element_type();
        vm.alloc(Data::Array(Array::Objects(element, items).into()))
    }),
    Row("augmented List collect(Function)", |vm, a| {
        let items = collected(vm, &a[0], &a[1])?;
        vm.list(items)
    }),
    Row("augmented def collect(Collection,Function)", |vm, a| {
        let items = collected(vm, &a[0], &a[2])?;
        add_all(vm, &a[1], None, items)?;
        Ok(a[1].clone())
    }),
    Row("augmented def find(Predicate)", |vm, a| {
        for item in items_of(vm, &a[0])? {
            if truth(vm.call(&a[1], std::slice::from_ref(&item))?)? {
                return Ok(item);
            }
        }
        Ok(Value::Null)
    }),
    Row("augmented List findAll(Predicate)", |vm, a| {
        let mut out = vec![];
        for item in items_of(vm, &a[0])? {
            if truth(vm.call(&a[1], std::slice::from_ref(&item))?)? {
                out.push(item);
            }
        }
        vm.list(out)
    }),
    Row("augmented def findResult(Function)", |vm, a| find_result(vm, &a[0], &a[1], Value::Null)),
    Row("augmented def findResult(def,Function)", |vm, a| find_result(vm, &a[0], &a[2], a[1].clone())),
    Row("augmented List split(Predicate)", |vm, a| {
        let (mut yes, mut no) = (vec![], vec![]);
        for item in items_of(vm, &a[0])? {
            if truth(vm.call(&a[1], std::slice::from_ref(&item))?)? { yes.push(item) } else { no.push(item) }
        }
        let both = vec![vm.list(yes)?, vm.list(no)?];
        vm.list(both)
    }),
];

fn find_result(vm: &mut Vm, of: &Value, f: &Value, default: Value) -> Outcome {
    for item in items_of(vm, of)? {
        let result = vm.call(f, &[item])?;
        if !result.is_null() {
            return Ok(result);
        }
    }
    Ok(default)
}

const LIST: &[Row] = &[
    Row("void add(int,def)", |vm, a| add(vm, &a[0], Some(int(&a[1])?), a[2].clone()).map(|_| Value::Null)),
    Row("boolean addAll(int,Collection)", |vm, a| {
        let items = items_of(vm, &a[2])?;
        add_all(vm, &a[0], Some(int(&a[1])?), items)
    }),
    Row("def get(int)", |vm, a| get(vm, &a[0], int(&a[1])?)),
    Row("augmented Object getByPath(String)", |_, a| get_by_path(a)),
    Row("augmented Object getByPath(String,Object)", |_, a| get_by_path(a)),
    Row("augmented int getLength()", |vm, a| ok_int(size(vm, &a[0])?)),
    Row("int indexOf(def)", |vm, a| index_of(vm, &a[0], &a[1], false)),
    Row("int lastIndexOf(def)", |vm, a| index_of(vm, &a[0], &a[1], true)),
    Row("def remove(int)", |vm, a| match a[0].data() {
        Some(Data::Set(_) | Data::MapView(..)) => super::set::remove(vm, &a[0], &a[1]),
        _ => remove_at(&a[0], int(&a[1])?),
    }),
    Row("void replaceAll(UnaryOperator)", |vm, a| {
        let items = collected(vm, &a[0], &a[1])?;
        let mut list = list(&a[0])?.borrow_mut();
        check_changeable(&list)?;
        list.items = items;
        Ok(Value::Null)
    }),
    Row("def set(int,def)", |_, a| {
        let mut list = list(&a[0])?.borrow_mut();
        check_changeable(&list)?;
        let at = place(int(&a[1])?, list.items.len())?;
        Ok(std::mem::replace(&mut list.items[at], a[2].clone()))
    }),
    Row("void sort(Comparator)", |vm, a| sort_list(vm, &a[0], Some(&a[1]))),
    Row("List subList(int,int)", |vm, a| {
        let items = items_of(vm, &a[0])?;
        let (from, to) = (int(&a[1])?, int(&a[2])?);
        let range = (usize::try_from(from), usize::try_from(to));
        match range {
            (Ok(from), Ok(to)) if from <= to && to <= items.len() => {
                super::collections::sub_list(vm, &a[0], items[from..to].to_vec())
            }
            (Err(_), _) => Err(throw("IndexOutOfBoundsException", format!("fromIndex = {from}"))),
            (Ok(_), Ok(to)) if to > items.len() => Err(throw("IndexOutOfBoundsException", format!("toIndex = {to}"))),
            _ => Err(throw("IllegalArgumentException", format!("fromIndex({from}) > toIndex({to})"))),
        }
    }),
    Row("ListIterator listIterator()", |vm, a| super::iterators::list_iterator(vm, &[a[0].clone(), Value::Int(0)])),
    Row("ListIterator listIterator(int)", super::iterators::list_iterator),
];

pub(super) fn sort_list(vm: &mut Vm, of: &Value, comparator: Option<&Value>) -> Outcome {
    let items = items_of(vm, of)?;
    check_changeable(&list(of)?.borrow())?;
    let sorted = sort(vm, items, comparator.filter(|c| !c.is_null()))?;
    let mut list = list(of)?.borrow_mut();
    list.items = sorted;
    list.changes += 1;
    Ok(Value::Null)
}

pub(super) fn of_kind(vm: &mut Vm, kind: ListKind, items: Vec<Value>) -> Outcome {
    vm.grow(items.len() * 16)?;
    vm.alloc(Data::List(List { kind, items, changes: 0, own_class: None }.into()))
}

fn of_items(vm: &mut Vm, kind: ListKind, items: Vec<Value>) -> Outcome {
    match kind == ListKind::Deque && items.iter().any(Value::is_null) {
        true => Err(thrown("NullPointerException", None)),
        false => of_kind(vm, kind, items),
    }
}

/// The ends of a list as a queue has them.
pub(super) fn end(of: &Value, first: bool, take: bool, missing: Option<Value>) -> Outcome {
    let mut list = list(of)?.borrow_mut();
    let item = if first { list.items.first() } else { list.items.last() };
    let Some(item) = item.cloned() else {
        return missing.ok_or_else(|| thrown("NoSuchElementException", None));
    };
    if take {
        let at = if first { 0 } else { list.items.len() - 1 };
        list.items.remove(at);
        list.changes += 1;
    }
    Ok(item)
}

const DEQUE: &[Row] = &[
    Row("void addFirst(def)", |vm, a| add(vm, &a[0], Some(0), a[1].clone()).map(|_| Value::Null)),
    Row("void addLast(def)", |vm, a| add(vm, &a[0], None, a[1].clone()).map(|_| Value::Null)),
    Row("boolean offerFirst(def)", |vm, a| add(vm, &a[0], Some(0), a[1].clone()).map(|_| Value::Bool(true))),
    Row("boolean offerLast(def)", |vm, a| add(vm, &a[0], None, a[1].clone())),
    Row("boolean remove(def)", |vm, a| super::set::remove(vm, &a[0], &a[1])),
    Row("void push(def)", |vm, a| add(vm, &a[0], Some(0), a[1].clone()).map(|_| Value::Null)),
    Row("def pop()", |_, a| end(&a[0], true, true, None)),
    Row("def removeFirst()", |_, a| end(&a[0], true, true, None)),
    Row("def removeLast()", |_, a| end(&a[0], false, true, None)),
    Row("def pollFirst()", |_, a| end(&a[0], true, true, Some(Value::Null))),
    Row("def pollLast()", |_, a| end(&a[0], false, true, Some(Value::Null))),
    Row("def peekFirst()", |_, a| end(&a[0], true, false, Some(Value::Null))),
    Row("def peekLast()", |_, a| end(&a[0], false, false, Some(Value::Null))),
    Row("def getFirst()", |_, a| end(&a[0], true, false, None)),
    Row("def getLast()", |_, a| end(&a[0], false, false, None)),
    Row("Iterator descendingIterator()", |vm, a| {
        let mut items = items_of(vm, &a[0])?;
        items.reverse();
        let reversed = of_kind(vm, ListKind::Unmodifiable, items)?;
        iterator_of(vm, &reversed)
    }),
    Row("boolean removeFirstOccurrence(def)", |vm, a| super::set::remove(vm, &a[0], &a[1])),
    Row("boolean removeLastOccurrence(def)", |vm, a| {
        let mut list = list(&a[0])?.borrow_mut();
        vm.work(list.items.len())?;
        let found = list.items.iter().rposition(|item| Vm::equal(item, &a[1]));
        if let Some(at) = found {
            list.items.remove(at);
            list.changes += 1;
        }
        ok_bool(found.is_some())
    }),
];

macro_rules! constructors {
    ($kind:expr $(, $more:expr)*) => {
        &[
            Row("new()", |vm, _| of_kind(vm, $kind, vec![])),
            Row("new(Collection)", |vm, a| {
                let items = items_of(vm, &a[0])?;
                of_items(vm, $kind, items)
            }),
            Row("def clone()", |vm, a| copy_of(vm, &a[0])),
            $($more),*
        ]
    };
}

const ITERATOR: &[Row] = &[
    Row("boolean hasNext()", |_, a| ok_bool(has_next(&a[0])?)),
    Row("def next()", |_, a| expect_next(&a[0])),
    Row("void remove()", |_, a| remove_last(&a[0])),
    Row("void forEachRemaining(Consumer)", each_remaining),
];

pub(super) fn each_remaining(vm: &mut Vm, a: &[Value]) -> Outcome {
    while let Some(item) = next_of(&a[0])? {
        vm.call(&a[1], &[item])?;
    }
    Ok(Value::Null)
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.Iterable", &[], ITERABLE),
    ClassRow::new("java.util.Collection", &["Iterable"], COLLECTION),
    ClassRow::new("java.util.List", &["Collection"], LIST),
    ClassRow::new(
        "java.util.ArrayList",
        &["AbstractList", "RandomAccess"],
        constructors!(ListKind::Array, Row("void trimToSize()", |_, _| Ok(Value::Null))),
    ),
    ClassRow::new("java.util.Deque", &["Queue"], DEQUE),
    ClassRow::new("java.util.LinkedList", &["AbstractSequentialList", "Deque"], constructors!(ListKind::Linked)),
    ClassRow::new("java.util.ArrayDeque", &["AbstractCollection", "Deque"], constructors!(ListKind::Deque)),
    ClassRow::new("java.util.VectorBase", &["AbstractList", "RandomAccess"], vector::VECTOR),
    ClassRow::new("java.util.Vector", &["VectorBase"], constructors!(ListKind::Vector)),
    ClassRow::new("java.util.Stack", &["Vector"], vector::STACK),
    ClassRow::new("java.util.Iterator", &[], ITERATOR),
];
