//! `SortedMap`, `NavigableMap` and `TreeMap`. Parts of a map are copies: what is changed in one does not show in the other.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, thrown};
use super::super::value::{Data, MapKind, Value};
use super::super::vm::Vm;
use super::args::{boolean, map};
use super::collection::{copy_of, entries, put, tree_place};
use super::map::{copy_into, new_map, remove};

/// An entry by its place.
fn entry(vm: &mut Vm, of: &Value, at: Option<usize>) -> Outcome {
    let found = at.and_then(|at| map(of).ok()?.borrow().entries.get_index(at).map(|(k, v)| (k.0.clone(), v.clone())));
    match found {
        Some((key, value)) => vm.alloc(Data::Entry(key, value.into(), of.clone())),
        None => Ok(Value::Null),
    }
}

fn key_of_entry(entry: &Value) -> Value {
    match entry.data() {
        Some(Data::Entry(key, ..)) => key.clone(),
        _ => Value::Null,
    }
}

/// An end of the map, taken out of it or not.
fn end(vm: &mut Vm, of: &Value, first: bool, take: bool) -> Outcome {
    let last = map(of)?.borrow().entries.len().checked_sub(1);
    let found = entry(vm, of, if first { Some(0) } else { last })?;
    if take && !found.is_null() {
        remove(vm, of, &key_of_entry(&found))?;
    }
    Ok(found)
}

fn end_key(vm: &mut Vm, of: &Value, first: bool) -> Outcome {
    match end(vm, of, first, false)? {
        Value::Null => Err(thrown("NoSuchElementException", None)),
        entry => Ok(key_of_entry(&entry)),
    }
}

/// Where a key is, or would be.
fn place(vm: &mut Vm, of: &Value, key: &Value) -> Result<Result<usize, usize>, Failed> {
    let comparator = map(of)?.borrow().comparator.clone();
    tree_place(vm, map(of)?, comparator.as_ref(), key)
}

/// The place that keys begin at which are greater than `key`, or not less where that is `inclusive`.
fn from(vm: &mut Vm, of: &Value, key: &Value, inclusive: bool) -> Result<usize, Failed> {
    Ok(match place(vm, of, key)? {
        Ok(at) => at + usize::from(!inclusive),
        Err(at) => at,
    })
}

/// Where there is nothing, no key is held against it.
fn is_empty(of: &Value) -> Result<bool, Failed> {
    Ok(map(of)?.borrow().entries.is_empty())
}

/// The nearest entry above a key, or at it.
fn above(vm: &mut Vm, a: &[Value], inclusive: bool) -> Outcome {
    if is_empty(&a[0])? {
        return Ok(Value::Null);
    }
    let at = from(vm, &a[0], &a[1], inclusive)?;
    entry(vm, &a[0], Some(at))
}

/// The nearest entry below a key, or at it.
fn below(vm: &mut Vm, a: &[Value], inclusive: bool) -> Outcome {
    if is_empty(&a[0])? {
        return Ok(Value::Null);
    }
    let at = from(vm, &a[0], &a[1], !inclusive)?;
    entry(vm, &a[0], at.checked_sub(1))
}

/// The entries of a range of places.
fn part(vm: &mut Vm, of: &Value, from: usize, to: usize) -> Outcome {
    let comparator = map(of)?.borrow().comparator.clone();
    let out = new_map(vm, MapKind::Tree, None)?;
    map(&out)?.borrow_mut().comparator = comparator;
    for (key, value) in entries(of).into_iter().take(to).skip(from) {
        put(vm, &out, key, value)?;
    }
    let class = if is_descending(of)? { DESCENDING } else { ASCENDING };
    Ok(super::collections::known_as(out, class))
}

/// What Java calls a part of a map, or the whole of it the other way round.
const ASCENDING: &str = "java.util.TreeMap$AscendingSubMap";
const DESCENDING: &str = "java.util.TreeMap$DescendingSubMap";

fn is_descending(of: &Value) -> Result<bool, Failed> {
    Ok(map(of)?.borrow().own_class == Some(DESCENDING))
}

fn descending(vm: &mut Vm, of: &Value) -> Outcome {
    let comparator = map(of)?.borrow().comparator.clone();
    let comparator = match comparator {
        Some(comparator) => super::comparator::reversed(vm, &comparator)?,
        None => super::comparator::reverse_order(vm)?,
    };
    let out = new_map(vm, MapKind::Tree, None)?;
    map(&out)?.borrow_mut().comparator = Some(comparator);
    for (key, value) in entries(of).into_iter().rev() {
        put(vm, &out, key, value)?;
    }
    let class = if is_descending(of)? { ASCENDING } else { DESCENDING };
    Ok(super::collections::known_as(out, class))
}

