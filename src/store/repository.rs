//! A repository of snapshots in a folder.
//!
//! ```text
//! <location>/
//!   index-<n>                              which snapshots there are, and what their indexes are called here
//!   snap-<snapshot uuid>                   a snapshot: its indexes' metadata, and that of the cluster
//!   indices/<index id>/<shard>/
//!     snap-<snapshot uuid>                 the shard's files in that snapshot: name, blob, length, CRC-32
//!     __<snapshot uuid>-<n>                the content of one file
//! ```
//! A file that an earlier snapshot of the shard holds is not copied again: name, length and checksum tell. All files but blobs
//! are one line of text with their checksum, then one JSON value. `index-<n>` is written last, under another name, and renamed: what
//! it does not name is left over from something that did not come to its end, and goes with the next clean-up.

use super::error::{damaged, io_error};
use bytes::Bytes;
use pith_engine::json::{self, Map, Value};
use pith_engine::shard::CommitPoint;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::file::PartFile;
use pith_net::rt::{self, file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const MAGIC: &str = "pith-repository 1 ";
/// The file among those of a shard that names the others.
const COMMIT: &str = "commit";
/// Bytes whose checksum is computed in one go.
const CHUNK: usize = 1 << 20;

/// What a file of a shard holds, or where that is read from.
pub enum Content {
    Bytes(Bytes),
    /// The file stays readable, whatever becomes of its name.
    Open(Rc<PartFile>),
    File(PathBuf),
}

impl Content {
    async fn read(self) -> Result<Bytes> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Open(file) => {
                file.read(0..file.len()).await.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))
            }
            Self::File(path) => file::read_all(&path).await.map(Bytes::from).map_err(|e| io_error("read", &path, &e)),
        }
    }
}

/// One file of a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFile {
    pub name: String,
    pub blob: String,
    pub length: u64,
    pub crc: u32,
}

/// The files of a shard in one snapshot, and what it took to get them there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShardManifest {
    pub files: Vec<StoredFile>,
    /// Those that no earlier snapshot had.
    pub new_files: u64,
    pub new_bytes: u64,
    pub start_ms: i64,
    pub took_ms: u64,
}

impl ShardManifest {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    fn to_value(&self) -> Value {
        let file = |file: &StoredFile| {
            Value::Object(Map::from_iter([
                ("name", Value::from(&file.name)),
                ("blob", Value::from(&file.blob)),
                ("length", Value::from(file.length)),
                ("crc", Value::from(file.crc)),
            ]))
        };
        Value::Object(Map::from_iter([
            ("files", Value::Array(self.files.iter().map(file).collect())),
            ("new_files", Value::from(self.new_files)),
            ("new_bytes", Value::from(self.new_bytes)),
            ("start_ms", Value::from(self.start_ms)),
            ("took_ms", Value::from(self.took_ms)),
        ]))
    }

    fn from_value(value: &Value) -> Option<Self> {
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_i64);
        let file = |value: &Value| {
            Some(StoredFile {
                name: value.get("name")?.as_str()?.to_owned(),
                blob: value.get("blob")?.as_str()?.to_owned(),
                length: u64::try_from(number(value, "length")?).ok()?,
                crc: u32::try_from(number(value, "crc")?).ok()?,
            })
        };
        Some(Self {
            files: value.get("files")?.as_array()?.iter().map(file).collect::<Option<_>>()?,
            new_files: u64::try_from(number(value, "new_files")?).ok()?,
            new_bytes: u64::try_from(number(value, "new_bytes")?).ok()?,
            start_ms: number(value, "start_ms")?,
            took_ms: u64::try_from(number(value, "took_ms")?).ok()?,
        })
    }
}

/// What a clean-up took away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Removed {
    pub blobs: u64,
    pub bytes: u64,
}

fn manifest_name(snapshot_uuid: &str) -> String {
    format!("snap-{snapshot_uuid}")
}

fn index_folder(location: &Path, index_id: &str) -> PathBuf {
    location.join("indices").join(index_id)
}

fn shard_folder(location: &Path, index_id: &str, shard: u32) -> PathBuf {
    index_folder(location, index_id).join(shard.to_string())
}

