//! The inner hits of queries: for each hit the documents behind it, nested ones, children or the parent.

use super::super::budget::{Budget, Step};
use super::super::nested_place::NestedPlace;
use super::super::reduce::{Reduced, reduce};
use super::super::request::{SearchRequest, TotalHits};
use super::super::response::{ShardsHeader, write_hits};
use super::super::result::ShardHit;
use super::super::shard_search::{ShardScope, ShardSearch};
use super::super::source::{SourceSpec, StoredFields};
use super::super::top_sorted::TopSorted;
use super::{ByPath, FetchTask, document_order};
use crate::error::Result;
use crate::java_order::sort_by_slot;
use crate::json::Writer;
use crate::profile::{FetchProfile, QueryProfiler};
use crate::query::{Behind, Bool, Common, InnerQuery, Query, ShardContext, Weight, ids, key_field, parent_id};
use crate::score::{BlockIds, BoolPlan, Plan, Rewriting, WeightContext};
use crate::segment::{NO_MORE_DOCS, SegmentView};
use std::sync::Arc;

/// One definition of inner hits, ready for the hits of a shard.
pub struct InnerFetch {
    name: String,
    request: Arc<SearchRequest>,
    way: Way,
    /// Where the time went, if that is written down, of hits that were fetched by themselves.
    joined: Vec<FetchProfile>,
    /// The hits that documents behind were fetched of, if where the time goes is written down.
    behind: Vec<ShardHit>,
    /// How many nested documents were fetched of them.
    fetched: usize,
}

enum Way {
    /// Documents nested in the hit.
    Nested { path: String, place: NestedPlace, weight: Weight, task: Box<FetchTask> },
    /// Documents that have the same key in a column, for hits of these relations.
    Joined { join: Arc<str>, relations: Vec<String>, key: Arc<str>, child: Option<String>, query: Query },
    /// There is no such field in the index.
    Unmapped,
}

/// What the queries of a request ask for, in the order of the answer. `path` is that of the hits themselves.
pub fn of_request(request: &SearchRequest, cx: &ShardContext, path: Option<&str>) -> Result<Vec<InnerFetch>> {
    let mut all = vec![];
    for query in request.query.iter().chain(&request.post_filter) {
        for inner in query.inner_hits()? {
            all.push(InnerFetch::new(&inner, request, cx, path)?);
        }
    }
    sort_by_slot(&mut all, |inner| &inner.name);
    Ok(all)
}

/// Whether these hits, or some that are asked for behind them, are explained.
fn is_explained(inner: &InnerQuery) -> bool {
    let behind = || inner.query.inner_hits().is_ok_and(|behind| behind.iter().any(is_explained));
    inner.hits.request.explain || behind()
}

/// Queries with names that are no part of the main query.
fn named_around(outer: &SearchRequest, cx: &ShardContext) -> Vec<Query> {
    let own = outer.post_filter.iter().chain(outer.rescore.iter().map(|rescore| &rescore.query));
    outer.named_around.iter().chain(own).filter(|query| !query.named(cx).is_empty()).cloned().collect()
}

