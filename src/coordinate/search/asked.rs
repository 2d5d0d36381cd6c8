//! A search before its phases: which shards, and which point in time of them.

use super::context_id::{self, ContextId, ContextKind};
use super::failures::{missing_shards, phase_failed};
use super::run::{SearchOptions, failure};
use super::targets::{Scope, Target, Targets, UnassignedTarget, targets};
use crate::cluster::{State, resolve};
use crate::coordinate::allowed::{check_searched, check_whole};
use crate::coordinate::{Core, clock};
use crate::security::acting;
use crate::settings::units::parse_time_ms;
use crate::shards::{CacheAsk, ContextKey, OpenContext, Purpose, Reader};
use pith_engine::json::Value;
use pith_engine::search::{SearchRequest, Slice};
use pith_engine::segment::Statistics;
use pith_engine::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// What is asked of which shards.
pub struct Asked {
    pub request: Arc<SearchRequest>,
    pub targets: Vec<Target>,
    /// Shards that there is no core to ask for.
    pub unassigned: Vec<UnassignedTarget>,
    /// The routing and the preference that led to the shards.
    pub asked_of: (Option<String>, Option<String>),
    /// By slot: the request with the filters of the aliases that led to the shard.
    pub requests: Vec<Arc<SearchRequest>>,
    /// By slot: the request's slice of the shard, if it has one.
    slices: Vec<Option<Slice>>,
    pub reads: ReadFrom,
    /// Shards on which nothing can match, which are not asked.
    pub skipped: usize,
    /// Shards of a scroll that are not there any more.
    pub gone: usize,
    pub now_ms: i64,
    /// What scores go by, if not by the statistics of each shard.
    pub statistics: Option<Arc<Statistics>>,
    /// The phase in which shards that cannot be searched fail.
    pub phase: &'static str,
    /// The key and value with which the answer names the scroll or point in time.
    pub id: Option<(&'static str, String)>,
    /// Scrolls that the node may have; known where one begins.
    most_scrolls: usize,
    /// What the scroll that begins finds is written anew, or deleted.
    rewrites: bool,
    /// What results of shards may be kept under.
    cache: Option<CacheAsk>,
    /// The answer tells what the search cost.
    pub tells_cost: bool,
}

/// Which point in time is read.
pub enum ReadFrom {
    Newest,
    Scroll { key: ContextKey, keep_alive: Duration },
    ScrollOn { key: ContextKey, keep_alive: Option<Duration> },
    PointInTime { key: ContextKey, keep_alive: Option<Duration> },
}

/// The request with the boosts of indexes under the names of indexes: it may give those of aliases and of patterns.
fn with_boosts(state: &State, request: &Arc<SearchRequest>, scope: &Scope) -> Result<Arc<SearchRequest>> {
    if request.indices_boost.is_empty() {
        return Ok(request.clone());
    }
    let mut boosts = vec![];
    for (expression, boost) in &request.indices_boost {
        let indexes = resolve(state, &[expression.as_str()], &scope.options, clock::now_ms())?;
        boosts.extend(indexes.iter().map(|index| (index.name.to_string(), *boost)));
    }
    Ok(Arc::new(SearchRequest { indices_boost: boosts, ..SearchRequest::clone(request) }))
}

impl Asked {
    /// The search that a request is about.
    pub fn new(core: &Core, request: &Arc<SearchRequest>, scope: &Scope, options: &SearchOptions) -> Result<Self> {
        let state = core.state();
        let request = &with_boosts(&state, request, scope)?;
        let mut asked = Self {
            request: request.clone(),
            targets: vec![],
            unassigned: vec![],
            asked_of: (scope.routing.clone(), scope.preference.clone()),
            requests: vec![],
            slices: vec![],
            reads: ReadFrom::Newest,
            skipped: 0,
            gone: 0,
            now_ms: clock::now_ms(),
            statistics: None,
            phase: "query",
            id: None,
            most_scrolls: 0,
            rewrites: options.rewrites,
            // What a request looks up elsewhere may change without its shards.
            cache: options.cache.clone().filter(|_| request.lookups().is_empty()),
            tells_cost: options.cost,
        };
        match &request.point_in_time {
            Some(wanted) => {
                let id = context_id::point_in_time(&wanted.id)?;
                id.check_filters(&state)?;
                (asked.targets, asked.gone) = id.targets(&state)?;
                let keep_alive = wanted.keep_alive_ms.map(Duration::from_millis);
                asked.check_keep_alive(core, keep_alive, "point_in_time.max_keep_alive")?;
                asked.reads = ReadFrom::PointInTime { key: id.key, keep_alive };
                asked.id = Some(("pit_id", wanted.id.clone()));
            }
            None => asked.take(targets(&state, core.node_id(), scope)?),
        }
        check_hidden(&state, &asked)?;
        asked.take_slices();
        if let Some(keep_alive) = options.scroll {
            let globally = options.global_statistics && asked.needs_global_statistics();
            let checked = asked.check_keep_alive(core, Some(keep_alive), "search.max_keep_alive");
            checked.map_err(|error| if globally { error.with("phase", "dfs_pre_query") } else { error })?;
            asked.most_scrolls = number_setting(&state, "search.max_open_scroll_context", 500);
            asked.reads = ReadFrom::Scroll { key: core.make_context_key(), keep_alive };
            asked.name_scroll();
        }
        asked.requests = requests_of(request, &asked.targets)?;
        Ok(asked)
    }

