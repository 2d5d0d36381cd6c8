//! The segment as a whole and what it holds of one field.

use super::{DocIterator, Norms, NumericColumn, OrdinalColumn, Points, StoredDoc, Terms};
use crate::Result;
use bytes::Bytes;
use std::sync::Arc;

/// An immutable set of documents. `Send + Sync`; everything is read from one block of bytes.
pub struct Segment {
    name: String,
    bytes: Bytes,
    max_doc: u32,
    fields: Vec<SegmentField>,
}

/// What a segment holds of one field.
pub struct SegmentField {
    name: String,
    stats: FieldStats,
}

/// Counts over the documents of a segment, deleted ones included, as BM25 takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldStats {
    /// Documents with at least one indexed term.
    pub doc_count: u32,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

impl Segment {
    /// Verifies magic, version and checksums; an error names file and offset.
    pub fn open(_name: &str, _bytes: Bytes) -> Result<Arc<Segment>> {
        todo!()
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Documents in the segment, deleted ones included.
    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }

    pub fn memory_bytes(&self) -> usize {
        todo!()
    }

    pub fn field(&self, _name: &str) -> Option<&SegmentField> {
        todo!()
    }

    /// The fields in the order of their names.
    pub fn fields(&self) -> impl Iterator<Item = &SegmentField> {
        self.fields.iter()
    }

    /// The `_id` of a document; does not decompress anything.
    pub fn id(&self, _doc: u32) -> &str {
        todo!()
    }

    /// The newest (highest) document with that `_id`, live or not.
    pub fn doc_of_id(&self, _id: &str) -> Option<u32> {
        todo!()
    }

    /// `_source`, routing and stored fields: decompresses a block.
    pub fn stored(&self, _doc: u32) -> Result<StoredDoc> {
        todo!()
    }

    pub fn version(&self, _doc: u32) -> u64 {
        todo!()
    }

    pub fn seq_no(&self, _doc: u32) -> u64 {
        todo!()
    }

    pub fn primary_term(&self, _doc: u32) -> u64 {
        todo!()
    }
}

impl SegmentField {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn stats(&self) -> FieldStats {
        self.stats
    }

    pub fn terms(&self) -> Option<&Terms> {
        todo!()
    }

    pub fn norms(&self) -> Option<&Norms> {
        todo!()
    }

    pub fn numeric(&self) -> Option<&NumericColumn> {
        todo!()
    }

    pub fn ordinals(&self) -> Option<&OrdinalColumn> {
        todo!()
    }

    pub fn points(&self) -> Option<&Points> {
        todo!()
    }

    pub fn has_freqs(&self) -> bool {
        todo!()
    }

    pub fn has_positions(&self) -> bool {
        todo!()
    }

    /// The documents with any value of this field: by doc values, norms or recorded existence.
    pub fn exists(&self) -> DocIterator {
        todo!()
    }
}
