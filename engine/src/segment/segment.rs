//! The segment as a whole and what it holds of one field.

use super::docset::{self, DocSet};
use super::ids::Ids;
use super::layout::{self, FieldEntry, Kind};
use super::partial::{PartSection, Partial};
use super::postings::PostingsSource;
use super::stored::{OpenedBlock, Stored};
use super::{DocIterator, Norms, NumericColumn, OrdinalColumn, Points, Roots, StoredDoc, Terms};
use super::{SegmentError, WINDOW};
use crate::Result;
use crate::pace::{Pace, block_on_ready};
use bytes::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Fields of every segment that carry what the engine itself knows of a document.
pub(crate) const SEQ_NO: &str = "_seq_no";
pub(crate) const VERSION: &str = "_version";
pub(crate) const PRIMARY_TERM: &str = "_primary_term";

/// An immutable set of documents. `Send + Sync`; everything is read from one block of bytes, or part by part (see [`partial`](super::partial)).
pub struct Segment {
    pub(super) name: String,
    bytes: Bytes,
    max_doc: u32,
    /// Empty until they have been read.
    pub(super) ids: OnceLock<Arc<Ids>>,
    pub(super) stored: Arc<Stored>,
    seq_no: NumericColumn,
    version: NumericColumn,
    primary_term: NumericColumn,
    /// In the order of their names.
    pub(super) fields: Vec<FieldSlot>,
    /// Bytes of the sections of each kind, of all fields together.
    section_bytes: SectionBytes,
    /// `None`: all documents are roots.
    roots: Option<Arc<Roots>>,
    /// What is to be read of it yet; `None`: nothing.
    pub(super) partial: Option<Arc<Partial>>,
}

/// A field's place in its segment, empty until the field has been read.
pub(super) struct FieldSlot {
    pub name: String,
    pub held: OnceLock<Arc<SegmentField>>,
    /// Whether anybody has asked for it, where the segment is read part by part.
    pub used: AtomicBool,
}

impl FieldSlot {
    fn of(field: SegmentField) -> Self {
        Self { name: field.name.clone(), held: Arc::new(field).into(), used: AtomicBool::new(false) }
    }
}

/// What a segment is made of.
pub(super) struct Parts {
    pub name: String,
    pub bytes: Bytes,
    pub max_doc: u32,
    pub ids: OnceLock<Arc<Ids>>,
    pub stored: Arc<Stored>,
    pub fields: Vec<FieldSlot>,
    pub section_bytes: SectionBytes,
    pub partial: Option<Arc<Partial>>,
}

/// What a segment holds of one field.
pub struct SegmentField {
    name: String,
    /// Of all its sections.
    bytes: u64,
    /// Of those that are held as long as the field is.
    held_bytes: u64,
    /// Of its ordinals and their dictionary.
    ordinal_bytes: u64,
    /// Whether anybody has asked for the ordinals.
    ordinals_read: AtomicBool,
    /// Ordinals that were made of the postings, and their bytes.
    fielddata: OnceLock<(OrdinalColumn, u64)>,
    stats: FieldStats,
    has_freqs: bool,
    has_positions: bool,
    terms: Option<Terms>,
    norms: Option<Norms>,
    numeric: Option<NumericColumn>,
    ordinals: Option<OrdinalColumn>,
    points: Option<Points>,
    recorded: Option<DocSet>,
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
    pub fn open(name: &str, bytes: Bytes) -> Result<Arc<Segment>> {
        block_on_ready(Self::open_paced(name, bytes, &Pace::never()))
    }

    /// [`Segment::open`], giving way while the checksums of a large file are computed.
    pub async fn open_paced(name: &str, bytes: Bytes, pace: &Pace) -> Result<Arc<Segment>> {
        let (max_doc, entries) = layout::read(name, &bytes, pace).await?;
        let corrupt = |what: &str| SegmentError { name, offset: 0 }.corrupt(what);
        let mut entries = entries.into_iter();
        let whole = entries.next().filter(|entry| entry.header.name.is_empty());
        let whole = whole.ok_or_else(|| corrupt("segment without its own sections"))?;
        let section =
            |kind| whole.section(kind).cloned().ok_or_else(|| corrupt("segment without ids or stored fields"));
        let ids = Arc::new(Ids::new(max_doc, section(Kind::Ids)?, section(Kind::IdTable)?)).into();
        let stored = Stored::new(max_doc, section(Kind::Stored)?).map(Arc::new);
        let stored = stored.ok_or_else(|| corrupt("index of the stored fields is damaged"))?;
        let mut section_bytes = SectionBytes::default();
        section_bytes.add(whole.lens());
        let of_field = |entry: FieldEntry| {
            section_bytes.add(entry.lens());
            FieldSlot::of(SegmentField::new(max_doc, &entry, None))
        };
        let fields = entries.map(of_field).collect();
        let parts = Parts { name: name.to_owned(), bytes, max_doc, ids, stored, fields, section_bytes, partial: None };
        Self::of(parts, pace).await
    }

