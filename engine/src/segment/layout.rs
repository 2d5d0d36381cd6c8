//! The file of a segment: sections, a directory of them by field, a footer (all numbers little-endian).
//!
//! ```text
//! 0    8  magic "PITHSEG3"
//! 8    4  max_doc
//! 12      sections, one behind the other
//! ...     directory
//! end-24  8  where the directory starts
//!     -16 4  bytes of the directory
//!     -12 4  CRC-32 of the first 12 bytes of the file, the directory and the 12 bytes before this
//!     -8  8  magic "PITHEND1"
//!
//! directory: varint number of fields, then per field in the order of their names:
//!   varint length + bytes   name; empty: sections of the segment as a whole
//!   1                       flags: 1 = frequencies, 2 = positions, 4 = norms
//!   varint varint varint    doc_count, sum_doc_freq, sum_total_term_freq
//!   4                       average field length for which score bounds are recorded (f32)
//!   varint                  number of sections, then per section:
//!     1 varint varint 4       kind, start, bytes, CRC-32
//! ```
//!
//! What a section holds is drawn where it is written. A change of any layout is a new digit in the magic.

use super::{FieldStats, SegmentError};
use crate::codec::varint::{self, Reader};
use crate::pace::Pace;
use crate::{Error, ErrorKind, Result};
use bytes::Bytes;
use std::ops::Range;

const MAGIC: &[u8; 8] = b"PITHSEG3";
const MAGIC_END: &[u8; 8] = b"PITHEND1";
pub(crate) const HEADER_BYTES: usize = 12;
pub(crate) const FOOTER_BYTES: usize = 24;
/// Bytes whose checksum is computed between two ticks.
const CHECKSUM_SLICE_BYTES: usize = 64 << 10;
/// Work units of such a slice.
const CHECKSUM_SLICE_UNITS: u32 = 512;

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Terms = 1,
    Postings = 2,
    Positions = 3,
    Norms = 4,
    Numeric = 5,
    Ordinals = 6,
    OrdinalTerms = 7,
    Points = 8,
    Exists = 9,
    Ids = 10,
    IdTable = 11,
    Stored = 12,
}

impl Kind {
    pub(crate) const ALL: [Kind; 12] = [
        Self::Terms,
        Self::Postings,
        Self::Positions,
        Self::Norms,
        Self::Numeric,
        Self::Ordinals,
        Self::OrdinalTerms,
        Self::Points,
        Self::Exists,
        Self::Ids,
        Self::IdTable,
        Self::Stored,
    ];

    /// What the kind is called where sizes are shown.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Terms => "terms",
            Self::Postings => "postings",
            Self::Positions => "positions",
            Self::Norms => "norms",
            Self::Numeric => "numeric",
            Self::Ordinals => "ordinals",
            Self::OrdinalTerms => "ordinal_terms",
            Self::Points => "points",
            Self::Exists => "exists",
            Self::Ids => "ids",
            Self::IdTable => "id_table",
            Self::Stored => "stored",
        }
    }
}

/// What the directory says of a field, beside its sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FieldHeader {
    pub name: String,
    pub freqs: bool,
    pub positions: bool,
    pub norms: bool,
    pub stats: FieldStats,
    pub bound_avg_len: f32,
}

/// A field and where its sections stand.
#[derive(Clone, Debug)]
pub(crate) struct FieldEntry {
    pub header: FieldHeader,
    sections: Vec<(Kind, Bytes)>,
}

impl FieldEntry {
    pub fn section(&self, kind: Kind) -> Option<&Bytes> {
        self.sections.iter().find(|(k, _)| *k == kind).map(|(_, bytes)| bytes)
    }

    /// The bytes of each section.
    pub fn lens(&self) -> impl Iterator<Item = (Kind, u64)> {
        self.sections.iter().map(|(kind, bytes)| (*kind, bytes.len() as u64))
    }
}

/// Collects the sections of a segment and closes the file.
pub(crate) struct FileWriter {
    out: Vec<u8>,
    fields: Vec<Listed>,
}

