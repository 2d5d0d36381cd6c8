//! How long the phases of a search took.

use crate::coordinate::clock;
use pith_engine::json::Writer;
use std::time::Instant;

/// What a search does, in the order in which answers tell of it.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    DfsPreQuery,
    Query,
    Fetch,
    DfsQuery,
    Expand,
    CanMatch,
}

const NAMES: [&str; 6] = ["dfs_pre_query", "query", "fetch", "dfs_query", "expand", "can_match"];

/// A watch that is read at the end of each phase.
#[derive(Debug)]
pub struct PhasesTook {
    since: Option<Instant>,
    ms: [u64; NAMES.len()],
}

impl PhasesTook {
    /// One that nobody wants to read does nothing.
    pub fn new(wanted: bool) -> Self {
        Self { since: wanted.then(Instant::now), ms: [0; NAMES.len()] }
    }

    /// The phase that has gone on since the last one ends.
    pub fn end(&mut self, phase: Phase) {
        if let Some(since) = &mut self.since {
            self.ms[phase as usize] += clock::took_ms(*since);
            *since = Instant::now();
        }
    }

    pub fn write(&self, w: &mut Writer) {
        if self.since.is_none() {
            return;
        }
        w.key("phase_took").begin_object();
        for (name, ms) in NAMES.iter().zip(self.ms) {
            w.key(name).u64(ms);
        }
        w.end_object();
    }
}
