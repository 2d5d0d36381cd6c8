//! Segments that are read part by part: each part when it is asked for first.
//!
//! Opening one reads the directory, the columns of the engine's own fields and the index of the stored fields. A part is a field with all
//! of its sections but its lists, the ids with their table, one block of stored fields, or the list of one term. Reading waits for the disk,
//! which whoever looks at a segment cannot do: a part that is not there yet looks as if the segment had nothing of the kind (no such field,
//! no id, an empty document, a list of one document), and is noted. Whoever runs a search looks afterwards whether anything was missed
//! meanwhile ([`misses`](super::misses)); if so, what was found counts for nothing, what was missed is read ([`Segment::read_missed`]), and
//! the search begins anew. Each round reads something that none before it had, so this comes to an end.
//!
//! Fields and ids stay as long as the segment does; [`Segment::renewed`] is the same without those that nobody has used. Blocks and
//! lists are kept by the core's [`PartCache`]. Lists are read in pieces of [`CHUNK_BYTES`], those that do not lie in one of them by themselves.
//!
//! Checksums are verified as parts are read, but for lists, and for blocks of stored fields, which have their own. Lists are read out
//! of sections whose checksum was right when the file was written, or read as a whole.

use super::SegmentError;
use super::ids::Ids;
use super::layout::{self, FOOTER_BYTES, HEADER_BYTES, Kind, Listed, Section};
use super::parts::{PartCache, PartKey, add_misses};
use super::segment::{FieldSlot, PRIMARY_TERM, Parts, SEQ_NO, SectionBytes, Segment, SegmentField, VERSION};
use super::stored::{self, Stored};
use crate::Result;
use crate::join::join_all;
use crate::pace::Pace;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes at the end of the file that are read first: the directory is hardly ever longer.
const END_BYTES: u64 = 16 << 10;

/// Lists that lie in a piece of so many bytes are read with it: those of terms that stand beside each other are often wanted together.
const CHUNK_BYTES: u64 = 16 << 10;

/// What lies no farther apart is read in one go.
const GAP_BYTES_MAX: u64 = 16 << 10;

/// Most bytes that are read in one go for several parts.
const RUN_BYTES_MAX: u64 = 1 << 20;

/// How many reads are under way at a time.
const READS_AT_ONCE: usize = 32;

/// How many parts a segment notes before it is asked to read them: what a search finds missing beyond them is found in the next round.
const WANTED_MAX: usize = 4_096;

/// The number of the segment that is opened next.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// What is to be read of a segment yet.
pub(super) struct Partial {
    file_len: u64,
    /// The sections of the segment as a whole.
    whole: Listed,
    /// In the order of the segment's fields.
    fields: Vec<Listed>,
    source: Arc<PartSource>,
}

/// Where the parts of a segment are that its core may forget again.
pub(super) struct PartSource {
    number: u64,
    cache: Arc<PartCache>,
    /// Parts that were asked for and were not there.
    wanted: Mutex<BTreeSet<Part>>,
}

/// Bytes of one section that are read when they are asked for.
#[derive(Clone)]
pub(crate) struct PartSection {
    source: Arc<PartSource>,
    section: u32,
    len: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Ids,
    /// By its place among the fields.
    Field(usize),
    /// Bytes of a section, see [`section_number`].
    Bytes {
        section: u32,
        start: u64,
        len: u64,
    },
}

/// The number of a section: of the segment as a whole, or of the field at a place.
fn section_number(field: Option<usize>, kind: Kind) -> u32 {
    (field.map_or(0, |at| at as u32 + 1) << 4) | kind as u32
}

impl PartSource {
    #[cold]
    fn missed(&self, part: Part) {
        // Where the lock is taken, the part is missed again in the next round.
        if let Ok(mut wanted) = self.wanted.try_lock()
            && wanted.len() < WANTED_MAX
        {
            wanted.insert(part);
        }
        add_misses(1);
    }
}

impl PartSection {
    pub fn len(&self) -> u64 {
        self.len
    }

    /// The bytes of a range, if they have been read.
    pub fn find(&self, range: Range<u64>) -> Option<Bytes> {
        let chunk = range.start / CHUNK_BYTES * CHUNK_BYTES;
        let chunk_end = (chunk + CHUNK_BYTES).min(self.len);
        if range.end > chunk_end {
            return self.find_whole(range);
        }
        let bytes = self.find_whole(chunk..chunk_end)?;
        Some(bytes.slice((range.start - chunk) as usize..(range.end - chunk) as usize))
    }

    /// The same, of a range that is read by itself.
    pub fn find_whole(&self, range: Range<u64>) -> Option<Bytes> {
        if range.is_empty() {
            return Some(Bytes::new());
        }
        let (start, len) = (range.start, range.end - range.start);
        let key = PartKey { segment: self.source.number, section: self.section, start, len };
        let found = self.source.cache.find(key);
        if found.is_none() {
            self.source.missed(Part::Bytes { section: self.section, start, len });
        }
        found
    }
}

impl Partial {
    fn section(&self, kind: Kind) -> Option<&Section> {
        self.whole.1.iter().find(|section| section.kind == kind)
    }

