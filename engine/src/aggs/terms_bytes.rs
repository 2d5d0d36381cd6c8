//! terms over byte strings: counted by ordinals of the segment, joined over segments by their bytes.

use super::kind::{Aggregator, Owners, Subs, check_shard_buckets};
use super::partial::{Key, KeyType, Partial};
use super::source::Source;
use super::terms::{Ranking, Selection, Table};
use crate::error::Result;
use crate::segment::{NO_ORD, SegmentView};
use ahash::{AHashMap, AHashSet};
use std::cmp::Ordering;

/// Marks ordinals that include and exclude leave out.
const LEFT_OUT: u32 = u32::MAX - 1;
/// Marks ordinals that have not been looked at yet.
const UNSEEN: u32 = u32::MAX;

pub(crate) struct BytesAggregator {
    source: Source,
    ranking: Ranking,
    subs: Subs,
    include: Option<AHashSet<Vec<u8>>>,
    exclude: Option<AHashSet<Vec<u8>>>,
    /// The terms met so far, on the whole shard.
    terms: AHashMap<Box<[u8]>, u32>,
    table: BytesTable,
    /// Term number of each ordinal of the current segment.
    term_of_ord: Vec<u32>,
    /// Buckets by owner and term; unused at the top level, where the bucket is the term.
    numbers: AHashMap<(u32, u32), u32>,
    /// At the top level without sub-aggregations: counts of the current segment by ordinal.
    ord_counts: Vec<u32>,
    nested: bool,
    ords: Vec<u32>,
}

#[derive(Default)]
struct BytesTable {
    keys: Vec<Box<[u8]>>,
    /// Owner and term of each bucket, below other buckets.
    buckets: Vec<(u32, u32)>,
    counts: Vec<u64>,
}

impl BytesTable {
    fn bytes(&self, number: u32) -> &[u8] {
        let term = self.buckets.get(number as usize).map_or(number, |b| b.1);
        &self.keys[term as usize]
    }
}

impl Table for BytesTable {
    fn count(&self, number: u32) -> u64 {
        self.counts.get(number as usize).copied().unwrap_or(0)
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        self.bytes(a).cmp(self.bytes(b))
    }

    fn key(&self, number: u32) -> Key {
        Key::Bytes(self.bytes(number).into())
    }
}

impl BytesAggregator {
    pub(crate) fn new(source: Source, ranking: Ranking, subs: Subs) -> Result<Self> {
        let values = |selection: &Option<Selection>| Selection::values(selection.as_ref(), |v| source.parse_bytes(v));
        let (include, exclude) = (values(&ranking.config.include)?, values(&ranking.config.exclude)?);
        Ok(Self {
            source,
            ranking,
            subs,
            include,
            exclude,
            terms: AHashMap::new(),
            table: BytesTable::default(),
            term_of_ord: vec![],
            numbers: AHashMap::new(),
            ord_counts: vec![],
            nested: false,
            ords: vec![],
        })
    }

    fn is_selected(&self, term: &[u8]) -> bool {
        let matches = |selection: &Option<Selection>, values: &Option<AHashSet<Vec<u8>>>| match selection {
            None => None,
            Some(Selection::Values(_)) => Some(values.as_ref().is_some_and(|v| v.contains(term))),
            Some(Selection::Pattern(regex)) => Some(regex.is_match(term)),
        };
        matches(&self.ranking.config.include, &self.include) != Some(false)
            && matches(&self.ranking.config.exclude, &self.exclude) != Some(true)
    }

    /// The number of a term on this shard.
    fn term_number(&mut self, term: &[u8]) -> Result<u32> {
        if let Some(number) = self.terms.get(term) {
            return Ok(*number);
        }
        if !self.is_selected(term) {
            return Ok(LEFT_OUT);
        }
        check_shard_buckets(self.table.keys.len())?;
        let number = self.table.keys.len() as u32;
        self.table.keys.push(term.into());
        self.terms.insert(term.into(), number);
        Ok(number)
    }

    #[inline]
    fn term_of(&mut self, ord: u32) -> Result<u32> {
        match self.term_of_ord[ord as usize] {
            UNSEEN => {
                let bytes = self.source.term(ord).into_owned();
                let term = self.term_number(&bytes)?;
                self.term_of_ord[ord as usize] = term;
                Ok(term)
            }
            term => Ok(term),
        }
    }

    fn add(&mut self, doc: u32, owner: u32, term: u32) -> Result<()> {
        if term == LEFT_OUT {
            return Ok(());
        }
        let bucket = if self.nested {
            match self.numbers.get(&(owner, term)) {
                Some(bucket) => *bucket,
                None => {
                    check_shard_buckets(self.table.buckets.len())?;
                    let bucket = self.table.buckets.len() as u32;
                    self.table.buckets.push((owner, term));
                    self.numbers.insert((owner, term), bucket);
                    bucket
                }
            }
        } else {
            term
        };
        let at = bucket as usize;
        if at >= self.table.counts.len() {
            self.table.counts.resize((at + 1).next_power_of_two(), 0);
        }
        self.table.counts[at] += 1;
        self.subs.push(doc, bucket)
    }

