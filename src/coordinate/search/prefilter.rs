//! Before the query phase: which shards need not be asked, since nothing on them can match, and which go first where hits are equal.

use super::asked::Asked;
use super::failures::phase_failed;
use super::phases::{Phase, PhasesTook};
use super::run::{SearchOptions, failure, question};
use crate::coordinate::Core;
use crate::coordinate::core::addr;
use crate::shards::{ShardReply, ShardRequest};
use pith_engine::Result;
use pith_engine::join::join_all;
use pith_engine::search::{CanMatch, FieldSort, SearchRequest, ShardFailure, SortBounds, SortBy};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// With more shards than this it is worth asking beforehand.
const THRESHOLD: usize = 128;

/// Takes the shards that cannot have a match out of the search; one always stays, to give an answer. Where hits are sorted by a
/// field, those go first that begin with the first values: of hits that are equal in all keys theirs stand first.
pub async fn prefilter(core: &Core, asked: &mut Asked, options: &SearchOptions, took: &mut PhasesTook) -> Result<()> {
    let request = asked.request.clone();
    let sorted = request.sort.first().filter(|sort| matches!(sort.by, SortBy::Field(_) | SortBy::Doc));
    let filters = request.query.as_ref().is_some_and(|query| !query.is_match_all())
        && !request.aggs_visit_all
        && request.suggest.is_none();
    // What nobody can write to has old documents, most likely.
    let read_only = || asked.targets.iter().any(|target| target.index.blocks().any(|block| block.forbids_writes()));
    let few = sorted.is_some() || read_only();
    let threshold = options.pre_filter_shard_size.unwrap_or(if few { 1 } else { THRESHOLD });
    if asked.targets.len() + asked.unassigned.len() > threshold && !options.global_statistics {
        asked.check_assigned("can_match", options.allow_partial)?;
    }
    let worth = asked.targets.len() > threshold && (filters || sorted.is_some());
    if !worth || options.global_statistics || !asked.can_be_changed() {
        return Ok(());
    }
    took.begin(Phase::CanMatch);
    forget_derived_sort(asked);
    let names: Vec<Arc<str>> = asked.targets.iter().map(|target| target.index.name.clone()).collect();
    super::lookups::resolve(core, &asked.requests, &names).await?;
    let answers = ask(core, asked).await;
    let failures: Vec<ShardFailure> = (answers.iter().zip(&asked.targets))
        .filter_map(|(answer, target)| Some(failure(core, target, answer.as_ref().ok()?.fails.clone()?)))
        .collect();
    if failures.len() == answers.len() {
        return Err(phase_failed("can_match", "all shards failed", &failures));
    }
    if let Some(sort) = sorted {
        let bounds: Vec<Option<&SortBounds>> =
            answers.iter().map(|answer| answer.as_ref().ok().and_then(|answer| answer.bounds.as_ref())).collect();
        let (order, keep) = (order(&bounds, sort.descending), keep(&answers, &request));
        asked.reorder(&order);
        asked.retain(&order.iter().map(|slot| keep[*slot]).collect::<Vec<_>>());
    } else {
        asked.retain(&keep(&answers, &request));
    }
    Ok(())
}

/// What asks shards beforehand knows nothing of the derived fields that a search brings along: to sort by one of these is to sort
/// by no field at all then.
fn forget_derived_sort(asked: &mut Asked) {
    for request in &mut asked.requests {
        let by_derived = match request.sort.first().map(|sort| &sort.by) {
            Some(SortBy::Field(FieldSort { name, unmapped_type: None, .. })) => {
                let top = name.split('.').next().unwrap_or(name);
                request.derived.contains_key(name.as_str()) || request.derived.contains_key(top)
            }
            _ => false,
        };
        if by_derived {
            Arc::make_mut(request).derived = Arc::default();
        }
    }
}

/// Which shards stay. One that cannot tell is asked again, and fails there.
fn keep(answers: &[Result<CanMatch>], request: &SearchRequest) -> Vec<bool> {
    let must = |answer: &Result<CanMatch>| !matches!(answer, Ok(CanMatch { matches: Ok(false), .. }));
    let mut keep: Vec<bool> = answers.iter().map(must).collect();
    if request.aggs_visit_all || request.suggest.is_some() {
        keep.fill(true);
    }
    if !keep.contains(&true)
        && let Some(first) = keep.first_mut()
    {
        *first = true;
    }
    keep
}

/// The slots in the order in which they are to stand: those without bounds last. Bounds of different kinds say nothing.
fn order(bounds: &[Option<&SortBounds>], descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bounds.len()).collect();
    let first = bounds.iter().flatten().next();
    let comparable = first.is_some_and(|first| bounds.iter().flatten().all(|b| first.compare(b, descending).is_some()));
    if comparable {
        order.sort_by(|a, b| match (bounds[*a], bounds[*b]) {
            (Some(a), Some(b)) => a.compare(b, descending).unwrap_or(Ordering::Equal),
            (a, b) => a.is_none().cmp(&b.is_none()),
        });
    }
    order
}

/// By slot: whether the shard can have a match.
pub async fn ask(core: &Core, asked: &Asked) -> Vec<Result<CanMatch>> {
    let mut by_core: BTreeMap<usize, (Vec<usize>, Vec<_>)> = BTreeMap::new();
    for (slot, target) in asked.targets.iter().enumerate() {
        let ShardRequest::Search(ask) = question(core, asked, slot, false) else { continue };
        let (slots, asks) = by_core.entry(target.core).or_default();
        slots.push(slot);
        asks.push((addr(&target.index, target.shard), ShardRequest::CanMatch(ask)));
    }
    let running = by_core.into_iter().map(|(at, (slots, asks))| async move { (slots, core.shards(at, asks).await) });
    let unknown = || Ok(CanMatch { matches: Ok(true), bounds: None, fails: None });
    let mut answers: Vec<Result<CanMatch>> = asked.targets.iter().map(|_| unknown()).collect();
    for (slots, replies) in join_all(running).await {
        for (slot, reply) in slots.into_iter().zip(replies) {
            answers[slot] = reply.and_then(|reply| match reply {
                ShardReply::CanMatch(answer) => Ok(answer),
                _ => unknown(),
            });
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_that_begin_with_the_first_values_go_first() {
        let whole = |from, to| SortBounds::Whole(from, to);
        let (a, b, text) = (whole(5, 9), whole(1, 20), SortBounds::Bytes(b"a".to_vec(), b"b".to_vec()));
        assert_eq!(order(&[None, Some(&a), Some(&b)], false), [2, 1, 0]);
        assert_eq!(order(&[Some(&a), Some(&whole(5, 7)), Some(&b)], true), [2, 0, 1]);
        assert_eq!(order(&[Some(&a), Some(&text), Some(&b)], false), [0, 1, 2]);
        assert_eq!(order(&[None, None], false), [0, 1]);
    }
}
