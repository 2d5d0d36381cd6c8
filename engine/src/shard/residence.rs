//! Where the segments of a shard are: in memory as a whole, or in their files, to be read part by part.

use super::shard::Shard;
use crate::segment::{Segment, SegmentView, Snapshot};
use std::sync::Arc;

impl Shard {
    /// Whether any segment is read part by part.
    pub fn has_partial(&self) -> bool {
        self.segments.iter().any(|held| held.view.segment.is_partial())
    }

    /// Puts `new`, which holds the same documents, in the place of `old`. Searches that are under way keep what they have; nothing that
    /// anybody can see changes.
    pub fn replace_segment(&mut self, old: &Arc<Segment>, new: &Arc<Segment>) {
        let replace = |view: &mut SegmentView| {
            if Arc::ptr_eq(&view.segment, old) {
                view.segment = new.clone();
            }
        };
        self.segments.iter_mut().for_each(|held| replace(&mut held.view));
        self.committed.views_mut().for_each(replace);
        let mut visible = Snapshot::clone(&self.visible);
        visible.segments.iter_mut().for_each(replace);
        self.visible = Arc::new(visible);
    }
}
