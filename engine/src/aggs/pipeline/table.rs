//! The kinds, and how a pipeline is read.

use super::path::{GapPolicy, Path};
use super::value::PipelineValue;
use super::{
    bucket_metrics, bucket_percentiles, bucket_script, bucket_sort, cumulative_sum, derivative, moving_avg, moving_fn,
    serial_diff,
};
use crate::aggs::format::Format;
use crate::aggs::parse::{Agg, Level, end_of};
use crate::aggs::partial::{Bucket, Partial};
use crate::error::{Error, Result};
use crate::json::{Entry, Map, Value};
use crate::mapping::DocValueFormat;
use crate::query::declared::check_given;
use std::fmt::Debug;

type ParseKind = fn(&mut Parameters<'_>) -> Result<Work>;

/// One row per kind.
pub(crate) const PIPELINES: &[(&str, ParseKind)] = &[
    ("avg_bucket", bucket_metrics::parse_avg),
    ("bucket_script", bucket_script::parse_script),
    ("bucket_selector", bucket_script::parse_selector),
    ("bucket_sort", bucket_sort::parse),
    ("cumulative_sum", cumulative_sum::parse),
    ("derivative", derivative::parse),
    ("extended_stats_bucket", bucket_metrics::parse_extended),
    ("max_bucket", bucket_metrics::parse_max),
    ("min_bucket", bucket_metrics::parse_min),
    ("moving_avg", moving_avg::parse),
    ("moving_fn", moving_fn::parse),
    ("percentiles_bucket", bucket_percentiles::parse),
    ("serial_diff", serial_diff::parse),
    ("stats_bucket", bucket_metrics::parse_stats),
    ("sum_bucket", bucket_metrics::parse_sum),
];

/// A named pipeline with its place in the tree.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) name: String,
    pub(crate) type_name: &'static str,
    pub(crate) meta: Option<Value>,
    pub(crate) paths: Vec<Path>,
    pub(crate) work: Work,
    /// What is wrong with its format, which is read when shards have answered.
    pub(crate) fault: Option<Error>,
}

/// What a pipeline does, by where it stands.
#[derive(Debug)]
pub(crate) enum Work {
    /// Looks at the buckets of a sibling; one result beside it.
    Sibling(Box<dyn Sibling>),
    /// Looks at the buckets of the aggregation that it stands in; a result in each of them.
    Parent(Box<dyn Parent>),
}

pub(crate) trait Sibling: Debug + Send + Sync {
    /// `values` are those of the buckets, with their keys as text; buckets without a value are left out.
    fn compute(&self, values: Vec<(String, f64)>) -> PipelineValue;

    /// How gaps are treated; the path is the pipeline's first.
    fn gap(&self) -> GapPolicy;
}

pub(crate) trait Parent: Debug + Send + Sync {
    /// Adds exactly one result to every bucket that it leaves: [`Partial::None`] where there is nothing to say.
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()>;

    /// Whether it needs the buckets of a histogram without gaps.
    fn needs_histogram(&self) -> bool {
        true
    }

    /// What is wrong with a pipeline of this name wherever it stands.
    fn fault(&self, _name: &str) -> Option<String> {
        None
    }
}

/// The parameters of a pipeline; kinds take theirs out, and what is left over is unknown.
pub(crate) struct Parameters<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) name: &'a str,
    pub(crate) paths: Vec<Path>,
    /// Whether an object of named paths was given, if only one without any.
    pub(super) names_paths: bool,
    /// The names of paths, for kinds whose paths have names.
    pub(crate) path_names: Vec<String>,
    pub(crate) format: Format,
    pub(crate) fault: Option<Error>,
    pub(crate) gap: GapPolicy,
    pub(super) rest: Vec<&'a Entry>,
    pub(super) kind: &'static str,
    /// Where the object ends, for what is missing from it.
    pub(super) end: u32,
    /// The last of the parameters that are required.
    pub(super) last_required: Option<&'a Entry>,
}

