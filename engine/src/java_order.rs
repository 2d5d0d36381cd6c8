//! The order in which the reference answers what it keeps in a hash map of Java.

use crate::json::{Entry, Map, Value, java_text};
use std::collections::{BTreeMap, VecDeque};

/// Sorts names by the slot of their hash code, of as many slots as their number makes the map grow to; within a slot they stay
/// as they are.
pub fn java_order<T: AsRef<str>>(mut names: Vec<T>) -> Vec<T> {
    sort_by_slot(&mut names, |name| name.as_ref());
    names
}

/// The same for what has a name.
pub fn sort_by_slot<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    let slots = slots_of(items.len());
    items.sort_by_key(|item| slot(name(item), slots));
}

/// The same for a map that was made for one or two names, and grew; or for the copy of another map.
pub fn sort_by_few_slots<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    sort_among_few_slots(items, items.len(), name);
}

/// The same for some of the names of such a map.
pub fn sort_among_few_slots<T>(items: &mut [T], names: usize, name: impl Fn(&T) -> &str) {
    let mut slots = 2;
    while names > slots * 3 / 4 {
        slots *= 2;
    }
    items.sort_by_key(|item| slot(name(item), slots));
}

/// An object whose keys stand as Java's hash map has them, at all levels.
pub fn java_ordered(map: Map) -> Map {
    sorted(map, by_slot)
}

/// An object as Java's copy of a hash map has it, at all levels: a copy has no more slots than it needs.
pub fn java_copied(map: Map) -> Map {
    sorted(map, |entries| sort_by_few_slots(entries, |entry| &entry.key))
}

fn by_slot(entries: &mut [Entry]) {
    sort_by_slot(entries, |entry| &entry.key);
}

/// An object whose keys stand as `sort` puts them, at all levels.
fn sorted(map: Map, sort: fn(&mut [Entry])) -> Map {
    let mut entries: Vec<_> = map.entries.into_iter().collect();
    sort(&mut entries);
    for entry in &mut entries {
        entry.value = sorted_value(std::mem::take(&mut entry.value), sort);
    }
    Map { entries: entries.into() }
}

fn sorted_value(value: Value, sort: fn(&mut [Entry])) -> Value {
    match value {
        Value::Object(map) => Value::Object(sorted(map, sort)),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| sorted_value(item, sort)).collect()),
        scalar => scalar,
    }
}

/// How many slots a map has that all of another map's `names` were put into, and that has had `most` of them since.
pub(crate) fn slots_of_filled(names: usize, most: usize) -> usize {
    let mut slots = match names {
        0 => slots_of(0),
        _ => (names * 4).div_ceil(3).next_power_of_two(),
    };
    while most > slots * 3 / 4 {
        slots *= 2;
    }
    slots
}

/// A value as Java prints it: what objects hold stands as their hash maps have it.
pub(crate) fn java_hashed_text(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) => java_text(&ordered_value(value.clone())),
        scalar => java_text(scalar),
    }
}

/// Settings as the reference writes them: its hash map of them begins with two slots.
pub fn settings_ordered(map: Map) -> Map {
    let mut entries: Vec<_> = map.entries.into_iter().collect();
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    sort_by_few_slots(&mut entries, |entry| &entry.key);
    for entry in &mut entries {
        entry.value = match std::mem::take(&mut entry.value) {
            Value::Object(inner) => Value::Object(settings_ordered(inner)),
            value => value,
        };
    }
    Map { entries: entries.into() }
}

/// A value whose objects stand as Java's hash maps have them.
pub(crate) fn ordered_value(value: Value) -> Value {
    sorted_value(value, by_slot)
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

/// `String.hashCode`.
pub fn hash_code(text: &str) -> i32 {
    text.encode_utf16().fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// Where a hash map of `slots` slots (a power of two) has `name`.
pub fn slot(name: &str, slots: usize) -> usize {
    slot_of_hash(hash_code(name), slots)
}

/// The same for what has this [`hash_code`].
pub(crate) fn slot_of_hash(hash: i32, slots: usize) -> usize {
    let hash = hash as u32;
    (hash ^ (hash >> 16)) as usize & (slots - 1)
}

/// Sorts what a hash map has by numbers, which are their own hashes.
pub fn sort_by_hash<T>(items: &mut [T], hash: impl Fn(&T) -> i32) {
    let slots = slots_of(items.len());
    items.sort_by_key(|item| slot_of_hash(hash(item), slots));
}

/// `List.hashCode` of a list of texts.
pub fn hash_of_list<'t>(texts: impl Iterator<Item = &'t str>) -> i32 {
    texts.fold(1, |hash: i32, text| hash.wrapping_mul(31).wrapping_add(hash_code(text)))
}

/// Sorts what a hash map has by analyzers, which are known by their names alone.
pub fn sort_by_analyzer<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    let slots = slots_of(items.len());
    items.sort_by_key(|item| slot_of_hash(hash_code(name(item)).wrapping_add(31), slots));
}

/// Full names of fields as the reference collects them: along the tree of objects, whose members it keeps in tries.
pub(crate) fn collected<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut out = Vec::with_capacity(names.len());
    collect(0, names, &mut out);
    out
}