    /// The next page of a scroll.
    pub fn scroll(core: &Core, text: &str, keep_alive: Option<Duration>, total_hits_as_int: bool) -> Result<Self> {
        let ContextId { key, .. } = context_id::scroll(text)?;
        let (targets, gone) = context_id::scroll(text)?.targets(&core.state())?;
        let request = Arc::new(SearchRequest { total_hits_as_int, ..SearchRequest::default() });
        let asked = Self {
            requests: targets.iter().map(|_| request.clone()).collect(),
            slices: targets.iter().map(|_| None).collect(),
            request,
            targets,
            unassigned: vec![],
            asked_of: (None, None),
            reads: ReadFrom::ScrollOn { key, keep_alive },
            skipped: 0,
            gone,
            now_ms: clock::now_ms(),
            statistics: None,
            phase: "query",
            // Whoever does not say for how long it is wanted is not told its name again; it stays as long as was said last.
            id: keep_alive.map(|_| ("_scroll_id", text.to_owned())),
            most_scrolls: 0,
            rewrites: false,
            cache: None,
            tells_cost: false,
        };
        asked.check_keep_alive(core, keep_alive, "search.max_keep_alive")?;
        Ok(asked)
    }

    /// What the result of a slot's shard may be kept under: the request's key, and the filters of the aliases that led there.
    /// Only the newest point in time is worth it.
    pub fn cache_of(&self, slot: usize) -> Option<CacheAsk> {
        let alone = self.statistics.is_none();
        let cache = self.cache.clone().filter(|_| alone && matches!(self.reads, ReadFrom::Newest))?;
        let filters = &self.targets.get(slot)?.filters;
        if filters.is_empty() {
            return Some(cache);
        }
        let filters = filters.iter().flat_map(|filter| [vec![0], filter.to_bytes()].concat());
        Some(CacheAsk { key: cache.key.iter().copied().chain(filters).collect(), ..cache })
    }

    /// Whether it may still be chosen which shards are asked, and in which order: not on the later pages of a scroll.
    pub fn can_be_changed(&self) -> bool {
        !matches!(self.reads, ReadFrom::ScrollOn { .. })
    }

    /// Gives the scroll that begins the id of those shards that are asked; without any there is nothing to go on with.
    fn name_scroll(&mut self) {
        if let Some(named) = self.scroll_begun() {
            self.id = named.of(&self.targets);
        }
    }

    /// What the scroll that begins is called by, if one does.
    pub fn scroll_begun(&self) -> Option<ScrollBegun> {
        match &self.reads {
            ReadFrom::Scroll { key, .. } => Some(ScrollBegun { key: key.clone(), now_ms: self.now_ms }),
            _ => None,
        }
    }

