//! Writes posting lists.
//!
//! A list of one document stands in the dictionary. A list of 2 to 127 documents:
//!
//! ```text
//! per document: varint distance to the document before (the first: the document),
//!               with frequencies: doubled, plus 1 if the frequency is 1, otherwise followed by varint frequency
//! ```
//!
//! A longer list is a row of units. Windows with at least 4,096 documents of the list are each a bitset; what lies between
//! them is cut into blocks of 128, of which the last of each run may hold fewer.
//!
//! ```text
//! varint  number of units
//! per unit:
//!   4  last document
//!   4  where its data starts, from the end of this table
//!   4  bits 0-5 width of distances, 63 for a bitset; 6-11 width of frequencies; 12-19 documents less one (blocks only);
//!      20-27 best tf-norm, see bound (with frequencies)
//!   4  where its positions start, from those of the list (with positions)
//!
//! data of a block:
//!   distances to the document before, less one, packed; frequencies less one, packed (with frequencies)
//!
//! data of a bitset:
//!   4          documents n
//!   128 * 2    documents of the window before each 512
//!   8,192      one bit per document
//!   512        best tf-norm of any of each 128 documents    (with frequencies, as all below)
//!   per group of 128 of its n documents:
//!     4        bits 0-5 width of frequencies, 6-31 where they start, from the end of this table
//!     4        where their positions start, from those of the unit (with positions)
//!   frequencies less one, packed, by group
//! ```
//!
//! Positions are written per group: the documents of a list of fewer than 128, of a block, or of a group of a bitset.
//!
//! ```text
//! per 128 positions of the group: 1 byte width
//! per 128 positions: packed; the first position of each document as it is, others as the distance to the one before
//! ```

use super::bound::{FieldLengths, Ranking};
use super::{RANGE_DOCS, dense};
use crate::codec::packed;
use crate::codec::simd::BLOCK;
use crate::codec::varint;
use crate::segment::WINDOW;
use crate::segment::bits::WINDOW_WORDS;
use crate::segment::layout::roomy;
use crate::segment::terms_writer::TermMeta;

/// Documents in a window from which on it is a bitset.
pub(super) const DENSE_DOCS_MIN: usize = 4_096;
/// The width that marks a bitset.
pub(super) const DENSE_WIDTH: u32 = 63;

/// Writes the lists of a field, term by term.
pub(crate) struct PostingsWriter<'a> {
    freqs: bool,
    positions: bool,
    lengths: &'a FieldLengths,
    /// The sections.
    postings_out: Vec<u8>,
    positions_out: Vec<u8>,
    list: List,
}

/// The list being written.
#[derive(Default)]
struct List {
    doc_freq: u32,
    total_term_freq: u64,
    best: u8,
    ranking: Ranking,
    positions_start: usize,
    units: Vec<Unit>,
    data: Vec<u8>,
    /// Documents that are not yet in a unit: the rest of a run, then those of the current window.
    docs: Vec<u32>,
    freqs: Vec<u32>,
    /// Positions of those documents, as distances.
    positions: Vec<u32>,
    /// Where the current window starts in `docs` and in `positions`.
    window_at: usize,
    window_positions_at: usize,
    last_doc_written: u32,
}

struct Unit {
    last_doc: u32,
    data_at: u32,
    meta: u32,
    positions_at: u32,
}

impl<'a> PostingsWriter<'a> {
    pub fn new(freqs: bool, positions: bool, lengths: &'a FieldLengths) -> Self {
        debug_assert!(freqs || !positions);
        let mut writer =
            Self { freqs, positions, lengths, postings_out: vec![], positions_out: vec![], list: List::default() };
        writer.list.clear(0);
        writer
    }

    /// With room for this much of either section.
    pub fn with_capacity(mut self, postings: usize, positions: usize) -> Self {
        self.postings_out.reserve(roomy(postings));
        self.positions_out.reserve(if self.positions { roomy(positions) } else { 0 });
        self
    }

    /// Adds a document to the current list, with ascending positions (if the field has them; otherwise none).
    pub fn push(&mut self, doc: u32, freq: u32, positions: &[u32]) {
        debug_assert!(freq > 0 && (!self.positions || positions.len() == freq as usize));
        if self.list.docs.last().is_some_and(|last| last / WINDOW != doc / WINDOW) {
            self.end_window();
        }
        let list = &mut self.list;
        debug_assert!(list.docs.last().is_none_or(|last| *last < doc));
        list.doc_freq += 1;
        list.total_term_freq += u64::from(if self.freqs { freq } else { 1 });
        list.docs.push(doc);
        if self.freqs {
            list.freqs.push(freq);
        }
        if self.positions {
            let mut before = 0;
            list.positions
                .extend(positions.iter().map(|position| position - std::mem::replace(&mut before, *position)));
        }
    }

