//! auto_date_histogram: about as many buckets of time as asked for, in the finest step that allows it.

use super::date_histogram::parse_zone;
use super::format::Format;
use super::kind::{Aggregator, Kind, Owners, ReduceContext, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, empty_bucket, mismatch, reduce_buckets, render_bucket};
use super::profile::Details;
use super::rounding::{Interval, Rounding, Unit};
use super::source::{Source, SourceConfig};
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::query::ShardContext;
use crate::segment::SegmentView;
use ahash::{AHashMap, AHashSet};
use jiff::tz::TimeZone;

const BUCKETS_DEFAULT: usize = 10;
/// The default of `search.max_buckets` over the widest inner interval of the levels below years.
const BUCKETS_CEILING: usize = 65_535 / 30;

/// A step of time, and how many of them may be put together.
struct Level {
    unit: Unit,
    name: &'static str,
    abbreviation: &'static str,
    rough_ms: i64,
    inner: &'static [i64],
}

const LEVELS: [Level; 6] = [
    Level { unit: Unit::Second, name: "second", abbreviation: "s", rough_ms: 1000, inner: &[1, 5, 10, 30] },
    Level { unit: Unit::Minute, name: "minute", abbreviation: "m", rough_ms: 60_000, inner: &[1, 5, 10, 30] },
    Level { unit: Unit::Hour, name: "hour", abbreviation: "h", rough_ms: 3_600_000, inner: &[1, 3, 12] },
    Level { unit: Unit::Day, name: "day", abbreviation: "d", rough_ms: 86_400_000, inner: &[1, 7] },
    Level { unit: Unit::Month, name: "month", abbreviation: "M", rough_ms: 30 * 86_400_000, inner: &[1, 3] },
    Level {
        unit: Unit::Year,
        name: "year",
        abbreviation: "y",
        rough_ms: 365 * 86_400_000,
        inner: &[1, 5, 10, 20, 50, 100],
    },
];

impl Level {
    fn inner_max(&self) -> i64 {
        *self.inner.last().expect("every level has an interval")
    }
}

#[derive(Debug)]
struct AutoDateHistogram {
    source: SourceConfig,
    target: i64,
    /// The finest level allowed.
    finest: usize,
    zone: TimeZone,
}

/// Buckets of a level, ascending by key.
#[derive(Debug, Clone)]
pub struct AutoDateBuckets {
    pub(crate) buckets: Vec<(i64, Bucket)>,
    pub(crate) format: Format,
    level: usize,
    /// How many steps of the level a bucket is wide.
    inner: i64,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut source = SourceConfig::default();
    let (mut target, mut finest) = (BUCKETS_DEFAULT as i64, 0);
    for entry in &map.entries {
        match entry.key.as_str() {
            "buckets" => {
                target = cx.int(entry)?;
                if target <= 0 {
                    let refusal = format!("buckets must be greater than 0 for [{}]", cx.name);
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
            }
            "minimum_interval" => finest = parse_finest(entry, cx)?,
            _ if source.accept(entry, cx)? => {}
            _ => {
                let known = [&["buckets", "minimum_interval"], SourceConfig::FIELDS].concat();
                return Err(cx.unknown_field(entry, &known));
            }
        }
    }
    source.check()?;
    let zone = source.time_zone.as_deref().map(parse_zone).transpose()?.unwrap_or(TimeZone::UTC);
    Ok(Box::new(AutoDateHistogram { source, target, finest, zone }))
}

fn parse_finest(entry: &Entry, cx: &ParseContext<'_>) -> Result<usize> {
    let name = cx.string(entry)?;
    LEVELS.iter().position(|level| level.name == name).ok_or_else(|| {
        let refusal = "minimum_interval must be one of [[month, hour, minute, year, day, second]]";
        cx.failed_field(entry, Error::illegal_argument(refusal))
    })
}

impl AutoDateHistogram {
    fn rounding(&self, level: usize) -> Rounding {
        Rounding::new(Interval::Calendar(LEVELS[level].unit), self.zone.clone(), 0)
    }

    /// Whether so many buckets over so much time are more than the level may have.
    fn exceeds(&self, level: usize, buckets: usize, span_ms: i64) -> bool {
        let most = self.target.saturating_mul(LEVELS[level].inner_max());
        buckets as i64 > most || span_ms > most.saturating_mul(LEVELS[level].rough_ms)
    }

