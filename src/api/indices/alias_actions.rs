//! The body of `POST /_aliases`: what is to be done with which aliases of which indexes.

use super::aliases::{said, set_alias_field};
use super::body_places::{at, last_byte};
use super::create::expected_object;
use super::template_fields::listed_texts;
use crate::cluster::AliasMeta;
use pith_engine::json::{Entry, Value};
use pith_engine::query::{Node, Source};
use pith_engine::{Error, ErrorKind, Result, did_you_mean};

/// One action as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub verb: Verb,
    pub indexes: Vec<String>,
    pub aliases: Vec<String>,
    pub meta: AliasMeta,
    pub must_exist: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verb {
    Add,
    Remove,
    RemoveIndex,
}

impl Verb {
    /// The fields of its object.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Verb::Add => &[
                "index",
                "indices",
                "alias",
                "aliases",
                "filter",
                "routing",
                "index_routing",
                "indexRouting",
                "index-routing",
                "search_routing",
                "searchRouting",
                "search-routing",
                "is_write_index",
                "is_hidden",
            ],
            Verb::Remove => &["index", "indices", "alias", "aliases", "must_exist"],
            Verb::RemoveIndex => &["index", "indices", "alias", "aliases"],
        }
    }
}

/// Reads `{"actions":[{"add":{…}},…]}`; mistakes name their place as the reference does.
pub fn parse_actions(body: &Value, text: &[u8]) -> Result<Vec<Action>> {
    let map = body.as_object().ok_or_else(|| expected_object("aliases", body))?;
    let mut actions = vec![];
    for entry in &map.entries {
        if entry.key != "actions" {
            let hint = did_you_mean::suffix(&entry.key, ["actions"]);
            return Err(at(text, entry.key_pos, &format!("[aliases] unknown field [{}]{hint}", entry.key)));
        }
        let failed = |(stopped, cause): (u32, Error)| {
            let error = at(text, stopped, "[aliases] failed to parse field [actions]");
            match root_of(&cause) {
                Some(root) => error.with_root_causes(vec![root]),
                None => error,
            }
            .caused_by(cause)
        };
        // One action needs no list.
        let list = match &entry.value {
            Value::Array(list) => list.as_slice(),
            Value::Object(_) => std::slice::from_ref(&entry.value),
            other => {
                let what = format!("[aliases] actions doesn't support values of type: {}", other.token());
                return Err(at(text, entry.value_pos, &what));
            }
        };
        let source = Source::new(text);
        let items = Node::of_entry(entry, &source);
        let mut places = items.items();
        let mut passed_over = false;
        for action in list {
            let place = places.next().unwrap_or(items);
            match action {
                Value::Object(_) => passed_over = false,
                Value::Array(_) if !passed_over => {
                    let cause = Error::new(ErrorKind::IllegalState, "expected value but got [START_ARRAY]");
                    return Err(failed((place.pos(), cause)));
                }
                // One value that is none is passed over, and what comes after it is read in its stead.
                _ if !passed_over => {
                    passed_over = true;
                    continue;
                }
                other => return Err(failed((place.pos(), no_action(text, place.pos(), other.token())))),
            }
            let action = parse_action(action, text, place.last_pos()).map_err(|(stopped, cause)| {
                // What is wrong with an action as a whole shows when all of them are read.
                failed((stopped.unwrap_or_else(|| last_byte(text, entry.value_pos)), cause))
            });
            actions.push(action?);
        }
        if passed_over {
            let end = last_byte(text, entry.value_pos);
            return Err(failed((end, no_action(text, end, "END_ARRAY"))));
        }
    }
    Ok(actions)
}

fn no_action(text: &[u8], pos: u32, token: &str) -> Error {
    at(text, pos, &format!("[alias_action] Expected START_OBJECT but was: {token}"))
}

/// The innermost cause that is a parsing error itself: what the reference shows as root cause.
fn root_of(error: &Error) -> Option<Error> {
    let inner = error.cause().and_then(root_of);
    inner.or_else(|| (error.kind() == ErrorKind::XContentParse).then(|| error.clone()))
}

/// An error, and where it stopped the reader, if it did.
type Stopped = (Option<u32>, Error);

