//! The one value of a document that its sort key is made of.

use super::nested_sort::NestedColumn;
use super::sort_keys::{Column, Shown, convert, decode, encode_f64};
use super::sort_parse::Mode;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::number::{NumberKind, parse_java_f64};
use crate::mapping::{DateContext, Family, Field};
use crate::query::ShardContext;
use crate::segment::NumericColumn;

/// Buffers for reading keys.
#[derive(Default)]
pub struct Scratch {
    pub(super) values: Vec<i64>,
    pub(super) ords: Vec<u32>,
}

/// The number that stands for a document's values.
pub(super) fn number(
    column: &NumericColumn,
    doc: u32,
    mode: Mode,
    from: NumberKind,
    shown: Shown,
    scratch: &mut Scratch,
) -> Option<i64> {
    if column.single_valued() || mode == Mode::Min {
        return column.first(doc).map(|value| convert(value, from, shown));
    }
    column.values(doc, &mut scratch.values);
    combine(&scratch.values, mode, from, shown)
}

/// The number that stands for the values of the documents nested in a root.
pub(super) fn nested_number(
    nested: &NestedColumn,
    doc: u32,
    mode: Mode,
    from: NumberKind,
    shown: Shown,
    scratch: &mut Scratch,
) -> Option<i64> {
    let Column::Number(column) = &*nested.values else { return None };
    let (mut all, mut own) = (std::mem::take(&mut scratch.values), vec![]);
    all.clear();
    nested.for_each(doc, |child| {
        column.values(child, &mut own);
        let has_value = !own.is_empty();
        all.append(&mut own);
        has_value
    });
    all.sort_unstable();
    let number = combine(&all, mode, from, shown);
    scratch.values = all;
    number
}

/// The least or greatest value of the documents nested in a root.
pub(super) fn nested_bytes(nested: &NestedColumn, doc: u32, max: bool, scratch: &mut Scratch) -> Option<Vec<u8>> {
    let Column::Bytes(column) = &*nested.values else { return None };
    let mut best: Option<u32> = None;
    nested.for_each(doc, |child| {
        column.ords(child, &mut scratch.ords);
        let own = if max { scratch.ords.last() } else { scratch.ords.first() }.copied();
        best = match (best, own) {
            (Some(a), Some(b)) => Some(if max { a.max(b) } else { a.min(b) }),
            (a, b) => a.or(b),
        };
        own.is_some()
    });
    best.map(|ord| column.term(ord).into_owned())
}

/// All places of a document, nested ones included where they are asked for.
pub(super) fn places_of(column: &Column, doc: u32, places: &mut Vec<i64>) {
    places.clear();
    match column {
        Column::Number(column) => column.values(doc, places),
        Column::Nested(nested) => {
            let Column::Number(column) = &*nested.values else { return };
            let mut own = vec![];
            nested.for_each(doc, |child| {
                column.values(child, &mut own);
                let has_value = !own.is_empty();
                places.append(&mut own);
                has_value
            });
        }
        _ => {}
    }
}

/// The number that stands for ascending values.
fn combine(values: &[i64], mode: Mode, from: NumberKind, shown: Shown) -> Option<i64> {
    let last = *values.last()?;
    match mode {
        Mode::Max => return Some(convert(last, from, shown)),
        Mode::Min => return values.first().map(|first| convert(*first, from, shown)),
        _ => {}
    }
    let is_whole = matches!(shown, Shown::Int | Shown::Long);
    if matches!(shown, Shown::Nanos | Shown::Millis) || (is_whole && !from.is_integer()) {
        // Each loses its fraction before they are reckoned with.
        let converted: Vec<i64> = values.iter().map(|value| convert(*value, from, shown)).collect();
        return Some(whole_number(&converted, mode));
    }
    if is_whole {
        return Some(whole_number(values, mode));
    }
    if shown == Shown::ULong && from == NumberKind::UnsignedLong {
        return Some(unsigned_number(values, mode));
    }
    let number = |value: i64| decode(value, from, shown);
    let sum: f64 = values.iter().map(|value| number(*value)).sum();
    let count = values.len();
    let value = match mode {
        Mode::Sum => sum,
        Mode::Avg => sum / count as f64,
        _ if count % 2 == 1 => number(values[count / 2]),
        _ => (number(values[count / 2 - 1]) + number(values[count / 2])) / 2.0,
    };
    Some(encode_f64(value, shown))
}

/// One of several whole numbers, reckoned as the reference does: sums wrap, means are rounded half up.
fn whole_number(values: &[i64], mode: Mode) -> i64 {
    let count = values.len();
    let rounded = |value: f64| (value + 0.5).floor() as i64;
    match mode {
        Mode::Sum => values.iter().fold(0, |sum, value| sum.wrapping_add(*value)),
        Mode::Avg => {
            let sum = values.iter().fold(0i64, |sum, value| sum.wrapping_add(*value));
            if count > 1 { rounded(sum as f64 / count as f64) } else { sum }
        }
        _ if count % 2 == 1 => values[count / 2],
        _ => rounded((values[count / 2 - 1] as f64 + values[count / 2] as f64) / 2.0),
    }
}

