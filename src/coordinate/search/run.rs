//! The phases of a search: query, reduce, fetch, expand.

use super::answer::Answer;
use super::asked::{Asked, ReadFrom};
use super::expand::expand;
use super::failures::{PARTIAL, grouped, phase_failed, reduce_failed};
use super::gather::gather;
use super::limits::max_buckets;
use super::lookups;
use super::off_core::reduce;
use super::phases::{Phase, PhasesTook, reduce_phases};
use super::pipelined;
use super::prefilter::prefilter;
use super::targets::{Scope, Target, targets};
use crate::coordinate::core::addr;
use crate::coordinate::{Core, clock};
use crate::security::acting;
use crate::shards::{
    CacheAsk, ContextKey, FetchedHits, Reader, ScrollAsk, SearchAsk, Searched, ShardReply, ShardRequest, missing,
};
use crate::tasks::{cancelled_error, current};
use pith_engine::join::join_all;
use pith_engine::json::Writer;
use pith_engine::profile::ShardProfile;
use pith_engine::query::ShardContext;
use pith_engine::search::{Reduced, SearchRequest, ShardFailure, ShardsHeader};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a search is carried out.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Whether failing shards leave an answer from the others.
    pub allow_partial: bool,
    /// When the search is given up.
    pub cancel_after_ms: Option<i64>,
    /// Shard results that the reference reduces at once. Here all are reduced in one go; the answer only reports how
    /// many steps it would have been.
    pub batched_reduce_size: usize,
    /// How long the scroll is kept that this search begins.
    pub scroll: Option<Duration>,
    /// Whether what the scroll finds is written anew, or deleted.
    pub rewrites: bool,
    /// With more shards than this they are first asked whether they can have a match; by default with more than 128, or with
    /// several where hits are sorted by a field.
    pub pre_filter_shard_size: Option<usize>,
    /// Whether the answer tells what it cost.
    pub cost: bool,
    /// What results of shards may be kept under; none if they may not.
    pub cache: Option<CacheAsk>,
    /// Whether scores go by the statistics of all shards.
    pub global_statistics: bool,
    /// Whether the answer tells how long each phase took.
    pub phase_took: bool,
    /// Whether the phases are counted.
    pub counted: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            allow_partial: true,
            cancel_after_ms: None,
            batched_reduce_size: 512,
            scroll: None,
            rewrites: false,
            pre_filter_shard_size: None,
            cost: false,
            cache: None,
            global_statistics: false,
            phase_took: false,
            counted: true,
        }
    }
}

/// Runs a search; gives the body of its answer.
pub async fn search(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    options: &SearchOptions,
) -> Result<Vec<u8>> {
    let started = Instant::now();
    // Boxed once: it is handed on from hand to hand.
    let work = rt::boxed(|| async {
        let (request, answer) = through_pipeline(core, request, scope, options).await?;
        let cost = current().filter(|_| options.cost).map(|task| task.spent());
        answer.write(&request, clock::took_ms(started), cost).await
    });
    let answer = within(core, request, scope, options, work).await;
    if let Ok(facts) = core.facts() {
        facts.statuses.searches.count([answer.as_ref().map_or_else(|error| error.status(), |_| 200)]);
    }
    answer
}

/// The request as its pipeline has made it, and the answer likewise.
async fn through_pipeline(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    options: &SearchOptions,
) -> Result<(Arc<SearchRequest>, Answer)> {
    let mut asked = Asked::new(core, request, scope, options)?;
    let pipeline = pipelined::begin(core, &mut asked, scope)?;
    let request = asked.request.clone();
    let mut answer = Answer::of(core, asked, options).await?;
    if let Some(pipeline) = pipeline {
        Box::pin(pipelined::end(pipeline, &request, &mut answer)).await?;
    }
    Ok((request, answer))
}

/// Runs a search whose hits are wanted as they are; it goes through pipelines as any other.
pub async fn search_piped_parts(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    options: &SearchOptions,
) -> Result<Answer> {
    let work = rt::boxed(|| async { through_pipeline(core, request, scope, options).await.map(|(_, answer)| answer) });
    within(core, request, scope, options, work).await
}

/// Runs a search whose hits are wanted as they are, past all pipelines.
pub async fn search_parts(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    options: &SearchOptions,
) -> Result<Answer> {
    let work = async { Answer::of(core, Asked::new(core, request, scope, options)?, options).await };
    within(core, request, scope, options, work).await
}

