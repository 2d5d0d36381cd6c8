//! One term in the current window.

use super::{Lengths, first_bit, for_each_bit, keep_range};
use crate::codec::simd::{self, BLOCK, FREQS_PADDING};
use crate::score::Bm25;
use crate::score::term::BOUND_SLACK;
use crate::segment::{DenseWindow, Postings, TENTH, WINDOW_RANGES, WindowPart, WindowSpan};
use std::ops::Range;

const NONE: usize = usize::MAX;

/// A term. What it says of documents holds for those of the window that was entered last.
pub struct Clause {
    pub postings: Postings,
    pub part: WindowPart,
    /// What a document of the window can score at most.
    pub max: f32,
    /// The best quantised tf-norm of each range; 0 only where it has no document.
    pub bests: Box<[u8; WINDOW_RANGES]>,
    pub weight: f32,
    /// Among the lengths.
    pub lengths: usize,
    /// The phrase whose score this is; until it was asked, a bound of it.
    pub phrase: Option<usize>,
    /// What a step of a quantised tf-norm is worth at most, and what any document can score.
    step: f32,
    cap: f32,
    /// What a tf-norm is worth at least.
    least: f32,
    hint: usize,
    /// The next window that is a bitset, as seen from an earlier one.
    bitset: Option<u32>,
    /// For documents that are looked up in ascending order: those that are asked about first, and those that compete, whose frequencies are
    /// wanted. Each has its own place, or whoever comes second would unpack again what the first has left behind.
    probe: Blocks,
    scoring: Blocks,
    found: FoundFreqs,
    groups: Groups,
    /// Documents of the window (counted from its start) in ranges that can compete, with their scores, and the best score of
    /// each range: of lists of blocks that were read beforehand.
    pub scored: Vec<(u16, f32)>,
    is_scored: bool,
    range_maxima: Vec<f32>,
}

impl Clause {
    /// A term that only decides what matches.
    pub fn unscored(postings: Postings) -> Self {
        Self::with_weight(postings, 0.0, (1.0, 0.0), 0)
    }

    pub fn new(postings: Postings, sim: &Bm25, lengths: usize) -> Self {
        let growth = sim.growth(postings.bound_avg_len());
        Self::with_weight(postings, sim.weight(), growth, lengths)
    }

    fn with_weight(postings: Postings, weight: f32, (growth, shrinking): (f32, f32), lengths: usize) -> Self {
        let step = if weight > 0.0 { (weight * growth * BOUND_SLACK / 255.0).min(f32::MAX) } else { 0.0 };
        Self {
            least: weight * shrinking / (BOUND_SLACK * BOUND_SLACK),
            postings,
            part: WindowPart::Empty,
            max: 0.0,
            bests: Box::new([0; WINDOW_RANGES]),
            weight,
            lengths,
            phrase: None,
            // Not infinite, so that no document stays worth nothing.
            step,
            cap: weight * BOUND_SLACK,
            hint: 0,
            bitset: None,
            probe: Blocks::default(),
            scoring: Blocks::default(),
            found: FoundFreqs::default(),
            scored: Vec::new(),
            is_scored: false,
            range_maxima: Vec::new(),
            groups: Groups::default(),
        }
    }

    pub fn enter(&mut self, span: &WindowSpan) {
        self.part = self.postings.window_part(span, &mut self.hint);
        self.max = self.bound(self.postings.part_best(&self.part));
        // What was read ahead in the window before is not what stands in front of this one.
        (self.groups.first, self.groups.both) = (u32::MAX, false);
        self.scored.clear();
        self.is_scored = false;
    }

    pub fn load_bests(&mut self, span: &WindowSpan) {
        self.postings.range_bests(span, &self.part, &mut self.bests);
    }

    /// The first window from `window` on, the next to be entered, that is a bitset.
    pub fn next_bitset(&mut self, window: u32) -> u32 {
        match self.bitset.filter(|found| *found >= window) {
            Some(found) => found,
            None => *self.bitset.insert(self.postings.next_bitset(window, self.hint)),
        }
    }

