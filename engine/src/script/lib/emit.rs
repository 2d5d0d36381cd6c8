//! `emit`: what scripts of derived fields give their values with.

use super::super::class::{ClassRow, Row};
use super::super::value::{Data, Value};
use super::args::double;

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "org.opensearch.script.DerivedFieldScript",
    &[],
    &[
        Row("static void emit(Object)", |vm, a| {
            vm.grow(size_of::<Value>())?;
            vm.emitted.push(a[0].clone());
            Ok(Value::Null)
        }),
        Row("static void emit(double,double)", |vm, a| {
            let point = vm.alloc(Data::GeoPoint(double(&a[0])?, double(&a[1])?))?;
            vm.emitted.push(point);
            Ok(Value::Null)
        }),
    ],
)];
