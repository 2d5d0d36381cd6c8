//! Intervals and offsets of buckets of dates, as requests have them.

use super::parse::ParseContext;
use super::rounding::{Interval, Unit};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Value};
use crate::query::time_value_ms;

/// What a request gives as interval. What shards are to refuse is kept: a shard that has nothing to do never looks at it.
#[derive(Debug, Default)]
pub(crate) enum Given {
    #[default]
    Nothing,
    Interval(Interval),
    Unreadable(String),
}

impl Given {
    pub(crate) fn parse(entry: &Entry, cx: &ParseContext<'_>) -> Result<Self> {
        let refuse = |reason: String| cx.failed_field(entry, Error::illegal_argument(reason));
        let either = entry.key == "interval";
        if either {
            note(
                "[interval] on [date_histogram] is deprecated, use [fixed_interval] or [calendar_interval] in the future.",
            );
        }
        let number = match entry.value {
            Value::Int(number) => Some(number),
            Value::Float(number) => Some(number as i64),
            _ => None,
        };
        if let Some(number) = number {
            return match number {
                _ if !either => Err(cx.wrong_type(entry)),
                1.. => Ok(Self::Interval(Interval::Fixed(number))),
                _ => Err(refuse("[interval] must be 1 or greater for aggregation [date_histogram]".to_owned())),
            };
        }
        if let Value::Bool(_) = entry.value {
            return Err(cx.wrong_type(entry));
        }
        if either && is_large(&entry.value) {
            cx.number(entry, |node| node.i64())?;
        }
        let text = cx.text(entry)?;
        if text.is_empty() {
            let what = if either { "dateHistogramInterval" } else { "interval" };
            return Err(refuse(format!("[{what}] must not be null: [date_histogram]")));
        }
        let unit = Unit::parse(&text).filter(|_| entry.key != "fixed_interval");
        match (unit, entry.key.as_str()) {
            (Some(unit), _) => Ok(Self::Interval(Interval::Calendar(unit))),
            (None, "calendar_interval") => {
                Err(refuse(format!("The supplied interval [{text}] could not be parsed as a calendar interval.")))
            }
            (None, _) => match time_value_ms(&text, "date_histogram.fixedInterval") {
                Ok(ms) => Ok(Self::Interval(Interval::Fixed(ms))),
                Err(_) if either => Ok(Self::Unreadable(text)),
                Err(cause) => Err(cx.failed_field(entry, cause)),
            },
        }
    }

    /// The interval, on a shard.
    pub(crate) fn interval(&self) -> Result<Interval> {
        Err(Error::illegal_argument(match self {
            Self::Interval(Interval::Fixed(length)) if *length <= 0 => {
                "Zero or negative time interval not supported".to_owned()
            }
            Self::Interval(interval) => return Ok(*interval),
            Self::Nothing => "Invalid interval specified, must be non-null and non-empty".to_owned(),
            Self::Unreadable(text) => format!("Unable to parse interval [{text}]"),
        }))
    }
}

pub(crate) fn two_intervals(second: &str, first: &str) -> Error {
    Error::illegal_argument(match second {
        "interval" => {
            "Cannot use [interval] with [fixed_interval] or [calendar_interval] configuration options.".to_owned()
        }
        _ => format!("Cannot use [{second}] with [{first}] configuration option."),
    })
}

/// A whole number that no 64 bits with a sign hold, which the reader of numbers refuses.
fn is_large(value: &Value) -> bool {
    matches!(value, Value::UInt(_) | Value::BigInt(_))
}

/// `+6h`, `-1d`, or milliseconds.
pub(crate) fn parse_offset(entry: &Entry, cx: &ParseContext<'_>) -> Result<i64> {
    match entry.value {
        Value::Int(ms) => return Ok(ms),
        Value::Float(ms) => return Ok(ms as i64),
        _ => {}
    }
    if let Value::Bool(_) = entry.value {
        return Err(cx.wrong_type(entry));
    }
    if is_large(&entry.value) {
        return cx.number(entry, |node| node.i64());
    }
    let text = cx.string(entry)?;
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    if text.is_empty() {
        let cause = Error::new(ErrorKind::StringIndexOutOfBounds, "Index 0 out of bounds for length 0");
        return Err(cx.failed_field(entry, cause));
    }
    time_value_ms(rest, "DateHistogramAggregationBuilder.parseOffset")
        .map(|ms| ms.saturating_mul(sign))
        .map_err(|cause| cx.failed_field(entry, cause))
}