    /// The segment of parts that hold at least the columns of the engine's own fields.
    pub(super) async fn of(parts: Parts, pace: &Pace) -> Result<Arc<Segment>> {
        let Parts { name, bytes, max_doc, ids, stored, fields, section_bytes, partial } = parts;
        let corrupt = |what: &str| SegmentError { name: &name, offset: 0 }.corrupt(what);
        let column = |name: &str| {
            let slot = fields.iter().find(|slot| slot.name == name);
            let column = slot.and_then(|slot| slot.held.get()).and_then(|held| held.numeric());
            column.cloned().ok_or_else(|| corrupt("segment without metadata column"))
        };
        let (seq_no, version, primary_term) = (column(SEQ_NO)?, column(VERSION)?, column(PRIMARY_TERM)?);
        if !seq_no.docs().is_all() || !version.docs().is_all() {
            return Err(corrupt("metadata column without all documents"));
        }
        // Nested documents have no primary term of their own: those that have one are the roots.
        let roots = match primary_term.docs().is_all() {
            true => None,
            false => Some(Arc::new(Roots::new(max_doc, primary_term.docs(), pace).await)),
        };
        if roots.as_ref().is_some_and(|roots| !roots.contains(max_doc - 1)) {
            return Err(corrupt("nested documents without a root"));
        }
        Ok(Arc::new(Self {
            name,
            bytes,
            max_doc,
            ids,
            stored,
            seq_no,
            version,
            primary_term,
            fields,
            section_bytes,
            roots,
            partial,
        }))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file; empty where the segment is read part by part.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Length of the file.
    pub fn file_len(&self) -> u64 {
        self.partial.as_ref().map_or(self.bytes.len() as u64, |partial| partial.file_len())
    }

    /// Documents in the segment, deleted ones included.
    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }

    /// Windows of documents.
    pub fn windows(&self) -> u32 {
        self.max_doc.div_ceil(WINDOW)
    }

    /// Memory that the segment holds: its bytes, and what was decoded when it was opened.
    pub fn memory_bytes(&self) -> usize {
        let columns = self.fields.iter().filter_map(|slot| slot.held.get()).flat_map(|field| {
            let made = field.fielddata.get().map(|(column, _)| column);
            let ordinals = field.ordinals.iter().chain(made).map(OrdinalColumn::memory_bytes);
            field.numeric.iter().map(NumericColumn::memory_bytes).chain(ordinals)
        });
        let fixed = size_of::<Self>() + self.fields.len() * size_of::<SegmentField>() + columns.sum::<usize>();
        let read = match self.partial {
            None => 0,
            Some(_) => {
                let fields = self.fields.iter().filter_map(|slot| slot.held.get()).map(|field| field.held_bytes);
                let ids = self.ids.get().map_or(0, |ids| ids.memory_bytes());
                fields.sum::<u64>() as usize + ids + self.stored.index_bytes()
            }
        };
        self.bytes.len() + fixed + read
    }

    /// The segment without its fields, or without those that nobody has used since it was opened or renewed. Nothing where it would be no
    /// smaller.
    pub fn renewed(&self, unused_only: bool) -> Option<Arc<Segment>> {
        let partial = self.partial.as_ref()?;
        let own = |slot: &FieldSlot| [SEQ_NO, VERSION, PRIMARY_TERM].contains(&slot.name.as_str());
        let stays = |slot: &FieldSlot| own(slot) || (slot.used.swap(false, Ordering::Relaxed) && unused_only);
        let slot = |slot: &FieldSlot| {
            let held = slot.held.get().filter(|_| stays(slot)).cloned();
            let held = held.map_or_else(OnceLock::new, OnceLock::from);
            FieldSlot { name: slot.name.clone(), held, used: AtomicBool::new(false) }
        };
        let fields: Vec<FieldSlot> = self.fields.iter().map(slot).collect();
        let held = |slots: &[FieldSlot]| slots.iter().filter(|slot| slot.held.get().is_some()).count();
        (held(&fields) < held(&self.fields)).then(|| {
            Arc::new(Self {
                name: self.name.clone(),
                bytes: Bytes::new(),
                max_doc: self.max_doc,
                ids: self.ids.clone(),
                stored: self.stored.clone(),
                seq_no: self.seq_no.clone(),
                version: self.version.clone(),
                primary_term: self.primary_term.clone(),
                fields,
                section_bytes: self.section_bytes.clone(),
                roots: self.roots.clone(),
                partial: Some(partial.clone()),
            })
        })
    }

