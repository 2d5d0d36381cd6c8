//! Arithmetic and comparison with Java's rules: integers wrap, division of integers by zero throws, decimals do not.

use super::super::decimal::Rounding;
use super::super::error::{Failed, Outcome, no_cast, throw};
use super::super::op::{Arith, Cmp, Num};
use super::super::value::{Data, Value};
use super::Vm;

#[inline]
pub fn arith(op: Arith, num: Num, a: &Value, b: &Value) -> Outcome {
    match (num, a, b) {
        (Num::Double, Value::Double(x), Value::Double(y)) => double(op, *x, *y),
        (Num::Long, Value::Long(x), Value::Long(y)) => long(op, *x, *y),
        (Num::Int, Value::Int(x), Value::Int(y)) => int(op, *x, *y),
        (Num::Long, Value::Long(x), Value::Int(y)) => long(op, *x, i64::from(*y)),
        (Num::Float, Value::Float(x), Value::Float(y)) => float(op, *x, *y),
        (Num::Bool, Value::Bool(x), Value::Bool(y)) => Ok(Value::Bool(match op {
            Arith::And => x & y,
            Arith::Or => x | y,
            _ => x ^ y,
        })),
        _ => dynamic(op, a, b),
    }
}

fn double(op: Arith, x: f64, y: f64) -> Outcome {
    Ok(Value::Double(match op {
        Arith::Add => x + y,
        Arith::Sub => x - y,
        Arith::Mul => x * y,
        Arith::Div => x / y,
        Arith::Rem => x % y,
        // A shift names the type that it found, the others all decimals alike.
        Arith::Shl | Arith::Shr | Arith::Ushr => return Err(bits_of_decimals(op, "double")),
        _ => return Err(bits_of_decimals(op, "float")),
    }))
}

fn float(op: Arith, x: f32, y: f32) -> Outcome {
    Ok(Value::Float(match op {
        Arith::Add => x + y,
        Arith::Sub => x - y,
        Arith::Mul => x * y,
        Arith::Div => x / y,
        Arith::Rem => x % y,
        _ => return Err(bits_of_decimals(op, "float")),
    }))
}

#[cold]
fn bits_of_decimals(op: Arith, class: &str) -> Failed {
    throw("ClassCastException", format!("Cannot apply [{}] operation to type [{class}]", symbol(op)))
}

#[cold]
fn by_zero() -> Failed {
    throw("ArithmeticException", "/ by zero")
}

fn int(op: Arith, x: i32, y: i32) -> Outcome {
    Ok(Value::Int(match op {
        Arith::Add => x.wrapping_add(y),
        Arith::Sub => x.wrapping_sub(y),
        Arith::Mul => x.wrapping_mul(y),
        Arith::Div | Arith::Rem if y == 0 => return Err(by_zero()),
        Arith::Div => x.wrapping_div(y),
        Arith::Rem => x.wrapping_rem(y),
        Arith::And => x & y,
        Arith::Or => x | y,
        Arith::Xor => x ^ y,
        Arith::Shl => x.wrapping_shl(y as u32),
        Arith::Shr => x.wrapping_shr(y as u32),
        Arith::Ushr => (x as u32).wrapping_shr(y as u32) as i32,
    }))
}

fn long(op: Arith, x: i64, y: i64) -> Outcome {
    Ok(Value::Long(match op {
        Arith::Add => x.wrapping_add(y),
        Arith::Sub => x.wrapping_sub(y),
        Arith::Mul => x.wrapping_mul(y),
        Arith::Div | Arith::Rem if y == 0 => return Err(by_zero()),
        Arith::Div => x.wrapping_div(y),
        Arith::Rem => x.wrapping_rem(y),
        Arith::And => x & y,
        Arith::Or => x | y,
        Arith::Xor => x ^ y,
        Arith::Shl => x.wrapping_shl(y as u32),
        Arith::Shr => x.wrapping_shr(y as u32),
        Arith::Ushr => (x as u64).wrapping_shr(y as u32) as i64,
    }))
}

/// A number in the widest form of its kind.
#[derive(Clone, Copy)]
enum Wide {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    /// A number of a class of its own: beside a long it is one, beside a decimal a decimal, and otherwise an `int`.
    Other {
        long: i64,
        double: f64,
    },
}

