//! Searching a shard: slices of work until done, with the core handed back in between.

use super::open_shard::OpenShard;
use pith_engine::Result;
use pith_engine::query::match_all;
use pith_engine::score::Explanation;
use pith_engine::search::{
    Budget, FetchTask, SearchLimits, SearchRequest, ShardContext, ShardHit, ShardResult, ShardSearch, Step, explain,
};
use pith_net::rt;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What a shard is asked to search.
#[derive(Clone, Debug)]
pub struct SearchAsk {
    pub request: Arc<SearchRequest>,
    pub index: Arc<str>,
    pub node_id: Arc<str>,
    /// What `now` stands for: the same on all shards of a request.
    pub now_ms: i64,
    pub limits: SearchLimits,
    /// Whether the page's hits are wanted with the result, because no other shard can have better ones.
    pub fetch: bool,
}

/// What a shard found.
pub struct Searched {
    pub result: ShardResult,
    /// The point in time that the hits belong to; fetching needs it.
    pub context: ShardContext,
    /// The hits of the request's page, each as its complete object, if they were asked for.
    pub hits: Option<Vec<Vec<u8>>>,
}

/// Hits of an earlier [`Searched`] that made it into the answer.
pub struct FetchAsk {
    pub request: Arc<SearchRequest>,
    pub context: ShardContext,
    pub hits: Vec<ShardHit>,
}

/// A document whose score is to be explained.
#[derive(Clone, Debug)]
pub struct ExplainAsk {
    /// The request whose query it is.
    pub search: SearchAsk,
    pub id: String,
}

impl fmt::Debug for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Searched({} hits)", self.result.hits.len())
    }
}

impl fmt::Debug for FetchAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FetchAsk({} hits)", self.hits.len())
    }
}

const BUDGET: Budget = Budget { should_yield: rt::need_preempt, clock_ms };

/// Milliseconds of a clock that never goes back.
fn clock_ms() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

impl OpenShard {
    /// The best hits, totals and aggregations of this shard, as of now.
    pub async fn search(self: &Rc<Self>, ask: &SearchAsk) -> Result<Searched> {
        let context = self.context(ask).await?;
        let result = self.query(ask, &context).await?;
        let hits = match ask.fetch {
            true => {
                let page = result.hits.iter().skip(ask.request.from).take(ask.request.size).cloned().collect();
                let fetch = FetchAsk { request: ask.request.clone(), context: context.clone(), hits: page };
                Some(self.fetch(fetch).await?)
            }
            false => None,
        };
        Ok(Searched { result, context, hits })
    }

    /// How the score of a document that searches see comes about; none if they see no such document.
    pub async fn explain(self: &Rc<Self>, ask: &ExplainAsk) -> Result<Option<Explanation>> {
        let context = self.context(&ask.search).await?;
        let default = match_all();
        let query = ask.search.request.query.as_ref().unwrap_or(&default);
        for (segment, view) in context.snapshot.segments.iter().enumerate().rev() {
            if let Some(doc) = view.segment.doc_of_id(&ask.id).filter(|doc| view.is_live(*doc)) {
                return explain(query, &context, segment, doc).map(Some);
            }
            rt::yield_if_needed().await;
        }
        // A query that cannot be built is an error, whether there is a document or not.
        query.shard_plan(&context).map(|_| None)
    }

    /// What a search of this moment works on.
    async fn context(self: &Rc<Self>, ask: &SearchAsk) -> Result<ShardContext> {
        self.check_open()?;
        self.note_search().await?;
        let shard = self.shard.borrow();
        Ok(ShardContext {
            index: ask.index.clone(),
            index_uuid: self.addr.index_uuid.clone(),
            shard: self.addr.shard,
            node_id: ask.node_id.clone(),
            mapping: shard.mapping().clone(),
            snapshot: shard.snapshot().clone(),
            now_ms: ask.now_ms,
            limits: ask.limits,
        })
    }

    async fn query(&self, ask: &SearchAsk, context: &ShardContext) -> Result<ShardResult> {
        let started = Instant::now();
        let running = Running::begin(self, |stats| &mut stats.query_current);
        let mut search = ShardSearch::new(&ask.request, context.clone())?;
        while search.run(&BUDGET)? == Step::Yield {
            rt::yield_now().await;
        }
        let result = search.finish()?;
        drop(running);
        let stats = &mut self.counters.borrow_mut().search;
        stats.query_total += 1;
        stats.query_time_ns += started.elapsed().as_nanos() as u64;
        Ok(result)
    }

    /// The hits' objects, in the order in which the hits are given.
    pub async fn fetch(&self, ask: FetchAsk) -> Result<Vec<Vec<u8>>> {
        let started = Instant::now();
        let running = Running::begin(self, |stats| &mut stats.fetch_current);
        let mut task = FetchTask::new(&ask.request, ask.context, ask.hits)?;
        while task.run(&BUDGET)? == Step::Yield {
            rt::yield_now().await;
        }
        let hits = task.finish();
        drop(running);
        let stats = &mut self.counters.borrow_mut().search;
        stats.fetch_total += 1;
        stats.fetch_time_ns += started.elapsed().as_nanos() as u64;
        Ok(hits)
    }
}

type Gauge = fn(&mut pith_engine::shard::SearchStats) -> &mut u64;

/// Counts a phase as running for as long as it lives, also when the phase fails or is given up.
struct Running<'a> {
    shard: &'a OpenShard,
    gauge: Gauge,
}

impl<'a> Running<'a> {
    fn begin(shard: &'a OpenShard, gauge: Gauge) -> Self {
        *gauge(&mut shard.counters.borrow_mut().search) += 1;
        Self { shard, gauge }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *(self.gauge)(&mut self.shard.counters.borrow_mut().search) -= 1;
    }
}
