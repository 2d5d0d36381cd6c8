//! Documents that all of several scorers match: the rarest leads, the others follow.

use super::late::Late;
use super::{Bound, Scorer, TopScores, fill_by_steps};
use crate::segment::{NO_MORE_DOCS, WindowBits};

/// If the rarest clause matches at least one in this many documents, counting intersects bitsets.
const DENSE_ONE_IN: u64 = 32;

pub struct ConjunctionScorer {
    /// By ascending cost. The first leads.
    clauses: Vec<Clause>,
    /// The indexes of clauses whose candidates need confirming.
    two_phase: Vec<usize>,
    /// The indexes of clauses that score, in the order in which they were given: scores are added in that order.
    scored: Vec<usize>,
    /// Whether clauses go by candidates, as then does this.
    late: bool,
    doc: u32,
    dense: bool,
    bits: Option<Box<[WindowBits; 2]>>,
}

struct Clause {
    scorer: Box<dyn Scorer>,
    /// Where it stood among the scored clauses, if it is one.
    scored: Option<usize>,
}

impl ConjunctionScorer {
    /// `scored` clauses contribute their scores, `filters` do not. There must be at least one of them.
    pub fn boxed(scored: Vec<Box<dyn Scorer>>, filters: Vec<Box<dyn Scorer>>, max_doc: u32) -> Option<Box<dyn Scorer>> {
        let number = scored.len();
        let mut clauses: Vec<Clause> = (scored.into_iter().chain(filters).enumerate())
            .map(|(order, scorer)| Clause { scorer, scored: (order < number).then_some(order) })
            .collect();
        if clauses.len() == 1 && number == 1 {
            return clauses.pop().map(|clause| clause.scorer);
        }
        clauses.sort_by_key(|clause| clause.scorer.cost());
        let two_phase = (0..clauses.len()).filter(|i| clauses[*i].scorer.is_two_phase()).collect();
        let mut scored: Vec<usize> = (0..clauses.len()).filter(|i| clauses[*i].scored.is_some()).collect();
        scored.sort_by_key(|i| clauses[*i].scored);
        let lead_cost = clauses.first()?.scorer.cost();
        let dense = lead_cost * DENSE_ONE_IN >= u64::from(max_doc);
        let late = clauses.iter().any(|clause| clause.scorer.goes_by_candidates());
        let mut scorer = Self { clauses, two_phase, scored, late, doc: 0, dense, bits: None };
        if late {
            let first = scorer.clauses[0].scorer.candidate_from(0);
            scorer.doc = scorer.align(first);
            return (scorer.doc != NO_MORE_DOCS).then(|| Late::boxed(scorer));
        }
        // Scorers stand confirmed on their first match, so candidates begin there.
        let first = scorer.clauses[0].scorer.doc();
        scorer.doc = scorer.align(first);
        if scorer.doc != NO_MORE_DOCS && !scorer.confirm() {
            scorer.next();
        }
        (scorer.doc != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>)
    }

    /// The first document at or after the lead's current one, `doc`, that all clauses have as candidate.
    fn align(&mut self, mut doc: u32) -> u32 {
        'lead: while doc != NO_MORE_DOCS {
            for i in 1..self.clauses.len() {
                let at = self.clauses[i].scorer.candidate_from(doc);
                if at > doc {
                    doc = self.clauses[0].scorer.advance_candidate(at);
                    continue 'lead;
                }
            }
            return doc;
        }
        NO_MORE_DOCS
    }

    fn confirm(&mut self) -> bool {
        self.doc != NO_MORE_DOCS && self.two_phase.iter().all(|i| self.clauses[*i].scorer.matches())
    }

    fn sum(&mut self) -> f32 {
        let mut sum = 0f64;
        for i in &self.scored {
            sum += f64::from(self.clauses[*i].scorer.score());
        }
        sum as f32
    }
}

