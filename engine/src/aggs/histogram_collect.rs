//! What both histograms do on a shard: buckets by owner and key.
//!
//! The buckets of a segment are laid out when it is entered ([`Edges`]). Where documents lie in the order of their numbers,
//! as in logs, the extremes of a block of documents often say that all of it falls into one bucket.

use super::bucket_table::BucketTable;
use super::edges::Edges;
use super::format::Format;
use super::kind::{Aggregator, Built, Owners, Subs, check_shard_buckets};
use super::ord_counts::count_each;
use super::partial::{Bucket, HistogramBuckets, Partial};
use super::profile::{Details, RANGES_MAX, ranges_have_enough};
use super::rounding::{CachedRounding, Rounding};
use super::source::Source;
use crate::codec::bisect::last_holding;
use crate::error::Result;
use crate::json::Value;
use crate::pace::Pace;
use crate::score::Selection;
use crate::segment::{Batch, NumericColumn, SegmentView};
use ahash::AHashMap;

/// How a value finds its bucket's key. Greater values have no lesser keys.
pub(crate) enum Rounder {
    Number(NumberRounder),
    Date(DateRounder),
}

pub(crate) struct NumberRounder {
    pub(crate) interval: f64,
    pub(crate) offset: f64,
    /// Buckets outside are left out, as they would be without an offset.
    pub(crate) hard: (Option<f64>, Option<f64>),
}

impl NumberRounder {
    pub(crate) fn key(&self, value: f64) -> f64 {
        ((value - self.offset) / self.interval).floor() * self.interval + self.offset
    }

    /// What hard bounds are compared with: the key without its offset.
    fn place(&self, value: f64) -> f64 {
        ((value - self.offset) / self.interval).floor() * self.interval
    }

    /// Stepping by multiplication keeps keys exactly those that documents get.
    pub(crate) fn next(&self, key: f64) -> f64 {
        (((key - self.offset) / self.interval).round() + 1.0) * self.interval + self.offset
    }
}

pub(crate) struct DateRounder {
    pub(crate) rounding: Rounding,
    /// Buckets that begin before the first, or not before the second, are left out.
    pub(crate) hard: (Option<i64>, Option<i64>),
}

impl Rounder {
    /// Adding zero turns -0.0 into 0.0, which is the same key.
    fn key(&self, source: &Source, number: i64) -> f64 {
        match self {
            Self::Number(rounder) => rounder.key(source.decode(number)) + 0.0,
            Self::Date(rounder) => rounder.rounding.round(number) as f64,
        }
    }

    /// The first and the last key that a range touches within hard bounds, and about how many there are; none if there is none.
    pub(super) fn span(&self, from: f64, to: f64) -> Option<(f64, f64, f64)> {
        let (lo, hi) = match self {
            Self::Number(rounder) => rounder.hard,
            Self::Date(rounder) => (rounder.hard.0.map(|ms| ms as f64), rounder.hard.1.map(|ms| ms as f64)),
        };
        let (from, to) = (lo.map_or(from, |lo| from.max(lo)), hi.map_or(to, |hi| to.min(hi)));
        // Beyond the bounds a range counts all the same if their bucket is its own.
        let (first, last, steps) = match self {
            Self::Number(rounder) => (rounder.key(from) + 0.0, rounder.key(to), (to - from) / rounder.interval),
            Self::Date(rounder) => {
                let key = |ms: f64| rounder.rounding.round(ms as i64) as f64;
                (key(from), key(to), (to - from) / rounder.rounding.length_ms() as f64)
            }
        };
        (first <= last).then_some((first, last, steps))
    }

    /// The key after another.
    pub(super) fn next(&self, key: f64) -> f64 {
        match self {
            Self::Number(rounder) => rounder.next(key),
            Self::Date(rounder) => rounder.rounding.next(key as i64) as f64,
        }
    }

    /// The key of a value that no mapping knows; `None` where hard bounds leave it out.
    fn plain_key(&self, value: f64) -> Option<f64> {
        let (before, after) = match self {
            Self::Number(rounder) => {
                let place = rounder.place(value);
                (rounder.hard.0.is_some_and(|min| place < min), rounder.hard.1.is_some_and(|max| place > max))
            }
            Self::Date(_) => (self.is_before(value as i64, value), self.is_after(value as i64, value)),
        };
        let key = match self {
            Self::Number(rounder) => rounder.key(value) + 0.0,
            Self::Date(rounder) => rounder.rounding.round(value as i64) as f64,
        };
        (!before && !after).then_some(key)
    }

