//! Any clause may match, and none can compete alone, or few documents of it: what each can score at most says which combinations
//! suffice, and that is a function of bits. It is evaluated for all documents of a window at once, so that of lists of blocks no more
//! is read than the documents; what is found is scored one by one, what adds most first.
//!
//! The function is a decision diagram without repeated nodes, which for sums against a threshold stays small (Hosaka, Takenaga,
//! Kaneda, Yajima: Size of ordered binary decision diagrams representing threshold functions, 1997).

use super::{BulkTop, Clause, in_window, needed};
use crate::codec::simd::{self, BLOCK};
use crate::score::TopScores;
use crate::segment::{RANGE_DOCS, WINDOW_RANGES, WINDOW_WORDS, WindowPart, WindowSpan};

/// With more clauses that have documents in a window the diagram may be large. Of two it is hardly more than what `by_stretch` looks for.
const SETS_MAX: usize = 8;
const SETS_MIN: usize = 3;

/// Of fewer documents in lists, or none, bitsets for the whole window are too much.
const DOCS_MIN: usize = 512;

/// The first of so few windows is a great part of all: of 64,494 documents `or5` took 0.89 of the time with scores added up in it, of 1,189,818
/// documents 1.08.
const FIRST_MATTERS: u32 = 2;

/// A diagram with more nodes is given up.
const NODES_MAX: usize = 40;

/// Where more documents suffice, or a greater part of those in lists, scores are better added up.
const FOUND_MAX: usize = 2048;
const FOUND_PARTS: usize = 2;

/// Words that are looked at together, and their bytes: those of as many ranges as a word has bits.
const CHUNK: usize = 128;
const CHUNK_BYTES: usize = CHUNK * 8;
const _: () = assert!(CHUNK as u32 * 64 / RANGE_DOCS == u64::BITS);

/// Nodes that are not kept: of no document, and of all.
const NOTHING: u8 = 0;
const EVERYTHING: u8 = 1;
const KEPT_FROM: u8 = 2;

/// A bitset of a window, as bytes.
type Bits = [u8; WINDOW_WORDS * 8];

/// A decision: documents of a clause go on with one node, all others with another that takes less.
#[derive(Clone, Copy, PartialEq)]
struct Node {
    /// Among those in order.
    clause: u8,
    with: u8,
    without: u8,
}

/// Memory for the sets of a window.
pub struct Sets {
    /// The clauses by descending bound.
    order: Vec<(f32, usize)>,
    /// What those from each place in the order on can score together.
    rests: Vec<f64>,
    nodes: Vec<Node>,
    /// Of those clauses that are lists of blocks, by their place in the order.
    lists: Vec<List>,
    /// What each of them can score in each range, one after the other.
    bounds: Vec<f32>,
    /// The documents of each node among some.
    values: Vec<[u64; CHUNK]>,
    found: Box<[u64; WINDOW_WORDS]>,
    /// Documents that can compete, counted from the start of the window, and which of the clauses in order they have.
    members: Vec<(u16, u8)>,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            order: vec![],
            rests: vec![],
            nodes: vec![],
            lists: vec![],
            bounds: vec![],
            values: vec![],
            found: Box::new([0; WINDOW_WORDS]),
            members: vec![],
        }
    }
}

/// The documents of a list of blocks in a window.
struct List {
    bits: Box<Bits>,
    /// Counted from the start of the window.
    docs: Vec<u16>,
    first_block: usize,
    /// Documents of the first block before the window.
    before: usize,
    /// How many of the documents are behind after each block.
    ends: Vec<usize>,
    /// The document that was asked about last, and the place of its block.
    at: usize,
    block: usize,
}

impl Default for List {
    fn default() -> Self {
        let bits = Box::new([0; WINDOW_WORDS * 8]);
        Self { bits, docs: vec![], first_block: 0, before: 0, ends: vec![], at: 0, block: 0 }
    }
}

impl List {
    fn load(&mut self, clause: &Clause, base: u32) {
        self.bits.fill(0);
        self.docs.clear();
        self.ends.clear();
        (self.before, self.at, self.block) = (0, 0, 0);
        let WindowPart::Blocks { first, end } = clause.part else { return };
        self.first_block = first;
        let mut docs = [0; BLOCK];
        for block in first..end {
            let len = clause.postings.read_docs(block, &mut docs);
            let inside = in_window(&docs[..len], base);
            if block == first {
                self.before = inside.start;
            }
            self.docs.extend(docs[inside].iter().map(|doc| (doc - base) as u16));
            self.ends.push(self.docs.len());
        }
        for doc in &self.docs {
            self.bits[usize::from(*doc / 8)] |= 1 << (doc % 8);
        }
    }

