//! The file that keeps the cluster's metadata: always whole, the old one or the new one.

use super::config::Config;
use super::data_folder::{DataFolder, new_id};
use crate::cluster::{self, Node, State};
use crate::store::index_folder;
use pith_net::rt::file;
use std::io;
use std::path::Path;

/// The state that the data folder holds, or that of a first start. Blocks; to be called before the cores start.
pub fn load(folder: &DataFolder, config: &Config, node: Node) -> Result<State, String> {
    let path = folder.paths.metadata();
    let mut state = match std::fs::read(&path) {
        Ok(bytes) => {
            let name = path.display().to_string();
            cluster::decode(&bytes, &name, &config.cluster_name, node, config.settings.clone())
                .map_err(|error| error.reason().to_owned())?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut state = State::initial(&config.cluster_name, node, config.settings.clone());
            state.cluster_uuid = new_id().into();
            state.state_uuid = new_id().into();
            state
        }
        Err(error) => return Err(format!("cannot read [{}]: {error}", path.display())),
    };
    cluster::restarted(&mut state, config.topology.len());
    remove_deleted(folder, &state);
    Ok(state)
}

/// Removes what a node that died left of indexes that were deleted.
fn remove_deleted(folder: &DataFolder, state: &State) {
    for tomb in state.graveyard.iter() {
        let left = index_folder(folder.paths.root(), &tomb.uuid);
        match std::fs::remove_dir_all(&left) {
            Ok(()) => tracing::info!(index = &*tomb.name, "removed what was left of a deleted index"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!("cannot remove [{}] of a deleted index: {error}", left.display()),
        }
    }
}

/// Makes `bytes` the file at `path`, durably.
pub async fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("new");
    file::write_new(&fresh, &[bytes], true).await?;
    file::rename_durable(&fresh, path).await
}