impl Wide {
    fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Byte(v) => Self::Int(i32::from(*v)),
            Value::Short(v) => Self::Int(i32::from(*v)),
            Value::Char(v) => Self::Int(i32::from(*v)),
            Value::Int(v) => Self::Int(*v),
            Value::Long(v) => Self::Long(*v),
            Value::Float(v) => Self::Float(*v),
            Value::Double(v) => Self::Double(*v),
            _ => return None,
        })
    }

    /// As an operand of an operator with two of them, which takes numbers of classes that it does not know for `int`.
    fn operand(value: &Value) -> Option<Self> {
        match value.data() {
            Some(Data::Counter(n)) => Some(Self::Int(*n as i32)),
            Some(Data::BigInteger(_) | Data::BigDecimal(_)) => {
                Some(Self::Other { long: as_long(value)?, double: as_double(value)? })
            }
            _ => Self::of(value),
        }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Int(_) | Self::Other { .. } => 0,
            Self::Long(_) => 1,
            Self::Float(_) => 2,
            Self::Double(_) => 3,
        }
    }

    fn double(self) -> f64 {
        match self {
            Self::Int(v) => f64::from(v),
            Self::Long(v) => v as f64,
            Self::Float(v) => f64::from(v),
            Self::Double(v) => v,
            Self::Other { double, .. } => double,
        }
    }

    fn float(self) -> f32 {
        match self {
            Self::Int(v) => v as f32,
            Self::Long(v) => v as f32,
            Self::Float(v) => v,
            Self::Double(v) => v as f32,
            Self::Other { double, .. } => double as f32,
        }
    }

    fn long(self) -> i64 {
        match self {
            Self::Int(v) => i64::from(v),
            Self::Long(v) => v,
            Self::Float(v) => v as i64,
            Self::Double(v) => v as i64,
            Self::Other { long, .. } => long,
        }
    }
}

/// Any number as a double.
pub fn as_double(value: &Value) -> Option<f64> {
    match value.data() {
        Some(Data::BigInteger(n)) => Some(n.to_f64()),
        Some(Data::Counter(n)) => Some(*n as f64),
        Some(Data::BigDecimal(n)) => Some(n.to_f64()),
        _ => Wide::of(value).map(Wide::double),
    }
}

/// Any number as a long, decimals cut off.
pub fn as_long(value: &Value) -> Option<i64> {
    match value.data() {
        Some(Data::BigInteger(n)) => Some(n.low_i64()),
        Some(Data::Counter(n)) => Some(*n),
        Some(Data::BigDecimal(n)) => n.to_whole(Rounding::Down).ok().map(|whole| whole.low_i64()),
        _ => Wide::of(value).map(Wide::long),
    }
}

fn dynamic(op: Arith, a: &Value, b: &Value) -> Outcome {
    let bits = matches!(op, Arith::Shl | Arith::Shr | Arith::Ushr | Arith::And | Arith::Or | Arith::Xor);
    let operand = |value: &Value| Wide::operand(value).filter(|wide| !bits || !matches!(wide, Wide::Other { .. }));
    if let (Some(x), Some(y)) = (operand(a), operand(b)) {
        if matches!(op, Arith::Shl | Arith::Shr | Arith::Ushr) {
            if let Some(counter) = [a, b].into_iter().find(|value| Wide::of(value).is_none()) {
                let what = format!("Cannot convert [{}] to an integral value.", counter.class_name());
                return Err(throw("ClassCastException", what));
            }
            return match x {
                Wide::Int(x) => int(op, x, y.long() as i32),
                Wide::Long(x) => long(op, x, y.long()),
                Wide::Float(_) => Err(bits_of_decimals(op, "float")),
                Wide::Double(_) => Err(bits_of_decimals(op, "double")),
                Wide::Other { .. } => unreachable!("no operand of shifts"),
            };
        }
        return match x.rank().max(y.rank()) {
            0 => int(op, x.long() as i32, y.long() as i32),
            1 => long(op, x.long(), y.long()),
            2 => float(op, x.float(), y.float()),
            _ => double(op, x.double(), y.double()),
        };
    }
    if let (Value::Bool(x), Value::Bool(y)) = (a, b) {
        match op {
            Arith::And => return Ok(Value::Bool(x & y)),
            Arith::Or => return Ok(Value::Bool(x | y)),
            Arith::Xor => return Ok(Value::Bool(x ^ y)),
            _ => {}
        }
    }
    if op == Arith::Add && (matches!(a, Value::Str(_)) || matches!(b, Value::Str(_))) {
        let mut out = String::new();
        super::super::lib::write_plain(a, &mut out);
        super::super::lib::write_plain(b, &mut out);
        if out.len() > 16 << 20 {
            return Err(throw("OutOfMemoryError", "Overflow: String length out of range"));
        }
        return Ok(Value::text(out));
    }
    Err(refused(op, a, b))
}

