//! `GET /_resolve/index/{name}`.

use super::super::index_options::expand_wildcards;
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{IndexMeta, IndicesOptions, State};
use crate::coordinate::Core;
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_resolve/index/{name}",
    name: "resolve_index_action",
    params: &[&["expand_wildcards", "ignore_unavailable", "allow_no_indices"]],
    handler: |core, request| Box::pin(run(core, request)),
}];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut options = IndicesOptions::STRICT_EXPAND_OPEN;
    if let Some(text) = request.param("expand_wildcards") {
        expand_wildcards(&mut options, text)?;
    }
    let state = core.state();
    let names = request.list("name");
    let mut w = Writer::new();
    w.begin_object().key("indices").begin_array();
    for index in state.indices.values().filter(|index| index_is_meant(index, &names, &options)) {
        write_index(&state, index, &mut w);
    }
    w.end_array().key("aliases").begin_array();
    for (alias, members) in &state.aliases {
        if alias_is_meant(&state, alias, &names, &options) {
            w.begin_object().key("name").string(alias).key("indices").begin_array();
            for member in members.iter() {
                w.string(member);
            }
            w.end_array().end_object();
        }
    }
    w.end_array().key("data_streams").begin_array();
    for stream in state.data_streams.values().filter(|stream| meant(&stream.name, false, &names, &options)) {
        w.begin_object().key("name").string(&stream.name).key("backing_indices").begin_array();
        stream.indices.iter().for_each(|id| _ = w.string(&id.name));
        w.end_array().key("timestamp_field").string(&stream.timestamp_field).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

fn meant(name: &str, hidden: bool, names: &[&str], options: &IndicesOptions) -> bool {
    names.iter().any(|pattern| {
        let wildcard = pattern.contains('*') || *pattern == "_all";
        if !wildcard {
            return *pattern == name;
        }
        let visible = !hidden || options.expand_hidden || (pattern.starts_with('.') && name.starts_with('.'));
        visible && (*pattern == "_all" || glob(pattern, name))
    })
}

fn index_is_meant(index: &IndexMeta, names: &[&str], options: &IndicesOptions) -> bool {
    let state = if index.is_open() { options.expand_open } else { options.expand_closed };
    names.contains(&&*index.name) || (state && meant(&index.name, index.hidden, names, options))
}

fn alias_is_meant(state: &State, alias: &str, names: &[&str], options: &IndicesOptions) -> bool {
    let of =
        |index: &std::sync::Arc<IndexMeta>| index.aliases.get(alias).is_some_and(|meta| meta.is_hidden == Some(true));
    let hidden = state.indices.values().any(of);
    meant(alias, hidden, names, options)
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
