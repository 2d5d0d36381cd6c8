//! Documents by id: one, or many of any indexes with one message for each core.

use super::allowed::hides_documents;
use super::core::{addr, core_of};
use super::search::{Copies, Preference, Scope, SearchOptions, search_parts};
use super::write::{ITEMS_AT_ONCE, in_shard, routing_missing};
use super::{Core, clock};
use crate::cluster::{self, BlockLevel, IndexMeta, IndicesOptions, blocks, shard_of};
use crate::security::acting;
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::join::join_all;
use pith_engine::json::{self, Writer};
use pith_engine::search::SearchRequest;
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One document that is asked for.
#[derive(Clone, Debug)]
pub struct ReadItem {
    pub index: String,
    pub id: String,
    pub routing: Option<String>,
    pub version: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// Whether writes that no refresh has made visible are seen.
    pub realtime: bool,
    /// Whether the shards are refreshed first.
    pub refresh: bool,
}

/// The document, and the index that it was looked for in.
pub struct Read {
    pub index: Arc<IndexMeta>,
    pub document: Option<FoundDocument>,
}

/// Looks for the documents; gives a result for each, in order.
pub async fn read(core: &Core, items: &[ReadItem], options: ReadOptions) -> Vec<Result<Read>> {
    let state = core.state();
    let now_ms = clock::now_ms();
    let mut results: Vec<Option<Result<Read>>> = Vec::with_capacity(items.len());
    let mut groups: BTreeMap<(usize, Arc<str>, u32), Group> = BTreeMap::new();
    for (slot, item) in items.iter().enumerate() {
        if slot % ITEMS_AT_ONCE == ITEMS_AT_ONCE - 1 {
            rt::yield_if_needed().await;
        }
        match place(&state, item, now_ms) {
            Ok((index, shard, core_id)) => {
                let get = GetRequest { id: item.id.clone(), realtime: options.realtime, version: item.version };
                let key = (core_id, index.uuid.clone(), shard);
                let group = groups.entry(key).or_insert_with(|| Group { index, shard, slots: vec![], gets: vec![] });
                group.slots.push(slot);
                group.gets.push(get);
                results.push(None);
            }
            Err(error) => results.push(Some(Err(error))),
        }
    }
    let mut by_core: BTreeMap<usize, Vec<Group>> = BTreeMap::new();
    for ((core_id, ..), group) in groups {
        by_core.entry(core_id).or_default().push(group);
    }
    let batches = by_core.into_iter().map(|(target, groups)| ask(core, target, groups, options.refresh));
    for (slot, result) in join_all(batches).await.into_iter().flatten() {
        results[slot] = Some(result);
    }
    if acting::current().is_some() {
        Box::pin(hide(core, &state, items, &mut results)).await;
    }
    results.into_iter().map(|result| result.unwrap_or_else(|| Err(unanswered()))).collect()
}

/// Whether there is a copy of the document's shard that a preference takes; `what` is to be done with it.
pub fn check_copies(core: &Core, what: &str, item: &ReadItem, preference: Preference) -> Result<()> {
    let state = core.state();
    let (index, shard, _) = place(&state, item, clock::now_ms())?;
    match preference.copies(&state, core.node_id(), &index.name, shard)? {
        Copies::Any => Ok(()),
        Copies::OfOthers => Err(Error::new(ErrorKind::NullPointer, NO_SHARD)),
        Copies::Replicas => Err(no_shard(what, &index, &item.id, item.routing.as_deref())),
    }
}

#[cold]
fn no_shard(what: &str, index: &IndexMeta, id: &str, routing: Option<&str>) -> Error {
    let routing = routing.unwrap_or("null");
    let reason = format!("No shard available for [{what} [{}][{id}]: routing [{routing}]]", index.name);
    Error::new(ErrorKind::NoShardAvailable, reason)
}

/// Whether there is a core to ask for a shard; `what` is to be done with the document `id`.
pub fn check_assigned(
    state: &cluster::State,
    (index, shard): (&IndexMeta, u32),
    (what, id, routing): (&str, &str, Option<&str>),
) -> Result<()> {
    match state.is_unassigned(index, shard) {
        true => Err(no_shard(what, index, id, routing)),
        false => Ok(()),
    }
}

/// What the reference says where a preference leaves no shard.
const NO_SHARD: &str =
    "Cannot invoke \"org.opensearch.core.index.shard.ShardId.getIndex()\" because \"shardId\" is null";

