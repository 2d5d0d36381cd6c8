//! Numbers in ranges, found by scanning the column window by window.
//!
//! Smallest and largest value of a window often decide it as a whole; what is left is scanned when a cursor gets there, so
//! that a search which ends early never looks at the rest. Points are better where few documents of many windows match.

use super::{Bound, Scorer, TopScores};
use crate::segment::{NO_MORE_DOCS, NumericColumn, WINDOW, WindowBits};

pub struct ColumnRangeScorer {
    column: NumericColumn,
    /// Inclusive, ascending, apart from each other.
    ranges: Vec<(i64, i64)>,
    windows: u32,
    /// The matches of the window of the current document.
    bits: WindowBits,
    doc: u32,
    cost: u64,
    score: f32,
}

impl ColumnRangeScorer {
    /// `cost`: about how many documents match. None if there are no matches.
    pub fn boxed(
        column: &NumericColumn,
        ranges: &[(i64, i64)],
        max_doc: u32,
        cost: u64,
        score: f32,
    ) -> Option<Box<dyn Scorer>> {
        let mut scorer = Self {
            column: column.clone(),
            ranges: ranges.to_vec(),
            windows: max_doc.div_ceil(WINDOW),
            bits: WindowBits::new(0),
            doc: 0,
            cost,
            score,
        };
        scorer.load(0);
        (scorer.doc != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>)
    }

    /// The documents that a scan of the column has to look at: those of windows that their extremes do not decide.
    pub fn scanned_docs(column: &NumericColumn, ranges: &[(i64, i64)], max_doc: u32) -> u64 {
        let undecided = (0..max_doc.div_ceil(WINDOW)).filter(|window| {
            column.window_range(*window).is_some_and(|(min, max)| {
                let touched = ranges.iter().any(|(lo, hi)| *lo <= max && *hi >= min);
                touched && !ranges.iter().any(|(lo, hi)| *lo <= min && *hi >= max)
            })
        });
        undecided.count() as u64 * u64::from(WINDOW)
    }

    /// Moves to the first match in window `first` or after it.
    fn load(&mut self, first: u32) {
        for window in first..self.windows {
            let Some((min, max)) = self.column.window_range(window) else { continue };
            self.bits.reset(window);
            for (lo, hi) in self.ranges.iter().filter(|(lo, hi)| *lo <= max && *hi >= min) {
                self.column.filter_window(window, *lo, *hi, &mut self.bits);
            }
            if let Some(doc) = self.bits.next(self.bits.base()) {
                self.doc = doc;
                return;
            }
        }
        self.doc = NO_MORE_DOCS;
    }
}

impl Scorer for ColumnRangeScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        match self.doc {
            NO_MORE_DOCS => NO_MORE_DOCS,
            doc => self.advance(doc + 1),
        }
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target <= self.doc {
            return self.doc;
        }
        if target / WINDOW > self.bits.window() {
            self.load(target / WINDOW);
        }
        if self.doc < target {
            match self.bits.next(target) {
                Some(doc) => self.doc = doc,
                None => self.load(self.bits.window() + 1),
            }
        }
        self.doc
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }

    fn fill(&mut self, upto: u32, out: &mut WindowBits) {
        self.advance(out.base());
        let end = u64::from(upto).min(out.end()) as u32;
        if self.doc >= end || self.bits.window() != out.window() {
            return;
        }
        out.or_within(&self.bits, self.doc, end);
        self.advance(end);
    }

    fn collect_top(&mut self, upto: u32, top: &mut TopScores) {
        while self.doc < upto {
            if top.can_skip(self.score) {
                self.advance(upto);
                return;
            }
            if self.score <= top.threshold() && top.live().is_none() {
                // None that is left can enter: those of the window are counted together.
                let end = u64::from(upto).min(self.bits.end());
                top.add_count(self.bits.count_within(self.doc, end));
                self.advance(end.min(u64::from(NO_MORE_DOCS)) as u32);
                continue;
            }
            top.offer(self.doc, self.score);
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Pace, block_on_ready};

    #[test]
    fn counting_without_a_look_at_each_is_counting() {
        let max_doc = 2 * WINDOW + 500;
        let values: Vec<(u32, i64)> = (0..max_doc).map(|doc| (doc, i64::from(doc % 7))).collect();
        let bytes = block_on_ready(crate::segment::numeric::write(max_doc, &values, &Pace::never()));
        let column = NumericColumn::new(max_doc, bytes.into());
        let matches = values.iter().filter(|(_, value)| (2..=4).contains(value)).count() as u64;
        for (limit, step) in [(u64::MAX, 10_000), (u64::MAX, NO_MORE_DOCS), (30, 500), (20_000, 70_001)] {
            let mut scorer = ColumnRangeScorer::boxed(&column, &[(2, 4)], max_doc, 9, 1.0).unwrap();
            let mut top = TopScores::new(3, Some(limit));
            top.enter_segment(0, None, None);
            let mut upto = 0u32;
            while scorer.doc() != NO_MORE_DOCS {
                upto = upto.saturating_add(step);
                scorer.collect_top(upto, &mut top);
            }
            let (count, hits) = (top.count(), top.finish());
            assert!(if limit == u64::MAX { count == matches } else { count > limit }, "{count} of {matches}");
            assert_eq!(hits.iter().map(|hit| hit.doc).collect::<Vec<_>>(), [2, 3, 4]);
        }
    }

    #[test]
    fn walks_skips_and_fills_as_a_filter_would() {
        let max_doc = 3 * WINDOW + 500;
        let value = |doc: u32| i64::from(doc / WINDOW) * 100 + i64::from(doc.wrapping_mul(2_654_435_761) % 100);
        let values: Vec<(u32, i64)> = (0..max_doc).filter(|doc| doc % 5 != 2).map(|doc| (doc, value(doc))).collect();
        let bytes = block_on_ready(crate::segment::numeric::write(max_doc, &values, &Pace::never()));
        let column = NumericColumn::new(max_doc, bytes.into());
        for ranges in [vec![(50, 250)], vec![(0, 10), (120, 130)], vec![(299, 299)], vec![(0, 400)], vec![(400, 500)]] {
            let inside = |value: i64| ranges.iter().any(|(lo, hi)| (*lo..=*hi).contains(&value));
            let expected: Vec<u32> = values.iter().filter(|(_, v)| inside(*v)).map(|(doc, _)| *doc).collect();
            let scorer = || ColumnRangeScorer::boxed(&column, &ranges, max_doc, 9, 1.0);
            let Some(mut walking) = scorer() else {
                assert_eq!(expected, []);
                continue;
            };
            let mut found = vec![];
            walking.collect(NO_MORE_DOCS, &mut found, None);
            assert_eq!(found, expected);
            let mut skipping = scorer().unwrap();
            for target in [0, 7, 65_000, WINDOW + 3, 3 * WINDOW + 400, max_doc] {
                let at = expected.partition_point(|doc| *doc < target);
                assert_eq!(skipping.advance(target), expected.get(at).copied().unwrap_or(NO_MORE_DOCS));
                if skipping.doc() == NO_MORE_DOCS {
                    break;
                }
            }
            let (mut filling, mut filled) = (scorer().unwrap(), vec![]);
            while filling.doc() != NO_MORE_DOCS {
                let mut bits = WindowBits::new(filling.doc() / WINDOW);
                filling.fill(filling.doc().saturating_add(40_000), &mut bits);
                filled.extend(bits.iter());
            }
            assert_eq!(filled, expected);
        }
    }
}
