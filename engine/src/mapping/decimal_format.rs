//! Patterns of `java.text.DecimalFormat`.

use super::decimal_pattern;
use crate::error::Result;

/// A pattern: `#,##0.00`, `0.0%`, `00`, `0.##E0`.
#[derive(Clone, Debug, PartialEq)]
pub struct DecimalFormat {
    /// Prefix and suffix, and those of numbers below zero.
    affixes: (String, String),
    negative: (String, String),
    whole_min: usize,
    /// Digits per group; 0 for no grouping.
    group: usize,
    fraction_min: usize,
    fraction_max: usize,
    /// Whether the point is there without a digit behind it.
    shows_point: bool,
    exponent: Option<Exponent>,
    /// 1, 100 for per cent, 1000 for per mille.
    factor: u32,
}

/// Scientific notation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exponent {
    digits_min: usize,
    /// Digits before the point; if they may be several, and more than have to be, the exponent is a multiple of them.
    whole_max: usize,
}

/// Most digits behind the point that any number has.
const FRACTION_MAX: usize = 340;

/// From here on no double is a `long`.
const LONG_MAX: f64 = 9_223_372_036_854_775_808.0;

impl DecimalFormat {
    /// Reads a pattern. Of the part for numbers below zero only what stands around the digits counts; quotes take the characters
    /// between them literally. Errors are those of Java.
    pub fn parse(pattern: &str) -> Result<Self> {
        let read = decimal_pattern::read(pattern)?;
        let all = read.left + read.zeros + read.right;
        let point = read.point.unwrap_or(all);
        // The part for numbers below zero says what is multiplied, though it is only looked at for what it stands around.
        let factor = read.positive.factor;
        let affixes = (read.positive.prefix, read.positive.suffix);
        let below = read.negative.map(|side| (side.prefix, side.suffix)).filter(|below| *below != affixes);
        let negative = below.unwrap_or_else(|| (format!("-{}", affixes.0), affixes.1.clone()));
        let whole_min = point - read.left;
        let mut format = Self {
            affixes,
            negative,
            whole_min,
            group: read.group,
            fraction_min: read.point.map_or(0, |point| read.left + read.zeros - point),
            fraction_max: all - point,
            shows_point: read.point.is_some_and(|point| point == 0 || point == all),
            exponent: read.exponent.map(|digits_min| Exponent { digits_min, whole_max: read.left + whole_min }),
            factor,
        };
        if pattern.is_empty() {
            (format.group, format.fraction_max) = (3, FRACTION_MAX);
        }
        Ok(format)
    }

    /// The number that a text begins with, as the pattern has numbers; `None` where it begins with none.
    pub fn read(&self, text: &str) -> Option<f64> {
        let sides = [(&self.affixes, 1.0), (&self.negative, -1.0)];
        // The longer prefix counts where a text has both.
        let mut sides = sides.map(|((prefix, suffix), sign)| (prefix, suffix, sign));
        sides.sort_by_key(|(prefix, ..)| std::cmp::Reverse(prefix.len()));
        for (prefix, suffix, sign) in sides {
            let Some(rest) = text.strip_prefix(prefix.as_str()) else { continue };
            if let Some(rest) = rest.strip_prefix('∞') {
                return rest.starts_with(suffix.as_str()).then_some(sign * f64::INFINITY);
            }
            let (number, rest) = self.leading_number(rest)?;
            if rest.starts_with(suffix.as_str()) {
                return Some(sign * number / f64::from(self.factor));
            }
        }
        text.starts_with("NaN").then_some(f64::NAN)
    }

