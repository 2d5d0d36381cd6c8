//! `Normalizer`: texts in the forms of Unicode.

use super::super::class::{ClassRow, Row};
use super::super::error::{Failed, null_pointer};
use super::super::value::{Data, Value};
use super::super::vm::Vm;
use super::args::{ok_bool, text, unexpected};
use unicode_normalization::UnicodeNormalization;

fn normalized(vm: &mut Vm, a: &[Value]) -> Result<String, Failed> {
    let text = text(&a[0])?;
    // A character becomes 18 at most.
    vm.grow(text.len())?;
    vm.work(text.len() / 4 + 1)?;
    let normal: String = match a[1].data() {
        Some(Data::Constant(_, name, _)) => match *name {
            "NFC" => text.nfc().collect(),
            "NFD" => text.nfd().collect(),
            "NFKC" => text.nfkc().collect(),
            _ => text.nfkd().collect(),
        },
        None if a[1].is_null() => return Err(null_pointer()),
        _ => return Err(unexpected(&a[1])),
    };
    vm.grow(normal.len())?;
    Ok(normal)
}

pub const CLASSES: &[ClassRow] = &[ClassRow::new(
    "java.text.Normalizer",
    &[],
    &[
        Row("static String normalize(CharSequence,Normalizer.Form)", |vm, a| {
            let normal = normalized(vm, a)?;
            vm.string(normal)
        }),
        Row("static boolean isNormalized(CharSequence,Normalizer.Form)", |vm, a| {
            let normal = normalized(vm, a)?;
            ok_bool(normal == *text(&a[0])?)
        }),
    ],
)];