/// `end` is where the action ends.
fn parse_action(action: &Value, text: &[u8], end: u32) -> Result<Action, Stopped> {
    let whole = |reason: &str| (None, Error::illegal_argument(reason));
    let entries = action.as_object().map(|map| map.entries.as_slice()).unwrap_or_default();
    let Some(entry) = entries.first() else {
        return Err((None, Error::new(ErrorKind::NullPointer, NO_VERB)));
    };
    let verb = verb_of(entry, text)?;
    let failed = |stopped: u32, cause: Error| {
        let reason = format!("[alias_action] failed to parse field [{}]", entry.key);
        (Some(stopped), at(text, stopped, &reason).caused_by(cause))
    };
    let fields = entry.value.as_object().ok_or_else(|| {
        let what = format!("[alias_action] {} doesn't support values of type: {}", entry.key, entry.value.token());
        (Some(entry.value_pos), at(text, entry.value_pos, &what))
    })?;
    let mut parsed = Action { verb, indexes: vec![], aliases: vec![], meta: AliasMeta::default(), must_exist: None };
    let mut routing = None;
    for field in &fields.entries {
        let (key, value) = (field.key.as_str(), &field.value);
        // A list is read whole before anything is made of it.
        let end = if value.as_array().is_some() { last_byte(text, field.value_pos) } else { field.value_pos };
        let wrong = |reason: String| {
            let what = format!("[{}] failed to parse field [{key}]", entry.key);
            failed(end, at(text, end, &what).caused_by(Error::illegal_argument(reason)))
        };
        let wrong_kind = || {
            let what = format!("[{}] {key} doesn't support values of type: {}", entry.key, value.token());
            failed(field.value_pos, at(text, field.value_pos, &what))
        };
        match key {
            "index" | "indices" | "alias" | "aliases" => {
                if !is_name(key, value) {
                    return Err(wrong_kind());
                }
                let names = names_of(entry, field, text).map_err(|(place, cause)| failed(place, cause))?;
                take_names(&mut parsed, key, names).map_err(wrong)?;
            }
            "filter" if verb == Verb::Add && value.as_object().is_none() => return Err(wrong_kind()),
            "routing" | "index_routing" | "search_routing" if verb == Verb::Add && !is_routing(value) => {
                return Err(wrong_kind());
            }
            "routing" if verb == Verb::Add => routing = Some(value.to_text()),
            "is_write_index" | "is_hidden" | "must_exist" if (verb == Verb::Remove) == (key == "must_exist") => {
                if !matches!(value, Value::Bool(_) | Value::String(_)) {
                    return Err(wrong_kind());
                }
                let given = said(value).map_err(wrong)?;
                match key {
                    "is_write_index" => parsed.meta.is_write_index = Some(given),
                    "is_hidden" => parsed.meta.is_hidden = Some(given),
                    _ => parsed.must_exist = Some(given),
                }
            }
            _ if verb == Verb::Add && set_alias_field(&mut parsed.meta, key, value).is_ok() => {}
            _ => {
                let hint = did_you_mean::suffix(key, verb.fields().iter().copied());
                let unknown = at(text, field.key_pos, &format!("[{}] unknown field [{key}]{hint}", entry.key));
                return Err(failed(field.value_pos, unknown));
            }
        }
    }
    parsed.meta.set_routing(routing);
    if parsed.indexes.is_empty() {
        return Err(whole("One of [index] or [indices] is required"));
    }
    if parsed.aliases.is_empty() && verb != Verb::RemoveIndex {
        return Err(whole("One of [alias] or [aliases] is required"));
    }
    if let Some(second) = entries.get(1) {
        verb_of(second, text)?;
        let cause = Error::illegal_argument("Too many operations declared on operation entry");
        let what = "Failed to build [alias_action] after last required field arrived";
        let error = Error::new(ErrorKind::XContentParse, what).caused_by(cause);
        return Err((Some(end), error));
    }
    Ok(parsed)
}

/// What the reference says of an action that does nothing.
const NO_VERB: &str = "Cannot invoke \"org.opensearch.action.admin.indices.alias.IndicesAliasesRequest$AliasActions.validate()\" because \"aliasAction\" is null";

fn verb_of(entry: &Entry, text: &[u8]) -> Result<Verb, Stopped> {
    match entry.key.as_str() {
        "add" => Ok(Verb::Add),
        "remove" => Ok(Verb::Remove),
        "remove_index" => Ok(Verb::RemoveIndex),
        other => {
            let hint = did_you_mean::suffix(other, ["add", "remove", "remove_index"]);
            let what = format!("[alias_action] unknown field [{other}]{hint}");
            Err((Some(entry.value_pos), at(text, entry.key_pos, &what)))
        }
    }
}

/// The names that a field of an action lists, or the one that it holds; where the reader stops at one that is none, and why.
fn names_of(action: &Entry, field: &Entry, text: &[u8]) -> Result<Vec<String>, (u32, Error)> {
    if field.value.as_array().is_none() {
        return Ok(vec![field.value.to_text()]);
    }
    listed_texts(field, text).map_err(|(place, cause)| {
        let what = format!("[{}] failed to parse field [{}]", action.key, field.key);
        (place, at(text, place, &what).caused_by(cause))
    })
}

