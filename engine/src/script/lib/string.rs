//! `String` and `CharSequence`.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, no_cast, throw};
use super::super::text::{Text, compare};
use super::super::types::Type;
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{boolean, int, ok_bool, ok_int, text, unit};
use super::collection::items_of;
use super::display::{scanned, write_text};
use super::formatter::Language;
use std::borrow::Cow;
use std::rc::Rc;

pub(super) fn as_text(value: &Value) -> Result<Rc<Text>, Failed> {
    match value {
        Value::Str(text) => Ok(text.clone()),
        other => Ok(Text::new(text(other)?.into_owned())),
    }
}

#[cold]
fn out_of_range(begin: i32, end: i32, len: usize) -> Failed {
    throw("StringIndexOutOfBoundsException", format!("Range [{begin}, {end}) out of bounds for length {len}"))
}

fn substring(vm: &mut Vm, of: &Value, begin: i32, end: Option<i32>) -> Outcome {
    let text = as_text(of)?;
    let len = text.len();
    let end = end.unwrap_or(len as i32);
    if begin < 0 || end > len as i32 || begin > end {
        return Err(out_of_range(begin, end, len));
    }
    if begin == 0 && end as usize == len {
        // Nothing of it changed, so it is the very same, as in Java.
        return Ok(of.clone());
    }
    vm.string(text.slice(begin as usize, end as usize))
}

fn char_at(of: &Value, at: i32) -> Outcome {
    let text = as_text(of)?;
    let unit = usize::try_from(at).ok().and_then(|at| text.unit(at));
    unit.map(Value::Char).ok_or_else(|| {
        let what = format!("Index {at} out of bounds for length {}", text.len());
        throw("StringIndexOutOfBoundsException", what)
    })
}

pub(super) fn code_point_at(text: &str, at: usize) -> Outcome {
    let text = Text::new(text);
    match text.as_str()[text.byte_of(at)..].chars().next() {
        Some(c) => Ok(Value::Int(c as i32)),
        None => {
            Err(throw("StringIndexOutOfBoundsException", format!("Index {at} out of bounds for length {}", text.len())))
        }
    }
}

/// A text all of which is looked at, which takes so many times what a search through it does.
fn looked_through(value: &Value, times: usize) -> Result<Cow<'_, str>, Failed> {
    let text = text(value)?;
    scanned(text.len() * times);
    Ok(text)
}

fn index_of(of: &Value, part: &Value, from: i32) -> Outcome {
    let (text, part) = (as_text(of)?, super::args::text(part)?);
    let from = text.byte_of(from.max(0) as usize);
    let found = text.as_str()[from..].find(&*part);
    scanned(found.unwrap_or(text.as_str().len() - from) + part.len());
    let found = found.map(|at| text.unit_of(from + at));
    Ok(Value::Int(found.map_or(-1, |at| at as i32)))
}

fn last_index_of(of: &Value, part: &Value, from: Option<i32>) -> Outcome {
    let (text, part) = (as_text(of)?, super::args::text(part)?);
    if from.is_some_and(|from| from < 0) {
        return Ok(Value::Int(-1));
    }
    let limit =
        from.map_or(text.as_str().len(), |from| (text.byte_of(from as usize) + part.len()).min(text.as_str().len()));
    let mut limit = limit;
    while !text.as_str().is_char_boundary(limit) {
        limit += 1;
    }
    let found = text.as_str()[..limit].rfind(&*part);
    scanned(limit - found.unwrap_or(0) + part.len());
    let found = found.map(|at| text.unit_of(at));
    Ok(Value::Int(found.map_or(-1, |at| at as i32)))
}

fn units(vm: &mut Vm, of: &Value) -> Result<Vec<u16>, Failed> {
    let text = as_text(of)?;
    vm.grow(text.len() * 2)?;
    Ok(text.as_str().encode_utf16().collect())
}

/// Strings as an array.
pub(super) fn strings(vm: &mut Vm, parts: Vec<String>) -> Outcome {
    let parts = parts.into_iter().map(|part| vm.string(part)).collect::<Result<Vec<_>, _>>()?;
    vm.alloc(Data::Array(Array::Objects(Type::STRING, parts).into()))
}

fn split_on_token(vm: &mut Vm, of: &Value, token: &Value, limit: i32) -> Outcome {
    let (text, token) = (text(of)?.into_owned(), text(token)?.into_owned());
    if token.is_empty() || text.len() < token.len() {
        return strings(vm, vec![text]);
    }
    let parts = match usize::try_from(limit) {
        Ok(limit) if limit > 0 => text.splitn(limit, &token).map(str::to_owned).collect(),
        _ => text.split(&token).map(str::to_owned).collect(),
    };
    strings(vm, parts)
}

