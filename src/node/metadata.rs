//! The file that keeps the cluster's metadata: always whole, the old one or the new one.

use super::config::Config;
use super::data_folder::{DataFolder, new_id};
use crate::cluster::{self, ApplyContext, Node, State};
use crate::coordinate::clock;
use crate::security;
use crate::store::index_folder;
use pith_net::rt::file;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The state that the data folder holds, or that of a first start. Blocks; to be called before the cores start.
pub fn load(folder: &DataFolder, config: &Config, node: Node) -> Result<State, String> {
    let path = folder.paths.metadata();
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("cannot read [{}]: {error}", path.display())),
    };
    let state = state_of(bytes.as_deref(), &path, config, node)?;
    let state = with_security(state, &path, config)?;
    for (left, name) in left_of_deleted(folder.paths.root(), &state) {
        match std::fs::remove_dir_all(&left) {
            Ok(()) => tracing::info!(index = &*name, "removed what was left of a deleted index"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("cannot remove [{}] of a deleted index: {error}", left.display()),
        }
    }
    Ok(state)
}

/// Where the password of the user `admin` comes from when security starts for the first time.
const PASSWORD_VARIABLE: &str = "OPENSEARCH_INITIAL_ADMIN_PASSWORD";

/// The state with users and roles, where the configuration asks for them. They are made, and kept at once, when there are none.
fn with_security(mut state: State, path: &Path, config: &Config) -> Result<State, String> {
    if !cluster::is_secured(&config.settings) || state.security.is_some() {
        return Ok(state);
    }
    let password = std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty()).ok_or_else(|| {
        format!(
            "security starts for the first time and needs a password for the user [admin]: set the environment variable \
             [{PASSWORD_VARIABLE}], or turn security off with [plugins.security.disabled: true]"
        )
    })?;
    if let Some(weakness) = security::weakness("admin", &password) {
        return Err(format!(
            "the password of the user [admin] in [{PASSWORD_VARIABLE}] is refused: {}",
            weakness.message()
        ));
    }
    let rounds = config.settings.text("plugins.security.password.hashing.bcrypt.rounds");
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(security::ROUNDS);
    let hash = security::hash(&password, rounds).map_err(|error| error.reason().to_owned())?;
    state.security = Some(Arc::new(security::Store::initial(&hash)));
    keep_now(&state, path).map_err(|error| format!("cannot keep users and roles in [{}]: {error}", path.display()))?;
    Ok(state)
}

/// [`save`] before there is a core.
fn keep_now(state: &State, path: &Path) -> io::Result<()> {
    let fresh = path.with_extension("new");
    let mut file = std::fs::File::create(&fresh)?;
    io::Write::write_all(&mut file, &cluster::encode(state))?;
    file.sync_all()?;
    std::fs::rename(&fresh, path)?;
    path.parent().map_or(Ok(()), |folder| std::fs::File::open(folder)?.sync_all())
}

/// The state that a node starts with: what the file at `path` holds, or that of a first start where there is none.
pub fn state_of(bytes: Option<&[u8]>, path: &Path, config: &Config, node: Node) -> Result<State, String> {
    let mut state = match bytes {
        Some(bytes) => {
            let name = path.display().to_string();
            cluster::decode(bytes, &name, &config.cluster_name, node, config.settings.clone())
                .map_err(|error| error.reason().to_owned())?
        }
        None => {
            let mut state = State::initial(&config.cluster_name, node, config.settings.clone());
            state.cluster_uuid = new_id().into();
            state.state_uuid = new_id().into();
            state
        }
    };
    let now_ms = clock::now_ms().max(0) as u64;
    cluster::restarted(&mut state, &mut ApplyContext { now_ms, new_id: &mut new_id, cores: config.topology.len() });
    Ok(state)
}

/// The folders that a node that died may have left of indexes that were deleted, and what those were called.
pub fn left_of_deleted(data: &Path, state: &State) -> Vec<(PathBuf, Arc<str>)> {
    state.graveyard.iter().map(|tomb| (index_folder(data, &tomb.uuid), tomb.name.clone())).collect()
}

/// Makes `bytes` the file at `path`, durably.
pub async fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    file::write_new(&fresh, &[bytes], true).await?;
    file::rename_durable(&fresh, path).await
}
