//! BM25 in the reference's float arithmetic, and its one-byte norms.
//!
//! `score = weight - weight / (1 + freq * norm_inverse)`, `weight = boost * idf`, where `norm_inverse` comes from a table of the
//! 256 norms that is made once for a field's statistics.

use super::explain::Explanation;
use super::similarity::SimScorer;
use std::cell::RefCell;
use std::rc::Rc;

pub const K1: f32 = 1.2;
pub const B: f32 = 0.75;

/// Norms below this stand for themselves; above it they are a four-bit mantissa and an exponent.
const EXACT_NORMS: u32 = 24;
/// From this norm on explanations call the length approximate.
const FIRST_APPROXIMATE_NORM: u8 = 40;

/// The field length that a norm stands for.
pub const fn norm_to_length(norm: u8) -> u32 {
    let norm = norm as u32;
    if norm < EXACT_NORMS { norm } else { EXACT_NORMS + int4_to_int(norm - EXACT_NORMS) }
}

const fn int4_to_int(code: u32) -> u32 {
    let bits = code & 7;
    let shift = code >> 3;
    if shift == 0 { bits } else { (bits | 8) << (shift - 1) }
}

/// The length that each norm stands for.
static LENGTHS: [f32; 256] = {
    let mut lengths = [0.0; 256];
    let mut norm = 0;
    while norm < 256 {
        lengths[norm] = norm_to_length(norm as u8) as f32;
        norm += 1;
    }
    lengths
};

/// Statistics of one field over all segments of a shard, deleted documents included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldTotals {
    pub doc_count: u64,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

impl FieldTotals {
    pub fn average_length(&self) -> f32 {
        if self.doc_count == 0 { 1.0 } else { (self.sum_total_term_freq as f64 / self.doc_count as f64) as f32 }
    }
}

/// One summand of the inverse document frequency: a term found in `doc_freq` of `doc_count` documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Idf {
    pub doc_freq: u64,
    pub doc_count: u64,
}

impl Idf {
    pub fn value(&self) -> f32 {
        (1.0 + (self.doc_count as f64 - self.doc_freq as f64 + 0.5) / (self.doc_freq as f64 + 0.5)).ln() as f32
    }

    fn explain(&self) -> Explanation {
        Explanation::matching(
            self.value(),
            "idf, computed as log(1 + (N - n + 0.5) / (n + 0.5)) from:",
            vec![
                Explanation::count(self.doc_freq, "n, number of documents containing term"),
                Explanation::count(self.doc_count, "N, total number of documents with field"),
            ],
        )
    }
}

/// A term's or phrase's scorer for one field of one shard.
#[derive(Clone, Debug)]
pub struct Bm25 {
    boost: f32,
    idfs: Vec<Idf>,
    average_length: f32,
    k1: f32,
    b: f32,
    weight: f32,
    norm_inverse: Rc<[f32; 256]>,
}

/// Tables that are kept: those of the fields that a query asks about are asked for again by each of its terms.
const TABLES: usize = 4;

/// A table, by the bits of the average length and the parameters.
type Table = ([u32; 3], Rc<[f32; 256]>);

