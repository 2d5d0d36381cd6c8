//! Sets, which are maps without values.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome};
use super::super::value::{Data, Key, Map, MapKind, Value, View};
use super::super::vm::Vm;
use super::args::{ok_bool, unexpected};
use super::collection::{check_resizable, items_of, tree_place, unchangeable};
use std::cell::RefCell;

fn set(value: &Value) -> Result<&RefCell<Map>, Failed> {
    match value.data() {
        Some(Data::Set(map)) => Ok(map),
        _ => Err(unexpected(value)),
    }
}

pub fn add(vm: &mut Vm, of: &Value, item: Value) -> Outcome {
    let target = set(of)?;
    if target.borrow().frozen {
        return Err(unchangeable());
    }
    if target.borrow().entries.contains_key(&Key(item.clone())) {
        return ok_bool(false);
    }
    vm.grow(64)?;
    let (kind, comparator) = {
        let map = target.borrow();
        (map.kind, map.comparator.clone())
    };
    let mut at = None;
    if kind == MapKind::Tree {
        match tree_place(vm, target, comparator.as_ref(), &item)? {
            Ok(_) => return ok_bool(false),
            Err(place) => at = Some(place),
        }
    }
    let mut map = target.borrow_mut();
    match at {
        Some(at) => {
            let at = at.min(map.entries.len());
            drop(map.entries.shift_insert(at, Key(item), Value::Null));
        }
        None => drop(map.entries.insert(Key(item), Value::Null)),
    }
    map.changes += 1;
    while map.entries.len() as u64 * 4 > u64::from(map.capacity) * 3 && map.capacity < 1 << 30 {
        map.capacity *= 2;
    }
    ok_bool(true)
}

/// Removes an item from whatever kind of collection.
pub fn remove(vm: &mut Vm, of: &Value, item: &Value) -> Outcome {
    vm.work(super::collection::plain_items(of).len() / 8)?;
    match of.data() {
        Some(Data::Set(map)) => {
            let mut map = map.borrow_mut();
            if map.frozen {
                return Err(unchangeable());
            }
            ok_bool(map.remove(item).is_some())
        }
        Some(Data::List(list)) => {
            let mut list = list.borrow_mut();
            check_resizable(&list)?;
            let Some(at) = list.items.iter().position(|other| Vm::equal(other, item)) else { return ok_bool(false) };
            list.items.remove(at);
            list.changes += 1;
            ok_bool(true)
        }
        Some(Data::MapView(map, view)) => {
            let Some(Data::Map(map)) = map.data() else { return Err(unexpected(of)) };
            let mut map = map.borrow_mut();
            if map.frozen {
                return Err(unchangeable());
            }
            let key = match (view, item.data()) {
                (View::Keys, _) => Some(item.clone()),
                (View::Entries, Some(Data::Entry(key, ..))) => Some(key.clone()),
                _ => map.entries.iter().find(|(_, value)| Vm::equal(value, item)).map(|(key, _)| key.0.clone()),
            };
            ok_bool(key.is_some_and(|key| map.remove(&key).is_some()))
        }
        _ => Err(unchangeable()),
    }
}

pub(super) fn new_set(vm: &mut Vm, kind: MapKind, items: Vec<Value>) -> Outcome {
    let out = vm.alloc(Data::Set(Map::new(kind).into()))?;
    for item in items {
        add(vm, &out, item)?;
    }
    Ok(out)
}

macro_rules! constructors {
    ($kind:expr) => {
        &[
            Row("new()", |vm, _| new_set(vm, $kind, vec![])),
            Row("new(Collection)", |vm, a| {
                let items = items_of(vm, &a[0])?;
                new_set(vm, $kind, items)
            }),
        ]
    };
}

/// The first or last of a sorted set.
fn end(of: &Value, first: bool) -> Outcome {
    let map = set(of)?.borrow();
    let item = if first { map.entries.first() } else { map.entries.last() };
    item.map(|(key, _)| key.0.clone()).ok_or_else(|| super::super::error::thrown("NoSuchElementException", None))
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Set", &["Collection"], &[]),
    ClassRow::new("java.util.HashSet", &["Set"], constructors!(MapKind::Hash)),
    ClassRow::new("java.util.LinkedHashSet", &["HashSet"], constructors!(MapKind::Linked)),
    ClassRow::new(
        "java.util.SortedSet",
        &["Set"],
        &[Row("def first()", |_, a| end(&a[0], true)), Row("def last()", |_, a| end(&a[0], false))],
    ),
    ClassRow::new("java.util.TreeSet", &["SortedSet"], constructors!(MapKind::Tree)),
];
