//! Numbers as formats show them.

use super::super::super::error::Failed;
use super::super::super::value::{Data, Value};
use super::super::args::double;
use super::super::number_format::Symbols;
use super::super::plain;
use super::Spec;

/// A whole number.
pub fn whole(spec: &Spec, arg: &Value, symbols: Symbols) -> Result<String, Failed> {
    let (value, bits) = match arg {
        Value::Byte(value) => (i64::from(*value), 8),
        Value::Short(value) => (i64::from(*value), 16),
        Value::Int(value) => (i64::from(*value), 32),
        Value::Long(value) => (*value, 64),
        _ => match arg.data() {
            Some(Data::BigInteger(number)) => {
                let radix = match spec.conversion {
                    'd' => 10,
                    'o' => 8,
                    _ => 16,
                };
                return Ok(big(spec, &number.radix_text(radix), symbols));
            }
            _ => return Err(spec.not_for(arg)),
        },
    };
    if spec.conversion == 'd' {
        return Ok(decimal(spec, value < 0, &value.unsigned_abs().to_string(), symbols));
    }
    spec.none_of("( +")?;
    let value = value as u64 & (u64::MAX >> (64 - bits));
    let (sign, digits) = match spec.conversion {
        'o' => ("0", format!("{value:o}")),
        _ => ("0x", format!("{value:x}")),
    };
    let sign = if spec.has('#') { sign } else { "" };
    Ok(format!("{sign}{}{digits}", zeros(spec, sign.len() + digits.len())))
}

/// A number of any length: its digits keep their sign in all notations.
fn big(spec: &Spec, text: &str, symbols: Symbols) -> String {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let mark = match spec.conversion {
        'd' => return decimal(spec, negative, digits, symbols),
        'o' => "0",
        _ => "0x",
    };
    let (before, behind) = signs(spec, negative);
    let mark = if spec.has('#') { mark } else { "" };
    let fill = zeros(spec, before.len() + mark.len() + digits.len() + behind.len());
    format!("{before}{mark}{fill}{digits}{behind}")
}

/// A number without an exponent: `magnitude` has its digits, and a point if it has a fraction.
fn decimal(spec: &Spec, negative: bool, magnitude: &str, symbols: Symbols) -> String {
    let (before, behind) = signs(spec, negative);
    let magnitude = localized(spec, magnitude, symbols);
    let fill = zeros(spec, before.len() + magnitude.chars().count() + behind.len());
    format!("{before}{fill}{magnitude}{behind}")
}

/// What stands before and behind a number.
fn signs(spec: &Spec, negative: bool) -> (&'static str, &'static str) {
    match negative {
        true if spec.has('(') => ("(", ")"),
        true => ("-", ""),
        false if spec.has('+') => ("+", ""),
        false if spec.has(' ') => (" ", ""),
        false => ("", ""),
    }
}

/// Zeros that fill a number of a length up.
fn zeros(spec: &Spec, length: usize) -> String {
    let width = spec.width.filter(|_| spec.has('0')).unwrap_or(0);
    "0".repeat(width.saturating_sub(length))
}

/// With the language's marks, in groups if they are wanted.
fn localized(spec: &Spec, magnitude: &str, symbols: Symbols) -> String {
    let (whole, fraction) = match magnitude.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (magnitude, None),
    };
    let mut out = String::with_capacity(magnitude.len() * 4 / 3 + 1);
    for (at, digit) in whole.chars().enumerate() {
        if spec.has(',') && at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(symbols.group());
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push(symbols.point());
        out.push_str(fraction);
    }
    out
}

/// A number with a fraction.
pub fn fraction(spec: &Spec, arg: &Value, symbols: Symbols) -> Result<String, Failed> {
    if matches!(arg.data(), Some(Data::BigDecimal(_))) && spec.conversion != 'a' {
        let text = plain(arg);
        let (negative, digits) = (text.starts_with('-'), Digits::of(text.trim_start_matches('-')));
        return Ok(shown(spec, negative, &digits, symbols));
    }
    let (Value::Float(_) | Value::Double(_)) = arg else { return Err(spec.not_for(arg)) };
    let value = double(arg)?;
    if value.is_nan() {
        return Ok("NaN".to_owned());
    }
    let negative = value.is_sign_negative();
    if value.is_infinite() {
        let (before, behind) = signs(spec, negative);
        return Ok(format!("{before}Infinity{behind}"));
    }
    if spec.conversion == 'a' {
        let (before, _) = signs(spec, negative);
        let digits = hexadecimal(value.abs(), spec.precision);
        let fill = zeros(spec, digits.len());
        return Ok(format!("{before}0x{fill}{}", &digits[2..]));
    }
    // The shortest digits that are this number are what is rounded, not its exact value.
    Ok(shown(spec, negative, &Digits::of(&format!("{:e}", value.abs())), symbols))
}