    /// The level whose steps from the first to the last key are no more than it may have.
    fn level_for(&self, first: i64, last: i64, from: usize) -> usize {
        if from == LEVELS.len() - 1 {
            return from;
        }
        let mut level = from;
        for (i, candidate) in LEVELS.iter().enumerate().skip(from + 1) {
            // A rough estimate first: counting the steps of seconds over years would take long.
            if (last - first) / candidate.rough_ms < self.target.saturating_mul(candidate.inner_max()) {
                level = i - 1;
                break;
            }
            level = i;
        }
        loop {
            let mut steps = 0i64;
            let rounding = self.rounding(level);
            let most = self.target.saturating_mul(LEVELS[level].inner_max());
            let mut key = first;
            while key < last && steps <= most {
                steps += 1;
                key = rounding.next(key);
            }
            if steps <= most || level == LEVELS.len() - 1 {
                return level;
            }
            level += 1;
        }
    }

    fn merge_to(
        &self,
        agg: &Agg,
        buckets: Vec<(i64, Bucket)>,
        level: usize,
        cx: &mut ReduceContext,
    ) -> Result<Vec<(i64, Bucket)>> {
        let rounding = self.rounding(level);
        merge_by(agg, buckets.into_iter().map(|(key, bucket)| (rounding.round(key), bucket)).collect(), cx)
    }

    fn fill(&self, agg: &Agg, buckets: Vec<(i64, Bucket)>, level: usize) -> Vec<(i64, Bucket)> {
        let rounding = self.rounding(level);
        let mut filled: Vec<(i64, Bucket)> = Vec::with_capacity(buckets.len());
        for (key, bucket) in buckets {
            if let Some(mut at) = filled.last().map(|(last, _)| rounding.next(*last)) {
                while at < key {
                    filled.push((at, empty_bucket(&agg.subs)));
                    at = rounding.next(at);
                }
            }
            filled.push((key, bucket));
        }
        filled
    }