    /// Adds documents that follow each other, with the distances of their positions (of the first one of each document from 0).
    pub fn push_group(&mut self, docs: &[u32], freqs: &[u32], mut distances: &[u32]) {
        let mut freqs = freqs;
        for docs in docs.chunk_by(|a, b| a / WINDOW == b / WINDOW) {
            if self.list.docs.last().is_some_and(|last| last / WINDOW != docs[0] / WINDOW) {
                self.end_window();
            }
            let list = &mut self.list;
            debug_assert!(list.docs.last().is_none_or(|last| *last < docs[0]));
            let (own, rest) = freqs.split_at(docs.len());
            freqs = rest;
            let occurrences: u64 = own.iter().map(|freq| u64::from(*freq)).sum();
            list.doc_freq += docs.len() as u32;
            list.total_term_freq += if self.freqs { occurrences } else { docs.len() as u64 };
            list.docs.extend_from_slice(docs);
            if self.freqs {
                list.freqs.extend_from_slice(own);
            }
            if self.positions {
                let (own, rest) = distances.split_at(occurrences as usize);
                list.positions.extend_from_slice(own);
                distances = rest;
            }
        }
    }

    /// Ends the current list, which has at least one document, and says where it stands.
    pub fn end_term(&mut self) -> TermMeta {
        assert!(self.list.doc_freq > 0, "a term without documents");
        let postings_start = self.postings_out.len();
        let single = self.list.docs.first().copied().unwrap_or(0);
        let mut tenth = 0;
        if self.list.doc_freq < BLOCK as u32 {
            self.write_short();
        } else {
            self.end_window();
            self.write_run(self.list.docs.len());
            self.write_units();
            tenth = self.list.ranking.tenth();
            self.list.ranking.clear();
        }
        let meta = TermMeta {
            doc_freq: self.list.doc_freq,
            total_term_freq: self.list.total_term_freq,
            best: self.list.best,
            tenth,
            single,
            postings_bytes: (self.postings_out.len() - postings_start) as u64,
            positions_bytes: (self.positions_out.len() - self.list.positions_start) as u64,
        };
        self.list.clear(self.positions_out.len());
        meta
    }

    /// The sections of postings and positions.
    pub fn finish(self) -> (Vec<u8>, Vec<u8>) {
        (self.postings_out, self.positions_out)
    }

    fn write_short(&mut self) {
        let list = &mut self.list;
        if self.freqs {
            list.best = self.lengths.best(&list.docs, &list.freqs);
        }
        if self.positions {
            write_positions(&list.positions, &mut self.positions_out);
        }
        if list.doc_freq == 1 {
            return;
        }
        let mut before = 0;
        for (i, doc) in list.docs.iter().enumerate() {
            let distance = u64::from(doc - before);
            before = *doc;
            if !self.freqs {
                varint::write(&mut self.postings_out, distance);
                continue;
            }
            let freq = list.freqs[i];
            varint::write(&mut self.postings_out, distance << 1 | u64::from(freq == 1));
            if freq != 1 {
                varint::write(&mut self.postings_out, u64::from(freq));
            }
        }
    }

    /// Puts the documents of the window into units, except for the rest of a run that may go on in the next window.
    fn end_window(&mut self) {
        let docs = self.list.docs.len();
        if docs - self.list.window_at >= DENSE_DOCS_MIN {
            self.write_run(self.list.window_at);
            self.write_dense();
        } else {
            self.write_run(docs / BLOCK * BLOCK);
        }
        self.list.window_at = self.list.docs.len();
        self.list.window_positions_at = self.list.positions.len();
    }

    /// Writes the first `count` documents as blocks and takes them away.
    fn write_run(&mut self, count: usize) {
        let mut positions_taken = 0;
        for start in (0..count).step_by(BLOCK) {
            let end = (start + BLOCK).min(count);
            positions_taken += self.write_block(start, end, positions_taken);
        }
        let list = &mut self.list;
        list.docs.drain(..count);
        list.freqs.drain(..if self.freqs { count } else { 0 });
        list.positions.drain(..positions_taken);
        list.window_at = list.window_at.saturating_sub(count);
        list.window_positions_at = list.window_positions_at.saturating_sub(positions_taken);
    }

    /// Writes documents `start..end` as a block, and gives the number of their positions, which start at `positions`.
    fn write_block(&mut self, start: usize, end: usize, positions: usize) -> usize {
        let list = &mut self.list;
        let docs = &list.docs[start..end];
        let data_at = offset(list.data.len());
        let mut before = list.last_doc_written;
        let mut distances = [0u64; BLOCK];
        for (distance, doc) in distances.iter_mut().zip(docs) {
            *distance = u64::from(doc.wrapping_sub(before).wrapping_sub(1));
            before = *doc;
        }
        list.last_doc_written = before;
        let distances = &distances[..docs.len()];
        let doc_width = packed::width(distances.iter().copied().max().unwrap_or(0));
        packed::pack(distances.iter().copied(), doc_width, &mut list.data);
        let mut meta = u32::from(doc_width) | (docs.len() as u32 - 1) << 12;
        let mut positions_taken = 0;
        if self.freqs {
            let freqs = &list.freqs[start..end];
            let best = self.lengths.best_ranked(docs, freqs, &mut list.ranking);
            list.best = list.best.max(best);
            let freq_width = write_freqs(freqs, &mut list.data);
            meta |= freq_width << 6 | u32::from(best) << 20;
            positions_taken = freqs.iter().map(|freq| *freq as usize).sum();
        }
        let positions_at = offset(self.positions_out.len() - list.positions_start);
        list.units.push(Unit { last_doc: before, data_at, meta, positions_at });
        if !self.positions {
            return 0;
        }
        write_positions(&list.positions[positions..positions + positions_taken], &mut self.positions_out);
        positions_taken
    }

