//! percentiles_bucket: exact percentiles over the values of buckets, each the value of a bucket.

use super::path::GapPolicy;
use super::table::{Parameters, Sibling, Work};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::{Node, Source};

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
        if !matches!(entry.value, Value::Array(_)) {
            return Err(parameters.wrong_type(entry));
        }
        percents = Node::of_entry(entry, &Source::new(parameters.body))
            .items()
            .map(|item| item.f64())
            .collect::<Result<_>>()?;
        percents.sort_by(f64::total_cmp);
    }
    let mut keyed = true;
    if let Some(entry) = parameters.take("keyed") {
        let Value::Bool(flag) = entry.value else { return Err(parameters.wrong_type(entry)) };
        keyed = flag;
    }
    parameters.need_path()?;
    if !percents.iter().all(|percent| (0.0..=100.0).contains(percent)) {
        return Err(Error::illegal_argument("percents must only contain non-null doubles from 0.0-100.0 inclusive"));
    }
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