    /// The section of a number.
    fn numbered(&self, number: u32) -> Option<&Section> {
        let (_, sections) = match (number >> 4).checked_sub(1) {
            None => &self.whole,
            Some(at) => self.fields.get(at as usize)?,
        };
        sections.iter().find(|section| section.kind as u32 == number & 15)
    }

    /// The sections that ids are found by.
    fn ids(&self) -> Vec<Section> {
        [Kind::Ids, Kind::IdTable].into_iter().filter_map(|kind| self.section(kind)).cloned().collect()
    }

    pub fn file_len(&self) -> u64 {
        self.file_len
    }

    /// Bytes of all sections of the field at a place.
    pub fn field_bytes(&self, at: usize) -> u64 {
        self.fields[at].1.iter().map(|section| section.len() as u64).sum()
    }
}

impl Segment {
    /// Opens a segment whose file of `file_len` bytes is read, by `read`, when its parts are asked for. What it may forget again is kept by `cache`.
    pub async fn open_partly(
        name: &str,
        file_len: u64,
        cache: &Arc<PartCache>,
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
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let source = Arc::new(PartSource { number, cache: cache.clone(), wanted: Mutex::default() });
        let partial = Partial { file_len, whole, fields: listed.collect(), source };
        let lacks = || corrupt("segment without ids or stored fields");
        partial.section(Kind::Ids).and(partial.section(Kind::IdTable)).ok_or_else(lacks)?;
        let place = partial.section(Kind::Stored).ok_or_else(lacks)?;
        let stored = open_stored(max_doc, place, &partial.source, &read, pace).await?;
        let stored = stored.ok_or_else(|| corrupt("index of the stored fields is damaged"))?;
        let mut fields = Vec::with_capacity(partial.fields.len());
        for at in 0..partial.fields.len() {
            let field_name = partial.fields[at].0.name.clone();
            let held = match [SEQ_NO, VERSION, PRIMARY_TERM].contains(&field_name.as_str()) {
                true => partial.read_field(name, max_doc, at, &read, pace).await?.into(),
                false => OnceLock::new(),
            };
            fields.push(FieldSlot { name: field_name, held, used: AtomicBool::new(false) });
        }
        let (name, bytes, ids, partial) = (name.to_owned(), Bytes::new(), OnceLock::new(), Some(Arc::new(partial)));
        Self::of(Parts { name, bytes, max_doc, ids, stored: Arc::new(stored), fields, section_bytes, partial }, pace)
            .await
    }

    /// Whether it is read part by part.
    pub fn is_partial(&self) -> bool {
        self.partial.is_some()
    }

    /// Reads what was asked for and was not there. Gives those of the parts that may be forgotten again as soon as nobody has them.
    pub async fn read_missed(
        &self,
        read: impl AsyncFn(Range<u64>) -> Result<Bytes>,
        pace: &Pace,
    ) -> Result<Vec<Bytes>> {
        let Some(partial) = &self.partial else { return Ok(vec![]) };
        let wanted = partial.source.wanted.try_lock().map(|mut wanted| std::mem::take(&mut *wanted));
        let (mut ranges, mut fields) = (vec![], vec![]);
        for part in wanted.unwrap_or_default() {
            match part {
                Part::Field(at) => fields.push(at),
                Part::Ids => self.read_ids(&read, pace).await?,
                Part::Bytes { section, start, len } => {
                    let Some(place) = partial.numbered(section).map(Section::place) else { continue };
                    let key = PartKey { segment: partial.source.number, section, start, len };
                    ranges.push((place.start + start..place.start + start + len, key));
                }
            }
        }
        fields.retain(|at| self.fields[*at].held.get().is_none());
        for some in fields.chunks(READS_AT_ONCE) {
            let reading = some.iter().map(|at| partial.read_field(&self.name, self.max_doc(), *at, &read, pace));
            for (at, field) in some.iter().zip(join_all(reading).await) {
                // Another search may have read it meanwhile: then that is what stays.
                let _ = self.fields[*at].held.set(field?);
            }
        }
        partial.read_parts(ranges, &read, pace).await
    }

    /// Reads all of the file and compares its checksums.
    pub async fn verify(&self, read: impl AsyncFn(Range<u64>) -> Result<Bytes>, pace: &Pace) -> Result<()> {
        let Some(partial) = &self.partial else { return Ok(()) };
        for (header, sections) in std::iter::once(&partial.whole).chain(&partial.fields) {
            for section in sections {
                let (place, mut crc) = (section.place(), crc32fast::Hasher::new());
                for start in place.clone().step_by(RUN_BYTES_MAX as usize) {
                    let bytes = read(start..(start + RUN_BYTES_MAX).min(place.end)).await?;
                    layout::checksum(&mut crc, &bytes, pace).await;
                }
                layout::check_section(&self.name, &header.name, section, crc)?;
            }
        }
        Ok(())
    }

