//! Merges: several segments become one while the shard goes on. What is deleted meanwhile is carried over when the new segment takes
//! the place of its sources.

use super::shard::{HeldSegment, PendingDeletes, SegmentNumber, Shard, segment_name};
use crate::error::Result;
use crate::mapping::IndexSort;
use crate::pace::Pace;
use crate::segment::{LiveDocs, Segment, SegmentView, Snapshot, WINDOW};
use crate::writer::{self, DocMap, MergeSettings, SegmentSize, plan_forced_merge, plan_merges, plan_small_merge};
use std::sync::Arc;

/// Segments to be merged. Holds all it needs: the shard goes on meanwhile.
pub struct MergeJob {
    /// Number and name of the segment that the merge makes.
    number: SegmentNumber,
    pub name: String,
    pub sources: Vec<SegmentView>,
    sort: Option<Arc<IndexSort>>,
}

/// The bytes of a merged segment, and where its documents came from.
pub struct MergedBytes {
    number: SegmentNumber,
    pub name: String,
    pub bytes: Vec<u8>,
    map: DocMap,
}

/// What a force merge is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceMerge {
    /// At most this many segments.
    Segments(usize),
    /// No segment with more deleted documents per hundred than this.
    ExpungeDeletes { allowed_pct: f64 },
    /// No small segments that are worth a merge.
    Small,
}

pub(super) struct RunningMerge {
    number: SegmentNumber,
    sources: Vec<HeldSegment>,
}

impl MergeJob {
    pub async fn run(&self, pace: &Pace) -> Result<MergedBytes> {
        let (bytes, map) = writer::merge_in_order(&self.name, &self.sources, self.sort.as_deref(), pace).await?;
        Ok(MergedBytes { number: self.number, name: self.name.clone(), bytes, map })
    }

    /// Live documents of the sources.
    pub fn docs(&self) -> u64 {
        self.sources.iter().map(|view| u64::from(view.live_count())).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.sources.iter().map(|view| view.segment.file_len()).sum()
    }
}

impl Shard {
    /// The merge that the policy wants most, of segments that are in no merge yet, as if those of `leave` were not there. The job
    /// has to be run and given to [`Self::install_merge`] or [`Self::abandon_merge`].
    pub fn plan_merge(&mut self, settings: &MergeSettings, leave: &[Arc<Segment>]) -> Option<MergeJob> {
        let is_left = |held: &HeldSegment| leave.iter().any(|left| left.name() == held.view.segment.name());
        let mut places: Vec<usize> = (0..self.segments.len()).collect();
        places.retain(|at| leave.is_empty() || !is_left(&self.segments[*at]));
        let sizes = self.segment_sizes();
        let sizes: Vec<SegmentSize> = places.iter().map(|at| sizes[*at]).collect();
        let chosen = plan_merges(&sizes, settings).into_iter().next()?;
        let chosen: Vec<usize> = chosen.into_iter().map(|at| places[at]).collect();
        Some(self.begin_merge(&chosen))
    }

    /// The next merge on the way to `goal`; none when it is reached, or when all that is left to do is in running merges.
    pub fn plan_force_merge(&mut self, settings: &MergeSettings, goal: ForceMerge) -> Option<MergeJob> {
        let sizes = self.segment_sizes();
        let chosen = match goal {
            ForceMerge::Segments(at_most) => plan_forced_merge(&sizes, at_most).into_iter().next()?,
            ForceMerge::ExpungeDeletes { allowed_pct } => plan_expunge(&sizes, settings, allowed_pct)?,
            ForceMerge::Small => plan_small_merge(&sizes, settings)?,
        };
        Some(self.begin_merge(&chosen))
    }

    fn segment_sizes(&self) -> Vec<SegmentSize> {
        let in_merge = |number: SegmentNumber| {
            self.merges.iter().any(|merge| merge.sources.iter().any(|source| source.number == number))
        };
        let size = |held: &HeldSegment| SegmentSize {
            bytes: held.view.segment.file_len(),
            max_doc: held.view.max_doc(),
            deleted: held.view.deleted_count(),
            merging: in_merge(held.number),
        };
        self.segments.iter().map(size).collect()
    }

    fn begin_merge(&mut self, chosen: &[usize]) -> MergeJob {
        let sources: Vec<HeldSegment> = chosen.iter().map(|at| self.segments[*at].clone()).collect();
        let number = self.new_segment_number();
        let views = sources.iter().map(|held| held.view.clone()).collect();
        self.merges.push(RunningMerge { number, sources });
        MergeJob { number, name: segment_name(number), sources: views, sort: self.mapping.index_sort() }
    }

    /// A merge failed or was given up: its sources stay.
    pub fn abandon_merge(&mut self, job: &MergeJob) {
        self.merges.retain(|merge| merge.number != job.number);
    }

