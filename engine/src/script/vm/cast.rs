//! Casts at run time.

use super::super::class::registry;
use super::super::error::{Failed, Outcome, no_cast, throw, thrown};
use super::super::text::Text;
use super::super::types::{Base, Type};
use super::super::value::{Data, Value};
use super::arith::{as_double, as_long};

pub fn cast(value: &Value, from: Type, to: Type, explicit: bool) -> Outcome {
    if let (Value::Str(text), Some(Type::CHAR) | None) = (value, to.unboxed())
        && (to == Type::CHAR || to.unboxed() == Some(Type::CHAR))
        && from == Type::STRING
    {
        return match (text.len(), text.unit(0)) {
            (1, Some(unit)) => Ok(Value::Char(unit)),
            _ => Err(throw("ClassCastException", "cannot cast java.lang.String with length not equal to one to char")),
        };
    }
    if let Some(primitive) = to.unboxed() {
        if value.is_null() {
            return Ok(Value::Null);
        }
        // What is no box of another number is only looked at, as any other class.
        let numbers = from.is_def() || from.is_primitive() || from.unboxed().is_some();
        return match numbers || is_instance(value, to) {
            true => number(value, primitive, to, explicit || from.is_primitive()),
            false => Err(refused(value, to, from, explicit)),
        };
    }
    if to.is_primitive() {
        if value.is_null() {
            // What is looked at before it is cast is looked at for its class.
            let looked = explicit || !matches!(to, Type::INT | Type::LONG | Type::FLOAT | Type::DOUBLE);
            let said = looked.then(|| "Cannot invoke \"Object.getClass()\" because \"value\" is null".to_owned());
            return Err(thrown("NullPointerException", said));
        }
        return number(value, to, to, explicit || from.is_primitive());
    }
    if value.is_null() || is_instance(value, to) {
        return Ok(value.clone());
    }
    if let (Value::Char(unit), Type::STRING) = (value, to)
        && (explicit || !from.is_def())
    {
        return Ok(Value::Str(Text::new(String::from_utf16_lossy(&[*unit]))));
    }
    Err(refused(value, to, from, explicit))
}

#[cold]
fn no_number(what: String) -> Failed {
    throw("ClassCastException", what)
}

/// A number or boolean as a primitive. Narrowing has to be asked for.
fn number(value: &Value, primitive: Type, to: Type, explicit: bool) -> Outcome {
    let refused = || {
        let from = unboxed_name(value);
        // What the reference says of these two it has taken over from another type.
        match (explicit, primitive) {
            (true, Type::DOUBLE) => return no_number(format!("cannot explicitly cast def [{from}] to byte")),
            (true, Type::FLOAT) => return no_number(format!("cannot explicitly cast float [{from}] to byte")),
            _ => {}
        }
        let how = if primitive == Type::BOOL && primitive == to {
            ""
        } else if explicit && primitive != Type::BOOL {
            "explicitly "
        } else {
            "implicitly "
        };
        no_number(format!("cannot {how}cast def [{from}] to {}", to.name()))
    };
    if let Value::Bool(_) = value {
        return if primitive == Type::BOOL { Ok(value.clone()) } else { Err(refused()) };
    }
    if let (Value::Str(text), Type::CHAR, true) = (value, primitive, explicit) {
        return match (text.len(), text.unit(0)) {
            (1, Some(unit)) => Ok(Value::Char(unit)),
            _ => Err(throw("ClassCastException", "cannot cast java.lang.String with length not equal to one to char")),
        };
    }
    let (Some(double), Some(long)) = (as_double(value), as_long(value)) else { return Err(refused()) };
    match value.data() {
        Some(Data::BigInteger(_) | Data::BigDecimal(_)) => return Err(refused()),
        // The reference names another type here.
        Some(Data::Counter(_)) if primitive == Type::DOUBLE && explicit => {
            let what = format!("cannot explicitly cast def [{}] to byte", value.class_name());
            return Err(throw("ClassCastException", what));
        }
        Some(Data::Counter(_)) => return Err(refused()),
        _ => {}
    }
    if primitive == Type::BOOL {
        return Err(refused());
    }
    let rank = |t: Type| match t.base {
        Base::Byte => 1,
        Base::Short => 2,
        Base::Char => 2,
        Base::Int => 3,
        Base::Long => 4,
        Base::Float => 5,
        _ => 6,
    };
    let own = Type::class(value.class()).unboxed().unwrap_or(primitive);
    let fits = own == primitive || (rank(own) < rank(primitive) && primitive != Type::CHAR);
    if !fits && !explicit {
        return Err(refused());
    }
    let decimal = matches!(value, Value::Float(_) | Value::Double(_));
    let int = if decimal { double as i32 } else { long as i32 };
    Ok(match primitive {
        Type::BYTE => Value::Byte(int as i8),
        Type::SHORT => Value::Short(int as i16),
        Type::CHAR => Value::Char(int as u16),
        Type::INT => Value::Int(int),
        Type::LONG => Value::Long(long),
        Type::FLOAT => Value::Float(match value {
            Value::Float(v) => *v,
            _ if decimal => double as f32,
            _ => long as f32,
        }),
        _ => Value::Double(double),
    })
}