/// The same for unsigned numbers.
fn unsigned_number(values: &[i64], mode: Mode) -> i64 {
    use crate::mapping::number::{decode_u64, encode_u64};
    let count = values.len();
    let sum = || values.iter().fold(0u64, |sum, value| sum.wrapping_add(decode_u64(*value)));
    let halved = |sum: u64| sum / 2 + sum % 2;
    encode_u64(match mode {
        Mode::Sum => sum(),
        Mode::Avg => {
            let (sum, count) = (sum(), count as u64);
            sum / count + u64::from(sum % count * 2 >= count)
        }
        _ if count % 2 == 1 => decode_u64(values[count / 2]),
        _ => halved(decode_u64(values[count / 2 - 1]).wrapping_add(decode_u64(values[count / 2]))),
    })
}

/// A number that stands in for a missing one, or that a page begins behind: cut down to what the sort compares, texts read as such.
pub(super) fn sort_number(value: &Value, shown: Shown) -> Result<i64> {
    let wrong = |text: &str| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""));
    let text = match value {
        Value::Int(number) if shown == Shown::Int => return Ok(i64::from(*number as i32)),
        Value::Int(number) if matches!(shown, Shown::Long | Shown::Nanos | Shown::Millis) => return Ok(*number),
        Value::Float(number) if shown == Shown::Int => return Ok(i64::from(*number as i32)),
        Value::Float(number) if shown == Shown::ULong && number.fract() != 0.0 => {
            return Err(Error::illegal_argument(format!("{} is not an integer value", value.to_text())));
        }
        Value::String(text) => text.clone(),
        other => other.to_text(),
    };
    let is_text = matches!(value, Value::String(_) | Value::Bool(_));
    match shown {
        Shown::Int if is_text => text.parse::<i32>().map(i64::from).map_err(|_| wrong(&text)),
        Shown::Long | Shown::Nanos | Shown::Millis if is_text => text.parse().map_err(|_| wrong(&text)),
        Shown::ULong if is_text && text.parse::<u64>().is_err() && !text.starts_with('-') => Err(wrong(&text)),
        Shown::ULong => NumberKind::UnsignedLong.encode_value(value, true),
        _ => Ok(encode_f64(number_of(value)?, shown)),
    }
}

pub(super) fn encode_shown(value: &Value, shown: Shown) -> Result<i64> {
    match (shown, value) {
        (Shown::Int | Shown::Long | Shown::Nanos | Shown::Millis, Value::Int(number)) => Ok(*number),
        (Shown::Int | Shown::Long, Value::Bool(flag)) => Ok(i64::from(*flag)),
        (Shown::Int | Shown::Long | Shown::Nanos | Shown::Millis, Value::String(text)) => {
            text.parse().or_else(|_| Ok(number_of(value)? as i64))
        }
        (Shown::ULong, _) => NumberKind::UnsignedLong.encode_value(value, true),
        _ => Ok(encode_f64(number_of(value)?, shown)),
    }
}

pub(super) fn number_of(value: &Value) -> Result<f64> {
    let number = match value {
        Value::String(text) if text == "Infinity" => Some(f64::INFINITY),
        Value::String(text) if text == "-Infinity" => Some(f64::NEG_INFINITY),
        Value::String(text) => match parse_java_f64(text) {
            Err(error) if error.reason() == "multiple points" => return Err(error),
            _ => text.parse().ok(),
        },
        other => other.as_f64(),
    };
    number.ok_or_else(|| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", value.to_text())))
}

/// A number of `search_after`, as keys are compared.
pub(super) fn number_after(value: &Value, shown: Shown) -> Result<i64> {
    match (value, shown) {
        (Value::String(_) | Value::Bool(_), Shown::Long | Shown::Nanos | Shown::Millis) => {
            let text = value.to_text();
            text.parse().or_else(|_| Ok(number_of(&Value::String(text))? as i64))
        }
        (value, Shown::ULong) => {
            NumberKind::UnsignedLong.encode_value(value, false).map_err(|error| match error.kind() {
                // It is read as digits, for which an empty text is like any other that has none.
                ErrorKind::NumberFormat if error.reason() == "empty String" => {
                    Error::illegal_argument("For input string: \"\"")
                }
                ErrorKind::NumberFormat => Error::illegal_argument(error.reason()),
                _ => error,
            })
        }
        _ => sort_number(value, shown),
    }
}

/// The same for a field that may be one of dates, which read texts by their formats.
pub(super) fn date_after(field: &Field, value: &Value, shown: Shown, cx: &ShardContext) -> Result<i64> {
    match value {
        Value::String(_) | Value::Bool(_) if field.family() == Family::Date => {
            field.parse_missing_number(value, &DateContext { now_ms: cx.now_ms })
        }
        _ => number_after(value, shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_lost_before_several_become_one() {
        let values = [0.99, 1.99].map(|value| encode_f64(value, Shown::Double));
        let as_long = |mode| combine(&values, mode, NumberKind::Double, Shown::Long);
        assert_eq!([Mode::Avg, Mode::Sum, Mode::Max].map(as_long), [Some(1), Some(1), Some(1)]);
        assert_eq!(combine(&values[..1], Mode::Median, NumberKind::Double, Shown::Long), Some(0));
    }
}
