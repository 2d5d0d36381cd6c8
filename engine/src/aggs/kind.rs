//! What a kind of aggregation implements, and the batches that flow through it.

use super::doc_counts::DocCounts;
use super::order::NOT_ORDERED;
use super::parse::Agg;
use super::partial::{Bucket, Partial, Shown};
use super::profile::{Details, made_in_place};
use super::reduce_context::ReduceContext;
use super::waiting::{Waiting, WaitingSegment};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Writer;
use crate::pace::Pace;
use crate::profile::{AggProfile, FetchProfile, QueryProfile};
use crate::query::{Query, ShardContext};
use crate::score::{Plan, Selection};
use crate::segment::SegmentView;
use std::fmt::Debug;
use std::pin::Pin;

/// Buckets that one shard may hold for one search, over all aggregations: beyond it the request fails with
/// `circuit_breaking_exception` instead of taking the node's memory. A bucket with sub-aggregations costs some 200 bytes.
pub(crate) const SHARD_BUCKETS_MAX: usize = 4_000_000;

/// A parsed aggregation: immutable, shared between shards and the coordinating core.
pub(crate) trait Kind: Debug + Send + Sync {
    /// The collecting half, for one shard.
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>>;

    /// The result of a shard (or a bucket) without documents.
    fn empty(&self, agg: &Agg) -> Partial;

    /// The result of a bucket without documents beside another bucket's, which tells what a shard alone knows: how values are shown.
    fn empty_beside(&self, agg: &Agg, _other: Option<&Partial>) -> Partial {
        self.empty(agg)
    }

    /// Plans that the reference makes ready as it makes the aggregator, which profiles show.
    fn made_with(&self, _cx: &ShardContext) -> Result<Vec<Plan>> {
        Ok(vec![])
    }

    /// Plans whose matches the reference counts as it makes the aggregator, which profiles show.
    fn counted_with(&self, _cx: &ShardContext) -> Result<Vec<Plan>> {
        Ok(vec![])
    }

    /// Merges the results of several shards. `parts` is never empty.
    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial>;

    /// Writes the fields of the result's object (not its braces).
    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()>;

    /// The prefix of `typed_keys`.
    fn typed_name(&self, partial: &Partial) -> &'static str;

    /// Whether sub-aggregations are allowed.
    fn is_bucketing(&self) -> bool {
        true
    }