thread_local! {
    /// The tables made last.
    static TABLES_MADE: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

thread_local! {
    /// See [`Bm25::unscored`].
    static UNSCORED: Rc<Bm25> = Rc::new(Bm25 {
        boost: 1.0,
        idfs: vec![],
        average_length: 1.0,
        k1: K1,
        b: B,
        weight: 0.0,
        norm_inverse: norm_inverses(1.0, K1, B),
    });
}

/// `1 / (k1 * (1 - b + b * length / average))` by norm.
fn norm_inverses(average_length: f32, k1: f32, b: f32) -> Rc<[f32; 256]> {
    let bits = [average_length, k1, b].map(f32::to_bits);
    TABLES_MADE.with_borrow_mut(|made| {
        if let Some((_, table)) = made.iter().find(|(known, _)| *known == bits) {
            return table.clone();
        }
        let table = Rc::new(LENGTHS.map(|length| 1.0 / (k1 * ((1.0 - b) + b * length / average_length))));
        if made.len() == TABLES {
            made.remove(0);
        }
        made.push((bits, table.clone()));
        table
    })
}

impl Bm25 {
    pub fn new(boost: f32, idfs: Vec<Idf>, totals: FieldTotals) -> Self {
        Self::with_parameters(boost, idfs, totals, K1, B)
    }

    pub fn with_parameters(boost: f32, idfs: Vec<Idf>, totals: FieldTotals, k1: f32, b: f32) -> Self {
        let average_length = totals.average_length();
        let norm_inverse = norm_inverses(average_length, k1, b);
        let weight = boost * idf_sum(&idfs);
        Self { boost, idfs, average_length, k1, b, weight, norm_inverse }
    }

    /// For where nobody asks for scores: one for all of them.
    pub fn unscored() -> Rc<Self> {
        UNSCORED.with(Rc::clone)
    }

    /// The upper limit of what any document can score.
    pub fn weight(&self) -> f32 {
        self.weight
    }

    pub fn average_length(&self) -> f32 {
        self.average_length
    }

    /// Whether no length takes all saturation away: then the table holds numbers alone.
    pub fn is_finite(&self) -> bool {
        self.norm_inverse[0].is_finite()
    }

    /// By how much, at most and at least, a tf-norm is another one than what segments record for an average length: at most one
    /// or more, at least one or less.
    pub fn growth(&self, recorded: f32) -> (f32, f32) {
        if recorded <= 0.0 {
            return (f32::INFINITY, 0.0);
        }
        if (self.k1, self.b) == (K1, B) {
            let ratio = self.average_length / recorded;
            return (ratio.max(1.0), ratio.min(1.0));
        }
        // Between the shortest length and the longest the ratio of what saturates goes one way.
        let ratio = |length: f32| {
            let own = self.k1 * ((1.0 - self.b) + self.b * length / self.average_length);
            let kept = K1 * ((1.0 - B) + B * length / recorded);
            if own > 0.0 { kept / own } else { f32::INFINITY }
        };
        let (short, long) = (ratio(LENGTHS[0]), ratio(LENGTHS[255]));
        (short.max(long).max(1.0), short.min(long).min(1.0))
    }

    pub fn norm_inverses(&self) -> &[f32; 256] {
        &self.norm_inverse
    }

    #[inline]
    pub fn score(&self, freq: f32, norm: u8) -> f32 {
        self.weight - self.weight / (1.0 + freq * self.norm_inverse[usize::from(norm)])
    }

    /// Explains a score; `frequency` explains the frequency.
    pub fn explain(&self, frequency: Explanation, norm: u8) -> Explanation {
        let freq = frequency.score();
        let text = frequency.value_text();
        let mut details = Vec::with_capacity(3);
        if self.boost != 1.0 {
            details.push(Explanation::matching(self.boost, "boost", vec![]));
        }
        details.push(match self.idfs.as_slice() {
            [one] => one.explain(),
            many => Explanation::matching(idf_sum(many), "idf, sum of:", many.iter().map(Idf::explain).collect()),
        });
        let tf = 1.0 - 1.0 / (1.0 + freq * self.norm_inverse[usize::from(norm)]);
        details.push(Explanation::matching(
            tf,
            "tf, computed as freq / (freq + k1 * (1 - b + b * dl / avgdl)) from:",
            vec![
                frequency,
                Explanation::matching(self.k1, "k1, term saturation parameter", vec![]),
                Explanation::matching(self.b, "b, length normalization parameter", vec![]),
                Explanation::matching(
                    norm_to_length(norm) as f32,
                    if norm >= FIRST_APPROXIMATE_NORM {
                        "dl, length of field (approximate)"
                    } else {
                        "dl, length of field"
                    },
                    vec![],
                ),
                Explanation::matching(self.average_length, "avgdl, average length of field", vec![]),
            ],
        ));
        let description = format!("score(freq={text}), computed as boost * idf * tf from:");
        Explanation::matching(self.score(freq, norm), description, details)
    }
}

impl SimScorer for Bm25 {
    #[inline]
    fn score(&self, freq: f32, norm: u8) -> f32 {
        Bm25::score(self, freq, norm)
    }

    fn max_score(&self) -> f32 {
        self.weight
    }

    fn bound_factor(&self, recorded_average: f32) -> f32 {
        self.weight * self.growth(recorded_average).0
    }

    fn explain(&self, freq: Explanation, norm: u8) -> Explanation {
        Bm25::explain(self, freq, norm)
    }
}

fn idf_sum(idfs: &[Idf]) -> f32 {
    idfs.iter().map(|idf| f64::from(idf.value())).sum::<f64>() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_decode_as_the_reference_does() {
        let lengths: Vec<u32> = [0, 1, 23, 24, 39, 40, 47, 48, 49, 255].map(norm_to_length).to_vec();
        assert_eq!(lengths, [0, 1, 23, 24, 39, 40, 54, 56, 60, 2_013_265_944]);
    }

    #[test]
    fn scores_as_the_reference_does() {
        let totals = FieldTotals { doc_count: 4, sum_doc_freq: 14, sum_total_term_freq: 20 };
        let bm25 = Bm25::new(1.0, vec![Idf { doc_freq: 3, doc_count: 4 }], totals);
        assert_eq!(bm25.score(3.0, 5), 0.2547678);
        assert_eq!(bm25.score(1.0, 4), 0.17657174);
        let doubled = Bm25::new(2.0, vec![Idf { doc_freq: 3, doc_count: 4 }], totals);
        assert_eq!(doubled.score(3.0, 5), 0.5095356);
    }
}
