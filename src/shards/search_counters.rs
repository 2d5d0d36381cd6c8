//! What searches are counted by: the phases, and the groups that requests name with `stats`.

use super::open_shard::OpenShard;
use pith_engine::search::SearchRequest;
use pith_engine::shard::SearchStats;
use pith_engine::{Error, ErrorKind, Result};
use std::time::Instant;

/// Most groups that a shard has figures of. Searches of further ones count for the shard alone: a client that makes up a name
/// for each search must not fill the memory.
const GROUPS_MAX: usize = 1_000;

/// The figures of one phase.
struct Phase {
    current: fn(&mut SearchStats) -> &mut u64,
    total: fn(&mut SearchStats) -> &mut u64,
    time_ns: fn(&mut SearchStats) -> &mut u64,
    failed: Option<fn(&mut SearchStats) -> &mut u64>,
}

const QUERY: Phase = Phase {
    current: |stats| &mut stats.query_current,
    total: |stats| &mut stats.query_total,
    time_ns: |stats| &mut stats.query_time_ns,
    failed: Some(|stats| &mut stats.query_failed),
};

const SUGGEST: Phase = Phase {
    current: |stats| &mut stats.suggest_current,
    total: |stats| &mut stats.suggest_total,
    time_ns: |stats| &mut stats.suggest_time_ns,
    failed: None,
};

const FETCH: Phase = Phase {
    current: |stats| &mut stats.fetch_current,
    total: |stats| &mut stats.fetch_total,
    time_ns: |stats| &mut stats.fetch_time_ns,
    failed: None,
};

/// Counts a phase as running for as long as it lives, also when it is given up.
pub struct Running<'a> {
    shard: &'a OpenShard,
    groups: &'a [String],
    phase: &'static Phase,
    started: Instant,
}

impl<'a> Running<'a> {
    /// The query phase of a request; one that only suggests is counted as that.
    pub fn query(shard: &'a OpenShard, request: &'a SearchRequest) -> Self {
        Self::begin(shard, request, if request.suggests_only() { &SUGGEST } else { &QUERY })
    }

    pub fn fetch(shard: &'a OpenShard, request: &'a SearchRequest) -> Self {
        Self::begin(shard, request, &FETCH)
    }

    /// A fetch of no hits, over at once.
    pub fn fetched_nothing(shard: &OpenShard, request: &SearchRequest) {
        count(shard, &request.stats, |stats| *(FETCH.total)(stats) += 1);
    }

    fn begin(shard: &'a OpenShard, request: &'a SearchRequest, phase: &'static Phase) -> Self {
        let running = Self { shard, groups: &request.stats, phase, started: Instant::now() };
        running.count(|stats| *(phase.current)(stats) += 1);
        running
    }

    /// The phase has ended with this result.
    pub fn done<T>(self, result: Result<T>) -> Result<T> {
        let time_ns = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        match (&result, self.phase.failed) {
            (Ok(_), _) => self.count(|stats| {
                *(self.phase.total)(stats) += 1;
                *(self.phase.time_ns)(stats) += time_ns;
            }),
            (Err(error), Some(failed)) if fails_while_it_runs(error) => self.count(|stats| *failed(stats) += 1),
            (Err(_), _) => {}
        }
        result
    }

    fn count(&self, change: impl Fn(&mut SearchStats)) {
        count(self.shard, self.groups, change);
    }
}

/// Whether a search could be made of the request before it failed: only then it is one that failed.
fn fails_while_it_runs(error: &Error) -> bool {
    use ErrorKind::{CircuitBreaking, GeneralScript, Script, TaskCancelled, TooManyBuckets};
    matches!(error.kind(), Script | GeneralScript | TooManyBuckets | CircuitBreaking | TaskCancelled)
}

/// Changes the figures of the shard and of the request's groups.
fn count(shard: &OpenShard, groups: &[String], change: impl Fn(&mut SearchStats)) {
    let counters = &mut *shard.counters.borrow_mut();
    change(&mut counters.search);
    for group in groups {
        if let Some(stats) = counters.search_groups.get_mut(group) {
            change(stats);
        } else if counters.search_groups.len() < GROUPS_MAX {
            change(counters.search_groups.entry(group.clone()).or_default());
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.count(|stats| {
            let current = (self.phase.current)(stats);
            *current = current.saturating_sub(1);
        });
    }
}
