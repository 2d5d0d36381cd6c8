//! Segments that are read part by part: each part when it is asked for first.
//!
//! Opening one reads the directory, the columns of the engine's own fields and the index of the stored fields. A part is a field with all
//! of its sections, the ids with their table, or one block of stored fields. Reading waits for the disk, which whoever looks at a segment
//! cannot do: a part that is not there yet looks as if the segment had nothing of the kind (no such field, no id, an empty document), and is
//! noted. Whoever runs a search looks afterwards whether anything was missed meanwhile ([`Snapshot::misses`]); if so, what was found
//! counts for nothing, what was missed is read ([`Segment::read_missed`]), and the search begins anew. Each round reads something that none
//! before it had, so this comes to an end.
//!
//! Checksums are verified as parts are read, but for blocks of stored fields: those have none of their own. They are bounded and
//! decoded with care; whether they are what was written is known when all of the file has been read.

use super::ids::Ids;
use super::layout::{self, FOOTER_BYTES, HEADER_BYTES, Kind, Listed, Section};
use super::segment::{FieldSlot, PRIMARY_TERM, Parts, SEQ_NO, SectionBytes, Segment, SegmentField, VERSION};
use super::stored::{self, Stored};
use super::{SegmentError, Snapshot};
use crate::Result;
use crate::pace::Pace;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes at the end of the file that are read first: the directory is hardly ever longer.
const END_BYTES: u64 = 16 << 10;

/// What is to be read of a segment yet.
pub(super) struct Partial {
    /// The sections of the segment as a whole.
    whole: Listed,
    /// In the order of the segment's fields.
    fields: Vec<Listed>,
    /// Parts that were asked for and were not there.
    wanted: Mutex<BTreeSet<Part>>,
    /// How often that was so.
    misses: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Ids,
    /// By its place among the fields.
    Field(usize),
    /// A block of stored fields.
    Block(usize),
}

impl Partial {
    fn section(&self, kind: Kind) -> Option<&Section> {
        self.whole.1.iter().find(|section| section.kind == kind)
    }

    #[cold]
    fn missed(&self, part: Part) {
        if let Ok(mut wanted) = self.wanted.lock() {
            wanted.insert(part);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
    }
}

impl Segment {
    /// Opens a segment whose file of `file_len` bytes is read, by `read`, when its parts are asked for.
    pub async fn open_partly(
        name: &str,
        file_len: u64,
        read: impl AsyncFn(Range<u64>) -> Result<Bytes>,
        pace: &Pace,
    ) -> Result<Arc<Segment>> {
        let corrupt = |what: &str| SegmentError { name, offset: 0 }.corrupt(what);
        let end_at = file_len.saturating_sub(END_BYTES);
        let mut end = read(end_at..file_len).await?;
        let start = layout::directory_start(name, file_len, &end[end.len().saturating_sub(FOOTER_BYTES)..])?;
        match start.checked_sub(end_at) {
            Some(at) => end = end.slice(at as usize..),
            None => end = read(start..file_len).await?,
        }
        let head = read(0..HEADER_BYTES as u64).await?;
        let (max_doc, listed) = layout::read_directory(name, &head, start, &end)?;
        let mut section_bytes = SectionBytes::default();
        for (_, sections) in &listed {
            section_bytes.add(sections.iter().map(|section| (section.kind, section.len() as u64)));
        }
        let mut listed = listed.into_iter();
        let whole = listed.next().filter(|(header, _)| header.name.is_empty());
        let whole = whole.ok_or_else(|| corrupt("segment without its own sections"))?;
        let (wanted, misses) = (Mutex::default(), AtomicU64::new(0));
        let partial = Partial { whole, fields: listed.collect(), wanted, misses };
        let lacks = || corrupt("segment without ids or stored fields");
        partial.section(Kind::Ids).and(partial.section(Kind::IdTable)).ok_or_else(lacks)?;
        let place = partial.section(Kind::Stored).ok_or_else(lacks)?.place();
        let stored = open_stored(max_doc, place, &read, pace).await?;
        let stored = stored.ok_or_else(|| corrupt("index of the stored fields is damaged"))?;
        let mut fields = Vec::with_capacity(partial.fields.len());
        for listed in &partial.fields {
            let field_name = listed.0.name.clone();
            let held = match [SEQ_NO, VERSION, PRIMARY_TERM].contains(&field_name.as_str()) {
                true => read_field(name, max_doc, listed, &read, pace).await?.into(),
                false => OnceLock::new(),
            };
            fields.push(FieldSlot { name: field_name, held });
        }
        let (name, bytes, ids, partial) = (name.to_owned(), Bytes::new(), OnceLock::new(), Some(partial));
        Self::of(Parts { name, bytes, max_doc, ids, stored, fields, section_bytes, partial }, pace).await
    }

