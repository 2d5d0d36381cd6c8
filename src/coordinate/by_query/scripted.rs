//! What a script makes of a document on its way.

use crate::coordinate::write::WriteItem;
use pith_engine::java_order::java_ordered;
use pith_engine::json::{Value, no_cast};
use pith_engine::script::update::{Given, Updater};
use pith_engine::shard::{OpKind, VersionType};
use pith_engine::{Error, ErrorKind, Result};

/// Whether something is still to be written.
pub enum Verdict {
    Write,
    Nothing,
}

/// What a script may change beside the source: everything of a copy, nothing of a document that is updated in its place.
#[derive(Clone, Copy, PartialEq)]
pub enum Metadata {
    Fixed,
    Free,
}

/// Runs the script over the document that `item` would write, and changes `item` as it says.
pub fn apply(
    updater: &mut Updater,
    item: &mut WriteItem,
    found: (&str, Option<u64>),
    metadata: Metadata,
    now_ms: i64,
) -> Result<Verdict> {
    let (OpKind::Index { source, .. } | OpKind::Create { source }) = &item.kind else { return Ok(Verdict::Write) };
    let (index, version) = found;
    // In the order of the reference's hash map. A version that nobody asks for is not fetched there.
    let ctx = [
        ("_routing", item.routing.as_deref().map_or(Given::Null, Given::Text)),
        ("op", Given::Text("index")),
        ("_index", Given::Text(index)),
        ("_source", Given::Hashed(source)),
        ("_id", Given::Text(item.id.as_deref().unwrap_or_default())),
        ("_version", Given::Number(version.map_or(-1, i128::from))),
    ];
    let changed = updater.run(&ctx, now_ms)?;
    let mut rest = changed.rest;
    let is_create = matches!(item.kind, OpKind::Create { .. });
    let mut assign: Vec<(&str, Value)> = vec![];
    for key in ["_index", "_id", "_version", "_routing"] {
        let Some(new) = rest.remove(key) else { continue };
        if metadata == Metadata::Fixed {
            return Err(Error::illegal_argument(format!("Modifying [{key}] not allowed")));
        }
        assign.push((key, new));
    }
    let source = changed.source.into();
    item.kind = match is_create {
        true => OpKind::Create { source },
        false => OpKind::Index { source, auto_id: false },
    };
    for (key, value) in assign {
        set(item, key, &value)?;
    }
    match changed.op.as_str() {
        "index" => {}
        "noop" => return Ok(Verdict::Nothing),
        "delete" => {
            item.kind = OpKind::Delete;
            item.pipeline = None;
            // It keeps a version from outside, but not that it is one, and is refused for that.
            item.version_type = VersionType::Internal;
        }
        _ if changed.cleared => return Err(Error::illegal_argument("Script cleared operation type")),
        other => {
            return Err(Error::illegal_argument(format!(
                "Operation type [{other}] not allowed, only [noop, index, delete] are allowed"
            )));
        }
    }
    if !rest.is_empty() {
        let rest = java_ordered(rest);
        let names: Vec<&str> = rest.entries.iter().map(|entry| entry.key.as_str()).collect();
        return Err(Error::illegal_argument(format!("Invalid fields added to context [{}]", names.join(","))));
    }
    Ok(Verdict::Write)
}

fn set(item: &mut WriteItem, key: &str, value: &Value) -> Result<()> {
    let text = match value {
        Value::Null => None,
        value => Some(value.to_text()),
    };
    match key {
        "_index" => {
            let missing = || Error::new(ErrorKind::NullPointer, "Can't reindex without a destination index!");
            item.index = text.ok_or_else(missing)?;
        }
        "_id" => {
            if text.is_none() {
                // A made-up id is a new document's, whatever version the old one had.
                (item.version, item.version_type) = (None, VersionType::Internal);
                if let OpKind::Index { auto_id, .. } = &mut item.kind {
                    *auto_id = true;
                }
            }
            item.id = text;
        }
        "_version" => match value.as_i64().and_then(|version| u64::try_from(version).ok()) {
            Some(version) => {
                item.version = Some(version);
            }
            None if text.is_none() => (item.version, item.version_type) = (None, VersionType::Internal),
            None => {
                let reason = format!("_version may only be set to an int or a long but was [{}]", value.to_text());
                let error = Error::illegal_argument(reason);
                let is_number = matches!(value, Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_));
                return Err(if is_number { error } else { error.caused_by(no_cast(value, "java.lang.Number")) });
            }
        },
        _ => item.routing = text,
    }
    Ok(())
}
