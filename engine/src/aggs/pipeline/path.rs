//! `buckets_path`: `a>b>c.metric`, `a>_count`, `_key`.

use crate::aggs::order::NOT_ORDERED;
use crate::aggs::parse::{Agg, Level};
use crate::aggs::partial::{Bucket, KeyType, Partial};
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
        [one] if one == "_key" => match key_class(agg, key) {
            Some(class) => return Err(not_a_number(class, one)),
            None => key,
        },
        [] => return Err(not_a_number(bucket_class(agg), &agg.name)),
        path => {
            match resolve(&agg.subs, &bucket.subs, path, Way { within: &agg.name, first: &path[0], alone: false }) {
                Err(error) if error.kind() == ErrorKind::InvalidAggregationPath => return Ok(None),
                value => value?,
            }
        }
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

/// Where a path has come to: what errors name.
#[derive(Clone, Copy)]
struct Way<'a> {
    within: &'a str,
    /// The name that it began with.
    first: &'a str,
    /// Whether what it is within is the only bucket of its aggregation: there the reference lets nothing pass that is not there.
    alone: bool,
}

/// The class that the reference has for a bucket.
fn bucket_class(agg: &Agg) -> &'static str {
    match agg.type_name {
        "geohash_grid" => "InternalGeoHashGridBucket",
        "geotile_grid" => "InternalGeoTileGridBucket",
        "adjacency_matrix" | "composite" | "filters" => "InternalBucket",
        _ => "Bucket",
    }
}

/// The class of a bucket's key, where that is no number.
fn key_class(agg: &Agg, key: f64) -> Option<&'static str> {
    match agg.type_name {
        "histogram" | "variable_width_histogram" => None,
        "terms" | "rare_terms" | "significant_terms" if !key.is_nan() => None,
        "auto_date_histogram" | "date_histogram" => Some("ZonedDateTime"),
        "geohash_grid" | "geotile_grid" => Some("GeoPoint"),
        "multi_terms" => Some("ArrayList"),
        "composite" => Some("ArrayMap"),
        _ => Some("String"),
    }
}

fn resolve(level: &Level, results: &[Partial], path: &[String], way: Way<'_>) -> Result<f64> {
    let Some((name, rest)) = path.split_first() else { return Err(not_a_number(SEVERAL, way.first)) };
    let below = Way { within: name, alone: false, ..way };
    if let Some(at) = level.pipelines.iter().position(|p| p.name == *name) {
        let property = rest.first().map(String::as_str);
        return match results.get(level.aggs.len() + at) {
            Some(Partial::Pipeline(value)) => value.number(property).ok_or_else(|| several_values(way.first)),
            // Those that only choose and sort buckets leave nothing in them.
            _ => Err(way.unknown(name)),
        };
    }
    let at = level.aggs.iter().position(|a| a.name == *name).ok_or_else(|| way.unknown(name))?;
    let (agg, partial) = (&level.aggs[at], results.get(at).ok_or_else(|| way.unknown(name))?);
    if let Partial::Single(bucket) = partial {
        return match rest {
            [] => Err(not_a_number(class_of(agg, partial), way.first)),
            [one] if one == "_count" => Ok(bucket.count as f64),
            [one, ..] if one == "_count" => Err(Error::illegal_argument("_count must be the last element in the path")),
            rest => resolve(&agg.subs, &bucket.subs, rest, Way { alone: true, ..below }),
        };
    }
    if agg.kind.is_multi_bucket() {
        if let Some((key, rest)) = rest.split_first().and_then(|(first, rest)| Some((quoted(first)?, rest))) {
            return resolve_bucket(agg, partial, key, rest, way);
        }
        return match rest {
            [one] if one == "_bucket_count" => Ok(partial.buckets().len() as f64),
            [first, ..] if !partial.buckets().is_empty() && !has(&agg.subs, first) => Err(below.unknown(first)),
            [first, ..] if !OF_BUCKETS.contains(&first.as_str()) => Err(failure_within(agg, partial, rest, way)),
            [] => Err(not_a_number(class_of(agg, partial), way.first)),
            _ => Err(not_a_number(SEVERAL, way.first)),
        };
    }
    let property = match rest {
        [] => None,
        [property] if agg.type_name == "geo_centroid" && property == "value" => {
            return Err(not_a_number("GeoPoint", way.first));
        }
        [property] => {
            check_property(agg, partial, property)?;
            Some(property.as_str())
        }
        _ => return Err(Error::illegal_argument(format!("path not supported for [{name}]: [{}]", rest.join(", ")))),
    };
    let one_of_several = |refusal: &Error| refusal.reason() != NOT_ORDERED;
    if property.is_none() && agg.kind.check_order_property(&agg.name, None).is_err_and(|error| one_of_several(&error)) {
        return Err(several_values(way.first));
    }
    if property.is_none() && OF_NO_NUMBER.contains(&agg.type_name) {
        return Err(not_a_number(class_of(agg, partial), way.first));
    }
    agg.kind
        .order_value(partial, property.filter(|p| *p != "value"))
        .ok_or_else(|| match property {
            Some(property) => Error::illegal_argument(format!("path not supported for [{name}]: [{property}]")),
            None => not_a_number(SEVERAL, way.first),
        })
        .or_else(
            |error| {
                if property.is_none() && !matches!(partial, Partial::Single(_)) { Ok(f64::NAN) } else { Err(error) }
            },
        )
}