    /// The last document of so many blocks from `window` on, the next to be entered.
    pub fn last_of_blocks(&self, window: u32, blocks: usize) -> u32 {
        self.postings.last_of_blocks(window, self.hint, blocks)
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.part, WindowPart::Empty)
    }

    /// About how many documents of the window match.
    pub fn window_cost(&self) -> usize {
        self.part.most_docs()
    }

    /// At least `size` documents of the segment score more than this; 0 if that is not known.
    pub fn floor(&self, size: usize) -> f32 {
        match size {
            _ if size <= TENTH as usize => self.postings.tenth_best() * self.least,
            _ if size <= self.postings.doc_freq() as usize => self.postings.nth_best(size) * self.least,
            _ => 0.0,
        }
    }

    /// What a quantised tf-norm scores at most.
    #[inline]
    pub fn bound(&self, best: u8) -> f32 {
        (f32::from(best) * self.step).min(self.cap)
    }

    #[inline]
    pub fn range_bound(&self, range: usize) -> f32 {
        if self.is_scored { self.range_maxima[range] } else { self.bound(self.bests[range]) }
    }

    /// What documents in any of these ranges can score at most.
    #[inline]
    pub fn bound_of_ranges(&self, ranges: Range<usize>) -> f32 {
        match self.is_scored {
            // Scores are not negative: they compare as their bits do.
            true => f32::from_bits(self.range_maxima[ranges].iter().map(|max| max.to_bits()).max().unwrap_or(0)),
            false => self.bound(self.bests[ranges].iter().copied().max().unwrap_or(0)),
        }
    }

    /// Adds what documents of each of the ranges from `first` on can score at most.
    #[inline]
    pub fn add_bounds(&self, first: usize, sums: &mut [f32]) {
        let ranges = first..first + sums.len();
        if self.is_scored {
            sums.iter_mut().zip(&self.range_maxima[ranges]).for_each(|(sum, max)| *sum += max);
        } else if !self.is_empty() {
            simd::add_bounds(&self.bests[ranges], self.step, self.cap, sums);
        }
    }

    /// Scores the documents of blocks that have some in the ranges set.
    pub fn score_blocks(&mut self, span: &WindowSpan, ranges: &[u64], lengths: &Lengths) {
        let WindowPart::Blocks { first, end } = self.part else { return };
        self.range_maxima.clear();
        self.range_maxima.resize(WINDOW_RANGES, 0.0);
        let maxima: &mut [f32; WINDOW_RANGES] = self.range_maxima.first_chunk_mut().expect("as many as ranges");
        let (base, last) = (span.base(), span.last());
        let (mut docs, mut freqs) = ([0; BLOCK], [0; BLOCK]);
        let (mut inverses, mut scores) = ([0f32; BLOCK], [0f32; BLOCK]);
        for block in first..end {
            let from = if block == first { base } else { self.postings.block_last(block - 1) + 1 };
            let to = self.postings.block_last(block).min(last);
            let mut touched = span.range(from)..=span.range(to);
            if !touched.any(|range| ranges[range / 64] >> (range % 64) & 1 == 1) {
                continue;
            }
            let len = self.postings.read_docs(block, &mut docs);
            self.postings.read_freqs(block, &mut freqs);
            lengths.inverses_of(&docs[..len], &mut inverses);
            simd::scores(&freqs, &inverses, self.weight, &mut scores);
            let lo = if docs[0] < base { docs[..len].partition_point(|doc| *doc < base) } else { 0 };
            let hi = if docs[len - 1] > last { docs[..len].partition_point(|doc| *doc <= last) } else { len };
            let inside = docs[lo..hi].iter().zip(&scores[lo..hi]);
            self.scored.extend(inside.clone().map(|(doc, score)| ((doc - base) as u16, *score)));
            for (doc, score) in inside {
                let max = &mut maxima[span.range(*doc) % WINDOW_RANGES];
                *max = if *score > *max { *score } else { *max };
            }
        }
        self.is_scored = true;
    }

    /// Which of the wanted documents of a block match, and how often the term stands in them.
    pub fn find(&mut self, docs: &[u32; BLOCK], wanted: [u64; 2], freqs: Option<&mut [u32; BLOCK]>) -> [u64; 2] {
        let mut found = [0; 2];
        match &self.part {
            WindowPart::Empty => {}
            WindowPart::Dense(dense) => {
                for_each_bit(wanted, |at| {
                    found[at / 64] |= u64::from(self.postings.has(dense, docs[at])) << (at % 64);
                });
                if let Some(freqs) = freqs {
                    for_each_bit(found, |at| freqs[at] = self.postings.freq_in(dense, docs[at]));
                }
            }
            WindowPart::Blocks { first, end } => {
                let place = if freqs.is_some() { &mut self.scoring } else { &mut self.probe };
                found = place.find(&self.postings, *first, *end, docs, wanted, freqs);
            }
        }
        found
    }

    /// Positions or frequencies will be wanted of what is found.
    pub fn remember_places(&mut self) {
        self.probe.remembers = true;
    }

    /// Where the list of blocks has a document that was found without its frequency, by its place among those asked about last.
    #[inline]
    pub fn found_at(&self, at: usize) -> (usize, usize) {
        self.probe.found_at(at)
    }

    /// How often the term, a list of blocks, stands in documents that were found without their frequencies, by their places among those
    /// asked about last. The places are to be remembered.
    pub fn freqs_of_found(&mut self, found: [u64; 2], freqs: &mut [u32; BLOCK]) {
        debug_assert!(self.probe.remembers && matches!(self.part, WindowPart::Blocks { .. }));
        for_each_bit(found, |at| {
            let (block, place) = self.probe.found_at(at);
            freqs[at] = self.found.of_block(&self.postings, block)[place];
        });
    }

    /// How often the term stands in a document; none if it does not. Ascending documents are found sooner.
    #[inline]
    pub fn freq(&mut self, doc: u32) -> Option<u32> {
        match &self.part {
            WindowPart::Empty => None,
            WindowPart::Dense(dense) => self.postings.has(dense, doc).then(|| self.postings.freq_in(dense, doc)),
            WindowPart::Blocks { first, end } => {
                let (found, freq) = self.scoring.seek(&self.postings, *first, *end, doc)?;
                (found == doc).then_some(freq)
            }
        }
    }

    /// Whether a document has the term. Ascending ones are found sooner.
    #[inline]
    pub fn matches(&mut self, doc: u32) -> bool {
        match &self.part {
            WindowPart::Empty => false,
            WindowPart::Dense(dense) => self.postings.has(dense, doc),
            WindowPart::Blocks { first, end } => self.probe.seek_doc(&self.postings, *first, *end, doc) == Some(doc),
        }
    }

    #[inline]
    pub fn score(&mut self, doc: u32, lengths: &[Lengths]) -> Option<f32> {
        if self.weight == 0.0 {
            return self.matches(doc).then_some(0.0);
        }
        let freq = self.freq(doc)?;
        Some(self.weight - self.weight / (1.0 + freq as f32 * lengths[self.lengths].inverse(doc)))
    }

    /// The frequencies of at least `count` documents of a bitset from `rank` on, padded.
    #[inline]
    pub fn freqs(&mut self, dense: &DenseWindow, rank: u32, count: u32) -> &[u32] {
        self.groups.load(&self.postings, dense, rank, count)
    }
}