    /// Puts neighbours together until there are no more buckets than asked for, if any inner interval does it.
    fn widen(
        &self,
        agg: &Agg,
        buckets: Vec<(i64, Bucket)>,
        level: usize,
        cx: &mut ReduceContext,
    ) -> Result<(Vec<(i64, Bucket)>, i64)> {
        let n = buckets.len() as i64;
        let fits = LEVELS[level].inner.iter().find(|inner| (n + **inner - 1) / **inner <= self.target);
        let Some(&inner) = fits.filter(|_| n > self.target) else { return Ok((buckets, 1)) };
        let mut widened = vec![];
        let mut rest = buckets.into_iter().peekable();
        while let Some((key, first)) = rest.next() {
            let mut together = vec![first];
            together.extend(rest.by_ref().take(inner as usize - 1).map(|(_, bucket)| bucket));
            widened.push((key, reduce_buckets(&agg.subs, together, cx)?));
        }
        Ok((widened, inner))
    }
}

/// Merges buckets of the same key, ascending.
fn merge_by(agg: &Agg, mut buckets: Vec<(i64, Bucket)>, cx: &mut ReduceContext) -> Result<Vec<(i64, Bucket)>> {
    buckets.sort_by_key(|(key, _)| *key);
    let mut merged = vec![];
    let mut rest = buckets.into_iter().peekable();
    while let Some((key, first)) = rest.next() {
        let mut same = vec![first];
        while let Some((_, bucket)) = rest.next_if(|(k, _)| *k == key) {
            same.push(bucket);
        }
        let bucket = if same.len() == 1 { same.remove(0) } else { reduce_buckets(&agg.subs, same, cx)? };
        merged.push((key, bucket));
    }
    Ok(merged)
}

impl Kind for AutoDateHistogram {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if self.target > BUCKETS_CEILING as i64 {
            return Err(Error::illegal_argument(format!("buckets must be less than {BUCKETS_CEILING}")));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        if source.is_mapped() && !source.is_date() {
            return Err(source.unsupported(agg.type_name));
        }
        Ok(Box::new(AutoDateAggregator {
            kind: Self { source: self.source.clone(), zone: self.zone.clone(), ..*self },
            roundings: (0..LEVELS.len()).map(|level| self.rounding(level)).collect(),
            source,
            subs: Subs::new(agg, cx)?,
            owners: AHashMap::new(),
            below_many: agg.below_many,
            wasted: 0,
            next_rounding: 1000,
            roundings_anew: 0,
            buckets: vec![],
            values: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        let format = Format::Raw;
        Partial::AutoDate(Box::new(AutoDateBuckets { buckets: vec![], format, level: self.finest, inner: 1 }))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let (mut all, mut level, mut format) = (vec![], self.finest, Format::Raw);
        for part in parts {
            let Partial::AutoDate(part) = part else { return Err(mismatch()) };
            level = level.max(part.level);
            if matches!(format, Format::Raw) {
                format = part.format;
            }
            all.extend(part.buckets);
        }
        let mut buckets = self.merge_to(agg, all, level, cx)?;
        while level + 1 < LEVELS.len() && self.exceeds(level, buckets.len(), 0) {
            level += 1;
            buckets = self.merge_to(agg, buckets, level, cx)?;
        }
        if let (Some((first, _)), Some((last, _))) = (buckets.first(), buckets.last()) {
            level = self.level_for(*first, *last, level);
            buckets = self.merge_to(agg, buckets, level, cx)?;
        }
        let mut filled = self.fill(agg, buckets, level);
        // With those that were empty there may be too many again.
        while level + 1 < LEVELS.len() && self.exceeds(level, filled.len(), 0) {
            level += 1;
            filled = self.merge_to(agg, filled, level, cx)?;
        }
        let (buckets, inner) = self.widen(agg, filled, level, cx)?;
        cx.add_buckets(buckets.len())?;
        Ok(Partial::AutoDate(Box::new(AutoDateBuckets { buckets, format, level, inner })))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, typed_keys: bool) -> Result<()> {
        let Partial::AutoDate(dates) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for (key, bucket) in &dates.buckets {
            w.begin_object();
            if let Some(text) = dates.format.text(*key as f64) {
                w.key("key_as_string").string(&text);
            }
            w.key("key").i64(*key);
            render_bucket(agg, bucket, w, typed_keys)?;
            w.end_object();
        }
        w.end_array();
        w.key("interval").string(&format!("{}{}", dates.inner, LEVELS[dates.level].abbreviation));
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "auto_date_histogram"
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        match partial {
            Partial::AutoDate(dates) => dates.format.text_or_plain(dates.buckets[i].0 as f64),
            _ => String::new(),
        }
    }
}

/// What one owner has seen: the level its keys are rounded to so far, and those keys.
struct OwnerKeys {
    level: usize,
    /// Below many buckets: how many keys there are, as the reference estimates it.
    estimate: i64,
    keys: AHashSet<i64>,
    min: i64,
    max: i64,
}

struct AutoDateAggregator {
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
    /// The key of a moment for an owner, after raising the owner's level as far as its keys need.
    fn key(&mut self, owner: u32, ms: i64) -> i64 {
        let (kind, roundings) = (&self.kind, &self.roundings);
        let state = self.owners.entry(owner).or_insert_with(|| OwnerKeys {
            level: kind.finest,
            estimate: 0,
            keys: AHashSet::new(),
            min: i64::MAX,
            max: i64::MIN,
        });
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

impl Aggregator for AutoDateAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        // Documents of neighbouring times fall into the same bucket; a map is asked when the bucket changes.
        let mut numbers: AHashMap<(u32, i64), u32> = AHashMap::new();
        let mut values = std::mem::take(&mut self.values);
        for (i, &doc) in docs.iter().enumerate() {
            self.source.numbers(doc, &mut values)?;
            let (owner, mut last) = (owners.of(i), None);
            for &ms in &values {
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
            }
        }
        self.values = values;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        let mut by_owner: AHashMap<u32, Vec<u32>> = AHashMap::new();
        for (number, (owner, _, _)) in self.buckets.iter().enumerate() {
            by_owner.entry(*owner).or_default().push(number as u32);
        }
        let lists: Vec<Vec<u32>> = owners.iter().map(|o| by_owner.remove(o).unwrap_or_default()).collect();
        let flat: Vec<u32> = lists.iter().flatten().copied().collect();
        let mut rows = self.subs.build(&flat)?.into_iter();
        let mut results = Vec::with_capacity(owners.len());
        for (owner, numbers) in owners.iter().zip(lists) {
            let level = self.owners.get(owner).map_or(self.kind.finest, |state| state.level);
            // Several buckets may have the same key now; merging them is the reduction's work.
            let buckets = numbers
                .into_iter()
                .zip(rows.by_ref())
                .map(|(n, subs)| {
                    let (_, key, count) = self.buckets[n as usize];
                    (self.roundings[level].round(key), Bucket { count, subs })
                })
                .collect();
            let format = self.source.format().clone();
            results.push(Partial::AutoDate(Box::new(AutoDateBuckets { buckets, format, level, inner: 1 })));
        }
        Ok(results)
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let rounded = |state: &OwnerKeys| {
            state.keys.iter().map(|key| self.roundings[state.level].round(*key)).collect::<AHashSet<_>>().len() as u64
        };
        let mut debug = vec![("surviving_buckets", Value::UInt(self.owners.values().map(rounded).sum()))];
        if self.below_many {
            debug.push(("wasted_buckets_overestimate", Value::from(self.wasted)));
            debug.push(("next_rebucket_at", Value::from(self.next_rounding)));
            // All keys are rounded anew once more when results are built.
            debug.push(("rebucket_count", Value::UInt(self.roundings_anew + 1)));
        }
        let class = match self.below_many {
            true => "AutoDateHistogramAggregator.FromMany",
            false => "AutoDateHistogramAggregator.FromSingle",
        };
        Details { class: Some(class), debug, shows_optimized: true, defers: false }
    }
}
