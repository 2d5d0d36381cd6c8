//! The translog's writer: an in-memory tail, and one task per translog that writes and syncs it while there is something to sync.
//!
//! Records are appended to the tail without waiting. A write that must be durable then waits for the sync that covers its
//! position. While one sync runs, the tail collects the records of everybody else; the next sync covers them all (group
//! commit). The task runs only while there is work, so an idle shard costs nothing; syncs of different shards of a core overlap.
//!
//! A generation is synced to its end before the file of the next is made: only the last can be torn. The first I/O error
//! fails the translog for good: what it may have lost cannot be known, so nothing is acknowledged after it.

use super::ShardFolder;
use super::SyncTimes;
use super::error::io_error;
use pith_engine::shard::{TranslogHeader, encode_mark};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::file::{self, AppendFile};
use pith_net::rt::{self, Notify};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes in memory from which a writer is made to wait for the disk, whatever the durability.
const TAIL_BYTES_MAX: u64 = 16 << 20;

#[derive(Clone)]
pub struct Translog {
    inner: Rc<Inner>,
}

struct Inner {
    folder: ShardFolder,
    index_uuid: Arc<str>,
    shard: u32,
    state: RefCell<State>,
    /// Rung after every sync, and when the translog fails.
    progress: Notify,
}

struct State {
    /// New records go here.
    generation: u64,
    /// What is not written yet, by generation; the last entry is of `generation` and takes new records.
    tail: VecDeque<Tail>,
    /// The file of `synced_generation`.
    file: Option<AppendFile>,
    /// Position after the last record. Positions count bytes over all generations since the translog was opened.
    appended: u64,
    synced: u64,
    /// The file of this generation and of all before it is on disk.
    synced_generation: u64,
    flushing: bool,
    failed: Option<Error>,
    generations: BTreeMap<u64, Generation>,
}

struct Tail {
    generation: u64,
    bytes: Vec<u8>,
}

#[derive(Clone)]
struct Generation {
    bytes: u64,
    operations: u64,
    last_write: Instant,
}

/// Size of what a translog holds from some generation on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranslogSize {
    pub operations: u64,
    pub bytes: u64,
    /// Since the oldest of these generations was written to.
    pub age: Duration,
}

/// A generation that recovery found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundGeneration {
    pub generation: u64,
    pub bytes: u64,
    pub operations: u64,
    /// Of the last generation, the end that may not be on the disk, although it could be read.
    pub unproven: Vec<u8>,
}

impl Translog {
    /// Begins the translog of a new shard: makes the file of `generation`.
    pub async fn create(folder: &ShardFolder, index_uuid: Arc<str>, shard: u32, generation: u64) -> Result<Self> {
        let translog = Self::with(folder, index_uuid, shard, generation);
        translog.inner.begin_file(generation).await?;
        Ok(translog)
    }

    /// Goes on with what recovery found; new records follow those of the last generation.
    ///
    /// # Panics
    /// If nothing was found: a shard has a generation to write to from its creation on.
    pub async fn open(
        folder: &ShardFolder,
        index_uuid: Arc<str>,
        shard: u32,
        mut found: Vec<FoundGeneration>,
    ) -> Result<Self> {
        let last = found.last_mut().expect("a shard has at least one generation");
        let again = std::mem::take(&mut last.unproven);
        let translog = Self::with(folder, index_uuid, shard, last.generation);
        let path = folder.translog_file(last.generation);
        let file = AppendFile::open_append(&path, last.bytes, again).await;
        let file = file.map_err(|e| io_error("open", &path, &e))?;
        let mut state = translog.inner.state.borrow_mut();
        state.file = Some(file);
        state.synced_generation = last.generation;
        let last_write = Instant::now();
        for FoundGeneration { generation, bytes, operations, .. } in found {
            state.generations.insert(generation, Generation { bytes, operations, last_write });
        }
        drop(state);
        Ok(translog)
    }

    /// That of a shard which takes no writes.
    pub fn of_reader(folder: &ShardFolder, index_uuid: Arc<str>, shard: u32) -> Self {
        Self::with(folder, index_uuid, shard, 0)
    }

