//! `percolate`: stored queries that match documents which the request brings along.
//!
//! The documents become a segment in memory; each stored query is run over it.

use super::declared::{ARRAY, Declared, NUMERIC, OBJECT, STRING, list};
use super::lookup::Lookup;
use super::node::{Common, Node};
use super::percolate_candidates::Candidates;
use super::{Kind, PlanContext, Query, ShardContext};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Value};
use crate::mapping::{DocumentScratch, Family, Mapping, Parsed};
use crate::pace::{Pace, block_on_ready};
use crate::score::similarity::Similarities;
use crate::score::{Explanation, ListScorer, Plan, PlanNode, Scorer, Weight, WeightContext};
use crate::segment::{NO_MORE_DOCS, Segment, SegmentView, Snapshot};
use crate::writer::{Buffer, IndexDocument, seal};
use std::fmt;
use std::sync::Arc;

/// A percolate query.
#[derive(Clone, Debug)]
pub struct Percolation {
    field: String,
    /// Stands behind the name of what hits say, where a request percolates more than once.
    name: Option<String>,
    documents: Vec<Value>,
    /// The document of an index that is meant instead.
    existing: Option<Arc<Lookup>>,
}

/// Most documents of one request: as many as its hits could tell apart with ease.
const DOCUMENTS_MAX: usize = 10_000;

const PARSER: Declared = Declared {
    name: "percolate",
    fields: &[
        ("field", STRING),
        ("name", STRING),
        ("index", STRING),
        ("id", STRING),
        ("routing", STRING),
        ("preference", STRING),
        ("version", NUMERIC),
        ("document", OBJECT),
        ("documents", OBJECT | ARRAY),
        ("boost", NUMERIC),
        ("_name", STRING),
    ],
};

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut field_name, mut name, mut documents) = (None, None, vec![]);
    let (mut index, mut id, mut routing, mut version) = (None, None, None, None);
    let mut given = vec![];
    for field in node.fields() {
        let text = || PARSER.read(&field, |node| node.text()).map(Some);
        match field.key {
            "field" => field_name = text()?,
            "name" => name = text()?,
            "document" | "documents" => {
                documents = PARSER.read(&field, |node| list(node, |item| Ok(item.value.clone())))?;
                given.push(field.key);
            }
            "index" => index = text()?,
            "id" => {
                id = text()?;
                given.push("id");
            }
            "routing" => routing = text()?,
            // There is one copy of each document.
            "preference" => drop(text()?),
            "version" => version = u64::try_from(PARSER.read(&field, |node| node.i64())?).ok(),
            _ => PARSER.read_common(&field, &mut common)?,
        }
    }
    if given.is_empty() {
        let reason = "Required one of fields [document, documents, id], but none were specified. ";
        return Err(Error::illegal_argument(reason));
    }
    let exclusive: Vec<&str> = ["id", "document", "documents"].into_iter().filter(|k| given.contains(k)).collect();
    if exclusive.len() > 1 {
        let reason = format!("The following fields are not allowed together: [{}] ", exclusive.join(", "));
        return Err(Error::illegal_argument(reason));
    }
    let field = field_name.ok_or_else(|| Error::illegal_argument("Required [field]"))?;
    let existing = match (index, id) {
        (Some(index), Some(id)) => {
            let mut lookup = Lookup::required(index, id, routing);
            (lookup.version, lookup.must_exist) = (version, true);
            Some(Arc::new(lookup))
        }
        (None, Some(_)) => {
            let reason = "Failed to build [percolate] after last required field arrived";
            let cause = Error::illegal_argument("[index] is a required argument");
            return Err(Error::new(ErrorKind::XContentParse, reason).caused_by(cause));
        }
        (index, None) if documents.is_empty() => {
            let missing = if index.is_none() { "1: index is missing;2: id is missing;" } else { "1: id is missing;" };
            return Err(Error::new(ErrorKind::ActionRequestValidation, format!("Validation Failed: {missing}")));
        }
        (_, None) => None,
    };
    if documents.len() > DOCUMENTS_MAX {
        let reason = format!("[percolate] takes at most [{DOCUMENTS_MAX}] documents, not [{}]", documents.len());
        return Err(Error::illegal_argument(reason));
    }
    Ok(Query::new(common, Percolation { field, name, documents, existing }))
}

impl Kind for Percolation {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.check_field(cx)?;
        let sources = self.sources(cx)?;
        let within = within(&sources, cx)?;
        // A line each.
        let shown = sources.iter().map(|source| String::from_utf8_lossy(source).into_owned() + "\n").collect();
        Ok(Plan::custom(Percolate { field: self.field.clone(), within, shown }))
    }

    fn lookups(&self) -> &[Lookup] {
        self.existing.as_deref().map_or(&[], std::slice::from_ref)
    }

    fn is_changeable(&self) -> bool {
        true
    }

    fn percolation(&self) -> Option<&Percolation> {
        Some(self)
    }
}

