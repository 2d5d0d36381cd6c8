//! Repositories of snapshots, and what is being done in them.

use super::State;
use crate::settings::{Settings, glob};
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// The kind of repositories that are named by an address, and only read.
pub const URL: &str = "url";

/// A place where snapshots are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Repository {
    pub kind: String,
    pub settings: Settings,
}

impl Repository {
    pub fn is_read_only(&self) -> bool {
        self.kind == URL || ["readonly", "read_only"].iter().any(|key| self.settings.text(key) == Some("true"))
    }
}

/// What is being done in a repository: one thing at a time. Not kept over a restart.
#[derive(Clone, Debug, PartialEq)]
pub struct RepositoryWork {
    pub kind: WorkKind,
    pub snapshot: String,
    pub uuid: String,
    pub start_ms: i64,
    pub indices: Vec<String>,
    pub data_streams: Vec<String>,
    pub include_global_state: bool,
    pub metadata: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    Create,
    Clone,
    Delete,
    CleanUp,
}

pub fn put(state: &mut State, name: String, repository: Repository) -> Result<()> {
    check_idle(state, &name)?;
    state.repositories.insert(name, Arc::new(repository));
    Ok(())
}

/// Forgets the repositories that a name or pattern means; their files stay.
pub fn delete(state: &mut State, pattern: &str) -> Result<()> {
    let names: Vec<String> = state.repositories.keys().filter(|name| glob(pattern, name)).cloned().collect();
    if names.is_empty() && pattern != "*" {
        return Err(missing(pattern));
    }
    names.iter().try_for_each(|name| check_idle(state, name))?;
    for name in &names {
        state.repositories.remove(name);
    }
    Ok(())
}

fn check_idle(state: &State, name: &str) -> Result<()> {
    if !state.repository_work.contains_key(name) {
        return Ok(());
    }
    let reason = format!("trying to modify or unregister repository [{name}] that is currently used");
    Err(Error::new(ErrorKind::IllegalState, reason))
}

/// Takes a repository for some work, if nothing else is at work in it.
pub fn begin(state: &mut State, name: &str, work: RepositoryWork) -> Result<()> {
    if !state.repositories.contains_key(name) {
        return Err(missing(name));
    }
    if state.repository_work.contains_key(name) {
        let reason = format!("[{name}:{}] another operation is running in the repository", work.snapshot);
        return Err(Error::new(ErrorKind::ConcurrentSnapshotExecution, reason));
    }
    state.repository_work.insert(name.to_owned(), Arc::new(work));
    Ok(())
}

pub fn end(state: &mut State, name: &str) {
    state.repository_work.remove(name);
}

/// The error of a repository that is not there.
#[cold]
pub fn missing(name: &str) -> Error {
    Error::new(ErrorKind::RepositoryMissing, format!("[{name}] missing"))
}
