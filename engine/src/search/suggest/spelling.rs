//! Terms of a dictionary that are near to another one.

use super::distance::Distance;
use crate::error::{Error, Result};
use crate::query::{FuzzyOptions, Node, PlanContext, ScoredTerm, fuzzy_terms};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// When terms that the dictionary has are suggested for as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Only for terms that are not there.
    Missing,
    /// Only more frequent ones.
    Popular,
    Always,
}

/// What a near term is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    pub term: String,
    pub score: f32,
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

/// How terms are looked for.
#[derive(Clone, Debug)]
pub struct Spelling {
    pub mode: Mode,
    pub accuracy: f32,
    pub by_frequency: bool,
    pub distance: Distance,
    pub max_edits: u8,
    pub max_inspections: usize,
    /// Terms in more documents than this are not corrected; a share of all documents below 1.
    pub max_term_freq: f32,
    pub prefix_length: usize,
    pub min_word_length: usize,
    /// Suggestions are in at least so many documents; a share of all documents below 1.
    pub min_doc_freq: f32,
}

impl Default for Spelling {
    fn default() -> Self {
        Self {
            mode: Mode::Missing,
            accuracy: 0.5,
            by_frequency: false,
            distance: Distance::Internal,
            max_edits: 2,
            max_inspections: 5,
            max_term_freq: 0.01,
            prefix_length: 1,
            min_word_length: 4,
            min_doc_freq: 0.0,
        }
    }
}

