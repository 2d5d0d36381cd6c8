//! Sets, which are maps without values.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome};
use super::super::value::{Data, Key, Map, MapKind, Value, View};
use super::super::vm::Vm;
use super::args::{boolean, ok_bool, unexpected};
use super::collection::{check_resizable, copy_of, items_of, tree_place, unchangeable};
use super::collections::looks_before_it_refuses;
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
            if map.borrow().frozen && !looks_before_it_refuses(&map.borrow()) {
                return Err(unchangeable());
            }
            let known = super::collection::known_as(vm, map, item)?;
            if known.is_some() && map.borrow().frozen {
                return Err(unchangeable());
            }
            ok_bool(known.is_some_and(|key| map.borrow_mut().remove(&key.0).is_some()))
        }
        Some(Data::List(list)) => {
            let mut list = list.borrow_mut();
            check_resizable(&list)?;
            let Some(at) = list.items.iter().position(|other| Vm::equal(other, item)) else { return ok_bool(false) };
            list.items.remove(at);
            list.changes += 1;
            ok_bool(true)
        }
        Some(Data::Queue(..)) => super::queue::remove(vm, of, item),
        Some(Data::MapView(map, view)) => {
            let Some(Data::Map(map)) = map.data() else { return Err(unexpected(of)) };
            if map.borrow().frozen && !looks_before_it_refuses(&map.borrow()) {
                return Err(unchangeable());
            }
            let known = match view {
                View::Keys => super::collection::known_as(vm, map, item)?.map(|key| key.0),
                _ => None,
            };
            let mut map = map.borrow_mut();
            let key = match (view, item.data()) {
                (View::Keys, _) => known,
                (View::Entries, Some(Data::Entry(key, value, _))) => {
                    let own = map.entries.get(&Key(key.clone()));
                    own.filter(|own| Vm::equal(own, &value.borrow())).map(|_| key.clone())
                }
                (View::Entries, _) => None,
                _ => map.entries.iter().find(|(_, value)| Vm::equal(value, item)).map(|(key, _)| key.0.clone()),
            };
            if map.frozen && key.as_ref().is_some_and(|key| map.entries.contains_key(&Key(key.clone()))) {
                return Err(unchangeable());
            }
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
            Row("def clone()", |vm, a| copy_of(vm, &a[0])),
        ]
    };
}

/// The first or last of a sorted set.
fn end(of: &Value, first: bool) -> Outcome {
    let map = set(of)?.borrow();
    let item = if first { map.entries.first() } else { map.entries.last() };
    item.map(|(key, _)| key.0.clone()).ok_or_else(|| super::super::error::thrown("NoSuchElementException", None))
}

/// Which neighbour of an item is looked for.
#[derive(Clone, Copy, PartialEq)]
enum Neighbour {
    Lower,
    Floor,
    Ceiling,
    Higher,
}

/// How many items of a sorted set are less than one, and whether it is among them itself.
fn place(vm: &mut Vm, of: &Value, item: &Value) -> Result<(usize, bool), Failed> {
    let target = set(of)?;
    let comparator = target.borrow().comparator.clone();
    Ok(match tree_place(vm, target, comparator.as_ref(), item)? {
        Ok(at) => (at, true),
        Err(at) => (at, false),
    })
}

fn neighbour(vm: &mut Vm, a: &[Value], wanted: Neighbour) -> Outcome {
    // Where there is nothing, no item is held against it.
    if set(&a[0])?.borrow().entries.is_empty() {
        return Ok(Value::Null);
    }
    let (at, found) = place(vm, &a[0], &a[1])?;
    let at = match wanted {
        Neighbour::Floor if found => Some(at),
        Neighbour::Lower | Neighbour::Floor => at.checked_sub(1),
        Neighbour::Ceiling => Some(at),
        Neighbour::Higher => Some(at + usize::from(found)),
    };
    let map = set(&a[0])?.borrow();
    Ok(at.and_then(|at| map.entries.get_index(at)).map_or(Value::Null, |(key, _)| key.0.clone()))
}

/// Takes the first or the last item out; null if there is none.
fn poll(of: &Value, first: bool) -> Outcome {
    let mut map = set(of)?.borrow_mut();
    if map.frozen {
        return Err(unchangeable());
    }
    let at = if first { 0 } else { map.entries.len().saturating_sub(1) };
    let Some(item) = map.entries.get_index(at).map(|(key, _)| key.0.clone()) else { return Ok(Value::Null) };
    map.remove(&item);
    Ok(item)
}

/// The items of a sorted set from one place to another.
fn part(vm: &mut Vm, of: &Value, from: usize, to: usize) -> Outcome {
    let comparator = set(of)?.borrow().comparator.clone();
    let items = items_of(vm, of)?.into_iter().take(to).skip(from).collect();
    sorted(vm, items, comparator)
}

