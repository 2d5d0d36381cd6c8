//! Flush: what has to be written so that the shard can be opened without the translog's past.
//!
//! The caller begins a new translog generation and freezes the buffer in one go, installs the sealed segment, and asks for the
//! plan before anything else is installed: the segments then hold exactly what the earlier generations record. Writing may take
//! as long as it likes; a later commit cannot overtake it, because flushes of a shard wait for each other.

use super::commit::{CommitPoint, CommittedSegment, commit_id, live_file};
use super::refresh::is_same;
use super::shard::{Checkpoints, HeldSegment, SegmentNumber, Shard};
use super::stats::CommitStats;
use crate::segment::{LiveDocs, Segment, SegmentView};
use ahash::AHashMap;
use bytes::Bytes;
use std::sync::Arc;

/// What the newest commit point holds.
#[derive(Default)]
pub(super) struct Committed {
    generation: u64,
    /// Length of its file.
    bytes: u64,
    next_live: u64,
    translog_generation: u64,
    checkpoints: Option<Checkpoints>,
    segments: AHashMap<SegmentNumber, CommittedView>,
}

struct CommittedView {
    view: SegmentView,
    /// Number of its live-docs file; 0 for none.
    live: u64,
}

/// Files to be written, in this order, before the commit point; see the store for how.
pub struct CommitPlan {
    pub commit: CommitPoint,
    /// Names and contents of the files that earlier commits did not write.
    pub files: Vec<(String, Bytes)>,
    views: Vec<HeldSegment>,
}

/// A file that a commit point names.
pub enum CommittedFile {
    /// That of a segment, which may be read part by part.
    Segment(Arc<Segment>),
    Live(Bytes),
}

impl Committed {
    pub(super) fn views_mut(&mut self) -> impl Iterator<Item = &mut SegmentView> {
        self.segments.values_mut().map(|committed| &mut committed.view)
    }

    pub(super) fn of(commit: &CommitPoint, segments: &[HeldSegment]) -> Self {
        let live = commit.segments.iter().map(|s| s.live);
        let segments = segments
            .iter()
            .zip(live)
            .map(|(held, live)| (held.number, CommittedView { view: held.view.clone(), live }));
        Self {
            generation: commit.generation,
            bytes: commit.encode().len() as u64,
            next_live: commit.next_live,
            translog_generation: commit.translog_generation,
            checkpoints: Some(Checkpoints { max_seq_no: commit.max_seq_no, local_checkpoint: commit.local_checkpoint }),
            segments: segments.collect(),
        }
    }
}

impl Shard {
    /// Whether there is anything that the newest commit point does not hold.
    pub fn needs_flush(&self) -> bool {
        let same = self.segments.len() == self.committed.segments.len()
            && self.segments.iter().all(|held| {
                self.committed.segments.get(&held.number).is_some_and(|known| is_same(&known.view, &held.view))
            });
        !same || self.committed.checkpoints != Some(self.checkpoints())
    }

    /// Generation of the newest commit point; 0 before the first.
    pub fn commit_generation(&self) -> u64 {
        self.committed.generation
    }

    /// Length of the newest commit point's file.
    pub fn commit_bytes(&self) -> u64 {
        self.committed.bytes
    }

    /// The newest commit point as statistics tell of it.
    pub fn commit_stats(&self) -> CommitStats {
        let known = &self.committed;
        let none = Checkpoints { max_seq_no: -1, local_checkpoint: -1 };
        let checkpoints = known.checkpoints.as_ref().unwrap_or(&none);
        CommitStats {
            id: commit_id(&self.identity.index_uuid, self.identity.shard, known.generation),
            generation: known.generation,
            num_docs: known.segments.values().map(|committed| u64::from(committed.view.live_count())).sum(),
            max_seq_no: checkpoints.max_seq_no,
            local_checkpoint: checkpoints.local_checkpoint,
        }
    }

