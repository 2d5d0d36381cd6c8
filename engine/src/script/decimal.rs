//! Decimals of many digits as `BigDecimal` has them: a whole number, and how many of its digits stand behind the point.

use super::big::{Big, DIGITS_MAX, too_large};
use super::error::{Failed, throw, thrown};
use std::cmp::Ordering;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    pub unscaled: Big,
    pub scale: i32,
}

/// How what is cut off decides, in the order of Java's constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    Up,
    Down,
    Ceiling,
    Floor,
    HalfUp,
    HalfDown,
    HalfEven,
    Unnecessary,
}

impl Rounding {
    pub const NAMES: [&str; 8] = ["UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN", "UNNECESSARY"];
    const ALL: [Self; 8] = [
        Self::Up,
        Self::Down,
        Self::Ceiling,
        Self::Floor,
        Self::HalfUp,
        Self::HalfDown,
        Self::HalfEven,
        Self::Unnecessary,
    ];

    /// By the place of its constant.
    pub fn at(ordinal: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(ordinal).ok()?).copied()
    }
}

/// How many digits results have, and how they are rounded. No digits: as many as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MathContext {
    pub digits: u32,
    pub rounding: Rounding,
}

impl MathContext {
    pub fn text(&self) -> String {
        format!("precision={} roundingMode={}", self.digits, Rounding::NAMES[self.rounding as usize])
    }
}

#[cold]
fn arithmetic(what: &str) -> Failed {
    throw("ArithmeticException", what)
}

/// A scale, which is a number of 32 bits.
/// The greatest power of ten that Java's whole numbers have room for.
const POWER_OF_TEN_MAX: i64 = 646_456_993;

fn scale_of(scale: i64) -> Result<i32, Failed> {
    i32::try_from(scale).map_err(|_| arithmetic(if scale > 0 { "Underflow" } else { "Overflow" }))
}

/// `a` divided by `b` to a whole number.
fn divided(a: &Big, b: &Big, rounding: Rounding) -> Result<Big, Failed> {
    let (quotient, rest) = a.div_rem(b)?;
    if rest.is_zero() {
        return Ok(quotient);
    }
    let positive = a.signum() == b.signum();
    let half = || rest.abs().add(&rest.abs()).map(|twice| twice.cmp(&b.abs()));
    let away = match rounding {
        Rounding::Unnecessary => return Err(arithmetic("Rounding necessary")),
        Rounding::Up => true,
        Rounding::Down => false,
        Rounding::Ceiling => positive,
        Rounding::Floor => !positive,
        Rounding::HalfUp => half()? != Ordering::Less,
        Rounding::HalfDown => half()? == Ordering::Greater,
        Rounding::HalfEven => match half()? {
            Ordering::Equal => quotient.is_odd(),
            order => order == Ordering::Greater,
        },
    };
    match away {
        true => quotient.add(&Big::from(if positive { 1 } else { -1 })),
        false => Ok(quotient),
    }
}

impl Decimal {
    pub fn new(unscaled: Big, scale: i32) -> Self {
        Self { unscaled, scale }
    }

    pub fn whole(value: i64) -> Self {
        Self::new(Big::from(i128::from(value)), 0)
    }

