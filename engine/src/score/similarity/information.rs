//! `IB`, information-based: how unlikely it is that a term occurs at least so often.

use super::Stats;
use super::formula::{Formula, boost_leaf};
use super::normalization::Normalization;
use crate::score::Explanation;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Information {
    pub distribution: Distribution,
    pub lambda: Lambda,
    pub normalization: Normalization,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    LogLogistic,
    SmoothedPowerLaw,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lambda {
    DocFreq,
    TotalTermFreq,
}

impl Distribution {
    fn score(self, freq: f64, lambda: f64) -> f64 {
        match self {
            Self::LogLogistic => -(lambda / (freq + lambda)).ln(),
            Self::SmoothedPowerLaw => {
                // Neither may come to where the logarithm has no value.
                let exponent = match 1.0 - 1.0 / (freq + 1.0) {
                    1.0 => 1f64.next_down(),
                    exponent => exponent,
                };
                let mut power = lambda.powf(exponent);
                if power == lambda {
                    power = if lambda < 1.0 { lambda.next_up() } else { lambda.next_down() };
                }
                -((power - lambda) / (1.0 - lambda)).ln()
            }
        }
    }

    fn explain(self, freq: f64, lambda: f64) -> Explanation {
        let name = match self {
            Self::LogLogistic => "DistributionLL",
            Self::SmoothedPowerLaw => "DistributionSPL",
        };
        Explanation::matching(self.score(freq, lambda) as f32, name, vec![])
    }
}

impl Lambda {
    /// Never 1, at which no frequency would tell anything.
    fn value(self, stats: &Stats) -> f32 {
        let share = |count: u64| ((count as f64 + 1.0) / (stats.documents as f64 + 1.0)) as f32;
        match self {
            Self::DocFreq => match share(stats.doc_freq) {
                1.0 => 1f32.next_down(),
                lambda => lambda,
            },
            Self::TotalTermFreq => match share(stats.total_term_freq) {
                1.0 => 1f32.next_up(),
                lambda => lambda,
            },
        }
    }

    fn explain(self, stats: &Stats) -> Explanation {
        let (description, count) = match self {
            Self::DocFreq => (
                "LambdaDF, computed as (n + 1) / (N + 1) from:",
                Explanation::count(stats.doc_freq, "n, number of documents containing term"),
            ),
            Self::TotalTermFreq => (
                "LambdaTTF, computed as (F + 1) / (N + 1) from:",
                Explanation::count(
                    stats.total_term_freq,
                    "F, total number of occurrences of term across all documents",
                ),
            ),
        };
        let documents = Explanation::count(stats.documents, "N, total number of documents with field");
        Explanation::matching(self.value(stats), description, vec![count, documents])
    }
}

impl Formula for Information {
    fn score(&self, stats: &Stats, freq: f64, length: f64) -> f64 {
        let freq = self.normalization.freq(stats, freq, length);
        f64::from(stats.boost) * self.distribution.score(freq, f64::from(self.lambda.value(stats)))
    }

    fn explain(&self, stats: &Stats, freq: Explanation, length: f64) -> Explanation {
        let occurrences = f64::from(freq.score());
        let normalized = self.normalization.explain(stats, occurrences, length);
        let lambda = self.lambda.explain(stats);
        // It goes by the numbers that are shown, also by the 1 of no normalization.
        let distribution = self.distribution.explain(f64::from(normalized.score()), f64::from(lambda.score()));
        let mut details: Vec<Explanation> = boost_leaf(stats, "boost, query boost").into_iter().collect();
        details.extend([normalized, lambda, distribution]);
        let description = format!(
            "score(IBSimilarity, freq={}), computed as boost * distribution.score(stats, normalization.tfn(stats, freq, docLen), lambda.lambda(stats)) from:",
            freq.value_text()
        );
        Explanation::matching(self.score(stats, occurrences, length) as f32, description, details)
    }
}
