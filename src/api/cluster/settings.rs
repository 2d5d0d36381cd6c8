//! `_cluster/settings`.

use super::super::targets::{MANAGER_TIMEOUT, Submitted, TIMEOUTS, manager_timeout_ms, submit};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, Outcome, State};
use crate::coordinate::Core;
use crate::settings::{CLUSTER_SETTINGS, IDLE_SETTINGS, Settings, SettingsUpdate};
use pith_engine::json::{self, Value, Writer};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

pub const GET_ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_cluster/settings",
    name: "cluster_get_settings_action",
    params: &[MANAGER_TIMEOUT, &["flat_settings", "settings_filter", "include_defaults"]],
    handler: |core, request| Box::pin(get(core, request)),
}];

pub const PUT_ROUTES: &[Route] = &[Route {
    method: Method::Put,
    path: "/_cluster/settings",
    name: "cluster_update_settings_action",
    params: &[TIMEOUTS, &["flat_settings", "settings_filter"]],
    handler: |core, request| Box::pin(put(core, request)),
}];

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let (flat, defaults) = (request.flag("flat_settings", false)?, request.flag("include_defaults", false)?);
    let state = core.state();
    let mut w = Writer::new();
    w.begin_object();
    w.key("persistent");
    state.persistent.write(&mut w, flat);
    w.key("transient");
    state.transient.write(&mut w, flat);
    if defaults {
        w.key("defaults");
        unset(&state).write(&mut w, flat);
    }
    w.end_object();
    Ok(Reply::ok(w))
}

/// What counts of the settings that nobody changed: the node's configuration before the defaults.
fn unset(state: &State) -> Settings {
    let rows = CLUSTER_SETTINGS.iter().chain(IDLE_SETTINGS).filter(|row| !row.key.contains('*'));
    let mut unset: Settings = rows.map(|row| (row.key, row.default_value())).collect();
    for (key, value) in state.configured.iter() {
        unset.insert(key.clone(), value.clone());
    }
    unset.retain(|key| !state.persistent.contains(key) && !state.transient.contains(key));
    unset
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json()?;
    let part = |name: &str| match body.get(name) {
        Some(Value::Null) => Err(no_settings()),
        Some(given) if given.as_object().is_none() => Err(json::no_cast(given, "java.util.Map")),
        given => given.map(SettingsUpdate::from_json).transpose(),
    };
    let persistent = part("persistent")?.unwrap_or_default();
    let transient = part("transient")?.unwrap_or_default();
    let flat = request.flag("flat_settings", false)?;
    let submitted = submit(&core, &request, Change::PutClusterSettings { persistent, transient }).await?;
    let (persistent, transient) = match &submitted {
        Submitted::Done(Outcome::ClusterSettings { persistent, transient })
        | Submitted::Unacknowledged(Outcome::ClusterSettings { persistent, transient }) => {
            (persistent.clone(), transient.clone())
        }
        _ => (Settings::new(), Settings::new()),
    };
    let mut w = Writer::new();
    w.begin_object().key("acknowledged").bool(submitted.is_done());
    w.key("persistent");
    persistent.write(&mut w, flat);
    w.key("transient");
    transient.write(&mut w, flat);
    w.end_object();
    Ok(Reply::ok(w))
}

/// Settings that are nothing, which the reference reads as a text of their own.
#[cold]
fn no_settings() -> Error {
    let reason = "Failed to parse object: expecting token of type [START_OBJECT] but found [VALUE_NULL]";
    let cause = Error::new(ErrorKind::Parsing, reason).with("line", 1).with("col", 1);
    Error::new(ErrorKind::Settings, "Failed to load settings from [null]")
        .with_root_causes(vec![cause.clone()])
        .caused_by(cause)
}
