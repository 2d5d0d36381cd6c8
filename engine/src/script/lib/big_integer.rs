//! `BigInteger`.

use super::super::big::Big;
use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, throw};
use super::super::types::Type;
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{int, long, ok_bool, text, unexpected};

const I: fn(i32) -> Outcome = |v| Ok(Value::Int(v));
const L: fn(i64) -> Outcome = |v| Ok(Value::Long(v));

pub const CLASSES: &[ClassRow] = &[ClassRow::new("java.math.BigInteger", &["Number", "Comparable"], BIG_INTEGER)];

fn big(value: &Value) -> Result<&Big, Failed> {
    match value.data() {
        Some(Data::BigInteger(v)) => Ok(v),
        _ => Err(unexpected(value)),
    }
}

/// Makes a number a value, and counts what it took.
pub(super) fn new(vm: &mut Vm, value: Big) -> Outcome {
    let limbs = value.size();
    vm.work(limbs * limbs / 16 + 1)?;
    vm.grow(limbs * 4)?;
    vm.alloc(Data::BigInteger(value))
}

/// The divisor, which is not zero.
fn divisor(value: &Value) -> Result<&Big, Failed> {
    match big(value)? {
        by if by.is_zero() => Err(throw("ArithmeticException", "BigInteger divide by zero")),
        by => Ok(by),
    }
}

/// The number of a bit.
fn place(at: &Value) -> Result<u64, Failed> {
    u64::try_from(int(at)?).map_err(|_| throw("ArithmeticException", "Negative bit address"))
}

