//! Bounds of the part of BM25 that depends on document and frequency.
//!
//! `tf_norm = tf / (tf + k1 * (1 - b + b * length / average))` is below 1. The best of a range of documents is kept in one
//! byte, rounded up, for the average length that the field had when the segment was written. When the average of the
//! whole index is larger, tf_norm grows, but at most by the ratio of the averages: with `x = b * length * k1` and
//! `y = tf + k1 * (1 - b)`, `tf / (y + x / new) : tf / (y + x / old)` is `(y + x / old) / (y + x / new)`, which is largest,
//! `new / old`, where `y` is nothing.

use super::dense::Dense;
use super::write::DENSE_WIDTH;
use super::{Postings, PostingsSource};
use crate::segment::norms::decode_length;

pub(crate) const K1: f32 = 1.2;
pub(crate) const B: f32 = 0.75;

/// Documents of a window that share a bound where the window is a bitset.
pub const RANGE_DOCS: u32 = 128;

/// The rank of the score that a list's [`Postings::tenth_best`] is.
pub const TENTH: u32 = 10;

/// Rounding errors of whoever computes the same formula in another order stay below this much of a step.
const SLACK: f32 = 1e-3;

/// A bound of what the documents in a range can score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBound {
    /// The bound holds for all documents from the target to this one, inclusive.
    pub last_doc: u32,
    /// At least `tf / (tf + k1 * (1 - b + b * length / average))` of any of them, for k1 = 1.2, b = 0.75 and the average
    /// recorded in the segment ([`Postings::bound_avg_len`]). With a larger average multiply by new / recorded.
    pub max_tf_norm: f32,
}

pub(crate) fn quantise(tf_norm: f32) -> u8 {
    (tf_norm * 255.0 + SLACK).ceil().min(255.0) as u8
}

/// Of how many documents the tf-norm is at least how much, quantised and rounded down.
pub(super) struct Ranking {
    counts: [u32; 256],
}

impl Ranking {
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    #[inline]
    fn add(&mut self, tf_norm: f32) {
        self.counts[(tf_norm * 255.0 - SLACK).max(0.0) as usize & 255] += 1;
    }

    /// What the tenth best is at least; 0 if there are fewer.
    pub fn tenth(&self) -> u8 {
        let mut seen = 0;
        for (at, count) in self.counts.iter().enumerate().rev() {
            seen += count;
            if seen >= TENTH {
                return at as u8;
            }
        }
        0
    }
}

impl Default for Ranking {
    fn default() -> Self {
        Self { counts: [0; 256] }
    }
}

pub(crate) fn dequantise(best: u8) -> f32 {
    f32::from(best) / 255.0
}

/// The lengths of a field by document, as bounds take them.
pub(crate) struct FieldLengths {
    /// Norms by document; empty where the field has none.
    norms: Vec<u8>,
    /// `k1 * (1 - b + b * length / average)` by norm.
    saturation: [f32; 256],
}

impl FieldLengths {
    /// `norms` by document, for a field with norms.
    pub fn new(norms: Vec<u8>, average: f32) -> Self {
        let mut saturation = [0.0; 256];
        for (norm, out) in (0..=255).zip(&mut saturation) {
            *out = K1 * (1.0 - B + B * decode_length(norm) as f32 / average);
        }
        Self { norms, saturation }
    }

    pub fn without_norms(average: f32) -> Self {
        Self { norms: vec![], saturation: [saturation_of_one(average); 256] }
    }

    #[inline]
    pub fn tf_norm(&self, doc: u32, freq: u32) -> f32 {
        let norm = self.norms.get(doc as usize).copied().unwrap_or(0);
        freq as f32 / (freq as f32 + self.saturation[norm as usize])
    }

    /// The best quantised tf-norm of these documents.
    pub fn best(&self, docs: &[u32], freqs: &[u32]) -> u8 {
        quantise(docs.iter().zip(freqs).map(|(doc, freq)| self.tf_norm(*doc, *freq)).fold(0.0, f32::max))
    }

    /// Like `best`, and takes note of each.
    pub(super) fn best_ranked(&self, docs: &[u32], freqs: &[u32], ranking: &mut Ranking) -> u8 {
        let mut best = 0f32;
        for (doc, freq) in docs.iter().zip(freqs) {
            let tf_norm = self.tf_norm(*doc, *freq);
            ranking.add(tf_norm);
            best = best.max(tf_norm);
        }
        quantise(best)
    }
}

/// The bound of lists without frequencies: tf is 1, and the shortest length counts where there are lengths.
pub(super) fn without_freqs(source: &PostingsSource) -> f32 {
    if source.norms {
        1.0 / (1.0 + K1 * (1.0 - B))
    } else {
        1.0 / (1.0 + saturation_of_one(source.bound_avg_len)) + SLACK
    }
}

/// Without norms every document counts as one token long.
fn saturation_of_one(average: f32) -> f32 {
    K1 * (1.0 - B + B / average)
}

impl Postings {
    /// What the tenth best tf-norm of the list is at least, for the recorded average; 0 if that is not known. With a smaller
    /// average multiply by new / recorded.
    pub fn tenth_best(&self) -> f32 {
        dequantise(self.tenth)
    }

    /// What the `nth` best tf-norm of the list is at least, as far as the best of its blocks, and of the ranges of its bitsets, tell, each
    /// of which one document has; 0 if they are too few. For the recorded average, like [`Postings::tenth_best`].
    pub fn nth_best(&self, nth: usize) -> f32 {
        let (bytes, mut counts) = (&self.source.postings, [0usize; 256]);
        if self.source.freqs {
            for unit in 0..self.units.len {
                let (meta, last_doc) = (self.units.meta(bytes, unit), self.units.last_doc(bytes, unit));
                if meta & 63 == DENSE_WIDTH {
                    let dense = Dense::new(bytes, self.units.data_at(bytes, unit), last_doc, self.source.has_positions);
                    dense.range_bests(bytes).iter().for_each(|best| counts[usize::from(*best)] += 1);
                } else {
                    counts[usize::from((meta >> 20) as u8)] += 1;
                }
            }
        }
        let mut seen = 0;
        let found = (1..=255u8).rev().find(|best| {
            seen += counts[usize::from(*best)];
            seen >= nth
        });
        // They are rounded up.
        found.map_or(0.0, |best| ((f32::from(best) - 1.0 - 2.0 * SLACK) / 255.0).max(0.0))
    }

    /// The average field length for which bounds are recorded.
    pub fn bound_avg_len(&self) -> f32 {
        self.source.bound_avg_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_never_undershoot() {
        for i in 0..=10_000 {
            let x = i as f32 / 10_000.0;
            let bound = dequantise(quantise(x));
            assert!(bound >= x && bound <= x + 1.1 / 255.0, "{x} {bound}");
        }
    }

    #[test]
    fn growth_of_the_average_is_bounded_by_its_ratio() {
        for (old, new) in [(10.0, 10.5), (3.0, 30.0), (100.0, 1_000.0)] {
            let (a, b) = (FieldLengths::new((0..=255).collect(), old), FieldLengths::new((0..=255).collect(), new));
            for norm in 0..=255 {
                for freq in [1, 2, 10, 1_000] {
                    let (was, is) = (a.tf_norm(norm, freq), b.tf_norm(norm, freq));
                    assert!(is <= was * (new / old) * 1.000_001, "{norm} {freq}");
                }
            }
        }
    }
}
