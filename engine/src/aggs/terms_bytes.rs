//! terms over byte strings: counted by ordinals of the segment, joined over segments by their bytes.
//!
//! At the top level and without sub-aggregations only the ordinals of each segment are counted (see [`super::ord_counts`]);
//! otherwise every term met gets a number, and every owner a bucket for it.

use super::bucket_table::BucketTable;
use super::chosen_terms::ChosenTerms;
use super::kind::{Aggregator, Built, Owners, Subs, check_shard_buckets};
use super::ord_counts::{OrdCounts, count_each};
use super::partial::{Key, KeyType};
use super::profile::Details;
use super::ranking::{KeyForm, Ranking, Table};
use super::source::Source;
use super::tally::Tally;
use crate::error::Result;
use crate::json::Value;
use crate::murmur3;
use crate::pace::{Pace, block_on_ready};
use crate::query::ShardContext;
use crate::score::Selection as Matches;
use crate::segment::{Batch, SegmentView};
use ahash::{AHashMap, AHashSet};
use std::cmp::Ordering;

/// Marks ordinals that include and exclude leave out.
const LEFT_OUT: u32 = u32::MAX - 1;
/// Marks ordinals that have not been looked at yet. The greatest, so that one comparison tells both from terms.
const UNSEEN: u32 = u32::MAX;

pub(crate) struct BytesAggregator {
    source: Source,
    ranking: Ranking,
    subs: Subs,
    chosen: ChosenTerms,
    /// Counts of whole segments, where nothing but counts is wanted.
    counts: OrdCounts,
    /// The terms met so far, on the whole shard.
    terms: AHashMap<Box<[u8]>, u32>,
    table: BytesTable,
    /// Term number of each ordinal of the current segment.
    term_of_ord: Vec<u32>,
    /// Below other buckets.
    nested: bool,
    /// Counts below other buckets in the current segment, where nothing but these is wanted.
    tally: Tally,
    batch: Batch,
    /// Documents and their buckets, for the sub-aggregations.
    docs: Vec<u32>,
    owners: Vec<u32>,
    /// Segments that have the field, and those of them where no document has more than one value.
    segments: u64,
    single_valued: u64,
    /// Live documents, and the terms of the segment that has most of them.
    live_docs: u64,
    ords_max: usize,
}

#[derive(Default)]
pub(super) struct BytesTable {
    pub(super) keys: Vec<Box<[u8]>>,
    /// Buckets by owner and term; unused at the top level, where the bucket is the term.
    pub(super) buckets: BucketTable,
    counts: Vec<u64>,
}

impl BytesTable {
    fn bytes(&self, number: u32) -> &[u8] {
        let term = self.buckets.buckets().get(number as usize).map_or(number, |b| b.1);
        &self.keys[term as usize]
    }

