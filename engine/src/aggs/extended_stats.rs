//! extended_stats: stats, and how far values lie from their mean.

use super::format::Format;
use super::kind::{Aggregator, Kind};
use super::metric::{MetricAggregator, State, no_such_value};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::stats::{Stats, render_stats};
use crate::error::{Error, Result};
use crate::json::{Map, Writer};
use crate::query::ShardContext;

const SIGMA_DEFAULT: f64 = 2.0;

#[derive(Debug)]
struct Extended {
    source: SourceConfig,
    /// How many standard deviations the bounds lie from the mean.
    sigma: f64,
}

/// Stats of the values, and of their squares.
#[derive(Debug, Clone)]
pub struct ExtendedStats {
    pub(crate) stats: Stats,
    squares: Stats,
}

impl ExtendedStats {
    pub(crate) fn new(format: Format) -> Self {
        Self { stats: Stats::new(format), squares: Stats::new(Format::Raw) }
    }

    pub(crate) fn add_value(&mut self, value: f64) {
        self.stats.add(value);
        self.squares.add(value * value);
    }

    /// Sums that were reckoned otherwise than [`Self::add_value`] does.
    pub(crate) fn with_sums(mut self, sum: f64, squares: f64) -> Self {
        (self.stats.sum, self.squares.sum) = (sum, squares);
        self
    }

    fn merge(&mut self, other: &Self) {
        self.stats.merge(&other.stats);
        self.squares.merge(&other.squares);
    }

    /// The mean square of the distances from the mean, of so many degrees of freedom less than there are values.
    fn variance(&self, fewer: f64) -> f64 {
        let (n, sum) = (self.stats.count as f64, self.stats.sum);
        let variance = (self.squares.sum - (sum * sum) / n) / (n - fewer);
        if variance < 0.0 { 0.0 } else { variance }
    }

    fn deviation(&self, fewer: f64) -> f64 {
        self.variance(fewer).sqrt()
    }

    fn bound(&self, sigma: f64, fewer: f64) -> f64 {
        self.stats.avg() + self.deviation(fewer) * sigma
    }

    /// The metric that `property` names, by the names of the answer and of the bounds.
    pub(crate) fn metric(&self, property: &str, sigma: f64) -> Option<f64> {
        Some(match property {
            "count" => self.stats.count as f64,
            "min" => self.stats.ends().0,
            "max" => self.stats.ends().1,
            "avg" => self.stats.avg(),
            "sum" => self.stats.sum,
            "sum_of_squares" => self.squares.sum,
            "variance" | "variance_population" => self.variance(0.0),
            "variance_sampling" => self.variance(1.0),
            "std_deviation" | "std_deviation_population" => self.deviation(0.0),
            "std_deviation_sampling" => self.deviation(1.0),
            "std_upper" | "std_upper_population" => self.bound(sigma, 0.0),
            "std_lower" | "std_lower_population" => self.bound(-sigma, 0.0),
            "std_upper_sampling" => self.bound(sigma, 1.0),
            "std_lower_sampling" => self.bound(-sigma, 1.0),
            _ => return None,
        })
    }
}

impl State for ExtendedStats {
    fn add(&mut self, value: f64) -> Result<()> {
        self.add_value(value);
        Ok(())
    }

    fn into_partial(self) -> Partial {
        Partial::ExtendedStats(Box::new(self))
    }
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = Extended { source: SourceConfig::default(), sigma: SIGMA_DEFAULT };
    for entry in &map.entries {
        match entry.key.as_str() {
            "sigma" => {
                kind.sigma = cx.float(entry)?;
                if kind.sigma < 0.0 {
                    let refusal = format!(
                        "[sigma] must be greater than or equal to 0. Found [{:?}] in [{}]",
                        kind.sigma, cx.name
                    );
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
            }
            _ if kind.source.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, &[&["sigma"], SourceConfig::FIELDS].concat())),
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

const SQUARES: [&str; 7] = [
    "sum_of_squares",
    "variance",
    "variance_population",
    "variance_sampling",
    "std_deviation",
    "std_deviation_population",
    "std_deviation_sampling",
];

const BOUNDS: [(&str, &str); 6] = [
    ("upper", "std_upper"),
    ("lower", "std_lower"),
    ("upper_population", "std_upper_population"),
    ("lower_population", "std_lower_population"),
    ("upper_sampling", "std_upper_sampling"),
    ("lower_sampling", "std_lower_sampling"),
];

/// Writes all fields of the answer.
pub(crate) fn render_extended(stats: &ExtendedStats, sigma: f64, w: &mut Writer) {
    render_stats(&stats.stats, w);
    let value = |name: &str| stats.metric(name, sigma).filter(|_| stats.stats.count > 0);
    let write = |value: Option<f64>, w: &mut Writer| {
        let _: &mut Writer = match value {
            Some(value) => w.f64(value),
            None => w.null(),
        };
    };
    for name in SQUARES {
        w.key(name);
        write(value(name), w);
    }
    w.key("std_deviation_bounds").begin_object();
    for (shown, name) in BOUNDS {
        w.key(shown);
        write(value(name), w);
    }
    w.end_object();
    let text = |name: &str| value(name).and_then(|v| stats.stats.format.text(v));
    if text("sum_of_squares").is_none() {
        return;
    }
    for name in SQUARES {
        match text(name).filter(|_| name.starts_with("std_deviation")) {
            Some(text) => _ = w.key(&format!("{name}_as_string")).string(&text),
            None => stats.stats.format.write_as_string(name, value(name).unwrap_or(f64::NAN), w),
        }
    }
    w.key("std_deviation_bounds_as_string").begin_object();
    for (shown, name) in BOUNDS {
        w.key(shown).string(&text(name).unwrap_or_default());
    }
    w.end_object();
}

impl Kind for Extended {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let fresh = ExtendedStats::new(source.format().clone());
        Ok(Box::new(MetricAggregator::new(source, fresh)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::ExtendedStats(Box::new(ExtendedStats::new(Format::Unsaid)))
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole = ExtendedStats::new(Format::Unsaid);
        for part in parts {
            let Partial::ExtendedStats(part) = part else { return Err(mismatch()) };
            whole.merge(&part);
        }
        Ok(Partial::ExtendedStats(Box::new(whole)))
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::ExtendedStats(stats) = partial else { return Err(mismatch()) };
        render_extended(stats, self.sigma, w);
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "extended_stats"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        let Partial::ExtendedStats(stats) = partial else { return None };
        stats.metric(property?, self.sigma)
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        let empty = ExtendedStats::new(Format::Raw);
        match property {
            Some(metric) if empty.metric(metric, self.sigma).is_some() => Ok(()),
            _ => Err(no_such_value(name, property)),
        }
    }
}
