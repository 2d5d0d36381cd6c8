//! One list of blocks leads: block by block, its documents are scored together, and the others are asked, in the order of what
//! they can add, only about those that can still compete.

use super::{BulkTop, Clause, for_each_bit, keep_range, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::score::conjunction::round_up;
use crate::segment::{RANGE_DOCS, WINDOW, WindowPart, WindowSpan};
use std::ops::Range;

/// Up to so many documents are scored one by one.
const FEW: u32 = 24;

/// A block of the leading list.
pub struct Block {
    number: usize,
    len: usize,
    /// Documents that can still compete.
    alive: [u64; 2],
    /// Whether all documents of the span matter: no bounds are at hand then, also when enough have been counted on the way.
    everything: bool,
    /// Whether `freqs`, `inverses` and `scores` are those of the list: where a phrase scores instead, nobody needs them.
    is_scored: bool,
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
        Self {
            number: usize::MAX,
            len: 0,
            alive: [0; 2],
            everything: false,
            is_scored: false,
            docs: ints,
            freqs: ints,
            inverses: floats,
            scores: floats,
            upper: floats,
            others: vec![],
        }
    }
}

impl Block {
    /// What a document must score to compete where others add at most `rest`.
    fn needed(&self, top: &TopScores, rest: f32) -> f32 {
        if self.everything { f32::NEG_INFINITY } else { needed(top.threshold(), rest) }
    }
}

impl BulkTop {
    /// `counting`: count the matches on the way.
    pub(super) fn collect_by_list(&mut self, lead: usize, span: &WindowSpan, counting: bool, top: &mut TopScores) {
        let WindowPart::Blocks { first, end } = self.clauses[lead].part else { return };
        let (base, last) = (span.base(), span.last());
        let mut others: Vec<usize> = (0..self.scored).filter(|at| *at != lead).collect();
        // Required ones first, and first of each what can add most.
        let required = self.required;
        others.sort_by(|a, b| {
            (*a >= required).cmp(&(*b >= required)).then(self.clauses[*b].max.total_cmp(&self.clauses[*a].max))
        });
        let everything = self.takes_everything(top);
        let mut block = self.block.take().unwrap_or_default();
        block.everything = everything;
        block.others.resize(self.scored, [f32::NAN; BLOCK]);
        for number in first..end {
            let clause = &self.clauses[lead];
            let own = clause.bound(clause.postings.block_best(number));
            let to = clause.postings.block_last(number).min(last);
            let from = if number == first { base } else { clause.postings.block_last(number - 1).saturating_add(1) };
            let ranges = span.range(from)..span.range(to) + 1;
            let rest = if everything { Some(0.0) } else { self.rest_of_ranges(lead, &ranges) };
            let Some(rest) = rest else { continue };
            let competes = everything || round_up(f64::from(own) + f64::from(rest)) > self.bar(top);
            if !competes && !counting {
                continue;
            }
            if block.number != number {
                block.len = self.clauses[lead].postings.read_docs(number, &mut block.docs);
                block.number = number;
            }
            let docs = &block.docs[..block.len];
            let lo = if docs[0] < base { docs.partition_point(|doc| *doc < base) } else { 0 };
            let hi = if docs[docs.len() - 1] > last { docs.partition_point(|doc| *doc <= last) } else { docs.len() };
            let mut alive = [u64::MAX; 2];
            keep_range(&mut alive, lo, hi);
            if counting {
                let matches = self.count_block(lead, &block.docs, &mut alive);
                top.add_count(matches);
            } else {
                self.intersect_block(lead, &block.docs, &mut alive);
            }
            if competes && alive != [0; 2] {
                block.is_scored = !everything || self.clauses[lead].phrase.is_none();
                self.score_block(lead, alive, rest, &mut block, top);
                if block.alive != [0; 2] {
                    self.collect_block(lead, &others, &ranges, rest, &mut block, top);
                }
            }
        }
        block.number = usize::MAX;
        self.block = Some(block);
    }