    /// The number that ordering by this aggregation (`name` or `name.property`) compares, and that pipelines read. To read some results
    /// changes how those who come later find them.
    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        let _ = (partial, property);
        None
    }

    /// Whether a document may have as many buckets as the values of several fields have combinations: what one of them costs says
    /// nothing of the next.
    fn multiplies(&self) -> bool {
        false
    }

    /// Whether `property` of the aggregation that is called `name` can be ordered by; the error is the reference's explanation.
    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        let _ = (name, property);
        Err(Error::illegal_argument(NOT_ORDERED))
    }

    /// Whether it answers with any number of buckets.
    fn is_multi_bucket(&self) -> bool {
        self.is_bucketing()
    }

    /// Whether its collecting half may have more than one bucket for each bucket above it.
    fn collects_many(&self) -> bool {
        self.is_multi_bucket()
    }

    /// Documents that a bucket must have to be answered.
    fn min_doc_count(&self) -> u64 {
        0
    }

    /// The key of a bucket as text, as pipelines answer it.
    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        match partial {
            Partial::Terms(terms) => terms.format.key_text(&terms.buckets[i].key),
            Partial::Histogram(histogram) => histogram.format.text_or_plain(histogram.buckets[i].0),
            _ => String::new(),
        }
    }

    /// The key of the bucket after the one of this key, in a histogram; where it chooses its interval, at that level of them.
    fn next_key(&self, _level: usize, _key: f64) -> Option<f64> {
        None
    }

    /// Whether its field holds ranges of values on this shard.
    fn is_over_ranges(&self, _cx: &ShardContext) -> bool {
        false
    }

    /// Whether the reference asks the search's query anew for what it finds in a segment, where nothing stands above.
    fn asks_anew(&self, _cx: &ShardContext, _view: &SegmentView) -> bool {
        false
    }

    /// The queries that it asks beside that of the search.
    fn queries(&self) -> Vec<&Query> {
        vec![]
    }

    /// A query that finds what may come to a bucket, where that is not everything.
    fn collected(&self) -> Option<Query> {
        None
    }

    /// Whether it has a bucket for documents that none of its queries finds.
    fn collects_others(&self) -> bool {
        false
    }

    /// The class that the reference has for it, where its type does not say.
    fn class(&self, _cx: &ShardContext) -> Option<&'static str> {
        None
    }

    /// Whether it is of a field that no mapping knows, where that makes a difference to where it may stand.
    fn is_unmapped(&self, _cx: &ShardContext) -> bool {
        false
    }

    /// Whether it is for documents of a kind, or values of a field, that no mapping knows, so that the reference has an aggregator that
    /// collects nothing in its place: buckets cannot be ordered by it, and what waits below is never shown anything.
    fn leads_nowhere(&self, _cx: &ShardContext) -> bool {
        false
    }

    /// Whether it looks at the scores of documents.
    fn needs_scores(&self) -> bool {
        false
    }

    /// Whether it may refuse a document. What stands around it then takes care that it sees no other ones than the reference's.
    fn may_fail(&self) -> bool {
        true
    }

    /// Whether the reference has what is below wait until it knows the buckets that are answered.
    fn defers(&self, _cx: &ShardContext) -> bool {
        false
    }

    /// Whether it ends the collection of every segment, since it is of a field that no mapping knows.
    fn ends_segments(&self, _cx: &ShardContext) -> bool {
        false
    }

    /// Whether it sees all live documents instead of the matching ones.
    fn is_global(&self) -> bool {
        false
    }
}

/// Which bucket of the parent owns each document of a batch.
#[derive(Clone, Copy)]
pub(crate) enum Owners<'a> {
    /// All the same: the top level, and single-bucket parents below it.
    One(u32),
    /// As many as there are documents.
    Each(&'a [u32]),
}

impl Owners<'_> {
    #[inline]
    pub(crate) fn of(&self, i: usize) -> u32 {
        match self {
            Owners::One(owner) => *owner,
            Owners::Each(owners) => owners[i],
        }
    }
}

/// Results on their way: what builds many gives way now and then.
pub(crate) type Built<'a> = Pin<Box<dyn Future<Output = Result<Vec<Partial>>> + 'a>>;

/// Units of work of giving away a state of some numbers, of one that takes sorting or room of its own, and of running a script.
pub(crate) const STATE_UNITS: u32 = 4;
pub(crate) const SKETCH_UNITS: u32 = 64;
pub(crate) const SCRIPT_UNITS: u32 = 2_048;

/// Units of work of a document that is shown to aggregations.
const COLLECT_UNITS: u32 = 4;

/// The collecting half of an aggregation on one shard. Owners are dense numbers from 0.
pub(crate) trait Aggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()>;

    /// Counts a whole selection of the segment that was entered, for owner 0, without its documents. False if it cannot: then
    /// nothing has been counted, and the documents come by [`Aggregator::collect`].
    fn collect_selection(&mut self, view: &SegmentView, selection: &Selection) -> Result<bool> {
        let _ = (view, selection);
        Ok(false)
    }

    /// Whether the reference counts such a selection by its ranges alone, which need not be what is `done` here.
    fn counts_by_ranges(&self, view: &SegmentView, selection: &Selection, done: bool) -> bool {
        let _ = (view, selection);
        done
    }

    /// It stands at the top.
    fn at_top(&mut self) {}

    /// It stands below what finds nothing on its shard, and is never asked what it would make of no documents.
    fn find_nothing(&mut self) {}

    /// `docs` ascend (a document repeats when it falls into several buckets of the parent).
    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()>;

    /// After the last batch of a segment.
    fn leave_segment(&mut self) -> Result<()> {
        Ok(())
    }

    /// The results of these owners, in this order. Owners without documents give empty results. Called once.
    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a>;

    /// The aggregations within this one.
    fn subs(&self) -> Option<&Subs> {
        None
    }

    /// Whether it is never shown a document, and ends what has nothing else below it.
    fn ends(&self) -> bool {
        false
    }

    /// Whether what it makes of parts of the shard's documents comes together to what it makes of all of them, to the last digit.
    fn can_be_joined(&self) -> bool {
        false
    }

    /// It has a part of the shard's documents from now on, and leaves out nothing that other parts may have more of.
    fn enter_part(&mut self) {}

    /// What profiles tell of it; asked before `build`.
    fn details(&self) -> Details {
        Details::default()
    }

    /// Queries that it counts by; asked after `build`.
    fn asked_profile(&mut self) -> Vec<QueryProfile> {
        vec![]
    }

    /// Fetching the hits that it answers with; asked after `build`.
    fn fetch_profile(&mut self) -> Option<FetchProfile> {
        None
    }

    /// What was spent on it, and where it stands in the request, if that was written down.
    fn profile(&self) -> Option<(u32, AggProfile)> {
        None
    }
}