    /// Searches for something else on the same shards. Nothing is kept of it: what made the request another may change.
    pub fn replace(&mut self, request: SearchRequest) -> Result<()> {
        self.request = Arc::new(request);
        self.requests = requests_of(&self.request, &self.targets)?;
        self.cache = None;
        Ok(())
    }

    /// Asks other shards of the same indexes. A point in time has its own.
    pub fn route(&mut self, core: &Core, scope: &Scope) -> Result<()> {
        if matches!(self.reads, ReadFrom::PointInTime { .. }) {
            return Ok(());
        }
        self.take(targets(&core.state(), core.node_id(), scope)?);
        self.take_slices();
        self.name_scroll();
        self.requests = requests_of(&self.request, &self.targets)?;
        Ok(())
    }

    fn take(&mut self, Targets { found, unassigned }: Targets) {
        (self.targets, self.unassigned) = (found, unassigned);
    }

    /// Refuses a search of all shards where some cannot be asked. `phase` is the one that it would begin with.
    pub fn check_assigned(&self, phase: &str, allow_partial: bool) -> Result<()> {
        match allow_partial || self.unassigned.is_empty() {
            true => Ok(()),
            false => Err(missing_shards(phase, &self.unassigned)),
        }
    }

    /// Whether the statistics of all shards can make a difference.
    pub fn needs_global_statistics(&self) -> bool {
        self.targets.len() > 1 && !self.request.suggests_only() && !matches!(self.reads, ReadFrom::ScrollOn { .. })
    }

    /// Leaves out the targets that `keep` does not mark.
    pub fn retain(&mut self, keep: &[bool]) {
        self.skipped = keep.iter().filter(|keep| !**keep).count();
        keep_marked(&mut self.targets, keep);
        keep_marked(&mut self.requests, keep);
        keep_marked(&mut self.slices, keep);
        self.name_scroll();
    }

    /// Puts the slots into another order: hits that are equal come from the first.
    pub fn reorder(&mut self, order: &[usize]) {
        self.targets = order.iter().map(|slot| self.targets[*slot].clone()).collect();
        self.requests = order.iter().map(|slot| self.requests[*slot].clone()).collect();
        self.slices = order.iter().map(|slot| self.slices[*slot].clone()).collect();
    }

    /// Deals the slices of the request out to shards. Those that have none of it are not asked, except in a point in time, whose
    /// shards are what they are.
    fn take_slices(&mut self) {
        let slices: Vec<Option<Slice>> = (0..self.targets.len()).map(|slot| self.dealt_slice(slot)).collect();
        let keep: Vec<bool> = match self.request.point_in_time {
            Some(_) => slices.iter().map(|_| true).collect(),
            None => slices.iter().map(|slice| slice.as_ref().is_none_or(|slice| slice.max > 0)).collect(),
        };
        self.slices = slices;
        keep_marked(&mut self.slices, &keep);
        keep_marked(&mut self.targets, &keep);
    }

    /// Refuses a life that is too long, as every shard would.
    fn check_keep_alive(&self, core: &Core, wanted: Option<Duration>, setting: &str) -> Result<()> {
        let Some(wanted) = wanted else { return Ok(()) };
        check_keep_alive(&core.state(), wanted, setting).map_err(|error| {
            let failures: Vec<_> = self.targets.iter().map(|target| failure(core, target, error.clone())).collect();
            phase_failed("query", "all shards failed", &failures)
        })
    }

    /// The context that the shard of a slot keeps for the next pages.
    pub fn begin_scroll(&self, slot: usize) -> Reader {
        let ReadFrom::Scroll { key, keep_alive } = &self.reads else { return Reader::Newest };
        let request = self.requests[slot].clone();
        let owner = acting::name();
        let purpose = Purpose::Scroll { request, slice: self.slice_of(slot), rewrites: self.rewrites, owner };
        Reader::Scroll(OpenContext { key: key.clone(), purpose, keep_alive: *keep_alive, most: self.most_scrolls })
    }

    /// What the request's slice means for the shard of a slot.
    pub fn slice_of(&self, slot: usize) -> Option<Slice> {
        self.slices.get(slot).cloned().flatten()
    }

