//! Which terms tell most of a text: frequent in it, rare elsewhere. Ties are broken as the reference's containers break
//! them, since they decide which terms of a long text are taken.

use crate::error::{Error, Result};
use crate::java_order::sort_by_slot;
use crate::mapping::Field;
use crate::query::PlanContext;
use crate::query::node::Node;
use crate::score::{BlendedTerm, Plan, TermLookup};
use crate::segment::TermCounts;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Bounds of the terms that are taken.
#[derive(Clone, Debug)]
pub struct Selection {
    pub max_query_terms: usize,
    min_term_freq: u32,
    pub(super) min_doc_freq: u64,
    max_doc_freq: u64,
    min_word_length: usize,
    max_word_length: usize,
    pub stop_words: Vec<String>,
    /// Terms are boosted by how telling they are, times this; 0: they are not.
    boost_terms: f32,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            max_query_terms: 25,
            min_term_freq: 2,
            min_doc_freq: 5,
            max_doc_freq: i32::MAX as u64,
            min_word_length: 0,
            max_word_length: 0,
            stop_words: vec![],
            boost_terms: 0.0,
        }
    }
}

impl Selection {
    /// Takes a key of the query; false for one that is none of these.
    pub fn take(&mut self, key: &str, node: Node) -> Result<bool> {
        let count = |node: Node| Ok::<usize, Error>(usize::try_from(node.i32()?).unwrap_or(0));
        match key {
            "max_query_terms" => {
                self.max_query_terms = count(node)?;
            }
            "min_term_freq" => self.min_term_freq = count(node)? as u32,
            "min_doc_freq" => self.min_doc_freq = count(node)? as u64,
            "max_doc_freq" => self.max_doc_freq = count(node)? as u64,
            "min_word_length" => self.min_word_length = count(node)?,
            "max_word_length" => self.max_word_length = count(node)?,
            "boost_terms" => self.boost_terms = node.f32()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_noise(&self, term: &str) -> bool {
        let length = term.encode_utf16().count();
        (self.min_word_length > 0 && length < self.min_word_length)
            || (self.max_word_length > 0 && length > self.max_word_length)
            || self.stop_words.iter().any(|word| word == term)
    }

    /// The most telling of `words` as clauses, the least telling first. Each is looked for in the one of `fields` that has
    /// it most often.
    pub fn select(
        &self,
        cx: &PlanContext,
        words: Words,
        fields: &[&str],
        skipped: &HashSet<(String, String)>,
    ) -> Vec<Plan> {
        let documents = cx.snapshot.num_docs();
        let mut queue = Queue { items: vec![] };
        let skips = |term: &str| fields.iter().any(|field| skipped.contains(&((*field).to_owned(), term.to_owned())));
        let words: Vec<(String, u32)> =
            words.into_terms().filter(|(term, _)| !self.is_noise(term) && !skips(term)).collect();
        let limit = self.max_query_terms.min(words.len());
        for (term, freq) in words {
            if self.min_term_freq > 0 && freq < self.min_term_freq {
                continue;
            }
            let (mut top, mut doc_freq) = (0, 0);
            for (at, field) in fields.iter().enumerate() {
                let of_field = doc_freq_of(cx, field, term.as_bytes());
                if of_field > doc_freq {
                    (top, doc_freq) = (at, of_field);
                }
            }
            let rare = self.min_doc_freq > 0 && doc_freq < self.min_doc_freq;
            if rare || doc_freq > self.max_doc_freq || doc_freq == 0 {
                continue;
            }
            let idf = (((documents + 1) as f64 / (doc_freq + 1) as f64).ln() + 1.0) as f32;
            queue.offer(limit, Told { term, field: top, score: freq as f32 * idf });
        }
        let mut clauses = vec![];
        let mut best = -1f32;
        while let Some(told) = queue.pop() {
            let field = cx.field(fields[told.field]);
            let name: Arc<str> = field.map_or(fields[told.field].into(), |f| f.name.clone());
            let plan = match field.is_some_and(Field::scores_alike) {
                true => scored_term(cx, name, told.term.into_bytes()),
                false => Plan::term(&name, told.term.as_bytes()),
            };
            if self.boost_terms <= 0.0 {
                clauses.push(plan);
                continue;
            }
            if best == -1.0 {
                best = told.score;
            }
            clauses.push(plan.boosted(self.boost_terms * told.score / best));
        }
        clauses
    }
}

/// A term that is scored even where all matches of a query for it score the same.
fn scored_term(cx: &PlanContext, field: Arc<str>, term: Vec<u8>) -> Plan {
    let TermCounts { doc_freq, total_term_freq } = TermLookup::new(cx.snapshot, &field, &term, false).counts();
    Plan::Blended(BlendedTerm { field, term, doc_freq, total_term_freq, once: false })
}

fn doc_freq_of(cx: &PlanContext, field: &str, term: &[u8]) -> u64 {
    let found = cx.snapshot.segments.iter().filter_map(|view| view.segment.field(field)?.terms()?.get(term));
    found.map(|info| u64::from(info.doc_freq)).sum()
}

/// Terms with how often they were met, in the order of Java's `HashMap`.
#[derive(Debug, Default)]
pub struct Words {
    order: Vec<(String, u32)>,
    places: HashMap<String, usize>,
}

impl Words {
    pub fn add(&mut self, term: &str) {
        match self.places.get(term) {
            Some(at) => self.order[*at].1 += 1,
            None => {
                self.places.insert(term.to_owned(), self.order.len());
                self.order.push((term.to_owned(), 1));
            }
        }
    }

    pub fn into_terms(self) -> impl Iterator<Item = (String, u32)> {
        let mut terms = self.order;
        sort_by_slot(&mut terms, |(term, _)| term);
        terms.into_iter()
    }
}

struct Told {
    term: String,
    field: usize,
    score: f32,
}

/// A heap with the least telling term on top, laid out as Lucene's.
struct Queue {
    items: Vec<Told>,
}

impl Queue {
    fn offer(&mut self, limit: usize, told: Told) {
        if self.items.len() < limit {
            self.items.push(told);
            let mut at = self.items.len() - 1;
            while at > 0 {
                let parent = (at - 1) / 2;
                if self.items[at].score >= self.items[parent].score {
                    break;
                }
                self.items.swap(at, parent);
                at = parent;
            }
        } else if self.items.first().is_some_and(|top| top.score < told.score) {
            self.items[0] = told;
            self.sink();
        }
    }

    fn pop(&mut self) -> Option<Told> {
        if self.items.is_empty() {
            return None;
        }
        let top = self.items.swap_remove(0);
        self.sink();
        Some(top)
    }

    fn sink(&mut self) {
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.items.len() {
                return;
            }
            let mut least = left;
            if right < self.items.len() && self.items[right].score < self.items[left].score {
                least = right;
            }
            if self.items[least].score >= self.items[at].score {
                return;
            }
            self.items.swap(at, least);
            at = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_telling_stay() {
        let mut queue = Queue { items: vec![] };
        for (term, score) in [("a", 1.0), ("b", 3.0), ("c", 2.0), ("d", 4.0)] {
            queue.offer(2, Told { term: term.into(), field: 0, score });
        }
        let popped: Vec<String> = std::iter::from_fn(|| queue.pop().map(|told| told.term)).collect();
        assert_eq!(popped, ["b", "d"]);
        let mut words = Words::default();
        ["quick", "brown", "fox", "quick"].iter().for_each(|word| words.add(word));
        assert_eq!(words.into_terms().map(|(_, freq)| freq).sum::<u32>(), 4);
    }
}
