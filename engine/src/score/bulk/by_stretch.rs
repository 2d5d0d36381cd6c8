//! Any clause may match: scores of essential clauses are added up in slots, stretches of 4,096 documents at a time, bitsets by
//! whole ranges; the others are asked only about documents that can still compete.

use super::{BulkTop, for_each_bit, idle_count, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::segment::{RANGE_DOCS, WINDOW, WINDOW_RANGES, WindowPart};

const STRETCH_RANGES: usize = 32;
const STRETCH_DOCS: u32 = STRETCH_RANGES as u32 * RANGE_DOCS;

/// What is the same for all ranges of a stretch.
struct Stretch<'a> {
    /// The first document, and the first range of the window.
    base: u32,
    first: usize,
    /// Essential clauses that are bitsets, what can score most first.
    bitsets: Vec<usize>,
    /// Clauses that are asked last, with their bounds, which ascend.
    idle: &'a [(f32, usize)],
}

/// Slots of a stretch, by range. Between stretches all is zero.
pub struct Slots {
    scores: Box<[[f32; BLOCK]; STRETCH_RANGES]>,
    docs: [[u64; 2]; STRETCH_RANGES],
    inverses: Box<[f32; BLOCK]>,
    /// How many of the documents that were scored beforehand are behind, by clause.
    taken: Vec<usize>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            scores: Box::new([[0.0; BLOCK]; STRETCH_RANGES]),
            docs: [[0; 2]; STRETCH_RANGES],
            inverses: Box::new([0.0; BLOCK]),
            taken: Vec::new(),
        }
    }
}

impl BulkTop {
    pub(super) fn collect_by_stretch(&mut self, window: u32, top: &mut TopScores) {
        let coarse = self.passing_ranges(top.threshold());
        // The bound of a block stands for many ranges; what it holds is known exactly once it is read.
        for clause in &mut self.clauses[..self.scored] {
            if let WindowPart::Blocks { .. } = clause.part {
                clause.score_blocks(window, &coarse, &self.lengths[clause.lengths]);
            }
        }
        let passing = self.passing_ranges(top.threshold());
        let mut slots = self.slots.take().unwrap_or_default();
        slots.taken.clear();
        slots.taken.resize(self.scored, 0);
        for stretch in 0..WINDOW_RANGES / STRETCH_RANGES {
            let mut ranges = (passing[stretch / 2] >> (stretch % 2 * STRETCH_RANGES)) as u32;
            let first = stretch * STRETCH_RANGES;
            // The threshold may have risen since.
            for_each(ranges, |at| {
                if self.sums[first + at] <= top.threshold() {
                    ranges &= !(1 << at);
                }
            });
            if ranges != 0 {
                self.collect_stretch(window * WINDOW, first, ranges, &mut slots, top);
            }
        }
        self.slots = Some(slots);
    }

