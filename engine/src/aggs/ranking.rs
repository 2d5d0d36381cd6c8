//! Which buckets a shard chooses among those that it collected, and how they are built.

use super::doc_counts::DocCounts;
use super::format::Format;
use super::kind::Subs;
use super::order::Order;
use super::parse::{Agg, Level};
use super::partial::{Bucket, Key, KeyType, Partial, TermBucket, TermsBuckets, empty_bucket};
use super::terms::{TermsConfig, comparable};
use crate::error::Result;
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::writer::sort_paced_by;
use std::cmp::Ordering;
use std::sync::Arc;

/// The buckets of one owner, as a collector numbers them.
pub(crate) trait Table {
    fn count(&self, number: u32) -> u64;
    fn compare_keys(&self, a: u32, b: u32) -> Ordering;
    fn key(&self, number: u32) -> Key;
}

/// The same where documents count for more than one.
struct Weighed<'a> {
    table: &'a dyn Table,
    counts: Option<DocCounts>,
}

impl Table for Weighed<'_> {
    fn count(&self, number: u32) -> u64 {
        self.table.count(number) + self.counts.as_ref().map_or(0, |counts| counts.of(number))
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        self.table.compare_keys(a, b)
    }

    fn key(&self, number: u32) -> Key {
        self.table.key(number)
    }
}

/// Buckets that the best are selected of at once.
const SELECTED_AT_ONCE: usize = 4_096;
/// So many for each that is kept are sorted rather than selected among, where many are kept.
const SORTED_FOR_ONE: usize = 4;
/// With more buckets than this, building all of them costs more than it saves to have parts collected elsewhere.
const JOINED_MAX: usize = 1_024;
/// Units of work of making a bucket with its key.
const KEY_UNITS: u32 = 16;

/// What the keys of buckets are, and how they are written.
pub(crate) struct KeyForm<'a> {
    pub(crate) format: &'a Format,
    pub(crate) key_type: KeyType,
}

/// Chooses a shard's best buckets and builds its results.
pub(crate) struct Ranking {
    pub(crate) config: Arc<TermsConfig>,
    aggs: Arc<Level>,
    /// By what the shard chooses its buckets: with profiles the reference does not see there what sub-aggregations that
    /// wait found.
    order: Order,
    /// Rare terms of slices are left out only where these are put together, and count for nothing then.
    sliced: bool,
    /// Buckets stay in the order in which they were met.
    pub(crate) as_met: bool,
    /// Whether the reference numbers the terms that it meets.
    pub(crate) remaps: bool,
}

impl Ranking {
    pub(crate) fn new(config: Arc<TermsConfig>, agg: &Agg, cx: &ShardContext) -> Self {
        let unseen = cx.profile.is_some() && agg.kind.defers(cx);
        let order = if unseen { config.order.without_paths() } else { config.order.clone() };
        // Those that are significant are chosen by a queue that tells equals apart by when they come.
        let is_significant = agg.type_name == "significant_terms";
        let chooses = config.include.is_some() || config.exclude.is_some();
        let remaps = agg.below_many || is_significant && (!agg.subs.is_empty() || chooses || config.by_map());
        let as_met = is_significant && remaps;
        Self { config, aggs: agg.subs.clone(), order, sliced: agg.sliced, as_met, remaps }
    }

    /// Whether all buckets of each part of the documents can be built, so that they come together to those of all documents.
    pub(crate) fn can_be_joined(&self, buckets: usize) -> bool {
        let config = &self.config;
        let plain = !self.as_met && config.count_max == u64::MAX && config.min_doc_count > 0;
        plain && config.min_doc_count.min(config.shard_min_doc_count) <= 1 && buckets <= JOINED_MAX
    }

    /// Keeps all buckets instead of a shard's best.
    pub(crate) fn keep_all(&mut self) {
        Arc::make_mut(&mut self.config).shard_size = usize::MAX;
    }