async fn write_value(path: &Path, value: &Value) -> Result<()> {
    let body = value.to_bytes();
    let head = format!("{MAGIC}{:08x}\n", crc32fast::hash(&body));
    let fresh = path.with_extension("new");
    file::write_new(&fresh, &[head.as_bytes(), &body], true).await.map_err(|e| io_error("write", &fresh, &e))?;
    file::rename_durable(&fresh, path).await.map_err(|e| io_error("rename", path, &e))
}

/// `None`: there is no such file.
async fn read_value(path: &Path) -> Result<Option<Value>> {
    if !super::layout::exists(path).await? {
        return Ok(None);
    }
    let bytes = file::read_all(path).await.map_err(|e| io_error("read", path, &e))?;
    let corrupt = |why: &str| damaged(ErrorKind::CorruptIndex, path, 0, why);
    let end = bytes.iter().position(|b| *b == b'\n').ok_or_else(|| corrupt("it has no first line"))?;
    let head = std::str::from_utf8(&bytes[..end]).ok().and_then(|line| line.strip_prefix(MAGIC));
    let crc = head.and_then(|crc| u32::from_str_radix(crc, 16).ok()).ok_or_else(|| corrupt("its format is unknown"))?;
    let body = &bytes[end + 1..];
    if crc32fast::hash(body) != crc {
        return Err(corrupt("its checksum is wrong"));
    }
    json::parse(body).map(Some)
}

async fn names_in(folder: &Path) -> Result<Vec<file::Entry>> {
    if !super::layout::exists(folder).await? {
        return Ok(vec![]);
    }
    file::list_dir(folder).await.map_err(|e| io_error("list", folder, &e))
}

/// Makes the folder, writes a file into it and removes it again.
pub async fn verify(location: &Path, id: &str) -> Result<()> {
    let folder = location.join(format!("tests-{id}"));
    file::create_dir_all(&folder).await.map_err(|e| io_error("create", &folder, &e))?;
    let path = folder.join("master.dat");
    file::write_new(&path, &[id.as_bytes()], true).await.map_err(|e| io_error("write", &path, &e))?;
    let read = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
    if read != id.as_bytes() {
        return Err(damaged(ErrorKind::CorruptIndex, &path, 0, "another text was read than was written"));
    }
    file::remove_dir_all(&folder).await.map_err(|e| io_error("remove", &folder, &e))
}

/// Checks that there is a folder to read from.
pub async fn check_there(location: &Path) -> Result<()> {
    file::list_dir(location).await.map(drop).map_err(|e| io_error("list", location, &e))
}

fn index_generation(name: &str) -> Option<u64> {
    name.strip_prefix("index-").and_then(|digits| digits.parse().ok())
}

/// The generation of the newest index file and what it says; nothing and 0 where there is none.
pub async fn read_index(location: &Path) -> Result<(u64, Value)> {
    let newest = names_in(location).await?.iter().filter_map(|entry| index_generation(&entry.name)).max();
    let Some(newest) = newest else { return Ok((0, Value::Object(Map::new()))) };
    let path = location.join(format!("index-{newest}"));
    let value = read_value(&path).await?;
    Ok((newest, value.ok_or_else(|| damaged(ErrorKind::CorruptIndex, &path, 0, "it is gone"))?))
}

/// Makes `value` the index of the repository, after that of `generation`, whose file goes.
pub async fn write_index(location: &Path, generation: u64, value: &Value) -> Result<()> {
    file::create_dir_all(location).await.map_err(|e| io_error("create", location, &e))?;
    write_value(&location.join(format!("index-{}", generation + 1)), value).await?;
    for entry in names_in(location).await? {
        if index_generation(&entry.name).is_some_and(|old| old <= generation) {
            let path = location.join(&entry.name);
            file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
        }
    }
    Ok(())
}

pub async fn write_snapshot(location: &Path, uuid: &str, value: &Value) -> Result<()> {
    file::create_dir_all(location).await.map_err(|e| io_error("create", location, &e))?;
    write_value(&location.join(manifest_name(uuid)), value).await
}

pub async fn read_snapshot(location: &Path, uuid: &str) -> Result<Value> {
    let path = location.join(manifest_name(uuid));
    read_value(&path).await?.ok_or_else(|| damaged(ErrorKind::CorruptIndex, &path, 0, "it is missing"))
}