    /// Evaluates the `ranges` of a stretch that begins with range `first`.
    fn collect_stretch(&mut self, window_base: u32, first: usize, ranges: u32, slots: &mut Slots, top: &mut TopScores) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            let max = clause.bound_of_ranges(first..first + STRETCH_RANGES);
            if max > 0.0 {
                order.push((max, at));
            }
        }
        let idle = idle_count(&mut order, top.threshold());
        let (idle, essential) = order.split_at(idle);
        if !essential.is_empty() {
            let base = window_base + first as u32 * RANGE_DOCS;
            let is_bitset = |at: usize| matches!(self.clauses[at].part, WindowPart::Dense(_));
            let bitsets: Vec<usize> = essential.iter().rev().map(|(_, at)| *at).filter(|at| is_bitset(*at)).collect();
            let stretch = Stretch { base, first, bitsets, idle };
            for (_, at) in essential {
                self.add_scored(*at, base, ranges, slots);
            }
            for_each(ranges, |at| {
                if stretch.bitsets.is_empty() && slots.docs[at] == [0; 2] {
                    return;
                }
                let competing = self.add_bitsets(&stretch, at, slots, top);
                self.offer_slots(&stretch, at, competing, slots, top);
                if slots.docs[at] != [0; 2] {
                    slots.docs[at] = [0; 2];
                    slots.scores[at].fill(0.0);
                }
            });
        }
        self.order = order;
    }

    /// Adds the scores of a clause that were computed beforehand.
    fn add_scored(&mut self, at: usize, base: u32, ranges: u32, slots: &mut Slots) {
        let scored = &self.clauses[at].scored;
        let base = base % WINDOW;
        let skipped = scored[slots.taken[at]..].iter().take_while(|(doc, _)| u32::from(*doc) < base).count();
        let from = slots.taken[at] + skipped;
        let inside = scored[from..].iter().take_while(|(doc, _)| u32::from(*doc) < base + STRETCH_DOCS);
        let mut taken = from;
        for (doc, score) in inside {
            taken += 1;
            let local = (u32::from(*doc) - base) as usize;
            let range = local / BLOCK;
            if ranges >> range & 1 == 1 {
                slots.scores[range][local % BLOCK] += score;
                slots.docs[range][local % BLOCK / 64] |= 1 << (local % 64);
            }
        }
        slots.taken[at] = taken;
    }

    /// Adds the scores of essential bitsets in one range. Gives the documents that can still compete.
    fn add_bitsets(&mut self, stretch: &Stretch, at: usize, slots: &mut Slots, top: &TopScores) -> [u64; 2] {
        let range = stretch.first + at;
        let idle: f32 = stretch.idle.iter().map(|(_, at)| self.clauses[*at].range_bound(range)).sum();
        // What is still to come.
        let mut rest = idle + stretch.bitsets.iter().map(|at| self.clauses[*at].range_bound(range)).sum::<f32>();
        let mut lengths = usize::MAX;
        let mut above = [u64::MAX; 2];
        for clause_at in &stretch.bitsets {
            let clause = &mut self.clauses[*clause_at];
            let WindowPart::Dense(dense) = clause.part else { continue };
            if clause.bests[range] == 0 {
                continue;
            }
            if lengths != clause.lengths {
                lengths = clause.lengths;
                self.lengths[lengths].inverses_from(stretch.base + at as u32 * RANGE_DOCS, &mut slots.inverses);
            }
            let words = clause.postings.range_words(&dense, range);
            let rank = clause.postings.range_rank(&dense, range);
            rest -= clause.range_bound(range);
            let weight = clause.weight;
            let freqs = clause.freqs(&dense, rank, words[0].count_ones() + words[1].count_ones());
            simd::add_scores(words, freqs, &slots.inverses, weight, &mut slots.scores[at]);
            let docs = &mut slots.docs[at];
            *docs = [docs[0] | words[0], docs[1] | words[1]];
            simd::above(&slots.scores[at], needed(top.threshold(), rest), &mut above);
            if above == [0; 2] {
                break;
            }
        }
        [above[0] & slots.docs[at][0], above[1] & slots.docs[at][1]]
    }

    /// Offers those of the documents of a range that can compete.
    fn offer_slots(&mut self, stretch: &Stretch, at: usize, docs: [u64; 2], slots: &Slots, top: &mut TopScores) {
        let range = stretch.first + at;
        let (base, idle) = (stretch.base, stretch.idle);
        if docs == [0; 2] {
            return;
        }
        let rest: f32 = idle.iter().map(|(_, at)| self.clauses[*at].range_bound(range)).sum();
        for_each_bit(docs, |slot| {
            let doc = base + at as u32 * RANGE_DOCS + slot as u32;
            let mut score = slots.scores[at][slot];
            let mut rest = rest;
            for (_, clause) in idle.iter().rev() {
                if score <= needed(top.threshold(), rest) {
                    return;
                }
                rest -= self.clauses[*clause].range_bound(range);
                score += self.clauses[*clause].score(doc, &self.lengths).unwrap_or(0.0);
            }
            if score > needed(top.threshold(), 0.0) {
                self.offer(doc, None, top);
            }
        });
    }
}

fn for_each(mut bits: u32, mut found: impl FnMut(usize)) {
    while bits != 0 {
        found(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
