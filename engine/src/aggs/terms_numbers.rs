//! terms over numbers: every value met gets a number, and every owner a bucket for it.

use super::bucket_table::BucketTable;
use super::kind::{Aggregator, Built, Owners, Subs, check_shard_buckets};
use super::ord_counts::count_each;
use super::partial::{Key, KeyType};
use super::profile::Details;
use super::ranking::{KeyForm, Ranking, Table};
use super::source::Source;
use super::tally::Tally;
use super::terms::Selection;
use crate::error::Result;
use crate::json::Value;
use crate::mapping::number::{decode_u64, encode_u64};
use crate::pace::Pace;
use crate::segment::{Batch, SegmentView};
use ahash::{AHashMap, AHashSet};
use std::cmp::Ordering;

/// The widest range of values that is looked up in an array.
const SPAN_MAX: u64 = 65_536;
/// Marks values that include and exclude leave out, and those that have not been looked at yet.
const LEFT_OUT: u32 = u32::MAX - 1;
const UNSEEN: u32 = u32::MAX;

pub(crate) struct NumbersAggregator {
    source: Source,
    ranking: Ranking,
    subs: Subs,
    include: Option<AHashSet<i64>>,
    exclude: Option<AHashSet<i64>>,
    /// The values met so far on the shard, and their numbers.
    values: Vec<i64>,
    numbers: AHashMap<i64, u32>,
    /// Numbers of the values from `near_from` on, where the values of the segment lie close together.
    near: Vec<u32>,
    near_from: i64,
    buckets: BucketTable,
    counts: Vec<u64>,
    /// Counts below other buckets in the current segment, where nothing but these is wanted.
    tally: Tally,
    /// At the top level, where the values of a segment lie close together: the bucket of each number.
    bucket_of: Vec<u32>,
    /// Values that get a bucket even without documents.
    wanted: AHashSet<i64>,
    /// The value that documents are not counted for where it is their first one.
    overlooked: Option<i64>,
    batch: Batch,
    docs: Vec<u32>,
    owners: Vec<u32>,
}

impl NumbersAggregator {
    pub(crate) fn new(source: Source, ranking: Ranking, subs: Subs) -> Result<Self> {
        // Numbers that the field cannot hold are not those of any document, however close they come.
        let exact = |wanted: &Value, number: i64| {
            let asked = wanted.as_f64().or_else(|| wanted.to_text().trim().parse().ok());
            source.is_integral() || asked.is_none_or(|asked| source.decode(number) == asked)
        };
        let values = |selection: &Option<Selection>| {
            let found = Selection::values(selection.as_ref(), |v| {
                source.parse_number(v).map(|number| exact(v, number).then_some(number))
            });
            found.map(|found| found.map(|set| set.into_iter().flatten().collect::<AHashSet<i64>>()))
        };
        let (mut include, mut exclude) = (values(&ranking.config.include)?, values(&ranking.config.exclude)?);
        // No numbers that are included are all of them.
        include = include.filter(|_| !matches!(&ranking.config.include, Some(Selection::Values(v)) if v.is_empty()));
        if source.is_unsigned() {
            // The reference compares what is asked for with numbers of another class: none of them is equal.
            include = include.map(|_| AHashSet::new());
            exclude = None;
        }
        // Where repeated values count, the reference takes the greatest number of all for one that it has just seen.
        let greatest = if source.is_unsigned() { encode_u64(i64::MAX as u64) } else { i64::MAX };
        let overlooked = ranking.config.counts_repeated.then_some(greatest);
        Ok(Self {
            source,
            ranking,
            subs,
            include,
            exclude,
            values: vec![],
            numbers: AHashMap::new(),
            near: vec![],
            near_from: 0,
            buckets: BucketTable::default(),
            counts: vec![],
            tally: Tally::default(),
            bucket_of: vec![],
            wanted: AHashSet::new(),
            overlooked,
            batch: Batch::default(),
            docs: vec![],
            owners: vec![],
        })
    }

    fn is_selected(&self, value: i64) -> bool {
        if let Some(Selection::Partition { part, of }) = &self.ranking.config.include {
            // Doubles are dealt out by their bits, in the order of their values.
            let bits = match () {
                () if self.source.is_unsigned() => decode_u64(value) as i64,
                () if self.source.is_integral() => value,
                () => {
                    let bits = self.source.decode(value).to_bits() as i64;
                    bits ^ ((bits >> 63) & i64::MAX)
                }
            };
            return mix(bits).rem_euclid(*of) == *part;
        }
        self.include.as_ref().is_none_or(|s| s.contains(&value))
            && !self.exclude.as_ref().is_some_and(|s| s.contains(&value))
    }

