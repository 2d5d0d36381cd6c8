//! One list of blocks leads: block by block, its documents are scored together, and the others are asked only about those
//! that can still compete.

use super::{BulkTop, for_each_bit, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::score::conjunction::round_up;
use crate::segment::{RANGE_DOCS, WINDOW, WindowPart};

impl BulkTop {
    pub(super) fn collect_by_list(&mut self, lead: usize, window: u32, top: &mut TopScores) {
        let WindowPart::Blocks { first, end } = self.clauses[lead].part else { return };
        let base = window * WINDOW;
        let last = base + (WINDOW - 1);
        let (mut docs, mut freqs) = ([0; BLOCK], [0; BLOCK]);
        let (mut inverses, mut scores) = ([0f32; BLOCK], [0f32; BLOCK]);
        for block in first..end {
            let clause = &self.clauses[lead];
            let own = clause.bound(clause.postings.block_best(block));
            let to = clause.postings.block_last(block).min(last);
            let from = if block == first { base } else { clause.postings.block_last(block - 1).saturating_add(1) };
            let Some(rest) = self.rest_of_ranges(lead, range(from, base), range(to, base)) else { continue };
            if round_up(f64::from(own) + f64::from(rest)) <= top.threshold() {
                continue;
            }
            let clause = &self.clauses[lead];
            let len = clause.postings.read_block(block, &mut docs, &mut freqs);
            self.lengths[clause.lengths].inverses_of(&docs[..len], &mut inverses);
            simd::scores(&freqs, &inverses, clause.weight, &mut scores);
            let mut passing = [0; 2];
            simd::above(&scores, needed(top.threshold(), rest), &mut passing);
            let lo = if docs[0] < base { docs[..len].partition_point(|doc| *doc < base) } else { 0 };
            let hi = if docs[len - 1] > last { docs[..len].partition_point(|doc| *doc <= last) } else { len };
            mask(&mut passing, lo, hi);
            for_each_bit(passing, |at| self.offer_of_list(lead, docs[at], scores[at], top));
        }
    }

    /// What the clauses but `lead` can add in ranges `from..=to` at most; none if a required one has no document there.
    #[inline]
    fn rest_of_ranges(&self, lead: usize, from: usize, to: usize) -> Option<f32> {
        let mut rest = 0f32;
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            if at != lead {
                let best = clause.bests[from..=to].iter().copied().max().unwrap_or(0);
                if best == 0 && at < self.required {
                    return None;
                }
                rest += clause.bound(best);
            }
        }
        Some(rest)
    }

    #[inline]
    fn offer_of_list(&mut self, lead: usize, doc: u32, score: f32, top: &mut TopScores) {
        let required = self.clauses[..self.required].iter().enumerate().filter(|(at, _)| *at != lead);
        for (_, clause) in required {
            if let WindowPart::Dense(dense) = &clause.part
                && !clause.postings.has(dense, doc)
            {
                return;
            }
        }
        let range = (doc % WINDOW / RANGE_DOCS) as usize;
        let Some(rest) = self.rest_of_ranges(lead, range, range) else { return };
        if score > needed(top.threshold(), rest) {
            self.offer(doc, Some((lead, score)), top);
        }
    }
}

fn range(doc: u32, base: u32) -> usize {
    (doc.max(base) - base) as usize / RANGE_DOCS as usize
}

/// Keeps bits `lo..hi`.
fn mask(words: &mut [u64; 2], lo: usize, hi: usize) {
    let below = |n: usize| if n >= BLOCK { u128::MAX } else { (1u128 << n) - 1 };
    let keep = below(hi) & !below(lo);
    words[0] &= keep as u64;
    words[1] &= (keep >> 64) as u64;
}
