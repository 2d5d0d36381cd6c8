//! One list of blocks leads: block by block, its documents are scored together, and the others are asked, in the order of what
//! they can add, only about those that can still compete.

use super::{BulkTop, Clause, for_each_bit, keep_range, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::score::conjunction::round_up;
use crate::segment::{RANGE_DOCS, WINDOW, WindowPart};

/// A block of the leading list.
pub struct Block {
    docs: [u32; BLOCK],
    freqs: [u32; BLOCK],
    inverses: [f32; BLOCK],
    scores: [f32; BLOCK],
    /// What each document can score at most.
    upper: [f32; BLOCK],
    /// The scores of the other clauses; NaN where they do not match.
    others: Vec<[f32; BLOCK]>,
}

impl Default for Block {
    fn default() -> Self {
        let (ints, floats) = ([0; BLOCK], [0.0; BLOCK]);
        Self { docs: ints, freqs: ints, inverses: floats, scores: floats, upper: floats, others: vec![] }
    }
}

impl BulkTop {
    pub(super) fn collect_by_list(&mut self, lead: usize, window: u32, top: &mut TopScores) {
        let WindowPart::Blocks { first, end } = self.clauses[lead].part else { return };
        let base = window * WINDOW;
        let last = base + (WINDOW - 1);
        let mut others: Vec<usize> = (0..self.scored).filter(|at| *at != lead).collect();
        others.sort_by(|a, b| self.clauses[*b].max.total_cmp(&self.clauses[*a].max));
        let mut block = std::mem::take(&mut self.block).unwrap_or_default();
        block.others.resize(self.scored, [f32::NAN; BLOCK]);
        for number in first..end {
            let clause = &self.clauses[lead];
            let own = clause.bound(clause.postings.block_best(number));
            let to = clause.postings.block_last(number).min(last);
            let from = if number == first { base } else { clause.postings.block_last(number - 1).saturating_add(1) };
            let ranges = (range(from, base), range(to, base));
            let Some(rest) = self.rest_of_ranges(lead, ranges) else { continue };
            if round_up(f64::from(own) + f64::from(rest)) <= top.threshold() {
                continue;
            }
            let clause = &self.clauses[lead];
            let len = clause.postings.read_block(number, &mut block.docs, &mut block.freqs);
            self.lengths[clause.lengths].inverses_of(&block.docs[..len], &mut block.inverses);
            simd::scores(&block.freqs, &block.inverses, clause.weight, &mut block.scores);
            let mut passing = [0; 2];
            simd::above(&block.scores, needed(top.threshold(), rest), &mut passing);
            let docs = &block.docs[..len];
            let lo = if docs[0] < base { docs.partition_point(|doc| *doc < base) } else { 0 };
            let hi = if docs[len - 1] > last { docs.partition_point(|doc| *doc <= last) } else { len };
            keep_range(&mut passing, lo, hi);
            if passing != [0; 2] {
                self.collect_block(lead, &others, ranges, rest, passing, &mut block, top);
            }
        }
        self.block = Some(block);
    }

    /// What the clauses but `lead` can add in these ranges at most; none if a required one has no document there.
    #[inline]
    fn rest_of_ranges(&self, lead: usize, ranges: (usize, usize)) -> Option<f32> {
        let mut rest = 0f32;
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            if at != lead && !clause.is_empty() {
                let best = best_of(clause, ranges);
                if best == 0 && at < self.required {
                    return None;
                }
                rest += clause.bound(best);
            }
        }
        Some(rest)
    }

    /// Asks the others about the documents of a block that are `alive`.
    #[allow(clippy::too_many_arguments, reason = "one step of the loop above")]
    fn collect_block(
        &mut self,
        lead: usize,
        others: &[usize],
        ranges: (usize, usize),
        rest: f32,
        mut alive: [u64; 2],
        block: &mut Block,
        top: &mut TopScores,
    ) {
        for_each_bit(alive, |at| block.upper[at] = block.scores[at] + rest);
        for required in [true, false] {
            for other in others.iter().filter(|at| (**at < self.required) == required) {
                let clause = &mut self.clauses[*other];
                if clause.is_empty() {
                    continue;
                }
                let limit = needed(top.threshold(), 0.0);
                if let WindowPart::Dense(_) = clause.part {
                    lower_to_ranges(clause, ranges, &mut alive, limit, block);
                }
                let found = clause.find(&block.docs, alive, Some(&mut block.freqs));
                if required {
                    alive = found;
                }
                let most = clause.bound(best_of(clause, ranges));
                let same_lengths = clause.lengths == self.clauses[lead].lengths;
                let clause = &self.clauses[*other];
                for_each_bit(alive, |at| {
                    let dense = matches!(clause.part, WindowPart::Dense(_));
                    let counted = if dense { clause.range_bound(range_in_window(block.docs[at])) } else { most };
                    let mut score = 0.0;
                    block.others[*other][at] = f32::NAN;
                    if found[at / 64] >> (at % 64) & 1 == 1 {
                        let inverse = match same_lengths {
                            true => block.inverses[at],
                            false => self.lengths[clause.lengths].inverse(block.docs[at]),
                        };
                        score = clause.weight - clause.weight / (1.0 + block.freqs[at] as f32 * inverse);
                        block.others[*other][at] = score;
                    }
                    block.upper[at] += score - counted;
                    alive[at / 64] &= !(u64::from(block.upper[at] <= limit) << (at % 64));
                });
                if alive == [0; 2] {
                    return;
                }
            }
        }
        for_each_bit(alive, |at| self.offer_of_block(lead, at, block, top));
    }

    fn offer_of_block(&mut self, lead: usize, at: usize, block: &Block, top: &mut TopScores) {
        let (mut required, mut optional) = (0f64, 0f64);
        for (number, clause) in self.clauses[..self.scored].iter().enumerate() {
            let score = if number == lead { block.scores[at] } else { block.others[number][at] };
            if score.is_nan() || clause.is_empty() {
                continue;
            }
            *(if number < self.required { &mut required } else { &mut optional }) += f64::from(score);
        }
        self.offer_sums(block.docs[at], required, optional, top);
    }
}

/// Counts what a bitset can add by the range of each document instead of by the ranges of the block.
fn lower_to_ranges(clause: &Clause, ranges: (usize, usize), alive: &mut [u64; 2], limit: f32, block: &mut Block) {
    let most = clause.bound(best_of(clause, ranges));
    for_each_bit(*alive, |at| {
        block.upper[at] -= most - clause.range_bound(range_in_window(block.docs[at]));
        alive[at / 64] &= !(u64::from(block.upper[at] <= limit) << (at % 64));
    });
}

/// The best of ranges `from..=to`.
#[inline]
fn best_of(clause: &Clause, (from, to): (usize, usize)) -> u8 {
    clause.bests[from..=to].iter().copied().max().unwrap_or(0)
}

fn range(doc: u32, base: u32) -> usize {
    (doc.max(base) - base) as usize / RANGE_DOCS as usize
}

fn range_in_window(doc: u32) -> usize {
    (doc % WINDOW / RANGE_DOCS) as usize
}
