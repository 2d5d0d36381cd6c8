//! Folders and names. All of this blocks and therefore runs on pool threads.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::named;
use crate::rt::offload;

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// Bytes; meaningless for folders.
    pub len: u64,
    pub is_dir: bool,
}

/// Gives `from` the name `to`, replacing what has it, durably: the folders of both are synced. The content of the file is not.
pub async fn rename_durable(from: &Path, to: &Path) -> io::Result<()> {
    let to = to.to_owned();
    on_pool(from, "cannot rename", move |from| {
        fs::rename(from, &to)?;
        sync_folder(parent(&to))?;
        if parent(from) != parent(&to) { sync_folder(parent(from)) } else { Ok(()) }
    })
    .await
}

/// Makes the names in a folder durable.
pub async fn sync_dir(dir: &Path) -> io::Result<()> {
    on_pool(dir, "cannot sync", sync_folder).await
}

/// Creates a folder and those above it that are missing, durably. One that exists is fine.
pub async fn create_dir_all(dir: &Path) -> io::Result<()> {
    on_pool(dir, "cannot create", |dir| {
        let missing: Vec<&Path> =
            dir.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists()).collect();
        fs::create_dir_all(dir)?;
        missing.iter().try_for_each(|made| sync_folder(parent(made)))
    })
    .await
}

/// Removes a file. One that is missing is an error of kind `NotFound`.
pub async fn remove_file(path: &Path) -> io::Result<()> {
    on_pool(path, "cannot remove", |path| fs::remove_file(path)).await
}

/// Removes a folder and all in it. One that is missing is an error of kind `NotFound`.
pub async fn remove_dir_all(dir: &Path) -> io::Result<()> {
    on_pool(dir, "cannot remove", |dir| fs::remove_dir_all(dir)).await
}

/// What a folder holds, sorted by name. Names that are not UTF-8 are none of ours and left out; so is what vanishes meanwhile.
pub async fn list_dir(dir: &Path) -> io::Result<Vec<Entry>> {
    on_pool(dir, "cannot list", |dir| {
        let mut entries = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            match entry.metadata() {
                Ok(meta) => entries.push(Entry { name, len: meta.len(), is_dir: meta.is_dir() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    })
    .await
}

pub async fn exists(path: &Path) -> io::Result<bool> {
    on_pool(path, "cannot look for", |path| path.try_exists()).await
}

pub async fn file_len(path: &Path) -> io::Result<u64> {
    on_pool(path, "cannot look at", |path| Ok(fs::metadata(path)?.len())).await
}

/// Cuts a file to `len` bytes (or grows it with zeros), durably.
pub async fn truncate(path: &Path, len: u64) -> io::Result<()> {
    on_pool(path, "cannot truncate", move |path| {
        let file = fs::OpenOptions::new().write(true).open(path)?;
        file.set_len(len)?;
        file.sync_all()
    })
    .await
}

async fn on_pool<T: Send + 'static>(
    path: &Path,
    what: &'static str,
    f: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path: PathBuf = path.to_owned();
    offload(move || f(&path).map_err(|error| named(&path, what, error))).await
}

fn sync_folder(dir: &Path) -> io::Result<()> {
    fs::File::open(dir)?.sync_all()
}

/// The folder that a path is in; of a bare name the working directory.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
