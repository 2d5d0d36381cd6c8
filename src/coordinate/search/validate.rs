//! Whether a query makes sense, and what it comes to on the shards.

use super::limits::limits;
use super::targets::{Scope, Targets, targets};
use super::{asked, lookups};
use crate::coordinate::core::addr;
use crate::coordinate::{Core, clock};
use crate::shards::{DescribeAsk, SearchAsk, ShardReply, ShardRequest};
use pith_engine::search::SearchRequest;
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// What one shard made of the query.
pub struct Described {
    pub index: Arc<str>,
    pub index_uuid: Arc<str>,
    pub shard: u32,
    /// The query in the notation of Lucene.
    pub text: Result<String>,
}

/// Asks the shards that hold what `scope` names: one of each index, or all of them. `rewritten`: for the form in which they
/// would run it. Gives how many could not be asked, too.
pub async fn validate(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    rewritten: bool,
    all_shards: bool,
) -> Result<(Vec<Described>, usize)> {
    let state = core.state();
    let Targets { found: mut asked, unassigned } = targets(&state, core.node_id(), scope)?;
    let mut missing: Vec<(Arc<str>, u32)> = unassigned.into_iter().map(|one| (one.index, one.shard)).collect();
    if !all_shards {
        asked.sort_by(|a, b| (&a.index.name, a.shard).cmp(&(&b.index.name, b.shard)));
        asked.dedup_by(|a, b| a.index.uuid == b.index.uuid);
        // Any shard of an index will do.
        missing.retain(|(index, _)| !asked.iter().any(|target| target.index.name == *index));
        missing.sort();
        missing.dedup_by(|(a, _), (b, _)| a == b);
    }
    let requests = asked::requests_of(request, &asked)?;
    let names: Vec<Arc<str>> = asked.iter().map(|target| target.index.name.clone()).collect();
    lookups::resolve(core, &requests, &names).await?;
    let now_ms = clock::now_ms();
    let mut out = Vec::with_capacity(asked.len());
    for (target, request) in asked.iter().zip(requests) {
        let search = SearchAsk::newest(
            request,
            target.index.name.clone(),
            core.node_id().clone(),
            now_ms,
            limits(&state, &target.index),
        );
        let ask = ShardRequest::Describe(Box::new(DescribeAsk { search, rewritten }));
        let reply = core.shards(target.core, vec![(addr(&target.index, target.shard), ask)]).await.pop();
        let text = match reply {
            Some(Ok(ShardReply::Described(text))) => Ok(text),
            Some(Err(error)) => Err(error),
            _ => Err(Error::new(ErrorKind::IllegalState, "the shard did not answer")),
        };
        out.push(Described {
            index: target.index.name.clone(),
            index_uuid: target.index.uuid.clone(),
            shard: target.shard,
            text,
        });
    }
    Ok((out, missing.len()))
}
