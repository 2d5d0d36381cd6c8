//! What a buffer keeps of one field.
//!
//! Tokens go into a log, one number per token in the order in which they come; nothing is kept per term but its number.
//! Sealing distributes the log over the terms (a counting sort), which touches memory in order where a list per term would
//! touch it at random for every token.

use super::ahead::TextAhead;
use super::recurring::{Analyzed, Lookup, Recurring};
use super::term_table::TermTable;
use crate::analysis::{Analyzer, Scratch};
use crate::chunked::Chunked;
use crate::mapping::{IndexSpec, Indexed};
use crate::pace::Pace;
use crate::segment::{StoredValue, encode_length};
use crate::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The longest term in bytes, and the largest position: as in the reference.
const TERM_BYTES_MAX: usize = 32_766;
/// The most often that a token may say its term counts; each time takes room in the buffer.
const TERM_FREQUENCY_MAX: u32 = 1 << 16;
const POSITION_MAX: u32 = i32::MAX as u32 - 128;

/// Marks an entry of the log as a distance of positions other than one, which belongs to the token after it.
pub(super) const JUMP: u32 = 1 << 31;

pub(super) struct FieldBuffer {
    pub name: Arc<str>,
    /// Terms of the index and of ordinals alike: a keyword is kept once.
    pub terms: TermTable,
    pub inverted: Option<Inverted>,
    /// (document, term), in the order of the documents.
    pub ordinals: Chunked<(u32, u32)>,
    /// (document, value), in the order of the documents, where they are not those of the points.
    pub numbers: Chunked<(u32, i64)>,
    /// (value, document), in the order of the documents.
    pub points: Chunked<(i64, u32)>,
    /// How many points, from the first on, are numbers too: all of them in most fields, which have no numbers of their own then.
    points_as_numbers: usize,
    pub exists: Chunked<u32>,
    /// The last exact term: an indexed term and the same doc value mostly come one behind the other.
    last_term: Option<u32>,
    recurring: Recurring,
    /// The document that is being added has terms of this field.
    pub touched: bool,
}

/// The log of an indexed field of terms.
pub(super) struct Inverted {
    pub freqs: bool,
    pub positions: bool,
    pub norms: bool,
    /// Whether tokens at the position of another add to the length.
    count_overlaps: bool,
    pub log: Chunked<u32>,
    /// Documents with tokens, and where the log of each ends.
    pub docs: Chunked<(u32, usize)>,
    /// Tokens in the log, jumps not counted.
    pub tokens: u64,
    pub norm_docs: Chunked<u32>,
    pub norm_values: Chunked<u8>,
    current: Current,
}

/// The document that is being added.
#[derive(Default)]
struct Current {
    /// It has a value of this field.
    open: bool,
    /// Positions from which the next value starts.
    base: u32,
    /// One more than the position of the last token.
    next: u32,
    /// Tokens, without those that share the position of another unless they count.
    length: u32,
}

impl FieldBuffer {
    pub fn new(name: Arc<str>) -> Self {
        Self {
            name,
            terms: TermTable::default(),
            inverted: None,
            ordinals: Chunked::default(),
            numbers: Chunked::default(),
            points: Chunked::default(),
            points_as_numbers: 0,
            exists: Chunked::default(),
            last_term: None,
            recurring: Recurring::default(),
            touched: false,
        }
    }

    /// Adds the tokens of one value of the current document.
    pub fn add_text(
        &mut self,
        spec: &IndexSpec,
        analyzer: &Arc<Analyzer>,
        text: &str,
        ahead: Option<&TextAhead>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let inverted = self.inverted.get_or_insert_with(|| Inverted::new(spec));
        // Positions of a later value follow from those before it, and without frequencies the log of a document is sorted.
        if inverted.current.open || !inverted.freqs {
            return self.analyze(spec, analyzer, text, ahead, scratch);
        }
        match self.recurring.find(analyzer, text) {
            Lookup::Known(known) => inverted.repeat(&known),
            Lookup::Unasked => self.analyze(spec, analyzer, text, ahead, scratch)?,
            Lookup::New(hash) => {
                let (log_start, tokens) = (inverted.log.len(), inverted.tokens);
                self.analyze(spec, analyzer, text, ahead, scratch)?;
                let analyzed = self.inverted.as_ref().and_then(|inverted| inverted.analyzed_since(log_start, tokens));
                if let Some(analyzed) = analyzed {
                    self.recurring.keep(hash, text, analyzed);
                }
            }
        }
        Ok(())
    }

