//! `children`: the children of the parent's documents, by a join field. `parent`: their parents.

use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::nested::reduce_single;
use super::parse::{Agg, Level, ParseContext};
use super::partial::{Partial, Shown, empty_beside, empty_bucket, mismatch, of_nothing, render_bucket};
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer, line_col};
use crate::pace::Pace;
use crate::query::{Query, ShardContext, term};
use crate::score::{Plan, WeightContext, takes};
use crate::segment::{NO_MORE_DOCS, OrdinalColumn, SegmentView, Snapshot};
use ahash::AHashMap;
use std::sync::Arc;

#[derive(Debug)]
struct Family {
    child: String,
    /// To the children; to the parents if not.
    down: bool,
}

pub(crate) fn parse_children(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    Ok(Box::new(Family { child: parse_type(map, cx)?, down: true }))
}

pub(crate) fn parse_parent(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    Ok(Box::new(Family { child: parse_type(map, cx)?, down: false }))
}

fn parse_type(map: &Map, cx: &ParseContext<'_>) -> Result<String> {
    let (kind, name) = (cx.kind, cx.name);
    let mut child = None;
    for entry in &map.entries {
        match (&entry.value, entry.key.as_str()) {
            (Value::String(text), "type") => child = Some(text.clone()),
            (Value::String(_), key) => {
                let (line, col) = line_col(cx.body, entry.value_pos);
                let reason = format!("Unknown key for a VALUE_STRING in [{name}]: [{key}].");
                return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
            }
            _ => {
                let (line, col) = line_col(cx.body, entry.value_pos);
                let reason = format!("Unexpected token {} in [{name}].", entry.value.token());
                return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
            }
        }
    }
    child.ok_or_else(|| {
        let noun = if kind == "children" { "children" } else { "parent" };
        Error::new(ErrorKind::Parsing, format!("Missing [child_type] field for {noun} aggregation [{name}]"))
    })
}

impl Kind for Family {
    fn made_with(&self, cx: &ShardContext) -> Result<Vec<Plan>> {
        let Some(field) = cx.mapping.join_field() else { return Ok(vec![]) };
        let Some(parent) = field.relations().and_then(|relations| relations.parent_of(&self.child)) else {
            return Ok(vec![]);
        };
        Ok([parent, self.child.as_str()].map(|name| Plan::term(&field.name, name.as_bytes())).into())
    }

    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let join = cx.mapping.join_field();
        let parent = join.and_then(|field| Some((field, field.relations()?.parent_of(&self.child)?)));
        let join = parent.map(|(field, parent)| {
            let of = |name: &str| term(&field.name, Value::from(name));
            let (child, parent_docs) = (of(&self.child), of(parent));
            let (from, to) = if self.down { (parent_docs, child) } else { (child, parent_docs) };
            JoinSides { from, to, key: format!("{}#{parent}", field.name) }
        });
        Ok(Box::new(FamilyAggregator {
            join,
            cx: cx.clone(),
            snapshot: cx.snapshot.clone(),
            from: None,
            column: None,
            keys: AHashMap::new(),
            subs: Subs::new(agg, cx)?,
            below: agg.subs.clone(),
        }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        Partial::Single(empty_bucket(&agg.subs))
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Single(empty_beside(&agg.subs, other.and_then(Partial::first_bucket)))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        reduce_single(agg, parts, cx)
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Single(bucket) = partial else { return Err(mismatch()) };
        render_bucket(agg, bucket, w, shown)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        if self.down { "children" } else { "parent" }
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        match partial {
            Partial::Single(bucket) => Some(bucket.count as f64),
            _ => None,
        }
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        super::single::check_single_order(name, property)
    }

    fn is_multi_bucket(&self) -> bool {
        false
    }

    fn leads_nowhere(&self, cx: &ShardContext) -> bool {
        let relations = cx.mapping.join_field().and_then(|field| field.relations());
        relations.is_none_or(|relations| relations.parent_of(&self.child).is_none())
    }

    /// The other side is gone through once for all buckets above.
    fn collects_many(&self) -> bool {
        true
    }
}

struct JoinSides {
    from: Query,
    to: Query,
    /// The field that both sides have in common.
    key: String,
}

/// First gathers the keys of the documents that come, each with its owners; when the results are asked for, goes over the
/// other side.
struct FamilyAggregator {
    join: Option<JoinSides>,
    cx: ShardContext,
    snapshot: Arc<Snapshot>,
    from: Option<Box<dyn crate::score::Scorer>>,
    column: Option<OrdinalColumn>,
    keys: AHashMap<Box<[u8]>, Vec<u32>>,
    subs: Subs,
    below: Arc<Level>,
}

fn key_column(view: &SegmentView, key: &str) -> Option<OrdinalColumn> {
    view.segment.field(key).and_then(|field| field.ordinals()).cloned()
}

impl FamilyAggregator {
    /// The documents of the other side, to the sub-aggregations.
    fn cross(&mut self) -> Result<Vec<u64>> {
        let mut counts = vec![];
        let Some(join) = &self.join else { return Ok(counts) };
        let weight_cx = WeightContext::new(&self.snapshot, self.cx.mapping.similarities());
        let mut weight = join.to.shard_plan(&self.cx)?.weight(&weight_cx, false, 1.0)?;
        for view in &self.snapshot.segments {
            let (Some(mut scorer), Some(column)) = (weight.scorer(view)?, key_column(view, &join.key)) else {
                continue;
            };
            self.subs.enter_segment(view)?;
            while scorer.doc() != NO_MORE_DOCS {
                let doc = scorer.doc();
                scorer.next();
                let Some(ord) = column.first(doc).filter(|_| view.is_live(doc)) else { continue };
                let Some(owners) = self.keys.get(&*column.term(ord)) else { continue };
                for owner in owners {
                    let at = *owner as usize;
                    if at >= counts.len() {
                        counts.resize(at + 1, 0);
                    }
                    counts[at] += 1;
                    self.subs.push(doc, *owner)?;
                }
            }
            self.subs.leave_segment()?;
        }
        Ok(counts)
    }
}

impl Aggregator for FamilyAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        (self.from, self.column) = (None, None);
        if let Some(join) = &self.join {
            let weight_cx = WeightContext::new(&self.snapshot, self.cx.mapping.similarities());
            self.from = join.from.shard_plan(&self.cx)?.weight(&weight_cx, false, 1.0)?.scorer(view)?;
            self.column = key_column(view, &join.key);
        }
        if self.cx.profile.is_some() || self.join.is_none() {
            // To the reference what stands below goes through each segment here as well, with nothing to collect.
            self.subs.enter_segment(view)?;
            self.subs.leave_segment()?;
        }
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let (Some(from), Some(column)) = (&mut self.from, &self.column) else { return Ok(()) };
        for (i, &doc) in docs.iter().enumerate() {
            let Some(ord) = column.first(doc).filter(|_| takes(from.as_mut(), doc)) else { continue };
            let of_key = self.keys.entry(column.term(ord).into()).or_default();
            if !of_key.contains(&owners.of(i)) {
                of_key.push(owners.of(i));
            }
        }
        check_shard_buckets(self.keys.len())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            if self.join.is_none() {
                self.subs.find_nothing();
            }
            let counts = self.cross()?;
            let built = self.subs.build_single(owners, &counts, pace).await?;
            Ok(if self.join.is_some() { built } else { of_nothing(&self.below, built) })
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
