//! Arithmetic of constants while compiling.

use super::super::ast::Unary;
use super::super::op::{Arith, Constant, Num};
use super::super::value::Value;
use super::arith;

fn value(constant: &Constant) -> Option<(Value, Num)> {
    Some(match constant {
        Constant::Int(v) => (Value::Int(*v), Num::Int),
        Constant::Long(v) => (Value::Long(*v), Num::Long),
        Constant::Float(v) => (Value::Float(*v), Num::Float),
        Constant::Double(v) => (Value::Double(*v), Num::Double),
        _ => return None,
    })
}

fn constant(value: Value) -> Option<Constant> {
    Some(match value {
        Value::Int(v) => Constant::Int(v),
        Value::Long(v) => Constant::Long(v),
        Value::Float(v) => Constant::Float(v),
        Value::Double(v) => Constant::Double(v),
        _ => return None,
    })
}

/// A constant as it is shown behind a text; none for null.
pub fn text(constant: &Constant) -> Option<String> {
    let value = match constant {
        Constant::Str(text) => return Some(text.to_string()),
        Constant::Bool(v) => Value::Bool(*v),
        Constant::Byte(v) => Value::Byte(*v),
        Constant::Short(v) => Value::Short(*v),
        Constant::Char(v) => Value::Char(*v),
        number => value(number)?.0,
    };
    Some(super::super::lib::plain(&value))
}

/// The result for operands of one type, of any whole number shifted by an int; the error is the message of what would be thrown.
pub fn arith(op: Arith, a: &Constant, b: &Constant) -> Option<Result<Constant, String>> {
    let ((a, num), (b, other)) = (value(a)?, value(b)?);
    let shifts = matches!(op, Arith::Shl | Arith::Shr | Arith::Ushr) && other == Num::Int;
    if num != other && !shifts {
        return None;
    }
    match arith::arith(op, num, &a, &b) {
        Ok(result) => constant(result).map(Ok),
        Err(failed) => Some(Err(failed.message.unwrap_or_default())),
    }
}

pub fn unary(op: Unary, of: &Constant) -> Option<Constant> {
    let (value, _) = value(of)?;
    match op {
        Unary::Minus => constant(arith::negate(&value).ok()?),
        Unary::BitNot => constant(arith::bit_not(&value).ok()?),
        Unary::Plus => Some(of.clone()),
        Unary::Not => None,
    }
}
