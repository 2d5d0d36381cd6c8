//! `buckets_path`: `a>b>c.metric`, `a>_count`, `_key`.

use crate::aggs::order::NOT_ORDERED;
use crate::aggs::parse::{Agg, Level};
use crate::aggs::partial::{Bucket, Partial};
use crate::error::{Error, ErrorKind, Result};

/// A path in its parts; each may be followed by a key in brackets, the last by the name of a metric behind a dot.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) text: String,
    /// Names and keys, in the order of the path.
    pub(crate) names: Vec<String>,
    /// Which of the names are keys of what stands before them.
    pub(crate) keys: Vec<bool>,
    /// The part that is malformed.
    malformed: Option<String>,
}

impl Path {
    pub(crate) fn parse(text: &str) -> Self {
        let mut path = Self { text: text.to_owned(), names: vec![], keys: vec![], malformed: None };
        let mut parts = text.split('>').map(str::trim).filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let Some((name, key)) = split(part, parts.peek().is_none()) else {
                path.malformed = Some(part.to_owned());
                return path;
            };
            path.names.extend([name].into_iter().chain(key).map(str::to_owned));
            path.keys.extend([false].into_iter().chain(key.map(|_| true)));
        }
        path
    }

    /// Refuses malformed parts.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(part) = &self.malformed else { return Ok(()) };
        let reason = format!("Invalid path element [{part}] in path [{}]", self.text);
        Err(Error::new(ErrorKind::AggregationExecution, reason))
    }
}

/// A part's name, and its key in brackets, or behind a dot in the last part.
fn split(part: &str, last: bool) -> Option<(&str, Option<&str>)> {
    if let Some(at) = part.rfind('[') {
        let key = part[at + 1..].strip_suffix(']')?;
        return (at > 0 && !key.is_empty()).then_some((&part[..at], Some(key)));
    }
    match part.rsplit_once('.').filter(|_| last) {
        None => Some((part, None)),
        Some((name, key)) => (!name.is_empty() && !key.is_empty()).then_some((name, Some(key))),
    }
}

/// The key of a bucket that a part of a path names in quotes.
fn quoted(name: &str) -> Option<&str> {
    name.strip_prefix('\'')?.strip_suffix('\'')
}

/// What becomes of buckets that lack the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum GapPolicy {
    #[default]
    Skip,
    InsertZeros,
}

/// The number that `path` leads to from a bucket; NaN where there is none and gaps are skipped. Nothing where the bucket does
/// not have what the path names, whatever becomes of gaps.
pub(crate) fn bucket_value(
    agg: &Agg,
    bucket: &Bucket,
    key: f64,
    path: &[String],
    gap: GapPolicy,
) -> Result<Option<f64>> {
    let value = match path {
        [one] if one == "_count" => return Ok(Some(bucket.count as f64)),
        [one] if one == "_key" => key,
        [] => return Err(not_a_number("")),
        path => match resolve(&agg.subs, &bucket.subs, path, &agg.name) {
            Err(error) if error.kind() == ErrorKind::InvalidAggregationPath => return Ok(None),
            value => value?,
        },
    };
    if value.is_finite() && bucket.count > 0 {
        return Ok(Some(value));
    }
    Ok(Some(if gap == GapPolicy::InsertZeros { 0.0 } else { f64::NAN }))
}

/// The numbers that `path` leads to from all buckets, in order; NaN where there is none.
pub(crate) fn bucket_values(agg: &Agg, partial: &Partial, path: &Path, gap: GapPolicy) -> Result<Vec<f64>> {
    let buckets = partial.buckets().into_iter().enumerate();
    let values = buckets.map(|(i, bucket)| bucket_value(agg, bucket, partial.key_number(i), &path.names, gap));
    values.map(|value| Ok(value?.unwrap_or(f64::NAN))).collect()
}

