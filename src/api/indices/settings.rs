//! `GET /{index}/_settings` and `PUT /{index}/_settings`.

use super::super::index_options::{INDEX_PARAMS, index_options};
use super::super::root::REFERENCE_VERSION;
use super::super::targets::{MANAGER_TIMEOUT, TIMEOUTS, ids, manager_timeout_ms, resolve, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{BlockLevel, Change, IndexMeta, IndicesOptions, blocks};
use crate::coordinate::Core;
use crate::settings::units::moment;
use crate::settings::{INDEX_SETTINGS, Mode, Settings, SettingsUpdate, glob};
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

macro_rules! get_rows {
    ($($path:literal),*) => {
        &[$(Route {
            method: Method::Get,
            path: $path,
            name: "get_settings_action",
            params: &[INDEX_PARAMS, MANAGER_TIMEOUT, &["flat_settings", "include_defaults"]],
            handler: |core, request| Box::pin(get(core, request)),
        }),*]
    };
}

pub const GET_ROUTES: &[Route] = get_rows![
    "/_settings",
    "/_settings/{name}",
    "/{index}/_settings",
    "/{index}/_settings/{name}",
    "/{index}/_setting/{name}"
];

macro_rules! put_rows {
    ($($path:literal),*) => {
        &[$(Route {
            method: Method::Put,
            path: $path,
            name: "update_settings_action",
            params: &[INDEX_PARAMS, TIMEOUTS, &["preserve_existing", "flat_settings?"]],
            handler: |core, request| Box::pin(put(core, request)),
        }),*]
    };
}

pub const PUT_ROUTES: &[Route] = put_rows!["/_settings", "/{index}/_settings"];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let indexes = resolve(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN)?;
    blocks::check(&state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    let defaults = request.flag("include_defaults", false)?;
    request.flag("flat_settings", false)?;
    let names = request.list("name");
    let mut w = Writer::new();
    w.begin_object();
    for index in &indexes {
        // An index that has none of the settings asked for is left out.
        if !names.is_empty() && selected(&index.settings, &names).is_empty() && !defaults {
            continue;
        }
        w.key(&index.name).begin_object();
        write_settings(&request, index, &names, &mut w)?;
        w.end_object();
    }
    w.end_object();
    Ok(Reply::ok(w))
}

/// Writes `settings`, and `defaults` if they are wanted; only those that match one of `names`, if there are any.
///
/// For people (`human`), the version and the date of creation stand there as texts, too.
pub fn write_settings(request: &ApiRequest, index: &IndexMeta, names: &[&str], w: &mut Writer) -> Result<()> {
    let (flat, defaults) = (request.flag("flat_settings", false)?, request.flag("include_defaults", false)?);
    let mut settings = index.settings.clone();
    if request.common.human {
        settings.insert("index.creation_date_string", moment(index.creation_date_ms));
    }
    // Whoever says anything of people is told the version as a text.
    if request.has("human") {
        settings.insert("index.version.created_string", REFERENCE_VERSION);
    }
    w.key("settings");
    selected(&settings, names).write(w, flat);
    if defaults {
        w.key("defaults");
        selected(&unset_defaults(&index.settings), names).write(w, flat);
    }
    Ok(())
}

fn selected(settings: &Settings, names: &[&str]) -> Settings {
    let mut selected = settings.clone();
    if !names.is_empty() && !names.contains(&"_all") {
        selected.retain(|key| names.iter().any(|name| glob(name, key)));
    }
    selected
}

/// The defaults of what an index does not set.
fn unset_defaults(settings: &Settings) -> Settings {
    let shown = INDEX_SETTINGS.iter().filter(|row| !row.key.contains('*') && row.mode != Mode::Unnamed);
    shown.filter(|row| !settings.is_said(row.key)).map(|row| (row.key, row.default_value())).collect()
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut body = request.json()?;
    // The settings may stand by themselves or under `settings`; what stands beside that word counts not.
    if let Some(inner) = body.as_object_mut().and_then(|map| map.remove("settings")) {
        body = match inner.as_object() {
            Some(_) => inner,
            None => {
                let map = pith_engine::json::Map::from_iter([("settings", inner)]);
                map.into()
            }
        };
    }
    let update = match body.as_object() {
        Some(_) => SettingsUpdate::from_json(&body)?.normalized("index."),
        None => SettingsUpdate::default(),
    };
    let state = core.state();
    let options = IndicesOptions { allow_no_indices: false, ..IndicesOptions::STRICT_EXPAND };
    // How names are to be read is looked at before what there is to change.
    index_options(&request, options)?;
    if update.is_empty() {
        return Err(Error::new(ErrorKind::ActionRequestValidation, "Validation Failed: 1: no settings to update;"));
    }
    let indexes = resolve(&request, &state, options)?;
    let preserve_existing = request.flag("preserve_existing", false)?;
    let change = Change::PutIndexSettings { indexes: ids(&indexes), update, preserve_existing };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}
