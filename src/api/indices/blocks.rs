//! `PUT /{index}/_block/{block}`.

use super::super::document::validation_failed;
use super::super::index_options::INDEX_PARAMS;
use super::super::targets::{TIMEOUTS, ids, resolve, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, IndicesOptions, blocks, check_unwritten};
use crate::coordinate::Core;
use crate::settings::SettingsUpdate;
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Put,
    path: "/{index}/_block/{block}",
    name: "add_index_block_action",
    params: &[INDEX_PARAMS, TIMEOUTS],
    handler: |core, request| Box::pin(add(core, request)),
}];

async fn add(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let name = request.path_param("block");
    if !matches!(name, "read" | "write" | "metadata" | "read_only" | "read_only_allow_delete" | "search_only") {
        return Err(Error::illegal_argument(format!("No block found with name {name}")));
    }
    let mut problems = vec![];
    if !request.names_indexes() {
        problems.push("index is missing".to_owned());
    }
    if name == "read_only_allow_delete" {
        problems.push("read_only_allow_delete block is for internal use only".to_owned());
    }
    validation_failed(&problems)?;
    let state = core.state();
    let options = IndicesOptions { include_data_streams: false, ..IndicesOptions::STRICT_EXPAND_OPEN };
    let mut indexes = resolve(&request, &state, options)?;
    let setting = format!("index.blocks.{name}");
    blocks::check_settings_change(&state, indexes.iter().map(|index| &**index), Some(&setting))?;
    check_unwritten(&state, &ids(&indexes), "add a block to")?;
    // Those that have the block already are left out.
    indexes.retain(|index| index.settings.text(&setting) != Some("true"));
    let mut update = SettingsUpdate::default();
    update.insert(setting, Some("true".into()));
    let change = Change::PutIndexSettings { indexes: ids(&indexes), update, preserve_existing: false };
    let done = indexes.is_empty() || submit(&core, &request, change).await?.holds();
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(done).key("shards_acknowledged").bool(done && !indexes.is_empty());
    w.key("indices").begin_array();
    for index in &indexes {
        w.begin_object().key("name").string(&index.name).key("blocked").bool(done).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}