/// Refuses what a metric does not have, in the words of its class.
fn check_property(agg: &Agg, partial: &Partial, property: &str) -> Result<()> {
    match agg.type_name {
        "extended_stats" | "stats" => match agg.kind.check_order_property(&agg.name, Some(property)) {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::illegal_argument(format!("No enum constant {STATS}.{property}"))),
        },
        "percentile_ranks" | "percentiles" => match property.parse::<f64>() {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{property}\""))),
        },
        "geo_bounds" | "geo_centroid" | "matrix_stats" if agg.kind.order_value(partial, Some(property)).is_none() => {
            Err(Error::illegal_argument(format!("Found unknown path element [{property}] in [{}]", agg.name)))
        }
        "geo_bounds" | "geo_centroid" | "matrix_stats" => Ok(()),
        type_name if property == "value" && type_name != "top_hits" => Ok(()),
        _ => Err(Error::illegal_argument(format!("path not supported for [{}]: [{property}]", agg.name))),
    }
}

/// What the reference calls the numbers of statistics.
const STATS: &str = "org.opensearch.search.aggregations.metrics.InternalStats.Metrics";

/// Why a path that leads through all buckets of an aggregation ends in no number: it is followed in each of them first.
fn failure_within(agg: &Agg, partial: &Partial, rest: &[String], way: Way<'_>) -> Error {
    let below = Way { within: &agg.name, alone: false, ..way };
    let mut failures = partial.buckets().into_iter().filter_map(|b| resolve(&agg.subs, &b.subs, rest, below).err());
    let leads_nowhere =
        |error: &Error| matches!(error.kind(), ErrorKind::InvalidAggregationPath | ErrorKind::IllegalArgument);
    failures.find(leads_nowhere).unwrap_or_else(|| not_a_number(SEVERAL, way.first))
}

/// What a path may ask of a bucket itself.
const OF_BUCKETS: &[&str] = &["_count", "_key"];

/// Whether each bucket has something of the name.
fn has(level: &Level, name: &str) -> bool {
    OF_BUCKETS.contains(&name)
        || level.aggs.iter().any(|agg| agg.name == name)
        || level.pipelines.iter().any(|p| p.name == name)
}