/// Counts the documents that a search matches; gives the body of the answer.
pub async fn count(
    core: &Core,
    request: &Arc<SearchRequest>,
    scope: &Scope,
    options: &SearchOptions,
) -> Result<Vec<u8>> {
    within(core, request, scope, options, async {
        let mut asked = Asked::new(core, request, scope, options)?;
        pipelined::begin(core, &mut asked, scope)?;
        asked.check_assigned("query", options.allow_partial)?;
        let mut took = PhasesTook::new(false, options.counted.then(|| core.search_phases.clone()));
        took.begin(Phase::Query);
        let query = Found::run(core, asked, options).await?;
        // To the reference a count is a search for no hits: it goes through the phases that come then.
        took.begin(Phase::Fetch);
        took.begin(Phase::Expand);
        took.end();
        let mut w = Writer::new();
        w.begin_object();
        if let Some(early) = query.reduced.terminated_early {
            w.key("terminated_early").bool(early);
        }
        w.key("count").u64(query.reduced.total.map_or(0, |(value, _)| value)).key("_shards");
        query.header(options).write(&mut w);
        w.end_object();
        Ok(w.finish())
    })
    .await
}

/// Gives the search up when its time is over, or when its task is cancelled; what works for it on shards is cancelled too.
async fn within<T>(
    core: &Core,
    request: &SearchRequest,
    scope: &Scope,
    options: &SearchOptions,
    search: impl Future<Output = Result<T>>,
) -> Result<T> {
    let Some(task) = current() else { return search.await };
    let cancelled = async {
        task.cancelled().await;
        Err(given_up(core, request, scope, &cancelled_error()))
    };
    let search = futures_lite::future::or(search, cancelled);
    let Some(ms) = options.cancel_after_ms else { return search.await };
    match rt::timeout(Duration::from_millis(ms.max(0) as u64), search).await {
        Some(result) => result,
        None => {
            core.cancel_task(task.id).await?;
            let time = if ms == 0 { "0s".to_owned() } else { clock::time_text(ms) };
            let reason = format!("cancelled task with reason: Cancellation timeout of {time} is expired");
            Err(given_up(core, request, scope, &Error::new(ErrorKind::TaskCancelled, reason)))
        }
    }
}

/// A search that was given up has failed on all its shards. Which those of a point in time are is not known any more.
fn given_up(core: &Core, request: &SearchRequest, scope: &Scope, why: &Error) -> Error {
    let asked = match request.point_in_time {
        None => targets(&core.state(), core.node_id(), scope).map(|asked| asked.found),
        Some(_) => Ok(vec![]),
    };
    let failure = |target: Target| ShardFailure {
        shard: target.shard as i32,
        index: Some(target.index.name.to_string()),
        node: Some(core.node_id().to_string()),
        reason: why.clone(),
    };
    match asked.map(|asked| asked.into_iter().map(failure).collect::<Vec<_>>()) {
        Ok(failures) if failures.is_empty() => {
            phase_failed("query", "", &[]).with_status(why.status()).caused_by(why.clone())
        }
        Ok(failures) => phase_failed("query", "all shards failed", &failures),
        Err(error) => error,
    }
}

impl Answer {
    /// All phases of a search.
    pub async fn of(core: &Core, mut asked: Asked, options: &SearchOptions) -> Result<Self> {
        // To go on with a scroll is no search of its own.
        let counted = !matches!(asked.reads, ReadFrom::ScrollOn { .. }) && options.counted;
        let mut took = PhasesTook::new(options.phase_took, counted.then(|| core.search_phases.clone()));
        // What is rarely needed is boxed, so that the futures of all searches stay small.
        if asked.targets.len() + asked.unassigned.len() > 1 {
            Box::pin(prefilter(core, &mut asked, options, &mut took)).await?;
        }
        let (id, scroll) = (asked.id.clone(), asked.scroll_begun());
        let globally = options.global_statistics && asked.needs_global_statistics();
        asked.check_assigned(if globally { "dfs_pre_query" } else { "query" }, options.allow_partial)?;
        if globally {
            took.begin(Phase::DfsPreQuery);
            Box::pin(gather(core, &mut asked, options.allow_partial)).await?;
        }
        took.begin(if globally { Phase::DfsQuery } else { Phase::Query });
        let mut found = Found::run(core, asked, options).await?;
        let id = scroll.map_or(id, |scroll| scroll.of_answered(&found.targets, &found.contexts));
        took.begin(Phase::Fetch);
        let mut hits = found.fetch(core, options).await?;
        if found.reduced.suggested.is_some() {
            Box::pin(found.fetch_suggested(core, options, &mut hits)).await?;
        }
        took.begin(Phase::Expand);
        if found.request.collapse.is_some() {
            expand(core, &found, &mut hits, options).await?;
        }
        took.end();
        let (profiles, made_anew, records) = (found.profiles(core), false, None);
        Ok(Self { header: found.header(options), reduced: found.reduced, hits, id, profiles, took, made_anew, records })
    }
}

