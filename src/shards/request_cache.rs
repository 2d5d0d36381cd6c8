//! Results of shards that are kept, because the same search is likely to be asked again: dashboards ask for the same
//! aggregations over and over.
//!
//! A result holds for the point in time and the mapping that it was made of; when a shard shows something newer, what is kept of
//! it goes. A core keeps a bounded number of bytes; results that were not asked for the longest make room for others.

use super::protocol::ShardAddr;
use pith_engine::mapping::Mapping;
use pith_engine::search::{SearchLimits, SearchRequest, ShardContext, ShardResult, ShardScope};
use pith_engine::segment::Snapshot;
use pith_engine::shard::RequestCacheStats;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

/// Everything about a request that its result depends on.
pub type CacheKey = Arc<[u8]>;

/// A search whose result may be kept.
#[derive(Clone, Debug)]
pub struct CacheAsk {
    pub key: CacheKey,
    /// Whether the request itself wants it; if not, the index's setting decides.
    pub wanted: bool,
}

/// How a result is found again: what was asked, with a snapshot without segments.
#[derive(Clone)]
pub struct Finding {
    pub request: Arc<SearchRequest>,
    pub context: ShardContext,
    pub scope: ShardScope,
}

/// A result that is asked for again and again, as it is found on the documents that are shown next.
pub struct Popular {
    pub key: CacheKey,
    pub finding: Finding,
}

/// What searches of a shard see.
pub struct Shown<'a> {
    pub snapshot: &'a Arc<Snapshot>,
    pub mapping: &'a Arc<Mapping>,
}

/// Results of a shard that are found anew before somebody asks, and how often they were asked for on the documents before these.
const POPULAR_MAX: usize = 8;
const POPULAR_ASKED_MIN: u32 = 2;

/// The results that a core keeps.
pub struct RequestCache {
    kept: RefCell<Kept>,
    bytes_max: usize,
}

#[derive(Default)]
struct Kept {
    shards: HashMap<ShardAddr, OfShard>,
    /// By when they were last asked for: the first has to go first.
    order: BTreeMap<u64, (ShardAddr, CacheKey)>,
    /// Counts what is asked for.
    now: u64,
    bytes: usize,
}

#[derive(Default)]
struct OfShard {
    results: HashMap<CacheKey, Entry>,
    stats: RequestCacheStats,
}

struct Entry {
    result: ShardResult,
    found: Finding,
    /// How often it was asked for since it was found.
    asked: u32,
    snapshot: Weak<Snapshot>,
    mapping: Weak<Mapping>,
    limits: SearchLimits,
    bytes: usize,
    used: u64,
}

impl Entry {
    fn holds_for(&self, context: &ShardContext) -> bool {
        std::ptr::eq(self.snapshot.as_ptr(), Arc::as_ptr(&context.snapshot))
            && std::ptr::eq(self.mapping.as_ptr(), Arc::as_ptr(&context.mapping))
            && self.limits == context.limits
    }
}

/// One result may take this part of the whole at most.
const SHARE_OF_ONE: usize = 8;

impl RequestCache {
    pub fn new(bytes_max: usize) -> Self {
        Self { kept: RefCell::default(), bytes_max }
    }

    /// The result of the same search on the same documents, if it is kept.
    pub fn get(&self, addr: &ShardAddr, key: &CacheKey, context: &ShardContext) -> Option<ShardResult> {
        let kept = &mut *self.kept.borrow_mut();
        let shard = kept.shards.entry(addr.clone()).or_default();
        let Some(entry) = shard.results.get_mut(key).filter(|entry| entry.holds_for(context)) else {
            shard.stats.misses += 1;
            return None;
        };
        shard.stats.hits += 1;
        kept.order.remove(&entry.used);
        kept.now += 1;
        entry.used = kept.now;
        entry.asked = entry.asked.saturating_add(1);
        kept.order.insert(entry.used, (addr.clone(), key.clone()));
        Some(entry.result.clone())
    }