    /// Bytes of the sections of each kind, and what the kinds are called.
    pub fn section_bytes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Kind::ALL.into_iter().map(|kind| (kind.name(), self.section_bytes.0[kind as usize]))
    }

    pub fn field(&self, name: &str) -> Option<&SegmentField> {
        let at = self.fields.binary_search_by(|slot| slot.name.as_str().cmp(name)).ok()?;
        self.held(at)
    }

    /// The fields that are there to be looked at, and the name and the bytes of each, in the order of their names. Asks for none.
    pub fn field_sizes(&self) -> impl Iterator<Item = (&str, u64, Option<&SegmentField>)> {
        self.fields.iter().enumerate().map(|(at, slot)| {
            let held = slot.held.get().map(|field| &**field);
            let listed = self.partial.as_ref().map_or(0, |partial| partial.field_bytes(at));
            (slot.name.as_str(), held.map_or(listed, |field| field.bytes), held)
        })
    }

    /// The fields in the order of their names.
    pub fn fields(&self) -> impl Iterator<Item = &SegmentField> {
        (0..self.fields.len()).filter_map(|at| self.held(at))
    }

    /// The `_id` of a document; does not decompress anything.
    pub fn id(&self, doc: u32) -> &str {
        self.held_ids().map_or("", |ids| ids.get(doc))
    }

    /// The newest (highest) document with that `_id`, live or not.
    pub fn doc_of_id(&self, id: &str) -> Option<u32> {
        self.held_ids()?.find(id)
    }

    /// `_source`, routing and stored fields: decompresses a block.
    pub fn stored(&self, doc: u32) -> Result<StoredDoc> {
        self.stored_beside(doc, &mut OpenedBlock::default())
    }

    /// The same, for many documents: cheap for one in the block of the last, so ask in the order of documents.
    pub fn stored_beside(&self, doc: u32, opened: &mut OpenedBlock) -> Result<StoredDoc> {
        self.stored.get(&self.name, doc, opened)
    }

    pub fn version(&self, doc: u32) -> u64 {
        self.version.first(doc).expect("every document has one") as u64
    }

    pub fn seq_no(&self, doc: u32) -> u64 {
        self.seq_no.first(doc).expect("every document has one") as u64
    }

    pub fn primary_term(&self, doc: u32) -> u64 {
        self.primary_term.first(doc).unwrap_or(0) as u64
    }

    /// The documents that are not nested; `None` if all are.
    pub fn roots(&self) -> Option<&Arc<Roots>> {
        self.roots.as_ref()
    }

    /// Whether a document is not nested.
    #[inline]
    pub fn is_root(&self, doc: u32) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.contains(doc))
    }

    /// The first of the documents that end with the root `doc`: its nested ones, if it has any, stand before it.
    #[inline]
    pub fn block_start(&self, doc: u32) -> u32 {
        self.roots.as_ref().map_or(doc, |roots| roots.before(doc).map_or(0, |root| root + 1))
    }

    pub(crate) fn stored_blocks(&self) -> &Stored {
        &self.stored
    }
}

/// Bytes by kind of section; the number of a kind is its place.
#[derive(Clone, Default)]
pub(super) struct SectionBytes([u64; Kind::ALL.len() + 1]);

impl SectionBytes {
    pub fn add(&mut self, lens: impl Iterator<Item = (Kind, u64)>) {
        lens.for_each(|(kind, len)| self.0[kind as usize] += len);
    }
}

