//! Searches of segments that have not been read yet: what a search asks for is read, and the search begins anew.

use crate::store::read_missed;
use crate::tasks::check_cancelled;
use pith_engine::Result;
use pith_engine::segment::{Segment, Snapshot};
use pith_net::rt::file::PartFile;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Weak};

/// The files of the core's segments that are read part by part, as long as somebody has these segments: a scroll may keep them longer
/// than the shard does, and longer than the files have names.
#[derive(Default)]
pub struct PartFiles(RefCell<Vec<(Weak<Segment>, Rc<PartFile>)>>);

impl PartFiles {
    pub fn keep(&self, segment: &Arc<Segment>, file: PartFile) {
        self.0.borrow_mut().push((Arc::downgrade(segment), Rc::new(file)));
    }

    /// Closes the files of segments that are gone.
    pub fn prune(&self) {
        self.0.borrow_mut().retain(|(segment, _)| segment.strong_count() > 0);
    }

    fn of(&self, segment: &Arc<Segment>) -> Option<Rc<PartFile>> {
        let files = self.0.borrow();
        let found = files.iter().find(|(of, _)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(segment)));
        found.map(|(_, file)| file.clone())
    }

    /// What `work` makes of the snapshot, once it has met nothing that has not been read.
    pub async fn complete<T>(&self, snapshot: &Snapshot, mut work: impl AsyncFnMut() -> Result<T>) -> Result<T> {
        loop {
            let before = snapshot.misses();
            let made = work().await;
            if snapshot.misses() == before {
                return made;
            }
            Box::pin(self.read_missed(snapshot)).await?;
            check_cancelled()?;
        }
    }

    async fn read_missed(&self, snapshot: &Snapshot) -> Result<()> {
        for view in &snapshot.segments {
            if let Some(file) = self.of(&view.segment) {
                read_missed(&view.segment, &file).await?;
            }
        }
        Ok(())
    }
}
