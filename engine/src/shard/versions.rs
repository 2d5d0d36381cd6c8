//! The versions of documents that segments cannot tell yet: those in the buffer, and those deleted a short while ago.

use crate::writer::Buffer;
use ahash::RandomState;
use hashbrown::HashTable;
use std::collections::VecDeque;

/// The last change of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocVersion {
    pub version: u64,
    pub seq_no: u64,
    pub primary_term: u64,
}

impl DocVersion {
    /// That of a document of a buffer.
    pub fn in_buffer(buffer: &Buffer, doc: u32) -> Self {
        let (version, seq_no, primary_term) = buffer.version(doc);
        Self { version, seq_no, primary_term }
    }
}

/// Documents of a part of a [`VersionMap`] on average. Growing or splitting such a part takes some 0.1 ms.
const PART: usize = 8 << 10;

/// Which document of a buffer holds an id. Ids and versions stand in the buffer: an entry is a number and part of a hash, which tells
/// most other ids apart without looking at them.
///
/// A hash table that grows is moved at once, for tens of milliseconds when it holds a few million entries. This one is many small ones, one of
/// which is split in two whenever there are too many entries for them: linear hashing (Litwin, "Linear hashing: a new tool for file and
/// table addressing", VLDB 1980).
pub struct VersionMap {
    /// Those before `split` and those that were split off have one more bit of the hash in common.
    parts: Vec<HashTable<Entry>>,
    /// The next part that is split; as many are split in a round as there were when it began.
    split: usize,
    len: usize,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    doc: u32,
}

impl Entry {
    /// The hash by which the tables place it: a whole one again. All bits of it count at its end, as entries of a part have the last ones of
    /// their own hash in common.
    #[inline]
    fn place(hash: u32) -> u64 {
        let spread = u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        spread ^ spread >> 32
    }
}

impl Default for VersionMap {
    fn default() -> Self {
        Self { parts: vec![HashTable::new()], split: 0, len: 0, hasher: RandomState::new() }
    }
}

impl VersionMap {
    fn hash(&self, id: &str) -> u32 {
        (self.hasher.hash_one(id) >> 32) as u32
    }

    /// The part that holds what has this hash.
    #[inline]
    fn part_of(&self, hash: u32) -> usize {
        let before = self.parts.len() - self.split;
        let part = hash as usize & (before - 1);
        if part < self.split { hash as usize & (2 * before - 1) } else { part }
    }

    /// The document of `id`; `id_of` gives the id of a document.
    pub fn get<'b>(&self, id: &str, id_of: impl Fn(u32) -> &'b str) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let hash = self.hash(id);
        let part = &self.parts[self.part_of(hash)];
        let found = part.find(Entry::place(hash), |entry| entry.hash == hash && id_of(entry.doc) == id);
        found.map(|entry| entry.doc)
    }

    /// Sets the document of `id`, replacing an earlier one.
    pub fn insert<'b>(&mut self, id: &str, doc: u32, id_of: impl Fn(u32) -> &'b str) {
        let hash = self.hash(id);
        let part = self.part_of(hash);
        let is_same = |entry: &Entry| entry.hash == hash && id_of(entry.doc) == id;
        match self.parts[part].entry(Entry::place(hash), is_same, |entry| Entry::place(entry.hash)) {
            hashbrown::hash_table::Entry::Occupied(mut known) => known.get_mut().doc = doc,
            hashbrown::hash_table::Entry::Vacant(place) => {
                place.insert(Entry { hash, doc });
                self.len += 1;
                if self.len > self.parts.len() * PART {
                    self.split_next();
                }
            }
        }
    }

    #[cold]
    fn split_next(&mut self) {
        let before = self.parts.len() - self.split;
        let goes = |entry: &mut Entry| entry.hash as usize & before != 0;
        let part = &mut self.parts[self.split];
        let mut other = HashTable::with_capacity(part.len() / 2);
        for entry in part.extract_if(goes) {
            other.insert_unique(Entry::place(entry.hash), entry, |entry| Entry::place(entry.hash));
        }
        self.parts.push(other);
        self.split = (self.split + 1) % before;
    }

    pub fn remove<'b>(&mut self, id: &str, id_of: impl Fn(u32) -> &'b str) {
        let hash = self.hash(id);
        let part = self.part_of(hash);
        let is_same = |entry: &Entry| entry.hash == hash && id_of(entry.doc) == id;
        if let Ok(entry) = self.parts[part].find_entry(Entry::place(hash), is_same) {
            entry.remove();
            self.len -= 1;
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.parts.iter().map(|part| part.capacity() * (size_of::<Entry>() + 1)).sum()
    }
}

