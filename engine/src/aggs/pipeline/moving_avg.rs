//! moving_avg: in each bucket an average of the values of the buckets before it, by one of five models, and predictions behind
//! the last bucket.

use super::check::invalid;
use super::path::{GapPolicy, Path, bucket_values};
use super::table::{Parameters, Parent, Work};
use super::value::PipelineValue;
use crate::aggs::format::Format;
use crate::aggs::parse::Agg;
use crate::aggs::partial::{Bucket, Partial};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::sort_by_slot;
use crate::json::{Entry, Map, Value, java_simple_class, java_text};
use crate::script::{HOLT_WINTERS_PADDING, holt_winters_ahead};
use std::collections::VecDeque;

#[derive(Debug)]
struct MovingAvg {
    model: Model,
    window: usize,
    /// Buckets to predict.
    predict: usize,
    format: Format,
    gap: GapPolicy,
}

#[derive(Debug, Clone, Copy)]
enum Model {
    Simple,
    Linear,
    Ewma { alpha: f64 },
    Holt { alpha: f64, beta: f64 },
    HoltWinters { smooth: (f64, f64, f64), period: usize, multiply: Option<f64> },
}

const WINDOW_DEFAULT: usize = 5;
/// Predictions that one answer may hold.
const PREDICT_MAX: usize = 10_000;

pub(crate) fn parse(parameters: &mut Parameters<'_>) -> Result<Work> {
    note("The moving_avg aggregation has been deprecated in favor of the moving_fn aggregation.");
    let name = parameters.name;
    let window = parameters.take("window").map_or(Ok(WINDOW_DEFAULT), |entry| window(parameters, entry))?;
    let predict = parameters.take("predict").map_or(Ok(0), |entry| predict(parameters, entry))?;
    let settings = parameters.take("settings");
    let named = parameters.take("model");
    let minimize = match parameters.take("minimize") {
        Some(entry) => entry.value.as_bool().ok_or_else(|| parameters.wrong_type(entry))?,
        None => false,
    };
    let kind = named.map_or(Ok("simple"), |entry| parameters.text(entry))?.to_owned();
    parameters.need_path()?;
    let model = match settings {
        Some(entry) if named.is_some() => {
            let Value::Object(map) = &entry.value else { return Err(parameters.wrong_type(entry)) };
            model(&kind, Some(map)).map_err(|cause| match cause.kind() {
                ErrorKind::Parse if !cause.reason().starts_with("failed to parse seasonality") => {
                    // What Java's parser of texts says is no root.
                    let reason = format!("Could not parse settings for model [{kind}].");
                    let error = parameters.error_at(parameters.end, reason);
                    error.clone().caused_by(cause).with_root_causes(vec![error])
                }
                _ => cause,
            })?
        }
        _ => model(&kind, None)?,
    };
    let Some(model) = model else {
        return Err(parameters.error_at(parameters.end, format!("no [moving_avg_model] registered for [{kind}]")));
    };
    if let Model::HoltWinters { period, .. } = model
        && window < 2 * period
    {
        return Err(Error::illegal_argument(format!(
            "Field [window] must be at least twice as large as the period when using Holt-Winters.  Value provided was [{window}], which is less than (2*period) == {}",
            2 * period
        )));
    }
    let class = match model {
        Model::Simple => Some("SimpleModel"),
        Model::Linear => Some("LinearModel"),
        _ => None,
    };
    if let Some(class) = class.filter(|_| minimize) {
        return Err(invalid(format!(
            "The [org.opensearch.search.aggregations.pipeline.{class}@0] model cannot be minimized for aggregation [{name}]"
        )));
    }
    if minimize {
        return Err(Error::illegal_argument(format!("[minimize] of [moving_avg] is not supported in [{name}]")));
    }
    let (format, gap) = (parameters.format.clone(), parameters.gap);
    Ok(Work::Parent(Box::new(MovingAvg { model, window, predict, format, gap })))
}

