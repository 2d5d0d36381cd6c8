//! Any clause may match: scores of essential clauses are added up in slots, stretches of 4,096 documents at a time, bitsets by
//! whole ranges; the others are asked only about documents that can still compete. Where the bounds of a range hardly suffice,
//! only documents that have nearly all of its terms can: these are found as bits, and few of them are scored one by one.

use super::{BulkTop, ClauseSet, for_each_bit, idle_count, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::segment::{RANGE_DOCS, WINDOW, WINDOW_RANGES, WindowPart, WindowSpan};

const STRETCH_RANGES: usize = 32;
const STRETCH_DOCS: u32 = STRETCH_RANGES as u32 * RANGE_DOCS;

/// From this many ranges on that compete in a stretch, all of its scores are added up.
const ALL_RANGES_MIN: u32 = 8;

/// From so many documents of a range on the lengths of all of it are looked up, for them and for the clauses that come after.
const LENGTHS_MIN: u32 = 28;

/// Among more clauses than these a document can mostly do without any one of them, and looking for what it needs is not worth it.
const REQUIRED_AMONG_MAX: usize = 3;

/// So few documents of a range are scored one by one.
const FEW: u32 = 4;

/// What is the same for all ranges of a stretch.
struct Stretch<'a> {
    /// The first document, and the first range of the window.
    base: u32,
    first: usize,
    /// Essential clauses that are bitsets, what can score most first.
    bitsets: Vec<usize>,
    /// Clauses that are asked last, with their bounds, which ascend.
    idle: &'a [(f32, usize)],
    required: Vec<Required>,
}

impl Stretch<'_> {
    /// The clauses that are not scored beforehand, in the order in which they are asked.
    fn asked(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.bitsets.iter().copied().chain(self.idle.iter().rev().map(|(_, at)| *at))
    }
}

/// A clause without which documents of some ranges cannot compete.
struct Required {
    clause: usize,
    /// Where its documents are kept, if it is a list of blocks.
    own_docs: usize,
    ranges: u32,
}

/// Slots of a stretch, by range. Between stretches all is zero.
pub struct Slots {
    scores: Box<[[f32; BLOCK]; STRETCH_RANGES]>,
    docs: [[u64; 2]; STRETCH_RANGES],
    /// The documents of lists of blocks without which some ranges cannot compete.
    own_docs: Vec<[[u64; 2]; STRETCH_RANGES]>,
    inverses: Box<[f32; BLOCK]>,
    /// How many of the documents that were scored beforehand are behind, by clause.
    taken: Vec<usize>,
    /// Ranges of the stretch that cannot compete, but have got scores.
    idle_ranges: u32,
    /// What the first so many of the clauses that are still to come can add in each range: idle ones, then bitsets, each from what adds
    /// least on.
    rests: Vec<[f32; STRETCH_RANGES]>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            scores: Box::new([[0.0; BLOCK]; STRETCH_RANGES]),
            docs: [[0; 2]; STRETCH_RANGES],
            own_docs: Vec::new(),
            inverses: Box::new([0.0; BLOCK]),
            taken: Vec::new(),
            idle_ranges: 0,
            rests: Vec::new(),
        }
    }
}

impl Slots {
    fn clear(&mut self, range: usize) {
        if self.docs[range] != [0; 2] {
            self.docs[range] = [0; 2];
            self.scores[range].fill(0.0);
        }
    }
}

