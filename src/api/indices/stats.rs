//! `_stats`: what shards count, by index.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::resolve;
use super::super::{ApiRequest, Method, Reply, Route};
use super::stats_sections::{SECTIONS, Shown, for_people, write_sections};
use crate::cluster::{BlockLevel, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::Core;
use crate::coordinate::broadcast::{Broadcast, ShardAnswer, broadcast};
use crate::coordinate::closed::closed_shards;
use crate::coordinate::{ShardReply, ShardRequest};
use base64::prelude::{BASE64_STANDARD, Engine};
use pith_engine::did_you_mean::suffix;
use pith_engine::json::Writer;
use pith_engine::shard::{CommitStats, SegmentsStats, ShardStats};
use pith_engine::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

const PARAMS: &[&[&str]] = &[
    INDEX_PARAMS,
    &["level", "forbid_closed_indices", "include_segment_file_sizes?", "include_unloaded_segments?", "groups?"],
    &["fields?", "completion_fields?", "fielddata_fields?"],
];

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "indices_stats_action",
        params: PARAMS,
        handler: |core, request| Box::pin(stats(core, request)),
    }
}

pub const ROUTES: &[Route] =
    &[row("/_stats"), row("/_stats/{metric}"), row("/{index}/_stats"), row("/{index}/_stats/{metric}")];

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let metrics = metrics(&request, "metric", &request.list("metric"))?;
    let level =
        Level::of(&request, &[("cluster", Level::Cluster), ("indices", Level::Indices), ("shards", Level::Shards)])?;
    let shown = Shown::of(&request, metrics.as_deref())?;
    let with_unloaded = request.flag("include_unloaded_segments", false)?;
    let forbid_closed = request.flag("forbid_closed_indices", true)?;
    request.check_known()?;
    let state = core.state();
    let default = if forbid_closed {
        IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED
    } else {
        IndicesOptions::STRICT_EXPAND_OPEN
    };
    let indexes = resolve(&request, &state, default)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    let answers = shard_figures(&core, &indexes, with_unloaded).await?;
    let mut w = Writer::new();
    w.begin_object();
    answers.write_header(&state, &mut w);
    let view = View { core: &core, metrics: metrics.as_deref(), shown: &shown };
    view.write_all(&answers, level, &mut w);
    w.end_object();
    let answer = w.finish();
    Ok(Reply::json(200, if request.common.human { for_people(answer) } else { answer }))
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Level {
    Cluster,
    Indices,
    Shards,
}

impl Level {
    /// The `level` of the request; the second of `levels` is the default.
    pub fn of(request: &ApiRequest, levels: &[(&str, Level)]) -> Result<Level> {
        let Some(given) = request.param("level") else { return Ok(Self::Indices) };
        levels.iter().find(|(name, _)| name.eq_ignore_ascii_case(given)).map(|(_, level)| *level).ok_or_else(|| {
            let names: Vec<String> = levels.iter().map(|(name, _)| format!("[{name}]")).collect();
            Error::illegal_argument(format!("level parameter must be one of {} but was [{given}]", names.join(" or ")))
        })
    }
}

/// The sections that are wanted; `None` for all. `noun` is what errors call them.
pub fn metrics<'a>(request: &ApiRequest, noun: &str, given: &[&'a str]) -> Result<Option<Vec<&'a str>>> {
    if given.is_empty() || given == ["_all"] {
        return Ok(None);
    }
    if given.contains(&"_all") {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains _all and individual {noun}s [{}]",
            request.path,
            given.join(",")
        )));
    }
    let known = |name: &str| SECTIONS.iter().any(|section| section.metric == name);
    let unknown: BTreeSet<&str> = given.iter().copied().filter(|name| !known(name)).collect();
    if unknown.is_empty() {
        return Ok(Some(given.to_vec()));
    }
    let listed: Vec<String> = unknown.iter().map(|name| proposal(name)).collect();
    let plural = if unknown.len() > 1 { "s" } else { "" };
    Err(Error::illegal_argument(format!(
        "request [{}] contains unrecognized {noun}{plural}: {}",
        request.path,
        listed.join(", ")
    )))
}

fn proposal(name: &str) -> String {
    match suffix(name, SECTIONS.iter().map(|section| section.metric)).as_str() {
        "" => format!("[{name}]"),
        hint => format!("[{name}] ->{hint}"),
    }
}

/// The figures of all shards. Those of closed indexes have no segments loaded, unless all are wanted.
async fn shard_figures(core: &Core, indexes: &[Arc<IndexMeta>], with_unloaded: bool) -> Result<Broadcast> {
    let mut answers = broadcast(core, indexes, || ShardRequest::Stats).await;
    for closed in closed_shards(core, indexes).await? {
        let mut stats = closed.stats;
        if !with_unloaded {
            stats.segments = SegmentsStats::default();
        }
        let reply = Ok(ShardReply::Stats(Box::new(stats)));
        answers.answers.push(ShardAnswer { index: closed.index, shard: closed.shard, reply });
    }
    answers.copies = indexes.iter().map(|index| index.copies_total()).sum();
    Ok(answers)
}