/// Where a section stands in the file.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub kind: Kind,
    start: usize,
    len: usize,
    crc: u32,
}

impl Section {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn place(&self) -> Range<u64> {
        self.start as u64..(self.start + self.len) as u64
    }
}

/// Room for what will have about as many bytes. Pages that are never touched cost nothing, while a large buffer that is a little too small is
/// copied as a whole, for tens of milliseconds in which its core does nothing else.
pub(crate) fn roomy(bytes: usize) -> usize {
    bytes + bytes / 8 + (64 << 10)
}

/// A field and where its sections stand, as the directory has them.
pub(crate) type Listed = (FieldHeader, Vec<Section>);

impl FileWriter {
    /// With room for about as many bytes: what grows by itself is copied, and touches twice the memory.
    pub fn with_capacity(max_doc: u32, bytes: usize) -> Self {
        let mut out = Vec::with_capacity(roomy(bytes));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&max_doc.to_le_bytes());
        Self { out, fields: vec![] }
    }

    /// Begins the next field; names must come in ascending order, the empty one first.
    pub fn begin_field(&mut self, header: FieldHeader) {
        assert!(self.fields.last().is_none_or(|(last, _)| last.name < header.name), "fields out of order");
        self.fields.push((header, vec![]));
    }

    /// What is known of the current field may be completed once its sections are written.
    pub fn header(&mut self) -> &mut FieldHeader {
        &mut self.fields.last_mut().expect("a field was begun").0
    }

    /// Adds a section to the current field.
    pub async fn section(&mut self, kind: Kind, bytes: &[u8], pace: &Pace) {
        self.section_of(kind, [bytes], pace).await;
    }

    /// Adds a section that is given in parts.
    pub async fn section_of<'p>(&mut self, kind: Kind, parts: impl IntoIterator<Item = &'p [u8]>, pace: &Pace) {
        let mut crc = crc32fast::Hasher::new();
        let start = self.out.len();
        for slice in parts.into_iter().flat_map(|part| part.chunks(CHECKSUM_SLICE_BYTES)) {
            crc.update(slice);
            self.out.extend_from_slice(slice);
            pace.tick(CHECKSUM_SLICE_UNITS).await;
        }
        let sections = &mut self.fields.last_mut().expect("a field was begun").1;
        debug_assert!(sections.iter().all(|section| section.kind != kind));
        sections.push(Section { kind, start, len: self.out.len() - start, crc: crc.finalize() });
    }

    /// Writes directory and footer.
    pub fn finish(self) -> Vec<u8> {
        let mut out = self.out;
        let start = out.len();
        varint::write(&mut out, self.fields.len() as u64);
        for (header, sections) in &self.fields {
            varint::write_bytes(&mut out, header.name.as_bytes());
            out.push(u8::from(header.freqs) | u8::from(header.positions) << 1 | u8::from(header.norms) << 2);
            varint::write(&mut out, u64::from(header.stats.doc_count));
            varint::write(&mut out, header.stats.sum_doc_freq);
            varint::write(&mut out, header.stats.sum_total_term_freq);
            out.extend_from_slice(&header.bound_avg_len.to_le_bytes());
            varint::write(&mut out, sections.len() as u64);
            for section in sections {
                out.push(section.kind as u8);
                varint::write(&mut out, section.start as u64);
                varint::write(&mut out, section.len as u64);
                out.extend_from_slice(&section.crc.to_le_bytes());
            }
        }
        let len = (out.len() - start) as u32;
        let mut crc = crc32fast::Hasher::new();
        crc.update(&out[..HEADER_BYTES]);
        crc.update(&out[start..]);
        let place = [&(start as u64).to_le_bytes()[..], &len.to_le_bytes()[..]].concat();
        crc.update(&place);
        out.extend_from_slice(&place);
        out.extend_from_slice(&crc.finalize().to_le_bytes());
        out.extend_from_slice(MAGIC_END);
        // It is kept for long.
        out.shrink_to_fit();
        out
    }
}

