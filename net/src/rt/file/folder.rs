//! Folders and names. All of this blocks and therefore runs on pool threads.

use std::{fs, io, path::Path};

use super::{
    on_pool,
    simulated::{Call, Image},
    simulated_disk,
};

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
    let target = to.to_owned();
    let renamed = on_disk(
        from,
        (Call::Change, "rename"),
        move |image| image.rename(from, to),
        move |from| fs::rename(from, &target),
    );
    renamed.await?;
    sync_dir(parent(to)).await?;
    if parent(from) != parent(to) { sync_dir(parent(from)).await } else { Ok(()) }
}

/// Gives a file a second name, which is durable when its folder is synced. Where the file system has no links, or not between these
/// two folders, the content is copied, durably.
pub async fn link(from: &Path, to: &Path) -> io::Result<()> {
    let target = to.to_owned();
    let linked = on_disk(
        from,
        (Call::Change, "link"),
        |image| image.link(from, to),
        move |from| match fs::hard_link(from, &target) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                fs::copy(from, &target).and_then(|_| fs::File::open(&target)?.sync_all())
            }
            other => other,
        },
    );
    linked.await
}

/// Makes the names in a folder durable.
pub async fn sync_dir(dir: &Path) -> io::Result<()> {
    on_disk(dir, (Call::Sync, "sync"), |image| image.sync_folder(dir), |dir| fs::File::open(dir)?.sync_all()).await
}

/// Creates a folder and those above it that are missing, durably. One that exists is fine.
pub async fn create_dir_all(dir: &Path) -> io::Result<()> {
    let mut missing = vec![];
    for above in dir.ancestors().take_while(|above| !above.as_os_str().is_empty()) {
        if exists(above).await? {
            break;
        }
        missing.push(above);
    }
    for made in missing.iter().rev() {
        let created = on_disk(
            made,
            (Call::Change, "create"),
            |image| image.create_dir(made),
            |made| match fs::create_dir(made) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && made.is_dir() => Ok(()),
                other => other,
            },
        );
        created.await?;
        sync_dir(parent(made)).await?;
    }
    Ok(())
}

/// Removes a file. One that is missing is an error of kind `NotFound`.
pub async fn remove_file(path: &Path) -> io::Result<()> {
    on_disk(path, (Call::Change, "remove"), |image| image.remove_file(path), |path| fs::remove_file(path)).await
}

/// Removes a folder that is empty. One that is not is an error.
pub async fn remove_dir(dir: &Path) -> io::Result<()> {
    on_disk(dir, (Call::Change, "remove"), |image| image.remove_dir(dir), |dir| fs::remove_dir(dir)).await
}

/// Removes a folder and all in it. One that is missing is an error of kind `NotFound`.
pub async fn remove_dir_all(dir: &Path) -> io::Result<()> {
    on_disk(dir, (Call::Change, "remove"), |image| image.remove_dir_all(dir), |dir| fs::remove_dir_all(dir)).await
}

/// What a folder holds, sorted by name. Names that are not UTF-8 are none of ours and left out; so is what vanishes meanwhile.
pub async fn list_dir(dir: &Path) -> io::Result<Vec<Entry>> {
    on_disk(
        dir,
        (Call::Read, "list"),
        |image| image.list(dir),
        |dir| {
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
        },
    )
    .await
}

pub async fn exists(path: &Path) -> io::Result<bool> {
    on_disk(path, (Call::Read, "look for"), |image| Ok(image.exists(path)), |path| path.try_exists()).await
}

pub async fn file_len(path: &Path) -> io::Result<u64> {
    on_disk(
        path,
        (Call::Read, "look at"),
        |image| Ok(image.content(image.file(path)?).len() as u64),
        |path| Ok(fs::metadata(path)?.len()),
    )
    .await
}

/// Cuts a file to `len` bytes (or grows it with zeros), durably.
pub async fn truncate(path: &Path, len: u64) -> io::Result<()> {
    on_disk(
        path,
        (Call::Change, "truncate"),
        |image| {
            let file = image.file(path)?;
            image.set_len(file, len);
            image.sync(file);
            Ok(())
        },
        move |path| {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            file.set_len(len)?;
            file.sync_all()
        },
    )
    .await
}

/// Does something to names: on a pool thread, or on the disk of a simulated core.
async fn on_disk<T: Send + 'static>(
    path: &Path,
    (kind, what): (Call, &'static str),
    simulated: impl FnOnce(&mut Image) -> io::Result<T>,
    real: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match simulated_disk() {
        Some(disk) => disk.call(kind, what, path, simulated).await,
        None => on_pool(path, what, real).await,
    }
}

/// The folder that a path is in; of a bare name the working directory.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
