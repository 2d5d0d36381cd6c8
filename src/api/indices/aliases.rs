//! `_alias` and `_aliases`: putting, deleting, showing, and several changes at once.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{MANAGER_TIMEOUT, TIMEOUTS, resolve, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use super::alias_actions::{Action, Verb, check_listed, parse_actions};
use super::delete::check_named;
use crate::cluster::{
    AliasChange, AliasMeta, BlockLevel, Change, IndexMeta, IndicesOptions, State, blocks,
    resolve as resolve_expressions,
};
use crate::coordinate::{Core, clock};
use crate::settings::glob;
use pith_engine::json::{Map, Value};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

macro_rules! rows {
    ($name:literal $params:expr, $handler:ident: $($method:ident $path:literal),* $(,)?) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }),*]
    };
}

pub const GET_ROUTES: &[Route] = rows!["get_aliases_action" &[INDEX_PARAMS, MANAGER_TIMEOUT], get:
    Get "/_alias", Get "/_alias/{name}", Head "/_alias/{name}", Get "/{index}/_alias", Head "/{index}/_alias",
    Get "/{index}/_alias/{name}", Head "/{index}/_alias/{name}", Get "/_aliases",
];

pub const PUT_ROUTES: &[Route] = rows!["index_put_alias_action" &[TIMEOUTS], put:
    Put "/_alias", Put "/_alias/{name}", Post "/_alias/{name}", Put "/_aliases/{name}", Post "/_aliases/{name}",
    Put "/{index}/_alias", Put "/{index}/_aliases", Put "/{index}/_alias/{name}", Post "/{index}/_alias/{name}",
    Put "/{index}/_aliases/{name}", Post "/{index}/_aliases/{name}",
];

pub const DELETE_ROUTES: &[Route] = rows!["index_delete_aliases_action" &[TIMEOUTS], delete:
    Delete "/{index}/_alias/{name}", Delete "/{index}/_aliases/{name}",
];

pub const UPDATE_ROUTES: &[Route] = rows!["index_aliases_action" &[TIMEOUTS], update: Post "/_aliases"];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    request.flag("local", false)?;
    // Data streams have no aliases: their names are as good as missing.
    let options = IndicesOptions { include_data_streams: false, ..IndicesOptions::STRICT_EXPAND_HIDDEN };
    let indexes = resolve(&request, &state, options)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    let names = request.list("name");
    let mut found = BTreeSet::new();
    let mut shown = Map::new();
    for index in &indexes {
        let matching: Vec<_> = index.aliases.iter().filter(|(alias, _)| matches(&names, alias)).collect();
        if matching.is_empty() && !names.is_empty() {
            continue;
        }
        found.extend(matching.iter().map(|(alias, _)| alias.to_string()));
        let aliases: Map = matching.into_iter().map(|(alias, meta)| (&**alias, meta.to_value())).collect();
        shown.insert(&*index.name, Map::from_iter([("aliases", aliases)]));
    }
    let missing = missing_names(&names, &found);
    let mut body = Map::new();
    let mut status = 200;
    if !missing.is_empty() {
        let noun = if missing.len() == 1 { "alias" } else { "aliases" };
        body.insert("error", format!("{noun} [{}] missing", missing.join(",")));
        body.insert("status", 404);
        status = 404;
    }
    for (name, value) in shown.iter() {
        body.insert(name, value.clone());
    }
    Ok(Reply::json(status, Value::Object(body).to_bytes()))
}

/// Whether an alias is meant: the patterns apply in turn, those with `-` take back what others gave.
pub fn matches(patterns: &[&str], alias: &str) -> bool {
    let mut matched = patterns.is_empty() || patterns.contains(&"_all");
    for pattern in patterns {
        match pattern.strip_prefix('-') {
            Some(excluded) => matched &= !glob(excluded, alias),
            None => matched |= glob(pattern, alias),
        }
    }
    matched
}