    /// Analyses one value of the current document, unless that has been done.
    fn analyze(
        &mut self,
        spec: &IndexSpec,
        analyzer: &Analyzer,
        text: &str,
        ahead: Option<&TextAhead>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let inverted = self.inverted.get_or_insert_with(|| Inverted::new(spec));
        let terms = &mut self.terms;
        let base = inverted.start_value(spec.position_increment_gap);
        let mut failed = None;
        // Terms may count several times where frequencies are kept and positions are not.
        let counted_only = matches!(spec.indexed, Indexed::Terms { freqs: true, positions: false, .. });
        let mut add = |term: &[u8], position: u32, frequency: u32, known: &mut Option<u32>| {
            let position = base.saturating_add(position);
            if term.len() > TERM_BYTES_MAX || position > POSITION_MAX {
                failed.get_or_insert_with(|| token_error(&self.name, term, position));
                return;
            }
            if frequency > 1 && (!counted_only || frequency > TERM_FREQUENCY_MAX) {
                failed.get_or_insert_with(|| frequency_error(&self.name, frequency));
                return;
            }
            let id = *known.get_or_insert_with(|| terms.intern(term));
            for _ in 0..frequency {
                inverted.push(id, position);
            }
        };
        let end = match ahead {
            Some(ahead) => {
                let mut known = vec![None; ahead.terms()];
                let found = |term: &[u8], number: u32, position, frequency| {
                    add(term, position, frequency, &mut known[number as usize]);
                };
                ahead.tokens(found).clone()
            }
            None => analyzer.analyze(text, scratch, &mut |token| {
                add(token.text.as_bytes(), token.position, token.frequency, &mut None);
            }),
        };
        inverted.end_value(base.saturating_add(end.position));
        if let Some(failure) = end.failure {
            return Err(failure);
        }
        if end.overflow {
            let reason = format!("field [{}] holds a value with more tokens than one value may have", self.name);
            return Err(Error::illegal_argument(reason));
        }
        failed.map_or(Ok(()), Err)
    }

    /// Adds one exact term of the current document.
    pub fn add_term(&mut self, spec: &IndexSpec, term: &[u8]) -> Result<()> {
        let inverted = self.inverted.get_or_insert_with(|| Inverted::new(spec));
        let position = inverted.start_value(0);
        if term.len() > TERM_BYTES_MAX || position > POSITION_MAX {
            return Err(token_error(&self.name, term, position));
        }
        let id = intern(&mut self.terms, &mut self.last_term, term);
        inverted.push(id, position);
        inverted.end_value(position + 1);
        Ok(())
    }

    /// Adds a doc value. Values of fields that are indexed too may be no longer than terms.
    pub fn add_ordinal(&mut self, spec: &IndexSpec, doc: u32, term: &[u8]) -> Result<()> {
        if term.len() > TERM_BYTES_MAX && spec.indexed != Indexed::No {
            return Err(token_error(&self.name, term, 0));
        }
        let id = intern(&mut self.terms, &mut self.last_term, term);
        self.ordinals.push((doc, id));
        Ok(())
    }

    /// Adds a doc value that is a number. That of a field which has points as well comes right behind its point.
    pub fn add_number(&mut self, doc: u32, value: i64) {
        let known = self.points_as_numbers;
        if self.numbers.is_empty() && self.points.len() == known + 1 && self.points.get(known) == (value, doc) {
            self.points_as_numbers += 1;
            return;
        }
        if known > 0 {
            self.points.iter().take(known).for_each(|(value, doc)| self.numbers.push((doc, value)));
            self.points_as_numbers = 0;
        }
        self.numbers.push((doc, value));
    }

    /// All numbers, in the order of the documents.
    pub async fn all_numbers(&self, pace: &Pace) -> Vec<(u32, i64)> {
        let known = self.points_as_numbers;
        if known == 0 {
            return gathered(&self.numbers, pace).await;
        }
        let mut numbers = Vec::with_capacity(known);
        for slice in self.points.chunks(PACED) {
            let slice = &slice[..slice.len().min(known - numbers.len())];
            numbers.extend(slice.iter().map(|(value, doc)| (*doc, *value)));
            pace.tick(slice.len() as u32 / 4).await;
        }
        numbers
    }

    /// Ends the current document for this field.
    pub fn end_doc(&mut self, doc: u32) {
        self.touched = false;
        if let Some(inverted) = &mut self.inverted {
            inverted.end_doc(doc);
        }
    }

