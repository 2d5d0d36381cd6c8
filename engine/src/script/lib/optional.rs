//! `Optional` and its kin of numbers.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, no_cast, throw};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{double, int, long, ok_bool, unexpected};
use super::list::truth;

pub(super) fn new(vm: &mut Vm, class: &str, value: Option<Value>) -> Outcome {
    let class = registry().find(class).expect("the row is below");
    vm.alloc(Data::Optional(class, value.into()))
}

fn value(of: &Value) -> Result<Option<Value>, Failed> {
    match of.data() {
        Some(Data::Optional(_, value)) => Ok(value.borrow().clone()),
        _ => Err(unexpected(of)),
    }
}

fn get(_: &mut Vm, a: &[Value]) -> Outcome {
    value(&a[0])?.ok_or_else(|| throw("NoSuchElementException", "No value present"))
}

fn or_else(_: &mut Vm, a: &[Value]) -> Outcome {
    Ok(value(&a[0])?.unwrap_or_else(|| a[1].clone()))
}

fn or_else_get(vm: &mut Vm, a: &[Value]) -> Outcome {
    match value(&a[0])? {
        Some(value) => Ok(value),
        None => vm.call(&a[1], &[]),
    }
}

fn if_present(vm: &mut Vm, a: &[Value]) -> Outcome {
    if let Some(value) = value(&a[0])? {
        vm.call(&a[1], &[value])?;
    }
    Ok(Value::Null)
}

fn or_else_throw(vm: &mut Vm, a: &[Value]) -> Outcome {
    match value(&a[0])? {
        Some(value) => Ok(value),
        None => {
            let thrown = vm.call(&a[1], &[])?;
            match thrown.data() {
                Some(Data::Throwable(class, message, at, _)) => Err(Box::new(super::super::error::Thrown {
                    class: *class,
                    message: message.clone(),
                    at: *at,
                    object: Some(thrown.clone()),
                    explained: vec![],
                    causes: vec![],
                })),
                _ if thrown.is_null() => Err(super::super::error::null_pointer()),
                _ => Err(no_cast(&thrown.java_class(), "java.lang.Throwable")),
            }
        }
    }
}

const OPTIONAL: &[Row] = &[
    Row("static Optional empty()", |vm, _| new(vm, "Optional", None)),
    Row("static Optional of(def)", |vm, a| match a[0].is_null() {
        true => Err(super::super::error::thrown("NullPointerException", None)),
        false => new(vm, "Optional", Some(a[0].clone())),
    }),
    Row("static Optional ofNullable(def)", |vm, a| new(vm, "Optional", Some(a[0].clone()).filter(|v| !v.is_null()))),
    Row("Optional filter(Predicate)", |vm, a| {
        let keep = match value(&a[0])? {
            Some(value) => truth(vm.call(&a[1], &[value])?)?,
            None => true,
        };
        if keep { Ok(a[0].clone()) } else { new(vm, "Optional", None) }
    }),
    Row("Optional flatMap(Function)", |vm, a| match value(&a[0])? {
        Some(value) => match vm.call(&a[1], &[value])? {
            made if made.is_null() => Err(super::super::error::thrown("NullPointerException", None)),
            made if matches!(made.data(), Some(Data::Optional(..))) => Ok(made),
            made => Err(no_cast(&made.java_class(), "java.util.Optional")),
        },
        None => Ok(a[0].clone()),
    }),
    Row("def get()", get),
    Row("void ifPresent(Consumer)", if_present),
    Row("boolean isPresent()", |_, a| ok_bool(value(&a[0])?.is_some())),
    Row("Optional map(Function)", |vm, a| match value(&a[0])? {
        Some(value) => {
            let mapped = vm.call(&a[1], &[value])?;
            new(vm, "Optional", Some(mapped).filter(|v| !v.is_null()))
        }
        None => Ok(a[0].clone()),
    }),
    Row("def orElse(def)", or_else),
    Row("def orElseGet(Supplier)", or_else_get),
    Row("def orElseThrow(Supplier)", or_else_throw),
];

macro_rules! of_numbers {
    ($name:literal, $number:literal, $get:literal, $consumer:literal, $supplier:literal, $as:expr, $value:expr) => {
        ClassRow::new(
            concat!("java.util.", $name),
            &[],
            &[
                Row(concat!("static ", $name, " empty()"), |vm, _| new(vm, $name, None)),
                Row(concat!("static ", $name, " of(", $number, ")"), |vm, a| new(vm, $name, Some(a[0].clone()))),
                Row(concat!($number, " ", $get, "()"), get),
                Row(concat!("void ifPresent(", $consumer, ")"), if_present),
                Row("boolean isPresent()", |_, a| ok_bool(value(&a[0])?.is_some())),
                Row(concat!($number, " orElse(", $number, ")"), or_else),
                // What dynamic code supplies may be another type of number.
                Row(concat!($number, " orElseGet(", $supplier, ")"), |vm, a| {
                    or_else_get(vm, a).and_then(|value| $as(&value).map($value))
                }),
                Row(concat!($number, " orElseThrow(Supplier)"), or_else_throw),
            ],
        )
    };
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.util.Optional", &[], OPTIONAL),
    of_numbers!("OptionalInt", "int", "getAsInt", "IntConsumer", "IntSupplier", int, Value::Int),
    of_numbers!("OptionalLong", "long", "getAsLong", "LongConsumer", "LongSupplier", long, Value::Long),
    of_numbers!("OptionalDouble", "double", "getAsDouble", "DoubleConsumer", "DoubleSupplier", double, Value::Double),
];
