//! Values of JSON into the heap of a machine, and back.

use super::big::Big;
use super::error::{Outcome, illegal, no_cast};
use super::lib;
use super::types::Type;
use super::value::{Array, Data, Key, ListKind, Map, MapKind, Value};
use super::vm::Vm;
use crate::error::{Error, ErrorKind};
use crate::json::{Map as JsonMap, Value as Json, write_f64, write_string};

/// Makes a map one that scripts cannot change.
pub fn freeze(value: &Value) {
    if let Some(Data::Map(map)) = value.data() {
        map.borrow_mut().frozen = true;
    }
}

/// Makes what came from JSON unchangeable all the way down, and of the classes that conditions of pipelines see.
pub fn freeze_for_condition(value: &Value) {
    match value.data() {
        Some(Data::Map(map)) => {
            let mut map = map.borrow_mut();
            (map.frozen, map.own_class) = (true, Some(lib::CONDITION_DATA));
            map.entries.values().for_each(freeze_for_condition);
        }
        Some(Data::List(list)) => {
            let mut list = list.borrow_mut();
            (list.kind, list.own_class) = (ListKind::Unmodifiable, Some(lib::CONDITION_LIST));
            list.items.iter().for_each(freeze_for_condition);
        }
        _ => {}
    }
}

/// Objects become linked maps, so that keys stay in order.
pub fn from_json(vm: &mut Vm, json: &Json) -> Outcome {
    made(vm, json, MapKind::Linked)
}

/// Objects become hash maps, whose keys are in the order of their hashes: what the reference reads without minding their order.
pub fn from_json_hashed(vm: &mut Vm, json: &Json) -> Outcome {
    made(vm, json, MapKind::Hash)
}

/// The same, the map of the object itself having a table of so many slots, a power of two: one that it was filled with before.
pub fn from_json_in_table(vm: &mut Vm, json: &Json, slots: usize) -> Outcome {
    debug_assert!(slots.is_power_of_two(), "tables double");
    let object = made(vm, json, MapKind::Hash)?;
    if let Some(Data::Map(map)) = object.data() {
        map.borrow_mut().capacity = slots as u32;
    }
    Ok(object)
}

fn made(vm: &mut Vm, json: &Json, kind: MapKind) -> Outcome {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Int(value) => i32::try_from(*value).map_or(Value::Long(*value), Value::Int),
        Json::UInt(value) => vm.alloc(Data::BigInteger(i128::from(*value).into()))?,
        Json::BigInt(digits) => match Big::parse(digits) {
            Ok(value) => vm.alloc(Data::BigInteger(value))?,
            Err(_) => Value::Double(digits.parse().unwrap_or(f64::INFINITY)),
        },
        Json::Float(value) => Value::Double(*value),
        Json::String(text) => vm.string(text.as_str())?,
        Json::Array(items) => {
            let items = items.iter().map(|item| made(vm, item, kind)).collect::<Result<Vec<_>, _>>()?;
            vm.list(items)?
        }
        Json::Object(map) if kind == MapKind::Hash => {
            let out = vm.alloc(Data::Map(Map::new(kind).into()))?;
            for (key, value) in map.iter() {
                let (key, value) = (vm.string(key)?, made(vm, value, kind)?);
                super::lib::put(vm, &out, key, value)?;
            }
            out
        }
        Json::Object(map) => {
            let mut out = Map::new(kind);
            for (key, value) in map.iter() {
                let (key, value) = (vm.string(key)?, made(vm, value, kind)?);
                vm.grow(64)?;
                out.entries.insert(Key(key), value);
            }
            vm.alloc(Data::Map(out.into()))?
        }
    })
}

/// How deep a value may be to become JSON.
const DEPTH_MAX: u32 = 400;

/// What is said of deeper ones: they hold themselves, most likely.
pub const SELF_REFERENCE: &str = "Iterable object is self-referencing itself";

/// What is said of values that JSON cannot show, before their class.
pub const UNKNOWN_VALUE: &str = "cannot write xcontent for unknown value of type class";

const NULL_NAME: &str = "Field name cannot be null";

