//! Hits to JSON.

use super::budget::{Budget, Step};
use super::request::SearchRequest;
use super::result::ShardHit;
use super::source::{SourceSpec, StoredFields};
use crate::error::Result;
use crate::json::Writer;
use crate::mapping::{DocValueFormat, DocValues, Field};
use crate::query::{Query, ShardContext, Weight, match_all};
use crate::score::WeightContext;
use crate::segment::{SegmentView, StoredDoc, StoredValue};
use std::sync::Arc;

/// Hits between two looks at the budget.
const HITS_PER_SLICE: usize = 8;

/// Turns the hits of one shard into complete JSON objects.
pub struct FetchTask {
    request: Arc<SearchRequest>,
    cx: ShardContext,
    hits: Vec<ShardHit>,
    out: Vec<Vec<u8>>,
    source: SourceSpec,
    shows_id: bool,
    doc_values: Vec<ShownField>,
    stored: Vec<String>,
    explaining: Option<Weight>,
    named: Vec<(String, Weight)>,
}

/// A doc value field to show.
struct ShownField {
    name: Arc<str>,
    kind: DocValues,
    format: DocValueFormat,
}

impl FetchTask {
    pub fn new(request: &Arc<SearchRequest>, cx: ShardContext, hits: Vec<ShardHit>) -> Result<Self> {
        let source = match (&request.source, &request.stored_fields) {
            (Some(source), _) => source.clone(),
            (None, Some(stored)) if !stored.wants_source() => SourceSpec::No,
            _ => SourceSpec::All,
        };
        let default = match_all();
        let query = request.query.as_ref().unwrap_or(&default);
        let explaining = match request.explain {
            true => Some(query.root_plan(&cx)?.weight(&WeightContext::new(&cx.snapshot), true, 1.0)?),
            false => None,
        };
        let mut named = Vec::new();
        let filters = request.post_filter.iter().flat_map(Query::named);
        for query in query.named().into_iter().chain(filters) {
            if let Some(name) = &query.name {
                named.push((name.clone(), query.weight(&cx, false)?));
            }
        }
        let stored = match &request.stored_fields {
            Some(StoredFields::Fields(names)) => stored_names(names, &cx),
            _ => vec![],
        };
        Ok(Self {
            doc_values: doc_value_fields(request, &cx)?,
            request: request.clone(),
            shows_id: request.stored_fields != Some(StoredFields::None),
            out: Vec::with_capacity(hits.len()),
            hits,
            source,
            stored,
            explaining,
            named,
            cx,
        })
    }

    pub fn run(&mut self, budget: &Budget) -> Result<Step> {
        while self.out.len() < self.hits.len() {
            for _ in 0..HITS_PER_SLICE.min(self.hits.len() - self.out.len()) {
                let hit = self.hits[self.out.len()].clone();
                let json = self.fetch(&hit)?;
                self.out.push(json);
            }
            if self.out.len() < self.hits.len() && (budget.should_yield)() {
                return Ok(Step::Yield);
            }
        }
        Ok(Step::Done)
    }

    /// The hits' objects, in the order in which the hits were given.
    pub fn finish(self) -> Vec<Vec<u8>> {
        self.out
    }

    fn fetch(&mut self, hit: &ShardHit) -> Result<Vec<u8>> {
        let snapshot = self.cx.snapshot.clone();
        let Some(view) = snapshot.segments.get(hit.segment as usize) else {
            return Err(crate::error::Error::new(
                crate::error::ErrorKind::IllegalState,
                format!("hit of segment {} of {}", hit.segment, snapshot.segments.len()),
            ));
        };
        // Stored fields are compressed in blocks: they are only opened for what stands nowhere else.
        let has_metadata = ["_routing", "_ignored"].iter().any(|name| view.segment.field(name).is_some());
        let needs_stored = (self.shows_id && has_metadata) || self.source != SourceSpec::No || !self.stored.is_empty();
        let stored = if needs_stored { view.segment.stored(hit.doc)? } else { StoredDoc::default() };
        let mut w = Writer::with_capacity(256 + stored.source.as_ref().map_or(0, |source| source.len()));
        w.begin_object();
        if self.request.explain {
            w.key("_shard").string(&format!("[{}][{}]", self.cx.index, self.cx.shard));
            w.key("_node").string(&self.cx.node_id);
        }
        w.key("_index").string(&self.cx.index);
        if self.shows_id {
            w.key("_id").string(view.segment.id(hit.doc));
        }
        self.write_versions(view, hit.doc, &mut w);
        w.key("_score");
        if hit.score.is_nan() {
            w.null()
        } else {
            w.f32(hit.score)
        };
        self.write_metadata(&stored, &mut w);
        self.write_source(&stored, &mut w);
        self.write_fields(view, hit.doc, &stored, &mut w)?;
        if !hit.sort.is_empty() {
            w.key("sort").begin_array();
            hit.sort.iter().for_each(|value| value.write(&mut w));
            w.end_array();
        }
        self.write_matched(view, hit.doc, &mut w)?;
        if let Some(weight) = &mut self.explaining {
            w.key("_explanation");
            weight.explain(view, hit.doc)?.write(&mut w);
        }
        w.end_object();
        Ok(w.finish())
    }

    fn write_versions(&self, view: &SegmentView, doc: u32, w: &mut Writer) {
        if self.request.version {
            w.key("_version").u64(view.segment.version(doc));
        }
        if self.request.seq_no_primary_term {
            w.key("_seq_no").u64(view.segment.seq_no(doc));
            w.key("_primary_term").u64(view.segment.primary_term(doc));
        }
    }

