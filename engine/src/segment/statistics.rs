//! Statistics of terms and fields beyond one shard: gathered from several, and taken in the place of a shard's own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How often a term is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermCounts {
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

/// What a field's terms come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldCounts {
    pub doc_count: u64,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

/// Most terms whose statistics are gathered for one search; others go by those of their shards.
const TERMS_MAX: usize = 100_000;

/// The statistics that a search needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    fields: HashMap<String, FieldCounts>,
    terms: HashMap<(String, Vec<u8>), TermCounts>,
}

impl Statistics {
    /// Adds those of another shard.
    pub fn add(&mut self, other: &Self) {
        for (name, counts) in &other.fields {
            let sum = self.fields.entry(name.clone()).or_default();
            sum.doc_count += counts.doc_count;
            sum.sum_doc_freq += counts.sum_doc_freq;
            sum.sum_total_term_freq += counts.sum_total_term_freq;
        }
        for (term, counts) in &other.terms {
            if self.terms.len() == TERMS_MAX && !self.terms.contains_key(term) {
                continue;
            }
            let sum = self.terms.entry(term.clone()).or_default();
            sum.doc_freq += counts.doc_freq;
            sum.total_term_freq += counts.total_term_freq;
        }
    }
}

/// What counts as the statistics of a snapshot.
#[derive(Clone, Debug, Default)]
pub enum Counting {
    /// Those of the shard itself.
    #[default]
    Own,
    /// The same, and they are written down. One core alone looks at it: nobody ever waits for the lock.
    Noted(Arc<Mutex<Statistics>>),
    /// Those of all shards.
    Given(Arc<Statistics>),
}

impl Counting {
    /// What counts for a field of which the shard itself says `own`.
    pub fn field(&self, name: &str, own: FieldCounts) -> FieldCounts {
        match self {
            Self::Own => own,
            Self::Noted(notes) => {
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                notes.fields.insert(name.to_owned(), own);
                own
            }
            Self::Given(given) => given.fields.get(name).copied().unwrap_or(own),
        }
    }

    /// What counts for a term of which the shard itself says `own`.
    pub fn term(&self, field: &str, term: &[u8], own: TermCounts) -> TermCounts {
        match self {
            Self::Own => own,
            Self::Noted(notes) => {
                let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
                if notes.terms.len() < TERMS_MAX {
                    notes.terms.insert((field.to_owned(), term.to_vec()), own);
                }
                own
            }
            Self::Given(given) => given.terms.get(&(field.to_owned(), term.to_vec())).copied().unwrap_or(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_add_up() {
        let notes = Arc::new(Mutex::new(Statistics::default()));
        let noted = Counting::Noted(notes.clone());
        let own = TermCounts { doc_freq: 2, total_term_freq: 3 };
        assert_eq!(noted.term("f", b"a", own), own);
        noted.field("f", FieldCounts { doc_count: 5, sum_doc_freq: 6, sum_total_term_freq: 7 });
        let mut all = Statistics::default();
        for _ in 0..2 {
            all.add(&notes.lock().unwrap());
        }
        let given = Counting::Given(Arc::new(all));
        assert_eq!(given.term("f", b"a", own), TermCounts { doc_freq: 4, total_term_freq: 6 });
        assert_eq!(given.term("f", b"b", own), own);
        assert_eq!(given.field("f", FieldCounts::default()).doc_count, 10);
    }
}
