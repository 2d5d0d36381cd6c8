//! Searching a shard: slices of work until done, with the core handed back in between.

use super::contexts::{Context, ContextKey, Free, OpenContext, Purpose, Totals, missing};
use super::host::HostConfig;
use super::lending::Crew;
use super::open_shard::OpenShard;
use super::request_cache::{CacheAsk, Finding};
use super::search_counters::Running;
use crate::tasks::{check_cancelled, check_memory};
use pith_engine::pace::{self, Pace};
use pith_engine::profile::FetchProfile;
use pith_engine::query::{Query, SideBySide, match_all};
use pith_engine::score::Explanation;
use pith_engine::search::{
    Begun, Budget, CanMatch, FetchTask, Reads, SearchLimits, SearchRequest, ShardContext, ShardHit, ShardResult,
    ShardScope, ShardSearch, ShardSuggestions, Slice, Step, Suggest, SuggestTask, before_suggestions, can_match,
    check_sort, check_unsearched, explain, gather, load_fielddata, wanted_fielddata,
};
use pith_engine::segment::{Counting, Statistics, add_misses, misses};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What a shard is asked to search.
#[derive(Clone, Debug)]
pub struct SearchAsk {
    pub request: Arc<SearchRequest>,
    pub index: Arc<str>,
    pub node_id: Arc<str>,
    /// What `now` stands for: the same on all shards of a request.
    pub now_ms: i64,
    pub limits: SearchLimits,
    pub reader: Reader,
    /// What the request's slice means for this shard.
    pub slice: Option<Slice>,
    /// What scores go by, if not by the statistics of the shard.
    pub statistics: Option<Arc<Statistics>>,
    /// Whether the page's hits are wanted with the result, because no other shard can have better ones.
    pub fetch: bool,
    /// What the result may be kept under, if it may.
    pub cache: Option<CacheAsk>,
    /// Nobody helps with it, so that it costs the same again.
    pub alone: bool,
}

impl SearchAsk {
    /// What a request means to the newest reader of a shard, by the shard's own statistics; there is no page to be made.
    pub fn newest(
        request: Arc<SearchRequest>,
        index: Arc<str>,
        node_id: Arc<str>,
        now_ms: i64,
        limits: SearchLimits,
    ) -> Self {
        Self {
            request,
            index,
            node_id,
            now_ms,
            limits,
            reader: Reader::Newest,
            slice: None,
            statistics: None,
            fetch: false,
            cache: None,
            alone: false,
        }
    }
}

/// Which point in time is searched.
#[derive(Clone, Debug)]
pub enum Reader {
    /// The newest that searches see.
    Newest,
    /// The newest as well, which is kept for the next pages.
    Scroll(OpenContext),
    /// One that was kept before, and how long it is wanted from now on.
    PointInTime { key: ContextKey, keep_alive: Option<Duration> },
}

/// The next page of a scroll.
#[derive(Clone, Debug)]
pub struct ScrollAsk {
    pub key: ContextKey,
    pub keep_alive: Option<Duration>,
    /// See [`SearchAsk::fetch`].
    pub fetch: bool,
    /// The user who asks for it.
    pub owner: Option<Arc<str>>,
}

/// A point in time to keep.
#[derive(Clone, Debug)]
pub struct OpenAsk {
    pub index: Arc<str>,
    pub node_id: Arc<str>,
    pub now_ms: i64,
    pub limits: SearchLimits,
    pub context: OpenContext,
}

/// What a shard found.
pub struct Searched {
    pub result: ShardResult,
    /// What was searched for: of a scroll only the shard knows.
    pub request: Arc<SearchRequest>,
    /// The point in time that the hits belong to; fetching needs it.
    pub context: ShardContext,
    /// The hits of the request's page, each as its complete object, if they were asked for.
    pub hits: Option<FetchedHits>,
}

/// Hits as they are shown.
#[derive(Clone, Debug, Default)]
pub struct FetchedHits {
    /// Each hit's complete object.
    pub objects: Vec<Vec<u8>>,
    /// Where the time went, if that was asked for.
    pub profile: Option<Box<FetchProfile>>,
}

/// Hits of an earlier [`Searched`] that made it into the answer.
pub struct FetchAsk {
    pub request: Arc<SearchRequest>,
    pub context: ShardContext,
    pub hits: Vec<ShardHit>,
    /// The scroll whose next page begins behind the last of these hits.
    pub scroll: Option<ContextKey>,
}

/// A document whose score is to be explained.
#[derive(Clone, Debug)]
pub struct ExplainAsk {
    /// The request whose query it is.
    pub search: SearchAsk,
    pub id: String,
}

