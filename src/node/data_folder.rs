//! The folder of a node: its lock, its identity, its layout.
//!
//! ```text
//! node.lock            held while a node runs
//! node                 the node's id
//! metadata             the cluster's metadata (see cluster::encode)
//! nodes/               the shards (see store)
//! ```

use pith_net::rt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A data folder that this process holds the lock of, until it is dropped.
pub struct DataFolder {
    pub paths: Paths,
    pub node_id: Arc<str>,
    _lock: File,
}

/// Where things are.
#[derive(Clone, Debug)]
pub struct Paths {
    root: Arc<Path>,
}

impl Paths {
    #[cfg(test)]
    pub fn at(root: &Path) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn metadata(&self) -> PathBuf {
        self.root.join("metadata")
    }
}

impl DataFolder {
    /// Makes the folder if it is missing, and takes its lock. Blocks; to be called before the cores start.
    pub fn open(root: &Path) -> Result<Self, String> {
        let name = root.display();
        let is_new = !root.exists();
        fs::create_dir_all(root).map_err(|error| format!("cannot make the data folder [{name}]: {error}"))?;
        if is_new {
            sync_above(root).map_err(|error| format!("cannot keep the data folder [{name}]: {error}"))?;
        }
        let root: Arc<Path> =
            root.canonicalize().map_err(|error| format!("cannot use the data folder [{name}]: {error}"))?.into();
        let lock = lock(&root)?;
        rt::prepare_data_path(&root).map_err(|error| format!("cannot use the data folder [{name}]: {error}"))?;
        let node_id = node_id(&root).map_err(|error| format!("cannot keep the node's id in [{name}]: {error}"))?;
        Ok(Self { paths: Paths { root }, node_id: node_id.into(), _lock: lock })
    }
}

/// Makes the names of the folder and of those above it durable, as far as they may be read: they may have been made just now.
fn sync_above(root: &Path) -> io::Result<()> {
    for above in root.ancestors().skip(1) {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        match File::open(above).and_then(|folder| folder.sync_all()) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// How long the lock may be held by a process that was killed and is not quite gone.
const LOCK_GRACE: Duration = Duration::from_millis(500);

fn lock(root: &Path) -> Result<File, String> {
    let name = root.display();
    let path = root.join("node.lock");
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(|error| format!("cannot write to the data folder [{name}]: {error}"))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_GRACE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(format!("the data folder [{name}] is in use by another node")),
            Err(TryLockError::Error(error)) => return Err(format!("cannot lock the data folder [{name}]: {error}")),
        }
    }
}

/// The id of the node, made at the first start.
fn node_id(root: &Path) -> io::Result<String> {
    let path = root.join("node");
    match fs::read_to_string(&path) {
        Ok(id) if is_id(id.trim()) => return Ok(id.trim().to_owned()),
        Ok(_) => {
            let what = format!("the file [{}] holds no node id", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let id = new_id();
    let fresh = root.join("node.new");
    let mut file = File::create(&fresh)?;
    file.write_all(format!("{id}\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, &path)?;
    File::open(root)?.sync_all()?;
    Ok(id)
}

fn is_id(text: &str) -> bool {
    text.len() == 22 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// A random id of 22 characters: 128 bits as a version 4 UUID, in URL-safe base64.
pub fn new_id() -> String {
    use base64::Engine;
    let mut bytes = [0; 16];
    fastrand::fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_at_a_time_with_one_id() {
        let root = std::env::temp_dir().join(format!("pith-folder-{}", new_id()));
        let first = DataFolder::open(&root).unwrap();
        let id = first.node_id.clone();
        assert!(is_id(&id));
        let refused = DataFolder::open(&root).err().unwrap();
        assert!(refused.contains("in use") && refused.contains(root.to_str().unwrap()), "{refused}");
        drop(first);
        assert_eq!(DataFolder::open(&root).unwrap().node_id, id);
        fs::remove_dir_all(&root).unwrap();
    }
}