    fn with(folder: &ShardFolder, index_uuid: Arc<str>, shard: u32, generation: u64) -> Self {
        let state = State {
            generation,
            tail: VecDeque::new(),
            file: None,
            appended: 0,
            synced: 0,
            synced_generation: 0,
            flushing: false,
            failed: None,
            generations: BTreeMap::new(),
        };
        let folder = folder.clone();
        let inner = Inner { folder, index_uuid, shard, state: RefCell::new(state), progress: Notify::new() };
        Self { inner: Rc::new(inner) }
    }

    /// Lets `write` append records of the generation it is given, and gives back what it returns. Nothing is durable by that.
    ///
    /// # Errors
    /// If an earlier write failed: then nothing can be promised any more. `write` is not run.
    pub fn append<T>(&self, write: impl FnOnce(u64, &mut Vec<u8>) -> T) -> Result<T> {
        let mut state = self.inner.state.borrow_mut();
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        let generation = state.generation;
        let offset = state.generations.get(&generation).map_or(0, |size| size.bytes);
        if state.tail.back().is_none_or(|tail| tail.generation != generation) {
            state.tail.push_back(Tail { generation, bytes: Vec::new() });
        }
        let tail = &mut state.tail.back_mut().expect("pushed above").bytes;
        let before = tail.len();
        if tail.is_empty() {
            // A tail is written when the one before it is on the disk.
            encode_mark(generation, offset, tail);
        }
        let marked = tail.len();
        let out = write(generation, tail);
        if tail.len() == marked {
            tail.truncate(before);
        }
        let added = (tail.len() - before) as u64;
        if added > 0 {
            state.appended += added;
            let size = state.generations.entry(generation).or_insert_with(Generation::empty);
            size.bytes += added;
            size.operations += 1;
            size.last_write = Instant::now();
        }
        Ok(out)
    }

    /// Position after the last record appended.
    pub fn position(&self) -> u64 {
        self.inner.state.borrow().appended
    }

    /// Whether so much waits to be written that writers should wait for it.
    pub fn is_behind(&self) -> bool {
        let state = self.inner.state.borrow();
        state.appended - state.synced > TAIL_BYTES_MAX
    }

    /// The next records go to a new generation, whose number this gives.
    pub fn roll(&self) -> u64 {
        let mut state = self.inner.state.borrow_mut();
        state.generation += 1;
        let generation = state.generation;
        state.tail.push_back(Tail { generation, bytes: Vec::new() });
        state.generations.insert(
            generation,
            Generation { bytes: self.inner.header(generation).len() as u64, ..Generation::empty() },
        );
        generation
    }

    /// Returns when everything before `position` is durable. Also begins the write if nobody has.
    pub async fn sync_to(&self, position: u64) -> Result<()> {
        self.until(|state| state.synced >= position).await
    }

    /// Returns when the file of `generation`, and everything before it, is durable.
    pub async fn sync_generation(&self, generation: u64) -> Result<()> {
        self.until(|state| state.synced_generation >= generation).await
    }

    /// Begins to write and sync what is in the tail, without waiting for it.
    pub fn kick(&self) {
        let mut state = self.inner.state.borrow_mut();
        if state.flushing || state.tail.is_empty() || state.failed.is_some() {
            return;
        }
        state.flushing = true;
        let inner = self.inner.clone();
        rt::spawn(async move { inner.flush().await }).detach();
    }

    async fn until(&self, reached: impl Fn(&State) -> bool) -> Result<()> {
        loop {
            {
                let state = self.inner.state.borrow();
                if let Some(error) = &state.failed {
                    return Err(error.clone());
                }
                if reached(&state) {
                    return Ok(());
                }
            }
            self.kick();
            self.inner.progress.wait().await;
        }
    }

    /// Removes the files of generations below `generation`: a commit point covers them.
    pub async fn trim_below(&self, generation: u64) -> Result<()> {
        loop {
            let oldest = self.inner.state.borrow().generations.first_key_value().map(|(oldest, _)| *oldest);
            let Some(oldest) = oldest.filter(|oldest| *oldest < generation) else { return Ok(()) };
            let path = self.inner.folder.translog_file(oldest);
            file::remove_file(&path).await.map_err(|e| io_error("remove", &path, &e))?;
            self.inner.state.borrow_mut().generations.remove(&oldest);
        }
    }

