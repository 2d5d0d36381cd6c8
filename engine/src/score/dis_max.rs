//! The best of several clauses, with a share of the others. For the best hits the scores of a stretch of documents are brought
//! together clause by clause, and clauses that cannot lift a document over the threshold are left out.

use super::candidate::Candidate;
use super::disjunction::stretch_end;
use super::explain::unscored;
use super::late::Late;
use super::{Bound, Explanation, Plan, SLOTS, Scorer, TopScores, Weight, WeightContext, float_text};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, SegmentView, WindowBits};

pub struct DisMaxWeight {
    weights: Vec<Box<dyn Weight>>,
    tie_breaker: f32,
    /// The clauses where nobody asks for their scores: they are explained by their texts then.
    unscored: Option<Vec<Plan>>,
}

impl DisMaxWeight {
    pub fn new(cx: &WeightContext, plans: &[Plan], tie_breaker: f32, scores: bool, boost: f32) -> Result<Self> {
        let weights = plans.iter().map(|plan| plan.weight(cx, scores, boost)).collect::<Result<_>>()?;
        Ok(Self { weights, tie_breaker, unscored: (!scores && !cx.uncached).then(|| plans.to_vec()) })
    }
}

impl Weight for DisMaxWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        for weight in &mut self.weights {
            if !weight.prepare(view, spent)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn opens(&mut self, view: &SegmentView) -> Result<bool> {
        let mut opens = false;
        for weight in &mut self.weights {
            opens |= weight.opens(view)?;
        }
        Ok(opens)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let mut clauses = Vec::with_capacity(self.weights.len());
        for weight in &mut self.weights {
            clauses.extend(weight.scorer(view)?);
        }
        Ok(DisMaxScorer::boxed(clauses, self.tie_breaker))
    }

    fn counts_apart(&self) -> bool {
        self.weights.iter().all(|weight| weight.counts_apart())
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let mut details = Vec::new();
        let mut misses = Vec::new();
        let mut scores = Vec::new();
        for (at, weight) in self.weights.iter_mut().enumerate() {
            let detail = match &self.unscored {
                Some(plans) => unscored(weight.as_mut(), &plans[at], view, doc)?,
                None => weight.explain(view, doc)?,
            };
            if detail.matched {
                scores.push(detail.score());
                details.push(detail);
            } else {
                misses.push(detail);
            }
        }
        if details.is_empty() {
            return Ok(Explanation::no_match("No matching clause", misses));
        }
        let description = match self.tie_breaker {
            0.0 => "max of:".to_owned(),
            tie => format!("max plus {} times others of:", float_text(tie)),
        };
        Ok(Explanation::matching(combine(scores.into_iter(), self.tie_breaker), description, details))
    }
}

/// The best score plus `tie_breaker` times the sum of the others.
fn combine(scores: impl Iterator<Item = f32>, tie_breaker: f32) -> f32 {
    let mut best = Best::default();
    scores.for_each(|score| best.add(score));
    best.score(tie_breaker)
}

/// The best of some scores, and the sum of the others.
#[derive(Clone, Copy, Default)]
struct Best {
    max: f32,
    others: f64,
}

impl Best {
    #[inline]
    fn add(&mut self, score: f32) {
        if score >= self.max {
            self.others += f64::from(self.max);
            self.max = score;
        } else {
            self.others += f64::from(score);
        }
    }

    #[inline]
    fn score(self, tie_breaker: f32) -> f32 {
        (f64::from(self.max) + self.others * f64::from(tie_breaker)) as f32
    }
}

struct DisMaxScorer {
    clauses: Vec<Box<dyn Scorer>>,
    tie_breaker: f32,
    /// Whether clauses stand on candidates, as then does this.
    late: bool,
    doc: u32,
    stretch: Option<Stretch>,
}

/// The scores of documents `base .. base + SLOTS`.
struct Stretch {
    /// The best score of each.
    max: Vec<f32>,
    /// The sums of the others, where they count.
    others: Vec<f64>,
    matched: [u64; SLOTS as usize / 64],
    /// The matches of one clause.
    docs: Vec<u32>,
    scores: Vec<f32>,
}

