//! `StringBuilder`, `StringBuffer` and `StringJoiner`.

use super::super::class::{ClassRow, Row, registry};
use super::super::error::{Failed, Outcome, throw};
use super::super::text::Text;
use super::super::value::{Data, Joiner, Room, Value};
use super::super::vm::Vm;
use super::args::{int, ok_int, text, unexpected};
use super::categories::units_of;
use super::display::write_text;
use std::cell::{Cell, RefCell};

fn builder(value: &Value) -> Result<&RefCell<String>, Failed> {
    match value.data() {
        Some(Data::Builder(_, text, _)) => Ok(text),
        _ => Err(unexpected(value)),
    }
}

fn new_builder(vm: &mut Vm, class: &str, text: String) -> Outcome {
    let class = registry().find(class).expect("the row is below");
    vm.grow(text.len())?;
    let units = text.encode_utf16().count();
    let room = Room { units, capacity: units + SPARE };
    vm.alloc(Data::Builder(class, text.into(), room.into()))
}

/// So many units more than its text a builder has room for at first.
const SPARE: usize = 16;

fn room(value: &Value) -> Result<&Cell<Room>, Failed> {
    match value.data() {
        Some(Data::Builder(_, _, room)) => Ok(room),
        _ => Err(unexpected(value)),
    }
}

/// Notes how many units the text has. Where these need more room there is twice as much and a little more, or as much as they need.
fn note_units(of: &Value, units: usize) -> Result<(), Failed> {
    let room = room(of)?;
    let mut capacity = room.get().capacity;
    if units > capacity {
        capacity = units.max(2 * capacity + 2);
    }
    room.set(Room { units, capacity });
    Ok(())
}

/// Adds to the end of a builder's text.
pub(super) fn push(of: &Value, more: &str) -> Result<(), Failed> {
    builder(of)?.borrow_mut().push_str(more);
    note_units(of, room(of)?.get().units + more.encode_utf16().count())
}

fn append(vm: &mut Vm, a: &[Value]) -> Outcome {
    let mut out = String::new();
    write_text(vm, &a[1], &mut out)?;
    vm.grow(out.len())?;
    push(&a[0], &out)?;
    Ok(a[0].clone())
}

/// Replaces units `[from, to)`; `to` may be past the end.
fn splice(vm: &mut Vm, of: &Value, from: i32, to: i32, with: &str) -> Outcome {
    let builder = builder(of)?;
    let current = Text::new(builder.borrow().as_str());
    let len = current.len() as i32;
    let to = to.min(len);
    if from < 0 || from > to {
        return Err(throw(
            "StringIndexOutOfBoundsException",
            format!("Range [{from}, {to}) out of bounds for length {len}"),
        ));
    }
    vm.grow(with.len() + current.as_str().len() / 8)?;
    let left = current.len() - (to - from) as usize;
    let (from, to) = (current.byte_of(from as usize), current.byte_of(to as usize));
    builder.borrow_mut().replace_range(from..to.max(from), with);
    note_units(of, left + with.encode_utf16().count())?;
    Ok(of.clone())
}

/// The place that is asked for, where a character stands.
fn place(a: &[Value]) -> Result<i32, Failed> {
    let at = int(&a[1])?;
    let len = Text::new(builder(&a[0])?.borrow().as_str()).len();
    if usize::try_from(at).is_ok_and(|at| at < len) {
        return Ok(at);
    }
    Err(throw("StringIndexOutOfBoundsException", format!("Index {at} out of bounds for length {len}")))
}

fn insert(vm: &mut Vm, a: &[Value]) -> Outcome {
    let mut part = String::new();
    write_text(vm, &a[2], &mut part)?;
    let at = int(&a[1])?;
    if at < 0 {
        let len = Text::new(builder(&a[0])?.borrow().as_str()).len();
        let what = format!("Range [{at}, {len}) out of bounds for length {len}");
        return Err(throw("StringIndexOutOfBoundsException", what));
    }
    splice(vm, &a[0], at, at, &part)
}

/// The part of a text between two places.
fn append_part(vm: &mut Vm, a: &[Value]) -> Outcome {
    let part = Text::new(text(&a[1])?.into_owned());
    let (from, to) = (super::args::index(&a[2])?, super::args::index(&a[3])?);
    if from > to || to > part.len() {
        let what = format!("Range [{from}, {to}) out of bounds for length {}", part.len());
        return Err(throw("IndexOutOfBoundsException", what));
    }
    vm.grow(to - from)?;
    push(&a[0], &part.slice(from, to))?;
    Ok(a[0].clone())
}