    fn is_before(&self, number: i64, value: f64) -> bool {
        match self {
            Self::Number(rounder) => rounder.hard.0.is_some_and(|min| rounder.place(value) < min),
            Self::Date(rounder) => rounder.hard.0.is_some_and(|min| rounder.rounding.round(number) < min),
        }
    }

    fn is_after(&self, number: i64, value: f64) -> bool {
        match self {
            Self::Number(rounder) => rounder.hard.1.is_some_and(|max| rounder.place(value) > max),
            Self::Date(rounder) => rounder.hard.1.is_some_and(|max| rounder.rounding.round(number) >= max),
        }
    }

    /// The numbers that hard bounds leave in, from and to; empty if the first is greater.
    fn inside(&self, source: &Source) -> (i64, i64) {
        let value = |number: i64| source.decode(number);
        // Beyond its ends an encoded number stands for none.
        let (least, most) = source.encoded_ends();
        let before = last_holding(|number| number < least || number <= most && self.is_before(number, value(number)));
        let upto = last_holding(|number| number < least || number <= most && !self.is_after(number, value(number)));
        match (before, upto) {
            (Some(i64::MAX), _) | (_, None) => (i64::MAX, i64::MIN),
            (before, Some(last)) => (before.map_or(i64::MIN, |number| number + 1), last),
        }
    }

    /// The buckets of the numbers `from..=to`.
    fn edges(&self, source: &Source, from: i64, to: i64) -> Option<Edges> {
        let key = |number| self.key(source, number);
        match self {
            Self::Date(rounder) => {
                let even = || Edges::even(from, to, rounder.rounding.round(from), rounder.rounding.even_ms()?);
                even().or_else(|| Edges::new(from, to, key, |_, key| Some(rounder.rounding.next(key as i64))))
            }
            Self::Number(_) => Edges::new(from, to, key, |number, own| {
                let last = last_holding(|probe| probe <= number || (probe <= to && key(probe) <= own))?;
                last.checked_add(1)
            }),
        }
    }
}

const NONE: u32 = u32::MAX;

/// Collects both histograms.
pub(crate) struct HistogramAggregator {
    source: Source,
    rounder: Rounder,
    profiled: bool,
    /// The numbers that hard bounds leave in.
    inside: (i64, i64),
    subs: Subs,
    bounds: Option<(f64, f64)>,
    format: Format,
    /// The keys met so far on the shard, and their numbers.
    keys: Vec<f64>,
    numbers: AHashMap<u64, u32>,
    buckets: BucketTable,
    counts: Vec<u64>,
    /// Of the current segment; none if they would be too many.
    edges: Option<Edges>,
    /// The number of each edge's key, and its bucket at the top level, as far as they are known.
    edge_numbers: Vec<u32>,
    top_buckets: Vec<u32>,
    /// Key and number found last, and for dates the interval, where there are no edges.
    last: Option<(f64, u32)>,
    /// Segments without values, with one for a document at most, and with several.
    segments: [u64; 3],
    cached: Option<CachedRounding>,
    batch: Batch,
    docs: Vec<u32>,
    owners: Vec<u32>,
    found: Vec<u32>,
}

/// Fewer documents are added one by one.
const TOGETHER_MIN: usize = 256;

impl HistogramAggregator {
    pub(crate) fn new(
        source: Source,
        rounder: Rounder,
        subs: Subs,
        bounds: Option<(f64, f64)>,
        format: Format,
        profiled: bool,
    ) -> Self {
        Self {
            profiled,
            inside: rounder.inside(&source),
            cached: match &rounder {
                Rounder::Date(rounder) => Some(rounder.rounding.clone().cached()),
                Rounder::Number(_) => None,
            },
            source,
            rounder,
            subs,
            bounds,
            format,
            keys: vec![],
            numbers: AHashMap::new(),
            buckets: BucketTable::default(),
            counts: vec![],
            edges: None,
            edge_numbers: vec![],
            top_buckets: vec![],
            last: None,
            segments: [0; 3],
            batch: Batch::default(),
            docs: vec![],
            owners: vec![],
            found: vec![],
        }
    }