    #[inline]
    pub(super) fn add(&mut self, bucket: u32, docs: u64) {
        let at = bucket as usize;
        if at >= self.counts.len() {
            self.counts.resize((at + 1).next_power_of_two(), 0);
        }
        self.counts[at] += docs;
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
    pub(crate) fn new(source: Source, ranking: Ranking, subs: Subs, cx: &ShardContext) -> Result<Self> {
        let chosen = ChosenTerms::new(&ranking.config, cx, |value| source.parse_bytes(value))?;
        // Terms of segments that are never entered count as well.
        let segments = cx.snapshot.segments.iter();
        let ords_of =
            |name: &str| segments.filter_map(|view| Some(view.segment.field(name)?.ordinals()?.num_ords())).max();
        let ords_max = source.field().and_then(|field| ords_of(&field.name)).unwrap_or(0) as usize;
        Ok(Self {
            source,
            ranking,
            subs,
            chosen,
            counts: OrdCounts::default(),
            terms: AHashMap::new(),
            table: BytesTable::default(),
            term_of_ord: vec![],
            nested: false,
            tally: Tally::default(),
            batch: Batch::default(),
            docs: vec![],
            owners: vec![],
            segments: 0,
            single_valued: 0,
            live_docs: 0,
            ords_max,
        })
    }

    fn selects_all(&self) -> bool {
        self.chosen.is_all()
    }

    /// How many terms there would be buckets of.
    fn buckets_met(&self) -> u64 {
        let hash = |term: &[u8]| murmur3::hash128(term);
        let mut met: AHashSet<_> = self.table.keys.iter().map(|term| hash(term)).collect();
        let meet = |term: &[u8], _| _ = self.chosen.lets_pass(term) && met.insert(hash(term));
        block_on_ready(self.counts.all(false, meet, &Pace::never()));
        met.len() as u64
    }

    /// The number of a term on this shard.
    fn term_number(&mut self, term: &[u8]) -> Result<u32> {
        if let Some(number) = self.terms.get(term) {
            return Ok(*number);
        }
        if !self.chosen.lets_pass(term) {
            return Ok(LEFT_OUT);
        }
        check_shard_buckets(self.table.keys.len())?;
        let number = self.table.keys.len() as u32;
        self.table.keys.push(term.into());
        self.terms.insert(term.into(), number);
        Ok(number)
    }

    #[inline]
    fn term_of(&mut self, ord: usize) -> Result<u32> {
        match self.term_of_ord[ord] {
            UNSEEN => {
                let bytes = self.source.term(ord as u32).into_owned();
                let term = self.term_number(&bytes)?;
                self.term_of_ord[ord] = term;
                Ok(term)
            }
            term => Ok(term),
        }
    }

    fn add(&mut self, doc: u32, owner: u32, term: u32) -> Result<()> {
        if term == LEFT_OUT {
            return Ok(());
        }
        let bucket = if self.nested { self.table.buckets.bucket(owner, term)? } else { term };
        self.table.add(bucket, 1);
        if !self.subs.is_empty() {
            self.docs.push(doc);
            self.owners.push(bucket);
        }
        Ok(())
    }

    /// Nothing but counts of whole segments is wanted of these documents.
    fn only_counts(&self, owners: Owners<'_>) -> bool {
        let is_plain = self.subs.is_empty() && !self.source.is_scripted() && !self.ranking.as_met;
        matches!(owners, Owners::One(0)) && is_plain
    }

    /// Documents with one value each, not below another bucket.
    fn add_one_each(&mut self, docs: &[u32], ords: &[i64]) -> Result<()> {
        if self.add_known(docs, ords) {
            return Ok(());
        }
        for ord in ords {
            if self.term_of_ord[*ord as usize] == UNSEEN {
                self.term_of(*ord as usize)?;
            }
        }
        if self.add_known(docs, ords) {
            return Ok(());
        }
        let (terms, counts) = (&self.term_of_ord, &mut self.table.counts);
        counts.resize(counts.len().max(self.table.keys.len()), 0);
        let terms = ords.iter().map(|ord| terms[*ord as usize]);
        for (doc, term) in docs.iter().zip(terms).filter(|(_, term)| *term != LEFT_OUT) {
            counts[term as usize] += 1;
            self.docs.push(*doc);
            self.owners.push(term);
        }
        Ok(())
    }

    /// [`BytesAggregator::add_one_each`] where all terms were seen before and none is left out. False if one was not: then nothing was
    /// added.
    fn add_known(&mut self, docs: &[u32], ords: &[i64]) -> bool {
        let (terms, counts) = (&self.term_of_ord, &mut self.table.counts);
        let (from, mut greatest) = (self.owners.len(), 0);
        self.owners.extend(ords.iter().map(|ord| {
            let term = terms[*ord as usize];
            greatest = greatest.max(term);
            term
        }));
        if greatest >= LEFT_OUT {
            self.owners.truncate(from);
            return false;
        }
        counts.resize(counts.len().max(self.table.keys.len()), 0);
        self.docs.extend_from_slice(docs);
        count_each(self.owners[from..].iter().map(|term| *term as usize), counts);
        true
    }

    /// Counts by ordinal below other buckets, where nothing but that is wanted.
    fn is_tallied(&mut self, owners: Owners<'_>, batch: &Batch) -> bool {
        let Owners::Each(owners) = owners else { return false };
        let is_plain = self.subs.is_empty() && !self.source.is_scripted() && !self.ranking.as_met;
        let only_counts = is_plain && self.source.missing_bytes().is_none();
        let width = self.term_of_ord.len();
        only_counts && self.tally.add((0, width), owners, batch.values(), batch.places())
    }

    /// Brings what was tallied into buckets.
    fn settle(&mut self) -> Result<()> {
        for (owner, ord, docs) in self.tally.take() {
            let term = self.term_of(ord)?;
            if term != LEFT_OUT {
                let bucket = self.table.buckets.bucket(owner, term)?;
                self.table.add(bucket, docs);
            }
        }
        Ok(())
    }

    fn add_batch(&mut self, docs: &[u32], owners: Owners<'_>, batch: &Batch) -> Result<()> {
        if batch.is_one_each() && !self.nested {
            return self.add_one_each(docs, batch.values());
        }
        if let Some(missing) = self.source.missing_bytes().map(<[u8]>::to_vec) {
            if batch.without() > 0 {
                return self.add_with_missing(docs, owners, batch, &missing);
            }
            self.term_number(&missing)?;
        }
        let places = batch.places();
        let may_repeat = self.source.is_scripted();
        let mut last = None;
        for (i, ord) in batch.values().iter().enumerate() {
            let place = places.map_or(i, |places| places[i] as usize);
            // What a script gives twice for a document counts once.
            if may_repeat && last.replace((place, *ord)) == Some((place, *ord)) {
                continue;
            }
            let term = self.term_of(*ord as usize)?;
            self.add(docs[place], owners.of(place), term)?;
        }
        Ok(())
    }

    /// The same where documents without a value have a stand-in. What is below sees them in their order.
    fn add_with_missing(&mut self, docs: &[u32], owners: Owners<'_>, batch: &Batch, missing: &[u8]) -> Result<()> {
        let missing = self.term_number(missing)?;
        let mut added = Ok(());
        batch.for_each_doc(|place, ords| {
            let (doc, owner) = (docs[place], owners.of(place));
            if added.is_ok() && ords.is_empty() {
                added = self.add(doc, owner, missing);
            }
            for (i, ord) in ords.iter().enumerate() {
                // What a script gives twice for a document counts once.
                if added.is_ok() && (i == 0 || ords[i - 1] != *ord) {
                    added = self.term_of(*ord as usize).and_then(|term| self.add(doc, owner, term));
                }
            }
        });
        added
    }

    /// The terms that the script gives for any document: without documents they have buckets, too.
    fn list_scripted(&mut self, view: &SegmentView) -> Result<()> {
        let mut ords = vec![];
        self.source.each_scripted(view, |batch| {
            ords.extend_from_slice(batch.values());
            ords.sort_unstable();
            ords.dedup();
            Ok(())
        })?;
        self.term_of_ord.resize(self.source.num_ords() as usize, UNSEEN);
        ords.into_iter().try_for_each(|ord| self.term_of(ord as usize).map(drop))
    }

    /// Turns the counts of whole segments to counts of terms: of all, or of those that may be among the best.
    async fn join_counts(&mut self, pace: &Pace) -> Result<u64> {
        let counts = std::mem::take(&mut self.counts);
        let config = self.ranking.config.clone();
        let (mut unlisted, mut error) = (0, Ok(()));
        let mut take = |this: &mut Self, term: &[u8], docs: u64| match this.term_number(term) {
            Ok(LEFT_OUT) => {}
            Ok(number) => this.table.add(number, docs),
            Err(failure) => error = Err(failure),
        };
        let stand_ins = counts.without;
        if config.order.is_default() && config.min_doc_count > 0 && self.selects_all() {
            // A stand-in may add to a term of the field.
            let wanted = config.shard_size.saturating_add(1);
            unlisted = counts.best(wanted, |term, docs| take(self, term, docs), pace).await;
        } else {
            counts.all(config.min_doc_count == 0, |term, docs| take(self, term, docs), pace).await;
        }
        error?;
        if let Some(missing) = self.source.missing_bytes().map(<[u8]>::to_vec) {
            let listed = self.terms.contains_key(&missing[..]);
            let own = if listed { 0 } else { counts.count_of(&missing) };
            let number = self.term_number(&missing)?;
            if number != LEFT_OUT && (stand_ins > 0 || config.min_doc_count == 0) {
                self.table.add(number, stand_ins + own.min(unlisted));
                unlisted -= own.min(unlisted);
            }
        }
        Ok(unlisted)
    }

    /// Buckets of the requested owners. Terms without documents are among them when they are wanted.
    fn lists(&mut self, owners: &[u32]) -> Result<Vec<Vec<u32>>> {
        let empty_wanted = self.ranking.config.min_doc_count == 0;
        // Where no document was met nobody said that there are several owners, each of which has all terms.
        let several = empty_wanted && owners.iter().any(|owner| *owner != 0);
        if !self.nested && !several {
            let all = (0..self.table.keys.len() as u32).filter(|n| empty_wanted || self.table.count(*n) > 0).collect();
            let mut all = Some(all);
            return Ok(owners.iter().map(|o| if *o == 0 { all.take().unwrap_or_default() } else { vec![] }).collect());
        }
        if empty_wanted {
            // What was met so far is the first owner's, whose buckets are numbered as the terms are.
            let first = (!self.nested).then_some(&0);
            for &owner in first.into_iter().chain(owners) {
                for term in 0..self.table.keys.len() as u32 {
                    self.table.buckets.bucket(owner, term)?;
                }
            }
        }
        Ok(self.table.buckets.by_owner(owners))
    }
}

impl Aggregator for BytesAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        self.counts.enter(self.source.ordinal_column(), self.ranking.config.min_doc_count == 0);
        self.term_of_ord.clear();
        if self.source.ordinal_column().is_some() || self.source.has_missing() {
            self.segments += 1;
            self.single_valued += u64::from(self.source.ordinal_column().is_none_or(|column| column.single_valued()));
        }
        self.live_docs += u64::from(view.live_count());
        // What stands in for missing values is a term as well, if it is not one already.
        let column = self.source.ordinal_column();
        let stand_in = |missing: &[u8]| column.is_none_or(|column| column.ord_of(missing).is_err());
        let more = usize::from(self.source.missing_bytes().is_some_and(stand_in));
        self.ords_max = self.ords_max.max(self.source.num_ords() as usize + more);
        if self.source.is_scripted() && self.ranking.config.min_doc_count == 0 {
            self.list_scripted(view)?;
        }
        self.subs.enter_segment(view)
    }

    fn collect_selection(&mut self, view: &SegmentView, matches: &Matches) -> Result<bool> {
        Ok(*matches == Matches::All
            && self.subs.is_empty()
            && !self.source.is_scripted()
            && !self.ranking.as_met
            && self.counts.add_all(view.max_doc()))
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        self.source.read(docs, &mut batch)?;
        if self.only_counts(owners) {
            self.counts.add(batch.values(), batch.without());
        } else {
            self.nested = matches!(owners, Owners::Each(_));
            self.term_of_ord.resize(self.source.num_ords() as usize, UNSEEN);
            self.docs.clear();
            self.owners.clear();
            if !self.is_tallied(owners, &batch) {
                self.add_batch(docs, owners, &batch)?;
            }
            if !self.docs.is_empty() {
                self.subs.collect(&self.docs, Owners::Each(&self.owners))?;
            }
        }
        self.batch = batch;
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.settle()?;
        self.subs.leave_segment()
    }

    fn can_be_joined(&self) -> bool {
        let buckets = self.ords_max.max(self.table.keys.len()).max(self.table.counts.len());
        self.ranking.can_be_joined(buckets) && self.subs.can_be_joined()
    }

    fn enter_part(&mut self) {
        self.ranking.keep_all();
        self.subs.enter_part();
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let unlisted = self.join_counts(pace).await?;
            let lists = self.lists(owners)?;
            let key_type =
                if self.source.is_mapped() || !self.table.keys.is_empty() { KeyType::Bytes } else { KeyType::Unmapped };
            self.ranking
                .build(
                    &self.table,
                    lists,
                    unlisted,
                    &mut self.subs,
                    KeyForm { format: self.source.format(), key_type },
                    pace,
                )
                .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> Details {
        let config = &self.ranking.config;
        let in_map = config.by_map() || self.source.is_scripted();
        let defers = config.defers((!in_map).then_some(self.ords_max));
        let met = self.buckets_met();
        if in_map {
            let debug = vec![("result_strategy", Value::from("terms")), ("total_buckets", Value::UInt(met))];
            return Details { class: Some("MapStringTermsAggregator"), debug, shows_optimized: false, defers };
        }
        let alone = self.subs.is_empty();
        let has_filter = !self.selects_all();
        // Where what is below waits, the reference need not number the terms that have documents.
        let dense = !self.ranking.remaps && !has_filter && (alone || (defers && !config.order.has_path()));
        // With a stand-in every document may have several, to the reference.
        let single_valued = if self.source.is_told_missing() { 0 } else { self.single_valued };
        let mut debug = vec![
            ("collection_strategy", Value::from(if dense { "dense" } else { "remap" })),
            ("has_filter", Value::Bool(has_filter)),
            ("result_selection_strategy", Value::from(config.selects_by(self.ords_max as u64, met))),
            ("result_strategy", Value::from("terms")),
            ("segments_with_multi_valued_ords", Value::UInt(self.segments - single_valued)),
            ("segments_with_single_valued_ords", Value::UInt(single_valued)),
        ];
        if !dense {
            debug.push(("total_buckets", Value::UInt(met)));
        }
        // What the reference goes by, to count a segment's ordinals first.
        let few = !self.source.is_constant() && self.ords_max <= 2048 && self.ords_max as u64 * 2 <= self.live_docs;
        let class = (dense && alone && few).then_some("GlobalOrdinalsStringTermsAggregator.LowCardinality");
        Details { class, debug, shows_optimized: false, defers }
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn documents_with_a_stand_in_keep_their_places() {
        let docs: Vec<String> = (0..90)
            .map(|i| match i % 3 {
                0 => format!(r#"{{"n":{i}}}"#),
                1 => format!(r#"{{"k":["a","b"],"n":{i}}}"#),
                _ => format!(r#"{{"k":"b","n":{i}}}"#),
            })
            .collect();
        let docs: Vec<&str> = docs.iter().map(String::as_str).collect();
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"long"}}}"#, &[&docs]);
        let sum = r#""aggs":{"s":{"sum":{"field":"n"}}}"#;
        let terms = format!(r#"{{"terms":{{"field":"k","missing":"none"}},{sum}}}"#);
        let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"t":{terms}}}}}"#));
        let expected = r#"[{"key":"b","doc_count":60,"s":{"value":2700.0}},{"key":"a","doc_count":30,"s":{"value":1335.0}},{"key":"none","doc_count":30,"s":{"value":1305.0}}]"#;
        assert!(answer.contains(expected), "{answer}");
    }

    #[test]
    fn each_bucket_has_all_terms_where_no_document_is_met() {
        let cx = shard(r#"{"properties":{"k":{"type":"keyword"}}}"#, &[&[r#"{"k":"a"}"#, r#"{"k":"b"}"#]]);
        let terms = r#"{"t":{"terms":{"field":"k","min_doc_count":0}}}"#;
        let none = r#""buckets":[{"key":"a","doc_count":0},{"key":"b","doc_count":0}]"#;
        for (query, filters, expected) in [
            (r#"{"term":{"k":"z"}}"#, r#""x":{"match_all":{}},"y":{"match_all":{}}"#, 2),
            (r#"{"match_all":{}}"#, r#""x":{"term":{"k":"a"}},"y":{"term":{"k":"z"}}"#, 1),
        ] {
            let agg = format!(r#"{{"filters":{{"filters":{{{filters}}}}},"aggs":{terms}}}"#);
            let answer = search(&cx, &format!(r#"{{"size":0,"query":{query},"aggs":{{"f":{agg}}}}}"#));
            assert_eq!(answer.matches(none).count(), expected, "{answer}");
        }
    }
}