/// The number below the bucket with this key.
fn resolve_bucket(agg: &Agg, partial: &Partial, key: &str, below: &[String], way: Way<'_>) -> Result<f64> {
    let buckets = partial.buckets();
    let at = (0..buckets.len()).find(|at| agg.kind.bucket_key(partial, *at) == key).ok_or_else(|| {
        let reason = format!("Cannot find an key ['{key}'] in [{}]", agg.name);
        Error::new(ErrorKind::InvalidAggregationPath, reason)
    })?;
    match below {
        [] => Err(not_a_number(SEVERAL, way.first)),
        [one] if one == "_count" => Ok(buckets[at].count as f64),
        [one] if one == "_key" => Ok(partial.key_number(at)),
        below => resolve(&agg.subs, &buckets[at].subs, below, Way { within: &agg.name, alone: false, ..way }),
    }
}

impl Way<'_> {
    fn unknown(&self, name: &str) -> Error {
        let kind = if self.alone { ErrorKind::IllegalArgument } else { ErrorKind::InvalidAggregationPath };
        Error::new(kind, format!("Cannot find an aggregation named [{name}] in [{}]", self.within))
    }
}

fn several_values(name: &str) -> Error {
    Error::new(
        ErrorKind::AggregationExecution,
        format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, but [{name}] contains multiple values. Please specify which to use."
        ),
    )
}

/// What is told of numbers of several buckets.
const SEVERAL: &str = "Object[]";

/// Metrics that are no number.
const OF_NO_NUMBER: &[&str] = &["geo_bounds", "geo_centroid", "matrix_stats", "scripted_metric", "top_hits"];

/// The class that the reference has for a result.
fn class_of(agg: &Agg, partial: &Partial) -> &'static str {
    match (agg.kind.typed_name(partial), partial) {
        ("sterms", Partial::Terms(terms)) if terms.key_type == KeyType::Unmapped => match agg.type_name {
            "rare_terms" => "UnmappedRareTerms",
            "multi_terms" => "UnmappedMultiTerms",
            _ => "UnmappedTerms",
        },
        ("sterms", _) => "StringTerms",
        ("lterms", _) => "LongTerms",
        ("dterms", _) => "DoubleTerms",
        ("ulterms", _) => "UnsignedLongTerms",
        ("multi_terms", _) => "InternalMultiTerms",
        ("srareterms", _) => "StringRareTerms",
        ("lrareterms", _) => "LongRareTerms",
        ("sigsterms", _) => "SignificantStringTerms",
        ("siglterms", _) => "SignificantLongTerms",
        ("filter", _) => "InternalFilter",
        ("filters", _) => "InternalFilters",
        ("global", _) => "InternalGlobal",
        ("missing", _) => "InternalMissing",
        ("nested", _) => "InternalNested",
        ("reverse_nested", _) => "InternalReverseNested",
        ("sampler", _) => "InternalSampler",
        ("children", _) => "InternalChildren",
        ("parent", _) => "InternalParent",
        ("histogram", _) => "InternalHistogram",
        ("date_histogram", _) => "InternalDateHistogram",
        ("auto_date_histogram", _) => "InternalAutoDateHistogram",
        ("variable_width_histogram", _) => "InternalVariableWidthHistogram",
        ("range", _) => "InternalRange",
        ("date_range", _) => "InternalDateRange",
        ("ip_range", _) => "InternalBinaryRange",
        ("geo_distance", _) => "InternalGeoDistance",
        ("geohash_grid", _) => "GeoHashGrid",
        ("geotile_grid", _) => "GeoTileGrid",
        ("adjacency_matrix", _) => "InternalAdjacencyMatrix",
        ("matrix_stats", _) => "InternalMatrixStats",
        ("geo_bounds", _) => "InternalGeoBounds",
        ("geo_centroid", _) => "InternalGeoCentroid",
        ("top_hits", _) => "InternalTopHits",
        ("composite", _) => "InternalComposite",
        ("scripted_metric", _) => "InternalScriptedMetric",
        _ => SEVERAL,
    }
}

#[cold]
fn not_a_number(class: &str, name: &str) -> Error {
    Error::new(
        ErrorKind::AggregationExecution,
        format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, got: [{class}] at aggregation [{name}]"
        ),
    )
}
