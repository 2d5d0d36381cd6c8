//! What is asked for.

use super::remote::Remote;
use crate::coordinate::search::Scope;
use crate::coordinate::write::WaitFor;
use pith_engine::score::script_text;
use pith_engine::script::Script;
use pith_engine::search::{PipelineChoice, SearchRequest, Slice};
use pith_engine::shard::VersionType;
use std::sync::Arc;
use std::time::Duration;

/// What becomes of each document that is found.
#[derive(Clone, Debug)]
pub enum Work {
    /// Written again as it is, for what its index does to it by now.
    Update {
        pipeline: Option<String>,
    },
    Delete,
    Reindex(Destination),
}

/// Where documents are copied to.
#[derive(Clone, Debug)]
pub struct Destination {
    pub index: String,
    pub create: bool,
    pub version_type: VersionType,
    pub routing: Routing,
    pub pipeline: Option<String>,
}

/// The routing value of a copy.
#[derive(Clone, Debug, PartialEq)]
pub enum Routing {
    Keep,
    Discard,
    Set(String),
}

/// One operation by query.
#[derive(Clone, Debug)]
pub struct ByQuery {
    pub work: Work,
    /// Run over each document before it is written.
    pub script: Option<Arc<Script>>,
    pub request: SearchRequest,
    pub scope: Scope,
    /// The cluster that documents are read from, if it is another one.
    pub remote: Option<Arc<Remote>>,
    /// How long a page's point in time is kept.
    pub keep_alive: Duration,
    pub max_docs: Option<u64>,
    /// Whether conflicts are counted and passed over.
    pub proceed: bool,
    /// `None`: as many as there are shards.
    pub slices: Option<u32>,
    pub requests_per_second: f32,
    /// Whether the indexes written to are refreshed at the end.
    pub refresh: bool,
    pub wait_for: Option<WaitFor>,
    pub timeout_ms: i64,
}

impl ByQuery {
    /// What the description of the task says of the script.
    pub fn updated_with(&self) -> String {
        self.script.as_deref().map(|script| format!(" updated with {}", script_text(script))).unwrap_or_default()
    }

    /// The same for one slice of many.
    pub fn slice(&self, id: u32, of: u32) -> Self {
        let mut part = self.clone();
        // The reference's slices forget which pipeline was asked for, but not which one their indexes have.
        part.request.pipeline = PipelineChoice::default();
        part.request.slice = Some(Slice { field: "_id".into(), id, max: of });
        // What is left over by dividing is nobody's.
        part.max_docs = self.max_docs.map(|max| max / u64::from(of));
        part
    }

    /// Whether copies take over the versions of what they are copies of.
    pub fn needs_versions(&self) -> bool {
        matches!(&self.work, Work::Reindex(destination) if destination.version_type != VersionType::Internal)
    }

    pub fn request(&self) -> Arc<SearchRequest> {
        Arc::new(self.request.clone())
    }
}
