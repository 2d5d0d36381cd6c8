//! A buffer becomes a segment.

use super::buffer::Buffer;
use super::field::{FieldBuffer, Inverted, JUMP, PACED, gathered};
use super::merge::{DocMap, merge_in_order};
use super::sort::sort_paced;
use crate::Result;
use crate::mapping::IndexSort;
use crate::pace::{Pace, zeros};
use crate::segment::{
    FieldHeader, FieldLengths, FieldStats, FileWriter, Kind, LiveDocs, PRIMARY_TERM, PostingsWriter, SEQ_NO, Segment,
    SegmentView, TermMeta, TermsWriter, VERSION, docset, norms, numeric, points,
};
use std::sync::Arc;

/// Makes the bytes of a segment of a buffer. The live docs are those at the end of the call, `None` if all are live.
///
/// The buffer can be read, and documents of it deleted, meanwhile; add no documents.
pub async fn seal(buffer: &Buffer, name: &str, pace: &Pace) -> Result<(Vec<u8>, Option<LiveDocs>)> {
    let max_doc = buffer.doc_count();
    // A segment is smaller than the buffer was. What grows to its size instead is copied several times, at once each.
    let mut file = FileWriter::with_capacity(max_doc, buffer.memory_bytes());
    file.begin_field(FieldHeader::default());
    file.section(Kind::Ids, &buffer.ids.section(pace).await, pace).await;
    let key = u64::from(crc32fast::hash(name.as_bytes()));
    let table =
        buffer.ids.table(key, |doc| buffer.aborted.binary_search(&doc).is_ok() || !buffer.is_root(doc), pace).await;
    file.section(Kind::IdTable, &table, pace).await;
    let (head, tail) = buffer.stored.section(pace).await;
    file.section_of(Kind::Stored, buffer.stored.around_blocks(&head, &tail), pace).await;
    let mut fields: Vec<&FieldBuffer> = buffer.fields.iter().collect();
    fields.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    for field in fields {
        seal_field(field, max_doc, &mut file, pace).await;
    }
    let bytes = file.finish();
    let deleted = buffer.deleted();
    let live = (!deleted.is_empty()).then(|| LiveDocs::all(max_doc).delete(&deleted));
    Ok((bytes, live))
}

/// The same with documents ordered by `sort`. Tells where they went, if that is elsewhere: deleted ones are left out then.
pub async fn seal_in_order(
    buffer: &Buffer,
    name: &str,
    sort: Option<&IndexSort>,
    pace: &Pace,
) -> Result<(Vec<u8>, Option<LiveDocs>, Option<DocMap>)> {
    let (bytes, live) = seal(buffer, name, pace).await?;
    let Some(sort) = sort else { return Ok((bytes, live, None)) };
    let segment = Segment::open(name, bytes.into())?;
    let view = SegmentView { segment, live: live.map(Arc::new) };
    if view.live_count() == 0 {
        return Ok((view.segment.bytes().to_vec(), view.live.map(|live| (*live).clone()), None));
    }
    let (bytes, map) = merge_in_order(name, &[view], Some(sort), pace).await?;
    Ok((bytes, None, Some(map)))
}

async fn seal_field(field: &FieldBuffer, max_doc: u32, file: &mut FileWriter, pace: &Pace) {
    file.begin_field(FieldHeader { name: field.name.to_string(), ..FieldHeader::default() });
    let order = field.terms.sorted(pace).await;
    if let Some(inverted) = &field.inverted {
        seal_inverted(field, inverted, &order, max_doc, file, pace).await;
    }
    if !field.ordinals.is_empty() {
        seal_ordinals(field, &order, max_doc, file, pace).await;
    }
    // Metadata has its columns even where there is no document.
    let mut numbers = field.all_numbers(pace).await;
    if !numbers.is_empty() || [SEQ_NO, VERSION, PRIMARY_TERM].contains(&&*field.name) {
        sort_values(&mut numbers, pace).await;
        file.section(Kind::Numeric, &numeric::write(max_doc, &numbers, pace).await, pace).await;
    }
    if !field.points.is_empty() {
        let mut pairs = gathered(&field.points, pace).await;
        sort_paced(&mut pairs, |a, b| a < b, pace).await;
        pairs.dedup();
        file.section(Kind::Points, &points::write(max_doc, &pairs, pace).await, pace).await;
    }
    if !field.exists.is_empty() {
        file.section(
            Kind::Exists,
            &docset::write_section(max_doc, &gathered(&field.exists, pace).await, pace).await,
            pace,
        )
        .await;
    }
}

