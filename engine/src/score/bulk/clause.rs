//! One term in the current window.

use super::{Lengths, first_bit, for_each_bit, keep_range};
use crate::codec::simd::{self, BLOCK, FREQS_PADDING};
use crate::score::Bm25;
use crate::score::term::BOUND_SLACK;
use crate::segment::{DenseWindow, Postings, WINDOW_RANGES, WindowPart};

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
    /// What a step of a quantised tf-norm is worth at most, and what any document can score.
    step: f32,
    cap: f32,
    tenth: f32,
    hint: usize,
    /// For documents that are looked up in ascending order.
    probe: Blocks,
    groups: Groups,
}

impl Clause {
    /// A term that only decides what matches.
    pub fn unscored(postings: Postings) -> Self {
        Self::with_weight(postings, 0.0, 1.0, 0)
    }

    pub fn new(postings: Postings, sim: &Bm25, lengths: usize) -> Self {
        Self::with_weight(postings, sim.weight(), sim.average_length(), lengths)
    }

    fn with_weight(postings: Postings, weight: f32, average: f32, lengths: usize) -> Self {
        let recorded = postings.bound_avg_len();
        let growth = if recorded > 0.0 { (average / recorded).max(1.0) } else { f32::INFINITY };
        let shrinking = if recorded > 0.0 { (average / recorded).min(1.0) } else { 0.0 };
        let step = if weight > 0.0 { (weight * growth * BOUND_SLACK / 255.0).min(f32::MAX) } else { 0.0 };
        Self {
            tenth: postings.tenth_best() * weight * shrinking / (BOUND_SLACK * BOUND_SLACK),
            postings,
            part: WindowPart::Empty,
            max: 0.0,
            bests: Box::new([0; WINDOW_RANGES]),
            weight,
            lengths,
            // Not infinite, so that no document stays worth nothing.
            step,
            cap: weight * BOUND_SLACK,
            hint: 0,
            probe: Blocks::default(),
            groups: Groups::default(),
        }
    }

    pub fn enter(&mut self, window: u32) {
        self.part = self.postings.window_part(window, &mut self.hint);
        self.max = self.bound(self.postings.part_best(&self.part));
        (self.probe.block, self.groups.first) = (NONE, u32::MAX);
    }

    /// Forgets what has been asked since the window was entered.
    pub fn rewind(&mut self) {
        self.probe.reset();
    }

    pub fn load_bests(&mut self, window: u32) {
        self.postings.range_bests(window, &self.part, &mut self.bests);
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.part, WindowPart::Empty)
    }

    /// About how many documents of the window match.
    pub fn window_cost(&self) -> usize {
        match self.part {
            WindowPart::Empty => 0,
            WindowPart::Dense(dense) => dense.count() as usize,
            WindowPart::Blocks { first, end } => (end - first) * BLOCK,
        }
    }

    /// At least ten documents of the segment score more than this; 0 if that is not known.
    pub fn tenth_best(&self) -> f32 {
        self.tenth
    }

    /// What a quantised tf-norm scores at most.
    #[inline]
    pub fn bound(&self, best: u8) -> f32 {
        (f32::from(best) * self.step).min(self.cap)
    }

    #[inline]
    pub fn range_bound(&self, range: usize) -> f32 {
        self.bound(self.bests[range])
    }

    pub fn add_bounds(&self, sums: &mut [f32]) {
        if !self.is_empty() {
            simd::add_bounds(&self.bests[..], self.step, self.cap, sums);
        }
    }

    /// Which of the wanted documents of a block match, and how often the term stands in them. Blocks must ascend within a
    /// window, and no other method may have asked about documents behind them.
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
                found = self.probe.find(&self.postings, *first, *end, docs, wanted, freqs);
            }
        }
        found
    }

    /// How often the term stands in a document; none if it does not. Documents must ascend within a window.
    #[inline]
    pub fn freq(&mut self, doc: u32) -> Option<u32> {
        match &self.part {
            WindowPart::Empty => None,
            WindowPart::Dense(dense) => self.postings.has(dense, doc).then(|| self.postings.freq_in(dense, doc)),
            WindowPart::Blocks { first, end } => {
                let (found, freq) = self.probe.seek(&self.postings, *first, *end, doc)?;
                (found == doc).then_some(freq)
            }
        }
    }

    #[inline]
    pub fn score(&mut self, doc: u32, lengths: &[Lengths]) -> Option<f32> {
        let freq = self.freq(doc)?;
        Some(self.weight - self.weight / (1.0 + freq as f32 * lengths[self.lengths].inverse(doc)))
    }

    /// The frequencies of at least `count` documents of a bitset from `rank` on, padded.
    #[inline]
    pub fn freqs(&mut self, dense: &DenseWindow, rank: u32, count: u32) -> &[u32] {
        self.groups.load(&self.postings, dense, rank, count)
    }
}