    /// Reads the ids, unless that has been done.
    pub async fn read_ids(&self, read: impl AsyncFn(Range<u64>) -> Result<Bytes>, pace: &Pace) -> Result<()> {
        let Some(partial) = self.partial.as_ref().filter(|_| self.ids.get().is_none()) else { return Ok(()) };
        let entry = read_entry(&self.name, &partial.whole.0, partial.ids(), &read, pace).await?;
        if let (Some(ids), Some(table)) = (entry.section(Kind::Ids), entry.section(Kind::IdTable)) {
            // As with fields: what is there already stays.
            let _ = self.ids.set(Arc::new(Ids::new(self.max_doc(), ids.clone(), table.clone())));
        }
        Ok(())
    }

    /// The field at a place, if it has been read.
    #[inline]
    pub(super) fn held(&self, at: usize) -> Option<&SegmentField> {
        let slot = &self.fields[at];
        let held = slot.held.get();
        if let Some(partial) = &self.partial {
            match held {
                None => partial.source.missed(Part::Field(at)),
                Some(_) if !slot.used.load(Ordering::Relaxed) => slot.used.store(true, Ordering::Relaxed),
                Some(_) => {}
            }
        }
        held.map(|field| &**field)
    }

    /// The ids, if they have been read.
    #[inline]
    pub(super) fn held_ids(&self) -> Option<&Ids> {
        let ids = self.ids.get();
        if let (None, Some(partial)) = (ids, &self.partial) {
            partial.source.missed(Part::Ids);
        }
        ids.map(|ids| &**ids)
    }
}

impl Partial {
    async fn read_field(
        &self,
        name: &str,
        max_doc: u32,
        at: usize,
        read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
        pace: &Pace,
    ) -> Result<Arc<SegmentField>> {
        let (header, sections) = &self.fields[at];
        let is_list = |section: &Section| matches!(section.kind, Kind::Postings | Kind::Positions);
        let (lists, others): (Vec<Section>, Vec<Section>) = sections.iter().cloned().partition(is_list);
        let list = |kind| {
            let found = lists.iter().find(|section| section.kind == kind);
            let (section, len) = (section_number(Some(at), kind), found.map_or(0, |section| section.len() as u64));
            PartSection { source: self.source.clone(), section, len }
        };
        let entry = read_entry(name, header, others, read, pace).await?;
        Ok(Arc::new(SegmentField::new(max_doc, &entry, Some([list(Kind::Postings), list(Kind::Positions)]))))
    }

    /// Reads ranges of the file and keeps what stands in them.
    async fn read_parts(
        &self,
        mut ranges: Vec<(Range<u64>, PartKey)>,
        read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
        pace: &Pace,
    ) -> Result<Vec<Bytes>> {
        ranges.sort_unstable_by_key(|(range, _)| range.start);
        let mut runs: Vec<(Range<u64>, usize)> = vec![];
        for (range, _) in &ranges {
            match runs.last_mut() {
                Some((run, count))
                    if range.start <= run.end + GAP_BYTES_MAX
                        && range.end.max(run.end) - run.start <= RUN_BYTES_MAX =>
                {
                    run.end = run.end.max(range.end);
                    *count += 1;
                }
                _ => runs.push((range.clone(), 1)),
            }
        }
        let mut held = Vec::with_capacity(ranges.len());
        let mut parts = ranges.into_iter();
        for some in runs.chunks(READS_AT_ONCE) {
            let contents = join_all(some.iter().map(|(run, _)| read(run.clone()))).await;
            for ((run, count), content) in some.iter().zip(contents) {
                let content = content?;
                for (range, key) in parts.by_ref().take(*count) {
                    let within = (range.start - run.start) as usize..(range.end - run.start) as usize;
                    // A copy, unless it is all: the part is to keep no more memory than its own.
                    let part = match *count {
                        1 => content.clone(),
                        _ => Bytes::copy_from_slice(&content[within]),
                    };
                    self.source.cache.keep(key, part.clone());
                    held.push(part);
                    pace.tick(8).await;
                }
            }
        }
        Ok(held)
    }
}

/// The stored fields of the section `place`, without their blocks.
async fn open_stored(
    max_doc: u32,
    section: &Section,
    source: &Arc<PartSource>,
    read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
    pace: &Pace,
) -> Result<Option<Stored>> {
    let place = section.place();
    let len = place.end - place.start;
    if len < stored::HEADER_BYTES as u64 {
        return Ok(None);
    }
    let header = read(place.start..place.start + stored::HEADER_BYTES as u64).await?;
    let Some(header) = header.first_chunk() else { return Ok(None) };
    let Some(index) = Stored::index_start(header, len) else { return Ok(None) };
    let end = read(place.start + index..place.end).await?;
    let blocks = PartSection { source: source.clone(), section: section_number(None, Kind::Stored), len };
    Ok(Stored::without_blocks(max_doc, header, index, end, blocks, pace).await)
}

async fn read_entry(
    name: &str,
    header: &layout::FieldHeader,
    sections: Vec<Section>,
    read: &impl AsyncFn(Range<u64>) -> Result<Bytes>,
    pace: &Pace,
) -> Result<layout::FieldEntry> {
    let read = join_all(sections.iter().map(|section| read(section.place()))).await;
    let bytes = read.into_iter().collect::<Result<Vec<Bytes>>>()?;
    layout::verify_field(name, (header, &sections), bytes, pace).await
}
