//! Documents that enough of several scorers match. Bulk evaluation adds scores up in [`Slots`], and leaves clauses that
//! cannot lift a document over the threshold by themselves for last (MAXSCORE), unless they have fewer documents than they would be
//! asked about.

use super::candidate::Candidate;
use super::conjunction::round_up;
use super::late::Late;
use super::{Bound, SLOTS, Scorer, Slots, TopScores, fill_by_steps};
use crate::segment::{NO_MORE_DOCS, WINDOW, WindowBits};

/// Asking a clause about so many documents takes as long as going to its first one in a stretch.
const START: u64 = 16;

pub struct DisjunctionScorer {
    clauses: Vec<Box<dyn Scorer>>,
    /// How many documents of a stretch each of them has, about.
    expected: Vec<u64>,
    /// How many clauses must match; at least 1.
    minimum: usize,
    /// Whether clauses stand on candidates, as then does this.
    late: bool,
    doc: u32,
    slots: Option<Slots>,
    /// Indexes of clauses by ascending bound, with their bounds in the current stretch.
    order: Vec<(f32, usize)>,
}

impl DisjunctionScorer {
    pub fn boxed(clauses: Vec<Box<dyn Scorer>>, minimum: usize, max_doc: u32) -> Option<Box<dyn Scorer>> {
        let minimum = minimum.max(1);
        if clauses.len() < minimum {
            return None;
        }
        if clauses.len() == 1 {
            return clauses.into_iter().next();
        }
        let (clauses, late) = Candidate::of_all(clauses);
        let stretches = u64::from(max_doc.div_ceil(SLOTS)).max(1);
        let expected = clauses.iter().map(|clause| clause.cost() / stretches).collect();
        let mut scorer = Self { clauses, expected, minimum, late, doc: 0, slots: None, order: Vec::new() };
        scorer.doc = scorer.settle();
        if scorer.doc == NO_MORE_DOCS {
            return None;
        }
        Some(if late { Late::boxed(scorer) } else { Box::new(scorer) })
    }

    /// The first document that enough clauses match, given where they stand; the first candidate if it goes by these.
    fn settle(&mut self) -> u32 {
        loop {
            let doc = self.clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
            let found = doc == NO_MORE_DOCS || self.minimum == 1 || self.late;
            if found || self.matching(doc) >= self.minimum {
                return doc;
            }
            self.clauses.iter_mut().filter(|clause| clause.doc() == doc).for_each(|clause| {
                clause.next();
            });
        }
    }

    fn matching(&self, doc: u32) -> usize {
        self.clauses.iter().filter(|clause| clause.doc() == doc).count()
    }

    fn advance_clauses(&mut self, target: u32) {
        for clause in &mut self.clauses {
            if clause.doc() < target {
                clause.advance(target);
            }
        }
    }

    /// Evaluates documents in `[base, end)`, at most [`SLOTS`] of them.
    fn collect_stretch(&mut self, base: u32, end: u32, top: &mut TopScores) {
        let counting = top.is_counting();
        let threshold = top.threshold();
        self.order.clear();
        for (at, clause) in self.clauses.iter_mut().enumerate() {
            if clause.doc() < end {
                let max = if counting { f32::INFINITY } else { clause.max_score(end) };
                self.order.push((max, at));
            }
        }
        let mut idle = 0;
        if !counting {
            let mut idle_sum = 0f64;
            self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            if self.minimum == 1 {
                while idle < self.order.len() && round_up(idle_sum + f64::from(self.order[idle].0)) <= threshold {
                    idle_sum += f64::from(self.order[idle].0);
                    idle += 1;
                }
            } else if round_up(self.order.iter().map(|(max, _)| f64::from(*max)).sum()) <= threshold {
                idle = self.order.len();
            }
            if idle == self.order.len() {
                return;
            }
        }
        let counted = self.minimum > 1;
        let slots = self.slots.get_or_insert_with(|| Slots::new(counted));
        for (_, at) in &self.order[idle..] {
            self.clauses[*at].accumulate(base, end, slots);
        }
        let (docs, left) = (u64::from(if idle > 0 { slots.count() } else { 0 }), idle);
        idle = 0;
        for at in 0..left {
            let clause = self.order[at].1;
            if self.expected[clause] + START > docs {
                self.order.swap(idle, at);
                idle += 1;
            } else {
                self.clauses[clause].accumulate(base, end, slots);
            }
        }
        if self.minimum > 1 {
            slots.retain_matched(self.minimum as u16);
        }
        if let Some(live) = top.live() {
            slots.retain_live(base, live);
        }
        if counting {
            top.add_count(u64::from(slots.count()));
        }
        if idle == 0 {
            let threshold = top.threshold();
            return slots.drain_above(threshold, |slot, score| top.offer_live(base + slot, score as f32));
        }
        let (clauses, idle, late) = (&mut self.clauses, &self.order[..idle], self.late);
        let idle_sum = idle.iter().map(|(max, _)| f64::from(*max)).sum::<f64>();
        slots.drain(|slot, mut score| {
            let doc = base + slot;
            let mut rest = idle_sum;
            for (max, at) in idle.iter().rev() {
                if round_up(score + rest) <= top.threshold() {
                    return;
                }
                rest -= f64::from(*max);
                let clause = &mut clauses[*at];
                if clause.doc() < doc {
                    clause.advance(doc);
                }
                if clause.doc() == doc && (!late || clause.matches()) {
                    score += f64::from(clause.score());
                }
            }
            top.offer_live(doc, score as f32);
        });
    }
}