/// A search after its query phase and the reduce.
pub struct Found {
    /// What was searched for, whatever restricted it on a shard.
    pub request: Arc<SearchRequest>,
    pub targets: Vec<Target>,
    /// The routing and the preference that led to the shards.
    pub asked_of: (Option<String>, Option<String>),
    /// By slot: what the shard was asked, with the filters of the aliases that led to it.
    pub(super) requests: Vec<Arc<SearchRequest>>,
    /// By slot: what the shard searched, if it could.
    pub(super) contexts: Vec<Option<ShardContext>>,
    /// By slot: hits that came with the results, since no other shard could win.
    pub(super) fetched: Vec<Option<FetchedHits>>,
    pub failures: Vec<ShardFailure>,
    /// The slots of shards whose hits could not be fetched, all of which are among the failures.
    pub(super) unfetched: Vec<usize>,
    /// Shards of a scroll that are not there any more.
    pub(super) gone: usize,
    /// Shards that were not asked since nothing on them can match.
    pub(super) skipped: usize,
    /// How many shards there was no core to ask for.
    pub(super) unassigned: usize,
    /// The scroll that this search begins or goes on with.
    pub(super) scroll: Option<ContextKey>,
    pub reduced: Reduced,
}

impl Found {
    pub async fn run(core: &Core, asked: Asked, options: &SearchOptions) -> Result<Self> {
        let names: Vec<Arc<str>> = asked.targets.iter().map(|target| target.index.name.clone()).collect();
        lookups::resolve(core, &asked.requests, &names).await?;
        if let [target] = asked.targets.as_slice() {
            let request = (addr(&target.index, target.shard), question(core, &asked, 0, true));
            let reply = core.shards(target.core, vec![request]).await.pop();
            let answers = vec![reply.map(|reply| reply.and_then(searched))];
            return Self::collect(core, options, asked, answers).await;
        }
        let mut answers: Vec<Option<Result<Box<Searched>>>> = asked.targets.iter().map(|_| None).collect();
        let batches = by_core(asked.targets.iter().enumerate().map(|(slot, target)| (target.core, slot)));
        let asked_ref = &asked;
        let running = batches.into_iter().map(|(target_core, slots)| {
            let requests = slots.iter().map(|slot| {
                let target = &asked_ref.targets[*slot];
                (addr(&target.index, target.shard), question(core, asked_ref, *slot, false))
            });
            let requests = requests.collect();
            async move { (slots, core.shards(target_core, requests).await) }
        });
        for (slots, replies) in join_all(running).await {
            for (slot, reply) in slots.into_iter().zip(replies) {
                answers[slot] = Some(reply.and_then(searched));
            }
        }
        Self::collect(core, options, asked, answers).await
    }

    async fn collect(
        core: &Core,
        options: &SearchOptions,
        asked: Asked,
        answers: Vec<Option<Result<Box<Searched>>>>,
    ) -> Result<Self> {
        let Asked { targets, asked_of, requests, reads, gone, skipped, mut request, unassigned, phase, .. } = asked;
        let unassigned = unassigned.len();
        let scroll = match &reads {
            ReadFrom::Scroll { key, .. } | ReadFrom::ScrollOn { key, .. } => Some(key.clone()),
            _ => None,
        };
        let goes_on = matches!(reads, ReadFrom::ScrollOn { .. });
        let mut requests = requests;
        let mut results = vec![];
        let (mut contexts, mut fetched, mut failures) = (vec![], vec![], vec![]);
        if let Some(key) = scroll.as_ref().filter(|_| gone > 0) {
            failures.extend((0..gone).map(|_| lost(key)));
        }
        for (slot, answer) in answers.into_iter().enumerate() {
            match answer.unwrap_or_else(|| Err(unanswered())).and_then(|found| in_time(found, options)) {
                Ok(searched) => {
                    if goes_on {
                        // Only the shards know what a scroll looks for.
                        let total_hits_as_int = request.total_hits_as_int;
                        request = Arc::new(SearchRequest { total_hits_as_int, ..(*searched.request).clone() });
                        requests[slot] = searched.request;
                    }
                    results.push((slot as u32, searched.result));
                    contexts.push(Some(searched.context));
                    fetched.push(searched.hits);
                }
                Err(error) => {
                    let is_lost = goes_on && error.kind() == ErrorKind::SearchContextMissing;
                    failures.push(match &scroll {
                        Some(key) if is_lost => lost(key),
                        _ => failure(core, &targets[slot], error),
                    });
                    contexts.push(None);
                    fetched.push(None);
                }
            }
        }
        // Shards that were passed over have answered, too.
        if results.is_empty() && skipped == 0 && !(targets.is_empty() && gone + unassigned == 0) {
            return Err(phase_failed(phase, "all shards failed", &failures));
        }
        if !options.allow_partial && !failures.is_empty() {
            return Err(phase_failed(phase, PARTIAL, &failures));
        }
        // Only aggregations have buckets.
        let most_buckets = request.aggs.as_ref().map_or(0, |_| max_buckets(&core.state()));
        let reduced = reduce(&request, results, most_buckets).await;
        let reduced = reduced.map_err(|error| reduce_failed(error, &failures))?;
        Ok(Self {
            request,
            targets,
            asked_of,
            requests,
            contexts,
            fetched,
            failures,
            unfetched: vec![],
            gone,
            skipped,
            unassigned,
            scroll,
            reduced,
        })
    }

