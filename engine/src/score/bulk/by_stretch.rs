//! Any clause may match: scores of essential clauses are added up in slots, stretches of 4,096 documents at a time, bitsets by
//! whole ranges; the others are asked only about documents that can still compete.

use super::clause::Blocks;
use super::{BulkTop, for_each_bit, idle_count, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::segment::{RANGE_DOCS, WINDOW, WINDOW_RANGES, WindowPart};

const STRETCH_RANGES: usize = 32;
const STRETCH_DOCS: u32 = STRETCH_RANGES as u32 * RANGE_DOCS;

/// So many documents of a range are looked at one by one.
const FEW_DOCS: u32 = 8;

/// Slots of a stretch, by range. Between stretches all is zero.
pub struct Slots {
    scores: Box<[[f32; BLOCK]; STRETCH_RANGES]>,
    docs: [[u64; 2]; STRETCH_RANGES],
    inverses: Box<[f32; BLOCK]>,
    /// Places of the clauses that are accumulated.
    blocks: Vec<Blocks>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            scores: Box::new([[0.0; BLOCK]; STRETCH_RANGES]),
            docs: [[0; 2]; STRETCH_RANGES],
            inverses: Box::new([0.0; BLOCK]),
            blocks: Vec::new(),
        }
    }
}

impl BulkTop {
    pub(super) fn collect_by_stretch(&mut self, window: u32, top: &mut TopScores) {
        let passing = self.passing_ranges(top.threshold());
        let mut slots = self.slots.take().unwrap_or_default();
        slots.blocks.resize_with(self.scored, Blocks::default);
        slots.blocks.iter_mut().for_each(Blocks::reset);
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
    fn collect_stretch(
        &mut self,
        window_base: u32,
        first: usize,
        ranges: u32,
        slots: &mut Slots,
        top: &mut TopScores,
    ) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            let best = clause.bests[first..first + STRETCH_RANGES].iter().copied().max().unwrap_or(0);
            if best > 0 {
                order.push((clause.bound(best), at));
            }
        }
        let idle = idle_count(&mut order, top.threshold());
        let (idle, essential) = order.split_at(idle);
        if !essential.is_empty() {
            let base = window_base + first as u32 * RANGE_DOCS;
            for (_, at) in essential {
                self.add_blocks(*at, base, ranges, slots);
            }
            let any_bitset = essential.iter().any(|(_, at)| matches!(self.clauses[*at].part, WindowPart::Dense(_)));
            for_each(ranges, |at| {
                if !any_bitset && slots.docs[at] == [0; 2] {
                    return;
                }
                if self.add_ranges(essential, idle, base, first, at, slots, top) {
                    self.offer_slots(idle, base, first, at, slots, top);
                }
                if slots.docs[at] != [0; 2] {
                    slots.docs[at] = [0; 2];
                    slots.scores[at].fill(0.0);
                }
            });
        }
        self.order = order;
    }

    /// Adds the scores of a clause that stands in blocks.
    fn add_blocks(&mut self, at: usize, base: u32, ranges: u32, slots: &mut Slots) {
        let clause = &self.clauses[at];
        let WindowPart::Blocks { first, end } = clause.part else { return };
        let lengths = &self.lengths[clause.lengths];
        let blocks = &mut slots.blocks[at];
        let stretch_end = u64::from(base) + u64::from(STRETCH_DOCS);
        let mut target = base;
        while let Some((docs, freqs)) = blocks.rest(&clause.postings, first, end, target) {
            let inside = docs.iter().take_while(|doc| u64::from(**doc) < stretch_end).count();
            for (doc, freq) in docs[..inside].iter().zip(freqs) {
                let local = (doc - base) as usize;
                let range = local / BLOCK;
                if ranges >> range & 1 == 0 {
                    continue;
                }
                let score = clause.weight - clause.weight / (1.0 + *freq as f32 * lengths.inverse(*doc));
                slots.scores[range][local % BLOCK] += score;
                slots.docs[range][local % BLOCK / 64] |= 1 << (local % 64);
            }
            if inside < docs.len() {
                return;
            }
            target = docs[inside - 1] + 1;
        }
    }

    /// Adds the scores of essential bitsets in one range. False if it turns out that nothing in it can compete.
    fn add_ranges(
        &mut self,
        essential: &[(f32, usize)],
        idle: &[(f32, usize)],
        base: u32,
        first: usize,
        at: usize,
        slots: &mut Slots,
        top: &TopScores,
    ) -> bool {
        let range = first + at;
        let dense = |clauses: &[super::Clause], at: usize| match clauses[at].part {
            WindowPart::Dense(dense) if clauses[at].bests[range] > 0 => Some(dense),
            _ => None,
        };
        // What is still to come.
        let mut rest: f32 = (essential.iter().filter(|(_, at)| dense(&self.clauses, *at).is_some()))
            .chain(idle)
            .map(|(_, at)| self.clauses[*at].range_bound(range))
            .sum();
        let mut lengths = usize::MAX;
        for (_, clause_at) in essential.iter().rev() {
            let Some(dense) = dense(&self.clauses, *clause_at) else { continue };
            let clause = &mut self.clauses[*clause_at];
            if lengths != clause.lengths {
                lengths = clause.lengths;
                self.lengths[lengths].inverses_from(base + at as u32 * RANGE_DOCS, &mut slots.inverses);
            }
            let words = clause.postings.range_words(&dense, range);
            let rank = clause.postings.range_rank(&dense, range);
            rest -= clause.range_bound(range);
            let weight = clause.weight;
            let freqs = clause.freqs(&dense, rank, words[0].count_ones() + words[1].count_ones());
            simd::add_scores(words, freqs, &slots.inverses, weight, &mut slots.scores[at]);
            let docs = &mut slots.docs[at];
            *docs = [docs[0] | words[0], docs[1] | words[1]];
            let mut above = [0; 2];
            simd::above(&slots.scores[at], needed(top.threshold(), rest), &mut above);
            if above == [0; 2] {
                return false;
            }
        }
        true
    }

    /// Offers the documents of a range whose slots can compete.
    fn offer_slots(
        &mut self,
        idle: &[(f32, usize)],
        base: u32,
        first: usize,
        at: usize,
        slots: &Slots,
        top: &mut TopScores,
    ) {
        let range = first + at;
        let rest: f32 = idle.iter().map(|(_, at)| self.clauses[*at].range_bound(range)).sum();
        let mut docs = slots.docs[at];
        if docs[0].count_ones() + docs[1].count_ones() > FEW_DOCS {
            let mut above = [0; 2];
            simd::above(&slots.scores[at], needed(top.threshold(), rest), &mut above);
            docs = [above[0] & docs[0], above[1] & docs[1]];
        }
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