fn replace(vm: &mut Vm, a: &[Value]) -> Outcome {
    let (text, from, to) = (text(&a[0])?, text(&a[1])?, text(&a[2])?);
    let found = if from.is_empty() { text.len() + 1 } else { text.matches(&*from).count() };
    vm.grow(text.len() + found * to.len())?;
    vm.string(text.replace(&*from, &to))
}

/// `String.format` for the conversions that scripts use.
fn format(vm: &mut Vm, locale: &str, pattern: &Value, args: &Value) -> Outcome {
    let pattern = text(pattern)?.into_owned();
    let args = if args.is_null() { None } else { Some(items_of(vm, args)?) };
    let out = super::formatter::format(vm, &Language::of(locale), &pattern, args.as_deref())?;
    vm.string(out)
}

const SEQUENCE: &[Row] = &[
    Row("int length()", |_, a| match &a[0] {
        Value::Str(text) => ok_int(text.len()),
        other => ok_int(as_text(other)?.len()),
    }),
    Row("char charAt(int)", |_, a| char_at(&a[0], int(&a[1])?)),
    Row("IntStream chars()", |vm, a| {
        let items = units(vm, &a[0])?.into_iter().map(|u| Value::Int(i32::from(u))).collect();
        super::stream::of_ints(vm, items)
    }),
    Row("IntStream codePoints()", |vm, a| {
        let items = text(&a[0])?.chars().map(|c| Value::Int(c as i32)).collect();
        super::stream::of_ints(vm, items)
    }),
    Row("CharSequence subSequence(int,int)", |vm, a| substring(vm, &a[0], int(&a[1])?, Some(int(&a[2])?))),
    Row("augmented String replaceAll(Pattern,Function)", |vm, a| super::regex::replace(vm, &a[0], &a[1], &a[2], true)),
    Row("augmented String replaceFirst(Pattern,Function)", |vm, a| {
        super::regex::replace(vm, &a[0], &a[1], &a[2], false)
    }),
];

/// The character that ends before a place.
pub(super) fn code_point_before(of: &Value, at: &Value) -> Outcome {
    let (units, at) = (text(of)?.encode_utf16().collect::<Vec<_>>(), int(at)?);
    let before = usize::try_from(at).ok().filter(|at| (1..=units.len()).contains(at));
    let Some(before) = before else {
        let what = format!("Index {} out of bounds for length {}", at.wrapping_sub(1), units.len());
        return Err(throw("StringIndexOutOfBoundsException", what));
    };
    let pair = before.checked_sub(2).map(|from| &units[from..before]);
    let joined = pair.and_then(|pair| char::decode_utf16(pair.iter().copied()).next()?.ok());
    let joined = joined.filter(|c| c.len_utf16() == 2).map(u32::from);
    Ok(Value::Int(joined.unwrap_or(u32::from(units[before - 1])) as i32))
}

/// The place so many characters from another.
pub(super) fn offset_by_code_points(of: &Value, from: &Value, by: &Value) -> Outcome {
    let units: Vec<u16> = text(of)?.encode_utf16().collect();
    let out = || throw("IndexOutOfBoundsException", "");
    let (mut at, by) = (usize::try_from(int(from)?).map_err(|_| out())?, int(by)?);
    let is_pair = |at: usize| {
        units
            .get(at..at + 2)
            .is_some_and(|pair| (0xd800..0xdc00).contains(&pair[0]) && (0xdc00..0xe000).contains(&pair[1]))
    };
    if at > units.len() {
        return Err(out());
    }
    for _ in 0..by.unsigned_abs() {
        at = match by > 0 {
            true if at >= units.len() => return Err(out()),
            true => at + if is_pair(at) { 2 } else { 1 },
            false if at == 0 => return Err(out()),
            false => at - if at >= 2 && is_pair(at - 2) { 2 } else { 1 },
        };
    }
    ok_int(at)
}