/// A query that is to be shown as the shard understands it.
#[derive(Clone, Debug)]
pub struct DescribeAsk {
    /// The request whose query it is.
    pub search: SearchAsk,
    /// In the form in which it would run.
    pub rewritten: bool,
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

/// The query of a request that is larger than this is planned off the core.
const PLAN_BYTES_MAX: usize = 32 << 10;

pub(super) const BUDGET: Budget = Budget { should_yield: rt::need_preempt, clock_ms, clock_ns };

/// Milliseconds of a clock that never goes back: that of the runtime, so that how a search is cut into strides follows from the seed in
/// a simulated node.
fn clock_ms() -> u64 {
    since_start().as_millis() as u64
}

/// Nanoseconds of the same clock.
pub(super) fn clock_ns() -> u64 {
    since_start().as_nanos() as u64
}

fn since_start() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    rt::now().saturating_duration_since(*START.get_or_init(Instant::now))
}

impl OpenShard {
    /// The best hits, totals and aggregations of this shard, of the point in time that is asked for.
    pub async fn search(self: &Rc<Self>, ask: &SearchAsk) -> Result<Searched> {
        let (context, reads, kept) = match &ask.reader {
            Reader::Newest => (self.context(ask).await?, Reads::Newest, None),
            Reader::Scroll(wanted) => {
                let context = self.context(ask).await?;
                let kept = self.open_context(context.clone(), wanted.clone())?;
                (context, Reads::Scroll, Some((wanted.key.clone(), kept)))
            }
            Reader::PointInTime { key, keep_alive } => {
                self.check_open()?;
                let kept = self.core.contexts.find(key, &self.addr, *keep_alive)?;
                let context = ShardContext { now_ms: ask.now_ms, limits: ask.limits, ..kept.shard.clone() };
                let context = counted(context.with_derived(&ask.request.derived)?, ask);
                (context, Reads::PointInTime, Some((key.clone(), kept)))
            }
        };
        let context = ShardContext { profile: ask.request.profile.then_some(clock_ns), ..context };
        let scrolls = reads == Reads::Scroll;
        let scope = ShardScope { reads, slice: ask.slice.clone(), page_only: ask.fetch && !scrolls, whole: ask.alone };
        let began = self.settings.borrow().slow_log.tells_of_queries().then(Instant::now);
        let searched = self.query_cached(ask, &context, &scope).await;
        if let (Ok(found), Some(began)) = (&searched, began) {
            self.settings.borrow().slow_log.query(ask, self.addr.shard, began.elapsed(), found.total);
        }
        let result = match (searched, &kept) {
            (Ok(result), Some((_, kept))) if scrolls => {
                kept.remember(&result);
                result
            }
            (Err(error), Some((key, _))) if scrolls => {
                // Nobody will ever know the key of a scroll that did not begin.
                self.free_contexts(&Free::Keys(vec![key.clone()]));
                return Err(error);
            }
            (result, _) => result?,
        };
        let scroll = kept.as_ref().filter(|_| scrolls).map(|(key, _)| key.clone());
        let hits = match ask.fetch {
            true if result.page(&ask.request).next().is_none() => Some(self.fetch_nothing(&ask.request, &context)),
            true => Some(self.fetch_page(&ask.request, &context, &result, scroll).await?),
            false => None,
        };
        Ok(Searched { result, request: ask.request.clone(), context, hits })
    }

    /// Whether a document of this shard can match, and what is known of the values that hits are sorted by.
    pub async fn can_match(self: &Rc<Self>, ask: &SearchAsk) -> Result<CanMatch> {
        let context = match &ask.reader {
            Reader::PointInTime { key, .. } => {
                let kept = self.core.contexts.find(key, &self.addr, None)?;
                kept.shard.clone().with_derived(&ask.request.derived)?
            }
            Reader::Newest | Reader::Scroll(_) => self.context(ask).await?,
        };
        self.core.part_files.complete(&context.snapshot, async || Ok(can_match(&ask.request, &context))).await
    }

    /// The statistics that the search's scores would go by here.
    pub async fn gather(self: &Rc<Self>, ask: &SearchAsk) -> Result<Statistics> {
        let context = match &ask.reader {
            Reader::PointInTime { key, .. } => {
                let kept = self.core.contexts.find(key, &self.addr, None)?;
                kept.shard.clone().with_derived(&ask.request.derived)?
            }
            Reader::Newest | Reader::Scroll(_) => self.context(ask).await?,
        };
        self.core
            .part_files
            .complete(&context.snapshot, async || {
                // What keeps the shard from being searched at all is met here.
                ShardSearch::new(&ask.request, context.clone())?;
                gather(&ask.request, &context)
            })
            .await
    }

