//! How many documents of a window match, deleted ones excluded.

use super::{BulkTop, Clause, first_bit, keep_range};
use crate::codec::simd::BLOCK;
use crate::segment::{WINDOW, WINDOW_WORDS, WindowBits, WindowPart};

impl BulkTop {
    /// Counts the matches of the window that was entered.
    pub(super) fn count_window(&mut self, window: u32) -> u64 {
        let required = &self.clauses[..self.required];
        if required.iter().any(Clause::is_empty) {
            return 0;
        }
        let lead = (0..self.required).min_by_key(|at| self.clauses[*at].window_cost());
        match lead {
            Some(lead) if matches!(self.clauses[lead].part, WindowPart::Blocks { .. }) => self.count_list(lead, window),
            Some(_) => self.count_bits(window, 0..self.required),
            None => self.count_bits(window, 0..self.scored),
        }
    }

    /// Required clauses, of which one is short: block by block.
    fn count_list(&mut self, lead: usize, window: u32) -> u64 {
        let WindowPart::Blocks { first, end } = self.clauses[lead].part else { return 0 };
        let (base, mut count) = (window * WINDOW, 0);
        let last = base + (WINDOW - 1);
        let (mut docs, mut freqs) = ([0; BLOCK], [0; BLOCK]);
        for block in first..end {
            let len = self.clauses[lead].postings.read_block(block, &mut docs, &mut freqs);
            let lo = if docs[0] < base { docs[..len].partition_point(|doc| *doc < base) } else { 0 };
            let hi = if docs[len - 1] > last { docs[..len].partition_point(|doc| *doc <= last) } else { len };
            let mut alive = [u64::MAX; 2];
            keep_range(&mut alive, lo, hi);
            for at in (0..self.required).filter(|at| *at != lead) {
                alive = self.clauses[at].find(&docs, alive, None);
            }
            for clause in &mut self.clauses[self.scored..] {
                let found = clause.find(&docs, alive, None);
                alive = [alive[0] & !found[0], alive[1] & !found[1]];
            }
            if let Some(live) = &self.live {
                let mut left = alive;
                while let Some(at) = first_bit(left) {
                    left[at / 64] &= left[at / 64] - 1;
                    alive[at / 64] &= !(u64::from(!live.is_live(docs[at])) << (at % 64));
                }
            }
            count += u64::from(alive[0].count_ones() + alive[1].count_ones());
        }
        count
    }

    /// These clauses, all required or all optional, as bitsets.
    fn count_bits(&mut self, window: u32, clauses: std::ops::Range<usize>) -> u64 {
        let required = self.required > 0;
        let bits = self.bits.get_or_insert_with(|| WindowBits::new(window));
        bits.reset(window);
        for (number, clause) in self.clauses[clauses].iter_mut().enumerate() {
            clause.add_to(window, bits, if required && number > 0 { Join::And } else { Join::Or });
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
enum Join {
    Or,
    And,
    AndNot,
}

impl Clause {
    fn add_to(&mut self, window: u32, bits: &mut WindowBits, join: Join) {
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
                let (mut docs, mut freqs) = ([0; BLOCK], [0; BLOCK]);
                debug_assert!(join != Join::And, "what is required beside bitsets is a bitset");
                for block in *first..*end {
                    let len = self.postings.read_block(block, &mut docs, &mut freqs);
                    for doc in docs[..len].iter().filter(|doc| **doc >= base && **doc - base < WINDOW) {
                        if join == Join::Or { bits.insert(*doc) } else { bits.remove(*doc) }
                    }
                }
            }
        }
    }
}

fn and_not_bytes(words: &mut [u64; WINDOW_WORDS], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word &= !u64::from_le_bytes(*bytes);
    }
}
