//! `MovingFunctions`: what `moving_fn` scripts call with a window of values.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal};
use super::super::value::{Array, Value};
use super::args::{array, boolean, double, int, unexpected};

/// The numbers of a window; gaps are passed over.
fn window(value: &Value) -> Result<Vec<f64>, Failed> {
    match &*array(value)?.borrow() {
        Array::Double(values) => Ok(values.iter().copied().filter(|v| !v.is_nan()).collect()),
        _ => Err(unexpected(value)),
    }
}

fn result(value: Option<f64>) -> Outcome {
    Ok(Value::Double(value.unwrap_or(f64::NAN)))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn linear(values: &[f64]) -> Option<f64> {
    // The reference begins to add the weights up at one.
    let (mut sum, mut weights) = (0.0, 1.0);
    for (i, value) in values.iter().enumerate() {
        sum += value * (i + 1) as f64;
        weights += (i + 1) as f64;
    }
    (!values.is_empty()).then(|| sum / weights)
}

fn ewma(values: &[f64], alpha: f64) -> Option<f64> {
    values.iter().copied().reduce(|average, value| value * alpha + average * (1.0 - alpha))
}

fn holt(values: &[f64], alpha: f64, beta: f64) -> Option<f64> {
    let (first, rest) = values.split_first()?;
    let (mut s, mut b) = (*first, 0.0);
    for value in rest {
        let last_s = s;
        s = alpha * value + (1.0 - alpha) * (s + b);
        b = beta * (s - last_s) + (1.0 - beta) * b;
    }
    Some(s)
}

/// What keeps factors of seasons from being divided by zero.
pub const HOLT_WINTERS_PADDING: f64 = 1e-10;

/// So many values that come after these, by three smoothing factors. Seasons are factors where `multiply` says what to add
/// to each value, so that none is zero.
pub fn holt_winters_ahead(
    values: &[f64],
    (alpha, beta, gamma): (f64, f64, f64),
    period: usize,
    multiply: Option<f64>,
    ahead: usize,
) -> Result<Vec<f64>, Failed> {
    if values.is_empty() {
        return Ok(vec![f64::NAN; ahead]);
    }
    if period == 0 || values.len() < period * 2 {
        return Err(illegal(format!(
            "Holt-Winters aggregation requires at least (2 * period == 2 * {period} == {}) data-points to function.  Only [{}] were provided.",
            period * 2,
            values.len()
        )));
    }
    let values: Vec<f64> = values.iter().map(|v| v + multiply.unwrap_or(0.0)).collect();
    let multiply = multiply.is_some();
    let mut s = values[..period].iter().sum::<f64>() / period as f64;
    let mut season: Vec<f64> = values.iter().map(|_| 0.0).collect();
    if s != 0.0 {
        (0..period).for_each(|i| season[i] = values[i] / s);
    }
    // The reference reckons a first trend from two seasons, and then begins without one.
    let (mut last_s, mut b, mut last_b) = (s, 0.0, 0.0);
    for i in period..values.len() {
        let before = season[i - period];
        s = if multiply {
            alpha * (values[i] / before) + (1.0 - alpha) * (last_s + last_b)
        } else {
            alpha * (values[i] - before) + (1.0 - alpha) * (last_s + last_b)
        };
        b = beta * (s - last_s) + (1.0 - beta) * last_b;
        season[i] = if multiply {
            gamma * (values[i] / (last_s + last_b)) + (1.0 - gamma) * before
        } else {
            gamma * (values[i] - (last_s - last_b)) + (1.0 - gamma) * before
        };
        (last_s, last_b) = (s, b);
    }
    let next = |i: usize| {
        let seasonal = season[values.len() - period + (i - 1) % period];
        let level = s + i as f64 * b;
        if multiply { level * seasonal } else { level + seasonal }
    };
    Ok((1..=ahead).map(next).collect())
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "org.opensearch.search.aggregations.pipeline.MovingFunctions",
    &[],
    &[
        Row("static double max(double[])", |_, a| result(window(&a[0])?.into_iter().reduce(f64::max))),
        Row("static double min(double[])", |_, a| result(window(&a[0])?.into_iter().reduce(f64::min))),
        // The sum of no floats is -0.0 in Rust, and 0.0 here.
        Row("static double sum(double[])", |_, a| Ok(Value::Double(window(&a[0])?.iter().sum::<f64>() + 0.0))),
        Row("static double unweightedAvg(double[])", |_, a| result(mean(&window(&a[0])?))),
        Row("static double linearWeightedAvg(double[])", |_, a| result(linear(&window(&a[0])?))),
        Row("static double stdDev(double[],double)", |_, a| {
            let (values, average) = (window(&a[0])?, double(&a[1])?);
            let squares: f64 = values.iter().map(|v| (v - average).powi(2)).sum();
            result((!values.is_empty()).then(|| (squares / values.len() as f64).sqrt()))
        }),
        Row("static double ewma(double[],double)", |_, a| result(ewma(&window(&a[0])?, double(&a[1])?))),
        Row("static double holt(double[],double,double)", |_, a| {
            result(holt(&window(&a[0])?, double(&a[1])?, double(&a[2])?))
        }),
        Row("static double holtWinters(double[],double,double,double,int,boolean)", |_, a| {
            let smooth = (double(&a[1])?, double(&a[2])?, double(&a[3])?);
            let period = usize::try_from(int(&a[4])?).unwrap_or(0);
            let multiply = boolean(&a[5])?.then_some(HOLT_WINTERS_PADDING);
            let next = holt_winters_ahead(&window(&a[0])?, smooth, period, multiply, 1)?;
            result(next.first().copied())
        }),
    ],
)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_begin_at_one() {
        assert_eq!((linear(&[50.0]), linear(&[50.0, 58.0]), linear(&[])), (Some(25.0), Some(41.5), None));
    }

    #[test]
    fn seasons_begin_without_a_trend() {
        let ahead = |values: &[f64], multiply| {
            let next = holt_winters_ahead(values, (0.3, 0.1, 0.2), 2, multiply, 1);
            next.map_err(|failed| failed.message.unwrap_or_default())
        };
        assert_eq!(ahead(&[10.0, 20.0, 30.0, 40.0], None), Ok(vec![29.942433333333327]));
        assert_eq!(ahead(&[4000.0, 3000.0, 2500.0, 1000.0, 600.0], None), Ok(vec![1346.9282434285712]));
        let padded = Some(HOLT_WINTERS_PADDING);
        assert_eq!(ahead(&[5.0, 9.0, 6.0, 10.0, 7.0, 12.0, 9.0, 13.0], padded), Ok(vec![8.299249304750571]));
        let refused = "Holt-Winters aggregation requires at least (2 * period == 2 * 2 == 4) data-points to function.  Only [3] were provided.";
        assert_eq!(ahead(&[95.0, 218.0, 51.0], None), Err(refused.to_owned()));
    }

    #[test]
    fn trends_begin_flat() {
        assert_eq!(holt(&[10.0, 20.0, 40.0], 0.5, 0.5), Some(28.75));
        assert_eq!(holt(&[3.0], 0.5, 0.5), Some(3.0));
        assert_eq!(holt(&[], 0.5, 0.5), None);
    }
}
