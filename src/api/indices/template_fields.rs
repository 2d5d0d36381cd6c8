//! What is wrong with the fields of a template, told at their places as the reference's parsers tell it.

use super::body_places::{at, last_byte};
use crate::cluster::DEFAULT_TIMESTAMP;
use crate::settings::{is_value, only_values};
use pith_engine::json::{Entry, Map, Value, line_col};
use pith_engine::query::{Node, Source};
use pith_engine::{Error, ErrorKind, Result, did_you_mean};

/// The object that a field of `object` holds.
pub fn object_of<'a>(object: &str, entry: &'a Entry, text: &[u8]) -> Result<&'a Map> {
    entry.value.as_object().ok_or_else(|| wrong_kind(object, entry, text))
}

/// A whole number, which may stand in a string; what follows the point of another is dropped.
pub fn whole_number(object: &str, entry: &Entry, text: &[u8]) -> Result<i64> {
    match &entry.value {
        Value::Float(number) => Ok(*number as i64),
        Value::String(digits) => digits.parse().map_err(|_| {
            let cause = Error::illegal_argument(format!("For input string: \"{digits}\""));
            failed(object, entry, entry.value_pos, text, cause)
        }),
        value => value.as_i64().ok_or_else(|| wrong_kind(object, entry, text)),
    }
}

/// One string, or a list of them.
pub fn strings(object: &str, entry: &Entry, text: &[u8]) -> Result<Vec<String>> {
    match &entry.value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(_) => listed_texts(entry, text).map_err(|(pos, cause)| failed(object, entry, pos, text, cause)),
        _ => Err(wrong_kind(object, entry, text)),
    }
}

/// The texts of a list; what is wrong with the first item that is none, and where it stands.
pub fn listed_texts(entry: &Entry, text: &[u8]) -> Result<Vec<String>, (u32, Error)> {
    let source = Source::new(text);
    let texts = Node::of_entry(entry, &source).items().map(|item| {
        let reason = match item.value {
            Value::Array(_) => "expected value but got [START_ARRAY]".to_owned(),
            Value::Null | Value::Object(_) => {
                let (line, col) = line_col(text, item.pos());
                format!("Can't get text on a {} at {line}:{col}", item.token())
            }
            value => return Ok(value.to_text()),
        };
        Err((item.pos(), Error::new(ErrorKind::IllegalState, reason)))
    });
    texts.collect()
}

/// The parts of what indexes are made of have to be objects.
pub fn check_parts(whole: &str, entry: &Entry, text: &[u8]) -> Result<()> {
    const PART: &str = "template";
    for part in &object_of(whole, entry, text)?.entries {
        let mut stopped = part.value_pos;
        let checked = match part.key.as_str() {
            "settings" => object_of(PART, part, text).and_then(|_| match no_setting(part, text) {
                Some(item) => {
                    stopped = item;
                    Err(failed(PART, part, item, text, only_values()))
                }
                None => Ok(()),
            }),
            "mappings" | "aliases" => object_of(PART, part, text).map(drop),
            _ => Err(unknown_field(PART, part, text)),
        };
        checked.map_err(|cause| failed(whole, entry, stopped, text, cause))?;
    }
    Ok(())
}

/// Where the first item of a list of settings is that no setting can hold.
fn no_setting(entry: &Entry, text: &[u8]) -> Option<u32> {
    fn within(node: Node) -> Option<u32> {
        match node.value {
            Value::Object(_) => node.fields().find_map(|field| within(field.node)),
            Value::Array(_) => node.items().find(|item| !is_value(item.value)).map(|item| item.pos()),
            _ => None,
        }
    }
    within(Node::of_entry(entry, &Source::new(text)))
}

/// There are no templates of the system's own to refer to, as in a reference where these are not enabled.
pub fn no_context(name: &str, entry: &Entry, text: &[u8]) -> Error {
    const WHOLE: &str = "index_template";
    match object_of(WHOLE, entry, text) {
        Err(error) => error,
        Ok(map) if map.get("name").is_none() => {
            let cause = Error::illegal_argument("Required [name]");
            failed(WHOLE, entry, last_byte(text, entry.value_pos), text, cause)
        }
        Ok(_) => Error::new(
            ErrorKind::InvalidIndexTemplate,
            format!(
                "index_template [{name}] invalid, cause [index template [{name}] specifies a context which cannot be used \
                 without enabling: cluster.application_templates.enabled]"
            ),
        ),
    }
}

/// The timestamp field of a template for data streams.
pub fn parse_data_stream(entry: &Entry, text: &[u8]) -> Result<String> {
    const STREAM: &str = "data_stream_template";
    let map = object_of("index_template", entry, text)?;
    let Some(field) = map.entries.iter().find(|field| field.key == "timestamp_field") else {
        return Ok(DEFAULT_TIMESTAMP.to_owned());
    };
    // Whoever reads around it stands where the innermost reader stopped.
    let stopped = |pos: u32, cause: Error| failed("index_template", entry, pos, text, cause);
    let parts = object_of(STREAM, field, text).map_err(|cause| stopped(field.value_pos, cause))?;
    let in_field = |pos: u32, cause: Error| stopped(pos, failed(STREAM, field, pos, text, cause));
    if let Some(other) = parts.entries.iter().find(|part| part.key != "name") {
        return Err(in_field(other.value_pos, unknown_field("timestamp_field", other, text)));
    }
    let name = parts
        .entries
        .iter()
        .find(|part| part.key == "name")
        .ok_or_else(|| in_field(last_byte(text, field.value_pos), Error::illegal_argument("Required [name]")))?;
    match &name.value {
        Value::String(field) => Ok(field.clone()),
        _ => Err(in_field(name.value_pos, wrong_kind("timestamp_field", name, text))),
    }
}

/// The error of a field that holds what it cannot.
#[cold]
pub fn wrong_kind(object: &str, entry: &Entry, text: &[u8]) -> Error {
    let token = entry.value.token();
    at(text, entry.value_pos, &format!("[{object}] {} doesn't support values of type: {token}", entry.key))
}

#[cold]
pub fn unknown_field(object: &str, entry: &Entry, text: &[u8]) -> Error {
    let known = OBJECTS.iter().find(|(name, _)| *name == object).map_or(&[][..], |(_, fields)| fields);
    let hint = did_you_mean::suffix(&entry.key, known.iter().copied());
    at(text, entry.key_pos, &format!("[{object}] unknown field [{}]{hint}", entry.key))
}

/// The objects that templates consist of, and their fields.
const OBJECTS: &[(&str, &[&str])] = &[
    (
        "index_template",
        &["index_patterns", "template", "composed_of", "priority", "version", "_meta", "data_stream", "context"],
    ),
    ("component_template", &["template", "version", "_meta"]),
    ("template", &["settings", "mappings", "aliases"]),
    ("timestamp_field", &["name"]),
];

/// The error of a field that holds something wrong; `stopped` is where its reader stood.
#[cold]
pub fn failed(object: &str, entry: &Entry, stopped: u32, text: &[u8], cause: Error) -> Error {
    at(text, stopped, &format!("[{object}] failed to parse field [{}]", entry.key)).caused_by(cause)
}
