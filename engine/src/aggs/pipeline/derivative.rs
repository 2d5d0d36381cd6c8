//! derivative: in each bucket the difference to the value of the bucket before, on request per unit of time.

use super::path::{GapPolicy, Path};
use super::table::{Parameters, Parent, Work, for_each_bucket};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::Partial;
use crate::aggs::rounding::Unit;
use crate::error::Result;
use crate::query::time_value_ms;

#[derive(Debug)]
struct Derivative {
    /// What cannot be read as one is told when the values are there.
    unit_ms: Option<Result<f64>>,
    format: Format,
    gap: GapPolicy,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    let mut unit_ms = None;
    if let Some(entry) = parameters.take("unit") {
        let text = parameters.text(entry)?;
        unit_ms = Some(match Unit::parse(text) {
            Some(unit) => Ok(unit.length_ms() as f64),
            None => time_value_ms(text, "DerivativePipelineAggregationBuilder.unit").map(|ms| ms as f64),
        });
    }
    parameters.need_path()?;
    Ok(Work::Parent(Box::new(Derivative { unit_ms, format: parameters.format.clone(), gap: parameters.gap })))
}

impl Parent for Derivative {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let unit_ms = self.unit_ms.clone().transpose()?;
        let mut last: Option<(Option<f64>, f64)> = None;
        for_each_bucket(paths, self.gap, agg, partial, |value, key, _| {
            let (before, key_before) = last.replace((value, key))?;
            let difference = value? - before?;
            // Of keys that go down nothing is said by the unit.
            let units = unit_ms.map(|unit_ms| (key - key_before) / unit_ms).filter(|units| *units > 0.0);
            let normalized = units.map(|units| difference / units);
            Some(PipelineValue::Simple { value: difference, format: self.format.clone(), normalized, derivative: true })
        })
    }
}
