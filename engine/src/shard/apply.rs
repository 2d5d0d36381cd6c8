//! Applying writes: is it allowed, what does it make of the document, what has to be recorded.
//!
//! The order follows the reference, because clients see it: the document is parsed first (so a malformed one is a mapping error even
//! where the version would conflict), then versions are compared, then a sequence number is taken.

use super::locate::{Located, Place};
use super::op::{Applied, NOT_FOUND_VERSION, OpKind, UpdateSpec, VersionType, WriteOp, WriteOutcome, WriteResult};
use super::record::{Operation, Record};
use super::shard::{OpenBuffer, Shard};
use super::update;
use super::versions::DocVersion;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Select, Value};
use crate::mapping::{Mapping, Parsed};
use crate::query::check_stored_queries;
use crate::script::Script;
use crate::writer::{IndexDocument, TextAhead};
use bytes::Bytes;
use std::borrow::Cow;

/// Documents of fewer bytes are analysed while they are added.
const LARGE_BYTES: usize = 64 << 10;

/// Where the records of operations go: the tail of the translog.
pub struct RecordSink<'a> {
    pub generation: u64,
    pub out: &'a mut Vec<u8>,
}

impl RecordSink<'_> {
    fn put(&mut self, record: &Record) {
        record.encode(self.generation, self.out);
    }
}

/// An index operation after all defaults are settled.
struct IndexOp<'a> {
    id: &'a str,
    routing: Option<&'a str>,
    source: &'a Bytes,
    create: bool,
    conditions: Conditions,
}

/// What must hold of the current document.
#[derive(Clone, Copy, Default)]
struct Conditions {
    if_seq_no: Option<u64>,
    if_primary_term: Option<u64>,
    version: Option<u64>,
    version_type: VersionType,
}

impl Conditions {
    fn of(op: &WriteOp) -> Self {
        Self {
            if_seq_no: op.if_seq_no,
            if_primary_term: op.if_primary_term,
            version: op.version,
            version_type: op.version_type,
        }
    }
}

