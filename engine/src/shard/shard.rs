//! The shard: its buffer, its segments, and what is known of documents between the two.

use super::checkpoint::LocalCheckpoint;
use super::commit::CommitPoint;
use super::flush::Committed;
use super::merges::RunningMerge;
use super::versions::{Tombstones, VersionMap};
use crate::error::{Error, ErrorKind};
use crate::mapping::{DocumentScratch, Mapping};
use crate::segment::{SegmentView, Snapshot};
use crate::writer::Buffer;
use ahash::AHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// Which shard this is: what errors and files name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardIdentity {
    pub index: Arc<str>,
    pub index_uuid: Arc<str>,
    pub shard: u32,
}

impl ShardIdentity {
    /// Adds to an error the fields that say where it happened.
    pub fn blame(&self, error: Error) -> Error {
        error.with("index", &*self.index).with("shard", self.shard.to_string()).with("index_uuid", &*self.index_uuid)
    }
}

/// One shard. All methods are quick, but for what they hand out as jobs: sealing and merging are run by the caller in slices.
///
/// A document lives in one of three places: the *open* buffer that takes writes; the *frozen* buffer that is being sealed; a
/// segment. Its newest place counts; older ones are marked deleted when the newer one becomes visible, in one step with it.
pub struct Shard {
    pub(super) identity: ShardIdentity,
    pub(super) mapping: Arc<Mapping>,
    pub(super) primary_term: u64,
    pub(super) gc_deletes_ms: u64,
    pub(super) checkpoint: LocalCheckpoint,
    pub(super) open: OpenBuffer,
    pub(super) frozen: Option<FrozenBuffer>,
    pub(super) tombstones: Tombstones,
    /// The segments with all sealed writes applied, in the order of their age.
    pub(super) segments: Vec<HeldSegment>,
    /// What searches see: `segments` as of the last refresh.
    pub(super) visible: Arc<Snapshot>,
    /// Whether `segments` holds writes that `visible` does not.
    pub(super) unpublished: bool,
    /// Everything up to here is in `segments`.
    pub(super) sealed: Checkpoints,
    /// Everything up to here is in `visible`.
    pub(super) visible_seq_no: i64,
    pub(super) next_segment: u64,
    pub(super) committed: Committed,
    pub(super) merges: Vec<RunningMerge>,
    /// Reused from document to document.
    pub(super) scratch: DocumentScratch,
    /// The document of a segment that was found last by its id.
    pub(super) located: Cell<Option<(SegmentNumber, u32)>>,
}

/// Where the sequence numbers stood at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Checkpoints {
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
}

/// Number of a segment, given when its buffer is frozen or its merge planned. Never used twice in a shard.
pub type SegmentNumber = u64;

/// Documents of older places that newer writes replace, by segment.
pub(super) type PendingDeletes = AHashMap<SegmentNumber, Vec<u32>>;

#[derive(Default)]
pub(super) struct OpenBuffer {
    pub buffer: Buffer,
    pub versions: VersionMap,
    pub deletes: PendingDeletes,
    /// Operations since the buffer was opened, whatever they did.
    pub operations: u64,
}

pub(super) struct FrozenBuffer {
    pub number: SegmentNumber,
    pub buffer: Rc<Buffer>,
    pub versions: VersionMap,
    pub deletes: PendingDeletes,
    pub operations: u64,
    pub checkpoints: Checkpoints,
}

#[derive(Clone)]
pub(super) struct HeldSegment {
    pub number: SegmentNumber,
    pub view: SegmentView,
}

