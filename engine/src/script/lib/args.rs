//! Arguments as Rust values, and results as script values. Compiled calls pass the declared types; null and mistakes of
//! dynamic calls become exceptions.

use super::super::error::{Failed, Outcome, null_pointer, throw, thrown};
use super::super::value::{Array, Data, Map, Value};
use super::super::vm::arith::{as_double, as_long};
use std::cell::RefCell;

#[cold]
fn wrong(value: &Value, wanted: &str) -> Failed {
    if value.is_null() {
        return null_pointer();
    }
    throw("ClassCastException", format!("Cannot cast {} to {wanted}", value.java_class()))
}

/// A string or what stands for one.
pub fn text(value: &Value) -> Result<std::borrow::Cow<'_, str>, Failed> {
    match value {
        Value::Str(text) => Ok(text.as_str().into()),
        Value::Obj(obj) => match &obj.data {
            Data::Builder(_, text, _) => Ok(text.borrow().clone().into()),
            _ => Err(wrong(value, "java.lang.CharSequence")),
        },
        _ => Err(wrong(value, "java.lang.CharSequence")),
    }
}

pub fn int(value: &Value) -> Result<i32, Failed> {
    match value {
        Value::Int(v) => Ok(*v),
        _ => as_long(value).map(|v| v as i32).ok_or_else(|| wrong(value, "java.lang.Integer")),
    }
}

pub fn long(value: &Value) -> Result<i64, Failed> {
    as_long(value).ok_or_else(|| wrong(value, "java.lang.Long"))
}

pub fn double(value: &Value) -> Result<f64, Failed> {
    as_double(value).ok_or_else(|| wrong(value, "java.lang.Double"))
}

pub fn boolean(value: &Value) -> Result<bool, Failed> {
    match value {
        Value::Bool(v) => Ok(*v),
        _ => Err(wrong(value, "java.lang.Boolean")),
    }
}

pub fn unit(value: &Value) -> Result<u16, Failed> {
    match value {
        Value::Char(v) => Ok(*v),
        _ => as_long(value).map(|v| v as u16).ok_or_else(|| wrong(value, "java.lang.Character")),
    }
}

/// An index or count that is not negative.
pub fn index(value: &Value) -> Result<usize, Failed> {
    let at = int(value)?;
    usize::try_from(at).map_err(|_| throw("IndexOutOfBoundsException", format!("Index {at} out of bounds")))
}

pub fn map(value: &Value) -> Result<&RefCell<Map>, Failed> {
    match value.data() {
        Some(Data::Map(map)) => Ok(map),
        Some(Data::Doc | Data::Fields) => Err(thrown("UnsupportedOperationException", None)),
        _ => Err(wrong(value, "java.util.Map")),
    }
}

pub fn array(value: &Value) -> Result<&RefCell<Array>, Failed> {
    match value.data() {
        Some(Data::Array(array)) => Ok(array),
        _ => Err(wrong(value, "an array")),
    }
}

/// An object that is not of the class that its method was found on.
#[cold]
pub fn unexpected(value: &Value) -> Failed {
    wrong(value, "the class of the method")
}

pub fn ok_int(value: usize) -> Outcome {
    Ok(Value::Int(i32::try_from(value).unwrap_or(i32::MAX)))
}

pub fn ok_bool(value: bool) -> Outcome {
    Ok(Value::Bool(value))
}
