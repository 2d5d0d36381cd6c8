//! `String.format`: texts with places for arguments, as `java.util.Formatter` has them.
//!
//! All places are read and checked before the first argument is looked at. [`Spec`]: a place. `numbers`: numbers as they are shown.
//! `dates`: parts of dates.

mod dates;
mod numbers;

use super::super::error::{Failed, throw};
use super::super::value::Value;
use super::super::vm::Vm;
use super::number_format::Symbols;
use super::write_text;
use crate::mapping::date::Names;

/// Flags in the order in which errors tell them.
const FLAGS: &str = "-#+ 0,(<";
/// The conversions that there are, small.
const CONVERSIONS: &str = "bhscdoxefga%n";
/// Those that have a form in capitals.
const CAPITALS: &str = "BHSCXEGA";

/// The language of a format: its marks of numbers and its names.
pub(super) struct Language {
    symbols: Symbols,
    names: Names,
}

impl Language {
    pub(super) fn of(locale: &str) -> Self {
        Self { symbols: Symbols::of(locale), names: Names::of_locale(locale) }
    }
}

/// Which argument is meant.
#[derive(Clone, Copy, PartialEq)]
enum Argument {
    Next,
    Same,
    At(usize),
}

/// A place for an argument.
struct Spec {
    argument: Argument,
    /// In the order of [`FLAGS`].
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
    /// Whether it is a part of a date.
    of_date: bool,
    capitals: bool,
    /// Small, but for parts of dates.
    conversion: char,
}

enum Part {
    Text(String),
    Place(Spec),
}

/// The text that a pattern makes of arguments. Without a list of these each of them is null.
pub(super) fn format(
    vm: &mut Vm,
    language: &Language,
    pattern: &str,
    args: Option<&[Value]>,
) -> Result<String, Failed> {
    vm.work(pattern.len())?;
    let parts = read(pattern)?;
    let (mut out, mut next, mut last) = (String::new(), 0, None);
    for part in parts {
        let spec = match part {
            Part::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Part::Place(spec) => spec,
        };
        vm.grow(spec.width.unwrap_or(0).saturating_add(spec.precision.unwrap_or(0)))?;
        if spec.takes_nothing() {
            out.push_str(&spec.justified(if spec.conversion == 'n' { "\n" } else { "%" }));
            continue;
        }
        let at = match spec.argument {
            Argument::Next => {
                next += 1;
                Some(next - 1)
            }
            Argument::Same => last,
            Argument::At(at) => Some(at - 1),
        };
        last = at;
        let arg = at.and_then(|at| args.map_or(Some(&Value::Null), |args| args.get(at)));
        let Some(arg) = arg else {
            return Err(throw("MissingFormatArgumentException", format!("Format specifier '{}'", spec.text())));
        };
        let text = spec.shown(vm, language, arg)?;
        vm.grow(text.len())?;
        out.push_str(&text);
    }
    Ok(out)
}