    /// The number of a value on this shard.
    #[inline]
    fn number(&mut self, value: i64) -> Result<u32> {
        let place = value.wrapping_sub(self.near_from) as u64 as usize;
        match self.near.get(place) {
            Some(number) if *number != UNSEEN => Ok(*number),
            _ => self.slow_number(value, place),
        }
    }

    fn slow_number(&mut self, value: i64, place: usize) -> Result<u32> {
        let number = match self.numbers.get(&value) {
            Some(number) => *number,
            None if !self.is_selected(value) => LEFT_OUT,
            None => {
                check_shard_buckets(self.values.len())?;
                let number = self.values.len() as u32;
                self.values.push(value);
                self.numbers.insert(value, number);
                number
            }
        };
        if let Some(near) = self.near.get_mut(place) {
            *near = number;
        }
        Ok(number)
    }

    #[inline]
    fn bucket(&mut self, owner: u32, number: u32) -> Result<u32> {
        let bucket = self.buckets.bucket(owner, number)?;
        if bucket as usize >= self.counts.len() {
            self.counts.resize((bucket as usize + 1).next_power_of_two(), 0);
        }
        Ok(bucket)
    }

    fn add(&mut self, doc: u32, owner: u32, value: i64) -> Result<()> {
        let number = self.number(value)?;
        if number == LEFT_OUT {
            return Ok(());
        }
        let bucket = self.bucket(owner, number)?;
        self.counts[bucket as usize] += 1;
        if !self.subs.is_empty() {
            self.docs.push(doc);
            self.owners.push(bucket);
        }
        Ok(())
    }

    /// Whether all values of the segment lie close together, so that [`NumbersAggregator::near`] has them.
    fn is_near(&self) -> bool {
        !self.near.is_empty() && self.source.missing_number().is_none()
    }

    /// Counts below other buckets, where nothing but that is wanted.
    fn is_tallied(&mut self, owners: Owners<'_>, batch: &Batch) -> bool {
        let Owners::Each(owners) = owners else { return false };
        let range = (self.near_from, self.near.len());
        let only_counts = self.subs.is_empty() && !self.ranking.as_met;
        only_counts && self.is_near() && self.tally.add(range, owners, batch.values(), batch.places())
    }

    /// Brings what was tallied into buckets.
    fn settle(&mut self) -> Result<()> {
        for (owner, place, docs) in self.tally.take() {
            let number = self.number(self.near_from.wrapping_add(place as i64))?;
            if number != LEFT_OUT {
                let bucket = self.bucket(owner, number)?;
                self.counts[bucket as usize] += docs;
            }
        }
        Ok(())
    }

    /// Documents with one value each that lie close together, not below another bucket.
    fn add_one_each(&mut self, docs: &[u32], values: &[i64]) -> Result<()> {
        let place = |this: &Self, value: &i64| value.wrapping_sub(this.near_from) as usize;
        for value in values {
            if self.near[place(self, value)] == UNSEEN {
                self.number(*value)?;
            }
        }
        for number in self.bucket_of.len()..self.values.len() {
            let bucket = self.bucket(0, number as u32)?;
            self.bucket_of.push(bucket);
        }
        let numbers = || values.iter().map(|value| self.near[place(self, value)]);
        if numbers().any(|number| number == LEFT_OUT) {
            let kept = docs.iter().zip(numbers()).filter(|(_, number)| *number != LEFT_OUT);
            let kept: Vec<(u32, u32)> = kept.map(|(doc, number)| (*doc, self.bucket_of[number as usize])).collect();
            self.docs.extend(kept.iter().map(|(doc, _)| doc));
            self.owners.extend(kept.iter().map(|(_, bucket)| bucket));
        } else {
            let buckets: Vec<u32> = numbers().map(|number| self.bucket_of[number as usize]).collect();
            self.owners = buckets;
            self.docs.extend_from_slice(docs);
        }
        count_each(self.owners.iter().map(|bucket| *bucket as usize), &mut self.counts);
        Ok(())
    }

    fn add_batch(&mut self, docs: &[u32], owners: Owners<'_>, batch: &Batch) -> Result<()> {
        let values = batch.values();
        if self.is_tallied(owners, batch) {
            return Ok(());
        }
        if matches!(owners, Owners::One(0)) && batch.is_one_each() && self.is_near() {
            return self.add_one_each(docs, values);
        }
        let Some(places) = batch.places() else {
            for (i, value) in values.iter().enumerate() {
                if self.overlooked != Some(*value) {
                    self.add(docs[i], owners.of(i), *value)?;
                }
            }
            return Ok(());
        };
        for (i, (value, place)) in values.iter().zip(places).enumerate() {
            // A document counts once per distinct value.
            let first = i == 0 || places[i - 1] != *place;
            if first && self.overlooked == Some(*value) {
                continue;
            }
            let again = !first && values[i - 1] == *value;
            if !again || self.ranking.config.counts_repeated {
                self.add(docs[*place as usize], owners.of(*place as usize), *value)?;
            }
        }
        Ok(())
    }
}

