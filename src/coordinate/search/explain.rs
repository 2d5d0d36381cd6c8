//! How the score of one document comes about.

use super::failures::rooted;
use super::limits::limits;
use super::lookups;
use crate::cluster::{self, BlockLevel, IndexMeta, IndicesOptions, blocks, shard_of};
use crate::coordinate::read::check_assigned;
use crate::coordinate::write::{in_shard, routing_missing};
use crate::coordinate::{Core, clock};
use crate::shards::{ExplainAsk, SearchAsk, ShardReply, ShardRequest};
use pith_engine::score::Explanation;
use pith_engine::search::SearchRequest;
use pith_engine::shard::{FoundDocument, GetRequest};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The answer for one document.
pub struct Explained {
    pub index: Arc<IndexMeta>,
    /// `None`: there is no such document.
    pub explanation: Option<Explanation>,
    /// The document, if it was asked for.
    pub document: Option<FoundDocument>,
}

/// Explains the score that the request's query gives to the document `id` of one index.
pub async fn explain(
    core: &Core,
    request: &Arc<SearchRequest>,
    index: &str,
    id: &str,
    routing: Option<&str>,
    with_document: bool,
) -> Result<Explained> {
    let state = core.state();
    let now_ms = clock::now_ms();
    // The routing of an alias does not count here.
    let (target, _) = cluster::resolve_read(&state, index, None, now_ms)?;
    let found = cluster::resolve_search(&state, &[index], &IndicesOptions::SINGLE, routing, now_ms)?.pop();
    let filters = found.map(|resolved| resolved.filters).unwrap_or_default();
    let index = target;
    blocks::check(&state, BlockLevel::Read, [&*index])?;
    if routing.is_none() && index.mapping.routing_required() {
        return Err(routing_missing(&index, id));
    }
    let shard = shard_of(&index, id, routing);
    check_assigned(&state, (&index, shard), ("explain", id, routing))?;
    let request = if filters.is_empty() { request.clone() } else { Arc::new(request.filtered(&filters)?) };
    lookups::resolve(core, std::slice::from_ref(&request), std::slice::from_ref(&index.name)).await?;
    let search = SearchAsk::newest(request, index.name.clone(), core.node_id().clone(), now_ms, limits(&state, &index));
    let ask = ShardRequest::Explain(Box::new(ExplainAsk { search, id: id.to_owned() }));
    let reply = (core.shard(&index, shard, ask).await).map_err(|error| rooted(in_shard(error, &index, shard)))?;
    let ShardReply::Explained(explanation) = reply else {
        return Err(Error::new(ErrorKind::IllegalState, "the shard did not answer"));
    };
    let mut document = None;
    if with_document && explanation.is_some() {
        let get = GetRequest { id: id.to_owned(), realtime: false, version: None };
        if let ShardReply::Got(found) = core.shard(&index, shard, ShardRequest::Get(get)).await? {
            document = found;
        }
    }
    Ok(Explained { index, explanation, document })
}