pub(super) fn window(parameters: &Parameters<'_>, entry: &Entry) -> Result<usize> {
    usize::try_from(parameters.integer(entry)?).ok().filter(|window| *window > 0).ok_or_else(|| {
        let name = parameters.name;
        let reason =
            format!("[window] value must be a positive, non-zero integer.  Value supplied was [null] in [{name}].");
        parameters.error(entry, reason)
    })
}

pub(super) fn predict(parameters: &Parameters<'_>, entry: &Entry) -> Result<usize> {
    let number = parameters.integer(entry)?;
    usize::try_from(number).ok().filter(|number| (1..=PREDICT_MAX).contains(number)).ok_or_else(|| {
        let name = parameters.name;
        let reason = format!("[predict] value must be a positive integer.  Value supplied was [{number}] in [{name}].");
        parameters.error(entry, reason)
    })
}

/// The model of this name with its settings; none if there is no such.
fn model(kind: &str, settings: Option<&Map>) -> Result<Option<Model>> {
    let mut settings = Settings { given: settings.into_iter().flat_map(Map::iter).collect() };
    let made = match kind {
        "simple" => Model::Simple,
        "linear" => Model::Linear,
        "ewma" => Model::Ewma { alpha: settings.share("alpha", 0.3)? },
        "holt" => Model::Holt { alpha: settings.share("alpha", 0.3)?, beta: settings.share("beta", 0.1)? },
        "holt_winters" => {
            let smooth = (settings.share("alpha", 0.3)?, settings.share("beta", 0.1)?, settings.share("gamma", 0.3)?);
            let period = settings.period()?;
            let multiply = settings.multiplies()?;
            let pad = settings.flag("pad", multiply)?;
            let multiply = multiply.then_some(if pad { HOLT_WINTERS_PADDING } else { 0.0 });
            Model::HoltWinters { smooth, period, multiply }
        }
        _ => return Ok(None),
    };
    settings.check_all_known().map(|()| Some(made))
}

/// The settings of a model that nobody has read yet. What is null is as if it were not there, and so is known to nobody.
struct Settings<'a> {
    given: Vec<(&'a str, &'a Value)>,
}

impl<'a> Settings<'a> {
    fn take(&mut self, name: &str) -> Option<&'a Value> {
        let at = self.given.iter().position(|(key, value)| *key == name && !value.is_null())?;
        Some(self.given.remove(at).1)
    }

    fn share(&mut self, name: &str, default: f64) -> Result<f64> {
        let Some(value) = self.take(name) else { return Ok(default) };
        let Some(number) = value.as_f64() else {
            return Err(refuse(format!(
                "Parameter [{name}] must be a double, type `{}` provided instead",
                java_simple_class(value)
            )));
        };
        let fits = (0.0..=1.0).contains(&number);
        fits.then_some(number).ok_or_else(|| {
            let shown = java_text(&Value::Float(number));
            refuse(format!("Parameter [{name}] must be between 0-1 inclusive.  Providedvalue was [{shown}]"))
        })
    }

    /// Fractions are cut off. The reference trips over periods that are not positive, or twice of which is no whole number of 32 bits.
    fn period(&mut self) -> Result<usize> {
        let Some(value) = self.take("period") else { return Ok(1) };
        let number = match value {
            Value::Int(number) => Some(*number),
            value => value.as_f64().map(|number| number as i64),
        };
        let Some(number) = number else {
            let class = java_simple_class(value);
            return Err(refuse(format!("Parameter [period] must be an integer, type `{class}` provided instead")));
        };
        usize::try_from(number)
            .ok()
            .filter(|period| (1..1 << 30).contains(period))
            .ok_or_else(|| refuse(format!("Parameter [period] must be a positive integer, not [{}]", java_text(value))))
    }

    fn multiplies(&mut self) -> Result<bool> {
        match self.take("type") {
            None => Ok(false),
            Some(Value::String(kind)) => match kind.as_str() {
                "add" => Ok(false),
                "mult" => Ok(true),
                _ => {
                    Err(refuse(format!("failed to parse seasonality type [{kind}]. accepted values are [[add, mult]]")))
                }
            },
            Some(other) => {
                let class = java_simple_class(other);
                Err(refuse(format!("Parameter [type] must be a String, type `{class}` provided instead")))
            }
        }
    }

    fn flag(&mut self, name: &str, default: bool) -> Result<bool> {
        match self.take(name) {
            None => Ok(default),
            Some(Value::Bool(value)) => Ok(*value),
            Some(other) => {
                let class = java_simple_class(other);
                Err(refuse(format!("Parameter [{name}] must be a boolean, type `{class}` provided instead")))
            }
        }
    }

    fn check_all_known(self) -> Result<()> {
        let mut strange: Vec<&str> = self.given.into_iter().map(|(key, _)| key).collect();
        if strange.is_empty() {
            return Ok(());
        }
        sort_by_slot(&mut strange, |key| key);
        Err(refuse(format!("Unrecognized parameter(s): [[{}]]", strange.join(", "))))
    }
}

