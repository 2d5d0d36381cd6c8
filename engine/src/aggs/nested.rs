//! `nested`: the documents nested in those of the parent. `reverse_nested`: the documents that they are nested in.

use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, Level, ParseContext};
use super::partial::{Partial, Shown, empty_beside, empty_bucket, mismatch, of_nothing, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer, line_col};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::{NO_MORE_DOCS, Roots, SegmentView};
use std::sync::Arc;

#[derive(Debug)]
enum Nested {
    Down {
        path: String,
    },
    /// To root documents, or to those nested under `path`.
    Up {
        path: Option<String>,
    },
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let Some(path) = parse_path(map, cx)? else {
        let name = cx.name;
        return Err(Error::new(ErrorKind::Parsing, format!("Missing [path] field for nested aggregation [{name}]")));
    };
    Ok(Box::new(Nested::Down { path }))
}

pub(crate) fn parse_reverse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    Ok(Box::new(Nested::Up { path: parse_path(map, cx)? }))
}

fn parse_path(map: &Map, cx: &ParseContext<'_>) -> Result<Option<String>> {
    let mut path = None;
    for entry in &map.entries {
        let name = cx.name;
        let reason = match &entry.value {
            Value::String(text) if entry.key == "path" => {
                path = Some(text.clone());
                continue;
            }
            Value::String(_) => format!("Unknown key for a VALUE_STRING in [{name}]: [{}].", entry.key),
            other => format!("Unexpected token {} in [{name}].", other.token()),
        };
        let (line, col) = line_col(cx.body, entry.value_pos);
        return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
    }
    Ok(path)
}

#[cold]
fn nothing_nested(name: &str) -> Error {
    let only = "can only be used inside a [nested] aggregation";
    Error::illegal_argument(format!("Reverse nested aggregation [{name}] {only}"))
}