    /// Puts the merged segment in the place of its sources, with all that was deleted since the merge began. Searches see it
    /// after [`Self::publish_merge`].
    ///
    /// # Panics
    /// If `merged` is not from a running merge of this shard.
    pub fn install_merge(&mut self, merged: MergedBytes, segment: Arc<Segment>) {
        let at = self.merges.iter().position(|merge| merge.number == merged.number);
        let merge = self.merges.remove(at.expect("the merge was planned here"));
        assert_eq!(segment.name(), merged.name, "the segment is that of the merge");
        let dead = self.deleted_meanwhile(&merge, &merged.map);
        let live = (!dead.is_empty()).then(|| Arc::new(LiveDocs::all(segment.max_doc()).delete(&dead)));
        let view = SegmentView { segment, live };
        self.redirect_deletes(&merge, &merged.map, merged.number);
        self.swap_segments(&merge, HeldSegment { number: merged.number, view });
    }

    /// Whether no writes are installed that searches must not see yet.
    pub fn shows_merges(&self) -> bool {
        !self.unpublished
    }

    /// Lets searches see merged segments, unless writes are installed that they must not see yet. `prepared` as in
    /// [`Self::publish`].
    pub fn publish_merge(&mut self, prepared: Option<Arc<Snapshot>>) {
        if self.shows_merges() {
            let seq_no = self.visible_seq_no;
            self.publish(prepared);
            self.visible_seq_no = seq_no;
        }
    }

    /// Documents of the merged segment that died in its sources while it was made.
    fn deleted_meanwhile(&self, merge: &RunningMerge, map: &DocMap) -> Vec<u32> {
        let mut dead = vec![];
        for (at, source) in merge.sources.iter().enumerate() {
            let then = &source.view;
            match self.segments.iter().find(|held| held.number == source.number) {
                Some(now) => died_between(then, &now.view, |doc| dead.extend(map.get(at, doc))),
                // A segment goes when its last document has died.
                None => dead.extend((0..then.max_doc()).filter_map(|doc| map.get(at, doc))),
            }
        }
        dead
    }

    /// Deletes that wait for a refresh point to the merged segment now.
    fn redirect_deletes(&mut self, merge: &RunningMerge, map: &DocMap, to: SegmentNumber) {
        let frozen = self.frozen.as_mut().map(|frozen| &mut frozen.deletes);
        for deletes in std::iter::once(&mut self.open.deletes).chain(frozen) {
            redirect(deletes, merge, map, to);
        }
    }

    fn swap_segments(&mut self, merge: &RunningMerge, merged: HeldSegment) {
        let is_source = |held: &HeldSegment| merge.sources.iter().any(|source| source.number == held.number);
        // All sources may be gone: then every document of them died meanwhile, and nothing is left to install.
        let Some(at) = self.segments.iter().position(is_source) else { return };
        self.segments.insert(at, merged);
        let number = merge.number;
        self.segments.retain(|held| held.number == number || !is_source(held));
        self.segments.retain(|held| held.view.live_count() > 0);
    }
}

fn redirect(deletes: &mut PendingDeletes, merge: &RunningMerge, map: &DocMap, to: SegmentNumber) {
    for (at, source) in merge.sources.iter().enumerate() {
        let docs = deletes.remove(&source.number).unwrap_or_default();
        let moved = docs.into_iter().filter_map(|doc| map.get(at, doc));
        let target: Vec<u32> = moved.collect();
        if !target.is_empty() {
            deletes.entry(to).or_default().extend(target);
        }
    }
}

/// Documents of a segment that were live `then` and are not `now`. Looks only at windows that changed.
fn died_between(then: &SegmentView, now: &SegmentView, mut each: impl FnMut(u32)) {
    let Some(now) = &now.live else { return };
    for window in 0..then.max_doc().div_ceil(WINDOW) {
        let Some(after) = now.window(window) else { continue };
        let before = then.live.as_ref().and_then(|live| live.window(window));
        if before.is_some_and(|before| std::ptr::eq(before, after)) {
            continue;
        }
        for (at, word) in after.iter().enumerate() {
            let mut died = before.map_or(u64::MAX, |before| before[at]) & !word;
            while died != 0 {
                each(window * WINDOW + at as u32 * 64 + died.trailing_zeros());
                died &= died - 1;
            }
        }
    }
}

/// Segments with too many deleted documents, as many as make one segment that is not too large.
fn plan_expunge(sizes: &[SegmentSize], settings: &MergeSettings, allowed_pct: f64) -> Option<Vec<usize>> {
    let mut chosen = vec![];
    let mut bytes = 0u64;
    for (at, size) in sizes.iter().enumerate() {
        let deleted_pct = 100.0 * f64::from(size.deleted) / f64::from(size.max_doc.max(1));
        let fits = chosen.is_empty() || bytes.saturating_add(size.bytes) <= settings.max_merged_segment_bytes;
        if !size.merging && deleted_pct > allowed_pct && fits && chosen.len() < settings.max_merge_at_once {
            chosen.push(at);
            bytes = bytes.saturating_add(size.bytes);
        }
    }
    (!chosen.is_empty()).then_some(chosen)
}
