//! What a shard's folder holds after a stop or a crash.
//!
//! The newest commit point decides: its segments are read and verified, its translog generations are to be replayed, and all
//! else is left over and removed. Damage is an error that names file and offset; only the torn tail of the last generation, which
//! was never acknowledged, is cut off.

use super::ShardFolder;
use super::commit::drop_unused;
use super::error::{damaged, io_error};
use super::layout::{exists, translog_generation};
use super::repository::Content;
use super::translog::FoundGeneration;
use bytes::Bytes;
use pith_engine::pace::Pace;
use pith_engine::segment::{LiveDocs, PartCache, Segment, SegmentView};
use pith_engine::shard::{
    CommitPoint, CommittedSegment, TranslogEnd, TranslogHeader, TranslogReader, commit_file, commit_generation,
    segment_file,
};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::file::PartFile;
use pith_net::rt::{self, file};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A shard as its newest commit point has it.
pub struct Recovered {
    pub commit: CommitPoint,
    /// In the order of the commit.
    pub segments: Vec<SegmentView>,
    /// Those of them that are read part by part, each with its file.
    pub files: Vec<(Arc<Segment>, PartFile)>,
    /// Generations to replay, ascending; at least one.
    pub generations: Vec<u64>,
}

/// Where segments of a shard that is being opened are to be: held, or read part by part, the parts kept by a cache.
pub struct Holding<'a> {
    /// Asked for each file by its length: whether the segment is held.
    pub holds: &'a dyn Fn(u64) -> bool,
    pub cache: &'a Arc<PartCache>,
}

/// Reads the folder of a shard and clears it of what the newest commit does not need. None: there is no shard here yet.
pub async fn recover(
    folder: &ShardFolder,
    index_uuid: &str,
    shard: u32,
    holding: Holding<'_>,
) -> Result<Option<Recovered>> {
    let generations = translog_files(folder).await?;
    let Some(commit) = newest_commit(folder).await? else {
        return match generations.as_slice() {
            [] => Ok(None),
            // The first generation is made before the first commit: a crash came between them, before any write.
            [1] if read_translog(folder, index_uuid, shard, 1, true).await?.is_empty()? => Ok(None),
            _ => Err(missing(folder.index(), "holds no commit point, but there is a translog")),
        };
    };
    if (commit.index_uuid.as_str(), commit.shard) != (index_uuid, shard) {
        let other = format!("belongs to shard [{}] of index [{}]", commit.shard, commit.index_uuid);
        return Err(missing(folder.index_file(&commit_file(commit.generation)), &other));
    }
    let first = commit.translog_generation;
    for generation in generations.iter().filter(|g| **g < first) {
        let path = folder.translog_file(*generation);
        file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
    }
    let generations: Vec<u64> = generations.into_iter().filter(|g| *g >= first).collect();
    check_complete(folder, first, &generations)?;
    let (mut segments, mut files) = (Vec::with_capacity(commit.segments.len()), vec![]);
    for committed in &commit.segments {
        if (holding.holds)(committed.file_len) {
            segments.push(read_segment(folder, committed).await?);
            continue;
        }
        let (segment, file) = open_part_file(folder, &committed.name, committed.file_len, holding.cache).await?;
        files.push((segment.clone(), file));
        segments.push(with_live(folder, committed, segment).await?);
    }
    drop_unused(folder, &commit).await?;
    Ok(Some(Recovered { commit, segments, files, generations }))
}

/// The newest commit point of a shard, and its segments, of which hardly anything has been read: they are to be searched while [`recover`] is
/// at work. With each of them its file, which the rest is read from when it is asked for. `None`: there is no shard here yet.
pub async fn open_partly(
    folder: &ShardFolder,
    index_uuid: &str,
    shard: u32,
    bytes_min: u64,
    cache: &Arc<PartCache>,
) -> Result<Option<(CommitPoint, Vec<(SegmentView, PartFile)>)>> {
    let Some(commit) = newest_commit(folder).await? else { return Ok(None) };
    if (commit.index_uuid.as_str(), commit.shard) != (index_uuid, shard) || commit.segments_bytes() < bytes_min {
        return Ok(None);
    }
    // Each waits for the disk a few times: all of them at once.
    let opening = commit.segments.iter().map(|segment| {
        let (folder, segment, cache) = (folder.clone(), segment.clone(), cache.clone());
        rt::spawn(async move { segment_partly(&folder, &segment, &cache).await })
    });
    let opening: Vec<_> = opening.collect();
    let mut segments = Vec::with_capacity(opening.len());
    for opened in opening {
        segments.push(opened.await?);
    }
    Ok(Some((commit, segments)))
}