/// What a script gave that no answer can show: no fault of its run, and none of the shard.
pub fn is_unwritable(error: &Error) -> bool {
    let reason = error.reason();
    reason.starts_with(UNKNOWN_VALUE)
        || reason == NULL_NAME
        || error.kind() == ErrorKind::ClassCast && reason.contains(" cannot be cast to class java.lang.String (")
}

/// What [`to_json`] failed with: told by itself where the value is at fault.
pub fn unwritten(vm: &Vm, failed: &super::Failed) -> Error {
    let error = vm.to_error(failed);
    let own = |cause: &&Error| is_unwritable(cause) || cause.kind() == ErrorKind::UnsupportedOperation;
    let cause = error.cause().filter(own).cloned();
    cause.unwrap_or(error)
}

pub fn to_json(vm: &mut Vm, value: &Value) -> Result<Json, super::error::Failed> {
    convert(vm, value, 0)
}

/// Where values of classes stand that JSON has no kind for, and these classes.
pub type Strangers = Vec<(Vec<String>, String)>;

/// Stands before the class of a name that is no text.
pub const KEY_OF: &str = "key ";

/// A document as JSON, and where its values are of classes that JSON has no kind for. Characters become texts.
pub fn document_json(vm: &mut Vm, value: &Value) -> Result<(Json, Strangers), super::error::Failed> {
    let mut found = vec![];
    foreign(vm, value, &mut vec![], &mut found)?;
    Ok((convert_kinds(vm, value, 0, true)?, found))
}

/// Finds values that are neither maps, lists, texts, numbers, booleans nor dates with a zone.
fn foreign(
    vm: &mut Vm,
    value: &Value,
    path: &mut Vec<String>,
    found: &mut Strangers,
) -> Result<(), super::error::Failed> {
    vm.work(1)?;
    if path.len() > DEPTH_MAX as usize {
        return Err(illegal(SELF_REFERENCE));
    }
    match (value, value.data()) {
        (Value::Char(_), _) => found.push((path.clone(), value.class_name())),
        (_, None | Some(Data::Temporal(lib::Temporal::Zoned(_)) | Data::Date(_))) => {}
        (_, Some(Data::Map(_))) => {
            for (key, item) in lib::entries(value) {
                path.push(lib::plain(&key));
                if !matches!(key, Value::Str(_)) {
                    found.push((path.clone(), format!("{KEY_OF}{}", key.class_name())));
                }
                foreign(vm, &item, path, found)?;
                path.pop();
            }
        }
        (_, Some(Data::List(list))) => {
            let items = list.borrow().items.clone();
            for (i, item) in items.iter().enumerate() {
                path.push(i.to_string());
                foreign(vm, item, path, found)?;
                path.pop();
            }
        }
        (_, Some(Data::Array(array))) if matches!(&*array.borrow(), Array::Byte(_)) => {}
        (_, Some(data)) => found.push((path.clone(), java_name(value, data))),
    }
    Ok(())
}

/// Names in JSON are texts.
fn check_name(key: &Value) -> Result<(), super::error::Failed> {
    match key {
        Value::Str(_) => Ok(()),
        Value::Null => Err(illegal(NULL_NAME)),
        _ => Err(no_cast(&key.java_class(), "java.lang.String")),
    }
}

/// The name of a class as Java's own `getClass` gives it.
fn java_name(value: &Value, data: &Data) -> String {
    match data {
        Data::Stream(_) => "java.util.stream.ReferencePipeline$Head".to_owned(),
        Data::Iter(_) => "java.util.ArrayList$Itr".to_owned(),
        Data::Entry(..) => "java.util.HashMap$Node".to_owned(),
        Data::Collector(_) => "java.util.stream.Collectors$CollectorImpl".to_owned(),
        Data::TimeZone(_) => "sun.util.calendar.ZoneInfo".to_owned(),
        Data::Temporal(lib::Temporal::Zone(zone)) if !lib::is_offset(zone) => "java.time.ZoneRegion".to_owned(),
        _ => value.java_class(),
    }
}

/// Appends what [`to_json`] would give. What documents are made of is written as it is met.
pub fn write_json(vm: &mut Vm, value: &Value, out: &mut Vec<u8>) -> Result<(), super::error::Failed> {
    write(vm, value, out, 0)
}

