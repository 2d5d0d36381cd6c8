//! top_hits: the best documents of a bucket, as a search shows them.

use super::doc_scores::DocScores;
use super::kind::{Aggregator, Built, Kind, Owners, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Writer, line_col};
use crate::pace::Pace;
use crate::profile::{FetchProfile, QueryProfile, QueryProfiler};
use crate::query::{Node, ShardContext, Source, match_all};
use crate::score::{Faults, Plan, Rewriting, WeightContext};
use crate::search::{
    Reduced, RescoreTask, ScriptField, SearchRequest, ShardHit, ShardsHeader, Sort, SourceSpec, StoredFields,
    TopSorted, TotalHits, compare_hits, fetch_all, simplified, views_of, write_hits,
};
use crate::segment::SegmentView;
use ahash::AHashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Hits of a bucket unless the request says otherwise.
const SIZE_DEFAULT: usize = 3;

#[derive(Debug)]
struct TopHits {
    request: Arc<SearchRequest>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut request = SearchRequest { size: SIZE_DEFAULT, ..SearchRequest::default() };
    let source = Source::new(cx.body);
    for entry in &map.entries {
        let node = Node::of_entry(entry, &source);
        match entry.key.as_str() {
            "from" | "size" if node.i32().is_ok_and(|number| number < 0) => {
                let (key, given, name) = (&entry.key, node.i32()?, cx.name);
                let reason = format!("[{key}] must be greater than or equal to 0. Found [{given}] in [{name}]");
                return Err(Error::illegal_argument(reason));
            }
            "script_fields" if entry.value.as_object().is_some() => {
                request.script_fields = ScriptField::parse_beside(&entry.key, node)?;
            }
            "from"
            | "size"
            | "explain"
            | "version"
            | "seq_no_primary_term"
            | "track_scores"
            | "stored_fields"
            | "docvalue_fields"
            | "fields"
            | "sort"
            | "_source"
            | "highlight" => {
                request.take(&entry.key, node)?;
            }
            key => {
                let (line, col) = line_col(cx.body, entry.value_pos);
                let reason = format!("Unknown key for a {} in [{key}].", entry.value.token());
                return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
            }
        }
    }
    request.sort = simplified(request.sort);
    // Where nothing stored is wanted the source is not, though asking for parts of it is an error.
    if request.stored_fields == Some(StoredFields::None) && request.source == Some(SourceSpec::All) {
        request.source = None;
    }
    Ok(Box::new(TopHits { request: Arc::new(request) }))
}

/// The best documents of a bucket on one shard, or of all.
#[derive(Debug, Clone, Default)]
pub struct TopHitsFound {
    /// Best first, with their objects.
    hits: Vec<(ShardHit, Vec<u8>)>,
    total: u64,
    max_score: Option<f32>,
}

impl TopHitsFound {
    /// About how much memory the hits take.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.hits.iter().map(|(hit, object)| hit.memory_bytes() + object.capacity()).sum()
    }
}

