//! Whether a query makes sense, and what it comes to on the shards.

use super::limits::limits;
use super::targets::{Scope, Target, Targets, targets};
use super::{asked, lookups};
use crate::cluster::{self, State};
use crate::coordinate::core::{addr, core_of};
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
    let by_alias = if all_shards { vec![] } else { routed_by_alias(&state, scope)? };
    widen(&mut asked, &by_alias)?;
    let mut missing: Vec<(Arc<str>, u32)> = unassigned.into_iter().map(|one| (one.index, one.shard)).collect();
    if !all_shards {
        asked.sort_by(|a, b| (&a.index.name, a.shard).cmp(&(&b.index.name, b.shard)));
        asked.dedup_by(|a, b| a.index.uuid == b.index.uuid && !by_alias.contains(&b.index.uuid));
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

/// The indexes that are only meant by aliases with a routing. Each request has a routing of its own by which one shard of an index is picked;
/// that and the alias's have nothing in common, and so nothing is picked.
fn routed_by_alias(state: &State, scope: &Scope) -> Result<Vec<Arc<str>>> {
    let found = cluster::resolve_search(state, &scope.indexes, &scope.options, None, clock::now_ms())?;
    Ok(found.into_iter().filter(|one| one.routing.is_some()).map(|one| one.index.uuid.clone()).collect())
}

/// Adds the other shards of the indexes of which all are asked.
fn widen(asked: &mut Vec<Target>, indexes: &[Arc<str>]) -> Result<()> {
    let mut others = vec![];
    for target in asked.iter().filter(|target| indexes.contains(&target.index.uuid)) {
        let of_index = |other: &&Target| other.index.uuid == target.index.uuid;
        if asked.iter().find(of_index).is_some_and(|first| first.shard != target.shard) {
            continue;
        }
        for shard in 0..target.index.number_of_shards {
            if !asked.iter().filter(of_index).any(|other| other.shard == shard) {
                let core = core_of(&target.index, shard)?;
                others.push(Target { index: target.index.clone(), shard, core, filters: target.filters.clone() });
            }
        }
    }
    asked.append(&mut others);
    Ok(())
}