    /// How often the term stands in a document that the list has, counted from the start of the window. Documents ascend.
    fn freq(&mut self, clause: &Clause, doc: u16) -> u32 {
        self.at += count_below(&self.docs[self.at..], doc);
        debug_assert_eq!(self.docs[self.at], doc, "a document of the list, not before the last one");
        while self.ends[self.block] <= self.at {
            self.block += 1;
        }
        let start = self.block.checked_sub(1).map_or(0, |block| self.ends[block]);
        let before = if self.block == 0 { self.before } else { 0 };
        clause.postings.block_freq(self.first_block + self.block, self.at - start + before)
    }
}

/// How many of ascending documents are below a limit, not far from the first.
fn count_below(docs: &[u16], limit: u16) -> usize {
    let mut reach = 8;
    while reach < docs.len() && docs[reach] < limit {
        reach *= 2;
    }
    let from = if reach > 8 { reach / 2 } else { 0 };
    from + docs[from..reach.min(docs.len())].partition_point(|doc| *doc < limit)
}

impl Sets {
    /// Makes the diagram for clauses of which a document has to have so many; none if it is too large. A root that is kept comes last.
    fn plan(&mut self, minimum: usize, threshold: f32) -> Option<u8> {
        self.order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut rest = 0.0;
        self.rests.clear();
        self.rests.extend(self.order.iter().rev().map(|(most, _)| {
            rest += f64::from(*most);
            rest
        }));
        self.rests.reverse();
        self.nodes.clear();
        let root = self.node(0, 0.0, minimum, f64::from(threshold))?;
        self.nodes.truncate(usize::from(root.saturating_sub(KEPT_FROM)) + 1);
        Some(root)
    }

    /// The node for documents that can score `most` for those of the clauses before place `at` that they have, and lack `missing` more.
    /// None if there are too many nodes.
    fn node(&mut self, at: usize, most: f64, missing: usize, threshold: f64) -> Option<u8> {
        // With room for sums of floats whose order differs.
        let exceeds = |sum: f64| sum * (1.0 + 1e-5) > threshold;
        if missing == 0 && exceeds(most) {
            return Some(EVERYTHING);
        }
        let left = self.order.len() - at;
        if left < missing || left == 0 || !exceeds(most + self.rests[at]) {
            return Some(NOTHING);
        }
        let with = self.node(at + 1, most + f64::from(self.order[at].0), missing.saturating_sub(1), threshold)?;
        let without = self.node(at + 1, most, missing, threshold)?;
        if with == without {
            return Some(with);
        }
        let node = Node { clause: at as u8, with, without };
        let known = self.nodes.iter().position(|known| *known == node);
        if known.is_none() && self.nodes.len() == NODES_MAX {
            return None;
        }
        let place = known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        });
        Some(KEPT_FROM + place as u8)
    }

    /// Finds the documents of passing ranges for which the last node, the root, decides.
    fn find(&mut self, clauses: &[Clause], passing: &[u64; WINDOW_RANGES / 64]) {
        let Self { order, nodes, lists, values, found, .. } = self;
        let own: Vec<&[u8]> = order.iter().zip(lists).map(|((_, at), list)| bits_of(&clauses[*at], list)).collect();
        values.resize(usize::from(KEPT_FROM) + NODES_MAX, [0; CHUNK]);
        values[usize::from(NOTHING)] = [0; CHUNK];
        values[usize::from(EVERYTHING)] = [u64::MAX; CHUNK];
        let root = usize::from(KEPT_FROM) + nodes.len() - 1;
        for ((chunk, found), ranges) in found.as_chunks_mut::<CHUNK>().0.iter_mut().enumerate().zip(passing) {
            if *ranges == 0 {
                found.fill(0);
                continue;
            }
            for (at, node) in nodes.iter().enumerate() {
                let own = &own[usize::from(node.clause)][chunk * CHUNK_BYTES..][..CHUNK_BYTES];
                let (before, values) = values.split_at_mut(usize::from(KEPT_FROM) + at);
                simd::choose(own, &before[usize::from(node.with)], &before[usize::from(node.without)], &mut values[0]);
            }
            for (n, (found, word)) in found.iter_mut().zip(&values[root]).enumerate() {
                *found = if ranges >> (n / 2) & 1 == 1 { *word } else { 0 };
            }
        }
    }

    /// Leaves of what was found the documents that can exceed the threshold in their ranges, of which `sums` are the bounds.
    fn keep_competing(&mut self, clauses: &[Clause], sums: &[f32], threshold: f32) {
        let Self { order, lists, bounds, found, members, .. } = self;
        let own: Vec<&[u8]> = order.iter().zip(lists).map(|((_, at), list)| bits_of(&clauses[*at], list)).collect();
        bounds.clear();
        bounds.resize(order.len() * WINDOW_RANGES, 0.0);
        for ((_, at), bounds) in order.iter().zip(bounds.as_chunks_mut::<WINDOW_RANGES>().0) {
            clauses[*at].add_bounds(0, bounds);
        }
        members.clear();
        for (at, word) in found.iter().enumerate().filter(|(_, word)| **word != 0) {
            let range = at / 2;
            if sums[range] <= threshold {
                continue;
            }
            let mut word = *word;
            while word != 0 {
                let local = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let (mut has, mut most) = (0, 0f32);
                for (n, own) in own.iter().enumerate() {
                    let bit = own[local / 8] >> (local % 8) & 1;
                    has |= bit << n;
                    // Nothing where it is not set.
                    most += f32::from_bits(bounds[n * WINDOW_RANGES + range].to_bits() & u32::from(bit).wrapping_neg());
                }
                if needed(threshold, most) < 0.0 {
                    members.push((local as u16, has));
                }
            }
        }
    }
}

