//! The append file of a translog: appends take effect in the order of their calls, and syncs are shared.
//!
//! Callers only queue work and wait; two tasks of the file's own do it. While one write is under way the next appends gather and
//! go out as one write; while one sync is under way the next callers of `sync` gather and share the next one. Writes go on during
//! a sync. A caller that goes away changes nothing for the others.
//!
//! After an error the file refuses everything: what the disk holds behind that point is not known, and a second fdatasync can
//! succeed although the first has lost data.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    future::Future,
    io,
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{handle::Handle, named, write::write_fully};
use crate::rt::{Class, Notify, spawn_in};

/// Appends are joined into writes of at most this size, unless one alone is larger.
const WRITE_MAX: usize = 1 << 20;

pub struct AppendFile {
    inner: Rc<Inner>,
}

struct Inner {
    /// `None` once closed.
    file: RefCell<Option<Rc<Handle>>>,
    path: PathBuf,
    queue: RefCell<VecDeque<Vec<u8>>>,
    /// Ends of what was accepted, written and synced, as positions in the file. accepted >= written >= synced.
    accepted: Cell<u64>,
    written: Cell<u64>,
    synced: Cell<u64>,
    /// How far `synced` has to come for the present callers of `sync`. Never beyond `accepted`.
    sync_to: Cell<u64>,
    writing: Cell<bool>,
    syncing: Cell<bool>,
    failed: RefCell<Option<(io::ErrorKind, String)>>,
    progress: Notify,
}

impl AppendFile {
    /// Creates the file, or empties it when it exists.
    pub async fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::new(Handle::create(path).await?, path, 0))
    }

    /// Opens an existing file and continues at `at`; what it holds behind that is cut off. A file shorter than `at` is an error.
    ///
    /// `again` is what stands before `at`, as far as it may not be on the disk: after a sync that failed, the kernel goes on showing
    /// what it never wrote, and takes it for clean. It is written in its place once more, and synced.
    pub async fn open_append(path: &Path, at: u64, again: Vec<u8>) -> io::Result<Self> {
        let file = Handle::append(path, at).await?;
        if !again.is_empty() {
            let start = at - again.len() as u64;
            let written = async {
                write_fully(&file, again, start).await?;
                file.fdatasync().await
            };
            written.await.map_err(|error| named(path, "cannot write again", error))?;
        }
        Ok(Self::new(file, path, at))
    }

    fn new(file: Handle, path: &Path, at: u64) -> Self {
        Self {
            inner: Rc::new(Inner {
                file: RefCell::new(Some(Rc::new(file))),
                path: path.to_owned(),
                queue: RefCell::default(),
                accepted: Cell::new(at),
                written: Cell::new(at),
                synced: Cell::new(at),
                sync_to: Cell::new(at),
                writing: Cell::new(false),
                syncing: Cell::new(false),
                failed: RefCell::new(None),
                progress: Notify::new(),
            }),
        }
    }

    /// Appends `data` and returns the position that it begins at. Its place is taken by the call itself, not when the future is
    /// first polled; the future ends when the data has reached the kernel (not the disk, see [`Self::sync`]).
    pub fn append(&self, data: Vec<u8>) -> impl Future<Output = io::Result<u64>> + 'static {
        let inner = self.inner.clone();
        let start = inner.accepted.get();
        let end = start + data.len() as u64;
        if inner.failed.borrow().is_none() && !data.is_empty() {
            inner.accepted.set(end);
            inner.queue.borrow_mut().push_back(data);
            inner.start_writer();
        }
        async move { inner.reach(|inner| inner.written.get() >= end).await.map(|()| start) }
    }

    /// Makes everything durable that was appended before the call.
    pub fn sync(&self) -> impl Future<Output = io::Result<()>> + 'static {
        let inner = self.inner.clone();
        let end = inner.accepted.get();
        if inner.synced.get() < end && inner.failed.borrow().is_none() {
            inner.sync_to.set(end);
            inner.start_syncer();
        }
        async move { inner.reach(|inner| inner.synced.get() >= end).await }
    }

    /// The position that the next append will begin at.
    pub fn len(&self) -> u64 {
        self.inner.accepted.get()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits for what is under way and closes the file. Does not sync.
    pub async fn close(self) -> io::Result<()> {
        let inner = &self.inner;
        while inner.writing.get() || inner.syncing.get() {
            inner.progress.wait().await;
        }
        let file = inner.file.take().and_then(|file| Rc::try_unwrap(file).ok());
        let file = file.expect("only the two tasks borrow the file, and both have ended");
        file.close().await.map_err(|error| named(&inner.path, "cannot close", error))?;
        inner.check()
    }
}

impl Inner {
    async fn reach(&self, reached: impl Fn(&Self) -> bool) -> io::Result<()> {
        loop {
            self.check()?;
            if reached(self) {
                return Ok(());
            }
            self.progress.wait().await;
        }
    }

    fn check(&self) -> io::Result<()> {
        match &*self.failed.borrow() {
            Some((kind, message)) => Err(io::Error::new(*kind, message.clone())),
            None => Ok(()),
        }
    }

    fn fail(&self, what: &str, error: io::Error) {
        let error = named(&self.path, what, error);
        self.failed.borrow_mut().get_or_insert((error.kind(), error.to_string()));
    }

    fn start_writer(self: &Rc<Self>) {
        if !self.writing.replace(true) {
            let inner = self.clone();
            spawn_in(Class::Latency, async move { inner.write_queue().await }).detach();
        }
    }

    async fn write_queue(&self) {
        let file = self.file();
        while let Some(batch) = self.next_batch() {
            match write_fully(&file, batch, self.written.get()).await {
                Ok(end) => self.written.set(end),
                Err(error) => self.fail("cannot append to", error),
            }
            if self.failed.borrow().is_some() {
                self.queue.borrow_mut().clear();
            }
            self.progress.notify_all();
        }
        drop(file);
        self.writing.set(false);
        self.progress.notify_all();
    }

    fn next_batch(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue.borrow_mut();
        let mut batch = queue.pop_front()?;
        while let Some(next) = queue.front()
            && batch.len() + next.len() <= WRITE_MAX
        {
            batch.extend_from_slice(next);
            queue.pop_front();
        }
        Some(batch)
    }

    fn start_syncer(self: &Rc<Self>) {
        if !self.syncing.replace(true) {
            let inner = self.clone();
            spawn_in(Class::Latency, async move { inner.sync_written().await }).detach();
        }
    }

    async fn sync_written(&self) {
        let file = self.file();
        while self.failed.borrow().is_none() && self.synced.get() < self.sync_to.get() {
            if self.written.get() < self.sync_to.get() {
                self.progress.wait().await;
                continue;
            }
            let end = self.written.get();
            match file.fdatasync().await {
                Ok(()) => self.synced.set(end),
                Err(error) => self.fail("cannot sync", error),
            }
            self.progress.notify_all();
        }
        drop(file);
        self.syncing.set(false);
        self.progress.notify_all();
    }

    fn file(&self) -> Rc<Handle> {
        self.file.borrow().clone().expect("closed only after both tasks have ended")
    }
}