fn write(vm: &mut Vm, value: &Value, out: &mut Vec<u8>, depth: u32) -> Result<(), super::error::Failed> {
    if depth > DEPTH_MAX {
        return Err(illegal(SELF_REFERENCE));
    }
    vm.work(2)?;
    match (value, value.data()) {
        (Value::Null, _) => out.extend_from_slice(b"null"),
        (Value::Bool(v), _) => out.extend_from_slice(if *v { b"true" } else { b"false" }),
        (Value::Int(v), _) => out.extend_from_slice(itoa::Buffer::new().format(*v).as_bytes()),
        (Value::Long(v), _) => out.extend_from_slice(itoa::Buffer::new().format(*v).as_bytes()),
        (Value::Double(v), _) => write_f64(out, *v),
        (Value::Str(text), _) => write_string(out, text.as_str()),
        (_, Some(Data::Map(map))) if map.borrow().kind != MapKind::Hash => {
            out.push(b'{');
            for (i, (key, item)) in map.borrow().entries.iter().enumerate() {
                write_entry(vm, (i, &key.0, item), out, depth)?;
            }
            out.push(b'}');
        }
        (_, Some(Data::Map(_))) => {
            out.push(b'{');
            for (i, (key, item)) in lib::entries(value).into_iter().enumerate() {
                write_entry(vm, (i, &key, &item), out, depth)?;
            }
            out.push(b'}');
        }
        (_, Some(Data::List(list))) => {
            out.push(b'[');
            for (i, item) in list.borrow().items.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write(vm, item, out, depth + 1)?;
            }
            out.push(b']');
        }
        _ => out.extend_from_slice(&convert(vm, value, depth)?.to_bytes()),
    }
    Ok(())
}

/// One entry of a map, by its place.
fn write_entry(
    vm: &mut Vm,
    (at, key, item): (usize, &Value, &Value),
    out: &mut Vec<u8>,
    depth: u32,
) -> Result<(), super::error::Failed> {
    if at > 0 {
        out.push(b',');
    }
    match key {
        Value::Str(key) => write_string(out, key.as_str()),
        Value::Null => write_string(out, "null"),
        key => return Err(no_cast(&key.java_class(), "java.lang.String")),
    }
    out.push(b':');
    write(vm, item, out, depth + 1)
}

fn convert(vm: &mut Vm, value: &Value, depth: u32) -> Result<Json, super::error::Failed> {
    convert_kinds(vm, value, depth, false)
}

fn convert_kinds(vm: &mut Vm, value: &Value, depth: u32, characters: bool) -> Result<Json, super::error::Failed> {
    if depth > DEPTH_MAX {
        return Err(illegal(SELF_REFERENCE));
    }
    vm.work(2)?;
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(v) => Json::Bool(*v),
        Value::Byte(v) => Json::Int(i64::from(*v)),
        Value::Short(v) => Json::Int(i64::from(*v)),
        Value::Int(v) => Json::Int(i64::from(*v)),
        Value::Long(v) => Json::Int(*v),
        Value::Char(_) if characters => Json::String(lib::plain(value)),
        Value::Char(_) => {
            return Err(illegal(format!("{UNKNOWN_VALUE} java.lang.Character")));
        }
        // Shortest digits of a float are not those of the double that it is.
        Value::Float(v) => Json::Float(v.to_string().parse().unwrap_or(f64::from(*v))),
        Value::Double(v) => Json::Float(*v),
        Value::Str(text) => Json::String(text.as_str().to_owned()),
        Value::Obj(obj) => return convert_object(vm, value, &obj.data, depth, characters),
    })
}

/// Whether JSON has no kind for objects like this one.
fn has_no_kind(data: &Data) -> bool {
    matches!(
        data,
        Data::BitSet(_)
            | Data::Builder(..)
            | Data::Collector(_)
            | Data::Entry(..)
            | Data::Joiner(_)
            | Data::Matcher(_)
            | Data::Optional(..)
            | Data::Pattern(..)
            | Data::Calendar(_)
            | Data::DateFormat(_)
            | Data::MathContext(_)
            | Data::NumberFormat(_)
            | Data::Symbols(_)
            | Data::Throwable(..)
            | Data::Random(_)
            | Data::Summary(_)
            | Data::TimeZone(_)
            | Data::Tokenizer(_)
            | Data::Uuid(_)
    )
}

