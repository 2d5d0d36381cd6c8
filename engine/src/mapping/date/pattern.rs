//! Patterns of `java.time` to items.

use super::items::{Item, Names, Sign, TextField, Width};
use super::number_field::NumberField;
use super::zone::OffsetStyle;
use crate::error::{Error, Result};

/// How the numbers of a pattern are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Style {
    /// As `DateTimeFormatter.ofPattern`.
    Java,
    /// A named format with fixed widths, fractions of 1 to 9 digits, and zones in any notation.
    Strict,
    /// The same, with fewer digits allowed.
    Lenient,
}

/// Deepest nesting of optional parts.
const MAX_DEPTH: usize = 16;

/// Compiles a pattern.
pub fn compile(pattern: &str, style: Style) -> Result<Vec<Item>> {
    let mut stack: Vec<Vec<Item>> = vec![vec![]];
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            'a'..='z' | 'A'..='Z' => {
                let mut count = 1;
                while chars.next_if_eq(&c).is_some() {
                    count += 1;
                }
                let item = match (c, chars.peek().copied()) {
                    ('p', Some(padded)) if padded.is_ascii_alphabetic() && style == Style::Java => {
                        let width = count;
                        count = 0;
                        while chars.next_if_eq(&padded).is_some() {
                            count += 1;
                        }
                        Item::Padded(width, Box::new(letter(padded, count, style)?))
                    }
                    ('p', _) if style == Style::Java => {
                        let reason = format!("Pad letter 'p' must be followed by valid pad pattern: {pattern}");
                        return Err(illegal(reason));
                    }
                    _ => letter(c, count, style)?,
                };
                push(&mut stack, item);
            }
            '\'' => {
                let mut literal = String::new();
                loop {
                    match chars.next() {
                        Some('\'') if chars.next_if_eq(&'\'').is_some() => literal.push('\''),
                        Some('\'') => break,
                        Some(c) => literal.push(c),
                        None => {
                            return Err(illegal(format!("Pattern ends with an incomplete string literal: {pattern}")));
                        }
                    }
                }
                push(&mut stack, Item::Literal(if literal.is_empty() { "'".into() } else { literal }));
            }
            '[' if stack.len() > MAX_DEPTH => return Err(illegal("Pattern has too many optional parts".to_owned())),
            '[' => stack.push(vec![]),
            ']' => {
                let inner = stack.pop().unwrap_or_default();
                match stack.last_mut() {
                    Some(outer) => outer.push(Item::Optional(inner)),
                    None => return Err(illegal("Pattern invalid as it contains ] without previous [".to_owned())),
                }
            }
            '{' | '}' | '#' => return Err(illegal(format!("Pattern includes reserved character: '{c}'"))),
            c => push(&mut stack, Item::Literal(c.to_string())),
        }
    }
    // A part that is not closed is closed at the end, as in Java.
    while stack.len() > 1 {
        let inner = stack.pop().unwrap_or_default();
        push(&mut stack, Item::Optional(inner));
    }
    Ok(stack.pop().unwrap_or_default())
}

fn push(stack: &mut [Vec<Item>], item: Item) {
    if let Some(items) = stack.last_mut() {
        items.push(item);
    }
}

fn illegal(reason: String) -> Error {
    Error::illegal_argument(reason)
}