impl Scorer for ConjunctionScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.advance_candidate(target);
        while self.doc != NO_MORE_DOCS && !self.confirm() {
            let beyond = self.doc + 1;
            self.advance_candidate(beyond);
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        self.sum()
    }

    fn cost(&self) -> u64 {
        self.clauses[0].scorer.cost()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.doc {
            let doc = self.clauses[0].scorer.candidate_from(target);
            self.doc = self.align(doc);
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        self.confirm()
    }

    fn is_two_phase(&self) -> bool {
        !self.two_phase.is_empty()
    }

    fn bound(&mut self, target: u32) -> Bound {
        let mut bound = Bound { last_doc: NO_MORE_DOCS - 1, max: 0.0 };
        let mut sum = 0f64;
        for i in &self.scored {
            let scorer = &mut self.clauses[*i].scorer;
            let at = if self.late { scorer.candidate_from(0) } else { scorer.doc() };
            let of_clause = scorer.bound(target.max(at));
            sum += f64::from(of_clause.max);
            bound.last_doc = bound.last_doc.min(of_clause.last_doc);
        }
        bound.max = round_up(sum);
        bound.last_doc = bound.last_doc.max(target);
        bound
    }

    fn fill(&mut self, upto: u32, out: &mut WindowBits) {
        if !self.dense || !self.two_phase.is_empty() {
            return fill_by_steps(self, upto, out);
        }
        if self.doc < out.base() {
            self.advance(out.base());
        }
        if u64::from(self.doc) >= u64::from(upto).min(out.end()) {
            return;
        }
        let window = out.window();
        let bits = self.bits.get_or_insert_with(|| Box::new([WindowBits::new(0), WindowBits::new(0)]));
        let [all, one] = &mut **bits;
        all.reset(window);
        self.clauses[0].scorer.fill(upto, all);
        for clause in &mut self.clauses[1..] {
            one.reset(window);
            clause.scorer.fill(upto, one);
            all.and(one.words());
        }
        out.or(all.words());
        let doc = self.clauses[0].scorer.doc();
        self.doc = self.align(doc);
    }

    fn collect_top_candidates(&mut self, from: u32, upto: u32, top: &mut TopScores) -> u32 {
        let mut bounded_to = 0;
        self.advance_candidate(from);
        while self.doc < upto {
            if !top.is_counting() && self.doc >= bounded_to {
                let bound = self.bound(self.doc);
                if bound.max <= top.threshold() {
                    self.skip_bounded(bound.last_doc.saturating_add(1).min(upto), upto, top);
                    continue;
                }
                bounded_to = bound.last_doc.saturating_add(1);
            }
            if self.confirm() {
                let score = self.sum();
                top.offer(self.doc, score);
            }
            self.advance_candidate(self.doc + 1);
        }
        self.doc
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        let mut bounded_to = 0;
        while self.doc < upto {
            if !top.is_counting() && self.doc >= bounded_to {
                let bound = self.bound(self.doc);
                if bound.max <= top.threshold() {
                    let beyond = bound.last_doc.saturating_add(1).min(upto);
                    self.advance_bounded(beyond, upto, top);
                    continue;
                }
                bounded_to = bound.last_doc.saturating_add(1);
            }
            let score = self.sum();
            top.offer(self.doc, score);
            self.next();
        }
    }
}

impl ConjunctionScorer {
    /// Moves to the first candidate at or after `target` in a block whose bound can compete, or at or after `upto`. Blocks are
    /// judged by the lead's position before any other clause moves.
    fn skip_bounded(&mut self, mut target: u32, upto: u32, top: &TopScores) {
        let doc = loop {
            let doc = self.clauses[0].scorer.candidate_from(target);
            if doc >= upto {
                break doc;
            }
            let bound = self.bound(doc);
            if bound.max > top.threshold() {
                break doc;
            }
            target = bound.last_doc.saturating_add(1).min(upto);
        };
        self.doc = self.align(doc);
    }

    /// As [`Self::skip_bounded`], to the first match.
    fn advance_bounded(&mut self, target: u32, upto: u32, top: &TopScores) {
        self.skip_bounded(target, upto, top);
        if self.doc != NO_MORE_DOCS && !self.confirm() {
            self.next();
        }
    }
}

/// The sum of bounds as a float that is not below it.
pub fn round_up(sum: f64) -> f32 {
    let rounded = sum as f32;
    if f64::from(rounded) < sum { rounded.next_up() } else { rounded }
}