impl Kind for Nested {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if matches!(self, Self::Up { .. }) && agg.nested_in.is_none() {
            return Err(nothing_nested(&agg.name));
        }
        let is_nested = |path: &str| cx.mapping.nested_object(path).is_some();
        if let Self::Down { path } | Self::Up { path: Some(path) } = self
            && cx.mapping.is_object(path)
            && !is_nested(path)
        {
            let reason = format!("[{}] nested path [{path}] is not nested", agg.type_name);
            return Err(Error::new(ErrorKind::AggregationExecution, reason));
        }
        let way = match self {
            Self::Down { path } if is_nested(path) => {
                let mut around = vec![];
                let mut at = path.as_str();
                while let Some(scope) = at.rsplit_once('.').and_then(|(above, _)| cx.mapping.nested_scope(above)) {
                    around.push(scope.to_owned());
                    at = scope;
                }
                Way::Down { path: path.clone(), around }
            }
            Self::Up { path: None } => Way::Up(None),
            Self::Up { path: Some(path) } if is_nested(path) => Way::Up(Some(path.clone())),
            _ => Way::Nowhere,
        };
        Ok(Box::new(NestedAggregator {
            nothing: matches!(way, Way::Nowhere).then(|| agg.subs.clone()),
            way,
            leaf: None,
            subs: Subs::new(agg, cx)?,
            counts: vec![],
            docs: vec![],
            owners: vec![],
            last: (NO_MORE_DOCS, vec![]),
            passed: 0,
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

    fn class(&self, cx: &ShardContext) -> Option<&'static str> {
        let unmapped = matches!(self, Self::Down { .. }) && self.leads_nowhere(cx);
        unmapped.then_some("NestedAggregatorFactory.Unmapped")
    }

    fn leads_nowhere(&self, cx: &ShardContext) -> bool {
        match self {
            Self::Down { path } | Self::Up { path: Some(path) } => cx.mapping.nested_object(path).is_none(),
            Self::Up { path: None } => false,
        }
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match self {
            Self::Down { .. } => "nested",
            Self::Up { .. } => "reverse_nested",
        }
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
}

/// Merges results of one bucket each.
pub(crate) fn reduce_single(agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
    let buckets = parts.into_iter().map(|part| match part {
        Partial::Single(bucket) => Ok(bucket),
        _ => Err(mismatch()),
    });
    Ok(Partial::Single(reduce_buckets(&agg.subs, buckets.collect::<Result<_>>()?, cx)?))
}

enum Way {
    Down {
        path: String,
        /// The paths that it stands in, from the inside out.
        around: Vec<String>,
    },
    Up(Option<String>),
    /// There is no such path.
    Nowhere,
}

/// The documents of a segment that a way leads from and to.
struct Leaf {
    roots: Arc<Roots>,
    /// Down: those of the path. Up: those of the path above, if not roots.
    own: Option<Roots>,
    /// Those of the paths around, from the inside out, which the parent's documents may be.
    around: Vec<Roots>,
}

struct NestedAggregator {
    /// What stands below where there is no such path.
    nothing: Option<Arc<Level>>,
    way: Way,
    leaf: Option<Leaf>,
    subs: Subs,
    counts: Vec<u64>,
    docs: Vec<u32>,
    owners: Vec<u32>,
    /// The last document that was gone up to, and the owners that it has been counted for.
    last: (u32, Vec<u32>),
    /// Where the documents end that were gone down to from within others than those that they stand in.
    passed: u32,
}

impl NestedAggregator {
    fn push(&mut self, doc: u32, owner: u32) -> Result<()> {
        let at = owner as usize;
        if at >= self.counts.len() {
            check_shard_buckets(at)?;
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        self.docs.push(doc);
        self.owners.push(owner);
        Ok(())
    }

    /// All nested documents of one document, once for each of its owners. A document that they do not stand in (one of their own path,
    /// or deeper) stands for its root to the reference: the first such has all of the root's.
    fn down(&mut self, doc: u32, owners: &[u32]) -> Result<()> {
        let Some(Leaf { roots, own: Some(own), around }) = self.leaf.take() else { return Ok(()) };
        let mut first = roots.before(doc).map_or(0, |before| before + 1);
        let mut end = doc;
        if !roots.contains(doc) {
            match around.iter().position(|level| level.contains(doc)) {
                // What stands in the document comes behind the last one of its own level, or of one further out.
                Some(level) => {
                    let before = around[level..].iter().filter_map(|level| level.before(doc)).max();
                    first = first.max(before.map_or(0, |before| before + 1));
                }
                None => {
                    (first, end) = (first.max(self.passed), roots.from(doc));
                    self.passed = end;
                }
            }
        }
        let mut child = own.from(first);
        while child < end {
            for owner in owners {
                self.push(child, *owner)?;
            }
            child = own.from(child + 1);
        }
        self.leaf = Some(Leaf { roots, own: Some(own), around });
        Ok(())
    }
}

impl Aggregator for NestedAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        let docs = |path: &Option<String>| path.as_ref().map(|path| view.nested_docs(path));
        (self.last, self.passed) = ((NO_MORE_DOCS, vec![]), 0);
        self.leaf = match (&self.way, view.segment.roots()) {
            (Way::Nowhere, _) | (_, None) => None,
            (Way::Down { path, around }, Some(roots)) => {
                let around = around.iter().map(|path| view.nested_docs(path)).collect();
                Some(Leaf { roots: roots.clone(), own: Some(view.nested_docs(path)), around })
            }
            (Way::Up(path), Some(roots)) => Some(Leaf { roots: roots.clone(), own: docs(path), around: vec![] }),
        };
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.leaf.is_none() {
            return Ok(());
        }
        self.docs.clear();
        self.owners.clear();
        let up = matches!(self.way, Way::Up(_));
        let mut around = vec![];
        let mut i = 0;
        while i < docs.len() {
            around.clear();
            if !up {
                let doc = docs[i];
                while i < docs.len() && docs[i] == doc {
                    around.push(owners.of(i));
                    i += 1;
                }
                self.down(doc, &around)?;
                continue;
            }
            let above = |doc: u32| match &self.leaf {
                Some(Leaf { own: Some(own), .. }) => own.from(doc),
                Some(Leaf { roots, .. }) => roots.from(doc),
                None => NO_MORE_DOCS,
            };
            let parent = above(docs[i]);
            while i < docs.len() && above(docs[i]) == parent {
                around.push(owners.of(i));
                i += 1;
            }
            around.sort_unstable();
            around.dedup();
            if parent == NO_MORE_DOCS {
                continue;
            }
            // The last documents of the batch before may have had the same parent; it counts once.
            if self.last.0 != parent {
                self.last = (parent, vec![]);
            }
            for owner in &around {
                if !self.last.1.contains(owner) {
                    self.last.1.push(*owner);
                    self.push(parent, *owner)?;
                }
            }
        }
        let (docs, owners) = (std::mem::take(&mut self.docs), std::mem::take(&mut self.owners));
        let passed = self.subs.collect(&docs, Owners::Each(&owners));
        (self.docs, self.owners) = (docs, owners);
        passed
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            if self.nothing.is_some() {
                self.subs.find_nothing();
            }
            let built = self.subs.build_single(owners, &self.counts, pace).await?;
            Ok(match &self.nothing {
                Some(below) => of_nothing(below, built),
                None => built,
            })
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}
