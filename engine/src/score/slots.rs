//! Where scores of a stretch of documents are added up: one double and one bit per document.

use crate::segment::{LiveDocs, WINDOW};

/// Documents that are accumulated together: small enough for the buffer to stay in the first-level cache.
pub const SLOTS: u32 = 4096;

/// Scores of documents `base .. base + SLOTS`, and which of them matched how often.
pub struct Slots {
    scores: Box<[f64; SLOTS as usize]>,
    counts: Option<Box<[u16; SLOTS as usize]>>,
    words: [u64; (SLOTS / 64) as usize],
}

impl Slots {
    /// `counted`: keep how many clauses matched each document.
    pub fn new(counted: bool) -> Self {
        Self {
            scores: Box::new([0.0; SLOTS as usize]),
            counts: counted.then(|| Box::new([0; SLOTS as usize])),
            words: [0; (SLOTS / 64) as usize],
        }
    }

    #[inline]
    pub fn add(&mut self, at: usize, score: f32) {
        self.words[at / 64] |= 1 << (at % 64);
        self.scores[at] += f64::from(score);
        if let Some(counts) = &mut self.counts {
            counts[at] += 1;
        }
    }

    /// Forgets documents that are deleted. Stretches end with their window: slots that lie behind it are empty.
    pub fn retain_live(&mut self, base: u32, live: &LiveDocs) {
        let Some(window) = live.window(base / WINDOW) else { return };
        let first = (base % WINDOW / 64) as usize;
        for (at, (word, live)) in self.words.iter_mut().zip(&window[first..]).enumerate() {
            let dead = *word & !live;
            *word &= live;
            clear(&mut self.scores, &mut self.counts, at, dead);
        }
    }

    /// Forgets documents that fewer than `minimum` clauses matched.
    pub fn retain_matched(&mut self, minimum: u16) {
        let Some(counts) = &mut self.counts else { return };
        let mut few = [0u64; (SLOTS / 64) as usize];
        for (at, word) in self.words.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let bit = word.trailing_zeros();
                if counts[at * 64 + bit as usize] < minimum {
                    few[at] |= 1 << bit;
                }
                word &= word - 1;
            }
        }
        for (at, few) in few.iter().enumerate() {
            self.words[at] &= !few;
            clear(&mut self.scores, &mut self.counts, at, *few);
        }
    }

    pub fn count(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }

    /// Hands every document with its score over, in order, and empties the slots.
    pub fn drain(&mut self, mut found: impl FnMut(u32, f64)) {
        for at in 0..self.words.len() {
            let mut word = std::mem::take(&mut self.words[at]);
            while word != 0 {
                let slot = at * 64 + word.trailing_zeros() as usize;
                let score = std::mem::take(&mut self.scores[slot]);
                if let Some(counts) = &mut self.counts {
                    counts[slot] = 0;
                }
                found(slot as u32, score);
                word &= word - 1;
            }
        }
    }

    /// [`Slots::drain`], but not all need be handed over whose score is not above `limit`.
    pub fn drain_above(&mut self, limit: f32, mut found: impl FnMut(u32, f64)) {
        let limit = f64::from(limit);
        let (scores, _) = self.scores.as_chunks_mut::<64>();
        for (at, (word, scores)) in self.words.iter_mut().zip(scores).enumerate() {
            let mut word = std::mem::take(word);
            if word == 0 {
                continue;
            }
            if word.count_ones() < MANY || highest(scores) > limit {
                while word != 0 {
                    let bit = word.trailing_zeros() as usize;
                    let score = std::mem::take(&mut scores[bit]);
                    if score > limit {
                        found((at * 64 + bit) as u32, score);
                    }
                    word &= word - 1;
                }
            } else {
                scores.fill(0.0);
            }
        }
        if let Some(counts) = &mut self.counts {
            counts.fill(0);
        }
    }
}

/// Of this many documents in 64 it takes less time to look at all slots together than at each.
const MANY: u32 = 5;

/// The highest of the scores.
fn highest(scores: &[f64; 64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 8];
    for eight in scores.as_chunks::<8>().0 {
        for (lane, score) in lanes.iter_mut().zip(eight) {
            *lane = if *score > *lane { *score } else { *lane };
        }
    }
    lanes.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn clear(
    scores: &mut [f64; SLOTS as usize],
    counts: &mut Option<Box<[u16; SLOTS as usize]>>,
    at: usize,
    mut which: u64,
) {
    while which != 0 {
        let slot = at * 64 + which.trailing_zeros() as usize;
        scores[slot] = 0.0;
        if let Some(counts) = counts {
            counts[slot] = 0;
        }
        which &= which - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drains_what_matched_often_enough() {
        let mut slots = Slots::new(true);
        slots.add(5, 1.0);
        slots.add(70, 0.5);
        slots.add(5, 2.0);
        assert_eq!(slots.count(), 2);
        slots.retain_matched(2);
        let mut found = vec![];
        slots.drain(|slot, score| found.push((slot, score)));
        assert_eq!(found, [(5, 3.0)]);
        slots.add(70, 0.25);
        slots.drain(|slot, score| found.push((slot, score)));
        assert_eq!(found[1], (70, 0.25));
    }

    #[test]
    fn deleted_documents_are_forgotten_up_to_the_end_of_a_window() {
        let live = LiveDocs::all(2 * WINDOW).delete(&[WINDOW - 70, WINDOW - 1, WINDOW, WINDOW + 3]);
        for base in [WINDOW - SLOTS, WINDOW - 128, WINDOW - 64, WINDOW] {
            let last = (WINDOW - base % WINDOW).min(SLOTS);
            let mut slots = Slots::new(false);
            (0..last).for_each(|slot| slots.add(slot as usize, 1.0));
            slots.retain_live(base, &live);
            let mut found = vec![];
            slots.drain(|slot, _| found.push(base + slot));
            assert!(found.into_iter().eq((base..base + last).filter(|doc| live.is_live(*doc))), "{base}");
        }
    }

    #[test]
    fn drains_what_is_above_a_limit() {
        let mut slots = Slots::new(false);
        // Few in the first word, many in the others; only some of the words have anything above.
        let score = |slot: usize| (slot * 37 % 101) as f32 + if slot / 64 % 3 == 1 { 200.0 } else { 0.0 };
        let filled: Vec<usize> = (0..SLOTS as usize).filter(|slot| *slot > 64 || slot % 20 == 3).collect();
        for limit in [f32::NEG_INFINITY, 90.0, 150.0, 400.0] {
            filled.iter().for_each(|slot| slots.add(*slot, score(*slot)));
            let mut found = vec![];
            slots.drain_above(limit, |slot, score| found.push((slot as usize, score as f32)));
            found.retain(|(_, score)| *score > limit);
            let expected = filled.iter().map(|slot| (*slot, score(*slot))).filter(|(_, score)| *score > limit);
            assert!(found.into_iter().eq(expected), "{limit}");
            assert_eq!(slots.count(), 0);
            slots.drain(|_, _| panic!("empty"));
        }
        assert!(slots.scores.iter().all(|score| *score == 0.0));
    }
}
