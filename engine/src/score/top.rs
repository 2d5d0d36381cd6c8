//! The best hits by score, with the threshold that lets scorers skip: a bounded heap for pages of the usual size, and for deep
//! ones a list that is cut to its best whenever it has grown by half, which takes a few steps a hit however many are kept.

use crate::segment::{LiveDocs, NO_MORE_DOCS};
use std::sync::Arc;

/// From this many hits on the list takes less time than the heap, whose depth every hit goes through.
const SELECTED_MIN: usize = 64;

/// A hit of one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredDoc {
    pub segment: u32,
    pub doc: u32,
    pub score: f32,
}

/// Keeps the `size` best documents offered: higher scores first, then lower segments, then lower documents. Segments and
/// the documents in them must be offered in ascending order.
#[derive(Clone)]
pub struct TopScores {
    size: usize,
    /// A min-heap, whose worst hit stands first; or, of [`SELECTED_MIN`] on, the best so far and those that came since.
    hits: Vec<ScoredDoc>,
    /// What a document has to exceed to be among the best, as far as is known.
    bar: f32,
    segment: u32,
    live: Option<Arc<LiveDocs>>,
    counting: bool,
    count: u64,
    /// Counting ends when the count exceeds this; none if nothing is counted.
    count_limit: Option<u64>,
}

impl TopScores {
    /// Counts matches up to just over `count_limit`, then stops counting and lets scorers skip.
    pub fn new(size: usize, count_limit: Option<u64>) -> Self {
        Self {
            size,
            hits: Vec::with_capacity(size.min(1024)),
            bar: if size == 0 { f32::INFINITY } else { f32::NEG_INFINITY },
            segment: 0,
            live: None,
            counting: count_limit.is_some(),
            count: 0,
            count_limit,
        }
    }

    /// Begins a segment. `counted`: its matches when they are known already, so that they need not be visited.
    pub fn enter_segment(&mut self, segment: u32, live: Option<Arc<LiveDocs>>, counted: Option<u64>) {
        self.segment = segment;
        self.live = live;
        self.counting = !self.limit_reached();
        if let (true, Some(counted)) = (self.counting, counted) {
            self.count += counted;
            self.counting = false;
        }
    }

    /// The matches of the current segment have all been counted otherwise.
    pub fn stop_counting(&mut self) {
        self.counting = false;
    }

    /// Whether there is nothing left to count.
    pub fn limit_reached(&self) -> bool {
        self.count_limit.is_none_or(|limit| self.count > limit)
    }

    /// Whether every match must be offered, because they are being counted.
    #[inline]
    pub fn is_counting(&self) -> bool {
        self.counting
    }

    /// Only documents that score more than this can still enter.
    #[inline]
    pub fn threshold(&self) -> f32 {
        self.bar
    }

    /// At least as many documents as are kept, of this segment or one to come, score more than `floor`.
    pub fn raise_floor(&mut self, floor: f32) {
        self.bar = self.bar.max(floor);
    }

    /// Whether there are as many hits as are wanted, so that the threshold is one of them.
    pub fn is_full(&self) -> bool {
        self.hits.len() >= self.size
    }

    /// How many documents are kept.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether documents up to this bound may be skipped now.
    #[inline]
    pub fn can_skip(&self, bound: f32) -> bool {
        !self.counting && bound <= self.threshold()
    }

    #[inline]
    pub fn is_live(&self, doc: u32) -> bool {
        self.live.as_ref().is_none_or(|live| live.is_live(doc))
    }

    pub fn live(&self) -> Option<&Arc<LiveDocs>> {
        self.live.as_ref()
    }

    /// Offers a match, which is counted unless it is deleted.
    #[inline]
    pub fn offer(&mut self, doc: u32, score: f32) {
        debug_assert_ne!(doc, NO_MORE_DOCS, "the end is not a document");
        if !self.is_live(doc) {
            return;
        }
        if self.counting {
            self.add_count(1);
        }
        self.offer_live(doc, score);
    }

    /// Offers a match that is known to be live and has been counted.
    #[inline]
    pub fn offer_live(&mut self, doc: u32, score: f32) {
        if score > self.threshold() {
            self.push(ScoredDoc { segment: self.segment, doc, score });
        }
    }

    pub fn add_count(&mut self, matches: u64) {
        self.count += matches;
        self.counting = !self.limit_reached();
    }

    /// Adds matches that were found together, unless the segment's were counted beforehand.
    pub fn add_swept(&mut self, matches: u64) {
        if self.counting {
            self.add_count(matches);
        }
    }

