//! Before the query phase: which shards need not be asked, since nothing on them can match.

use super::asked::Asked;
use super::run::question;
use crate::coordinate::Core;
use crate::coordinate::core::addr;
use crate::coordinate::join::join_all;
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::Result;
use std::collections::BTreeMap;

/// Takes the shards that cannot have a match out of the search; one always stays, to give an answer. More than
/// `threshold` shards are worth asking beforehand.
pub async fn prefilter(core: &Core, asked: &mut Asked, threshold: usize) {
    let request = &asked.request;
    let worth = asked.targets.len() > threshold
        && request.query.as_ref().is_some_and(|query| !query.is_match_all())
        && !request.aggs_visit_all
        && request.suggest.is_none();
    if !worth || asked.is_scroll() {
        return;
    }
    // A shard that cannot tell is asked again, and fails there.
    let mut keep: Vec<bool> = ask(core, asked).await.iter().map(|answer| !matches!(answer, Ok(false))).collect();
    if !keep.contains(&true)
        && let Some(first) = keep.first_mut()
    {
        *first = true;
    }
    asked.retain(&keep);
}

/// By slot: whether the shard can have a match.
pub async fn ask(core: &Core, asked: &Asked) -> Vec<Result<bool>> {
    let mut by_core: BTreeMap<usize, (Vec<usize>, Vec<_>)> = BTreeMap::new();
    for (slot, target) in asked.targets.iter().enumerate() {
        let ShardRequest::Search(ask) = question(core, asked, slot, false) else { continue };
        let (slots, asks) = by_core.entry(target.core).or_default();
        slots.push(slot);
        asks.push((addr(&target.index, target.shard), ShardRequest::CanMatch(ask)));
    }
    let running = by_core.into_iter().map(|(at, (slots, asks))| async move { (slots, core.shards(at, asks).await) });
    let mut answers: Vec<Result<bool>> = asked.targets.iter().map(|_| Ok(true)).collect();
    for (slots, replies) in join_all(running).await {
        for (slot, reply) in slots.into_iter().zip(replies) {
            answers[slot] = reply.map(|reply| !matches!(reply, ShardReply::CanMatch(false)));
        }
    }
    answers
}