    /// The next page of a scroll.
    pub async fn scroll(self: &Rc<Self>, ask: &ScrollAsk) -> Result<Searched> {
        self.check_open()?;
        let kept = self.core.contexts.find(&ask.key, &self.addr, ask.keep_alive)?;
        let Purpose::Scroll { request, slice, owner, .. } = &kept.purpose else { return Err(missing(ask.key.number)) };
        // It shows what its user may see, which may be more than another's roles let that one see.
        if *owner != ask.owner {
            return Err(Error::new(ErrorKind::Security, "Wrong user in reader context"));
        }
        let reads = Reads::ScrollOn(kept.shown.borrow().clone());
        let scope = ShardScope { reads, slice: slice.clone(), page_only: false, whole: false };
        let mut result = self.query(request, &kept.shard, &scope).await?;
        kept.repeat(&mut result);
        let hits = match ask.fetch {
            true => Some(self.fetch_page(request, &kept.shard, &result, Some(ask.key.clone())).await?),
            false => None,
        };
        Ok(Searched { result, request: request.clone(), context: kept.shard.clone(), hits })
    }

    /// Keeps this moment as a point in time.
    pub async fn open_point_in_time(self: &Rc<Self>, ask: OpenAsk) -> Result<()> {
        let context = self.context_of(&ask.index, &ask.node_id, ask.now_ms, ask.limits, false).await?;
        self.open_context(context, ask.context).map(drop)
    }

    async fn fetch_page(
        &self,
        request: &Arc<SearchRequest>,
        context: &ShardContext,
        result: &ShardResult,
        scroll: Option<ContextKey>,
    ) -> Result<FetchedHits> {
        let hits = result.page(request).cloned().collect();
        self.fetch(FetchAsk { request: request.clone(), context: context.clone(), hits, scroll }).await
    }

    /// How the score of a document that searches see comes about; none if they see no such document.
    pub async fn explain(self: &Rc<Self>, ask: &ExplainAsk) -> Result<Option<Explanation>> {
        let context = self.context(&ask.search).await?;
        let default = match_all();
        let query = ask.search.request.query.as_ref().unwrap_or(&default);
        let files = &self.core.part_files;
        files.complete(&context.snapshot, async || explain_in(query, &ask.id, &context).await).await
    }

    /// The query in the notation of Lucene.
    pub async fn describe(self: &Rc<Self>, ask: &DescribeAsk) -> Result<String> {
        let context = self.context(&ask.search).await?;
        let default = match_all();
        let query = ask.search.request.query.as_ref().unwrap_or(&default);
        let files = &self.core.part_files;
        files.complete(&context.snapshot, async || query.describe(&context, ask.rewritten)).await
    }

    /// What a search of this moment works on.
    pub(super) async fn context(self: &Rc<Self>, ask: &SearchAsk) -> Result<ShardContext> {
        let rewrites =
            matches!(&ask.reader, Reader::Scroll(OpenContext { purpose: Purpose::Scroll { rewrites: true, .. }, .. }));
        let context = self.context_of(&ask.index, &ask.node_id, ask.now_ms, ask.limits, rewrites).await?;
        Ok(counted(context.with_derived(&ask.request.derived)?, ask))
    }

    async fn context_of(
        self: &Rc<Self>,
        index: &Arc<str>,
        node_id: &Arc<str>,
        now_ms: i64,
        limits: SearchLimits,
        rewrites: bool,
    ) -> Result<ShardContext> {
        self.check_open()?;
        if !rewrites {
            self.upkeep.last_search.set(rt::now());
        }
        self.refresh_if_owed().await?;
        let shard = self.shard.borrow();
        Ok(ShardContext {
            index: index.clone(),
            index_uuid: self.addr.index_uuid.clone(),
            shard: self.addr.shard,
            node_id: node_id.clone(),
            mapping: shard.mapping().clone(),
            snapshot: shard.snapshot().clone(),
            now_ms,
            limits,
            profile: None,
            search: None,
            sees_all: false,
        })
    }