impl SegmentField {
    /// `lists`: where postings and positions are read from, if that is not of the entry.
    pub(super) fn new(max_doc: u32, entry: &FieldEntry, lists: Option<[PartSection; 2]>) -> Self {
        let header = &entry.header;
        let section = |kind| entry.section(kind).cloned();
        let list_bytes: u64 = lists.iter().flatten().map(PartSection::len).sum();
        let source = PostingsSource {
            postings: section(Kind::Postings).unwrap_or_default(),
            positions: section(Kind::Positions).unwrap_or_default(),
            lists,
            freqs: header.freqs,
            has_positions: header.positions,
            norms: header.norms,
            bound_avg_len: header.bound_avg_len,
        };
        let terms = section(Kind::Terms).map(|bytes| Terms::new(bytes, source));
        let own_dictionary = section(Kind::OrdinalTerms).map(|bytes| Terms::new(bytes, PostingsSource::default()));
        let ordinals = section(Kind::Ordinals).map(|bytes| {
            let shared = own_dictionary.is_none().then_some(header.stats.sum_doc_freq);
            let dictionary = own_dictionary.or_else(|| terms.clone()).expect("ordinals have a dictionary");
            OrdinalColumn::new(NumericColumn::new(max_doc, bytes), dictionary, shared)
        });
        let bytes_of =
            |kinds: &[Kind]| kinds.iter().filter_map(|kind| entry.section(*kind)).map(|b| b.len() as u64).sum();
        Self {
            name: header.name.clone(),
            bytes: bytes_of(&Kind::ALL) + list_bytes,
            held_bytes: bytes_of(&Kind::ALL),
            ordinal_bytes: bytes_of(&[Kind::Ordinals, Kind::OrdinalTerms]),
            ordinals_read: AtomicBool::new(false),
            fielddata: OnceLock::new(),
            stats: header.stats,
            has_freqs: header.freqs,
            has_positions: header.positions,
            norms: section(Kind::Norms).map(|bytes| Norms::new(max_doc, bytes)),
            numeric: section(Kind::Numeric).map(|bytes| NumericColumn::new(max_doc, bytes)),
            points: section(Kind::Points).map(|bytes| Points::new(max_doc, bytes)),
            recorded: section(Kind::Exists).map(|bytes| docset::read(max_doc, bytes)),
            ordinals,
            terms,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn stats(&self) -> FieldStats {
        self.stats
    }

    pub fn terms(&self) -> Option<&Terms> {
        self.terms.as_ref()
    }

    pub fn norms(&self) -> Option<&Norms> {
        self.norms.as_ref()
    }

    pub fn numeric(&self) -> Option<&NumericColumn> {
        self.numeric.as_ref()
    }

    pub fn ordinals(&self) -> Option<&OrdinalColumn> {
        if !self.ordinals_read.load(Ordering::Relaxed) {
            self.ordinals_read.store(true, Ordering::Relaxed);
        }
        self.ordinals.as_ref().or_else(|| self.fielddata.get().map(|(column, _)| column))
    }

    /// The ordinals that stand in the segment's file.
    pub(crate) fn stored_ordinals(&self) -> Option<&OrdinalColumn> {
        self.ordinals.as_ref()
    }

    pub(super) fn has_no_ordinals(&self) -> bool {
        self.ordinals.is_none() && self.fielddata.get().is_none()
    }

    pub(super) fn keep_fielddata(&self, column: OrdinalColumn, bytes: u64) {
        // Whoever was first has made the same.
        let _ = self.fielddata.set((column, bytes));
    }

    /// Bytes of everything that the segment holds of the field.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of the field's ordinals and their dictionary, if anybody has read them since
    /// [`SegmentField::forget_ordinals_read`]; 0 otherwise.
    pub fn ordinal_bytes_read(&self) -> u64 {
        let made = self.fielddata.get().map_or(0, |(_, bytes)| *bytes);
        if self.ordinals_read.load(Ordering::Relaxed) { self.ordinal_bytes + made } else { 0 }
    }

    /// From now on the ordinals count as not read.
    pub fn forget_ordinals_read(&self) {
        self.ordinals_read.store(false, Ordering::Relaxed);
    }

    pub fn points(&self) -> Option<&Points> {
        self.points.as_ref()
    }

    pub fn has_freqs(&self) -> bool {
        self.has_freqs
    }

    pub fn has_positions(&self) -> bool {
        self.has_positions
    }

    /// The documents with any value of this field: by doc values, norms or recorded existence.
    pub fn exists(&self) -> DocIterator {
        self.docs_with_value().map_or_else(DocIterator::empty, DocSet::iter)
    }

    /// How many documents with a value are counted: of a text those with a word, though empty ones are found as well.
    pub fn exists_count(&self) -> u64 {
        if self.norms().is_some() { u64::from(self.stats().doc_count) } else { self.exists().cost() }
    }

    /// The set behind [`SegmentField::exists`]. A field has one of these for all of its documents.
    fn docs_with_value(&self) -> Option<&DocSet> {
        let numeric = self.numeric.as_ref().map(NumericColumn::docs);
        let ordinals = self.ordinals.as_ref().map(OrdinalColumn::docs);
        let norms = self.norms.as_ref().map(Norms::docs);
        numeric.or(ordinals).or(norms).or(self.recorded.as_ref())
    }

    pub(crate) fn recorded(&self) -> Option<&DocSet> {
        self.recorded.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{Postings, Snapshot, TermIter};

    #[test]
    fn what_cores_share_and_suspend_may_cross_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Segment>();
        check::<Snapshot>();
        check::<Postings>();
        check::<TermIter>();
        check::<DocIterator>();
    }
}
