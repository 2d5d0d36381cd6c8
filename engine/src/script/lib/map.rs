//! Maps and their entries.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome};
use super::super::stored_values;
use super::super::value::{Data, Map, MapKind, Value, View};
use super::super::vm::Vm;
use super::args::{map, ok_bool, ok_int, text, unexpected};
use super::collection::{copy_of, entries, get, known_as, put};
use super::collections::looks_before_it_refuses;
use super::list::{get_by_path, truth};

pub(super) fn copy_into(vm: &mut Vm, to: &Value, from: &Value) -> Outcome {
    for (key, value) in entries(from) {
        put(vm, to, key, value)?;
    }
    Ok(Value::Null)
}

/// A table that nothing was put into yet is made for all that is put into it at once.
fn make_table(to: &Value, from: &Value) -> Result<(), Failed> {
    let more = map(from)?.borrow().entries.len();
    if to.same(from) {
        return Ok(());
    }
    let mut to = map(to)?.borrow_mut();
    if to.kind == MapKind::Hash && to.changes == 0 && to.entries.is_empty() && more > 0 {
        to.capacity = (more * 4).div_ceil(3).next_power_of_two() as u32;
    }
    Ok(())
}

pub(super) fn new_map(vm: &mut Vm, kind: MapKind, from: Option<&Value>) -> Outcome {
    let out = vm.alloc(Data::Map(Map::new(kind).into()))?;
    if let Some(from) = from {
        make_table(&out, from)?;
        copy_into(vm, &out, from)?;
    }
    Ok(out)
}

fn view(vm: &mut Vm, of: &Value, view: View) -> Outcome {
    map(of)?;
    vm.alloc(Data::MapView(of.clone(), view))
}

pub(super) fn remove(vm: &mut Vm, of: &Value, key: &Value) -> Outcome {
    let target = map(of)?;
    if !looks_before_it_refuses(&target.borrow()) {
        target.borrow().check_changeable()?;
    }
    let Some(key) = known_as(vm, target, key)? else { return Ok(Value::Null) };
    target.borrow().check_changeable()?;
    Ok(target.borrow_mut().remove(&key.0).unwrap_or_default())
}

fn contains(vm: &mut Vm, of: &Value, key: &Value) -> Result<bool, Failed> {
    match of.data() {
        Some(Data::Map(map)) => Ok(known_as(vm, map, key)?.is_some()),
        _ => Err(unexpected(of)),
    }
}

/// Puts the value that a function gives, or removes the key if it gives null.
fn put_or_remove(vm: &mut Vm, of: &Value, key: &Value, value: Value) -> Outcome {
    match value.is_null() {
        true => drop(remove(vm, of, key)?),
        false => drop(put(vm, of, key.clone(), value.clone())?),
    }
    Ok(value)
}

/// Calls a function with each entry, until it says to stop.
fn each(vm: &mut Vm, of: &Value, mut f: impl FnMut(&mut Vm, &[Value]) -> Result<bool, Failed>) -> Result<(), Failed> {
    for (key, value) in entries(of) {
        if !f(vm, &[key, value])? {
            break;
        }
    }
    Ok(())
}

fn filtered(vm: &mut Vm, of: &Value, f: &Value) -> Outcome {
    let kind = if map(of)?.borrow().kind == MapKind::Tree { MapKind::Tree } else { MapKind::Linked };
    let out = new_map(vm, kind, None)?;
    each(vm, of, |vm, entry| {
        if truth(vm.call(f, entry)?)? {
            put(vm, &out, entry[0].clone(), entry[1].clone())?;
        }
        Ok(true)
    })?;
    Ok(out)
}

/// The first result of a function over the entries that is not null.
fn first_result(vm: &mut Vm, of: &Value, f: &Value, default: Value) -> Outcome {
    let mut found = Value::Null;
    each(vm, of, |vm, entry| {
        found = vm.call(f, entry)?;
        Ok(found.is_null())
    })?;
    Ok(if found.is_null() { default } else { found })
}