impl Kind for TopHits {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let (limit, asked) = (cx.limits.max_inner_result_window, self.request.window());
        if asked > limit {
            return Err(Error::illegal_argument(format!(
                "Top hits result window is too large, the top hits aggregator [{}]'s from + size must be less than or equal to: [{limit}] but was [{asked}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.",
                agg.name
            )));
        }
        // Nothing is approximated where there are aggregations, whatever is counted.
        let search = cx.search.as_deref();
        let query = search.and_then(|search| search.query.clone());
        let post_filter = search.and_then(|search| search.post_filter.clone());
        let own = (*self.request).clone();
        let request = Arc::new(SearchRequest { query, post_filter, total_hits: TotalHits::Exact, ..own });
        let scored = request.needs_scores();
        if !request.sort.is_empty() {
            // What cannot be sorted by is refused even where there is nothing to sort.
            TopSorted::new(&request.sort, None, 1, cx)?;
        }
        let nested = request.sort.iter().filter(|_| cx.profile.is_some()).filter_map(Sort::nested);
        let sorted_by = nested.map(|nested| nested.shown_plan(cx)).collect::<Result<_>>()?;
        // The best by their scores are scored once more as the hits of the search are.
        let rescores = search.map_or(&[][..], |search| &search.rescore);
        let weighing = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let rescoring = match rescores.is_empty() || !request.sort.is_empty() {
            true => None,
            false => Some((RescoreTask::new(rescores, cx, &weighing)?, weighing.faults.clone())),
        };
        Ok(Box::new(TopHitsAggregator {
            rescoring,
            scores: scored.then(|| DocScores::new(cx)).transpose()?,
            scored: vec![],
            request,
            cx: cx.clone(),
            tops: vec![],
            view: None,
            segment: None,
            doc_base: 0,
            fetched: vec![],
            explained: vec![],
            sorted_by,
            asked: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::TopHits(Box::default())
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole = TopHitsFound::default();
        for part in parts {
            let Partial::TopHits(part) = part else { return Err(mismatch()) };
            whole.total += part.total;
            whole.max_score = match (whole.max_score, part.max_score) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
            whole.hits.extend(part.hits);
        }
        // The sort is stable: among equals the order of shards stays.
        whole.hits.sort_by(|(a, _), (b, _)| compare_hits(&self.request, a, b));
        // What is joined twice skips the first hits twice: buckets that grow together, as the reference joins them.
        if !cx.within_shard {
            whole.hits.drain(..self.request.from.min(whole.hits.len()));
            whole.hits.truncate(self.request.size);
        }
        whole.hits.truncate(self.request.window());
        Ok(Partial::TopHits(Box::new(whole)))
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::TopHits(found) = partial else { return Err(mismatch()) };
        let hits: Vec<Vec<u8>> = found.hits.iter().map(|(_, json)| json.clone()).collect();
        let reduced = Reduced { total: Some((found.total, false)), max_score: found.max_score, ..Reduced::default() };
        let shards = ShardsHeader { total: 1, successful: 1, ..ShardsHeader::default() };
        w.key("hits");
        write_hits(shown.totals_as_int, &shards, &reduced, &hits, w);
        Ok(())
    }

    fn needs_scores(&self) -> bool {
        self.request.needs_scores()
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "top_hits"
    }

    fn is_bucketing(&self) -> bool {
        false
    }
}

#[cold]
fn no_hits(request: &SearchRequest) -> Error {
    let instead = match request.sort.is_empty() {
        true => "TotalHitCountCollectorManager",
        false => "TotalHitCountCollector",
    };
    let reason = format!("numHits must be > 0; please use {instead} if you just need the total hit count");
    Error::illegal_argument(reason)
}

/// The best documents of one owner, before they are fetched.
#[derive(Default)]
struct Chosen {
    hits: Vec<ShardHit>,
    total: u64,
    max_score: Option<f32>,
}

/// The best documents of one owner.
struct Top {
    total: u64,
    max_score: Option<f32>,
    /// Where hits are in the order of their scores; and once there are enough of them, the least that still counts.
    scored: Vec<ShardHit>,
    bar: Option<(f32, (u32, u32))>,
    /// Where they are sorted, and the segment that was entered last.
    sorted: Option<(TopSorted, Option<u32>)>,
}

struct TopHitsAggregator {
    request: Arc<SearchRequest>,
    cx: ShardContext,
    scores: Option<DocScores>,
    /// Scores the best once more, and where that reports what goes wrong.
    rescoring: Option<(RescoreTask, Faults)>,
    /// The scores of a batch.
    scored: Vec<f32>,
    tops: Vec<Option<Box<Top>>>,
    view: Option<SegmentView>,
    /// The number of the current segment, and the documents before it.
    segment: Option<u32>,
    doc_base: u64,
    /// Where the time of fetching went, if that is written down.
    fetched: Vec<FetchProfile>,
    /// For each hit that was explained, whether it is nested in another document, its segment, and its number there.
    explained: Vec<(bool, u32, u32)>,
    /// What finds the nested documents that hits are sorted by, if a profile is made.
    sorted_by: Vec<Plan>,
    /// What was asked for nested documents, for the names of queries that match hits, and for the scores of hits that are sorted by other things.
    asked: Vec<QueryProfile>,
}

impl TopHitsAggregator {
    fn offer(&mut self, doc: u32, owner: u32, score: Option<f32>) -> Result<()> {
        let (Some(view), Some(segment)) = (&self.view, self.segment) else { return Ok(()) };
        let at = owner as usize;
        if at >= self.tops.len() {
            check_shard_buckets(at)?;
            self.tops.resize_with(at + 1, || None);
        }
        let size = self.request.window();
        let shows_scores = self.request.sort.is_empty() || self.request.track_scores;
        let top = match &mut self.tops[at] {
            Some(top) => top,
            // That none are wanted is found out when there is one.
            none if size == 0 => {
                debug_assert!(none.is_none());
                return Err(no_hits(&self.request));
            }
            none => {
                let sorted = match self.request.sort.as_slice() {
                    [] => None,
                    sort => Some((TopSorted::new(sort, None, size, &self.cx)?, None)),
                };
                none.insert(Box::new(Top { total: 0, max_score: None, scored: vec![], bar: None, sorted }))
            }
        };
        top.total += 1;
        if let Some(score) = score.filter(|_| shows_scores) {
            top.max_score = Some(top.max_score.map_or(score, |max| max.max(score)));
        }
        match &mut top.sorted {
            Some((sorted, entered)) => {
                if *entered != Some(segment) {
                    sorted.enter_segment(segment, view, self.doc_base)?;
                    *entered = Some(segment);
                    self.asked.extend(made_anew(&self.sorted_by, &self.cx)?);
                }
                sorted.offer(view, &[doc], score.as_slice());
                sorted.check()?;
            }
            None => {
                let score = score.unwrap_or(f32::NAN);
                let behind = |(bar, at): (f32, (u32, u32))| score < bar || score == bar && at < (segment, doc);
                if top.bar.is_some_and(behind) {
                    return Ok(());
                }
                top.scored.push(ShardHit::scored(segment, doc, score));
                if top.scored.len() >= 2 * size + 64 {
                    keep_best(&mut top.scored, size);
                    top.bar = top.scored.last().map(|worst| (worst.score, (worst.segment, worst.doc)));
                }
            }
        }
        Ok(())
    }

    /// The best documents of an owner, not fetched yet.
    fn chosen(&mut self, owner: u32) -> Result<Chosen> {
        let Some(top) = self.tops.get_mut(owner as usize).and_then(Option::take) else { return Ok(Chosen::default()) };
        let mut max_score = top.max_score;
        let mut hits = match top.sorted {
            Some((sorted, _)) => sorted.finish(),
            None => {
                let mut hits = top.scored;
                keep_best(&mut hits, self.request.window());
                hits
            }
        };
        if let Some((rescoring, faults)) = &mut self.rescoring {
            rescoring.run_at_once(&mut hits, &self.cx, faults)?;
            max_score = hits.first().map(|best| best.score).or(max_score);
        }
        if !self.request.sort.is_empty() && !self.request.track_scores {
            // Even where the score is what they are sorted by, it is only shown if it is tracked.
            hits.iter_mut().for_each(|hit| hit.score = f32::NAN);
        }
        Ok(Chosen { hits, total: top.total, max_score })
    }

    /// Fetches what was chosen: all of it in the order of the documents, which share blocks; but owner by owner where the time of each
    /// is written down.
    async fn fetch(&mut self, chosen: Vec<Chosen>, pace: &Pace) -> Result<Vec<TopHitsFound>> {
        if self.cx.profile.is_none() {
            return self.fetch_together(chosen, pace).await;
        }
        let mut found = Vec::with_capacity(chosen.len());
        for one in chosen {
            found.append(&mut self.fetch_together(vec![one], pace).await?);
        }
        Ok(found)
    }

    async fn fetch_together(&mut self, chosen: Vec<Chosen>, pace: &Pace) -> Result<Vec<TopHitsFound>> {
        let hits: Vec<ShardHit> = chosen.iter().flat_map(|one| one.hits.iter().cloned()).collect();
        let wants_nothing = self.request.stored_fields == Some(StoredFields::None);
        // Of nested documents the source is read whatever fields are asked for.
        let plain = hits.iter().any(|hit| !self.is_nested(hit));
        if wants_nothing && plain && matches!(self.request.source, Some(SourceSpec::Some(_))) {
            let index = &self.cx.index;
            let reason = format!(
                "unable to fetch fields from _source field: _source is disabled in the mappings for index [{index}]"
            );
            return Err(Error::illegal_argument(reason));
        }
        let mut objects = fetch_all(&self.request, &self.cx, &hits, &mut self.fetched, pace).await?.into_iter();
        self.ask_for_scores(&hits)?;
        if self.request.explain && self.cx.profile.is_some() {
            let explained = hits.iter().map(|hit| (self.is_nested(hit), hit.segment, hit.doc));
            self.explained.extend(explained.collect::<Vec<_>>());
        }
        let with_objects = |one: Chosen| {
            let hits = one.hits.into_iter().zip(objects.by_ref()).collect();
            TopHitsFound { hits, total: one.total, max_score: one.max_score }
        };
        Ok(chosen.into_iter().map(with_objects).collect())
    }

    fn is_nested(&self, hit: &ShardHit) -> bool {
        let view = self.cx.snapshot.segments.get(hit.segment as usize);
        view.and_then(|view| view.segment.roots()).is_some_and(|roots| roots.from(hit.doc) != hit.doc)
    }

    /// Scores of sorted hits are computed once they are chosen, and once more when they are fetched.
    fn ask_for_scores(&mut self, hits: &[ShardHit]) -> Result<()> {
        let sorted = !self.request.sort.is_empty() && self.request.track_scores;
        let Some(clock) = self.cx.profile.filter(|_| sorted && !hits.is_empty()) else { return Ok(()) };
        let profiler = QueryProfiler::new(clock).aside();
        let weights = WeightContext { profiler: Some(profiler.clone()), ..self.cx.weighing() };
        let (plan, mut rewriting) = (self.shown_plan()?, Rewriting::new(&profiler));
        for _ in 0..2 {
            plan.weight(&weights, true, 1.0)?;
            views_of(hits, &self.cx).into_iter().try_for_each(|view| rewriting.enter(&plan, view, true))?;
        }
        self.asked.extend(profiler.finish());
        Ok(())
    }

    /// The search's query, as profiles show it.
    fn shown_plan(&self) -> Result<Plan> {
        match &self.request.query {
            Some(query) => Ok(query.shown(query.shard_plan(&self.cx)?, true)),
            None => match_all().bare_plan(&self.cx),
        }
    }

    /// The queries that explained the hits, as the reference asks them: once for each.
    fn explaining_queries(&self) -> Result<Vec<QueryProfile>> {
        let Some(clock) = self.cx.profile.filter(|_| !self.explained.is_empty()) else { return Ok(vec![]) };
        let profiler = QueryProfiler::new(clock);
        let weights = WeightContext {
            profiler: Some(profiler.clone()),
            ..WeightContext::new(&self.cx.snapshot, self.cx.mapping.similarities())
        };
        let default = match_all();
        let query = self.request.query.as_ref().unwrap_or(&default);
        let (plan, shown) = (query.bare_plan(&self.cx)?, self.shown_plan()?);
        let mut rewriting = Rewriting::new(&profiler);
        for (is_nested, segment, doc) in &self.explained {
            let plan = if *is_nested { &plan } else { &shown };
            plan.weight(&weights, true, 1.0)?;
            if let Some(view) = self.cx.snapshot.segments.get(*segment as usize) {
                rewriting.enter_explained(plan, view, *doc, true, &self.cx.weighing())?;
            }
        }
        let mut asked = profiler.finish();
        // Their parts belong to no slice.
        asked.iter_mut().flat_map(|query| &mut query.children).for_each(QueryProfile::put_aside);
        Ok(asked)
    }
}

/// What finds the nested documents to sort by, which the reference makes anew for each bucket in each segment.
fn made_anew(sorted_by: &[Plan], cx: &ShardContext) -> Result<Vec<QueryProfile>> {
    let Some(clock) = cx.profile.filter(|_| !sorted_by.is_empty()) else { return Ok(vec![]) };
    let profiler = QueryProfiler::new(clock).aside();
    let weights = WeightContext { profiler: Some(profiler.clone()), ..cx.weighing() };
    sorted_by.iter().try_for_each(|plan| plan.weight(&weights, false, 1.0).map(drop))?;
    Ok(profiler.finish())
}

/// By score; among equals the order of the index stays.
fn keep_best(hits: &mut Vec<ShardHit>, size: usize) {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.segment, a.doc).cmp(&(b.segment, b.doc))));
    hits.truncate(size);
}

