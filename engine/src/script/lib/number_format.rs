//! `DecimalFormat`, `NumberFormat` and `DecimalFormatSymbols`: numbers by a pattern.

use super::super::class::{ClassRow, Row};
use super::super::decimal::{Decimal, MathContext, Rounding};
use super::super::error::{Failed, Outcome, illegal, throw};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{boolean, int, ok_bool, text, unexpected};
use super::decimal::{rounding, rounding_mode};
use std::cell::RefCell;

/// Most digits that are written, whatever a pattern asks for.
const DIGITS_MAX: i32 = 340;

/// A format of numbers.
#[derive(Clone, Debug)]
pub struct NumberFormat {
    pattern: String,
    symbols: Symbols,
    /// Before and behind numbers, and the same for negative ones.
    positive: (String, String),
    negative: (String, String),
    /// Least and most digits before the point and behind it.
    whole: (i32, i32),
    fraction: (i32, i32),
    grouping: i32,
    is_grouping: bool,
    multiplier: i32,
    /// Least digits of an exponent, where there is one.
    exponent: Option<i32>,
    always_point: bool,
    rounding: Rounding,
    whole_only: bool,
}

/// What stands between whole numbers and fractions, and between groups of digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symbols {
    point: char,
    group: char,
}

impl Symbols {
    /// Those of a language.
    pub fn of(locale: &str) -> Self {
        let (point, group) = match locale.split('_').next().unwrap_or_default() {
            "de" | "it" | "es" | "nl" | "pt" | "tr" | "id" | "da" => (',', '.'),
            "fr" => (',', '\u{202f}'),
            "ru" | "pl" | "cs" | "sv" | "fi" | "nb" | "no" | "uk" | "hu" => (',', '\u{a0}'),
            _ => ('.', ','),
        };
        Self { point, group }
    }

    pub fn point(self) -> char {
        self.point
    }

    pub fn group(self) -> char {
        self.group
    }
}

#[cold]
fn malformed(pattern: &str) -> Failed {
    illegal(format!("Malformed pattern \"{pattern}\""))
}

impl NumberFormat {
    pub fn new(pattern: &str, symbols: Symbols) -> Result<Self, Failed> {
        let mut out = Self {
            pattern: pattern.to_owned(),
            symbols,
            positive: Default::default(),
            negative: Default::default(),
            whole: (0, DIGITS_MAX),
            fraction: (0, DIGITS_MAX),
            grouping: 0,
            is_grouping: false,
            multiplier: 1,
            exponent: None,
            always_point: false,
            rounding: Rounding::HalfEven,
            whole_only: false,
        };
        let chars: Vec<char> = pattern.chars().collect();
        let mut at = 0;
        out.positive.0 = out.affix(&chars, &mut at);
        out.digits(&chars, &mut at)?;
        out.positive.1 = out.affix(&chars, &mut at);
        out.negative = (format!("-{}", out.positive.0), out.positive.1.clone());
        if chars.get(at) == Some(&';') {
            at += 1;
            let multiplier = out.multiplier;
            let before = out.affix(&chars, &mut at);
            while chars.get(at).is_some_and(|c| "#0,.E".contains(*c)) {
                at += 1;
            }
            let behind = out.affix(&chars, &mut at);
            out.multiplier = multiplier;
            if (&before, &behind) != (&out.positive.0, &out.positive.1) {
                out.negative = (before, behind);
            }
        }
        match at == chars.len() {
            true => Ok(out),
            false => Err(illegal(format!("Unquoted special character '{}' in pattern \"{pattern}\"", chars[at]))),
        }
    }

    /// What stands before or behind the digits; quotes keep special characters.
    fn affix(&mut self, chars: &[char], at: &mut usize) -> String {
        let (mut out, mut quoted) = (String::new(), false);
        while let Some(c) = chars.get(*at) {
            match c {
                '\'' if chars.get(*at + 1) == Some(&'\'') => {
                    out.push('\'');
                    *at += 1;
                }
                '\'' => quoted = !quoted,
                '#' | '0' | ',' | '.' | ';' if !quoted => break,
                '%' | '‰' if !quoted => {
                    self.multiplier = if *c == '%' { 100 } else { 1000 };
                    out.push(*c);
                }
                // The code of no currency: patterns are of no country.
                '¤' if !quoted => out.push_str("XXX"),
                c => out.push(*c),
            }
            *at += 1;
        }
        out
    }

