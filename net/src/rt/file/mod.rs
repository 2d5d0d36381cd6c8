//! Files through io_uring. Nothing here blocks the core: data and syncs go through the ring, and what the ring cannot do or
//! glommio does on the core (opening, folders, renames, truncation) goes to the threads of `offload`.
//!
//! ```text
//! read     whole files and ranges, past the page cache where the file system can
//! write    new files
//! append   the append file of a translog: ordered appends, shared syncs
//! folder   rename, sync, create, remove, list
//! ```
//!
//! Glommio's own `DmaFile` is not used: it asks statfs and sysfs on the core, fails on some disks when the first file that it
//! opens is empty, and panics when a path vanishes while it is opened. Its `BufferedFile` around a descriptor of ours, opened
//! with O_DIRECT, reads into the same aligned buffers without any of that.

mod append;
mod folder;
mod read;
mod write;

pub use self::{
    append::AppendFile,
    folder::{
        Entry, create_dir_all, exists, file_len, list_dir, remove_dir_all, remove_file, rename_durable, sync_dir,
        truncate,
    },
    read::{Block, ReadFile, read_all},
    write::write_new,
};

use std::{
    fs, io,
    os::fd::{FromRawFd, IntoRawFd},
    path::{Path, PathBuf},
};

use glommio::{GlommioError, io::BufferedFile};

/// Opens on a pool thread; the closure gets the path back as its own.
async fn open<T: Send + 'static>(
    path: &Path,
    how: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let path: PathBuf = path.to_owned();
    super::offload(move || how(&path).map_err(|error| named(&path, "cannot open", error))).await
}

/// Gives a descriptor to the ring of this core.
fn adopt(file: fs::File) -> BufferedFile {
    // SAFETY: ownership of the descriptor moves from one wrapper to the other.
    unsafe { BufferedFile::from_raw_fd(file.into_raw_fd()) }
}

/// The error underneath glommio's wrapping, with its error code.
fn plain(error: GlommioError<()>) -> io::Error {
    match error {
        GlommioError::EnhancedIoError { source, .. } | GlommioError::IoError(source) => source,
        other => other.into(),
    }
}

/// Puts the path into an error's message. Its kind stays.
fn named(path: &Path, what: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what} [{}]: {error}", path.display()))
}

#[cfg(test)]
mod tests;
