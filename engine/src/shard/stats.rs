//! What a shard counts about itself. Times are summed by whoever has a clock; this room only keeps the sums.

use std::collections::BTreeMap;

/// Counters of one shard since it was opened, and its present state. Adding two of them gives those of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardStats {
    pub docs: DocsStats,
    pub store_bytes: u64,
    pub indexing: IndexingStats,
    pub get: GetStats,
    pub search: SearchStats,
    pub merges: MergeStats,
    pub refresh: RefreshStats,
    pub flush: FlushStats,
    pub segments: SegmentsStats,
    pub translog: TranslogStats,
    pub seq_no: SeqNoStats,
    pub request_cache: RequestCacheStats,
    /// The searches of each group that requests name with `stats`.
    pub search_groups: BTreeMap<String, SearchStats>,
    /// Bytes of what completion fields hold, by field.
    pub completion: BTreeMap<String, u64>,
    /// Bytes of the terms by document that text fields are sorted and aggregated by, by field, of those that were used.
    pub fielddata: BTreeMap<String, u64>,
    /// The newest commit point; none for the sum of several shards.
    pub commit: Option<CommitStats>,
}

/// A commit point as statistics tell of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommitStats {
    /// Differs from commit to commit of all shards.
    pub id: [u8; 16],
    pub generation: u64,
    /// Live documents when it was made.
    pub num_docs: u64,
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
}