const BIG_INTEGER: &[Row] = &[
    Row("new(String)", |vm, a| {
        let text = text(&a[0])?;
        new(vm, Big::parse(&text)?)
    }),
    Row("new(String,int)", |vm, a| {
        let text = text(&a[0])?;
        vm.work(text.len() * text.len() / 64)?;
        let value = of_radix(&text, int(&a[1])?)?;
        new(vm, value)
    }),
    Row("static BigInteger valueOf(long)", |vm, a| new(vm, i128::from(long(&a[0])?).into())),
    Row("static BigInteger ZERO", |vm, _| new(vm, 0.into())),
    Row("static BigInteger ONE", |vm, _| new(vm, 1.into())),
    Row("static BigInteger TEN", |vm, _| new(vm, 10.into())),
    Row("BigInteger add(BigInteger)", |vm, a| new(vm, big(&a[0])?.add(big(&a[1])?)?)),
    Row("BigInteger subtract(BigInteger)", |vm, a| new(vm, big(&a[0])?.sub(big(&a[1])?)?)),
    Row("BigInteger multiply(BigInteger)", |vm, a| new(vm, big(&a[0])?.mul(big(&a[1])?)?)),
    Row("BigInteger divide(BigInteger)", |vm, a| new(vm, big(&a[0])?.div_rem(divisor(&a[1])?)?.0)),
    Row("BigInteger remainder(BigInteger)", |vm, a| new(vm, big(&a[0])?.div_rem(divisor(&a[1])?)?.1)),
    Row("BigInteger mod(BigInteger)", |vm, a| match big(&a[1])? {
        by if by.signum() <= 0 => Err(throw("ArithmeticException", "BigInteger: modulus not positive")),
        by => {
            let rest = big(&a[0])?.div_rem(by)?.1;
            let rest = if rest.signum() < 0 { rest.add(by)? } else { rest };
            new(vm, rest)
        }
    }),
    Row("BigInteger negate()", |vm, a| new(vm, big(&a[0])?.negated())),
    Row("int signum()", |_, a| I(big(&a[0])?.signum())),
    Row("BigInteger abs()", |vm, a| new(vm, big(&a[0])?.abs())),
    Row("BigInteger max(BigInteger)", |vm, a| new(vm, big(&a[0])?.max(big(&a[1])?).clone())),
    Row("BigInteger min(BigInteger)", |vm, a| new(vm, big(&a[0])?.min(big(&a[1])?).clone())),
    Row("BigInteger pow(int)", |vm, a| match u32::try_from(int(&a[1])?) {
        Err(_) => Err(throw("ArithmeticException", "Negative exponent")),
        Ok(by) => new(vm, big(&a[0])?.pow(by)?),
    }),
    Row("BigInteger gcd(BigInteger)", |vm, a| {
        let (mut x, mut y) = (big(&a[0])?.abs(), big(&a[1])?.abs());
        while !y.is_zero() {
            vm.work(y.size() + 1)?;
            (x, y) = (y.clone(), x.div_rem(&y)?.1);
        }
        new(vm, x)
    }),
    Row("BigInteger and(BigInteger)", |vm, a| new(vm, big(&a[0])?.bitwise(big(&a[1])?, |a, b| a & b)?)),
    Row("BigInteger andNot(BigInteger)", |vm, a| new(vm, big(&a[0])?.bitwise(big(&a[1])?, |a, b| a & !b)?)),
    Row("BigInteger or(BigInteger)", |vm, a| new(vm, big(&a[0])?.bitwise(big(&a[1])?, |a, b| a | b)?)),
    Row("BigInteger xor(BigInteger)", |vm, a| new(vm, big(&a[0])?.bitwise(big(&a[1])?, |a, b| a ^ b)?)),
    Row("BigInteger not()", |vm, a| new(vm, big(&a[0])?.not()?)),
    Row("BigInteger shiftLeft(int)", |vm, a| shifted(vm, a, 1)),
    Row("BigInteger shiftRight(int)", |vm, a| shifted(vm, a, -1)),
    Row("BigInteger setBit(int)", |vm, a| new(vm, big(&a[0])?.bitwise(&Big::bit(place(&a[1])?)?, |a, b| a | b)?)),
    Row("BigInteger clearBit(int)", |vm, a| new(vm, big(&a[0])?.bitwise(&Big::bit(place(&a[1])?)?, |a, b| a & !b)?)),
    Row("BigInteger flipBit(int)", |vm, a| new(vm, big(&a[0])?.bitwise(&Big::bit(place(&a[1])?)?, |a, b| a ^ b)?)),
    Row("boolean testBit(int)", |_, a| ok_bool(big(&a[0])?.test_bit(place(&a[1])? as usize)?)),
    Row("int bitCount()", |_, a| I(big(&a[0])?.bit_count()?.cast_signed())),
    Row("int bitLength()", |_, a| I(big(&a[0])?.bit_length()?.cast_signed())),
    Row("int getLowestSetBit()", |_, a| I(big(&a[0])?.lowest_set_bit().map_or(-1, u32::cast_signed))),
    Row("int intValueExact()", |_, a| {
        let small = big(&a[0])?.to_i128().and_then(|value| i32::try_from(value).ok());
        I(small.ok_or_else(|| throw("ArithmeticException", "BigInteger out of int range"))?)
    }),
    Row("long longValueExact()", |_, a| {
        let small = big(&a[0])?.to_i128().and_then(|value| i64::try_from(value).ok());
        L(small.ok_or_else(|| throw("ArithmeticException", "BigInteger out of long range"))?)
    }),
    Row("short shortValueExact()", |_, a| {
        let small = big(&a[0])?.to_i128().and_then(|value| i16::try_from(value).ok());
        small.map(Value::Short).ok_or_else(|| throw("ArithmeticException", "BigInteger out of short range"))
    }),
    Row("byte byteValueExact()", |_, a| {
        let small = big(&a[0])?.to_i128().and_then(|value| i8::try_from(value).ok());
        small.map(Value::Byte).ok_or_else(|| throw("ArithmeticException", "BigInteger out of byte range"))
    }),
    Row("BigInteger[] divideAndRemainder(BigInteger)", |vm, a| {
        let (quotient, rest) = big(&a[0])?.div_rem(divisor(&a[1])?)?;
        let both = vec![new(vm, quotient)?, new(vm, rest)?];
        vm.alloc(Data::Array(Array::Objects(Type::named("BigInteger", 0).unwrap_or(Type::OBJECT), both).into()))
    }),
    Row("BigInteger modInverse(BigInteger)", |vm, a| {
        let inverse = inverse(vm, big(&a[0])?, modulus(&a[1])?)?;
        new(vm, inverse)
    }),
    Row("BigInteger modPow(BigInteger,BigInteger)", |vm, a| {
        let power = mod_pow(vm, big(&a[0])?, big(&a[1])?, modulus(&a[2])?)?;
        new(vm, power)
    }),
    Row("byte[] toByteArray()", |vm, a| {
        let value = big(&a[0])?;
        let bytes = value.bit_length()? as usize / 8 + 1;
        vm.grow(bytes)?;
        let byte = |at: usize| (0..8).try_fold(0, |sum, bit| Ok(sum | i32::from(value.test_bit(at * 8 + bit)?) << bit));
        let bytes = (0..bytes).rev().map(|at| byte(at).map(|byte| byte as i8)).collect::<Result<Vec<i8>, Failed>>()?;
        vm.alloc(Data::Array(Array::Byte(bytes).into()))
    }),
    Row("String toString(int)", |vm, a| vm.string(big(&a[0])?.radix_text(int(&a[1])?))),
    Row("int compareTo(BigInteger)", |_, a| I(big(&a[0])?.cmp(big(&a[1])?) as i32)),
];

