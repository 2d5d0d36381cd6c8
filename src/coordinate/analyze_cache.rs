//! Answers of `_analyze` by GET, kept per core: an index's answers hold as long as its settings and mapping do.

use crate::observe::facts::AnalyzeCacheStats;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Most bytes of requests and answers that a core keeps of one index.
const INDEX_BYTES_MAX: usize = 1 << 20;
/// Most indexes that a core keeps answers of.
const INDEXES_MAX: usize = 256;

/// What an index was when its answers were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    pub settings: u64,
    pub mapping: u64,
}

#[derive(Default)]
pub struct AnalyzeCache {
    indexes: RefCell<HashMap<Arc<str>, Answers>>,
    stats: Arc<AnalyzeCacheStats>,
}

struct Answers {
    versions: Versions,
    by_request: HashMap<Vec<u8>, Vec<u8>>,
    /// Requests, the oldest first.
    order: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl AnalyzeCache {
    pub fn new(stats: Arc<AnalyzeCacheStats>) -> Self {
        Self { indexes: RefCell::default(), stats }
    }

    /// The answer to a request, if the index is what it was. Else what was kept of the index goes.
    pub fn get(&self, index: &Arc<str>, versions: Versions, request: &[u8]) -> Option<Vec<u8>> {
        let mut indexes = self.indexes.borrow_mut();
        if indexes.get(index).is_some_and(|answers| answers.versions != versions)
            && let Some(old) = indexes.remove(index)
        {
            self.stats.bytes.fetch_sub(old.bytes as u64, Relaxed);
        }
        let found = indexes.get(index).and_then(|answers| answers.by_request.get(request)).cloned();
        let counter = if found.is_some() { &self.stats.hits } else { &self.stats.misses };
        counter.fetch_add(1, Relaxed);
        found
    }

    pub fn put(&self, index: &Arc<str>, versions: Versions, request: Vec<u8>, answer: Vec<u8>) {
        let bytes = 2 * request.len() + answer.len();
        if bytes > INDEX_BYTES_MAX / 4 {
            return;
        }
        let mut indexes = self.indexes.borrow_mut();
        if indexes.len() >= INDEXES_MAX && !indexes.contains_key(index) {
            for (_, old) in indexes.drain() {
                self.stats.bytes.fetch_sub(old.bytes as u64, Relaxed);
                self.stats.evictions.fetch_add(old.order.len() as u64, Relaxed);
            }
        }
        let answers = indexes.entry(index.clone()).or_insert_with(|| Answers {
            versions,
            by_request: HashMap::new(),
            order: VecDeque::new(),
            bytes: 0,
        });
        if answers.versions != versions || answers.by_request.contains_key(&request) {
            return;
        }
        while answers.bytes + bytes > INDEX_BYTES_MAX
            && let Some(oldest) = answers.order.pop_front()
        {
            let freed = answers.by_request.remove(&oldest).map_or(0, |answer| 2 * oldest.len() + answer.len());
            answers.bytes -= freed;
            self.stats.bytes.fetch_sub(freed as u64, Relaxed);
            self.stats.evictions.fetch_add(1, Relaxed);
        }
        answers.bytes += bytes;
        self.stats.bytes.fetch_add(bytes as u64, Relaxed);
        answers.order.push_back(request.clone());
        answers.by_request.insert(request, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_hold_as_long_as_the_index_is_the_same() {
        let stats = Arc::new(AnalyzeCacheStats::default());
        let cache = AnalyzeCache::new(stats.clone());
        let (index, now) = (Arc::from("i"), Versions { settings: 1, mapping: 1 });
        assert_eq!(cache.get(&index, now, b"a"), None);
        cache.put(&index, now, b"a".to_vec(), b"1".to_vec());
        assert_eq!(cache.get(&index, now, b"a").as_deref(), Some(&b"1"[..]));
        assert_eq!(cache.get(&index, Versions { mapping: 2, ..now }, b"a"), None);
        assert_eq!((stats.hits.load(Relaxed), stats.misses.load(Relaxed), stats.bytes.load(Relaxed)), (1, 2, 0));
    }

    #[test]
    fn the_oldest_answers_make_room() {
        let stats = Arc::new(AnalyzeCacheStats::default());
        let cache = AnalyzeCache::new(stats.clone());
        let (index, now) = (Arc::from("i"), Versions { settings: 1, mapping: 1 });
        for n in 0..6u8 {
            cache.put(&index, now, vec![n], vec![0; INDEX_BYTES_MAX / 4 - 2]);
        }
        assert_eq!((stats.evictions.load(Relaxed), stats.bytes.load(Relaxed)), (2, INDEX_BYTES_MAX as u64));
        assert_eq!(cache.get(&index, now, &[1]), None);
        cache.put(&index, now, vec![9], vec![0; INDEX_BYTES_MAX]);
        assert_eq!(cache.get(&index, now, &[9]), None);
    }
}
