//! `DFI`, divergence from independence: how far a frequency is above what the length of the field lets expect.

use super::Stats;
use super::formula::{Formula, leaf, log2};
use crate::score::Explanation;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Independence {
    Standardized,
    Saturated,
    ChiSquared,
}

impl Independence {
    fn measure(self, freq: f64, expected: f64) -> f64 {
        match self {
            Self::Standardized => (freq - expected) / expected.sqrt(),
            Self::Saturated => (freq - expected) / expected,
            Self::ChiSquared => (freq - expected) * (freq - expected) / expected,
        }
    }
}

fn expected(stats: &Stats, length: f64) -> f64 {
    (stats.total_term_freq + 1) as f64 * length / (stats.tokens + 1) as f64
}

impl Formula for Independence {
    fn score(&self, stats: &Stats, freq: f64, length: f64) -> f64 {
        let expected = expected(stats, length);
        if freq <= expected {
            return 0.0;
        }
        f64::from(stats.boost) * log2(self.measure(freq, expected) + 1.0)
    }

    fn explain(&self, stats: &Stats, freq: Explanation, length: f64) -> Explanation {
        let (occurrences, expected) = (f64::from(freq.score()), expected(stats, length));
        let what = format!("score(DFISimilarity, freq={})", freq.value_text());
        if occurrences <= expected {
            return Explanation::matching(0.0, format!("{what}, equals to 0"), vec![]);
        }
        let expectation = Explanation::matching(
            expected as f32,
            "expected, computed as (F + 1) * dl / (T + 1) from:",
            vec![
                Explanation::count(stats.total_term_freq, "F, total number of occurrences of term across all docs"),
                leaf(length, "dl, length of field"),
                Explanation::count(stats.tokens, "T, total number of tokens in the field"),
            ],
        );
        let measure = Explanation::matching(
            self.measure(occurrences, expected) as f32,
            "measure, computed as independence.score(freq, expected) from:",
            vec![freq, expectation],
        );
        Explanation::matching(
            self.score(stats, occurrences, length) as f32,
            format!("{what}, computed as boost * log2(measure + 1) from:"),
            vec![Explanation::matching(stats.boost, "boost, query boost", vec![]), measure],
        )
    }
}