/// Takes a pattern apart.
fn read(pattern: &str) -> Result<Vec<Part>, Failed> {
    let mut parts = vec![];
    let mut rest = pattern;
    while let Some((text, behind)) = rest.split_once('%') {
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
        let Some(first) = behind.chars().next() else { return Err(unknown("%")) };
        let (spec, behind) = read_spec(behind)?.ok_or_else(|| unknown(&first.to_string()))?;
        spec.check()?;
        parts.push(Part::Place(spec));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}

#[cold]
fn unknown(conversion: &str) -> Failed {
    throw("UnknownFormatConversionException", format!("Conversion = '{conversion}'"))
}

/// The place that begins behind its sign, and what comes behind it; none if it has no conversion.
fn read_spec(text: &str) -> Result<Option<(Spec, &str)>, Failed> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut rest, mut argument) = (text, Argument::Next);
    let length = digits(rest);
    if length > 0 && rest[length..].starts_with('$') {
        argument = match rest[..length].parse::<i32>() {
            Ok(0) => return Err(illegal_index("Illegal format argument index = 0")),
            Ok(at) => Argument::At(at as usize),
            Err(_) => return Err(illegal_index("Format argument index: (not representable as int)")),
        };
        rest = &rest[length + 1..];
    }
    let length = rest.bytes().take_while(|byte| FLAGS.contains(char::from(*byte))).count();
    let (given, behind) = rest.split_at(length);
    if let Some((at, flag)) = given.char_indices().find(|(at, flag)| given[..*at].contains(*flag)) {
        debug_assert!(at > 0, "the first flag is no second one");
        return Err(throw("DuplicateFormatFlagsException", format!("Flags = '{flag}'")));
    }
    let flags: String = FLAGS.chars().filter(|flag| given.contains(*flag)).collect();
    if flags.contains('<') && argument == Argument::Next {
        argument = Argument::Same;
    }
    rest = behind;
    let length = digits(rest);
    let width = read_size(&rest[..length], "IllegalFormatWidthException")?;
    rest = &rest[length..];
    let mut precision = None;
    if let Some(behind) = rest.strip_prefix('.') {
        let length = digits(behind);
        precision = read_size(&behind[..length], "IllegalFormatPrecisionException")?;
        if precision.is_none() {
            return Ok(None);
        }
        rest = &behind[length..];
    }
    let of_date = rest.starts_with(['t', 'T']);
    let mut capitals = rest.starts_with('T');
    rest = if of_date { &rest[1..] } else { rest };
    let Some(given) = rest.chars().next().filter(|c| c.is_ascii_alphabetic() || *c == '%') else { return Ok(None) };
    let mut conversion = given;
    if !of_date {
        capitals = CAPITALS.contains(given);
        if !capitals && !CONVERSIONS.contains(given) {
            return Err(unknown(&given.to_string()));
        }
        conversion = given.to_ascii_lowercase();
    }
    let spec = Spec { argument, flags, width, precision, of_date, capitals, conversion };
    Ok(Some((spec, &rest[1..])))
}

/// A width or a precision, if there is one.
fn read_size(digits: &str, refusal: &'static str) -> Result<Option<usize>, Failed> {
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse::<i32>() {
        Ok(size) => Ok(Some(size as usize)),
        Err(_) => Err(throw(refusal, i32::MIN.to_string())),
    }
}

#[cold]
fn illegal_index(told: &str) -> Failed {
    throw("IllegalFormatArgumentIndexException", told)
}

impl Spec {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn takes_nothing(&self) -> bool {
        !self.of_date && matches!(self.conversion, '%' | 'n')
    }

    /// As errors show it.
    fn text(&self) -> String {
        let mut out = format!("%{}", self.flags);
        if let Argument::At(at) = self.argument {
            out += &format!("{at}$");
        }
        out += &self.width.map_or(String::new(), |width| width.to_string());
        out += &self.precision.map_or(String::new(), |precision| format!(".{precision}"));
        match (self.of_date, self.capitals) {
            (true, true) => out.push('T'),
            (true, false) => out.push('t'),
            _ => {}
        }
        out.push(if self.capitals && !self.of_date { self.conversion.to_ascii_uppercase() } else { self.conversion });
        out
    }

    /// What is wrong with it, whatever the argument is.
    fn check(&self) -> Result<(), Failed> {
        if self.of_date {
            self.no_precision()?;
            if !dates::CONVERSIONS.contains(self.conversion) {
                return Err(unknown(&format!("t{}", self.conversion)));
            }
            self.none_of("#+ 0,(")?;
            return self.has_width_for("-");
        }
        match self.conversion {
            '%' | 'n' => self.check_text(),
            'c' => {
                self.no_precision()?;
                self.none_of("#+ 0,(")?;
                self.has_width_for("-")
            }
            'd' | 'o' | 'x' => {
                self.check_numeric()?;
                self.no_precision()?;
                self.none_of(if self.conversion == 'd' { "#" } else { "," })
            }
            'e' | 'f' | 'g' | 'a' => {
                self.check_numeric()?;
                self.none_of(match self.conversion {
                    'a' => "(,",
                    'e' => ",",
                    'g' => "#",
                    _ => "",
                })
            }
            _ => {
                if self.conversion != 's' {
                    self.none_of("#")?;
                }
                self.has_width_for("-")?;
                self.none_of("+ 0,(")
            }
        }
    }

