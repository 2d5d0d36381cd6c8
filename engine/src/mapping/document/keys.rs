//! Duplicate keys: an error, as in the reference, and so are looked for in every object.

use ahash::AHashSet;

/// From this many keys on an object's hashes are kept in a set; below, a scan of the list is quicker.
const SET_FROM: usize = 128;

/// The keys of the objects that are open, as hashes with where they stand.
#[derive(Debug, Default)]
pub struct Keys {
    hashes: Vec<u64>,
    spans: Vec<(u32, u32)>,
    /// Sets of large objects, with the frame that each belongs to.
    sets: Vec<(usize, AHashSet<u64>)>,
}

impl Keys {
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.spans.clear();
        self.sets.clear();
    }

    /// An object begins; the frame it gives is handed to the other calls.
    pub fn begin(&mut self) -> usize {
        self.hashes.len()
    }

    pub fn end(&mut self, frame: usize) {
        self.hashes.truncate(frame);
        self.spans.truncate(frame);
        while self.sets.last().is_some_and(|(of, _)| *of >= frame) {
            self.sets.pop();
        }
    }

    /// Notes a key (its hash and its raw text's place in the source); `false` if the object has it already.
    pub fn insert(&mut self, frame: usize, hash: u64, span: (u32, u32), source: &[u8]) -> bool {
        let seen = match self.sets.last_mut() {
            Some((of, set)) if *of == frame => !set.insert(hash),
            _ => self.hashes[frame..].contains(&hash),
        };
        if seen && self.is_same(frame, hash, span, source) {
            return false;
        }
        self.hashes.push(hash);
        self.spans.push(span);
        if self.hashes.len() - frame == SET_FROM {
            self.sets.push((frame, self.hashes[frame..].iter().copied().collect()));
        }
        true
    }

    /// Whether a key of the same hash is the same text. Keys with escapes are taken to be: that two texts share a hash of
    /// 64 bits under a random seed does not happen by chance or by choice.
    #[cold]
    fn is_same(&self, frame: usize, hash: u64, span: (u32, u32), source: &[u8]) -> bool {
        let raw = |(start, end): (u32, u32)| source.get(start as usize..end as usize).unwrap_or_default();
        let new = raw(span);
        let same_hash = self.hashes[frame..].iter().zip(&self.spans[frame..]).filter(|(other, _)| **other == hash);
        same_hash.map(|(_, span)| raw(*span)).any(|old| old == new || old.contains(&b'\\') || new.contains(&b'\\'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_duplicates_in_small_and_large_objects() {
        let source: Vec<u8> = (0..1000).flat_map(|i| format!("{i:04}").into_bytes()).collect();
        let mut keys = Keys::default();
        let outer = keys.begin();
        assert!(keys.insert(outer, 7, (0, 4), &source));
        let inner = keys.begin();
        for i in 0..500u32 {
            assert!(keys.insert(inner, i.into(), (i * 4, i * 4 + 4), &source));
        }
        assert!(!keys.insert(inner, 300, (1200, 1204), &source));
        // The same hash of another text.
        assert!(keys.insert(inner, 300, (2400, 2404), &source));
        keys.end(inner);
        assert!(!keys.insert(outer, 7, (0, 4), &source));
        assert!(keys.insert(outer, 8, (4, 8), &source));
    }
}