/// The name of a segment: its number in base 36, as the reference counts.
pub fn segment_name(number: SegmentNumber) -> String {
    let (mut rest, mut digits) = (number, vec![]);
    loop {
        digits.push(char::from_digit((rest % 36) as u32, 36).expect("below 36"));
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    std::iter::once('_').chain(digits.into_iter().rev()).collect()
}

/// The number of a segment by its name.
fn segment_number(name: &str) -> Option<SegmentNumber> {
    u64::from_str_radix(name.strip_prefix('_')?, 36).ok()
}

impl Shard {
    /// A shard without documents.
    pub fn new(identity: ShardIdentity, mapping: Arc<Mapping>, primary_term: u64, gc_deletes_ms: u64) -> Self {
        Self {
            identity,
            mapping,
            primary_term,
            gc_deletes_ms,
            checkpoint: LocalCheckpoint::default(),
            open: OpenBuffer::default(),
            frozen: None,
            tombstones: Tombstones::default(),
            segments: vec![],
            visible: Arc::default(),
            unpublished: false,
            sealed: Checkpoints { max_seq_no: -1, local_checkpoint: -1 },
            visible_seq_no: -1,
            next_segment: 0,
            committed: Committed::default(),
            merges: vec![],
            scratch: DocumentScratch::default(),
            located: Cell::default(),
        }
    }

    /// A shard as a commit point has it: `segments` are those of the commit, in its order. What the translog holds beyond it
    /// is to be replayed before anything is asked of the shard.
    pub fn restore(
        identity: ShardIdentity,
        mapping: Arc<Mapping>,
        primary_term: u64,
        gc_deletes_ms: u64,
        commit: &CommitPoint,
        segments: Vec<SegmentView>,
    ) -> Result<Self, Error> {
        let mut shard = Self::new(identity, mapping, primary_term.max(commit.primary_term), gc_deletes_ms);
        shard.checkpoint = LocalCheckpoint::restored(commit.max_seq_no, commit.local_checkpoint);
        shard.sealed = shard.checkpoints();
        shard.next_segment = commit.next_segment;
        for view in segments {
            let number = segment_number(view.segment.name()).filter(|number| *number < commit.next_segment);
            let number = number.ok_or_else(|| {
                let why = format!("segment [{}] is not one of this shard's", view.segment.name());
                Error::new(ErrorKind::CorruptIndex, why)
            })?;
            shard.segments.push(HeldSegment { number, view });
        }
        shard.committed = Committed::of(commit, &shard.segments);
        shard.publish(None);
        Ok(shard)
    }

    pub fn identity(&self) -> &ShardIdentity {
        &self.identity
    }

    pub fn mapping(&self) -> &Arc<Mapping> {
        &self.mapping
    }

    /// Documents written from now on are parsed by `mapping`.
    pub fn set_mapping(&mut self, mapping: Arc<Mapping>) {
        self.mapping = mapping;
    }

    /// How long the version of a deleted document is remembered (`index.gc_deletes`).
    pub fn set_gc_deletes(&mut self, gc_deletes_ms: u64) {
        self.gc_deletes_ms = gc_deletes_ms;
    }

    /// What searches see.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.visible
    }

    pub fn max_seq_no(&self) -> i64 {
        self.checkpoint.max_seq_no()
    }

    pub fn local_checkpoint(&self) -> i64 {
        self.checkpoint.local_checkpoint()
    }

    /// Searches see every operation up to this one.
    pub fn visible_seq_no(&self) -> i64 {
        self.visible_seq_no
    }

    /// Memory of documents that are not in segments yet.
    pub fn buffer_bytes(&self) -> usize {
        self.open_buffer_bytes() + self.frozen.as_ref().map_or(0, |f| f.buffer.memory_bytes())
    }

    /// As [`Self::buffer_bytes`], without what is being sealed already: what a refresh could still free.
    pub fn open_buffer_bytes(&self) -> usize {
        self.open.buffer.memory_bytes() + self.open.versions.memory_bytes()
    }

    pub fn version_map_bytes(&self) -> usize {
        let frozen = self.frozen.as_ref().map_or(0, |f| f.versions.memory_bytes());
        self.open.versions.memory_bytes() + frozen + self.tombstones.memory_bytes()
    }

    /// All segments with their live documents: what the next commit would hold.
    pub fn segment_views(&self) -> impl Iterator<Item = &SegmentView> {
        self.segments.iter().map(|held| &held.view)
    }

    /// Notes that the operation of `seq_no` is in the open buffer, or changed nothing there.
    pub(super) fn mark_processed(&mut self, seq_no: u64) {
        self.checkpoint.mark_processed(seq_no);
        self.open.operations += 1;
    }

    pub(super) fn checkpoints(&self) -> Checkpoints {
        Checkpoints { max_seq_no: self.max_seq_no(), local_checkpoint: self.local_checkpoint() }
    }

    pub(super) fn new_segment_number(&mut self) -> SegmentNumber {
        let number = self.next_segment;
        self.next_segment += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_named_in_base_36() {
        for (number, name) in [(0, "_0"), (35, "_z"), (36, "_10"), (1295, "_zz")] {
            assert_eq!((segment_name(number).as_str(), segment_number(name)), (name, Some(number)));
        }
        assert_eq!(segment_number("x1"), None);
    }
}
