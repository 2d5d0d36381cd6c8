//! `_data_stream/_modify`: indexes that join data streams or leave them.

use super::super::targets::submit;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, StreamMember};
use crate::coordinate::Core;
use pith_engine::json::{self, Entry, Map, Value, line_col};
use pith_engine::query::declared::without;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_data_stream/_modify",
    name: "modify_data_stream_action",
    params: &[&["timeout", "cluster_manager_timeout"]],
    handler: |core, request| Box::pin(modify(core, request)),
}];

async fn modify(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.required_body()?;
    let members = members(body)?;
    if members.is_empty() {
        let reason = "Validation Failed: 1: at least one data stream action must be specified;";
        return Err(Error::new(ErrorKind::ActionRequestValidation, reason));
    }
    Ok(Reply::acknowledged(submit(&core, &request, Change::ModifyDataStreams(members)).await?.is_done()))
}

fn members(body: &[u8]) -> Result<Vec<StreamMember>> {
    let (Value::Object(map), _) = json::parse_prefix(body)? else {
        return Err(Error::illegal_argument("expected an object with an [actions] array"));
    };
    let mut members = vec![];
    for entry in &map.entries {
        match (entry.key.as_str(), &entry.value) {
            ("actions", Value::Array(actions)) => {
                for action in actions {
                    members.push(member(body, entry, action)?);
                }
            }
            (name, _) => {
                return Err(Error::illegal_argument(format!("unexpected field [{name}], only [actions] is supported")));
            }
        }
    }
    Ok(members)
}

fn refusal(body: &[u8], pos: u32, parser: &str, what: &str) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{parser}] {what}"))
}

/// One action; where it has several, the last one counts.
fn member(body: &[u8], actions: &Entry, action: &Value) -> Result<StreamMember> {
    let Value::Object(action) = action else {
        return Err(refusal(body, actions.value_pos, "data_stream_action", "Expected START_OBJECT"));
    };
    let mut member = None;
    for entry in &action.entries {
        let is_added = match entry.key.as_str() {
            "add_backing_index" => true,
            "remove_backing_index" => false,
            name => {
                return Err(refusal(body, entry.key_pos, "data_stream_action", &format!("unknown field [{name}]")));
            }
        };
        let name = &entry.key;
        let Value::Object(given) = &entry.value else {
            let what = format!("{name} doesn't support values of type: {}", entry.value.token());
            return Err(refusal(body, entry.value_pos, "data_stream_action", &what));
        };
        let (stream, index) = names(body, entry, given).map_err(|(pos, cause)| {
            let what = format!("failed to parse field [{name}]");
            let error = refusal(body, pos, "data_stream_action", &what);
            match cause.kind() {
                ErrorKind::XContentParse => error.with_root_causes(vec![cause.clone()]),
                _ => error,
            }
            .caused_by(cause)
        })?;
        member = Some(StreamMember { stream, index, is_added });
    }
    member.ok_or_else(|| refusal(body, actions.value_pos, "data_stream_action", "an action names what it does"))
}

/// Where the value that begins at `start` ends.
fn end_of(body: &[u8], start: u32) -> u32 {
    let rest = body.get(start as usize..).unwrap_or_default();
    let length = json::parse_prefix(rest).map_or(1, |(_, end)| rest[..end].trim_ascii_end().len());
    start + (length as u32).saturating_sub(1)
}

/// The stream and the index of an action; an error comes with its place. What is missing is missing at the end of the object.
fn names(body: &[u8], action: &Entry, given: &Map) -> std::result::Result<(String, String), (u32, Error)> {
    let (mut stream, mut index) = (None, None);
    for entry in &given.entries {
        let place = match entry.key.as_str() {
            "data_stream" => &mut stream,
            "index" => &mut index,
            name => {
                let error = refusal(body, entry.key_pos, &action.key, &format!("unknown field [{name}]"));
                return Err((entry.value_pos, error));
            }
        };
        let Value::String(text) = &entry.value else {
            let what = format!("{} doesn't support values of type: {}", entry.key, entry.value.token());
            return Err((entry.value_pos, refusal(body, entry.value_pos, &action.key, &what)));
        };
        *place = Some(text.clone());
    }
    match (stream, index) {
        (Some(stream), Some(index)) => Ok((stream, index)),
        (stream, index) => {
            let error = without(&[("data_stream", stream.is_none()), ("index", index.is_none())]);
            Err((end_of(body, action.value_pos), error))
        }
    }
}
