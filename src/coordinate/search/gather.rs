//! Before the query phase: the statistics of all shards, by which a search with global statistics scores.

use super::asked::Asked;
use super::run::question;
use crate::coordinate::Core;
use crate::coordinate::core::addr;
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::Result;
use pith_engine::join::join_all;
use pith_engine::segment::Statistics;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Asks every shard, and adds up. A shard that cannot tell fails again when it is searched, which then is told of this phase if no
/// later one would have been begun.
pub async fn gather(core: &Core, asked: &mut Asked, allow_partial: bool) -> Result<()> {
    let names: Vec<Arc<str>> = asked.targets.iter().map(|target| target.index.name.clone()).collect();
    super::lookups::resolve(core, &asked.requests, &names).await?;
    let mut by_core: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (slot, target) in asked.targets.iter().enumerate() {
        let ShardRequest::Search(ask) = question(core, asked, slot, false) else { continue };
        by_core.entry(target.core).or_default().push((addr(&target.index, target.shard), ShardRequest::Gather(ask)));
    }
    let running = by_core.into_iter().map(|(at, asks)| core.shards(at, asks));
    let (mut all, mut told) = (Statistics::default(), 0);
    for reply in join_all(running).await.into_iter().flatten() {
        if let Ok(ShardReply::Gathered(found)) = reply {
            all.add(&found);
            told += 1;
        }
    }
    let goes_on = if allow_partial { told > 0 } else { told == asked.targets.len() };
    asked.phase = if goes_on { "dfs_query" } else { "dfs_pre_query" };
    asked.statistics = Some(Arc::new(all));
    Ok(())
}
