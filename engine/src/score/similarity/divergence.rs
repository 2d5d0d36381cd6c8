//! `DFR`, divergence from randomness: how much a frequency tells, times what one more occurrence adds.

use super::Stats;
use super::formula::{Formula, boost_leaf, leaf, log2};
use super::normalization::Normalization;
use crate::score::Explanation;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    pub model: BasicModel,
    pub effect: AfterEffect,
    pub normalization: Normalization,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BasicModel {
    G,
    If,
    In,
    Ine,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AfterEffect {
    B,
    L,
}

const TFN: &str = "tfn, normalized term frequency";
const DOCUMENTS: &str = "N, total number of documents with field";

impl BasicModel {
    /// `effect`: the after-effect times one more than the frequency, which lets the score grow with the frequency always.
    fn score(self, stats: &Stats, freq: f64, effect: f64) -> f64 {
        let documents = stats.documents as f64;
        let saturated = |information: f64| information * effect * (1.0 - 1.0 / (1.0 + freq));
        match self {
            Self::G => {
                let lambda = g_lambda(stats);
                let (a, b) = (log2(lambda + 1.0), log2((1.0 + lambda) / lambda));
                (b - (b - a) / (1.0 + freq)) * effect
            }
            Self::If => saturated(log2(1.0 + (documents + 1.0) / (stats.total_term_freq as f64 + 0.5))),
            Self::In => saturated(log2((documents + 1.0) / (stats.doc_freq as f64 + 0.5))),
            Self::Ine => saturated(log2((documents + 1.0) / (expected_documents(stats) + 0.5))),
        }
    }

    fn explain(self, stats: &Stats, freq: f64, effect: f64) -> Explanation {
        let documents = || Explanation::count(stats.documents, DOCUMENTS);
        let (description, details) = match self {
            Self::G => (
                "BasicModelG, computed as log2(lambda + 1) + tfn * log2((1 + lambda) / lambda) from:",
                vec![Explanation::matching(
                    g_lambda(stats) as f32,
                    "lambda, computed as F / (N + F) from:",
                    vec![
                        leaf(
                            (stats.total_term_freq + 1) as f64,
                            "F, total number of occurrences of term across all docs + 1",
                        ),
                        leaf(stats.documents as f64, DOCUMENTS),
                    ],
                )],
            ),
            Self::If => (
                "BasicModelIF, computed as tfn * log2(1 + (N + 1) / (F + 0.5)) from:",
                vec![
                    documents(),
                    Explanation::count(
                        stats.total_term_freq,
                        "F, total number of occurrences of term across all documents",
                    ),
                ],
            ),
            Self::In => (
                "BasicModelIn, computed as tfn * log2((N + 1) / (n + 0.5)) from:",
                vec![documents(), Explanation::count(stats.doc_freq, "n, number of documents containing term")],
            ),
            Self::Ine => (
                "BasicModelIne, computed as tfn * log2((N + 1) / (ne + 0.5)) from:",
                vec![Explanation::matching(
                    expected_documents(stats) as f32,
                    "ne, computed as N * (1 - Math.pow((N - 1) / N, F)) from:",
                    vec![
                        leaf(stats.total_term_freq as f64, "F, total number of occurrences of term across all docs"),
                        leaf(stats.documents as f64, DOCUMENTS),
                    ],
                )],
            ),
        };
        let value = self.score(stats, freq, effect) * (1.0 + freq) / effect;
        let details = std::iter::once(leaf(freq, TFN)).chain(details).collect();
        Explanation::matching(value as f32, description, details)
    }
}

fn g_lambda(stats: &Stats) -> f64 {
    let occurrences = (stats.total_term_freq + 1) as f64;
    occurrences / (stats.documents as f64 + occurrences)
}

/// In how many documents so many occurrences would stand if they were thrown at random.
fn expected_documents(stats: &Stats) -> f64 {
    let documents = stats.documents as f64;
    documents * (1.0 - ((documents - 1.0) / documents).powf(stats.total_term_freq as f64))
}

impl AfterEffect {
    /// The effect times one more than the frequency.
    fn score(self, stats: &Stats) -> f64 {
        match self {
            Self::B => ((stats.total_term_freq + 1) as f64 + 1.0) / (stats.doc_freq + 1) as f64,
            Self::L => 1.0,
        }
    }

    fn explain(self, stats: &Stats, freq: f64) -> Explanation {
        let tfn = || leaf(freq, TFN);
        let (description, details) = match self {
            Self::B => (
                "AfterEffectB, computed as (F + 1) / (n * (tfn + 1)) from:",
                vec![
                    tfn(),
                    Explanation::count(
                        stats.total_term_freq,
                        "F, total number of occurrences of term across all documents + 1",
                    ),
                    Explanation::count(stats.doc_freq, "n, number of documents containing term + 1"),
                    tfn(),
                ],
            ),
            Self::L => ("AfterEffectL, computed as 1 / (tfn + 1) from:", vec![tfn()]),
        };
        Explanation::matching((self.score(stats) / (1.0 + freq)) as f32, description, details)
    }
}

impl Formula for Divergence {
    fn score(&self, stats: &Stats, freq: f64, length: f64) -> f64 {
        let freq = self.normalization.freq(stats, freq, length);
        f64::from(stats.boost) * self.model.score(stats, freq, self.effect.score(stats))
    }

    fn explain(&self, stats: &Stats, freq: Explanation, length: f64) -> Explanation {
        let occurrences = f64::from(freq.score());
        let normalized = self.normalization.freq(stats, occurrences, length);
        let mut details: Vec<Explanation> = boost_leaf(stats, "boost, query boost").into_iter().collect();
        details.push(self.normalization.explain(stats, occurrences, length));
        details.push(self.model.explain(stats, normalized, self.effect.score(stats)));
        details.push(self.effect.explain(stats, normalized));
        let description = format!(
            "score(DFRSimilarity, freq={}), computed as boost * basicModel.score(stats, tfn) * afterEffect.score(stats, tfn) from:",
            freq.value_text()
        );
        Explanation::matching(self.score(stats, occurrences, length) as f32, description, details)
    }
}