    /// Reads `-1.50e3` and the like; none if it is no number.
    pub fn parse(text: &str) -> Option<Result<Self, Failed>> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (number, exponent) = match rest.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let scale = fraction.len() as i64 - i64::from(exponent);
        let read = Big::of_digits(&format!("{whole}{fraction}"), negative)
            .and_then(|unscaled| Ok(Self::new(unscaled, scale_of(scale)?)));
        Some(read)
    }

    /// The number that a double is shown as.
    pub fn of_double(value: f64) -> Option<Self> {
        let mut shown = vec![];
        crate::json::write_f64(&mut shown, value);
        Self::parse(std::str::from_utf8(&shown).ok()?)?.ok()
    }

    pub fn signum(&self) -> i32 {
        self.unscaled.signum()
    }

    pub fn precision(&self) -> i64 {
        self.unscaled.digits().len() as i64
    }

    /// The same number with another scale.
    pub fn with_scale(&self, scale: i64, rounding: Rounding) -> Result<Self, Failed> {
        let more = scale - i64::from(self.scale);
        // Where digits are cut off, Java first asks whether it can count them, and then for the power of ten that does it.
        if more < 0 && !self.unscaled.is_zero() {
            scale_of(-more)?;
            if more < -POWER_OF_TEN_MAX {
                return Err(too_large());
            }
        }
        let unscaled = match more {
            0 => self.unscaled.clone(),
            _ if self.unscaled.is_zero() => Big::default(),
            1.. => self.unscaled.mul(&Big::ten_to(more as u64)?)?,
            // What has fewer digits than are cut off is far below a half.
            _ if more.unsigned_abs() > DIGITS_MAX as u64 => {
                divided(&Big::from(i128::from(self.signum())), &Big::from(10), rounding)?
            }
            _ => divided(&self.unscaled, &Big::ten_to(more.unsigned_abs())?, rounding)?,
        };
        Ok(Self::new(unscaled, scale_of(scale)?))
    }

    pub fn round(&self, context: MathContext) -> Result<Self, Failed> {
        let mut out = self.clone();
        if context.digits == 0 {
            return Ok(out);
        }
        loop {
            // A carry may add a digit, which is cut off in turn.
            let over = out.precision() - i64::from(context.digits);
            if over <= 0 {
                return Ok(out);
            }
            out = out.with_scale(i64::from(out.scale) - over, context.rounding)?;
        }
    }

    /// Both with the larger of their scales.
    fn aligned(&self, other: &Self) -> Result<(Big, Big, i32), Failed> {
        let scale = self.scale.max(other.scale);
        let of = |number: &Self| number.with_scale(i64::from(scale), Rounding::Unnecessary).map(|n| n.unscaled);
        Ok((of(self)?, of(other)?, scale))
    }

    pub fn add(&self, other: &Self) -> Result<Self, Failed> {
        let (a, b, scale) = self.aligned(other)?;
        Ok(Self::new(a.add(&b)?, scale))
    }

    pub fn negated(&self) -> Self {
        Self::new(self.unscaled.negated(), self.scale)
    }

    pub fn mul(&self, other: &Self) -> Result<Self, Failed> {
        let scale = scale_of(i64::from(self.scale) + i64::from(other.scale))?;
        Ok(Self::new(self.unscaled.mul(&other.unscaled)?, scale))
    }

    pub fn pow(&self, by: i32) -> Result<Self, Failed> {
        match u32::try_from(by) {
            Ok(by @ 0..=999_999_999) => {
                let scale = scale_of(i64::from(self.scale) * i64::from(by))?;
                Ok(Self::new(self.unscaled.pow(by)?, scale))
            }
            _ => Err(arithmetic("Invalid operation")),
        }
    }

    /// The power, rounded at each step to some digits more than are asked for.
    pub fn pow_rounded(&self, by: i32, context: MathContext) -> Result<Self, Failed> {
        if context.digits == 0 {
            return self.pow(by);
        }
        if by.unsigned_abs() > 999_999_999 {
            return Err(arithmetic("Invalid operation"));
        }
        if by == 0 {
            return Ok(Self::whole(1));
        }
        let length = by.unsigned_abs().to_string().len() as u32;
        if length > context.digits {
            return Err(arithmetic("Invalid operation"));
        }
        let working = MathContext { digits: context.digits + length + 1, ..context };
        let (mut out, mut rest) =
            (Self::whole(1), by.unsigned_abs().reverse_bits() >> by.unsigned_abs().leading_zeros());
        for i in 0..32 - by.unsigned_abs().leading_zeros() {
            if i > 0 {
                out = out.mul(&out)?.round(working)?;
            }
            if rest & 1 == 1 {
                out = out.mul(self)?.round(working)?;
            }
            rest >>= 1;
        }
        let out = if by < 0 { Self::whole(1).divide(&out, working)? } else { out };
        out.round(context)
    }

    /// An error if there is no quotient.
    fn check_divisor(&self, by: &Self) -> Result<(), Failed> {
        match (by.signum(), self.signum()) {
            (0, 0) => Err(arithmetic("Division undefined")),
            (0, _) => Err(arithmetic("Division by zero")),
            _ => Ok(()),
        }
    }

    /// The quotient, rounded; trailing zeros of exact ones go, down to the difference of the scales.
    pub fn divide(&self, by: &Self, context: MathContext) -> Result<Self, Failed> {
        if context.digits == 0 {
            return self.divide_exactly(by);
        }
        self.check_divisor(by)?;
        let preferred = i64::from(self.scale) - i64::from(by.scale);
        if self.signum() == 0 {
            return Ok(Self::new(Big::default(), preferred.clamp(i32::MIN.into(), i32::MAX.into()) as i32));
        }
        let more = (i64::from(context.digits) + by.precision() - self.precision() + 3).max(0);
        let (mut quotient, rest) = self.unscaled.mul(&Big::ten_to(more as u64)?)?.div_rem(&by.unscaled)?;
        let (mut scale, exact) = (preferred + more, rest.is_zero());
        if !exact {
            // One more digit stands for all that follow.
            let sign = if self.signum() == by.signum() { 1 } else { -1 };
            (quotient, scale) = (quotient.mul(&Big::from(10))?.add(&Big::from(sign))?, scale + 1);
        }
        let long = Self::new(quotient, scale_of(scale)?);
        let short = long.round(context)?;
        match exact && short.compare(&long)? == Ordering::Equal {
            true => short.stripped(preferred),
            false => Ok(short),
        }
    }

    pub fn divide_exactly(&self, by: &Self) -> Result<Self, Failed> {
        self.check_divisor(by)?;
        let preferred = i64::from(self.scale) - i64::from(by.scale);
        let digits = (self.precision() + (10 * by.precision() + 2) / 3).min(i64::from(u32::MAX));
        let context = MathContext { digits: digits as u32, rounding: Rounding::Unnecessary };
        let quotient = self.divide(by, context).map_err(|failed| match failed.message.as_deref() {
            Some("Rounding necessary") => {
                arithmetic("Non-terminating decimal expansion; no exact representable decimal result.")
            }
            _ => failed,
        })?;
        match preferred > i64::from(quotient.scale) {
            true => quotient.with_scale(preferred, Rounding::Unnecessary),
            false => Ok(quotient),
        }
    }

    /// The whole part of the quotient.
    pub fn divide_to_whole(&self, by: &Self) -> Result<Self, Failed> {
        self.check_divisor(by)?;
        let preferred = i64::from(self.scale) - i64::from(by.scale);
        let up = |number: &Big, by: i64| match by {
            ..=0 => Ok(number.clone()),
            by => number.mul(&Big::ten_to(by as u64)?),
        };
        let (quotient, _) = up(&self.unscaled, -preferred)?.div_rem(&up(&by.unscaled, preferred)?)?;
        let whole = Self::new(quotient, 0);
        match preferred {
            0.. => whole.with_scale(preferred, Rounding::Unnecessary),
            _ => whole.stripped(preferred),
        }
    }

    /// The whole part of the quotient, which must not have more digits than the context says. It gets no more zeros behind the point than
    /// the context has room for.
    pub fn divide_to_whole_within(&self, by: &Self, context: MathContext) -> Result<Self, Failed> {
        self.check_divisor(by)?;
        let size = |of: &Self| if of.signum() < 0 { of.negated() } else { of.clone() };
        if context.digits == 0 || size(self).compare(&size(by))? == Ordering::Less {
            return self.divide_to_whole(by);
        }
        let preferred = i64::from(self.scale) - i64::from(by.scale);
        let quotient = self.divide(by, MathContext { rounding: Rounding::Down, ..context })?;
        if quotient.scale < 0 {
            let rest = self.add(&quotient.mul(by)?.negated())?;
            if size(&rest).compare(&size(by))? != Ordering::Less {
                return Err(arithmetic("Division impossible"));
            }
        }
        let whole = if quotient.scale > 0 { quotient.with_scale(0, Rounding::Down)? } else { quotient };
        let (scale, room) = (i64::from(whole.scale), i64::from(context.digits) - whole.precision());
        match preferred > scale && room > 0 {
            true => whole.with_scale(scale + room.min(preferred - scale), Rounding::Unnecessary),
            false => whole.stripped(preferred),
        }
    }

    pub fn remainder(&self, by: &Self) -> Result<Self, Failed> {
        self.add(&self.divide_to_whole(by)?.mul(by)?.negated())
    }

    /// Without trailing zeros, as far as the scale stays at or above one.
    pub fn stripped(&self, least: i64) -> Result<Self, Failed> {
        if self.unscaled.is_zero() {
            let scale = i64::from(self.scale).min(least.max(i32::MIN.into()));
            return Ok(Self::new(Big::default(), scale_of(scale)?));
        }
        let digits = self.unscaled.digits();
        let zeros = (digits.len() - digits.trim_end_matches('0').len()) as i64;
        let fewer = zeros.min(i64::from(self.scale) - least).max(0);
        self.with_scale(i64::from(self.scale) - fewer, Rounding::Unnecessary)
    }

    /// The point moved by so many digits, to the left if positive.
    pub fn with_point_moved(&self, by: i64) -> Result<Self, Failed> {
        if by == 0 {
            return Ok(self.clone());
        }
        let moved = Self::new(self.unscaled.clone(), scale_of(i64::from(self.scale) + by)?);
        if moved.scale < 0 { moved.with_scale(0, Rounding::Unnecessary) } else { Ok(moved) }
    }

    pub fn compare(&self, other: &Self) -> Result<Ordering, Failed> {
        if self.signum() != other.signum() || self.signum() == 0 {
            return Ok(self.signum().cmp(&other.signum()));
        }
        // Numbers of very different sizes need not be written out.
        let size = |of: &Self| of.precision() - i64::from(of.scale);
        if size(self) != size(other) {
            let order = size(self).cmp(&size(other));
            return Ok(if self.signum() < 0 { order.reverse() } else { order });
        }
        let (a, b, _) = self.aligned(other)?;
        Ok(a.cmp(&b))
    }

    pub fn to_whole(&self, rounding: Rounding) -> Result<Big, Failed> {
        self.with_scale(0, rounding).map(|number| number.unscaled)
    }

    pub fn to_f64(&self) -> f64 {
        format!("{}e{}", self.unscaled, -i64::from(self.scale)).parse().unwrap_or(f64::NAN)
    }

    pub fn hash(&self) -> i32 {
        self.unscaled.hash().wrapping_mul(31).wrapping_add(self.scale)
    }

    /// `toString`, or `toEngineeringString` with exponents that three divides.
    pub fn text(&self, engineering: bool) -> String {
        let sign = if self.signum() < 0 { "-" } else { "" };
        let digits = self.unscaled.digits();
        let adjusted = digits.len() as i64 - 1 - i64::from(self.scale);
        if self.scale >= 0 && adjusted >= -6 {
            return format!("{sign}{}", with_point(&digits, self.scale as usize));
        }
        let (shown, exponent) = match engineering {
            false if digits.len() == 1 => (digits, adjusted),
            false => (format!("{}.{}", &digits[..1], &digits[1..]), adjusted),
            true => {
                let before = adjusted.rem_euclid(3) as usize + 1;
                let exponent = adjusted - before as i64 + 1;
                match (self.signum(), before) {
                    (0, 2) => ("0.00".to_owned(), exponent + 3),
                    (0, 3) => ("0.0".to_owned(), exponent + 3),
                    _ if before >= digits.len() => (format!("{digits}{}", "0".repeat(before - digits.len())), exponent),
                    _ => (format!("{}.{}", &digits[..before], &digits[before..]), exponent),
                }
            }
        };
        match exponent {
            0 => format!("{sign}{shown}"),
            1.. => format!("{sign}{shown}E+{exponent}"),
            _ => format!("{sign}{shown}E{exponent}"),
        }
    }

    /// Without an exponent.
    pub fn plain(&self) -> Result<String, Failed> {
        if self.scale.unsigned_abs() > 1 << 20 {
            return Err(thrown("OutOfMemoryError", None));
        }
        let sign = if self.signum() < 0 { "-" } else { "" };
        let digits = self.unscaled.digits();
        Ok(match self.scale {
            ..=0 if self.signum() == 0 => "0".to_owned(),
            ..=0 => format!("{sign}{digits}{}", "0".repeat(self.scale.unsigned_abs() as usize)),
            scale => format!("{sign}{}", with_point(&digits, scale as usize)),
        })
    }
}

