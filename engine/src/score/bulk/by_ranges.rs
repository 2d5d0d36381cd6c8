//! All required clauses are bitsets in this window: in ranges that can compete the words are intersected, and what is left is
//! scored, the rarest clause first.

use super::{BulkTop, Clause, for_each_bit, needed};
use crate::score::TopScores;
use crate::segment::{RANGE_DOCS, WINDOW, WindowPart};

/// So many documents are looked at together where none can be skipped.
const PENDING: usize = 256;

impl BulkTop {
    pub(super) fn collect_by_ranges(&mut self, lead: usize, window: u32, top: &mut TopScores) {
        let passing = self.passing_ranges(self.bar(top));
        for (at, word) in passing.into_iter().enumerate() {
            let mut word = word;
            while word != 0 {
                let range = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                if self.sums[range] > self.bar(top) {
                    self.collect_range(lead, window * WINDOW + range as u32 * RANGE_DOCS, range, top);
                }
            }
        }
        self.offer_pending(top);
    }

    fn collect_range(&mut self, lead: usize, base: u32, range: usize, top: &mut TopScores) {
        let docs = self.range_matches(range).unwrap_or_else(|| {
            let words = |clause: &Clause| match &clause.part {
                WindowPart::Dense(dense) => clause.postings.range_words(dense, range),
                _ => [0; 2],
            };
            let required = self.clauses[..self.required].iter().map(words);
            required.fold([u64::MAX; 2], |docs, words| [docs[0] & words[0], docs[1] & words[1]])
        });
        if self.bar(top) == f32::NEG_INFINITY {
            for_each_bit(docs, |bit| self.pending.docs.push(base + bit as u32));
            if self.pending.docs.len() >= PENDING {
                self.offer_pending(top);
            }
            return;
        }
        let rest = self.sums[range] - self.clauses[lead].range_bound(range);
        for_each_bit(docs, |bit| {
            let doc = base + bit as u32;
            let Some(score) = self.clauses[lead].score(doc, &self.lengths) else { return };
            if score > needed(self.bar(top), rest) {
                self.offer(doc, Some((lead, score)), top);
            }
        });
    }
}