/// Reads a pipeline's own object.
pub(crate) fn parse(
    kind: &'static str,
    read: ParseKind,
    map: &Map,
    name: &str,
    body: &[u8],
    pos: u32,
) -> Result<Pipeline> {
    let required: &[&str] = match kind {
        "bucket_script" => &["buckets_path", "script"],
        "cumulative_sum" => &["buckets_path"],
        "moving_fn" => &["buckets_path", "script", "window"],
        _ => &[],
    };
    let mut parameters = Parameters {
        body,
        name,
        paths: vec![],
        names_paths: false,
        path_names: vec![],
        format: Format::Raw,
        fault: None,
        gap: GapPolicy::Skip,
        rest: vec![],
        kind,
        end: end_of(body, pos),
        last_required: map.entries.iter().rfind(|entry| required.contains(&entry.key.as_str())),
    };
    for entry in &map.entries {
        parameters.check_declared(entry)?;
        parameters.check_by_hand(entry)?;
        match entry.key.as_str() {
            "buckets_path" if matches!(kind, "bucket_script" | "bucket_selector") => {
                parameters.read_named_paths(entry)?
            }
            "buckets_path" => parameters.paths = parse_paths(entry, &parameters)?,
            "format" if !matches!(kind, "bucket_selector" | "bucket_sort") => {
                match DocValueFormat::decimal(parameters.text(entry)?) {
                    Ok(format) => parameters.format = Format::Field(format),
                    Err(fault) => parameters.fault = Some(fault),
                }
            }
            "gap_policy" if kind != "cumulative_sum" => parameters.gap = parameters.read_gap(entry)?,
            _ => parameters.rest.push(entry),
        }
    }
    let required: Vec<(&str, bool)> = required.iter().map(|key| (*key, map.get(key).is_none())).collect();
    check_given(&required)?;
    let work = read(&mut parameters)?;
    if let Some(entry) = parameters.rest.first() {
        return Err(parameters.unknown(entry));
    }
    Ok(Pipeline {
        name: name.to_owned(),
        type_name: kind,
        meta: None,
        paths: parameters.paths,
        work,
        fault: parameters.fault,
    })
}

fn parse_paths(entry: &Entry, parameters: &Parameters<'_>) -> Result<Vec<Path>> {
    match &entry.value {
        Value::Array(_) => Ok(parameters.texts(entry)?.iter().map(|path| Path::parse(path)).collect()),
        value => value.as_str().map(|path| vec![Path::parse(path)]).ok_or_else(|| parameters.wrong_type(entry)),
    }
}

impl<'a> Parameters<'a> {
    /// Takes a parameter that the kind knows.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a Entry> {
        let at = self.rest.iter().position(|entry| entry.key == key)?;
        Some(self.rest.remove(at))
    }

    /// Paths by the names of the variables that they are for; one without a name is `_value`, several are `_value0` and so on.
    fn read_named_paths(&mut self, entry: &Entry) -> Result<()> {
        if let Value::Object(map) = &entry.value {
            self.names_paths = true;
            self.path_names = map.iter().map(|(name, _)| name.to_owned()).collect();
            self.paths = self.texts(entry)?.iter().map(|path| Path::parse(path)).collect();
            return Ok(());
        }
        self.paths = parse_paths(entry, self)?;
        self.path_names = match &entry.value {
            Value::Array(_) => {
                self.names_paths = true;
                (0..self.paths.len()).map(|i| format!("_value{i}")).collect()
            }
            _ => vec!["_value".to_owned()],
        };
        Ok(())
    }
}

/// The results that a level's names stand for, with the keys of a sibling's buckets.
pub(crate) struct Beside<'a> {
    pub(crate) level: &'a Level,
    pub(crate) results: &'a [Partial],
}

impl Beside<'_> {
    pub(crate) fn find(&self, name: &str) -> Option<(&Agg, &Partial)> {
        let at = self.level.aggs.iter().position(|agg| agg.name == name)?;
        Some((&self.level.aggs[at], self.results.get(at)?))
    }
}

/// Applies `each` to all buckets in order: the number of the first path if the bucket has what it names, and what to add.
pub(crate) fn for_each_bucket(
    paths: &[Path],
    gap: GapPolicy,
    agg: &Agg,
    partial: &mut Partial,
    mut each: impl FnMut(Option<f64>, f64, &Bucket) -> Option<PipelineValue>,
) -> Result<()> {
    let Some(path) = paths.first() else { return Ok(()) };
    let keys: Vec<f64> = (0..partial.buckets().len()).map(|i| partial.key_number(i)).collect();
    for (bucket, key) in partial.buckets_mut().into_iter().zip(keys) {
        let value = super::path::bucket_value(agg, bucket, key, &path.names, gap)?;
        let result = each(value, key, bucket);
        bucket.subs.push(result.map_or(Partial::None, Partial::Pipeline));
    }
    Ok(())
}
