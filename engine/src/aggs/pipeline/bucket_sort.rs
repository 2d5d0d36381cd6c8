//! bucket_sort: orders the buckets of its parent and leaves a part of them.

use super::path::{GapPolicy, Path, bucket_value};
use super::table::{Parameters, Parent, Work};
use crate::aggs::parse::{Agg, end_of};
use crate::aggs::partial::Partial;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, line_col};
use crate::query::{Node, Source};
use crate::search::sort_parse::{self, SortBy};

#[derive(Debug)]
struct BucketSort {
    /// Whether each of the paths is descending.
    descending: Vec<bool>,
    from: usize,
    size: Option<usize>,
    gap: GapPolicy,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    let (mut descending, mut sorted_at) = (vec![], None);
    if let Some(entry) = parameters.take("sort") {
        sorted_at = Some(entry);
        let source = Source::new(parameters.body);
        for sort in sorts(Node::of_entry(entry, &source)).map_err(|cause| {
            let at = cause.place().unwrap_or(end_of(parameters.body, entry.value_pos));
            parameters.failed_at(entry, at, cause)
        })? {
            parameters.paths.push(Path::parse(&sort.0));
            descending.push(sort.1);
        }
    }
    let from = parameters.take("from").map(|entry| at_least(parameters, entry, 0, sorted_at)).transpose()?;
    let size = parameters.take("size").map(|entry| at_least(parameters, entry, 1, sorted_at)).transpose()?;
    Ok(Work::Parent(Box::new(BucketSort { descending, from: from.unwrap_or(0), size, gap: parameters.gap })))
}

/// The paths, and whether each is descending, as a search is sorted. All else than an order is nothing to buckets.
fn sorts(node: Node) -> Result<Vec<(String, bool)>> {
    let paths = sort_parse::parse(node)?.into_iter().map(|sort| match sort.by {
        SortBy::Field(by) => Ok((by.name, sort.descending)),
        SortBy::Doc => Ok(("_doc".to_owned(), sort.descending)),
        SortBy::ShardDoc => Ok(("_shard_doc".to_owned(), sort.descending)),
        SortBy::Score => {
            let order = if sort.descending { "desc" } else { "asc" };
            Err(incompatible(&format!("{{\n  \"_score\" : {{\n    \"order\" : \"{order}\"\n  }}\n}}")))
        }
        SortBy::GeoDistance(_) => Err(incompatible("_geo_distance")),
        SortBy::Script(_) => Err(incompatible("_script")),
    });
    paths.collect()
}

#[cold]
fn incompatible(sort: &str) -> Error {
    Error::illegal_argument(format!("[bucket_sort] only supports field based sorting; incompatible sort: [{sort}]"))
}

fn at_least(parameters: &Parameters<'_>, entry: &Entry, least: i64, sorted_at: Option<&Entry>) -> Result<usize> {
    let value = parameters.integer(entry)?;
    if value >= least {
        return Ok(value as usize);
    }
    let what = if least == 0 { "non-negative" } else { "positive" };
    let refusal = Error::illegal_argument(format!("[{}] must be a {what} integer: [{value}]", entry.key));
    let failed = parameters.failed_at(entry, entry.value_pos, refusal);
    // What stands before the sort waits for it.
    if sorted_at.is_some_and(|sort| sort.key_pos < entry.key_pos) {
        return Err(failed);
    }
    let (line, col) = line_col(parameters.body, entry.value_pos);
    let reason = format!("[{line}:{col}] failed to build [bucket_sort] after last required field arrived");
    let late = Error::new(ErrorKind::XContentParse, reason).caused_by(failed);
    Err(match sorted_at {
        Some(sort) => parameters.failed_at(sort, end_of(parameters.body, sort.value_pos), late),
        None => late,
    })
}

impl Parent for BucketSort {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let mut rows: Vec<(usize, Vec<f64>)> = vec![];
        for (i, bucket) in partial.buckets().into_iter().enumerate() {
            let key = partial.key_number(i);
            let values = paths
                .iter()
                .map(|path| match path.names.as_slice() {
                    [one] if one == "_key" => Ok(Some(key)),
                    names => bucket_value(agg, bucket, key, names, self.gap),
                })
                .collect::<Result<Vec<Option<f64>>>>()?;
            // A bucket that has none of the values is skipped; zeros stand in even for what a path names in vain.
            let zeros = self.gap == GapPolicy::InsertZeros;
            let has = |value: &Option<f64>| zeros || value.is_some_and(|value| !value.is_nan());
            if paths.is_empty() || values.iter().any(has) || paths.iter().any(|p| p.text == "_key") {
                rows.push((i, values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()));
            }
        }
        let by_key = |path: &Path| path.names.as_slice() == ["_key"];
        rows.sort_by(|(i, a), (j, b)| {
            for (at, path) in paths.iter().enumerate() {
                let ordering = if by_key(path) {
                    partial.compare_keys(*i, *j)
                } else {
                    match (a[at].is_nan(), b[at].is_nan()) {
                        (true, true) => std::cmp::Ordering::Equal,
                        // Without a value comes last, in either direction.
                        (true, false) => return std::cmp::Ordering::Greater,
                        (false, true) => return std::cmp::Ordering::Less,
                        _ => a[at].total_cmp(&b[at]),
                    }
                };
                let ordering = if self.descending[at] { ordering.reverse() } else { ordering };
                if ordering.is_ne() {
                    return ordering;
                }
            }
            std::cmp::Ordering::Equal
        });
        let kept: Vec<usize> =
            rows.into_iter().map(|(i, _)| i).skip(self.from).take(self.size.unwrap_or(usize::MAX)).collect();
        partial.keep(&kept);
        partial.buckets_mut().into_iter().for_each(|bucket| bucket.subs.push(Partial::None));
        Ok(())
    }

    fn needs_histogram(&self) -> bool {
        false
    }

    fn fault(&self, name: &str) -> Option<String> {
        let nothing = self.descending.is_empty() && self.size.is_none() && self.from == 0;
        nothing.then(|| {
            format!(
                "[{name}] is configured to perform nothing. Please set either of [sort, size, from] to use bucket_sort"
            )
        })
    }
}
