//! Segments that are read part by part: what is asked for of them is read, and whoever asked begins anew.

use crate::observe::Pressure;
use crate::store::read_missed;
use crate::tasks::{check_cancelled, check_memory};
use pith_engine::Result;
use pith_engine::join::join_all;
use pith_engine::segment::{Segment, Snapshot, misses};
use pith_net::rt::file::PartFile;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Weak};

/// Of how many segments what is missing is read at a time, before it is looked at what the request holds.
const SEGMENTS_AT_ONCE: usize = 4;

/// The files of the core's segments that are read part by part, as long as somebody has these segments: a scroll may keep them longer
/// than the shard does, and longer than the files have names.
pub struct PartFiles {
    files: RefCell<Vec<(Weak<Segment>, Rc<PartFile>)>>,
    pressure: Arc<Pressure>,
}

impl PartFiles {
    pub fn new(pressure: Arc<Pressure>) -> Self {
        Self { files: RefCell::default(), pressure }
    }

    pub fn keep(&self, segment: &Arc<Segment>, file: PartFile) {
        self.files.borrow_mut().push((Arc::downgrade(segment), Rc::new(file)));
    }

    /// `same` is read from the file of `segment`.
    pub fn share(&self, segment: &Arc<Segment>, same: &Arc<Segment>) {
        if let Some(file) = self.of(segment) {
            self.files.borrow_mut().push((Arc::downgrade(same), file));
        }
    }

    /// Closes the files of segments that are gone.
    pub fn prune(&self) {
        self.files.borrow_mut().retain(|(segment, _)| segment.strong_count() > 0);
    }

    /// The file of a segment that is read part by part.
    pub fn of(&self, segment: &Arc<Segment>) -> Option<Rc<PartFile>> {
        let files = self.files.borrow();
        let found = files.iter().find(|(of, _)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(segment)));
        found.map(|(_, file)| file.clone())
    }

    /// What `work` makes of the snapshot, once it has met nothing that has not been read.
    pub async fn complete<T>(&self, snapshot: &Snapshot, work: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        self.complete_in(|| snapshot.segments.iter().map(|view| view.segment.clone()).collect(), work).await
    }

    /// The same of segments that are told when something is to be read.
    pub async fn complete_in<T>(
        &self,
        segments: impl Fn() -> Vec<Arc<Segment>>,
        mut work: impl AsyncFnMut() -> Result<T>,
    ) -> Result<T> {
        // What was read for this stays until this has ended: otherwise the rounds might not come to an end.
        let mut held = vec![];
        loop {
            let missed = Cell::new(false);
            let mut working = pin!(work());
            // What the work itself misses: others that have their turn meanwhile miss things too.
            let made = poll_fn(|cx| {
                let before = misses();
                let polled = working.as_mut().poll(cx);
                if misses() != before {
                    missed.set(true);
                }
                polled
            })
            .await;
            if !missed.get() {
                return made;
            }
            for some in segments().chunks(SEGMENTS_AT_ONCE) {
                let read = some.iter().filter_map(|segment| Some((segment, self.of(segment)?)));
                for parts in join_all(read.map(async |(segment, file)| read_missed(segment, &file).await)).await {
                    held.extend(parts?);
                }
                check_memory(&self.pressure)?;
            }
            check_cancelled()?;
        }
    }
}
