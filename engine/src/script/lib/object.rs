//! What every object can do, and the interfaces that hold classes together.

use super::super::class::{ClassRow, Row};
use super::super::doc;
use super::super::error::throw;
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{ok_bool, unexpected};
use super::collection::natural;
use super::display::{hash, write_text};

/// What every object can do, which some classes declare anew.
pub(super) const EQUALS: Row = Row("boolean equals(Object)", |_, a| ok_bool(Vm::equal(&a[0], &a[1])));
pub(super) const HASH_CODE: Row = Row("int hashCode()", |vm, a| {
    let Some(Data::DocValues(slot)) = a[0].data() else { return Ok(Value::Int(hash(&a[0], 0))) };
    // Values of a document are a list.
    let of_items = |sum: i32, item: &Value| sum.wrapping_mul(31).wrapping_add(hash(item, 1));
    Ok(Value::Int(doc::items(vm, *slot)?.iter().fold(1, of_items)))
});
pub(super) const TO_STRING: Row = Row("String toString()", |vm, a| {
    let mut out = String::new();
    write_text(vm, &a[0], &mut out)?;
    vm.string(out)
});

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.Object", &[], &[EQUALS, HASH_CODE, TO_STRING]),
    ClassRow::new(
        "java.lang.Comparable",
        &[],
        &[Row("int compareTo(def)", |_, a| natural(&a[0], &a[1]).map(Value::Int))],
    ),
    ClassRow::new(
        "java.lang.Enum",
        &["Comparable"],
        &[
            Row("String name()", |vm, a| match a[0].data() {
                Some(Data::Constant(_, name, _)) => vm.string(*name),
                _ => Err(unexpected(&a[0])),
            }),
            Row("int compareTo(Enum)", |_, a| natural(&a[0], &a[1]).map(Value::Int)),
            Row("int ordinal()", |_, a| match a[0].data() {
                Some(Data::Constant(_, _, ordinal)) => Ok(Value::Int(*ordinal)),
                _ => Err(unexpected(&a[0])),
            }),
        ],
    ),
    ClassRow::new(
        "java.util.Objects",
        &[],
        &[
            Row("static boolean equals(Object,Object)", |_, a| ok_bool(Vm::equal(&a[0], &a[1]))),
            Row("static int hashCode(Object)", |_, a| Ok(Value::Int(hash(&a[0], 0)))),
            Row("static int compare(def,def,Comparator)", |vm, a| {
                let order = if a[0].same(&a[1]) { 0 } else { super::compare_with(vm, &a[2], &a[0], &a[1])? };
                Ok(Value::Int(order))
            }),
            Row("static int hash(Object[])", |vm, a| {
                // None is not an empty list.
                if a[0].is_null() {
                    return Ok(Value::Int(0));
                }
                let items = super::items_of(vm, &a[0])?;
                let mix = |h: i32, item: &Value| h.wrapping_mul(31).wrapping_add(hash(item, 0));
                Ok(Value::Int(items.iter().fold(1, mix)))
            }),
            Row("static boolean deepEquals(Object,Object)", |vm, a| {
                ok_bool(super::collections::deep_equal(vm, &a[0], &a[1], 0)?)
            }),
            Row("static boolean isNull(Object)", |_, a| ok_bool(a[0].is_null())),
            Row("static boolean nonNull(Object)", |_, a| ok_bool(!a[0].is_null())),
            Row("static def requireNonNull(def)", |_, a| match a[0].is_null() {
                true => Err(super::super::error::thrown("NullPointerException", None)),
                false => Ok(a[0].clone()),
            }),
            Row("static def requireNonNull(def,String)", |_, a| match a[0].is_null() {
                true => Err(throw("NullPointerException", super::display::plain(&a[1]))),
                false => Ok(a[0].clone()),
            }),
            Row("static String toString(Object)", |vm, a| {
                let mut out = String::new();
                write_text(vm, &a[0], &mut out)?;
                vm.string(out)
            }),
            Row("static String toString(Object,String)", |vm, a| {
                let shown = if a[0].is_null() { &a[1] } else { &a[0] };
                let mut out = String::new();
                write_text(vm, shown, &mut out)?;
                vm.string(out)
            }),
        ],
    ),
];