impl Percolation {
    /// What it goes by beside others.
    pub fn told_name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.field)
    }

    fn check_field(&self, cx: &PlanContext) -> Result<()> {
        let name = &self.field;
        match cx.field(name) {
            None => Err(cx.error(format!("field [{name}] does not exist"))),
            Some(field) if field.family() == Family::Percolator => Ok(()),
            Some(field) => Err(cx.error(format!(
                "expected field [{name}] to be of type [percolator], but is of type [{}]",
                field.type_name
            ))),
        }
    }

    /// The documents as a shard of their own.
    pub fn documents(&self, cx: &PlanContext) -> Result<ShardContext> {
        within(&self.sources(cx)?, cx)
    }

    fn sources(&self, cx: &PlanContext) -> Result<Vec<Vec<u8>>> {
        let mut sources: Vec<Vec<u8>> = self.documents.iter().map(Value::to_bytes).collect();
        if let Some(existing) = &self.existing {
            sources.extend(existing.source(cx.index)?.map(|source| source.to_vec()));
        }
        Ok(sources)
    }

    /// The query that a hit stores, and the numbers of the documents that it matches with their places among `within`, which
    /// [`Self::documents`] made.
    pub fn matched(
        &self,
        within: &ShardContext,
        view: &SegmentView,
        doc: u32,
    ) -> Result<Option<(Query, Vec<Matched>)>> {
        let Some(stored) = stored_query(view, &self.field, doc)? else { return Ok(None) };
        let (weight_cx, mut matched) = (WeightContext::new(&within.snapshot, Similarities::plain()), vec![]);
        let mut weight = stored.root_plan(within)?.weight(&weight_cx, false, 1.0)?;
        for (segment, view) in within.snapshot.segments.iter().enumerate() {
            let Some(mut scorer) = weight.scorer(view)? else { continue };
            while scorer.doc() != NO_MORE_DOCS {
                let doc = scorer.doc();
                matched.push(Matched { slot: view.segment.seq_no(doc), segment, doc });
                scorer.next();
            }
        }
        Ok(Some((stored, matched)))
    }

    /// Whether there is only one document to match.
    pub fn is_single(&self) -> bool {
        self.documents.len() + usize::from(self.existing.is_some()) == 1
    }
}

/// Documents as a shard of their own.
fn within(sources: &[Vec<u8>], cx: &PlanContext) -> Result<ShardContext> {
    let mut mapping = cx.mapping.clone();
    for source in sources {
        if let Parsed::NeedsMapping(change) = parse_one(&mapping, source, &mut vec![])? {
            mapping = Arc::new(mapping.merge(&change)?);
        }
    }
    let mut buffer = Buffer::new();
    for (slot, source) in (0..).zip(sources) {
        let mut ops = vec![];
        if let Parsed::Refused(error) = parse_one(&mapping, source, &mut ops)? {
            return Err(error);
        }
        let id = slot.to_string();
        buffer.add(
            &mapping,
            &IndexDocument {
                id: &id,
                routing: None,
                source: Some(source),
                seq_no: slot,
                version: 1,
                primary_term: 1,
                ops,
            },
        )?;
    }
    let (bytes, live) = block_on_ready(seal(&buffer, "_percolated", &Pace::never()))?;
    let segment = Segment::open("_percolated", bytes.into())?;
    let snapshot = Snapshot {
        segments: vec![SegmentView { segment, live: live.map(Arc::new) }],
        refresh_seq: 0,
        ..Snapshot::default()
    };
    Ok(ShardContext {
        index: cx.index.clone(),
        index_uuid: cx.index_uuid.clone(),
        shard: 0,
        node_id: "".into(),
        mapping,
        snapshot: Arc::new(snapshot),
        now_ms: cx.dates.now_ms,
        limits: super::SearchLimits { query: cx.limits, ..super::SearchLimits::default() },
        profile: None,
        search: None,
        sees_all: false,
    })
}

/// A document that a stored query matches.
pub struct Matched {
    pub slot: u64,
    pub segment: usize,
    pub doc: u32,
}

fn parse_one<'a>(mapping: &Mapping, source: &'a [u8], ops: &mut Vec<crate::writer::FieldOp<'a>>) -> Result<Parsed> {
    mapping.parse_document(source, "_temp_id", &mut DocumentScratch::default(), ops)
}

/// The query that a document holds.
fn stored_query(view: &SegmentView, field: &str, doc: u32) -> Result<Option<Query>> {
    let column = view.segment.field(field).and_then(|field| field.ordinals());
    let Some(bytes) = column.and_then(|column| Some(column.term(column.first(doc)?).into_owned())) else {
        return Ok(None);
    };
    super::parse(&json::parse(&bytes)?, &bytes).map(Some)
}

