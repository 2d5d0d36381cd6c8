//! How many documents of a window match, deleted ones excluded.

use super::{BulkTop, Clause, for_each_bit, in_window};
use crate::codec::simd::BLOCK;
use crate::score::TopScores;
use crate::segment::{WINDOW, WINDOW_RANGES, WINDOW_WORDS, WindowBits, WindowPart};

/// Matches in each range of 128 documents from which on the scores of the range are added up.
const MATCHES_A_RANGE: u32 = 6;

impl BulkTop {
    /// Counts the matches of the window that was entered. Where a required list of blocks leads, that is done block by block
    /// on the way ([`BulkTop::count_block`]): none then.
    pub(super) fn count_window(&mut self, window: u32) -> Option<u64> {
        let required = &self.clauses[..self.required];
        if required.iter().any(Clause::is_empty) {
            return Some(0);
        }
        match self.required_lead() {
            Some(lead) if matches!(self.clauses[lead].part, WindowPart::Blocks { .. }) => None,
            _ => {
                let counted = self.count_bits(window, self.minimum);
                self.masked = self.required > 0 && self.minimum > 0;
                Some(counted)
            }
        }
    }

    /// The required clause with the fewest documents in the window: a list of blocks if there is one.
    pub(super) fn required_lead(&self) -> Option<usize> {
        let is_bitset = |at: usize| matches!(self.clauses[at].part, WindowPart::Dense(_));
        (0..self.required).min_by_key(|at| (is_bitset(*at), self.clauses[*at].window_cost()))
    }

    /// Where required clauses, all of them bitsets, score nothing, finds the matches that can compete: those of optional clauses.
    /// True if these are so many that their scores are better added up than looked up.
    pub(super) fn mask(&mut self, window: u32, top: &TopScores) -> bool {
        let unscored = self.clauses[..self.required].iter().all(|clause| clause.weight == 0.0);
        let optional_only = self.minimum > 0 || top.threshold() >= 0.0;
        if !self.phrases.is_empty() || !unscored || !optional_only || self.required == self.scored {
            return false;
        }
        if !self.masked {
            self.count_bits(window, self.minimum.max(1));
            self.masked = true;
        }
        let matches = self.bits.as_ref().map_or(0, |bits| crate::codec::simd::count(bits.words()));
        matches > MATCHES_A_RANGE * WINDOW_RANGES as u32
    }

    /// Counts the matches among the documents of a block of the lead. Those that required clauses match stay in `alive`.
    pub(super) fn count_block(&mut self, lead: usize, docs: &[u32; BLOCK], alive: &mut [u64; 2]) -> u64 {
        for at in (0..self.required).filter(|at| *at != lead) {
            *alive = self.clauses[at].find(docs, *alive, None);
        }
        if self.minimum > 0 {
            *alive = self.matching_enough(docs, *alive);
        }
        let mut counted = *alive;
        for clause in &mut self.clauses[self.scored..] {
            let found = clause.find(docs, counted, None);
            counted = [counted[0] & !found[0], counted[1] & !found[1]];
        }
        if let Some(live) = &self.live {
            for_each_bit(counted, |at| counted[at / 64] &= !(u64::from(!live.is_live(docs[at])) << (at % 64)));
        }
        u64::from(counted[0].count_ones() + counted[1].count_ones())
    }

    /// Which of the wanted documents of a block match as many optional clauses as have to.
    fn matching_enough(&mut self, docs: &[u32; BLOCK], wanted: [u64; 2]) -> [u64; 2] {
        let mut matched = [0u8; BLOCK];
        for clause in &mut self.clauses[self.required..self.scored] {
            for_each_bit(clause.find(docs, wanted, None), |at| matched[at] += 1);
        }
        let mut enough = [0; 2];
        for_each_bit(wanted, |at| {
            enough[at / 64] |= u64::from(usize::from(matched[at]) >= self.minimum) << (at % 64);
        });
        enough
    }

    /// Required clauses, all of them bitsets, and optional ones, if any have to match. The bits are those of the matches where some
    /// clause is required.
    fn count_bits(&mut self, window: u32, minimum: usize) -> u64 {
        let bits = self.bits.get_or_insert_with(|| WindowBits::new(window));
        bits.reset(window);
        for (number, clause) in self.clauses[..self.required].iter_mut().enumerate() {
            clause.add_to(window, bits, if number > 0 { Join::And } else { Join::Or });
        }
        let optional = self.required..self.scored;
        if minimum == 1 && self.required == 0 {
            // Nobody needs the bits themselves: of one of the lists of blocks it is enough to know what the others do not have.
            let whole = self.live.is_none() && self.scored == self.clauses.len();
            let is_list = |at: &usize| matches!(self.clauses[*at].part, WindowPart::Blocks { .. });
            let lists = optional.clone().filter(|at| whole && is_list(at));
            let last = lists.max_by_key(|at| self.clauses[*at].window_cost());
            for at in optional.filter(|at| Some(*at) != last) {
                self.clauses[at].add_to(window, bits, Join::Or);
            }
            if let Some(last) = last {
                let others = u64::from(crate::codec::simd::count(bits.words()));
                return others + u64::from(self.clauses[last].count_absent(window, bits));
            }
        } else if minimum > 0 {
            let tally = self.tally.get_or_insert_default();
            tally.reset(self.clauses[optional.clone()].len());
            self.clauses[optional].iter().for_each(|clause| tally.add(clause, window));
            tally.keep(minimum, self.required > 0, bits.words_mut());
        }
        for clause in &mut self.clauses[self.scored..] {
            clause.add_to(window, bits, Join::AndNot);
        }
        if let Some(live) = &self.live {
            live.mask(bits);
        }
        u64::from(crate::codec::simd::count(bits.words()))
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Join {
    Or,
    And,
    AndNot,
}

impl Clause {
    pub(super) fn add_to(&mut self, window: u32, bits: &mut WindowBits, join: Join) {
        match &self.part {
            WindowPart::Empty => {}
            WindowPart::Dense(dense) => {
                let own = self.postings.window_words(dense);
                match join {
                    Join::Or => crate::codec::simd::or_bytes(bits.words_mut(), own),
                    Join::And => crate::codec::simd::and_bytes(bits.words_mut(), own),
                    Join::AndNot => and_not_bytes(bits.words_mut(), own),
                }
            }
            WindowPart::Blocks { first, end } => {
                let base = window * WINDOW;
                let mut docs = [0; BLOCK];
                debug_assert!(join != Join::And, "what is required beside bitsets is a bitset");
                for block in *first..*end {
                    let len = self.postings.read_docs(block, &mut docs);
                    for doc in docs[..len].iter().filter(|doc| **doc >= base && **doc - base < WINDOW) {
                        if join == Join::Or { bits.insert(*doc) } else { bits.remove(*doc) }
                    }
                }
            }
        }
    }
}

impl Clause {
    /// How many documents of the window, which are a list of blocks, are not in `bits`.
    fn count_absent(&self, window: u32, bits: &WindowBits) -> u32 {
        let WindowPart::Blocks { first, end } = self.part else { return 0 };
        let (base, mut docs, mut absent) = (window * WINDOW, [0; BLOCK], 0);
        for block in first..end {
            let len = self.postings.read_docs(block, &mut docs);
            let inside = &docs[in_window(&docs[..len], base)];
            absent += inside.len() as u32 - crate::codec::simd::contained(bits.words(), inside);
        }
        absent
    }
}

fn and_not_bytes(words: &mut [u64; WINDOW_WORDS], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word &= !u64::from_le_bytes(*bytes);
    }
}