    /// `_routing` and `_ignored`, where a document has them.
    fn write_metadata(&self, stored: &StoredDoc, w: &mut Writer) {
        if !self.shows_id {
            return;
        }
        if let Some(routing) = &stored.routing {
            w.key("_routing").string(routing);
        }
        let mut ignored = stored.fields.iter().filter(|(name, _)| name == "_ignored").peekable();
        if ignored.peek().is_some() {
            w.key("_ignored").begin_array();
            for (_, value) in ignored {
                write_stored(value, w);
            }
            w.end_array();
        }
    }

    fn write_source(&self, stored: &StoredDoc, w: &mut Writer) {
        let Some(source) = &stored.source else { return };
        match &self.source {
            SourceSpec::No => {}
            SourceSpec::All => {
                w.key("_source").raw(source);
            }
            SourceSpec::Some(select) => {
                w.key("_source").raw(&select.apply(source));
            }
        }
    }

    fn write_fields(&self, view: &SegmentView, doc: u32, stored: &StoredDoc, w: &mut Writer) -> Result<()> {
        let mut open = false;
        for name in &self.stored {
            let mut values = stored.fields.iter().filter(|(field, _)| field == name).peekable();
            if values.peek().is_none() {
                continue;
            }
            begin_fields(&mut open, w);
            w.key(name).begin_array();
            for (_, value) in values {
                self.write_stored_field(name, value, w)?;
            }
            w.end_array();
        }
        for field in &self.doc_values {
            field.write(view, doc, &mut open, w);
        }
        if open {
            w.end_object();
        }
        Ok(())
    }

    /// Dates are stored as numbers and shown as text.
    fn write_stored_field(&self, name: &str, value: &StoredValue, w: &mut Writer) -> Result<()> {
        match (self.cx.mapping.field(name), value) {
            (Some(field), StoredValue::Long(number)) if field.date_format().is_some() => {
                field.write_doc_value_number(*number, None, w)
            }
            _ => {
                write_stored(value, w);
                Ok(())
            }
        }
    }

    fn write_matched(&mut self, view: &SegmentView, doc: u32, w: &mut Writer) -> Result<()> {
        let mut open = false;
        for (name, weight) in &mut self.named {
            let matches = match weight.scorer(view)? {
                Some(mut scorer) => scorer.doc() <= doc && (scorer.doc() == doc || scorer.advance(doc) == doc),
                None => false,
            };
            if matches {
                if !open {
                    w.key("matched_queries").begin_array();
                    open = true;
                }
                w.string(name);
            }
        }
        if open {
            w.end_array();
        }
        Ok(())
    }
}

fn begin_fields(open: &mut bool, w: &mut Writer) {
    if !*open {
        w.key("fields").begin_object();
        *open = true;
    }
}

impl ShownField {
    fn write(&self, view: &SegmentView, doc: u32, open: &mut bool, w: &mut Writer) {
        let Some(field) = view.segment.field(&self.name) else { return };
        match (self.kind, field.numeric(), field.ordinals()) {
            (DocValues::Numeric, Some(column), _) => {
                let mut values = Vec::new();
                column.values(doc, &mut values);
                if !values.is_empty() {
                    begin_fields(open, w);
                    w.key(&self.name).begin_array();
                    values.iter().for_each(|value| self.format.write_number(*value, w));
                    w.end_array();
                }
            }
            (DocValues::Ordinals, _, Some(column)) => {
                let mut ords = Vec::new();
                column.ords(doc, &mut ords);
                if !ords.is_empty() {
                    begin_fields(open, w);
                    w.key(&self.name).begin_array();
                    ords.iter().for_each(|ord| self.format.write_bytes(&column.term(*ord), w));
                    w.end_array();
                }
            }
            _ => {}
        }
    }
}

fn doc_value_fields(request: &SearchRequest, cx: &ShardContext) -> Result<Vec<ShownField>> {
    let mut out: Vec<ShownField> = Vec::new();
    for asked in &request.docvalue_fields {
        let fields: Vec<&Field> = cx.mapping.matching(&asked.field);
        for field in fields {
            if asked.field.contains('*') && field.spec.doc_values == DocValues::None {
                continue;
            }
            field.check_aggregatable()?;
            out.push(ShownField {
                name: field.name.clone(),
                kind: field.spec.doc_values,
                format: field.doc_value_format(asked.format.as_deref(), None)?,
            });
        }
    }
    Ok(out)
}

/// The stored fields that names and patterns stand for.
fn stored_names(names: &[String], cx: &ShardContext) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names.iter().filter(|name| !matches!(name.as_str(), "_source" | "_id" | "_none_" | "_routing")) {
        for field in cx.mapping.matching(name) {
            if field.spec.stored && !field.family().is_metadata() && !out.iter().any(|n| **n == *field.name) {
                out.push(field.name.to_string());
            }
        }
    }
    out
}

fn write_stored(value: &StoredValue, w: &mut Writer) {
    match value {
        StoredValue::String(text) => w.string(text),
        StoredValue::Long(number) => w.i64(*number),
        StoredValue::Double(number) => w.f64(*number),
        StoredValue::Float(number) => w.f32(*number),
        StoredValue::Bool(flag) => w.bool(*flag),
        StoredValue::Bytes(bytes) => w.string(&DocValueFormat::Binary.bytes_text(bytes)),
    };
}
