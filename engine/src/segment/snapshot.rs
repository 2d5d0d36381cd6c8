//! One point in time of one shard: its segments, each with the documents that are live in it.

use super::{Counting, LiveDocs, Segment};
use std::sync::Arc;

/// A segment together with the documents of it that are live.
#[derive(Clone)]
pub struct SegmentView {
    pub segment: Arc<Segment>,
    /// `None`: all of them.
    pub live: Option<Arc<LiveDocs>>,
}

impl SegmentView {
    pub fn max_doc(&self) -> u32 {
        self.segment.max_doc()
    }

    pub fn live_count(&self) -> u32 {
        self.max_doc() - self.deleted_count()
    }

    pub fn deleted_count(&self) -> u32 {
        self.live.as_ref().map_or(0, |live| live.deleted_count())
    }

    #[inline]
    pub fn is_live(&self, doc: u32) -> bool {
        self.live.as_ref().is_none_or(|live| live.is_live(doc))
    }
}

/// The segments of a shard at one point in time. Shared between cores behind an `Arc`.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// In the order of their documents' age: hits are numbered (segment, document).
    pub segments: Vec<SegmentView>,
    /// Grows with each refresh that changed something.
    pub refresh_seq: u64,
    /// What scores go by.
    pub counting: Counting,
}

impl Snapshot {
    /// The same documents, counted in another way.
    pub fn counted(&self, counting: Counting) -> Self {
        Self { counting, ..self.clone() }
    }

    /// Live documents.
    pub fn num_docs(&self) -> u64 {
        self.segments.iter().map(|view| u64::from(view.live_count())).sum()
    }

    /// Live and deleted documents.
    pub fn max_doc(&self) -> u64 {
        self.segments.iter().map(|view| u64::from(view.max_doc())).sum()
    }

    pub fn deleted(&self) -> u64 {
        self.max_doc() - self.num_docs()
    }
}