impl BulkTop {
    /// `idle`: clauses that cannot compete in this window without any of the others.
    pub(super) fn collect_by_stretch(&mut self, span: &WindowSpan, idle: ClauseSet, top: &mut TopScores) {
        let coarse = self.passing_ranges(top.threshold());
        // The bound of a block stands for many ranges; what it holds is known exactly once it is read. Of idle clauses too little is
        // asked for that to pay.
        for (at, clause) in self.clauses[..self.scored].iter_mut().enumerate().skip(self.required) {
            if let (WindowPart::Blocks { .. }, 0) = (clause.part, idle >> at & 1) {
                clause.score_blocks(span, &coarse, &self.lengths[clause.lengths]);
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
                self.collect_stretch(span.base(), first, ranges, idle, &mut slots, top);
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
        idle: ClauseSet,
        slots: &mut Slots,
        top: &mut TopScores,
    ) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for (at, clause) in self.clauses[..self.scored].iter().enumerate() {
            let max = clause.bound_of_ranges(first..first + STRETCH_RANGES);
            if max > 0.0 {
                order.push((max, at));
            }
        }
        let idle = idle_count(&mut order, idle, top.threshold());
        let (idle, essential) = order.split_at(idle);
        if !essential.is_empty() {
            let base = window_base + first as u32 * RANGE_DOCS;
            let is_bitset = |at: usize| matches!(self.clauses[at].part, WindowPart::Dense(_));
            let bitsets: Vec<usize> = essential.iter().rev().map(|(_, at)| *at).filter(|at| is_bitset(*at)).collect();
            let mut stretch = Stretch { base, first, bitsets, idle, required: Vec::new() };
            if (2..=REQUIRED_AMONG_MAX).contains(&(essential.len() + idle.len())) {
                self.find_required(&mut stretch, essential, ranges, top.threshold());
            }
            slots.own_docs.clear();
            for (_, at) in essential {
                match stretch.required.iter_mut().find(|required| required.clause == *at) {
                    Some(required) => {
                        required.own_docs = slots.own_docs.len();
                        slots.own_docs.push([[0; 2]; STRETCH_RANGES]);
                        self.add_scored::<true>(*at, base, ranges, slots);
                    }
                    None => self.add_scored::<false>(*at, base, ranges, slots),
                }
            }
            self.add_up_rests(&stretch, &mut slots.rests);
            for_each(ranges, |at| {
                if stretch.bitsets.is_empty() && slots.docs[at] == [0; 2] {
                    return;
                }
                if self.sums[first + at] > top.threshold() {
                    match self.with_required(&stretch, at, slots) {
                        Some(docs) if docs[0].count_ones() + docs[1].count_ones() <= FEW => {
                            self.offer_few(&stretch, at, docs, slots, top);
                        }
                        docs => {
                            let docs = docs.unwrap_or([u64::MAX; 2]);
                            let competing = self.add_bitsets(&stretch, at, slots, top);
                            let competing = [competing[0] & docs[0], competing[1] & docs[1]];
                            self.offer_slots(&stretch, at, competing, slots, top);
                        }
                    }
                }
                slots.clear(at);
            });
            for_each(std::mem::take(&mut slots.idle_ranges), |at| slots.clear(at));
        }
        self.order = order;
    }

    /// Adds the scores of a clause that were computed beforehand. Where it `IS_REQUIRED` its documents go to the last of those that
    /// are kept apart.
    fn add_scored<const IS_REQUIRED: bool>(&mut self, at: usize, base: u32, ranges: u32, slots: &mut Slots) {
        let scored = &self.clauses[at].scored;
        let base = base % WINDOW;
        let from = slots.taken[at];
        let from = from + count_below(&scored[from..], base);
        let end = from + count_below(&scored[from..], base + STRETCH_DOCS);
        slots.taken[at] = end;
        // Where many ranges compete, a test of each document costs more than what it saves.
        let all = ranges.count_ones() >= ALL_RANGES_MIN;
        let mut touched = 0;
        let mut own_docs = slots.own_docs.last_mut().filter(|_| IS_REQUIRED);
        for (doc, score) in &scored[from..end] {
            let local = (u32::from(*doc) - base) as usize;
            let range = local / BLOCK % STRETCH_RANGES;
            if all || ranges >> range & 1 == 1 {
                slots.scores[range][local % BLOCK] += score;
                slots.docs[range][local % BLOCK / 64] |= 1 << (local % 64);
                if let Some(own_docs) = &mut own_docs {
                    own_docs[range][local % BLOCK / 64] |= 1 << (local % 64);
                }
                touched |= 1 << range;
            }
        }
        slots.idle_ranges |= touched & !ranges;
    }

    fn add_up_rests(&self, stretch: &Stretch, rests: &mut Vec<[f32; STRETCH_RANGES]>) {
        let mut sums = [0.0; STRETCH_RANGES];
        rests.clear();
        rests.push(sums);
        for at in stretch.asked().rev() {
            self.clauses[at].add_bounds(stretch.first, &mut sums);
            rests.push(sums);
        }
    }

    /// In which of the `ranges` the bounds of all other clauses do not suffice without this one, for each of those whose documents
    /// are known.
    fn find_required(&self, stretch: &mut Stretch, essential: &[(f32, usize)], ranges: u32, threshold: f32) {
        // What a document can miss of the bounds of a range, with room for sums of floats whose order differs.
        let mut spare = [f32::INFINITY; STRETCH_RANGES];
        for_each(ranges, |at| {
            let sum = self.sums[stretch.first + at];
            spare[at] = sum - threshold + sum * 8e-6;
        });
        let least = spare.iter().copied().fold(f32::INFINITY, f32::min);
        let is_known = |at: usize| matches!(self.clauses[at].part, WindowPart::Dense(_));
        let known = essential.iter().chain(stretch.idle.iter().filter(|(_, at)| is_known(*at)));
        for (_, clause) in known.filter(|(most, _)| *most > least) {
            let mut bounds = [0f32; STRETCH_RANGES];
            self.clauses[*clause].add_bounds(stretch.first, &mut bounds);
            let exceeds = bounds.iter().zip(&spare).enumerate();
            let ranges = exceeds.fold(0, |bits, (at, (bound, spare))| bits | u32::from(bound > spare) << at);
            if ranges != 0 {
                stretch.required.push(Required { clause: *clause, own_docs: 0, ranges });
            }
        }
    }

    /// The documents of a range that have every term without which they cannot compete; none if there is no such term.
    fn with_required(&self, stretch: &Stretch, at: usize, slots: &Slots) -> Option<[u64; 2]> {
        let mut found = None;
        for required in stretch.required.iter().filter(|required| required.ranges >> at & 1 == 1) {
            let clause = &self.clauses[required.clause];
            let own = match &clause.part {
                WindowPart::Dense(dense) => clause.postings.range_words(dense, stretch.first + at),
                _ => slots.own_docs[required.own_docs][at],
            };
            let docs = found.get_or_insert([u64::MAX; 2]);
            *docs = [docs[0] & own[0], docs[1] & own[1]];
        }
        found
    }

    /// Scores documents of a range one by one, what adds most first, as long as they can compete.
    fn offer_few(&mut self, stretch: &Stretch, at: usize, docs: [u64; 2], slots: &Slots, top: &mut TopScores) {
        let range = stretch.first + at;
        let from = stretch.base + at as u32 * RANGE_DOCS;
        let matches = self.range_matches(range).unwrap_or([u64::MAX; 2]);
        for_each_bit([docs[0] & matches[0], docs[1] & matches[1]], |slot| {
            let doc = from + slot as u32;
            let mut score = slots.scores[at][slot];
            for (clause, rests) in stretch.asked().zip(slots.rests.iter().rev()) {
                if score <= needed(top.threshold(), rests[at]) {
                    return;
                }
                score += self.clauses[clause].score(doc, &self.lengths).unwrap_or(0.0);
            }
            if score > needed(top.threshold(), 0.0) {
                self.offer(doc, None, top);
            }
        });
    }

    /// Adds the scores of essential bitsets in one range. Gives the documents that can still compete.
    fn add_bitsets(&mut self, stretch: &Stretch, at: usize, slots: &mut Slots, top: &TopScores) -> [u64; 2] {
        let range = stretch.first + at;
        let mut lengths = usize::MAX;
        let mut above = [0; 2];
        let mut rests = slots.rests[stretch.idle.len()..].iter().rev().map(|rests| rests[at]);
        if stretch.bitsets.is_empty() {
            simd::above(&slots.scores[at], needed(top.threshold(), rests.next().unwrap_or(0.0)), &mut above);
        }
        // What all of them can add; what those behind each can comes with it.
        let behind = rests.skip(1);
        for (clause_at, rest) in stretch.bitsets.iter().zip(behind) {
            let clause = &mut self.clauses[*clause_at];
            let WindowPart::Dense(dense) = clause.part else { continue };
            if clause.bests[range] > 0 {
                let words = clause.postings.range_words(&dense, range);
                let count = words[0].count_ones() + words[1].count_ones();
                if lengths != clause.lengths {
                    let base = stretch.base + at as u32 * RANGE_DOCS;
                    lengths = if count >= LENGTHS_MIN { clause.lengths } else { usize::MAX };
                    match lengths {
                        usize::MAX => self.lengths[clause.lengths].inverses_among(base, words, &mut slots.inverses),
                        all => self.lengths[all].inverses_from(base, &mut slots.inverses),
                    }
                }
                let rank = clause.postings.range_rank(&dense, range);
                let weight = clause.weight;
                let freqs = clause.freqs(&dense, rank, count);
                simd::add_scores(words, freqs, &slots.inverses, weight, &mut slots.scores[at]);
                let docs = &mut slots.docs[at];
                *docs = [docs[0] | words[0], docs[1] | words[1]];
            }
            simd::above(&slots.scores[at], needed(top.threshold(), rest), &mut above);
            if above == [0; 2] {
                break;
            }
        }
        [above[0] & slots.docs[at][0], above[1] & slots.docs[at][1]]
    }

    /// Offers those of the documents of a range that can compete, once the idle clauses are asked about them: what adds most first.
    fn offer_slots(&mut self, stretch: &Stretch, at: usize, docs: [u64; 2], slots: &mut Slots, top: &mut TopScores) {
        let range = stretch.first + at;
        let from = stretch.base + at as u32 * RANGE_DOCS;
        let matches = self.range_matches(range).unwrap_or([u64::MAX; 2]);
        let mut docs = [docs[0] & matches[0], docs[1] & matches[1]];
        let Slots { scores, rests, .. } = slots;
        let scores = &mut scores[at];
        for ((_, clause), rests) in stretch.idle.iter().zip(&*rests).rev() {
            if docs == [0; 2] {
                return;
            }
            let clause = &mut self.clauses[*clause];
            let asked = match &clause.part {
                WindowPart::Empty => [0; 2],
                WindowPart::Dense(dense) => {
                    let words = clause.postings.range_words(dense, range);
                    [docs[0] & words[0], docs[1] & words[1]]
                }
                WindowPart::Blocks { .. } => docs,
            };
            for_each_bit(asked, |slot| {
                scores[slot] += clause.score(from + slot as u32, &self.lengths).unwrap_or(0.0);
            });
            let mut above = [0; 2];
            simd::above(scores, needed(top.threshold(), rests[at]), &mut above);
            docs = [docs[0] & above[0], docs[1] & above[1]];
        }
        for_each_bit(docs, |slot| {
            let score = scores[slot];
            if score > needed(top.threshold(), 0.0) {
                // The sum of one score is that score.
                let only = (self.scored == 1).then_some((0, score));
                self.offer(from + slot as u32, only, top);
            }
        });
    }
}

/// How many of ascending documents are below a limit, not far from the first.
fn count_below(scored: &[(u16, f32)], limit: u32) -> usize {
    let is_below = |scored: &(u16, f32)| u32::from(scored.0) < limit;
    let mut reach = 8;
    while reach < scored.len() && is_below(&scored[reach]) {
        reach *= 2;
    }
    let from = if reach > 8 { reach / 2 } else { 0 };
    from + scored[from..reach.min(scored.len())].partition_point(is_below)
}

fn for_each(mut bits: u32, mut found: impl FnMut(usize)) {
    while bits != 0 {
        found(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}