const MAP: &[Row] = &[
    Row("void clear()", |_, a| {
        let mut map = map(&a[0])?.borrow_mut();
        if !(map.entries.is_empty() && looks_before_it_refuses(&map)) {
            map.check_changeable()?;
        }
        map.entries.clear();
        map.changes += 1;
        Ok(Value::Null)
    }),
    Row("boolean containsKey(def)", |vm, a| match a[0].data() {
        Some(Data::Doc) => ok_bool(super::super::doc::has_field(vm, &text(&a[1])?)),
        Some(Data::Fields) => ok_bool(super::super::doc::has_field(vm, &super::plain(&a[1]))),
        _ => ok_bool(contains(vm, &a[0], &a[1])?),
    }),
    Row("boolean containsValue(def)", |_, a| {
        ok_bool(map(&a[0])?.borrow().entries.values().any(|value| Vm::equal(value, &a[1])))
    }),
    Row("Set entrySet()", |vm, a| view(vm, &a[0], View::Entries)),
    Row("Set keySet()", |vm, a| view(vm, &a[0], View::Keys)),
    Row("Collection values()", |vm, a| view(vm, &a[0], View::Values)),
    Row("void forEach(BiConsumer)", |vm, a| {
        each(vm, &a[0], |vm, entry| vm.call(&a[1], entry).map(|_| true))?;
        Ok(Value::Null)
    }),
    Row("augmented def each(BiConsumer)", |vm, a| {
        each(vm, &a[0], |vm, entry| vm.call(&a[1], entry).map(|_| true))?;
        Ok(a[0].clone())
    }),
    Row("def get(def)", |vm, a| match a[0].data() {
        Some(Data::Doc) => super::super::doc::field(vm, &text(&a[1])?),
        Some(Data::Fields) => stored_values::field(vm, &super::plain(&a[1])),
        _ => get(vm, &a[0], &a[1]),
    }),
    Row("augmented Object getByPath(String)", |_, a| get_by_path(a)),
    Row("augmented Object getByPath(String,Object)", |_, a| get_by_path(a)),
    Row("def getOrDefault(def,def)", |vm, a| match a[0].data() {
        Some(Data::Doc) => super::super::doc::field(vm, &text(&a[1])?),
        Some(Data::Fields) => stored_values::field(vm, &super::plain(&a[1])),
        _ => match contains(vm, &a[0], &a[1])? {
            true => get(vm, &a[0], &a[1]),
            false => Ok(a[2].clone()),
        },
    }),
    Row("boolean isEmpty()", |_, a| ok_bool(map(&a[0])?.borrow().entries.is_empty())),
    Row("int size()", |_, a| ok_int(map(&a[0])?.borrow().entries.len())),
    Row("def put(def,def)", |vm, a| put(vm, &a[0], a[1].clone(), a[2].clone())),
    Row("void putAll(Map)", |vm, a| {
        map(&a[1])?;
        make_table(&a[0], &a[1])?;
        copy_into(vm, &a[0], &a[1])
    }),
    Row("def putIfAbsent(def,def)", |vm, a| {
        map(&a[0])?.borrow().check_changeable()?;
        let known = get(vm, &a[0], &a[1])?;
        if known.is_null() {
            put(vm, &a[0], a[1].clone(), a[2].clone())?;
        }
        Ok(known)
    }),
    Row("def remove(def)", |vm, a| remove(vm, &a[0], &a[1])),
    Row("boolean remove(def,def)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        let same = contains(vm, &a[0], &a[1])? && Vm::equal(&known, &a[2]);
        if same {
            remove(vm, &a[0], &a[1])?;
        }
        ok_bool(same)
    }),
    Row("def replace(def,def)", |vm, a| match contains(vm, &a[0], &a[1])? {
        true => put(vm, &a[0], a[1].clone(), a[2].clone()),
        false => Ok(Value::Null),
    }),
    Row("boolean replace(def,def,def)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        let same = contains(vm, &a[0], &a[1])? && Vm::equal(&known, &a[2]);
        if same {
            put(vm, &a[0], a[1].clone(), a[3].clone())?;
        }
        ok_bool(same)
    }),
    Row("augmented def findResult(BiFunction)", |vm, a| first_result(vm, &a[0], &a[1], Value::Null)),
    Row("augmented def findResult(def,BiFunction)", |vm, a| first_result(vm, &a[0], &a[2], a[1].clone())),
    Row("augmented List findResults(BiFunction)", |vm, a| {
        let mut out = vec![];
        each(vm, &a[0], |vm, entry| {
            out.extend(Some(vm.call(&a[1], entry)?).filter(|result| !result.is_null()));
            Ok(true)
        })?;
        vm.list(out)
    }),
    Row("augmented def collect(Collection,BiFunction)", |vm, a| {
        let mut out = vec![];
        each(vm, &a[0], |vm, entry| {
            out.push(vm.call(&a[2], entry)?);
            Ok(true)
        })?;
        super::list::add_all(vm, &a[1], None, out)?;
        Ok(a[1].clone())
    }),
    Row("void replaceAll(BiFunction)", |vm, a| {
        each(vm, &a[0], |vm, entry| {
            let value = vm.call(&a[1], entry)?;
            put(vm, &a[0], entry[0].clone(), value).map(|_| true)
        })?;
        Ok(Value::Null)
    }),
    Row("def compute(def,BiFunction)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        let value = vm.call(&a[2], &[a[1].clone(), known])?;
        put_or_remove(vm, &a[0], &a[1], value)
    }),
    Row("def computeIfAbsent(def,Function)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        if !known.is_null() {
            return Ok(known);
        }
        let value = vm.call(&a[2], std::slice::from_ref(&a[1]))?;
        if !value.is_null() {
            put(vm, &a[0], a[1].clone(), value.clone())?;
        }
        Ok(value)
    }),
    Row("def computeIfPresent(def,BiFunction)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        if known.is_null() {
            return Ok(Value::Null);
        }
        let value = vm.call(&a[2], &[a[1].clone(), known])?;
        put_or_remove(vm, &a[0], &a[1], value)
    }),
    Row("def merge(def,def,BiFunction)", |vm, a| {
        let known = get(vm, &a[0], &a[1])?;
        let value = if known.is_null() { a[2].clone() } else { vm.call(&a[3], &[known, a[2].clone()])? };
        put_or_remove(vm, &a[0], &a[1], value)
    }),
    Row("augmented List collect(BiFunction)", |vm, a| {
        let mut out = vec![];
        each(vm, &a[0], |vm, entry| {
            out.push(vm.call(&a[1], entry)?);
            Ok(true)
        })?;
        vm.list(out)
    }),
    Row("augmented int count(BiPredicate)", |vm, a| {
        let mut count = 0;
        each(vm, &a[0], |vm, entry| {
            count += usize::from(truth(vm.call(&a[1], entry)?)?);
            Ok(true)
        })?;
        ok_int(count)
    }),
    Row("augmented boolean every(BiPredicate)", |vm, a| {
        let mut every = true;
        each(vm, &a[0], |vm, entry| {
            every = truth(vm.call(&a[1], entry)?)?;
            Ok(every)
        })?;
        ok_bool(every)
    }),
    Row("augmented Map.Entry find(BiPredicate)", |vm, a| {
        let mut found = Value::Null;
        each(vm, &a[0], |vm, entry| {
            if truth(vm.call(&a[1], entry)?)? {
                found = vm.alloc(Data::Entry(entry[0].clone(), entry[1].clone().into(), a[0].clone()))?;
                return Ok(false);
            }
            Ok(true)
        })?;
        Ok(found)
    }),
    Row("augmented Map findAll(BiPredicate)", |vm, a| filtered(vm, &a[0], &a[1])),
    Row("augmented Map groupBy(BiFunction)", |vm, a| {
        let out = new_map(vm, MapKind::Linked, None)?;
        each(vm, &a[0], |vm, entry| {
            let key = vm.call(&a[1], entry)?;
            let known = get(vm, &out, &key)?;
            let group = if known.is_null() { new_map(vm, MapKind::Linked, None)? } else { known };
            put(vm, &group, entry[0].clone(), entry[1].clone())?;
            put(vm, &out, key, group).map(|_| true)
        })?;
        Ok(out)
    }),
];

