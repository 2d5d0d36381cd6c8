//! Indexes that are taken into data streams and let go of them by hand.

use super::index_settings::put_settings;
use super::{DataStream, IndexId, State};
use crate::settings::SettingsUpdate;
use pith_engine::json::Value;
use pith_engine::{Error, Result};
use std::sync::Arc;

/// What happens to one index of one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamMember {
    pub stream: String,
    pub index: String,
    pub is_added: bool,
}

/// Makes the changes in their order: all of them or none.
pub fn modify(state: &mut State, changes: &[StreamMember]) -> Result<()> {
    for change in changes {
        let stream = state.data_streams.get(change.stream.as_str()).cloned();
        let stream = stream.ok_or_else(|| refusal(format!("data stream [{}] not found", change.stream)))?;
        match change.is_added {
            true => add(state, &stream, &change.index)?,
            false => remove(state, &stream, &change.index)?,
        }
        state.derive();
    }
    Ok(())
}

fn refusal(reason: String) -> Error {
    Error::illegal_argument(reason)
}

/// An index that joins stands before those that the stream made, the newest of which takes the writes.
fn add(state: &mut State, stream: &DataStream, name: &str) -> Result<()> {
    let index = state.indices.get(name).cloned().ok_or_else(|| refusal(format!("index [{name}] not found")))?;
    if let Some(other) = state.stream_of(name) {
        return match other.name == stream.name {
            true => Ok(()),
            false => Err(refusal(format!(
                "index [{name}] cannot be a backing index of more than one data stream, but is claimed by [{}] and [{}]",
                stream.name.clone().min(other.name.clone()),
                stream.name.clone().max(other.name.clone())
            ))),
        };
    }
    let field = &stream.timestamp_field;
    let is_date = |kind: &Value| matches!(kind.as_str(), Some("date" | "date_nanos"));
    let properties = index.mapping_source.as_ref().and_then(|mapping| mapping.get("properties"));
    if !properties.and_then(|all| all.get(field)?.get("type")).is_some_and(is_date) {
        return Err(refusal(format!(
            "index [{name}] cannot be added as a backing index because it does not have a [{field}] field mapped as a date type"
        )));
    }
    let prefix = format!(".ds-{}-", stream.name);
    let own = |id: &IndexId| id.name.starts_with(&prefix);
    let at = stream.indices.iter().position(own).unwrap_or(stream.indices.len().saturating_sub(1));
    let mut next = stream.clone();
    next.indices.insert(at, index.id());
    state.data_streams.insert(next.name.clone(), Arc::new(next));
    hide(state, index.id(), true)
}

fn remove(state: &mut State, stream: &DataStream, name: &str) -> Result<()> {
    let Some(at) = stream.indices.iter().position(|id| *id.name == *name) else {
        return Err(refusal(format!("index [{name}] is not part of data stream [{}]", stream.name)));
    };
    let refuse = |why: &str| {
        Err(refusal(format!(
            "cannot remove backing index [{name}] of data stream [{}] because it is the {why}",
            stream.name
        )))
    };
    if stream.indices.len() == 1 {
        return refuse("last backing index; delete the data stream instead");
    }
    if at + 1 == stream.indices.len() {
        return refuse("write index");
    }
    let mut next = stream.clone();
    let id = next.indices.remove(at);
    state.data_streams.insert(next.name.clone(), Arc::new(next));
    hide(state, id, false)
}

fn hide(state: &mut State, id: IndexId, hidden: bool) -> Result<()> {
    let mut update = SettingsUpdate::default();
    update.insert("index.hidden", Some(if hidden { "true" } else { "false" }.into()));
    put_settings(state, &[id], &update, false)
}