fn convert_object(
    vm: &mut Vm,
    value: &Value,
    data: &Data,
    depth: u32,
    characters: bool,
) -> Result<Json, super::error::Failed> {
    Ok(match data {
        // Where scripts make fields of answers, the fields of the document are among their parameters.
        Data::Map(_) if vm.program().context.name == "field" && value.same(&vm.params()) => {
            return Err(super::error::thrown("UnsupportedOperationException", None));
        }
        Data::Map(_) => {
            let mut out = JsonMap::new();
            for (key, item) in lib::entries(value) {
                if !characters {
                    check_name(&key)?;
                }
                let item = convert_kinds(vm, &item, depth + 1, characters)?;
                out.entries.push(crate::json::Entry { key: lib::plain(&key), value: item, key_pos: 0, value_pos: 0 });
            }
            Json::Object(out)
        }
        Data::Array(array) if matches!(&*array.borrow(), Array::Byte(_)) => {
            let Array::Byte(bytes) = &*array.borrow() else { unreachable!("matched above") };
            let bytes: Vec<u8> = bytes.iter().map(|b| b.cast_unsigned()).collect();
            vm.grow(bytes.len() * 2)?;
            Json::String(lib::base64_text(&bytes))
        }
        Data::Array(array) if !characters && matches!(array.borrow().element_type(), Type::BOOL | Type::CHAR) => {
            return Err(illegal(format!("{UNKNOWN_VALUE} {}", java_name(value, data))));
        }
        Data::List(_) | Data::Set(_) | Data::Queue(..) | Data::MapView(..) | Data::Array(_) | Data::DocValues(_) => {
            let items = lib::items_of(vm, value)?;
            let items = items.iter().map(|item| convert_kinds(vm, item, depth + 1, characters));
            Json::Array(items.collect::<Result<Vec<_>, _>>()?)
        }
        Data::BigInteger(v) => match v.to_i128().map(|small| (i64::try_from(small), u64::try_from(small))) {
            Some((Ok(v), _)) => Json::Int(v),
            Some((_, Ok(v))) => Json::UInt(v),
            _ => Json::BigInt(v.to_string()),
        },
        Data::Date(ms) => Json::String(lib::zoned_of_millis(ms.get()).json()),
        Data::BigDecimal(v) => Json::BigInt(v.text(false)),
        Data::GeoPoint(lat, lon) => {
            Json::Object([("lat", Json::Float(*lat)), ("lon", Json::Float(*lon))].into_iter().collect())
        }
        Data::Bytes(bytes) => Json::String(super::lib::base64_text(bytes)),
        Data::Temporal(
            lib::Temporal::Zone(_)
            | lib::Temporal::Formatter(..)
            | lib::Temporal::YearMonth(..)
            | lib::Temporal::Adjuster(_)
            | lib::Temporal::Range(_),
        ) if !characters => {
            return Err(illegal(format!("{UNKNOWN_VALUE} {}", java_name(value, data))));
        }
        Data::Temporal(temporal) => Json::String(temporal.json()),
        // Before it is written a value is looked at, which the fields of a document do not let themselves be.
        Data::Doc | Data::Fields if !characters => {
            return Err(super::error::thrown("UnsupportedOperationException", None));
        }
        Data::Doc | Data::Fields | Data::Wrapped(..) | Data::Closure(_) | Data::Iter(_) | Data::Stream(_) => {
            return Err(illegal(format!("{UNKNOWN_VALUE} {}", java_name(value, data))));
        }
        _ if !characters && has_no_kind(data) => {
            return Err(illegal(format!("{UNKNOWN_VALUE} {}", java_name(value, data))));
        }
        _ => {
            let mut out = String::new();
            lib::write_text(vm, value, &mut out)?;
            Json::String(out)
        }
    })
}
