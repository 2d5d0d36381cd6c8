//! Documents by id: one, or many of any indexes with one message for each core.

use super::core::{addr, core_of};
use super::join::join_all;
use super::write::{in_shard, routing_missing};
use super::{Core, clock};
use crate::cluster::{self, BlockLevel, IndexMeta, blocks, shard_of};
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
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
    results.into_iter().map(|result| result.unwrap_or_else(|| Err(unanswered()))).collect()
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