/// What gives the builder itself.
macro_rules! builder_rows {
    ($class:literal) => {
        &[
            Row("new()", |vm, _| new_builder(vm, $class, "".into())),
            Row("new(CharSequence)", |vm, a| {
                let text = text(&a[0])?.into_owned();
                new_builder(vm, $class, text)
            }),
            Row(concat!($class, " append(def)"), append),
            Row(concat!($class, " append(CharSequence,int,int)"), append_part),
            Row(concat!($class, " appendCodePoint(int)"), |vm, a| {
                vm.grow(4)?;
                let point = int(&a[1])?;
                units_of(point)?;
                if let Some(character) = char::from_u32(point as u32) {
                    push(&a[0], character.encode_utf8(&mut [0; 4]))?;
                }
                Ok(a[0].clone())
            }),
            Row(concat!($class, " delete(int,int)"), |vm, a| splice(vm, &a[0], int(&a[1])?, int(&a[2])?, "")),
            Row(concat!($class, " deleteCharAt(int)"), |vm, a| {
                let at = place(a)?;
                splice(vm, &a[0], at, at + 1, "")
            }),
            Row(concat!($class, " insert(int,def)"), insert),
            Row(concat!($class, " replace(int,int,String)"), |vm, a| {
                splice(vm, &a[0], int(&a[1])?, int(&a[2])?, &text(&a[3])?)
            }),
            Row(concat!($class, " reverse()"), |vm, a| {
                let builder = builder(&a[0])?;
                vm.work(builder.borrow().len())?;
                let reversed = builder.borrow().chars().rev().collect();
                *builder.borrow_mut() = reversed;
                Ok(a[0].clone())
            }),
        ]
    };
}

const BUILDER: &[Row] = &[
    Row("int compareTo(def)", |vm, a| {
        let (mine, other) =
            (vm.string(builder(&a[0])?.borrow().as_str())?, vm.string(builder(&a[1])?.borrow().as_str())?);
        super::collection::natural(&mine, &other).map(Value::Int)
    }),
    Row("int capacity()", |_, a| ok_int(room(&a[0])?.get().capacity)),
    Row("int indexOf(String)", |_, a| {
        let text = Text::new(builder(&a[0])?.borrow().as_str());
        let found = text.as_str().find(&*super::args::text(&a[1])?);
        Ok(Value::Int(found.map_or(-1, |at| text.unit_of(at) as i32)))
    }),
    Row("int lastIndexOf(String)", |_, a| {
        let text = Text::new(builder(&a[0])?.borrow().as_str());
        let found = text.as_str().rfind(&*super::args::text(&a[1])?);
        Ok(Value::Int(found.map_or(-1, |at| text.unit_of(at) as i32)))
    }),
    Row("void setCharAt(int,char)", |vm, a| {
        let at = place(a)?;
        splice(vm, &a[0], at, at + 1, &super::string::unit_text(&a[2])?)?;
        Ok(Value::Null)
    }),
    Row("void setLength(int)", |vm, a| {
        let len = super::args::index(&a[1])?;
        let builder = builder(&a[0])?;
        let current = Text::new(builder.borrow().as_str());
        match len.checked_sub(current.len()) {
            Some(more) => {
                vm.grow(more)?;
                builder.borrow_mut().extend(std::iter::repeat_n('\0', more));
            }
            None => builder.borrow_mut().truncate(current.byte_of(len)),
        }
        note_units(&a[0], len)?;
        Ok(Value::Null)
    }),
    Row("String substring(int)", |vm, a| {
        let text = vm.string(builder(&a[0])?.borrow().as_str())?;
        sub(vm, &text, int(&a[1])?, None)
    }),
    Row("String substring(int,int)", |vm, a| {
        let text = vm.string(builder(&a[0])?.borrow().as_str())?;
        sub(vm, &text, int(&a[1])?, Some(int(&a[2])?))
    }),
];

