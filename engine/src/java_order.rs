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

/// The numbers in the order in which the reference's set of them holds them.
pub(crate) fn long_hash_set(mut values: Vec<i64>) -> Vec<i64> {
    values.sort_unstable();
    let slots = (values.len() * 3 / 2 + 1).next_power_of_two();
    let mut table: Vec<Option<i64>> = vec![None; slots];
    let mut smallest = None;
    for value in values {
        if value == i64::MIN {
            smallest = Some(value);
            continue;
        }
        let mut at = (value ^ (value >> 32)) as usize & (slots - 1);
        while table[at].is_some_and(|other| other != value) {
            at = (at + 1) & (slots - 1);
        }
        table[at] = Some(value);
    }
    table.into_iter().flatten().chain(smallest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_numbers() {
        assert_eq!(long_hash_set(vec![285, 64]), [64, 285]);
        assert_eq!(long_hash_set(vec![800, 340]), [340, 800]);
        assert_eq!(long_hash_set(vec![-5, 5, -1, 1]), [-1, 1, -5, 5]);
    }
}