async fn manifests(folder: &Path) -> Result<Vec<ShardManifest>> {
    let mut found = vec![];
    for entry in names_in(folder).await?.iter().filter(|entry| entry.name.starts_with("snap-")) {
        let path = folder.join(&entry.name);
        let value = read_value(&path).await?;
        let manifest = value.as_ref().and_then(ShardManifest::from_value);
        found.push(manifest.ok_or_else(|| damaged(ErrorKind::CorruptIndex, &path, 0, "it is no list of files"))?);
    }
    Ok(found)
}

/// What a shard's files are to be kept as.
#[derive(Clone, Debug)]
pub struct ShardPlace {
    pub location: PathBuf,
    pub index_id: String,
    pub shard: u32,
    pub snapshot_uuid: String,
    pub now_ms: i64,
}

/// Keeps the files of a shard that the repository does not have yet, and the list of all of them.
pub async fn write_shard(
    place: &ShardPlace,
    commit: &CommitPoint,
    mut files: Vec<(String, Content)>,
) -> Result<ShardManifest> {
    let began = std::time::Instant::now();
    let folder = shard_folder(&place.location, &place.index_id, place.shard);
    file::create_dir_all(&folder).await.map_err(|e| io_error("create", &folder, &e))?;
    let known: Vec<StoredFile> = manifests(&folder).await?.into_iter().flat_map(|manifest| manifest.files).collect();
    files.push((COMMIT.to_owned(), Content::Bytes(Bytes::from(commit.encode()))));
    let mut manifest = ShardManifest { start_ms: place.now_ms, ..ShardManifest::default() };
    for (at, (name, content)) in files.into_iter().enumerate() {
        // One at a time: all of them may be more than there is memory.
        let bytes = content.read().await?;
        let (length, crc) = (bytes.len() as u64, checksum(&bytes).await);
        let same = |file: &&StoredFile| file.name == name && file.length == length && file.crc == crc;
        let blob = match known.iter().find(same) {
            Some(file) => file.blob.clone(),
            None => {
                let blob = format!("__{}-{at}", place.snapshot_uuid);
                let path = folder.join(&blob);
                file::write_new(&path, &[&bytes], true).await.map_err(|e| io_error("write", &path, &e))?;
                manifest.new_files += 1;
                manifest.new_bytes += length;
                blob
            }
        };
        manifest.files.push(StoredFile { name, blob, length, crc });
    }
    manifest.took_ms = began.elapsed().as_millis() as u64;
    write_value(&folder.join(manifest_name(&place.snapshot_uuid)), &manifest.to_value()).await?;
    Ok(manifest)
}

async fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for chunk in bytes.chunks(CHUNK) {
        hasher.update(chunk);
        rt::yield_if_needed().await;
    }
    hasher.finalize()
}

pub async fn read_manifest(location: &Path, uuid: &str, index_id: &str, shard: u32) -> Result<ShardManifest> {
    let path = shard_folder(location, index_id, shard).join(manifest_name(uuid));
    let value = read_value(&path).await?;
    let manifest = value.as_ref().and_then(ShardManifest::from_value);
    manifest.ok_or_else(|| damaged(ErrorKind::CorruptIndex, &path, 0, "it is no list of files"))
}

/// The files of a shard in a snapshot, each verified, are given to `keep` one by one; gives the commit point that they were kept with. They
/// are read no faster than `bytes_per_second`; 0 is as fast as they come.
pub async fn read_shard(
    location: &Path,
    uuid: &str,
    index_id: &str,
    shard: u32,
    bytes_per_second: u64,
    keep: impl AsyncFn(String, Bytes) -> Result<()>,
) -> Result<CommitPoint> {
    let (began, mut read) = (std::time::Instant::now(), 0);
    let folder = shard_folder(location, index_id, shard);
    let mut commit = None;
    for stored in read_manifest(location, uuid, index_id, shard).await?.files {
        let path = folder.join(&stored.blob);
        let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
        if bytes.len() as u64 != stored.length || checksum(&bytes).await != stored.crc {
            let why = format!("it is not what was kept of [{}]", stored.name);
            return Err(damaged(ErrorKind::CorruptIndex, &path, 0, why));
        }
        read += stored.length;
        keep_pace(began, read, bytes_per_second).await;
        match stored.name.as_str() {
            COMMIT => commit = Some(CommitPoint::decode(&path.display().to_string(), &bytes)?),
            _ => keep(stored.name, Bytes::from(bytes)).await?,
        }
    }
    let missing = || Error::new(ErrorKind::CorruptIndex, format!("[{}] holds no commit point", folder.display()));
    commit.ok_or_else(missing)
}