    fn lay_out(&mut self) {
        let range = self.source.number_range();
        // Of what a script gives no range is known.
        let stand_in_only = self.source.is_scripted();
        let stand_in = self.source.missing_number().map(|number| (number, number));
        let range = [range, stand_in].into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.edges = range
            .filter(|_| !stand_in_only)
            .and_then(|(min, max)| self.rounder.edges(&self.source, min.max(self.inside.0), max.min(self.inside.1)));
        let edges = self.edges.as_ref().map_or(0, Edges::len);
        for known in [&mut self.edge_numbers, &mut self.top_buckets] {
            known.clear();
            known.resize(edges, NONE);
        }
    }

    fn key_number(&mut self, key: f64) -> Result<u32> {
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == key) {
            return Ok(number);
        }
        let number = match self.numbers.get(&key.to_bits()) {
            Some(number) => *number,
            None => {
                check_shard_buckets(self.keys.len())?;
                let number = self.keys.len() as u32;
                self.keys.push(key);
                self.numbers.insert(key.to_bits(), number);
                number
            }
        };
        self.last = Some((key, number));
        Ok(number)
    }

    fn count(&mut self, owner: u32, number: u32, docs: u64) -> Result<u32> {
        let bucket = self.buckets.bucket(owner, number)?;
        if bucket as usize >= self.counts.len() {
            self.counts.resize((bucket as usize + 1).next_power_of_two(), 0);
        }
        self.counts[bucket as usize] += docs;
        Ok(bucket)
    }

    /// Counts documents of one owner that fall into one bucket of the segment.
    fn count_edge(&mut self, owner: u32, edge: usize, docs: u64) -> Result<u32> {
        if owner == 0 && self.top_buckets[edge] != NONE {
            let bucket = self.top_buckets[edge];
            self.counts[bucket as usize] += docs;
            return Ok(bucket);
        }
        if self.edge_numbers[edge] == NONE {
            let key = self.edges.as_ref().map_or(0.0, |edges| edges.key(edge));
            self.edge_numbers[edge] = self.key_number(key)?;
        }
        let bucket = self.count(owner, self.edge_numbers[edge], docs)?;
        if owner == 0 {
            self.top_buckets[edge] = bucket;
        }
        Ok(bucket)
    }

    #[inline]
    fn add(&mut self, doc: u32, owner: u32, edge: usize) -> Result<()> {
        let bucket = self.count_edge(owner, edge, 1)?;
        if !self.subs.is_empty() {
            self.docs.push(doc);
            self.owners.push(bucket);
        }
        Ok(())
    }

    /// Documents of a block that fall into one bucket together.
    fn add_block(&mut self, docs: &[u32], owners: Owners<'_>, from: usize, edge: usize) -> Result<()> {
        match owners {
            Owners::One(owner) => {
                let bucket = self.count_edge(owner, edge, docs.len() as u64)?;
                if !self.subs.is_empty() {
                    self.docs.extend_from_slice(docs);
                    self.owners.resize(self.docs.len(), bucket);
                }
                Ok(())
            }
            Owners::Each(_) => {
                docs.iter().enumerate().try_for_each(|(i, doc)| self.add(*doc, owners.of(from + i), edge))
            }
        }
    }

    /// Goes over documents block by block, and reads only those blocks that more than one bucket takes part of: neighbours of
    /// that sort together.
    fn add_by_blocks(
        &mut self,
        column: &NumericColumn,
        docs: &[u32],
        owners: Owners<'_>,
        batch: &mut Batch,
    ) -> Result<()> {
        let (mut at, mut unread) = (0, 0);
        while let Some(first) = docs.get(at) {
            let (range, next) = column.range_around(*first);
            let most = &docs[at..docs.len().min(at + (next - first) as usize)];
            let end = at + most.partition_point(|doc| *doc < next);
            let ends = range.and_then(|(min, max)| {
                let edges = self.edges.as_ref()?;
                Some((edges.find(min)?, edges.find(max)?))
            });
            if let Some((edge, last)) = ends
                && edge == last
            {
                self.add_read(column, &docs[unread..at], owners, unread, batch)?;
                self.add_block(&docs[at..end], owners, at, edge)?;
                unread = end;
            }
            at = end;
        }
        self.add_read(column, &docs[unread..], owners, unread, batch)
    }

    /// Reads documents, the first of which stands at `from` of what `owners` tells of, and adds them.
    fn add_read(
        &mut self,
        column: &NumericColumn,
        docs: &[u32],
        owners: Owners<'_>,
        from: usize,
        batch: &mut Batch,
    ) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        column.read(docs, batch);
        self.add_values(docs, owners, from, batch)
    }

    /// Adds documents of the top level that have one number each, all at once. False if that cannot be done; then nothing was added.
    fn add_together(&mut self, docs: &[u32], batch: &Batch) -> Result<bool> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let all =
            batch.is_one_each() && self.edges.as_ref().is_some_and(|edges| edges.find_all(batch.values(), &mut found));
        if all {
            for edge in &mut found {
                *edge = match self.top_buckets[*edge as usize] {
                    NONE => self.count_edge(0, *edge as usize, 0)?,
                    bucket => bucket,
                };
            }
            count_each(found.iter().map(|bucket| *bucket as usize), &mut self.counts);
            if !self.subs.is_empty() {
                self.docs.extend_from_slice(docs);
                self.owners.extend_from_slice(&found);
            }
        }
        self.found = found;
        Ok(all)
    }

    /// Adds what was read of documents, the first of which stands at `from` of what `owners` tells of.
    fn add_values(&mut self, docs: &[u32], owners: Owners<'_>, from: usize, batch: &Batch) -> Result<()> {
        if docs.len() >= TOGETHER_MIN && matches!(owners, Owners::One(0)) && self.add_together(docs, batch)? {
            return Ok(());
        }
        let places = batch.places();
        let mut last = None;
        for (i, number) in batch.values().iter().enumerate() {
            let Some(edge) = self.edges.as_ref().and_then(|edges| edges.find(*number)) else { continue };
            let place = places.map_or(i, |places| places[i] as usize);
            // A document counts once for each bucket.
            if places.is_some() && last.replace((place, edge)) == Some((place, edge)) {
                continue;
            }
            self.add(docs[place], owners.of(from + place), edge)?;
        }
        Ok(())
    }

    /// Without edges every number is rounded by itself.
    fn add_rounded(&mut self, docs: &[u32], owners: Owners<'_>, batch: &Batch) -> Result<()> {
        let places = batch.places();
        let mut last = None;
        for (i, number) in batch.values().iter().enumerate() {
            if *number < self.inside.0 || *number > self.inside.1 {
                continue;
            }
            let place = places.map_or(i, |places| places[i] as usize);
            let key = match &mut self.cached {
                Some(rounding) => rounding.round(*number) as f64,
                None => self.rounder.key(&self.source, *number),
            };
            if places.is_some() && last.replace((place, key)) == Some((place, key)) {
                continue;
            }
            let number = self.key_number(key)?;
            self.add_numbered(docs[place], owners.of(place), number)?;
        }
        Ok(())
    }

    fn add_numbered(&mut self, doc: u32, owner: u32, number: u32) -> Result<()> {
        let bucket = self.count(owner, number, 1)?;
        if !self.subs.is_empty() {
            self.docs.push(doc);
            self.owners.push(bucket);
        }
        Ok(())
    }

    fn add_docs(&mut self, docs: &[u32], owners: Owners<'_>, batch: &mut Batch) -> Result<()> {
        if let Some(value) = self.source.plain_missing() {
            let Some(key) = self.rounder.plain_key(value) else { return Ok(()) };
            let number = self.key_number(key)?;
            return docs.iter().enumerate().try_for_each(|(i, doc)| self.add_numbered(*doc, owners.of(i), number));
        }
        let column = self.source.number_column().filter(|column| column.single_valued() && column.docs().is_all());
        match (&self.edges, column.cloned()) {
            (Some(_), Some(column)) => self.add_by_blocks(&column, docs, owners, batch),
            (Some(_), None) => {
                self.source.read(docs, batch)?;
                self.add_values(docs, owners, 0, batch)
            }
            (None, _) => {
                self.source.read(docs, batch)?;
                self.add_rounded(docs, owners, batch)
            }
        }
    }
}

