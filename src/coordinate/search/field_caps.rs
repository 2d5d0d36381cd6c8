//! What fields can do, over indexes: `_field_caps`.

use super::asked::Asked;
use super::off_core::off_core;
use super::prefilter;
use super::run::SearchOptions;
use super::targets::Scope;
use crate::cluster::{self, BlockLevel, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::{Core, clock};
use crate::settings::glob;
use ahash::AHashSet;
use pith_engine::json::Writer;
use pith_engine::mapping::{Field, Indexed};
use pith_engine::query::Query;
use pith_engine::search::SearchRequest;
use pith_engine::{ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which fields of which indexes are asked about.
pub struct FieldCapsAsk {
    pub indexes: Vec<String>,
    pub options: IndicesOptions,
    /// Names and patterns.
    pub fields: Vec<String>,
    pub include_unmapped: bool,
    /// Only indexes that can have a match count.
    pub index_filter: Option<Query>,
}

/// What a field of one name and type can do in all indexes that have it.
#[derive(Default)]
struct Capability {
    indexes: Vec<InIndex>,
    meta: BTreeMap<String, BTreeSet<String>>,
}

struct InIndex {
    name: Arc<str>,
    searchable: bool,
    aggregatable: bool,
}

/// By name and type.
type Fields = BTreeMap<String, BTreeMap<String, Capability>>;

/// Gives the body of the answer.
pub async fn field_caps(core: &Core, ask: &FieldCapsAsk) -> Result<Vec<u8>> {
    let state = core.state();
    let found = cluster::resolve_search(&state, &ask.indexes, &ask.options, None, clock::now_ms())?;
    let mut indexes: Vec<Arc<IndexMeta>> = found.into_iter().map(|resolved| resolved.index).collect();
    // Those that are closed or that no core has a shard of have nobody to ask; those whose documents may not be read do not answer.
    let answers = |index: &IndexMeta| blocks::check(&state, BlockLevel::Read, [index]).is_ok();
    indexes.retain(|index| index.is_open() && !state.lacks_all_primaries(index) && answers(index));
    indexes.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(filter) = &ask.index_filter {
        indexes = filtered(core, filter, indexes).await?;
    }
    let (patterns, include_unmapped) = (ask.fields.clone(), ask.include_unmapped);
    Ok(match cluster::take_long(&indexes, patterns.len()) {
        true => off_core(move || write(&indexes, &patterns, include_unmapped)).await,
        false => write(&indexes, &patterns, include_unmapped),
    })
}

fn write(indexes: &[Arc<IndexMeta>], patterns: &[String], include_unmapped: bool) -> Vec<u8> {
    let mut fields = Fields::new();
    for index in indexes {
        gather(index, patterns, &mut fields);
    }
    if include_unmapped {
        fields.values_mut().for_each(|types| add_unmapped(types, indexes));
    }
    let mut w = Writer::new();
    w.begin_object().key("indices").begin_array();
    indexes.iter().for_each(|index| {
        w.string(&index.name);
    });
    w.end_array().key("fields").begin_object();
    for (name, types) in fields {
        w.key(&name).begin_object();
        for (type_name, capability) in &types {
            capability.write(type_name, types.len() > 1, &mut w);
        }
        w.end_object();
    }
    w.end_object().end_object();
    w.finish()
}

fn add_unmapped(types: &mut BTreeMap<String, Capability>, indexes: &[Arc<IndexMeta>]) {
    let having: AHashSet<&str> = types.values().flat_map(|c| c.indexes.iter().map(|one| &*one.name)).collect();
    let without = indexes.iter().filter(|index| !having.contains(&*index.name));
    let without: Vec<InIndex> =
        without.map(|index| InIndex { name: index.name.clone(), searchable: false, aggregatable: false }).collect();
    if !without.is_empty() {
        types.insert("unmapped".to_owned(), Capability { indexes: without, meta: BTreeMap::new() });
    }
}

impl Capability {
    fn write(&self, type_name: &str, several: bool, w: &mut Writer) {
        let searchable = self.indexes.iter().filter(|one| one.searchable).count();
        let aggregatable = self.indexes.iter().filter(|one| one.aggregatable).count();
        let all = self.indexes.len();
        w.key(type_name).begin_object().key("type").string(type_name);
        w.key("searchable").bool(searchable == all).key("aggregatable").bool(aggregatable == all);
        if several {
            self.list("indices", |_| true, w);
        }
        // Where none can there is nothing to tell apart.
        if (1..all).contains(&searchable) {
            self.list("non_searchable_indices", |one| !one.searchable, w);
        }
        if (1..all).contains(&aggregatable) {
            self.list("non_aggregatable_indices", |one| !one.aggregatable, w);
        }
        if !self.meta.is_empty() {
            w.key("meta").begin_object();
            for (key, values) in &self.meta {
                w.key(key).begin_array();
                values.iter().for_each(|value| {
                    w.string(value);
                });
                w.end_array();
            }
            w.end_object();
        }
        w.end_object();
    }

    fn list(&self, key: &str, wanted: impl Fn(&InIndex) -> bool, w: &mut Writer) {
        w.key(key).begin_array();
        self.indexes.iter().filter(|one| wanted(one)).for_each(|one| {
            w.string(&one.name);
        });
        w.end_array();
    }
}

fn gather(index: &IndexMeta, patterns: &[String], fields: &mut Fields) {
    let mapping = &index.mapping;
    if mapping.is_unsaid() {
        // Without a mapping there are not even the fields that every index has.
        return;
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for pattern in patterns {
        names.extend(mapping.matching_names(pattern).into_iter().map(|(name, _)| name));
    }
    // What stands below a flat object has no entry of its own.
    for name in patterns.iter().filter(|pattern| !pattern.contains('*')) {
        if let Some(field) = mapping.sub_field(name).filter(|_| !names.contains(&**name)) {
            let capability = fields.entry(name.clone()).or_default().entry(field.type_name.to_owned()).or_default();
            capability.indexes.push(InIndex { name: index.name.clone(), searchable: true, aggregatable: false });
        }
    }
    for (name, field) in names.iter().filter_map(|name| Some((*name, mapping.field(name)?))) {
        let Some((type_name, searchable, aggregatable)) = shown(field) else { continue };
        let capability = fields.entry(name.to_owned()).or_default().entry(type_name.to_owned()).or_default();
        capability.indexes.push(InIndex { name: index.name.clone(), searchable, aggregatable });
        for (key, value) in field.meta.iter().flat_map(|meta| meta.iter()) {
            capability.meta.entry(key.to_owned()).or_default().insert(value.to_text());
        }
    }
    let percolators = mapping.matching_names("*").into_iter().filter(|(_, field)| field.type_name == "percolator");
    for (holder, (part, type_name, searchable)) in
        percolators.flat_map(|(name, _)| OF_PERCOLATORS.map(|part| (name, part)))
    {
        let name = format!("{holder}.{part}");
        if patterns.iter().any(|pattern| glob(pattern, &name)) {
            let capability = fields.entry(name).or_default().entry(type_name.to_owned()).or_default();
            capability.indexes.push(InIndex { name: index.name.clone(), searchable, aggregatable: !searchable });
        }
    }
    for (name, type_name) in INNER {
        let is_there = match *name {
            "_parent_join" => mapping.join_field().is_some(),
            _ => true,
        };
        if is_there && patterns.iter().any(|pattern| glob(pattern, name)) {
            let capability = fields.entry((*name).to_owned()).or_default().entry((*type_name).to_owned()).or_default();
            capability.indexes.push(InIndex { name: index.name.clone(), searchable: false, aggregatable: false });
        }
    }
    // Objects come along with the fields in them.
    let above =
        |name: &str| names.iter().any(|field| field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
    for name in mapping.object_names().filter(|name| above(name)) {
        let kind = if mapping.nested_object(name).is_some() { "nested" } else { "object" };
        let capability = fields.entry(name.to_owned()).or_default().entry(kind.to_owned()).or_default();
        capability.indexes.push(InIndex { name: index.name.clone(), searchable: false, aggregatable: false });
    }
}

/// Fields that the reference has in every index, or in those with a join, and that nobody can do anything with.
const INNER: &[(&str, &str)] =
    &[("_data_stream_timestamp", "_data_stream_timestamp"), ("_feature", "_feature"), ("_parent_join", "parent_join")];

/// What the reference keeps of stored queries below their field, and whether it can be searched or aggregated.
const OF_PERCOLATORS: [(&str, &str, bool); 5] = [
    ("extracted_terms", "keyword", true),
    ("extraction_result", "keyword", true),
    ("minimum_should_match_field", "integer", false),
    ("query_builder_field", "binary", false),
    ("range_field", "ip_range", true),
];

/// The type that a field shows, and whether it can be searched and aggregated.
fn shown(field: &Field) -> Option<(&str, bool, bool)> {
    if field.derived.is_some() {
        return Some(("derived", false, true));
    }
    let (searchable, aggregatable) = (field.is_searchable(), field.is_aggregatable());
    let indexed = field.spec.indexed != Indexed::No;
    Some(match (&*field.name, field.type_name) {
        ("_primary_term", _) => return None,
        ("_doc_count", _) => ("long", false, false),
        ("_version", name) => (name, false, false),
        ("_id" | "_index", name) => (name, true, true),
        ("_routing", name) => (name, true, aggregatable),
        (_, name @ "constant_keyword") => (name, true, true),
        (_, name @ "geo_shape") => (name, true, aggregatable),
        (_, name @ "rank_feature") => (name, true, false),
        (_, name @ ("rank_features" | "binary")) => (name, false, aggregatable),
        (_, name @ "flat_object") => (name, searchable, false),
        (name, type_name) if !name.starts_with('_') => (type_name, searchable && indexed, aggregatable),
        (_, type_name) => (type_name, searchable, aggregatable),
    })
}

/// The indexes of which a shard can have a match.
async fn filtered(core: &Core, filter: &Query, indexes: Vec<Arc<IndexMeta>>) -> Result<Vec<Arc<IndexMeta>>> {
    let is_of_queries = |kind| matches!(kind, ErrorKind::UnsupportedOperation | ErrorKind::IllegalState);
    if indexes.is_empty() {
        return Ok(indexes);
    }
    let request = Arc::new(SearchRequest { query: Some(filter.clone()), size: 0, ..SearchRequest::default() });
    let scope = Scope {
        indexes: indexes.iter().map(|index| index.name.to_string()).collect(),
        options: IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED,
        routing: None,
        preference: None,
    };
    let asked = Asked::new(core, &request, &scope, &SearchOptions::default())?;
    let (mut matching, mut failed): (BTreeSet<Arc<str>>, _) = (BTreeSet::new(), None);
    for (target, answer) in asked.targets.iter().zip(prefilter::ask(core, &asked).await) {
        let matches = match answer {
            Ok(answer) => answer.matches,
            Err(error) => {
                failed = Some(error);
                continue;
            }
        };
        match matches {
            Ok(true) => drop(matching.insert(target.index.uuid.clone())),
            Ok(false) => {}
            // Dates are read while it is asked which shards may match, and shards that cannot read them are left out; what
            // makes a query wrong otherwise is not looked at.
            Err(error) if error.kind() == ErrorKind::Parse => {}
            Err(error) if error.status() == 400 || is_of_queries(error.kind()) => {
                matching.insert(target.index.uuid.clone());
            }
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if matching.is_empty() => Err(error),
        _ => Ok(indexes.into_iter().filter(|index| matching.contains(&index.uuid)).collect()),
    }
}