/// The sub-aggregations of a bucketing aggregator, with the batch that is being gathered for them.
pub(crate) struct Subs {
    aggregators: Vec<Box<dyn Aggregator>>,
    docs: Vec<u32>,
    owners: Vec<u32>,
    /// Documents that are not shown before it is known which buckets are answered.
    waiting: Option<Waiting>,
    /// A segment that nothing below has entered yet, and that it enters with the first document.
    unentered: Option<SegmentView>,
    /// What documents count for, where that is not one each.
    doc_counts: Option<DocCounts>,
}

/// Pairs gathered before they are passed on: as many as the search's own batches have.
const BATCH: usize = 4096;

impl Subs {
    pub(crate) fn new(agg: &Agg, cx: &ShardContext) -> Result<Self> {
        let aggregators = made_in_place(&agg.subs, |sub| match sub.aggregator(cx) {
            Err(error) if !error.is_late() => Err(error),
            _ if sub.kind.is_global() => Err(global_below(agg, sub)),
            made => made,
        })?;
        Ok(Self {
            aggregators,
            docs: vec![],
            owners: vec![],
            waiting: None,
            unentered: None,
            doc_counts: DocCounts::new(cx),
        })
    }

    /// What stands below, beside what `look` finds: the reference looks there once the fields of all that stands below have been looked
    /// at, and before any of that is made.
    pub(crate) fn beside<T>(agg: &Agg, cx: &ShardContext, look: impl FnOnce() -> Result<T>) -> Result<(Self, T)> {
        let subs = Self::new(agg, cx);
        match subs.as_ref().err().filter(|error| !error.is_late()) {
            Some(error) => Err(error.clone()),
            None => look().and_then(|found| Ok((subs?, found))),
        }
    }