/// A bucket is counted from points if it is expected to hold at least this many documents.
const DOCS_PER_EDGE: u64 = 32;

/// What was collected: buckets, whose own numbers are places among keys, and the documents of each bucket.
pub(super) struct Collected<'a> {
    pub buckets: &'a BucketTable,
    pub keys: &'a [f64],
    pub counts: &'a [u64],
}

impl Collected<'_> {
    /// The buckets of each owner in the order of their keys.
    pub async fn build(
        &self,
        owners: &[u32],
        subs: &mut Subs,
        format: &Format,
        bounds: Option<(f64, f64)>,
        pace: &Pace,
    ) -> Result<Vec<Partial>> {
        let mut chosen = self.buckets.by_owner(owners);
        let key = |bucket: &u32| self.keys[self.buckets.buckets()[*bucket as usize].1 as usize];
        chosen.iter_mut().for_each(|buckets| buckets.sort_by(|a, b| key(a).total_cmp(&key(b))));
        let mut flat: Vec<u32> = chosen.iter().flatten().copied().collect();
        let none =
            (bounds.is_some() && chosen.iter().any(Vec::is_empty)).then_some(self.buckets.buckets().len() as u32);
        flat.extend(none);
        let mut rows = subs.build(&flat, pace).await?;
        // No document has come to the last one.
        let none = none.and_then(|_| rows.pop()).map(|subs| Box::new(Bucket { count: 0, subs }));
        let mut rows = rows.into_iter();
        let count = |bucket: u32| self.counts[bucket as usize] + subs.beyond(bucket);
        let results = chosen.into_iter().map(|buckets| {
            let empty = none.clone().filter(|_| buckets.is_empty());
            let buckets = buckets.into_iter().zip(rows.by_ref());
            let buckets = buckets.map(|(bucket, subs)| (key(&bucket), Bucket { count: count(bucket), subs })).collect();
            Partial::Histogram(HistogramBuckets { buckets, format: format.clone(), bounds, empty })
        });
        Ok(results.collect())
    }
}

