//! Count, sum and extremes of numbers: whole ones exactly, as Java keeps them.

use super::super::super::class::{ClassId, ClassRow, Row, registry};
use super::super::super::decimal::{Decimal, Rounding};
use super::super::super::error::{Failed, Outcome};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{double, long, unexpected};
use super::compensated::Compensated;

#[derive(Debug)]
pub struct Summary {
    kind: &'static str,
    count: i64,
    totals: Totals,
}

#[derive(Clone, Copy, Debug)]
enum Totals {
    Whole { sum: i64, min: i64, max: i64 },
    Fractions { sum: Compensated, min: f64, max: f64 },
}

impl Totals {
    fn none(kind: &str) -> Self {
        match kind {
            "IntSummaryStatistics" => Self::Whole { sum: 0, min: i32::MAX.into(), max: i32::MIN.into() },
            "LongSummaryStatistics" => Self::Whole { sum: 0, min: i64::MAX, max: i64::MIN },
            _ => Self::Fractions { sum: Compensated::default(), min: f64::INFINITY, max: f64::NEG_INFINITY },
        }
    }

    fn of(kind: &str, number: &Value) -> Result<Self, Failed> {
        Ok(match kind {
            "DoubleSummaryStatistics" => {
                let number = double(number)?;
                Self::Fractions { sum: [number].into_iter().collect(), min: number, max: number }
            }
            _ => {
                let number = long(number)?;
                Self::Whole { sum: number, min: number, max: number }
            }
        })
    }

    /// Of all that either is of. Sums of whole numbers overflow silently; what is no number stays none.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole { sum, min, max }, Self::Whole { sum: more, min: least, max: most }) => {
                Self::Whole { sum: sum.wrapping_add(more), min: min.min(least), max: max.max(most) }
            }
            (Self::Fractions { sum, min, max }, Self::Fractions { sum: more, min: least, max: most }) => {
                let mut sum = sum;
                sum.join(more);
                Self::Fractions { sum, min: extreme(min, least, f64::min), max: extreme(max, most, f64::max) }
            }
            (one, _) => one,
        }
    }

    /// Sum, least and greatest.
    fn values(self) -> [Value; 3] {
        match self {
            Self::Whole { sum, min, max } => [sum, min, max].map(Value::Long),
            Self::Fractions { sum, min, max } => [sum.total(), min, max].map(Value::Double),
        }
    }
}

/// What is no number is both the least and the greatest.
fn extreme(a: f64, b: f64, of: fn(f64, f64) -> f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { of(a, b) }
}

/// A number with six decimals, as Java formats it: rounded and filled up from the digits that it is shown with.
fn fixed(number: f64) -> String {
    if !number.is_finite() {
        return format!("{number:?}").replace("inf", "Infinity");
    }
    let rounded = Decimal::of_double(number).and_then(|made| made.with_scale(6, Rounding::HalfUp).ok()?.plain().ok());
    rounded.unwrap_or_else(|| format!("{number:.6}"))
}

impl Summary {
    pub fn class(&self) -> ClassId {
        registry().find(self.kind).expect("the row is below")
    }

    fn average(&self) -> f64 {
        let sum = match self.totals {
            Totals::Whole { sum, .. } => sum as f64,
            Totals::Fractions { sum, .. } => sum.total(),
        };
        if self.count == 0 { 0.0 } else { sum / self.count as f64 }
    }

    pub fn text(&self) -> String {
        let (kind, count, average) = (self.kind, self.count, fixed(self.average()));
        let [sum, min, max] = match self.totals {
            Totals::Whole { sum, min, max } => [sum, min, max].map(|number| number.to_string()),
            Totals::Fractions { sum, min, max } => [sum.total(), min, max].map(fixed),
        };
        format!("{kind}{{count={count}, sum={sum}, min={min}, average={average}, max={max}}}")
    }

    fn add(&mut self, count: i64, totals: Totals) {
        self.count = self.count.wrapping_add(count);
        self.totals = self.totals.with(totals);
    }
}

pub(in super::super) fn summarize(vm: &mut Vm, kind: &'static str, items: &[Value]) -> Outcome {
    let mut summary = Summary { kind, count: 0, totals: Totals::none(kind) };
    for item in items {
        summary.add(1, Totals::of(kind, item)?);
    }
    vm.alloc(Data::Summary(summary.into()))
}

/// Counts one number more.
fn count_in(_: &mut Vm, a: &[Value]) -> Outcome {
    let Some(Data::Summary(own)) = a[0].data() else { return Err(unexpected(&a[0])) };
    let mut own = own.borrow_mut();
    let totals = Totals::of(own.kind, &a[1])?;
    own.add(1, totals);
    Ok(Value::Null)
}

fn combine(_: &mut Vm, a: &[Value]) -> Outcome {
    let (Some(Data::Summary(own)), Some(Data::Summary(other))) = (a[0].data(), a[1].data()) else {
        return Err(unexpected(&a[1]));
    };
    // Let go before its own is changed, which may be the very same.
    let (count, totals) = {
        let other = other.borrow();
        (other.count, other.totals)
    };
    own.borrow_mut().add(count, totals);
    Ok(Value::Null)
}

fn asked(of: &Value, get: impl Fn(&Summary) -> Value) -> Outcome {
    match of.data() {
        Some(Data::Summary(summary)) => Ok(get(&summary.borrow())),
        _ => Err(unexpected(of)),
    }
}

/// The least or the greatest, which are ints where ints are counted.
fn extreme_of(summary: &Summary, at: usize) -> Value {
    match summary.totals.values()[at] {
        Value::Long(number) if summary.kind == "IntSummaryStatistics" => Value::Int(number as i32),
        ref other => other.clone(),
    }
}

macro_rules! summary {
    ($name:literal, $number:literal, $sum:literal, $prefix:literal) => {
        ClassRow::new(
            concat!("java.util.", $name),
            &[],
            &[
                Row(concat!("void accept(", $number, ")"), count_in),
                Row(concat!($prefix, "Consumer andThen(", $prefix, "Consumer)"), |vm, a| {
                    super::super::function::native(vm, concat!($prefix, "Consumer"), a.to_vec(), |vm, a| {
                        count_in(vm, &[a[0].clone(), a[2].clone()])?;
                        vm.call(&a[1], &a[2..])
                    })
                }),
                Row("new()", |vm, _| summarize(vm, $name, &[])),
                Row(concat!("void combine(", $name, ")"), combine),
                Row("double getAverage()", |_, a| asked(&a[0], |s| Value::Double(s.average()))),
                Row("long getCount()", |_, a| asked(&a[0], |s| Value::Long(s.count))),
                Row(concat!($number, " getMax()"), |_, a| asked(&a[0], |s| extreme_of(s, 2))),
                Row(concat!($number, " getMin()"), |_, a| asked(&a[0], |s| extreme_of(s, 1))),
                Row(concat!($sum, " getSum()"), |_, a| asked(&a[0], |s| s.totals.values()[0].clone())),
            ],
        )
    };
}

pub const CLASSES: &[ClassRow] = &[
    summary!("IntSummaryStatistics", "int", "long", "Int"),
    summary!("LongSummaryStatistics", "long", "long", "Long"),
    summary!("DoubleSummaryStatistics", "double", "double", "Double"),
];
