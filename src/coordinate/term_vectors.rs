//! Term vectors of documents: each from the shard that holds it.

use super::core::{addr, core_of};
use super::read::check_assigned;
use super::search::limits;
use super::write::{in_shard, routing_missing};
use super::{Core, clock};
use crate::cluster::{self, BlockLevel, IndexMeta, State, blocks, shard_of};
use crate::shards::{SearchAsk, ShardReply, ShardRequest, TermVectorsAsk, TermVectorsFound};
use pith_engine::java_order::java_order;
use pith_engine::join::join_all;
use pith_engine::search::{SearchRequest, TermVectorsRequest};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The terms of one document, and the index that it was looked for in.
pub struct Vectors {
    pub index: Arc<IndexMeta>,
    pub found: TermVectorsFound,
}

/// A document by its place in the request: its shard, and what that is asked.
type Asked = (usize, Arc<IndexMeta>, u32, ShardRequest);

/// Asks for all documents with one message for each core; gives a result for each, in order.
pub async fn term_vectors(core: &Core, requests: Vec<TermVectorsRequest>) -> Vec<Result<Vectors>> {
    let state = core.state();
    let (search, now_ms) = (Arc::new(SearchRequest::default()), clock::now_ms());
    let mut results: Vec<Option<Result<Vectors>>> = requests.iter().map(|_| None).collect();
    let mut by_core: BTreeMap<usize, Vec<Asked>> = BTreeMap::new();
    for (slot, mut request) in requests.into_iter().enumerate() {
        match place(&state, &request, now_ms) {
            Ok(Place { index, routing, shard, core: at }) => {
                request.routing = routing;
                let search = SearchAsk::newest(
                    search.clone(),
                    index.name.clone(),
                    core.node_id().clone(),
                    now_ms,
                    limits(&state, &index),
                );
                let ask = ShardRequest::TermVectors(Box::new(TermVectorsAsk { search, request }));
                by_core.entry(at).or_default().push((slot, index, shard, ask));
            }
            Err(error) => results[slot] = Some(Err(error)),
        }
    }
    let running = by_core.into_iter().map(|(at, asked)| async move {
        let (places, asks): (Vec<_>, Vec<_>) = asked
            .into_iter()
            .map(|(slot, index, shard, ask)| {
                let to = addr(&index, shard);
                ((slot, index, shard), (to, ask))
            })
            .unzip();
        (places, core.shards(at, asks).await)
    });
    for (places, replies) in join_all(running).await {
        for ((slot, index, shard), reply) in places.into_iter().zip(replies) {
            results[slot] = Some(match reply {
                Ok(ShardReply::TermVectors(found)) => Ok(Vectors { index, found: *found }),
                Ok(_) => Err(unanswered()),
                Err(error) => Err(failed(in_shard(error, &index, shard))),
            });
        }
    }
    results.into_iter().map(|result| result.unwrap_or_else(|| Err(unanswered()))).collect()
}

/// Fails for what the reference takes for a mistake of all requests that are made at once: an alias of several indexes, a closed index.
/// A missing one is a mistake of the request for it alone.
pub fn check_together(core: &Core, requests: &[TermVectorsRequest]) -> Result<()> {
    let (state, now_ms) = (core.state(), clock::now_ms());
    for request in requests {
        let name = request.index.as_deref().unwrap_or_default();
        if let Some(members) = state.aliases.get(name).filter(|members| members.len() > 1) {
            let members = java_order(members.to_vec()).join(", ");
            return Err(Error::illegal_argument(format!(
                "Alias [{name}] has more than one index associated with it [[{members}]], can't execute a single index op"
            )));
        }
        match cluster::resolve_read(&state, name, request.routing.as_deref(), now_ms) {
            Err(error) if !matches!(error.kind(), ErrorKind::IndexNotFound | ErrorKind::RoutingMissing) => {
                return Err(error);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where a document is looked for.
struct Place {
    index: Arc<IndexMeta>,
    /// That of the request, or of the alias.
    routing: Option<String>,
    shard: u32,
    core: usize,
}

fn place(state: &State, request: &TermVectorsRequest, now_ms: i64) -> Result<Place> {
    let name = request.index.as_deref().unwrap_or_default();
    let (index, routing) = cluster::resolve_read(state, name, request.routing.as_deref(), now_ms)?;
    blocks::check(state, BlockLevel::Read, [&*index])?;
    let shard = match (request.id.as_ref().or(request.made_id.as_ref()), &routing) {
        (Some(id), None) if index.mapping.routing_required() => return Err(routing_missing(&index, id)),
        (Some(id), routing) => shard_of(&index, id, routing.as_deref()),
        (None, Some(routing)) => shard_of(&index, "", Some(routing)),
        // A text that is in no index goes by the statistics of any shard.
        (None, None) => 0,
    };
    let id = request.id.as_deref().unwrap_or("null");
    check_assigned(state, (&index, shard), ("termvectors", id, request.routing.as_deref()))?;
    let core = core_of(&index, shard)?;
    Ok(Place { index, routing, shard, core })
}

/// Documents that are in no index are counted as long as the node runs.
static DOCS_MADE: AtomicU32 = AtomicU32::new(0);

/// Gives a document that is in no index an id.
pub fn give_id(request: &mut TermVectorsRequest) {
    if request.doc.is_some() {
        request.made_id = Some((DOCS_MADE.fetch_add(1, Ordering::Relaxed) as i32).to_string());
    }
}

/// What fails on a shard is told as the failure of the whole request.
fn failed(error: Error) -> Error {
    match error.kind() {
        ErrorKind::VersionConflict => {
            let told = Error::new(ErrorKind::General, "failed to execute term vector request");
            told.with_root_causes(vec![error.clone()]).caused_by(error)
        }
        _ => error,
    }
}

#[cold]
fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the shard did not answer")
}
