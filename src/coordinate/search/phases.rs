//! How long the phases of searches take: of one, for its answer, and of all that a core has coordinated.

use crate::coordinate::clock;
use pith_engine::json::Writer;
use std::cell::RefCell;
use std::rc::Rc;
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

/// What is known of one phase of all searches, or of searches as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhaseFigures {
    /// Going on.
    pub current: u64,
    /// Brought to their end.
    pub total: u64,
    pub took_ns: u64,
}

/// The figures of a core's searches.
#[derive(Clone, Copy, Debug, Default)]
pub struct PhasesFigures {
    whole: PhaseFigures,
    phases: [PhaseFigures; NAMES.len()],
}

impl PhasesFigures {
    pub fn add(&mut self, other: &Self) {
        let own = [&mut self.whole].into_iter().chain(&mut self.phases);
        for (own, other) in own.zip([&other.whole].into_iter().chain(&other.phases)) {
            own.current += other.current;
            own.total += other.total;
            own.took_ns += other.took_ns;
        }
    }

    /// The object of searches as a whole, then those of the phases.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object();
        let named = [("took", &self.whole)].into_iter().chain(NAMES.iter().copied().zip(&self.phases));
        for (name, figures) in named {
            w.key(name).begin_object().key("time_in_millis").u64(figures.took_ns / 1_000_000);
            w.key("current").u64(figures.current).key("total").u64(figures.total).end_object();
        }
        w.end_object();
    }
}

/// Counts the searches of a core. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct PhaseCounters(Rc<RefCell<PhasesFigures>>);

impl PhaseCounters {
    pub fn figures(&self) -> PhasesFigures {
        *self.0.borrow()
    }

    /// The figures of `phase`; without one those of searches as a whole.
    fn change(&self, phase: Option<Phase>, change: impl FnOnce(&mut PhaseFigures)) {
        let all = &mut *self.0.borrow_mut();
        change(phase.map_or(&mut all.whole, |phase| &mut all.phases[phase as usize]));
    }

    fn began(&self, phase: Option<Phase>) {
        self.change(phase, |figures| figures.current += 1);
    }

    fn ended(&self, phase: Option<Phase>, since: Instant, now: Instant) {
        self.change(phase, |figures| {
            figures.current -= 1;
            figures.total += 1;
            figures.took_ns += now.duration_since(since).as_nanos() as u64;
        });
    }

    /// What failed is not counted.
    fn failed(&self, phase: Option<Phase>) {
        self.change(phase, |figures| figures.current -= 1);
    }
}

/// A watch that is read where one phase ends and the next begins.
#[derive(Debug)]
pub struct PhasesTook {
    /// The answer tells of it.
    shown: bool,
    counters: Option<PhaseCounters>,
    /// When the search began, while it goes on and is counted.
    began: Option<Instant>,
    current: Option<(Phase, Instant)>,
    ms: [u64; NAMES.len()],
}

impl PhasesTook {
    /// For a search that begins now, and is counted if there are counters. One that nobody wants to read does nothing.
    pub fn new(shown: bool, counters: Option<PhaseCounters>) -> Self {
        let began = counters.as_ref().map(|counters| {
            counters.began(None);
            Instant::now()
        });
        Self { shown, counters, began, current: None, ms: [0; NAMES.len()] }
    }

    /// The phase before ends, and this one begins.
    pub fn begin(&mut self, phase: Phase) {
        if !self.shown && self.counters.is_none() {
            return;
        }
        let now = Instant::now();
        self.end_phase(now);
        self.current = Some((phase, now));
        if let Some(counters) = &self.counters {
            counters.began(Some(phase));
        }
    }

    /// The search ends.
    pub fn end(&mut self) {
        if !self.shown && self.counters.is_none() {
            return;
        }
        let now = Instant::now();
        self.end_phase(now);
        if let (Some(counters), Some(began)) = (&self.counters, self.began.take()) {
            counters.ended(None, began, now);
        }
    }

    fn end_phase(&mut self, now: Instant) {
        let Some((phase, since)) = self.current.take() else { return };
        self.ms[phase as usize] += clock::took_ms(since);
        if let Some(counters) = &self.counters {
            counters.ended(Some(phase), since, now);
        }
    }

    pub fn write(&self, w: &mut Writer) {
        if !self.shown {
            return;
        }
        w.key("phase_took").begin_object();
        for (name, ms) in NAMES.iter().zip(self.ms) {
            w.key(name).u64(ms);
        }
        w.end_object();
    }
}

impl Drop for PhasesTook {
    fn drop(&mut self) {
        let Some(counters) = &self.counters else { return };
        if let Some((phase, _)) = self.current {
            counters.failed(Some(phase));
        }
        if self.began.is_some() {
            counters.failed(None);
        }
    }
}

/// How many steps the reference takes to reduce the results of `shards` shards, `batch` at once.
pub fn reduce_phases(shards: usize, batch: usize) -> u32 {
    let batch = batch.min(shards).max(1);
    let (mut waiting, mut reduced, mut phases) = (0, 0, 1);
    for _ in 0..shards {
        if waiting + reduced >= batch && waiting > 0 {
            (waiting, reduced) = (0, 1);
            phases += 1;
        }
        waiting += 1;
    }
    phases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_counted_when_they_end_and_not_where_they_fail() {
        let counters = PhaseCounters::default();
        let mut good = PhasesTook::new(false, Some(counters.clone()));
        let mut bad = PhasesTook::new(false, Some(counters.clone()));
        good.begin(Phase::Query);
        bad.begin(Phase::Query);
        good.begin(Phase::Fetch);
        let shown = |of: fn(&PhasesFigures) -> &PhaseFigures| {
            let all = counters.figures();
            (of(&all).current, of(&all).total)
        };
        assert_eq!(shown(|all| &all.whole), (2, 0));
        assert_eq!(shown(|all| &all.phases[Phase::Query as usize]), (1, 1));
        assert_eq!(shown(|all| &all.phases[Phase::Fetch as usize]), (1, 0));
        good.end();
        drop((good, bad));
        assert_eq!(shown(|all| &all.whole), (0, 1));
        assert_eq!(shown(|all| &all.phases[Phase::Query as usize]), (0, 1));
        assert_eq!(shown(|all| &all.phases[Phase::Fetch as usize]), (0, 1));
    }

    #[test]
    fn phases_of_reducing() {
        assert_eq!([(1, 512), (3, 512), (3, 2), (5, 2), (0, 2)].map(|(s, b)| reduce_phases(s, b)), [1, 1, 2, 4, 1]);
    }
}