/// Why two values cannot be calculated with: the reference finds out in another order for each kind of operator.
#[cold]
fn refused(op: Arith, a: &Value, b: &Value) -> Failed {
    match op {
        Arith::Shl | Arith::Shr | Arith::Ushr => refused_shift(op, a, b),
        // The left one is looked at first.
        Arith::And | Arith::Or | Arith::Xor if no_bits(a) && (b.is_null() || !is_box(b)) => no_integer(a),
        Arith::And | Arith::Or | Arith::Xor if a.is_null() || b.is_null() => {
            throw("NullPointerException", "Cannot invoke \"Object.getClass()\" because \"o\" is null")
        }
        Arith::And | Arith::Or | Arith::Xor => match (unlike(a, b), [a, b].into_iter().find(|v| !is_box(v))) {
            (Some(failed), _) => failed,
            (None, Some(value)) => no_integer(value),
            (None, None) => mismatch(symbol(op), a, b),
        },
        _ => mismatch(symbol(op), a, b),
    }
}

/// Whether a value is there and has no bits of its own.
fn no_bits(value: &Value) -> bool {
    !value.is_null() && (matches!(value, Value::Float(_) | Value::Double(_)) || !is_box(value))
}

#[cold]
fn refused_shift(op: Arith, a: &Value, b: &Value) -> Failed {
    match (a, b) {
        (_, Value::Bool(_)) => throw("ClassCastException", "Cannot cast java.lang.Boolean to java.lang.Long"),
        _ if matches!(b.data(), Some(Data::BigInteger(_) | Data::BigDecimal(_))) => {
            throw("ClassCastException", format!("Cannot cast {} to java.lang.Long", b.java_class()))
        }
        _ if !b.is_null() && !is_box(b) => no_cast(&b.java_class(), "java.lang.Number"),
        (Value::Null, _) => {
            throw("NullPointerException", "Cannot invoke \"Object.getClass()\" because \"args[0]\" is null")
        }
        (Value::Bool(_), _) => bits_of_decimals(op, "boolean"),
        _ if !is_box(a) => no_integer(a),
        _ => mismatch(symbol(op), a, b),
    }
}

fn is_box(value: &Value) -> bool {
    matches!(value, Value::Bool(_)) || Wide::of(value).is_some()
}

fn no_integer(value: &Value) -> Failed {
    throw("ClassCastException", format!("Cannot convert [{}] to an integral value.", value.class_name()))
}

/// A boolean beside a number.
fn unlike(a: &Value, b: &Value) -> Option<Failed> {
    let (flag, number) = if matches!(a, Value::Bool(_)) { (a, b) } else { (b, a) };
    let wide = Wide::of(number).filter(|_| matches!(flag, Value::Bool(_)))?;
    let class = match wide {
        Wide::Int(_) => "Integer",
        Wide::Long(_) => "Long",
        Wide::Float(_) => "Float",
        Wide::Double(_) => "Double",
        Wide::Other { .. } => "Integer",
    };
    Some(throw("ClassCastException", format!("Cannot cast java.lang.Boolean to java.lang.{class}")))
}

#[cold]
fn mismatch(symbol: &str, a: &Value, b: &Value) -> Failed {
    for (value, side) in [(a, "left"), (b, "right")] {
        if value.is_null() {
            let what = format!("Cannot invoke \"Object.getClass()\" because \"{side}\" is null");
            return throw("NullPointerException", what);
        }
    }
    if let Some(failed) = unlike(a, b) {
        return failed;
    }
    if matches!((a, b), (Value::Bool(_), Value::Bool(_))) {
        return throw("ClassCastException", format!("Cannot apply [{symbol}] operation to type [boolean]"));
    }
    let (a, b) = (a.class_name(), b.class_name());
    // Its own name for it.
    let symbol = if symbol == ">=" { ">" } else { symbol };
    throw("ClassCastException", format!("Cannot apply [{symbol}] operation to types [{a}] and [{b}]."))
}

fn symbol(op: Arith) -> &'static str {
    match op {
        Arith::Add => "+",
        Arith::Sub => "-",
        Arith::Mul => "*",
        Arith::Div => "/",
        Arith::Rem => "%",
        Arith::And => "&",
        Arith::Or => "|",
        Arith::Xor => "^",
        Arith::Shl => "<<",
        Arith::Shr => ">>",
        Arith::Ushr => ">>>",
    }
}

