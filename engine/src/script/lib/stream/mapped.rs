//! Streams of what a function makes of the items of others.

use super::super::super::class::registry;
use super::super::super::error::{Failed, Outcome, no_cast};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{double, int, long};
use super::{Stream, class_name, new, take};

pub(super) fn mapped(vm: &mut Vm, a: &[Value], class: &str) -> Outcome {
    let items = take(vm, &a[0])?.into_iter().map(|item| vm.call(&a[1], &[item])).collect::<Result<Vec<_>, _>>()?;
    let items = match class {
        "IntStream" => items.iter().map(|v| int(v).map(Value::Int)).collect::<Result<Vec<_>, _>>()?,
        "LongStream" => items.iter().map(|v| long(v).map(Value::Long)).collect::<Result<Vec<_>, _>>()?,
        "DoubleStream" => items.iter().map(|v| double(v).map(Value::Double)).collect::<Result<Vec<_>, _>>()?,
        _ => items,
    };
    new(vm, class, items)
}

pub(super) fn flat_mapped(vm: &mut Vm, a: &[Value], class: &str) -> Outcome {
    let mut out = vec![];
    for item in take(vm, &a[0])? {
        match vm.call(&a[1], &[item])? {
            inner if inner.is_null() => {}
            inner if is_of(&inner, class) => out.extend(take(vm, &inner)?),
            inner => return failing(vm, class, no_cast(&inner.class_name(), &format!("java.util.stream.{class}"))),
        }
        vm.grow(16)?;
    }
    new(vm, class, out)
}

fn is_of(value: &Value, class: &str) -> bool {
    matches!(value.data(), Some(Data::Stream(_))) && class_name(value) == class
}

/// A stream that fails as soon as somebody wants something of it.
pub(super) fn failing(vm: &mut Vm, class: &str, failed: Failed) -> Outcome {
    let class = registry().find(class).expect("the row is below");
    vm.alloc(Data::Stream(Stream { class, items: vec![], endless: None, failed: Some(failed) }.into()))
}
