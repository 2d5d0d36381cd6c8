//! Scrolls and points in time: their next pages, their making and their end.

use super::answer::Answer;
use super::asked::{Asked, check_keep_alive, number_setting};
use super::context_id::{self, ContextKind};
use super::failures::{missing_shards, phase_failed};
use super::limits::limits;
use super::run::{SearchOptions, failure};
use super::targets::{Scope, Target, Targets, targets};
use crate::cluster::{IndexMeta, State};
use crate::coordinate::core::addr;
use crate::coordinate::{Core, broadcast, clock};
use crate::shards::{ContextKey, Free, OpenAsk, OpenContext, PointInTimeInfo, Purpose, ShardReply, ShardRequest};
use pith_engine::join::join_all;
use pith_engine::search::{SearchRequest, ShardFailure, ShardsHeader};
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The next page of a scroll; gives the body of its answer.
pub async fn scroll(core: &Core, id: &str, keep_alive: Option<Duration>, total_hits_as_int: bool) -> Result<Vec<u8>> {
    let started = Instant::now();
    let asked = Asked::scroll(core, id, keep_alive, total_hits_as_int)?;
    let options = SearchOptions::default();
    let answer = Answer::of(core, asked, &options).await?;
    if keep_alive.is_none() {
        free_alone(core, id).await?;
    }
    let request = Arc::new(SearchRequest { total_hits_as_int, ..SearchRequest::default() });
    answer.write(&request, clock::took_ms(started), None).await
}

/// Ends the scroll of a single shard, as whoever does not say for how long it is wanted does. Those of several shards stay.
async fn free_alone(core: &Core, id: &str) -> Result<()> {
    let id = context_id::scroll(id)?;
    let (targets, _) = id.targets(&core.state())?;
    let by_shard: Vec<_> = targets.into_iter().map(|target| (target, id.key.clone())).collect();
    if by_shard.len() == 1 {
        free(core, by_shard).await?;
    }
    Ok(())
}

/// The next page of a scroll whose hits are wanted as they are.
pub async fn scroll_parts(core: &Core, id: &str, keep_alive: Option<Duration>) -> Result<Answer> {
    Answer::of(core, Asked::scroll(core, id, keep_alive, false)?, &SearchOptions::default()).await
}

/// Frees scrolls; all of them without ids. Gives how many contexts of shards that were, or without ids how many nodes were asked.
pub async fn free_scrolls(core: &Core, ids: Option<&[String]>) -> Result<usize> {
    match ids {
        None => {
            free_everywhere(core, Free::Scrolls).await;
            Ok(core.state().nodes.len())
        }
        Some(ids) => {
            let mut by_shard = vec![];
            for id in ids {
                let Some(id) = context_id::scroll_to_end(id)? else { continue };
                by_shard.extend(id.targets(&core.state())?.0.into_iter().map(|target| (target, id.key.clone())));
            }
            free(core, by_shard).await
        }
    }
}

/// Ends points in time.
/// The indexes that a point in time is of, as far as they are there.
pub fn indexes_of_point_in_time(state: &State, id: &str) -> Result<Vec<Arc<IndexMeta>>> {
    Ok(context_id::point_in_time(id)?.indexes(state))
}

pub async fn delete_points_in_time(core: &Core, ids: &[String]) -> Result<()> {
    let mut by_shard = vec![];
    for id in ids {
        let id = context_id::point_in_time(id)?;
        by_shard.extend(id.targets(&core.state())?.0.into_iter().map(|target| (target, id.key.clone())));
    }
    free(core, by_shard).await.map(drop)
}

async fn free(core: &Core, by_shard: Vec<(Target, ContextKey)>) -> Result<usize> {
    let mut by_core: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for (target, key) in by_shard {
        let ask = ShardRequest::FreeContexts(Free::Keys(vec![key]));
        by_core.entry(target.core).or_default().push((addr(&target.index, target.shard), ask));
    }
    let replies = join_all(by_core.into_iter().map(|(at, requests)| core.shards(at, requests))).await;
    Ok(replies.into_iter().flatten().map(|reply| freed(&reply)).sum())
}

fn freed(reply: &Result<ShardReply>) -> usize {
    match reply {
        Ok(ShardReply::Freed(count)) => *count,
        // A shard that is not there has no contexts either.
        _ => 0,
    }
}