impl Spelling {
    /// Takes an option of this kind; false for any other.
    pub fn take(&mut self, key: &str, node: Node) -> Result<bool> {
        let count = |name: &str| match node.i32()? {
            number if number < 0 => Err(Error::illegal_argument(format!("{name} must be positive"))),
            number => Ok(number as usize),
        };
        match key {
            "suggest_mode" => self.mode = mode_of(&node.text()?)?,
            "accuracy" => {
                self.accuracy = node.f32()?;
                if !(0.0..=1.0).contains(&self.accuracy) {
                    return Err(Error::illegal_argument("accuracy must be between 0 and 1"));
                }
            }
            "sort" => self.by_frequency = sorts_by_frequency(&node.text()?)?,
            "string_distance" => self.distance = Distance::named(&node.text()?)?,
            "max_edits" => {
                let edits = node.i32()?;
                if !(1..=2).contains(&edits) {
                    return Err(Error::illegal_argument("maxEdits must be between 1 and 2"));
                }
                self.max_edits = edits as u8;
            }
            "max_inspections" => self.max_inspections = count("maxInspections")?,
            "max_term_freq" => self.max_term_freq = share("maxTermFreq", node)?,
            "prefix_length" => self.prefix_length = count("prefixLength")?,
            "min_word_length" => match node.i32()? {
                length if length < 1 => {
                    return Err(Error::illegal_argument("minWordLength must be greater or equal to 1"));
                }
                length => self.min_word_length = length as usize,
            },
            "min_doc_freq" => self.min_doc_freq = share("minDocFreq", node)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Frequencies of 1 and more count documents: whole numbers of 32 bits.
    pub fn check(&self) -> Result<()> {
        let fractional = |frequency: f32| frequency >= 1.0 && frequency != frequency as i32 as f32;
        if fractional(self.max_term_freq) || fractional(self.min_doc_freq) {
            return Err(Error::illegal_argument("Fractional absolute document frequencies are not allowed"));
        }
        Ok(())
    }

    /// The best `size` terms of a field that are near to `term`; `min_doc_freq`: what they have to exceed at least.
    pub fn similar(&self, cx: &PlanContext, field: &str, term: &str, size: usize, min_doc_freq: f32) -> Vec<Similar> {
        if term.chars().count() < self.min_word_length {
            return vec![];
        }
        let max_doc = max_doc(cx);
        let own = doc_freq(cx, field, term);
        let too_many = match self.max_term_freq {
            limit if limit >= 1.0 => own as f32 > limit,
            share => own as f64 > f64::from(share * max_doc as f32).ceil(),
        };
        if (self.mode == Mode::Missing && own > 0) || too_many {
            return vec![];
        }
        let mut least = if self.mode == Mode::Popular { own as i64 } else { 0 };
        least = match min_doc_freq {
            limit if limit >= 1.0 => least.max(limit as i64),
            share if share > 0.0 => least.max((share * max_doc as f32) as i64 - 1),
            _ => least,
        };
        let inspections = size.saturating_mul(self.max_inspections);
        let mut found = self.within(cx, field, term, 1, least, inspections);
        if self.max_edits > 1 && found.len() < inspections {
            for similar in self.within(cx, field, term, self.max_edits, least, inspections) {
                if !found.iter().any(|known| known.term == similar.term) {
                    found.push(similar);
                }
            }
        }
        found.sort_by(|a, b| self.order(a, b));
        found.truncate(size);
        found
    }

    fn order(&self, a: &Similar, b: &Similar) -> Ordering {
        let (score, freq) = (b.score.total_cmp(&a.score), b.doc_freq.cmp(&a.doc_freq));
        let first = if self.by_frequency { freq.then(score) } else { score.then(freq) };
        first.then_with(|| a.term.cmp(&b.term))
    }

    fn within(&self, cx: &PlanContext, field: &str, term: &str, edits: u8, least: i64, limit: usize) -> Vec<Similar> {
        let options = FuzzyOptions {
            edits,
            prefix_length: self.prefix_length.max(usize::from(edits) - 1),
            max_expansions: usize::MAX,
            transpositions: true,
        };
        let mut kept = Kept { limit, worst_first: BinaryHeap::new(), found: vec![] };
        for near in fuzzy_terms(cx, field, term, options, usize::MAX) {
            if near.found.term == term.as_bytes() || near.found.doc_freq as i64 <= least || !kept.takes(near.boost) {
                continue;
            }
            let edits = near.boost;
            if let Some(similar) = self.scored(term, near) {
                kept.push(if self.distance == Distance::Internal { edits } else { similar.score }, similar);
            }
        }
        kept.found.into_iter().flatten().collect()
    }

    fn scored(&self, term: &str, near: ScoredTerm) -> Option<Similar> {
        let text = String::from_utf8(near.found.term).ok()?;
        let score = self.distance.similarity(term, &text, near.boost);
        let (doc_freq, total_term_freq) = (near.found.doc_freq, near.found.total_term_freq);
        (score >= self.accuracy).then_some(Similar { term: text, score, doc_freq, total_term_freq })
    }
}

/// The terms that are kept of all that are near, which come in the order of the dictionary.
struct Kept {
    limit: usize,
    /// What the worst is worth, of equals the last; and its place.
    worst_first: BinaryHeap<Reverse<(u32, Reverse<String>, usize)>>,
    found: Vec<Option<Similar>>,
}

impl Kept {
    /// Whether a term with so few edits is looked at. Once there are enough, edits are held against what the worst is worth by
    /// whatever distance, as the reference does.
    fn takes(&self, edits: f32) -> bool {
        match self.worst_first.peek() {
            Some(Reverse((worst, ..))) => self.worst_first.len() < self.limit || edits > f32::from_bits(*worst),
            None => self.limit > 0,
        }
    }

    /// `worth` is not below zero, so that its bits are in order.
    fn push(&mut self, worth: f32, similar: Similar) {
        self.worst_first.push(Reverse((worth.max(0.0).to_bits(), Reverse(similar.term.clone()), self.found.len())));
        self.found.push(Some(similar));
        if self.worst_first.len() > self.limit
            && let Some(Reverse((.., worst))) = self.worst_first.pop()
        {
            self.found[worst] = None;
        }
    }
}

pub(super) fn mode_named(name: &str) -> Option<Mode> {
    match name.to_lowercase().as_str() {
        "missing" => Some(Mode::Missing),
        "popular" => Some(Mode::Popular),
        "always" => Some(Mode::Always),
        _ => None,
    }
}

fn mode_of(name: &str) -> Result<Mode> {
    mode_named(name).ok_or_else(|| no_constant("term.TermSuggestionBuilder.SuggestMode", name))
}

pub(super) fn sorts_by_frequency(name: &str) -> Result<bool> {
    match name.to_lowercase().as_str() {
        "score" => Ok(false),
        "frequency" => Ok(true),
        _ => Err(no_constant("SortBy", name)),
    }
}

fn no_constant(class: &str, name: &str) -> Error {
    let name = name.to_uppercase();
    Error::illegal_argument(format!("No enum constant org.opensearch.search.suggest.{class}.{name}"))
}

/// A number of documents, or a share of them below 1.
fn share(name: &str, node: Node) -> Result<f32> {
    let number = node.f32()?;
    if number < 0.0 {
        return Err(Error::illegal_argument(format!("{name} must be positive")));
    }
    if number > 1.0 && number != number.floor() {
        return Err(Error::illegal_argument(format!("if {name} is greater than 1, it must not be a fraction")));
    }
    Ok(number)
}

/// Documents of the shard, deleted ones included.
pub fn max_doc(cx: &PlanContext) -> u64 {
    cx.snapshot.segments.iter().map(|view| u64::from(view.segment.max_doc())).sum()
}

/// Documents that have a term, and how often they have it.
pub fn frequencies(cx: &PlanContext, field: &str, term: &[u8]) -> (u64, u64) {
    let infos = cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field)?.terms()?.get(term));
    let (docs, times) =
        infos.fold((0, 0), |sum, info| (sum.0 + u64::from(info.doc_freq), sum.1 + info.total_term_freq));
    (docs, if counts_once(cx, field) { docs } else { times })
}

/// How many words a field has in all documents.
pub fn words(cx: &PlanContext, field: &str) -> u64 {
    let once = counts_once(cx, field);
    let fields = cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field));
    fields.map(|field| if once { field.stats().sum_doc_freq } else { field.stats().sum_total_term_freq }).sum()
}

/// Whether a word of a document counts once, however often it stands there.
fn counts_once(cx: &PlanContext, field: &str) -> bool {
    cx.mapping.field(field).is_some_and(|field| field.scores_alike())
}

fn doc_freq(cx: &PlanContext, field: &str, term: &str) -> u64 {
    frequencies(cx, field, term.as_bytes()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_held_against_worth() {
        let similar = |term: &str| Similar { term: term.to_owned(), score: 0.9, doc_freq: 1, total_term_freq: 1 };
        let mut kept = Kept { limit: 1, worst_first: BinaryHeap::new(), found: vec![] };
        assert!(kept.takes(0.5));
        kept.push(0.9, similar("far"));
        assert!(!kept.takes(0.8) && kept.takes(0.95));
        kept.push(0.9, similar("later"));
        let left: Vec<String> = kept.found.into_iter().flatten().map(|similar| similar.term).collect();
        assert_eq!(left, ["far"]);
    }
}
