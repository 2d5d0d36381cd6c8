//! Files through io_uring. Nothing here blocks the core: data and syncs go through the ring, and what the ring cannot do (opening,
//! folders, renames, truncation) goes to the threads of `offload`.
//!
//! ```text
//! read       whole files and ranges, past the page cache where the file system can, but for files that it holds
//! cached     files that the page cache holds
//! parts      files that are read part by part: of those that the page cache holds as they lie there, without copying them
//! write      new files
//! append     the append file of a translog: ordered appends, shared syncs
//! folder     rename, sync, create, remove, list
//! ring_file  a descriptor and the operations on it
//! handle     a file of the ring, or of a simulated disk
//! simulated  a disk that loses what was not synced and fails when it is told to, for tests
//! ```

mod append;
mod cached;
mod folder;
mod handle;
mod parts;
mod read;
mod ring_file;
mod simulated;
mod write;

pub use self::{
    append::AppendFile,
    folder::{
        Entry, create_dir_all, exists, file_len, link, list_dir, remove_dir, remove_dir_all, remove_file,
        rename_durable, sync_dir, truncate,
    },
    parts::PartFile,
    read::{Block, ReadFile, read_all},
    simulated::{Fault, SimulatedDisk},
    write::write_new,
};

use super::{core, offload};
use std::{
    io,
    path::{Path, PathBuf},
};

/// What O_DIRECT asks of positions, lengths and memory on every device that we know of; 512 would do on many.
const ALIGN: u64 = 4096;

/// The disk of a simulated core; `None` on all others, whose files are the kernel's.
fn simulated_disk() -> Option<SimulatedDisk> {
    core::try_with(|core| core.simulation.as_ref().map(|simulation| simulation.disk.clone())).flatten()
}

/// Does on a pool thread what blocks; the closure gets the path back as its own.
async fn on_pool<T: Send + 'static>(
    path: &Path,
    what: &'static str,
    f: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path: PathBuf = path.to_owned();
    offload(move || f(&path).map_err(|error| named(&path, &format!("cannot {what}"), error))).await
}

/// Puts the path into an error's message. Its kind stays.
fn named(path: &Path, what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what} [{}]: {error}", path.display()))
}

#[cfg(test)]
mod tests;