    /// The top level without sub-aggregations needs only counts by ordinal.
    fn count_ords(&mut self, docs: &[u32]) -> Result<()> {
        let mut ords = std::mem::take(&mut self.ords);
        let mut without = 0;
        if self.source.single_ords(docs, &mut ords) {
            for &ord in &ords {
                match ord {
                    NO_ORD => without += 1,
                    ord => self.ord_counts[ord as usize] += 1,
                }
            }
        } else {
            for &doc in docs {
                self.source.ords(doc, &mut ords);
                without += u64::from(ords.is_empty());
                ords.iter().for_each(|o| self.ord_counts[*o as usize] += 1);
            }
        }
        self.ords = ords;
        self.add_missing(without)
    }

    fn add_missing(&mut self, docs: u64) -> Result<()> {
        let Some(missing) = self.source.missing_bytes().map(<[u8]>::to_vec).filter(|_| docs > 0) else { return Ok(()) };
        let term = self.term_number(&missing)?;
        self.add_count(term, docs);
        Ok(())
    }

    fn add_count(&mut self, term: u32, docs: u64) {
        if term == LEFT_OUT {
            return;
        }
        let at = term as usize;
        if at >= self.table.counts.len() {
            self.table.counts.resize((at + 1).next_power_of_two(), 0);
        }
        self.table.counts[at] += docs;
    }

    /// Buckets of the requested owners. Terms without documents are among them when they are wanted.
    fn lists(&mut self, owners: &[u32]) -> Result<Vec<Vec<u32>>> {
        let empty_wanted = self.ranking.config.min_doc_count == 0;
        if !self.nested {
            let all = (0..self.table.keys.len() as u32).filter(|n| empty_wanted || self.table.count(*n) > 0).collect();
            let mut all = Some(all);
            return Ok(owners.iter().map(|o| if *o == 0 { all.take().unwrap_or_default() } else { vec![] }).collect());
        }
        if empty_wanted {
            for &owner in owners {
                for term in 0..self.table.keys.len() as u32 {
                    if !self.numbers.contains_key(&(owner, term)) {
                        check_shard_buckets(self.table.buckets.len())?;
                        self.numbers.insert((owner, term), self.table.buckets.len() as u32);
                        self.table.buckets.push((owner, term));
                    }
                }
            }
        }
        let mut by_owner: AHashMap<u32, Vec<u32>> = AHashMap::new();
        for (number, (owner, _)) in self.table.buckets.iter().enumerate() {
            by_owner.entry(*owner).or_default().push(number as u32);
        }
        Ok(owners.iter().map(|o| by_owner.remove(o).unwrap_or_default()).collect())
    }
}

impl Aggregator for BytesAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        let ords = self.source.num_ords() as usize;
        self.term_of_ord.clear();
        self.term_of_ord.resize(ords, UNSEEN);
        self.ord_counts.clear();
        self.ord_counts.resize(ords, 0);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        self.nested = matches!(owners, Owners::Each(_));
        if !self.nested && self.subs.is_empty() {
            return self.count_ords(docs);
        }
        let missing = match self.source.missing_bytes().map(<[u8]>::to_vec) {
            Some(bytes) => self.term_number(&bytes)?,
            None => LEFT_OUT,
        };
        let mut ords = std::mem::take(&mut self.ords);
        for (i, &doc) in docs.iter().enumerate() {
            self.source.ords(doc, &mut ords);
            for &ord in &ords {
                let term = self.term_of(ord)?;
                self.add(doc, owners.of(i), term)?;
            }
            if ords.is_empty() {
                self.add(doc, owners.of(i), missing)?;
            }
        }
        self.ords = ords;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        let empty_wanted = self.ranking.config.min_doc_count == 0;
        for ord in 0..self.ord_counts.len() as u32 {
            let count = self.ord_counts[ord as usize];
            if count > 0 || empty_wanted {
                let term = self.term_of(ord)?;
                self.add_count(term, if self.nested { 0 } else { u64::from(count) });
            }
        }
        self.subs.leave_segment()
    }

    fn build(&mut self, owners: &[u32]) -> Result<Vec<Partial>> {
        let lists = self.lists(owners)?;
        let key_type =
            if self.source.is_mapped() || !self.table.keys.is_empty() { KeyType::Bytes } else { KeyType::Unmapped };
        self.ranking.build(&self.table, lists, &mut self.subs, self.source.format(), key_type)
    }
}
