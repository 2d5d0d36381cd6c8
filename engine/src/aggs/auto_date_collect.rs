//! The collecting half of auto_date_histogram: keys get coarser as more of them are seen.

use super::auto_date_histogram::{AutoDateBuckets, AutoDateHistogram, LEVELS};
use super::kind::{Aggregator, Built, Owners, Subs, check_shard_buckets};
use super::partial::{Bucket, Partial};
use super::profile::Details;
use super::rounding::Rounding;
use super::source::{Recode, Source};
use crate::error::Result;
use crate::json::Value;
use crate::pace::Pace;
use crate::score::Selection;
use crate::segment::{Points, SegmentView};
use ahash::{AHashMap, AHashSet};

/// What one owner has seen: the level its keys are rounded to so far, and those keys.
struct OwnerKeys {
    level: usize,
    /// Below many buckets: how many keys there are, as the reference estimates it.
    estimate: i64,
    keys: AHashSet<i64>,
    min: i64,
    max: i64,
}

impl OwnerKeys {
    fn new(level: usize) -> Self {
        Self { level, estimate: 0, keys: AHashSet::new(), min: i64::MAX, max: i64::MIN }
    }
}

pub(super) struct AutoDateAggregator {
    kind: AutoDateHistogram,
    roundings: Vec<Rounding>,
    source: Source,
    subs: Subs,
    owners: AHashMap<u32, OwnerKeys>,
    below_many: bool,
    /// Keys that are no more, as they are estimated, and how many there have to be for all keys to be rounded anew.
    wasted: i64,
    next_rounding: i64,
    roundings_anew: u64,
    /// Owner, key at the level of its time, and count. Buckets of a level that was left are merged when results are built.
    buckets: Vec<(u32, i64, u64)>,
    values: Vec<i64>,
}

impl AutoDateAggregator {
    pub fn new(kind: AutoDateHistogram, source: Source, subs: Subs, below_many: bool) -> Self {
        let roundings = (0..LEVELS.len()).map(|level| kind.rounding(level)).collect();
        Self {
            kind,
            roundings,
            source,
            subs,
            owners: AHashMap::new(),
            below_many,
            wasted: 0,
            next_rounding: 1000,
            roundings_anew: 0,
            buckets: vec![],
            values: vec![],
        }
    }

    /// The key of a moment for an owner, after raising the owner's level as far as its keys need.
    fn key(&mut self, owner: u32, ms: i64) -> i64 {
        let (kind, roundings) = (&self.kind, &self.roundings);
        let state = self.owners.entry(owner).or_insert_with(|| OwnerKeys::new(kind.finest));
        let key = roundings[state.level].round(ms);
        if !state.keys.insert(key) {
            return key;
        }
        if self.below_many {
            return self.key_by_estimate(owner, ms);
        }
        (state.min, state.max) = (state.min.min(key), state.max.max(key));
        let span_ms = state.max.saturating_sub(state.min);
        while state.level + 1 < LEVELS.len() && kind.exceeds(state.level, state.keys.len(), span_ms) {
            state.level += 1;
            state.keys = state.keys.iter().map(|key| roundings[state.level].round(*key)).collect();
        }
        roundings[state.level].round(ms)
    }
}

impl AutoDateAggregator {
    /// The key of a moment whose key is new to an owner. Where there may be many owners, the reference rounds their keys anew
    /// only when much is to be gained, and estimates till then how many there are.
    fn key_by_estimate(&mut self, owner: u32, ms: i64) -> i64 {
        let Self { kind, roundings, owners, .. } = self;
        let Some(state) = owners.get_mut(&owner) else { return ms };
        let key = roundings[state.level].round(ms);
        state.estimate += 1;
        if state.level + 1 >= LEVELS.len() {
            return key;
        }
        (state.min, state.max) = (state.min.min(key), state.max.max(key));
        let span_ms = state.max.saturating_sub(state.min);
        if !kind.exceeds(state.level, state.estimate as usize, span_ms) {
            return key;
        }
        let (from, mut estimate) = (state.level, state.estimate);
        while state.level == from
            || state.level + 1 < LEVELS.len() && kind.exceeds(state.level, estimate as usize, span_ms)
        {
            state.level += 1;
            let ratio = LEVELS[from].rough_ms as f64 / LEVELS[state.level].rough_ms as f64;
            estimate = (state.estimate as f64 * ratio).ceil() as i64;
        }
        let rounding = &roundings[state.level];
        (state.min, state.max) = (rounding.round(state.min), rounding.round(state.max));
        self.wasted += state.estimate - estimate;
        if self.wasted <= self.next_rounding {
            state.estimate = estimate;
            return rounding.round(ms);
        }
        for state in owners.values_mut() {
            state.keys = state.keys.iter().map(|key| roundings[state.level].round(*key)).collect();
            state.estimate = state.keys.len() as i64;
        }
        (self.wasted, self.next_rounding) = (0, self.next_rounding * 2);
        self.roundings_anew += 1;
        self.roundings[self.owners[&owner].level].round(ms)
    }
}

