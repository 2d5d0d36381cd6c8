//! moving_fn: in each bucket what a script makes of the values of the buckets before it.

use super::path::{GapPolicy, Path, bucket_values};
use super::table::{Parameters, Parent, Work};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::Partial;
use crate::error::{Error, ErrorKind, Result};
use crate::script::{Script, Windows};
use std::sync::Arc;

#[derive(Debug)]
struct MovingFn {
    script: Arc<Script>,
    window: i64,
    /// By how many buckets the window is moved towards the end.
    shift: i64,
    format: Format,
    gap: GapPolicy,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    let required = |name: &str| Error::illegal_argument(format!("Required [{name}]"));
    let window = parameters.take("window").map(|entry| parameters.integer(entry)).transpose()?;
    let shift = parameters.take("shift").map(|entry| parameters.integer(entry)).transpose()?;
    if parameters.paths.is_empty() {
        return Err(required("buckets_path"));
    }
    let script = parameters.need_script()?;
    let window = window.ok_or_else(|| required("window"))?;
    if window <= 0 {
        let refusal = Error::illegal_argument("[window] must be a positive, non-zero integer.");
        let built = "Failed to build [moving_fn] after last required field arrived";
        let cause = Error::new(ErrorKind::XContentParse, built).caused_by(refusal);
        let last = parameters.last_required.expect("the window is one of the required");
        return Err(parameters.failed_at(last, last.value_pos, cause));
    }
    let (format, gap) = (parameters.format.clone(), parameters.gap);
    Ok(Work::Parent(Box::new(MovingFn { script, window, shift: shift.unwrap_or(0), format, gap })))
}

impl Parent for MovingFn {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let Some(path) = paths.first() else { return Ok(()) };
        let mut windows = Windows::new(&self.script)?;
        let numbers = bucket_values(agg, partial, path, self.gap)?;
        let values: Vec<f64> = numbers.iter().copied().filter(|number| !number.is_nan()).collect();
        let clamp = |at: i64| at.clamp(0, values.len() as i64) as usize;
        let mut at = 0i64;
        for (bucket, number) in partial.buckets_mut().into_iter().zip(numbers) {
            // Gaps have no result and no place in windows.
            if number.is_nan() {
                bucket.subs.push(Partial::None);
                continue;
            }
            let to = at.saturating_add(self.shift);
            let from = clamp(to.saturating_sub(self.window));
            let result = windows.number(&values[from..clamp(to).max(from)])?;
            bucket.subs.push(Partial::Pipeline(PipelineValue::simple(result, &self.format)));
            at += 1;
        }
        Ok(())
    }
}