async fn free_everywhere(core: &Core, which: Free) {
    let state = core.state();
    let indexes: Vec<_> = state.indices.values().cloned().collect();
    // A shard that cannot be asked has no contexts.
    broadcast::broadcast(core, &indexes, || ShardRequest::FreeContexts(which.clone())).await;
}

/// A point in time that was made.
pub struct Created {
    pub id: String,
    pub created_ms: i64,
    pub header: ShardsHeader,
}

/// Keeps the present of all shards that a search of `scope` would ask.
pub async fn open_point_in_time(
    core: &Core,
    scope: &Scope,
    keep_alive: Duration,
    allow_partial: bool,
) -> Result<Created> {
    let state = core.state();
    let Targets { found, unassigned } = targets(&state, core.node_id(), scope)?;
    check_keep_alive(&state, keep_alive, "point_in_time.max_keep_alive")?;
    if !allow_partial && !unassigned.is_empty() {
        return Err(missing_shards("create_pit", &unassigned));
    }
    if found.is_empty() && !unassigned.is_empty() {
        return Err(phase_failed("create_pit", "all shards failed", &[]));
    }
    if found.is_empty() {
        // The reference has no id for what has no shards, and stumbles over that.
        let cause = "Cannot invoke \"String.getBytes(java.nio.charset.Charset)\" because \"src\" is null";
        let cause = Error::new(ErrorKind::NullPointer, cause);
        return Err(Error::illegal_argument("invalid id: [null]").caused_by(cause));
    }
    let key = core.make_context_key();
    let created_ms = clock::now_ms();
    let id = context_id::encode(ContextKind::PointInTime, &key, created_ms, &found);
    let most = number_setting(&state, "search.max_open_pit_context", 300);
    let mut by_core: BTreeMap<usize, (Vec<usize>, Vec<_>)> = BTreeMap::new();
    for (slot, target) in found.iter().enumerate() {
        let purpose = Purpose::PointInTime { id: id.as_str().into(), created_ms };
        let ask = OpenAsk {
            index: target.index.name.clone(),
            node_id: core.node_id().clone(),
            now_ms: created_ms,
            limits: limits(&state, &target.index),
            context: OpenContext { key: key.clone(), purpose, keep_alive, most },
        };
        let (slots, asks) = by_core.entry(target.core).or_default();
        slots.push(slot);
        asks.push((addr(&target.index, target.shard), ShardRequest::OpenContext(Box::new(ask))));
    }
    let running = by_core.into_iter().map(|(at, (slots, asks))| async move { (slots, core.shards(at, asks).await) });
    let mut failures: Vec<ShardFailure> = vec![];
    for (slots, replies) in join_all(running).await {
        for (slot, reply) in slots.into_iter().zip(replies) {
            if let Err(error) = reply {
                failures.push(failure(core, &found[slot], error));
            }
        }
    }
    if !failures.is_empty() && (failures.len() == found.len() || !allow_partial) {
        let keys = found.iter().map(|target| (target.clone(), key.clone())).collect();
        free(core, keys).await?;
        return Err(phase_failed("create_pit", "all shards failed", &failures));
    }
    let (asked, failed) = (found.len() as u32, failures.len() as u32);
    let total = asked + unassigned.len() as u32;
    let header = ShardsHeader { total, successful: asked - failed, failed, failures, ..ShardsHeader::default() };
    Ok(Created { id, created_ms, header })
}

/// All points in time, the newest last.
pub async fn points_in_time(core: &Core) -> Vec<PointInTimeInfo> {
    let state = core.state();
    let indexes: Vec<_> = state.indices.values().cloned().collect();
    let answers = broadcast::broadcast(core, &indexes, || ShardRequest::PointsInTime).await.answers;
    let mut found: Vec<PointInTimeInfo> = vec![];
    for answer in answers {
        if let Ok(ShardReply::PointsInTime(here)) = answer.reply {
            for one in here {
                if !found.iter().any(|known| known.id == one.id) {
                    found.push(one);
                }
            }
        }
    }
    found.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
    found
}

/// Refuses what is not the id of a point in time.
pub fn check_point_in_time(id: &str) -> Result<()> {
    context_id::point_in_time(id).map(drop)
}