/// A place in the blocks of a list. What is unpacked stays there from window to window.
pub struct Blocks {
    block: usize,
    at: usize,
    len: usize,
    /// Whether the frequencies are unpacked too.
    freqs: bool,
    /// Whether places are kept of what is found.
    remembers: bool,
    /// Made for the first block.
    buffer: Option<Box<Buffer>>,
}

struct Buffer {
    docs: [u32; BLOCK],
    freqs: [u32; BLOCK],
    /// The block of each document that was found last, and the place there.
    found: [(u32, u8); BLOCK],
}

impl Default for Blocks {
    fn default() -> Self {
        Self { block: NONE, at: 0, len: 0, freqs: false, remembers: false, buffer: None }
    }
}

impl Blocks {
    /// The first document from `target` on in blocks `first..end`, and its frequency.
    #[inline]
    pub fn seek(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<(u32, u32)> {
        let doc = self.seek_doc(postings, first, end, target)?;
        let (at, freqs) = (self.at, self.load_freqs(postings)?);
        Some((doc, freqs[at]))
    }

    /// The first document from `target` on in blocks `first..end`.
    #[inline]
    pub fn seek_doc(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<u32> {
        if !self.covers(first, end, target) {
            self.load(postings, first, end, target)?;
        }
        let docs = &self.buffer.as_ref()?.docs;
        if self.at > 0 && docs[self.at - 1] >= target {
            self.at = 0;
        }
        while docs[self.at] < target {
            self.at += 1;
        }
        Some(docs[self.at])
    }

    /// The current block, and the place in it.
    pub fn place(&self) -> (usize, usize) {
        (self.block, self.at)
    }

    /// The block of a document that was found last, by its place among those asked about, and the place there.
    fn found_at(&self, at: usize) -> (usize, usize) {
        let (block, place) = self.buffer.as_ref().map_or((0, 0), |buffer| buffer.found[at]);
        (block as usize, usize::from(place))
    }

    /// See [`Clause::find`].
    fn find(
        &mut self,
        postings: &Postings,
        first: usize,
        end: usize,
        docs: &[u32; BLOCK],
        mut wanted: [u64; 2],
        mut freqs: Option<&mut [u32; BLOCK]>,
    ) -> [u64; 2] {
        let (mut found, mut places) = ([0; 2], [0; BLOCK]);
        while let Some(next) = first_bit(wanted) {
            if !self.covers(first, end, docs[next]) && self.load(postings, first, end, docs[next]).is_none() {
                break;
            }
            let Some(Buffer { docs: own, found: found_at, .. }) = self.buffer.as_deref_mut() else { break };
            let covered = simd::below(docs, own[self.len - 1].saturating_add(1));
            let mut these = wanted;
            keep_range(&mut these, 0, covered);
            let common = simd::find_common(docs, these, own, &mut places);
            if self.remembers {
                for_each_bit(common, |at| found_at[at] = (self.block as u32, places[at]));
            }
            if let Some(freqs) = freqs.as_deref_mut().filter(|_| common != [0; 2])
                && let Some(own) = self.load_freqs(postings)
            {
                for_each_bit(common, |at| freqs[at] = own[usize::from(places[at])]);
            }
            found = [found[0] | common[0], found[1] | common[1]];
            keep_range(&mut wanted, covered, BLOCK);
        }
        found
    }

    /// Whether the first document from `target` on is in the block that is unpacked.
    #[inline]
    fn covers(&self, first: usize, end: usize, target: u32) -> bool {
        let Some(buffer) = &self.buffer else { return false };
        (first..end).contains(&self.block)
            && self.len > 0
            && buffer.docs[self.len - 1] >= target
            && (self.block == first || buffer.docs[0] <= target)
    }

    fn load(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<()> {
        let buffer = self
            .buffer
            .get_or_insert_with(|| Box::new(Buffer { docs: [0; BLOCK], freqs: [0; BLOCK], found: [(0, 0); BLOCK] }));
        let ahead = (first..end).contains(&self.block) && self.len > 0 && buffer.docs[self.len - 1] < target;
        let block = postings.find_block(if ahead { self.block + 1 } else { first }, end, target);
        if block >= end {
            return None;
        }
        if block != self.block {
            self.len = postings.read_docs(block, &mut buffer.docs);
            (self.block, self.freqs) = (block, false);
        }
        self.at = simd::below(&buffer.docs, target);
        Some(())
    }

    /// The frequencies of the block that is unpacked.
    #[inline]
    fn load_freqs(&mut self, postings: &Postings) -> Option<&[u32; BLOCK]> {
        let freqs = &mut self.buffer.as_mut()?.freqs;
        if !self.freqs {
            postings.read_freqs(self.block, freqs);
            self.freqs = true;
        }
        Some(freqs)
    }
}

/// The frequencies of the block in which a document was found last.
struct FoundFreqs {
    block: usize,
    /// Made for the first block.
    freqs: Option<Box<[u32; BLOCK]>>,
}

impl Default for FoundFreqs {
    fn default() -> Self {
        Self { block: NONE, freqs: None }
    }
}

impl FoundFreqs {
    #[inline]
    fn of_block(&mut self, postings: &Postings, block: usize) -> &[u32; BLOCK] {
        let freqs = self.freqs.get_or_insert_with(|| Box::new([0; BLOCK]));
        if self.block != block {
            postings.read_freqs(block, freqs);
            self.block = block;
        }
        freqs
    }
}

/// Frequencies of two neighbouring groups of a bitset.
struct Groups {
    first: u32,
    /// Whether the second is there too.
    both: bool,
    /// Made for the first of them.
    freqs: Option<Box<[u32; 2 * BLOCK + FREQS_PADDING]>>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { first: u32::MAX, both: false, freqs: None }
    }
}

impl Groups {
    #[inline]
    fn load(&mut self, postings: &Postings, dense: &DenseWindow, rank: u32, count: u32) -> &[u32] {
        const GROUP: u32 = BLOCK as u32;
        let group = rank / GROUP;
        let freqs = self.freqs.get_or_insert_with(|| Box::new([0; 2 * BLOCK + FREQS_PADDING]));
        let (one, two) = freqs.split_at_mut(BLOCK);
        let one: &mut [u32; BLOCK] = one.first_chunk_mut().expect("a group");
        let two: &mut [u32; BLOCK] = two.first_chunk_mut().expect("a group");
        if self.first != group {
            if self.both && self.first.wrapping_add(1) == group {
                one.copy_from_slice(two);
            } else {
                postings.group_freqs(dense, group, one);
            }
            (self.first, self.both) = (group, false);
        }
        if !self.both && rank % GROUP + count > GROUP {
            postings.group_freqs(dense, group + 1, two);
            self.both = true;
        }
        &freqs[(rank % GROUP) as usize..]
    }
}
