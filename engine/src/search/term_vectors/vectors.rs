//! The vectors of one document: which fields, their texts, their terms.

use super::request::{TermVectorsRequest, analyzer_named_for};
use super::write;
use crate::analysis::{Analyzer, Scratch};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{self, Value};
use crate::mapping::{DocumentScratch, Family, Field};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::search::fetch::values_at;
use crate::segment::{SegmentField, StoredValue};
use crate::shard::FoundDocument;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The terms of one field of the document.
pub(super) struct Vector {
    pub field: Arc<str>,
    pub terms: BTreeMap<Vec<u8>, Vec<Occurrence>>,
    pub positions: bool,
    pub offsets: bool,
    pub payloads: bool,
}

/// One place of a term.
pub(super) struct Occurrence {
    pub position: u32,
    pub start: u32,
    pub end: u32,
    pub payload: Vec<u8>,
}

/// How frequent a term is in the shard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

/// What the terms of a field come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FieldCounts {
    pub sum_doc_freq: u64,
    pub doc_count: u64,
    pub sum_total_term_freq: u64,
}

/// Writes the value of `term_vectors`. `found` is the document, unless the request brings one.
pub async fn term_vectors(
    request: &TermVectorsRequest,
    found: Option<&FoundDocument>,
    cx: &ShardContext,
    pace: &Pace,
) -> Result<Vec<u8>> {
    request.doc.as_ref().map_or(Ok(()), |doc| check_doc(doc, request.routing.is_some(), cx))?;
    let parsed = found.and_then(|found| found.source.as_ref()).map(|source| json::parse(source)).transpose()?;
    let nothing = Value::Null;
    let source = request.doc.as_ref().or(parsed.as_ref()).unwrap_or(&nothing);
    let stored: &[(String, StoredValue)] = found.map_or(&[], |found| &found.fields);
    let routing = match &request.doc {
        Some(_) => request.routing.as_ref(),
        None => found.and_then(|found| found.routing.as_ref()),
    };
    let mut vectors = vec![];
    for (field, keeps) in wanted(request, cx) {
        let texts = match field.family() {
            Family::Routing => routing.into_iter().cloned().collect(),
            _ => texts(field, source, stored, request.doc.is_some(), cx),
        };
        pace.tick(u32::try_from(texts.iter().map(String::len).sum::<usize>()).unwrap_or(u32::MAX)).await;
        let vector = analyse(field, &texts, request, keeps.as_deref(), cx);
        if !vector.terms.is_empty() {
            vectors.push(vector);
        }
    }
    write::write(vectors, request, cx, pace).await
}

/// The id by which mistakes in a document name it that is in no index.
const MADE_UP_ID: &str = "_id_for_tv_api";

/// Fails for a document that could not be indexed. Fields that the mapping does not have are none of its mistakes.
fn check_doc(doc: &Value, routed: bool, cx: &ShardContext) -> Result<()> {
    let bytes = doc.to_bytes();
    let mut scratch = DocumentScratch::default();
    scratch.routed = routed;
    let parsed = cx.mapping.parse_document(&bytes, MADE_UP_ID, &mut scratch, &mut vec![]);
    parsed.map(drop).map_err(|error| {
        let roots = match error.root_causes() {
            [] => vec![error.clone()],
            roots => roots.to_vec(),
        };
        let told = Error::new(ErrorKind::General, "failed to execute term vector request");
        told.with_root_causes(roots).caused_by(error)
    })
}

/// The fields that the request means, each with what its mapping keeps of vectors, if that is what counts.
fn wanted<'m>(request: &TermVectorsRequest, cx: &'m ShardContext) -> Vec<(&'m Field, Option<String>)> {
    let chosen: Option<Vec<&Field>> = request.fields.as_ref().map(|patterns| {
        let names = patterns.iter().flat_map(|pattern| cx.mapping.matching_names(pattern));
        // Under an alias there is nothing.
        names.filter(|(name, field)| **name == *field.name).map(|(_, field)| field).collect()
    });
    let overridden = |field: &Field| request.per_field_analyzer.iter().any(|(name, _)| **name == *field.name);
    let mut out: Vec<(&Field, Option<String>)> = vec![];
    for field in cx.mapping.fields() {
        let selected = chosen.as_ref().map(|chosen| chosen.iter().any(|other| other.id == field.id));
        if field.hidden || !field.has_words() || selected == Some(false) {
            continue;
        }
        // A text that is in no index is analysed whatever the mapping keeps.
        let keeps = if request.doc.is_some() { None } else { cx.mapping.term_vector_of(field) };
        if request.doc.is_none() && selected.is_none() && keeps.is_none() {
            continue;
        }
        out.push((field, keeps.filter(|_| !overridden(field))));
    }
    out
}