/// Takes away what the current subject may not see of what was found. Only what a search finds can be seen where a query decides.
async fn hide(core: &Core, state: &cluster::State, items: &[ReadItem], results: &mut [Option<Result<Read>>]) {
    let mut restricted: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
    for (slot, result) in results.iter().enumerate() {
        if let Some(Ok(read)) = result
            && read.document.is_some()
            && hides_documents(state, &read.index)
        {
            restricted.entry(read.index.name.clone()).or_default().push(slot);
        }
    }
    for (name, slots) in restricted {
        let ids: Vec<&str> = slots.iter().map(|slot| items[*slot].id.as_str()).collect();
        let found = ids_that_match(core, &name, &ids).await;
        for slot in slots {
            let hidden = match &found {
                Ok(found) => !found.contains(&items[slot].id),
                Err(error) => {
                    results[slot] = Some(Err(error.clone()));
                    continue;
                }
            };
            if let Some(Some(Ok(read))) = results.get_mut(slot).filter(|_| hidden) {
                read.document = None;
            }
        }
    }
}

/// Those of the documents that a search of the current subject finds.
async fn ids_that_match(core: &Core, index: &str, ids: &[&str]) -> Result<BTreeSet<String>> {
    let mut body = Writer::new();
    body.begin_object().key("size").u64(ids.len() as u64).key("_source").bool(false);
    body.key("query").begin_object().key("ids").begin_object().key("values").begin_array();
    ids.iter().for_each(|id| _ = body.string(id));
    body.end_array().end_object().end_object().end_object();
    let request = Arc::new(SearchRequest::parse(Some(&body.finish()), &[])?);
    let scope = Scope {
        indexes: vec![index.to_owned()],
        options: IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED,
        routing: None,
        preference: None,
    };
    let options = SearchOptions { allow_partial: false, ..SearchOptions::default() };
    let answer = search_parts(core, &request, &scope, &options).await?;
    let id = |hit: &Vec<u8>| Some(json::parse(hit).ok()?.get("_id")?.as_str()?.to_owned());
    Ok(answer.hits.iter().filter_map(id).collect())
}

struct Group {
    index: Arc<IndexMeta>,
    shard: u32,
    slots: Vec<usize>,
    gets: Vec<GetRequest>,
}

fn place(state: &cluster::State, item: &ReadItem, now_ms: i64) -> Result<(Arc<IndexMeta>, u32, usize)> {
    let (index, routing) = cluster::resolve_read(state, &item.index, item.routing.as_deref(), now_ms)?;
    blocks::check(state, BlockLevel::Read, [&*index])?;
    if routing.is_none() && index.mapping.routing_required() {
        return Err(routing_missing(&index, &item.id));
    }
    let shard = shard_of(&index, &item.id, routing.as_deref());
    check_assigned(state, (&index, shard), ("get", &item.id, item.routing.as_deref()))?;
    let core = core_of(&index, shard)?;
    Ok((index, shard, core))
}

async fn ask(core: &Core, target: usize, groups: Vec<Group>, refresh: bool) -> Vec<(usize, Result<Read>)> {
    if refresh {
        let requests = groups.iter().map(|g| (addr(&g.index, g.shard), ShardRequest::Refresh)).collect();
        // A shard that cannot refresh cannot answer either: its error comes with the documents.
        drop(core.shards(target, requests).await);
    }
    let mut groups = groups;
    let requests = groups
        .iter_mut()
        .map(|g| (addr(&g.index, g.shard), ShardRequest::MultiGet(std::mem::take(&mut g.gets))))
        .collect();
    let replies = core.shards(target, requests).await;
    let mut out = vec![];
    for (group, reply) in groups.into_iter().zip(replies) {
        let documents = match reply {
            Ok(ShardReply::MultiGot(documents)) => documents,
            Ok(_) => group.slots.iter().map(|_| Err(unanswered())).collect(),
            Err(error) => group.slots.iter().map(|_| Err(error.clone())).collect(),
        };
        for (slot, document) in group.slots.into_iter().zip(documents) {
            if out.len() % ITEMS_AT_ONCE == ITEMS_AT_ONCE - 1 {
                rt::yield_if_needed().await;
            }
            let read = document
                .map(|document| Read { index: group.index.clone(), document })
                .map_err(|error| in_shard(error, &group.index, group.shard));
            out.push((slot, read));
        }
    }
    out
}

#[cold]
fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the shard did not answer")
}
