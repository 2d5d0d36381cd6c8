//! What fields can do, over indexes: `_field_caps`.

use super::asked::Asked;
use super::prefilter;
use super::run::SearchOptions;
use super::targets::Scope;
use crate::cluster::{self, IndexMeta, IndicesOptions};
use crate::coordinate::{Core, clock};
use pith_engine::Result;
use pith_engine::json::{Value, Writer};
use pith_engine::query::Query;
use pith_engine::search::SearchRequest;
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
    indexes.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(filter) = &ask.index_filter {
        indexes = filtered(core, ask, filter, indexes).await?;
    }
    let mut fields = Fields::new();
    for index in &indexes {
        gather(index, &ask.fields, &mut fields);
    }
    if ask.include_unmapped {
        fields.values_mut().for_each(|types| add_unmapped(types, &indexes));
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
    Ok(w.finish())
}

fn add_unmapped(types: &mut BTreeMap<String, Capability>, indexes: &[Arc<IndexMeta>]) {
    let has = |index: &IndexMeta| types.values().any(|c| c.indexes.iter().any(|one| one.name == index.name));
    let without = indexes.iter().filter(|index| !has(index));
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
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for pattern in patterns {
        names.extend(mapping.matching_names(pattern).into_iter().map(|(name, _)| name));
    }
    for name in &names {
        let Some(field) = mapping.field(name) else { continue };
        let capability = fields.entry((*name).to_owned()).or_default().entry(field.type_name.to_owned()).or_default();
        let aggregatable = field.is_aggregatable() || matches!(&*field.name, "_id" | "_index");
        let searchable = field.is_searchable() || matches!(&*field.name, "_id" | "_index" | "_routing");
        capability.indexes.push(InIndex { name: index.name.clone(), searchable, aggregatable });
        for (key, value) in field.meta.iter().flat_map(|meta| meta.iter()) {
            capability.meta.entry(key.to_owned()).or_default().insert(value.to_text());
        }
    }
    // Objects come along with the fields in them.
    let above =
        |name: &str| names.iter().any(|field| field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
    for name in mapping.object_names().filter(|name| above(name)) {
        let definition = mapping.definition_of(name);
        let nested = definition.as_ref().and_then(|d| d.get("type")).and_then(Value::as_str) == Some("nested");
        let kind = if nested { "nested" } else { "object" };
        let capability = fields.entry(name.to_owned()).or_default().entry(kind.to_owned()).or_default();
        capability.indexes.push(InIndex { name: index.name.clone(), searchable: false, aggregatable: false });
    }
}

/// The indexes of which a shard can have a match.
async fn filtered(
    core: &Core,
    ask: &FieldCapsAsk,
    filter: &Query,
    indexes: Vec<Arc<IndexMeta>>,
) -> Result<Vec<Arc<IndexMeta>>> {
    let request = Arc::new(SearchRequest { query: Some(filter.clone()), size: 0, ..SearchRequest::default() });
    let scope = Scope { indexes: ask.indexes.clone(), options: ask.options, routing: None, preference: None };
    let asked = Asked::new(core, &request, &scope, &SearchOptions::default())?;
    let (mut matching, mut failed): (BTreeSet<Arc<str>>, _) = (BTreeSet::new(), None);
    for (target, answer) in asked.targets.iter().zip(prefilter::ask(core, &asked).await) {
        match answer {
            Ok(true) => drop(matching.insert(target.index.uuid.clone())),
            Ok(false) => {}
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if matching.is_empty() => Err(error),
        _ => Ok(indexes.into_iter().filter(|index| matching.contains(&index.uuid)).collect()),
    }
}