/// `getChars(from, to, array, at)`.
pub(super) fn copy_units(vm: &mut Vm, a: &[Value]) -> Outcome {
    let units: Vec<u16> = text(&a[0])?.encode_utf16().collect();
    vm.work(units.len() / 8 + 1)?;
    let (from, to, at) = (int(&a[1])?, int(&a[2])?, int(&a[4])?);
    let part = usize::try_from(from).ok().zip(usize::try_from(to).ok()).and_then(|(from, to)| units.get(from..to));
    let Some(part) = part else {
        let what = format!("Range [{from}, {to}) out of bounds for length {}", units.len());
        return Err(throw("StringIndexOutOfBoundsException", what));
    };
    let Some(Data::Array(array)) = a[3].data() else { return Err(super::args::unexpected(&a[3])) };
    let mut array = array.borrow_mut();
    let len = array.len();
    let place = usize::try_from(at).ok().filter(|at| at + part.len() <= len);
    let Some(place) = place else {
        let what = format!("Range [{at}, {at} + {}) out of bounds for length {len}", part.len());
        return Err(throw("StringIndexOutOfBoundsException", what));
    };
    for (i, unit) in part.iter().enumerate() {
        array.set(place + i, Value::Char(*unit));
    }
    Ok(Value::Null)
}

