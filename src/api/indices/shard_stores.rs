//! `_shard_stores`: where copies of shards lie.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::resolve_shown;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::health::shard_health;
use crate::cluster::{CopyState, IndexMeta, IndicesOptions, State};
use crate::coordinate::Core;
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "indices_shard_stores_action",
        params: &[INDEX_PARAMS, &["status"]],
        handler: |core, request| Box::pin(stores(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_shard_stores"), row("/{index}/_shard_stores")];

async fn stores(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let asked = request.list("status");
    for status in &asked {
        if !["green", "yellow", "red", "all"].contains(&status.to_lowercase().as_str()) {
            return Err(Error::illegal_argument(format!("unknown cluster health status [{status}]")));
        }
    }
    // Without a wish, shards that lack a copy are shown.
    let wanted: Vec<String> = match asked.is_empty() {
        true => vec!["yellow".into(), "red".into()],
        false => asked.iter().map(|status| status.to_lowercase()).collect(),
    };
    let state = core.state();
    let indexes = resolve_shown(&request, &state, IndicesOptions::STRICT_EXPAND)?;
    let mut w = Writer::new();
    w.begin_object().key("indices").begin_object();
    for index in &indexes {
        let shown: Vec<u32> = (0..index.number_of_shards)
            .filter(|shard| {
                let status = status(&state, index, *shard);
                wanted.iter().any(|wanted| wanted == "all" || wanted == status)
            })
            .collect();
        if shown.is_empty() {
            continue;
        }
        w.key(&index.name).begin_object().key("shards").begin_object();
        for shard in shown {
            w.key(&shard.to_string()).begin_object().key("stores").begin_array();
            write_store(&state, index, shard, &mut w);
            w.end_array().end_object();
        }
        w.end_object().end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

fn status(state: &State, index: &IndexMeta, shard: u32) -> &'static str {
    let copy = state.copies(index).get(shard as usize);
    match copy.map(|copy| &copy.state) {
        Some(CopyState::Started) if index.number_of_replicas == 0 => "green",
        Some(CopyState::Started) => "yellow",
        Some(_) => shard_health(state, index, shard as usize).status.name(),
        None => "red",
    }
}

fn write_store(state: &State, index: &IndexMeta, shard: u32, w: &mut Writer) {
    let Some(node) = state.nodes.get(&state.manager).filter(|_| index.was_assigned(shard as usize)) else { return };
    let copy = state.copies(index).get(shard as usize);
    w.begin_object().key(&node.id).begin_object();
    w.key("name").string(&node.name).key("ephemeral_id").string(&node.ephemeral_id);
    w.key("transport_address").string(&node.transport_address).key("attributes").begin_object();
    node.attributes.iter().for_each(|(name, value)| _ = w.key(name).string(value));
    w.end_object().end_object();
    if let Some(id) = index.allocation_ids.get(shard as usize) {
        w.key("allocation_id").string(id);
    }
    let started = copy.is_some_and(|copy| copy.state == CopyState::Started);
    w.key("allocation").string(if started { "primary" } else { "unused" });
    if let Some(CopyState::Failed(why)) = copy.map(|copy| &copy.state) {
        w.key("store_exception").begin_object();
        w.key("type").string("corrupt_index_exception").key("reason").string(why).end_object();
    }
    w.end_object();
}
