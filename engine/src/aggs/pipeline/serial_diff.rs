//! serial_diff: in each bucket the difference to the value some buckets before.

use super::path::{GapPolicy, Path};
use super::table::{Parameters, Parent, Work, for_each_bucket};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::Partial;
use crate::error::Result;
use crate::json::Entry;
use std::collections::VecDeque;

#[derive(Debug)]
struct SerialDiff {
    lag: usize,
    format: Format,
    gap: GapPolicy,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    let lag = parameters.take("lag").map_or(Ok(1), |entry| lag(parameters, entry))?;
    parameters.need_path()?;
    Ok(Work::Parent(Box::new(SerialDiff { lag, format: parameters.format.clone(), gap: parameters.gap })))
}

/// How many buckets before.
pub(super) fn lag(parameters: &Parameters<'_>, entry: &Entry) -> Result<usize> {
    let given = parameters.integer(entry)?;
    usize::try_from(given).ok().filter(|lag| *lag > 0).ok_or_else(|| {
        let name = parameters.name;
        let reason =
            format!("Lag must be a positive, non-zero integer.  Value supplied was{given} in [{name}]: [lag].");
        parameters.error(entry, reason)
    })
}

impl Parent for SerialDiff {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let mut before: VecDeque<f64> = VecDeque::new();
        for_each_bucket(paths, self.gap, agg, partial, |value, _, _| {
            let value = value.unwrap_or(f64::NAN);
            let lagging = if before.len() == self.lag { before.pop_front() } else { None };
            before.push_back(value);
            let difference = value - lagging?;
            (!difference.is_nan()).then(|| PipelineValue::simple(difference, &self.format))
        })
    }
}
