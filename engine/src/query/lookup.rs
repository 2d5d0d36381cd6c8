//! Documents that a query names instead of holding their values: read by the coordinating core before shards plan it.

use crate::error::{Error, ErrorKind, Result};
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// One document to read, and where what was read is kept.
#[derive(Debug)]
pub struct Lookup {
    /// None: the index that is searched.
    pub index: Option<String>,
    pub id: String,
    pub routing: Option<String>,
    /// Whether it is an error if the index does not exist.
    pub required: bool,
    answers: OnceLock<Vec<(Arc<str>, Option<Bytes>)>>,
}

impl Lookup {
    pub fn new(index: Option<String>, id: String, routing: Option<String>) -> Self {
        Self { index, id, routing, required: false, answers: OnceLock::new() }
    }

    /// A document of an index that has to exist.
    pub fn required(index: String, id: String, routing: Option<String>) -> Self {
        Self { required: true, ..Self::new(Some(index), id, routing) }
    }

    pub fn is_answered(&self) -> bool {
        self.answers.get().is_some()
    }

    /// Keeps the source of the document in each index that was asked for; none if there is no such document. Only the
    /// first answer counts.
    pub fn answer(&self, sources: Vec<(Arc<str>, Option<Bytes>)>) {
        _ = self.answers.set(sources);
    }

    /// The source of the document, for a search of `index`.
    pub fn source(&self, index: &str) -> Result<Option<&Bytes>> {
        let Some(answers) = self.answers.get() else {
            let reason = format!("document [{}] of a query was not read before the query was made", self.id);
            return Err(Error::new(ErrorKind::IllegalState, reason));
        };
        let name = self.index.as_deref().unwrap_or(index);
        Ok(answers.iter().find(|(known, _)| &**known == name).and_then(|(_, source)| source.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_index() {
        let lookup = Lookup::new(None, "1".into(), None);
        assert!(lookup.source("a").is_err());
        lookup.answer(vec![("a".into(), Some("{}".into())), ("b".into(), None)]);
        assert_eq!(lookup.source("a").unwrap().map(|bytes| &bytes[..]), Some(&b"{}"[..]));
        assert_eq!(lookup.source("b").unwrap(), None);
    }
}
