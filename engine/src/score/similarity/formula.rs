//! Similarities that are a formula over the statistics of one term: several terms, as those of a phrase, are added up.

use super::{SimScorer, Stats};
use crate::score::{Explanation, norm_to_length};

/// Reckoned in doubles, and cut to a float last.
pub trait Formula {
    fn score(&self, stats: &Stats, freq: f64, length: f64) -> f64;

    fn explain(&self, stats: &Stats, freq: Explanation, length: f64) -> Explanation;
}

pub struct FormulaScorer<F> {
    formula: F,
    terms: Vec<Stats>,
}

impl<F: Formula> FormulaScorer<F> {
    pub fn new(formula: F, terms: Vec<Stats>) -> Self {
        Self { formula, terms }
    }

    fn term_score(&self, stats: &Stats, freq: f32, length: f64) -> f32 {
        self.formula.score(stats, f64::from(freq), length) as f32
    }
}

impl<F: Formula> SimScorer for FormulaScorer<F> {
    fn score(&self, freq: f32, norm: u8) -> f32 {
        let length = f64::from(norm_to_length(norm));
        match self.terms.as_slice() {
            [one] => self.term_score(one, freq, length),
            many => many.iter().fold(0.0, |sum, stats| sum + self.term_score(stats, freq, length)),
        }
    }

    fn explain(&self, freq: Explanation, norm: u8) -> Explanation {
        let length = f64::from(norm_to_length(norm));
        match self.terms.as_slice() {
            [one] => self.formula.explain(one, freq, length),
            many => {
                let score = self.score(freq.score(), norm);
                let terms = many.iter().map(|stats| self.formula.explain(stats, freq.clone(), length)).collect();
                Explanation::matching(score, "sum of:", terms)
            }
        }
    }
}

pub fn log2(x: f64) -> f64 {
    x.ln() / std::f64::consts::LN_2
}

/// A number of an explanation that nothing stands below.
pub fn leaf(value: f64, description: &str) -> Explanation {
    Explanation::matching(value as f32, description, vec![])
}

/// The boost, where there is one.
pub fn boost_leaf(stats: &Stats, description: &str) -> Option<Explanation> {
    (stats.boost != 1.0).then(|| Explanation::matching(stats.boost, description, vec![]))
}