    /// One result per list of bucket numbers. `unlisted` documents are of terms that are in no list.
    /// Only chosen buckets get keys and sub-results, unless the order needs them.
    pub(crate) async fn build(
        &self,
        table: &dyn Table,
        lists: Vec<Vec<u32>>,
        unlisted: u64,
        subs: &mut Subs,
        keys: KeyForm<'_>,
        pace: &Pace,
    ) -> Result<Vec<Partial>> {
        let table: &dyn Table = &Weighed { table, counts: subs.take_doc_counts() };
        let mut others = Vec::with_capacity(lists.len());
        let least = self.config.shard_min_doc_count.min(self.config.min_doc_count);
        let late = self.sliced && least > 1;
        let mut chosen: Vec<Vec<u32>> = Vec::with_capacity(lists.len());
        for mut numbers in lists {
            others.push(numbers.iter().map(|n| table.count(*n)).sum::<u64>() + unlisted);
            if !late {
                numbers.retain(|n| table.count(*n) >= least);
            }
            pace.tick(numbers.len() as u32).await;
            if !self.config.order.needs_subs() {
                self.keep_best(table, &mut numbers, pace).await;
            }
            chosen.push(numbers);
        }
        let is_shown = |number: &u32| table.count(*number) <= self.config.count_max;
        let flat: Vec<u32> = chosen.iter().flatten().copied().filter(is_shown).collect();
        let mut rows = subs.build(&flat, pace).await?.into_iter();
        let mut results = Vec::with_capacity(chosen.len());
        for (numbers, all) in chosen.into_iter().zip(others) {
            let mut buckets: Vec<TermBucket> = Vec::with_capacity(numbers.len());
            for n in numbers {
                let subs = if is_shown(&n) { rows.next() } else { None };
                let bucket = match subs {
                    Some(subs) => Bucket { count: table.count(n), subs },
                    None => Bucket { count: table.count(n), ..empty_bucket(&self.aggs) },
                };
                buckets.push(TermBucket { key: table.key(n), error: 0, bucket });
                pace.tick(KEY_UNITS).await;
            }
            if self.config.order.needs_subs() {
                buckets = self.best_of(buckets, pace).await;
            }
            let other_count = all - buckets.iter().map(|b| b.bucket.count).sum::<u64>();
            if late {
                buckets.retain(|b| b.bucket.count >= least);
            }
            results.push(Partial::Terms(TermsBuckets {
                buckets,
                other_count,
                error: 0,
                format: keys.format.clone(),
                key_type: keys.key_type,
                shard_size: self.config.shard_size,
                frequent: vec![],
                count_max: self.config.count_max,
            }));
        }
        Ok(results)
    }

    /// The first `shard_size` in order, where that needs what is below them.
    async fn best_of(&self, buckets: Vec<TermBucket>, pace: &Pace) -> Vec<TermBucket> {
        let compare = |a: &u32, b: &u32| {
            let [first, second] = [a, b].map(|at| comparable(&buckets[*at as usize]));
            self.order.compare(&self.aggs, &first, &second).then(a.cmp(b))
        };
        let mut places: Vec<u32> = (0..buckets.len() as u32).collect();
        sort_paced_by(&mut places, compare, pace).await;
        places.truncate(self.config.shard_size);
        let mut buckets: Vec<Option<TermBucket>> = buckets.into_iter().map(Some).collect();
        places.into_iter().filter_map(|at| buckets[at as usize].take()).collect()
    }

    /// Leaves the first `shard_size` in order.
    async fn keep_best(&self, table: &dyn Table, numbers: &mut Vec<u32>, pace: &Pace) {
        let compare = |a: &u32, b: &u32| {
            self.config.order.compare_plain(|| table.count(*a).cmp(&table.count(*b)), || table.compare_keys(*a, *b))
        };
        // Where most are kept, all are sorted: that is done in pieces, and selecting is not.
        let sorts_all = !self.as_met && numbers.len() / SORTED_FOR_ONE <= self.config.shard_size;
        let sorts_all = sorts_all && self.config.shard_size >= SELECTED_AT_ONCE;
        if numbers.len() > self.config.shard_size && !sorts_all {
            let mut kept: Vec<u32> = vec![];
            for some in numbers.chunks(self.config.shard_size.max(SELECTED_AT_ONCE)) {
                kept.extend_from_slice(some);
                if kept.len() > self.config.shard_size {
                    kept.select_nth_unstable_by(self.config.shard_size, compare);
                    kept.truncate(self.config.shard_size);
                }
                pace.tick(KEY_UNITS.saturating_mul(some.len() as u32)).await;
            }
            *numbers = kept;
        }
        if !self.as_met {
            sort_paced_by(numbers, compare, pace).await;
            numbers.truncate(self.config.shard_size);
        }
    }
}
