//! `Math`.

use super::super::class::{ClassRow, Row};
use super::super::error::Outcome;
use super::super::value::Value;
use super::args::{double, int};

/// `Math.max`: NaN wins, and zero over minus zero.
pub fn max(a: f64, b: f64) -> f64 {
    match (a.is_nan() || b.is_nan(), a == b) {
        (true, _) => f64::NAN,
        (_, true) if a == 0.0 => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        _ => a.max(b),
    }
}

pub fn min(a: f64, b: f64) -> f64 {
    match (a.is_nan() || b.is_nan(), a == b) {
        (true, _) => f64::NAN,
        (_, true) if a == 0.0 => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => a.min(b),
    }
}

/// `Math.pow`, which has one answer of its own.
fn pow(a: f64, b: f64) -> f64 {
    if a.abs() == 1.0 && (b.is_infinite() || b.is_nan()) || b.is_nan() { f64::NAN } else { a.powf(b) }
}

/// `Math.round`: halves go up.
pub fn round(value: f64) -> i64 {
    if value.is_nan() {
        return 0;
    }
    let floor = value.floor();
    let rounded = if value - floor >= 0.5 { floor + 1.0 } else { floor };
    rounded as i64
}

fn signum(value: f64) -> f64 {
    if value.is_nan() || value == 0.0 { value } else { value.signum() }
}

fn ulp(value: f64) -> f64 {
    let value = value.abs();
    match value {
        f64::MAX => value - value.next_down(),
        value if value.is_finite() => next_up(value) - value,
        other => other,
    }
}

fn next_up(value: f64) -> f64 {
    value.next_up()
}

/// What is left of `x` by the multiple of `y` that is nearest to it, the even one of two; exactly.
fn ieee_remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    let (y, mut left) = (y.abs(), x.abs());
    // The rest by twice the divisor tells whether the multiple is even.
    if y <= f64::MAX / 2.0 {
        left %= 2.0 * y;
    }
    if left > y - left {
        left -= y;
        if left >= y - left {
            left -= y;
        }
    }
    if x.is_sign_negative() { -left } else { left }
}

const D: fn(f64) -> Outcome = |v| Ok(Value::Double(v));

const ROWS: &[Row] = &[
    Row("static double E", |_, _| D(std::f64::consts::E)),
    Row("static double PI", |_, _| D(std::f64::consts::PI)),
    Row("static double IEEEremainder(double,double)", |_, a| {
        let (x, y) = (double(&a[0])?, double(&a[1])?);
        // Whatever is finite is nearest to none of what lies infinitely far.
        D(if x.is_finite() && y.is_infinite() { x } else { ieee_remainder(x, y) })
    }),
    Row("static double abs(double)", |_, a| D(double(&a[0])?.abs())),
    Row("static double acos(double)", |_, a| D(double(&a[0])?.acos())),
    Row("static double asin(double)", |_, a| D(double(&a[0])?.asin())),
    Row("static double atan(double)", |_, a| D(double(&a[0])?.atan())),
    Row("static double atan2(double,double)", |_, a| D(double(&a[0])?.atan2(double(&a[1])?))),
    Row("static double cbrt(double)", |_, a| D(double(&a[0])?.cbrt())),
    Row("static double ceil(double)", |_, a| D(double(&a[0])?.ceil())),
    Row("static double copySign(double,double)", |_, a| D(double(&a[0])?.copysign(double(&a[1])?))),
    Row("static double cos(double)", |_, a| D(double(&a[0])?.cos())),
    Row("static double cosh(double)", |_, a| D(double(&a[0])?.cosh())),
    Row("static double exp(double)", |_, a| D(double(&a[0])?.exp())),
    Row("static double expm1(double)", |_, a| D(double(&a[0])?.exp_m1())),
    Row("static double floor(double)", |_, a| D(double(&a[0])?.floor())),
    Row("static double hypot(double,double)", |_, a| D(double(&a[0])?.hypot(double(&a[1])?))),
    Row("static double log(double)", |_, a| D(double(&a[0])?.ln())),
    Row("static double log10(double)", |_, a| D(double(&a[0])?.log10())),
    Row("static double log1p(double)", |_, a| D(double(&a[0])?.ln_1p())),
    Row("static double max(double,double)", |_, a| D(max(double(&a[0])?, double(&a[1])?))),
    Row("static double min(double,double)", |_, a| D(min(double(&a[0])?, double(&a[1])?))),
    Row("static double nextAfter(double,double)", |_, a| {
        let (from, towards) = (double(&a[0])?, double(&a[1])?);
        D(match from.partial_cmp(&towards) {
            None => f64::NAN,
            Some(std::cmp::Ordering::Less) => next_up(from),
            Some(std::cmp::Ordering::Greater) => from.next_down(),
            Some(std::cmp::Ordering::Equal) => towards,
        })
    }),
    Row("static double nextDown(double)", |_, a| D(double(&a[0])?.next_down())),
    Row("static double nextUp(double)", |_, a| D(next_up(double(&a[0])?))),
    Row("static double pow(double,double)", |_, a| D(pow(double(&a[0])?, double(&a[1])?))),
    Row("static double random()", |vm, _| D(super::misc::next_double(vm))),
    Row("static double rint(double)", |_, a| D(double(&a[0])?.round_ties_even())),
    Row("static long round(double)", |_, a| Ok(Value::Long(round(double(&a[0])?)))),
    Row("static double scalb(double,int)", |_, a| D(double(&a[0])? * 2f64.powi(int(&a[1])?))),
    Row("static double signum(double)", |_, a| D(signum(double(&a[0])?))),
    Row("static double sin(double)", |_, a| D(double(&a[0])?.sin())),
    Row("static double sinh(double)", |_, a| D(double(&a[0])?.sinh())),
    Row("static double sqrt(double)", |_, a| D(double(&a[0])?.sqrt())),
    Row("static double tan(double)", |_, a| D(double(&a[0])?.tan())),
    Row("static double tanh(double)", |_, a| D(double(&a[0])?.tanh())),
    Row("static double toDegrees(double)", |_, a| D(double(&a[0])?.to_degrees())),
    Row("static double toRadians(double)", |_, a| D(double(&a[0])?.to_radians())),
    Row("static double ulp(double)", |_, a| D(ulp(double(&a[0])?))),
];

pub const CLASSES: &[ClassRow] =
    &[ClassRow::new("java.lang.Math", &[], ROWS), ClassRow::new("java.lang.StrictMath", &[], ROWS)];
