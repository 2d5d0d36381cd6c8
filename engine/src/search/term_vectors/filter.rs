//! The terms that tell most of a document: frequent in it, rare elsewhere.

use super::request::failed;
use super::vectors::Counts;
use crate::error::{Error, Result};
use crate::query::Node;
use std::collections::HashMap;

/// Which terms are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    max_num_terms: i32,
    min_term_freq: i32,
    max_term_freq: i32,
    min_doc_freq: i32,
    max_doc_freq: i32,
    min_word_length: i32,
    max_word_length: i32,
}

impl Filter {
    pub(super) fn parse(node: Node) -> Result<Self> {
        let mut filter = Self {
            max_num_terms: 25,
            min_term_freq: 1,
            max_term_freq: i32::MAX,
            min_doc_freq: 1,
            max_doc_freq: i32::MAX,
            min_word_length: 0,
            max_word_length: 0,
        };
        if node.object().is_none() {
            return Err(failed("[filter] must be an object"));
        }
        for field in node.fields() {
            let setting = match field.key {
                "max_num_terms" => &mut filter.max_num_terms,
                "min_term_freq" => &mut filter.min_term_freq,
                "max_term_freq" => &mut filter.max_term_freq,
                "min_doc_freq" => &mut filter.min_doc_freq,
                "max_doc_freq" => &mut filter.max_doc_freq,
                "min_word_length" => &mut filter.min_word_length,
                "max_word_length" => &mut filter.max_word_length,
                key => {
                    let reason = format!("the field [{key}] is not valid for filter parameter for term vector request");
                    return Err(failed(&reason));
                }
            };
            *setting = field.node.i32()?;
        }
        if filter.max_num_terms < 0 {
            return Err(Error::illegal_argument(format!(
                "[max_num_terms] must not be negative, got [{}]",
                filter.max_num_terms
            )));
        }
        Ok(filter)
    }

    /// The best of `terms`, each with how often it stands in the document and what is known of it; and their scores.
    pub(super) fn best<'t>(
        &self,
        terms: impl Iterator<Item = (&'t [u8], usize, Counts)>,
        doc_count: u64,
    ) -> HashMap<Vec<u8>, f32> {
        let mut scored: Vec<(f32, &[u8])> = terms
            .filter(|(term, freq, counts)| self.takes(term, *freq, counts.doc_freq))
            .map(|(term, freq, counts)| {
                let idf = ((doc_count as f64 + 1.0) / (counts.doc_freq as f64 + 1.0)).ln() as f32 + 1.0;
                (freq as f32 * idf, term)
            })
            .collect();
        // Among equals those that come first stay.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        scored.truncate(self.max_num_terms as usize);
        scored.into_iter().map(|(score, term)| (term.to_vec(), score)).collect()
    }

    fn takes(&self, term: &[u8], freq: usize, doc_freq: u64) -> bool {
        let within = |number: i64, min: i32, max: i32| number >= i64::from(min) && number <= i64::from(max);
        let length = String::from_utf8_lossy(term).encode_utf16().count() as i64;
        let longest = if self.max_word_length > 0 { self.max_word_length } else { i32::MAX };
        within(length, self.min_word_length, longest)
            && within(freq as i64, self.min_term_freq, self.max_term_freq)
            && doc_freq > 0
            && within(i64::try_from(doc_freq).unwrap_or(i64::MAX), self.min_doc_freq, self.max_doc_freq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Filter> {
        let value = crate::json::parse(text.as_bytes()).unwrap();
        Filter::parse(Node::root(&value, &crate::query::Source::new(text.as_bytes())))
    }

    #[test]
    fn frequent_here_and_rare_elsewhere() {
        let filter = parsed(r#"{"max_num_terms":2}"#).unwrap();
        let counts = |doc_freq| Counts { doc_freq, total_term_freq: doc_freq };
        let terms =
            [(&b"one"[..], 2, counts(2)), (b"three", 1, counts(1)), (b"two", 1, counts(1)), (b"no", 9, counts(0))];
        let best = filter.best(terms.into_iter(), 2);
        assert_eq!((best.len(), best[&b"one"[..]], best[&b"three"[..]]), (2, 2.0, 1.405_465_1));
        let unknown = parsed(r#"{"foo":2}"#).unwrap_err();
        assert!(
            unknown.reason().ends_with("the field [foo] is not valid for filter parameter for term vector request")
        );
    }
}