/// Buckets are counted from points if each is expected to hold at least this many documents.
const DOCS_PER_BUCKET: u64 = 32;

impl AutoDateAggregator {
    /// Makes one bucket of those whose keys have come to be the same, as long as no sub-aggregation has seen their documents.
    fn join_buckets(&mut self) {
        let mut first: AHashMap<(u32, i64), u32> = AHashMap::new();
        let mut same = Vec::with_capacity(self.buckets.len());
        for (number, (owner, key, _)) in self.buckets.iter().enumerate() {
            let level = self.owners.get(owner).map_or(self.kind.finest, |state| state.level);
            same.push(*first.entry((*owner, self.roundings[level].round(*key))).or_insert(number as u32));
        }
        if !self.subs.join_waiting(&same) {
            return;
        }
        for (number, into) in same.iter().enumerate().filter(|(number, into)| *number != **into as usize) {
            let count = std::mem::take(&mut self.buckets[number].2);
            self.buckets[*into as usize].2 += count;
        }
    }

    /// Begins with the level that what is asked for takes, as far as there are points: the reference does not see whether all of that
    /// has documents.
    fn begin_with(&mut self, points: &Points, (lo, hi): (i64, i64)) {
        let (Some(min), Some(max)) = (points.min(), points.max()) else { return };
        let (lo, hi) = (lo.max(min), hi.min(max));
        if lo > hi || self.source.recode != Recode::Never {
            return;
        }
        let level = self.kind.level_of_range(lo, hi);
        let state = self.owners.entry(0).or_insert_with(|| OwnerKeys::new(level));
        if state.level < level {
            state.level = level;
            state.keys = state.keys.iter().map(|key| self.roundings[level].round(*key)).collect();
        }
    }

    /// Counts the points in `lo..=hi` by the keys of the finest level that they and the keys seen before leave. False if that would
    /// be more work than to look at the documents.
    fn count_points(&mut self, points: &Points, (lo, hi): (i64, i64)) -> Result<bool> {
        let (start, end) = points.bounds(lo, hi);
        if start >= end {
            return Ok(true);
        }
        let (first, last) = (points.value_at(start), points.value_at(end - 1));
        let before = self.owners.remove(&0).unwrap_or_else(|| OwnerKeys::new(self.kind.finest));
        let mut level = before.level;
        let counted = loop {
            let rounding = &self.roundings[level];
            let (min, max) = (before.min.min(rounding.round(first)), before.max.max(rounding.round(last)));
            let span_ms = max.saturating_sub(min);
            let can_rise = level + 1 < LEVELS.len();
            if can_rise && self.kind.exceeds(level, 0, span_ms) {
                level += 1;
                continue;
            }
            let expected = last.saturating_sub(first) / LEVELS[level].rough_ms + 1;
            if expected as u64 > (end - start) / DOCS_PER_BUCKET {
                break None;
            }
            let mut keys: AHashSet<i64> = before.keys.iter().map(|key| rounding.round(*key)).collect();
            let (mut counts, mut key) = (vec![], rounding.round(first));
            while key <= last {
                let next = rounding.next(key);
                let count = points.count(key.max(lo), (next - 1).min(hi));
                if count > 0 {
                    keys.insert(key);
                    counts.push((key, count));
                }
                key = next;
            }
            if can_rise && self.kind.exceeds(level, keys.len(), span_ms) {
                level += 1;
                continue;
            }
            break Some((OwnerKeys { level, estimate: 0, keys, min, max }, counts));
        };
        let Some((state, counts)) = counted else {
            if !before.keys.is_empty() || before.level > self.kind.finest {
                self.owners.insert(0, before);
            }
            return Ok(false);
        };
        self.owners.insert(0, state);
        check_shard_buckets(self.buckets.len() + counts.len())?;
        self.buckets.extend(counts.into_iter().map(|(key, count)| (0, key, count)));
        Ok(true)
    }
}