/// Reads the directory and verifies every checksum. Gives `max_doc` and the fields in order.
pub(crate) async fn read(name: &str, file: &Bytes, pace: &Pace) -> Result<(u32, Vec<FieldEntry>)> {
    let footer = &file[file.len().saturating_sub(FOOTER_BYTES)..];
    let start = directory_start(name, file.len() as u64, footer)? as usize;
    let (max_doc, listed) = read_directory(name, &file[..HEADER_BYTES], start as u64, &file[start..])?;
    let mut fields = Vec::with_capacity(listed.len());
    for (header, sections) in listed {
        let bytes = sections.iter().map(|section| file.slice(section.start..section.start + section.len)).collect();
        fields.push(verify_field(name, (&header, &sections), bytes, pace).await?);
    }
    Ok((max_doc, fields))
}

/// Where the directory of a file of this length starts, by its last [`FOOTER_BYTES`] bytes.
pub(crate) fn directory_start(name: &str, file_len: u64, footer: &[u8]) -> Result<u64> {
    let corrupt = |offset: u64, what: &str| SegmentError { name, offset }.corrupt(what);
    if file_len < (HEADER_BYTES + FOOTER_BYTES) as u64 || footer.len() != FOOTER_BYTES {
        return Err(corrupt(file_len, "segment file is too short"));
    }
    if &footer[FOOTER_BYTES - 8..] != MAGIC_END {
        return Err(corrupt(file_len - 8, "segment file has no end: it was cut"));
    }
    let footer_at = file_len - FOOTER_BYTES as u64;
    let mut reader = Reader::new(footer);
    let (start, len) = (reader.u64().unwrap_or(0), reader.u32().unwrap_or(0));
    if start < HEADER_BYTES as u64 || start.checked_add(len.into()) != Some(footer_at) {
        return Err(corrupt(footer_at, "segment footer does not point at a directory"));
    }
    Ok(start)
}

/// Reads the directory that starts at `start`: `head` are the first bytes of the file, `end` all from `start` to the last.
pub(crate) fn read_directory(name: &str, head: &[u8], start: u64, end: &[u8]) -> Result<(u32, Vec<Listed>)> {
    let corrupt = |offset: u64, what: &str| SegmentError { name, offset }.corrupt(what);
    if !head.starts_with(MAGIC) {
        return Err(corrupt(0, "not a segment file of a known version"));
    }
    let (directory, footer) = end.split_at(end.len() - FOOTER_BYTES);
    let mut found = crc32fast::Hasher::new();
    found.update(head);
    found.update(directory);
    found.update(&footer[..12]);
    if found.finalize().to_le_bytes() != footer[12..16] {
        return Err(corrupt(start, "checksum of the segment directory does not match"));
    }
    let max_doc = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    let mut reader = Reader::new(directory);
    let damaged = |at: usize| corrupt(start + at as u64, "segment directory is damaged");
    let count = reader.varint().ok_or_else(|| damaged(0))?;
    let mut fields = vec![];
    for _ in 0..count {
        let listed = read_field(&mut reader, start).ok_or_else(|| damaged(reader.position()))?;
        fields.push(listed);
    }
    Ok((max_doc, fields))
}

fn read_field(reader: &mut Reader<'_>, sections_end: u64) -> Option<Listed> {
    let name = String::from_utf8(reader.sized()?.to_vec()).ok()?;
    let flags = reader.u8()?;
    let stats = FieldStats {
        doc_count: u32::try_from(reader.varint()?).ok()?,
        sum_doc_freq: reader.varint()?,
        sum_total_term_freq: reader.varint()?,
    };
    let bound_avg_len = f32::from_le_bytes(reader.array()?);
    let mut sections = vec![];
    for _ in 0..reader.varint()? {
        let kind = reader.u8()?;
        let kind = Kind::ALL.into_iter().find(|k| *k as u8 == kind)?;
        let (start, len) = (usize::try_from(reader.varint()?).ok()?, usize::try_from(reader.varint()?).ok()?);
        if start.checked_add(len)? as u64 > sections_end {
            return None;
        }
        sections.push(Section { kind, start, len, crc: reader.u32()? });
    }
    let (freqs, positions, norms) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
    Some((FieldHeader { name, freqs, positions, norms, stats, bound_avg_len }, sections))
}

