//! The results of all shards of a search to one.

use super::mixed_sort;
use super::request::SearchRequest;
use super::result::{ShardHit, ShardResult, SortValue};
use super::suggest::{Suggested, reduce_suggestions};
use crate::aggs::{self, ShardAggs};
use crate::error::{Error, Result};
use crate::profile::{FetchProfile, ShardProfile};
use std::cmp::Ordering;
use std::collections::HashSet;

/// The page of hits that the client sees, and the totals.
#[derive(Debug, Default)]
pub struct Reduced {
    /// The hits with the slots of their shards, best first.
    pub hits: Vec<(u32, ShardHit)>,
    /// Matches, and whether there are more; none if they were not counted.
    pub total: Option<(u64, bool)>,
    pub max_score: Option<f32>,
    pub aggs: Option<ShardAggs>,
    pub timed_out: bool,
    /// None if `terminate_after` was not asked for.
    pub terminated_early: Option<bool>,
    pub suggested: Option<Suggested>,
    /// By slot: where the time went, if that was asked for.
    pub profiles: Vec<(u32, Box<ShardProfile>)>,
}

impl Reduced {
    /// Adds what is known of fetching to the profile of its shard.
    pub fn add_fetch_profile(&mut self, slot: u32, fetch: Option<Box<FetchProfile>>) {
        let is_alone = self.profiles.len() == 1;
        let shard = self.profiles.iter_mut().find(|(at, _)| *at == slot);
        if let (Some((_, profile)), Some(mut fetch)) = (shard, fetch) {
            let inner = std::mem::take(&mut fetch.inner);
            if let Some(search) = profile.searches.first_mut() {
                search.queries.append(&mut fetch.queries);
            }
            if !is_alone {
                // Asked a second time, a shard tells of that alone, and not of what aggregations fetched before.
                profile.fetch.clear();
            }
            profile.fetch.push(*fetch);
            profile.fetch.extend(inner);
        }
    }

    /// Adds the documents that completions came from, and by slot what is known of fetching them: to the reference hits of the same
    /// shard are fetched with them.
    pub fn add_suggested(&mut self, objects: Vec<Vec<u8>>, fetched: Vec<(usize, Option<Box<FetchProfile>>)>) {
        if let Some(suggested) = &mut self.suggested {
            suggested.set_objects(objects);
        }
        let is_alone = self.profiles.len() == 1;
        for (slot, fetch) in fetched {
            let shard = self.profiles.iter_mut().find(|(at, _)| *at as usize == slot);
            let (Some((_, profile)), Some(fetch)) = (shard, fetch) else { continue };
            let began = !profile.fetch.is_empty();
            if !is_alone && profile.fetch.iter().all(|known| known.name != fetch.name) {
                profile.fetch.clear();
            }
            fetch.go_on_in(&mut profile.fetch, began);
        }
    }
}

/// About how much work it is to merge results, and to write the answer: the bytes of their buckets, for each pipeline anew.
pub fn reduce_weight<'r>(request: &SearchRequest, shards: impl Iterator<Item = &'r ShardResult>) -> usize {
    let Some(aggs) = &request.aggs else { return 0 };
    let bytes: usize = shards.filter_map(|shard| shard.aggs.as_ref()).map(ShardAggs::memory_bytes).sum();
    bytes.saturating_mul(1 + aggs.0.count_pipelines())
}

/// Merges results; `shards` are given with their slots, in the order in which equal hits are to stand. A shard that has left out hits
/// before the page is alone.
pub fn reduce(request: &SearchRequest, shards: Vec<(u32, ShardResult)>, max_buckets: u64) -> Result<Reduced> {
    let mut reduced = Reduced::default();
    let (mut total, mut more) = (0u64, false);
    let mut passed = 0;
    let mut hits: Vec<(u32, ShardHit)> = Vec::new();
    let (mut partials, mut suggestions) = (Vec::new(), Vec::new());
    for (slot, shard) in shards {
        total += shard.total;
        more |= shard.total_is_lower_bound;
        reduced.timed_out |= shard.timed_out;
        if let Some(early) = shard.terminated_early {
            reduced.terminated_early = Some(early || reduced.terminated_early.unwrap_or(false));
        }
        if let Some(score) = shard.max_score {
            reduced.max_score = Some(reduced.max_score.map_or(score, |max| max.max(score)));
        }
        passed += shard.passed;
        suggestions.extend(shard.suggestions.map(|found| (slot, found)));
        reduced.profiles.extend(shard.profile.map(|profile| (slot, profile)));
        hits.extend(shard.hits.into_iter().map(|hit| (slot, hit)));
        partials.extend(shard.aggs);
    }
    reduced.total =
        request.total_hits.limit().map(|limit| if more || total > limit { (limit, true) } else { (total, false) });
    if request.size == 0 {
        hits.clear();
        reduced.max_score = None;
    }
    check_comparable(request, &hits)?;
    // The sort is stable: among equals the order of shards, and of hits within a shard, stays.
    match mixed_sort::is_mixed(request, &hits) {
        true => {
            let most = request.from.saturating_sub(passed).saturating_add(request.size);
            let most = if request.collapse.is_some() { usize::MAX } else { most };
            hits = mixed_sort::merge(request, hits, most)?;
        }
        false => hits.sort_by(|(_, a), (_, b)| compare(request, a, b)),
    }
    if request.collapse.is_some() {
        let mut seen = HashSet::new();
        hits.retain(|(_, hit)| hit.group.as_ref().is_none_or(|group| seen.insert(group.to_text())));
    }
    reduced.hits = hits.into_iter().skip(request.from.saturating_sub(passed)).take(request.size).collect();
    // Where no shard was asked nothing is said of suggestions.
    let suggest = request.suggest.as_ref().filter(|_| !suggestions.is_empty());
    reduced.suggested = suggest.map(|suggest| reduce_suggestions(suggest, suggestions)).transpose()?;
    if let Some(aggs) = request.aggs.as_ref().filter(|_| !partials.is_empty()) {
        reduced.aggs = Some(aggs::reduce(aggs, partials, max_buckets)?);
    }
    Ok(reduced)
}

