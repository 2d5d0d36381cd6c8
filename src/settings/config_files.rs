//! The text files of the node's configuration folder, as they were when the node started: words, synonyms and patterns that
//! analyzers name. Set once, before any core runs.

use pith_engine::analysis::{ConfigFiles, FileError, NoFiles};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

static FILES: OnceLock<Arc<ConfigFolder>> = OnceLock::new();

/// Files by their paths in the folder, with `/` between the parts.
#[derive(Debug, Default)]
pub struct ConfigFolder {
    pub files: BTreeMap<String, Result<Arc<str>, FileError>>,
}

impl ConfigFolder {
    /// Makes these the files of the process. Those that were set first stay.
    pub fn install(self) {
        let _ = FILES.set(Arc::new(self));
    }
}

/// The files of the process; none before any were installed.
pub fn config_files() -> Arc<dyn ConfigFiles> {
    match FILES.get() {
        Some(folder) => folder.clone(),
        None => Arc::new(NoFiles),
    }
}

impl ConfigFiles for ConfigFolder {
    fn read(&self, path: &str) -> Result<Arc<str>, FileError> {
        self.files.get(path).cloned().unwrap_or(Err(FileError::NotReadable))
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let inside = |path: &&String| {
            let rest = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            rest.is_some_and(|rest| !rest.contains('/'))
        };
        self.files.keys().filter(inside).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_is_right_in_a_folder() {
        let paths = ["a.txt", "x/b.txt", "x/c.txt", "x/y/d.txt", "xx/e.txt"];
        let files = paths.iter().map(|path| ((*path).to_owned(), Ok("".into()))).collect();
        let folder = ConfigFolder { files };
        assert_eq!(folder.list("x"), ["x/b.txt", "x/c.txt"]);
        assert_eq!((folder.read("a.txt").is_ok(), folder.read("b.txt")), (true, Err(FileError::NotReadable)));
    }
}
