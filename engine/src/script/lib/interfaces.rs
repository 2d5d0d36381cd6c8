//! Interfaces and bases that declarations name, with what they declare, and enumerations that nothing here goes by yet but texts.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Outcome, illegal};
use super::super::types::Type;
use super::super::value::{Array, Data, Value};
use super::super::vm::Vm;
use super::args::text;

fn constant(vm: &mut Vm, class: &str, name: &'static str, at: usize) -> Outcome {
    let class = registry().find(class).expect("the row is below");
    vm.alloc(Data::Constant(class, name, at as i32))
}

fn named(vm: &mut Vm, class: &str, names: &[&'static str], given: &Value) -> Outcome {
    let name = text(given)?;
    match names.iter().position(|known| *known == name) {
        Some(at) => constant(vm, class, names[at], at),
        None => {
            let full = registry().find(class).map_or(class, |id| registry().class(id).name);
            Err(illegal(format!("No enum constant {full}.{name}")))
        }
    }
}

fn all(vm: &mut Vm, class: &str, names: &[&'static str]) -> Outcome {
    let items = (0..names.len()).map(|at| constant(vm, class, names[at], at)).collect::<Result<Vec<_>, _>>()?;
    let class = Type::class(registry().find(class).expect("the row is below"));
    vm.alloc(Data::Array(Array::Objects(class, items).into()))
}

/// An enumeration in the order of Java.
macro_rules! enumeration {
    ($full:literal, $simple:literal: $($index:literal $name:literal),*) => {
        ClassRow::new(
            $full,
            &["Enum"],
            &[
                $(Row(concat!("static ", $simple, " ", $name), |vm, _| constant(vm, $simple, $name, $index)),)*
                Row(concat!("static ", $simple, " valueOf(String)"), |vm, a| named(vm, $simple, &[$($name),*], &a[0])),
                Row(concat!("static ", $simple, "[] values()"), |vm, _| all(vm, $simple, &[$($name),*])),
            ],
        )
    };
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.Void", &[], &[]),
    ClassRow::new("java.util.AbstractCollection", &["Collection"], &[]),
    ClassRow::new("java.util.AbstractList", &["AbstractCollection", "List"], &[]),
    ClassRow::new("java.util.AbstractMap", &["Map"], &[]),
    ClassRow::new("java.util.AbstractQueue", &["AbstractCollection", "Queue"], &[]),
    ClassRow::new("java.util.AbstractSequentialList", &["AbstractList"], &[]),
    ClassRow::new("java.util.AbstractSet", &["AbstractCollection", "Set"], &[]),
    ClassRow::new("java.util.EventListener", &[], &[]),
    ClassRow::new("java.util.RandomAccess", &[], &[]),
    enumeration!("java.text.Normalizer.Form", "Normalizer.Form": 0 "NFD", 1 "NFC", 2 "NFKD", 3 "NFKC"),
    enumeration!("java.time.format.FormatStyle", "FormatStyle": 0 "FULL", 1 "LONG", 2 "MEDIUM", 3 "SHORT"),
    enumeration!("java.time.format.ResolverStyle", "ResolverStyle": 0 "STRICT", 1 "SMART", 2 "LENIENT"),
    enumeration!("java.time.format.SignStyle", "SignStyle":
        0 "NORMAL", 1 "ALWAYS", 2 "NEVER", 3 "NOT_NEGATIVE", 4 "EXCEEDS_PAD"),
    enumeration!("java.time.zone.ZoneOffsetTransitionRule.TimeDefinition", "ZoneOffsetTransitionRule.TimeDefinition":
        0 "UTC", 1 "WALL", 2 "STANDARD"),
    enumeration!("java.util.Locale.Category", "Locale.Category": 0 "DISPLAY", 1 "FORMAT"),
    enumeration!("java.util.Locale.FilteringMode", "Locale.FilteringMode":
        0 "AUTOSELECT_FILTERING", 1 "EXTENDED_FILTERING", 2 "IGNORE_EXTENDED_RANGES", 3 "MAP_EXTENDED_RANGES",
        4 "REJECT_EXTENDED_RANGES"),
    enumeration!("java.util.stream.Collector.Characteristics", "Collector.Characteristics":
        0 "CONCURRENT", 1 "UNORDERED", 2 "IDENTITY_FINISH"),
];
