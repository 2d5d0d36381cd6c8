//! adjacency_matrix: a bucket per query and per pair of queries that match the same documents.

use super::filters::SegmentFilter;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Bucket, Partial, Shown, mismatch, reduce_buckets, render_bucket};
use super::reduce_context::ReduceContext;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, Writer};
use crate::pace::Pace;
use crate::query::{Node, Query, ShardContext, Source};
use crate::segment::SegmentView;

/// The reference's `index.max_adjacency_matrix_filters`.
const FILTERS_MAX: usize = 100;

#[derive(Debug)]
struct AdjacencyMatrix {
    /// By name, ascending.
    filters: Vec<(String, Query)>,
    separator: String,
    /// Whether the buckets of single filters are left out.
    only_pairs: bool,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut filters, mut separator, mut only_pairs) = (vec![], "&".to_owned(), false);
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("filters", Value::Object(named)) => {
                let one = |filter: &Entry| {
                    cx.inside(entry, "filters", |filters| {
                        // The reader stands at the name, and looks at the next token alone.
                        let query = match filter.value.as_object() {
                            Some(_) => filters.query(&filter.value, filter.value_pos),
                            None => {
                                let source = Source::new(filters.body);
                                let node = Node::of_entry(filter, &source);
                                Err(node.error("[_na] query malformed, must start with start_object"))
                            }
                        };
                        query.map_err(|cause| filters.failed_inside(filter, cause))
                    })
                };
                filters = (named.entries.iter())
                    .map(|filter| Ok((filter.key.clone(), one(filter)?)))
                    .collect::<Result<Vec<_>>>()?;
            }
            ("filters", Value::Array(_)) => {
                let refusal = "[filters] doesn't support arrays. Use a single object with multiple fields.";
                return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
            }
            ("filters", _) => return Err(cx.wrong_type(entry)),
            ("separator", Value::String(text)) => separator.clone_from(text),
            ("separator", _) => return Err(cx.wrong_type(entry)),
            ("show_only_intersecting", _) => only_pairs = cx.bool(entry)?,
            _ => return Err(cx.unknown_field(entry, &["filters", "separator", "show_only_intersecting"])),
        }
    }
    if filters.is_empty() {
        return Err(Error::new(ErrorKind::IllegalState, format!("[{}] is missing : filters parameter", cx.name)));
    }
    filters.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(Box::new(AdjacencyMatrix { filters, separator, only_pairs }))
}

impl AdjacencyMatrix {
    /// Filters, then pairs: the place of a pair.
    fn key(&self, place: usize) -> String {
        let n = self.filters.len();
        if place < n {
            return self.filters[place].0.clone();
        }
        let (i, j) = pair_at(n, place);
        format!("{}{}{}", self.filters[i].0, self.separator, self.filters[j].0)
    }
}

/// Where the pair `i < j` of `n` stands, behind the `n` single ones.
fn place_of(n: usize, i: usize, j: usize) -> usize {
    n + i * (2 * n - i - 1) / 2 + (j - i - 1)
}

fn pair_at(n: usize, place: usize) -> (usize, usize) {
    let mut rest = place - n;
    for i in 0..n {
        let row = n - i - 1;
        if rest < row {
            return (i, i + 1 + rest);
        }
        rest -= row;
    }
    (0, 0)
}

fn width(n: usize) -> usize {
    n + n * (n - 1) / 2
}

