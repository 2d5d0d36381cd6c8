//! cumulative_sum: in each bucket the sum of the values so far.

use super::path::{GapPolicy, Path};
use super::table::{Parameters, Parent, Work, for_each_bucket};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::Partial;
use crate::error::Result;

#[derive(Debug)]
struct CumulativeSum {
    format: Format,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    parameters.need_path()?;
    Ok(Work::Parent(Box::new(CumulativeSum { format: parameters.format.clone() })))
}

impl Parent for CumulativeSum {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let mut sum = 0.0;
        // A bucket without a value adds nothing, whatever the policy for gaps.
        for_each_bucket(paths, GapPolicy::InsertZeros, agg, partial, |value, _, _| {
            sum += value.unwrap_or_default();
            Some(PipelineValue::simple(sum, &self.format))
        })
    }
}