impl Aggregator for TopHitsAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        // Samplers go over the segments a second time, and not over all of them.
        let segments = &self.cx.snapshot.segments;
        let at = segments.iter().position(|known| Arc::ptr_eq(&known.segment, &view.segment));
        self.segment = at.map(|at| at as u32);
        self.doc_base = segments.iter().take(at.unwrap_or(0)).map(|view| u64::from(view.max_doc())).sum();
        self.view = Some(view.clone());
        self.scores.as_mut().map_or(Ok(()), |scores| scores.enter_segment(view))
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let mut scored = std::mem::take(&mut self.scored);
        if let Some(scores) = &mut self.scores {
            scores.score_all(docs, &mut scored)?;
        }
        for (i, doc) in docs.iter().enumerate() {
            self.offer(*doc, owners.of(i), scored.get(i).copied())?;
        }
        self.scored = scored;
        Ok(())
    }

    fn fetch_profile(&mut self) -> Option<FetchProfile> {
        let mut fetched = self.fetched.pop()?;
        self.asked.append(&mut fetched.queries);
        Some(fetched)
    }

    fn asked_profile(&mut self) -> Vec<QueryProfile> {
        // What cannot be planned has failed the fetch before.
        let mut asked = std::mem::take(&mut self.asked);
        asked.append(&mut self.explaining_queries().unwrap_or_default());
        asked
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            // Owners may be asked for twice, each is found once.
            let (mut places, mut chosen) = (AHashMap::new(), vec![]);
            for owner in owners {
                if let Entry::Vacant(place) = places.entry(*owner) {
                    place.insert(chosen.len());
                    chosen.push(self.chosen(*owner)?);
                }
            }
            let found = self.fetch(chosen, pace).await?;
            Ok(owners.iter().map(|owner| Partial::TopHits(Box::new(found[places[owner]].clone()))).collect())
        })
    }
}