    pub fn memory_bytes(&self) -> usize {
        let inverted = self.inverted.as_ref().map_or(0, |inverted| {
            let norms = inverted.norm_docs.memory_bytes() + inverted.norm_values.memory_bytes();
            inverted.log.memory_bytes() + inverted.docs.memory_bytes() + norms
        });
        size_of::<Self>()
            + self.terms.memory_bytes()
            + self.recurring.memory_bytes()
            + inverted
            + self.ordinals.memory_bytes()
            + self.numbers.memory_bytes()
            + self.points.memory_bytes()
            + self.exists.memory_bytes()
    }
}

/// Values that are copied between two ticks.
pub(super) const PACED: usize = 1_024;

/// All values in one piece.
pub(super) async fn gathered<T: Copy>(values: &Chunked<T>, pace: &Pace) -> Vec<T> {
    let mut all = Vec::with_capacity(values.len());
    for slice in values.chunks(PACED) {
        all.extend_from_slice(slice);
        pace.tick(slice.len() as u32 / 8).await;
    }
    all
}

fn intern(terms: &mut TermTable, last: &mut Option<u32>, term: &[u8]) -> u32 {
    let id = last.filter(|id| terms.get(*id) == term).unwrap_or_else(|| terms.intern(term));
    *last = Some(id);
    id
}

impl Inverted {
    fn new(spec: &IndexSpec) -> Self {
        let (freqs, positions) = match spec.indexed {
            Indexed::Terms { freqs, positions, .. } => (freqs || positions, positions),
            Indexed::No | Indexed::Points => (false, false),
        };
        Self {
            freqs,
            positions,
            norms: spec.norms,
            count_overlaps: spec.count_overlaps,
            log: Chunked::default(),
            docs: Chunked::default(),
            tokens: 0,
            norm_docs: Chunked::default(),
            norm_values: Chunked::default(),
            current: Current::default(),
        }
    }

    /// Gives the position of a token at the start of the value.
    fn start_value(&mut self, gap: u32) -> u32 {
        let current = &mut self.current;
        if current.open {
            current.base = current.base.saturating_add(gap);
        }
        current.open = true;
        current.base
    }

    /// What the first value of the current document came to, given the log and the tokens before it.
    fn analyzed_since(&self, log_start: usize, tokens: u64) -> Option<Analyzed> {
        let Current { base, next, length, .. } = self.current;
        Some(Analyzed {
            log_start,
            log_len: u32::try_from(self.log.len() - log_start).ok()?,
            tokens: u32::try_from(self.tokens - tokens).ok()?,
            base,
            next,
            length,
        })
    }

    /// Adds the tokens that the same value had before, as the first one of the current document.
    fn repeat(&mut self, known: &Analyzed) {
        debug_assert!(!self.current.open && self.freqs);
        self.log.extend_from_within(known.log_start..known.log_start + known.log_len as usize);
        self.tokens += u64::from(known.tokens);
        self.current = Current { open: true, base: known.base, next: known.next, length: known.length };
    }

    fn end_value(&mut self, next_base: u32) {
        self.current.base = next_base;
    }

    #[inline]
    fn push(&mut self, term: u32, position: u32) {
        let current = &mut self.current;
        // Positions never go back; that of the first token is at a distance from the start.
        let distance = (position + 1).saturating_sub(current.next);
        if distance > 0 {
            current.next = position + 1;
        }
        current.length += u32::from(distance > 0 || self.count_overlaps);
        if distance != 1 && self.positions {
            self.log.push(JUMP | distance);
        }
        self.log.push(term);
        self.tokens += 1;
    }

    fn end_doc(&mut self, doc: u32) {
        if !self.current.open {
            return;
        }
        let start = self.docs.last().map_or(0, |(_, end)| end);
        let mut length = self.current.length;
        if self.log.len() > start {
            if !self.freqs {
                // Without frequencies a document holds each term once, also as far as its length goes.
                let before = self.log.len() - start;
                let distinct = self.keep_distinct(start);
                self.tokens -= (before - distinct) as u64;
                length = distinct as u32;
            }
            self.docs.push((doc, self.log.len()));
        }
        if self.norms {
            self.norm_docs.push(doc);
            self.norm_values.push(encode_length(length));
        }
        self.current = Current::default();
    }

    /// Leaves each entry of the log from `start` on once, in order, and gives their number.
    fn keep_distinct(&mut self, start: usize) -> usize {
        if self.log.len() - start == 1 {
            return 1;
        }
        let mut own = self.log.split_off(start);
        own.sort_unstable();
        own.dedup();
        self.log.extend_from_slice(&own);
        own.len()
    }
}

