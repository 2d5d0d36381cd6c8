//! `GET /_resolve/index/{name}`.

use super::super::index_options::index_options;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{IndexMeta, IndicesOptions, State, single_name};
use crate::coordinate::{Core, clock};
use crate::settings::glob;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_resolve/index/{name}",
    name: "resolve_index_action",
    params: &[&["expand_wildcards", "ignore_unavailable", "allow_no_indices"]],
    handler: |core, request| Box::pin(run(core, request)),
}];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = index_options(&request, IndicesOptions::STRICT_EXPAND_OPEN)?;
    let state = core.state();
    let names = abstractions(&state, &request.list("name"), &options)?;
    let mut w = Writer::new();
    w.begin_object().key("indices").begin_array();
    for index in names.iter().filter_map(|name| state.index(name)) {
        write_index(&state, index, &mut w);
    }
    w.end_array().key("aliases").begin_array();
    for (alias, members) in names.iter().filter_map(|name| state.aliases.get_key_value(name.as_str())) {
        w.begin_object().key("name").string(alias).key("indices").begin_array();
        for member in members.iter() {
            w.string(member);
        }
        w.end_array().end_object();
    }
    w.end_array().key("data_streams").begin_array();
    for stream in names.iter().filter_map(|name| state.data_streams.get(name.as_str())) {
        w.begin_object().key("name").string(&stream.name).key("backing_indices").begin_array();
        stream.indices.iter().for_each(|id| _ = w.string(&id.name));
        w.end_array().key("timestamp_field").string(&stream.timestamp_field).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// Wildcards that come again stand for all of their names again.
const NAMES_MAX: usize = 100_000;

/// The names of indexes, aliases and data streams that the expressions mean, in order, and as often as they mean them. A name that
/// stands for nothing is passed over, and so is a wildcard where the options let it stand for nothing.
fn abstractions(state: &State, expressions: &[&str], options: &IndicesOptions) -> Result<Vec<String>> {
    let expands = options.expand_open || options.expand_closed;
    let mut names: Vec<String> = vec![];
    let mut wildcard_seen = false;
    for expression in expressions {
        let excluded = expression.strip_prefix('-').filter(|_| wildcard_seen);
        let pattern = excluded.unwrap_or(expression);
        let name = single_name(pattern, clock::now_ms())?;
        let is_date_math = name != pattern;
        let found: Vec<String> = if expands && name.contains('*') {
            wildcard_seen = true;
            let found: Vec<String> = matching(state, &name, options).into_iter().map(str::to_owned).collect();
            if found.is_empty() && !options.allow_no_indices {
                return Err(not_there(&name));
            }
            found
        } else if is_date_math && !state.has(&name) {
            if !options.ignore_unavailable {
                return Err(not_there(&name));
            }
            vec![]
        } else {
            vec![name]
        };
        match excluded {
            Some(_) => {
                let found: HashSet<String> = found.into_iter().collect();
                names.retain(|name| !found.contains(name));
            }
            None => names.extend(found),
        }
        if names.len() > NAMES_MAX {
            return Err(Error::illegal_argument(format!("the expressions stand for more than [{NAMES_MAX}] names")));
        }
    }
    names.sort();
    Ok(names)
}

#[cold]
fn not_there(name: &str) -> Error {
    Error::new(ErrorKind::IndexNotFound, format!("no such index [{name}]"))
        .with("index", name)
        .with("index_uuid", "_na_")
}

/// The names that a wildcard stands for.
fn matching<'a>(state: &'a State, pattern: &str, options: &IndicesOptions) -> Vec<&'a str> {
    let seen = |hidden: bool, name: &str| {
        glob(pattern, name) && (!hidden || options.expand_hidden || (name.starts_with('.') && pattern.starts_with('.')))
    };
    let in_state = |index: &IndexMeta| if index.is_open() { options.expand_open } else { options.expand_closed };
    let indexes = state.indices.values().filter(move |index| in_state(index) && seen(index.hidden, &index.name));
    let is_hidden = |alias: &str, members: &[Arc<str>]| {
        let hides = |index: &Arc<IndexMeta>| index.aliases.get(alias).and_then(|meta| meta.is_hidden) == Some(true);
        members.iter().filter_map(|member| state.index(member)).any(hides)
    };
    let aliases = state.aliases.iter().filter(move |(alias, members)| seen(is_hidden(alias, members), alias));
    // Streams are in no state, but somewhere something has to be looked for.
    let expands = options.expand_open || options.expand_closed;
    let streams = state.data_streams.values().filter(move |stream| expands && seen(false, &stream.name));
    indexes
        .map(|index| &*index.name)
        .chain(aliases.map(|(alias, _)| &**alias))
        .chain(streams.map(|stream| &*stream.name))
        .collect()
}

fn write_index(state: &State, index: &IndexMeta, w: &mut Writer) {
    w.begin_object().key("name").string(&index.name);
    if !index.aliases.is_empty() {
        w.key("aliases").begin_array();
        for alias in index.aliases.keys() {
            w.string(alias);
        }
        w.end_array();
    }
    w.key("attributes").begin_array();
    let mut attributes = vec![if index.is_open() { "open" } else { "closed" }];
    if index.hidden {
        attributes.push("hidden");
    }
    attributes.sort_unstable();
    for attribute in attributes.iter() {
        w.string(attribute);
    }
    w.end_array();
    if let Some(stream) = state.stream_of(&index.name) {
        w.key("data_stream").string(&stream.name);
    }
    w.end_object();
}