    /// Where the time went on each shard, by its name in full, if that was asked for.
    fn profiles(&mut self, core: &Core) -> Vec<(String, Box<ShardProfile>)> {
        let named = std::mem::take(&mut self.reduced.profiles).into_iter().filter_map(|(slot, profile)| {
            let target = self.targets.get(slot as usize)?;
            Some((format!("[{}][{}][{}]", core.node_id(), target.index.name, target.shard), profile))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        named
    }

    pub fn header(&self, options: &SearchOptions) -> ShardsHeader {
        let total = self.targets.len() + self.gone + self.skipped;
        ShardsHeader {
            total: (total + self.unassigned) as u32,
            successful: (total - self.failures.len()) as u32,
            skipped: self.skipped as u32,
            failed: self.failures.len() as u32,
            failures: grouped(&self.failures).into_iter().cloned().collect(),
            // Where there are neither hits nor aggregations nothing is reduced on the way. Shards that fail to fetch were reduced before.
            reduce_phases: match self.request.size > 0 || self.request.aggs.is_some() {
                true => reduce_phases(self.contexts.iter().flatten().count(), options.batched_reduce_size),
                false => 1,
            },
        }
    }
}

/// What the shard of a slot is asked.
pub fn question(core: &Core, asked: &Asked, slot: usize, alone: bool) -> ShardRequest {
    let target = &asked.targets[slot];
    let reader = match &asked.reads {
        ReadFrom::Newest => Reader::Newest,
        ReadFrom::Scroll { .. } => asked.begin_scroll(slot),
        ReadFrom::PointInTime { key, keep_alive } => Reader::PointInTime { key: key.clone(), keep_alive: *keep_alive },
        ReadFrom::ScrollOn { key, keep_alive } => {
            let ask = ScrollAsk { key: key.clone(), keep_alive: *keep_alive, fetch: alone, owner: acting::name() };
            return ShardRequest::Scroll(Box::new(ask));
        }
    };
    ShardRequest::Search(Box::new(SearchAsk {
        request: asked.requests[slot].clone(),
        index: target.index.name.clone(),
        node_id: core.node_id().clone(),
        now_ms: asked.now_ms,
        limits: core.known_limits.of(&core.state(), &target.index),
        reader,
        slice: asked.slice_of(slot),
        statistics: asked.statistics.clone(),
        fetch: alone,
        cache: asked.cache_of(slot),
        alone: asked.tells_cost,
    }))
}

/// Slots by the core that holds their shards.
pub fn by_core(slots: impl Iterator<Item = (usize, usize)>) -> BTreeMap<usize, Vec<usize>> {
    let mut batches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (core, slot) in slots {
        batches.entry(core).or_default().push(slot);
    }
    batches
}

fn searched(reply: ShardReply) -> Result<Box<Searched>> {
    match reply {
        ShardReply::Searched(searched) => Ok(searched),
        _ => Err(unanswered()),
    }
}

pub fn failure(core: &Core, target: &Target, error: Error) -> ShardFailure {
    ShardFailure {
        shard: target.shard as i32,
        index: Some(target.index.name.to_string()),
        node: Some(core.node_id().to_string()),
        reason: error,
    }
}

/// A shard that knows nothing of a scroll (any more).
fn lost(key: &ContextKey) -> ShardFailure {
    ShardFailure { shard: -1, index: None, node: None, reason: missing(key.number) }
}

/// What a shard found, unless all of it is wanted and it had no time for all.
fn in_time(found: Box<Searched>, options: &SearchOptions) -> Result<Box<Searched>> {
    match found.result.timed_out && !options.allow_partial {
        true => Err(Error::new(ErrorKind::QueryPhaseExecution, "Time exceeded")),
        false => Ok(found),
    }
}

#[cold]
pub fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the shard did not answer")
}