    /// Writes all documents that are left, which are those of one window, as a bitset.
    fn write_dense(&mut self) {
        let list = &mut self.list;
        let last_doc = *list.docs.last().expect("many documents");
        let data_at = offset(list.data.len());
        let positions_at = self.positions_out.len();
        let mut words = [0u64; WINDOW_WORDS];
        list.docs.iter().for_each(|doc| words[(doc % WINDOW / 64) as usize] |= 1 << (doc % 64));
        dense::write_bits(list.docs.len() as u32, &words, &mut list.data);
        let mut meta = DENSE_WIDTH;
        if self.freqs {
            let mut ranges = [0u8; (WINDOW / RANGE_DOCS) as usize];
            for (doc, freq) in list.docs.iter().zip(&list.freqs) {
                let best = self.lengths.best_ranked(&[*doc], &[*freq], &mut list.ranking);
                let range = &mut ranges[(doc % WINDOW / RANGE_DOCS) as usize];
                *range = best.max(*range);
            }
            let best = ranges.iter().copied().max().unwrap_or(0);
            list.best = list.best.max(best);
            meta |= u32::from(best) << 20;
            list.data.extend_from_slice(&ranges);
            self.write_groups();
        }
        let list = &mut self.list;
        let positions_at = offset(positions_at - list.positions_start);
        list.units.push(Unit { last_doc, data_at, meta, positions_at });
        list.last_doc_written = last_doc;
        list.docs.clear();
        list.freqs.clear();
        list.positions.clear();
    }

    /// Frequencies and positions of a bitset, by groups of 128 documents.
    fn write_groups(&mut self) {
        let list = &mut self.list;
        let positions_start = self.positions_out.len();
        let (mut freqs_out, mut positions_taken) = (vec![], 0);
        for freqs in list.freqs.chunks(BLOCK) {
            let freqs_at = offset(freqs_out.len());
            let width = write_freqs(freqs, &mut freqs_out);
            list.data.extend_from_slice(&(width | freqs_at << 6).to_le_bytes());
            if self.positions {
                let positions_at = offset(self.positions_out.len() - positions_start);
                list.data.extend_from_slice(&positions_at.to_le_bytes());
                let count: usize = freqs.iter().map(|freq| *freq as usize).sum();
                write_positions(&list.positions[positions_taken..positions_taken + count], &mut self.positions_out);
                positions_taken += count;
            }
        }
        list.data.append(&mut freqs_out);
    }

    fn write_units(&mut self) {
        let (list, out) = (&mut self.list, &mut self.postings_out);
        varint::write(out, list.units.len() as u64);
        for unit in &list.units {
            out.extend_from_slice(&unit.last_doc.to_le_bytes());
            out.extend_from_slice(&unit.data_at.to_le_bytes());
            out.extend_from_slice(&unit.meta.to_le_bytes());
            if self.positions {
                out.extend_from_slice(&unit.positions_at.to_le_bytes());
            }
        }
        out.extend_from_slice(&list.data);
    }
}

impl List {
    fn clear(&mut self, positions_start: usize) {
        self.units.clear();
        self.data.clear();
        self.docs.clear();
        self.freqs.clear();
        self.positions.clear();
        (self.doc_freq, self.total_term_freq, self.best) = (0, 0, 0);
        (self.window_at, self.window_positions_at, self.positions_start) = (0, 0, positions_start);
        // The document before the first one, so that its distance less one is its number.
        self.last_doc_written = u32::MAX;
    }
}

/// Packs frequencies less one and gives their width.
fn write_freqs(freqs: &[u32], out: &mut Vec<u8>) -> u32 {
    let less_one = freqs.iter().map(|freq| u64::from(freq - 1));
    let width = packed::width(less_one.clone().max().unwrap_or(0));
    packed::pack(less_one, width, out);
    u32::from(width)
}

fn write_positions(positions: &[u32], out: &mut Vec<u8>) {
    let width = |block: &[u32]| packed::width(block.iter().copied().max().map_or(0, u64::from));
    positions.chunks(BLOCK).for_each(|block| out.push(width(block)));
    positions.chunks(BLOCK).for_each(|block| {
        packed::pack(block.iter().map(|p| u64::from(*p)), width(block), out);
    });
}

/// An offset within a list. Lists of a segment stay far below 4 GiB: a document takes at most a few bytes a position, and
/// segments hold at most a few GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a posting list below 4 GiB")
}
