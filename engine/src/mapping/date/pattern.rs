//! Patterns of `java.time` to items.

use super::items::{Item, Names, NumberField, Sign, TextField, Width};
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

/// Whether the formatter of a pattern of letters puts the day together itself: a year of an era without the era does not say
/// enough, and the day is looked for afterwards.
pub fn dates_itself(pattern: &str) -> bool {
    let mut quoted = false;
    let mut letters = [false; 128];
    for c in pattern.bytes() {
        quoted ^= c == b'\'';
        if !quoted && c.is_ascii() {
            letters[usize::from(c)] = true;
        }
    }
    let has = |letter: u8| letters[usize::from(letter)];
    has(b'u') || has(b'Y') || has(b'y') && has(b'G')
}

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
                let item = letter(c, count, style)?;
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
    let text = |field| match count {
        1..=3 => Ok(Item::Text(field, Width::Short, Names::Root)),
        4 => Ok(Item::Text(field, Width::Full, Names::Root)),
        5 => Ok(Item::Text(field, Width::Narrow, Names::Root)),
        _ => Err(too_many()),
    };
    let alone = |field| match text(field)? {
        Item::Text(field, width, names) => Ok(Item::Text(field, width.alone(), names)),
        item => Ok(item),
    };
    match c {
        'y' | 'u' => Ok(year(NumberField::Year, count, style)),
        'Y' if style == Style::Java => Ok(year(NumberField::LocalWeekYear, count, style)),
        'w' if style == Style::Java => number(NumberField::LocalWeek, 2),
        'e' | 'c' if count <= 2 && style == Style::Java => number(NumberField::LocalDay, 2),
        'Y' | 'x' if c == 'Y' || style != Style::Java => Ok(year(NumberField::WeekYear, count, style)),
        'M' | 'L' if count <= 2 => number(NumberField::Month, 2),
        'M' => text(TextField::Month),
        'L' => alone(TextField::Month),
        'd' => number(NumberField::Day, 2),
        'D' if count <= 3 && style == Style::Java => {
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
        'S' => Err(too_many()),
        'A' => Ok(Item::Number { field: NumberField::MilliOfDay, min: count.min(18), max: 18, sign: Sign::No }),
        'n' => Ok(Item::Number { field: NumberField::Nano, min: count.min(18), max: 18, sign: Sign::No }),
        'N' => Ok(Item::Number { field: NumberField::NanoOfDay, min: count.min(18), max: 18, sign: Sign::No }),
        'w' => number(NumberField::Week, 2),
        'e' | 'c' if count <= 2 => number(NumberField::DayOfWeek, 2),
        'E' | 'e' => text(TextField::DayOfWeek),
        'c' => alone(TextField::DayOfWeek),
        'Q' | 'q' if count <= 2 => number(NumberField::Quarter, 2),
        'Q' => text(TextField::Quarter),
        'q' => alone(TextField::Quarter),
        'a' if count == 1 => Ok(Item::Text(TextField::HalfDay, Width::Short, Names::Root)),
        'a' => Err(too_many()),
        'G' => text(TextField::Era),
        'Z' if style != Style::Java => Ok(Item::ZoneOrOffset),
        'X' | 'x' | 'Z' => offset(c, count).ok_or_else(too_many),
        'V' if count == 2 => Ok(Item::ZoneId),
        'V' => Err(illegal("Pattern letter count must be 2: V".to_owned())),
        'z' | 'v' if count <= 4 => Ok(Item::ZoneId),
        'O' if count == 1 || count == 4 => Ok(Item::ZoneId),
        _ => Err(illegal(format!("Unknown pattern letter: {c}"))),
    }
}

fn year(field: NumberField, count: usize, style: Style) -> Item {
    match (count, style) {
        (2, Style::Java) => Item::ReducedYear(field),
        (n, Style::Java) if n < 4 => Item::Number { field, min: n, max: 18, sign: Sign::Normal },
        (n, Style::Java) => Item::Number { field, min: n.min(18), max: 18, sign: Sign::ExceedsPad },
        (n, Style::Strict) => Item::Number { field, min: n, max: 9, sign: Sign::ExceedsPad },
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