/// Answers to searches that are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestCacheStats {
    pub memory_bytes: u64,
    /// Answers that had to make room for others.
    pub evictions: u64,
    pub hits: u64,
    pub misses: u64,
    /// Answers that are kept now.
    pub items: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocsStats {
    /// Documents that a search of this moment sees.
    pub count: u64,
    /// Deleted documents that still take room in segments.
    pub deleted: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexingStats {
    pub index_total: u64,
    pub index_time_ns: u64,
    pub index_current: u64,
    pub index_failed: u64,
    pub delete_total: u64,
    pub delete_time_ns: u64,
    pub delete_current: u64,
    pub noop_update_total: u64,
    /// Epoch milliseconds of the last index operation; 0 before the first.
    pub last_index_ms: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetStats {
    pub exists_total: u64,
    pub exists_time_ns: u64,
    pub missing_total: u64,
    pub missing_time_ns: u64,
    pub current: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchStats {
    pub query_total: u64,
    pub query_time_ns: u64,
    pub query_current: u64,
    pub query_failed: u64,
    pub fetch_total: u64,
    pub fetch_time_ns: u64,
    pub fetch_current: u64,
    /// Scrolls and points in time that are open.
    pub open_contexts: u64,
    /// Scrolls that have ended, and how long they were open.
    pub scroll_total: u64,
    pub scroll_time_ns: u64,
    pub scroll_current: u64,
    pub point_in_time_total: u64,
    pub point_in_time_time_ns: u64,
    pub point_in_time_current: u64,
    pub suggest_total: u64,
    pub suggest_time_ns: u64,
    pub suggest_current: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergeStats {
    pub total: u64,
    pub total_time_ns: u64,
    pub total_docs: u64,
    pub total_bytes: u64,
    pub current: u64,
    pub current_docs: u64,
    pub current_bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RefreshStats {
    pub total: u64,
    pub total_time_ns: u64,
    /// Refreshes that made changes visible to searches (others only sealed a buffer to free memory).
    pub external_total: u64,
    pub external_total_time_ns: u64,
    /// Writes waiting for the next refresh.
    pub listeners: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlushStats {
    pub total: u64,
    /// Flushes that the size of the translog caused.
    pub periodic: u64,
    pub total_time_ns: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SegmentsStats {
    pub count: u64,
    pub memory_bytes: u64,
    /// Documents not sealed yet.
    pub buffer_bytes: u64,
    pub version_map_bytes: u64,
    /// Bytes of segments by kind of section.
    pub section_bytes: BTreeMap<&'static str, u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslogStats {
    pub operations: u64,
    pub size_bytes: u64,
    /// Operations that no commit point covers yet.
    pub uncommitted_operations: u64,
    pub uncommitted_size_bytes: u64,
    /// Milliseconds since the oldest generation was last written to.
    pub earliest_last_modified_age_ms: u64,
}

/// Sequence numbers; -1 where there is no operation yet.
#[derive(Clone, Debug, PartialEq)]
pub struct SeqNoStats {
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
    pub global_checkpoint: i64,
}

impl Default for SeqNoStats {
    fn default() -> Self {
        Self { max_seq_no: -1, local_checkpoint: -1, global_checkpoint: -1 }
    }
}

macro_rules! sums {
    ($($part:ty { $($field:ident),* })*) => { $(
        impl $part {
            /// Adds the figures of `other`.
            pub fn add(&mut self, other: &Self) {
                $(self.$field += other.$field;)*
            }
        }
    )* };
}
sums! {
    DocsStats { count, deleted }
    GetStats { exists_total, exists_time_ns, missing_total, missing_time_ns, current }
    SearchStats {
        query_total, query_time_ns, query_current, query_failed, fetch_total, fetch_time_ns, fetch_current, open_contexts,
        scroll_total, scroll_time_ns, scroll_current, point_in_time_total, point_in_time_time_ns,
        point_in_time_current, suggest_total, suggest_time_ns, suggest_current
    }
    MergeStats { total, total_time_ns, total_docs, total_bytes, current, current_docs, current_bytes }
    RefreshStats { total, total_time_ns, external_total, external_total_time_ns, listeners }
    FlushStats { total, periodic, total_time_ns }
    RequestCacheStats { memory_bytes, evictions, hits, misses, items }
}

impl SegmentsStats {
    /// Adds the figures of `other`.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.memory_bytes += other.memory_bytes;
        self.buffer_bytes += other.buffer_bytes;
        self.version_map_bytes += other.version_map_bytes;
        add_sizes(&mut self.section_bytes, &other.section_bytes);
    }
}

/// Adds sizes that have the same name.
fn add_sizes<K: Clone + Ord>(sum: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
    for (name, bytes) in other {
        *sum.entry(name.clone()).or_default() += bytes;
    }
}

impl IndexingStats {
    /// Adds the figures of `other`; the time of the last operation is the later one.
    pub fn add(&mut self, other: &Self) {
        self.index_total += other.index_total;
        self.index_time_ns += other.index_time_ns;
        self.index_current += other.index_current;
        self.index_failed += other.index_failed;
        self.delete_total += other.delete_total;
        self.delete_time_ns += other.delete_time_ns;
        self.delete_current += other.delete_current;
        self.noop_update_total += other.noop_update_total;
        self.last_index_ms = self.last_index_ms.max(other.last_index_ms);
    }
}

impl TranslogStats {
    /// Adds the figures of `other`; the age is that of the older one.
    pub fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.size_bytes += other.size_bytes;
        self.uncommitted_operations += other.uncommitted_operations;
        self.uncommitted_size_bytes += other.uncommitted_size_bytes;
        self.earliest_last_modified_age_ms =
            self.earliest_last_modified_age_ms.max(other.earliest_last_modified_age_ms);
    }
}

impl ShardStats {
    /// Bytes of all completion fields.
    pub fn completion_bytes(&self) -> u64 {
        self.completion.values().sum()
    }

    /// Bytes of all fields with fielddata.
    pub fn fielddata_bytes(&self) -> u64 {
        self.fielddata.values().sum()
    }

    /// Adds the figures of another shard. Sequence numbers and commit belong to one shard alone and are left as they are.
    pub fn add(&mut self, other: &Self) {
        self.docs.add(&other.docs);
        self.store_bytes += other.store_bytes;
        self.indexing.add(&other.indexing);
        self.get.add(&other.get);
        self.search.add(&other.search);
        self.merges.add(&other.merges);
        self.refresh.add(&other.refresh);
        self.flush.add(&other.flush);
        self.segments.add(&other.segments);
        self.translog.add(&other.translog);
        self.request_cache.add(&other.request_cache);
        for (group, stats) in &other.search_groups {
            self.search_groups.entry(group.clone()).or_default().add(stats);
        }
        add_sizes(&mut self.completion, &other.completion);
        add_sizes(&mut self.fielddata, &other.fielddata);
    }
}