async fn segment_partly(
    folder: &ShardFolder,
    committed: &CommittedSegment,
    cache: &Arc<PartCache>,
) -> Result<(SegmentView, PartFile)> {
    let path = folder.index_file(&committed.file());
    let file = PartFile::open(&path).await.map_err(|e| io_error("open", &path, &e))?;
    check_len(&path, committed, file.len())?;
    let (read, pace) = (async |range| read_part(&path, &file, range).await, Pace::new(rt::must_give_way));
    let segment = Segment::open_partly(&committed.name, file.len(), cache, read, &pace).await?;
    let view = with_live(folder, committed, segment).await?;
    Ok((view, file))
}

/// Opens a segment to be read part by part for as long as it is used. Its ids are read at once: writes look for them, and cannot wait.
pub async fn open_part_file(
    folder: &ShardFolder,
    name: &str,
    file_len: u64,
    cache: &Arc<PartCache>,
) -> Result<(Arc<Segment>, PartFile)> {
    let path = folder.index_file(&segment_file(name));
    let file = PartFile::open_past_cache(&path).await.map_err(|e| io_error("open", &path, &e))?;
    if file.len() != file_len {
        let why = format!("the file should be [{file_len}] bytes long");
        return Err(damaged(ErrorKind::CorruptIndex, &path, file.len(), why));
    }
    let (read, pace) = (async |range| read_part(&path, &file, range).await, Pace::new(rt::must_give_way));
    let segment = Segment::open_partly(name, file_len, cache, &read, &pace).await?;
    segment.read_ids(&read, &pace).await?;
    Ok((segment, file))
}

/// Reads all of a segment's file and compares its checksums.
pub async fn verify(segment: &Segment, file: &PartFile) -> Result<()> {
    let path = Path::new(segment.name());
    segment.verify(async |range| read_part(path, file, range).await, &Pace::new(rt::must_give_way)).await
}

/// The segment of a file, read as a whole.
pub async fn read_whole(name: &str, file: &PartFile) -> Result<Arc<Segment>> {
    open_segment(name, read_part(Path::new(name), file, 0..file.len()).await?).await
}

/// Reads what searches have asked for of a segment and what was not there. Gives the parts that are kept only as long as there is room.
pub async fn read_missed(segment: &Segment, file: &PartFile) -> Result<Vec<Bytes>> {
    let path = Path::new(segment.name());
    segment.read_missed(async |range| read_part(path, file, range).await, &Pace::new(rt::must_give_way)).await
}

async fn read_part(path: &Path, file: &PartFile, range: Range<u64>) -> Result<Bytes> {
    file.read(range).await.map_err(|e| io_error("read", path, &e))
}

fn missing(path: PathBuf, what: &str) -> Error {
    Error::new(ErrorKind::CorruptIndex, format!("[{}] {what}", path.display()))
}

fn check_complete(folder: &ShardFolder, first: u64, found: &[u64]) -> Result<()> {
    let mut expected = first..first + found.len().max(1) as u64;
    match expected.find(|generation| !found.contains(generation)) {
        Some(gone) => Err(missing(folder.translog_file(gone), "is missing")),
        None => Ok(()),
    }
}

async fn translog_files(folder: &ShardFolder) -> Result<Vec<u64>> {
    let path = folder.translog();
    if !exists(&path).await? {
        return Ok(vec![]);
    }
    let entries = file::list_dir(&path).await.map_err(|e| io_error("list", &path, &e))?;
    let mut generations: Vec<u64> = entries.iter().filter_map(|entry| translog_generation(&entry.name)).collect();
    generations.sort_unstable();
    Ok(generations)
}

pub(super) async fn newest_commit(folder: &ShardFolder) -> Result<Option<CommitPoint>> {
    let path = folder.index();
    if !exists(&path).await? {
        return Ok(None);
    }
    let entries = file::list_dir(&path).await.map_err(|e| io_error("list", &path, &e))?;
    let Some(newest) = entries.iter().filter_map(|entry| commit_generation(&entry.name)).max() else {
        return Ok(None);
    };
    let path = folder.index_file(&commit_file(newest));
    let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
    let commit = CommitPoint::decode(&path.display().to_string(), &bytes)?;
    if commit.generation != newest {
        return Err(missing(path, &format!("holds commit [{}]", commit.generation)));
    }
    Ok(Some(commit))
}

/// The newest commit point of a shard that is closed, with the files that it names.
pub async fn read_committed(folder: &ShardFolder) -> Result<Option<(CommitPoint, Vec<(String, Content)>)>> {
    let Some(commit) = newest_commit(folder).await? else { return Ok(None) };
    let mut files = vec![];
    for segment in &commit.segments {
        for name in std::iter::once(segment.file()).chain(segment.live_file()) {
            let path = folder.index_file(&name);
            files.push((name, Content::File(path)));
        }
    }
    Ok(Some((commit, files)))
}

pub(super) async fn read_segment(folder: &ShardFolder, committed: &CommittedSegment) -> Result<SegmentView> {
    let path = folder.index_file(&committed.file());
    let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
    committed_segment(folder, committed, Bytes::from(bytes)).await
}