/// The documents of a clause in its window, which `list` has if they are blocks.
fn bits_of<'a>(clause: &'a Clause, list: &'a List) -> &'a [u8] {
    match &clause.part {
        WindowPart::Dense(dense) => clause.postings.window_words(dense),
        _ => &list.bits[..],
    }
}

impl BulkTop {
    /// Evaluates optional clauses, of whose documents those count that `bits` has if they are masked. False if nothing was done, since
    /// too many documents suffice.
    pub(super) fn collect_by_sets(&mut self, span: &WindowSpan, top: &mut TopScores) -> bool {
        if span.end() != span.window + 1 || !self.phrases.is_empty() {
            return false;
        }
        // Before there are hits much suffices. Where there are few windows the threshold that scores bring on the way is worth more.
        if !top.is_full() && !self.is_thinned() && self.windows <= FIRST_MATTERS {
            return false;
        }
        let mut sets = self.sets.take().unwrap_or_default();
        let done = self.find_sets(span, &mut sets, top);
        if done {
            for at in 0..sets.members.len() {
                self.offer_member(span.base(), sets.members[at], &mut sets, top);
            }
        }
        self.sets = Some(sets);
        done
    }

    /// Finds what suffices. False if that is too much.
    fn find_sets(&mut self, span: &WindowSpan, sets: &mut Sets, top: &TopScores) -> bool {
        sets.order.clear();
        let optional = self.clauses[..self.scored].iter().enumerate().skip(self.required);
        sets.order.extend(optional.filter(|(_, clause)| !clause.is_empty()).map(|(at, clause)| (clause.max, at)));
        let lists = sets.order.iter().map(|(_, at)| &self.clauses[*at]);
        let lists = lists.filter(|clause| matches!(clause.part, WindowPart::Blocks { .. }));
        if !(SETS_MIN..=SETS_MAX).contains(&sets.order.len())
            || lists.map(Clause::window_cost).sum::<usize>() < DOCS_MIN
        {
            return false;
        }
        match sets.plan(self.minimum.max(1), top.threshold()) {
            None | Some(EVERYTHING) => return false,
            Some(NOTHING) => {
                sets.members.clear();
                return true;
            }
            Some(_) => {}
        }
        let mut docs = 0;
        sets.lists.resize_with(sets.order.len().max(sets.lists.len()), List::default);
        for ((_, at), list) in sets.order.iter().zip(&mut sets.lists) {
            if let WindowPart::Blocks { .. } = self.clauses[*at].part {
                list.load(&self.clauses[*at], span.base());
                docs += list.docs.len();
            }
        }
        let passing = self.passing_ranges(top.threshold());
        sets.find(&self.clauses, &passing);
        if self.masked
            && let Some(bits) = &self.bits
        {
            sets.found.iter_mut().zip(bits.words()).for_each(|(found, matches)| *found &= matches);
        }
        let found = simd::count(&sets.found[..]) as usize;
        if found > FOUND_MAX.min(docs / FOUND_PARTS) {
            return false;
        }
        sets.keep_competing(&self.clauses, &self.sums, top.threshold());
        true
    }