#[cold]
fn refuse(reason: String) -> Error {
    Error::new(ErrorKind::Parse, reason)
}

impl Model {
    /// Whether so many values are enough.
    fn can_tell(self, values: usize) -> bool {
        match self {
            Self::HoltWinters { period, .. } => values >= 2 * period,
            _ => values > 0,
        }
    }

    /// The next values after those of the window.
    fn ahead(self, values: &[f64], count: usize) -> Result<Vec<f64>> {
        Ok(match self {
            Self::Simple => vec![values.iter().sum::<f64>() / values.len() as f64; count],
            Self::Linear => {
                let (mut sum, mut weights) = (0.0, 1.0);
                for (i, value) in values.iter().enumerate() {
                    sum += value * (i + 1) as f64;
                    weights += (i + 1) as f64;
                }
                vec![sum / weights; count]
            }
            Self::Ewma { alpha } => {
                let average = values.iter().copied().reduce(|average, value| value * alpha + average * (1.0 - alpha));
                vec![average.unwrap_or(f64::NAN); count]
            }
            Self::Holt { alpha, beta } => {
                let (mut level, mut trend) = (values.first().copied().unwrap_or(f64::NAN), 0.0);
                for value in values.iter().skip(1) {
                    let last = level;
                    level = alpha * value + (1.0 - alpha) * (last + trend);
                    trend = beta * (level - last) + (1.0 - beta) * trend;
                }
                (0..count).map(|i| level + i as f64 * trend).collect()
            }
            Self::HoltWinters { smooth, period, multiply } => {
                holt_winters_ahead(values, smooth, period, multiply, count)
                    .map_err(|failed| Error::illegal_argument(failed.message.unwrap_or_default()))?
            }
        })
    }
}

impl Parent for MovingAvg {
    fn apply(&self, paths: &[Path], agg: &Agg, partial: &mut Partial) -> Result<()> {
        let Some(path) = paths.first() else { return Ok(()) };
        let numbers = bucket_values(agg, partial, path, self.gap)?;
        let mut values: VecDeque<f64> = VecDeque::with_capacity(self.window.min(numbers.len()));
        let (mut last, mut results) = (0, Vec::with_capacity(numbers.len()));
        for (i, number) in numbers.iter().enumerate() {
            let told = !number.is_nan() && self.model.can_tell(values.len());
            let next = if told { self.model.ahead(values.make_contiguous(), 1)?.first().copied() } else { None };
            results.push(next);
            if number.is_nan() {
                continue;
            }
            last = i;
            if values.len() == self.window {
                values.pop_front();
            }
            values.push_back(*number);
        }
        let shown = |number: f64| Partial::Pipeline(PipelineValue::simple(number, &self.format));
        for (bucket, result) in partial.buckets_mut().into_iter().zip(results) {
            bucket.subs.push(result.map_or(Partial::None, shown));
        }
        let predicted = match (self.predict, values.is_empty()) {
            (0, _) => vec![],
            _ if numbers.is_empty() => vec![],
            // Of too few values the reference predicts nothing, and says so; of none it does not try.
            (count, true) => vec![f64::NAN; count],
            (count, false) => self.model.ahead(values.make_contiguous(), count)?,
        };
        let last = (last, values.is_empty());
        match partial {
            Partial::Histogram(histogram) => {
                go_on(&mut histogram.buckets, last, predicted, &|key| agg.kind.next_key(0, key), &shown);
            }
            Partial::AutoDate(dates) => {
                let level = dates.level();
                let of_dates = std::mem::take(&mut dates.buckets).into_iter();
                let mut buckets = of_dates.map(|(key, bucket)| (key as f64, bucket)).collect();
                go_on(&mut buckets, last, predicted, &|key| agg.kind.next_key(level, key), &shown);
                dates.buckets = buckets.into_iter().map(|(key, bucket)| (key as i64, bucket)).collect();
            }
            _ => {}
        }
        Ok(())
    }
}

