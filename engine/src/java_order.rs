//! The order in which the reference answers what it keeps in a hash map of Java.

/// Sorts names by the slot of their hash code, of as many slots as their number makes the map grow to; within a slot they stay
/// as they are.
pub(crate) fn java_order<T: AsRef<str>>(mut names: Vec<T>) -> Vec<T> {
    let slots = slots_of(names.len());
    names.sort_by_key(|name| slot(name.as_ref(), slots));
    names
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