/// The keys as a sorted set.
fn keys(vm: &mut Vm, of: &Value) -> Outcome {
    let keys: Vec<Value> = entries(of).into_iter().map(|(key, _)| key).collect();
    let comparator = map(of)?.borrow().comparator.clone();
    super::set::sorted(vm, keys, comparator)
}

const SORTED: &[Row] = &[
    Row("Comparator comparator()", |_, a| Ok(map(&a[0])?.borrow().comparator.clone().unwrap_or_default())),
    Row("def firstKey()", |vm, a| end_key(vm, &a[0], true)),
    Row("def lastKey()", |vm, a| end_key(vm, &a[0], false)),
    Row("SortedMap headMap(def)", |vm, a| {
        let to = from(vm, &a[0], &a[1], true)?;
        part(vm, &a[0], 0, to)
    }),
    Row("SortedMap subMap(def,def)", |vm, a| {
        let (start, to) = (from(vm, &a[0], &a[1], true)?, from(vm, &a[0], &a[2], true)?);
        part(vm, &a[0], start, to)
    }),
    Row("SortedMap tailMap(def)", |vm, a| {
        let start = from(vm, &a[0], &a[1], true)?;
        part(vm, &a[0], start, usize::MAX)
    }),
];

const NAVIGABLE: &[Row] = &[
    Row("Map.Entry firstEntry()", |vm, a| end(vm, &a[0], true, false)),
    Row("Map.Entry lastEntry()", |vm, a| end(vm, &a[0], false, false)),
    Row("Map.Entry pollFirstEntry()", |vm, a| end(vm, &a[0], true, true)),
    Row("Map.Entry pollLastEntry()", |vm, a| end(vm, &a[0], false, true)),
    Row("Map.Entry ceilingEntry(def)", |vm, a| above(vm, a, true)),
    Row("def ceilingKey(def)", |vm, a| above(vm, a, true).map(|entry| key_of_entry(&entry))),
    Row("Map.Entry higherEntry(def)", |vm, a| above(vm, a, false)),
    Row("def higherKey(def)", |vm, a| above(vm, a, false).map(|entry| key_of_entry(&entry))),
    Row("Map.Entry floorEntry(def)", |vm, a| below(vm, a, true)),
    Row("def floorKey(def)", |vm, a| below(vm, a, true).map(|entry| key_of_entry(&entry))),
    Row("Map.Entry lowerEntry(def)", |vm, a| below(vm, a, false)),
    Row("NavigableMap descendingMap()", |vm, a| descending(vm, &a[0])),
    Row("NavigableSet descendingKeySet()", |vm, a| {
        let reversed = descending(vm, &a[0])?;
        keys(vm, &reversed)
    }),
    Row("NavigableSet navigableKeySet()", |vm, a| keys(vm, &a[0])),
    Row("NavigableMap headMap(def,boolean)", |vm, a| {
        let to = from(vm, &a[0], &a[1], !boolean(&a[2])?)?;
        part(vm, &a[0], 0, to)
    }),
    Row("NavigableMap subMap(def,boolean,def,boolean)", |vm, a| {
        let start = from(vm, &a[0], &a[1], boolean(&a[2])?)?;
        let to = from(vm, &a[0], &a[3], !boolean(&a[4])?)?;
        part(vm, &a[0], start, to)
    }),
    Row("NavigableMap tailMap(def,boolean)", |vm, a| {
        let start = from(vm, &a[0], &a[1], boolean(&a[2])?)?;
        part(vm, &a[0], start, usize::MAX)
    }),
];

const TREE_MAP: &[Row] = &[
    Row("new()", |vm, _| new_map(vm, MapKind::Tree, None)),
    Row("new(Comparator)", |vm, a| {
        let out = new_map(vm, MapKind::Tree, None)?;
        match a[0].data() {
            Some(Data::Map(_)) => drop(copy_into(vm, &out, &a[0])?),
            _ => map(&out)?.borrow_mut().comparator = Some(a[0].clone()),
        }
        Ok(out)
    }),
    Row("def clone()", |vm, a| copy_of(vm, &a[0])),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.SortedMap", &["Map"], SORTED),
    ClassRow::new("java.util.NavigableMap", &["SortedMap"], NAVIGABLE),
    ClassRow::new("java.util.TreeMap", &["AbstractMap", "NavigableMap"], TREE_MAP),
];
