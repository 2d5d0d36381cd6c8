//! Documents whose values of a field pass a test: places and shapes.

use super::all::explain_constant;
use super::exists::explain_by_scorer;
use super::late::Late;
use super::places::Places;
use super::profile::class_in;
use super::{Bound, DocsScorer, Explanation, ListScorer, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::error::Result;
use crate::geo::Cell;
use crate::segment::{Batch, DocIterator, NO_MORE_DOCS, NumericColumn, Points, Segment, SegmentView, WindowBits};
use std::fmt;
use std::sync::Arc;

/// A condition on the values of a document.
pub trait ValueTest: fmt::Debug + Send + Sync {
    /// Of a column of numbers: whether one of them is enough for the document.
    fn number(&self, _value: i64) -> bool {
        false
    }

    /// Whatever makes many values cheaper to test is made now, if it pays for so many.
    fn prepare(&self, _values: usize) {}

    /// The same of many values, each of which is asked for itself.
    fn numbers(&self, values: &[i64], passed: &mut Vec<bool>) {
        self.prepare(values.len());
        passed.clear();
        passed.extend(values.iter().map(|value| self.number(*value)));
    }

    /// Whether one value takes so long that a search gives way between any two.
    fn is_slow(&self) -> bool {
        false
    }

    /// How the cell between two encoded places lies to the area that is tested for; `None` if the test knows of none.
    fn cell(&self, _low: (i32, i32), _high: (i32, i32)) -> Option<Cell> {
        None
    }

    /// Of a column of bytes: whether all the values of the document, of which there is one at least, make it match.
    fn bytes(&self, _values: &[&[u8]]) -> bool {
        false
    }
}

/// Documents that pass a test; all score the same.
#[derive(Debug)]
pub struct TestedValues {
    pub field: Arc<str>,
    pub test: Arc<dyn ValueTest>,
    pub text: String,
}

impl TestedValues {
    pub fn plan(self) -> Plan {
        Plan::custom(self)
    }
}

impl fmt::Display for TestedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PlanNode for TestedValues {
    fn type_name(&self) -> String {
        class_in(&self.text, "IndexOrDocValuesQuery")
    }

    fn leaf_field(&self) -> Option<&Arc<str>> {
        Some(&self.field)
    }

    fn weight(&self, _cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let (field, test, text) = (self.field.clone(), self.test.clone(), self.text.clone());
        Ok(Box::new(TestWeight { field, test, text, boost, gathered: None }))
    }
}

/// A lead this many times rarer than the matches makes testing each of its documents cheaper.
const TEST_ONE_IN: u64 = 8;
/// With one document of the lead for so many values, looking for the matches costs more than testing it.
const LOOK_ONE_IN: u64 = 512;

/// Documents with shapes tested in one slice.
const SHAPES_PER_SLICE: usize = 64;

struct TestWeight {
    field: Arc<str>,
    test: Arc<dyn ValueTest>,
    text: String,
    boost: f32,
    /// Documents with bytes, as far as they have been tested.
    gathered: Option<Gathered>,
}

struct Gathered {
    segment: Arc<Segment>,
    next: u32,
    docs: Vec<(u32, f32)>,
}

impl TestWeight {
    /// Tests the bytes of some documents. True when all of the segment's are.
    fn gather(&mut self, view: &SegmentView, docs: usize) -> bool {
        let Some(column) = view.segment.field(&self.field).and_then(|field| field.ordinals()) else { return true };
        let mut gathered = match self.gathered.take() {
            Some(gathered) if Arc::ptr_eq(&gathered.segment, &view.segment) => gathered,
            _ => Gathered { segment: view.segment.clone(), next: 0, docs: vec![] },
        };
        let (mut it, mut ords) = (column.docs().iter(), vec![]);
        if gathered.next > it.doc() {
            it.advance(gathered.next);
        }
        for _ in 0..docs {
            if it.doc() == NO_MORE_DOCS {
                break;
            }
            column.ords(it.doc(), &mut ords);
            let values: Vec<_> = ords.iter().map(|ord| column.term(*ord)).collect();
            let values: Vec<&[u8]> = values.iter().map(|value| &**value).collect();
            if self.test.bytes(&values) {
                gathered.docs.push((it.doc(), self.boost));
            }
            it.next();
        }
        gathered.next = it.doc();
        let done = it.doc() == NO_MORE_DOCS;
        self.gathered = Some(gathered);
        done
    }
}

impl TestWeight {
    /// The matches, and the points that they are of. `None` where the points do not tell, as those that were written before there
    /// were any.
    fn places(&self, view: &SegmentView) -> Option<(Places, Points)> {
        let field = view.segment.field(&self.field)?;
        let (points, column) = (field.points()?, field.numeric()?);
        if points.values() != column.value_count() {
            return None;
        }
        Some((Places::of(points, &*self.test)?, points.clone()))
    }

    /// Of numbers, below a lead of about so many documents.
    fn number_scorer(&self, view: &SegmentView, column: &NumericColumn, lead_cost: u64) -> Option<Box<dyn Scorer>> {
        if lead_cost >= column.value_count() / LOOK_ONE_IN
            && let Some((places, points)) = self.places(view)
        {
            match places.count() {
                0 => return None,
                count if count / TEST_ONE_IN > lead_cost => {}
                _ => return DocsScorer::boxed(places.into_docs(&points), self.boost),
            }
        }
        let mut scorer = NumberScorer {
            docs: column.docs().iter(),
            column: column.clone(),
            test: self.test.clone(),
            values: vec![],
            score: self.boost,
            batch: Batches::default(),
        };
        if self.test.is_slow() {
            return (scorer.docs.doc() != NO_MORE_DOCS).then(|| Late::boxed(scorer));
        }
        scorer.settle();
        (scorer.docs.doc() != NO_MORE_DOCS).then(|| Box::new(scorer) as Box<dyn Scorer>)
    }
}

impl Weight for TestWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        *spent += SHAPES_PER_SLICE as u32;
        let docs = if self.test.is_slow() { 1 } else { SHAPES_PER_SLICE };
        Ok(self.gather(view, docs))
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        self.scorer_below(view, u64::MAX)
    }

    fn scorer_below(&mut self, view: &SegmentView, lead_cost: u64) -> Result<Option<Box<dyn Scorer>>> {
        let Some(field) = view.segment.field(&self.field) else { return Ok(None) };
        if let Some(column) = field.numeric() {
            return Ok(self.number_scorer(view, column, lead_cost));
        }
        while !self.gather(view, usize::MAX) {}
        let gathered = self.gathered.as_ref().filter(|gathered| Arc::ptr_eq(&gathered.segment, &view.segment));
        Ok(gathered.and_then(|gathered| ListScorer::boxed(gathered.docs.clone())))
    }

    fn count(&mut self, view: &SegmentView) -> Option<u64> {
        let (places, points) = self.places(view)?;
        points.single_valued().then(|| places.count())
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        explain_by_scorer(self, view, doc, |weight| explain_constant(&weight.text, weight.boost))
    }
}