/// Verifies the content of a field's sections, which stands in `bytes` in their order.
pub(crate) async fn verify_field(
    name: &str,
    (header, places): (&FieldHeader, &[Section]),
    bytes: Vec<Bytes>,
    pace: &Pace,
) -> Result<FieldEntry> {
    let mut sections = Vec::with_capacity(places.len());
    for (section, bytes) in places.iter().zip(bytes) {
        let mut crc = crc32fast::Hasher::new();
        checksum(&mut crc, &bytes, pace).await;
        if bytes.len() != section.len {
            return Err(checksum_error(name, &header.name, section));
        }
        check_section(name, &header.name, section, crc)?;
        sections.push((section.kind, bytes));
    }
    Ok(FieldEntry { header: header.clone(), sections })
}

/// Adds bytes to a checksum, in slices.
pub(super) async fn checksum(crc: &mut crc32fast::Hasher, bytes: &[u8], pace: &Pace) {
    for slice in bytes.chunks(CHECKSUM_SLICE_BYTES) {
        crc.update(slice);
        pace.tick(CHECKSUM_SLICE_UNITS).await;
    }
}

/// Whether the checksum of a section of a field is what the directory says.
pub(super) fn check_section(name: &str, field: &str, section: &Section, crc: crc32fast::Hasher) -> Result<()> {
    if crc.finalize() == section.crc { Ok(()) } else { Err(checksum_error(name, field, section)) }
}

#[cold]
fn checksum_error(name: &str, field: &str, section: &Section) -> Error {
    let Section { kind, start, .. } = section;
    let reason = format!("checksum of {kind:?} of field [{field}] does not match (file [{name}], offset {start})");
    Error::new(ErrorKind::CorruptIndex, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    fn file() -> Bytes {
        let mut writer = FileWriter::with_capacity(7, 0);
        writer.begin_field(FieldHeader::default());
        block_on_ready(writer.section(Kind::Ids, b"ids", &Pace::never()));
        writer.begin_field(FieldHeader { name: "a".into(), freqs: true, ..FieldHeader::default() });
        block_on_ready(writer.section(Kind::Terms, b"terms", &Pace::never()));
        block_on_ready(writer.section(Kind::Postings, b"", &Pace::never()));
        writer.header().stats.doc_count = 5;
        writer.finish().into()
    }

    fn open(bytes: Bytes) -> Result<(u32, Vec<FieldEntry>)> {
        block_on_ready(read("s.seg", &bytes, &Pace::never()))
    }

    #[test]
    fn sections_come_back() {
        let (max_doc, fields) = open(file()).unwrap();
        assert_eq!((max_doc, fields.len()), (7, 2));
        assert_eq!(fields[0].section(Kind::Ids).unwrap(), "ids");
        assert_eq!((&fields[1].header.name[..], fields[1].header.stats.doc_count), ("a", 5));
        assert!(fields[1].header.freqs && !fields[1].header.positions);
        assert_eq!(fields[1].section(Kind::Terms).unwrap(), "terms");
        assert!(fields[1].section(Kind::Norms).is_none());
    }

    #[test]
    fn damage_anywhere_is_noticed_and_named() {
        let good = file();
        for at in 0..good.len() {
            let mut bad = good.to_vec();
            bad[at] ^= 0x10;
            let error = open(bad.into()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptIndex);
            assert!(error.reason().contains("s.seg") && error.reason().contains("offset"), "{error}");
        }
        for len in 0..good.len() {
            assert!(open(good.slice(..len)).is_err());
        }
    }
}
