//! composite: all combinations of several sources, page by page in the order of their values.

use super::accepted;
use super::composite_key::{CompositeKey, after_values};
use super::composite_sources::{CompositeSource, parse_sources};
use super::format::Format;
use super::keys::{KeyBytes, KeySource, for_each_combination};
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::merge_order::merged_by_polling;
use super::ord_counts::count_each;
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, Shown, mismatch, reduce_buckets, render_bucket};
use super::profile::Details;
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::{Batch, SegmentView};
use ahash::AHashMap;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

const SIZE_DEFAULT: usize = 10;

#[derive(Debug)]
struct Composite {
    sources: Arc<[CompositeSource]>,
    size: usize,
    after: Option<Map>,
}

/// A page of buckets, in order.
#[derive(Debug, Clone, Default)]
pub struct CompositeBuckets {
    pub(crate) buckets: Vec<(CompositeKey, Bucket)>,
    formats: Vec<Format>,
    /// The last key of the page, which stays whatever becomes of its buckets.
    last: Option<CompositeKey>,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut sources, mut size, mut after) = (None, SIZE_DEFAULT, None);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("sources", Value::Array(items)) => sources = Some(parse_sources(items, entry, cx)?),
            ("sources", one @ Value::Object(_)) => sources = Some(parse_sources(std::slice::from_ref(one), entry, cx)?),
            ("size", _) => {
                let given = cx.int(entry)?;
                size = usize::try_from(given).ok().filter(|size| *size > 0).ok_or_else(|| {
                    let refusal = format!("[size] must be greater than 0. Found [{given}] in [{}]", cx.name);
                    cx.failed_field(entry, Error::illegal_argument(refusal))
                })?;
            }
            ("after" | "aggregate_after", Value::Object(values)) => after = Some(values.clone()),
            ("sources" | "after", _) => return Err(cx.wrong_type(entry)),
            _ => return Err(cx.unknown_field(entry, &["sources", "size", "after"])),
        }
    }
    let Some(sources) = sources else {
        return Err(Error::illegal_argument("Required [sources]"));
    };
    Ok(Box::new(Composite { sources: sources.into(), size, after }))
}