const DICTIONARY: &[Row] = &[
    Row("Enumeration elements()", |vm, a| enumerated(vm, a, View::Values)),
    Row("Enumeration keys()", |vm, a| enumerated(vm, a, View::Keys)),
    Row("def get(def)", |vm, a| get(vm, &a[0], &a[1])),
    Row("boolean isEmpty()", |_, a| ok_bool(map(&a[0])?.borrow().entries.is_empty())),
    Row("def put(def,def)", |vm, a| put(vm, &a[0], a[1].clone(), a[2].clone())),
    Row("def remove(def)", |vm, a| remove(vm, &a[0], &a[1])),
    Row("int size()", |_, a| ok_int(map(&a[0])?.borrow().entries.len())),
];

fn enumerated(vm: &mut Vm, a: &[Value], what: View) -> Outcome {
    let seen = view(vm, &a[0], what)?;
    let items = super::items_of(vm, &seen)?;
    super::iterators::iterator_over(vm, items, "Enumeration")
}

macro_rules! constructors {
    ($kind:expr) => {
        &[
            Row("new()", |vm, _| new_map(vm, $kind, None)),
            Row("new(Map)", |vm, a| new_map(vm, $kind, Some(&a[0]))),
            Row("def clone()", |vm, a| copy_of(vm, &a[0])),
        ]
    };
}

const ENTRY: &[Row] = &[
    Row("def getKey()", |_, a| match a[0].data() {
        Some(Data::Entry(key, ..)) => Ok(key.clone()),
        _ => Err(unexpected(&a[0])),
    }),
    Row("def getValue()", |_, a| match a[0].data() {
        Some(Data::Entry(_, value, _)) => Ok(value.borrow().clone()),
        _ => Err(unexpected(&a[0])),
    }),
    Row("def setValue(def)", |vm, a| match a[0].data() {
        Some(Data::Entry(key, value, map)) => {
            put(vm, map, key.clone(), a[1].clone())?;
            Ok(value.replace(a[1].clone()))
        }
        _ => Err(unexpected(&a[0])),
    }),
    Row("static Comparator comparingByKey()", |vm, _| super::comparator::by_method(vm, "getKey")),
    Row("static Comparator comparingByValue()", |vm, _| super::comparator::by_method(vm, "getValue")),
    Row("static Comparator comparingByKey(Comparator)", |vm, a| super::comparator::by_method_with(vm, "getKey", &a[0])),
    Row("static Comparator comparingByValue(Comparator)", |vm, a| {
        super::comparator::by_method_with(vm, "getValue", &a[0])
    }),
];

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Map", &[], MAP),
    ClassRow::new("java.util.Map.Entry", &[], ENTRY),
    ClassRow::new("java.util.HashMap", &["AbstractMap"], constructors!(MapKind::Hash)),
    ClassRow::new("java.util.LinkedHashMap", &["HashMap"], constructors!(MapKind::Linked)),
    ClassRow::new("java.util.Dictionary", &[], DICTIONARY),
    ClassRow::new("java.util.Hashtable", &["Map", "Dictionary"], constructors!(MapKind::Hash)),
];