    /// Leaves alive what required lists of blocks match too, which is found out sooner than scores are.
    fn intersect_block(&mut self, lead: usize, docs: &[u32; BLOCK], alive: &mut [u64; 2]) {
        for at in (0..self.required).filter(|at| *at != lead) {
            if matches!(self.clauses[at].part, WindowPart::Blocks { .. }) {
                *alive = self.clauses[at].find(docs, *alive, None);
            }
        }
    }

    /// Scores the lead in its block, and leaves alive what can compete.
    fn score_block(&mut self, lead: usize, alive: [u64; 2], rest: f32, block: &mut Block, top: &TopScores) {
        let clause = &self.clauses[lead];
        let scores = block.is_scored && clause.weight > 0.0;
        if scores && alive[0].count_ones() + alive[1].count_ones() <= FEW {
            let limit = block.needed(top, rest);
            let lengths = &self.lengths[clause.lengths];
            clause.postings.read_freqs(block.number, &mut block.freqs);
            block.alive = alive;
            for_each_bit(alive, |at| {
                let inverse = lengths.inverse(block.docs[at]);
                let score = clause.weight - clause.weight / (1.0 + block.freqs[at] as f32 * inverse);
                (block.inverses[at], block.scores[at]) = (inverse, score);
                block.alive[at / 64] &= !(u64::from(score <= limit) << (at % 64));
            });
            return;
        }
        let mut passing = [u64::MAX; 2];
        if scores {
            clause.postings.read_freqs(block.number, &mut block.freqs);
            self.lengths[clause.lengths].inverses_of(&block.docs[..block.len], &mut block.inverses);
            simd::scores(&block.freqs, &block.inverses, clause.weight, &mut block.scores);
            simd::above(&block.scores, block.needed(top, rest), &mut passing);
        } else {
            block.scores.fill(0.0);
        }
        block.alive = [alive[0] & passing[0], alive[1] & passing[1]];
    }

