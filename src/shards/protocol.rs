//! What can be asked of a shard, and what it answers. These values travel over the rings between cores.

use super::contexts::{Free, PointInTimeInfo};
use super::search::{DescribeAsk, ExplainAsk, FetchAsk, FetchedHits, OpenAsk, ScrollAsk, SearchAsk, Searched};
use super::term_vectors::{TermVectorsAsk, TermVectorsFound};
use crate::store::repository::{ShardManifest, ShardPlace};
use pith_engine::Result;
use pith_engine::score::Explanation;
use pith_engine::search::CanMatch;
use pith_engine::segment::Statistics;
use pith_engine::shard::{FoundDocument, GetRequest, ShardStats, WriteOp, WriteOutcome};
use std::sync::Arc;

/// Names one shard on its core.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardAddr {
    pub index_uuid: Arc<str>,
    pub shard: u32,
}

/// When the changes of a write become visible to searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshPolicy {
    /// With whichever refresh comes next.
    #[default]
    None,
    /// Before the write is answered, by a refresh of its own.
    Immediate,
    /// Before the write is answered, by the next scheduled refresh.
    WaitFor,
}

#[derive(Debug)]
pub enum ShardRequest {
    /// The operations of a bulk that belong to this shard, in their order.
    Write {
        ops: Vec<WriteOp>,
        refresh: RefreshPolicy,
    },
    Get(GetRequest),
    /// Several documents of one shard.
    MultiGet(Vec<GetRequest>),
    Search(Box<SearchAsk>),
    /// Whether the shard can have a match at all.
    CanMatch(Box<SearchAsk>),
    /// The terms of a document.
    TermVectors(Box<TermVectorsAsk>),
    /// The statistics that a search over several shards is to go by.
    Gather(Box<SearchAsk>),
    /// The next page of a scroll.
    Scroll(Box<ScrollAsk>),
    /// A point in time that is to be kept.
    OpenContext(Box<OpenAsk>),
    FreeContexts(Free),
    PointsInTime,
    Fetch(Box<FetchAsk>),
    Explain(Box<ExplainAsk>),
    Describe(Box<DescribeAsk>),
    Refresh,
    Flush {
        force: bool,
        wait_if_ongoing: bool,
    },
    ForceMerge {
        max_segments: Option<usize>,
        only_expunge_deletes: bool,
        flush: bool,
    },
    ClearCaches(ClearCaches),
    Stats,
    Segments,
    Recovery,
    /// The shard's files are to be kept in a repository.
    Snapshot(Box<ShardPlace>),
}

impl ShardRequest {
    /// Whether it shows what was visible at some point, and changes nothing.
    pub fn is_search(&self) -> bool {
        matches!(
            self,
            Self::Search(_)
                | Self::CanMatch(_)
                | Self::Gather(_)
                | Self::Scroll(_)
                | Self::OpenContext(_)
                | Self::FreeContexts(_)
                | Self::PointsInTime
                | Self::Fetch(_)
                | Self::Explain(_)
                | Self::Describe(_)
        )
    }
}

/// Which caches are to be emptied.
#[derive(Clone, Debug, Default)]
pub struct ClearCaches {
    pub requests: bool,
    pub fielddata: bool,
    /// The fields that `fielddata` means; empty for all.
    pub fields: Vec<String>,
}

/// How a shard came to be open.
#[derive(Clone, Copy, Debug)]
pub struct Recovery {
    /// Whether its folder held a shard already.
    pub existing: bool,
    /// Epoch milliseconds.
    pub start_ms: u64,
    pub stop_ms: u64,
    /// How long reading segments and replaying the translog took.
    pub index_ms: u64,
    pub translog_ms: u64,
    /// Files of the index that were read, and their size.
    pub files: u64,
    pub bytes: u64,
    /// Operations that were replayed.
    pub operations: u64,
}

impl ShardRequest {
    /// What the task is called that runs the request, and whether it stops early when it is cancelled.
    pub fn action(&self) -> (&'static str, bool) {
        match self {
            Self::Write { .. } => ("indices:data/write/bulk[s][p]", false),
            Self::Get(_) => ("indices:data/read/get[s]", false),
            Self::MultiGet(_) => ("indices:data/read/mget[shard][s]", false),
            Self::Search(_) => ("indices:data/read/search[phase/query]", true),
            Self::CanMatch(_) => ("indices:data/read/search[can_match]", true),
            Self::TermVectors(_) => ("indices:data/read/tv[s]", false),
            Self::Gather(_) => ("indices:data/read/search[phase/dfs]", true),
            Self::Scroll(_) => ("indices:data/read/search[phase/query/scroll]", true),
            Self::OpenContext(_) => ("indices:data/read/search[create_context]", false),
            Self::FreeContexts(_) => ("indices:data/read/search[free_context]", false),
            Self::PointsInTime => ("indices:data/read/point_in_time/readall", false),
            Self::Fetch(_) => ("indices:data/read/search[phase/fetch/id]", true),
            Self::Explain(_) => ("indices:data/read/explain[s]", false),
            Self::Describe(_) => ("indices:admin/validate/query[shard]", false),
            Self::Refresh => ("indices:admin/refresh[s]", false),
            Self::Flush { .. } => ("indices:admin/flush[s]", false),
            Self::ForceMerge { .. } => ("indices:admin/forcemerge[n]", false),
            Self::ClearCaches(_) => ("indices:admin/cache/clear[n]", false),
            Self::Stats => ("indices:monitor/stats[n]", false),
            Self::Segments => ("indices:monitor/segments[n]", false),
            Self::Recovery => ("indices:monitor/recovery[n]", false),
            Self::Snapshot(_) => ("internal:cluster/snapshot/shard", false),
        }
    }
}

#[derive(Debug)]
pub enum ShardReply {
    Written(Written),
    /// None: no such document.
    Got(Option<FoundDocument>),
    MultiGot(Vec<Result<Option<FoundDocument>>>),
    Searched(Box<Searched>),
    CanMatch(CanMatch),
    Gathered(Box<Statistics>),
    TermVectors(Box<TermVectorsFound>),
    Opened,
    /// How many contexts were freed.
    Freed(usize),
    PointsInTime(Vec<PointInTimeInfo>),
    /// In the order of the request.
    Fetched(FetchedHits),
    /// None: no such document.
    Explained(Option<Explanation>),
    /// The query in the notation of Lucene.
    Described(String),
    Refreshed,
    /// Whether anything was written; a flush of a clean shard writes nothing.
    Flushed(bool),
    Merged,
    Cleared,
    Stats(Box<ShardStats>),
    Segments(Vec<SegmentInfo>),
    Recovery(Recovery),
    Snapshotted(Box<ShardManifest>),
}

#[derive(Debug)]
pub struct Written {
    /// One for each operation, in order. Those that succeeded are durable as the index's settings ask for.
    pub results: Vec<Result<WriteOutcome>>,
    /// Whether the request itself caused a refresh.
    pub forced_refresh: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SegmentInfo {
    pub name: String,
    pub docs: u32,
    pub deleted: u32,
    pub bytes: u64,
    pub memory_bytes: u64,
    /// Whether a commit point names it.
    pub committed: bool,
    /// Whether searches see it.
    pub visible: bool,
}