    fn check_text(&self) -> Result<(), Failed> {
        self.no_precision()?;
        let only = if self.conversion == '%' { "-" } else { "" };
        if let (Some(width), 'n') = (self.width, self.conversion) {
            return Err(throw("IllegalFormatWidthException", width.to_string()));
        }
        if self.flags != only && !self.flags.is_empty() {
            return Err(throw("IllegalFormatFlagsException", format!("Flags = '{}'", self.flags)));
        }
        self.has_width_for("-")
    }

    fn check_numeric(&self) -> Result<(), Failed> {
        self.has_width_for("-0")?;
        if (self.has('+') && self.has(' ')) || (self.has('-') && self.has('0')) {
            return Err(throw("IllegalFormatFlagsException", format!("Flags = '{}'", self.flags)));
        }
        Ok(())
    }

    fn no_precision(&self) -> Result<(), Failed> {
        match self.precision {
            Some(precision) => Err(throw("IllegalFormatPrecisionException", precision.to_string())),
            None => Ok(()),
        }
    }

    fn has_width_for(&self, flags: &str) -> Result<(), Failed> {
        match self.width.is_none() && flags.chars().any(|flag| self.has(flag)) {
            true => Err(throw("MissingFormatWidthException", self.text())),
            false => Ok(()),
        }
    }

    /// None of these flags go with the conversion.
    fn none_of(&self, flags: &str) -> Result<(), Failed> {
        let Some(flag) = flags.chars().find(|flag| self.has(*flag)) else { return Ok(()) };
        let told = format!("Conversion = {}, Flags = {flag}", self.conversion);
        Err(throw("FormatFlagsConversionMismatchException", told))
    }

    /// The argument is of a class that the conversion does not take.
    #[cold]
    fn not_for(&self, arg: &Value) -> Failed {
        let told = format!("{} != {}", self.conversion, arg.java_class());
        throw("IllegalFormatConversionException", told)
    }

    fn shown(&self, vm: &mut Vm, language: &Language, arg: &Value) -> Result<String, Failed> {
        let text = match self.conversion {
            _ if self.of_date && arg.is_null() => "null".to_owned(),
            _ if self.of_date => dates::part(self, arg, language.names)?,
            's' => {
                self.none_of("#")?;
                let mut text = String::new();
                write_text(vm, arg, &mut text)?;
                self.cut(text)
            }
            'b' => match arg {
                Value::Bool(value) => self.cut(value.to_string()),
                other => self.cut((!other.is_null()).to_string()),
            },
            'h' if !arg.is_null() => self.cut(format!("{:x}", super::display::hash(arg, 0))),
            'h' => self.cut("null".to_owned()),
            _ if arg.is_null() => self.cut("null".to_owned()),
            'c' => self.character(arg)?,
            'd' | 'o' | 'x' => numbers::whole(self, arg, language.symbols)?,
            _ => numbers::fraction(self, arg, language.symbols)?,
        };
        let text = if self.capitals { text.to_uppercase() } else { text };
        Ok(self.justified(&text))
    }

    /// No more of a text than the precision has.
    fn cut(&self, text: String) -> String {
        match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text,
        }
    }

    fn character(&self, arg: &Value) -> Result<String, Failed> {
        let point = match arg {
            Value::Char(unit) => return Ok(String::from_utf16_lossy(&[*unit])),
            Value::Byte(point) => i32::from(*point),
            Value::Short(point) => i32::from(*point),
            Value::Int(point) => *point,
            _ => return Err(self.not_for(arg)),
        };
        let c = u32::try_from(point).ok().and_then(char::from_u32);
        c.map(String::from).ok_or_else(|| throw("IllegalFormatCodePointException", format!("Code point = {point:#x}")))
    }

    /// A text in the width that is wanted.
    fn justified(&self, text: &str) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.encode_utf16().count());
        let space = " ".repeat(missing);
        if self.has('-') { format!("{text}{space}") } else { format!("{space}{text}") }
    }
}