impl Aggregator for HistogramAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let kind = self.source.number_column().map_or(0, |column| if column.single_valued() { 1 } else { 2 });
        self.segments[kind] += 1;
        self.lay_out();
        self.subs.enter_segment(view)
    }

    fn counts_by_ranges(&self, view: &SegmentView, selection: &Selection, done: bool) -> bool {
        let (Some((_, (lo, hi))), Some(edges)) = (self.source.selected_points(view, selection), &self.edges) else {
            return done;
        };
        let ranges = edges.between(lo, hi).len();
        let is_date = matches!(self.rounder, Rounder::Date(_));
        is_date && ranges <= RANGES_MAX && (done || ranges_have_enough(view, ranges))
    }

    /// Counts each bucket by two searches in the points of the field.
    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        let Some((points, (lo, hi))) = self.source.selected_points(view, selection) else { return Ok(false) };
        let Some(edges) = self.edges.as_ref().filter(|_| self.subs.is_empty()) else {
            return Ok(false);
        };
        // Profiles are compared with the reference's, which counts all by their points.
        let touched = edges.between(lo, hi);
        if !self.profiled && touched.len() as u64 * DOCS_PER_EDGE > points.count(lo, hi) {
            return Ok(false);
        }
        let ranges = touched.clone().map(|edge| {
            let (first, last) = edges.bounds(edge);
            (first.max(lo), last.min(hi))
        });
        for (edge, docs) in touched.zip(points.counts(ranges)).filter(|(_, docs)| *docs > 0) {
            self.count_edge(0, edge, docs)?;
        }
        Ok(true)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.docs.clear();
        self.owners.clear();
        self.add_docs(docs, owners, &mut batch)?;
        self.batch = batch;
        if self.docs.is_empty() {
            return Ok(());
        }
        self.subs.collect(&self.docs, Owners::Each(&self.owners))
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
            let collected = Collected { buckets: &self.buckets, keys: &self.keys, counts: &self.counts };
            collected.build(owners, &mut self.subs, &self.format, self.bounds, pace).await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let mut debug = vec![("total_buckets", Value::UInt(self.keys.len() as u64))];
        let plain = match &self.rounder {
            Rounder::Date(dates) => Some(dates.rounding.is_plain() && !self.source.has_missing()),
            Rounder::Number(_) => None,
        };
        if plain.is_some() {
            let [none, single, multi] = match (self.source.has_missing(), self.segments) {
                // With a stand-in every document may have several, to the reference.
                (true, [none, single, multi]) => [none, 0, single + multi],
                (false, segments) => segments,
            };
            let [none, single, multi] = [none, single, multi].map(Value::UInt);
            debug.push(("no_op_collectors_used", none));
            debug.push(("single_valued_collectors_used", single));
            debug.push(("multi_valued_collectors_used", multi));
            debug.push(("skip_list_collectors_used", Value::UInt(0)));
        }
        Details { class: None, debug, shows_optimized: plain == Some(true), defers: false }
    }
}