    /// As [`Self::query`], but a result that is kept need not be found again.
    async fn query_cached(&self, ask: &SearchAsk, context: &ShardContext, scope: &ShardScope) -> Result<ShardResult> {
        let caches = |cache: &&CacheAsk| self.is_open() && (cache.wanted || self.settings.borrow().caches_requests);
        let Some(cache) = ask.cache.as_ref().filter(caches) else {
            return self.query(&ask.request, context, scope).await;
        };
        // What is kept is for searches of several shards too.
        let scope = &ShardScope { page_only: false, ..scope.clone() };
        if let Some(result) = self.core.request_cache.get(&self.addr, &cache.key, context) {
            Running::query(self, &ask.request).done(Ok(()))?;
            return Ok(result);
        }
        let result = self.query(&ask.request, context, scope).await?;
        if !result.timed_out {
            let found = Finding { request: ask.request.clone(), context: context.clone(), scope: scope.clone() };
            self.core.request_cache.put(&self.addr, &cache.key, &found, &result);
        }
        Ok(result)
    }

    async fn query(
        &self,
        request: &Arc<SearchRequest>,
        context: &ShardContext,
        scope: &ShardScope,
    ) -> Result<ShardResult> {
        let running = Running::query(self, request);
        let found = self.find(request, context, scope).await;
        running.done(found)
    }

    pub(super) async fn find(
        &self,
        request: &Arc<SearchRequest>,
        context: &ShardContext,
        scope: &ShardScope,
    ) -> Result<ShardResult> {
        let files = &self.core.part_files;
        files.complete(&context.snapshot, async || self.find_in_read(request, context, scope).await).await
    }

    /// As [`Self::find`], among what has been read of the segments.
    async fn find_in_read(
        &self,
        request: &Arc<SearchRequest>,
        context: &ShardContext,
        scope: &ShardScope,
    ) -> Result<ShardResult> {
        // What cannot be sorted by is refused even where nothing is.
        check_sort(request, context)?;
        let suggestions = match &request.suggest {
            Some(suggest) => Some(Box::pin(self.suggest(suggest, context)).await.map_err(|error| {
                // The reference makes suggestions ready when all that stands before them is.
                before_suggestions(request, context).err().unwrap_or(error)
            })?),
            None => None,
        };
        if request.suggests_only() {
            while let Err(error) = check_unsearched(request, context, scope) {
                self.make_wanted(context, error).await?;
            }
            return Ok(ShardResult { suggestions, ..ShardResult::default() });
        }
        loop {
            match run(request, context, scope, &self.core.config).await {
                Ok(result) => return Ok(ShardResult { suggestions, ..result }),
                Err(error) => self.make_wanted(context, error).await?,
            }
        }
    }

    /// Makes the terms by document whose lack has ended something, which can begin anew then; hands other errors back.
    async fn make_wanted(&self, context: &ShardContext, error: Error) -> Result<()> {
        let Some(field) = wanted_fielddata(&error) else { return Err(error) };
        super::fielddata::admit(&self.core.config.pressure, &context.snapshot, field)?;
        if !Box::pin(load_fielddata(context, field, &Pace::new(rt::must_give_way))).await {
            // What is missing is read, and this begins anew.
            return Err(error);
        }
        check_cancelled()?;
        check_memory(&self.core.config.pressure)
    }

    /// What the request wants suggested.
    async fn suggest(&self, suggest: &Arc<Suggest>, context: &ShardContext) -> Result<ShardSuggestions> {
        let mut task = SuggestTask::new(suggest, context.clone());
        while task.run(&BUDGET)? == Step::Yield {
            rt::yield_now().await;
            check_cancelled()?;
            check_memory(&self.core.config.pressure)?;
        }
        Ok(task.finish())
    }

    /// The hits' objects, in the order in which the hits are given.
    pub async fn fetch(&self, ask: FetchAsk) -> Result<FetchedHits> {
        let running = Running::fetch(self, &ask.request);
        let began = self.settings.borrow().slow_log.tells_of_fetches().then(Instant::now);
        if let (Some(key), Some(last)) = (&ask.scroll, ask.hits.last()) {
            let kept = self.core.contexts.find(key, &self.addr, None)?;
            kept.shown.replace(Some(last.clone()));
        }
        let (index, hits) = (ask.context.index.clone(), ask.hits.len());
        if hits == 0 {
            running.done(Ok(()))?;
            return Ok(self.fetched_nothing(&ask.context));
        }
        let snapshot = ask.context.snapshot.clone();
        let (objects, profile) = self.core.part_files.complete(&snapshot, async || self.fetch_hits(&ask).await).await?;
        running.done(Ok(()))?;
        if let Some(began) = began {
            self.settings.borrow().slow_log.fetch(&index, self.addr.shard, began.elapsed(), hits);
        }
        Ok(FetchedHits { objects, profile: profile.map(Box::new) })
    }

    /// A page without hits: a phase that takes no time.
    fn fetch_nothing(&self, request: &SearchRequest, context: &ShardContext) -> FetchedHits {
        Running::fetched_nothing(self, request);
        self.fetched_nothing(context)
    }