fn letter(c: char, count: usize, style: Style) -> Result<Item> {
    let too_many = || illegal(format!("Too many pattern letters: {c}"));
    let number = |field, widest: usize| -> Result<Item> {
        match (count, style) {
            (n, _) if n > widest => Err(too_many()),
            (1, Style::Java) => Ok(Item::Number { field, min: 1, max: 18, sign: Sign::Normal }),
            (n, Style::Lenient) => Ok(Item::Number { field, min: 1, max: n, sign: Sign::No }),
            (n, _) => Ok(Item::Number { field, min: n, max: n, sign: Sign::No }),
        }
    };
    match c {
        'y' if style == Style::Java => Ok(year(NumberField::YearOfEra, count, style)),
        'u' if style == Style::Lenient => Ok(year(NumberField::Year, count, Style::Strict)),
        'y' | 'u' => Ok(year(NumberField::Year, count, style)),
        'Y' if style == Style::Java => Ok(year(NumberField::LocalWeekYear, count, style)),
        'w' | 'W' | 'e' | 'c' | 'F' | 'g' | 'B' if style == Style::Java => java_letter(c, count),
        'Y' => Ok(year(NumberField::WeekYear, count, Style::Strict)),
        'x' if style != Style::Java => Ok(year(NumberField::WeekYear, count, style)),
        'M' | 'L' if count <= 2 => number(NumberField::Month, 2),
        'M' => text(c, count, TextField::Month),
        'L' => alone(c, count, TextField::Month),
        'd' => number(NumberField::Day, 2),
        'D' if count <= 3 && count > 1 && style == Style::Java => {
            Ok(Item::Number { field: NumberField::DayOfYear, min: count, max: 3, sign: Sign::No })
        }
        'D' => number(NumberField::DayOfYear, 3),
        'H' => number(NumberField::Hour, 2),
        'k' => number(NumberField::ClockHour, 2),
        'K' => number(NumberField::HourOfHalf, 2),
        'h' => number(NumberField::ClockHourOfHalf, 2),
        'm' => number(NumberField::Minute, 2),
        's' => number(NumberField::Second, 2),
        'S' if style != Style::Java => Ok(Item::Fraction { min: 1, max: 9, print_min: 3, print_max: 9 }),
        'S' if count <= 9 => Ok(Item::Fraction { min: count, max: count, print_min: count, print_max: count }),
        'S' => Err(illegal(format!("Minimum width must be from 0 to 9 inclusive but was {count}"))),
        'A' => wide(c, count, NumberField::MilliOfDay),
        'n' => wide(c, count, NumberField::Nano),
        'N' => wide(c, count, NumberField::NanoOfDay),
        'w' => number(NumberField::Week, 2),
        'e' => number(NumberField::DayOfWeek, 2),
        'E' => text(c, count, TextField::DayOfWeek),
        'Q' | 'q' if count <= 2 => number(NumberField::Quarter, 2),
        'Q' => text(c, count, TextField::Quarter),
        'q' => alone(c, count, TextField::Quarter),
        'a' if count == 1 => text(c, count, TextField::HalfDay),
        'a' => Err(too_many()),
        'G' => text(c, count, TextField::Era),
        'Z' if style != Style::Java => Ok(Item::ZoneOrOffset { offsets: false }),
        'Z' if count == 4 => Ok(Item::LocalOffset { full: true }),
        'X' | 'x' | 'Z' => offset(c, count).ok_or_else(too_many),
        'V' if count == 2 => Ok(Item::ZoneId),
        'V' => Err(illegal("Pattern letter count must be 2: V".to_owned())),
        'v' if count == 1 => Ok(Item::ZoneText(Names::Root)),
        'v' if count == 4 => Ok(Item::ZoneId),
        'v' => Err(illegal("Wrong number of pattern letters: v".to_owned())),
        'z' if count < 4 => Ok(Item::ZoneText(Names::Root)),
        'z' if count == 4 => Ok(Item::ZoneId),
        'z' => Err(too_many()),
        'O' if matches!(count, 1 | 4) => Ok(Item::LocalOffset { full: count == 4 }),
        'O' => Err(illegal("Pattern letter count must be 1 or 4: O".to_owned())),
        _ => Err(illegal(format!("Unknown pattern letter: {c}"))),
    }
}

