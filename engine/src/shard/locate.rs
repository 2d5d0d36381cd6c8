//! Finding a document by its id, and reading it.

use super::op::{FoundDocument, GetRequest};
use super::shard::{HeldSegment, SegmentNumber, Shard};
use super::versions::DocVersion;
use crate::error::{Error, ErrorKind, Result};
use crate::segment::{Segment, SegmentView, StoredDoc, misses};

/// Where a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Open(u32),
    /// In the frozen buffer (by the number that its segment will have) or in a segment.
    Sealed(SegmentNumber, u32),
}

/// What the shard knows of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Located {
    Absent,
    /// Deleted so short a while ago that the version still counts.
    Deleted(DocVersion),
    Live(Place, DocVersion),
}

impl Located {
    pub fn version(&self) -> Option<DocVersion> {
        match self {
            Self::Absent => None,
            Self::Deleted(version) | Self::Live(_, version) => Some(*version),
        }
    }
}

impl Shard {
    /// The newest state of `id`, whether visible to searches or not.
    pub(super) fn locate(&self, id: &str, now_ms: u64) -> Located {
        let open = &self.open;
        if let Some(doc) = open.versions.get(id, |doc| open.buffer.id(doc)) {
            return Located::Live(Place::Open(doc), DocVersion::in_buffer(&open.buffer, doc));
        }
        if let Some((version, deleted_at_ms)) = self.tombstones.get(id) {
            let expired = now_ms.saturating_sub(deleted_at_ms) > self.gc_deletes_ms;
            return if expired { Located::Absent } else { Located::Deleted(version) };
        }
        if let Some(frozen) = &self.frozen
            && let Some(doc) = frozen.versions.get(id, |doc| frozen.buffer.id(doc))
        {
            return Located::Live(Place::Sealed(frozen.number, doc), DocVersion::in_buffer(&frozen.buffer, doc));
        }
        if let Some((held, doc)) = self.located_next(id) {
            self.located.set(Some((held.number, doc)));
            return Located::Live(Place::Sealed(held.number, doc), version_of(&held.view, doc));
        }
        // At most one segment holds a live document of an id, so the order does not matter; newer ones are likelier.
        for held in self.segments.iter().rev() {
            if let Some(doc) = live_doc(&held.view, id) {
                self.located.set(Some((held.number, doc)));
                return Located::Live(Place::Sealed(held.number, doc), version_of(&held.view, doc));
            }
        }
        Located::Absent
    }

    /// The document of `id` if it follows the one that was found last: who goes through all documents of a segment needs no table.
    fn located_next(&self, id: &str) -> Option<(&HeldSegment, u32)> {
        let (number, last) = self.located.get()?;
        let held = self.segments.iter().find(|held| held.number == number)?;
        let (view, next) = (&held.view, last + 1);
        // Nested documents have the id of their root.
        let segment = &view.segment;
        let is_it = next < view.max_doc() && segment.roots().is_none() && segment.id(next) == id && view.is_live(next);
        is_it.then_some((held, next))
    }

    /// What is stored of the document at `place`.
    pub(super) fn stored(&self, place: Place) -> Result<StoredDoc> {
        let (number, doc) = match place {
            Place::Open(doc) => return self.open.buffer.stored(doc),
            Place::Sealed(number, doc) => (number, doc),
        };
        if let Some(frozen) = self.frozen.as_ref().filter(|frozen| frozen.number == number) {
            return frozen.buffer.stored(doc);
        }
        let held = self.segments.iter().find(|held| held.number == number);
        let segment = &held.expect("places are used before segments change").view.segment;
        stored_if_read(segment, doc)
    }

    /// A document by its id. None: there is no such document, or (not in real time) searches do not see it yet.
    pub fn get(&self, request: &GetRequest, now_ms: u64) -> Result<Option<FoundDocument>> {
        let found = if request.realtime {
            match self.locate(&request.id, now_ms) {
                Located::Live(place, version) => Some((version, self.stored(place)?)),
                Located::Absent | Located::Deleted(_) => None,
            }
        } else {
            self.find_visible(&request.id)?
        };
        let Some((version, stored)) = found else { return Ok(None) };
        if let Some(wanted) = request.version.filter(|wanted| *wanted != version.version) {
            let why = format!("current version [{}] is different than the one provided [{wanted}]", version.version);
            return Err(self.conflict(&request.id, &why));
        }
        Ok(Some(FoundDocument {
            version: version.version,
            seq_no: version.seq_no,
            primary_term: version.primary_term,
            routing: stored.routing,
            source: stored.source,
            fields: stored.fields,
        }))
    }

    fn find_visible(&self, id: &str) -> Result<Option<(DocVersion, StoredDoc)>> {
        for view in self.visible.segments.iter().rev() {
            if let Some(doc) = live_doc(view, id) {
                return Ok(Some((version_of(view, doc), stored_if_read(&view.segment, doc)?)));
            }
        }
        Ok(None)
    }

    #[cold]
    pub(super) fn conflict(&self, id: &str, why: &str) -> Error {
        let reason = format!("[{id}]: version conflict, {why}");
        self.identity.blame(Error::new(ErrorKind::VersionConflict, reason))
    }
}

/// The live document of `id` in a segment. Earlier ones of the same id in it are dead: a newer one replaced them.
fn live_doc(view: &SegmentView, id: &str) -> Option<u32> {
    view.segment.doc_of_id(id).filter(|doc| view.is_live(*doc))
}

fn version_of(view: &SegmentView, doc: u32) -> DocVersion {
    let segment = &view.segment;
    DocVersion { version: segment.version(doc), seq_no: segment.seq_no(doc), primary_term: segment.primary_term(doc) }
}

/// What is stored of a document. An error where that has not been read: nobody may take the document for an empty one.
fn stored_if_read(segment: &Segment, doc: u32) -> Result<StoredDoc> {
    let before = misses();
    let stored = segment.stored(doc)?;
    if misses() != before {
        return Err(Error::new(ErrorKind::IllegalState, "what is stored of the document has not been read"));
    }
    Ok(stored)
}