    /// Digits, groups of them if the pattern has groups, a point, an exponent.
    fn leading_number<'t>(&self, text: &'t str) -> Option<(f64, &'t str)> {
        let (mut digits, mut end, mut point, mut any) = (String::new(), 0, false, false);
        for (at, c) in text.char_indices() {
            match c {
                '0'..='9' => any = true,
                '.' if !point => point = true,
                ',' if self.group > 0 && !point => continue,
                _ => break,
            }
            digits.push(c);
            end = at + 1;
        }
        if !any {
            return None;
        }
        if let Some(power) = text[end..].strip_prefix('E') {
            let sign = usize::from(power.starts_with('-'));
            let len = power[sign..].bytes().take_while(u8::is_ascii_digit).count();
            if len > 0 {
                digits.push('E');
                digits.push_str(&power[..sign + len]);
                end += 1 + sign + len;
            }
        }
        Some((digits.parse().ok()?, &text[end..]))
    }

    pub fn format(&self, value: f64) -> String {
        if value.is_nan() {
            return "NaN".to_owned();
        }
        let value = value * f64::from(self.factor);
        if value.is_infinite() {
            let (prefix, suffix) = if value < 0.0 { &self.negative } else { &self.affixes };
            return format!("{prefix}∞{suffix}");
        }
        // The digits are those that tell the double from its neighbours, and zeros behind them; more are only looked at to round.
        let mut text = long_digits(value.abs()).unwrap_or_else(|| value.abs().to_string());
        if let Some(exponent) = self.exponent {
            let (digits, place) = self.rounded(exponent, &text, value);
            return self.scientific(exponent, digits, place, value.is_sign_negative());
        }
        if text.split_once('.').map_or(0, |(_, fraction)| fraction.len()) > self.fraction_max {
            text = format!("{:.*}", self.fraction_max, value.abs());
        }
        self.digits(&text, value.is_sign_negative())
    }

    /// A whole number, of which no digit is lost.
    pub(crate) fn format_whole(&self, value: i64) -> String {
        let text = (u128::from(value.unsigned_abs()) * u128::from(self.factor)).to_string();
        let Some(exponent) = self.exponent else { return self.digits(&text, value < 0) };
        let wanted = exponent.whole_max + self.fraction_max;
        let (mut digits, mut place) = significant(&text);
        if digits.len() > wanted {
            // All digits are known, so a half is one, and goes to the even side.
            let (kept, rest) = digits.split_at(wanted);
            let odd = kept.bytes().last().is_some_and(|digit| digit % 2 == 1);
            let up = if odd { rest >= "5" } else { rest > "5" };
            let kept = kept.parse().unwrap_or(0u128) + u128::from(up);
            let rounded = kept.to_string();
            place += i64::from(rounded.len() > wanted);
            digits = rounded.trim_end_matches('0').to_owned();
        }
        self.scientific(exponent, digits, place, value < 0)
    }

    /// The digits of a double that are shown, and how many of them stand before the point.
    fn rounded(&self, exponent: Exponent, text: &str, value: f64) -> (String, i64) {
        let wanted = exponent.whole_max + self.fraction_max;
        let (digits, place) = significant(text);
        if digits.len() <= wanted {
            return (digits, place);
        }
        // Rounded by the double itself, which may be a little more or less than its digits say. Java does not know that its digits
        // of a whole double are exact, and rounds a half up where it believes that they could be too few.
        let up = value.fract() == 0.0 && value.abs() < LONG_MAX && &digits[wanted..] == "5";
        let rounded = match up {
            true => format!("{:.*e}", wanted.saturating_sub(1), value.abs().next_up()),
            false => format!("{:.*e}", wanted.saturating_sub(1), value.abs()),
        };
        let (mantissa, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let digits = mantissa.replace('.', "").trim_end_matches('0').to_owned();
        (digits, power.parse::<i64>().unwrap_or(0) + 1)
    }

    /// Digits, so many of which stand before the point, as a few of them and a power of ten.
    fn scientific(&self, exponent: Exponent, digits: String, place: i64, is_negative: bool) -> String {
        let mut whole_min = self.whole_min as i64;
        let width = exponent.whole_max as i64;
        let power = match digits.is_empty() {
            true => 0,
            false if width > 1 && width > whole_min => {
                if place >= 1 {
                    (place - 1) / width * width
                } else {
                    (place - width) / width * width
                }
            }
            false => place - whole_min,
        };
        if width > 1 && width > whole_min {
            whole_min = 1;
        }
        let whole = if digits.is_empty() { whole_min } else { place - power }.max(0) as usize;
        let shown = digits.len().max(self.whole_min + self.fraction_min).max(whole);
        let padded = format!("{digits:0<shown$}");
        let (prefix, suffix) = if is_negative { &self.negative } else { &self.affixes };
        let point = if padded.len() > whole || self.shows_point { "." } else { "" };
        let sign = if power < 0 { "-" } else { "" };
        let (head, tail, power) = (&padded[..whole], &padded[whole..], power.unsigned_abs());
        format!("{prefix}{head}{point}{tail}E{sign}{power:0least$}{suffix}", least = exponent.digits_min)
    }

    /// Digits, with a point among them, as the pattern has them.
    fn digits(&self, text: &str, negative: bool) -> String {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = format!("{fraction:0<width$}", width = self.fraction_min);
        let fraction_end = fraction.trim_end_matches('0').len().max(self.fraction_min);
        let whole = whole.trim_start_matches('0');
        let whole = format!("{}{whole}", "0".repeat(self.whole_min.saturating_sub(whole.len())));
        // What is below zero is shown so even where none of its digits is.
        let (prefix, suffix) = if negative { &self.negative } else { &self.affixes };
        let mut out = prefix.clone();
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            if self.group > 0 && at > 0 && left.is_multiple_of(self.group) {
                out.push(',');
            }
            out.push(digit);
        }
        if whole.is_empty() && fraction_end == 0 {
            out.push('0');
        }
        if fraction_end > 0 || self.shows_point {
            out.push('.');
            out.push_str(&fraction[..fraction_end]);
        }
        out + suffix
    }
}

