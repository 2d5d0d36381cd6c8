//! What kind of character a code point is to Java: `Character.getType`, what identifiers are made of, and code points in arrays.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, throw, thrown};
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{int, ok_bool, unexpected};
use regex_syntax::hir::{Class, HirKind};
use std::sync::OnceLock;

/// Categories by the names that Unicode has for them, and the numbers that Java has.
const CATEGORIES: [(&str, i32); 28] = [
    ("Lu", 1),
    ("Ll", 2),
    ("Lt", 3),
    ("Lm", 4),
    ("Lo", 5),
    ("Mn", 6),
    ("Me", 7),
    ("Mc", 8),
    ("Nd", 9),
    ("Nl", 10),
    ("No", 11),
    ("Zs", 12),
    ("Zl", 13),
    ("Zp", 14),
    ("Cc", 15),
    ("Cf", 16),
    ("Co", 18),
    ("Pd", 20),
    ("Ps", 21),
    ("Pe", 22),
    ("Pc", 23),
    ("Po", 24),
    ("Sm", 25),
    ("Sc", 26),
    ("Sk", 27),
    ("So", 28),
    ("Pi", 29),
    ("Pf", 30),
];
const FORMAT: i32 = 16;
const SURROGATE: i32 = 19;
/// Letters, currencies, connectors, digits, numbers that are letters and the marks that stand with letters.
const OF_IDENTIFIERS: [i32; 11] = [1, 2, 3, 4, 5, 6, 8, 9, 10, 23, 26];

/// Code points from one to another, in order.
type Ranges = Vec<(u32, u32)>;

/// The code points of a property.
fn ranges(property: &str) -> Ranges {
    let parsed = regex_syntax::parse(&format!("\\p{{{property}}}"));
    match parsed.map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
        }
        _ => vec![],
    }
}

fn has(ranges: &[(u32, u32)], point: u32) -> bool {
    let at = ranges.partition_point(|(_, end)| *end < point);
    ranges.get(at).is_some_and(|(start, _)| *start <= point)
}

fn category(point: i32) -> i32 {
    static TABLE: OnceLock<Vec<(Ranges, i32)>> = OnceLock::new();
    let table = TABLE.get_or_init(|| CATEGORIES.iter().map(|(name, number)| (ranges(name), *number)).collect());
    match u32::try_from(point) {
        Ok(0xd800..=0xdfff) => SURROGATE,
        Ok(point) => table.iter().find(|(ranges, _)| has(ranges, point)).map_or(0, |(_, number)| *number),
        Err(_) => 0,
    }
}

fn has_property(value: &Value, table: &OnceLock<Ranges>, property: &str) -> Result<bool, Failed> {
    let table = table.get_or_init(|| ranges(property));
    Ok(u32::try_from(int(value)?).is_ok_and(|point| has(table, point)))
}

fn is_ignorable(value: &Value) -> Result<bool, Failed> {
    let point = int(value)?;
    Ok(matches!(point, 0..=8 | 0xe..=0x1b | 0x7f..=0x9f) || category(point) == FORMAT)
}

fn units(value: &Value) -> Result<Vec<u16>, Failed> {
    match value.data() {
        Some(Data::Array(array)) => match &*array.borrow() {
            Array::Char(units) => Ok(units.clone()),
            _ => Err(unexpected(value)),
        },
        _ => Err(unexpected(value)),
    }
}

/// A place within bounds that are given with it.
fn within(value: &Value, bounds: std::ops::RangeInclusive<i32>) -> Result<usize, Failed> {
    let at = int(value)?;
    match bounds.contains(&at) {
        true => Ok(at.max(0) as usize),
        false => Err(thrown("IndexOutOfBoundsException", None)),
    }
}

fn is_pair(pair: &[u16]) -> bool {
    matches!(pair, [0xd800..=0xdbff, 0xdc00..=0xdfff])
}

fn joined(pair: &[u16]) -> i32 {
    (i32::from(pair[0]) - 0xd800) * 0x400 + i32::from(pair[1]) - 0xdc00 + 0x10000
}

fn point_at(a: &[Value]) -> Outcome {
    let units = units(&a[0])?;
    let limit = within(&a[2], 0..=units.len() as i32)?;
    let at = within(&a[1], 0..=limit as i32 - 1)?;
    let pair = &units[at..limit.min(at + 2)];
    Ok(Value::Int(if is_pair(pair) { joined(pair) } else { i32::from(pair[0]) }))
}