fn with_point(digits: &str, scale: usize) -> String {
    match digits.len().checked_sub(scale) {
        _ if scale == 0 => digits.to_owned(),
        None | Some(0) => format!("0.{digits:0>scale$}"),
        Some(whole) => format!("{}.{}", &digits[..whole], &digits[whole..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).unwrap().unwrap()
    }

    #[test]
    fn numbers_are_shown_as_java_shows_them() {
        for text in ["0", "0.00", "123.4500", "-0.000001", "1E+3", "1.23E-10", "0E-7", "-12"] {
            assert_eq!(of(text).text(false), text);
        }
        assert_eq!(of("12345E+3").text(true), "12.345E+6");
        assert_eq!(of("0E+1").text(true), "0.00E+3");
        assert_eq!(of("1E+3").plain().unwrap(), "1000");
        assert_eq!(of("1.5e-3").plain().unwrap(), "0.0015");
        assert!(Decimal::parse("1.2.3").is_none() && Decimal::parse("").is_none() && Decimal::parse("e3").is_none());
    }

    #[test]
    fn every_rounding_decides() {
        for (at, expected) in ["3 -3", "2 -2", "3 -2", "2 -3", "3 -3", "2 -2", "2 -2"].iter().enumerate() {
            let rounding = Rounding::at(at as i32).unwrap();
            let round = |text| of(text).with_scale(0, rounding).unwrap().text(false);
            assert_eq!(format!("{} {}", round("2.5"), round("-2.5")), **expected, "{rounding:?}");
        }
        assert!(of("2.5").with_scale(0, Rounding::Unnecessary).is_err());
    }

    #[test]
    fn whole_quotients_within_a_context() {
        let whole = |a: &str, b: &str, digits| {
            let context = MathContext { digits, rounding: Rounding::HalfUp };
            of(a).divide_to_whole_within(&of(b), context).map(|quotient| quotient.text(false))
        };
        for (a, b, digits, expected) in [
            ("123.4", "1", 3, "123"),
            ("123.4", "1", 4, "123.0"),
            ("123.4500", "1", 5, "123.00"),
            ("123.4500", "1", 0, "123.0000"),
            ("0.5", "1", 1, "0.0"),
            ("-1000", "1E+1", 2, "-1.0E+2"),
        ] {
            assert_eq!(whole(a, b, digits).unwrap(), expected, "{a} / {b} in {digits}");
        }
        assert!(whole("123", "1", 2).is_err());
    }

    #[test]
    fn quotients() {
        let context = MathContext { digits: 7, rounding: Rounding::HalfUp };
        assert_eq!(of("1").divide(&of("3"), context).unwrap().text(false), "0.3333333");
        assert_eq!(of("2").divide(&of("3"), context).unwrap().text(false), "0.6666667");
        assert_eq!(of("100").divide(&of("8"), context).unwrap().text(false), "12.5");
        assert_eq!(of("1.000").divide_exactly(&of("4")).unwrap().text(false), "0.250");
        assert!(of("1").divide_exactly(&of("3")).is_err() && of("1").divide_exactly(&of("0")).is_err());
        assert_eq!(of("7.5").remainder(&of("2")).unwrap().text(false), "1.5");
        assert_eq!(of("-7.5").divide_to_whole(&of("2")).unwrap().text(false), "-3.0");
        assert_eq!(of("1.1").pow_rounded(-3, context).unwrap().text(false), "0.7513148");
    }
}