/// Unsigned numbers of one index cannot be put in order with the other numbers of another.
fn check_comparable(request: &SearchRequest, hits: &[(u32, ShardHit)]) -> Result<()> {
    for key in 0..request.sort.len() {
        let values = || hits.iter().filter_map(move |(_, hit)| hit.sort.get(key));
        let unsigned = values().any(|value| matches!(value, SortValue::ULong(_)));
        if unsigned && values().any(|v| matches!(v, SortValue::Long(_) | SortValue::Double(_) | SortValue::Float(_))) {
            return Err(Error::illegal_argument(
                "Can't do sort across indices, as a field has [unsigned_long] type in one index, and different type in \
                 another index!",
            ));
        }
    }
    Ok(())
}

/// The order of two hits of a request.
pub fn compare(request: &SearchRequest, a: &ShardHit, b: &ShardHit) -> Ordering {
    if request.sort.is_empty() {
        return a.order_by_score(b);
    }
    for (sort, (a, b)) in request.sort.iter().zip(a.sort.iter().zip(&b.sort)) {
        let order = a.compare(b, sort.descending, sort.null_first());
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
mod tests {
    use super::super::sort_parse::Sort;
    use super::*;

    fn hit(doc: u32, score: f32, sort: Vec<SortValue>) -> ShardHit {
        ShardHit { sort, ..ShardHit::scored(0, doc, score) }
    }

    #[test]
    fn scores_that_are_no_numbers_have_a_place() {
        let numbers = [f32::NAN, -f32::NAN, 1.0, 0.0, -0.0, f32::INFINITY, -2.0, f32::NEG_INFINITY];
        let mut hits: Vec<_> =
            (0..800).map(|doc| hit(doc, numbers[doc as usize * 5 % 8] * (1 + doc % 7) as f32, vec![])).collect();
        hits.sort_by(|a, b| a.order_by_score(b).then(a.doc.cmp(&b.doc)));
        let place = |hit: &ShardHit| (hit.score.is_nan() || hit.score == f32::INFINITY, hit.score);
        for pair in hits.windows(2) {
            let (before, after) = (place(&pair[0]), place(&pair[1]));
            let tied = before.0 && after.0 || before.1 == after.1;
            assert!(
                if tied { pair[0].doc < pair[1].doc } else { before.0 && !after.0 || before.1 > after.1 },
                "{pair:?}"
            );
        }
    }

    #[test]
    fn by_score_then_shard() {
        let request = SearchRequest { size: 3, ..SearchRequest::default() };
        let shard =
            |hits: Vec<ShardHit>| ShardResult { total: 2, max_score: Some(2.0), hits, ..ShardResult::default() };
        let shards = vec![
            (7, shard(vec![hit(1, 2.0, vec![]), hit(2, 1.0, vec![])])),
            (3, shard(vec![hit(0, 2.0, vec![]), hit(9, 0.5, vec![])])),
        ];
        let reduced = reduce(&request, shards, 1).unwrap();
        let order: Vec<(u32, u32)> = reduced.hits.iter().map(|(slot, hit)| (*slot, hit.doc)).collect();
        assert_eq!(order, [(7, 1), (3, 0), (7, 2)]);
        assert_eq!((reduced.total, reduced.max_score), (Some((4, false)), Some(2.0)));
    }

    #[test]
    fn by_sort_values_with_nulls_last() {
        let request =
            SearchRequest { sort: vec![Sort { descending: true, ..Sort::by_name("k") }], ..Default::default() };
        let text = |text: &str| vec![SortValue::Text(text.into())];
        let shards = vec![
            (0, ShardResult { hits: vec![hit(0, f32::NAN, vec![SortValue::Null])], ..Default::default() }),
            (
                1,
                ShardResult {
                    hits: vec![hit(1, f32::NAN, text("b")), hit(2, f32::NAN, text("a"))],
                    ..Default::default()
                },
            ),
        ];
        let order: Vec<u32> = reduce(&request, shards, 1).unwrap().hits.iter().map(|(_, hit)| hit.doc).collect();
        assert_eq!(order, [1, 2, 0]);
    }
}
