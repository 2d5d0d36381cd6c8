//! Tries a similarity on made-up statistics: scores must not be negative, fall with the frequency or grow with the length.

use super::scripted::ScriptedScorer;
use super::{Sim, Similarity, SimilarityKind, stats_of};
use crate::error::{Error, Result};
use crate::score::{Explanation, Faults, FieldTotals, Number};
use crate::segment::TermCounts;

const BOOST: f32 = 2.0;
const TOTALS: FieldTotals = FieldTotals { doc_count: 1100, sum_doc_freq: 2000, sum_total_term_freq: 3000 };
const TERM: TermCounts = TermCounts { doc_freq: 100, total_term_freq: 130 };
const FREQ_MAX: u32 = 10;
/// That of a field of twenty tokens.
const NORM: u8 = 20;

/// Refuses a similarity by which hits could not be ranked.
pub fn check(similarity: &Similarity) -> Result<()> {
    let faults = Faults::default();
    let tried = Tried::new(similarity, &faults)?;
    for freq in 1..=FREQ_MAX {
        let score = tried.score(freq as f32, NORM)?;
        if score < 0.0 {
            let reason = format!("Similarities should not return negative scores:\n{}", tried.text(freq, NORM));
            return Err(Error::illegal_argument(reason));
        }
    }
    let mut before = 0f32;
    for freq in 1..=FREQ_MAX {
        let score = tried.score(freq as f32, NORM)?;
        if score < before {
            let (one, other) = (tried.text(freq - 1, NORM), tried.text(freq, NORM));
            let reason =
                format!("Similarity scores should not decrease when term frequency increases:\n{one}\n{other}");
            return Err(Error::illegal_argument(reason));
        }
        before = score;
    }
    before = f32::MAX;
    for norm in 1..=u8::MAX {
        let score = tried.score(1.0, norm)?;
        if score > before {
            let (one, other) = (tried.text(1, norm - 1), tried.text(1, norm));
            let reason = format!("Similarity scores should not increase when norm increases:\n{one}\n{other}");
            return Err(Error::illegal_argument(reason));
        }
        before = score;
    }
    faults.check()
}

/// A similarity that is tried: scripts may fail, and give what no search would take.
enum Tried {
    Any(Sim),
    Scripted(Box<ScriptedScorer>),
}

impl Tried {
    fn new(similarity: &Similarity, faults: &Faults) -> Result<Self> {
        Ok(match &similarity.kind {
            SimilarityKind::Scripted(scripted) => {
                let stats = vec![stats_of(TOTALS, TERM, BOOST)];
                Self::Scripted(Box::new(ScriptedScorer::unchecked(scripted, stats, faults)?))
            }
            _ => Self::Any(Sim::bound(similarity, faults, TOTALS, &[TERM], BOOST)),
        })
    }

    fn score(&self, freq: f32, norm: u8) -> Result<f32> {
        match self {
            Self::Any(sim) => Ok(sim.score(freq, norm)),
            Self::Scripted(scripted) => scripted.raw_score(freq, norm),
        }
    }

    fn text(&self, freq: u32, norm: u8) -> String {
        let explained = Explanation::matching(0.0, "term freq", vec![]).valued(Number::Int(u64::from(freq)));
        match self {
            Self::Any(sim) => sim.explain_freq(explained, norm),
            Self::Scripted(scripted) => super::SimScorer::explain(&**scripted, explained, norm),
        }
        .text()
    }
}
