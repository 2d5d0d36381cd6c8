//! The files of the node that parameters name: all lie in its configuration folder. Who reads them is not the engine.

use crate::Error;
use std::sync::Arc;

/// The text files of the configuration folder, by their paths in it, with `/` between the parts.
pub trait ConfigFiles: Send + Sync {
    fn read(&self, path: &str) -> Result<Arc<str>, FileError>;

    /// The paths of the files right in `folder`, sorted.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// Why a file cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    NotReadable,
    /// It is not UTF-8.
    Encoding,
}

impl FileError {
    /// The reference's error for a file that the parameter `key` names.
    pub(crate) fn reading(self, key: &str, path: &str) -> Error {
        Error::illegal_argument(match self {
            Self::NotReadable => format!("IOException while reading {key}: file not readable"),
            Self::Encoding => format!(
                "Unsupported character encoding detected while reading {key}: {path} - files must be UTF-8 encoded"
            ),
        })
    }
}

/// A node without configuration folder.
#[derive(Debug)]
pub struct NoFiles;

impl ConfigFiles for NoFiles {
    fn read(&self, _: &str) -> Result<Arc<str>, FileError> {
        Err(FileError::NotReadable)
    }

    fn list(&self, _: &str) -> Vec<String> {
        vec![]
    }
}

/// The path without `.` and `..`; `None` if it leads out of the folder.
pub(crate) fn inside(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts = vec![];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_stay_inside() {
        assert_eq!(super::inside("a/./b/../c.txt").as_deref(), Some("a/c.txt"));
        assert_eq!(
            (super::inside("../x"), super::inside("a/../../x"), super::inside("/etc/passwd")),
            (None, None, None)
        );
    }
}