/// Waits until `bytes` may have been read since `began`.
async fn keep_pace(began: std::time::Instant, bytes: u64, bytes_per_second: u64) {
    if bytes_per_second == 0 {
        return;
    }
    let wanted = std::time::Duration::from_secs_f64(bytes as f64 / bytes_per_second as f64);
    if let Some(left) = wanted.checked_sub(began.elapsed()) {
        rt::sleep(left).await;
    }
}

/// Gives the files of a shard in one snapshot to another as well.
pub async fn clone_shard(location: &Path, from: &str, to: &str, index_id: &str, shard: u32) -> Result<()> {
    let manifest =
        ShardManifest { new_files: 0, new_bytes: 0, ..read_manifest(location, from, index_id, shard).await? };
    let path = shard_folder(location, index_id, shard).join(manifest_name(to));
    write_value(&path, &manifest.to_value()).await
}

/// Removes what only the snapshots `uuids` needed of an index. `is_used`: whether others still have the index.
pub async fn forget_index(location: &Path, uuids: &[String], index_id: &str, is_used: bool) -> Result<Removed> {
    let folder = index_folder(location, index_id);
    if !is_used {
        return remove_folder(&folder).await;
    }
    let mut removed = Removed::default();
    for shard in names_in(&folder).await?.into_iter().filter(|entry| entry.is_dir) {
        let shard = folder.join(&shard.name);
        for uuid in uuids {
            let path = shard.join(manifest_name(uuid));
            if super::layout::exists(&path).await? {
                file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
            }
        }
        let kept = manifests(&shard).await?;
        let used: BTreeSet<&str> = kept.iter().flat_map(|m| &m.files).map(|file| file.blob.as_str()).collect();
        for entry in names_in(&shard).await? {
            if entry.name.starts_with("__") && !used.contains(entry.name.as_str()) {
                let path = shard.join(&entry.name);
                file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
                removed.blobs += 1;
                removed.bytes += entry.len;
            }
        }
    }
    Ok(removed)
}

async fn remove_folder(folder: &Path) -> Result<Removed> {
    let mut removed = Removed::default();
    for shard in names_in(folder).await?.into_iter().filter(|entry| entry.is_dir) {
        for entry in names_in(&folder.join(&shard.name)).await? {
            removed.blobs += 1;
            removed.bytes += entry.len;
        }
    }
    if super::layout::exists(folder).await? {
        file::remove_dir_all(folder).await.map_err(|e| io_error("remove", folder, &e))?;
    }
    Ok(removed)
}

pub async fn remove_snapshot(location: &Path, uuid: &str) -> Result<()> {
    let path = location.join(manifest_name(uuid));
    if super::layout::exists(&path).await? {
        file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
    }
    Ok(())
}

/// Removes everything that the index of the repository does not name.
pub async fn clean_up(location: &Path, uuids: &[String], index_ids: &[String]) -> Result<Removed> {
    let mut removed = Removed::default();
    for entry in names_in(location).await? {
        let left_over = entry.name.strip_prefix("snap-").is_some_and(|uuid| !uuids.iter().any(|known| known == uuid));
        if !entry.is_dir && left_over {
            let path = location.join(&entry.name);
            file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
            removed.blobs += 1;
            removed.bytes += entry.len;
        }
    }
    let indexes = location.join("indices");
    for entry in names_in(&indexes).await?.into_iter().filter(|entry| !index_ids.contains(&entry.name)) {
        let gone = remove_folder(&indexes.join(&entry.name)).await?;
        removed.blobs += gone.blobs;
        removed.bytes += gone.bytes;
    }
    Ok(removed)
}