    /// Scores a document of the window that has these of the clauses in order, as long as it can compete.
    #[inline]
    fn offer_member(&mut self, base: u32, (local, has): (u16, u8), sets: &mut Sets, top: &mut TopScores) {
        let Sets { order, lists, bounds, .. } = sets;
        let (range, doc) = (u32::from(local) / RANGE_DOCS, base + u32::from(local));
        // What those behind each can add.
        let (mut rests, mut rest) = ([0f32; SETS_MAX], 0f32);
        for n in (0..order.len()).rev() {
            rests[n] = rest;
            rest += if has >> n & 1 == 1 { bounds[n * WINDOW_RANGES + range as usize] } else { 0.0 };
        }
        if needed(top.threshold(), rest) >= 0.0 {
            return;
        }
        let (mut scores, mut sum, mut inverse) = ([f32::NAN; SETS_MAX], 0f32, (usize::MAX, 0f32));
        let mut left = has;
        while left != 0 {
            let n = left.trailing_zeros() as usize;
            left &= left - 1;
            let clause = &self.clauses[order[n].1];
            scores[n] = 0.0;
            if clause.weight > 0.0 {
                let freq = match &clause.part {
                    WindowPart::Dense(dense) => clause.postings.freq_in(dense, doc),
                    _ => lists[n].freq(clause, local),
                };
                if inverse.0 != clause.lengths {
                    inverse = (clause.lengths, self.lengths[clause.lengths].inverse(doc));
                }
                scores[n] = clause.weight - clause.weight / (1.0 + freq as f32 * inverse.1);
            }
            sum += scores[n];
            if sum <= needed(top.threshold(), rests[n]) {
                return;
            }
        }
        // Sums are of the clauses in their order.
        let of = |at: usize| order.iter().position(|(_, clause)| *clause == at).map(|n| scores[n]);
        let optional = (self.required..self.scored).filter_map(of).filter(|score| !score.is_nan());
        let optional = optional.map(f64::from).sum();
        self.offer_sums(doc, 0.0, optional, top);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_that_suffice_are_told_from_all_others() {
        let mut sets = Sets::default();
        for bounds in [&[5.0, 4.9, 3.8, 2.3, 2.0][..], &[1.0; 8], &[8.0, 4.0, 2.0, 1.0, 0.5, 0.0], &[3.0], &[0.0, 0.0]]
        {
            for (minimum, step) in (1..4).flat_map(|minimum| (-1..40).map(move |step| (minimum, step))) {
                let threshold = if step < 0 { f32::NEG_INFINITY } else { step as f32 * 0.47 };
                sets.order = bounds.iter().copied().zip(0..).collect();
                let root = sets.plan(minimum, threshold).expect("a small diagram");
                for members in 0u32..1 << bounds.len() {
                    let mut node = root;
                    while node >= KEPT_FROM {
                        let Node { clause, with, without } = sets.nodes[usize::from(node - KEPT_FROM)];
                        let has = members >> sets.order[usize::from(clause)].1 & 1 == 1;
                        node = if has { with } else { without };
                    }
                    let sum: f32 = (0..bounds.len()).filter(|n| members >> n & 1 == 1).map(|n| bounds[n]).sum();
                    let suffices = sum > threshold && members.count_ones() as usize >= minimum;
                    assert_eq!(node == EVERYTHING, suffices, "{bounds:?} {members:b} {threshold} {minimum}");
                }
            }
        }
    }

    #[test]
    fn ascending_documents_are_found() {
        let docs: Vec<u16> = (0..200).map(|n| n * 3).collect();
        for limit in 0..610 {
            let below = docs.iter().filter(|doc| **doc < limit).count();
            assert_eq!(count_below(&docs, limit), below);
            assert_eq!(count_below(&docs[below.min(7)..], limit), below - below.min(7));
        }
    }
}
