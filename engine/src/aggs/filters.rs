//! filters: a bucket per query, named or anonymous, and one for the rest.

use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext, at};
use super::partial::{Bucket, FixedBuckets, Partial, Shown, empty_beside, mismatch, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::pace::Pace;
use crate::query::{Query, Scorer, ShardContext, Weight, parse_node};
use crate::score::{Faults, WeightContext};
use crate::segment::{NO_MORE_DOCS, SegmentView};

#[derive(Debug)]
struct Filters {
    queries: Vec<Query>,
    /// Keys of the buckets, the other bucket's included; `None` where they are anonymous.
    keys: Option<Vec<String>>,
    other: bool,
    other_key: String,
}

impl Filters {
    fn bucket_count(&self) -> usize {
        self.queries.len() + usize::from(self.other)
    }
}

/// The queries, and their names if they have such.
type Named = (Vec<Query>, Option<Vec<String>>);

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut filters, mut other, mut other_key) = (None, None, None);
    // What comes first is told first, within queries too.
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("filters", Value::Object(named)) => filters = Some(parse_named(named, cx)?),
            ("filters", Value::Array(items)) => filters = Some((parse_list(entry, items, cx)?, None)),
            ("other_bucket", Value::Bool(_)) => other = Some(cx.bool(entry)?),
            ("other_bucket_key", Value::String(_)) => other_key = Some(cx.string(entry)?),
            (key, value) => {
                let reason = format!("Unknown key for a {} in [{}]: [{key}].", value.token(), cx.name);
                return Err(at(cx.body, entry.value_pos, reason));
            }
        }
    }
    // A key for the other bucket asks for it, unless it was declined.
    let other = other.unwrap_or(other_key.is_some());
    let other_key = other_key.unwrap_or_else(|| "_other_".to_owned());
    let (queries, mut keys) = filters.unwrap_or_default();
    if queries.is_empty() {
        return Err(Error::illegal_argument("[filters] cannot be empty."));
    }
    if let Some(keys) = keys.as_mut().filter(|_| other) {
        keys.push(other_key.clone());
    }
    Ok(Box::new(Filters { queries, keys, other, other_key }))
}

/// What stands before an object and is neither a list nor an object is passed over: the object is read in its place.
fn parse_list(entry: &Entry, items: &[Value], cx: &ParseContext<'_>) -> Result<Vec<Query>> {
    let is_object = |item: Option<&Value>| matches!(item, Some(Value::Object(_)));
    let mut behind = items.iter().skip(1);
    let read = cx.items(entry, |node| {
        let passed = is_object(behind.next()) && !matches!(node.value, Value::Object(_) | Value::Array(_));
        if passed { Ok(None) } else { parse_node(node).map(Some) }
    });
    read.map(|queries| queries.into_iter().flatten().collect())
}

/// The reference orders named filters by name.
fn parse_named(named: &Map, cx: &ParseContext<'_>) -> Result<Named> {
    let query = |filter: &Entry| Ok((filter.key.clone(), cx.query(&filter.value, filter.value_pos)?));
    let mut filters = named.entries.iter().map(query).collect::<Result<Vec<(String, Query)>>>()?;
    filters.sort_by(|a, b| a.0.cmp(&b.0));
    let (keys, queries) = filters.into_iter().unzip();
    Ok((queries, Some(keys)))
}

