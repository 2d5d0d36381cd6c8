//! New shards made of what there is: of the files of other shards, or of a snapshot.
//!
//! The commit point comes last, as always: a folder without one holds no shard yet, and seeding it begins anew.

use super::commit::write_commit;
use super::error::io_error;
use super::recover::{newest_commit, read_segment};
use super::{ShardFolder, Translog};
use bytes::Bytes;
use pith_engine::segment::{LiveDocs, SegmentView};
use pith_engine::shard::{CommitPoint, CommittedSegment, live_file, segment_name};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, file};
use std::path::Path;
use std::sync::Arc;

/// Whether the document of this id and routing value belongs to the shard.
pub type Keep = Arc<dyn Fn(&str, Option<&str>) -> bool + Send + Sync>;

/// Generation of the first commit point and of the first translog of a shard.
const FIRST: u64 = 1;

/// How often the files of a source are looked up anew because they were merged away meanwhile.
const TRIES: usize = 5;

/// Makes a shard of the documents of others, which must have been flushed and take no writes. Segments are linked, not copied;
/// with `keep`, documents that belong elsewhere are deleted in it.
pub async fn seed_from_shards(
    folder: &ShardFolder,
    index_uuid: &Arc<str>,
    shard: u32,
    sources: &[ShardFolder],
    keep: Option<&Keep>,
) -> Result<()> {
    let mut tries = 0;
    loop {
        tries += 1;
        match link_shards(folder, index_uuid, shard, sources, keep).await {
            Err(error) if error.kind() == ErrorKind::Io && tries < TRIES => {
                tracing::debug!("the shards that [{}] is made of have changed: {error}", folder.index().display());
            }
            result => return result,
        }
    }
}

async fn link_shards(
    folder: &ShardFolder,
    index_uuid: &Arc<str>,
    shard: u32,
    sources: &[ShardFolder],
    keep: Option<&Keep>,
) -> Result<()> {
    let mut made = Made::begin(folder, index_uuid, shard).await?;
    for source in sources {
        let commit = newest_commit(source).await?.ok_or_else(|| {
            Error::new(ErrorKind::CorruptIndex, format!("[{}] holds no commit point", source.index().display()))
        })?;
        made.commit.primary_term = made.commit.primary_term.max(commit.primary_term);
        made.commit.max_seq_no = made.commit.max_seq_no.max(commit.max_seq_no);
        for segment in &commit.segments {
            let view = read_segment(source, segment).await?;
            let live = match keep {
                Some(keep) => kept(&view, keep).await?,
                None => view.live.clone(),
            };
            if live.as_ref().is_some_and(|live| live.live_count() == 0) {
                continue;
            }
            let name = segment_name(made.commit.next_segment);
            link(&source.index_file(&segment.file()), &folder.index_file(&format!("{name}.seg"))).await?;
            made.add(name, segment, live.as_deref());
        }
    }
    made.finish(folder).await
}

/// The live documents of a segment that belong to the shard; `None`: all of them.
async fn kept(view: &SegmentView, keep: &Keep) -> Result<Option<Arc<LiveDocs>>> {
    let segment = &view.segment;
    let routed = segment.field("_routing").is_some();
    let mut others = vec![];
    for doc in 0..segment.max_doc() {
        if !segment.is_root(doc) || !view.is_live(doc) {
            continue;
        }
        let routing = if routed { segment.stored(doc)?.routing } else { None };
        if !keep(segment.id(doc), routing.as_deref()) {
            // What is nested in it goes with it.
            others.extend(segment.block_start(doc)..=doc);
        }
        rt::yield_if_needed().await;
    }
    if others.is_empty() {
        return Ok(view.live.clone());
    }
    let all = LiveDocs::all(segment.max_doc());
    Ok(Some(Arc::new(view.live.as_deref().unwrap_or(&all).delete(&others))))
}

async fn link(from: &Path, to: &Path) -> Result<()> {
    file::link(from, to).await.map_err(|error| io_error("link", from, &error))
}

/// Makes a shard of the files that `files` puts into its folder; it gives the commit point that names them.
pub async fn seed_from_files(
    folder: &ShardFolder,
    index_uuid: &Arc<str>,
    shard: u32,
    files: impl Future<Output = Result<CommitPoint>>,
) -> Result<()> {
    let mut made = Made::begin(folder, index_uuid, shard).await?;
    let commit = files.await?;
    made.commit = CommitPoint { generation: FIRST, translog_generation: FIRST, shard, ..commit };
    made.commit.index_uuid = index_uuid.to_string();
    made.finish(folder).await
}

/// A shard in the making.
struct Made {
    commit: CommitPoint,
    files: Vec<(String, Bytes)>,
}

impl Made {
    async fn begin(folder: &ShardFolder, index_uuid: &Arc<str>, shard: u32) -> Result<Self> {
        // Whatever an earlier try has left is in the way.
        folder.remove().await?;
        folder.create().await?;
        Translog::create(folder, index_uuid.clone(), shard, FIRST).await?.close().await?;
        let commit = CommitPoint {
            generation: FIRST,
            shard,
            index_uuid: index_uuid.to_string(),
            primary_term: 1,
            max_seq_no: -1,
            local_checkpoint: -1,
            translog_generation: FIRST,
            next_segment: 0,
            next_live: 1,
            segments: vec![],
        };
        Ok(Self { commit, files: vec![] })
    }

    fn add(&mut self, name: String, source: &CommittedSegment, live: Option<&LiveDocs>) {
        let mut number = 0;
        if let Some(live) = live {
            number = self.commit.next_live;
            self.commit.next_live += 1;
            self.files.push((live_file(&name, number), Bytes::from(live.encode())));
        }
        self.commit.next_segment += 1;
        self.commit.segments.push(CommittedSegment {
            name,
            file_len: source.file_len,
            max_doc: source.max_doc,
            live: number,
        });
    }

    async fn finish(mut self, folder: &ShardFolder) -> Result<()> {
        // Everything that happened in the sources is in the segments, whatever numbers are missing between.
        self.commit.local_checkpoint = self.commit.max_seq_no;
        write_commit(folder, &self.files, &self.commit).await
    }
}