impl Stretch {
    fn new(tie_breaker: f32) -> Self {
        let slots = SLOTS as usize;
        Self {
            max: vec![0.0; slots],
            others: if tie_breaker == 0.0 { vec![] } else { vec![0.0; slots] },
            matched: [0; SLOTS as usize / 64],
            docs: vec![],
            scores: vec![],
        }
    }
}

impl DisMaxScorer {
    fn boxed(mut clauses: Vec<Box<dyn Scorer>>, tie_breaker: f32) -> Option<Box<dyn Scorer>> {
        if clauses.len() < 2 {
            return clauses.pop();
        }
        let (clauses, late) = Candidate::of_all(clauses);
        let doc = clauses.iter().map(|clause| clause.doc()).min()?;
        if doc == NO_MORE_DOCS {
            return None;
        }
        let scorer = Self { clauses, tie_breaker, late, doc, stretch: None };
        Some(if late { Late::boxed(scorer) } else { Box::new(scorer) })
    }

    /// What a document can score whose clauses score this at most.
    fn most(&self, bounds: impl Iterator<Item = f32>) -> f32 {
        combine(bounds, self.tie_breaker.max(0.0)).next_up()
    }

    /// Evaluates documents in `[base, end)`, at most [`SLOTS`] of them.
    fn collect_stretch(&mut self, base: u32, end: u32, top: &mut TopScores) {
        let (counting, threshold) = (top.is_counting(), top.threshold());
        let mut bounds = vec![f32::INFINITY; self.clauses.len()];
        if !counting {
            for (bound, clause) in bounds.iter_mut().zip(&mut self.clauses) {
                *bound = if clause.doc() < end { clause.max_score(end) } else { 0.0 };
            }
            if self.most(bounds.iter().copied()) <= threshold {
                return;
            }
        }
        let stretch = self.stretch.get_or_insert_with(|| Stretch::new(self.tie_breaker));
        // Where the best alone counts, what cannot compete by itself makes no difference.
        let idle = |bound: f32| !counting && self.tie_breaker == 0.0 && bound <= threshold;
        for (clause, _) in self.clauses.iter_mut().zip(&bounds).filter(|(_, bound)| !idle(**bound)) {
            stretch.add(clause.as_mut(), base, end);
        }
        stretch.hand_over(base, self.tie_breaker, |doc, score| top.offer(doc, score));
    }
}

impl Stretch {
    fn add(&mut self, clause: &mut dyn Scorer, base: u32, end: u32) {
        let Self { max, others, matched, docs, scores } = self;
        // Clauses stand on their first match that was not evaluated.
        debug_assert!(clause.doc() >= base, "a clause stays behind");
        docs.clear();
        scores.clear();
        clause.collect(end, docs, Some(scores));
        for (doc, score) in docs.iter().zip(scores) {
            let slot = (doc - base) as usize % SLOTS as usize;
            matched[slot / 64] |= 1 << (slot % 64);
            let before = max[slot];
            max[slot] = if *score >= before { *score } else { before };
            if let Some(others) = others.get_mut(slot) {
                *others += f64::from(if *score >= before { before } else { *score });
            }
        }
    }

    /// Calls `found` with all documents in order, and forgets them.
    fn hand_over(&mut self, base: u32, tie_breaker: f32, mut found: impl FnMut(u32, f32)) {
        for (at, word) in self.matched.iter_mut().enumerate() {
            let mut word = std::mem::take(word);
            while word != 0 {
                let slot = at * 64 + word.trailing_zeros() as usize;
                let max = std::mem::take(&mut self.max[slot]);
                let score = match self.others.get_mut(slot) {
                    Some(others) => Best { max, others: std::mem::take(others) }.score(tie_breaker),
                    None => max,
                };
                found(base + slot as u32, score);
                word &= word - 1;
            }
        }
    }
}

