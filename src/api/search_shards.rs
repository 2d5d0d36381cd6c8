//! Which shards a search would ask: `_search_shards`.

use super::index_options::{INDEX_PARAMS, index_options};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{self, BlockLevel, CopyState, IndexMeta, IndicesOptions, Resolved};
use crate::coordinate::search::{Scope, Targets, targets_behind};
use crate::coordinate::{Core, clock};
use pith_engine::Result;
use pith_engine::java_order::sort_by_slot;
use pith_engine::json::{Map, Value, Writer};
use pith_engine::search::SearchRequest;
use std::rc::Rc;

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "search_shards",
        params: &[INDEX_PARAMS, &["routing", "preference", "local"], super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_search_shards"),
    route(Method::Post, "/_search_shards"),
    route(Method::Get, "/{index}/_search_shards"),
    route(Method::Post, "/{index}/_search_shards"),
];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag_opt("local")?;
    let state = core.state();
    let scope = Scope {
        indexes: request.list("index").into_iter().map(str::to_owned).collect(),
        options: index_options(&request, IndicesOptions::LENIENT_EXPAND_OPEN)?,
        routing: request.param("routing").map(str::to_owned),
        preference: request.param("preference").map(str::to_owned),
    };
    let slice = match request.body_opt()? {
        Some(body) => SearchRequest::parse(Some(&body), &[])?.slice,
        None => None,
    };
    let Targets { found, unassigned } = targets_behind(&state, core.node_id(), &scope, BlockLevel::MetadataRead)?;
    let mut resolved =
        cluster::resolve_search(&state, &scope.indexes, &scope.options, scope.routing.as_deref(), clock::now_ms())?;
    sort_by_slot(&mut resolved, |one| &one.index.name);
    let mut w = Writer::new();
    w.begin_object().key("nodes").begin_object();
    if let Some(node) = state.nodes.get(core.node_id()).filter(|_| !found.is_empty()) {
        w.key(&node.id).begin_object().key("name").string(&node.name);
        w.key("ephemeral_id").string(&node.ephemeral_id).key("transport_address").string(&node.transport_address);
        w.key("attributes").begin_object();
        node.attributes.iter().for_each(|(name, value)| {
            w.key(name).string(value);
        });
        w.end_object().end_object();
    }
    w.end_object().key("indices").begin_object();
    write_indexes(&resolved, &scope.indexes, &mut w);
    w.end_object().key("shards").begin_array();
    for (slot, target) in found.iter().enumerate() {
        if let Some(slice) = &slice {
            let same = |other: &&crate::coordinate::search::Target| other.index.uuid == target.index.uuid;
            let (at, shards) = (found[..slot].iter().filter(same).count(), found.iter().filter(same).count());
            if slice.of_shard(at as u32, shards as u32).is_some_and(|part| part.max == 0) {
                continue;
            }
        }
        let copy = state.copies(&target.index).get(target.shard as usize);
        let started = copy.is_some_and(|copy| copy.state == CopyState::Started);
        w.begin_array().begin_object();
        w.key("state").string(if started { "STARTED" } else { "INITIALIZING" });
        w.key("primary").bool(true).key("searchOnly").bool(false).key("node").string(core.node_id());
        w.key("relocating_node").null().key("shard").u64(target.shard.into()).key("index").string(&target.index.name);
        if let Some(copy) = copy {
            w.key("allocation_id").begin_object().key("id").string(&copy.allocation_id).end_object();
        }
        w.end_object().end_array();
    }
    // Of these there is no copy to name.
    unassigned.iter().for_each(|_| _ = w.begin_array().end_array());
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// Each index with the aliases that led to it, and their filters.
fn write_indexes(resolved: &[Resolved], expressions: &[String], w: &mut Writer) {
    for one in resolved {
        w.key(&one.index.name).begin_object();
        // What means all indexes means them by their names.
        let aliases = match cluster::is_all(expressions) {
            true => vec![],
            false => aliases_that_led_to(&one.index, expressions),
        };
        if !aliases.is_empty() {
            w.key("aliases").begin_array();
            aliases.iter().for_each(|alias| {
                w.string(alias);
            });
            w.end_array();
        }
        match one.filters.as_slice() {
            [] => {}
            [only] => drop(w.key("filter").value(&shown_filter(only))),
            several => {
                // Of several filters one has to match.
                let should = several.iter().map(shown_filter).collect::<Vec<_>>();
                w.key("filter").begin_object().key("bool").begin_object().key("should").begin_array();
                should.iter().for_each(|filter| {
                    w.value(filter);
                });
                w.end_array().key("adjust_pure_negative").bool(true).key("boost").f32(1.0).end_object().end_object();
            }
        }
        w.end_object();
    }
}

/// The aliases by which an index was meant.
fn aliases_that_led_to<'i>(index: &'i IndexMeta, expressions: &[String]) -> Vec<&'i str> {
    let meant = |name: &str| expressions.iter().any(|expression| crate::settings::glob(expression, name));
    index.aliases.keys().map(|name| &**name).filter(|name| meant(name)).collect()
}

/// A filter as the reference shows it: term queries with their parameters.
fn shown_filter(filter: &Value) -> Value {
    let Some((field, value)) = filter.get("term").and_then(Value::as_object).and_then(|term| term.iter().next()) else {
        return filter.clone();
    };
    let mut params = Map::new();
    match value {
        Value::Object(given) => params = given.clone(),
        value => params.insert("value", value.clone()),
    }
    if !params.contains("boost") {
        params.insert("boost", 1.0);
    }
    Value::Object(Map::from_iter([("term", Map::from_iter([(field, params)]))]))
}
