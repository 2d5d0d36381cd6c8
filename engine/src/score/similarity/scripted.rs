//! `scripted`: a script gives the score of a term in a document, and another one, which runs once, a weight for it.

use super::{SimScorer, Stats};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::{Explanation, Faults, norm_to_length, script_text};
use crate::script::{ScoredTerm, Script, SimilarityScript};
use std::cell::RefCell;
use std::sync::Arc;

/// What the reference asks the score of first: no document can have a term more often.
const FREQ_MAX: f32 = f32::MAX;
const SHORTEST: u8 = 1;

/// The scripts as settings have them. They are looked up when they are needed: stored ones may come later.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    pub script: Value,
    pub weight_script: Option<Value>,
}

struct Term {
    stats: Stats,
    weight: f64,
}

pub struct ScriptedScorer {
    terms: Vec<Term>,
    script: RefCell<SimilarityScript>,
    /// Both scripts, as explanations show them.
    text: String,
    faults: Faults,
}

impl ScriptedScorer {
    pub fn new(scripted: &Scripted, terms: Vec<Stats>, faults: &Faults) -> Result<Self> {
        let unchecked = Self::unchecked(scripted, terms, faults)?;
        // What fails for the best of documents fails for all.
        unchecked.try_score(FREQ_MAX, SHORTEST)?;
        Ok(unchecked)
    }

    /// A scorer that has not been tried, whose negative scores are nobody's mistake yet.
    pub fn unchecked(scripted: &Scripted, terms: Vec<Stats>, faults: &Faults) -> Result<Self> {
        let script = Script::parse(&scripted.script)?;
        let compiled = SimilarityScript::score(&script)?;
        let weight_script = scripted.weight_script.as_ref().map(Script::parse).transpose()?;
        let mut weigh = weight_script.as_ref().map(|script| SimilarityScript::weight(script)).transpose()?;
        let text = format!(
            "weightScript=[{}], script=[{}]",
            weight_script.as_ref().map_or("null".to_owned(), |script: &Arc<Script>| script_text(script)),
            script_text(&script)
        );
        let terms = terms
            .into_iter()
            .map(|stats| {
                let weight = match &mut weigh {
                    None => 1.0,
                    Some(script) => script.run(scored(&stats, 0.0, 0), 0.0)?,
                };
                Ok(Term { stats, weight })
            })
            .collect::<Result<_>>()?;
        Ok(Self { terms, script: RefCell::new(compiled), text, faults: faults.clone() })
    }

    /// The score; an error where the script fails.
    pub fn raw_score(&self, freq: f32, norm: u8) -> Result<f32> {
        let mut sum = 0.0;
        for term in &self.terms {
            sum += self.term_score(term, freq, norm)?;
        }
        Ok(sum)
    }

    fn term_score(&self, term: &Term, freq: f32, norm: u8) -> Result<f32> {
        let length = norm_to_length(norm);
        let score = self.script.borrow_mut().run(scored(&term.stats, freq, length), term.weight)?;
        Ok(score as f32)
    }

    fn try_score(&self, freq: f32, norm: u8) -> Result<f32> {
        let score = self.raw_score(freq, norm)?;
        if score < 0.0 {
            let explained = self.explain(Explanation::matching(freq, "term frequency", vec![]), norm);
            let reason = format!("Similarities must not produce negative scores, but got:\n{}", explained.text());
            return Err(Error::illegal_argument(reason));
        }
        Ok(score)
    }

    fn explain_term(&self, term: &Term, freq: &Explanation, norm: u8) -> Explanation {
        let score = self.term_score(term, freq.score(), norm).unwrap_or_else(|error| {
            self.faults.report(error);
            0.0
        });
        let stats = &term.stats;
        let details = vec![
            Explanation::matching(term.weight as f32, "weight", vec![]),
            Explanation::matching(stats.boost, "query.boost", vec![]),
            Explanation::count(stats.documents, "field.docCount"),
            Explanation::count(stats.sum_doc_freq, "field.sumDocFreq"),
            Explanation::count(stats.tokens, "field.sumTotalTermFreq"),
            Explanation::count(stats.doc_freq, "term.docFreq"),
            Explanation::count(stats.total_term_freq, "term.totalTermFreq"),
            Explanation::matching(0.0, "doc.freq", vec![]).valued(freq.value),
            Explanation::count(u64::from(norm_to_length(norm)), "doc.length"),
        ];
        Explanation::matching(score, format!("score from ScriptedSimilarity({}) computed from:", self.text), details)
    }
}

fn scored(stats: &Stats, freq: f32, length: u32) -> ScoredTerm {
    ScoredTerm {
        boost: stats.boost,
        doc_count: stats.documents as i64,
        sum_doc_freq: stats.sum_doc_freq as i64,
        sum_total_term_freq: stats.tokens as i64,
        doc_freq: stats.doc_freq as i64,
        total_term_freq: stats.total_term_freq as i64,
        freq,
        length: length as i32,
    }
}

impl SimScorer for ScriptedScorer {
    fn score(&self, freq: f32, norm: u8) -> f32 {
        self.try_score(freq, norm).unwrap_or_else(|error| {
            self.faults.report(error);
            0.0
        })
    }

    fn explain(&self, freq: Explanation, norm: u8) -> Explanation {
        match self.terms.as_slice() {
            [one] => self.explain_term(one, &freq, norm),
            many => {
                let terms: Vec<Explanation> = many.iter().map(|term| self.explain_term(term, &freq, norm)).collect();
                let sum = terms.iter().map(Explanation::score).sum();
                Explanation::matching(sum, "Sum of:", terms)
            }
        }
    }
}
