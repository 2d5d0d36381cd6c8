//! Documents that a request's queries name: read before the shards are asked.

use super::limits::limits;
use super::run::{SearchOptions, search_parts};
use super::targets::Scope;
use crate::cluster::IndicesOptions;
use crate::coordinate::Core;
use crate::coordinate::allowed::check_lookup;
use crate::coordinate::read::{ReadItem, ReadOptions, read};
use crate::security::Acting;
use bytes::Bytes;
use pith_engine::json::{self, Map, Value};
use pith_engine::mapping::base64;
use pith_engine::query::{Lookup, Query};
use pith_engine::search::{SearchRequest, StoredFields};
use pith_engine::segment::StoredValue;
use pith_engine::shard::FoundDocument;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::sync::Arc;

/// Most documents that one request may have read.
const LOOKUPS_MAX: usize = 1_024;

/// Most documents whose values one lookup by a query takes.
const MATCHING_MAX: usize = 10_000;

/// Reads what the queries of `requests` need. `indexes`: those that are searched.
pub async fn resolve(core: &Core, requests: &[Arc<SearchRequest>], indexes: &[Arc<str>]) -> Result<()> {
    for (at, request) in requests.iter().enumerate() {
        let seen = requests[..at].iter().any(|earlier| Arc::ptr_eq(earlier, request));
        if seen {
            continue;
        }
        // Those of a pipeline have been filled in before.
        request.fill(&Map::new())?;
        let open: Vec<&Lookup> = request.lookups().into_iter().filter(|lookup| !lookup.is_answered()).collect();
        if open.len() > LOOKUPS_MAX {
            return Err(Error::illegal_argument(format!(
                "the queries of a request may name at most [{LOOKUPS_MAX}] documents but name [{}]",
                open.len()
            )));
        }
        // What a role's query names is read for the role, not for whoever has it. (Filters of aliases look nothing up.)
        let of_roles: Vec<&Lookup> = request.restriction.iter().flat_map(Query::lookups).collect();
        for lookup in open {
            let answering = Box::pin(answer(core, lookup, indexes));
            match of_roles.iter().any(|own| std::ptr::eq(*own, lookup)) {
                true => Acting::new(None, answering).await?,
                false => answering.await?,
            }
        }
    }
    Ok(())
}

async fn answer(core: &Core, lookup: &Lookup, indexes: &[Arc<str>]) -> Result<()> {
    let mut names: Vec<Arc<str>> = match &lookup.index {
        Some(name) => vec![name.as_str().into()],
        None => indexes.to_vec(),
    };
    names.sort();
    names.dedup();
    if let Some(query) = &lookup.query {
        let mut answers = vec![];
        for name in names {
            let found = matching(core, lookup, query, &name).await?;
            answers.push((name, found));
        }
        lookup.answer(answers);
        return Ok(());
    }
    let item = |name: &Arc<str>| ReadItem {
        index: name.to_string(),
        id: lookup.id.clone(),
        routing: lookup.routing.clone(),
        version: lookup.version,
    };
    let items: Vec<ReadItem> = names.iter().map(item).collect();
    if lookup.required {
        let state = core.state();
        names.iter().try_for_each(|name| check_lookup(&state, name))?;
    }
    let found = read(core, &items, ReadOptions { realtime: true, refresh: false }).await;
    let mut answers = Vec::with_capacity(names.len());
    for (name, found) in names.into_iter().zip(found) {
        let document = match found {
            Ok(read) => read.document,
            // A document that is only one of several to be like need not exist, nor need its index, nor have the version, nor need
            // whoever searches see it.
            Err(error) if !lookup.required && is_passed_over(error.kind()) => None,
            Err(error) => return Err(error),
        };
        let metadata = document.as_ref().filter(|_| lookup.metadata).map(metadata_of);
        let bytes = document.and_then(|document| match &lookup.stored {
            Some(field) => Some(stored_values(field, &document)),
            None => document.source,
        });
        lookup.check(&name, bytes.as_deref())?;
        let metadata = metadata.filter(|_| bytes.is_some());
        answers.push((name, bytes.into_iter().chain(metadata).collect()));
    }
    lookup.answer(answers);
    Ok(())
}

fn is_passed_over(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::IndexNotFound | ErrorKind::VersionConflict | ErrorKind::Security)
}

/// The values of a stored field, as an object that holds nothing else.
fn stored_values(field: &str, document: &FoundDocument) -> Bytes {
    let values = document.fields.iter().filter(|(name, _)| name == field).map(|(_, value)| match value {
        StoredValue::String(text) => Value::String(text.clone()),
        StoredValue::Long(number) => Value::Int(*number),
        StoredValue::Double(number) => Value::Float(*number),
        StoredValue::Float(number) => Value::Float(f64::from(*number)),
        StoredValue::Bool(flag) => Value::Bool(*flag),
        StoredValue::Bytes(bytes) => Value::String(base64(bytes)),
    });
    let values = Value::Array(values.collect());
    Value::Object(Map::from_iter([(field, values)])).to_bytes().into()
}

/// The metadata of a document that reads as texts, as an object of lists.
fn metadata_of(document: &FoundDocument) -> Bytes {
    let ignored = document.fields.iter().filter_map(|(name, value)| match value {
        StoredValue::String(text) if name == "_ignored" => Some(Value::String(text.clone())),
        _ => None,
    });
    let routing = document.routing.clone().map(Value::String);
    let lists = [("_ignored", ignored.collect()), ("_routing", routing.into_iter().collect::<Vec<_>>())];
    Value::Object(Map::from_iter(lists.map(|(name, values)| (name, Value::Array(values))))).to_bytes().into()
}

/// What matches a query: as many documents as a search of the index may show.
async fn matching(core: &Core, lookup: &Lookup, query: &Query, name: &str) -> Result<Vec<Bytes>> {
    let state = core.state();
    let size = state.indices.get(name).map_or(MATCHING_MAX, |index| limits(&state, index).max_result_window);
    let stored_fields = lookup.stored.as_ref().map(|field| StoredFields::of(vec![field.clone()])).transpose()?;
    let request = SearchRequest {
        query: Some(query.clone()),
        size: size.min(MATCHING_MAX),
        stored_fields,
        ..SearchRequest::default()
    };
    let scope = Scope {
        indexes: vec![name.to_owned()],
        options: IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED,
        routing: lookup.routing.clone(),
        preference: None,
    };
    let (request, options) = (Arc::new(request), SearchOptions::default());
    // Boxed, since the query may name documents in turn.
    let answer = Box::pin(search_parts(core, &request, &scope, &options)).await?;
    let mut found = vec![];
    for hit in &answer.hits {
        rt::yield_if_needed().await;
        let hit = json::parse(hit)?;
        let part = hit.get(if lookup.stored.is_some() { "fields" } else { "_source" });
        found.extend(part.map(|part| Bytes::from(part.to_bytes())));
    }
    Ok(found)
}