/// A sorted set of items.
pub(super) fn sorted(vm: &mut Vm, items: Vec<Value>, comparator: Option<Value>) -> Outcome {
    let out = new_set(vm, MapKind::Tree, vec![])?;
    set(&out)?.borrow_mut().comparator = comparator;
    for item in items {
        add(vm, &out, item)?;
    }
    Ok(out)
}

/// The items of a sorted set from the last to the first, and what orders them so.
fn descending(vm: &mut Vm, of: &Value) -> Outcome {
    let comparator = set(of)?.borrow().comparator.clone();
    let comparator = match comparator {
        Some(comparator) => super::comparator::reversed(vm, &comparator)?,
        None => super::comparator::reverse_order(vm)?,
    };
    let items = items_of(vm, of)?.into_iter().rev().collect();
    sorted(vm, items, Some(comparator))
}

/// Where a part of a sorted set begins or ends: before an item or behind it.
fn edge(vm: &mut Vm, of: &Value, item: &Value, behind: bool) -> Result<usize, Failed> {
    let (at, found) = place(vm, of, item)?;
    Ok(at + usize::from(found && behind))
}

const NAVIGABLE: &[Row] = &[
    Row("NavigableSet descendingSet()", |vm, a| descending(vm, &a[0])),
    Row("Iterator descendingIterator()", |vm, a| {
        let items = items_of(vm, &a[0])?.into_iter().rev().collect();
        let items = vm.list(items)?;
        super::collection::iterator_of(vm, &items)
    }),
    Row("NavigableSet headSet(def,boolean)", |vm, a| {
        let to = edge(vm, &a[0], &a[1], boolean(&a[2])?)?;
        part(vm, &a[0], 0, to)
    }),
    Row("NavigableSet tailSet(def,boolean)", |vm, a| {
        let from = edge(vm, &a[0], &a[1], !boolean(&a[2])?)?;
        part(vm, &a[0], from, usize::MAX)
    }),
    Row("NavigableSet subSet(def,boolean,def,boolean)", |vm, a| {
        let from = edge(vm, &a[0], &a[1], !boolean(&a[2])?)?;
        let to = edge(vm, &a[0], &a[3], boolean(&a[4])?)?;
        part(vm, &a[0], from, to)
    }),
    Row("def lower(def)", |vm, a| neighbour(vm, a, Neighbour::Lower)),
    Row("def floor(def)", |vm, a| neighbour(vm, a, Neighbour::Floor)),
    Row("def ceiling(def)", |vm, a| neighbour(vm, a, Neighbour::Ceiling)),
    Row("def higher(def)", |vm, a| neighbour(vm, a, Neighbour::Higher)),
    Row("def pollFirst()", |_, a| poll(&a[0], true)),
    Row("def pollLast()", |_, a| poll(&a[0], false)),
];

const SORTED: &[Row] = &[
    Row("def first()", |_, a| end(&a[0], true)),
    Row("def last()", |_, a| end(&a[0], false)),
    Row("Comparator comparator()", |_, a| Ok(set(&a[0])?.borrow().comparator.clone().unwrap_or_default())),
    Row("SortedSet headSet(def)", |vm, a| {
        let (to, _) = place(vm, &a[0], &a[1])?;
        part(vm, &a[0], 0, to)
    }),
    Row("SortedSet tailSet(def)", |vm, a| {
        let (from, _) = place(vm, &a[0], &a[1])?;
        part(vm, &a[0], from, usize::MAX)
    }),
    Row("SortedSet subSet(def,def)", |vm, a| {
        let (from, to) = (place(vm, &a[0], &a[1])?.0, place(vm, &a[0], &a[2])?.0);
        part(vm, &a[0], from, to)
    }),
];

const TREE_SET: &[Row] = &[
    Row("new()", |vm, _| new_set(vm, MapKind::Tree, vec![])),
    Row("new(Comparator)", |vm, a| {
        let out = new_set(vm, MapKind::Tree, vec![])?;
        set(&out)?.borrow_mut().comparator = Some(a[0].clone()).filter(|comparator| !comparator.is_null());
        Ok(out)
    }),
    Row("def clone()", |vm, a| copy_of(vm, &a[0])),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.NavigableSet", &["SortedSet"], NAVIGABLE),
    ClassRow::new("java.util.Set", &["Collection"], &[Row("boolean remove(def)", |vm, a| remove(vm, &a[0], &a[1]))]),
    ClassRow::new("java.util.HashSet", &["AbstractSet"], constructors!(MapKind::Hash)),
    ClassRow::new("java.util.LinkedHashSet", &["HashSet"], constructors!(MapKind::Linked)),
    ClassRow::new("java.util.SortedSet", &["Set"], SORTED),
    ClassRow::new("java.util.TreeSet", &["AbstractSet", "NavigableSet"], TREE_SET),
];