    /// The same of queries that are made there. What they grow to shows once all else is made.
    pub(crate) fn beside_queries<T>(
        agg: &Agg,
        cx: &ShardContext,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<(Self, T)> {
        let (subs, made) = Self::beside(agg, cx, || match make() {
            Err(error) if error.is_of_rewriting() => Ok(Err(error.late())),
            made => made.map(Ok),
        })?;
        Ok((subs, made?))
    }

    /// Whether there is nothing but what ends.
    pub(crate) fn end(&self) -> bool {
        !self.aggregators.is_empty() && self.aggregators.iter().all(|aggregator| aggregator.ends())
    }

    /// See [`Aggregator::can_be_joined`].
    pub(crate) fn can_be_joined(&self) -> bool {
        self.waiting.is_none() && self.aggregators.iter().all(|aggregator| aggregator.can_be_joined())
    }

    /// See [`Aggregator::enter_part`].
    pub(crate) fn enter_part(&mut self) {
        self.aggregators.iter_mut().for_each(|aggregator| aggregator.enter_part());
    }

    /// Lets documents wait if `waits`.
    pub(crate) fn waiting_if(mut self, waits: bool) -> Self {
        self.waiting = (waits && !self.aggregators.is_empty()).then(Waiting::default);
        self
    }

    /// The same where documents of other buckets are forgotten as soon as the buckets are chosen.
    pub(crate) fn waiting_for_chosen_if(mut self, waits: bool) -> Self {
        self.waiting = (waits && !self.aggregators.is_empty()).then(|| Waiting::new(true));
        self
    }

    /// Tells what stands below that there is nothing to find: see [`Aggregator::find_nothing`].
    pub(crate) fn find_nothing(&mut self) {
        self.aggregators.iter_mut().for_each(|aggregator| aggregator.find_nothing());
    }

    /// Nobody wants to see the documents.
    pub(crate) fn is_empty(&self) -> bool {
        self.aggregators.is_empty() && self.doc_counts.is_none()
    }

    /// All documents have been added: who counts them goes on with this.
    pub(crate) fn take_doc_counts(&mut self) -> Option<DocCounts> {
        self.doc_counts.take()
    }

    /// What the documents that were added to a bucket count for beyond one each.
    #[inline]
    pub(crate) fn beyond(&self, bucket: u32) -> u64 {
        self.doc_counts.as_ref().map_or(0, |counts| counts.of(bucket))
    }

    pub(crate) fn profiles(&self) -> Vec<(u32, AggProfile)> {
        self.aggregators.iter().filter_map(|aggregator| aggregator.profile()).collect()
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        if let Some(counts) = &mut self.doc_counts {
            counts.enter_segment(view);
        }
        if let Some(waiting) = &mut self.waiting {
            waiting.enter_segment(view);
            return Ok(());
        }
        self.aggregators.iter_mut().try_for_each(|a| a.enter_segment(view))
    }

    /// Begins a segment that what is below enters when it is shown a document of it, or never: what it would refuse there is not refused.
    pub(crate) fn enter_segment_late(&mut self, view: &SegmentView) {
        if let Some(counts) = &mut self.doc_counts {
            counts.enter_segment(view);
        }
        match &mut self.waiting {
            Some(waiting) => waiting.enter_segment(view),
            None => self.unentered = Some(view.clone()),
        }
    }

    /// Does not wait any longer for the first document of the segment.
    pub(crate) fn enter_now(&mut self) -> Result<()> {
        match self.unentered.take() {
            Some(view) => self.aggregators.iter_mut().try_for_each(|a| a.enter_segment(&view)),
            None => Ok(()),
        }
    }

    /// Adds a document to bucket `owner`; passed on in batches.
    #[inline]
    pub(crate) fn push(&mut self, doc: u32, owner: u32) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.docs.push(doc);
        self.owners.push(owner);
        if self.docs.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Passes a whole batch on at once.
    pub(crate) fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        self.flush()?;
        self.show(docs, owners)
    }

    /// Shows documents to what is below, unless they wait.
    fn show(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if let Some(counts) = &mut self.doc_counts {
            counts.add(docs, owners);
        }
        if !docs.is_empty() {
            self.enter_now()?;
        }
        let Some(waiting) = &mut self.waiting else {
            return self.aggregators.iter_mut().try_for_each(|a| a.collect(docs, owners));
        };
        if waiting.add(docs, owners) {
            return Ok(());
        }
        // The last segment is not over yet.
        let mut segments = self.waiting.take().into_iter().flat_map(Waiting::all).peekable();
        while let Some(WaitingSegment { view, docs, owners }) = segments.next() {
            self.show_segment(&view, &docs, &owners, segments.peek().is_some())?;
        }
        Ok(())
    }

    fn show_segment(&mut self, view: &SegmentView, docs: &[u32], owners: &[u32], over: bool) -> Result<()> {
        self.aggregators.iter_mut().try_for_each(|a| a.enter_segment(view))?;
        for (docs, owners) in docs.chunks(BATCH).zip(owners.chunks(BATCH)) {
            self.aggregators.iter_mut().try_for_each(|a| a.collect(docs, Owners::Each(owners)))?;
        }
        if over { self.aggregators.iter_mut().try_for_each(|a| a.leave_segment()) } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.docs.is_empty() {
            return Ok(());
        }
        let (mut docs, mut owners) = (std::mem::take(&mut self.docs), std::mem::take(&mut self.owners));
        self.show(&docs, Owners::Each(&owners))?;
        docs.clear();
        owners.clear();
        (self.docs, self.owners) = (docs, owners);
        Ok(())
    }