/// Writes what is predicted behind the `last` bucket that has a value; where none has one, keys go on from zero.
fn go_on(
    buckets: &mut Vec<(f64, Bucket)>,
    (last, has_none): (usize, bool),
    predicted: Vec<f64>,
    next_key: &dyn Fn(f64) -> Option<f64>,
    shown: &dyn Fn(f64) -> Partial,
) {
    let mut key = buckets.get(last).filter(|_| !has_none).map_or(0.0, |(key, _)| *key);
    for (number, at) in predicted.into_iter().zip(last + 1..) {
        let Some(next) = next_key(key) else { break };
        key = next;
        match buckets.get_mut(at) {
            // A bucket behind the last value gets the key that the prediction is for.
            Some((own, bucket)) => {
                *own = key;
                bucket.subs.pop();
                bucket.subs.push(shown(number));
            }
            None => {
                let Some((_, bucket)) = buckets.last() else { break };
                let mut subs: Vec<Partial> = bucket.subs.iter().skip(1).map(|_| Partial::None).collect();
                subs.push(shown(number));
                buckets.push((key, Bucket { count: 0, subs }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_tell_what_comes_next() {
        let values = [35.0, 23.0, 28.0];
        let next = |kind: &str| model(kind, None).unwrap().unwrap().ahead(&values, 1).unwrap()[0];
        assert_eq!(next("simple"), 28.666666666666668);
        assert_eq!(next("linear"), 23.571428571428573);
        assert_eq!(next("ewma"), 30.379999999999995);
        assert_eq!(next("holt"), 30.128);
        let holt = Model::Holt { alpha: 0.5, beta: 0.7 };
        assert_eq!(holt.ahead(&[28.0, 182.0, 28.0, 29.0], 2).unwrap(), [65.26750000000001, 47.965250000000026]);
        assert!(model("foo", None).unwrap().is_none());
    }

    #[test]
    fn settings_are_read_by_their_types() {
        let refused = |kind: &str, settings: &str| {
            let settings = crate::json::parse(settings.as_bytes()).unwrap();
            model(kind, settings.as_object()).map(drop).unwrap_err().reason().to_owned()
        };
        for (kind, settings, reason) in [
            (
                "ewma",
                r#"{"alpha":2147483647}"#,
                "Parameter [alpha] must be between 0-1 inclusive.  Providedvalue was [2.147483647E9]",
            ),
            ("ewma", r#"{"alpha":[]}"#, "Parameter [alpha] must be a double, type `ArrayList` provided instead"),
            ("ewma", r#"{"alpha":null}"#, "Unrecognized parameter(s): [[alpha]]"),
            (
                "holt_winters",
                r#"{"period":"2"}"#,
                "Parameter [period] must be an integer, type `String` provided instead",
            ),
            ("holt_winters", r#"{"type":1}"#, "Parameter [type] must be a String, type `Integer` provided instead"),
            ("holt_winters", r#"{"pad":1}"#, "Parameter [pad] must be a boolean, type `Integer` provided instead"),
        ] {
            assert_eq!(refused(kind, settings), reason);
        }
        let settings = crate::json::parse(br#"{"period":2.9}"#).unwrap();
        let made = model("holt_winters", settings.as_object()).unwrap();
        assert!(matches!(made, Some(Model::HoltWinters { period: 2, .. })));
    }
}
