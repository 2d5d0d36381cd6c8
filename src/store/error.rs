//! File errors in the words of the interface.

use pith_engine::{Error, ErrorKind};
use std::io;
use std::path::Path;

/// An I/O error with what was being done to which file.
#[cold]
pub fn io_error(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("cannot {what} [{}]: {error}", path.display()))
}

/// Damage of a file at an offset.
#[cold]
pub fn damaged(kind: ErrorKind, path: &Path, at: u64, why: impl std::fmt::Display) -> Error {
    Error::new(kind, format!("[{}] is damaged at offset [{at}]: {why}", path.display()))
}