/// Deleted documents whose versions still count: a write with an older external version must not bring them back.
#[derive(Default)]
pub struct Tombstones {
    by_id: ahash::AHashMap<Box<str>, Tombstone>,
    /// Deletes in their order, for pruning. An id deleted twice stands here twice; the earlier mention is stale.
    order: VecDeque<(Box<str>, u64)>,
    bytes: usize,
}

#[derive(Clone, Copy)]
struct Tombstone {
    version: DocVersion,
    at_ms: u64,
}

impl Tombstones {
    /// The version of a deleted document, and when it was deleted.
    pub fn get(&self, id: &str) -> Option<(DocVersion, u64)> {
        if self.by_id.is_empty() {
            return None;
        }
        self.by_id.get(id).map(|t| (t.version, t.at_ms))
    }

    pub fn insert(&mut self, id: &str, version: DocVersion, at_ms: u64) {
        self.order.push_back((id.into(), version.seq_no));
        self.bytes += 2 * id.len() + size_of::<(Box<str>, Tombstone)>() + size_of::<(Box<str>, u64)>();
        self.by_id.insert(id.into(), Tombstone { version, at_ms });
    }

    /// Forgets the delete of `id`: the document is there again.
    pub fn remove(&mut self, id: &str) {
        if !self.by_id.is_empty() {
            self.by_id.remove(id);
        }
    }

    /// Forgets deletes made before `before_ms`, but none with a sequence number above `sealed_seq_no`: until a refresh
    /// has applied a delete, segments still show the document. Looks at no more than `at_most`: the rest waits for the next call.
    pub fn prune(&mut self, before_ms: u64, sealed_seq_no: i64, at_most: usize) {
        for _ in 0..at_most {
            let Some((id, seq_no)) = self.order.front() else { return };
            let current = self.by_id.get(id).filter(|t| t.version.seq_no == *seq_no);
            if current.is_some_and(|t| t.at_ms >= before_ms || *seq_no as i64 > sealed_seq_no) {
                return;
            }
            if current.is_some() {
                self.by_id.remove(id);
            }
            self.bytes -= 2 * id.len() + size_of::<(Box<str>, Tombstone)>() + size_of::<(Box<str>, u64)>();
            self.order.pop_front();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(seq_no: u64) -> DocVersion {
        DocVersion { version: 1, seq_no, primary_term: 1 }
    }

    #[test]
    fn the_map_finds_the_last_insert() {
        let mut ids: Vec<String> = (0..500).map(|doc| format!("id{doc}")).collect();
        ids.push("id7".to_owned());
        let id_of = |doc: u32| ids[doc as usize].as_str();
        let mut map = VersionMap::default();
        assert_eq!(map.get("id7", id_of), None);
        (0..).zip(&ids).for_each(|(doc, id)| map.insert(id, doc, id_of));
        map.remove("id8", id_of);
        map.remove("never there", id_of);
        assert_eq!(["id7", "id8", "id499", "id"].map(|id| map.get(id, id_of)), [Some(500), None, Some(499), None]);
    }

    #[test]
    fn a_map_that_grows_finds_all_and_its_parts_stay_small() {
        let ids: Vec<String> = (0..20 * PART).map(|doc| format!("id{doc}")).collect();
        let id_of = |doc: u32| ids[doc as usize].as_str();
        let mut map = VersionMap::default();
        for (doc, id) in (0..).zip(&ids) {
            map.insert(id, doc, id_of);
            if doc % 3 == 0 {
                map.remove(id_of(doc / 2), id_of);
            }
        }
        let removed = |doc: u32| (0..ids.len() as u32).any(|by| by % 3 == 0 && by / 2 == doc);
        for doc in (0..ids.len() as u32).step_by(997) {
            assert_eq!(map.get(id_of(doc), id_of), (!removed(doc)).then_some(doc));
        }
        assert_eq!(map.len, map.parts.iter().map(HashTable::len).sum());
        assert!(map.parts.len() > 8 && map.parts.iter().all(|part| part.len() < 3 * PART));
    }

    #[test]
    fn tombstones_are_pruned_when_old_and_applied() {
        let mut stones = Tombstones::default();
        stones.insert("a", version(1), 100);
        stones.insert("b", version(2), 100);
        stones.insert("a", version(3), 200);
        stones.prune(150, 1, 10);
        assert_eq!(stones.get("a"), Some((version(3), 200)));
        assert_eq!(stones.get("b"), Some((version(2), 100)), "b is not applied yet");
        stones.prune(150, 9, 10);
        assert_eq!((stones.get("a"), stones.get("b")), (Some((version(3), 200)), None));
        stones.remove("a");
        stones.prune(150, 9, 10);
        assert_eq!((stones.get("a"), stones.memory_bytes()), (None, 0));
    }
}
