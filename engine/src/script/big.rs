//! Whole numbers of many digits, which decimals are made of. Their size is bounded, so that no operation takes long.

use super::error::{Failed, throw};
use std::cmp::Ordering;
use std::fmt;

/// Most limbs of 32 bits. Writing the largest number takes less than 100 µs; what a double is exactly fits.
const LIMBS_MAX: usize = 128;
/// Most decimal digits that are read.
pub const DIGITS_MAX: usize = 1_230;

/// A whole number. Zero is not negative; the highest limb is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Big {
    negative: bool,
    /// The lowest first.
    limbs: Vec<u32>,
}

#[cold]
pub(super) fn too_large() -> Failed {
    throw("ArithmeticException", "BigInteger would overflow supported range")
}

impl From<i128> for Big {
    fn from(value: i128) -> Self {
        let mut rest = value.unsigned_abs();
        let mut limbs = vec![];
        while rest > 0 {
            limbs.push(rest as u32);
            rest >>= 32;
        }
        Self { negative: value < 0, limbs }
    }
}

impl Big {
    /// Most limbs of 32 bits.
    pub(super) const LIMBS_MAX: usize = LIMBS_MAX;

    pub(super) fn new(negative: bool, mut limbs: Vec<u32>) -> Result<Self, Failed> {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        if limbs.len() > LIMBS_MAX {
            return Err(too_large());
        }
        Ok(Self { negative: negative && !limbs.is_empty(), limbs })
    }

    /// Decimal digits without a sign; there is at least one.
    pub fn of_digits(digits: &str, negative: bool) -> Result<Self, Failed> {
        let digits = digits.trim_start_matches('0');
        if digits.len() > DIGITS_MAX {
            return Err(too_large());
        }
        let mut limbs: Vec<u32> = vec![];
        let head = digits.len() % 9;
        let chunks = std::iter::once(&digits[..head]).filter(|part| !part.is_empty());
        let rest = (head..digits.len()).step_by(9).map(|at| &digits[at..at + 9]);
        for part in chunks.chain(rest) {
            let mut carry = part.parse::<u64>().unwrap_or(0);
            for limb in &mut limbs {
                carry += u64::from(*limb) * 1_000_000_000;
                *limb = carry as u32;
                carry >>= 32;
            }
            if carry > 0 {
                limbs.push(carry as u32);
            }
        }
        Self::new(negative, limbs)
    }