/// A number by its digits in a radix.
fn of_radix(given: &str, radix: i32) -> Result<Big, Failed> {
    let refused = |what: String| throw("NumberFormatException", what);
    let radix = u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix));
    let radix = radix.ok_or_else(|| refused("Radix out of range".to_owned()))?;
    if given.is_empty() {
        return Err(refused("Zero length BigInteger".to_owned()));
    }
    let (negative, digits) = match given.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, given.strip_prefix('+').unwrap_or(given)),
    };
    if digits.is_empty() {
        return Err(refused("Zero length BigInteger".to_owned()));
    }
    let mut value: Big = 0.into();
    for digit in digits.chars() {
        let digit = digit.to_digit(radix).ok_or_else(|| refused(format!("For input string: \"{given}\"")))?;
        value = value.mul(&i128::from(radix).into())?.add(&i128::from(digit).into())?;
    }
    Ok(if negative { value.negated() } else { value })
}

/// What is divided by to get what is left, which is above zero.
fn modulus(value: &Value) -> Result<&Big, Failed> {
    match big(value)? {
        by if by.signum() <= 0 => Err(throw("ArithmeticException", "BigInteger: modulus not positive")),
        by => Ok(by),
    }
}

/// What is left of a number, not below zero.
fn rest(of: &Big, by: &Big) -> Result<Big, Failed> {
    let rest = of.div_rem(by)?.1;
    if rest.signum() < 0 { rest.add(by) } else { Ok(rest) }
}

/// What a number gives one with, by Euclid's way.
fn inverse(vm: &mut Vm, of: &Big, by: &Big) -> Result<Big, Failed> {
    let (mut before, mut this) = (by.clone(), rest(of, by)?);
    let (mut factor_before, mut factor): (Big, Big) = (0.into(), 1.into());
    while !this.is_zero() {
        vm.work(this.size() * 2 + 1)?;
        let (quotient, left) = before.div_rem(&this)?;
        (before, this) = (this, left);
        let next = factor_before.sub(&quotient.mul(&factor)?)?;
        (factor_before, factor) = (factor, next);
    }
    match before.to_i128() {
        Some(1) => rest(&factor_before, by),
        _ => Err(throw("ArithmeticException", "BigInteger not invertible.")),
    }
}

fn mod_pow(vm: &mut Vm, of: &Big, exponent: &Big, by: &Big) -> Result<Big, Failed> {
    let base = if exponent.signum() < 0 { inverse(vm, of, by)? } else { rest(of, by)? };
    let exponent = exponent.abs();
    let mut power = rest(&1.into(), by)?;
    for at in (0..exponent.bit_length()? as usize).rev() {
        vm.work(by.size() * by.size() + 1)?;
        power = rest(&power.mul(&power)?, by)?;
        if exponent.test_bit(at)? {
            power = rest(&power.mul(&base)?, by)?;
        }
    }
    Ok(power)
}

/// Shifted to the left by a number that is times `sign`; to the right if it is less than zero.
fn shifted(vm: &mut Vm, a: &[Value], sign: i64) -> Outcome {
    let (value, by) = (big(&a[0])?, i64::from(int(&a[1])?) * sign);
    let moved = if by < 0 { value.shifted_right(by.unsigned_abs())? } else { value.shifted_left(by.unsigned_abs())? };
    new(vm, moved)
}