    fn dealt_slice(&self, slot: usize) -> Option<Slice> {
        let slice = self.request.slice.as_ref()?;
        let uuid = &self.targets[slot].index.uuid;
        let same = |target: &&Target| target.index.uuid == *uuid;
        let shards = self.targets.iter().filter(same).count();
        let at = self.targets[..slot].iter().filter(same).count();
        slice.of_shard(at as u32, shards as u32)
    }
}

/// A scroll that begins.
pub struct ScrollBegun {
    key: ContextKey,
    now_ms: i64,
}

impl ScrollBegun {
    /// Its id where it goes on with those of the shards that have told what they searched.
    pub fn of_answered<T>(&self, targets: &[Target], told: &[Option<T>]) -> Option<(&'static str, String)> {
        let answered = targets.iter().zip(told).filter(|(_, told)| told.is_some());
        self.of(&answered.map(|(target, _)| target.clone()).collect::<Vec<_>>())
    }

    /// Its id where it goes on with these shards.
    pub fn of(&self, targets: &[Target]) -> Option<(&'static str, String)> {
        let id = || context_id::encode(ContextKind::Scroll, &self.key, self.now_ms, targets);
        (!targets.is_empty()).then(|| ("_scroll_id", id()))
    }
}

/// Leaves out what `keep` does not mark.
fn keep_marked<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut marks = keep.iter();
    items.retain(|_| marks.next().copied().unwrap_or(true));
}

/// Refuses contexts that are wanted for too long.
pub fn check_keep_alive(state: &State, wanted: Duration, setting: &str) -> Result<()> {
    const DEFAULT_MS: i64 = 86_400_000;
    let text = state.cluster_setting(setting);
    let max_ms = text.and_then(|text| parse_time_ms(setting, &text).ok()).unwrap_or(DEFAULT_MS);
    let wanted_ms = i64::try_from(wanted.as_millis()).unwrap_or(i64::MAX);
    if wanted_ms <= max_ms {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "Keep alive for request ({}) is too large. It must be less than ({}). This limit can be set by changing the [{setting}] cluster level setting.",
        clock::time_text(wanted_ms),
        clock::time_text(max_ms)
    )))
}

/// A setting that is a number.
pub fn number_setting(state: &State, key: &str, default: usize) -> usize {
    state.cluster_setting(key).and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Refuses what would tell of documents that the current subject may not see.
fn check_hidden(state: &State, asked: &Asked) -> Result<()> {
    if acting::current().is_none() {
        return Ok(());
    }
    let request = &asked.request;
    let beyond = [
        (request.suggest.is_some(), "Suggesters are not supported"),
        (request.profile, "Profiling is not supported"),
        (request.aggs_beyond, "Aggregations that look beyond what matches are not supported"),
    ];
    let mut last = None;
    for index in asked.targets.iter().map(|target| &target.index) {
        if last == Some(&index.uuid) {
            continue;
        }
        last = Some(&index.uuid);
        // A point in time may be somebody else's, and of what may be planned not all may be searched.
        check_searched(state, index)?;
        for (_, what) in beyond.iter().filter(|(asks, _)| *asks) {
            check_whole(state, index, what)?;
        }
        // What matches by its parent or children would tell of those.
        if index.mapping.join_field().is_some() {
            check_whole(state, index, "Searching an index with a join field is not supported")?;
        }
    }
    Ok(())
}

/// The request for each target: where aliases or roles restrict an index, one of its own.
pub fn requests_of(request: &Arc<SearchRequest>, targets: &[Target]) -> Result<Vec<Arc<SearchRequest>>> {
    let mut made: Vec<(&[Value], Arc<SearchRequest>)> = vec![];
    let mut out = Vec::with_capacity(targets.len());
    for target in targets {
        if target.filters.is_empty() {
            out.push(request.clone());
            continue;
        }
        let found = made.iter().find(|(filters, _)| *filters == target.filters.as_slice()).map(|(_, f)| f.clone());
        let filtered = match found {
            Some(filtered) => filtered,
            None => {
                let filtered = Arc::new(request.filtered(&target.filters)?);
                made.push((&target.filters, filtered.clone()));
                filtered
            }
        };
        out.push(filtered);
    }
    Ok(out)
}
