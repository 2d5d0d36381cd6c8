//! `GET /{index}` and `HEAD /{index}`.

use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms, resolve};
use super::super::{ApiRequest, Method, Reply, Route};
use super::settings::write_settings;
use crate::cluster::{BlockLevel, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

const PARAMS: &[&[&str]] = &[INDEX_PARAMS, MANAGER_TIMEOUT, &["flat_settings", "settings_filter", "include_defaults"]];

pub const ROUTES: &[Route] = &[
    Route {
        method: Method::Get,
        path: "/{index}",
        name: "get_indices_action",
        params: PARAMS,
        handler: |core, request| Box::pin(get(core, request)),
    },
    Route {
        method: Method::Head,
        path: "/{index}",
        name: "get_indices_action",
        params: PARAMS,
        handler: |core, request| Box::pin(get(core, request)),
    },
];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    let mut w = Writer::new();
    w.begin_object();
    for index in &indexes {
        w.key(&index.name).begin_object();
        w.key("aliases");
        write_aliases(index, &mut w);
        w.key("mappings");
        write_mapping(index, &mut w);
        write_settings(&request, index, &[], &mut w)?;
        if let Some(stream) = state.stream_of(&index.name) {
            w.key("data_stream").string(&stream.name);
        }
        w.end_object();
    }
    w.end_object();
    Ok(Reply::ok(w))
}

pub fn write_aliases(index: &IndexMeta, w: &mut Writer) {
    w.begin_object();
    for (name, alias) in &index.aliases {
        w.key(name).value(&alias.to_value());
    }
    w.end_object();
}

pub fn write_mapping(index: &IndexMeta, w: &mut Writer) {
    match &index.mapping_source {
        Some(mapping) => w.value(mapping),
        None => w.begin_object().end_object(),
    };
}