impl Shard {
    /// What of an operation is worth doing before it is applied, on a thread that is no core: the texts of a large document. Nothing
    /// where there are none, or where what is written is not known yet.
    pub fn texts_ahead(&self, op: &WriteOp) -> Option<impl FnOnce() -> Vec<TextAhead> + Send + 'static> {
        let (OpKind::Index { source, .. } | OpKind::Create { source }) = &op.kind else { return None };
        let (mapping, source, id) = (self.mapping.clone(), source.clone(), op.id.clone());
        (source.len() >= LARGE_BYTES).then_some(move || TextAhead::of(&mapping, &source, &id))
    }

    /// [`Self::apply`] with what its texts are analysed to.
    pub fn apply_with(
        &mut self,
        ahead: Vec<TextAhead>,
        op: &WriteOp,
        now_ms: u64,
        sink: &mut RecordSink,
    ) -> Result<Applied> {
        self.open.buffer.expect(ahead);
        let applied = self.apply(op, now_ms, sink);
        self.open.buffer.expect(vec![]);
        applied
    }

    /// Applies one operation. If it took place, or failed after it had taken a sequence number, its record is in `sink`; it may be
    /// acknowledged when the record is durable.
    ///
    /// # Errors
    /// Those of the reference: mapping errors, `version_conflict_engine_exception`, `document_missing_exception`. The document is as it
    /// was before.
    pub fn apply(&mut self, op: &WriteOp, now_ms: u64, sink: &mut RecordSink) -> Result<Applied> {
        let (id, routing, conditions) = (op.id.as_str(), op.routing.as_deref(), Conditions::of(op));
        match &op.kind {
            OpKind::Index { source, auto_id } => {
                let current = if *auto_id { Located::Absent } else { self.locate(id, now_ms) };
                self.index(IndexOp { id, routing, source, create: false, conditions }, current, sink)
            }
            OpKind::Create { source } => {
                let current = self.locate(id, now_ms);
                self.index(IndexOp { id, routing, source, create: true, conditions }, current, sink)
            }
            OpKind::Delete => self.delete(id, conditions, now_ms, sink),
            OpKind::Update(spec) => self.update(op, spec, now_ms, sink),
        }
    }

    fn index(&mut self, op: IndexOp, current: Located, sink: &mut RecordSink) -> Result<Applied> {
        let mapping = self.mapping.clone();
        let mut ops = Vec::with_capacity(self.scratch.last_ops);
        self.scratch.routed = op.routing.is_some();
        let parsed = mapping.parse_document(op.source, op.id, &mut self.scratch, &mut ops)?;
        // Queries are judged by the fields that were there before the document.
        check_stored_queries(&ops, &mapping, &self.identity.index, &self.identity.index_uuid)?;
        if let Parsed::NeedsMapping(change) = parsed {
            return Ok(Applied::NeedsMapping(change));
        }
        if mapping.is_unsaid() {
            // The first document gives a mapping, even if there is no field in it.
            return Ok(Applied::NeedsMapping(Value::Object(Map::new())));
        }
        if let (true, Located::Live(_, version)) = (op.create, current) {
            let why = format!("document already exists (current version [{}])", version.version);
            return Err(self.conflict(op.id, &why));
        }
        let version = self.next_version(op.id, &op.conditions, &current)?;
        let version = DocVersion { version, seq_no: self.checkpoint.assign(), primary_term: self.primary_term };
        let stored = stored_source(&mapping, op.source);
        let document = IndexDocument {
            id: op.id,
            routing: op.routing,
            source: stored.as_deref(),
            seq_no: version.seq_no,
            version: version.version,
            primary_term: version.primary_term,
            ops,
        };
        let added = match parsed {
            Parsed::Refused(error) => Err(error),
            _ => self.open.buffer.add(&mapping, &document),
        };
        let doc = match added {
            Ok(doc) => doc,
            Err(error) => {
                self.record_no_op(version.seq_no, error.reason(), sink);
                return Err(error);
            }
        };
        self.replace(op.id, &current, Some(doc));
        let operation = Operation::Index { id: op.id, routing: op.routing, source: op.source };
        self.record(version, operation, sink);
        let result = match current {
            Located::Live(..) => WriteResult::Updated,
            Located::Absent | Located::Deleted(_) => WriteResult::Created,
        };
        Ok(Applied::Done(outcome(result, version, None)))
    }

    fn delete(&mut self, id: &str, conditions: Conditions, now_ms: u64, sink: &mut RecordSink) -> Result<Applied> {
        let current = self.locate(id, now_ms);
        let version = self.next_version(id, &conditions, &current)?;
        let version = DocVersion { version, seq_no: self.checkpoint.assign(), primary_term: self.primary_term };
        self.replace(id, &current, None);
        self.tombstones.insert(id, version, now_ms);
        self.prune_tombstones(now_ms, 4);
        self.record(version, Operation::Delete { id }, sink);
        let result = match current {
            Located::Live(..) => WriteResult::Deleted,
            Located::Absent | Located::Deleted(_) => WriteResult::NotFound,
        };
        Ok(Applied::Done(outcome(result, version, None)))
    }

    fn update(&mut self, op: &WriteOp, spec: &UpdateSpec, now_ms: u64, sink: &mut RecordSink) -> Result<Applied> {
        let id = op.id.as_str();
        let current = self.locate(id, now_ms);
        let Located::Live(place, version) = current else { return self.upsert(op, spec, current, now_ms, sink) };
        self.check_seq_no(id, &Conditions::of(op), Some(version))?;
        let stored = self.stored(place)?;
        let source = stored.source.ok_or_else(|| {
            self.identity
                .blame(Error::new(ErrorKind::DocumentSourceMissing, format!("[{id}]: document source missing")))
        })?;
        if let Some(scripted) = &spec.script {
            let routing = stored.routing;
            return self.update_by_script(op, &scripted.script, (current, version), (source, routing), (now_ms, sink));
        }
        let changes = spec.doc.as_deref().unwrap_or(b"{}");
        let Some(merged) = update::merge(&source, changes, spec.detect_noop)? else {
            return Ok(Applied::Done(outcome(WriteResult::Noop, version, Some(source))));
        };
        let source = Bytes::from(merged);
        let routing = spec.doc_routing.as_deref().or(stored.routing.as_deref());
        let indexed = IndexOp { id, routing, source: &source, create: false, conditions: Conditions::default() };
        let applied = self.index(indexed, current, sink)?;
        Ok(with_source(applied, source))
    }

    fn update_by_script(
        &mut self,
        op: &WriteOp,
        script: &Script,
        (current, version): (Located, DocVersion),
        (source, routing): (Bytes, Option<String>),
        (now_ms, sink): (u64, &mut RecordSink),
    ) -> Result<Applied> {
        let id = op.id.as_str();
        let document = update::Scripted {
            op: "index",
            index: Some((&self.identity.index, id, version.version)),
            routing: routing.as_deref(),
            source: &source,
            now_ms,
        };
        match document.run(script)? {
            update::Decision::Index(source) => {
                let conditions = Conditions::default();
                let indexed = IndexOp { id, routing: routing.as_deref(), source: &source, create: false, conditions };
                let applied = self.index(indexed, current, sink)?;
                Ok(with_source(applied, source))
            }
            update::Decision::Delete => {
                let deleted = self.delete(id, Conditions::default(), now_ms, sink)?;
                Ok(with_source(deleted, source))
            }
            update::Decision::Nothing => Ok(Applied::Done(outcome(WriteResult::Noop, version, Some(source)))),
        }
    }

    fn upsert(
        &mut self,
        op: &WriteOp,
        spec: &UpdateSpec,
        current: Located,
        now_ms: u64,
        sink: &mut RecordSink,
    ) -> Result<Applied> {
        let id = op.id.as_str();
        let document = if spec.doc_as_upsert { &spec.doc } else { &spec.upsert };
        let document = document.as_ref().ok_or_else(|| {
            self.identity.blame(Error::new(ErrorKind::DocumentMissing, format!("[{id}]: document missing")))
        })?;
        let mut source = Bytes::from(update::compact(document)?);
        if let Some(scripted) = spec.script.as_ref().filter(|scripted| scripted.runs_on_upsert) {
            let document = update::Scripted { op: "create", index: None, routing: None, source: &source, now_ms };
            source = match document.run(&scripted.script)? {
                update::Decision::Index(source) => source,
                // There is nothing to delete yet.
                update::Decision::Delete | update::Decision::Nothing => {
                    let nowhere = DocVersion { version: NOT_FOUND_VERSION, seq_no: 0, primary_term: 0 };
                    return Ok(Applied::Done(outcome(WriteResult::Noop, nowhere, None)));
                }
            };
        }
        let conditions = Conditions::default();
        let indexed = IndexOp { id, routing: op.routing.as_deref(), source: &source, create: true, conditions };
        let applied = self.index(indexed, current, sink)?;
        Ok(with_source(applied, source))
    }

    /// The version that a write gives the document, if its conditions allow it.
    fn next_version(&self, id: &str, conditions: &Conditions, current: &Located) -> Result<u64> {
        let live = match current {
            Located::Live(_, version) => Some(*version),
            Located::Absent | Located::Deleted(_) => None,
        };
        self.check_seq_no(id, conditions, live)?;
        let current = current.version().map(|v| v.version);
        // Only ingest pipelines give documents versions of this type.
        if let (Some(wanted), None, VersionType::Internal) = (conditions.version, current, conditions.version_type) {
            let detail = format!("current version [-1] is different than the one provided [{wanted}]");
            return Err(self.conflict(id, &detail));
        }
        let (Some(wanted), Some(current)) = (conditions.version, current) else {
            return Ok(conditions.version.unwrap_or_else(|| current.unwrap_or(0) + 1));
        };
        let relation = match conditions.version_type {
            VersionType::External if wanted <= current => "higher or equal to",
            VersionType::ExternalGte if wanted < current => "higher than",
            VersionType::Internal if wanted != current => "different than",
            VersionType::Internal => return Ok(current + 1),
            VersionType::External | VersionType::ExternalGte => return Ok(wanted),
        };
        Err(self.conflict(id, &format!("current version [{current}] is {relation} the one provided [{wanted}]")))
    }

    fn check_seq_no(&self, id: &str, conditions: &Conditions, live: Option<DocVersion>) -> Result<()> {
        let (Some(seq_no), Some(term)) = (conditions.if_seq_no, conditions.if_primary_term) else { return Ok(()) };
        let found = match live {
            Some(current) if current.seq_no == seq_no && current.primary_term == term => return Ok(()),
            Some(current) => {
                format!("current document has seqNo [{}] and primary term [{}]", current.seq_no, current.primary_term)
            }
            None => "but no document was found".to_owned(),
        };
        Err(self.conflict(id, &format!("required seqNo [{seq_no}], primary term [{term}]. {found}")))
    }

    /// Puts the document at `doc` of the open buffer (none: a delete) in place of what `current` says. What the segments hold of it
    /// is marked deleted with the next refresh, when its replacement becomes visible too.
    pub(super) fn replace(&mut self, id: &str, current: &Located, doc: Option<u32>) {
        match current {
            Located::Live(Place::Open(old), _) => self.open.buffer.delete(*old),
            Located::Live(Place::Sealed(number, old), _) => {
                self.open.deletes.entry(*number).or_default().push(*old);
            }
            Located::Absent | Located::Deleted(_) => {}
        }
        match doc {
            Some(doc) => {
                self.tombstones.remove(id);
                let OpenBuffer { buffer, versions, .. } = &mut self.open;
                versions.insert(id, doc, |doc| buffer.id(doc));
            }
            None => {
                let OpenBuffer { buffer, versions, .. } = &mut self.open;
                versions.remove(id, |doc| buffer.id(doc));
            }
        }
    }

    fn record(&mut self, version: DocVersion, operation: Operation, sink: &mut RecordSink) {
        let DocVersion { version, seq_no, primary_term } = version;
        sink.put(&Record { seq_no, primary_term, version, operation });
        self.mark_processed(seq_no);
    }

    /// A sequence number is used up even if the document was refused at the last moment; its place in history is filled.
    fn record_no_op(&mut self, seq_no: u64, reason: &str, sink: &mut RecordSink) {
        let version = DocVersion { version: 0, seq_no, primary_term: self.primary_term };
        self.record(version, Operation::NoOp { reason }, sink);
    }
}

/// What of a source is kept: all, the part that the mapping's `_source` filter selects, or nothing.
pub(super) fn stored_source<'a>(mapping: &Mapping, source: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    let filter = mapping.source_filter();
    if filter.keeps_all() {
        return Some(Cow::Borrowed(source));
    }
    let select = Select { includes: filter.includes.clone(), excludes: filter.excludes.clone() };
    filter.enabled.then(|| Cow::Owned(select.apply(source)))
}

fn outcome(result: WriteResult, version: DocVersion, source: Option<Bytes>) -> WriteOutcome {
    let DocVersion { version, seq_no, primary_term } = version;
    WriteOutcome { result, version, seq_no, primary_term, source }
}

fn with_source(applied: Applied, source: Bytes) -> Applied {
    match applied {
        Applied::Done(outcome) => Applied::Done(WriteOutcome { source: Some(source), ..outcome }),
        Applied::NeedsMapping(change) => Applied::NeedsMapping(change),
    }
}