/// A place in the blocks of a window.
pub struct Blocks {
    block: usize,
    at: usize,
    len: usize,
    buffer: Box<Buffer>,
}

struct Buffer {
    docs: [u32; BLOCK],
    freqs: [u32; BLOCK],
}

impl Default for Blocks {
    fn default() -> Self {
        let buffer = Box::new(Buffer { docs: [0; BLOCK], freqs: [0; BLOCK] });
        Self { block: NONE, at: 0, len: 0, buffer }
    }
}

impl Blocks {
    /// Forgets the place.
    pub fn reset(&mut self) {
        self.block = NONE;
    }

    /// The first document from `target` on in blocks `first..end`, and its frequency. Targets must ascend.
    #[inline]
    pub fn seek(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<(u32, u32)> {
        if self.block == NONE || self.len == 0 || self.buffer.docs[self.len - 1] < target {
            self.load(postings, first, end, target)?;
        }
        while self.buffer.docs[self.at] < target {
            self.at += 1;
        }
        Some((self.buffer.docs[self.at], self.buffer.freqs[self.at]))
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
            if (self.block == NONE || self.len == 0 || self.buffer.docs[self.len - 1] < docs[next])
                && self.load(postings, first, end, docs[next]).is_none()
            {
                break;
            }
            let last = self.buffer.docs[self.len - 1];
            let covered = if docs[BLOCK - 1] <= last { BLOCK } else { docs.partition_point(|doc| *doc <= last) };
            let mut these = wanted;
            keep_range(&mut these, 0, covered);
            let common = simd::find_common(docs, these, &self.buffer.docs, &mut places);
            if let Some(freqs) = freqs.as_deref_mut() {
                for_each_bit(common, |at| freqs[at] = self.buffer.freqs[usize::from(places[at])]);
            }
            found = [found[0] | common[0], found[1] | common[1]];
            keep_range(&mut wanted, covered, BLOCK);
        }
        found
    }

    /// What is decoded from `target` on, which is at least one document: numbers and frequencies.
    pub fn rest(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<(&[u32], &[u32])> {
        self.seek(postings, first, end, target)?;
        Some((&self.buffer.docs[self.at..self.len], &self.buffer.freqs[self.at..self.len]))
    }

    fn load(&mut self, postings: &Postings, first: usize, end: usize, target: u32) -> Option<()> {
        let mut block = if self.block == NONE { first } else { self.block + 1 };
        while block < end && postings.block_last(block) < target {
            block += 1;
        }
        if block >= end {
            (self.block, self.len) = (end, 0);
            return None;
        }
        self.len = postings.read_block(block, &mut self.buffer.docs, &mut self.buffer.freqs);
        self.block = block;
        self.at = self.buffer.docs[..self.len].partition_point(|doc| *doc < target);
        Some(())
    }
}

/// Frequencies of two neighbouring groups of a bitset.
struct Groups {
    first: u32,
    /// Whether the second is there too.
    both: bool,
    freqs: Box<[u32; 2 * BLOCK + FREQS_PADDING]>,
}

impl Default for Groups {
    fn default() -> Self {
        Self { first: u32::MAX, both: false, freqs: Box::new([0; 2 * BLOCK + FREQS_PADDING]) }
    }
}

impl Groups {
    #[inline]
    fn load(&mut self, postings: &Postings, dense: &DenseWindow, rank: u32, count: u32) -> &[u32] {
        const GROUP: u32 = BLOCK as u32;
        let group = rank / GROUP;
        let (one, two) = self.freqs.split_at_mut(BLOCK);
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
        &self.freqs[(rank % GROUP) as usize..]
    }
}
