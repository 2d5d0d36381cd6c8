//! Scorers that stand on a candidate when they are made, and confirm it when they are asked where they stand.
//!
//! Where candidates fail, the first match can be a whole segment away. A search that goes by candidates is handed each of them
//! instead, so that it can give its core back between any two.

use super::{Bound, Scorer, TopScores};
use std::cell::{Cell, RefCell};

/// A two-phase scorer whose first candidate has not been confirmed.
pub struct Late<S> {
    inner: RefCell<S>,
    begun: Cell<bool>,
}

impl<S: Scorer + 'static> Late<S> {
    pub fn boxed(inner: S) -> Box<dyn Scorer> {
        debug_assert!(inner.is_two_phase(), "what needs no confirming stands on a match");
        Box::new(Self { inner: RefCell::new(inner), begun: Cell::new(false) })
    }

    /// Stands on a match if it has just been made.
    fn begin(&mut self) -> &mut S {
        let inner = self.inner.get_mut();
        if !self.begun.replace(true) && !inner.matches() {
            inner.next();
        }
        inner
    }

    /// The scorer for those who take it as it stands.
    fn unconfirmed(&mut self) -> &mut S {
        self.begun.set(true);
        self.inner.get_mut()
    }
}

impl<S: Scorer + 'static> Scorer for Late<S> {
    fn doc(&self) -> u32 {
        if !self.begun.replace(true) {
            let mut inner = self.inner.borrow_mut();
            if !inner.matches() {
                inner.next();
            }
        }
        self.inner.borrow().doc()
    }

    fn next(&mut self) -> u32 {
        self.begin().next()
    }

    fn advance(&mut self, target: u32) -> u32 {
        if self.begun.get() || self.inner.get_mut().doc() >= target {
            return self.begin().advance(target);
        }
        self.unconfirmed().advance(target)
    }

    fn score(&mut self) -> f32 {
        self.begin().score()
    }

    fn cost(&self) -> u64 {
        self.inner.borrow().cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.unconfirmed().advance_candidate(target)
    }

    fn candidate_from(&mut self, target: u32) -> u32 {
        self.unconfirmed().candidate_from(target)
    }

    fn matches(&mut self) -> bool {
        self.unconfirmed().matches()
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn goes_by_candidates(&self) -> bool {
        true
    }

    fn bound(&mut self, target: u32) -> Bound {
        self.inner.get_mut().bound(target)
    }

    fn collect_top_candidates(&mut self, from: u32, upto: u32, top: &mut TopScores) -> u32 {
        self.unconfirmed().collect_top_candidates(from, upto, top)
    }
}
