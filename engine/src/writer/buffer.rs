//! Documents in memory, until they are sealed into a segment.

use super::ahead::{LONG_BYTES, TextAhead};
use super::document::{FieldOp, IndexDocument};
use super::field::{FieldBuffer, StoredFields};
use crate::analysis::Scratch;
use crate::mapping::{FieldId, IndexSpec, Mapping};
use crate::segment::{IdsWriter, PRIMARY_TERM, SEQ_NO, Segment, StoredDoc, StoredWriter, VERSION};
use crate::{Error, ErrorKind, Result};
use ahash::AHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

/// The field has no place in the buffer yet.
const NO_SLOT: u32 = u32::MAX;

/// The most documents of a buffer, as of a segment of the reference.
const DOCS_MAX: u32 = i32::MAX as u32 - 128;

/// Documents that were indexed but not sealed. They are numbered from 0; a segment made of the buffer keeps the numbers.
pub struct Buffer {
    pub(super) fields: Vec<FieldBuffer>,
    by_name: AHashMap<Arc<str>, u32>,
    slots: Slots,
    pub(super) ids: IdsWriter,
    pub(super) stored: StoredWriter,
    /// Not live, in no order; may repeat.
    deleted: RefCell<Vec<u32>>,
    /// Documents whose addition failed half-way, ascending: deleted, and never found by their id.
    pub(super) aborted: Vec<u32>,
    /// Fields with terms of the document that is being added.
    touched: Vec<u32>,
    scratch: Scratch,
    /// Texts of the next document that have been analysed already.
    ahead: Vec<TextAhead>,
}

/// Places of the fields of the mapping that the last document came with.
#[derive(Default)]
struct Slots {
    mapping: Option<Arc<Mapping>>,
    by_field: Vec<u32>,
    /// Documents may come with nested ones.
    nested: bool,
    /// The field whose terms are the names of fields that nothing else tells the documents of.
    field_names: Option<FieldId>,
}