/// The letters of weeks and of parts of the day, which patterns of letters alone know.
fn java_letter(c: char, count: usize) -> Result<Item> {
    let digits = |field, min, max| Ok(Item::Number { field, min, max, sign: Sign::No });
    match (c, count) {
        ('w', 1..=2) => digits(NumberField::LocalWeek, count, 2),
        ('W', 1) => digits(NumberField::WeekOfMonth, 1, 1),
        ('c', 2) => Err(illegal("Invalid pattern \"cc\"".to_owned())),
        ('e' | 'c', 1..=2) => digits(NumberField::LocalDay, count, count),
        ('e', _) => text(c, count, TextField::DayOfWeek),
        ('c', _) => alone(c, count, TextField::DayOfWeek),
        ('F', 1) => Ok(Item::Number { field: NumberField::AlignedWeek, min: 1, max: 18, sign: Sign::Normal }),
        ('g', 1..=18) => {
            Ok(Item::Number { field: NumberField::ModifiedJulianDay, min: count, max: 18, sign: Sign::Normal })
        }
        ('B', 1 | 4 | 5) => Ok(Item::Text(TextField::DayPeriod, Width::Short, Names::Root)),
        ('B', _) => Err(illegal("Wrong number of pattern letters: B".to_owned())),
        _ => Err(illegal(format!("Too many pattern letters: {c}"))),
    }
}

fn text(c: char, count: usize, field: TextField) -> Result<Item> {
    match count {
        1..=3 => Ok(Item::Text(field, Width::Short, Names::Root)),
        4 => Ok(Item::Text(field, Width::Full, Names::Root)),
        5 => Ok(Item::Text(field, Width::Narrow, Names::Root)),
        _ => Err(illegal(format!("Too many pattern letters: {c}"))),
    }
}

fn alone(c: char, count: usize, field: TextField) -> Result<Item> {
    match text(c, count, field)? {
        Item::Text(field, width, names) => Ok(Item::Text(field, width.alone(), names)),
        item => Ok(item),
    }
}

/// A number of which only a least number of digits is known; there are none of more than 19.
fn wide(c: char, count: usize, field: NumberField) -> Result<Item> {
    match count {
        1..=19 => Ok(Item::Number { field, min: count.min(18), max: 18, sign: Sign::No }),
        _ => Err(illegal(format!("The maximum width must be from 1 to 19 inclusive but was {count}: {c}"))),
    }
}

fn year(field: NumberField, count: usize, style: Style) -> Item {
    match (count, style) {
        (2, Style::Java) => Item::ReducedYear(field),
        (n, Style::Java) if n < 4 => Item::Number { field, min: n, max: 18, sign: Sign::Normal },
        (n, Style::Java) => Item::Number { field, min: n.min(18), max: 18, sign: Sign::ExceedsPad },
        (n, Style::Strict) => Item::Number { field, min: n, max: 10, sign: Sign::ExceedsPad },
        (5, Style::Lenient) => Item::Number { field, min: 1, max: 5, sign: Sign::Normal },
        (3, Style::Lenient) => Item::Number { field, min: 1, max: 4, sign: Sign::Normal },
        (_, Style::Lenient) => Item::Number { field, min: 1, max: 9, sign: Sign::Normal },
    }
}

fn offset(letter: char, count: usize) -> Option<Item> {
    let zero = match letter {
        'X' => ["Z"; 5],
        'x' => ["+00", "+0000", "+00:00", "+0000", "+00:00"],
        _ => ["+0000", "+0000", "+0000", "GMT", "Z"],
    };
    let style = match (letter, count) {
        ('Z', 1..=3) => OffsetStyle::HourMinute,
        ('Z', 4) => OffsetStyle::HourColonMinute,
        (_, 1) => OffsetStyle::HourMinuteOptional,
        (_, 2) => OffsetStyle::HourMinute,
        (_, 3) => OffsetStyle::HourColonMinute,
        (_, 4) => OffsetStyle::HourMinuteSecond,
        (_, 5) => OffsetStyle::HourColonMinuteSecond,
        _ => return None,
    };
    Some(Item::Offset { style, zero: zero.get(count - 1)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_java_refuses() {
        let cases = [
            ("foo", "Unknown pattern letter: f"),
            ("ddd", "Too many pattern letters: d"),
            ("yyyy'T", "Pattern ends with an incomplete string literal: yyyy'T"),
            ("yyyy]", "Pattern invalid as it contains ] without previous ["),
            ("{", "Pattern includes reserved character: '{'"),
        ];
        for (pattern, reason) in cases {
            assert_eq!(compile(pattern, Style::Java).unwrap_err().reason(), reason);
        }
        assert!(compile(&"[".repeat(100_000), Style::Java).is_err());
    }
}