/// What strings have too, and do.
const TEXT: &[Row] = &[
    Row("int indexOf(String,int)", |vm, a| through(vm, "indexOf", a)),
    Row("int lastIndexOf(String,int)", |vm, a| through(vm, "lastIndexOf", a)),
    Row("int codePointBefore(int)", |vm, a| through(vm, "codePointBefore", a)),
    Row("int offsetByCodePoints(int,int)", |vm, a| through(vm, "offsetByCodePoints", a)),
    Row("void getChars(int,int,char[],int)", |vm, a| through(vm, "getChars", a)),
    Row("int codePointAt(int)", |vm, a| through(vm, "codePointAt", a)),
    Row("int codePointCount(int,int)", |vm, a| through(vm, "codePointCount", a)),
];

fn sub(vm: &mut Vm, text: &Value, from: i32, to: Option<i32>) -> Outcome {
    let method = registry().method(super::super::class::class::STRING, "substring", if to.is_some() { 2 } else { 1 });
    let method = method.expect("the row is there");
    let args: Vec<Value> =
        [Some(text.clone()), Some(Value::Int(from)), to.map(Value::Int)].into_iter().flatten().collect();
    (method.run)(vm, &args)
}

/// What a method of strings gives for the text.
fn through(vm: &mut Vm, name: &str, a: &[Value]) -> Outcome {
    let text = vm.string(builder(&a[0])?.borrow().as_str())?;
    let method = registry().method(super::super::class::class::STRING, name, a.len() - 1);
    let method = method.expect("the row is there");
    let args: Vec<Value> = [text].into_iter().chain(a[1..].iter().cloned()).collect();
    (method.run)(vm, &args)
}

fn joiner(value: &Value) -> Result<&RefCell<Joiner>, Failed> {
    match value.data() {
        Some(Data::Joiner(joiner)) => Ok(joiner),
        _ => Err(unexpected(value)),
    }
}

fn new_joiner(vm: &mut Vm, separator: &Value, prefix: &str, suffix: &str) -> Outcome {
    let separator = text(separator)?.into_owned();
    let joiner = Joiner { prefix: prefix.into(), suffix: suffix.into(), separator, parts: vec![], empty: None };
    vm.alloc(Data::Joiner(joiner.into()))
}

pub const CLASSES: &[ClassRow] = &[
    ClassRow::new("java.lang.BuilderBase", &[], TEXT),
    ClassRow::new("java.lang.OfBuildersBase", &[], BUILDER),
    ClassRow::new("java.lang.Appendable", &[], &[]),
    ClassRow::new(
        "java.lang.StringBuilder",
        &["CharSequence", "BuilderBase", "OfBuildersBase", "Appendable"],
        builder_rows!("StringBuilder"),
    ),
    ClassRow::new(
        "java.lang.StringBuffer",
        &["CharSequence", "BuilderBase", "OfBuildersBase", "Appendable"],
        builder_rows!("StringBuffer"),
    ),
    ClassRow::new(
        "java.util.StringJoiner",
        &[],
        &[
            Row("new(CharSequence)", |vm, a| new_joiner(vm, &a[0], "", "")),
            Row("new(CharSequence,CharSequence,CharSequence)", |vm, a| {
                let (prefix, suffix) = (text(&a[1])?.into_owned(), text(&a[2])?.into_owned());
                new_joiner(vm, &a[0], &prefix, &suffix)
            }),
            Row("StringJoiner add(CharSequence)", |vm, a| {
                let part = text(&a[1])?.into_owned();
                vm.grow(part.len() + 32)?;
                joiner(&a[0])?.borrow_mut().parts.push(part);
                Ok(a[0].clone())
            }),
            Row("StringJoiner setEmptyValue(CharSequence)", |vm, a| {
                let shown = text(&a[1])?.into_owned();
                vm.grow(shown.len())?;
                joiner(&a[0])?.borrow_mut().empty = Some(shown);
                Ok(a[0].clone())
            }),
            Row("StringJoiner merge(StringJoiner)", |vm, a| {
                let joined = {
                    let other = joiner(&a[1])?.borrow();
                    (!other.parts.is_empty()).then(|| other.parts.join(&other.separator))
                };
                if let Some(joined) = joined {
                    vm.grow(joined.len() + 32)?;
                    joiner(&a[0])?.borrow_mut().parts.push(joined);
                }
                Ok(a[0].clone())
            }),
            Row("int length()", |vm, a| {
                let mut out = String::new();
                write_text(vm, &a[0], &mut out)?;
                ok_int(out.encode_utf16().count())
            }),
        ],
    ),
];
