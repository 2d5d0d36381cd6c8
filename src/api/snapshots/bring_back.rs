//! Snapshots: restore.

use super::super::targets::{MANAGER_TIMEOUT, manager_timeout_ms};
use super::super::{ApiRequest, Method, Reply, Route};
use super::body::{flag, index_option, names};
use crate::cluster::IndicesOptions;
use crate::coordinate::Core;
use crate::coordinate::snapshots::{self, RestoreSnapshot};
use crate::settings::SettingsUpdate;
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Post,
    path: "/_snapshot/{repository}/{snapshot}/_restore",
    name: "restore_snapshot_action",
    params: &[MANAGER_TIMEOUT, &["wait_for_completion"]],
    handler: |core, request| Box::pin(restore(core, request)),
}];

async fn restore(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let wait = request.flag("wait_for_completion", false)?;
    let asked = parse(&request)?;
    let name = asked.snapshot.clone();
    let mut w = Writer::new();
    w.begin_object();
    match snapshots::restore(&core, asked, wait).await? {
        None => _ = w.key("accepted").bool(true),
        Some(restored) => {
            w.key("snapshot").begin_object().key("snapshot").string(&name).key("indices").begin_array();
            restored.indices.iter().for_each(|index| _ = w.string(index));
            w.end_array().key("shards").begin_object().key("total").u64(restored.total_shards);
            w.key("failed").u64(restored.total_shards - restored.successful_shards);
            w.key("successful").u64(restored.successful_shards).end_object().end_object();
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}

fn parse(request: &ApiRequest) -> Result<RestoreSnapshot> {
    let mut asked = RestoreSnapshot {
        repository: request.path_param("repository").to_owned(),
        snapshot: request.path_param("snapshot").to_owned(),
        indices: vec![],
        ignore_unavailable: false,
        include_global_state: false,
        include_aliases: true,
        partial: false,
        rename: None,
        rename_aliases: None,
        settings: SettingsUpdate::default(),
        ignored_settings: vec![],
    };
    let Some(body) = request.json_opt()? else { return Ok(asked) };
    let (mut pattern, mut replacement) = (None, None);
    let (mut alias_pattern, mut alias_replacement) = (None, None);
    let mut options = IndicesOptions::STRICT_EXPAND_OPEN;
    let malformed = |what: &str| Error::illegal_argument(format!("malformed {what}"));
    for (key, value) in body.as_object().ok_or_else(Error::not_x_content)?.iter() {
        match key {
            "indices" => asked.indices = names(key, value)?,
            "partial" => asked.partial = flag(key, value)?,
            "include_global_state" => asked.include_global_state = flag(key, value)?,
            "include_aliases" => asked.include_aliases = flag(key, value)?,
            "rename_pattern" => pattern = Some(value.as_str().ok_or_else(|| malformed(key))?.to_owned()),
            "rename_replacement" => replacement = Some(value.as_str().ok_or_else(|| malformed(key))?.to_owned()),
            "rename_alias_pattern" => alias_pattern = Some(value.as_str().ok_or_else(|| malformed(key))?.to_owned()),
            "rename_alias_replacement" => {
                alias_replacement = Some(value.as_str().ok_or_else(|| malformed(key))?.to_owned());
            }
            "storage_type" => check_storage(value.as_str().ok_or_else(|| malformed(key))?)?,
            "index_settings" => match value {
                Value::Object(_) => asked.settings = SettingsUpdate::from_json(value)?.normalized("index."),
                _ => return Err(malformed("index_settings section")),
            },
            // Of old; nothing comes of it.
            "settings" if value.as_object().is_some() => {}
            "settings" => return Err(malformed("settings section")),
            "source_remote_store_repository" => drop(value.as_str().ok_or_else(|| malformed(key))?),
            "ignore_index_settings" => match value {
                Value::String(_) | Value::Array(_) => asked.ignored_settings = names(key, value)?,
                _ => {
                    return Err(malformed("ignore_index_settings section, should be an array of strings"));
                }
            },
            _ if index_option(&mut options, key, value)? => {}
            _ => return Err(Error::illegal_argument(format!("Unknown parameter {key}"))),
        }
    }
    asked.ignore_unavailable = options.ignore_unavailable;
    asked.rename = pattern.zip(replacement);
    asked.rename_aliases = alias_pattern.zip(alias_replacement);
    Ok(asked)
}

/// Indexes come back to the disks of nodes. There are no nodes that search them where the repository is.
fn check_storage(kind: &str) -> Result<()> {
    match kind {
        "local" => Ok(()),
        "remote_snapshot" => Err(Error::illegal_argument(
            "storage_type [remote_snapshot] needs nodes of the role [warm], of which there are none",
        )),
        _ => Err(Error::illegal_argument(format!("Invalid storage_type: {kind}"))),
    }
}