/// Sorts the values of each document; the documents are in order.
async fn sort_values<T: Ord + Copy>(values: &mut [(u32, T)], pace: &Pace) {
    for own in values.chunk_by_mut(|a, b| a.0 == b.0) {
        if own.len() > 1 {
            own.sort_unstable();
        }
        pace.tick(own.len() as u32 / 8 + 1).await;
    }
}

async fn seal_inverted(
    field: &FieldBuffer,
    inverted: &Inverted,
    order: &[u32],
    max_doc: u32,
    file: &mut FileWriter,
    pace: &Pace,
) {
    let header = file.header();
    (header.freqs, header.positions, header.norms) = (inverted.freqs, inverted.positions, inverted.norms);
    header.stats.doc_count = inverted.docs.len() as u32;
    header.bound_avg_len = inverted.tokens as f32 / (inverted.docs.len() as f32).max(1.0);
    let mut lengths = FieldLengths::without_norms(header.bound_avg_len);
    if inverted.norms {
        let average = header.bound_avg_len;
        let mut by_doc = zeros(max_doc as usize, pace).await;
        let docs = gathered(&inverted.norm_docs, pace).await;
        let values = gathered(&inverted.norm_values, pace).await;
        for (docs, values) in docs.chunks(PACED).zip(values.chunks(PACED)) {
            docs.iter().zip(values).for_each(|(doc, norm)| by_doc[*doc as usize] = *norm);
            pace.tick(docs.len() as u32 / 8).await;
        }
        lengths = FieldLengths::new(by_doc, average);
        file.section(Kind::Norms, &norms::write(max_doc, &docs, &values, pace).await, pace).await;
    }
    let by_term = distribute(inverted, field.terms.len(), order, pace).await;
    let mut terms =
        TermsWriter::with_postings(inverted.freqs, inverted.positions).with_capacity(field.terms.memory_bytes());
    // An occurrence takes a byte or two of either section.
    let (freqs, positions, room) = (inverted.freqs, inverted.positions, by_term.docs.len() * 2);
    let mut postings = PostingsWriter::new(freqs, positions, &lengths).with_capacity(room, room);
    let mut stats = FieldStats { doc_count: inverted.docs.len() as u32, ..FieldStats::default() };
    let mut start = 0;
    for id in order {
        let end = by_term.ends[*id as usize] as usize;
        if start == end {
            continue;
        }
        let docs = &by_term.docs[start..end];
        let positions = if inverted.positions { &by_term.positions[start..end] } else { &[] };
        let meta = push_list(&mut postings, docs, positions, pace).await;
        stats.sum_doc_freq += u64::from(meta.doc_freq);
        stats.sum_total_term_freq += meta.total_term_freq;
        terms.push(field.terms.get(*id), &meta);
        start = end;
    }
    file.header().stats = stats;
    let (postings, positions) = postings.finish();
    file.section(Kind::Terms, &terms.finish(), pace).await;
    file.section(Kind::Postings, &postings, pace).await;
    if inverted.positions {
        file.section(Kind::Positions, &positions, pace).await;
    }
}

/// Writes the list of one term, given a document per occurrence.
async fn push_list(postings: &mut PostingsWriter<'_>, docs: &[u32], positions: &[u32], pace: &Pace) -> TermMeta {
    let mut at = 0;
    for own in docs.chunk_by(|a, b| a == b) {
        let end = at + own.len();
        let positions = if positions.is_empty() { &[] } else { &positions[at..end] };
        postings.push(own[0], own.len() as u32, positions);
        at = end;
        pace.tick(1).await;
    }
    postings.end_term()
}

