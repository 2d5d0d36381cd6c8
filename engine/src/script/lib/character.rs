//! `Character`.

use super::super::class::{ClassRow, Row};
use super::super::error::Failed;
use super::super::value::{Array, Data, Value};
use super::args::{index, int, ok_bool, text, unit};
use super::collection::natural;
use super::display::plain;

fn of(value: &Value) -> Result<char, Failed> {
    Ok(char::from_u32(int(value)? as u32).unwrap_or('\0'))
}

fn mapped(value: &Value, map: impl Fn(char) -> char) -> Result<Value, Failed> {
    let unit = unit(value)?;
    let mapped = char::from_u32(u32::from(unit)).map_or(u32::from(unit), |c| map(c) as u32);
    Ok(Value::Char(u16::try_from(mapped).unwrap_or(unit)))
}

fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    if upper.len() == 1 { upper.next().unwrap_or(c) } else { c }
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Java's white space: no non-breaking spaces, but the separators of information.
pub fn is_java_space(c: char) -> bool {
    matches!(c, '\u{1c}'..='\u{1f}')
        || (c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}'))
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "java.lang.Character",
    &["Comparable", "CharacterCategoriesByName", "CharacterBoundsByName", "CharacterKindsByName"],
    &[
        Row("char charValue()", |_, a| Ok(a[0].clone())),
        Row("int compareTo(Character)", |_, a| natural(&a[0], &a[1]).map(Value::Int)),
        Row("static int compare(char,char)", |_, a| Ok(Value::Int(i32::from(unit(&a[0])?) - i32::from(unit(&a[1])?)))),
        Row("static int charCount(int)", |_, a| Ok(Value::Int(if int(&a[0])? >= 0x10000 { 2 } else { 1 }))),
        Row("static int digit(int,int)", |_, a| {
            let digit = of(&a[0])?.to_digit(int(&a[1])?.clamp(2, 36) as u32);
            Ok(Value::Int(digit.map_or(-1, |d| d as i32)))
        }),
        Row("static char forDigit(int,int)", |_, a| {
            let (digit, radix) = (int(&a[0])? as u32, int(&a[1])?);
            let digit = (2..=36).contains(&radix).then(|| char::from_digit(digit, radix as u32)).flatten();
            Ok(Value::Char(digit.map_or(0, |c| c as u16)))
        }),
        Row("static int getNumericValue(int)", |_, a| Ok(Value::Int(of(&a[0])?.to_digit(36).map_or(-1, |d| d as i32)))),
        Row("static int hashCode(char)", |_, a| Ok(Value::Int(i32::from(unit(&a[0])?)))),
        Row("static boolean isAlphabetic(int)", |_, a| ok_bool(of(&a[0])?.is_alphabetic())),
        Row("static boolean isDefined(int)", |_, a| ok_bool(char::from_u32(int(&a[0])? as u32).is_some())),
        Row("static boolean isDigit(int)", |_, a| {
            let c = of(&a[0])?;
            ok_bool(c.is_ascii_digit() || (c.is_numeric() && c.to_string().parse::<f64>().is_ok()))
        }),
        Row("static boolean isISOControl(int)", |_, a| ok_bool(of(&a[0])?.is_control())),
        Row("static boolean isLetter(int)", |_, a| ok_bool(of(&a[0])?.is_alphabetic())),
        Row("static boolean isLetterOrDigit(int)", |_, a| ok_bool(of(&a[0])?.is_alphanumeric())),
        Row("static boolean isLowerCase(int)", |_, a| ok_bool(of(&a[0])?.is_lowercase())),
        Row("static boolean isUpperCase(int)", |_, a| ok_bool(of(&a[0])?.is_uppercase())),
        Row("static boolean isSpaceChar(int)", |_, a| ok_bool(of(&a[0])?.is_whitespace() && !of(&a[0])?.is_control())),
        Row("static boolean isWhitespace(int)", |_, a| ok_bool(is_java_space(of(&a[0])?))),
        Row("static boolean isHighSurrogate(char)", |_, a| ok_bool((0xd800..0xdc00).contains(&unit(&a[0])?))),
        Row("static char toLowerCase(char)", |_, a| mapped(&a[0], lower)),
        Row("static char toUpperCase(char)", |_, a| mapped(&a[0], upper)),
        Row("static char toTitleCase(char)", |_, a| mapped(&a[0], upper)),
        Row("static String toString(char)", |vm, a| vm.string(plain(&a[0]))),
        Row("static Character valueOf(char)", |_, a| Ok(a[0].clone())),
        Row("static int codePointAt(CharSequence,int)", |_, a| {
            super::string::code_point_at(&text(&a[0])?, super::args::index(&a[1])?)
        }),
        Row("static int codePointBefore(CharSequence,int)", |_, a| super::string::code_point_before(&a[0], &a[1])),
        Row("static int codePointCount(CharSequence,int,int)", |_, a| {
            let (text, from, to) = (super::string::as_text(&a[0])?, index(&a[1])?, index(&a[2])?);
            let part = text.as_str().get(text.byte_of(from)..text.byte_of(to));
            Ok(Value::Int(part.map_or(0, |part| part.chars().count() as i32)))
        }),
        Row("static int offsetByCodePoints(CharSequence,int,int)", |_, a| {
            super::string::offset_by_code_points(&a[0], &a[1], &a[2])
        }),
        Row("static boolean isTitleCase(int)", |_, a| {
            ok_bool(matches!(of(&a[0])?, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}' | '\u{1f88}'..='\u{1f8f}'
                | '\u{1f98}'..='\u{1f9f}' | '\u{1fa8}'..='\u{1faf}' | '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}'))
        }),
        Row("static char[] toChars(int)", |vm, a| {
            let units = super::categories::units_of(int(&a[0])?)?;
            vm.alloc(Data::Array(Array::Char(units).into()))
        }),
        Row("static boolean isSurrogate(char)", |_, a| ok_bool((0xd800..0xe000).contains(&unit(&a[0])?))),
        Row("static boolean isSurrogatePair(char,char)", |_, a| {
            ok_bool((0xd800..0xdc00).contains(&unit(&a[0])?) && (0xdc00..0xe000).contains(&unit(&a[1])?))
        }),
        Row("static boolean isBmpCodePoint(int)", |_, a| ok_bool((0..0x10000).contains(&int(&a[0])?))),
        Row("static boolean isSupplementaryCodePoint(int)", |_, a| {
            ok_bool((0x10000..0x11_0000).contains(&int(&a[0])?))
        }),
        Row("static boolean isValidCodePoint(int)", |_, a| ok_bool((0..0x11_0000).contains(&int(&a[0])?))),
        Row("static boolean isJavaIdentifierStart(int)", |_, a| {
            let c = of(&a[0])?;
            ok_bool(
                c.is_alphabetic()
                    || matches!(c, '_' | '$' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20c0}' | '\u{203f}' | '\u{2040}'),
            )
        }),
        Row("static char highSurrogate(int)", |_, a| {
            Ok(Value::Char((int(&a[0])?.wrapping_sub(0x10000) >> 10).wrapping_add(0xd800) as u16))
        }),
        Row("static char lowSurrogate(int)", |_, a| Ok(Value::Char((int(&a[0])? & 0x3ff | 0xdc00) as u16))),
        Row("static int toCodePoint(char,char)", |_, a| {
            let (high, low) = (i32::from(unit(&a[0])?), i32::from(unit(&a[1])?));
            Ok(Value::Int((high - 0xd800) * 0x400 + low - 0xdc00 + 0x10000))
        }),
        Row("static char reverseBytes(char)", |_, a| Ok(Value::Char(unit(&a[0])?.swap_bytes()))),
        Row("static int MIN_RADIX", |_, _| Ok(Value::Int(2))),
        Row("static int MAX_RADIX", |_, _| Ok(Value::Int(36))),
        Row("static int MIN_CODE_POINT", |_, _| Ok(Value::Int(0))),
        Row("static int MAX_CODE_POINT", |_, _| Ok(Value::Int(0x10_ffff))),
        Row("static char MAX_VALUE", |_, _| Ok(Value::Char(u16::MAX))),
        Row("static char MIN_VALUE", |_, _| Ok(Value::Char(0))),
    ],
)];