/// The digits of a number from the first to the last that is not zero, and how many of them, zeros included, stand before the point.
fn significant(text: &str) -> (String, i64) {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all = format!("{whole}{fraction}");
    let zeros = all.len() - all.trim_start_matches('0').len();
    (all.trim_matches('0').to_owned(), whole.len() as i64 - zeros as i64)
}

/// The digits that Java has for a whole number beyond those that a double tells apart, but within those of a `long`: it leaves
/// out as many as it can be sure say nothing, which may be one less than could be left out.
fn long_digits(value: f64) -> Option<String> {
    const EXACT: f64 = (1u64 << 53) as f64;
    if !(EXACT..LONG_MAX).contains(&value) {
        return None;
    }
    let bits = (value as u64).ilog2().saturating_sub(54);
    let step = 10u64.pow((1u64 << bits).ilog10());
    let value = value as u64;
    let rounded = value / step + u64::from(step > 1 && value % step >= step / 2);
    Some((rounded * step).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_patterns() {
        let cases = [
            ("#,##0.00", 1234567.891, "1,234,567.89"),
            ("0.0%", 0.125, "12.5%"),
            ("000", 7.0, "007"),
            ("#.##", 0.5, "0.5"),
            (".##", 0.0, ".0"),
            ("", -0.5, "-.5"),
            ("", 123456.789, "123,456.789"),
            ("0", -0.0, "-0"),
            ("00", -0.3, "-00"),
            ("#0.00", -0.001, "-0.00"),
            ("0.0;(0.0)", -0.3, "(0.3)"),
            ("0;neg0", -2.0, "neg2"),
            ("#;#", -2.0, "-2"),
            ("'#'0", -2.0, "-#2"),
            ("0''", 7.0, "7'"),
            ("0 'x%'", 7.0, "7 x%"),
            ("x", 5.5, "x6"),
            ("- $# 0'x'", 7.0, "- $7 x"),
            ("\u{a4}\u{a4}0 \u{a4}", 7.0, "XXX7 \u{a4}"),
            ("#\u{2030}", -7.0, "-7000\u{2030}"),
            ("$0", f64::NEG_INFINITY, "-$∞"),
            ("$0", f64::NAN, "NaN"),
            ("0.###", -2.5, "-2.5"),
            ("$#,##0", 1000.0, "$1,000"),
            ("#", 0.0, "0"),
            ("#0.00", 18_446_744_073_709_551_615.0, "18446744073709552000.00"),
            ("0.0", 8_641_455_820_018_512_000.0, "8641455820018511900.0"),
            ("0.0", 7_266_150_849_106_157_000.0, "7266150849106156500.0"),
            ("0.00", 0.125, "0.12"),
            ("0.0", 2.0, "2.0"),
        ];
        for (pattern, value, text) in cases {
            assert_eq!(DecimalFormat::parse(pattern).unwrap().format(value), text, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_are_none_are_refused_in_javas_words() {
        for (pattern, why) in [
            ("'a", "Malformed"),
            ("#,", "Malformed"),
            ("0#", "Malformed"),
            ("#.#0", "Malformed"),
            ("0.#0", "Unexpected '0' in"),
            ("0.0.0", "Multiple decimal separators in"),
            ("0;;", "Unquoted special character ';' in"),
            (";0", "Unquoted special character ';' in"),
            ("%%0", "Too many percent/per mille characters in"),
            ("0E", "Malformed exponential"),
            (".E0", "Malformed exponential"),
            ("0E0 0E0", "Multiple exponential symbols in"),
        ] {
            let error = DecimalFormat::parse(pattern).unwrap_err();
            assert_eq!(error.reason(), format!("{why} pattern \"{pattern}\""));
        }
    }

    #[test]
    fn no_digit_of_a_whole_number_is_lost() {
        let text = |pattern: &str, value| DecimalFormat::parse(pattern).unwrap().format_whole(value);
        assert_eq!(text("000.0", 1639022438710530924), "1639022438710530924.0");
        assert_eq!(text("#,##0", -1469968947927271092), "-1,469,968,947,927,271,092");
        assert_eq!(text("0%", 3), "300%");
        assert_eq!(["0E0", "#E0"].map(|pattern| text(pattern, 65)), ["6E1", ".6E2"]);
        assert_eq!(text("0.0E0", 9_950), "1.0E4");
        assert_eq!(DecimalFormat::parse("0%").unwrap().format(1e308), "∞%");
        assert_eq!(text("#%", i64::MIN), "-922337203685477580800%");
    }

    #[test]
    fn scientific_notation() {
        let cases = [
            ("0.###E0", ["0E0", "1.235E4", "-1.234E-4", "1E0"]),
            ("##0.##E0", ["0E0", "12.346E3", "-123.45E-6", "1E0"]),
            ("00.00E00", ["00.00E00", "12.35E03", "-12.34E-05", "10.00E-01"]),
            ("#E0", ["E0", ".1E5", "-.1E-3", ".1E1"]),
            ("0.0E0 x", ["0.0E0 x", "1.2E4 x", "-1.2E-4 x", "1.0E0 x"]),
            ("#.##E0", ["0E0", "1.23E4", "-1.23E-4", "1E0"]),
            ("##0.0##E0", ["0.0E0", "12.3457E3", "-123.45E-6", "1.0E0"]),
            ("###E0", ["0E0", "12.3E3", "-123E-6", "1E0"]),
            ("#,##0E0", ["0E0", "1.235E4", "-1.234E-4", "1E0"]),
            ("0.E0", ["0.E0", "1.E4", "-1.E-4", "1.E0"]),
        ];
        let halves = [105.0, 115.0, 125.0, 1.25, 1050.0, -105.0]
            .map(|value| DecimalFormat::parse("0.0E0").unwrap().format(value));
        assert_eq!(halves, ["1.1E2", "1.2E2", "1.3E2", "1.2E0", "1.1E3", "-1.1E2"]);
        for (pattern, texts) in cases {
            let format = DecimalFormat::parse(pattern).unwrap();
            assert_eq!([0.0, 12345.678, -0.00012345, 1.0].map(|value| format.format(value)), texts, "{pattern}");
        }
    }

    #[test]
    fn numbers_are_read_by_their_pattern() {
        let read = |pattern: &str, text| DecimalFormat::parse(pattern).unwrap().read(text);
        assert_eq!(read("#0.00", "4"), Some(4.0));
        assert_eq!(read("#,##0", "-1,234.5 and more"), Some(-1234.5));
        assert_eq!(read("0%", "50%"), Some(0.5));
        assert_eq!(read("0.0", "1.5E-2"), Some(0.015));
        assert_eq!(read("$0", "4"), None);
        assert_eq!(read("0 km", "4"), None);
        assert_eq!(read("0", ""), None);
    }
}