/// Occurrences by term, in the order of the terms.
struct ByTerm {
    /// The document of each occurrence, and its position (if the field has them).
    docs: Vec<u32>,
    positions: Vec<u32>,
    /// Where the occurrences of each term end, by number of the term.
    ends: Vec<u32>,
}

/// Distributes the log over the terms. Within a term documents and positions keep their order.
async fn distribute(inverted: &Inverted, terms: usize, order: &[u32], pace: &Pace) -> ByTerm {
    let mut counts: Vec<u32> = zeros(terms, pace).await;
    for slice in inverted.log.chunks(PACED) {
        slice.iter().filter(|entry| **entry & JUMP == 0).for_each(|id| counts[*id as usize] += 1);
        pace.tick(slice.len() as u32 / 4).await;
    }
    let mut next = 0;
    for id in order {
        // The count of a term gives way to where its occurrences start.
        next += std::mem::replace(&mut counts[*id as usize], next);
        pace.tick(1).await;
    }
    let mut by_term = ByTerm {
        docs: zeros(next as usize, pace).await,
        positions: zeros(if inverted.positions { next as usize } else { 0 }, pace).await,
        ends: counts,
    };
    let mut start = 0;
    for (doc, end) in inverted.docs.iter() {
        by_term.add_doc(doc, inverted.log.slices(start..end));
        pace.tick((end - start) as u32).await;
        start = end;
    }
    by_term
}

impl ByTerm {
    fn add_doc<'a>(&mut self, doc: u32, log: impl Iterator<Item = &'a [u32]>) {
        if self.positions.is_empty() {
            for id in log.flatten() {
                let at = &mut self.ends[*id as usize];
                self.docs[*at as usize] = doc;
                *at += 1;
            }
            return;
        }
        // One more than the position of the last token.
        let (mut next, mut distance) = (0u32, 1);
        for entry in log.flatten() {
            if entry & JUMP != 0 {
                distance = entry & !JUMP;
                continue;
            }
            next += std::mem::replace(&mut distance, 1);
            let at = &mut self.ends[*entry as usize];
            self.docs[*at as usize] = doc;
            self.positions[*at as usize] = next - 1;
            *at += 1;
        }
    }
}

async fn seal_ordinals(field: &FieldBuffer, order: &[u32], max_doc: u32, file: &mut FileWriter, pace: &Pace) {
    /// The work units of [`PACED`] entries.
    const SLICE_UNITS: u32 = 128;
    let (mut used, mut indexed) = (vec![false; field.terms.len()], vec![false; field.terms.len()]);
    for slice in field.ordinals.chunks(PACED) {
        slice.iter().for_each(|(_, id)| used[*id as usize] = true);
        pace.tick(SLICE_UNITS).await;
    }
    for slice in field.inverted.iter().flat_map(|inverted| inverted.log.chunks(PACED)) {
        slice.iter().filter(|entry| **entry & JUMP == 0).for_each(|id| indexed[*id as usize] = true);
        pace.tick(SLICE_UNITS).await;
    }
    let mut ord_of = vec![0u32; field.terms.len()];
    let mut dictionary = TermsWriter::keys_only();
    let shared = used == indexed;
    for (ord, id) in (0..).zip(order.iter().filter(|id| used[**id as usize])) {
        if !shared {
            dictionary.push(field.terms.get(*id), &TermMeta::default());
        }
        ord_of[*id as usize] = ord;
        pace.tick(1).await;
    }
    if !shared {
        file.section(Kind::OrdinalTerms, &dictionary.finish(), pace).await;
    }
    let mut ords: Vec<(u32, i64)> = Vec::with_capacity(field.ordinals.len());
    for slice in field.ordinals.chunks(PACED) {
        ords.extend(slice.iter().map(|(doc, id)| (*doc, i64::from(ord_of[*id as usize]))));
        pace.tick(SLICE_UNITS).await;
    }
    sort_values(&mut ords, pace).await;
    ords.dedup();
    file.section(Kind::Ordinals, &numeric::write(max_doc, &ords, pace).await, pace).await;
}
