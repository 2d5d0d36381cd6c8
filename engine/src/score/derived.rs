//! Queries on derived fields: scripts give the values of documents, which become documents of a segment in memory that the query
//! is run over.

use super::script::MappingRef;
use super::similarity::Similarities;
use super::{Explanation, Faults, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::error::{Error, Result};
use crate::json::{Map, Value, java_class};
use crate::mapping::{Derived, DocumentScratch, Mapping, Parsed};
use crate::pace::{Pace, block_on_ready};
use crate::script::DerivedValues;
use crate::segment::{NO_MORE_DOCS, Segment, SegmentView, Snapshot};
use crate::writer::{Buffer, IndexDocument, seal};
use std::fmt;
use std::sync::Arc;

/// The documents for whose values of a derived field `inner` matches.
#[derive(Clone, Debug)]
pub struct DerivedQuery {
    pub inner: Plan,
    pub field: Arc<str>,
    pub derived: Arc<Derived>,
    /// The mapping of the shard, which the script sees, and one of the field alone.
    pub mapping: MappingRef,
    pub own: MappingRef,
    pub now_ms: i64,
}

impl DerivedQuery {
    /// The text of such a query around another one.
    pub fn text(inner: &Plan) -> String {
        format!("DerivedFieldQuery (Query: [ {inner}])")
    }
}

impl fmt::Display for DerivedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::text(&self.inner))
    }
}

impl PlanNode for DerivedQuery {
    fn type_name(&self) -> String {
        "DerivedFieldQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, _scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let values = DerivedValues::new(&self.derived, &self.mapping.0, self.now_ms)?;
        let (plan, faults) = (self.clone(), cx.faults.clone());
        Ok(Box::new(DerivedWeight { plan, values, boost, faults, found: None }))
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.inner.clone()]
    }
}

/// Documents whose scripts run in one slice.
const DOCS_PER_SLICE: u32 = 128;

struct DerivedWeight {
    plan: DerivedQuery,
    values: DerivedValues,
    boost: f32,
    faults: Faults,
    found: Option<Found>,
}

/// What is known of a segment as far as its scripts have run.
struct Found {
    segment: Arc<Segment>,
    next: u32,
    /// Documents that match, and those whose scripts failed: that is an error only if nothing else leaves them out.
    docs: Vec<(u32, Option<Error>)>,
}

impl DerivedWeight {
    /// Runs the scripts of some of a segment's documents. True when all have been.
    fn find(&mut self, view: &SegmentView, docs: u32) -> Result<bool> {
        let mut found = match self.found.take() {
            Some(found) if Arc::ptr_eq(&found.segment, &view.segment) => found,
            _ => {
                self.values.enter_segment(view);
                Found { segment: view.segment.clone(), next: 0, docs: vec![] }
            }
        };
        let end = found.next.saturating_add(docs).min(view.max_doc());
        let (mut given, mut at) = (vec![], found.next);
        while at < end {
            // Nested documents have no derived fields.
            if view.is_live(at) && view.segment.is_root(at) {
                match self.values.read(at).and_then(|values| self.plan.check(values)) {
                    Ok(values) if values.is_empty() => {}
                    Ok(values) => given.push((at, values)),
                    Err(error) => found.docs.push((at, Some(error))),
                }
            }
            at += 1;
        }
        self.plan.matches(given, &mut found.docs)?;
        found.docs.sort_by_key(|(doc, _)| *doc);
        found.next = end;
        self.found = Some(found);
        Ok(end == view.max_doc())
    }
}

impl DerivedQuery {
    /// Refuses values of other kinds than the type takes, where that is not found out by indexing them.
    fn check(&self, values: Vec<Value>) -> Result<Vec<Value>> {
        let refuse = |value: &Value, wanted: &str| {
            let class = java_class(value);
            let reason = format!("class {class} cannot be cast to class {wanted}");
            Err(Error::new(crate::error::ErrorKind::ClassCast, reason))
        };
        for value in &values {
            match self.derived.type_name.as_str() {
                "date" if self.derived.path.is_none() && !matches!(value, Value::Int(_)) => {
                    return refuse(value, "java.lang.Long");
                }
                "geo_point" if value.as_object().is_none() => {
                    return refuse(value, "org.opensearch.common.collect.Tuple");
                }
                _ => {}
            }
        }
        Ok(values)
    }