impl Kind for Filters {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        ReduceContext::check_asked(self.bucket_count(), cx)?;
        let filters = || self.queries.iter().map(|q| SegmentFilter::new(q, cx)).collect::<Result<_>>();
        let (subs, filters) = Subs::beside_queries(agg, cx, filters)?;
        Ok(Box::new(FiltersAggregator { filters, other: self.other, subs, counts: vec![] }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        self.empty_beside(agg, None)
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        let empty = empty_beside(&agg.subs, other.and_then(Partial::first_bucket));
        let buckets = (0..self.bucket_count()).map(|i| (i, empty.clone())).collect();
        Partial::Fixed(FixedBuckets { buckets, format: Format::Raw, bounds: vec![] })
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        Ok(Partial::Fixed(reduce_fixed(agg, parts, self.bucket_count(), cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Fixed(fixed) = partial else { return Err(mismatch()) };
        w.key("buckets");
        match &self.keys {
            Some(_) => w.begin_object(),
            None => w.begin_array(),
        };
        for (i, bucket) in fixed.shown() {
            if let Some(key) = self.keys.as_ref().and_then(|keys| keys.get(i)) {
                w.key(key);
            }
            w.begin_object();
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        match &self.keys {
            Some(_) => w.end_object(),
            None => w.end_array(),
        };
        Ok(())
    }

    fn queries(&self) -> Vec<&Query> {
        self.queries.iter().collect()
    }

    fn collects_others(&self) -> bool {
        self.other
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "filters"
    }

    fn collects_many(&self) -> bool {
        self.bucket_count() > 1
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        let Partial::Fixed(fixed) = partial else { return String::new() };
        let at = fixed.buckets[i].0;
        match &self.keys {
            Some(keys) => keys.get(at).cloned().unwrap_or_default(),
            // The bucket of the others has its key even among those without.
            None if at == self.queries.len() => self.other_key.clone(),
            None => at.to_string(),
        }
    }
}

/// Merges results whose buckets stand in the same places.
pub(crate) fn reduce_fixed(agg: &Agg, parts: Vec<Partial>, n: usize, cx: &mut ReduceContext) -> Result<FixedBuckets> {
    let mut columns: Vec<Vec<Bucket>> = (0..n).map(|_| vec![]).collect();
    let (mut format, mut bounds) = (Format::Unsaid, vec![]);
    for part in parts {
        let Partial::Fixed(fixed) = part else { return Err(mismatch()) };
        if fixed.buckets.len() != n {
            return Err(mismatch());
        }
        format.hear(&fixed.format);
        if bounds.is_empty() {
            bounds = fixed.bounds;
        }
        // What was merged before may stand in another order.
        for (place, bucket) in fixed.buckets {
            columns.get_mut(place).ok_or_else(mismatch)?.push(bucket);
        }
    }
    cx.add_buckets(n)?;
    let merge = |(i, column)| Ok((i, reduce_buckets(&agg.subs, column, cx)?));
    let buckets = columns.into_iter().enumerate().map(merge).collect::<Result<_>>()?;
    Ok(FixedBuckets { buckets, format, bounds })
}

struct FiltersAggregator {
    filters: Vec<SegmentFilter>,
    other: bool,
    subs: Subs,
    counts: Vec<u64>,
}

impl FiltersAggregator {
    fn width(&self) -> u32 {
        self.filters.len() as u32 + u32::from(self.other)
    }

    fn add(&mut self, doc: u32, bucket: u32) -> Result<()> {
        self.counts[bucket as usize] += 1;
        self.subs.push(doc, bucket)
    }
}

impl Aggregator for FiltersAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.filters.iter_mut().try_for_each(|f| f.enter_segment(view))?;
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let width = self.width();
        for (i, &doc) in docs.iter().enumerate() {
            let first = owners.of(i).saturating_mul(width);
            let needed = first as usize + width as usize;
            if needed > self.counts.len() {
                check_shard_buckets(needed)?;
                self.counts.resize(needed, 0);
            }
            let mut any = false;
            for f in 0..self.filters.len() {
                if self.filters[f].matches(doc) {
                    any = true;
                    self.add(doc, first + f as u32)?;
                }
            }
            if self.other && !any {
                self.add(doc, first + width - 1)?;
            }
        }
        self.filters.iter().try_for_each(SegmentFilter::check)
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn can_be_joined(&self) -> bool {
        self.subs.can_be_joined()
    }

    fn enter_part(&mut self) {
        self.subs.enter_part();
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            build_fixed(
                &mut self.subs,
                &self.counts,
                owners,
                self.filters.len() + usize::from(self.other),
                &Format::Raw,
                &[],
                pace,
            )
            .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}

/// The results of owners whose `width` buckets are numbered `owner * width ..`.
pub(crate) async fn build_fixed(
    subs: &mut Subs,
    counts: &[u64],
    owners: &[u32],
    width: usize,
    format: &Format,
    bounds: &[(Option<f64>, Option<f64>)],
    pace: &Pace,
) -> Result<Vec<Partial>> {
    let numbers: Vec<u32> = owners.iter().flat_map(|o| (0..width as u32).map(move |i| o * width as u32 + i)).collect();
    let rows = subs.build(&numbers, pace).await?;
    let count = |n: u32| counts.get(n as usize).copied().unwrap_or(0) + subs.beyond(n);
    let mut buckets = rows.into_iter().zip(&numbers).map(|(subs, n)| Bucket { count: count(*n), subs });
    Ok(owners
        .iter()
        .map(|_| {
            Partial::Fixed(FixedBuckets {
                buckets: buckets.by_ref().take(width).enumerate().collect(),
                format: format.clone(),
                bounds: bounds.to_vec(),
            })
        })
        .collect())
}

/// Whether documents match a query, asked in ascending order within each segment.
pub(crate) struct SegmentFilter {
    /// The refusal of what it grows to, which the reference finds out as it looks at the first segment.
    weight: Result<Weight>,
    scorer: Option<Box<dyn Scorer>>,
    /// What its scripts fail with.
    faults: Faults,
}

impl SegmentFilter {
    pub(crate) fn new(query: &Query, cx: &ShardContext) -> Result<Self> {
        // Errors are not those of the search's query.
        let own = WeightContext::new(&cx.snapshot, cx.mapping.similarities());
        let faults = own.faults.clone();
        let plan = query.bare_plan(cx);
        let weight = plan.and_then(|plan| plan.weight(&WeightContext { keeps_boosts: true, ..own }, false, 1.0));
        match weight {
            Err(error) if !error.is_of_rewriting() => Err(error),
            weight => Ok(Self { weight, scorer: None, faults }),
        }
    }

    /// The same, refused at once if it grows too large.
    pub(crate) fn at_once(query: &Query, cx: &ShardContext) -> Result<Self> {
        let Self { weight, scorer, faults } = Self::new(query, cx)?;
        Ok(Self { weight: Ok(weight?), scorer, faults })
    }

    /// Whether all documents could be asked about: asked behind each batch.
    pub(crate) fn check(&self) -> Result<()> {
        self.faults.check()
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        let weight = self.weight.as_mut().map_err(|error| error.clone())?;
        self.scorer = weight.scorer(view)?;
        Ok(())
    }

    #[inline]
    pub(crate) fn matches(&mut self, doc: u32) -> bool {
        let Some(scorer) = &mut self.scorer else { return false };
        if scorer.is_two_phase() {
            // The next match may be far away: whether this document is one is all that was asked.
            return scorer.candidate_from(doc) == doc && scorer.matches();
        }
        let mut at = scorer.doc();
        if at < doc {
            at = scorer.advance(doc);
        }
        debug_assert!(doc != NO_MORE_DOCS);
        at == doc
    }
}
