//! Applying history: records of the translog, or of another copy of the shard. What they say has happened; nothing is checked but
//! whether the shard knows it already.

use super::apply::stored_source;
use super::locate::Located;
use super::record::{Operation, Record};
use super::shard::Shard;
use super::versions::DocVersion;
use crate::error::Result;
use crate::json::Value;
use crate::mapping::Parsed;
use crate::writer::IndexDocument;

/// What became of a record.
#[derive(Debug, PartialEq)]
pub enum Replayed {
    Applied,
    /// The shard had it, or a newer change of the same document, already.
    Known,
    /// Nothing was changed: this has to be merged into the mapping first.
    NeedsMapping(Value),
}

impl Shard {
    /// Applies one record; any order and any number of times gives the same documents.
    ///
    /// # Errors
    /// If the document does not fit the mapping: the shard cannot be opened with it.
    pub fn replay(&mut self, record: &Record, now_ms: u64) -> Result<Replayed> {
        if self.checkpoint.is_processed(record.seq_no) {
            return Ok(Replayed::Known);
        }
        let version = DocVersion { version: record.version, seq_no: record.seq_no, primary_term: record.primary_term };
        let replayed = match record.operation {
            Operation::NoOp { .. } => Replayed::Applied,
            Operation::Delete { id } => self.replay_delete(id, version, now_ms),
            Operation::Index { id, routing, source } => self.replay_index(id, routing, source, version, now_ms)?,
        };
        if !matches!(replayed, Replayed::NeedsMapping(_)) {
            self.mark_processed(record.seq_no);
            self.primary_term = self.primary_term.max(record.primary_term);
        }
        Ok(replayed)
    }

    fn replay_delete(&mut self, id: &str, version: DocVersion, now_ms: u64) -> Replayed {
        let current = self.locate(id, now_ms);
        if is_newer(&current, version) {
            return Replayed::Known;
        }
        self.replace(id, &current, None);
        self.tombstones.insert(id, version, now_ms);
        Replayed::Applied
    }

    fn replay_index(
        &mut self,
        id: &str,
        routing: Option<&str>,
        source: &[u8],
        version: DocVersion,
        now_ms: u64,
    ) -> Result<Replayed> {
        let current = self.locate(id, now_ms);
        if is_newer(&current, version) {
            return Ok(Replayed::Known);
        }
        let mapping = self.mapping.clone();
        let mut ops = Vec::new();
        self.scratch.routed = routing.is_some();
        if let Parsed::NeedsMapping(change) = mapping.parse_document(source, id, &mut self.scratch, &mut ops)? {
            return Ok(Replayed::NeedsMapping(change));
        }
        let DocVersion { version: number, seq_no, primary_term } = version;
        let source = stored_source(&mapping, source);
        let source = source.as_deref();
        let document = IndexDocument { id, routing, source, seq_no, version: number, primary_term, ops };
        let doc = self.open.buffer.add(&mapping, &document)?;
        self.replace(id, &current, Some(doc));
        Ok(Replayed::Applied)
    }
}

fn is_newer(current: &Located, than: DocVersion) -> bool {
    current.version().is_some_and(|current| current.seq_no >= than.seq_no)
}
