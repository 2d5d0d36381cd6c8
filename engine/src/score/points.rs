//! Indexed numbers in ranges.

use super::all::explain_constant;
use super::column_range::ColumnRangeScorer;
use super::exists::explain_by_scorer;
use super::{Bound, DocsScorer, Explanation, Scorer, Weight};
use crate::error::Result;
use crate::segment::{DocIterator, NO_MORE_DOCS, NumericColumn, Points, SegmentView, WINDOW, WindowBits};
use std::sync::Arc;

/// Documents with a value in one of the ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSet {
    pub field: Arc<str>,
    /// Inclusive, ascending, apart from each other.
    pub ranges: Vec<(i64, i64)>,
    /// How the query reads inside of others.
    pub text: String,
    /// How it reads in an explanation of its own.
    pub explained: String,
    /// Whether the reference approximates the query where it stands alone, and says so.
    pub approximate: bool,
    /// Whether it is a whole query that names the present moment: the reference says that it approximates it, and does not.
    pub of_now: bool,
    /// How many values are enough, which are then the first of them.
    pub enough: Option<u64>,
    /// What the reference puts in its place where it does not stand alone.
    pub rewritten: Option<Box<super::Plan>>,
}

impl PointSet {
    /// A set of which all values count, as it stands.
    pub fn new(field: Arc<str>, ranges: Vec<(i64, i64)>, text: String, explained: String) -> Self {
        Self { field, ranges, text, explained, approximate: false, of_now: false, enough: None, rewritten: None }
    }

    /// Whether it is a set of numbers rather than a range.
    pub fn is_set(&self) -> bool {
        self.text.contains(":{") || self.text.contains(": [") || self.text.contains("Bitmap")
    }
}

/// A lead this many times rarer than the range makes checking each of its documents cheaper.
const CHECK_ONE_IN: u64 = 8;

/// Scanning this many documents of a column costs less than taking one match from the points.
const SCAN_FOR_ONE: u64 = 16;

pub struct PointsWeight {
    points: PointSet,
    boost: f32,
}

impl PointsWeight {
    pub fn new(points: &PointSet, boost: f32) -> Self {
        Self { points: points.clone(), boost }
    }

    fn scorer_of(&self, view: &SegmentView, lead_cost: u64) -> Option<Box<dyn Scorer>> {
        let field = view.segment.field(&self.points.field)?;
        let ranges = &self.points.ranges;
        if let (Some(enough), [(lo, hi)], Some(points)) = (self.points.enough, ranges.as_slice(), field.points())
            && points.values() >= enough
            && let Some(docs) = points.first_of(*lo, *hi, enough)
        {
            return DocsScorer::boxed(docs, self.boost);
        }
        if let ([(lo, hi)], Some(points)) = (ranges.as_slice(), field.points())
            && let Some(row) = points.neighbours(*lo, *hi)
        {
            return DocsScorer::boxed(DocIterator::range(row.start, row.end), self.boost);
        }
        match (field.points(), field.numeric()) {
            (Some(points), Some(column)) => {
                let cost: u64 = ranges.iter().map(|(lo, hi)| points.count(*lo, *hi)).sum();
                if cost == 0 {
                    return None;
                }
                if cost / CHECK_ONE_IN > lead_cost {
                    return self.checking(column, cost);
                }
                let max_doc = view.max_doc();
                if ColumnRangeScorer::scanned_docs(column, ranges, max_doc) <= cost * SCAN_FOR_ONE {
                    return ColumnRangeScorer::boxed(column, ranges, max_doc, cost, self.boost);
                }
                DocsScorer::boxed(docs_of(points, ranges), self.boost)
            }
            (Some(points), None) => DocsScorer::boxed(docs_of(points, ranges), self.boost),
            (None, Some(column)) => self.checking(column, column.value_count()),
            (None, None) => None,
        }
    }

    /// Goes over the documents that have a value and checks it.
    fn checking(&self, column: &NumericColumn, cost: u64) -> Option<Box<dyn Scorer>> {
        let mut scorer = CheckingScorer {
            docs: column.docs().iter(),
            column: column.clone(),
            ranges: self.points.ranges.clone(),
            values: Vec::new(),
            cost,
            score: self.boost,
        };
        scorer.settle();
        (scorer.docs.doc() != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>)
    }
}

/// Documents with a value in one of `ranges`.
fn docs_of(points: &Points, ranges: &[(i64, i64)]) -> DocIterator {
    if let [(lo, hi)] = ranges {
        return points.range(*lo, *hi);
    }
    let places: Vec<_> = ranges.iter().map(|(lo, hi)| points.bounds(*lo, *hi)).collect();
    points.docs_of(&places, vec![])
}

impl Weight for PointsWeight {
    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.scorer_of(view, u64::MAX))
    }

    fn scorer_below(&mut self, view: &SegmentView, lead_cost: u64) -> Result<Option<Box<dyn Scorer>>> {
        Ok(self.scorer_of(view, lead_cost))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        // Who asks for one document asks its values.
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.points.explained, weight.boost))
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        let Some(field) = view.segment.field(&self.points.field) else { return Some(0) };
        let points = field.points()?;
        // A range that takes all values takes all documents that have any.
        if let [(lo, hi)] = self.points.ranges[..]
            && points.min().is_some_and(|min| min >= lo)
            && points.max().is_some_and(|max| max <= hi)
        {
            return Some(u64::from(points.doc_count()));
        }
        let disjoint = points.single_valued() || self.points.ranges.is_empty();
        disjoint.then(|| self.points.ranges.iter().map(|(lo, hi)| points.count(*lo, *hi)).sum())
    }
}

struct CheckingScorer {
    docs: DocIterator,
    column: NumericColumn,
    ranges: Vec<(i64, i64)>,
    values: Vec<i64>,
    cost: u64,
    score: f32,
}

impl CheckingScorer {
    fn is_in(&self, value: i64) -> bool {
        let after = self.ranges.partition_point(|(lo, _)| *lo <= value);
        after > 0 && value <= self.ranges[after - 1].1
    }

    fn settle(&mut self) -> u32 {
        while self.docs.doc() != NO_MORE_DOCS && !self.matches() {
            self.docs.next();
        }
        self.docs.doc()
    }
}

impl Scorer for CheckingScorer {
    fn doc(&self) -> u32 {
        self.docs.doc()
    }

    fn next(&mut self) -> u32 {
        self.docs.next();
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.docs.advance(target);
        self.settle()
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.docs.advance(target)
    }

    fn matches(&mut self) -> bool {
        let doc = self.docs.doc();
        if self.column.single_valued() {
            return self.column.first(doc).is_some_and(|value| self.is_in(value));
        }
        let mut values = std::mem::take(&mut self.values);
        self.column.values(doc, &mut values);
        let found = values.iter().any(|value| self.is_in(*value));
        self.values = values;
        found
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        let end = u64::from(upto).min(u64::from(bits.base()) + u64::from(WINDOW));
        let mut doc = self.docs.advance(bits.base().max(self.docs.doc()));
        while u64::from(doc) < end {
            if self.matches() {
                bits.insert(doc);
            }
            doc = self.docs.next();
        }
        self.settle();
    }
}