/// A segment made of the content of its file, which is verified, with its live documents.
async fn committed_segment(folder: &ShardFolder, committed: &CommittedSegment, bytes: Bytes) -> Result<SegmentView> {
    check_len(&folder.index_file(&committed.file()), committed, bytes.len() as u64)?;
    let segment = open_segment(&committed.name, bytes).await?;
    with_live(folder, committed, segment).await
}

fn check_len(path: &Path, committed: &CommittedSegment, len: u64) -> Result<()> {
    if len == committed.file_len {
        return Ok(());
    }
    let why = format!("the file should be [{}] bytes long", committed.file_len);
    Err(damaged(ErrorKind::CorruptIndex, path, len, why))
}

/// Reads which documents of the segment are live.
async fn with_live(folder: &ShardFolder, committed: &CommittedSegment, segment: Arc<Segment>) -> Result<SegmentView> {
    let live = match committed.live_file() {
        None => None,
        Some(name) => {
            let path = folder.index_file(&name);
            let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
            Some(Arc::new(LiveDocs::decode(&path.display().to_string(), &bytes)?))
        }
    };
    let fits = live.as_ref().is_none_or(|live| live.max_doc() == segment.max_doc());
    if segment.max_doc() != committed.max_doc || !fits {
        let path = folder.index_file(&committed.file());
        return Err(missing(path, "and its commit point name different numbers of documents"));
    }
    Ok(SegmentView { segment, live })
}

/// Opens a segment, which verifies it, in slices.
pub async fn open_segment(name: &str, bytes: Bytes) -> Result<Arc<Segment>> {
    Segment::open_paced(name, bytes, &Pace::new(rt::must_give_way)).await
}

/// A generation read into memory.
pub struct TranslogFile {
    path: PathBuf,
    bytes: Vec<u8>,
    generation: u64,
    index_uuid: String,
    shard: u32,
    is_last: bool,
}

/// The length of a generation's file.
pub async fn translog_bytes(folder: &ShardFolder, generation: u64) -> Result<u64> {
    let path = folder.translog_file(generation);
    file::file_len(&path).await.map_err(|e| io_error("look at", &path, &e))
}

/// Reads a generation. `is_last`: a torn tail is expected after a crash.
pub async fn read_translog(
    folder: &ShardFolder,
    index_uuid: &str,
    shard: u32,
    generation: u64,
    is_last: bool,
) -> Result<TranslogFile> {
    let path = folder.translog_file(generation);
    let bytes = file::read_all(&path).await.map_err(|e| io_error("read", &path, &e))?;
    Ok(TranslogFile { path, bytes, generation, index_uuid: index_uuid.to_owned(), shard, is_last })
}

impl TranslogFile {
    fn header(&self) -> TranslogHeader<'_> {
        TranslogHeader { generation: self.generation, index_uuid: &self.index_uuid, shard: self.shard }
    }

    /// The records. None: the file was being made when the node stopped, and holds nothing.
    pub fn reader(&self) -> Result<Option<TranslogReader<'_>>> {
        match TranslogReader::new(&self.bytes, &self.header()) {
            Ok(None) if !self.is_last => Err(self.damaged(self.bytes.len() as u64, "the header is incomplete")),
            Ok(reader) => Ok(reader),
            Err((at, why)) => Err(self.damaged(at, why)),
        }
    }

    fn is_empty(&self) -> Result<bool> {
        let Some(mut reader) = self.reader()? else { return Ok(true) };
        Ok(matches!(reader.next_record(), Err(TranslogEnd::Clean | TranslogEnd::Torn { .. })))
    }

    /// Settles how reading ended, and up to where what was read is known to be on the disk: where the file goes on (opening it for appends cuts off what lies behind), and makes the header of
    /// a file that has none yet.
    pub async fn settle(self, end: Option<(TranslogEnd, u64)>, operations: u64) -> Result<FoundGeneration> {
        let (end, proven) = end.unzip();
        let bytes = match end {
            None => {
                let header = self.header().encode();
                let written = file::write_new(&self.path, &[&header], true).await;
                written.map_err(|e| io_error("write", &self.path, &e))?;
                header.len() as u64
            }
            Some(TranslogEnd::Clean) => self.bytes.len() as u64,
            Some(TranslogEnd::Torn { at }) if self.is_last => {
                let cut = self.bytes.len() as u64 - at;
                tracing::warn!(file = %self.path.display(), at, cut, "cutting off the torn tail of the translog");
                at
            }
            Some(TranslogEnd::Torn { at }) => {
                return Err(self.damaged(at, "a record is incomplete, and later generations follow"));
            }
            Some(TranslogEnd::Damaged { at, why }) => return Err(self.damaged(at, why)),
        };
        let unproven = match proven {
            Some(proven) if self.is_last => self.bytes[proven as usize..bytes as usize].to_vec(),
            _ => vec![],
        };
        Ok(FoundGeneration { generation: self.generation, bytes, operations, unproven })
    }

    fn damaged(&self, at: u64, why: impl std::fmt::Display) -> Error {
        damaged(ErrorKind::TranslogCorrupted, &self.path, at, why)
    }
}