/// Documents whose stored query matches one of those that are given.
struct Percolate {
    field: String,
    /// The documents that are given.
    within: ShardContext,
    /// Their texts.
    shown: Vec<String>,
}

impl fmt::Debug for Percolate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Percolate({} {:p})", self.field, Arc::as_ptr(&self.within.snapshot))
    }
}

impl fmt::Display for Percolate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = Candidates::of(&self.field, &self.within).text();
        write!(f, "PercolateQuery{{document_sources={{{}}},inner={{{inner}}}}}", self.shown.concat())
    }
}

impl PlanNode for Percolate {
    // The scores are those of the stored queries, whatever the boost.
    fn weight(&self, cx: &WeightContext, scores: bool, _boost: f32) -> Result<Box<dyn Weight>> {
        if let Some(profiler) = &cx.profiler {
            Candidates::of(&self.field, &self.within).enter(profiler)?;
        }
        Ok(Box::new(PercolateWeight { field: self.field.clone(), within: self.within.clone(), scores, gathered: None }))
    }
}

/// Stored queries run in one slice: a few hundred microseconds.
const QUERIES_PER_SLICE: usize = 32;

struct PercolateWeight {
    field: String,
    within: ShardContext,
    scores: bool,
    gathered: Option<Gathered>,
}

/// The matches of a segment as far as its queries have been run.
struct Gathered {
    segment: Arc<Segment>,
    next: u32,
    docs: Vec<(u32, f32)>,
}

impl PercolateWeight {
    /// Runs some of the stored queries of a segment. True when all have been.
    fn gather(&mut self, view: &SegmentView, queries: usize) -> Result<bool> {
        let mut gathered = match self.gathered.take() {
            Some(gathered) if Arc::ptr_eq(&gathered.segment, &view.segment) => gathered,
            _ => Gathered { segment: view.segment.clone(), next: 0, docs: vec![] },
        };
        let Some(column) = view.segment.field(&self.field).and_then(|field| field.ordinals()) else {
            self.gathered = Some(gathered);
            return Ok(true);
        };
        let mut stored = column.docs().iter();
        if gathered.next > 0 {
            stored.advance(gathered.next);
        }
        for _ in 0..queries {
            let doc = stored.doc();
            if doc == NO_MORE_DOCS {
                break;
            }
            if view.is_live(doc)
                && let Some(score) = self.matched(view, doc)?
            {
                gathered.docs.push((doc, score));
            }
            stored.next();
        }
        let done = stored.doc() == NO_MORE_DOCS;
        gathered.next = stored.doc();
        self.gathered = Some(gathered);
        Ok(done)
    }

    fn weight_of(&self, view: &SegmentView, doc: u32, scores: bool) -> Result<Option<Box<dyn Weight>>> {
        let Some(query) = stored_query(view, &self.field, doc)? else { return Ok(None) };
        let plan = query.root_plan(&self.within)?;
        plan.weight(&WeightContext::new(&self.within.snapshot, Similarities::plain()), scores, 1.0).map(Some)
    }

    /// The best score that the stored query of a document gives, if it matches.
    fn matched(&self, view: &SegmentView, doc: u32) -> Result<Option<f32>> {
        let Some(mut weight) = self.weight_of(view, doc, self.scores)? else { return Ok(None) };
        let mut best: Option<f32> = None;
        for view in &self.within.snapshot.segments {
            let Some(mut scorer) = weight.scorer(view)? else { continue };
            while scorer.doc() != NO_MORE_DOCS {
                let score = if self.scores { scorer.score() } else { 0.0 };
                best = Some(best.map_or(score, |best| best.max(score)));
                if !self.scores {
                    break;
                }
                scorer.next();
            }
        }
        Ok(best)
    }
}

impl Weight for PercolateWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        *spent += QUERIES_PER_SLICE as u32;
        self.gather(view, QUERIES_PER_SLICE)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        while !self.gather(view, usize::MAX)? {}
        Ok(self.gathered.as_ref().and_then(|gathered| ListScorer::boxed(gathered.docs.clone())))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let Some(score) = self.matched(view, doc)? else {
            return Ok(Explanation::no_match("PercolateQuery", vec![]));
        };
        // Whichever document matches, the first is explained, and what is nested with it is looked at like others.
        let stored = if self.scores { stored_query(view, &self.field, doc)? } else { None };
        let mut details = vec![];
        if let (Some(query), Some(first)) = (stored, self.within.snapshot.segments.first()) {
            let plan = query.bare_plan(&self.within)?;
            let cx = WeightContext::new(&self.within.snapshot, Similarities::plain());
            details.push(plan.weight(&cx, true, 1.0)?.explain(first, 0)?);
        }
        Ok(Explanation::matching(score, "PercolateQuery", details))
    }
}