/// The field's values: stored ones, or those of the source. `made_up`: the document is in no index.
fn texts(
    field: &Field,
    source: &Value,
    stored: &[(String, StoredValue)],
    made_up: bool,
    cx: &ShardContext,
) -> Vec<String> {
    let own = stored.iter().filter(|(name, _)| **name == *field.name);
    let own: Vec<String> = own
        .filter_map(|(_, value)| match value {
            StoredValue::String(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    if !own.is_empty() {
        return own;
    }
    let mut out = vec![];
    let mut values = vec![];
    // What is copied to the field is in no document at its place.
    values_at(source, &cx.mapping.own_source_path(field), &mut values);
    // What a child is to whom is no text of its join, unless the document is indexed to be looked at.
    let text = |value: &Value| match value.as_object() {
        Some(child) => child.get("name").filter(|_| made_up).map(Value::to_text),
        None => Some(value).filter(|value| !value.is_null()).map(Value::to_text),
    };
    out.extend(values.into_iter().filter_map(text));
    out
}

fn analyse(
    field: &Field,
    texts: &[String],
    request: &TermVectorsRequest,
    keeps: Option<&str>,
    cx: &ShardContext,
) -> Vector {
    let named = analyzer_named_for(field, &request.per_field_analyzer, &cx.mapping);
    // Names of fields have no analyzer of their own, and so that of the index takes them apart.
    let of_index = || (field.family() == Family::Ignored).then(|| cx.mapping.analysis().default_analyzer());
    let named = named.or_else(of_index);
    let analyzer: Option<&Arc<Analyzer>> =
        named.as_ref().or_else(|| field.index_analyzer()).or(field.spec.analyzer.as_ref());
    let gap = match (&named, analyzer) {
        (Some(named), _) => named.indexed_gap(),
        (None, Some(_)) => field.spec.position_increment_gap,
        (None, None) => 0,
    };
    let mut terms: BTreeMap<Vec<u8>, Vec<Occurrence>> = BTreeMap::new();
    let (mut position, mut offset) = (0u32, 0u32);
    let mut scratch = Scratch::default();
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            position = position.saturating_add(gap);
        }
        let Some(analyzer) = analyzer else {
            let end = offset.saturating_add(text.encode_utf16().count() as u32);
            let term = match field.normalizer() {
                Some(normalizer) => normalizer.normalize(text).into_owned(),
                None => text.clone(),
            };
            terms.entry(term.into_bytes()).or_default().push(Occurrence {
                position,
                start: offset,
                end,
                payload: vec![],
            });
            (position, offset) = (position + 1, end.saturating_add(1));
            continue;
        };
        let end = analyzer.analyze(text, &mut scratch, &mut |token| {
            terms.entry(token.text.as_bytes().to_vec()).or_default().push(Occurrence {
                position: position.saturating_add(token.position),
                start: offset.saturating_add(token.start_offset),
                end: offset.saturating_add(token.end_offset),
                payload: token.payload.to_vec(),
            });
        });
        position = position.saturating_add(end.position);
        offset = offset.saturating_add(end.offset).saturating_add(1);
    }
    let keeps_any = |part: &str| keeps.is_none_or(|keeps| keeps.contains(part));
    Vector {
        field: field.name.clone(),
        terms,
        positions: request.positions && keeps_any("positions"),
        offsets: request.offsets && keeps_any("offsets"),
        // Vectors that are made on the way hold none.
        payloads: request.payloads && keeps.is_some_and(|keeps| keeps.contains("payloads")),
    }
}

impl Vector {
    /// What the field comes to in the shard; where it has no terms, in this document alone. The latter counts as none.
    pub fn field_counts(&self, cx: &ShardContext) -> (FieldCounts, bool) {
        let mut counts = FieldCounts::default();
        for view in &cx.snapshot.segments {
            if let Some(field) = view.segment.field(&self.field) {
                let stats = field.stats();
                counts.doc_count += u64::from(stats.doc_count);
                counts.sum_doc_freq += stats.sum_doc_freq;
                counts.sum_total_term_freq += stats.sum_total_term_freq;
            }
        }
        if cx.mapping.field(&self.field).is_some_and(Field::scores_alike) {
            // The reference counts no frequencies there.
            counts.sum_total_term_freq = counts.sum_doc_freq;
        }
        if counts.doc_count > 0 {
            return (counts, true);
        }
        let sum_doc_freq = self.terms.len() as u64;
        let sum_total_term_freq = self.terms.values().map(|places| places.len() as u64).sum();
        (FieldCounts { sum_doc_freq, doc_count: 1, sum_total_term_freq }, false)
    }

    /// How frequent a term is; none if the shard does not have it.
    pub fn counts(&self, term: &[u8], in_shard: bool, cx: &ShardContext) -> Option<Counts> {
        if !in_shard {
            let places = self.terms.get(term)?.len() as u64;
            return Some(Counts { doc_freq: 1, total_term_freq: places });
        }
        let mut counts = Counts::default();
        for view in &cx.snapshot.segments {
            let terms = view.segment.field(&self.field).and_then(SegmentField::terms);
            if let Some(info) = terms.and_then(|terms| terms.get(term)) {
                counts.doc_freq += u64::from(info.doc_freq);
                counts.total_term_freq += info.total_term_freq;
            }
        }
        if cx.mapping.field(&self.field).is_some_and(Field::scores_alike) {
            counts.total_term_freq = counts.doc_freq;
        }
        (counts.doc_freq > 0).then_some(counts)
    }
}