    /// Adds those documents whose values the query matches, and those whose values are none of the field.
    fn matches(&self, given: Vec<(u32, Vec<Value>)>, out: &mut Vec<(u32, Option<Error>)>) -> Result<()> {
        let mut buffer = Buffer::new();
        let (mut docs, mut sources) = (vec![], vec![]);
        for (doc, values) in given {
            let source = Map::from_iter([(&*self.field, Value::Array(values))]);
            sources.push((doc, Value::Object(source).to_bytes()));
        }
        for (doc, source) in &sources {
            let mut ops = vec![];
            match parse_one(&self.own.0, source, &mut ops) {
                Ok(()) => {}
                Err(error) => {
                    out.push((*doc, Some(error)));
                    continue;
                }
            }
            let seq_no = docs.len() as u64;
            let id = seq_no.to_string();
            let document =
                IndexDocument { id: &id, routing: None, source: None, seq_no, version: 1, primary_term: 1, ops };
            buffer.add(&self.own.0, &document)?;
            docs.push(*doc);
        }
        if docs.is_empty() {
            return Ok(());
        }
        let (bytes, live) = block_on_ready(seal(&buffer, "_derived", &Pace::never()))?;
        let segment = Segment::open("_derived", bytes.into())?;
        let view = SegmentView { segment, live: live.map(Arc::new) };
        let snapshot = Arc::new(Snapshot { segments: vec![view.clone()], refresh_seq: 0, ..Snapshot::default() });
        let mut weight = self.inner.bind(&WeightContext::new(&snapshot, Similarities::plain()), false, 1.0)?;
        let Some(mut scorer) = weight.scorer(&view)? else { return Ok(()) };
        while scorer.doc() != NO_MORE_DOCS {
            let place = view.segment.seq_no(scorer.doc());
            out.extend(docs.get(place as usize).map(|doc| (*doc, None)));
            scorer.next();
        }
        Ok(())
    }
}

/// Takes the values of a document apart. The error is the one of the value.
fn parse_one<'a>(mapping: &Mapping, source: &'a [u8], ops: &mut Vec<crate::writer::FieldOp<'a>>) -> Result<()> {
    let mut scratch = DocumentScratch::default();
    scratch.routed = true;
    match mapping.parse_document(source, "", &mut scratch, ops) {
        Ok(Parsed::NeedsMapping(_)) => Err(Error::illegal_argument("values of a derived field cannot be objects")),
        Ok(_) => Ok(()),
        Err(error) => {
            let mut error = &error;
            while let Some(cause) = error.cause() {
                error = cause;
            }
            Err(error.clone())
        }
    }
}

impl Weight for DerivedWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        *spent += DOCS_PER_SLICE;
        self.find(view, DOCS_PER_SLICE)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        while !self.find(view, DOCS_PER_SLICE)? {}
        let docs = self.found.as_ref().map(|found| found.docs.clone()).unwrap_or_default();
        if docs.is_empty() {
            return Ok(None);
        }
        let mut scorer = DerivedScorer { docs, at: 0, boost: self.boost, faults: self.faults.clone() };
        scorer.settle();
        Ok(Some(Box::new(scorer)))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        while !self.find(view, DOCS_PER_SLICE)? {}
        let text = self.plan.to_string();
        let found = self.found.as_ref().map(|found| found.docs.as_slice()).unwrap_or_default();
        let matches = found.binary_search_by_key(&doc, |(doc, _)| *doc).is_ok_and(|at| found[at].1.is_none());
        Ok(match matches {
            true => Explanation::matching(self.boost, text, vec![]),
            false => Explanation::no_match(format!("{text} doesn't match id {doc}"), vec![]),
        })
    }
}

struct DerivedScorer {
    docs: Vec<(u32, Option<Error>)>,
    at: usize,
    boost: f32,
    faults: Faults,
}

impl DerivedScorer {
    /// Goes on from a document whose script failed: that is the end.
    fn settle(&mut self) -> u32 {
        if let Some((_, Some(error))) = self.docs.get(self.at) {
            self.faults.report(error.clone());
            self.at = self.docs.len();
        }
        self.doc()
    }
}

impl Scorer for DerivedScorer {
    fn doc(&self) -> u32 {
        self.docs.get(self.at).map_or(NO_MORE_DOCS, |(doc, _)| *doc)
    }

    fn next(&mut self) -> u32 {
        self.at += 1;
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        self.advance_candidate(target);
        self.settle()
    }

    fn score(&mut self) -> f32 {
        self.boost
    }

    fn cost(&self) -> u64 {
        self.docs.len() as u64
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        self.at += self.docs[self.at.min(self.docs.len())..].partition_point(|(doc, _)| *doc < target);
        self.doc()
    }

    fn matches(&mut self) -> bool {
        self.settle() != NO_MORE_DOCS
    }

    fn is_two_phase(&self) -> bool {
        true
    }
}