/// Takes the names of a field into the action; why it takes none.
fn take_names(action: &mut Action, key: &str, names: Vec<String>) -> Result<(), String> {
    let (taken, one, many) = match key {
        "index" | "indices" => (&mut action.indexes, "index", "indices"),
        _ if action.verb == Verb::RemoveIndex => return Err(format!("[{key}] is unsupported for [REMOVE_INDEX]")),
        _ => (&mut action.aliases, "alias", "aliases"),
    };
    if !taken.is_empty() {
        return Err(format!("Only one of [{one}] and [{many}] is supported"));
    }
    match key {
        "indices" | "aliases" => check_listed(key, &names)?,
        _ if names.iter().any(String::is_empty) => return Err(format!("[{key}] can't be empty string")),
        _ => {}
    }
    *taken = names;
    Ok(())
}

/// What routes documents is a text or a number.
fn is_routing(value: &Value) -> bool {
    !matches!(value, Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_))
}

/// Whether the value is of a kind that the field takes: a text, or where several may be meant a list.
fn is_name(key: &str, value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(_) => matches!(key, "indices" | "aliases"),
        _ => false,
    }
}

/// Several names are some, and none of them is empty.
pub fn check_listed(key: &str, names: &[String]) -> Result<(), String> {
    if names.is_empty() {
        return Err(format!("[{key}] can't be empty"));
    }
    if names.iter().any(String::is_empty) {
        return Err(format!("[{key}] can't contain empty string"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pith_engine::json::parse;

    fn actions(text: &str) -> Result<Vec<Action>> {
        parse_actions(&parse(text.as_bytes()).unwrap(), text.as_bytes())
    }

    #[test]
    fn actions_are_read() {
        let read = actions(
            r#"{"actions":[{"add":{"indices":["a","b"],"alias":"x","routing":"1"}},{"remove_index":{"index":"c"}}]}"#,
        )
        .unwrap();
        assert_eq!((read[0].verb, read[0].indexes.len(), read[0].aliases.len()), (Verb::Add, 2, 1));
        assert_eq!(read[0].meta.search_routing.as_deref(), Some("1"));
        assert_eq!(read[1].verb, Verb::RemoveIndex);
    }

    #[test]
    fn mistakes_have_places() {
        let error = actions(r#"{"foo":[]}"#).unwrap_err();
        assert_eq!(error.reason(), "[1:2] [aliases] unknown field [foo]");
        let error = actions(r#"{"actions":[{"add":{"index":"admin-b","alias":"x1","foo":1}}]}"#).unwrap_err();
        let inner = error.cause().and_then(Error::cause).unwrap();
        assert_eq!(inner.reason(), "[1:52] [add] unknown field [foo]");
    }

    #[test]
    fn one_way_to_name_them_is_enough() {
        let innermost = |action: &str| {
            let error = actions(&format!(r#"{{"actions":[{action}]}}"#)).unwrap_err();
            let mut chain = vec![error.reason().to_owned()];
            let mut at = error.cause();
            while let Some(cause) = at {
                chain.push(cause.reason().to_owned());
                at = cause.cause();
            }
            chain.join(" < ")
        };
        let cases = [
            (
                r#"{"add":{"index":"calls-a","indices":["calls-b"],"alias":"calls-z"}}"#,
                "[1:59] [aliases] failed to parse field [actions] < [1:59] [alias_action] failed to parse field [add] < [1:59] [add] failed to parse field [indices] < Only one of [index] and [indices] is supported",
            ),
            (
                r#"{"add":{"index":"calls-a","aliases":["calls-y"],"alias":"calls-z"}}"#,
                "[1:69] [aliases] failed to parse field [actions] < [1:69] [alias_action] failed to parse field [add] < [1:69] [add] failed to parse field [alias] < Only one of [alias] and [aliases] is supported",
            ),
            (
                r#"{"add":{"index":["calls-a"],"alias":"calls-z"}}"#,
                "[1:29] [aliases] failed to parse field [actions] < [1:29] [alias_action] failed to parse field [add] < [1:29] [add] index doesn't support values of type: START_ARRAY",
            ),
            (
                r#"{"add":{"index":"calls-a"}}"#,
                "[1:40] [aliases] failed to parse field [actions] < One of [alias] or [aliases] is required",
            ),
        ];
        for (action, reasons) in cases {
            assert_eq!(innermost(action), reasons);
        }
    }
}