fn shown(spec: &Spec, negative: bool, digits: &Digits, symbols: Symbols) -> String {
    let precision = spec.precision.unwrap_or(6);
    let point = |text: String| if spec.has('#') && !text.contains('.') { text + "." } else { text };
    match spec.conversion {
        'f' => decimal(spec, negative, &point(digits.fixed(precision)), symbols),
        'e' => scientific(spec, negative, digits, precision, symbols),
        _ => {
            let precision = precision.max(1);
            if digits.is_zero() {
                return decimal(spec, negative, &digits.fixed(precision - 1), symbols);
            }
            let exponent = digits.rounded(precision as i64).exponent();
            if (-4..precision as i64).contains(&exponent) {
                return decimal(spec, negative, &digits.fixed((precision as i64 - 1 - exponent) as usize), symbols);
            }
            scientific(spec, negative, digits, precision - 1, symbols)
        }
    }
}

/// A digit, a fraction and an exponent of two digits or more.
fn scientific(spec: &Spec, negative: bool, digits: &Digits, precision: usize, symbols: Symbols) -> String {
    let rounded = digits.rounded(precision as i64 + 1);
    let exponent = if digits.is_zero() { 0 } else { rounded.exponent() };
    let mut mantissa = Digits { point: 1, ..rounded }.fixed(precision);
    if spec.has('#') && precision == 0 {
        mantissa.push('.');
    }
    let (before, behind) = signs(spec, negative);
    let mantissa = localized(spec, &mantissa, symbols);
    let exponent = format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
    let fill = zeros(spec, before.len() + mantissa.chars().count() + exponent.len() + behind.len());
    format!("{before}{fill}{mantissa}{exponent}{behind}")
}

/// A number without a sign: `0.d…` times ten to the power of `point`.
#[derive(Clone)]
struct Digits {
    digits: Vec<u8>,
    point: i64,
}

impl Digits {
    /// Of a text with or without a point and an exponent.
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').collect();
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        let exponent: i64 = exponent.trim_start_matches('+').parse().unwrap_or(0);
        Self { digits, point: whole.len() as i64 - leading as i64 + exponent }
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The power of ten of the first digit.
    fn exponent(&self) -> i64 {
        self.point - 1
    }

    /// No more than so many digits, the last one rounded up from a half on.
    fn rounded(&self, count: i64) -> Self {
        let Some(next) = usize::try_from(count).ok().and_then(|count| self.digits.get(count)) else {
            return if count < 0 { Self { digits: vec![], point: 0 } } else { self.clone() };
        };
        let mut digits = self.digits[..count as usize].to_vec();
        let mut point = self.point;
        if *next >= 5 {
            while digits.last() == Some(&9) {
                digits.pop();
            }
            match digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    digits.push(1);
                    point += 1;
                }
            }
        }
        Self { digits, point }
    }

    /// With so many digits behind the point.
    fn fixed(&self, precision: usize) -> String {
        let rounded = self.rounded(self.point + precision as i64);
        let digit = |at: i64| {
            let digit = usize::try_from(at).ok().and_then(|at| rounded.digits.get(at));
            char::from(b'0' + digit.copied().unwrap_or(0))
        };
        let mut out: String = (0..rounded.point.max(0)).map(digit).collect();
        if out.is_empty() {
            out.push('0');
        }
        if precision > 0 {
            out.push('.');
            out.extend((rounded.point..rounded.point + precision as i64).map(digit));
        }
        out
    }
}

/// `0x1.8p3` and the like.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let (mut exponent, mut fraction) = ((bits >> FRACTION) as i64, bits & ((1 << FRACTION) - 1));
    let mut whole = u64::from(exponent > 0);
    exponent = if exponent > 0 { exponent - 1023 } else { -1022 };
    let precision = precision.map(|precision| precision.max(1));
    if value == 0.0 {
        return format!("0x0.{}p0", "0".repeat(precision.unwrap_or(1)));
    }
    if let Some(digits) = precision.filter(|digits| *digits < 13) {
        if whole == 0 {
            // What lies below the least exponent begins with a one all the same.
            let shift = fraction.leading_zeros() - (63 - FRACTION);
            (whole, fraction) = (1, (fraction << shift) & ((1 << FRACTION) - 1));
            exponent -= i64::from(shift);
        }
        let dropped = FRACTION - 4 * digits as u32;
        let all = whole << FRACTION | fraction;
        let (kept, rest, half) = (all >> dropped, all & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        let kept = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
        let mut kept = kept << dropped;
        if kept >> FRACTION > 1 {
            kept >>= 1;
            exponent += 1;
        }
        fraction = kept & ((1 << FRACTION) - 1);
    }
    let mut digits = format!("{fraction:013x}");
    let least = precision.unwrap_or(1);
    let used = digits.trim_end_matches('0').len().max(least.min(13));
    digits.truncate(used);
    digits.push_str(&"0".repeat(least.saturating_sub(digits.len())));
    format!("0x{whole}.{digits}p{exponent}")
}
