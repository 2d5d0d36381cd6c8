//! Where the time of a search goes, for requests that ask for it.
//!
//! - [`Timer`]: calls counted, and timed by sampling once there are many. [`Breakdown`]: one for each kind of call.
//! - [`QueryProfiler`]: gathers the tree of queries while weights are made (see `score::profile`).
//! - [`QueryProfile`], [`AggProfile`], [`FetchProfile`], [`ShardProfile`]: what a shard hands over; `write` shows it.
//!
//! The engine has no clock: it is given a [`Clock`] with the search.

mod breakdown;
mod recorder;
mod write;

pub use breakdown::{Breakdown, Clock, Timer};
pub use recorder::{Asked, Lap, QueryProfiler};
pub use write::{time_text, write_shard};

use crate::json::Value;

/// A query with what was spent on it, what stands within it included.
#[derive(Clone, Debug)]
pub struct QueryProfile {
    pub type_name: String,
    pub description: String,
    pub breakdown: Breakdown<QUERY_CALLS>,
    /// Whether it was asked beside the search's query: by filters and aggregations, or in the place of a part for one segment.
    pub aside: bool,
    pub children: Vec<QueryProfile>,
}

impl QueryProfile {
    /// Marks it and all within it as asked beside the search's query.
    pub fn put_aside(&mut self) {
        self.aside = true;
        self.children.iter_mut().for_each(Self::put_aside);
    }
}

/// What is done with queries, in the order in which it is shown.
pub const QUERY_CALL_NAMES: [&str; QUERY_CALLS] = [
    "advance",
    "build_scorer",
    "compute_max_score",
    "create_weight",
    "match",
    "next_doc",
    "score",
    "set_min_competitive_score",
    "shallow_advance",
];

pub const QUERY_CALLS: usize = 9;

/// Places in [`QUERY_CALL_NAMES`].
pub mod call {
    pub const ADVANCE: usize = 0;
    pub const BUILD_SCORER: usize = 1;
    pub const COMPUTE_MAX_SCORE: usize = 2;
    pub const CREATE_WEIGHT: usize = 3;
    pub const MATCH: usize = 4;
    pub const NEXT_DOC: usize = 5;
    pub const SCORE: usize = 6;
}

/// An aggregation with what was spent on it, sub-aggregations included.
#[derive(Clone, Debug)]
pub struct AggProfile {
    pub type_name: String,
    pub description: String,
    pub breakdown: Breakdown<AGG_CALLS>,
    pub debug: Vec<(&'static str, Value)>,
    pub children: Vec<AggProfile>,
    pub global: bool,
    /// Queries by which it counts.
    pub asked: Vec<QueryProfile>,
    /// Fetching the hits that it answers with.
    pub fetch: Option<FetchProfile>,
}

pub const AGG_CALL_NAMES: [&str; AGG_CALLS] =
    ["build_aggregation", "build_leaf_collector", "collect", "initialize", "post_collection", "reduce"];

pub const AGG_CALLS: usize = 6;

/// Places in [`AGG_CALL_NAMES`].
pub mod agg_call {
    pub const BUILD_AGGREGATION: usize = 0;
    pub const BUILD_LEAF_COLLECTOR: usize = 1;
    pub const COLLECT: usize = 2;
    pub const INITIALIZE: usize = 3;
    pub const POST_COLLECTION: usize = 4;
}

/// A collector: what is done with the documents that a query finds.
#[derive(Clone, Debug)]
pub struct CollectorProfile {
    pub name: String,
    pub reason: &'static str,
    pub ns: u64,
    pub children: Vec<CollectorProfile>,
}

/// One query that was run against the shard, and what was done with what it found.
#[derive(Clone, Debug)]
pub struct SearchProfile {
    pub queries: Vec<QueryProfile>,
    pub rewrite_ns: u64,
    pub collector: CollectorProfile,
}

/// Fetching hits, and the parts of it.
#[derive(Clone, Debug, Default)]
pub struct FetchProfile {
    /// None for the hits themselves.
    pub name: Option<String>,
    pub breakdown: Breakdown<FETCH_CALLS>,
    pub phases: Vec<(&'static str, Breakdown<PHASE_CALLS>)>,
    /// Fetching the hits behind these.
    pub inner: Vec<FetchProfile>,
    /// Queries that hits are explained by, and those that have names.
    pub queries: Vec<QueryProfile>,
}

impl FetchProfile {
    /// Adds another one of the same name to those of a list.
    pub fn add_to(self, all: &mut Vec<FetchProfile>) {
        let Some(known) = all.iter_mut().find(|known| known.name == self.name) else { return all.push(self) };
        known.add(&self, &[], &[]);
        known.queries.extend(self.queries);
    }

    /// The same of what came of going on with one fetch: what it began with is made once, and segments are entered once if they are
    /// the same. `began`: whether there was anything to fetch before, whose queries they are.
    pub fn go_on_in(mut self, all: &mut Vec<FetchProfile>, began: bool) {
        if began {
            self.queries.clear();
        }
        let Some(known) = all.iter_mut().find(|known| known.name == self.name) else { return all.push(self) };
        let begins = [fetch_call::BUILD_PROCESSORS, fetch_call::CREATE_VISITOR, fetch_call::NEXT_READER];
        known.add(&self, &begins, &[SET_NEXT_READER]);
    }

    /// Adds times and counts. Of the calls `once`, and of those `once` in a phase, the greater number of both is all there are.
    fn add(&mut self, more: &FetchProfile, once: &[usize], once_in_phase: &[usize]) {
        self.breakdown.add(&more.breakdown, once);
        for (name, breakdown) in &more.phases {
            match self.phases.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.add(breakdown, once_in_phase),
                None => self.phases.push((name, breakdown.clone())),
            }
        }
    }
}

pub const FETCH_CALL_NAMES: [&str; FETCH_CALLS] = [
    "build_sub_phase_processors",
    "create_stored_fields_visitor",
    "get_next_reader",
    "load_source",
    "load_stored_fields",
];

pub const FETCH_CALLS: usize = 5;

/// Places in [`FETCH_CALL_NAMES`].
pub mod fetch_call {
    pub const BUILD_PROCESSORS: usize = 0;
    pub const CREATE_VISITOR: usize = 1;
    pub const NEXT_READER: usize = 2;
    pub const LOAD_SOURCE: usize = 3;
    pub const LOAD_STORED_FIELDS: usize = 4;
}

pub const PHASE_CALL_NAMES: [&str; PHASE_CALLS] = ["process", "set_next_reader"];

pub const PHASE_CALLS: usize = 2;

/// The place of entering a segment in [`PHASE_CALL_NAMES`].
const SET_NEXT_READER: usize = 1;

/// Everything about one shard.
#[derive(Clone, Debug, Default)]
pub struct ShardProfile {
    pub searches: Vec<SearchProfile>,
    pub aggs: Vec<AggProfile>,
    pub fetch: Vec<FetchProfile>,
    /// Whether the reference would have searched segments side by side, which has fields of its own. Here a shard is
    /// one slice.
    pub sliced: bool,
}