    /// The translog up to, not including, this generation is covered by the newest commit point.
    pub fn committed_translog_generation(&self) -> u64 {
        self.committed.translog_generation
    }

    /// Whether the newest commit point names this segment.
    pub fn is_committed(&self, view: &SegmentView) -> bool {
        self.committed.segments.values().any(|known| Arc::ptr_eq(&known.view.segment, &view.segment))
    }

    /// The newest commit point and the files that it names.
    pub fn committed_files(&self) -> (CommitPoint, Vec<(String, CommittedFile)>) {
        let known = &self.committed;
        let mut numbers: Vec<SegmentNumber> = known.segments.keys().copied().collect();
        numbers.sort_unstable();
        let (mut segments, mut files) = (vec![], vec![]);
        for number in numbers {
            let CommittedView { view, live } = &known.segments[&number];
            let (name, file_len) = (view.segment.name().to_owned(), view.segment.file_len());
            let segment = CommittedSegment { name, file_len, max_doc: view.max_doc(), live: *live };
            files.push((segment.file(), CommittedFile::Segment(view.segment.clone())));
            if let (Some(file), Some(live)) = (segment.live_file(), &view.live) {
                files.push((file, CommittedFile::Live(encode_live(live))));
            }
            segments.push(segment);
        }
        let checkpoints = known.checkpoints.unwrap_or(Checkpoints { max_seq_no: -1, local_checkpoint: -1 });
        let commit = CommitPoint {
            generation: known.generation,
            shard: self.identity.shard,
            index_uuid: self.identity.index_uuid.to_string(),
            primary_term: self.primary_term,
            max_seq_no: checkpoints.max_seq_no,
            local_checkpoint: checkpoints.local_checkpoint,
            translog_generation: known.translog_generation,
            next_segment: self.next_segment,
            next_live: known.next_live.max(1),
            segments,
        };
        (commit, files)
    }

    /// What to write now. `translog_generation` is the first whose records the segments do not hold.
    pub fn plan_commit(&mut self, translog_generation: u64) -> CommitPlan {
        let views = self.segments.clone();
        let mut files = vec![];
        let mut segments = vec![];
        self.committed.next_live = self.committed.next_live.max(1);
        for held in &views {
            let name = held.view.segment.name().to_owned();
            let known = self.committed.segments.get(&held.number);
            let live = match (&held.view.live, known) {
                (None, _) => 0,
                (Some(live), Some(CommittedView { view: SegmentView { live: Some(old), .. }, live: number }))
                    if Arc::ptr_eq(live, old) =>
                {
                    *number
                }
                (Some(live), _) => {
                    let number = self.committed.next_live;
                    self.committed.next_live += 1;
                    files.push((live_file(&name, number), encode_live(live)));
                    number
                }
            };
            let file_len = held.view.segment.file_len();
            let segment = CommittedSegment { name, file_len, max_doc: held.view.max_doc(), live };
            if known.is_none() {
                // What no commit names yet is in memory.
                files.push((segment.file(), held.view.segment.bytes().clone()));
            }
            segments.push(segment);
        }
        let commit = CommitPoint {
            generation: self.committed.generation + 1,
            shard: self.identity.shard,
            index_uuid: self.identity.index_uuid.to_string(),
            primary_term: self.primary_term,
            max_seq_no: self.sealed.max_seq_no,
            local_checkpoint: self.sealed.local_checkpoint,
            translog_generation,
            next_segment: self.next_segment,
            next_live: self.committed.next_live,
            segments,
        };
        CommitPlan { commit, files, views }
    }

    /// The plan has been written: from now on files and translog generations that only earlier commits needed can go.
    pub fn committed(&mut self, plan: &CommitPlan) {
        let next_live = self.committed.next_live;
        self.committed = Committed::of(&plan.commit, &plan.views);
        self.committed.next_live = next_live;
    }
}

fn encode_live(live: &LiveDocs) -> Bytes {
    Bytes::from(live.encode())
}
