//! terms over numbers: one table by owner and value for the whole shard.

use super::kind::{Aggregator, Owners, Subs, check_shard_buckets};
use super::partial::{Key, KeyType, Partial};
use super::source::Source;
use super::terms::{Ranking, Selection, Table};
use crate::error::Result;
use crate::segment::SegmentView;
use ahash::{AHashMap, AHashSet};
use std::cmp::Ordering;

pub(crate) struct NumbersAggregator {
    source: Source,
    ranking: Ranking,
    subs: Subs,
    include: Option<AHashSet<i64>>,
    exclude: Option<AHashSet<i64>>,
    numbers: AHashMap<(u32, i64), u32>,
    /// Owner, value and count of each bucket.
    buckets: Vec<(u32, i64, u64)>,
    /// Values that get a bucket even without documents.
    wanted: AHashSet<i64>,
    values: Vec<i64>,
}

impl NumbersAggregator {
    pub(crate) fn new(source: Source, ranking: Ranking, subs: Subs) -> Result<Self> {
        let values = |selection: &Option<Selection>| Selection::values(selection.as_ref(), |v| source.parse_number(v));
        let (include, exclude) = (values(&ranking.config.include)?, values(&ranking.config.exclude)?);
        Ok(Self {
            source,
            ranking,
            subs,
            include,
            exclude,
            numbers: AHashMap::new(),
            buckets: vec![],
            wanted: AHashSet::new(),
            values: vec![],
        })
    }

    fn is_selected(&self, value: i64) -> bool {
        self.include.as_ref().is_none_or(|s| s.contains(&value))
            && !self.exclude.as_ref().is_some_and(|s| s.contains(&value))
    }

    fn bucket(&mut self, owner: u32, value: i64) -> Result<u32> {
        if let Some(bucket) = self.numbers.get(&(owner, value)) {
            return Ok(*bucket);
        }
        check_shard_buckets(self.buckets.len())?;
        let bucket = self.buckets.len() as u32;
        self.buckets.push((owner, value, 0));
        self.numbers.insert((owner, value), bucket);
        Ok(bucket)
    }
}

struct NumbersTable<'a> {
    buckets: &'a [(u32, i64, u64)],
    source: &'a Source,
    integral: bool,
}

impl Table for NumbersTable<'_> {
    fn count(&self, number: u32) -> u64 {
        self.buckets[number as usize].2
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        // Encoded numbers have the order of what they stand for.
        self.buckets[a as usize].1.cmp(&self.buckets[b as usize].1)
    }

    fn key(&self, number: u32) -> Key {
        let value = self.buckets[number as usize].1;
        if self.integral { Key::Long(value) } else { Key::Double(self.source.decode(value)) }
    }
}

impl Aggregator for NumbersAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        if self.ranking.config.min_doc_count == 0 {
            self.wanted.extend(self.source.all_numbers());
        }
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut self.values);
        for (i, &doc) in docs.iter().enumerate() {
            self.source.numbers(doc, &mut values);
            // A document counts once per distinct value.
            values.dedup();
            for &value in &values {
                if self.is_selected(value) {
                    let bucket = self.bucket(owners.of(i), value)?;
                    self.buckets[bucket as usize].2 += 1;
                    self.subs.push(doc, bucket)?;
                }
            }
        }
        self.values = values;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        let wanted: Vec<i64> = self.wanted.iter().copied().filter(|v| self.is_selected(*v)).collect();
        for &owner in owners {
            for &value in &wanted {
                self.bucket(owner, value)?;
            }
        }
        let mut by_owner: AHashMap<u32, Vec<u32>> = AHashMap::new();
        for (number, (owner, _, _)) in self.buckets.iter().enumerate() {
            by_owner.entry(*owner).or_default().push(number as u32);
        }
        let lists = owners.iter().map(|o| by_owner.remove(o).unwrap_or_default()).collect();
        let integral = self.source.is_integral();
        let key_type = match (self.source.is_mapped() || !self.buckets.is_empty(), integral) {
            (false, _) => KeyType::Unmapped,
            (true, true) => KeyType::Long,
            (true, false) => KeyType::Double,
        };
        let table = NumbersTable { buckets: &self.buckets, source: &self.source, integral };
        self.ranking.build(&table, lists, &mut self.subs, self.source.format(), key_type)
    }
}
