//! Objects: entries in the order in which they were written, and an index of the names of large ones.

use super::Value;
use ahash::RandomState;
use hashbrown::HashTable;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

/// From so many entries on names are looked up in an index. Fewer are as soon looked at one by one.
const INDEXED_MIN: usize = 32;

/// An object's entries in the order in which they were written. Look-up is linear in small objects.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub entries: Entries,
}

/// One key of an object. Positions are byte offsets in the parsed text (see [`super::line_col`]), 0 for entries built by code.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: String,
    pub value: Value,
    pub key_pos: u32,
    pub value_pos: u32,
}

/// A list of entries. Whoever changes it in other ways than those named here changes a plain list: the index goes, and is made
/// anew by the next change that looks for a name.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    list: Vec<Entry>,
    /// Where each name stands first. Boxed, so that small objects stay small.
    index: Option<Box<HashTable<u32>>>,
}

impl Entries {
    const fn new() -> Self {
        Self { list: Vec::new(), index: None }
    }

    /// Adds an entry at the end, whether or not there is one of its name.
    pub fn push(&mut self, entry: Entry) {
        self.list.push(entry);
        let at = self.list.len() - 1;
        match &mut self.index {
            Some(index) => add(index, &self.list, at),
            None if self.list.len() == INDEXED_MIN => self.restore_index(),
            None => {}
        }
    }

    /// Takes the entry at `at` away, the only one of its name; those behind move up.
    pub fn remove(&mut self, at: usize) -> Entry {
        if let Some(index) = &mut self.index {
            let key = &self.list[at].key;
            if let Ok(found) = index.find_entry(hash(key), |found| *found as usize == at) {
                found.remove();
            }
            index.iter_mut().filter(|place| **place as usize > at).for_each(|place| *place -= 1);
        }
        self.list.remove(at)
    }

    pub fn retain(&mut self, keep: impl FnMut(&Entry) -> bool) {
        self.index = None;
        self.list.retain(keep);
    }

    /// Where `key` stands first.
    pub fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.find(hash(key), |at| self.list[*at as usize].key == key).map(|at| *at as usize),
            None => self.list.iter().position(|entry| entry.key == key),
        }
    }

    /// Makes the index where it is missing and worth it.
    fn restore_index(&mut self) {
        if self.index.is_none() && self.list.len() >= INDEXED_MIN {
            let mut index = HashTable::with_capacity(self.list.len());
            (0..self.list.len()).for_each(|at| add(&mut index, &self.list, at));
            self.index = Some(Box::new(index));
        }
    }
}

/// Adds the name at `at`, unless it stands before.
fn add(index: &mut HashTable<u32>, list: &[Entry], at: usize) {
    let key_of = |at: &u32| &list[*at as usize].key;
    let key = &list[at].key;
    let place = index.entry(hash(key), |known| key_of(known) == key, |known| hash(key_of(known)));
    place.or_insert(u32::try_from(at).expect("bodies are shorter"));
}

/// Keyed anew in each process, so that nobody can send names that collide.
fn hash(key: &str) -> u64 {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(key)
}

impl Deref for Entries {
    type Target = Vec<Entry>;

    fn deref(&self) -> &Vec<Entry> {
        &self.list
    }
}

impl DerefMut for Entries {
    fn deref_mut(&mut self) -> &mut Vec<Entry> {
        self.index = None;
        &mut self.list
    }
}

impl From<Vec<Entry>> for Entries {
    fn from(list: Vec<Entry>) -> Self {
        let mut entries = Self { list, index: None };
        entries.restore_index();
        entries
    }
}

impl FromIterator<Entry> for Entries {
    fn from_iter<T: IntoIterator<Item = Entry>>(iter: T) -> Self {
        iter.into_iter().collect::<Vec<_>>().into()
    }
}

impl IntoIterator for Entries {
    type Item = Entry;
    type IntoIter = std::vec::IntoIter<Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'e> IntoIterator for &'e Entries {
    type Item = &'e Entry;
    type IntoIter = std::slice::Iter<'e, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl<'e> IntoIterator for &'e mut Entries {
    type Item = &'e mut Entry;
    type IntoIter = std::slice::IterMut<'e, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.deref_mut().iter_mut()
    }
}

impl PartialEq for Map {
    /// Same keys and values, in whatever order.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(k, v)| other.get(k) == Some(v))
    }
}

impl Map {
    pub const fn new() -> Self {
        Self { entries: Entries::new() }
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.position(key).map(|at| &self.entries.list[at].value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries.restore_index();
        let at = self.entries.position(key)?;
        Some(&mut self.entries.list[at].value)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.entries.position(key).is_some()
    }

    /// Sets `key`, in place if it is there, else at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.get_mut(&key) {
            Some(slot) => *slot = value,
            None => self.entries.push(Entry { key, value, key_pos: 0, value_pos: 0 }),
        }
    }

    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.position(key)?;
        Some(self.entries.remove(at).value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|e| (e.key.as_str(), &e.value))
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Orders entries by key, as the reference writes mappings and settings.
    pub fn sort(&mut self) {
        self.entries.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Map {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(iter: T) -> Self {
        let entry = |(k, v): (K, V)| Entry { key: k.into(), value: v.into(), key_pos: 0, value_pos: 0 };
        Self { entries: iter.into_iter().map(entry).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is done, an object answers as a list of pairs would.
    #[test]
    fn large_objects_are_what_small_ones_are() {
        let (mut map, mut twin): (Map, Vec<(String, Value)>) = (Map::new(), vec![]);
        let mut state = 1_u32;
        for step in 0..4_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = format!("k{}", (state >> 8) % 90);
            let place = twin.iter().position(|(known, _)| *known == key);
            match state >> 28 {
                0..9 => {
                    map.insert(key.clone(), step);
                    match place {
                        Some(at) => twin[at].1 = step.into(),
                        None => twin.push((key.clone(), step.into())),
                    }
                }
                9..14 => assert_eq!(map.remove(&key), place.map(|at| twin.remove(at).1)),
                14 => {
                    map.sort();
                    twin.sort_by(|a, b| a.0.cmp(&b.0));
                }
                _ => {
                    map.entries.retain(|entry| entry.key.len() > 2);
                    twin.retain(|(key, _)| key.len() > 2);
                }
            }
            assert_eq!(map.get(&key), twin.iter().find(|(known, _)| *known == key).map(|(_, value)| value));
            assert!(map.iter().eq(twin.iter().map(|(key, value)| (key.as_str(), value))));
        }
    }

    #[test]
    fn an_index_costs_values_nothing() {
        assert_eq!((size_of::<Map>(), size_of::<Value>(), size_of::<Entry>()), (32, 32, 64));
    }
}