impl Kind for AdjacencyMatrix {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        if self.filters.len() > FILTERS_MAX {
            return Err(Error::illegal_argument(format!(
                "Number of filters is too large, must be less than or equal to: [{FILTERS_MAX}] but was [{}].This limit can be set by changing the [index.max_adjacency_matrix_filters] index level setting.",
                self.filters.len()
            )));
        }
        let filters = || self.filters.iter().map(|(_, q)| SegmentFilter::at_once(q, cx)).collect::<Result<_>>();
        let (subs, filters) = Subs::beside_queries(agg, cx, filters)?;
        Ok(Box::new(AdjacencyAggregator {
            filters,
            only_pairs: self.only_pairs,
            subs,
            counts: vec![],
            matching: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Adjacency(vec![])
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        let mut columns: Vec<Vec<Bucket>> = (0..width(self.filters.len())).map(|_| vec![]).collect();
        for part in parts {
            let Partial::Adjacency(buckets) = part else { return Err(mismatch()) };
            for (place, _, bucket) in buckets {
                columns.get_mut(place).ok_or_else(mismatch)?.push(bucket);
            }
        }
        let mut merged = vec![];
        for (place, column) in columns.into_iter().enumerate().filter(|(_, column)| !column.is_empty()) {
            merged.push((place, self.key(place), reduce_buckets(&agg.subs, column, cx)?));
        }
        cx.add_buckets(merged.len())?;
        merged.sort_by(|a, b| a.1.cmp(&b.1));
        Ok(Partial::Adjacency(merged))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Adjacency(buckets) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for (_, key, bucket) in buckets {
            w.begin_object().key("key").string(key);
            render_bucket(agg, bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn queries(&self) -> Vec<&Query> {
        self.filters.iter().map(|(_, query)| query).collect()
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "adjacency_matrix"
    }

    fn bucket_key(&self, partial: &Partial, i: usize) -> String {
        match partial {
            Partial::Adjacency(buckets) => buckets[i].1.clone(),
            _ => String::new(),
        }
    }
}

struct AdjacencyAggregator {
    filters: Vec<SegmentFilter>,
    only_pairs: bool,
    subs: Subs,
    counts: Vec<u64>,
    matching: Vec<usize>,
}

impl AdjacencyAggregator {
    fn add(&mut self, doc: u32, bucket: usize) -> Result<()> {
        self.counts[bucket] += 1;
        self.subs.push(doc, bucket as u32)
    }
}

impl Aggregator for AdjacencyAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.filters.iter_mut().try_for_each(|f| f.enter_segment(view))?;
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        let n = self.filters.len();
        let width = width(n);
        for (i, &doc) in docs.iter().enumerate() {
            let first = (owners.of(i) as usize).saturating_mul(width);
            if first.saturating_add(width) > self.counts.len() {
                check_shard_buckets(first.saturating_add(width))?;
                self.counts.resize(first + width, 0);
            }
            let mut matching = std::mem::take(&mut self.matching);
            matching.clear();
            matching.extend((0..n).filter(|f| self.filters[*f].matches(doc)));
            for (at, &a) in matching.iter().enumerate() {
                self.add(doc, first + a)?;
                for &b in &matching[at + 1..] {
                    self.add(doc, first + place_of(n, a, b))?;
                }
            }
            self.matching = matching;
        }
        self.filters.iter().try_for_each(SegmentFilter::check)
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let width = width(self.filters.len());
            let count = |n: usize| self.counts.get(n).copied().unwrap_or(0);
            let firsts = owners.iter().map(|owner| *owner as usize * width);
            let shown = if self.only_pairs { self.filters.len() } else { 0 };
            let places: Vec<Vec<usize>> =
                firsts.map(|f| (f + shown..f + width).filter(|n| count(*n) > 0).collect()).collect();
            let numbers: Vec<u32> = places.iter().flatten().map(|n| *n as u32).collect();
            let mut rows = self.subs.build(&numbers, pace).await?.into_iter();
            let mut results = Vec::with_capacity(owners.len());
            for (owner, numbers) in owners.iter().zip(places) {
                let first = *owner as usize * width;
                let buckets = numbers
                    .into_iter()
                    .zip(rows.by_ref())
                    .map(|(n, subs)| {
                        (n - first, String::new(), Bucket { count: count(n) + self.subs.beyond(n as u32), subs })
                    })
                    .collect();
                results.push(Partial::Adjacency(buckets));
            }
            Ok(results)
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_places_of_their_own() {
        let n = 4;
        let mut places: Vec<usize> = vec![];
        for i in 0..n {
            for j in i + 1..n {
                assert_eq!(pair_at(n, place_of(n, i, j)), (i, j));
                places.push(place_of(n, i, j));
            }
        }
        assert_eq!(places, (n..width(n)).collect::<Vec<_>>());
    }
}