impl InnerFetch {
    fn new(inner: &InnerQuery, outer: &SearchRequest, cx: &ShardContext, path: Option<&str>) -> Result<Self> {
        let mut request = SearchRequest {
            query: Some(inner.query.clone()),
            total_hits: TotalHits::Exact,
            total_hits_as_int: outer.total_hits_as_int,
            named_scores: outer.named_scores,
            named_around: named_around(outer, cx),
            around: outer.around.clone().or_else(|| is_explained(inner).then(|| Arc::new(outer.clone()))),
            ..(*inner.hits.request).clone()
        };
        // What is nested in hits shows what it is nested in even where nothing is to be shown of it.
        if matches!(inner.behind, Behind::Nested(_)) && request.stored_fields == Some(StoredFields::None) {
            request.stored_fields = None;
            request.source.get_or_insert(SourceSpec::No);
        }
        let request = Arc::new(request);
        let joined = |parent: &str, child: Option<&str>| match cx.mapping.join_field() {
            Some(field) => Way::Joined {
                join: field.name.clone(),
                relations: match (child, field.relations()) {
                    (None, Some(relations)) => relations.children(parent).to_vec(),
                    _ => vec![parent.to_owned()],
                },
                key: key_field(field, parent),
                child: child.map(str::to_owned),
                query: inner.query.clone(),
            },
            None => Way::Unmapped,
        };
        let way = match inner.behind {
            Behind::Nested(own) if cx.mapping.nested_object(own).is_none() => Way::Unmapped,
            Behind::Nested(own) => Way::Nested {
                path: own.to_owned(),
                place: NestedPlace::new(path),
                weight: inner.query.plan_within(cx, Some(own))?.weight(
                    &WeightContext::new(&cx.snapshot, cx.mapping.similarities()),
                    request.orders_by_scores(),
                    1.0,
                )?,
                task: Box::new(FetchTask::within(&request, cx.clone(), vec![], Some(own.to_owned()), true)?),
            },
            Behind::Children(child) => {
                let relations = cx.mapping.join_field().and_then(|field| field.relations());
                match relations.and_then(|relations| relations.parent_of(child)) {
                    Some(parent) => joined(parent, Some(child)),
                    None => Way::Unmapped,
                }
            }
            Behind::Parent(parent) => joined(parent, None),
        };
        Ok(Self { name: inner.name().to_owned(), request, way, joined: vec![], behind: vec![], fetched: 0 })
    }

    /// What is nested shows the id of what it is nested in.
    pub fn hide_ids(&mut self) {
        if let Way::Nested { task, .. } = &mut self.way {
            task.hide_ids();
        }
    }

    /// Where the time of fetching went, if that is written down: what stands behind its hits stands behind it.
    pub fn profile(&self) -> Vec<FetchProfile> {
        let fetched = match &self.way {
            Way::Nested { task, .. } => task.profile(),
            _ => self.joined.first().cloned(),
        };
        let Some(mut fetched) = fetched else { return vec![] };
        let inner = std::mem::take(&mut fetched.inner);
        std::iter::once(FetchProfile { name: Some(format!("inner_hits[{}]", self.name)), ..fetched })
            .chain(inner)
            .collect()
    }