fn collect<'n>(prefix: usize, names: &[&'n str], out: &mut Vec<&'n str>) {
    let mut members: BTreeMap<&str, Vec<&'n str>> = BTreeMap::new();
    for name in names {
        let own = &name[prefix..];
        members.entry(own.split_once('.').map_or(own, |(own, _)| own)).or_default().push(name);
    }
    for member in trie_order(members.keys().copied().collect()) {
        let end = prefix + member.len();
        let (own, below): (Vec<&str>, Vec<&str>) = members[member].iter().partition(|name| name.len() == end);
        out.extend(own);
        if !below.is_empty() {
            collect(end + 1, &below, out);
        }
    }
}

/// Names in the order of a trie of hash codes that takes six bits a level: level by level, what stands alone first.
pub(crate) fn trie_order(names: Vec<&str>) -> Vec<&str> {
    const BITS: u32 = 6;
    let mut out = Vec::with_capacity(names.len());
    let mut open = VecDeque::from([(names, 0)]);
    while let Some((names, taken)) = open.pop_front() {
        if taken >= u32::BITS {
            // The same hash code altogether.
            out.extend(names);
            continue;
        }
        let mut slots: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for name in names {
            slots.entry((hash_code(name) as u32 >> taken) & ((1 << BITS) - 1)).or_default().push(name);
        }
        for names in slots.into_values() {
            match names.as_slice() {
                [alone] => out.push(*alone),
                _ => open.push_back((names, taken + BITS)),
            }
        }
    }
    out
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

/// The best of what is offered, so many at most, best first. Equals come in the order in which the reference's priority queue gives them
/// back: it depends on the order in which they were offered and on how a binary heap moves what it holds.
pub(crate) fn best_of_queue<T>(
    offered: impl IntoIterator<Item = T>,
    most: usize,
    less: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let mut heap = held_by_queue(offered, most, &less);
    let mut worst_first = Vec::with_capacity(heap.len());
    while !heap.is_empty() {
        worst_first.push(heap.swap_remove(0));
        sink(&mut heap, &less);
    }
    worst_first.reverse();
    worst_first
}

/// The same as they stand in the heap, the worst first.
pub(crate) fn held_by_queue<T>(
    offered: impl IntoIterator<Item = T>,
    most: usize,
    less: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let mut heap: Vec<T> = vec![];
    for item in offered {
        if heap.len() < most {
            heap.push(item);
            rise(&mut heap, &less);
        } else if heap.first().is_some_and(|worst| less(worst, &item)) {
            heap[0] = item;
            sink(&mut heap, &less);
        }
    }
    heap
}

/// Moves the last one up to where it is not less than what is above it.
fn rise<T>(heap: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    let mut at = heap.len() - 1;
    while at > 0 && less(&heap[at], &heap[(at - 1) / 2]) {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Moves the first one down to where nothing below it is less.
fn sink<T>(heap: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    let mut at = 0;
    loop {
        let mut below = 2 * at + 1;
        if below + 1 < heap.len() && less(&heap[below + 1], &heap[below]) {
            below += 1;
        }
        if below >= heap.len() || !less(&heap[below], &heap[at]) {
            return;
        }
        heap.swap(at, below);
        at = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_trie_that_share_a_slot_come_last() {
        // `f0` and `f15` share their first six bits.
        let names = vec!["b", "f0", "f1", "f10", "f15", "f2", "f9", "g0", "text"];
        assert_eq!(trie_order(names), ["f10", "f1", "f2", "f9", "b", "g0", "text", "f15", "f0"]);
    }

    #[test]
    fn queues_keep_the_best() {
        let best = |offered: &[(i32, char)], most| {
            best_of_queue(offered.to_vec(), most, |a, b| a.0 < b.0)
                .into_iter()
                .map(|(_, name)| name)
                .collect::<String>()
        };
        let offered = [(1, 'a'), (3, 'b'), (2, 'c'), (3, 'd'), (1, 'e')];
        assert_eq!(best(&offered[1..3], 5), "bc");
        // What was offered first keeps its place beside equals that come when the queue is full.
        assert_eq!(best(&[(1, 'a'), (1, 'b'), (1, 'c')], 2), "ba");
        assert_eq!(best(&offered, 3).chars().next_back(), Some('c'));
        let held = held_by_queue(offered, 9, |a, b| a.0 < b.0).into_iter().map(|(_, name)| name).collect::<String>();
        assert_eq!(held, "aecdb");
        assert_eq!(best(&[], 3), "");
        assert_eq!(best(&offered, 0), "");
    }

    #[test]
    fn names_stand_in_their_slots() {
        assert_eq!([1, 12, 13].map(slots_of), [16, 16, 32]);
        // `d_null` shares its slot of the first level with `bd`, so what stands alone in one goes before it.
        assert_eq!(trie_order(vec!["bd", "d_null", "n_stored", "x"]), ["n_stored", "x", "bd", "d_null"]);
        assert_eq!(collected(&["a.b", "a", "a.c.d", "b"]), ["a", "a.b", "a.c.d", "b"]);
        assert_eq!(java_order(vec!["m", "z", "all", "f"]), ["all", "f", "z", "m"]);
    }

    #[test]
    fn sets_of_numbers() {
        assert_eq!(long_hash_set(vec![285, 64]), [64, 285]);
        assert_eq!(long_hash_set(vec![800, 340]), [340, 800]);
        assert_eq!(long_hash_set(vec![-5, 5, -1, 1]), [-1, 1, -5, 5]);
    }
}