/// What a compound assignment leaves in a dynamic variable: numbers stay of the class that they were of.
pub fn like(value: &Value, before: &Value) -> Outcome {
    match Type::class(before.class()).unboxed() {
        Some(class) if class.is_numeric() && value.class() != before.class() => match value.data() {
            None if as_double(value).is_some() => number(value, class, class, true),
            None if matches!(value, Value::Str(_)) => Err(no_cast(&value.java_class(), "java.lang.Number")),
            _ => {
                let (from, to) = (value.class_name(), before.class_name());
                Err(throw("ClassCastException", format!("Cannot cast {from} to {to}")))
            }
        },
        // Other numbers have a class of their own, which no operator gives.
        _ if matches!(before.data(), Some(Data::BigInteger(_) | Data::BigDecimal(_)))
            && value.class() != before.class() =>
        {
            let (from, to) = (value.class_name(), before.class_name());
            Err(throw("ClassCastException", format!("Cannot cast {from} to {to}")))
        }
        _ => Ok(value.clone()),
    }
}

/// An argument as what a parameter wants: numbers widen, everything else has to be of the class.
pub fn adapt(value: &Value, to: Type) -> Outcome {
    if to.is_def() || to == Type::OBJECT || value.is_null() && !to.is_primitive() {
        return Ok(value.clone());
    }
    if to.is_primitive() || to.unboxed().is_some() {
        return cast(value, Type::DEF, to, false);
    }
    if matches!(value.data(), Some(Data::Closure(_) | Data::Comparator(_))) || is_instance(value, to) {
        return Ok(value.clone());
    }
    Err(refused(value, to, Type::OBJECT, false))
}

pub fn is_instance(value: &Value, class: Type) -> bool {
    if value.is_null() {
        return false;
    }
    if class == Type::OBJECT || class.is_def() {
        return true;
    }
    if class.dims > 0 {
        return match value.data() {
            Some(Data::Array(array)) => {
                let element = array.borrow().element_type();
                element == class.element()
                    || element.is_def() && class.element() == Type::OBJECT
                    || (!element.is_primitive() && class.element() == Type::OBJECT)
            }
            _ => false,
        };
    }
    let Base::Class(of) = class.base else { return false };
    match value.data() {
        Some(Data::Array(_)) => false,
        // A lambda is whatever is wanted of it.
        Some(Data::Closure(_)) => registry().class(of).functional.is_some(),
        _ => registry().is_subclass(value.class(), of),
    }
}

pub(super) fn unboxed_name(value: &Value) -> String {
    match value.data() {
        None => Type::class(value.class()).unboxed().map_or_else(|| value.class_name(), Type::name),
        Some(_) => value.class_name(),
    }
}

#[cold]
fn refused(value: &Value, to: Type, from: Type, explicit: bool) -> Failed {
    if to == Type::STRING && from.is_def() {
        let how = if explicit { "explicitly" } else { "implicitly" };
        let what = format!("cannot {how} cast def [{}] to java.lang.String", unboxed_name(value));
        return throw("ClassCastException", what);
    }
    no_cast(&value.java_class(), &to.java_name())
}