    fn fetched_nothing(&self, context: &ShardContext) -> FetchedHits {
        self.settings.borrow().slow_log.fetch(&context.index, self.addr.shard, Duration::ZERO, 0);
        FetchedHits::default()
    }

    async fn fetch_hits(&self, ask: &FetchAsk) -> Result<(Vec<Vec<u8>>, Option<FetchProfile>)> {
        loop {
            match self.fetch_once(ask).await {
                Ok(fetched) => return Ok(fetched),
                Err(error) => self.make_wanted(&ask.context, error).await?,
            }
        }
    }

    async fn fetch_once(&self, ask: &FetchAsk) -> Result<(Vec<Vec<u8>>, Option<FetchProfile>)> {
        if FetchTask::takes_long(&ask.request, &ask.context, &ask.hits) {
            return fetch_apart(ask).await;
        }
        let mut task = FetchTask::new(&ask.request, ask.context.clone(), ask.hits.clone())?;
        while task.run(&BUDGET)? == Step::Yield {
            rt::give_way().await;
            check_cancelled()?;
            check_memory(&self.core.config.pressure)?;
        }
        Ok(task.finish())
    }
}

/// Fetches on a thread that is no core.
async fn fetch_apart(ask: &FetchAsk) -> Result<(Vec<Vec<u8>>, Option<FetchProfile>)> {
    struct Waiting(Arc<AtomicBool>);
    impl Drop for Waiting {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let waiting = Waiting(Arc::default());
    let abandoned = waiting.0.clone();
    let (request, context, hits) = (ask.request.clone(), ask.context.clone(), ask.hits.clone());
    let (fetched, missed) = rt::offload(move || {
        let before = misses();
        let fetch = || FetchTask::new(&request, context, hits)?.run_apart();
        (pace::while_wanted(abandoned, fetch), misses() - before)
    })
    .await;
    add_misses(missed);
    fetched
}

/// How the score of the document with that id comes about, among what has been read of the segments.
async fn explain_in(query: &Query, id: &str, context: &ShardContext) -> Result<Option<Explanation>> {
    for (segment, view) in context.snapshot.segments.iter().enumerate().rev() {
        if let Some(doc) = view.segment.doc_of_id(id).filter(|doc| view.is_live(*doc)) {
            return explain(query, context, segment, doc).map(Some);
        }
        rt::yield_if_needed().await;
    }
    Ok(None)
}

/// The same documents, whose scores go by what the search brings.
fn counted(context: ShardContext, ask: &SearchAsk) -> ShardContext {
    match &ask.statistics {
        Some(given) => {
            let snapshot = Arc::new(context.snapshot.counted(Counting::Given(given.clone())));
            ShardContext { snapshot, ..context }
        }
        None => context,
    }
}

impl Context {
    /// Keeps what the first page of a scroll has counted.
    fn remember(&self, result: &ShardResult) {
        self.totals.set(Some(Totals {
            total: result.total,
            is_lower_bound: result.total_is_lower_bound,
            max_score: result.max_score,
        }));
    }

    /// Later pages show what the first one has counted.
    fn repeat(&self, result: &mut ShardResult) {
        if let Some(totals) = self.totals.get() {
            result.total = totals.total;
            result.total_is_lower_bound = totals.is_lower_bound;
            result.max_score = totals.max_score;
        }
        result.aggs = None;
    }
}

async fn run(
    request: &Arc<SearchRequest>,
    context: &ShardContext,
    scope: &ShardScope,
    config: &HostConfig,
) -> Result<ShardResult> {
    // Where too much is held already, the search does not even begin.
    check_memory(&config.pressure)?;
    let plans_long =
        request.body_bytes > PLAN_BYTES_MAX || request.query.as_ref().is_some_and(|query| query.plans_long());
    let plan = match plans_long {
        true => {
            let (asked, cx) = (request.clone(), context.clone());
            let plan = rt::offload(move || {
                let before = misses();
                (ShardSearch::plan(&asked, &cx), misses() - before)
            });
            let (plan, missed) = plan.await;
            add_misses(missed);
            Some(plan?)
        }
        false => None,
    };
    let search = match ShardSearch::begin(request, context, scope, plan)? {
        Begun::Answered(result) => return Ok(result),
        Begun::Searching(search) => search,
    };
    let crew = Crew::new(config.neighbours.clone(), config.pressure.clone());
    // Whoever helps plans the query again.
    crew.search(search, !plans_long && context.limits.side_by_side != SideBySide::Never).await
}