impl Scorer for DisMaxScorer {
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
            for clause in &mut self.clauses {
                if clause.doc() < target {
                    clause.advance(target);
                }
            }
            self.doc = self.clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        let doc = self.doc;
        !self.late || self.clauses.iter_mut().any(|clause| clause.doc() == doc && clause.matches())
    }

    fn is_two_phase(&self) -> bool {
        self.late
    }

    fn score(&mut self) -> f32 {
        let (doc, late) = (self.doc, self.late);
        let matching = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        let scores = matching.filter_map(|clause| (!late || clause.matches()).then(|| clause.score()));
        combine(scores, self.tie_breaker)
    }

    fn cost(&self) -> u64 {
        self.clauses.iter().map(|clause| clause.cost()).sum()
    }

    fn bound(&mut self, target: u32) -> Bound {
        let mut bound = Bound { last_doc: NO_MORE_DOCS - 1, max: 0.0 };
        let mut maxes = Vec::with_capacity(self.clauses.len());
        for clause in &mut self.clauses {
            let doc = clause.doc();
            if doc != NO_MORE_DOCS {
                let of_clause = clause.bound(target.max(doc));
                maxes.push(of_clause.max);
                bound.last_doc = bound.last_doc.min(of_clause.last_doc);
            }
        }
        bound.max = self.most(maxes.into_iter());
        bound
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        for clause in &mut self.clauses {
            if clause.doc() != NO_MORE_DOCS {
                clause.fill(upto, bits);
            }
        }
        self.doc = self.clauses.iter().map(|clause| clause.doc()).min().unwrap_or(NO_MORE_DOCS);
    }

    fn collect(&mut self, upto: u32, docs: &mut Vec<u32>, mut scores: Option<&mut Vec<f32>>) {
        while self.doc < upto {
            let base = self.doc / 64 * 64;
            let end = stretch_end(base, upto);
            let stretch = self.stretch.get_or_insert_with(|| Stretch::new(self.tie_breaker));
            self.clauses.iter_mut().for_each(|clause| stretch.add(clause.as_mut(), base, end));
            stretch.hand_over(base, self.tie_breaker, |doc, score| {
                docs.push(doc);
                scores.iter_mut().for_each(|scores| scores.push(score));
            });
            self.advance(end);
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
            self.advance_candidate(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ListScorer;
    use super::*;

    #[test]
    fn the_best_counts_in_full_and_the_others_in_part() {
        assert_eq!(combine([1.0, 3.0, 2.0].into_iter(), 0.5), 4.5);
        assert_eq!(combine([1.0, 3.0].into_iter(), 0.0), 3.0);
    }

    /// Documents of a few clauses, some of which share documents, over several stretches.
    fn clauses(number: u32) -> Vec<Box<dyn Scorer>> {
        let docs = |clause: u32| {
            let all = (0..20_000u32).filter(move |doc| doc.wrapping_mul(2_654_435_761 + 2 * clause) >> 28 == 0);
            all.map(move |doc| (doc, ((doc * (clause + 3)) % 101) as f32 / 7.0)).collect()
        };
        (0..number).filter_map(|clause| ListScorer::boxed(docs(clause))).collect()
    }

    #[test]
    fn stretches_find_what_steps_find() {
        for tie_breaker in [0.0, 0.3, 1.0] {
            let mut steps = DisMaxScorer::boxed(clauses(3), tie_breaker).unwrap();
            let mut expected = vec![];
            while steps.doc() != NO_MORE_DOCS {
                expected.push((steps.doc(), steps.score()));
                steps.next();
            }
            let (mut docs, mut scores) = (vec![], vec![]);
            let mut stretches = DisMaxScorer::boxed(clauses(3), tie_breaker).unwrap();
            stretches.collect(9_000, &mut docs, Some(&mut scores));
            stretches.collect(NO_MORE_DOCS, &mut docs, Some(&mut scores));
            assert_eq!(docs.into_iter().zip(scores).collect::<Vec<_>>(), expected);
            for limit in [None, Some(100), Some(u64::MAX)] {
                let (mut top, mut all) = (TopScores::new(10, limit), TopScores::new(10, Some(u64::MAX)));
                DisMaxScorer::boxed(clauses(3), tie_breaker).unwrap().collect_top(NO_MORE_DOCS, &mut top);
                expected.iter().for_each(|(doc, score)| all.offer(*doc, *score));
                assert!(limit != Some(u64::MAX) || top.count() == all.count());
                assert_eq!(top.finish(), all.finish(), "{tie_breaker} {limit:?}");
            }
        }
    }
}
