//! The best of several clauses, with a share of the others.

use super::{Bound, Explanation, Plan, Scorer, TopScores, Weight, WeightContext, float_text};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, SegmentView, WindowBits};

pub struct DisMaxWeight {
    weights: Vec<Box<dyn Weight>>,
    tie_breaker: f32,
}

impl DisMaxWeight {
    pub fn new(cx: &WeightContext, plans: &[Plan], tie_breaker: f32, scores: bool, boost: f32) -> Result<Self> {
        let weights = plans.iter().map(|plan| plan.weight(cx, scores, boost)).collect::<Result<_>>()?;
        Ok(Self { weights, tie_breaker })
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

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let mut clauses = Vec::with_capacity(self.weights.len());
        for weight in &mut self.weights {
            clauses.extend(weight.scorer(view)?);
        }
        Ok(DisMaxScorer::boxed(clauses, self.tie_breaker))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let mut details = Vec::new();
        let mut misses = Vec::new();
        let mut scores = Vec::new();
        for weight in &mut self.weights {
            let detail = weight.explain(view, doc)?;
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
    let (mut max, mut others) = (0f32, 0f64);
    for score in scores {
        if score >= max {
            others += f64::from(max);
            max = score;
        } else {
            others += f64::from(score);
        }
    }
    (f64::from(max) + others * f64::from(tie_breaker)) as f32
}

struct DisMaxScorer {
    clauses: Vec<Box<dyn Scorer>>,
    tie_breaker: f32,
    doc: u32,
}

impl DisMaxScorer {
    fn boxed(mut clauses: Vec<Box<dyn Scorer>>, tie_breaker: f32) -> Option<Box<dyn Scorer>> {
        if clauses.len() < 2 {
            return clauses.pop();
        }
        let doc = clauses.iter().map(|clause| clause.doc()).min()?;
        (doc != NO_MORE_DOCS).then(|| Box::new(Self { clauses, tie_breaker, doc }) as Box<dyn Scorer>)
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

    fn score(&mut self) -> f32 {
        let doc = self.doc;
        let matching = self.clauses.iter_mut().filter(|clause| clause.doc() == doc);
        combine(matching.map(|clause| clause.score()), self.tie_breaker)
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
        bound.max = combine(maxes.into_iter(), self.tie_breaker).next_up();
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

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        super::boolean::collect_bounded(self, upto, top);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_counts_in_full_and_the_others_in_part() {
        assert_eq!(combine([1.0, 3.0, 2.0].into_iter(), 0.5), 4.5);
        assert_eq!(combine([1.0, 3.0].into_iter(), 0.0), 3.0);
    }
}