    /// What was asked for again and again on `shown`, to be found on `next` before that takes its place; the most asked for first.
    pub fn popular(&self, addr: &ShardAddr, shown: &Shown<'_>, next: &Arc<Snapshot>) -> Vec<Popular> {
        let kept = self.kept.borrow();
        let Some(shard) = kept.shards.get(addr) else { return vec![] };
        let is_popular = |entry: &Entry| {
            entry.asked >= POPULAR_ASKED_MIN
                && std::ptr::eq(entry.snapshot.as_ptr(), Arc::as_ptr(shown.snapshot))
                && std::ptr::eq(entry.mapping.as_ptr(), Arc::as_ptr(shown.mapping))
        };
        let mut popular: Vec<(&CacheKey, &Entry)> =
            shard.results.iter().filter(|(_, entry)| is_popular(entry)).collect();
        popular.sort_unstable_by_key(|(_, entry)| (Reverse(entry.asked), entry.used));
        popular.truncate(POPULAR_MAX);
        let again = |(key, entry): (&CacheKey, &Entry)| {
            let mut finding = entry.found.clone();
            finding.context.snapshot = next.clone();
            Popular { key: key.clone(), finding }
        };
        popular.into_iter().map(again).collect()
    }

    /// Keeps a result, unless it is too large.
    pub fn put(&self, addr: &ShardAddr, key: &CacheKey, found: &Finding, result: &ShardResult) {
        let context = &found.context;
        // What was asked stands there as it was read, too.
        let bytes = key.len() + found.request.body_bytes + result.memory_bytes();
        if bytes > self.bytes_max / SHARE_OF_ONE {
            return;
        }
        let kept = &mut *self.kept.borrow_mut();
        kept.remove(addr, key);
        while kept.bytes + bytes > self.bytes_max
            && let Some((_, (addr, key))) = kept.order.first_key_value()
        {
            let (addr, key) = (addr.clone(), key.clone());
            kept.remove(&addr, &key);
            if let Some(shard) = kept.shards.get_mut(&addr) {
                shard.stats.evictions += 1;
            }
        }
        kept.now += 1;
        kept.bytes += bytes;
        kept.order.insert(kept.now, (addr.clone(), key.clone()));
        let shard = kept.shards.entry(addr.clone()).or_default();
        shard.stats.memory_bytes += bytes as u64;
        shard.stats.items += 1;
        let entry = Entry {
            result: result.clone(),
            // The snapshot's memory is not kept for it.
            found: Finding { context: ShardContext { snapshot: Arc::default(), ..context.clone() }, ..found.clone() },
            asked: 0,
            snapshot: Arc::downgrade(&context.snapshot),
            mapping: Arc::downgrade(&context.mapping),
            limits: context.limits,
            bytes,
            used: kept.now,
        };
        shard.results.insert(key.clone(), entry);
    }

    /// Drops what is kept of a shard: it shows other documents now, or somebody wants it gone.
    pub fn clear(&self, addr: &ShardAddr) {
        let kept = &mut *self.kept.borrow_mut();
        let Some(shard) = kept.shards.get_mut(addr) else { return };
        for entry in std::mem::take(&mut shard.results).into_values() {
            kept.order.remove(&entry.used);
            kept.bytes -= entry.bytes;
        }
        (shard.stats.memory_bytes, shard.stats.items) = (0, 0);
    }

    /// Forgets a shard that is closed, with its figures.
    pub fn forget(&self, addr: &ShardAddr) {
        self.clear(addr);
        self.kept.borrow_mut().shards.remove(addr);
    }

    pub fn stats(&self, addr: &ShardAddr) -> RequestCacheStats {
        self.kept.borrow().shards.get(addr).map(|shard| shard.stats.clone()).unwrap_or_default()
    }
}