/// Where the fields of engine metadata stand.
const SEQ_NO_SLOT: usize = 0;
const VERSION_SLOT: usize = 1;
const PRIMARY_TERM_SLOT: usize = 2;

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Buffer {
    pub fn new() -> Self {
        let mut buffer = Self {
            fields: vec![],
            by_name: AHashMap::new(),
            slots: Slots::default(),
            ids: IdsWriter::default(),
            stored: StoredWriter::default(),
            deleted: RefCell::default(),
            aborted: vec![],
            touched: vec![],
            scratch: Scratch::default(),
            ahead: vec![],
        };
        let slots = [SEQ_NO, VERSION, PRIMARY_TERM].map(|name| buffer.slot_of_name(&name.into()) as usize);
        assert_eq!(slots, [SEQ_NO_SLOT, VERSION_SLOT, PRIMARY_TERM_SLOT]);
        buffer
    }

    /// An empty buffer with a dictionary for what it stores, of this one or of the segment `beside` it: the next one is likely to be like
    /// them.
    pub fn successor(&self, beside: Option<&Segment>) -> Self {
        Self { stored: self.stored.successor(beside.map(Segment::stored_blocks)), ..Self::new() }
    }

    /// What texts of the documents that come next are analysed to.
    pub fn expect(&mut self, ahead: Vec<TextAhead>) {
        self.ahead = ahead;
    }

    /// Adds a document and gives its number. After an error the document counts as deleted.
    pub fn add(&mut self, mapping: &Arc<Mapping>, doc: &IndexDocument<'_>) -> Result<u32> {
        if !self.slots.mapping.as_ref().is_some_and(|known| Arc::ptr_eq(known, mapping)) {
            self.slots = Slots {
                field_names: mapping.field("_field_names").map(|field| field.id),
                nested: mapping.has_nested(),
                mapping: Some(mapping.clone()),
                by_field: vec![],
            };
        }
        // Routing is searchable as a term, which also tells segments with routed documents from all others.
        let routed = doc.routing.zip(mapping.field("_routing")).map(|(routing, field)| {
            let mut ops = doc.ops.clone();
            ops.push(FieldOp::Term { field: field.id, value: Cow::Borrowed(routing.as_bytes()) });
            ops.push(FieldOp::Exists { field: field.id });
            IndexDocument { ops, ..*doc }
        });
        let doc = routed.as_ref().unwrap_or(doc);
        self.add_with(
            &|id| {
                let field = mapping.by_id(id);
                (&field.name, &field.spec)
            },
            doc,
        )
    }

    /// [`Buffer::add`] for fields that `spec_of` describes, the same for all documents since the places were last reset.
    pub(super) fn add_with<'m>(
        &mut self,
        spec_of: &dyn Fn(FieldId) -> (&'m Arc<str>, &'m IndexSpec),
        doc: &IndexDocument<'_>,
    ) -> Result<u32> {
        let mut ops = &doc.ops[..];
        let first = self.ids.len();
        // Nested documents come first. Looking for the last end is one look at the ops of a mapping without any.
        while let Some(end) = self.nested_end(ops) {
            let (nested, rest) = ops.split_at(end);
            self.add_one(spec_of, doc, nested, false).map_err(|error| self.abort(first, error))?;
            ops = &rest[1..];
        }
        self.add_one(spec_of, doc, ops, true).map_err(|error| self.abort(first, error))
    }

    /// Where the ops of the next nested document end.
    fn nested_end(&self, ops: &[FieldOp<'_>]) -> Option<usize> {
        if !self.slots.nested {
            return None;
        }
        ops.iter().position(|op| *op == FieldOp::EndNested)
    }

    /// Marks the documents from `first` on, a block that was not completed, as never to be found. The last of them counts as
    /// the root, so that those before it do not seem to belong to the next document.
    #[cold]
    fn abort(&mut self, first: u32, error: Error) -> Error {
        for number in first..self.ids.len() {
            self.aborted.push(number);
            self.deleted.borrow_mut().push(number);
        }
        let roots = &mut self.fields[PRIMARY_TERM_SLOT].numbers;
        if let Some(last) =
            self.ids.len().checked_sub(1).filter(|last| roots.last().is_none_or(|(root, _)| root < *last))
        {
            roots.push((last, 0));
        }
        error
    }

    /// Adds a document of its own: a root, or a nested one before it.
    fn add_one<'m>(
        &mut self,
        spec_of: &dyn Fn(FieldId) -> (&'m Arc<str>, &'m IndexSpec),
        doc: &IndexDocument<'_>,
        ops: &[FieldOp<'_>],
        root: bool,
    ) -> Result<u32> {
        let number = self.ids.len();
        if number >= DOCS_MAX {
            let reason = format!("number of documents in the index cannot exceed {DOCS_MAX}");
            return Err(Error::new(ErrorKind::IllegalArgument, reason));
        }
        self.ids.push(doc.id);
        self.fields[SEQ_NO_SLOT].numbers.push((number, doc.seq_no as i64));
        self.fields[VERSION_SLOT].numbers.push((number, doc.version as i64));
        if root {
            self.fields[PRIMARY_TERM_SLOT].numbers.push((number, doc.primary_term as i64));
        }
        self.touch_terms(ops);
        let mut stored = StoredFields::new();
        let added = ops.iter().try_for_each(|op| self.add_op(spec_of, number, op, &mut stored));
        for slot in self.touched.drain(..) {
            self.fields[slot as usize].end_doc(number);
        }
        let fields = stored.iter().map(|(name, value)| (&**name, *value));
        if root {
            self.stored.push(doc.source, doc.routing, fields);
        } else {
            self.stored.push(None, None, fields);
        }
        added.map(|()| number)
    }

    /// Reads where the exact terms of a document are looked for, all at once: one by one each would be waited for.
    fn touch_terms(&self, ops: &[FieldOp<'_>]) {
        let mut read = 0;
        for op in ops {
            let FieldOp::Term { field, value } = op else { continue };
            let slot = self.slots.by_field.get(field.0 as usize).filter(|slot| **slot != NO_SLOT);
            read ^= slot.map_or(0, |slot| self.fields[*slot as usize].terms.touch(value));
        }
        std::hint::black_box(read);
    }

    fn add_op<'m, 'd>(
        &mut self,
        spec_of: &dyn Fn(FieldId) -> (&'m Arc<str>, &'m IndexSpec),
        doc: u32,
        op: &'d FieldOp<'_>,
        stored: &mut StoredFields<'d>,
    ) -> Result<()> {
        match op {
            FieldOp::Text { field, value } => {
                let (name, spec) = spec_of(*field);
                let analyzer = spec.analyzer.as_ref().ok_or_else(|| without_analyzer(name))?;
                let slot = self.touch(*field, name);
                let ahead = match value.len() {
                    ..LONG_BYTES => None,
                    _ => self.ahead.iter().find(|ahead| ahead.is_of(analyzer, value)),
                };
                self.fields[slot].add_text(spec, analyzer, value, ahead, &mut self.scratch)
            }
            FieldOp::Term { field, value } => {
                let (name, spec) = spec_of(*field);
                let slot = self.touch(*field, name);
                self.fields[slot].add_term(spec, value)
            }
            FieldOp::Ordinal { field, value } => {
                let (name, spec) = spec_of(*field);
                let slot = self.slot(*field, name);
                self.fields[slot].add_ordinal(spec, doc, value)
            }
            FieldOp::Number { field, value } => {
                let slot = self.slot(*field, spec_of(*field).0);
                self.fields[slot].add_number(doc, *value);
                Ok(())
            }
            FieldOp::Point { field, value } => {
                let slot = self.slot(*field, spec_of(*field).0);
                self.fields[slot].points.push((*value, doc));
                Ok(())
            }
            FieldOp::Stored { field, value } => {
                stored.push((spec_of(*field).0.clone(), value));
                Ok(())
            }
            FieldOp::EndNested => Ok(()),
            FieldOp::Exists { field } => {
                let (name, _) = spec_of(*field);
                let slot = self.slot(*field, name);
                let exists = &mut self.fields[slot].exists;
                if exists.last() == Some(doc) {
                    return Ok(());
                }
                exists.push(doc);
                self.add_name(spec_of, name)
            }
            FieldOp::Named { field } => self.add_name(spec_of, spec_of(*field).0),
        }
    }

    /// The name of a field of the document as a term, which queries may ask for.
    fn add_name<'m>(&mut self, spec_of: &dyn Fn(FieldId) -> (&'m Arc<str>, &'m IndexSpec), name: &str) -> Result<()> {
        let Some(names) = self.slots.field_names else { return Ok(()) };
        let (own_name, spec) = spec_of(names);
        let slot = self.touch(names, own_name);
        self.fields[slot].add_term(spec, name.as_bytes())
    }

    /// The place of a field whose current document has to be ended.
    fn touch(&mut self, field: FieldId, name: &Arc<str>) -> usize {
        let slot = self.slot(field, name);
        if !std::mem::replace(&mut self.fields[slot].touched, true) {
            self.touched.push(slot as u32);
        }
        slot
    }

    fn slot(&mut self, field: FieldId, name: &Arc<str>) -> usize {
        let at = field.0 as usize;
        if let Some(slot) = self.slots.by_field.get(at).filter(|slot| **slot != NO_SLOT) {
            return *slot as usize;
        }
        let slot = self.slot_of_name(name);
        if self.slots.by_field.len() <= at {
            self.slots.by_field.resize(at + 1, NO_SLOT);
        }
        self.slots.by_field[at] = slot;
        slot as usize
    }

    fn slot_of_name(&mut self, name: &Arc<str>) -> u32 {
        let next = self.fields.len() as u32;
        let slot = *self.by_name.entry(name.clone()).or_insert(next);
        if slot == next {
            self.fields.push(FieldBuffer::new(name.clone()));
        }
        slot
    }

    /// Documents added, deleted ones included.
    pub fn doc_count(&self) -> u32 {
        self.ids.len()
    }

    /// Memory held, to decide when to seal.
    pub fn memory_bytes(&self) -> usize {
        let fields: usize = self.fields.iter().map(FieldBuffer::memory_bytes).sum();
        fields + self.ids.memory_bytes() + self.stored.memory_bytes() + self.deleted.borrow().capacity() * 4
    }

    /// What is stored of a document, for reads before the buffer is sealed.
    ///
    /// Panics if there is no such document.
    pub fn stored(&self, doc: u32) -> Result<StoredDoc> {
        self.stored.get(doc)
    }

    pub fn id(&self, doc: u32) -> &str {
        self.ids.get(doc)
    }

    /// Version, sequence number and primary term of a document that is no nested one.
    pub fn version(&self, doc: u32) -> (u64, u64, u64) {
        let [seq_nos, versions, terms] =
            [SEQ_NO_SLOT, VERSION_SLOT, PRIMARY_TERM_SLOT].map(|slot| &self.fields[slot].numbers);
        let term = match terms.len() == self.doc_count() as usize {
            true => doc as usize,
            false => terms.partition_point(|(root, _)| root < doc),
        };
        let number = |(of, number): (u32, i64)| {
            debug_assert_eq!(of, doc);
            number as u64
        };
        (number(versions.get(doc as usize)), number(seq_nos.get(doc as usize)), number(terms.get(term)))
    }

    /// Marks a document as deleted, and the nested ones that belong to it. They stay in the sealed segment, where they are not
    /// live. May be called while the buffer is being sealed: until [`super::seal`] is done, deletes show in its live docs.
    pub fn delete(&self, doc: u32) {
        assert!(doc < self.doc_count(), "document {doc} of a buffer of {}", self.doc_count());
        let roots = &self.fields[PRIMARY_TERM_SLOT].numbers;
        let before = match roots.len() == self.doc_count() as usize {
            true => doc.checked_sub(1),
            false => roots.partition_point(|(root, _)| root < doc).checked_sub(1).map(|at| roots.get(at).0),
        };
        self.deleted.borrow_mut().extend(before.map_or(0, |before| before + 1)..=doc);
    }

    /// Whether a document is a root, not a nested one.
    pub(super) fn is_root(&self, doc: u32) -> bool {
        let roots = &self.fields[PRIMARY_TERM_SLOT].numbers;
        if roots.len() == self.doc_count() as usize {
            return true;
        }
        let at = roots.partition_point(|(root, _)| root < doc);
        at < roots.len() && roots.get(at).0 == doc
    }

    pub(super) fn deleted(&self) -> Vec<u32> {
        self.deleted.borrow().clone()
    }
}

#[cold]
fn without_analyzer(field: &str) -> Error {
    Error::new(ErrorKind::IllegalState, format!("field [{field}] has text but no analyzer"))
}