    pub(crate) fn leave_segment(&mut self) -> Result<()> {
        self.flush()?;
        if self.waiting.is_some() || self.unentered.take().is_some() {
            return Ok(());
        }
        self.aggregators.iter_mut().try_for_each(|a| a.leave_segment())
    }

    /// Makes one bucket of those that have the same number in `same`, if all of their documents still wait.
    pub(crate) fn join_waiting(&mut self, same: &[u32]) -> bool {
        let Some(waiting) = &mut self.waiting else { return false };
        waiting.join(same);
        if let Some(counts) = &mut self.doc_counts {
            counts.join(same);
        }
        true
    }

    /// For each of these buckets the results of all sub-aggregations, in request order.
    pub(crate) async fn build(&mut self, owners: &[u32], pace: &Pace) -> Result<Vec<Vec<Partial>>> {
        let Some(waiting) = self.waiting.take() else { return self.build_shown(owners, pace).await };
        for WaitingSegment { view, docs, owners } in waiting.chosen(owners) {
            self.show_segment(&view, &docs, &owners, true)?;
            pace.tick(COLLECT_UNITS.saturating_mul(docs.len() as u32)).await;
        }
        let places: Vec<u32> = (0..owners.len() as u32).collect();
        self.build_shown(&places, pace).await
    }

    /// The one bucket of each owner, of whose documents `counts` tells how many were counted.
    pub(crate) async fn build_single(&mut self, owners: &[u32], counts: &[u64], pace: &Pace) -> Result<Vec<Partial>> {
        let subs = self.build(owners, pace).await?;
        let count = |owner: u32| counts.get(owner as usize).copied().unwrap_or(0) + self.beyond(owner);
        let mut built = Vec::with_capacity(owners.len());
        for (owner, subs) in owners.iter().zip(subs) {
            built.push(Partial::Single(Bucket { count: count(*owner), subs }));
            pace.tick(1).await;
        }
        Ok(built)
    }

    async fn build_shown(&mut self, owners: &[u32], pace: &Pace) -> Result<Vec<Vec<Partial>>> {
        let members = self.aggregators.len();
        let mut rows = Vec::with_capacity(owners.len());
        for _ in owners {
            rows.push(Vec::with_capacity(members));
            pace.tick(1).await;
        }
        for aggregator in &mut self.aggregators {
            for (row, partial) in rows.iter_mut().zip(aggregator.build(owners, pace).await?) {
                row.push(partial);
                pace.tick(1).await;
            }
        }
        Ok(rows)
    }
}

/// What `of` makes of each owner, of which one costs as many units of work as `units` says.
pub(crate) async fn of_each(
    owners: &[u32],
    units: u32,
    pace: &Pace,
    mut of: impl FnMut(u32) -> Result<Partial>,
) -> Result<Vec<Partial>> {
    let mut built = Vec::with_capacity(owners.len());
    for owner in owners {
        built.push(of(*owner)?);
        pace.tick(units).await;
    }
    Ok(built)
}

#[cold]
fn global_below(agg: &Agg, sub: &Agg) -> Error {
    let reason = format!(
        "Aggregation [{}] cannot have a global sub-aggregation [{}]. Global aggregations can only be defined as top level aggregations",
        agg.name, sub.name
    );
    Error::new(ErrorKind::AggregationExecution, reason).late()
}

/// Fails when a shard holds more buckets than it may.
pub(crate) fn check_shard_buckets(buckets: usize) -> Result<()> {
    if buckets <= SHARD_BUCKETS_MAX {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::CircuitBreaking,
        format!("[request] Data too large: an aggregation holds more than [{SHARD_BUCKETS_MAX}] buckets on one shard"),
    ))
}
