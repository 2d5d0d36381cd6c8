//! `toString`, `hashCode` and `equals` as Java has them.

use super::super::class::registry;
use super::super::error::{Failed, thrown};
use super::super::text;
use super::super::value::{Data, Key, Value};
use super::super::vm::Vm;
use super::collection;
use crate::json::{write_f32, write_f64};
use std::cell::Cell;
use std::hash::{Hash, Hasher};

/// Collections in collections that are walked; beyond that there is an error, as Java's stack overflows.
const DEPTH_MAX: u32 = 500;
/// Parts of values that hashing and comparing may walk between two instructions. A structure that holds itself twice at every level
/// is small, and as a tree larger than anything.
const WALK_MAX: u64 = 1 << 20;
/// Longest text made of a value.
const TEXT_MAX: usize = 16 << 20;

thread_local! {
    /// How many parts were walked since a machine last asked: keys of maps are hashed and compared where no machine is at hand.
    static WALKED: Cell<u64> = const { Cell::new(0) };
}

/// Counts parts that are about to be walked; false if they are too many.
fn walk(parts: usize) -> bool {
    let walked = WALKED.get().saturating_add(parts as u64);
    WALKED.set(walked);
    walked <= WALK_MAX
}

/// Counts text that is gone through, which no machine pays for otherwise.
pub fn scanned(bytes: usize) {
    walk(bytes / 16);
}

/// Notes that a value is deeper than what is walked.
#[cold]
fn too_deep() {
    WALKED.set(u64::MAX);
}

/// What was walked before a script begins, for its parameters and documents, it does not pay for.
pub fn forget_walks() {
    WALKED.set(0);
}

/// Counts as work what was walked since this was asked last. Where it was too much, what came of it means nothing.
pub fn charge_walks(vm: &mut Vm) -> Result<(), Failed> {
    match WALKED.replace(0) {
        0..16 => Ok(()),
        walked if walked <= WALK_MAX => vm.work(walked as usize),
        u64::MAX => Err(thrown("StackOverflowError", None)),
        _ => vm.work(usize::MAX),
    }
}

/// Appends the text of a value.
pub fn write_text(vm: &mut Vm, value: &Value, out: &mut String) -> Result<(), Failed> {
    let before = out.len();
    match value.data() {
        Some(Data::DocValues(_)) => {
            let items = collection::items_of(vm, value)?;
            write_items(&items, out, 0).ok();
        }
        _ => write(value, out, 0).map_err(|()| thrown("StackOverflowError", None))?,
    }
    vm.work((out.len() - before) / 8)
}

/// The same without a machine: for what holds no document.
pub fn write_plain(value: &Value, out: &mut String) {
    if write(value, out, 0).is_err() {
        out.push('…');
    }
}

