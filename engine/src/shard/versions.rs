//! The versions of documents that segments cannot tell yet: those in the buffer, and those deleted a short while ago.

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

/// Which document of a buffer holds an id, and its version. Ids lie in one arena: an entry costs no allocation of its own.
#[derive(Default)]
pub struct VersionMap {
    ids: Vec<u8>,
    entries: HashTable<Entry>,
    hasher: RandomState,
}

#[derive(Clone, Copy)]
struct Entry {
    hash: u64,
    id_start: usize,
    id_len: usize,
    doc: u32,
    version: DocVersion,
}

impl Entry {
    fn is(&self, ids: &[u8], id: &str) -> bool {
        ids[self.id_start..self.id_start + self.id_len] == *id.as_bytes()
    }
}

impl VersionMap {
    pub fn get(&self, id: &str) -> Option<(u32, DocVersion)> {
        let found = self.entries.find(self.hasher.hash_one(id), |e| e.is(&self.ids, id))?;
        Some((found.doc, found.version))
    }

    /// Sets the document of `id`, replacing an earlier one.
    pub fn insert(&mut self, id: &str, doc: u32, version: DocVersion) {
        let hash = self.hasher.hash_one(id);
        let (ids, entries) = (&mut self.ids, &mut self.entries);
        if let Some(entry) = entries.find_mut(hash, |e| e.is(ids, id)) {
            (entry.doc, entry.version) = (doc, version);
            return;
        }
        let entry = Entry { hash, id_start: ids.len(), id_len: id.len(), doc, version };
        ids.extend_from_slice(id.as_bytes());
        entries.insert_unique(hash, entry, |e| e.hash);
    }

    pub fn remove(&mut self, id: &str) {
        let found = self.entries.find_entry(self.hasher.hash_one(id), |e| e.is(&self.ids, id));
        if let Ok(entry) = found {
            entry.remove();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.ids.capacity() + self.entries.capacity() * (size_of::<Entry>() + 1)
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
        let mut map = VersionMap::default();
        for i in 0..500u32 {
            map.insert(&format!("id{i}"), i, version(i.into()));
        }
        map.insert("id7", 900, version(900));
        map.remove("id8");
        map.remove("never there");
        assert_eq!(map.get("id7"), Some((900, version(900))));
        assert_eq!(map.get("id8"), None);
        assert_eq!(map.get("id499"), Some((499, version(499))));
        assert_eq!(map.get("id"), None);
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
