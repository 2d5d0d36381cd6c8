//! What is wrong with the fields of a template, told at their places as the reference's parsers tell it.

use super::body_places::at;
use crate::settings::{is_value, only_values};
use pith_engine::json::{Entry, Map, Value, line_col};
use pith_engine::query::{Node, Source};
use pith_engine::{Error, ErrorKind, Result};

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
        Value::Array(_) => {
            let source = Source::new(text);
            let texts = Node::of_entry(entry, &source).items().map(|item| match item.value {
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let (line, col) = line_col(text, item.pos());
                    let reason = format!("Can't get text on a {} at {line}:{col}", item.token());
                    let cause = Error::new(ErrorKind::IllegalState, reason);
                    Err(failed(object, entry, item.pos(), text, cause))
                }
                value => Ok(value.to_text()),
            });
            texts.collect()
        }
        _ => Err(wrong_kind(object, entry, text)),
    }
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

/// The error of a field that holds what it cannot.
#[cold]
pub fn wrong_kind(object: &str, entry: &Entry, text: &[u8]) -> Error {
    let token = entry.value.token();
    at(text, entry.value_pos, &format!("[{object}] {} doesn't support values of type: {token}", entry.key))
}

#[cold]
pub fn unknown_field(object: &str, entry: &Entry, text: &[u8]) -> Error {
    at(text, entry.key_pos, &format!("[{object}] unknown field [{}]", entry.key))
}

/// The error of a field that holds something wrong; `stopped` is where its reader stood.
#[cold]
pub fn failed(object: &str, entry: &Entry, stopped: u32, text: &[u8], cause: Error) -> Error {
    at(text, stopped, &format!("[{object}] failed to parse field [{}]", entry.key)).caused_by(cause)
}
