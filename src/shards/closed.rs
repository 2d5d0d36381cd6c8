//! Shards that are closed: what statistics tell of them.

use super::protocol::{Recovery, ShardAddr};
use crate::store::{ClosedShard, ShardFolder, closed_shard};
use pith_engine::Result;
use pith_engine::shard::{CommitStats, DocsStats, SegmentsStats, SeqNoStats, ShardStats, commit_id};
use std::path::Path;

/// What a closed shard holds, and how it came to be as it is: what there was is there still. It counts nothing, because
/// nothing can be done with it.
pub async fn closed_stats(data: &Path, addr: &ShardAddr) -> Result<(ShardStats, Recovery)> {
    let folder = ShardFolder::new(data, &addr.index_uuid, addr.shard);
    match closed_shard(&folder).await? {
        Some(closed) => Ok(figures(addr, &closed)),
        None => Ok((ShardStats::default(), recovery(0, 0, 0))),
    }
}

fn figures(addr: &ShardAddr, closed: &ClosedShard) -> (ShardStats, Recovery) {
    let commit = &closed.commit;
    let all: u64 = commit.segments.iter().map(|segment| u64::from(segment.max_doc)).sum();
    let count = all.saturating_sub(closed.deleted);
    let bytes = commit.segments.iter().map(|segment| segment.file_len).sum::<u64>() + closed.commit_bytes;
    let stats = ShardStats {
        docs: DocsStats { count, deleted: closed.deleted },
        store_bytes: bytes,
        segments: SegmentsStats { count: commit.segments.len() as u64, ..SegmentsStats::default() },
        seq_no: SeqNoStats {
            max_seq_no: commit.max_seq_no,
            local_checkpoint: commit.local_checkpoint,
            global_checkpoint: commit.local_checkpoint,
        },
        commit: Some(CommitStats {
            id: commit_id(&addr.index_uuid, addr.shard, commit.generation),
            generation: commit.generation,
            num_docs: count,
            max_seq_no: commit.max_seq_no,
            local_checkpoint: commit.local_checkpoint,
        }),
        ..ShardStats::default()
    };
    let live = commit.segments.iter().filter(|segment| segment.live > 0).count();
    (stats, recovery(closed.written_ms, (commit.segments.len() + live + 1) as u64, bytes))
}

const fn recovery(at_ms: u64, files: u64, bytes: u64) -> Recovery {
    Recovery {
        existing: true,
        start_ms: at_ms,
        stop_ms: at_ms,
        index_ms: 0,
        translog_ms: 0,
        files,
        bytes,
        operations: 0,
    }
}
