//! bucket_script: a number that a script makes of others of its bucket; bucket_selector: the buckets that a script keeps.

use super::path::{GapPolicy, Path, bucket_value};
use super::table::{Parameters, Parent, Work};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::Partial;
use crate::error::Result;
use crate::pace::check_wanted;
use crate::script::context::{AGGREGATION_SELECTOR, BUCKET_AGGREGATION};
use crate::script::{Script, keeps, number_of};
use std::sync::Arc;

/// What both have.
#[derive(Debug)]
struct Scripted {
    script: Arc<Script>,
    /// The variables that the paths are for.
    names: Vec<String>,
    gap: GapPolicy,
}

#[derive(Debug)]
struct BucketScript {
    scripted: Scripted,
    format: Format,
}

#[derive(Debug)]
struct BucketSelector(Scripted);

pub(crate) fn parse_script(parameters: &mut Parameters<'_>) -> Result<Work> {
    let scripted = parse(parameters)?;
    Ok(Work::Parent(Box::new(BucketScript { scripted, format: parameters.format.clone() })))
}

pub(crate) fn parse_selector(parameters: &mut Parameters<'_>) -> Result<Work> {
    parameters.need_path()?;
    Ok(Work::Parent(Box::new(BucketSelector(parse(parameters)?))))
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Scripted> {
    let script = parameters.need_script()?;
    Ok(Scripted { script, names: std::mem::take(&mut parameters.path_names), gap: parameters.gap })
}

/// The numbers of a bucket under the names of their variables; null where it does not have what a path names.
type Named<'a> = Vec<(&'a str, Option<f64>)>;

impl Scripted {
    /// The numbers of each bucket.
    fn numbers(&self, paths: &[Path], agg: &Agg, partial: &Partial) -> Result<Vec<Named<'_>>> {
        let buckets = partial.buckets().into_iter().enumerate();
        let of_bucket = buckets.map(|(i, bucket)| {
            let key = partial.key_number(i);
            let named = self.names.iter().zip(paths);
            named
                .map(|(name, path)| Ok((name.as_str(), bucket_value(agg, bucket, key, &path.names, self.gap)?)))
                .collect()
        });
        of_bucket.collect()
    }
}

impl Parent for BucketScript {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        // It is compiled whatever there is.
        self.scripted.script.program(&BUCKET_AGGREGATION)?;
        let mut results = vec![];
        for numbers in self.scripted.numbers(paths, agg, partial)? {
            check_wanted()?;
            // A bucket that lacks one of the numbers is passed over.
            let gap = self.scripted.gap == GapPolicy::Skip
                && numbers.iter().any(|(_, number)| number.is_none_or(f64::is_nan));
            results.push(if gap { None } else { number_of(&self.scripted.script, &numbers)? });
        }
        for (bucket, number) in partial.buckets_mut().into_iter().zip(results) {
            let value = number.map(|number| PipelineValue::simple(number, &self.format));
            bucket.subs.push(value.map_or(Partial::None, Partial::Pipeline));
        }
        Ok(())
    }

    fn needs_histogram(&self) -> bool {
        false
    }
}

impl Parent for BucketSelector {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        self.0.script.program(&AGGREGATION_SELECTOR)?;
        let mut kept = vec![];
        for (i, numbers) in self.0.numbers(paths, agg, partial)?.into_iter().enumerate() {
            check_wanted()?;
            if keeps(&self.0.script, &numbers)? {
                kept.push(i);
            }
        }
        partial.keep(&kept);
        partial.buckets_mut().into_iter().for_each(|bucket| bucket.subs.push(Partial::None));
        Ok(())
    }

    fn needs_histogram(&self) -> bool {
        false
    }
}