    fn digits(&mut self, chars: &[char], at: &mut usize) -> Result<(), Failed> {
        let start = *at;
        let (mut left, mut zeros, mut right) = (0, 0, 0);
        let (mut point, mut group) = (None, None);
        while let Some(c) = chars.get(*at) {
            match c {
                '#' if zeros > 0 => right += 1,
                '#' => left += 1,
                '0' if right > 0 => return Err(illegal(format!("Unexpected '0' in pattern \"{}\"", self.pattern))),
                '0' => zeros += 1,
                ',' => group = Some(0),
                '.' if point.is_some() => {
                    let what = format!("Multiple decimal separators in pattern \"{}\"", self.pattern);
                    return Err(illegal(what));
                }
                '.' => point = Some(left + zeros + right),
                _ => break,
            }
            if matches!(c, '#' | '0')
                && point.is_none()
                && let Some(group) = &mut group
            {
                *group += 1;
            }
            *at += 1;
        }
        if chars.get(*at) == Some(&'E') && *at > start {
            let digits = chars[*at + 1..].iter().take_while(|c| **c == '0').count();
            *at += 1 + digits;
            if digits == 0 {
                let what = format!("Malformed exponential pattern \"{}\"", self.pattern);
                return Err(illegal(what));
            }
            self.exponent = Some(digits as i32);
        }
        if *at == start {
            return Ok(());
        }
        if let (0, 1.., Some(at)) = (zeros, left, point) {
            let before = at.max(1);
            (right, left, zeros) = (left - before, before - 1, 1);
        }
        let total: i32 = left + zeros + right;
        if point.is_some_and(|point| point > total || point < left) || group == Some(0) {
            return Err(malformed(&self.pattern));
        }
        let before = point.unwrap_or(total);
        let least = before - left;
        self.whole = (least, if self.exponent.is_some() { left + least } else { DIGITS_MAX });
        self.fraction = point.map_or((0, 0), |point| ((left + zeros - point).max(0), total - point));
        self.is_grouping = group.is_some_and(|group| group > 0);
        self.grouping = group.unwrap_or(0);
        self.always_point = point == Some(0) || point == Some(total);
        Ok(())
    }

    /// A number in this format.
    pub fn format(&self, number: &Value) -> Result<String, Failed> {
        let wide = match number {
            Value::Double(v) => Some(*v),
            Value::Float(v) => Some(f64::from(*v)),
            _ => None,
        };
        if wide.is_some_and(f64::is_nan) {
            return Ok("NaN".to_owned());
        }
        let infinite = wide.filter(|v| v.is_infinite());
        let exact = match (number.data(), wide) {
            _ if infinite.is_some() => Decimal::whole(0),
            (Some(Data::BigDecimal(number)), _) => (**number).clone(),
            (Some(Data::BigInteger(number)), _) => Decimal::new(number.clone(), 0),
            (_, Some(number)) => Decimal::of_double(number).ok_or_else(|| unexpected(&Value::Double(number)))?,
            _ => Decimal::whole(
                super::args::long(number).map_err(|_| illegal("Cannot format given Object as a Number"))?,
            ),
        };
        let is_negative = wide.map_or(exact.signum() < 0, f64::is_sign_negative);
        let body = match infinite {
            Some(_) => "∞".to_owned(),
            None => {
                let times = Decimal::whole(i64::from(self.multiplier));
                let scaled = exact.mul(&times)?;
                match self.exponent {
                    Some(least) => self.scientific(&scaled, least)?,
                    None => self.plain(&self.rounded(&scaled, wide.filter(|_| self.multiplier == 1))?)?,
                }
            }
        };
        let (before, behind) = if is_negative { &self.negative } else { &self.positive };
        Ok(format!("{before}{body}{behind}"))
    }

