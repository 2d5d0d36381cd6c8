//! What a shard drives while it searches: batches of documents in, the shard's results out.

use super::kind::{Aggregator, Owners};
use super::parse::{Agg, Aggs};
use super::partial::ShardAggs;
use super::profile::{in_order, made_in_place};
use crate::error::Result;
use crate::pace::Pace;
use crate::profile::AggProfile;
use crate::query::{PlanContext, ShardContext, Weight};
use crate::score::{Scorer, Selection};
use crate::segment::SegmentView;

/// Collects all aggregations of one search on one shard. Cost of a call: proportional to documents times aggregations.
pub struct Collector {
    /// In request order.
    members: Vec<Member>,
    /// Places of the aggregations whose queries this shard replaces.
    anew: Vec<u32>,
    /// What global aggregations see, if that is not everything, and where it is in the current segment.
    restriction: Option<Weight>,
    restricting: Option<Box<dyn Scorer>>,
}

struct Member {
    aggregator: Box<dyn Aggregator>,
    /// It sees all live documents instead of the matching ones.
    global: bool,
    /// It needs no documents of the current segment.
    done: bool,
}

impl Collector {
    pub fn new(aggs: &Aggs, cx: &ShardContext) -> Result<Self> {
        let members = made_in_place(&aggs.0, |agg| {
            let global = agg.kind.is_global();
            // What sees all documents scores them alike, whatever the search asks for.
            let all = global.then(|| ShardContext { sees_all: true, ..cx.clone() });
            let mut aggregator = agg.aggregator(all.as_ref().unwrap_or(cx))?;
            aggregator.at_top();
            Ok(Member { aggregator, global, done: false })
        })?;
        let mut anew = vec![];
        note_anew(&aggs.0, &PlanContext::new(cx), &mut anew);
        Ok(Self { members, anew, restriction: None, restricting: None })
    }

    /// Lets global aggregations see nothing but what matches.
    pub fn restrict(&mut self, to: Weight) {
        self.restriction = Some(to);
    }

    /// Whether what is found of parts of the shard's documents comes together to what all of them come to. What sees all documents
    /// sees them beside the search.
    pub fn can_be_joined(&self) -> bool {
        self.restriction.is_none()
            && self.members.iter().all(|member| !member.global && member.aggregator.can_be_joined())
    }

    /// A part of the documents is all that is seen from now on.
    pub fn enter_part(&mut self) {
        self.members.iter_mut().for_each(|member| member.aggregator.enter_part());
    }

    /// Whether nothing was counted of the current segment but by its documents.
    pub fn sees_all_matches(&self) -> bool {
        self.members.iter().all(|member| !member.done)
    }

    /// What has to be prepared before a segment is entered.
    pub fn restriction(&mut self) -> Option<&mut Weight> {
        self.restriction.as_mut()
    }

    /// Whether `collect_global` has to be fed in this segment, and whether `collect` has.
    pub fn needs_global(&self) -> bool {
        self.members.iter().any(|member| member.global && !member.done)
    }

    /// Whether any sees all documents.
    pub fn has_global(&self) -> bool {
        self.members.iter().any(|member| member.global)
    }

    pub fn needs_matches(&self) -> bool {
        self.members.iter().any(|member| !member.global && !member.done)
    }

    /// Begins a segment, of which `selection` tells what is known of the matches. Aggregations that can make their counts
    /// from that alone do, and need no documents. `sliced`: the search has a part of the documents alone.
    pub fn enter_segment(&mut self, view: &SegmentView, selection: &Selection, sliced: bool) -> Result<()> {
        self.restricting = self.restriction.as_mut().map(|weight| weight.scorer(view)).transpose()?.flatten();
        let sees_all = self.restriction.is_none() && !sliced;
        for member in &mut self.members {
            member.aggregator.enter_segment(view)?;
            let all = if sees_all { Selection::All.in_segment(view) } else { Selection::Unknown };
            let selection = if member.global { &all } else { selection };
            member.done = *selection != Selection::Unknown && member.aggregator.collect_selection(view, selection)?;
        }
        Ok(())
    }

    /// Live matching documents of the current segment, ascending over all calls.
    pub fn collect(&mut self, docs: &[u32]) -> Result<()> {
        self.feed(docs, false)
    }

    /// Live documents of the current segment, ascending over all calls.
    pub fn collect_global(&mut self, docs: &mut Vec<u32>) -> Result<()> {
        if self.restriction.is_some() {
            let seen = &mut self.restricting;
            docs.retain(|doc| seen.as_mut().is_some_and(|seen| takes(seen.as_mut(), *doc)));
        }
        self.feed(docs, true)
    }

    fn feed(&mut self, docs: &[u32], global: bool) -> Result<()> {
        if docs.is_empty() {
            return Ok(());
        }
        let fed = self.members.iter_mut().filter(|member| member.global == global && !member.done);
        fed.map(|member| &mut member.aggregator).try_for_each(|a| a.collect(docs, Owners::One(0)))
    }

    pub fn leave_segment(&mut self) -> Result<()> {
        self.members.iter_mut().try_for_each(|member| member.aggregator.leave_segment())
    }

    /// What was spent on the aggregations, in the request's order; called after [`Collector::finish`].
    pub fn profiles(&self) -> Vec<AggProfile> {
        in_order(self.members.iter().filter_map(|member| member.aggregator.profile()).collect())
    }

    pub async fn finish(&mut self, pace: &Pace) -> Result<ShardAggs> {
        let mut results = Vec::with_capacity(self.members.len());
        for member in &mut self.members {
            results.extend(member.aggregator.build(&[0], pace).await?);
        }
        Ok(ShardAggs { results, anew: self.anew.clone() })
    }
}

/// Whether a document matches, asked in ascending order.
fn takes(scorer: &mut dyn Scorer, doc: u32) -> bool {
    scorer.doc() == doc || (scorer.doc() < doc && scorer.advance(doc) == doc)
}

impl Agg {
    /// Whether the reference makes it anew, before it asks shards or on this one, since it replaces a query of it or of what is below.
    /// What makes some kinds anew forgets a part of what was asked.
    pub(crate) fn is_made_anew(&self, cx: &PlanContext) -> bool {
        self.made_anew
            || self.kind.queries().into_iter().any(|query| query.is_replaced_on_shard(cx))
            || self.subs.aggs.iter().any(|sub| sub.is_made_anew(cx))
    }
}

/// Notes which aggregations have a query that the reference replaces on this shard, or one below them that has. Whether any has.
fn note_anew(level: &[Agg], cx: &PlanContext, out: &mut Vec<u32>) -> bool {
    let mut any = false;
    for agg in level {
        let below = note_anew(&agg.subs, cx, out);
        if below || agg.kind.queries().into_iter().any(|query| query.is_replaced_on_shard(cx)) {
            out.push(agg.place);
            any = true;
        }
    }
    any
}