impl Kept {
    fn remove(&mut self, addr: &ShardAddr, key: &CacheKey) {
        let Some(shard) = self.shards.get_mut(addr) else { return };
        let Some(entry) = shard.results.remove(key) else { return };
        self.order.remove(&entry.used);
        self.bytes -= entry.bytes;
        shard.stats.memory_bytes -= entry.bytes as u64;
        shard.stats.items -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addr(shard: u32) -> ShardAddr {
        ShardAddr { index_uuid: "u".into(), shard }
    }

    fn context() -> ShardContext {
        ShardContext {
            index: "i".into(),
            index_uuid: "u".into(),
            shard: 0,
            node_id: "n".into(),
            mapping: crate::shards::tests::mapping(),
            snapshot: Arc::default(),
            now_ms: 0,
            limits: SearchLimits::default(),
            profile: None,
            search: None,
            sees_all: false,
        }
    }

    fn finding(context: &ShardContext) -> Finding {
        Finding { request: Arc::default(), context: context.clone(), scope: ShardScope::default() }
    }

    fn key(name: &str) -> CacheKey {
        name.as_bytes().into()
    }

    #[test]
    fn a_result_holds_for_its_point_in_time() {
        let (cache, context) = (RequestCache::new(1 << 20), context());
        assert!(cache.get(&addr(0), &key("a"), &context).is_none());
        cache.put(&addr(0), &key("a"), &finding(&context), &ShardResult { total: 7, ..ShardResult::default() });
        assert_eq!(cache.get(&addr(0), &key("a"), &context).unwrap().total, 7);
        assert!(cache.get(&addr(1), &key("a"), &context).is_none());
        let newer = ShardContext { snapshot: Arc::default(), ..context.clone() };
        assert!(cache.get(&addr(0), &key("a"), &newer).is_none());
        let stats = cache.stats(&addr(0));
        assert_eq!((stats.hits, stats.misses, stats.items, stats.evictions), (1, 2, 1, 0));
        cache.clear(&addr(0));
        assert!(cache.get(&addr(0), &key("a"), &context).is_none());
        assert_eq!(cache.stats(&addr(0)).memory_bytes, 0);
        cache.forget(&addr(0));
        assert_eq!(cache.stats(&addr(0)), RequestCacheStats::default());
    }

    #[test]
    fn what_was_not_asked_for_the_longest_makes_room() {
        let context = context();
        let (result, finding) = (ShardResult::default(), finding(&context));
        let one = result.memory_bytes() + 1;
        let cache = RequestCache::new(one * SHARE_OF_ONE);
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            cache.put(&addr(0), &key(name), &finding, &result);
        }
        assert!(cache.get(&addr(0), &key("a"), &context).is_some());
        cache.put(&addr(0), &key("i"), &finding, &result);
        assert!(cache.get(&addr(0), &key("a"), &context).is_some());
        assert!(cache.get(&addr(0), &key("b"), &context).is_none());
        assert_eq!((cache.stats(&addr(0)).evictions, cache.stats(&addr(0)).items), (1, 8));
        cache.put(&addr(0), &key("too long a key"), &finding, &result);
        assert!(cache.get(&addr(0), &key("too long a key"), &context).is_none());
    }

    #[test]
    fn what_is_asked_for_again_and_again_is_popular() {
        let (cache, context) = (RequestCache::new(1 << 20), context());
        let next: Arc<Snapshot> = Arc::default();
        for (name, times) in [("once", 1), ("often", 3), ("twice", 2)] {
            cache.put(&addr(0), &key(name), &finding(&context), &ShardResult::default());
            (0..times).for_each(|_| assert!(cache.get(&addr(0), &key(name), &context).is_some()));
        }
        let shown = Shown { snapshot: &context.snapshot, mapping: &context.mapping };
        let popular = cache.popular(&addr(0), &shown, &next);
        assert_eq!(popular.iter().map(|again| again.key.clone()).collect::<Vec<_>>(), [key("often"), key("twice")]);
        assert!(popular.iter().all(|again| Arc::ptr_eq(&again.finding.context.snapshot, &next)));
        assert!(cache.popular(&addr(0), &Shown { snapshot: &next, ..shown }, &next).is_empty());
    }
}