pub fn plain(value: &Value) -> String {
    let mut out = String::new();
    write_plain(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String, depth: u32) -> Result<(), ()> {
    use std::fmt::Write as _;
    if depth > DEPTH_MAX || out.len() > TEXT_MAX {
        return Err(());
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Byte(v) => drop(write!(out, "{v}")),
        Value::Short(v) => drop(write!(out, "{v}")),
        Value::Char(v) => out.push(char::from_u32(u32::from(*v)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        Value::Int(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Long(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Float(v) => number(out, |bytes| write_f32(bytes, *v)),
        Value::Double(v) => number(out, |bytes| write_f64(bytes, *v)),
        Value::Str(text) => out.push_str(text.as_str()),
        Value::Obj(obj) => return write_object(value, &obj.data, out, depth),
    }
    Ok(())
}

fn number(out: &mut String, write: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = vec![];
    write(&mut bytes);
    // The JSON writer quotes what JSON has no numbers for.
    out.push_str(std::str::from_utf8(&bytes).unwrap_or("NaN").trim_matches('"'));
}

fn write_items(items: &[Value], out: &mut String, depth: u32) -> Result<(), ()> {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(item, out, depth + 1)?;
    }
    out.push(']');
    Ok(())
}

fn write_object(value: &Value, data: &Data, out: &mut String, depth: u32) -> Result<(), ()> {
    match data {
        Data::List(list) => {
            let items = list.borrow().items.clone();
            write_items(&items, out, depth)?;
        }
        Data::Set(_) | Data::MapView(..) | Data::Queue(..) => write_items(&collection::plain_items(value), out, depth)?,
        Data::Map(_) => {
            out.push('{');
            for (i, (key, item)) in collection::entries(value).into_iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write(&key, out, depth + 1)?;
                out.push('=');
                write(&item, out, depth + 1)?;
            }
            out.push('}');
        }
        Data::Entry(key, item, _) => {
            write(key, out, depth + 1)?;
            out.push('=');
            write(&item.borrow(), out, depth + 1)?;
        }
        Data::Builder(_, text, _) => out.push_str(&text.borrow()),
        Data::Joiner(joiner) => joiner.borrow().write(out),
        Data::Throwable(class, message, ..) => {
            out.push_str(registry().class(*class).name);
            if let Some(message) = message {
                out.push_str(": ");
                out.push_str(message);
            }
        }
        Data::Optional(class, item) => {
            let name = registry().class(*class).simple;
            match &*item.borrow() {
                Some(item) => {
                    out.push_str(name);
                    out.push('[');
                    write(item, out, depth + 1)?;
                    out.push(']');
                }
                None => {
                    out.push_str(name);
                    out.push_str(".empty");
                }
            }
        }
        Data::Pattern(_, text, _) => out.push_str(text.as_str()),
        Data::Temporal(temporal) => out.push_str(&temporal.to_string()),
        Data::Constant(class, name, _) => out.push_str(&super::constant_text(*class, name)),
        Data::Token(_, name) => out.push_str(name),
        Data::Matcher(matcher) => out.push_str(&matcher.borrow().shown()),
        Data::Uuid(bits) => out.push_str(&super::misc::uuid_text(*bits)),
        Data::BigInteger(v) => out.push_str(&v.to_string()),
        Data::Counter(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Data::BigDecimal(v) => out.push_str(&v.text(false)),
        Data::BitSet(bits) => out.push_str(&bits.borrow().text()),
        Data::Calendar(calendar) => out.push_str(&super::calendar_text(&calendar.borrow())),
        Data::Date(ms) => out.push_str(&super::date_text(ms.get())),
        Data::Locale(name) => out.push_str(name),
        Data::MathContext(context) => out.push_str(&context.text()),
        Data::GeoPoint(lat, lon) => {
            write(&Value::Double(*lat), out, depth)?;
            out.push_str(", ");
            write(&Value::Double(*lon), out, depth)?;
        }
        Data::Bytes(bytes) => out.push_str(&bytes_text(bytes)),
        Data::Summary(summary) => out.push_str(&summary.borrow().text()),
        Data::Array(array) => {
            let element = array.borrow().element_type();
            out.push_str(&format!("[{}@{:x}", array_code(element), hash(value, 0)));
        }
        _ => out.push_str(&format!("{}@{:x}", value.class_name(), hash(value, 0))),
    }
    Ok(())
}

fn bytes_text(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:x}")).collect();
    format!("[{}]", hex.join(" "))
}

/// How Java writes the class of an array's items.
pub fn array_code(element: super::super::types::Type) -> String {
    use super::super::types::Type;
    if element.dims > 0 {
        return format!("[{}", array_code(element.element()));
    }
    match element {
        Type::BOOL => "Z".into(),
        Type::BYTE => "B".into(),
        Type::SHORT => "S".into(),
        Type::CHAR => "C".into(),
        Type::INT => "I".into(),
        Type::LONG => "J".into(),
        Type::FLOAT => "F".into(),
        Type::DOUBLE => "D".into(),
        Type::DEF => "Ljava.lang.Object;".into(),
        other => format!("L{};", other.name()),
    }
}

fn hash_of_double(value: f64) -> i32 {
    let bits = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() };
    (bits ^ (bits >> 32)) as i32
}

/// How many parts a value has of its own, itself among them.
fn parts(data: &Data) -> usize {
    1 + match data {
        Data::List(list) => list.borrow().items.len(),
        Data::Map(map) | Data::Set(map) => map.borrow().entries.len(),
        Data::Bytes(bytes) => bytes.len() / 8,
        _ => 0,
    }
}

/// Whether a collection is being changed: what it would hold holds it.
fn is_held(data: &Data) -> bool {
    match data {
        Data::List(list) => list.try_borrow().is_err(),
        Data::Map(map) | Data::Set(map) => map.try_borrow().is_err(),
        Data::MapView(of, _) => of.data().is_some_and(is_held),
        _ => false,
    }
}

/// `hashCode`.
pub fn hash(value: &Value, depth: u32) -> i32 {
    let parts = match value {
        Value::Obj(obj) if is_held(&obj.data) => {
            too_deep();
            return 0;
        }
        Value::Obj(obj) => parts(&obj.data),
        _ => 0,
    };
    if depth > DEPTH_MAX {
        too_deep();
    }
    if !walk(parts) {
        return 0;
    }
    let all =
        |items: &[Value]| items.iter().fold(1i32, |h, item| h.wrapping_mul(31).wrapping_add(hash(item, depth + 1)));
    match value {
        Value::Null => 0,
        Value::Bool(v) => {
            if *v {
                1231
            } else {
                1237
            }
        }
        Value::Byte(v) => i32::from(*v),
        Value::Short(v) => i32::from(*v),
        Value::Char(v) => i32::from(*v),
        Value::Int(v) => *v,
        Value::Long(v) => (*v ^ ((*v as u64) >> 32) as i64) as i32,
        Value::Float(v) => v.to_bits() as i32,
        Value::Double(v) => hash_of_double(*v),
        Value::Str(text) => {
            scanned(text.as_str().len() * 2);
            text::hash(text.as_str())
        }
        Value::Obj(obj) => match &obj.data {
            Data::List(list) if list.borrow().has_places() => all(&list.borrow().items),
            Data::Set(_) | Data::MapView(..) => {
                let items = collection::plain_items(value);
                items.iter().fold(0i32, |h, item| h.wrapping_add(hash(item, depth + 1)))
            }
            Data::Map(map) => map
                .borrow()
                .entries
                .iter()
                .fold(0i32, |h, (key, item)| h.wrapping_add(hash(&key.0, depth + 1) ^ hash(item, depth + 1))),
            Data::Entry(key, item, _) => hash(key, depth + 1) ^ hash(&item.borrow(), depth + 1),
            Data::Constant(_, name, _) | Data::Token(_, name) => text::hash(name),
            Data::Uuid(bits) => {
                let mixed = (bits >> 64) as u64 ^ *bits as u64;
                (mixed ^ (mixed >> 32)) as i32
            }
            Data::BigInteger(v) => v.hash(),
            Data::BigDecimal(v) => v.hash(),
            Data::BitSet(bits) => bits.borrow().hash(),
            Data::Date(ms) => (ms.get() ^ (ms.get() >> 32)) as i32,
            Data::Locale(name) => text::hash(name),
            Data::Temporal(temporal) => temporal.hash().unwrap_or_else(|| text::hash(&temporal.to_string())),
            Data::GeoPoint(lat, lon) => hash_of_double(*lat).wrapping_mul(31).wrapping_add(hash_of_double(*lon)),
            Data::Bytes(bytes) => bytes.iter().fold(1, |h, b| h.wrapping_mul(31).wrapping_add(i32::from(*b as i8))),
            Data::Optional(_, item) => item.borrow().as_ref().map_or(0, |item| hash(item, depth + 1)),
            // Identity: some number that stays with the object.
            _ => (std::rc::Rc::as_ptr(obj) as usize >> 4) as i32,
        },
    }
}

/// `equals`.
pub fn equals(a: &Value, b: &Value, depth: u32) -> bool {
    if a.same(b) {
        return true;
    }
    let held = |value: &Value| value.data().is_some_and(is_held);
    if held(a) || held(b) {
        too_deep();
        return false;
    }
    let own = match a {
        Value::Obj(object) => parts(&object.data),
        _ => 0,
    };
    if depth > DEPTH_MAX {
        too_deep();
    }
    if !walk(own) {
        return false;
    }
    let all = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equals(a, b, depth + 1));
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Byte(a), Value::Byte(b)) => a == b,
        (Value::Short(a), Value::Short(b)) => a == b,
        (Value::Char(a), Value::Char(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Long(a), Value::Long(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        (Value::Str(a), Value::Str(b)) => {
            if a.as_str().len() == b.as_str().len() {
                scanned(a.as_str().len() / 8);
            }
            a.as_str() == b.as_str()
        }
        (Value::Obj(x), Value::Obj(y)) => match (&x.data, &y.data) {
            (Data::List(a), Data::List(b)) => {
                let (a, b) = (a.borrow(), b.borrow());
                a.has_places() && b.has_places() && all(&a.items, &b.items)
            }
            (Data::Map(a), Data::Map(b)) => {
                let (a, b) = (a.borrow(), b.borrow());
                let same = |(key, item): (&Key, &Value)| b.entries.get(key).is_some_and(|o| equals(item, o, depth + 1));
                a.entries.len() == b.entries.len() && a.entries.iter().all(same)
            }
            (Data::Set(_) | Data::MapView(..), Data::Set(_) | Data::MapView(..)) => {
                let (a, b) = (collection::plain_items(a), collection::plain_items(b));
                a.len() == b.len()
                    && walk(a.len().saturating_mul(b.len()))
                    && a.iter().all(|x| b.iter().any(|y| equals(x, y, depth + 1)))
            }
            (Data::Entry(k, v, _), Data::Entry(l, w, _)) => {
                equals(k, l, depth + 1) && equals(&v.borrow(), &w.borrow(), depth + 1)
            }
            (Data::Temporal(a), Data::Temporal(b)) => a == b,
            (Data::Constant(c, name, _), Data::Constant(d, other, _)) => c == d && name == other,
            (Data::Token(c, name), Data::Token(d, other)) => c == d && name == other,
            (Data::Uuid(a), Data::Uuid(b)) => a == b,
            (Data::BigInteger(a), Data::BigInteger(b)) => a == b,
            (Data::BigDecimal(a), Data::BigDecimal(b)) => a == b,
            (Data::BitSet(a), Data::BitSet(b)) => a == b,
            (Data::Calendar(a), Data::Calendar(b)) => a.borrow().is_same(&b.borrow()),
            (Data::Date(a), Data::Date(b)) => a == b,
            (Data::Locale(a), Data::Locale(b)) => a == b,
            (Data::TimeZone(a), Data::TimeZone(b)) => a == b,
            (Data::MathContext(a), Data::MathContext(b)) => a == b,
            (Data::Bytes(a), Data::Bytes(b)) => a == b,
            (Data::GeoPoint(a, b), Data::GeoPoint(c, d)) => (a, b) == (c, d),
            (Data::Optional(_, a), Data::Optional(_, b)) => match (&*a.borrow(), &*b.borrow()) {
                (Some(a), Some(b)) => equals(a, b, depth + 1),
                (None, None) => true,
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        equals(&self.0, &other.0, 0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            // Strings hash by their bytes: faster, and no one can aim at collisions.
            Value::Str(text) => {
                scanned(text.as_str().len() / 2);
                text.as_str().hash(state);
            }
            other => hash(other, 0).hash(state),
        }
    }
}
