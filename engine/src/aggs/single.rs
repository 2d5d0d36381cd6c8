//! Kinds with one bucket: filter, global and missing.

use super::filters::SegmentFilter;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, empty_beside, empty_bucket, mismatch, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer, line_col};
use crate::pace::Pace;
use crate::query::{Query, ShardContext};
use crate::segment::SegmentView;

#[derive(Debug)]
enum Single {
    Filter(Query),
    Global,
    Missing(SourceConfig),
}

pub(crate) fn parse_filter(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    Ok(Box::new(filter(crate::query::parse(&Value::Object(map.clone()), cx.body)?)))
}

pub(crate) fn filter(query: Query) -> impl Kind + 'static {
    Single::Filter(query)
}

pub(crate) fn parse_global(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    // The reference reads no more of it than the first name, and stumbles over what follows.
    if let Some(entry) = map.entries.first() {
        let (line, col) = line_col(cx.body, entry.value_pos);
        let (token, name) = (entry.value.token(), cx.name);
        let reason = format!("Expected [FIELD_NAME] under a [START_OBJECT], but got a [{token}] in [{name}]");
        return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
    }
    Ok(Box::new(Single::Global))
}

pub(crate) fn parse_missing(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut source = SourceConfig::default();
    for entry in &map.entries {
        if !source.accept(entry, cx)? {
            return Err(cx.unknown_field(entry, SourceConfig::FIELDS));
        }
    }
    source.check()?;
    Ok(Box::new(Single::Missing(source)))
}

impl Kind for Single {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let missing = match self {
            Single::Missing(source) => Some(Box::new(source.resolve_any(cx, agg.type_name)?)),
            _ => None,
        };
        let (subs, test) = Subs::beside_queries(agg, cx, || {
            Ok(match (self, missing) {
                (Single::Filter(query), _) => Test::Filter(SegmentFilter::new(query, cx)?),
                (_, Some(source)) => Test::Missing(source),
                _ => Test::All,
            })
        })?;
        Ok(Box::new(SingleAggregator { test, subs, counts: vec![], docs: vec![], owners: vec![] }))
    }

    fn empty(&self, agg: &Agg) -> Partial {
        Partial::Single(empty_bucket(&agg.subs))
    }

    fn empty_beside(&self, agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Single(empty_beside(&agg.subs, other.and_then(Partial::first_bucket)))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let buckets = parts
            .into_iter()
            .map(|p| match p {
                Partial::Single(bucket) => Ok(bucket),
                _ => Err(mismatch()),
            })
            .collect::<Result<_>>()?;
        Ok(Partial::Single(reduce_buckets(&agg.subs, buckets, cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Single(bucket) = partial else { return Err(mismatch()) };
        render_bucket(agg, bucket, w, shown)
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match self {
            Single::Filter(_) => "filter",
            Single::Global => "global",
            Single::Missing(_) => "missing",
        }
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        match partial {
            Partial::Single(bucket) => Some(bucket.count as f64),
            _ => None,
        }
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        check_single_order(name, property)
    }

    fn queries(&self) -> Vec<&Query> {
        match self {
            Single::Filter(query) => vec![query],
            Single::Global | Single::Missing(_) => vec![],
        }
    }

    fn is_multi_bucket(&self) -> bool {
        false
    }

    fn is_global(&self) -> bool {
        matches!(self, Single::Global)
    }
}

/// What results of one bucket can be ordered by.
pub(crate) fn check_single_order(name: &str, property: Option<&str>) -> Result<()> {
    match property {
        None | Some("doc_count") => Ok(()),
        Some(_) => Err(Error::illegal_argument(format!(
            "Ordering on a single-bucket aggregation can only be done on its doc_count. Either drop the key (a la \"{name}\") or change it to \"doc_count\" (a la \"{name}.doc_count\") or \"key\"."
        ))),
    }
}

enum Test {
    All,
    Filter(SegmentFilter),
    Missing(Box<Source>),
}

struct SingleAggregator {
    test: Test,
    subs: Subs,
    counts: Vec<u64>,
    docs: Vec<u32>,
    owners: Vec<u32>,
}

impl SingleAggregator {
    fn count(&mut self, owner: u32, n: u64) -> Result<()> {
        let owner = owner as usize;
        if owner >= self.counts.len() {
            check_shard_buckets(owner)?;
            self.counts.resize(owner + 1, 0);
        }
        self.counts[owner] += n;
        Ok(())
    }
}

impl Aggregator for SingleAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        match &mut self.test {
            Test::All => {}
            Test::Filter(filter) => filter.enter_segment(view)?,
            Test::Missing(source) => source.enter_segment(view),
        }
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let (mut kept, mut kept_owners) = (std::mem::take(&mut self.docs), std::mem::take(&mut self.owners));
        kept.clear();
        kept_owners.clear();
        for (i, &doc) in docs.iter().enumerate() {
            let passes = match &mut self.test {
                Test::All => true,
                Test::Filter(filter) => filter.matches(doc),
                Test::Missing(source) => source.is_absent() || !source.has(doc)?,
            };
            if passes {
                kept.push(doc);
                kept_owners.push(owners.of(i));
            }
        }
        if let Test::Filter(filter) = &self.test {
            filter.check()?;
        }
        if let Owners::One(owner) = owners {
            self.count(owner, kept.len() as u64)?;
            self.subs.collect(&kept, owners)?;
        } else {
            for &owner in &kept_owners {
                self.count(owner, 1)?;
            }
            self.subs.collect(&kept, Owners::Each(&kept_owners))?;
        }
        (self.docs, self.owners) = (kept, kept_owners);
        Ok(())
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
        Box::pin(async move { self.subs.build_single(owners, &self.counts, pace).await })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
