//! Repositories: put, get, delete, verify and clean up.

use super::super::route::route;
use super::super::targets::{MANAGER_TIMEOUT, TIMEOUTS, manager_timeout_ms, submit};
use super::super::{ApiRequest, Reply, Route};
use crate::api::document::validation_failed;
use crate::cluster::{Change, Repository, repository_missing};
use crate::coordinate::snapshots::{check_location, check_name, check_settings, clean_up, verify};
use crate::coordinate::{Core, snapshots};
use crate::settings::{Settings, glob};
use pith_engine::json::{Map, Value, Writer, java_text};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    route!(Get "/_snapshot" "get_repositories_action" &[MANAGER_TIMEOUT, &["flat_settings", "settings_filter"]], get),
    route!(Get "/_snapshot/{repository}" "get_repositories_action" &[MANAGER_TIMEOUT, &["flat_settings", "settings_filter"]], get),
    route!(Put "/_snapshot/{repository}" "put_repository_action" &[TIMEOUTS, &["verify"]], put),
    route!(Post "/_snapshot/{repository}" "put_repository_action" &[TIMEOUTS, &["verify"]], put),
    route!(Delete "/_snapshot/{repository}" "delete_repository_action" &[TIMEOUTS], delete),
    route!(Post "/_snapshot/{repository}/_verify" "verify_repository_action" &[TIMEOUTS], check),
    route!(Post "/_snapshot/{repository}/_cleanup" "cleanup_repository_action" &[TIMEOUTS], clean),
];

/// The first of the names that is not there. Patterns may mean nothing, unless there is nothing that they could mean.
fn first_missing<'a>(names: &[&'a str], existing: &[&str]) -> Option<&'a str> {
    let is_missing = |name: &str| match name.contains('*') {
        true => existing.is_empty() && name != "*",
        false => name != "_all" && !existing.contains(&name),
    };
    names.iter().copied().find(|name| is_missing(name))
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.flag("local", false)?;
    let state = core.state();
    let names = request.list("repository");
    let existing: Vec<&str> = state.repositories.keys().map(String::as_str).collect();
    if let Some(missing) = first_missing(&names, &existing) {
        return Err(repository_missing(missing));
    }
    let meant = |name: &str| names.is_empty() || names.iter().any(|pattern| *pattern == "_all" || glob(pattern, name));
    let shown: Map = state
        .repositories
        .iter()
        .filter(|(name, _)| meant(name))
        .map(|(name, repository)| (name.as_str(), shown(repository)))
        .collect();
    Ok(Reply::json(200, Value::Object(shown).to_bytes()))
}

fn shown(repository: &Repository) -> Value {
    Value::Object(Map::from_iter([
        ("type", Value::from(&repository.kind)),
        ("settings", repository.settings.shown(false)),
    ]))
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.json()?;
    let map = body.as_object().ok_or_else(Error::not_x_content)?;
    let mut repository = Repository { kind: String::new(), settings: Settings::new() };
    let mut typed = false;
    for (key, value) in map.iter() {
        match (key, value) {
            ("type", value) => {
                typed = true;
                repository.kind = java_text(value);
            }
            ("settings", Value::Object(_)) => repository.settings = Settings::from_json(value)?,
            ("settings", _) => {
                return Err(Error::illegal_argument("Malformed settings section, should include an inner object"));
            }
            _ => {}
        }
    }
    if !typed {
        validation_failed(&["type is missing".to_owned()])?;
    }
    let name = request.path_param("repository").to_owned();
    check_name(&name)?;
    let state = core.state();
    check_location(&state, &name, &repository)?;
    check_settings(&name, &repository)?;
    if request.flag("verify", true)? {
        verify(&core, &state, &name, &repository).await?;
    }
    let change = Change::PutRepository { name, repository: Box::new(repository) };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let change = Change::DeleteRepositories { pattern: request.path_param("repository").to_owned() };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn check(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.time_ms("timeout", 0)?;
    let state = core.state();
    let name = request.path_param("repository");
    let repository = state.repositories.get(name).ok_or_else(|| repository_missing(name))?;
    verify(&core, &state, name, repository).await?;
    let mut w = Writer::new();
    w.begin_object().key("nodes").begin_object();
    for (id, node) in &state.nodes {
        w.key(id).begin_object().key("name").string(&node.name).end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

async fn clean(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    request.time_ms("timeout", 0)?;
    let name = request.path_param("repository");
    let state = core.state();
    let repository = state.repositories.get(name).ok_or_else(|| repository_missing(name))?;
    if repository.is_read_only() {
        let reason = format!("[{name}] cannot run cleanup on readonly repository");
        return Err(Error::new(ErrorKind::Repository, reason));
    }
    let removed: snapshots::Removed = clean_up(&core, name).await?;
    let mut w = Writer::new();
    w.begin_object().key("results").begin_object();
    w.key("deleted_bytes").u64(removed.bytes).key("deleted_blobs").u64(removed.blobs).end_object().end_object();
    Ok(Reply::ok(w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_may_mean_nothing_where_there_is_something() {
        assert_eq!(first_missing(&["no*"], &["a"]), None);
        assert_eq!(first_missing(&["no*"], &[]), Some("no*"));
        assert_eq!(first_missing(&["*"], &[]), None);
        assert_eq!(first_missing(&["a", "b", "_all"], &["a"]), Some("b"));
    }
}