/// A term that counts several times where that cannot be kept, or too often.
#[cold]
fn frequency_error(field: &str, frequency: u32) -> Error {
    if frequency > TERM_FREQUENCY_MAX {
        return Error::illegal_argument(format!(
            "term frequency [{frequency}] of field [{field}] must not exceed [{TERM_FREQUENCY_MAX}]"
        ));
    }
    let reason = format!("field \"{field}\": cannot index positions while using custom TermFrequencyAttribute");
    Error::new(ErrorKind::IllegalState, reason)
}

/// A term that is too long or stands too far back, in the reference's words.
#[cold]
fn token_error(field: &str, term: &[u8], position: u32) -> Error {
    if term.len() <= TERM_BYTES_MAX {
        let reason =
            format!("position {position} is too large for field \"{field}\": max allowed position is {POSITION_MAX}");
        return Error::illegal_argument(reason);
    }
    let prefix: Vec<i8> = term[..30].iter().map(|byte| *byte as i8).collect();
    let cause = format!("bytes can be at most {TERM_BYTES_MAX} in length; got {}", term.len());
    let reason = format!(
        "Document contains at least one immense term in field=\"{field}\" (whose UTF8 encoding is longer than the max length \
         {TERM_BYTES_MAX}), all of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of \
         the first immense term is: '{prefix:?}...', original message: {cause}"
    );
    Error::illegal_argument(reason).caused_by(Error::new(ErrorKind::MaxBytesLengthExceeded, cause))
}

/// Stored fields of the document being added: name and value.
pub(super) type StoredFields<'a> = Vec<(Arc<str>, &'a StoredValue)>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Registry;
    use crate::mapping::DocValues;
    use crate::pace::block_on_ready;
    use proptest::prelude::*;

    fn spec(freqs: bool, positions: bool) -> IndexSpec {
        IndexSpec {
            indexed: Indexed::Terms { freqs, positions, offsets: false },
            doc_values: DocValues::None,
            norms: true,
            stored: false,
            analyzer: Some(Registry::built_in().analyzer("stop").unwrap()),
            count_overlaps: false,
            position_increment_gap: 100,
        }
    }

    fn buffer(docs: &[Vec<String>], spec: &IndexSpec, recurring: Recurring) -> FieldBuffer {
        let mut buffer = FieldBuffer { recurring, ..FieldBuffer::new("f".into()) };
        let (analyzer, mut scratch) = (spec.analyzer.as_ref().unwrap(), Scratch::default());
        for (doc, values) in (0..).zip(docs) {
            values.iter().for_each(|value| buffer.add_text(spec, analyzer, value, None, &mut scratch).unwrap());
            buffer.end_doc(doc);
        }
        buffer
    }

    #[test]
    fn numbers_are_points_until_they_differ() {
        let mut buffer = FieldBuffer::new("f".into());
        let mut numbers = vec![];
        // Points of each document, and the numbers behind each.
        for (doc, ops) in
            (0..).zip([&[(1, Some(1))][..], &[(5, Some(5)), (2, Some(2))], &[(3, None)], &[(4, Some(4)), (7, Some(8))]])
        {
            for (point, number) in ops {
                buffer.points.push((*point, doc));
                if let Some(number) = number {
                    buffer.add_number(doc, *number);
                    numbers.push((doc, *number));
                }
                assert_eq!(block_on_ready(buffer.all_numbers(&Pace::never())), numbers);
                assert_eq!(buffer.numbers.is_empty(), doc < 3);
            }
        }
        let mut alone = FieldBuffer::new("f".into());
        alone.add_number(0, 7);
        assert_eq!(block_on_ready(alone.all_numbers(&Pace::never())), [(0, 7)]);
    }

    proptest! {
        #[test]
        fn values_that_recur_are_analysed_alike(
            docs in proptest::collection::vec(proptest::collection::vec("(the |a|b|of| ){0,4}", 0..3), 0..40),
            freqs: bool,
            positions: bool,
        ) {
            let spec = spec(freqs, positions);
            let quick = buffer(&docs, &spec, Recurring::default());
            let slow = buffer(&docs, &spec, Recurring::never());
            let parts = |buffer: &FieldBuffer| buffer.inverted.as_ref().map(|inverted| {
                let Inverted { log, docs, tokens, norm_docs, norm_values, .. } = inverted;
                let norms: (Vec<u32>, Vec<u8>) = (norm_docs.iter().collect(), norm_values.iter().collect());
                (log.iter().collect::<Vec<_>>(), docs.iter().collect::<Vec<_>>(), *tokens, norms)
            });
            prop_assert_eq!(parts(&quick), parts(&slow));
        }
    }
}
