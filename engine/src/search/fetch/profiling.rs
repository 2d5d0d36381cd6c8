//! Where the time of fetching goes.

use super::super::request::SearchRequest;
use crate::profile::{Clock, FetchProfile, fetch_call};

/// The parts of fetching that a request can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    Explain,
    DocValues,
    Scripts,
    Source,
    Fields,
    Version,
    SeqNo,
    Matched,
    Highlight,
    Score,
    /// Which documents of a percolation a hit matches, and what it marks in these.
    Slots,
    Percolated,
}

/// What hits are asked for beside what the request itself says.
#[derive(Clone, Copy)]
pub struct Asked {
    pub source: bool,
    /// Queries have names.
    pub names: bool,
    pub percolations: bool,
}

/// By the reference's names, in its order; `process` and `set_next_reader` of a breakdown are its places.
const PHASES: &[(Phase, &str)] = &[
    (Phase::Explain, "ExplainPhase"),
    (Phase::DocValues, "FetchDocValuesPhase"),
    (Phase::Scripts, "ScriptFieldsPhase"),
    (Phase::Source, "FetchSourcePhase"),
    (Phase::Fields, "FetchFieldsPhase"),
    (Phase::Version, "FetchVersionPhase"),
    (Phase::SeqNo, "SeqNoPrimaryTermPhase"),
    (Phase::Matched, "MatchedQueriesPhase"),
    (Phase::Highlight, "HighlightPhase"),
    (Phase::Score, "FetchScorePhase"),
    (Phase::Slots, "PercolatorMatchedSlotSubFetchPhase"),
    (Phase::Percolated, "PercolatorHighlightSubFetchPhase"),
];
const PROCESS: usize = 0;
const SET_NEXT_READER: usize = 1;

pub struct FetchProfiling {
    clock: Clock,
    profile: FetchProfile,
    phases: Vec<Phase>,
    segment: Option<u32>,
}

impl FetchProfiling {
    /// `started`: when what hits need was begun to be put together.
    pub fn new(clock: Clock, started: u64, request: &SearchRequest, beside: Asked) -> Self {
        let asked = |phase: Phase| match phase {
            Phase::Explain => request.explain,
            Phase::DocValues => !request.docvalue_fields.is_empty() || request.collapse.is_some(),
            Phase::Scripts => !request.script_fields.is_empty(),
            Phase::Source => beside.source,
            Phase::Fields => !request.fields.is_empty(),
            Phase::Version => request.version,
            Phase::SeqNo => request.seq_no_primary_term,
            Phase::Matched => beside.names,
            Phase::Highlight => request.highlight.is_some(),
            Phase::Score => request.track_scores && !request.sort.is_empty(),
            Phase::Slots => beside.percolations,
            Phase::Percolated => beside.percolations && request.highlight.is_some(),
        };
        let (mut profile, mut phases) = (FetchProfile::default(), vec![]);
        for (phase, name) in PHASES.iter().filter(|(phase, _)| asked(*phase)) {
            profile.phases.push((*name, Default::default()));
            phases.push(*phase);
        }
        profile.breakdown.0[fetch_call::BUILD_PROCESSORS].add(0, clock().saturating_sub(started).max(1));
        Self { clock, profile, phases, segment: None }
    }

    /// The hits that follow are those of a search, or those behind one hit.
    pub fn begin(&mut self) {
        self.segment = None;
        self.profile.breakdown.0[fetch_call::BUILD_PROCESSORS].add(1, 0);
        // Nothing has to be made for stored fields to be visited.
        self.profile.breakdown.0[fetch_call::CREATE_VISITOR].add(1, 1);
    }

    /// The hits that follow are of this segment.
    pub fn enter(&mut self, segment: u32) {
        if self.segment.replace(segment) == Some(segment) {
            return;
        }
        self.profile.breakdown.0[fetch_call::NEXT_READER].add(1, 1);
        self.profile.phases.iter().for_each(|(_, breakdown)| breakdown.0[SET_NEXT_READER].add(1, 1));
    }

    /// None where nothing has been fetched.
    pub fn profile(&self) -> Option<FetchProfile> {
        self.segment.map(|_| self.profile.clone())
    }
}

/// Runs a part of fetching, and writes its time down if that is wanted.
pub fn in_phase<T>(profiling: Option<&FetchProfiling>, phase: Phase, run: impl FnOnce() -> T) -> T {
    let at = profiling.and_then(|profiling| {
        let at = profiling.phases.iter().position(|asked| *asked == phase)?;
        Some((profiling.clock, &profiling.profile.phases[at].1))
    });
    match at {
        Some((clock, breakdown)) => breakdown.time(PROCESS, clock, run),
        None => run(),
    }
}

/// The same for a call that is no part by itself.
pub fn in_call<T>(profiling: Option<&FetchProfiling>, call: usize, run: impl FnOnce() -> T) -> T {
    match profiling {
        Some(profiling) => profiling.profile.breakdown.time(call, profiling.clock, run),
        None => run(),
    }
}