    /// Rounded to the digits that are shown. The digits of a double decide, but where they are halfway what it is exactly.
    fn rounded(&self, number: &Decimal, double: Option<f64>) -> Result<Decimal, Failed> {
        let places = self.fraction.1;
        if number.scale <= places {
            return Ok(number.clone());
        }
        if let (Rounding::HalfEven | Rounding::HalfUp | Rounding::HalfDown, Some(double)) = (self.rounding, double) {
            let twice = number.add(number)?.with_scale(i64::from(places), Rounding::Down)?;
            let is_half = twice.compare(&number.add(number)?)?.is_eq();
            if is_half && number.scale == places + 1 && double.abs() < 1e15 {
                let exact = Decimal::parse(&format!("{double:.1074}")).unwrap_or_else(|| Ok(number.clone()))?;
                return exact.with_scale(i64::from(places), self.rounding);
            }
        }
        number.with_scale(i64::from(places), self.rounding)
    }

    fn plain(&self, number: &Decimal) -> Result<String, Failed> {
        let shown = Decimal::new(number.unscaled.abs(), number.scale).plain()?;
        let (whole, fraction) = shown.split_once('.').unwrap_or((&shown, ""));
        let whole = whole.trim_start_matches('0');
        let whole = format!("{whole:0>least$}", least = self.whole.0 as usize);
        let whole = &whole[whole.len().saturating_sub(self.whole.1 as usize)..];
        let fraction = fraction.trim_end_matches('0');
        let fraction = format!("{fraction:0<least$}", least = self.fraction.0 as usize);
        let mut out = String::with_capacity(whole.len() * 2 + fraction.len() + 1);
        for (i, digit) in whole.chars().enumerate() {
            let left = whole.len() - i;
            if i > 0 && self.is_grouping && self.grouping > 0 && left % self.grouping as usize == 0 {
                out.push(self.symbols.group);
            }
            out.push(digit);
        }
        if whole.is_empty() && fraction.is_empty() {
            out.push('0');
        }
        if self.always_point || !fraction.is_empty() {
            out.push(self.symbols.point);
        }
        out.push_str(&fraction);
        Ok(out)
    }

    fn scientific(&self, number: &Decimal, least: i32) -> Result<String, Failed> {
        let most = (self.whole.1 + self.fraction.1).max(1) as u32;
        let number = number.round(MathContext { digits: most, rounding: self.rounding })?;
        let digits = number.unscaled.digits();
        let is_zero = number.signum() == 0;
        // The point stands behind so many digits.
        let at = if is_zero { 0 } else { digits.len() as i32 - number.scale };
        let digits = digits.trim_end_matches('0');
        let repeat = self.whole.1;
        let mut exponent = at;
        let mut minimum = self.whole.0;
        if repeat > 1 && repeat > minimum {
            exponent = (exponent - 1).div_euclid(repeat) * repeat;
            minimum = 1;
        } else {
            exponent -= minimum;
        }
        let before = if is_zero { minimum } else { at - exponent };
        let total = (digits.len() as i32).max((self.whole.0 + self.fraction.0).max(before));
        let mut out = String::new();
        for i in 0..total {
            if i == before {
                out.push(self.symbols.point);
            }
            out.push(digits.as_bytes().get(i as usize).map_or('0', |digit| char::from(*digit)));
        }
        if self.always_point && total == before {
            out.push(self.symbols.point);
        }
        let exponent = if is_zero { 0 } else { exponent };
        let sign = if exponent < 0 { "-" } else { "" };
        out.push_str(&format!("E{sign}{:0width$}", exponent.abs(), width = least as usize));
        Ok(out)
    }