    /// How often something was asked for that had not been read.
    pub fn misses(&self) -> u64 {
        self.partial.as_ref().map_or(0, |partial| partial.misses.load(Ordering::Relaxed))
    }

    /// Reads what was asked for and was not there.
    pub async fn read_missed(&self, read: impl AsyncFn(Range<u64>) -> Result<Bytes>, pace: &Pace) -> Result<()> {
        let Some(partial) = &self.partial else { return Ok(()) };
        let wanted = partial.wanted.lock().map(|mut wanted| std::mem::take(&mut *wanted)).unwrap_or_default();
        // Another search may have read any of them meanwhile: then that is what stays.
        for part in wanted {
            match part {
                Part::Field(at) => {
                    let field = read_field(&self.name, self.max_doc(), &partial.fields[at], &read, pace).await?;
                    let _ = self.fields[at].held.set(field);
                }
                Part::Ids => {
                    let entry = read_entry(&self.name, &partial.whole.0, partial.ids(), &read, pace).await?;
                    if let (Some(ids), Some(table)) = (entry.section(Kind::Ids), entry.section(Kind::IdTable)) {
                        let _ = self.ids.set(Ids::new(self.max_doc(), ids.clone(), table.clone()));
                    }
                }
                Part::Block(block) => {
                    let start = partial.section(Kind::Stored).map_or(0, |section| section.place().start);
                    let place = self.stored.place(block);
                    let bytes = read(start + place.start as u64..start + place.end as u64).await?;
                    self.stored.add_block(block, bytes);
                }
            }
        }
        Ok(())
    }

    /// The field at a place, if it has been read.
    #[inline]
    pub(super) fn held(&self, at: usize) -> Option<&SegmentField> {
        let held = self.fields[at].held.get();
        if held.is_none() {
            self.missed(Part::Field(at));
        }
        held
    }

    /// The ids, if they have been read.
    #[inline]
    pub(super) fn read_ids(&self) -> Option<&Ids> {
        let ids = self.ids.get();
        if ids.is_none() {
            self.missed(Part::Ids);
        }
        ids
    }

    /// Whether what is stored of the document has been read.
    #[inline]
    pub(super) fn has_stored(&self, doc: u32) -> bool {
        if self.partial.is_none() {
            return true;
        }
        let block = self.stored.block_of(doc);
        let has = self.stored.has(block);
        if !has {
            self.missed(Part::Block(block));
        }
        has
    }

    fn missed(&self, part: Part) {
        if let Some(partial) = &self.partial {
            partial.missed(part);
        }
    }
}

impl Partial {
    /// The sections that ids are found by.
    fn ids(&self) -> Vec<Section> {
        [Kind::Ids, Kind::IdTable].into_iter().filter_map(|kind| self.section(kind)).cloned().collect()
    }
}

impl Snapshot {
    /// How often something was asked for, in any segment, that had not been read.
    #[inline]
    pub fn misses(&self) -> u64 {
        self.segments.iter().map(|view| view.segment.misses()).sum()
    }
}

/// The stored fields whose section stands at `place`, without their blocks.
async fn open_stored(
    max_doc: u32,
    place: Range<u64>,
    read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
    pace: &Pace,
) -> Result<Option<Stored>> {
    let len = place.end - place.start;
    if len < stored::HEADER_BYTES as u64 {
        return Ok(None);
    }
    let header = read(place.start..place.start + stored::HEADER_BYTES as u64).await?;
    let Some(header) = header.first_chunk() else { return Ok(None) };
    let Some(index) = Stored::index_start(header, len) else { return Ok(None) };
    let end = read(place.start + index..place.end).await?;
    Ok(Stored::without_blocks(max_doc, header, index, end, pace).await)
}

async fn read_field(
    name: &str,
    max_doc: u32,
    (header, sections): &Listed,
    read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
    pace: &Pace,
) -> Result<SegmentField> {
    let entry = read_entry(name, header, sections.clone(), read, pace).await?;
    Ok(SegmentField::new(max_doc, &entry))
}

async fn read_entry(
    name: &str,
    header: &layout::FieldHeader,
    sections: Vec<Section>,
    read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
    pace: &Pace,
) -> Result<layout::FieldEntry> {
    let mut bytes = Vec::with_capacity(sections.len());
    for section in &sections {
        bytes.push(read(section.place()).await?);
    }
    layout::verify_field(name, (header, &sections), bytes, pace).await
}