impl Scorer for DisjunctionScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        self.advance(self.doc + 1)
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.advance_candidate(target);
        while self.late && self.doc != NO_MORE_DOCS && !self.matches() {
            self.advance_candidate(self.doc + 1);
        }
        self.doc
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if target > self.doc {
            self.advance_clauses(target);
            self.doc = self.settle();
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        let doc = self.doc;
        let mut here = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        !self.late || (0..self.minimum).all(|_| here.any(|clause| clause.matches()))
    }

    fn is_two_phase(&self) -> bool {
        self.late
    }

    fn score(&mut self) -> f32 {
        let (doc, late) = (self.doc, self.late);
        let matching = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        let matching = matching.filter_map(|clause| (!late || clause.matches()).then(|| f64::from(clause.score())));
        matching.sum::<f64>() as f32
    }

    fn cost(&self) -> u64 {
        self.clauses.iter().map(|clause| clause.cost()).sum()
    }

    fn bound(&mut self, target: u32) -> Bound {
        let mut bound = Bound { last_doc: NO_MORE_DOCS - 1, max: 0.0 };
        let mut sum = 0f64;
        for clause in &mut self.clauses {
            let doc = clause.doc();
            if doc == NO_MORE_DOCS {
                continue;
            }
            let of_clause = clause.bound(target.max(doc));
            sum += f64::from(of_clause.max);
            bound.last_doc = bound.last_doc.min(of_clause.last_doc);
        }
        bound.max = round_up(sum);
        bound
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        if self.minimum == 1 {
            let end = u64::from(upto).min(bits.end()) as u32;
            for clause in &mut self.clauses {
                if clause.doc() < end {
                    clause.fill(upto, bits);
                }
            }
            self.doc = self.settle();
            return;
        }
        fill_by_steps(self, upto, bits);
    }

    fn accumulate(&mut self, base: u32, upto: u32, slots: &mut Slots) {
        if self.doc >= upto {
            return;
        }
        let counted = self.minimum > 1;
        let own = self.slots.get_or_insert_with(|| Slots::new(counted));
        for clause in self.clauses.iter_mut().filter(|clause| clause.doc() < upto) {
            clause.accumulate(base, upto, own);
        }
        own.retain_matched(self.minimum as u16);
        own.drain(|slot, score| slots.add(slot as usize, score as f32));
        self.doc = self.settle();
    }

    fn collect(&mut self, upto: u32, docs: &mut Vec<u32>, mut scores: Option<&mut Vec<f32>>) {
        let counted = self.minimum > 1;
        while self.doc < upto {
            let base = self.doc / 64 * 64;
            let end = stretch_end(base, upto);
            let slots = self.slots.get_or_insert_with(|| Slots::new(counted));
            for clause in self.clauses.iter_mut().filter(|clause| clause.doc() < end) {
                clause.accumulate(base, end, slots);
            }
            slots.retain_matched(self.minimum as u16);
            slots.drain(|slot, score| {
                docs.push(base + slot);
                if let Some(scores) = scores.as_deref_mut() {
                    scores.push(score as f32);
                }
            });
            self.doc = self.settle();
        }
    }

    fn collect_top_candidates(&mut self, from: u32, upto: u32, top: &mut TopScores) -> u32 {
        self.advance_candidate(from);
        self.collect_top(upto, top);
        self.doc
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        while self.doc < upto {
            let base = self.doc / 64 * 64;
            let end = stretch_end(base, upto);
            self.collect_stretch(base, end, top);
            self.advance_clauses(end);
            self.doc = self.settle();
        }
    }
}

/// Where documents from `base` on stop being accumulated together: after [`SLOTS`], at `upto` or at the window's end.
pub(super) fn stretch_end(base: u32, upto: u32) -> u32 {
    let window_end = (u64::from(base / WINDOW) + 1) * u64::from(WINDOW);
    u64::from(base).saturating_add(u64::from(SLOTS)).min(u64::from(upto)).min(window_end) as u32
}