fn point_before(a: &[Value]) -> Outcome {
    let units = units(&a[0])?;
    let at = within(&a[1], 1..=units.len() as i32)?;
    let start = within(&a[2], 0..=at as i32 - 1)?;
    let pair = &units[at.saturating_sub(2).max(start)..at];
    Ok(Value::Int(if is_pair(pair) { joined(pair) } else { i32::from(units[at - 1]) }))
}

/// So many code points further in a part of an array.
fn offset(a: &[Value]) -> Outcome {
    let units = units(&a[0])?;
    let start = within(&a[1], 0..=units.len() as i32)?;
    let count = within(&a[2], 0..=(units.len() - start) as i32)?;
    let mut at = within(&a[3], start as i32..=(start + count) as i32)?;
    let by = int(&a[4])?;
    let outside = || thrown("IndexOutOfBoundsException", None);
    for _ in 0..by.max(0) {
        let part = &units[at..start + count];
        at += match part {
            [] => return Err(outside()),
            [first, second, ..] if is_pair(&[*first, *second]) => 2,
            _ => 1,
        };
    }
    for _ in 0..by.min(0).unsigned_abs() {
        let part = &units[start..at];
        at -= match part {
            [] => return Err(outside()),
            [.., first, second] if is_pair(&[*first, *second]) => 2,
            _ => 1,
        };
    }
    Ok(Value::Int(at as i32))
}

/// The units that a code point is written with, halves of characters among them.
pub(super) fn units_of(point: i32) -> Result<Vec<u16>, Failed> {
    match point {
        0..0x10000 => Ok(vec![point as u16]),
        0x10000..0x11_0000 => {
            Ok(vec![((point - 0x10000) >> 10) as u16 + 0xd800, ((point - 0x10000) & 0x3ff) as u16 + 0xdc00])
        }
        _ => Err(throw("IllegalArgumentException", format!("Not a valid Unicode code point: 0x{point:X}"))),
    }
}

fn to_chars(_: &mut Vm, a: &[Value]) -> Outcome {
    let (point, at) = (int(&a[0])?, int(&a[2])?);
    let Some(Data::Array(array)) = a[1].data() else { return Err(unexpected(&a[1])) };
    let units = units_of(point)?;
    let mut array = array.borrow_mut();
    // The second unit is written first.
    for (i, unit) in units.iter().enumerate().rev() {
        let place = at.wrapping_add(i as i32);
        if usize::try_from(place).ok().is_none_or(|place| place >= array.len()) {
            let what = format!("Index {place} out of bounds for length {}", array.len());
            return Err(throw("ArrayIndexOutOfBoundsException", what));
        }
        array.set(place as usize, Value::Char(*unit));
    }
    Ok(Value::Int(units.len() as i32))
}

const KINDS: &[Row] = &[
    Row("static int getType(int)", |_, a| Ok(Value::Int(category(int(&a[0])?)))),
    Row("static boolean isIdentifierIgnorable(int)", |_, a| ok_bool(is_ignorable(&a[0])?)),
    Row("static boolean isIdeographic(int)", |_, a| {
        static TABLE: OnceLock<Ranges> = OnceLock::new();
        ok_bool(has_property(&a[0], &TABLE, "Ideographic")?)
    }),
    Row("static boolean isJavaIdentifierPart(int)", |_, a| {
        ok_bool(OF_IDENTIFIERS.contains(&category(int(&a[0])?)) || is_ignorable(&a[0])?)
    }),
    Row("static boolean isUnicodeIdentifierStart(int)", |_, a| {
        static TABLE: OnceLock<Ranges> = OnceLock::new();
        ok_bool(has_property(&a[0], &TABLE, "ID_Start")?)
    }),
    Row("static boolean isUnicodeIdentifierPart(int)", |_, a| {
        static TABLE: OnceLock<Ranges> = OnceLock::new();
        ok_bool(has_property(&a[0], &TABLE, "ID_Continue")? || is_ignorable(&a[0])?)
    }),
    Row("static int codePointAt(char[],int,int)", |_, a| point_at(a)),
    Row("static int codePointBefore(char[],int,int)", |_, a| point_before(a)),
    Row("static int offsetByCodePoints(char[],int,int,int,int)", |_, a| offset(a)),
    Row("static int toChars(int,char[],int)", to_chars),
];

pub const CLASSES: &[ClassRow] = &[ClassRow::new("java.lang.CharacterKindsByName", &[], KINDS)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_the_numbers_of_java() {
        let points = ['A', 'a', '1', ' ', '_', '$', '«', '\n', 'é', '語'].map(|c| category(c as i32));
        assert_eq!(points, [1, 2, 9, 12, 23, 26, 29, 15, 2, 5]);
        assert_eq!([category(0xd800), category(-1), category(0x378)], [SURROGATE, 0, 0]);
    }
}