    /// Reads a number at the begin of a text.
    pub fn parse(&self, given: &str) -> Outcome {
        let bad = || throw("ParseException", format!("Unparseable number: \"{given}\""));
        let strip = |affixes: &(String, String)| given.strip_prefix(affixes.0.as_str());
        let (rest, sign) = match (strip(&self.positive), strip(&self.negative)) {
            (Some(rest), _) if rest.starts_with(|c: char| c.is_ascii_digit() || c == self.symbols.point) => (rest, ""),
            (_, Some(rest)) => (rest, "-"),
            _ => return Err(bad()),
        };
        let (mut number, mut has_point) = (String::from(sign), false);
        for c in rest.chars() {
            match c {
                '0'..='9' => number.push(c),
                c if c == self.symbols.point && !has_point && !self.whole_only => {
                    has_point = true;
                    number.push('.');
                }
                c if c == self.symbols.group && self.is_grouping && !has_point => {}
                _ => break,
            }
        }
        let Some(Ok(number)) = Decimal::parse(&number) else { return Err(bad()) };
        let number = number.to_f64() / f64::from(self.multiplier);
        match number.fract() == 0.0 && number.abs() < 9e15 && !(number == 0.0 && sign == "-") {
            true => Ok(Value::Long(number as i64)),
            false => Ok(Value::Double(number)),
        }
    }
}

fn of(value: &Value) -> Result<&RefCell<NumberFormat>, Failed> {
    match value.data() {
        Some(Data::NumberFormat(format)) => Ok(format),
        _ => Err(unexpected(value)),
    }
}

fn new(vm: &mut Vm, pattern: &str, symbols: Symbols) -> Outcome {
    vm.grow(pattern.len() * 4 + 256)?;
    let format = NumberFormat::new(pattern, symbols)?;
    vm.alloc(Data::NumberFormat(Box::new(format.into())))
}

fn symbols(value: &Value) -> Result<&RefCell<Symbols>, Failed> {
    match value.data() {
        Some(Data::Symbols(symbols)) => Ok(symbols),
        _ => Err(unexpected(value)),
    }
}

/// The text of a locale.
pub(super) fn locale(value: &Value) -> Result<&str, Failed> {
    match value.data() {
        Some(Data::Locale(name)) => Ok(name),
        _ => Err(unexpected(value)),
    }
}

/// Digits that a setter may set: the least go up with the most, and down.
fn set(range: &mut (i32, i32), least: Option<i32>, most: Option<i32>) {
    if let Some(least) = least {
        range.0 = least.clamp(0, DIGITS_MAX);
        range.1 = range.1.max(range.0);
    }
    if let Some(most) = most {
        range.1 = most.clamp(0, DIGITS_MAX);
        range.0 = range.0.min(range.1);
    }
}

const NUMBER: &str = "#,##0.###";

fn whole_numbers(vm: &mut Vm, locale: &str) -> Outcome {
    let made = new(vm, "#,##0", Symbols::of(locale))?;
    of(&made)?.borrow_mut().whole_only = true;
    Ok(made)
}

