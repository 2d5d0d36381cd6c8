//! percentiles_bucket: exact percentiles over the values of buckets, each the value of a bucket.

use super::path::GapPolicy;
use super::table::{Parameters, Sibling, Work};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::parse_java_f64;

#[derive(Debug)]
struct BucketPercentiles {
    percents: Vec<f64>,
    keyed: bool,
    format: Format,
    gap: GapPolicy,
}

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    let mut percents = vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0];
    if let Some(entry) = parameters.take("percents") {
        let refuse = || Error::illegal_argument("percents must only contain non-null doubles from 0.0-100.0 inclusive");
        let Value::Array(items) = &entry.value else { return Err(parameters.wrong_type(entry)) };
        let percent = |item: &Value| {
            let number = match item {
                Value::String(text) => Some(parse_java_f64(text)?),
                other => other.as_f64(),
            };
            number.filter(|p| (0.0..=100.0).contains(p)).ok_or_else(refuse)
        };
        percents = items.iter().map(percent).collect::<Result<_>>()?;
        percents.sort_by(f64::total_cmp);
    }
    let mut keyed = true;
    if let Some(entry) = parameters.take("keyed") {
        let Value::Bool(flag) = entry.value else { return Err(parameters.wrong_type(entry)) };
        keyed = flag;
    }
    parameters.need_path()?;
    Ok(Work::Sibling(Box::new(BucketPercentiles {
        percents,
        keyed,
        format: parameters.format.clone(),
        gap: parameters.gap,
    })))
}

impl Sibling for BucketPercentiles {
    fn compute(&self, values: Vec<(String, f64)>) -> PipelineValue {
        let mut sorted: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |percent: f64| {
            let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
            // The nearest bucket; halves are rounded up.
            sorted[((percent / 100.0 * last as f64 + 0.5).floor() as usize).min(last)]
        };
        PipelineValue::Percentiles {
            values: self.percents.iter().map(|p| (*p, at(*p))).collect(),
            keyed: self.keyed,
            format: self.format.clone(),
        }
    }

    fn gap(&self) -> GapPolicy {
        self.gap
    }
}