/// The names that were asked for one by one, not taken back, and not found.
fn missing_names<'a>(names: &[&'a str], found: &BTreeSet<String>) -> Vec<&'a str> {
    let is_wildcard = |name: &str| name.contains('*') || name == "_all";
    let first_wildcard = names.iter().position(|name| is_wildcard(name)).unwrap_or(names.len());
    let mut missing: Vec<&str> = vec![];
    for (at, name) in names.iter().enumerate() {
        if is_wildcard(name) || (at > first_wildcard && name.starts_with('-')) || found.contains(*name) {
            continue;
        }
        let taken_back = names.iter().enumerate().skip(at + 1).any(|(later, other)| {
            later >= first_wildcard && other.strip_prefix('-').is_some_and(|excluded| glob(excluded, name))
        });
        if !taken_back && !missing.contains(name) {
            missing.push(name);
        }
    }
    missing.sort_unstable();
    missing
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut indexes: Vec<String> = request.list("index").into_iter().map(str::to_owned).collect();
    let mut alias = request.param("name").map(str::to_owned);
    let mut meta = AliasMeta::default();
    let mut routing = None;
    // An empty list or a single value says as little as no body.
    let says = |body: &Value| match body {
        Value::Array(items) => !items.is_empty(),
        body => body.as_object().is_some(),
    };
    // This body is read to its very end.
    if let Some(body) = request.whole_json_opt()?.filter(says) {
        let body = body.as_object().cloned().ok_or_else(Error::not_x_content)?;
        for (key, value) in body.iter().flat_map(|(key, value)| each_value(key, value)) {
            match (key, value) {
                ("filter", Value::Object(map)) => meta.filter = Some(value.clone()).filter(|_| !map.is_empty()),
                (_, Value::Object(_)) => return Err(unknown_alias_field(key)),
                ("index", names) => indexes = names.to_text().split(',').map(str::to_owned).collect(),
                ("alias", name) => alias = Some(name.to_text()),
                ("routing", value) => routing = Some(value.to_text()),
                _ => set_alias_field(&mut meta, key, value)?,
            }
        }
    }
    meta.set_routing(routing);
    check_listed("indices", &indexes).map_err(Error::illegal_argument)?;
    let alias = alias.filter(|alias| !alias.is_empty());
    let alias = alias.ok_or_else(|| Error::illegal_argument("[alias] can't be empty string"))?;
    let action = Action { verb: Verb::Add, indexes, aliases: vec![alias], meta, must_exist: None };
    apply(core, request, vec![action]).await
}

/// The values that a field has: each one of a list, of which the last counts, and none where there is nothing.
fn each_value<'a>(key: &'a str, value: &'a Value) -> Vec<(&'a str, &'a Value)> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| each_value(key, item)).collect(),
        Value::Null => vec![],
        value => vec![(key, value)],
    }
}

/// What a value says that is true or false, or a text of that; why it says neither.
pub fn said(value: &Value) -> Result<bool, String> {
    let parsed = match value {
        Value::Bool(said) => Some(*said),
        Value::String(text) if text.is_empty() => Some(false),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let wrong = || format!("Failed to parse value [{}] as only [true] or [false] are allowed.", value.to_text());
    parsed.ok_or_else(wrong)
}

pub fn set_alias_field(meta: &mut AliasMeta, key: &str, value: &Value) -> Result<()> {
    match (key, value) {
        ("indexRouting" | "index-routing" | "index_routing", value) => meta.index_routing = Some(value.to_text()),
        ("searchRouting" | "search-routing" | "search_routing", value) => meta.search_routing = Some(value.to_text()),
        ("is_write_index", value) => meta.is_write_index = Some(said(value).map_err(Error::illegal_argument)?),
        ("is_hidden", value) => meta.is_hidden = Some(said(value).map_err(Error::illegal_argument)?),
        ("filter", Value::Object(map)) => meta.filter = Some(value.clone()).filter(|_| !map.is_empty()),
        ("filter", Value::Null) => meta.filter = None,
        _ => return Err(unknown_alias_field(key)),
    }
    Ok(())
}

#[cold]
fn unknown_alias_field(key: &str) -> Error {
    Error::illegal_argument(format!("unknown field [{key}]"))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let listed = |key, name| {
        let names: Vec<String> = request.names(name).into_iter().map(str::to_owned).collect();
        check_listed(key, &names).map_err(Error::illegal_argument).map(|()| names)
    };
    let (indexes, aliases) = (listed("indices", "index")?, listed("aliases", "name")?);
    let action = Action { verb: Verb::Remove, indexes, aliases, meta: AliasMeta::default(), must_exist: None };
    apply(core, request, vec![action]).await
}

async fn update(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json_declared(|path| match path {
        ["actions"] => Some("aliases"),
        ["actions", "add" | "remove" | "remove_index"] => Some("alias_action"),
        ["actions", "add", _] => Some("add"),
        ["actions", "remove", _] => Some("remove"),
        ["actions", "remove_index", _] => Some("remove_index"),
        _ => None,
    })?;
    let actions = parse_actions(&body, &request.body)?;
    if actions.is_empty() {
        return Err(Error::illegal_argument("No action specified"));
    }
    apply(core, request, actions).await
}

/// Resolves the actions and has them made, all or none.
async fn apply(core: Rc<Core>, request: ApiRequest, actions: Vec<Action>) -> Result<Reply> {
    let state = core.state();
    check_blocks(&state, &actions)?;
    let mut changes = vec![];
    let mut missing = vec![];
    for action in &actions {
        rt::yield_if_needed().await;
        missing.extend(resolve_action(&state, action, &mut changes)?);
    }
    // What is missing is told where nothing else was to be done.
    let lenient = actions.iter().any(|action| action.verb == Verb::Remove && action.must_exist == Some(false));
    if changes.is_empty() && !lenient && !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Err(aliases_not_found(missing));
    }
    let done = changes.is_empty() || submit(&core, &request, Change::UpdateAliases(changes)).await?.is_done();
    Ok(Reply::acknowledged(done))
}

