//! How frequencies are made comparable between short and long fields: `no`, `h1`, `h2`, `h3`, `z`.

use super::Stats;
use super::formula::{leaf, log2};
use crate::score::{Explanation, Number};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normalization {
    No,
    H1 { c: f32 },
    H2 { c: f32 },
    H3 { mu: f32 },
    Z { z: f32 },
}

impl Normalization {
    pub fn freq(self, stats: &Stats, freq: f64, length: f64) -> f64 {
        let average = stats.average_length();
        match self {
            Self::No => freq,
            Self::H1 { c } => freq * f64::from(c) * (average / length),
            Self::H2 { c } => freq * log2(1.0 + f64::from(c) * average / length),
            Self::H3 { mu } => {
                let share = (stats.total_term_freq as f32 + 1.0) / (stats.tokens as f32 + 1.0);
                (freq + f64::from(mu * share)) / (length + f64::from(mu)) * f64::from(mu)
            }
            Self::Z { z } => freq * (average / length).powf(f64::from(z)),
        }
    }

    pub fn explain(self, stats: &Stats, freq: f64, length: f64) -> Explanation {
        const TF: &str = "tf, number of occurrences of term in the document";
        const LENGTH: &str = "fl, field length of the document";
        let average = leaf(stats.average_length(), "avgfl, average length of field across all documents");
        let parameter = |value: f32, description: &str| Explanation::matching(value, description, vec![]);
        let (description, details) = match self {
            Self::No => {
                return Explanation::matching(1.0, "no normalization", vec![]).valued(Number::Int(1));
            }
            Self::H1 { c } => (
                "NormalizationH1, computed as tf * c * (avgfl / fl) from:",
                vec![leaf(freq, TF), parameter(c, "c, hyper-parameter"), average, leaf(length, LENGTH)],
            ),
            Self::H2 { c } => (
                "NormalizationH2, computed as tf * log2(1 + c * avgfl / fl) from:",
                vec![leaf(freq, TF), parameter(c, "c, hyper-parameter"), average, leaf(length, LENGTH)],
            ),
            Self::H3 { mu } => (
                "NormalizationH3, computed as (tf + mu * ((F+1) / (T+1))) / (fl + mu) * mu from:",
                vec![
                    leaf(freq, TF),
                    parameter(mu, "mu, smoothing parameter"),
                    leaf(stats.total_term_freq as f64, "F,  total number of occurrences of term across all documents"),
                    leaf(stats.tokens as f64, "T, total number of tokens of the field across all documents"),
                    leaf(length, LENGTH),
                ],
            ),
            Self::Z { z } => (
                "NormalizationZ, computed as tf * Math.pow(avgfl / fl, z) from:",
                vec![
                    leaf(freq, TF),
                    average,
                    leaf(length, LENGTH),
                    parameter(z, "z, relates to specificity of the language"),
                ],
            ),
        };
        Explanation::matching(self.freq(stats, freq, length) as f32, description, details)
    }
}
