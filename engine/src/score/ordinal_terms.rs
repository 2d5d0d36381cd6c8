//! Terms of fields that are not indexed: looked for in the dictionary of the doc values, and then in each document.

use super::all::explain_constant;
use super::exists::explain_by_scorer;
use super::{Bound, Explanation, MultiTerm, Scorer, TermSet, Weight};
use crate::error::Result;
use crate::segment::{DocIterator, NO_MORE_DOCS, OrdinalColumn, SegmentView, Snapshot};
use std::ops::Bound as Limit;
use std::sync::Arc;

pub struct OrdinalTermsWeight {
    plan: MultiTerm,
    boost: f32,
}

impl OrdinalTermsWeight {
    /// Whether the terms of the field are only to be found by document.
    pub fn is_for(plan: &MultiTerm, snapshot: &Snapshot) -> bool {
        snapshot.segments.iter().any(|view| {
            view.segment.field(&plan.field).is_some_and(|field| field.terms().is_none() && field.ordinals().is_some())
        })
    }

    pub fn new(plan: &MultiTerm, boost: f32) -> Self {
        Self { plan: plan.clone(), boost }
    }

    /// One bit for each term of the dictionary that is meant; none if no term is.
    fn ords(&self, column: &OrdinalColumn) -> Option<Vec<u64>> {
        let mut words = vec![0u64; (column.num_ords() as usize).div_ceil(64)];
        let mut found = false;
        let mut insert = |ord: u32| {
            words[ord as usize / 64] |= 1 << (ord % 64);
            found = true;
        };
        match &self.plan.set {
            TermSet::Terms(terms) => terms.iter().filter_map(|term| column.ord_of(term).ok()).for_each(&mut insert),
            TermSet::Prefix(prefix) => {
                let first = column.ord_of(prefix).unwrap_or_else(|ord| ord);
                (first..column.num_ords())
                    .take_while(|ord| column.term(*ord).starts_with(prefix))
                    .for_each(&mut insert);
            }
            TermSet::Range(lo, hi) => {
                let first = match lo {
                    Limit::Unbounded => 0,
                    Limit::Included(lo) => column.ord_of(lo).unwrap_or_else(|ord| ord),
                    Limit::Excluded(lo) => column.ord_of(lo).map_or_else(|ord| ord, |ord| ord + 1),
                };
                let end = match hi {
                    Limit::Unbounded => column.num_ords(),
                    Limit::Included(hi) => column.ord_of(hi).map_or_else(|ord| ord, |ord| ord + 1),
                    Limit::Excluded(hi) => column.ord_of(hi).unwrap_or_else(|ord| ord),
                };
                (first..end).for_each(&mut insert);
            }
            TermSet::Pattern(pattern) => {
                (0..column.num_ords()).filter(|ord| pattern.matches(&column.term(*ord))).for_each(&mut insert);
            }
        }
        found.then_some(words)
    }
}

impl Weight for OrdinalTermsWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let Some(column) = view.segment.field(&self.plan.field).and_then(|field| field.ordinals()) else {
            return Ok(None);
        };
        let Some(ords) = self.ords(column) else { return Ok(None) };
        let docs = column.docs().iter();
        let mut scorer =
            OrdinalScorer { docs, column: column.clone(), ords: ords.into(), found: vec![], score: self.boost };
        scorer.settle();
        Ok((scorer.docs.doc() != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.plan.text, weight.boost))
    }
}

struct OrdinalScorer {
    docs: DocIterator,
    column: OrdinalColumn,
    ords: Arc<[u64]>,
    found: Vec<u32>,
    score: f32,
}

impl OrdinalScorer {
    fn settle(&mut self) -> u32 {
        while self.docs.doc() != NO_MORE_DOCS && !self.matches() {
            self.docs.next();
        }
        self.docs.doc()
    }
}

impl Scorer for OrdinalScorer {
    fn doc(&self) -> u32 {
        self.docs.doc()
    }

    fn next(&mut self) -> u32 {
        self.docs.next();
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.docs.advance(target);
        self.settle()
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.docs.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.docs.advance(target)
    }

    fn matches(&mut self) -> bool {
        self.column.ords(self.docs.doc(), &mut self.found);
        self.found.iter().any(|ord| self.ords[*ord as usize / 64] & (1 << (ord % 64)) != 0)
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }
}