/// Goes over the documents that have a number and tests it.
struct NumberScorer {
    docs: DocIterator,
    column: NumericColumn,
    test: Arc<dyn ValueTest>,
    values: Vec<i64>,
    score: f32,
    batch: Batches,
}

/// Documents whose values are read and tested together.
#[derive(Default)]
struct Batches {
    docs: Vec<u32>,
    read: Batch,
    passed: Vec<bool>,
}

/// Documents of a batch.
const BATCH_DOCS: usize = 1_024;

impl NumberScorer {
    fn settle(&mut self) -> u32 {
        while self.docs.doc() != NO_MORE_DOCS && !self.matches() {
            self.docs.next();
        }
        self.docs.doc()
    }

    /// Calls `found` with the matches before `end`, which is where it goes on.
    fn each_before(&mut self, end: u32, mut found: impl FnMut(u32)) {
        while self.docs.doc() < end {
            let Batches { docs, read, passed } = &mut self.batch;
            docs.clear();
            while self.docs.doc() < end && docs.len() < BATCH_DOCS {
                docs.push(self.docs.doc());
                self.docs.next();
            }
            self.column.read(docs, read);
            self.test.numbers(read.values(), passed);
            if read.is_one_each() {
                docs.iter().zip(&*passed).filter(|(_, passed)| **passed).for_each(|(doc, _)| found(*doc));
                continue;
            }
            let mut passed = passed.iter();
            read.for_each_doc(|place, values| {
                // Every value is to be passed over.
                if passed.by_ref().take(values.len()).filter(|passed| **passed).count() > 0 {
                    found(docs[place]);
                }
            });
        }
        self.settle();
    }
}

impl Scorer for NumberScorer {
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
        self.docs.cost()
    }

    fn fill(&mut self, upto: u32, bits: &mut WindowBits) {
        if self.docs.doc() < bits.base() {
            self.docs.advance(bits.base());
        }
        let end = u64::from(upto).min(bits.end()) as u32;
        self.each_before(end, |doc| bits.insert(doc));
    }

    fn collect(&mut self, upto: u32, docs: &mut Vec<u32>, scores: Option<&mut Vec<f32>>) {
        let before = docs.len();
        self.each_before(upto, |doc| docs.push(doc));
        if let Some(scores) = scores {
            scores.resize(scores.len() + docs.len() - before, self.score);
        }
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.docs.advance(target)
    }

    fn matches(&mut self) -> bool {
        let doc = self.docs.doc();
        if self.column.single_valued() {
            return self.column.first(doc).is_some_and(|value| self.test.number(value));
        }
        self.column.values(doc, &mut self.values);
        self.values.iter().any(|value| self.test.number(*value))
    }

    fn is_two_phase(&self) -> bool {
        true
    }

    fn bound(&mut self, _target: u32) -> Bound {
        Bound { last_doc: NO_MORE_DOCS - 1, max: self.score }
    }
}
