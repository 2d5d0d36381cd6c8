//! auto_date_histogram: about as many buckets of time as asked for, in the finest step that allows it.

use super::auto_date_collect::AutoDateAggregator;
use super::date_histogram::parse_zone;
use super::format::Format;
use super::kind::{Aggregator, Kind, Subs};
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, Shown, empty_beside, mismatch, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use super::rounding::{Interval, Rounding, Unit};
use super::source::SourceConfig;
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Writer};
use crate::query::ShardContext;
use jiff::tz::TimeZone;

const BUCKETS_DEFAULT: usize = 10;
/// The default of `search.max_buckets` over the widest inner interval of the levels below years.
const BUCKETS_CEILING: usize = 65_535 / 30;

/// A step of time, and how many of them may be put together.
pub(super) struct Level {
    unit: Unit,
    name: &'static str,
    abbreviation: &'static str,
    pub rough_ms: i64,
    inner: &'static [i64],
}

pub(super) const LEVELS: [Level; 6] = [
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
pub(super) struct AutoDateHistogram {
    source: SourceConfig,
    target: i64,
    /// The finest level allowed.
    pub finest: usize,
    zone: TimeZone,
}

/// Buckets of a level, ascending by key.
#[derive(Debug, Clone)]
pub struct AutoDateBuckets {
    pub(crate) buckets: Vec<(i64, Bucket)>,
    pub(crate) format: Format,
    pub(super) level: usize,
    /// How many steps of the level a bucket is wide.
    pub(super) inner: i64,
}

impl AutoDateBuckets {
    /// Which interval was chosen.
    pub(crate) fn level(&self) -> usize {
        self.level
    }
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
    let name = cx.text(entry)?;
    LEVELS.iter().position(|level| level.name == name).ok_or_else(|| {
        let refusal = "minimum_interval must be one of [[month, hour, minute, year, day, second]]";
        cx.failed_field(entry, Error::illegal_argument(refusal))
    })
}

/// So many buckets are more than any search may answer with, even before neighbours are put together.
const FILLED_MAX: usize = 1 << 20;

impl AutoDateHistogram {
    pub fn rounding(&self, level: usize) -> Rounding {
        Rounding::new(Interval::Calendar(LEVELS[level].unit), self.zone.clone(), 0)
    }

    /// Whether so many buckets over so much time are more than the level may have.
    pub fn exceeds(&self, level: usize, buckets: usize, span_ms: i64) -> bool {
        let most = self.target.saturating_mul(LEVELS[level].inner_max());
        buckets as i64 > most || span_ms > most.saturating_mul(LEVELS[level].rough_ms)
    }

    /// The finest level of which as many buckets as are wanted, at its widest, reach from `lo` to `hi`.
    pub fn level_of_range(&self, lo: i64, hi: i64) -> usize {
        let each = hi.saturating_sub(lo) / self.target.max(1);
        let reaches = |level: &usize| each <= LEVELS[*level].inner_max() * LEVELS[*level].rough_ms;
        (self.finest..LEVELS.len()).find(reaches).unwrap_or(LEVELS.len() - 1)
    }

    /// The level whose steps from the first to the last key are no more than it may have.
    fn level_for(&self, first: i64, last: i64, from: usize) -> usize {
        if from == LEVELS.len() - 1 {
            return from;
        }
        let mut level = from;
        for (i, candidate) in LEVELS.iter().enumerate().skip(from + 1) {
            // A rough estimate first: counting the steps of seconds over years would take long.
            if last.saturating_sub(first) / candidate.rough_ms < self.target.saturating_mul(candidate.inner_max()) {
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

    fn fill(
        &self,
        agg: &Agg,
        buckets: Vec<(i64, Bucket)>,
        level: usize,
        cx: &mut ReduceContext,
    ) -> Result<Vec<(i64, Bucket)>> {
        if buckets.is_empty() {
            return Ok(buckets);
        }
        let rounding = self.rounding(level);
        let mut filled: Vec<(i64, Bucket)> = Vec::with_capacity(buckets.len());
        let empty = empty_beside(&agg.subs, buckets.first().map(|(_, bucket)| bucket));
        let empty = reduce_buckets(&agg.subs, vec![empty], cx)?;
        for (key, bucket) in buckets {
            if let Some(mut at) = filled.last().map(|(last, _)| rounding.next(*last)) {
                while at < key {
                    if filled.len() >= FILLED_MAX {
                        cx.add_buckets(filled.len())?;
                    }
                    filled.push((at, empty.clone()));
                    at = rounding.next(at);
                }
            }
            filled.push((key, bucket));
        }
        Ok(filled)
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

/// Merges buckets of the same key, ascending: what stands below a bucket is reduced again even where it is the only one of its key.
fn merge_by(agg: &Agg, mut buckets: Vec<(i64, Bucket)>, cx: &mut ReduceContext) -> Result<Vec<(i64, Bucket)>> {
    buckets.sort_by_key(|(key, _)| *key);
    let mut merged = vec![];
    let mut rest = buckets.into_iter().peekable();
    while let Some((key, first)) = rest.next() {
        let mut same = vec![first];
        while let Some((_, bucket)) = rest.next_if(|(k, _)| *k == key) {
            same.push(bucket);
        }
        merged.push((key, reduce_buckets(&agg.subs, same, cx)?));
    }
    Ok(merged)
}

impl Kind for AutoDateHistogram {
    fn next_key(&self, level: usize, key: f64) -> Option<f64> {
        Some(self.rounding(level).next(key as i64) as f64)
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if self.target > BUCKETS_CEILING as i64 {
            return Err(Error::illegal_argument(format!("buckets must be less than {BUCKETS_CEILING}")));
        }
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let kind = Self { source: self.source.clone(), zone: self.zone.clone(), ..*self };
        Ok(Box::new(AutoDateAggregator::new(kind, source, Subs::new(agg, cx)?.waiting_if(true), agg.below_many)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        let format = Format::Unsaid;
        Partial::AutoDate(Box::new(AutoDateBuckets { buckets: vec![], format, level: self.finest, inner: 1 }))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let (mut all, mut level, mut format) = (vec![], self.finest, Format::Unsaid);
        for part in parts {
            let Partial::AutoDate(part) = part else { return Err(mismatch()) };
            let AutoDateBuckets { buckets, format: shown, level: own, .. } = *part;
            level = level.max(own);
            format.hear(&shown);
            // On a shard buckets that came to have the same key are one.
            all.extend(cx.within_shard(|cx| self.merge_to(agg, buckets, own, cx))?);
        }
        // What shards have of each bucket is reduced at least once, even where only one of them has the bucket.
        let rounding = self.rounding(level);
        all.iter_mut().for_each(|(key, _)| *key = rounding.round(*key));
        let mut buckets = merge_by(agg, all, cx)?;
        while level + 1 < LEVELS.len() && self.exceeds(level, buckets.len(), 0) {
            level += 1;
            buckets = self.merge_to(agg, buckets, level, cx)?;
        }
        if let (Some((first, _)), Some((last, _))) = (buckets.first(), buckets.last()) {
            level = self.level_for(*first, *last, level);
            buckets = self.merge_to(agg, buckets, level, cx)?;
        }
        let mut filled = self.fill(agg, buckets, level, cx)?;
        // With those that were empty there may be too many again.
        while level + 1 < LEVELS.len() && self.exceeds(level, filled.len(), 0) {
            level += 1;
            filled = self.merge_to(agg, filled, level, cx)?;
        }
        let (buckets, inner) = self.widen(agg, filled, level, cx)?;
        cx.add_buckets(buckets.len())?;
        Ok(Partial::AutoDate(Box::new(AutoDateBuckets { buckets, format, level, inner })))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::AutoDate(dates) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for (key, bucket) in &dates.buckets {
            w.begin_object();
            if let Some(text) = dates.format.whole_text(*key) {
                w.key("key_as_string").string(&text);
            }
            w.key("key").i64(*key);
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        w.key("interval").string(&format!("{}{}", dates.inner, LEVELS[dates.level].abbreviation));
        Ok(())
    }

    fn defers(&self, _cx: &ShardContext) -> bool {
        true
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