/// The reference's mixing of a number's bits (David Stafford's variant 9 of MurmurHash3's finish).
fn mix(bits: i64) -> i64 {
    let mut z = bits as u64;
    z = (z ^ (z >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
    z = (z ^ (z >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
    (z ^ (z >> 32)) as i64
}

struct NumbersTable<'a> {
    values: &'a [i64],
    buckets: &'a [(u32, u32)],
    counts: &'a [u64],
    source: &'a Source,
}

impl NumbersTable<'_> {
    fn value(&self, bucket: u32) -> i64 {
        self.values[self.buckets[bucket as usize].1 as usize]
    }
}

impl Table for NumbersTable<'_> {
    fn count(&self, number: u32) -> u64 {
        self.counts.get(number as usize).copied().unwrap_or(0)
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        // Encoded numbers have the order of what they stand for.
        self.value(a).cmp(&self.value(b))
    }

    fn key(&self, number: u32) -> Key {
        self.source.number_key(self.value(number))
    }
}

impl Aggregator for NumbersAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        if self.ranking.config.min_doc_count == 0 {
            self.wanted.extend(self.source.all_numbers());
            // What stands in for values is only there where one is missing.
            if !self.source.number_column().is_some_and(|column| column.docs().is_all()) {
                self.wanted.extend(self.source.stand_in());
            }
            let wanted = &mut self.wanted;
            self.source.each_scripted(view, |batch| {
                wanted.extend(batch.values());
                Ok(())
            })?;
        }
        self.near.clear();
        let range = self.source.number_column().and_then(|column| Some((column.min()?, column.max()?)));
        if let Some((min, max)) = range.filter(|(min, max)| {
            let overlooks = self.overlooked.is_some_and(|value| (*min..=*max).contains(&value));
            max.abs_diff(*min) < SPAN_MAX && !overlooks
        }) {
            self.near_from = min;
            self.near.resize(max.abs_diff(min) as usize + 1, UNSEEN);
        }
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read_or_plain(docs, &mut batch)?;
        self.docs.clear();
        self.owners.clear();
        self.add_batch(docs, owners, &batch)?;
        if !self.docs.is_empty() && !self.subs.is_empty() {
            self.subs.collect(&self.docs, Owners::Each(&self.owners))?;
        }
        self.batch = batch;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.settle()?;
        self.subs.leave_segment()
    }

    fn can_be_joined(&self) -> bool {
        // How many values there will be is known where they lie close together.
        let values = if self.near.is_empty() { usize::MAX } else { self.near.len() };
        self.ranking.can_be_joined(values.max(self.values.len()).max(self.counts.len())) && self.subs.can_be_joined()
    }

    fn enter_part(&mut self) {
        self.ranking.keep_all();
        self.subs.enter_part();
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let wanted: Vec<i64> = self.wanted.iter().copied().filter(|v| self.is_selected(*v)).collect();
            for &value in &wanted {
                let number = self.number(value)?;
                for &owner in owners {
                    self.bucket(owner, number)?;
                }
            }
            let lists = self.buckets.by_owner(owners);
            let integral = self.source.is_integral();
            let key_type = match (self.source.is_mapped() || !self.values.is_empty(), integral) {
                (false, _) => KeyType::Unmapped,
                (true, true) if self.source.is_unsigned() => KeyType::Unsigned,
                (true, true) => KeyType::Long,
                (true, false) => KeyType::Double,
            };
            let table = NumbersTable {
                values: &self.values,
                buckets: self.buckets.buckets(),
                counts: &self.counts,
                source: &self.source,
            };
            self.ranking
                .build(&table, lists, 0, &mut self.subs, KeyForm { format: self.source.format(), key_type }, pace)
                .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let strategy = match (self.source.is_unsigned(), self.source.is_integral()) {
            (true, _) => "unsigned_long_terms",
            (_, true) => "long_terms",
            (_, false) => "double_terms",
        };
        if !self.source.is_mapped() && !self.source.has_missing() {
            return Details { class: Some("NonCollectingAggregator"), ..Details::default() };
        }
        let met = self.values.len() as u64;
        let debug = vec![
            ("result_selection_strategy", Value::from(self.ranking.config.selects_by(met, met))),
            ("result_strategy", Value::from(strategy)),
            ("total_buckets", Value::UInt(self.values.len() as u64)),
        ];
        Details {
            class: Some("NumericTermsAggregator"),
            debug,
            shows_optimized: false,
            defers: self.ranking.config.defers(None),
        }
    }
}
