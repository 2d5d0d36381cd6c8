//! Highlighting before the rest of a hit, so that it can give way: each of many patterns of names may analyse a long text anew.

use super::super::budget::{Budget, Step};
use super::super::highlight::{Begun, Fragments};
use super::super::nested_place::{NestedStep, steps_to};
use super::super::result::ShardHit;
use super::{FetchTask, FetchedDoc, nested_part};
use crate::error::Result;
use crate::segment::{OpenedBlock, SegmentView, StoredDoc};

/// How far the highlighting of the next hit is.
pub(super) enum Highlighting {
    Begun(Begun),
    /// What was found, or why that failed, which is told in its turn.
    Ended(Result<Fragments>),
}

impl Default for Highlighting {
    fn default() -> Self {
        Self::Begun(Begun::default())
    }
}

impl FetchTask {
    /// Goes on with highlighting the next hit until it is time to give way. Where profiles are wanted, which tell how long it
    /// takes, it is left to its turn.
    pub(super) fn highlight_ahead(&mut self, hit: &ShardHit, budget: &Budget) -> Result<Step> {
        let snapshot = self.cx.snapshot.clone();
        let (Some(highlighter), Some(view), None, Highlighting::Begun(begun)) =
            (&self.highlighter, snapshot.segments.get(hit.segment as usize), &self.profiling, &mut self.highlighting)
        else {
            return Ok(Step::Done);
        };
        let mut begun = std::mem::take(begun);
        let (steps, root) = self.place_of(view, hit.doc);
        let mut stored = view.segment.stored_beside(root, &mut self.opened)?;
        if let Some(steps) = &steps {
            stored = part_of(view, hit.doc, &stored, steps, &mut self.opened)?;
        }
        let doc = FetchedDoc::new(view, hit.doc, &stored);
        loop {
            match highlighter.go_on(&mut begun, &doc, &self.cx) {
                Ok(true) if (budget.should_yield)() => {
                    self.highlighting = Highlighting::Begun(begun);
                    return Ok(Step::Yield);
                }
                Ok(true) => {}
                Ok(false) => {
                    self.highlighting = Highlighting::Ended(Ok(begun.found));
                    return Ok(Step::Done);
                }
                Err(error) => {
                    self.highlighting = Highlighting::Ended(Err(error));
                    return Ok(Step::Done);
                }
            }
        }
    }

    /// The way to a nested document, and its root: only roots have an id, versions and a source.
    pub(super) fn place_of(&self, view: &SegmentView, doc: u32) -> (Option<Vec<NestedStep>>, u32) {
        let steps = self.path.as_deref().map(|path| steps_to(view, &self.cx.mapping, path, doc));
        let root = view.segment.roots().filter(|_| steps.is_some()).map_or(doc, |roots| roots.from(doc));
        (steps, root)
    }
}

/// What is stored of a nested document: the source stands with the root, stored fields with the document that they are of.
pub(super) fn part_of(
    view: &SegmentView,
    doc: u32,
    root: &StoredDoc,
    steps: &[NestedStep],
    opened: &mut OpenedBlock,
) -> Result<StoredDoc> {
    let fields = view.segment.stored_beside(doc, opened)?.fields;
    Ok(StoredDoc { fields, ..nested_part(root, steps)? })
}