/// Blocks of indexes hold for those that are named in full.
fn check_blocks(state: &State, actions: &[Action]) -> Result<()> {
    let mut named = actions.iter().flat_map(|action| &action.indexes).filter_map(|name| state.index(name)).peekable();
    match named.peek() {
        Some(_) => blocks::check(state, BlockLevel::MetadataWrite, named.map(|index| &**index)),
        None => blocks::check_cluster(state, BlockLevel::MetadataWrite),
    }
}

/// Adds what the action comes to; gives the aliases that it was to remove, if none of them is there.
fn resolve_action(state: &State, action: &Action, changes: &mut Vec<AliasChange>) -> Result<Vec<String>> {
    let options = IndicesOptions {
        ignore_aliases: true,
        allow_no_indices: false,
        include_data_streams: false,
        ..IndicesOptions::STRICT_EXPAND_OPEN
    };
    if action.verb == Verb::RemoveIndex {
        check_named(state, &action.indexes.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    let indexes: Vec<Arc<IndexMeta>> = resolve_expressions(state, &action.indexes, &options, clock::now_ms())?;
    if action.verb != Verb::RemoveIndex {
        check_no_backing_index(state, &indexes)?;
    }
    match action.verb {
        Verb::RemoveIndex => changes.extend(indexes.iter().map(|index| AliasChange::RemoveIndex(index.id()))),
        Verb::Add => {
            for (index, alias) in pairs(&indexes, &action.aliases) {
                if alias.trim().is_empty() {
                    return Err(Error::illegal_argument("[alias] is required"));
                }
                changes.push(AliasChange::Add { index: index.id(), alias: alias.clone(), meta: action.meta.clone() });
            }
        }
        Verb::Remove => {
            let patterns: Vec<&str> = action.aliases.iter().map(String::as_str).collect();
            let before = changes.len();
            for index in &indexes {
                let remove =
                    |alias: &str| AliasChange::Remove { index: index.id(), alias: alias.to_owned(), must_exist: false };
                let of_index = changes.len();
                match patterns[..] {
                    // What is named in full is looked up: ten thousand actions each name one of as many.
                    [name] if !name.contains('*') && !name.starts_with('-') && name != "_all" => {
                        changes.extend(index.aliases.get(name).map(|_| remove(name)));
                    }
                    _ => changes.extend(
                        index.aliases.keys().filter(|alias| matches(&patterns, alias)).map(|alias| remove(alias)),
                    ),
                }
                // Each of the indexes has to have one, whatever actions before this one add.
                if changes.len() == of_index && action.must_exist == Some(true) {
                    return Err(aliases_not_found(action.aliases.clone()));
                }
            }
            // Actions before this one may add what it is to remove.
            let is_added =
                |change: &AliasChange| matches!(change, AliasChange::Add { alias, .. } if matches(&patterns, alias));
            if changes.len() == before && !changes.iter().any(is_added) {
                let missing = if action.must_exist.is_none() { action.aliases.clone() } else { vec![] };
                return Ok(missing);
            }
        }
    }
    Ok(vec![])
}

/// Indexes of data streams have no aliases but those of their template.
fn check_no_backing_index(state: &State, indexes: &[Arc<IndexMeta>]) -> Result<()> {
    let Some(stream) = indexes.iter().find_map(|index| state.stream_of(&index.name)) else { return Ok(()) };
    let names: Vec<&str> = indexes
        .iter()
        .filter(|index| state.backing.get(&index.name) == Some(&stream.name))
        .map(|index| &*index.name)
        .collect();
    Err(Error::illegal_argument(format!(
        "The provided expressions [{}] match a backing index belonging to data stream [{}]. Data streams and their backing indices don't support aliases.",
        names.join(","),
        stream.name
    )))
}

fn pairs<'a>(
    indexes: &'a [Arc<IndexMeta>],
    aliases: &'a [String],
) -> impl Iterator<Item = (&'a Arc<IndexMeta>, &'a String)> {
    indexes.iter().flat_map(move |index| aliases.iter().map(move |alias| (index, alias)))
}

#[cold]
fn aliases_not_found(mut aliases: Vec<String>) -> Error {
    let reason = format!("aliases [{}] missing", aliases.join(", "));
    let id = match aliases.len() {
        1 => Value::String(aliases.remove(0)),
        _ => Value::Array(aliases.into_iter().map(Value::String).collect()),
    };
    Error::new(ErrorKind::AliasesNotFound, reason).with("resource.id", id).with("resource.type", "aliases")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_missing() {
        let found = BTreeSet::from(["a".to_owned()]);
        assert_eq!(missing_names(&["a", "b"], &found), ["b"]);
        assert!(missing_names(&["b*", "a"], &found).is_empty());
        assert_eq!(missing_names(&["-a"], &BTreeSet::new()), ["-a"]);
        assert!(missing_names(&["*", "-b"], &found).is_empty());
    }

    #[test]
    fn patterns_in_turn() {
        assert!(matches(&[], "a"));
        assert!(matches(&["a*", "-ab"], "ac"));
        assert!(!matches(&["a*", "-ab"], "ab"));
        assert!(!matches(&["-ab"], "ab"));
    }
}
