//! Shards of closed indexes: no core holds them, but their files are there.

use super::core::{Core, addr};
use crate::cluster::IndexMeta;
use crate::shards::{Recovery, closed_stats};
use pith_engine::Result;
use pith_engine::shard::ShardStats;
use std::sync::Arc;

/// One shard that is closed.
pub struct ClosedAnswer {
    pub index: Arc<IndexMeta>,
    pub shard: u32,
    pub stats: ShardStats,
    /// How it came to be what it is.
    pub recovery: Recovery,
}

/// Looks at every shard of the closed ones among `indexes`. A shard whose files cannot be read is left out, and logged.
pub async fn closed_shards(core: &Core, indexes: &[Arc<IndexMeta>]) -> Result<Vec<ClosedAnswer>> {
    let (data, state) = (core.facts()?.data.clone(), core.state());
    let mut answers = vec![];
    for index in indexes.iter().filter(|index| !index.is_open()) {
        for shard in (0..index.number_of_shards).filter(|shard| !state.is_unassigned(index, *shard)) {
            match closed_stats(&data, &addr(index, shard)).await {
                Ok((stats, recovery)) => answers.push(ClosedAnswer { index: index.clone(), shard, stats, recovery }),
                Err(error) => tracing::warn!(index = &*index.name, shard, "a closed shard cannot be read: {error}"),
            }
        }
    }
    Ok(answers)
}
