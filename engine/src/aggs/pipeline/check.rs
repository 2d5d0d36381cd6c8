//! What pipelines may name, and in which order they are computed: each after those that it reads.

use super::path::Path;
use super::table::{Pipeline, Work};
use crate::aggs::parse::{Agg, Level};
use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;

/// Checks the pipelines of all levels and puts those of each in order. All that is wrong with them is told at once.
pub(crate) fn check_and_order(level: &mut Level) -> Result<()> {
    let mut faults = vec![];
    check_level(level, None, &mut faults)?;
    if faults.is_empty() {
        return Ok(());
    }
    let faults = faults.iter().enumerate().map(|(at, fault)| format!("{}: {fault};", at + 1));
    Err(refused(&faults.collect::<String>()))
}

/// `parent` is the aggregation that the level stands in. Of malformed paths the first is an error of its own.
fn check_level(level: &mut Level, parent: Option<&ParentOf<'_>>, faults: &mut Vec<String>) -> Result<()> {
    level.pipelines.iter().flat_map(|pipeline| &pipeline.paths).try_for_each(Path::check)?;
    match in_order(level) {
        Ok(ordered) => {
            let mut places: Vec<Option<Pipeline>> = level.pipelines.drain(..).map(Some).collect();
            level.pipelines.extend(ordered.into_iter().filter_map(|at| places[at].take()));
            let check = |pipeline: &Pipeline| match &pipeline.work {
                Work::Sibling(_) => check_sibling(pipeline, level),
                Work::Parent(work) => check_parent(pipeline, work.needs_histogram(), parent),
            };
            for pipeline in &level.pipelines {
                faults.extend(check(pipeline).err());
                if let Work::Parent(work) = &pipeline.work {
                    faults.extend(work.fault(&pipeline.name));
                }
            }
        }
        Err(fault) => faults.push(fault),
    }
    let mut aggs: Vec<&mut Agg> = level.aggs.iter_mut().collect();
    aggs.sort_by_key(|agg| agg.place);
    for agg in aggs {
        let parent = ParentOf { type_name: agg.type_name, min_doc_count: agg.kind.min_doc_count() };
        // While a request is parsed nobody else knows its parts.
        if let Some(subs) = Arc::get_mut(&mut agg.subs) {
            check_level(subs, Some(&parent), faults)?;
        }
    }
    Ok(())
}

/// The places of a level's pipelines, each behind those that it reads.
fn in_order(level: &Level) -> Checked<Vec<usize>> {
    let mut ordered = Vec::with_capacity(level.pipelines.len());
    let mut states = vec![State::New; level.pipelines.len()];
    for at in 0..level.pipelines.len() {
        visit(at, level, &mut states, &mut ordered)?;
    }
    Ok(ordered)
}

/// What is wrong, if anything is.
type Checked<T> = std::result::Result<T, String>;

/// What a pipeline's parent must show of itself.
struct ParentOf<'a> {
    type_name: &'a str,
    min_doc_count: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

fn visit(at: usize, level: &Level, states: &mut [State], ordered: &mut Vec<usize>) -> Checked<()> {
    let pipeline = &level.pipelines[at];
    match states[at] {
        State::Done => return Ok(()),
        State::Open => {
            return Err(format!("Cyclical dependency found with pipeline aggregator [{}]", pipeline.name));
        }
        State::New => states[at] = State::Open,
    }
    for path in &pipeline.paths {
        let Some(first) = path.names.first() else { return Err(format!("Invalid path [{}]", path.text)) };
        if first == "_count" || first == "_key" {
            continue;
        }
        if let Some(agg) = level.aggs.iter().find(|agg| agg.name == *first) {
            check_below(agg, path)?;
        } else if let Some(other) = level.pipelines.iter().position(|p| p.name == *first) {
            visit(other, level, states, ordered)?;
        } else {
            return Err(format!("No aggregation found for path [{}]", path.text));
        }
    }
    states[at] = State::Done;
    ordered.push(at);
    Ok(())
}