    /// Enters into the profile what finds the documents behind hits: the query once, and what belongs to each hit.
    pub fn ask(&self, cx: &ShardContext, weights: &WeightContext, profiler: &QueryProfiler) -> Result<()> {
        let hits = &self.behind;
        let Some(query) = self.request.query.as_ref().filter(|_| !hits.is_empty()) else { return Ok(()) };
        match &self.way {
            Way::Unmapped => {}
            Way::Nested { path, task, .. } => {
                let shown = query.shown(query.plan_among(cx, Some(path))?, true);
                shown.weight(weights, true, 1.0)?;
                for _ in hits {
                    let of_path = format!("ParentChildrenBlockJoinQuery (_nested_path:{path})");
                    profiler.enter("ParentChildrenBlockJoinQuery".to_owned(), of_path, || Ok(()))?;
                }
                for _ in 0..if self.request.explain { self.fetched } else { 0 } {
                    shown.weight(weights, true, 1.0)?;
                }
                task.inner.iter().try_for_each(|inner| inner.ask(cx, weights, profiler))?;
            }
            Way::Joined { join, relations, key, child, .. } => {
                let mut rewriting = Rewriting::new(profiler);
                let inner = query.shown(query.plan_within(cx, None)?, true);
                let mut is_first = true;
                for hit in hits {
                    let Some(view) = cx.snapshot.segments.get(hit.segment as usize) else { continue };
                    let Some(id) = key_of(view, hit, join, relations, key) else { continue };
                    if std::mem::take(&mut is_first) {
                        inner.weight(weights, true, 1.0)?;
                    }
                    // Nobody scores it.
                    let plan = match behind(child.as_deref(), id).bare_plan(cx)?.constant().simplify() {
                        Plan::Constant(inner) => *inner,
                        plan => plan,
                    };
                    plan.weight(weights, false, 1.0)?;
                    // The hits behind it are looked for in all segments that have some.
                    for view in &cx.snapshot.segments {
                        if rewriting.may_match(&plan, view, false) && rewriting.may_match(&inner, view, true) {
                            rewriting.enter(&plan, view, false)?;
                            rewriting.enter(&inner, view, true)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the hits behind a hit, after their name.
    pub fn write(&mut self, view: &SegmentView, hit: &ShardHit, cx: &ShardContext, w: &mut Writer) -> Result<()> {
        if cx.profile.is_some() {
            self.behind.push(hit.clone());
        }
        let (request, hits, reduced) = match &mut self.way {
            Way::Unmapped => return Ok(()),
            Way::Nested { place, weight, task, .. } => {
                let reduced = best_nested(&self.request, view, hit, cx, place, weight)?;
                if let Some(profiling) = task.profiling.as_mut().filter(|_| !reduced.hits.is_empty()) {
                    profiling.begin();
                }
                self.fetched += reduced.hits.len();
                let hits = reduced.hits.iter().map(|(_, hit)| task.fetch(hit)).collect::<Result<Vec<_>>>()?;
                (self.request.clone(), hits, reduced)
            }
            Way::Joined { join, relations, key, child, query } => match key_of(view, hit, join, relations, key) {
                Some(id) => find_joined(&self.request, cx, query, child.as_deref(), id, &mut self.joined)?,
                None => (self.request.clone(), vec![], Reduced { total: Some((0, false)), ..Reduced::default() }),
            },
        };
        w.key(&self.name).begin_object().key("hits");
        let shards = ShardsHeader { total: 1, successful: 1, ..ShardsHeader::default() };
        write_hits(request.total_hits_as_int, &shards, &reduced, &hits, w);
        w.end_object();
        Ok(())
    }
}

/// The best of the documents nested in a hit.
fn best_nested(
    request: &SearchRequest,
    view: &SegmentView,
    hit: &ShardHit,
    cx: &ShardContext,
    place: &mut NestedPlace,
    weight: &mut Weight,
) -> Result<Reduced> {
    let (mut docs, mut scores) = (vec![], vec![]);
    if let Some(mut scorer) = weight.scorer(view)? {
        let first = place.first_within(view, hit.segment, hit.doc);
        let mut doc = if scorer.doc() < first { scorer.advance(first) } else { scorer.doc() };
        while doc < hit.doc && doc != NO_MORE_DOCS {
            docs.push(doc);
            scores.push(scorer.score());
            doc = scorer.next();
        }
    }
    let total = docs.len() as u64;
    let size = request.from.saturating_add(request.size);
    // Hits that are sorted tell no scores, only the best of them where scores are tracked: though nobody needs them then.
    let told = request.sort.is_empty() || request.track_scores;
    let max_score = scores.iter().copied().reduce(f32::max).filter(|_| told && request.size > 0);
    let hits = if request.sort.is_empty() {
        let scored = docs.iter().zip(&scores).map(|(doc, score)| ShardHit::scored(hit.segment, *doc, *score));
        let mut hits: Vec<ShardHit> = scored.collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    } else {
        let before = cx.snapshot.segments.iter().take(hit.segment as usize);
        let doc_base = before.map(|view| u64::from(view.max_doc())).sum();
        let mut top = TopSorted::new(&request.sort, None, size, cx)?;
        top.enter_segment(hit.segment, view, doc_base)?;
        top.offer(view, &docs, if request.orders_by_scores() { &scores } else { &[] });
        top.check()?;
        let mut hits = top.finish();
        hits.iter_mut().for_each(|hit| hit.score = f32::NAN);
        hits
    };
    let hits = hits.into_iter().skip(request.from).take(request.size).map(|hit| (0, hit)).collect();
    Ok(Reduced { hits, total: Some((total, false)), max_score, ..Reduced::default() })
}

/// The key that a hit of one of the relations shares with the documents behind it.
fn key_of(view: &SegmentView, hit: &ShardHit, join: &str, relations: &[String], key: &str) -> Option<String> {
    let text = |name: &str| {
        let column = view.segment.field(name)?.ordinals()?;
        Some(String::from_utf8_lossy(&column.term(column.first(hit.doc)?)).into_owned())
    };
    text(key).filter(|_| text(join).is_some_and(|own| relations.contains(&own)))
}

/// What belongs to a hit: its children, or its parent.
fn behind(child: Option<&str>, id: String) -> Query {
    match child {
        Some(child) => parent_id(child, &id),
        None => ids(vec![id]),
    }
}

type FoundHits = (Arc<SearchRequest>, Vec<Vec<u8>>, Reduced);

/// The children of a parent, or the parent of a child, on this shard: both are there.
fn find_joined(
    request: &Arc<SearchRequest>,
    cx: &ShardContext,
    query: &Query,
    child: Option<&str>,
    id: String,
    profiles: &mut Vec<FetchProfile>,
) -> Result<FoundHits> {
    // What is nested in a parent bears its id as well, and nothing keeps it away.
    let blocks = (child.is_none() && cx.mapping.has_nested()).then(|| Plan::custom(BlockIds(vec![id.clone()])));
    let both = Bool { must: vec![query.clone()], filter: vec![behind(child, id)], ..Bool::default() };
    let own = Some(Query::new(Common::default(), both));
    let own = Arc::new(SearchRequest { query: own, ..(**request).clone() });
    // How they are found is no search of its own, to profiles.
    let unseen = ShardContext { profile: None, ..cx.clone() };
    let mut search = match blocks {
        Some(blocks) => {
            let must = vec![query.plan_within(&unseen, None)?];
            let plan = Plan::Bool(BoolPlan { must, filter: vec![blocks], ..BoolPlan::default() });
            ShardSearch::planned(&own, unseen, &ShardScope::default(), plan.simplify())?
        }
        None => ShardSearch::new(&own, unseen)?,
    };
    while search.run(&Budget::unlimited())? == Step::Yield {}
    let mut reduced = reduce(request, vec![(0, search.finish()?)], cx.limits.max_buckets)?;
    if !request.sort.is_empty() {
        reduced.max_score = reduced.max_score.filter(|_| request.track_scores);
        reduced.hits.iter_mut().for_each(|(_, hit)| hit.score = f32::NAN);
    }
    let hits: Vec<ShardHit> = reduced.hits.iter().map(|(_, hit)| hit.clone()).collect();
    let mut found = ByPath::default();
    let mut objects = vec![vec![]; hits.len()];
    for place in document_order(&hits) {
        objects[place as usize] = found.fetch(request, cx, &hits[place as usize])?;
    }
    for (_, task) in found.tasks {
        task.finish().1.into_iter().for_each(|profile| profile.add_to(profiles));
    }
    Ok((request.clone(), objects, reduced))
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::shard;
    use super::*;

    #[test]
    fn what_stands_behind_inner_hits_is_profiled_as_well() {
        let mapping = r#"{"properties":{"o":{"type":"nested","properties":{"p":{"type":"nested","properties":{"n":{"type":"integer"}}}}}}}"#;
        let doc = r#"{"o":[{"p":[{"n":1},{"n":2}]},{"p":{"n":3}}]}"#;
        let mut cx = shard(mapping, &[&[doc]]);
        cx.profile = Some(|| 0);
        let body = r#"{"query":{"nested":{"path":"o","inner_hits":{"name":"i"},"query":{"nested":{"path":"o.p","inner_hits":{"name":"j"},
            "query":{"range":{"o.p.n":{"gte":2}}}}}}}}"#;
        let request = Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap());
        let mut search = ShardSearch::new(&request, cx.clone()).unwrap();
        search.run(&Budget::unlimited()).unwrap();
        let mut task = FetchTask::new(&request, cx, search.finish().unwrap().hits).unwrap();
        while task.run(&Budget::unlimited()).unwrap() == Step::Yield {}
        let profile = task.finish().1.unwrap();
        let counts = |profile: &FetchProfile| {
            let counts: Vec<u64> = profile.breakdown.0.iter().map(|timer| timer.count()).collect();
            (profile.name.clone().unwrap_or_default(), counts)
        };
        let inner: Vec<(String, Vec<u64>)> = profile.inner.iter().map(counts).collect();
        // Processors, visitors, readers, sources, stored fields: one hit with two behind it, and one behind each of these.
        assert_eq!(
            inner,
            [("inner_hits[i]".to_owned(), vec![1, 1, 1, 2, 0]), ("inner_hits[j]".to_owned(), vec![2, 2, 2, 2, 0]),]
        );
        let types: Vec<&str> = profile.queries.iter().map(|query| query.type_name.as_str()).collect();
        let behind = "ParentChildrenBlockJoinQuery";
        assert_eq!(types, ["OpenSearchToParentBlockJoinQuery", behind, "ApproximateScoreQuery", behind, behind]);
    }
}
