//! Documents that a query names instead of holding their values: read by the coordinating core before shards plan it.

use super::Query;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{Shape, read_shape};
use crate::json;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

/// What to read, and where what was read is kept.
#[derive(Debug)]
pub struct Lookup {
    /// None: the index that is searched.
    pub index: Option<String>,
    pub id: String,
    /// The documents are not one by its id, but those that match.
    pub query: Option<Box<Query>>,
    pub routing: Option<String>,
    /// The version that the document must have.
    pub version: Option<u64>,
    /// The stored field whose values are wanted instead of the source.
    pub stored: Option<String>,
    /// Whether what is kept beside the source (`_ignored`, `_routing`) is wanted as well: an object that stands behind it.
    pub metadata: bool,
    /// Whether it is an error if the index does not exist.
    pub required: bool,
    /// Whether it is an error if the document does not exist.
    pub must_exist: bool,
    /// Where in the source a shape has to stand.
    pub shape: Option<String>,
    answers: OnceLock<Vec<(Arc<str>, Vec<Bytes>)>>,
}

impl Lookup {
    pub fn new(index: Option<String>, id: String, routing: Option<String>) -> Self {
        Self {
            index,
            id,
            query: None,
            routing,
            version: None,
            stored: None,
            metadata: false,
            required: false,
            must_exist: false,
            shape: None,
            answers: OnceLock::new(),
        }
    }

    /// A document with its metadata.
    pub fn with_metadata(index: Option<String>, id: String, routing: Option<String>) -> Self {
        Self { metadata: true, ..Self::new(index, id, routing) }
    }

    /// A document of an index that has to exist.
    pub fn required(index: String, id: String, routing: Option<String>) -> Self {
        Self { required: true, ..Self::new(Some(index), id, routing) }
    }

    /// The documents of an index that match.
    pub fn matching(index: String, query: Query, routing: Option<String>) -> Self {
        Self { query: Some(Box::new(query)), ..Self::required(index, String::new(), routing) }
    }

    pub fn is_answered(&self) -> bool {
        self.answers.get().is_some()
    }

    /// Keeps what was found in each index that was asked for: sources, or objects of the stored field. Only the first
    /// answer counts.
    pub fn answer(&self, found: Vec<(Arc<str>, Vec<Bytes>)>) {
        _ = self.answers.set(found);
    }

    /// Refuses what was read of `index` where it is not what the query needs.
    pub fn check(&self, index: &str, source: Option<&[u8]>) -> Result<()> {
        if self.must_exist && source.is_none() {
            let reason = format!("indexed document [{index}/{}] couldn't be found", self.id);
            return Err(Error::new(ErrorKind::ResourceNotFound, reason));
        }
        if self.shape.is_some() { self.shape(source).map(drop) } else { Ok(()) }
    }

    /// The shape in the source of the document.
    pub fn shape(&self, source: Option<&[u8]>) -> Result<Shape> {
        let (id, path) = (&self.id, self.shape.as_deref().unwrap_or_default());
        let source = source.ok_or_else(|| Error::illegal_argument(format!("Shape with ID [{id}] not found")))?;
        let source = json::parse(source)?;
        let found = path.split('.').try_fold(&source, |value, name| value.get(name));
        let value = found.ok_or_else(|| {
            Error::new(ErrorKind::IllegalState, format!("Shape with name [{id}] found but missing {path} field"))
        })?;
        read_shape(value)
    }

    /// The source of the document, for a search of `index`.
    pub fn source(&self, index: &str) -> Result<Option<&Bytes>> {
        self.sources(index).map(<[Bytes]>::first)
    }

    /// The sources of all documents that were found, for a search of `index`.
    pub fn sources(&self, index: &str) -> Result<&[Bytes]> {
        let Some(answers) = self.answers.get() else {
            let reason = format!("document [{}] of a query was not read before the query was made", self.id);
            return Err(Error::new(ErrorKind::IllegalState, reason));
        };
        let name = self.index.as_deref().unwrap_or(index);
        Ok(answers.iter().find(|(known, _)| &**known == name).map_or(&[], |(_, sources)| sources))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_documents() {
        let mut lookup = Lookup::required("a".into(), "1".into(), None);
        lookup.shape = Some("o.g".into());
        let reason = |source: Option<&[u8]>| lookup.check("a", source).expect_err("no shape").reason().to_owned();
        assert_eq!(reason(None), "Shape with ID [1] not found");
        assert_eq!(reason(Some(br#"{"o":1}"#)), "Shape with name [1] found but missing o.g field");
        assert_eq!(reason(Some(br#"{"o":{"g":"x"}}"#)), "Unknown geometry type: x");
        assert_eq!(lookup.shape(Some(br#"{"o":{"g":"POINT (1 2)"}}"#)).unwrap().points, [(1.0, 2.0)]);
    }

    #[test]
    fn answers_by_index() {
        let lookup = Lookup::new(None, "1".into(), None);
        assert!(lookup.source("a").is_err());
        lookup.answer(vec![("a".into(), vec!["{}".into(), "[]".into()]), ("b".into(), vec![])]);
        assert_eq!(lookup.source("a").unwrap().map(|bytes| &bytes[..]), Some(&b"{}"[..]));
        assert_eq!(lookup.source("b").unwrap(), None);
        assert_eq!(lookup.sources("a").unwrap().len(), 2);
    }
}