    /// What the clauses but `lead` can add in these ranges at most; none if a required one has no document there.
    #[inline]
    fn rest_of_ranges(&self, lead: usize, ranges: &Range<usize>) -> Option<f32> {
        let mut rest = 0f32;
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            if at != lead && !clause.is_empty() {
                let best = clause.bests[ranges.clone()].iter().copied().max().unwrap_or(0);
                if best == 0 && at < self.required {
                    return None;
                }
                rest += clause.bound(best);
            }
        }
        Some(rest)
    }

    /// Asks the others, in their order, about the documents of a block that are alive.
    fn collect_block(
        &mut self,
        lead: usize,
        others: &[usize],
        ranges: &Range<usize>,
        rest: f32,
        block: &mut Block,
        top: &mut TopScores,
    ) {
        for_each_bit(block.alive, |at| block.upper[at] = block.scores[at] + rest);
        for &other in others {
            let clause = &self.clauses[other];
            let required = other < self.required;
            if required && (clause.weight == 0.0 || block.everything && clause.phrase.is_some()) {
                self.keep_matching(other, block);
            } else if !clause.is_empty() {
                self.add_scores(lead, other, ranges, block, top);
            }
            if block.alive == [0; 2] {
                return;
            }
        }
        let alive = block.alive;
        if !self.phrases.is_empty() {
            let mut docs = std::mem::take(&mut self.pending);
            docs.leading = Some((lead, block.number));
            for_each_bit(alive, |at| {
                docs.docs.push(block.docs[at]);
                docs.places.push(at as u8);
            });
            self.look_ahead(&mut docs);
            docs.clear();
            self.pending = docs;
        }
        for_each_bit(alive, |at| self.offer_of_block(lead, at, block, top));
    }

    /// Leaves alive what a required clause matches that adds nothing.
    fn keep_matching(&mut self, other: usize, block: &mut Block) {
        let clause = &mut self.clauses[other];
        // Those of lists of blocks were left before anything was scored.
        if let WindowPart::Dense(_) = clause.part {
            block.alive = clause.find(&block.docs, block.alive, None);
        }
        block.others[other] = [0.0; BLOCK];
    }

    /// Adds what a clause scores to what documents can score at most, instead of what it might have, and leaves alive what can
    /// compete still.
    fn add_scores(&mut self, lead: usize, other: usize, ranges: &Range<usize>, block: &mut Block, top: &TopScores) {
        let limit = block.needed(top, 0.0);
        let clause = &mut self.clauses[other];
        let mut alive = block.alive;
        if let WindowPart::Dense(_) = clause.part {
            lower_to_ranges(clause, ranges, &mut alive, limit, &mut block.upper, &block.docs);
        }
        let scores = clause.weight > 0.0;
        let found = match clause.part {
            // They were found before anything was scored.
            WindowPart::Blocks { .. } if other < self.required => {
                if scores {
                    clause.freqs_of_found(alive, &mut block.freqs);
                }
                alive
            }
            _ => clause.find(&block.docs, alive, scores.then_some(&mut block.freqs)),
        };
        if other < self.required {
            alive = found;
        }
        let most = clause.bound_of_ranges(ranges.clone());
        let (clause, leading) = (&self.clauses[other], &self.clauses[lead]);
        let same_lengths = block.is_scored && leading.weight > 0.0 && clause.lengths == leading.lengths;
        for_each_bit(alive, |at| {
            let dense = matches!(clause.part, WindowPart::Dense(_));
            let counted = if dense { clause.range_bound(range_in_window(block.docs[at])) } else { most };
            let mut score = 0.0;
            block.others[other][at] = f32::NAN;
            let is_found = found[at / 64] >> (at % 64) & 1 == 1;
            if is_found && clause.weight == 0.0 {
                block.others[other][at] = 0.0;
            } else if is_found {
                let inverse = match same_lengths {
                    true => block.inverses[at],
                    false => self.lengths[clause.lengths].inverse(block.docs[at]),
                };
                score = clause.weight - clause.weight / (1.0 + block.freqs[at] as f32 * inverse);
                block.others[other][at] = score;
            }
            block.upper[at] += score - counted;
            alive[at / 64] &= !(u64::from(block.upper[at] <= limit) << (at % 64));
        });
        block.alive = alive;
    }

    fn offer_of_block(&mut self, lead: usize, at: usize, block: &Block, top: &mut TopScores) {
        let (mut required, mut optional, mut matched) = (0f64, 0f64, 0);
        if !self.phrases_match(block.docs[at]) {
            return;
        }
        for (number, clause) in self.clauses[..self.scored].iter().enumerate() {
            let score = match clause.phrase {
                Some(phrase) => self.phrases[phrase].score,
                None if number == lead => block.scores[at],
                None => block.others[number][at],
            };
            if score.is_nan() || clause.is_empty() {
                continue;
            }
            if number < self.required {
                required += f64::from(score);
            } else {
                (optional, matched) = (optional + f64::from(score), matched + 1);
            }
        }
        if matched < self.minimum {
            return;
        }
        self.offer_sums(block.docs[at], required, optional, top);
    }
}

/// Counts what a bitset can add by the range of each document instead of by the ranges of the block.
fn lower_to_ranges(
    clause: &Clause,
    ranges: &Range<usize>,
    alive: &mut [u64; 2],
    limit: f32,
    upper: &mut [f32; BLOCK],
    docs: &[u32; BLOCK],
) {
    let most = clause.bound_of_ranges(ranges.clone());
    for_each_bit(*alive, |at| {
        upper[at] -= most - clause.range_bound(range_in_window(docs[at]));
        alive[at / 64] &= !(u64::from(upper[at] <= limit) << (at % 64));
    });
}

fn range_in_window(doc: u32) -> usize {
    (doc % WINDOW / RANGE_DOCS) as usize
}