const NUMBER_FORMAT: &[Row] = &[
    Row("static NumberFormat getInstance()", |vm, _| new(vm, NUMBER, Symbols::of(""))),
    Row("static NumberFormat getInstance(Locale)", |vm, a| new(vm, NUMBER, Symbols::of(locale(&a[0])?))),
    Row("static NumberFormat getNumberInstance()", |vm, _| new(vm, NUMBER, Symbols::of(""))),
    Row("static NumberFormat getNumberInstance(Locale)", |vm, a| new(vm, NUMBER, Symbols::of(locale(&a[0])?))),
    Row("static NumberFormat getIntegerInstance()", |vm, _| whole_numbers(vm, "")),
    Row("static NumberFormat getIntegerInstance(Locale)", |vm, a| whole_numbers(vm, locale(&a[0])?)),
    Row("static NumberFormat getPercentInstance()", |vm, _| new(vm, "#,##0%", Symbols::of(""))),
    Row("static NumberFormat getPercentInstance(Locale)", |vm, a| new(vm, "#,##0%", Symbols::of(locale(&a[0])?))),
    Row("def clone()", |vm, a| {
        let copy = of(&a[0])?.borrow().clone();
        vm.grow(256)?;
        vm.alloc(Data::NumberFormat(Box::new(copy.into())))
    }),
    Row("String format(Object)", |vm, a| {
        vm.work(100)?;
        let shown = of(&a[0])?.borrow().format(&a[1])?;
        vm.string(shown)
    }),
    Row("Number parse(String)", |_, a| of(&a[0])?.borrow().parse(&text(&a[1])?)),
    Row("Object parseObject(String)", |_, a| of(&a[0])?.borrow().parse(&text(&a[1])?)),
    Row("int getMaximumFractionDigits()", |_, a| Ok(Value::Int(of(&a[0])?.borrow().fraction.1))),
    Row("int getMinimumFractionDigits()", |_, a| Ok(Value::Int(of(&a[0])?.borrow().fraction.0))),
    Row("int getMaximumIntegerDigits()", |_, a| {
        let most = of(&a[0])?.borrow().whole.1;
        Ok(Value::Int(if most == DIGITS_MAX { i32::MAX } else { most }))
    }),
    Row("int getMinimumIntegerDigits()", |_, a| Ok(Value::Int(of(&a[0])?.borrow().whole.0))),
    Row("void setMaximumFractionDigits(int)", |_, a| {
        set(&mut of(&a[0])?.borrow_mut().fraction, None, Some(int(&a[1])?));
        Ok(Value::Null)
    }),
    Row("void setMinimumFractionDigits(int)", |_, a| {
        set(&mut of(&a[0])?.borrow_mut().fraction, Some(int(&a[1])?), None);
        Ok(Value::Null)
    }),
    Row("void setMaximumIntegerDigits(int)", |_, a| {
        set(&mut of(&a[0])?.borrow_mut().whole, None, Some(int(&a[1])?));
        Ok(Value::Null)
    }),
    Row("void setMinimumIntegerDigits(int)", |_, a| {
        set(&mut of(&a[0])?.borrow_mut().whole, Some(int(&a[1])?), None);
        Ok(Value::Null)
    }),
    Row("RoundingMode getRoundingMode()", |vm, a| {
        let mode = of(&a[0])?.borrow().rounding;
        rounding_mode(vm, mode)
    }),
    Row("void setRoundingMode(RoundingMode)", |_, a| {
        of(&a[0])?.borrow_mut().rounding = rounding(&a[1])?;
        Ok(Value::Null)
    }),
    Row("boolean isGroupingUsed()", |_, a| ok_bool(of(&a[0])?.borrow().is_grouping)),
    Row("void setGroupingUsed(boolean)", |_, a| {
        of(&a[0])?.borrow_mut().is_grouping = boolean(&a[1])?;
        Ok(Value::Null)
    }),
    Row("boolean isParseIntegerOnly()", |_, a| ok_bool(of(&a[0])?.borrow().whole_only)),
    Row("void setParseIntegerOnly(boolean)", |_, a| {
        of(&a[0])?.borrow_mut().whole_only = boolean(&a[1])?;
        Ok(Value::Null)
    }),
];

const DECIMAL_FORMAT: &[Row] = &[
    Row("new()", |vm, _| new(vm, NUMBER, Symbols::of(""))),
    Row("new(String)", |vm, a| new(vm, &text(&a[0])?, Symbols::of(""))),
    Row("new(String,DecimalFormatSymbols)", |vm, a| {
        let symbols = *symbols(&a[1])?.borrow();
        new(vm, &text(&a[0])?, symbols)
    }),
    Row("void applyPattern(String)", |_, a| {
        let mut format = of(&a[0])?.borrow_mut();
        let (symbols, rounding) = (format.symbols, format.rounding);
        *format = NumberFormat { rounding, ..NumberFormat::new(&text(&a[1])?, symbols)? };
        Ok(Value::Null)
    }),
    Row("void setDecimalFormatSymbols(DecimalFormatSymbols)", |_, a| {
        of(&a[0])?.borrow_mut().symbols = *symbols(&a[1])?.borrow();
        Ok(Value::Null)
    }),
    Row("DecimalFormatSymbols getDecimalFormatSymbols()", |vm, a| {
        let symbols = of(&a[0])?.borrow().symbols;
        vm.alloc(Data::Symbols(symbols.into()))
    }),
    Row("int getGroupingSize()", |_, a| Ok(Value::Int(of(&a[0])?.borrow().grouping))),
    Row("void setGroupingSize(int)", |_, a| {
        of(&a[0])?.borrow_mut().grouping = int(&a[1])?.clamp(0, 127);
        Ok(Value::Null)
    }),
    Row("int getMultiplier()", |_, a| Ok(Value::Int(of(&a[0])?.borrow().multiplier))),
    Row("void setMultiplier(int)", |_, a| {
        of(&a[0])?.borrow_mut().multiplier = int(&a[1])?;
        Ok(Value::Null)
    }),
    Row("String getPositivePrefix()", |vm, a| vm.string(of(&a[0])?.borrow().positive.0.clone())),
    Row("String getPositiveSuffix()", |vm, a| vm.string(of(&a[0])?.borrow().positive.1.clone())),
    Row("String getNegativePrefix()", |vm, a| vm.string(of(&a[0])?.borrow().negative.0.clone())),
    Row("String getNegativeSuffix()", |vm, a| vm.string(of(&a[0])?.borrow().negative.1.clone())),
    Row("boolean isDecimalSeparatorAlwaysShown()", |_, a| ok_bool(of(&a[0])?.borrow().always_point)),
    Row("void setDecimalSeparatorAlwaysShown(boolean)", |_, a| {
        of(&a[0])?.borrow_mut().always_point = boolean(&a[1])?;
        Ok(Value::Null)
    }),
];

