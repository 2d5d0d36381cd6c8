//! Definitions of `geo_point` and `geo_shape`, which are read in an older way than those of other fields: in three goes over what is
//! given, each of which takes what it knows.

use super::FieldDefinition;
use super::parse::{Names, copy_to, multi_fields, parsing, unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::mapping::params::{ParamContext, java_text, read_named_bool};
use crate::mapping::types::TypeRow;

/// Parameters of shapes alone, looked at first.
const OF_SHAPES: [&str; 2] = ["coerce", "orientation"];
/// Looked at next, by both; a `null_value` is kept to be read at the end.
const OF_PLACES: [&str; 3] = ["ignore_malformed", "ignore_z_value", "null_value"];

pub fn is_place(row: &TypeRow) -> bool {
    matches!(row.name, "geo_point" | "geo_shape")
}

/// Reads what `node` says into `field`.
pub fn read_place(field: &mut FieldDefinition, names: Names, node: &Map, cx: ParamContext) -> Result<()> {
    let Names { written, own: name } = names;
    let table = field.row.params;
    let knows = |key: &str| table.iter().any(|param| param.name == key);
    let mut left: Vec<(&str, &Value)> = vec![];
    for (key, value) in node.iter().filter(|(key, _)| *key != "type") {
        if OF_SHAPES.contains(&key) && knows(key) {
            read_own(field, name, key, value, cx)?;
        } else {
            left.push((key, value));
        }
    }
    let (of_places, left): (Vec<_>, Vec<_>) =
        left.into_iter().partition(|(key, _)| OF_PLACES.contains(key) && knows(key));
    for (key, value) in of_places.iter().filter(|(key, _)| *key != "null_value") {
        read_own(field, name, key, value, cx)?;
    }
    let mut unknown = vec![];
    for (key, value) in left {
        if value.is_null() && (key != "null_value" || knows(key)) {
            return Err(parsing(format!("[{key}] must not have a [null] value")));
        }
        match key {
            "store" | "index" | "doc_values" | "meta" => read_own(field, name, key, value, cx)?,
            "boost" if java_text(value).trim().parse::<f64>().is_err() => {
                let reason = format!("For input string: \"{}\"", java_text(value));
                return Err(Error::new(ErrorKind::NumberFormat, reason));
            }
            "index_options" => read_index_options(value)?,
            // Without effect on places.
            "boost" | "similarity" => {}
            "fields" => field.fields = multi_fields(name, value, cx)?,
            "copy_to" => field.copy_to = copy_to(value)?,
            _ => unknown.push((key, value)),
        }
    }
    if let Some((key, value)) = of_places.iter().find(|(key, _)| *key == "null_value") {
        read_own(field, name, key, value, cx)?;
    }
    if unknown.is_empty() { Ok(()) } else { Err(unsupported(written, unknown)) }
}

/// Reads a parameter of the type's table; flags are named in errors as the field has them.
fn read_own(field: &mut FieldDefinition, name: &str, key: &str, value: &Value, cx: ParamContext) -> Result<()> {
    let table = field.row.params;
    match key {
        "orientation" if value.is_null() => {
            let reason = "Cannot invoke \"Object.toString()\" because \"fieldNode\" is null";
            Err(Error::new(ErrorKind::NullPointer, reason))
        }
        "orientation" | "meta" | "null_value" => {
            field.params.read(table, key, value, name, field.row.name, cx).map(|_| ())
        }
        _ => {
            let flag = read_named_bool(&format!("{name}.{key}"), value)?;
            field.params.set(table, key, Some(Value::Bool(flag)));
            Ok(())
        }
    }
}

/// Postings that places do not have; what is said of them is checked all the same.
fn read_index_options(value: &Value) -> Result<()> {
    match java_text(value).as_str() {
        "positions" | "docs" | "freqs" | "offsets" => Ok(()),
        text => Err(Error::new(ErrorKind::Parse, format!("failed to parse index option [{text}]"))),
    }
}
