//! What can be asked of a shard about one document, and what comes back.

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::script::Script;
use crate::segment::StoredValue;
use bytes::Bytes;
use std::sync::Arc;

/// How a write's version is compared with the document's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionType {
    #[default]
    Internal,
    /// The given version must be higher than the current one, and becomes the document's.
    External,
    /// As `External`, but an equal version is taken too.
    ExternalGte,
}

impl VersionType {
    /// The type of this name in requests.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "internal" => Ok(Self::Internal),
            "external" | "external_gt" => Ok(Self::External),
            "external_gte" => Ok(Self::ExternalGte),
            _ => Err(Error::new(ErrorKind::IllegalArgument, format!("No version type match [{name}]"))),
        }
    }

    /// The version that a read asks for: -3 stands for any, and no document has another one below zero.
    pub fn sought(number: i64) -> Option<u64> {
        const ANY: i64 = -3;
        (number != ANY).then(|| u64::try_from(number).unwrap_or(u64::MAX))
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::External => "external",
            Self::ExternalGte => "external_gte",
        }
    }
}

/// One write of one document, as it reaches the shard that holds it.
#[derive(Clone, Debug)]
pub struct WriteOp {
    pub kind: OpKind,
    pub id: String,
    pub routing: Option<String>,
    /// Both or none: the write happens only if the document's last change had this sequence number and term.
    pub if_seq_no: Option<u64>,
    pub if_primary_term: Option<u64>,
    /// The version given by the client; only external version types have one.
    pub version: Option<u64>,
    pub version_type: VersionType,
}

#[derive(Clone, Debug)]
pub enum OpKind {
    Index {
        source: Bytes,
        /// The id was made up for this request, so no document can have it: the look-up is skipped.
        auto_id: bool,
    },
    /// Fails if the document exists.
    Create {
        source: Bytes,
    },
    Delete,
    Update(UpdateSpec),
}

/// An update: a partial document or a script, and what to do where there is no document yet.
#[derive(Clone, Debug)]
pub struct UpdateSpec {
    pub script: Option<ScriptedUpdate>,
    /// JSON object to merge into the document.
    pub doc: Option<Bytes>,
    /// The routing that the document has from then on; `None`: the one that it has.
    pub doc_routing: Option<String>,
    /// JSON object to index where the document does not exist.
    pub upsert: Option<Bytes>,
    pub doc_as_upsert: bool,
    /// Whether a merge that changes nothing is answered `noop` and writes nothing (the default of the interface).
    pub detect_noop: bool,
}

/// A script that changes the document.
#[derive(Clone, Debug)]
pub struct ScriptedUpdate {
    pub script: Arc<Script>,
    /// Whether it runs over the document to be indexed where none exists, too.
    pub runs_on_upsert: bool,
}

impl WriteOp {
    /// Whether what is stored of the document is looked at.
    pub fn reads_document(&self) -> bool {
        matches!(self.kind, OpKind::Update(_))
    }

    fn new(kind: OpKind, id: impl Into<String>) -> Self {
        Self {
            kind,
            id: id.into(),
            routing: None,
            if_seq_no: None,
            if_primary_term: None,
            version: None,
            version_type: VersionType::Internal,
        }
    }

    pub fn index(id: impl Into<String>, source: impl Into<Bytes>) -> Self {
        Self::new(OpKind::Index { source: source.into(), auto_id: false }, id)
    }

    /// An index operation whose id was generated for it.
    pub fn index_auto(id: impl Into<String>, source: impl Into<Bytes>) -> Self {
        Self::new(OpKind::Index { source: source.into(), auto_id: true }, id)
    }

    pub fn create(id: impl Into<String>, source: impl Into<Bytes>) -> Self {
        Self::new(OpKind::Create { source: source.into() }, id)
    }

    pub fn delete(id: impl Into<String>) -> Self {
        Self::new(OpKind::Delete, id)
    }

    pub fn update(id: impl Into<String>, spec: UpdateSpec) -> Self {
        Self::new(OpKind::Update(spec), id)
    }

    /// Bytes of the request that this operation holds in memory: what admission counts.
    pub fn bytes(&self) -> usize {
        let body = match &self.kind {
            OpKind::Index { source, .. } | OpKind::Create { source } => source.len(),
            OpKind::Delete => 0,
            OpKind::Update(spec) => {
                spec.doc.as_ref().map_or(0, Bytes::len) + spec.upsert.as_ref().map_or(0, Bytes::len)
            }
        };
        size_of::<Self>() + self.id.len() + self.routing.as_ref().map_or(0, String::len) + body
    }
}

/// What became of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteResult {
    Created,
    Updated,
    Deleted,
    /// A delete of a document that was not there.
    NotFound,
    /// An update that changed nothing; no operation was written.
    Noop,
}

impl WriteResult {
    /// The `result` of responses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::NotFound => "not_found",
            Self::Noop => "noop",
        }
    }

    /// The HTTP status of a single-document response with this result.
    pub fn status(self) -> u16 {
        match self {
            Self::Created => 201,
            Self::NotFound => 404,
            Self::Updated | Self::Deleted | Self::Noop => 200,
        }
    }
}

/// The answer to a [`WriteOp`] that took place.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOutcome {
    pub result: WriteResult,
    pub version: u64,
    pub seq_no: u64,
    pub primary_term: u64,
    /// The document as an update left it (for the `get` part of its response); none for other operations.
    pub source: Option<Bytes>,
}

/// The version of a document that does not exist.
pub(super) const NOT_FOUND_VERSION: u64 = u64::MAX;

impl WriteOutcome {
    /// What [`WriteOutcome::nothing_there`] tells of.
    pub fn nowhere() -> Self {
        Self { result: WriteResult::Noop, version: NOT_FOUND_VERSION, seq_no: 0, primary_term: 0, source: None }
    }

    /// An upsert whose script decided to index nothing: there is no document that it speaks of.
    pub fn nothing_there(&self) -> bool {
        self.version == NOT_FOUND_VERSION
    }
}

/// What [`super::Shard::apply`] did with an operation.
#[derive(Debug)]
pub enum Applied {
    Done(WriteOutcome),
    /// Nothing was changed: this fragment has to be merged into the mapping first; then the operation can be applied again.
    NeedsMapping(Value),
}

#[derive(Clone, Debug, PartialEq)]
pub struct GetRequest {
    pub id: String,
    /// Whether writes that no refresh has made visible yet are seen.
    pub realtime: bool,
    /// The version that the document must have.
    pub version: Option<u64>,
}

impl GetRequest {
    pub fn realtime(id: impl Into<String>) -> Self {
        Self { id: id.into(), realtime: true, version: None }
    }
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundDocument {
    pub version: u64,
    pub seq_no: u64,
    pub primary_term: u64,
    pub routing: Option<String>,
    pub source: Option<Bytes>,
    /// Values of stored fields, in the order in which they were stored.
    pub fields: Vec<(String, StoredValue)>,
}