    /// A sign, which need not be there, and digits.
    pub fn parse(text: &str) -> Result<Self, Failed> {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() {
            return Err(throw("NumberFormatException", "Zero length BigInteger"));
        }
        if digits.starts_with(['+', '-']) {
            return Err(throw("NumberFormatException", "Illegal embedded sign character"));
        }
        if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(throw("NumberFormatException", format!("For input string: \"{digits}\"")));
        }
        Self::of_digits(digits, text.starts_with('-'))
    }

    /// Limbs of its absolute value, the lowest first.
    pub(super) fn limbs(&self) -> &[u32] {
        &self.limbs
    }

    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    pub fn signum(&self) -> i32 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (_, true) => -1,
            _ => 1,
        }
    }

    pub fn is_odd(&self) -> bool {
        self.limbs.first().is_some_and(|limb| limb & 1 == 1)
    }

    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), limbs: self.limbs.clone() }
    }

    pub fn abs(&self) -> Self {
        Self { negative: false, limbs: self.limbs.clone() }
    }

    /// How much work an operation on it is, for machines that count.
    pub fn size(&self) -> usize {
        self.limbs.len()
    }

    pub fn add(&self, other: &Self) -> Result<Self, Failed> {
        if self.negative == other.negative {
            return Self::new(self.negative, sum(&self.limbs, &other.limbs));
        }
        match compare(&self.limbs, &other.limbs) {
            Ordering::Less => Self::new(other.negative, difference(&other.limbs, &self.limbs)),
            _ => Self::new(self.negative, difference(&self.limbs, &other.limbs)),
        }
    }

    pub fn sub(&self, other: &Self) -> Result<Self, Failed> {
        self.add(&other.negated())
    }

    pub fn mul(&self, other: &Self) -> Result<Self, Failed> {
        if self.limbs.len() + other.limbs.len() > LIMBS_MAX + 1 {
            return Err(too_large());
        }
        let mut out = vec![0u32; self.limbs.len() + other.limbs.len()];
        for (i, a) in self.limbs.iter().enumerate() {
            let mut carry = 0u64;
            for (j, b) in other.limbs.iter().enumerate() {
                let at = u64::from(out[i + j]) + u64::from(*a) * u64::from(*b) + carry;
                out[i + j] = at as u32;
                carry = at >> 32;
            }
            out[i + other.limbs.len()] = carry as u32;
        }
        Self::new(self.negative != other.negative, out)
    }

    /// Quotient and remainder; the quotient is cut off towards zero. The divisor is not zero.
    pub fn div_rem(&self, by: &Self) -> Result<(Self, Self), Failed> {
        let (quotient, rest) = divide(&self.limbs, &by.limbs);
        Ok((Self::new(self.negative != by.negative, quotient)?, Self::new(self.negative, rest)?))
    }

    pub fn pow(&self, mut by: u32) -> Result<Self, Failed> {
        let (mut out, mut square) = (Self::from(1), self.clone());
        while by > 0 {
            if by & 1 == 1 {
                out = out.mul(&square)?;
            }
            by >>= 1;
            if by > 0 {
                // Powers of one and zero stay small, however large the exponent.
                let is_small = square.limbs.len() <= 1 && square.limbs.first().is_none_or(|limb| *limb == 1);
                square = if is_small { square.abs() } else { square.mul(&square)? };
            }
        }
        Ok(out)
    }

    /// Ten to the power of `by`.
    pub fn ten_to(by: u64) -> Result<Self, Failed> {
        match u32::try_from(by) {
            Ok(by) if by as usize <= DIGITS_MAX => Self::from(10).pow(by),
            _ => Err(too_large()),
        }
    }

    pub fn to_i128(&self) -> Option<i128> {
        if self.limbs.len() > 4 {
            return None;
        }
        let value = self.limbs.iter().rev().fold(0u128, |value, limb| value << 32 | u128::from(*limb));
        match self.negative {
            true => (value <= 1 << 127).then(|| (value as i128).wrapping_neg()),
            false => i128::try_from(value).ok(),
        }
    }

    /// The lowest 64 bits of its two's complement.
    pub fn low_i64(&self) -> i64 {
        let low = self.limbs.iter().take(2).rev().fold(0u64, |value, limb| value << 32 | u64::from(*limb)) as i64;
        if self.negative { low.wrapping_neg() } else { low }
    }

    pub fn to_f64(&self) -> f64 {
        match self.to_i128() {
            Some(small) => small as f64,
            None => self.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// Its digits to a base between 2 and 36; decimal ones where it is another.
    pub fn radix_text(&self, radix: i32) -> String {
        let radix = if (2..=36).contains(&radix) { radix as u32 } else { 10 };
        let (mut rest, mut digits) = (self.limbs.clone(), vec![]);
        while !rest.is_empty() {
            digits.push(char::from_digit(divide_small(&mut rest, radix), radix).unwrap_or('0'));
        }
        if digits.is_empty() {
            digits.push('0');
        }
        if self.negative {
            digits.push('-');
        }
        digits.iter().rev().collect()
    }

    /// `hashCode` as Java has it.
    pub fn hash(&self) -> i32 {
        let of = self.limbs.iter().rev().fold(0i32, |h, limb| h.wrapping_mul(31).wrapping_add(*limb as i32));
        of.wrapping_mul(self.signum())
    }

    /// Its decimal digits without the sign.
    pub fn digits(&self) -> String {
        let (mut rest, mut parts) = (self.limbs.clone(), vec![]);
        while !rest.is_empty() {
            parts.push(divide_small(&mut rest, 1_000_000_000));
        }
        let Some(first) = parts.pop() else { return "0".to_owned() };
        let mut out = first.to_string();
        parts.iter().rev().for_each(|part| out.push_str(&format!("{part:09}")));
        out
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => compare(&self.limbs, &other.limbs),
            (true, true) => compare(&other.limbs, &self.limbs),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl fmt::Display for Big {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        f.write_str(&self.digits())
    }
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let (mut out, mut carry) = (Vec::with_capacity(long.len() + 1), 0u64);
    for (i, limb) in long.iter().enumerate() {
        carry += u64::from(*limb) + u64::from(short.get(i).copied().unwrap_or(0));
        out.push(carry as u32);
        carry >>= 32;
    }
    out.push(carry as u32);
    out
}

/// What is left of the larger one.
fn difference(large: &[u32], small: &[u32]) -> Vec<u32> {
    let (mut out, mut borrow) = (Vec::with_capacity(large.len()), 0i64);
    for (i, limb) in large.iter().enumerate() {
        let at = i64::from(*limb) - i64::from(small.get(i).copied().unwrap_or(0)) - borrow;
        borrow = i64::from(at < 0);
        out.push(at as u32);
    }
    debug_assert_eq!(borrow, 0, "the larger one comes first");
    out
}

/// Divides in place and gives the remainder.
fn divide_small(limbs: &mut Vec<u32>, by: u32) -> u32 {
    let mut rest = 0u64;
    for limb in limbs.iter_mut().rev() {
        let at = rest << 32 | u64::from(*limb);
        *limb = (at / u64::from(by)) as u32;
        rest = at % u64::from(by);
    }
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
    rest as u32
}

/// Long division, limb by limb: each is guessed from the highest limbs, and corrected.
fn divide(a: &[u32], b: &[u32]) -> (Vec<u32>, Vec<u32>) {
    debug_assert!(!b.is_empty(), "nothing divides by zero");
    if compare(a, b) == Ordering::Less {
        return (vec![], a.to_vec());
    }
    if let [by] = b {
        let mut quotient = a.to_vec();
        let rest = divide_small(&mut quotient, *by);
        return (quotient, vec![rest]);
    }
    let shift = b[b.len() - 1].leading_zeros();
    let (mut u, v) = (shifted(a, shift), shifted(b, shift));
    let n = b.len();
    let mut quotient = vec![0u32; a.len() - n + 1];
    for j in (0..quotient.len()).rev() {
        let high = u64::from(u[j + n]) << 32 | u64::from(u[j + n - 1]);
        let (mut guess, mut rest) = (high / u64::from(v[n - 1]), high % u64::from(v[n - 1]));
        while guess >> 32 != 0 || guess * u64::from(v[n - 2]) > (rest << 32 | u64::from(u[j + n - 2])) {
            guess -= 1;
            rest += u64::from(v[n - 1]);
            if rest >> 32 != 0 {
                break;
            }
        }
        let (mut borrow, mut carry) = (0i64, 0u64);
        for (limb, by) in u[j..j + n].iter_mut().zip(&v) {
            carry += guess * u64::from(*by);
            let at = i64::from(*limb) - borrow - i64::from(carry as u32);
            borrow = i64::from(at < 0);
            *limb = at as u32;
            carry >>= 32;
        }
        let at = i64::from(u[j + n]) - borrow - carry as i64;
        u[j + n] = at as u32;
        if at < 0 {
            guess -= 1;
            let mut carry = 0u64;
            for (limb, by) in u[j..j + n].iter_mut().zip(&v) {
                carry += u64::from(*limb) + u64::from(*by);
                *limb = carry as u32;
                carry >>= 32;
            }
            u[j + n] = u[j + n].wrapping_add(carry as u32);
        }
        quotient[j] = guess as u32;
    }
    u.truncate(n);
    let rest = (0..n).map(|i| match shift {
        0 => u[i],
        shift => u[i] >> shift | u.get(i + 1).map_or(0, |above| above << (32 - shift)),
    });
    (quotient, rest.collect())
}

/// Shifted to the left by less than a limb, with a limb above for what goes over.
fn shifted(limbs: &[u32], shift: u32) -> Vec<u32> {
    let (mut out, mut carry) = (Vec::with_capacity(limbs.len() + 1), 0u64);
    for limb in limbs {
        carry |= u64::from(*limb) << shift;
        out.push(carry as u32);
        carry >>= 32;
    }
    out.push(carry as u32);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_bounded() {
        let largest = Big::of_digits(&"9".repeat(DIGITS_MAX), false).unwrap();
        assert!(largest.mul(&largest).is_err() && Big::ten_to(1 << 40).is_err());
        assert_eq!(Big::from(-1).pow(999_999_999).unwrap().to_string(), "-1");
        assert_eq!(Big::ten_to(40).unwrap().to_string(), format!("1{}", "0".repeat(40)));
    }

    proptest! {
        #[test]
        fn calculates_as_small_numbers_do(a in any::<i64>(), b in any::<i64>(), c in any::<u32>()) {
            let (a, b) = (i128::from(a) * i128::from(c), i128::from(b));
            let (x, y) = (Big::from(a), Big::from(b));
            prop_assert_eq!(x.to_string(), a.to_string());
            prop_assert_eq!(Big::of_digits(&a.unsigned_abs().to_string(), a < 0).unwrap(), x.clone());
            prop_assert_eq!(x.add(&y).unwrap().to_i128(), Some(a + b));
            prop_assert_eq!(x.sub(&y).unwrap().to_i128(), Some(a - b));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(Big::from(b).mul(&Big::from(b)).unwrap().to_i128(), Some(b * b));
            if b != 0 {
                let (quotient, rest) = x.div_rem(&y).unwrap();
                prop_assert_eq!((quotient.to_i128(), rest.to_i128()), (Some(a / b), Some(a % b)));
            }
        }

        #[test]
        fn quotients_give_the_dividend_back(a in "[1-9][0-9]{0,200}", b in "[1-9][0-9]{0,90}") {
            let (a, b) = (Big::of_digits(&a, false).unwrap(), Big::of_digits(&b, true).unwrap());
            let (quotient, rest) = a.div_rem(&b).unwrap();
            prop_assert_eq!(quotient.mul(&b).unwrap().add(&rest).unwrap(), a);
            prop_assert!(rest.abs() < b.abs());
        }
    }
}