    /// The size of all generations from `generation` on.
    pub fn size_from(&self, generation: u64) -> TranslogSize {
        let state = self.inner.state.borrow();
        let mut size = TranslogSize::default();
        for part in state.generations.range(generation..).map(|(_, part)| part) {
            size.operations += part.operations;
            size.bytes += part.bytes;
            size.age = size.age.max(part.last_write.elapsed());
        }
        size
    }

    /// Waits for what is under way and gives the file back, whatever became of it: nothing more will be promised.
    pub async fn abandon(&self) {
        {
            let mut state = self.inner.state.borrow_mut();
            state.failed.get_or_insert_with(|| Error::new(ErrorKind::IllegalState, "the translog was given up"));
            state.tail.clear();
        }
        while self.inner.state.borrow().flushing {
            self.inner.progress.wait().await;
        }
        let file = self.inner.state.borrow_mut().file.take();
        if let Some(file) = file {
            // It has failed, or what it holds is read anew.
            let _ = file.close().await;
        }
    }

    /// Writes and syncs everything and gives the file back to the system. No record may be appended afterwards.
    pub async fn close(&self) -> Result<()> {
        let position = self.position();
        self.sync_to(position).await?;
        let file = self.inner.state.borrow_mut().file.take();
        if let Some(file) = file {
            let path = self.inner.folder.translog();
            file.close().await.map_err(|e| io_error("close the translog in", &path, &e))?;
        }
        Ok(())
    }
}

impl Inner {
    /// Works until the tail is empty or something fails. Only one of these runs at a time.
    async fn flush(&self) {
        loop {
            let next = self.state.borrow_mut().tail.pop_front();
            let Some(tail) = next else { break };
            if let Err(error) = self.write(tail).await {
                tracing::error!(index_uuid = %self.index_uuid, shard = self.shard, "translog failed: {error}");
                self.state.borrow_mut().failed = Some(error);
                break;
            }
            self.progress.notify_all();
        }
        self.state.borrow_mut().flushing = false;
        self.progress.notify_all();
    }

    async fn write(&self, tail: Tail) -> Result<()> {
        if self.state.borrow().synced_generation < tail.generation {
            self.begin_file(tail.generation).await?;
        }
        if tail.bytes.is_empty() {
            return Ok(());
        }
        let path = self.folder.translog_file(tail.generation);
        let length = tail.bytes.len() as u64;
        let began = Instant::now();
        let (append, sync) = {
            let state = self.state.borrow();
            let closed = || Error::new(ErrorKind::IllegalState, "the translog is closed");
            let file = state.file.as_ref().ok_or_else(closed)?;
            (file.append(tail.bytes), file.sync())
        };
        append.await.map_err(|e| io_error("write", &path, &e))?;
        sync.await.map_err(|e| io_error("sync", &path, &e))?;
        SyncTimes::count(began.elapsed());
        self.state.borrow_mut().synced += length;
        Ok(())
    }

    fn header(&self, generation: u64) -> Vec<u8> {
        TranslogHeader { generation, index_uuid: &self.index_uuid, shard: self.shard }.encode()
    }

    /// Makes the file of a generation durable, header included; from now on it is the one written to.
    async fn begin_file(&self, generation: u64) -> Result<()> {
        let path = self.folder.translog_file(generation);
        let failed = |e| io_error("create", &path, &e);
        let header = self.header(generation);
        let length = header.len() as u64;
        let file = AppendFile::create(&path).await.map_err(failed)?;
        file.append(header).await.map_err(failed)?;
        file.sync().await.map_err(failed)?;
        file::sync_dir(&self.folder.translog()).await.map_err(failed)?;
        let old = {
            let mut state = self.state.borrow_mut();
            state.synced_generation = generation;
            state.generations.entry(generation).or_insert_with(|| Generation { bytes: length, ..Generation::empty() });
            state.file.replace(file)
        };
        if let Some(old) = old {
            old.close().await.map_err(failed)?;
        }
        Ok(())
    }
}

impl Generation {
    fn empty() -> Self {
        Self { bytes: 0, operations: 0, last_write: Instant::now() }
    }
}
