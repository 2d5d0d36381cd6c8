//! Refresh: the open buffer becomes a segment, and all writes up to one moment become visible in one step.
//!
//! 1. [`Shard::freeze`]: the buffer is set aside, a new one takes the writes that come.
//! 2. [`SealJob::run`]: the caller turns the frozen buffer into the bytes of a segment, in slices.
//! 3. [`Shard::install`]: the segment joins the others, and what its documents replace is marked deleted.
//! 4. [`Shard::publish`]: searches see the result. Left out where only memory is to be freed: the index's refresh interval decides
//!    when documents are seen, not how many there are. [`Shard::next_snapshot`] shows it to whoever prepares for it before.

use super::shard::{FrozenBuffer, HeldSegment, OpenBuffer, PendingDeletes, Shard, segment_name};
use crate::error::Result;
use crate::mapping::IndexSort;
use crate::pace::Pace;
use crate::segment::{LiveDocs, Segment, SegmentView, Snapshot};
use crate::writer::{self, Buffer, DocMap};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// Deletes forgotten at one refresh: some hundred microseconds of work.
const TOMBSTONES_PRUNED_BY_REFRESH: usize = 4096;

/// A frozen buffer to be sealed. Holds all it needs: the shard goes on meanwhile.
pub struct SealJob {
    pub name: String,
    buffer: Rc<Buffer>,
    sort: Option<Arc<IndexSort>>,
}

/// The bytes of a new segment.
pub struct SealedBytes {
    pub name: String,
    pub bytes: Vec<u8>,
    live: Option<LiveDocs>,
    map: Option<DocMap>,
}

/// A new segment, opened.
pub struct Sealed {
    view: SegmentView,
    /// Where the documents of the buffer went, if not to the same numbers.
    map: Option<DocMap>,
}

impl SealJob {
    /// Turns the buffer into a segment.
    pub async fn run(self, pace: &Pace) -> Result<SealedBytes> {
        let (bytes, live, map) = writer::seal_in_order(&self.buffer, &self.name, self.sort.as_deref(), pace).await?;
        Ok(SealedBytes { name: self.name, bytes, live, map })
    }
}

impl SealedBytes {
    /// What [`Shard::install`] takes: the segment opened from the bytes.
    pub fn opened(self, segment: Arc<Segment>) -> Sealed {
        Sealed { view: SegmentView { segment, live: self.live.map(Arc::new) }, map: self.map }
    }
}

impl Shard {
    /// Whether a refresh would show searches anything new.
    pub fn needs_refresh(&self) -> bool {
        self.unpublished || self.frozen.is_some() || self.has_open_writes()
    }

    /// Whether anything was written since the last freeze.
    pub fn has_open_writes(&self) -> bool {
        self.open.operations > 0
    }

    /// Whether a buffer is frozen and not installed yet. Only one can be.
    pub fn is_refreshing(&self) -> bool {
        self.frozen.is_some()
    }

    /// Sets the open buffer aside. The job, if there is anything to seal, has to be run and its segment given to
    /// [`Self::install`]; without a job, `install(None)` ends the refresh at once.
    ///
    /// # Panics
    /// If a buffer is frozen already.
    pub fn freeze(&mut self) -> Option<SealJob> {
        assert!(self.frozen.is_none(), "one refresh at a time");
        let largest = self.segments.iter().map(|held| &*held.view.segment).max_by_key(|segment| segment.max_doc());
        let next = OpenBuffer { buffer: self.open.buffer.successor(largest), ..OpenBuffer::default() };
        let OpenBuffer { buffer, versions, deletes, operations } = std::mem::replace(&mut self.open, next);
        let number = self.new_segment_number();
        let buffer = Rc::new(buffer);
        let sort = self.mapping.index_sort();
        let job =
            (buffer.doc_count() > 0).then(|| SealJob { name: segment_name(number), buffer: buffer.clone(), sort });
        let checkpoints = self.checkpoints();
        self.frozen = Some(FrozenBuffer { number, buffer, versions, deletes, operations, checkpoints });
        job
    }