/// Whether the names below the first exist. Keys are not looked into here.
fn check_below(mut agg: &Agg, path: &Path) -> Checked<()> {
    let names: Vec<&String> =
        path.names.iter().zip(&path.keys).skip(1).filter(|(_, key)| !**key).map(|(name, _)| name).collect();
    for (i, name) in names.iter().copied().enumerate() {
        let last = i + 1 == names.len();
        if last && (name == "_count" || name == "_key") {
            return Ok(());
        }
        if let Some(sub) = agg.subs.aggs.iter().find(|sub| sub.name == *name) {
            agg = sub;
        } else if !(last && agg.subs.pipelines.iter().any(|p| p.name == *name)) {
            return Err(format!("No aggregation [{name}] found for path [{}]", path.text));
        }
    }
    Ok(())
}

fn check_sibling(pipeline: &Pipeline, level: &Level) -> Checked<()> {
    let Some(path) = pipeline.paths.first() else { return Ok(()) };
    if pipeline.paths.len() > 1 {
        return Err("buckets_path must contain a single entry for aggregation [".to_owned() + &pipeline.name + "]");
    }
    // Here the reference looks for its name in another way than where it orders pipelines: keys in brackets are part of it.
    let first = path.text.split(['>', '.']).next().unwrap_or_default();
    let Some(agg) = level.aggs.iter().find(|agg| agg.name == first) else {
        return Err(format!(
            "buckets_path aggregation does not exist for aggregation [{}]: {}",
            pipeline.name, path.text
        ));
    };
    // Of a composite the reference does not say that it has several.
    if agg.kind.is_multi_bucket() && agg.type_name != "composite" {
        return Ok(());
    }
    Err(format!(
        "The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [{}] found :{} for buckets path: {}",
        pipeline.name,
        builder_name(agg),
        path.text
    ))
}

const AGGREGATIONS: &str = "org.opensearch.search.aggregations";

/// The reference names the class that stands for an aggregation in requests.
fn builder_name(agg: &Agg) -> String {
    let camel: String = agg.type_name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
    match agg.type_name {
        "children" | "parent" => return format!("org.opensearch.join.aggregations.{camel}AggregationBuilder"),
        "geo_bounds" => return format!("org.opensearch.geo.search.aggregations.metrics.{camel}AggregationBuilder"),
        "diversified_sampler" => return format!("{AGGREGATIONS}.bucket.sampler.DiversifiedAggregationBuilder"),
        _ => {}
    }
    let package = match agg.type_name {
        "matrix_stats" => "matrix.stats".to_owned(),
        "reverse_nested" => "bucket.nested".to_owned(),
        name if agg.kind.is_bucketing() => format!("bucket.{name}"),
        _ => "metrics".to_owned(),
    };
    format!("{AGGREGATIONS}.{package}.{camel}AggregationBuilder")
}

fn check_parent(pipeline: &Pipeline, needs_histogram: bool, parent: Option<&ParentOf<'_>>) -> Checked<()> {
    let (kind, name) = (pipeline.type_name, &pipeline.name);
    if !needs_histogram {
        return match parent {
            Some(_) => Ok(()),
            None => Err(format!("{kind} aggregation [{name}] must be declared inside of another aggregation")),
        };
    }
    match parent {
        Some(ParentOf { type_name: "histogram" | "date_histogram", min_doc_count }) if *min_doc_count > 0 => {
            Err(format!("parent histogram of {kind} aggregation [{name}] must have min_doc_count of 0"))
        }
        Some(ParentOf { type_name: "histogram" | "date_histogram" | "auto_date_histogram", .. }) => Ok(()),
        _ => {
            let none = if parent.is_none() { " but doesn't have a parent" } else { "" };
            let what = "must have a histogram, date_histogram or auto_date_histogram as parent";
            Err(format!("{kind} aggregation [{name}] {what}{none}"))
        }
    }
}

pub(crate) fn invalid(reason: String) -> Error {
    refused(&format!("1: {reason};"))
}

fn refused(faults: &str) -> Error {
    Error::new(ErrorKind::ActionRequestValidation, format!("Validation Failed: {faults}"))
}
