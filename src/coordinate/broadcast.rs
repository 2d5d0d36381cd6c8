//! One question to many shards.

use super::core::{Core, addr, core_of};
use crate::cluster::{IndexMeta, State};
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::join::join_all;
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one primary copy answered.
pub struct ShardAnswer {
    pub index: Arc<IndexMeta>,
    pub shard: u32,
    pub reply: Result<ShardReply>,
}

/// All answers, and how many copies there are, those included that nobody holds.
pub struct Broadcast {
    /// In the order of the indexes and their shards.
    pub answers: Vec<ShardAnswer>,
    pub copies: u32,
}

/// Asks every shard that a core has of the open ones among `indexes`; one message for each core, all at the same time.
pub async fn broadcast(core: &Core, indexes: &[Arc<IndexMeta>], ask: impl Fn() -> ShardRequest) -> Broadcast {
    let mut by_core: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut answers: Vec<ShardAnswer> = vec![];
    let unanswered = || Err(Error::new(pith_engine::ErrorKind::NoShardAvailable, "the shard did not answer"));
    let state = core.state();
    for index in indexes.iter().filter(|index| index.is_open()) {
        for shard in (0..index.number_of_shards).filter(|shard| !state.is_unassigned(index, *shard)) {
            let reply = match core_of(index, shard) {
                Ok(at) => {
                    by_core.entry(at).or_default().push(answers.len());
                    unanswered()
                }
                Err(error) => Err(error),
            };
            answers.push(ShardAnswer { index: index.clone(), shard, reply });
        }
    }
    let calls = by_core.iter().map(|(at, slots)| {
        let requests = slots.iter().map(|slot| (addr(&answers[*slot].index, answers[*slot].shard), ask())).collect();
        core.shards(*at, requests)
    });
    let replies = join_all(calls).await;
    for (slots, replies) in by_core.into_values().zip(replies) {
        for (slot, reply) in slots.into_iter().zip(replies) {
            answers[slot].reply = reply;
        }
    }
    let copies = indexes.iter().filter(|index| index.is_open()).map(|index| index.copies_total()).sum();
    Broadcast { answers, copies }
}

impl Broadcast {
    /// Writes `_shards`. `state` tells the node that the copies are on.
    pub fn write_header(&self, state: &State, w: &mut Writer) {
        self.write_header_counting(1, state, w);
    }

    /// The same where the reference counts each success so many times.
    pub fn write_header_counting(&self, times: u64, state: &State, w: &mut Writer) {
        let failed: Vec<_> = self.answers.iter().filter_map(|a| Some((a, a.reply.as_ref().err()?))).collect();
        w.key("_shards").begin_object();
        w.key("total").u64(self.copies.into());
        w.key("successful").u64((self.answers.len() - failed.len()) as u64 * times);
        w.key("failed").u64(failed.len() as u64);
        if !failed.is_empty() {
            w.key("failures").begin_array();
            for (answer, error) in failed {
                write_failure(answer.shard, &answer.index.name, Some(&state.manager), error, w);
            }
            w.end_array();
        }
        w.end_object();
    }
}

/// What a shard failed of, as an object.
pub fn write_failure(shard: u32, index: &str, node: Option<&str>, error: &Error, w: &mut Writer) {
    w.begin_object().key("shard").u64(shard.into()).key("index").string(index);
    if let Some(node) = node {
        w.key("node").string(node);
    }
    w.key("status").string(status_name(error.status())).key("reason");
    error.write(w);
    w.end_object();
}

/// The name that the reference gives to a status.
fn status_name(status: u16) -> &'static str {
    match status {
        400 => "BAD_REQUEST",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        409 => "CONFLICT",
        429 => "TOO_MANY_REQUESTS",
        503 => "SERVICE_UNAVAILABLE",
        _ => "INTERNAL_SERVER_ERROR",
    }
}