const STRING: &[Row] = &[
    Row("new()", |vm, _| vm.string("")),
    Row("static String copyValueOf(char[])", |vm, a| {
        let Array::Char(units) = super::args::array(&a[0])?.borrow().clone() else {
            return Err(super::args::unexpected(&a[0]));
        };
        vm.string(String::from_utf16_lossy(&units))
    }),
    Row("static String copyValueOf(char[],int,int)", |vm, a| {
        let Array::Char(units) = super::args::array(&a[0])?.borrow().clone() else {
            return Err(super::args::unexpected(&a[0]));
        };
        let (from, count) = (int(&a[1])?, int(&a[2])?);
        let part = usize::try_from(from).ok().zip(usize::try_from(count).ok());
        let part = part.and_then(|(from, count)| units.get(from..from.checked_add(count)?));
        let Some(part) = part else {
            let what = format!("offset {from}, count {count}, length {}", units.len());
            return Err(throw("StringIndexOutOfBoundsException", what));
        };
        vm.string(String::from_utf16_lossy(part))
    }),
    Row("static String format(String,def[])", |vm, a| format(vm, "en", &a[0], &a[1])),
    Row("static String format(Locale,String,def[])", |vm, a| {
        let locale = super::number_format::locale(&a[0])?.to_owned();
        format(vm, &locale, &a[1], &a[2])
    }),
    Row("static String join(CharSequence,Iterable)", |vm, a| {
        let items = items_of(vm, &a[1])?;
        if let Some(other) = items.iter().find(|item| !item.is_null() && text(item).is_err()) {
            return Err(no_cast(&other.java_class(), "java.lang.CharSequence"));
        }
        super::list::join(vm, &items, &text(&a[0])?)
    }),
    Row("static String valueOf(def)", |vm, a| {
        let mut out = String::new();
        write_text(vm, &a[0], &mut out)?;
        vm.string(out)
    }),
    Row("int codePointAt(int)", |_, a| {
        let (text, at) = (text(&a[0])?, int(&a[1])?);
        let place = usize::try_from(at).map_err(|_| {
            let what = format!("Index {at} out of bounds for length {}", text.encode_utf16().count());
            throw("StringIndexOutOfBoundsException", what)
        })?;
        code_point_at(&text, place)
    }),
    Row("int codePointCount(int,int)", |_, a| {
        let text = as_text(&a[0])?;
        let (from, to) = (super::args::index(&a[1])?, super::args::index(&a[2])?);
        let (from, to) = (text.byte_of(from), text.byte_of(to));
        ok_int(text.as_str().get(from..to).map_or(0, |part| part.chars().count()))
    }),
    Row("int codePointBefore(int)", |_, a| code_point_before(&a[0], &a[1])),
    Row("int offsetByCodePoints(int,int)", |_, a| offset_by_code_points(&a[0], &a[1], &a[2])),
    Row("void getChars(int,int,char[],int)", copy_units),
    Row("int compareTo(String)", |_, a| Ok(Value::Int(compare(&looked_through(&a[0], 2)?, &text(&a[1])?)))),
    Row("int compareToIgnoreCase(String)", |_, a| {
        Ok(Value::Int(compare(&looked_through(&a[0], 4)?.to_lowercase(), &looked_through(&a[1], 4)?.to_lowercase())))
    }),
    Row("String concat(String)", |vm, a| vm.string(format!("{}{}", text(&a[0])?, text(&a[1])?))),
    Row("boolean contains(CharSequence)", |_, a| ok_bool(looked_through(&a[0], 1)?.contains(&*text(&a[1])?))),
    Row("boolean contentEquals(CharSequence)", |_, a| ok_bool(looked_through(&a[0], 1)? == text(&a[1])?)),
    Row("augmented String decodeBase64()", |vm, a| {
        let bytes = super::misc::decode_base64(text(&a[0])?.as_bytes(), false)?;
        vm.string(String::from_utf8_lossy(&bytes).into_owned())
    }),
    Row("augmented String encodeBase64()", |vm, a| vm.string(super::misc::base64_text(text(&a[0])?.as_bytes()))),
    Row("boolean endsWith(String)", |_, a| ok_bool(text(&a[0])?.ends_with(&*text(&a[1])?))),
    Row("boolean startsWith(String)", |_, a| ok_bool(text(&a[0])?.starts_with(&*text(&a[1])?))),
    Row("boolean startsWith(String,int)", |_, a| {
        let text = as_text(&a[0])?;
        let from = text.byte_of(int(&a[2])?.max(0) as usize);
        ok_bool(text.as_str()[from..].starts_with(&*super::args::text(&a[1])?))
    }),
    Row("boolean equalsIgnoreCase(String)", |_, a| {
        ok_bool(!a[1].is_null() && looked_through(&a[0], 4)?.to_lowercase() == looked_through(&a[1], 4)?.to_lowercase())
    }),
    Row("int indexOf(String)", |_, a| index_of(&a[0], &a[1], 0)),
    Row("int indexOf(String,int)", |_, a| index_of(&a[0], &a[1], int(&a[2])?)),
    Row("int lastIndexOf(String)", |_, a| last_index_of(&a[0], &a[1], None)),
    Row("int lastIndexOf(String,int)", |_, a| last_index_of(&a[0], &a[1], Some(int(&a[2])?))),
    Row("boolean isEmpty()", |_, a| ok_bool(text(&a[0])?.is_empty())),
    Row("boolean regionMatches(int,String,int,int)", |_, a| {
        region(&a[0], int(&a[1])?, &a[2], int(&a[3])?, int(&a[4])?, false)
    }),
    Row("boolean regionMatches(boolean,int,String,int,int)", |_, a| {
        region(&a[0], int(&a[2])?, &a[3], int(&a[4])?, int(&a[5])?, boolean(&a[1])?)
    }),
    Row("String replace(CharSequence,CharSequence)", replace),
    Row("augmented String[] splitOnToken(String)", |vm, a| split_on_token(vm, &a[0], &a[1], -1)),
    Row("augmented String[] splitOnToken(String,int)", |vm, a| split_on_token(vm, &a[0], &a[1], int(&a[2])?)),
    Row("String substring(int)", |vm, a| substring(vm, &a[0], int(&a[1])?, None)),
    Row("String substring(int,int)", |vm, a| substring(vm, &a[0], int(&a[1])?, Some(int(&a[2])?))),
    Row("char[] toCharArray()", |vm, a| {
        let units = units(vm, &a[0])?;
        vm.alloc(Data::Array(Array::Char(units).into()))
    }),
    Row("String toLowerCase()", |vm, a| unless_same(vm, &a[0], &looked_through(&a[0], 4)?.to_lowercase())),
    Row("String toLowerCase(Locale)", |vm, a| unless_same(vm, &a[0], &looked_through(&a[0], 4)?.to_lowercase())),
    Row("String toUpperCase()", |vm, a| unless_same(vm, &a[0], &looked_through(&a[0], 4)?.to_uppercase())),
    Row("String toUpperCase(Locale)", |vm, a| unless_same(vm, &a[0], &looked_through(&a[0], 4)?.to_uppercase())),
    Row("String trim()", |vm, a| unless_same(vm, &a[0], text(&a[0])?.trim_matches(|c: char| c <= ' '))),
];

/// A text made of another: the very same where nothing of it changed, as in Java.
fn unless_same(vm: &mut Vm, of: &Value, made: &str) -> Outcome {
    if made == &*text(of)? { Ok(of.clone()) } else { vm.string(made) }
}

fn region(of: &Value, at: i32, other: &Value, from: i32, len: i32, fold: bool) -> Outcome {
    let (a, b) = (as_text(of)?, as_text(other)?);
    let slice = |text: &Text, at: i32| {
        let (at, len) = (usize::try_from(at).ok()?, usize::try_from(len).unwrap_or(0));
        (at + len <= text.len()).then(|| text.slice(at, at + len))
    };
    let (Some(x), Some(y)) = (slice(&a, at), slice(&b, from)) else { return ok_bool(false) };
    ok_bool(if fold { x.to_lowercase() == y.to_lowercase() } else { x == y })
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.CharSequence", &[], SEQUENCE),
    ClassRow::new("java.lang.String", &["CharSequence", "Comparable", "StringMoreBase"], STRING),
];

/// Reads a unit, so that both kinds of character arguments are accepted.
pub(super) fn unit_text(value: &Value) -> Result<String, Failed> {
    Ok(String::from_utf16_lossy(&[unit(value)?]))
}
