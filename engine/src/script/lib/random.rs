//! `Random`: the same numbers for the same seed as Java's.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, Outcome, illegal};
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::{array, double, int, long, unexpected};
use super::misc::next_random;
use std::cell::Cell;

/// 48 bits, and the second of a pair of numbers that the first was asked for alone.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    bits: u64,
    gaussian: Option<f64>,
}

const MASK: u64 = (1 << 48) - 1;

impl Random {
    fn of_seed(seed: u64) -> Self {
        Self { bits: (seed ^ 0x5_deec_e66d) & MASK, gaussian: None }
    }
}

fn state(of: &Value) -> Result<&Cell<Random>, Failed> {
    match of.data() {
        Some(Data::Random(state)) => Ok(state),
        _ => Err(unexpected(of)),
    }
}

fn bits(of: &Value, count: u32) -> Result<i32, Failed> {
    let state = state(of)?;
    let next = (state.get().bits.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb)) & MASK;
    state.set(Random { bits: next, ..state.get() });
    Ok((next >> (48 - count)) as i64 as i32)
}

fn new(vm: &mut Vm, seed: u64) -> Outcome {
    vm.alloc(Data::Random(Random::of_seed(seed).into()))
}

/// A number from zero on, below `bound`.
pub(super) fn below(of: &Value, bound: i32) -> Result<i32, Failed> {
    if bound <= 0 {
        return Err(illegal("bound must be positive"));
    }
    if bound & (bound - 1) == 0 {
        return Ok(((i64::from(bound) * i64::from(bits(of, 31)?)) >> 31) as i32);
    }
    loop {
        let random = bits(of, 31)?;
        let value = random % bound;
        if random.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
            return Ok(value);
        }
    }
}

fn random_long(of: &Value) -> Result<i64, Failed> {
    Ok((i64::from(bits(of, 32)?) << 32).wrapping_add(i64::from(bits(of, 32)?)))
}

fn random_double(of: &Value) -> Result<f64, Failed> {
    let (high, low) = (i64::from(bits(of, 26)?), i64::from(bits(of, 27)?));
    Ok(((high << 27) + low) as f64 / (1u64 << 53) as f64)
}