    /// Takes the segment of the frozen buffer in, and marks deleted what the frozen writes replaced. Searches do not see it before
    /// [`Self::publish`].
    ///
    /// # Panics
    /// If nothing is frozen, or if the segment is not that of the frozen buffer.
    pub fn install(&mut self, sealed: Option<Sealed>, now_ms: u64) {
        let frozen = self.frozen.take().expect("install ends a freeze");
        let FrozenBuffer { number, buffer, deletes, operations, checkpoints, .. } = frozen;
        assert_eq!(sealed.is_some(), buffer.doc_count() > 0, "the segment holds the frozen documents");
        self.unpublished |= operations > 0;
        if let Some(Sealed { view, map }) = sealed {
            assert_eq!(view.segment.name(), segment_name(number), "the segment is that of the frozen buffer");
            self.segments.push(HeldSegment { number, view });
            // What was replaced meanwhile was noted by its place in the buffer.
            if let (Some(map), Some(docs)) = (map, self.open.deletes.get_mut(&number)) {
                *docs = docs.iter().filter_map(|doc| map.get(0, *doc)).collect();
            }
        }
        self.delete_sealed(deletes);
        self.sealed = checkpoints;
        self.prune_tombstones(now_ms, TOMBSTONES_PRUNED_BY_REFRESH);
    }

    /// Forgets deletes that are old enough. A delete does so for a few others, so that there are never many left over.
    pub(super) fn prune_tombstones(&mut self, now_ms: u64, at_most: usize) {
        let before_ms = now_ms.saturating_sub(self.gc_deletes_ms);
        self.tombstones.prune(before_ms, self.sealed.max_seq_no, at_most);
    }

    /// What [`Self::publish`] lets searches see; none if they see it already.
    pub fn next_snapshot(&self) -> Option<Arc<Snapshot>> {
        let segments: Vec<SegmentView> = self.segment_views().cloned().collect();
        let next = Snapshot { segments, refresh_seq: self.visible.refresh_seq + 1, ..Snapshot::default() };
        (!are_same(&next.segments, &self.visible.segments)).then(|| Arc::new(next))
    }

    /// Lets searches see everything that is installed. Gives whether that changed anything. `prepared` is what
    /// [`Self::next_snapshot`] gave before: if it is still the next one, it is the one that is seen.
    pub fn publish(&mut self, prepared: Option<Arc<Snapshot>>) -> bool {
        self.visible_seq_no = self.sealed.max_seq_no;
        self.unpublished = false;
        let Some(next) = self.next_snapshot() else { return false };
        let is_next = |prepared: &Arc<Snapshot>| {
            prepared.refresh_seq == next.refresh_seq && are_same(&prepared.segments, &next.segments)
        };
        self.visible = prepared.filter(is_next).unwrap_or(next);
        true
    }

    /// Marks documents of segments deleted. Segments that have no live document left go.
    fn delete_sealed(&mut self, deletes: PendingDeletes) {
        for held in &mut self.segments {
            let Some(docs) = deletes.get(&held.number) else { continue };
            let docs = &with_nested(&held.view.segment, docs);
            let live = match &held.view.live {
                Some(live) => live.delete(docs),
                None => LiveDocs::all(held.view.max_doc()).delete(docs),
            };
            held.view.live = Some(Arc::new(live));
        }
        self.segments.retain(|held| held.view.live_count() > 0);
    }
}

/// Documents together with those that are nested in them.
fn with_nested<'d>(segment: &Segment, docs: &'d [u32]) -> Cow<'d, [u32]> {
    if segment.roots().is_none() {
        return Cow::Borrowed(docs);
    }
    Cow::Owned(docs.iter().flat_map(|doc| segment.block_start(*doc)..=*doc).collect())
}

fn are_same(a: &[SegmentView], b: &[SegmentView]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}

/// Whether two views are the same segment with the same live documents.
pub(super) fn is_same(a: &SegmentView, b: &SegmentView) -> bool {
    let same_live = match (&a.live, &b.live) {
        (None, None) => true,
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        _ => false,
    };
    Arc::ptr_eq(&a.segment, &b.segment) && same_live
}