fn resolve(level: &Level, results: &[Partial], path: &[String], within: &str) -> Result<f64> {
    let Some((name, rest)) = path.split_first() else { return Err(not_a_number(within)) };
    if let Some(at) = level.pipelines.iter().position(|p| p.name == *name) {
        let property = rest.first().map(String::as_str);
        return match results.get(level.aggs.len() + at) {
            Some(Partial::Pipeline(value)) => value.number(property).ok_or_else(|| several_values(name)),
            // Those that only choose and sort buckets leave nothing in them.
            _ => Err(unknown(name, within)),
        };
    }
    let at = level.aggs.iter().position(|a| a.name == *name).ok_or_else(|| unknown(name, within))?;
    let (agg, partial) = (&level.aggs[at], results.get(at).ok_or_else(|| unknown(name, within))?);
    if let Partial::Single(bucket) = partial {
        return match rest {
            [] => Err(not_a_number(name)),
            [one] if one == "_count" => Ok(bucket.count as f64),
            rest => resolve(&agg.subs, &bucket.subs, rest, name),
        };
    }
    if agg.kind.is_bucketing() {
        if let Some((key, below)) = rest.split_first().and_then(|(first, below)| Some((quoted(first)?, below))) {
            return resolve_bucket(agg, partial, key, below);
        }
        return match rest {
            [one] if one == "_bucket_count" => Ok(partial.buckets().len() as f64),
            [first, ..] if !partial.buckets().is_empty() && !has(&agg.subs, first) => Err(unknown(first, name)),
            _ => Err(not_a_number(name)),
        };
    }
    let property = match rest {
        [] => None,
        [property] => Some(quoted(property).unwrap_or(property)),
        _ => return Err(Error::illegal_argument(format!("path not supported for [{name}]: [{}]", rest.join(", ")))),
    };
    let one_of_several = |refusal: &Error| refusal.reason() != NOT_ORDERED;
    if property.is_none() && agg.kind.check_order_property(&agg.name, None).is_err_and(|error| one_of_several(&error)) {
        return Err(several_values(name));
    }
    agg.kind
        .order_value(partial, property.filter(|p| *p != "value"))
        .ok_or_else(|| match property {
            Some(property) => Error::illegal_argument(format!("path not supported for [{name}]: [{property}]")),
            None => not_a_number(name),
        })
        .or_else(
            |error| {
                if property.is_none() && !matches!(partial, Partial::Single(_)) { Ok(f64::NAN) } else { Err(error) }
            },
        )
}

/// Whether each bucket has something of the name.
fn has(level: &Level, name: &str) -> bool {
    let of_buckets = ["_count", "_key"].contains(&name);
    of_buckets || level.aggs.iter().any(|agg| agg.name == name) || level.pipelines.iter().any(|p| p.name == name)
}

/// The number below the bucket with this key.
fn resolve_bucket(agg: &Agg, partial: &Partial, key: &str, below: &[String]) -> Result<f64> {
    let buckets = partial.buckets();
    let at = (0..buckets.len()).find(|at| agg.kind.bucket_key(partial, *at) == key).ok_or_else(|| {
        let reason = format!("Cannot find an key ['{key}'] in [{}]", agg.name);
        Error::new(ErrorKind::InvalidAggregationPath, reason)
    })?;
    match below {
        [] => Err(not_a_number(&agg.name)),
        [one] if one == "_count" => Ok(buckets[at].count as f64),
        [one] if one == "_key" => Ok(partial.key_number(at)),
        below => resolve(&agg.subs, &buckets[at].subs, below, &agg.name),
    }
}

fn unknown(name: &str, within: &str) -> Error {
    Error::new(ErrorKind::InvalidAggregationPath, format!("Cannot find an aggregation named [{name}] in [{within}]"))
}

fn several_values(name: &str) -> Error {
    Error::new(
        ErrorKind::AggregationExecution,
        format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, but [{name}] contains multiple values. Please specify which to use."
        ),
    )
}

fn not_a_number(name: &str) -> Error {
    Error::new(
        ErrorKind::AggregationExecution,
        format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, got: [Object[]] at aggregation [{name}]"
        ),
    )
}