#[inline]
pub fn compare(op: Cmp, num: Num, a: &Value, b: &Value) -> Result<bool, Failed> {
    Ok(match (num, a, b) {
        (Num::Double, Value::Double(x), Value::Double(y)) => ordered(op, x, y),
        (Num::Long, Value::Long(x), Value::Long(y)) => ordered(op, x, y),
        (Num::Int, Value::Int(x), Value::Int(y)) => ordered(op, x, y),
        (Num::Float, Value::Float(x), Value::Float(y)) => ordered(op, x, y),
        (Num::Bool, Value::Bool(x), Value::Bool(y)) => ordered(op, x, y),
        _ => return compare_dynamic(op, num, a, b),
    })
}

#[inline]
fn ordered<T: PartialOrd>(op: Cmp, x: &T, y: &T) -> bool {
    match op {
        Cmp::Eq => x == y,
        Cmp::Ne => x != y,
        Cmp::Lt => x < y,
        Cmp::Le => x <= y,
        Cmp::Gt => x > y,
        Cmp::Ge => x >= y,
    }
}

fn compare_dynamic(op: Cmp, num: Num, a: &Value, b: &Value) -> Result<bool, Failed> {
    let operand =
        |value: &Value| Wide::operand(value).filter(|wide| num == Num::Def || !matches!(wide, Wide::Other { .. }));
    if let (Some(x), Some(y)) = (operand(a), operand(b)) {
        return Ok(match x.rank().max(y.rank()) {
            0 => ordered(op, &(x.long() as i32), &(y.long() as i32)),
            1 => ordered(op, &x.long(), &y.long()),
            2 => ordered(op, &x.float(), &y.float()),
            _ => ordered(op, &x.double(), &y.double()),
        });
    }
    match op {
        Cmp::Eq => Ok(Vm::equal(a, b)),
        Cmp::Ne => Ok(!Vm::equal(a, b)),
        Cmp::Lt => Err(mismatch("<", a, b)),
        Cmp::Le => Err(mismatch("<=", a, b)),
        Cmp::Gt => Err(mismatch(">", a, b)),
        Cmp::Ge => Err(mismatch(">=", a, b)),
    }
}

/// `===`: small boxes are the same object in Java, strings of the script are not.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Long(x), Value::Long(y)) => x == y,
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (Value::Byte(x), Value::Byte(y)) => x == y,
        (Value::Short(x), Value::Short(y)) => x == y,
        (Value::Char(x), Value::Char(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x == y,
        (Value::Double(x), Value::Double(y)) => x == y,
        _ => a.same(b),
    }
}

pub fn negate(value: &Value) -> Outcome {
    Ok(match Wide::of(value) {
        Some(Wide::Int(v)) => Value::Int(v.wrapping_neg()),
        Some(Wide::Long(v)) => Value::Long(v.wrapping_neg()),
        Some(Wide::Float(v)) => Value::Float(-v),
        Some(Wide::Double(v)) => Value::Double(-v),
        Some(Wide::Other { .. }) | None => return Err(refused_unary("-", value)),
    })
}

pub fn plus(value: &Value) -> Outcome {
    Ok(match Wide::of(value) {
        Some(Wide::Int(v)) => Value::Int(v),
        Some(_) => value.clone(),
        None => return Err(refused_unary("+", value)),
    })
}

pub fn bit_not(value: &Value) -> Outcome {
    Ok(match Wide::of(value) {
        Some(Wide::Int(v)) => Value::Int(!v),
        Some(Wide::Long(v)) => Value::Long(!v),
        _ => return Err(refused_unary("~", value)),
    })
}

#[cold]
fn refused_unary(symbol: &str, value: &Value) -> Failed {
    if value.is_null() {
        return throw("NullPointerException", "Cannot invoke \"Object.getClass()\" because \"args[0]\" is null");
    }
    let what = match (symbol, value) {
        ("~", Value::Bool(_)) => "Cannot apply not [~] to type [boolean]".to_owned(),
        ("~", Value::Float(_)) => "Cannot apply not [~] to type [float]".to_owned(),
        ("~", Value::Double(_)) => "Cannot apply not [~] to type [double]".to_owned(),
        (_, Value::Bool(_)) => format!("Cannot apply [{symbol}] operation to type [boolean]"),
        _ => format!("Cannot apply [{symbol}] operation to type [{}].", value.class_name()),
    };
    throw("ClassCastException", what)
}