/// By the polar method, which finds two at a time.
fn gaussian(of: &Value) -> Outcome {
    let known = state(of)?;
    if let Some(second) = known.get().gaussian {
        known.set(Random { gaussian: None, ..known.get() });
        return Ok(Value::Double(second));
    }
    loop {
        let (x, y) = (2.0 * random_double(of)? - 1.0, 2.0 * random_double(of)? - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square != 0.0 {
            let scale = (-2.0 * square.ln() / square).sqrt();
            known.set(Random { gaussian: Some(y * scale), ..known.get() });
            return Ok(Value::Double(x * scale));
        }
    }
}

/// A stream of so many numbers.
fn stream(vm: &mut Vm, a: &[Value], class: &str, next: impl Fn(&Value) -> Outcome) -> Outcome {
    let size = long(&a[1])?;
    let Ok(size) = usize::try_from(size) else { return Err(illegal("size must be non-negative")) };
    vm.grow(size.saturating_mul(size_of::<Value>()))?;
    vm.work(size)?;
    let items = (0..size).map(|_| next(&a[0])).collect::<Result<Vec<_>, _>>()?;
    super::stream::new(vm, class, items)
}

/// Bounds of what a stream has, the second one exclusive.
fn bounds<T: PartialOrd>(low: T, high: T) -> Result<(T, T), Failed> {
    if low < high { Ok((low, high)) } else { Err(illegal("bound must be greater than origin")) }
}

fn int_between(of: &Value, low: i32, high: i32) -> Outcome {
    let (n, mut random) = (high.wrapping_sub(low), bits(of, 32)?);
    if n > 0 && n & (n - 1) == 0 {
        return Ok(Value::Int((random & (n - 1)) + low));
    }
    if n > 0 {
        let mut half = (random as u32 >> 1) as i32;
        // As many numbers as do not divide evenly are drawn again.
        while half.wrapping_add(n - 1).wrapping_sub(half % n) < 0 {
            half = (bits(of, 32)? as u32 >> 1) as i32;
        }
        return Ok(Value::Int(half % n + low));
    }
    while random < low || random >= high {
        random = bits(of, 32)?;
    }
    Ok(Value::Int(random))
}

fn long_between(of: &Value, low: i64, high: i64) -> Outcome {
    let (n, mut random) = (high.wrapping_sub(low), random_long(of)?);
    if n > 0 && n & (n - 1) == 0 {
        return Ok(Value::Long((random & (n - 1)) + low));
    }
    if n > 0 {
        let mut half = (random as u64 >> 1) as i64;
        while half.wrapping_add(n - 1).wrapping_sub(half % n) < 0 {
            half = (random_long(of)? as u64 >> 1) as i64;
        }
        return Ok(Value::Long(half % n + low));
    }
    while random < low || random >= high {
        random = random_long(of)?;
    }
    Ok(Value::Long(random))
}

fn double_between(of: &Value, low: f64, high: f64) -> Outcome {
    let random = random_double(of)? * (high - low) + low;
    Ok(Value::Double(if random >= high { high.next_down() } else { random }))
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "java.util.Random",
    &[],
    &[
        Row("new()", |vm, _| {
            let seed = next_random(vm);
            new(vm, seed)
        }),
        Row("new(long)", |vm, a| new(vm, long(&a[0])? as u64)),
        Row("boolean nextBoolean()", |_, a| Ok(Value::Bool(bits(&a[0], 1)? != 0))),
        Row("int nextInt()", |_, a| Ok(Value::Int(bits(&a[0], 32)?))),
        Row("int nextInt(int)", |_, a| below(&a[0], int(&a[1])?).map(Value::Int)),
        Row("long nextLong()", |_, a| Ok(Value::Long(random_long(&a[0])?))),
        Row("double nextDouble()", |_, a| Ok(Value::Double(random_double(&a[0])?))),
        Row("float nextFloat()", |_, a| Ok(Value::Float(bits(&a[0], 24)? as f32 / (1 << 24) as f32))),
        Row("double nextGaussian()", |_, a| gaussian(&a[0])),
        Row("void nextBytes(byte[])", |vm, a| {
            let mut bytes = array(&a[1])?.borrow_mut();
            let Array::Byte(bytes) = &mut *bytes else { return Err(unexpected(&a[1])) };
            vm.work(bytes.len() / 4 + 1)?;
            for four in bytes.chunks_mut(4) {
                let random = bits(&a[0], 32)?.to_le_bytes();
                four.iter_mut().zip(random).for_each(|(byte, random)| *byte = random as i8);
            }
            Ok(Value::Null)
        }),
        Row("void setSeed(long)", |_, a| {
            state(&a[0])?.set(Random::of_seed(long(&a[1])? as u64));
            Ok(Value::Null)
        }),
        Row("IntStream ints(long)", |vm, a| stream(vm, a, "IntStream", |of| bits(of, 32).map(Value::Int))),
        Row("IntStream ints(long,int,int)", |vm, a| {
            let (low, high) = bounds(int(&a[2])?, int(&a[3])?)?;
            stream(vm, a, "IntStream", |of| int_between(of, low, high))
        }),
        Row("LongStream longs(long,long,long)", |vm, a| {
            let (low, high) = bounds(long(&a[2])?, long(&a[3])?)?;
            stream(vm, a, "LongStream", |of| long_between(of, low, high))
        }),
        Row("DoubleStream doubles(long,double,double)", |vm, a| {
            let (low, high) = bounds(double(&a[2])?, double(&a[3])?)?;
            stream(vm, a, "DoubleStream", |of| double_between(of, low, high))
        }),
        Row("LongStream longs(long)", |vm, a| stream(vm, a, "LongStream", |of| random_long(of).map(Value::Long))),
        Row("DoubleStream doubles(long)", |vm, a| {
            stream(vm, a, "DoubleStream", |of| random_double(of).map(Value::Double))
        }),
    ],
)];