    fn push(&mut self, hit: ScoredDoc) {
        if self.size >= SELECTED_MIN {
            self.hits.push(hit);
            // The list is cut when it is full for the first time, too: until then nothing can be skipped.
            if self.hits.len() == self.size || self.hits.len() >= self.size + self.size / 2 {
                self.cut();
            }
        } else if self.hits.len() < self.size {
            self.hits.push(hit);
            self.sift_up();
            if self.hits.len() == self.size {
                self.bar = self.hits[0].score;
            }
        } else {
            self.hits[0] = hit;
            self.sift_down();
            // A floor may stand above what earlier segments left.
            self.bar = self.bar.max(self.hits[0].score);
        }
    }

    /// Leaves the best hits in the list.
    fn cut(&mut self) {
        let (_, worst, _) = self.hits.select_nth_unstable_by_key(self.size - 1, place);
        self.bar = self.bar.max(worst.score);
        self.hits.truncate(self.size);
    }

    fn sift_up(&mut self) {
        let mut at = self.hits.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !worse(&self.hits[at], &self.hits[parent]) {
                break;
            }
            self.hits.swap(at, parent);
            at = parent;
        }
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut least = at;
            if left < self.hits.len() && worse(&self.hits[left], &self.hits[least]) {
                least = left;
            }
            if right < self.hits.len() && worse(&self.hits[right], &self.hits[least]) {
                least = right;
            }
            if least == at {
                break;
            }
            self.hits.swap(at, least);
            at = least;
        }
    }

    /// How many live matches were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hits, best first.
    pub fn finish(self) -> Vec<ScoredDoc> {
        self.finish_page(0)
    }

    /// The best score of all.
    pub fn best_score(&self) -> Option<f32> {
        self.hits.iter().min_by_key(|hit| place(hit)).map(|hit| hit.score)
    }

    /// The hits behind the first `passed`, best first. Those before are told from them, but not put in order.
    pub fn finish_page(mut self, passed: usize) -> Vec<ScoredDoc> {
        if self.hits.len() > self.size {
            self.cut();
        }
        if passed >= self.hits.len() {
            return vec![];
        }
        if passed > 0 {
            self.hits.select_nth_unstable_by_key(passed, place);
            self.hits.drain(..passed);
        }
        self.hits.sort_unstable_by_key(place);
        self.hits
    }
}

/// The order of hits, best first, as one number, which is compared without branches.
#[inline]
fn place(hit: &ScoredDoc) -> u128 {
    let bits = hit.score.to_bits();
    // The order of all floats: negative ones stand in reverse.
    let ascending = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u128::from(!ascending) << 64 | u128::from(hit.segment) << 32 | u128::from(hit.doc)
}

fn worse(a: &ScoredDoc, b: &ScoredDoc) -> bool {
    a.score < b.score || (a.score == b.score && (a.segment, a.doc) > (b.segment, b.doc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_prefers_earlier_documents() {
        let mut top = TopScores::new(2, Some(u64::MAX));
        top.enter_segment(0, None, None);
        for (doc, score) in [(1, 1.0), (2, 3.0), (5, 3.0), (9, 3.0)] {
            top.offer(doc, score);
        }
        assert_eq!(top.count(), 4);
        assert_eq!(top.finish().iter().map(|h| h.doc).collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn deep_pages_are_the_best_of_all() {
        let score = |i: u32| (i.wrapping_mul(2_654_435_761) >> 25) as f32 - 20.0;
        for size in [1, 9, SELECTED_MIN - 1, SELECTED_MIN, 100, 1_000, 5_000] {
            let mut top = TopScores::new(size, None);
            let mut all = vec![];
            for segment in 0..3 {
                top.enter_segment(segment, None, None);
                for doc in 0..1_500 {
                    let score = score(segment * 7_919 + doc);
                    all.push(ScoredDoc { segment, doc, score });
                    top.offer(doc, score);
                }
            }
            all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.segment.cmp(&b.segment)).then(a.doc.cmp(&b.doc)));
            all.truncate(size);
            assert!(size > 4_500 || top.threshold() <= all[size - 1].score);
            assert_eq!(top.best_score(), Some(all[0].score));
            let passed = size * 2 / 3;
            assert_eq!(top.clone().finish_page(passed), all[passed.min(all.len())..], "{size}");
            assert_eq!(top.finish(), all, "{size}");
        }
    }

    #[test]
    fn stops_counting_beyond_the_limit() {
        let mut top = TopScores::new(1, Some(1));
        top.enter_segment(0, None, None);
        top.offer(0, 1.0);
        assert!(top.is_counting() && !top.can_skip(0.5));
        top.offer(1, 1.0);
        assert!(!top.is_counting() && top.can_skip(1.0) && !top.can_skip(1.5));
        top.enter_segment(1, None, None);
        assert!(!top.is_counting());
    }
}
