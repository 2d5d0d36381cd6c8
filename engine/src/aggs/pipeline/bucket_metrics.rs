//! avg_bucket, max_bucket, min_bucket, sum_bucket, stats_bucket and extended_stats_bucket: metrics over the values of buckets.

use super::path::GapPolicy;
use super::table::{Parameters, Sibling, Work};
use super::value::PipelineValue;
use crate::aggs::extended_stats::ExtendedStats;
use crate::aggs::format::Format;
use crate::error::{Error, Result};
use crate::json::Value;

#[derive(Debug, Clone, Copy)]
enum Show {
    Avg,
    Max,
    Min,
    Sum,
    Stats,
    /// With its sigma.
    Extended(f64),
}

#[derive(Debug)]
struct BucketMetrics {
    show: Show,
    format: Format,
    gap: GapPolicy,
}

pub(crate) fn parse_avg(parameters: &mut Parameters<'_>) -> Result<Work> {
    parse(parameters, Show::Avg)
}
pub(crate) fn parse_max(parameters: &mut Parameters<'_>) -> Result<Work> {
    parse(parameters, Show::Max)
}
pub(crate) fn parse_min(parameters: &mut Parameters<'_>) -> Result<Work> {
    parse(parameters, Show::Min)
}
pub(crate) fn parse_sum(parameters: &mut Parameters<'_>) -> Result<Work> {
    parse(parameters, Show::Sum)
}
pub(crate) fn parse_stats(parameters: &mut Parameters<'_>) -> Result<Work> {
    parse(parameters, Show::Stats)
}

pub(crate) fn parse_extended(parameters: &mut Parameters<'_>) -> Result<Work> {
    let mut sigma = 2.0;
    if let Some(entry) = parameters.take("sigma") {
        sigma = match &entry.value {
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            _ => return Err(parameters.wrong_type(entry)),
        };
        if sigma < 0.0 {
            return Err(Error::illegal_argument("sigma must be a non-negative double"));
        }
    }
    parse(parameters, Show::Extended(sigma))
}

fn parse(parameters: &mut Parameters<'_>, show: Show) -> Result<Work> {
    parameters.need_path()?;
    Ok(Work::Sibling(Box::new(BucketMetrics { show, format: parameters.format.clone(), gap: parameters.gap })))
}

impl Sibling for BucketMetrics {
    fn compute(&self, values: Vec<(String, f64)>) -> PipelineValue {
        let mut stats = ExtendedStats::new(self.format.clone());
        values.iter().for_each(|(_, value)| stats.add_value(*value));
        // The reference sums these plainly, where its metrics over documents compensate.
        // Of nothing, too, it is a zero without a sign.
        let sum = values.iter().fold(0.0, |sum, (_, value)| sum + value);
        let stats = stats.with_sums(sum, values.iter().fold(0.0, |sum, (_, value)| sum + value * value));
        let plain = &stats.stats;
        match self.show {
            Show::Avg => {
                let avg = if values.is_empty() { f64::NAN } else { sum / values.len() as f64 };
                PipelineValue::simple(avg, &self.format)
            }
            Show::Sum => PipelineValue::simple(sum, &self.format),
            Show::Max => self.keyed(&values, plain.max),
            Show::Min => self.keyed(&values, plain.min),
            Show::Stats => PipelineValue::Stats(stats.stats),
            Show::Extended(sigma) => PipelineValue::Extended(Box::new(stats), sigma),
        }
    }

    fn gap(&self) -> GapPolicy {
        self.gap
    }
}

impl BucketMetrics {
    fn keyed(&self, values: &[(String, f64)], value: f64) -> PipelineValue {
        let keys = values.iter().filter(|(_, v)| *v == value).map(|(key, _)| key.clone()).collect();
        PipelineValue::Keyed { value, keys, format: self.format.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_summed_plainly() {
        let metrics = BucketMetrics { show: Show::Extended(2.0), format: Format::Raw, gap: GapPolicy::Skip };
        let PipelineValue::Extended(stats, _) = metrics.compute(vec![(String::new(), 0.1); 10]) else { panic!() };
        assert_eq!(stats.stats.sum, 0.999_999_999_999_999_9);
        assert_eq!(stats.metric("sum_of_squares", 2.0), Some((0..10).fold(0.0, |sum, _| sum + 0.1 * 0.1)));
    }
}
