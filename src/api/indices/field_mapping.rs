//! `GET /{index}/_mapping/field/{fields}`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::resolve;
use super::super::{ApiRequest, Method, Reply, Route};
use super::field_defaults::{source_with_defaults, with_defaults};
use crate::cluster::{BlockLevel, IndexMeta, IndicesOptions, blocks, take_long};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::deprecated::note;
use pith_engine::json::{self, Map, Value, Writer};
use pith_engine::mapping::Mapping;
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "get_field_mapping_action",
        params: &[INDEX_PARAMS, &["include_defaults", "local"]],
        handler: |core, request| Box::pin(get(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_mapping/field/{fields}"), row("/{index}/_mapping/field/{fields}")];

/// Fields that every mapping has; wildcards show them with an empty definition.
const METADATA_FIELDS: [&str; 12] = [
    "_data_stream_timestamp",
    "_doc_count",
    "_feature",
    "_field_names",
    "_id",
    "_ignored",
    "_index",
    "_nested_path",
    "_routing",
    "_seq_no",
    "_source",
    "_version",
];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let defaults = request.flag("include_defaults", false)?;
    if request.has("local") {
        note(LOCAL_WARNING);
    }
    request.flag_opt("local")?;
    let state = core.state();
    let mut indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN)?;
    // The shards are asked for their fields: closed ones have no answer.
    indexes.retain(|index| index.is_open());
    // Nor have those whose metadata nobody may read.
    indexes.retain(|index| blocks::check(&state, BlockLevel::MetadataRead, [&**index]).is_ok());
    let patterns: Vec<String> = request.list("fields").into_iter().map(str::to_owned).collect();
    let none = indexes.is_empty() && !patterns.is_empty();
    let body = match take_long(&indexes, patterns.len()) {
        true => rt::offload(move || write(&indexes, &patterns, defaults)).await?,
        false => write(&indexes, &patterns, defaults)?,
    };
    Ok(Reply::json(if none { 404 } else { 200 }, body))
}

fn write(indexes: &[Arc<IndexMeta>], patterns: &[String], defaults: bool) -> Result<Vec<u8>> {
    let mut w = Writer::new();
    w.begin_object();
    for index in indexes {
        w.key(&index.name).begin_object().key("mappings").begin_object();
        for (name, definition) in definitions(index, patterns) {
            w.key(&name).begin_object();
            w.key("full_name").string(&name);
            w.key("mapping").value(&if defaults { full(&definition, &index.mapping)? } else { definition });
            w.end_object();
        }
        w.end_object().end_object();
    }
    w.end_object();
    Ok(w.finish())
}

const LOCAL_WARNING: &str =
    "Use [local] in get field mapping requests is deprecated. The parameter will be removed in the next major version";

/// The definition under the last part of its name, with all that it does not name.
fn full(definition: &Value, mapping: &Mapping) -> Result<Value> {
    let Value::Object(map) = definition else { return Ok(definition.clone()) };
    let each = |leaf: &str, definition: &Value| match definition {
        Value::Object(said) if leaf == "_source" => source_with_defaults(said),
        _ => with_defaults(definition, mapping),
    };
    let full = map.iter().map(|(leaf, definition)| Ok((leaf, each(leaf, definition)?))).collect::<Result<Vec<_>>>()?;
    Ok(Value::Object(Map::from_iter(full)))
}

/// Fields that one of queries brings along in the reference, with what is shown of them.
const OF_PERCOLATORS: [(&str, &str); 5] = [
    ("extracted_terms", r#"{"type":"keyword","doc_values":false}"#),
    ("extraction_result", r#"{"type":"keyword","doc_values":false}"#),
    ("minimum_should_match_field", r#"{"type":"integer","index":false}"#),
    ("query_builder_field", r#"{"type":"binary","doc_values":true}"#),
    ("range_field", r#"{"type":"ip_range","doc_values":false}"#),
];

fn parts_of_percolators(index: &IndexMeta) -> Vec<(String, Value)> {
    let queries = index.mapping.fields().iter().filter(|field| field.type_name == "percolator");
    let part = |of: &str, name: &str, definition: &str| {
        let definition = json::parse(definition.as_bytes()).expect("the table holds JSON");
        (format!("{of}.{name}"), Value::Object(Map::from_iter([(name, definition)])))
    };
    queries.flat_map(|field| OF_PERCOLATORS.map(|(name, definition)| part(&field.name, name, definition))).collect()
}

/// What is shown of a field that another one brought along, under its whole name.
fn part_of_field(index: &IndexMeta, name: &str) -> Option<Value> {
    let kind = match index.mapping.field(name)?.type_name {
        "search_as_you_type" if index.mapping.definition_of(name).is_none() => "shingle",
        kind @ ("prefix" | "phrase" | "parent") => kind,
        _ => return None,
    };
    let mut shown = Map::from_iter([("type", Value::from(kind))]);
    if kind != "parent" {
        shown.insert("doc_values", Value::Bool(false));
    }
    Some(Value::Object(shown))
}

/// The fields that match, each with an object that holds its definition under the last part of its name.
fn definitions(index: &IndexMeta, patterns: &[String]) -> Vec<(String, Value)> {
    let matches = |name: &str| patterns.iter().any(|pattern| glob(pattern, name));
    let mut found: Vec<(String, Value)> = vec![];
    let mut metadata: Vec<&str> = METADATA_FIELDS.into_iter().filter(|name| matches(name)).collect();
    // An index without a mapping has none of them.
    if index.mapping.is_unsaid() {
        metadata.clear();
    }
    let whole = if metadata.is_empty() { Value::Null } else { index.mapping.to_value() };
    for name in metadata {
        let said = whole.as_object().and_then(|map| map.get(name));
        let shown = said.map(|said| (name, said.clone()));
        found.push((name.to_owned(), Value::Object(shown.into_iter().collect())));
    }
    let aliases = index.mapping.aliases().map(|(name, _)| name);
    let fields = index.mapping.fields().iter().map(|field| &*field.name).chain(aliases);
    for name in fields.filter(|name| matches(name)) {
        if let Some(part) = part_of_field(index, name) {
            found.push((name.to_owned(), Value::Object(Map::from_iter([(name, part)]))));
        } else if let Some((leaf, definition)) = index.mapping.named_definition_of(name) {
            found.push((name.to_owned(), Value::Object(Map::from_iter([(leaf, definition)]))));
        }
    }
    if matches("_parent_join") && index.mapping.join_field().is_some() {
        let shown = Map::from_iter([
            ("type", Value::from("parent_join")),
            ("index", Value::Bool(false)),
            ("doc_values", Value::Bool(false)),
        ]);
        found
            .push(("_parent_join".to_owned(), Value::Object(Map::from_iter([("_parent_join", Value::Object(shown))]))));
    }
    found.extend(parts_of_percolators(index).into_iter().filter(|(name, _)| matches(name)));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found
}
