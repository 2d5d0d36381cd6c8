//! The best documents by a number, from the sorted points of its field: those at the better end are looked up in the query,
//! a few at a time, until no other can enter. Far cheaper than reading the column where many documents match.

use super::top_sorted::TopSorted;
use crate::error::Result;
use crate::score::Scorer;
use crate::segment::{Points, SegmentView};

/// Documents looked up in one slice, at first and at most.
const TAKE_MIN: u64 = 128;
const TAKE_MAX: u64 = 8_192;
/// One document in this many may be looked up before reading the column is the better way.
const SHARE: u64 = 16;

pub struct PointsLead {
    points: Points,
    take: u64,
    /// Documents that may still be looked up.
    allowance: u64,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Led {
    /// No document that is left can enter.
    Done,
    More,
    /// Documents that are still open have to be found by reading the column.
    GivenUp,
}

impl PointsLead {
    /// `matches`: about how many documents the query has. None if the first key has no points for all documents, or if too
    /// many would have to be looked up.
    pub fn new(sorted: &TopSorted, view: &SegmentView, matches: u64) -> Option<Self> {
        let (reader, column) = sorted.lead()?;
        let points = view.segment.field(reader.field()?)?.points()?;
        let max_doc = u64::from(view.max_doc());
        if !column.docs().is_all() || !points.single_valued() || u64::from(points.doc_count()) != max_doc {
            return None;
        }
        let wanted = (sorted.size() as u64).saturating_mul(max_doc) / matches.max(1);
        let allowance = max_doc / SHARE;
        let take = wanted.saturating_mul(2).max(TAKE_MIN);
        (take <= allowance).then(|| Self { points: points.clone(), take: take.min(TAKE_MAX), allowance })
    }

    /// One slice. `scorer` is a fresh one of the query; none if all documents match.
    pub fn run(
        &mut self,
        sorted: &mut TopSorted,
        view: &SegmentView,
        scorer: impl FnOnce() -> Result<Option<Box<dyn Scorer>>>,
        all: bool,
    ) -> Result<Led> {
        let Some((reader, _)) = sorted.lead() else { return Ok(Led::GivenUp) };
        let descending = reader.is_descending();
        let (lo, hi) = sorted.open_numbers();
        let (start, end) = self.points.bounds(lo, hi);
        if start >= end {
            return Ok(Led::Done);
        }
        // All that have the last value taken are taken, so that the rest is a range of values again.
        let take = self.take.min(end - start);
        let (start, end) = match descending {
            true => self.points.bounds(self.points.value_at(end - take), hi),
            false => self.points.bounds(lo, self.points.value_at(start + take - 1)),
        };
        if end - start > self.allowance {
            return Ok(Led::GivenUp);
        }
        self.allowance -= end - start;
        self.take = (self.take * 4).min(TAKE_MAX);
        let left = match descending {
            true => self.points.value_at(start).checked_sub(1).map(|hi| (lo, hi)),
            false => self.points.value_at(end - 1).checked_add(1).map(|lo| (lo, hi)),
        };
        let mut docs = Vec::with_capacity((end - start) as usize);
        self.points.docs_at(start, end, &mut docs);
        docs.sort_unstable();
        docs.retain(|doc| view.is_live(*doc));
        if !all {
            match scorer()? {
                Some(mut scorer) => {
                    docs.retain(|doc| scorer.doc() == *doc || (scorer.doc() < *doc && scorer.advance(*doc) == *doc));
                }
                None => docs.clear(),
            }
        }
        sorted.offer(view, &docs, &[]);
        // What was offered must not be offered again.
        sorted.restrict(left.unwrap_or((i64::MAX, i64::MIN)));
        Ok(if left.is_none() { Led::Done } else { Led::More })
    }
}
