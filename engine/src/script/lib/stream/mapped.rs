//! Streams of what a function makes of the items of others.

use super::super::super::class::registry;
use super::super::super::error::{Failed, Outcome, no_cast};
use super::super::super::value::{Data, Value};
use super::super::super::vm::Vm;
use super::super::args::{double, int, long};
use super::{NAMELESS_CLASS, Stream, class_name, staged, take};

pub(super) fn mapped(vm: &mut Vm, a: &[Value], class: &str) -> Outcome {
    staged(vm, &a[0], class, |vm, items| {
        let items = items.into_iter().map(|item| vm.call(&a[1], &[item])).collect::<Result<Vec<_>, _>>()?;
        match class {
            "IntStream" => items.iter().map(|v| int(v).map(Value::Int)).collect(),
            "LongStream" => items.iter().map(|v| long(v).map(Value::Long)).collect(),
            "DoubleStream" => items.iter().map(|v| double(v).map(Value::Double)).collect(),
            _ => Ok(items),
        }
    })
}

pub(super) fn flat_mapped(vm: &mut Vm, a: &[Value], class: &str) -> Outcome {
    let mut uncast = None;
    let stream = staged(vm, &a[0], class, |vm, items| {
        let mut out = vec![];
        for item in items {
            match vm.call(&a[1], &[item])? {
                inner if inner.is_null() => {}
                inner if is_of(&inner, class) => out.extend(take(vm, &inner)?),
                inner => {
                    uncast = Some(no_cast(&inner.java_class(), &format!("java.util.stream.{class}")));
                    break;
                }
            }
            vm.grow(16)?;
        }
        Ok(out)
    })?;
    match uncast {
        Some(failed) => failing(vm, class, failed),
        None => Ok(stream),
    }
}

fn is_of(value: &Value, class: &str) -> bool {
    matches!(value.data(), Some(Data::Stream(_))) && class_name(value) == class
}

/// A stream that fails as soon as somebody wants something of it.
pub(super) fn failing(vm: &mut Vm, class: &str, failed: Failed) -> Outcome {
    let class = registry().find(class).expect("the row is below");
    let own_class = Some(NAMELESS_CLASS);
    vm.alloc(Data::Stream(Stream { class, items: vec![], failed: Some(failed), own_class }.into()))
}