impl Kind for Composite {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        super::composite_parents::check_parent(agg)?;
        let columns = self
            .sources
            .iter()
            .map(|s| {
                // The reference looks at its sources where it needs them.
                s.check_order()?;
                if s.config.check().is_err() {
                    let reason = "value source config is invalid; must have either a field or a script";
                    return Err(Error::new(ErrorKind::IllegalState, reason));
                }
                let column = KeySource::repeating(s.config.resolve_any(cx, s.kind())?);
                s.config.check_mapped(cx, |field| {
                    accepted::check_composite(field, s.config.value_type.as_deref(), s.kind())
                })?;
                s.check().map(|()| column)
            })
            .collect::<Result<Vec<_>>>()?;
        ReduceContext::check_asked(self.size, cx)?;
        let after = self.after.as_ref().map(|after| after_values(after, &self.sources)).transpose()?;
        // Where to go on is read once what stands below is made.
        let subs = Subs::new(agg, cx)?;
        let after = after.map(|values| CompositeKey::parse(&values, &self.sources, &columns));
        let after = after.transpose().map_err(Error::late)?;
        let formats = self.sources.iter().zip(&columns).map(|(s, c)| s.format(c)).collect();
        Ok(Box::new(CompositeAggregator {
            lists: vec![vec![]; columns.len()],
            distinct_first: self.sources.first().is_some_and(|first| first.reads_points(cx)),
            columns,
            sources: self.sources.clone(),
            size: self.size,
            after,
            formats,
            subs,
            outside: Outside::default(),
            seen: AHashMap::new(),
            queues: AHashMap::new(),
            key_bytes: KeyBytes::default(),
            counts: vec![],
            code: vec![],
            missing: 0,
            singles: true,
            direct: vec![],
            batch: Batch::default(),
            tally: vec![],
            numbers: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Composite(Box::default())
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let (mut lists, mut formats, mut has_buckets) = (vec![], vec![], false);
        for part in parts {
            let Partial::Composite(part) = part else { return Err(mismatch()) };
            // What has no buckets may not know the field.
            if formats.is_empty() || !has_buckets && !part.buckets.is_empty() {
                formats = part.formats;
            }
            has_buckets |= !part.buckets.is_empty();
            lists.push(part.buckets);
        }
        let mut buckets = vec![];
        let clash = OnceCell::new();
        let merged = merged_by_polling(lists, |(a, _), (b, _)| {
            if let (None, Some(told)) = (clash.get(), a.clash(b)) {
                _ = clash.set(told);
            }
            a.cmp(b).is_lt()
        });
        if let Some(clash) = clash.into_inner() {
            return Err(clash);
        }
        let mut rest = merged.into_iter().peekable();
        while let Some((key, first)) = rest.next().filter(|_| buckets.len() < self.size) {
            let mut same = vec![first];
            while let Some((_, bucket)) = rest.next_if(|(other, _)| *other == key) {
                same.push(bucket);
            }
            buckets.push((key, reduce_buckets(&agg.subs, same, cx)?));
        }
        cx.add_buckets(buckets.len())?;
        let last = buckets.last().map(|(key, _)| key.clone());
        Ok(Partial::Composite(Box::new(CompositeBuckets { buckets, formats, last })))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Composite(page) = partial else { return Err(mismatch()) };
        if let Some(last) = page.last.as_ref().or(page.buckets.last().map(|(key, _)| key)) {
            w.key("after_key");
            write_key(last, &page.formats, w);
        }
        w.key("buckets").begin_array();
        for (key, bucket) in &page.buckets {
            w.begin_object().key("key");
            write_key(key, &page.formats, w);
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn multiplies(&self) -> bool {
        true
    }

    fn defers(&self, _cx: &ShardContext) -> bool {
        true
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "composite"
    }
}

fn write_key(key: &CompositeKey, formats: &[Format], w: &mut Writer) {
    w.begin_object();
    for ((part, source), format) in key.parts.iter().zip(key.sources.iter()).zip(formats) {
        w.key(&source.name);
        match part {
            Some(part) => format.write_formatted(part, w),
            None => _ = w.null(),
        }
    }
    w.end_object();
}

struct CompositeAggregator {
    columns: Vec<KeySource>,
    sources: Arc<[CompositeSource]>,
    /// Whether a document counts once for each key of the first source: where the reference takes it from the order of points.
    distinct_first: bool,
    size: usize,
    after: Option<CompositeKey>,
    formats: Vec<Format>,
    subs: Subs,
    outside: Outside,
    /// What the current segment's combinations of an owner are: a bucket, or out of the page.
    seen: AHashMap<Vec<i64>, Option<u32>>,
    /// The best keys of each owner so far, with their buckets.
    queues: AHashMap<u32, BTreeMap<CompositeKey, Place>>,
    /// Those of the keys in the queues.
    key_bytes: KeyBytes,
    /// By bucket. Buckets that were pushed out of the page keep theirs, unread.
    counts: Vec<u64>,
    lists: Vec<Vec<i64>>,
    code: Vec<i64>,
    /// A bit for each source that the document at hand has no value for.
    missing: u64,
    /// So far all documents of the segment had exactly one value for each source.
    singles: bool,
    /// Where there are few combinations: what `seen` says, by their number.
    direct: Vec<u32>,
    batch: Batch,
    /// Where there are few combinations and nothing but counts is wanted: documents of the current segment by combination, which become
    /// buckets when the segment is left; and the number of each document's.
    tally: Vec<u32>,
    numbers: Vec<u32>,
}

/// A combination of the page.
struct Place {
    bucket: u32,
    /// Its value of the first source in the current segment, as [`Outside`] counts it, if it is known.
    value: Option<i64>,
}

/// What is known of the first source in the current segment, for the first owner: combinations whose value there is before the
/// one or after the other are not of the page. Values are counted in the order of the answer.
struct Outside {
    before: i64,
    after: i64,
}

impl Default for Outside {
    fn default() -> Self {
        Self { before: i64::MIN, after: i64::MAX }
    }
}

/// More combinations than this are found by hash.
const DIRECT_MAX: usize = 1 << 16;
/// In `direct`: not met yet, and out of the page.
const UNSEEN: u32 = u32::MAX;
const OUT: u32 = u32::MAX - 1;

impl CompositeAggregator {
    /// The bucket of a combination met for the first time in this segment.
    #[allow(clippy::mutable_key_type, reason = "keys are told apart by their parts, never by a script")]
    fn place(&mut self, owner: u32, combination: &[i64], value: Option<i64>) -> Result<Option<u32>> {
        let parts = self
            .sources
            .iter()
            .zip(&self.columns)
            .zip(combination)
            .enumerate()
            .map(|(at, ((source, column), code))| (self.missing >> at & 1 == 0).then(|| source.key(column, *code)))
            .collect();
        let key = CompositeKey { parts, sources: self.sources.clone() };
        if self.after.as_ref().is_some_and(|after| key <= *after) {
            self.outside.before = self.outside.before.max(value.unwrap_or(i64::MIN));
            return Ok(None);
        }
        let queue = self.queues.entry(owner).or_default();
        if let Some(place) = queue.get_mut(&key) {
            place.value = value;
            return Ok(Some(place.bucket));
        }
        if queue.len() >= self.size {
            if queue.last_key_value().is_some_and(|(last, _)| key > *last) {
                self.outside.after = self.outside.after.min(value.unwrap_or(i64::MAX));
                return Ok(None);
            }
            let out = queue.pop_last();
            self.key_bytes.release(out.iter().flat_map(|(key, _)| key.parts.iter().flatten()));
            let out = out.and_then(|(_, place)| place.value);
            self.outside.after = self.outside.after.min(out.unwrap_or(i64::MAX));
        }
        check_shard_buckets(self.counts.len())?;
        self.key_bytes.hold(key.parts.iter().flatten())?;
        let bucket = self.counts.len() as u32;
        self.counts.push(0);
        queue.insert(key, Place { bucket, value });
        Ok(Some(bucket))
    }
}

impl CompositeAggregator {
    /// The value of the first source, as [`Outside`] counts it; none where that tells nothing. Pages only lose combinations at
    /// their end, so that what was outside once stays so.
    #[inline]
    fn first_value(&self, owner: u32, combination: &[i64]) -> Option<i64> {
        let (source, column) = (self.sources.first()?, self.columns.first()?);
        let known = owner == 0 && self.missing & 1 == 0 && source.has_ordered_codes(column);
        let value = *combination.first().filter(|_| known)?;
        Some(if source.descending { !value } else { value })
    }

    /// The bucket of a combination.
    fn bucket(&mut self, owner: u32, combination: &[i64]) -> Result<Option<u32>> {
        let value = self.first_value(owner, combination);
        if value.is_some_and(|value| value < self.outside.before || value > self.outside.after) {
            return Ok(None);
        }
        self.code.clear();
        self.code.push(i64::from(owner));
        self.code.push(self.missing as i64);
        self.code.extend_from_slice(combination);
        if let Some(bucket) = self.seen.get(&self.code) {
            return Ok(*bucket);
        }
        let bucket = self.place(owner, combination, value)?;
        self.seen.insert(self.code.clone(), bucket);
        Ok(bucket)
    }

    /// Collects documents that have one value for each source, column by column. False if they have not.
    fn collect_singles(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<bool> {
        // The ordinals of a script grow while it runs, and radixes with them.
        let absent = self.columns.iter().any(|column| column.source.is_absent() || column.source.is_scripted());
        if absent || !self.sources.iter().all(CompositeSource::keeps_values) {
            return Ok(false);
        }
        for ((source, column), list) in self.sources.iter().zip(&self.columns).zip(&mut self.lists) {
            column.source.read(docs, &mut self.batch)?;
            if !self.batch.is_one_each() || self.batch.values().len() != docs.len() {
                return Ok(false);
            }
            list.clear();
            list.extend_from_slice(self.batch.values());
            source.round_each(column, list);
        }
        self.missing = 0;
        let radixes = self.radixes().filter(|_| matches!(owners, Owners::One(0)));
        if let Some((radixes, all)) = radixes.as_ref().filter(|_| self.subs.is_empty()) {
            self.tally_singles(docs.len(), radixes, *all);
            return Ok(true);
        }
        let lists = std::mem::take(&mut self.lists);
        let mut combination = vec![0; lists.len()];
        for (i, &doc) in docs.iter().enumerate() {
            let mut number = 0;
            combination.iter_mut().zip(&lists).for_each(|(code, list)| *code = list[i]);
            let bucket = if let Some((radixes, all)) = &radixes {
                self.direct.resize(*all, UNSEEN);
                for (code, (least, radix)) in combination.iter().zip(radixes) {
                    number = number * radix + (code - least) as usize;
                }
                match self.direct[number] {
                    UNSEEN => {
                        let bucket = self.bucket(0, &combination)?;
                        self.direct[number] = bucket.unwrap_or(OUT);
                        bucket
                    }
                    OUT => None,
                    bucket => Some(bucket),
                }
            } else {
                self.bucket(owners.of(i), &combination)?
            };
            if let Some(bucket) = bucket {
                self.counts[bucket as usize] += 1;
                self.subs.push(doc, bucket)?;
            }
        }
        self.lists = lists;
        Ok(true)
    }

    /// Counts documents by the numbers of their combinations.
    fn tally_singles(&mut self, docs: usize, radixes: &[(i64, usize)], all: usize) {
        self.numbers.clear();
        self.numbers.resize(docs, 0);
        for (list, (least, radix)) in self.lists.iter().zip(radixes) {
            for (number, code) in self.numbers.iter_mut().zip(list) {
                *number = *number * *radix as u32 + (code - least) as u32;
            }
        }
        self.tally.resize(all, 0);
        count_each(self.numbers.iter().map(|number| *number as usize), &mut self.tally);
    }

    /// Makes buckets of what was tallied.
    fn settle(&mut self) -> Result<()> {
        let tally = std::mem::take(&mut self.tally);
        let Some((radixes, _)) = self.radixes().filter(|_| !tally.is_empty()) else { return Ok(()) };
        let mut combination = vec![0; radixes.len()];
        self.missing = 0;
        for (number, docs) in tally.iter().enumerate().filter(|(_, docs)| **docs > 0) {
            let mut rest = number;
            for (code, (least, radix)) in combination.iter_mut().zip(&radixes).rev() {
                *code = least + (rest % radix) as i64;
                rest /= radix;
            }
            if let Some(bucket) = self.bucket(0, &combination)? {
                self.counts[bucket as usize] += u64::from(*docs);
            }
        }
        Ok(())
    }

    /// Of each source the least code and how many codes there may be in this segment; and how many combinations, if they are few.
    fn radixes(&self) -> Option<(Vec<(i64, usize)>, usize)> {
        let radix = |(source, column): (&CompositeSource, &KeySource)| {
            if column.source.is_bytes() {
                return Some((0, column.source.num_ords() as usize));
            }
            let (least, greatest) = column.source.number_range()?;
            let mut ends = [least, greatest];
            source.round_each(column, &mut ends);
            let codes = ends[1].checked_sub(ends[0])?.checked_add(1)?;
            Some((ends[0], usize::try_from(codes).ok()?))
        };
        let radixes: Vec<(i64, usize)> = self.sources.iter().zip(&self.columns).map(radix).collect::<Option<_>>()?;
        let all = radixes.iter().try_fold(1usize, |all, (_, radix)| all.checked_mul(*radix))?;
        (all <= DIRECT_MAX).then_some((radixes, all))
    }
}

impl Aggregator for CompositeAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.seen.clear();
        self.outside = Outside::default();
        self.queues.values_mut().flat_map(|queue| queue.values_mut()).for_each(|place| place.value = None);
        self.direct.clear();
        self.singles = true;
        self.columns.iter_mut().for_each(|c| c.enter_segment(view));
        self.subs.enter_segment_late(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        self.singles = self.singles && self.collect_singles(docs, owners)?;
        if self.singles {
            return Ok(());
        }
        let mut lists = std::mem::take(&mut self.lists);
        for (i, &doc) in docs.iter().enumerate() {
            self.missing = 0;
            for (at, ((source, column), list)) in self.sources.iter().zip(&mut self.columns).zip(&mut lists).enumerate()
            {
                column.codes(doc, list)?;
                source.round(column, list);
                if at == 0 && self.distinct_first {
                    list.dedup();
                }
                if list.is_empty() && source.missing_bucket {
                    list.push(0);
                    self.missing |= 1 << at;
                }
            }
            let owner = owners.of(i);
            for_each_combination(&lists, |combination| {
                let Some(bucket) = self.bucket(owner, combination)? else { return Ok(()) };
                self.counts[bucket as usize] += 1;
                self.subs.push(doc, bucket)
            })?;
        }
        self.lists = lists;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.settle()?;
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let queues: Vec<_> = owners.iter().map(|o| self.queues.remove(o).unwrap_or_default()).collect();
            let numbers: Vec<u32> = queues.iter().flat_map(|q| q.values().map(|place| place.bucket)).collect();
            let mut rows = self.subs.build(&numbers, pace).await?.into_iter();
            let mut results = Vec::with_capacity(owners.len());
            for queue in queues {
                let buckets = queue
                    .into_iter()
                    .zip(rows.by_ref())
                    .map(|((key, place), subs)| {
                        let count = self.counts[place.bucket as usize] + self.subs.beyond(place.bucket);
                        (key, Bucket { count, subs })
                    })
                    .collect();
                let formats = self.formats.clone();
                results.push(Partial::Composite(Box::new(CompositeBuckets { buckets, formats, last: None })));
            }
            Ok(results)
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        Details { shows_optimized: true, ..Details::default() }
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    /// The buckets of a page, and the key that the next one begins after.
    fn page(answer: &str) -> (Vec<String>, Option<String>) {
        let buckets = answer.split_once(r#""buckets":["#).unwrap_or_else(|| panic!("{answer}")).1;
        let after = answer.split_once(r#""after_key":"#).map(|(_, rest)| rest[..=rest.find('}').unwrap()].to_owned());
        let keys =
            buckets.split(r#"{"key":"#).skip(1).map(|bucket| bucket.trim_end_matches([',', ']', '}']).to_owned());
        (keys.collect(), after)
    }

    #[test]
    fn pages_are_the_parts_of_all_buckets() {
        let mapping =
            r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"long"},"d":{"type":"date"},"h":{"type":"integer"}}}"#;
        let doc = |i: i64| {
            let x = i * 7_919 % 23;
            let k = if i % 13 == 0 { String::new() } else { format!(r#""k":["k{}","k{}"],"#, x % 6, x % 2) };
            let n = if i % 17 == 0 { String::new() } else { format!(r#""n":{},"#, x % 5 - 2) };
            format!(r#"{{{k}{n}"d":{},"h":{}}}"#, 1_600_000_000_000 + x * 40_000_000, x)
        };
        let docs: Vec<String> = (0..600).map(doc).collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(mapping, &[&docs[..250], &docs[250..]]);
        let sources = [
            r#"{"a":{"terms":{"field":"k"}}},{"b":{"terms":{"field":"n"}}}"#,
            r#"{"a":{"terms":{"field":"k","order":"desc"}}},{"b":{"terms":{"field":"n","order":"desc"}}}"#,
            r#"{"a":{"terms":{"field":"n","missing_bucket":true,"missing_order":"last"}}},{"b":{"terms":{"field":"k"}}}"#,
            r#"{"a":{"terms":{"field":"n","missing_bucket":true,"order":"desc"}}},{"b":{"terms":{"field":"h"}}}"#,
            r#"{"a":{"date_histogram":{"field":"d","fixed_interval":"1d"}}},{"b":{"terms":{"field":"n"}}}"#,
            r#"{"a":{"histogram":{"field":"h","interval":7,"order":"desc"}}},{"b":{"terms":{"field":"k"}}}"#,
            r#"{"a":{"histogram":{"field":"h"}}},{"b":{"terms":{"field":"d"}}}"#,
        ];
        for sources in sources {
            let ask = |size: usize, after: &str| {
                let body = format!(
                    r#"{{"size":0,"aggs":{{"c":{{"composite":{{"size":{size},"sources":[{sources}]{after}}}}}}}}}"#
                );
                page(&search(&cx, &body))
            };
            let all = ask(99, "").0;
            assert!(all.len() > 15, "{sources}");
            for size in [1, 7] {
                let (mut keys, mut after) = (vec![], String::new());
                while let (found, Some(last)) = ask(size, &after) {
                    keys.extend(found);
                    after = format!(r#","after":{last}"#);
                }
                assert_eq!(keys, all, "{size} {sources}");
            }
        }
    }
}