impl Aggregator for AutoDateAggregator {
    /// Counts each bucket by two searches in the points of the field.
    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        if self.source.is_mapped() && !self.source.is_date() {
            return Ok(false);
        }
        let Some((points, bounds)) = self.source.selected_points(view, selection) else { return Ok(false) };
        if self.below_many {
            return Ok(false);
        }
        if !matches!(selection, Selection::Range { bare: false, .. }) {
            self.begin_with(points, bounds);
        }
        Ok(self.subs.is_empty() && self.count_points(points, bounds)?)
    }

    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        // Documents of neighbouring times fall into the same bucket; a map is asked when the bucket changes.
        let mut recent: Option<(u32, (i64, i64), u32)> = None;
        let mut numbers: AHashMap<(u32, i64), u32> = AHashMap::new();
        let mut values = std::mem::take(&mut self.values);
        // Numbers that are no dates are milliseconds as well.
        let encoded = !self.source.is_integral() || self.source.is_unsigned();
        for (i, &doc) in docs.iter().enumerate() {
            self.source.numbers(doc, &mut values)?;
            if encoded {
                values.iter_mut().for_each(|value| *value = self.source.decode(*value) as i64);
            }
            let (owner, mut last) = (owners.of(i), None);
            for &ms in &values {
                if let Some((_, (from, _), bucket)) =
                    recent.filter(|(of, (from, to), _)| *of == owner && (*from..*to).contains(&ms))
                {
                    if last.replace(from) != Some(from) {
                        self.buckets[bucket as usize].2 += 1;
                        self.subs.push(doc, bucket)?;
                    }
                    continue;
                }
                let key = self.key(owner, ms);
                if last.replace(key) == Some(key) {
                    continue;
                }
                let next = self.buckets.len() as u32;
                let bucket = *numbers.entry((owner, key)).or_insert(next);
                if bucket == next {
                    check_shard_buckets(self.buckets.len())?;
                    self.buckets.push((owner, key, 0));
                }
                self.buckets[bucket as usize].2 += 1;
                self.subs.push(doc, bucket)?;
                // Estimates go by every key that is asked for.
                if !self.below_many {
                    let level = self.owners.get(&owner).map_or(self.kind.finest, |state| state.level);
                    recent = Some((owner, (key, self.roundings[level].next(key)), bucket));
                }
            }
        }
        self.values = values;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            self.join_buckets();
            let mut by_owner: AHashMap<u32, Vec<u32>> = AHashMap::new();
            for (number, (owner, ..)) in self.buckets.iter().enumerate().filter(|(_, (.., count))| *count > 0) {
                by_owner.entry(*owner).or_default().push(number as u32);
            }
            let lists: Vec<Vec<u32>> = owners.iter().map(|o| by_owner.remove(o).unwrap_or_default()).collect();
            let flat: Vec<u32> = lists.iter().flatten().copied().collect();
            let mut rows = self.subs.build(&flat, pace).await?.into_iter();
            let mut results = Vec::with_capacity(owners.len());
            for (owner, numbers) in owners.iter().zip(lists) {
                let level = self.owners.get(owner).map_or(self.kind.finest, |state| state.level);
                // Several buckets may still have the same key; merging them is the reduction's work then.
                let buckets = numbers
                    .into_iter()
                    .zip(rows.by_ref())
                    .map(|(n, subs)| {
                        let (_, key, count) = self.buckets[n as usize];
                        (self.roundings[level].round(key), Bucket { count: count + self.subs.beyond(n), subs })
                    })
                    .collect();
                let format = self.source.format().clone();
                results.push(Partial::AutoDate(Box::new(AutoDateBuckets { buckets, format, level, inner: 1 })));
            }
            Ok(results)
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let rounded = |state: &OwnerKeys| {
            state.keys.iter().map(|key| self.roundings[state.level].round(*key)).collect::<AHashSet<_>>().len() as u64
        };
        let mut debug = vec![("surviving_buckets", Value::UInt(self.owners.values().map(rounded).sum()))];
        let many = self.below_many || !self.source.is_mapped();
        if many {
            debug.push(("wasted_buckets_overestimate", Value::from(self.wasted)));
            debug.push(("next_rebucket_at", Value::from(self.next_rounding)));
            // All keys are rounded anew once more when results are built.
            debug.push(("rebucket_count", Value::UInt(self.roundings_anew + 1)));
        }
        // Values are read one by one here.
        debug.push(("skiplist_collectors_used", Value::UInt(0)));
        let class = match many {
            true => "AutoDateHistogramAggregator.FromMany",
            false => "AutoDateHistogramAggregator.FromSingle",
        };
        let shows_optimized = self.roundings[0].is_plain();
        Details { class: Some(class), debug, shows_optimized, defers: false }
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn points_are_counted_as_documents_are() {
        let mapping = r#"{"properties":{"d":{"type":"date"},"k":{"type":"keyword"}}}"#;
        // Two segments: hours of a month, then a few moments years before.
        let doc = |ms: i64| format!(r#"{{"d":{ms},"k":"a"}}"#);
        let month: Vec<String> = (0..3_000).map(|n| doc(1_600_000_000_000 + n % 700 * 3_600_000 + n)).collect();
        let old: Vec<String> = (0..400).map(|n| doc(1_300_000_000_000 + n * 60_000)).collect();
        let texts = |docs: &'static [String]| docs.iter().map(String::as_str).collect::<Vec<&str>>();
        let (month, old) = (texts(month.leak()), texts(old.leak()));
        for segments in [&[&month[..]][..], &[&month[..], &old[..]], &[&old[..], &month[..1_000], &month[1_000..]]] {
            let cx = shard(mapping, segments);
            for buckets in [1, 2, 10, 40, 90] {
                for more in ["", r#","minimum_interval":"hour""#, r#","time_zone":"America/New_York""#] {
                    let ask = |query: &str| {
                        let agg = format!(r#"{{"auto_date_histogram":{{"field":"d","buckets":{buckets}{more}}}}}"#);
                        let answer = search(&cx, &format!(r#"{{"size":0,"query":{query},"aggs":{{"a":{agg}}}}}"#));
                        answer.split_once(r#""aggregations""#).unwrap_or_else(|| panic!("{answer}")).1.to_owned()
                    };
                    let documents = ask(r#"{"term":{"k":"a"}}"#);
                    assert_eq!(ask(r#"{"match_all":{}}"#), documents, "{buckets}{more}");
                    let some = r#"{"range":{"d":{"gte":1600003600000,"lt":1601000000000}}}"#;
                    let also = format!(r#"{{"bool":{{"filter":[{some},{{"term":{{"k":"a"}}}}]}}}}"#);
                    assert_eq!(ask(some), ask(&also), "{buckets}{more}");
                }
            }
        }
    }

    #[test]
    fn what_is_asked_for_tells_the_interval_where_little_is_found() {
        let docs = [r#"{"d":"1984-10-01"}"#, r#"{"d":"1984-10-01"}"#, r#"{"d":"1990-01-01"}"#, r#"{"d":"1980-01-01"}"#];
        let cx = shard(r#"{"properties":{"d":{"type":"date"}}}"#, &[&docs]);
        for (query, interval) in [
            (r#"{"term":{"d":"1984-10-01"}}"#, "1h"),
            (r#"{"constant_score":{"filter":{"term":{"d":"1984-10-01"}}}}"#, "1h"),
            (r#"{"bool":{"filter":{"term":{"d":"1984-10-01"}}}}"#, "1s"),
            (r#"{"terms":{"d":["1984-10-01","1985-10-01"]}}"#, "1s"),
        ] {
            for below in ["", r#","aggs":{"m":{"max":{"field":"d"}}}"#] {
                let agg = format!(r#"{{"auto_date_histogram":{{"field":"d"}}{below}}}"#);
                let answer = search(&cx, &format!(r#"{{"size":0,"query":{query},"aggs":{{"a":{agg}}}}}"#));
                assert!(answer.contains(&format!(r#""interval":"{interval}""#)), "{query}: {answer}");
            }
        }
    }

    #[test]
    fn numbers_far_apart_do_not_make_all_the_intervals_between_them() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":0}"#, r#"{"n":4000000000000000000}"#]]);
        let answer = search(&cx, r#"{"size":0,"aggs":{"a":{"auto_date_histogram":{"field":"n","buckets":10}}}}"#);
        assert!(answer.contains("Trying to create too many buckets."), "{answer}");
    }
}
