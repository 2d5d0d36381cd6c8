//! The order in which the reference answers what it keeps in a hash map of Java.

use crate::json::{Map, Value};

/// Sorts names by the slot of their hash code, of as many slots as their number makes the map grow to; within a slot they stay
/// as they are.
pub(crate) fn java_order<T: AsRef<str>>(mut names: Vec<T>) -> Vec<T> {
    let slots = slots_of(names.len());
    names.sort_by_key(|name| slot(name.as_ref(), slots));
    names
}

/// An object whose keys stand as Java's hash map has them, at all levels.
pub(crate) fn java_ordered(map: Map) -> Map {
    let slots = slots_of(map.len());
    let mut entries = map.entries;
    entries.sort_by_key(|entry| slot(&entry.key, slots));
    for entry in &mut entries {
        entry.value = ordered_value(std::mem::take(&mut entry.value));
    }
    Map { entries }
}

fn ordered_value(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(java_ordered(map)),
        Value::Array(items) => Value::Array(items.into_iter().map(ordered_value).collect()),
        scalar => scalar,
    }
}

/// How many slots a map of so many names has.
pub(crate) fn slots_of(names: usize) -> usize {
    const SLOTS_MIN: usize = 16;
    let mut slots = SLOTS_MIN;
    while names > slots / 4 * 3 {
        slots *= 2;
    }
    slots
}

pub(crate) fn slot(name: &str, slots: usize) -> usize {
    let hash = name.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    (hash ^ (hash >> 16)) as usize & (slots - 1)
}