const SYMBOLS: &[Row] = &[
    Row("new()", |vm, _| vm.alloc(Data::Symbols(Symbols::of("").into()))),
    Row("new(Locale)", |vm, a| vm.alloc(Data::Symbols(Symbols::of(locale(&a[0])?).into()))),
    Row("static DecimalFormatSymbols getInstance()", |vm, _| vm.alloc(Data::Symbols(Symbols::of("").into()))),
    Row("static DecimalFormatSymbols getInstance(Locale)", |vm, a| {
        vm.alloc(Data::Symbols(Symbols::of(locale(&a[0])?).into()))
    }),
    Row("char getDecimalSeparator()", |_, a| Ok(Value::Char(symbols(&a[0])?.borrow().point as u32 as u16))),
    Row("char getGroupingSeparator()", |_, a| Ok(Value::Char(symbols(&a[0])?.borrow().group as u32 as u16))),
    Row("void setDecimalSeparator(char)", |_, a| {
        symbols(&a[0])?.borrow_mut().point = character(&a[1])?;
        Ok(Value::Null)
    }),
    Row("void setGroupingSeparator(char)", |_, a| {
        symbols(&a[0])?.borrow_mut().group = character(&a[1])?;
        Ok(Value::Null)
    }),
];

fn character(value: &Value) -> Result<char, Failed> {
    Ok(char::from_u32(u32::from(super::args::unit(value)?)).unwrap_or(char::REPLACEMENT_CHARACTER))
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.text.Format", &[], &[]),
    ClassRow::new("java.text.NumberFormat", &["Format"], NUMBER_FORMAT),
    ClassRow::new("java.text.DecimalFormat", &["NumberFormat"], DECIMAL_FORMAT),
    ClassRow::new("java.text.DecimalFormatSymbols", &[], SYMBOLS),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &str, number: f64) -> String {
        NumberFormat::new(pattern, Symbols::of("")).unwrap().format(&Value::Double(number)).unwrap()
    }

    #[test]
    fn patterns() {
        assert_eq!(shown("#.##", 1234.567), "1234.57");
        assert_eq!(shown("#,##0.00", 1234567.891), "1,234,567.89");
        assert_eq!(shown("0.00", 0.125), "0.12");
        assert_eq!(shown("0.00", 1.005), "1.00");
        assert_eq!(shown("#", 0.0), "0");
        assert_eq!(shown(".##", 0.5), ".5");
        assert_eq!(shown("00.0", -3.0), "-03.0");
        assert_eq!(shown("#0.0%", 0.256), "25.6%");
        assert_eq!(shown("0.###E0", 12345.0), "1.234E4");
        assert_eq!(shown("##0.##E0", 12345.678), "12.346E3");
        assert_eq!(shown("'#'0;(0)", -2.0), "(2)");
        assert!(
            NumberFormat::new("0.0.0", Symbols::of("")).is_err() && NumberFormat::new("#0#0", Symbols::of("")).is_err()
        );
    }
}
