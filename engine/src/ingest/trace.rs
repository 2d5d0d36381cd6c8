//! The record of a pipeline's steps, for simulations.

use super::Document;
use super::bounds::weigh;
use super::processor::Step;
use crate::error::Error;

/// Bytes of the documents that the record of one keeps, one for each step.
const RECORD_BYTES_MAX: usize = 64 << 20;

/// What happened, step by step.
#[derive(Debug, Default)]
pub struct Trace {
    pub entries: Vec<TraceEntry>,
    bytes: usize,
    /// The condition that the next entry was subject to.
    pub(super) condition: Option<(String, bool)>,
    /// What made the record impossible.
    pub(super) broken: Option<Error>,
}

/// One step.
#[derive(Debug)]
pub struct TraceEntry {
    pub kind: &'static str,
    pub tag: Option<String>,
    pub description: Option<String>,
    /// The source of the condition, and whether it held.
    pub condition: Option<(String, bool)>,
    pub outcome: Outcome,
}

/// What became of a step.
#[derive(Debug)]
pub enum Outcome {
    /// The document after it.
    Success(Document),
    Failed(Error),
    /// It failed, which does not matter; the document after it.
    Ignored(Document, Error),
    Dropped,
    Skipped,
    /// It called a pipeline, whose steps come next.
    Called,
}

impl Trace {
    pub(super) fn add(&mut self, step: &Step, outcome: Outcome) {
        self.entries.push(TraceEntry {
            kind: step.kind,
            tag: step.tag.clone(),
            description: step.description.clone(),
            condition: self.condition.take(),
            outcome,
        });
    }

    /// A copy of the document for the record, as long as there is room for it.
    pub(super) fn copy(&mut self, doc: &Document) -> Option<Document> {
        self.bytes = self.bytes.saturating_add(weigh(&doc.root).0);
        if self.bytes > RECORD_BYTES_MAX {
            let reason = format!("the record of all steps takes more than [{RECORD_BYTES_MAX}] bytes");
            self.break_off(&Error::illegal_argument(reason));
            self.entries.clear();
            return None;
        }
        Some(doc.clone())
    }

    pub(super) fn break_off(&mut self, error: &Error) {
        self.broken.get_or_insert_with(|| error.clone());
    }
}

impl Outcome {
    /// What the record calls it.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Success(_) | Self::Called => "success",
            Self::Failed(_) => "error",
            Self::Ignored(..) => "error_ignored",
            Self::Dropped => "dropped",
            Self::Skipped => "skipped",
        }
    }
}