/// What is written of what.
struct View<'a> {
    core: &'a Core,
    metrics: Option<&'a [&'a str]>,
    shown: &'a Shown,
}

impl View<'_> {
    fn write_all(&self, answers: &Broadcast, level: Level, w: &mut Writer) {
        let by_index = by_index(answers);
        let mut all = ShardStats::default();
        by_index.values().for_each(|(_, sum, _)| all.add(sum));
        w.key("_all").begin_object();
        if by_index.is_empty() {
            w.key("primaries").begin_object().end_object().key("total").begin_object().end_object();
        } else {
            self.write_both(&all, w);
        }
        w.end_object();
        if level < Level::Indices {
            return;
        }
        w.key("indices").begin_object();
        for (index, sum, shards) in by_index.values() {
            w.key(&index.name).begin_object();
            w.key("uuid").string(&index.uuid);
            self.write_both(sum, w);
            if level == Level::Shards {
                w.key("shards").begin_object();
                for (answer, stats) in shards {
                    w.key(&answer.shard.to_string()).begin_array();
                    write_shard(self.core, answer, stats, (self.metrics, self.shown), w);
                    w.end_array();
                }
                w.end_object();
            }
            w.end_object();
        }
        w.end_object();
    }

    /// Every copy is a primary, so both objects hold the same.
    fn write_both(&self, stats: &ShardStats, w: &mut Writer) {
        for key in ["primaries", "total"] {
            w.key(key).begin_object();
            write_sections(stats, self.metrics, self.shown, w);
            w.end_object();
        }
    }
}

/// Writes what a shard has to tell: of its place, of its figures, and of what is committed.
pub fn write_shard(
    core: &Core,
    answer: &ShardAnswer,
    stats: &ShardStats,
    (sections, shown): (Option<&[&str]>, &Shown),
    w: &mut Writer,
) {
    w.begin_object();
    w.key("routing").begin_object();
    w.key("state").string("STARTED").key("primary").bool(true);
    w.key("node").string(&core.state().manager).key("relocating_node").null();
    w.end_object();
    write_sections(stats, sections, shown, w);
    write_commit(stats, w);
    w.key("seq_no").begin_object();
    w.key("max_seq_no").i64(stats.seq_no.max_seq_no);
    w.key("local_checkpoint").i64(stats.seq_no.local_checkpoint);
    w.key("global_checkpoint").i64(stats.seq_no.global_checkpoint);
    w.end_object();
    // Nobody else holds on to the operations of a shard.
    let term = answer.index.primary_terms.get(answer.shard as usize).copied().unwrap_or(1);
    w.key("retention_leases").begin_object().key("primary_term").u64(term).key("version").u64(0);
    w.key("leases").begin_array().end_array().end_object();
    let path = core.facts().map(|facts| facts.data.display().to_string()).unwrap_or_default();
    w.key("shard_path").begin_object();
    w.key("state_path").string(&path).key("data_path").string(&path).key("is_custom_data_path").bool(false);
    w.end_object();
    w.end_object();
}

fn write_commit(stats: &ShardStats, w: &mut Writer) {
    let none = CommitStats { max_seq_no: -1, local_checkpoint: -1, ..CommitStats::default() };
    let commit = stats.commit.as_ref().unwrap_or(&none);
    w.key("commit").begin_object();
    w.key("id").string(&BASE64_STANDARD.encode(commit.id)).key("generation").u64(commit.generation);
    w.key("user_data").begin_object();
    w.key("local_checkpoint").string(&commit.local_checkpoint.to_string());
    w.key("max_seq_no").string(&commit.max_seq_no.to_string());
    w.key("max_unsafe_auto_id_timestamp").string("-1").end_object();
    w.key("num_docs").u64(commit.num_docs).end_object();
}

type OfIndex<'a> = (&'a Arc<IndexMeta>, ShardStats, Vec<(&'a ShardAnswer, &'a ShardStats)>);

/// The sums and the shards of each index, by name.
fn by_index(answers: &Broadcast) -> BTreeMap<&str, OfIndex<'_>> {
    let mut by_index: BTreeMap<&str, OfIndex<'_>> = BTreeMap::new();
    for answer in &answers.answers {
        let Ok(ShardReply::Stats(stats)) = &answer.reply else { continue };
        let (_, sum, shards) =
            by_index.entry(&answer.index.name).or_insert_with(|| (&answer.index, ShardStats::default(), vec![]));
        sum.add(stats);
        shards.push((answer, stats));
    }
    by_index
}
