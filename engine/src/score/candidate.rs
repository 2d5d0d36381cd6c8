//! Clauses that are gone through by their candidates. What combines clauses asks each of them where it stands, and that must not
//! look for a match that may be a whole segment away.

use super::{Bound, Scorer, Slots};
use crate::segment::{NO_MORE_DOCS, WindowBits};

/// A clause that stands on candidates. What it hands on in bulk is confirmed, and [`Scorer::matches`] tells of the current one, as often
/// as it is asked.
pub struct Candidate {
    inner: Box<dyn Scorer>,
    doc: u32,
    /// Whether the current document is a match, once that is known.
    confirmed: Option<bool>,
}

impl Candidate {
    /// A clause that goes by candidates by these; any other as it is.
    pub fn of(mut inner: Box<dyn Scorer>) -> Box<dyn Scorer> {
        if !inner.goes_by_candidates() {
            return inner;
        }
        let doc = inner.candidate_from(0);
        Box::new(Self { inner, doc, confirmed: None })
    }

    /// All clauses by their candidates, if there are any that go by these. Gives whether there are.
    pub fn of_all(clauses: Vec<Box<dyn Scorer>>) -> (Vec<Box<dyn Scorer>>, bool) {
        match clauses.iter().any(|clause| clause.goes_by_candidates()) {
            true => (clauses.into_iter().map(Self::of).collect(), true),
            false => (clauses, false),
        }
    }

    /// Calls `found` with the matches from the current document to before `end`.
    fn each_before(&mut self, end: u32, mut found: impl FnMut(u32, &mut dyn Scorer)) {
        while self.doc < end {
            if self.matches() {
                found(self.doc, self.inner.as_mut());
            }
            self.advance(self.doc + 1);
        }
    }
}

impl Scorer for Candidate {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.doc = self.inner.advance_candidate(target);
            self.confirmed = None;
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        self.inner.score()
    }

    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn matches(&mut self) -> bool {
        if self.doc == NO_MORE_DOCS {
            return false;
        }
        let inner = &mut self.inner;
        *self.confirmed.get_or_insert_with(|| inner.matches())
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, target: u32) -> Bound {
        self.inner.bound(target)
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        self.advance(bits.base());
        let end = u64::from(upto).min(bits.end());
        self.each_before(u32::try_from(end).unwrap_or(NO_MORE_DOCS), |doc, _| bits.insert(doc));
    }

    fn accumulate(&mut self, base: u32, upto: u32, slots: &mut Slots) {
        self.advance(base);
        self.each_before(upto, |doc, scorer| slots.add((doc - base) as usize, scorer.score()));
    }

    fn collect(&mut self, upto: u32, docs: &mut Vec<u32>, mut scores: Option<&mut Vec<f32>>) {
        self.each_before(upto, |doc, scorer| {
            docs.push(doc);
            if let Some(scores) = scores.as_deref_mut() {
                scores.push(scorer.score());
            }
        });
    }
}
