//! The host: all shards of one core.

use super::contexts::{Contexts, OpenContexts};
use super::index_memory::{IndexMemory, NodeMemory};
use super::lending::Neighbours;
use super::memory::Admission;
use super::open::{ShardSpec, open_shard};
use super::open_shard::OpenShard;
use super::part_files::PartFiles;
use super::protocol::{ShardAddr, ShardReply, ShardRequest};
use super::request_cache::RequestCache;
use super::settings::ShardSettings;
use super::turn::Turn;
use crate::observe::{Pressure, WritePressure};
use crate::store::ShardFolder;
use ahash::AHashMap;
use pith_engine::json::Value;
use pith_engine::mapping::Mapping;
use pith_engine::segment::keep_records;
use pith_engine::shard::ForceMerge;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, Notify};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How often the core looks for shards that have come to rest.
const IDLE_CHECK_EVERY: Duration = Duration::from_secs(60);

/// How often scrolls and points in time are looked for whose time is over.
const REAP_EVERY: Duration = Duration::from_secs(1);

/// Memory of a core for records of documents that blocks were decompressed for.
const KEPT_RECORD_BYTES: usize = 8 << 20;

/// Merges a fragment into the mapping of an index (by uuid). When it resolves, [`Host::update_mapping`] has been called on this
/// core with a mapping that holds the fragment.
pub type MappingChange = Rc<dyn Fn(Arc<str>, Value) -> Pin<Box<dyn Future<Output = Result<()>>>>>;

/// Told of a shard that cannot go on, and why.
pub type FailureHandler = Rc<dyn Fn(&ShardAddr, &Error)>;

#[derive(Clone, Debug)]
pub struct HostConfig {
    /// The node's data folder.
    pub data: PathBuf,
    /// Memory of this core for documents that are not sealed yet.
    pub index_buffer_bytes: usize,
    /// Memory of this core for write requests being handled.
    pub write_queue_bytes: usize,
    /// Memory of the whole node for segments.
    pub index_memory: Arc<NodeMemory>,
    /// Memory of this core for results of searches that are kept.
    pub request_cache_bytes: usize,
    /// Of the whole node.
    pub contexts: Arc<OpenContexts>,
    pub neighbours: Arc<Neighbours>,
    /// Of the whole node.
    pub write_pressure: Arc<WritePressure>,
    pub pressure: Arc<Pressure>,
}

/// The shards of a core. Clones are the same host.
#[derive(Clone)]
pub struct Host {
    core: Rc<Core>,
}

/// What the shards of a core share.
pub struct Core {
    pub config: HostConfig,
    pub mapping_change: MappingChange,
    pub admission: Admission,
    pub contexts: Contexts,
    pub request_cache: RequestCache,
    /// The files of segments that are read part by part.
    pub part_files: PartFiles,
    pub index_memory: IndexMemory,
    /// Merges of the core, one at a time.
    pub merge_turn: Turn,
    /// Documents not sealed yet, of all shards together.
    pub buffer_bytes: Cell<usize>,
    /// Rung when a buffer was sealed for its memory.
    pub buffers_freed: Notify,
    /// Rung when a shard that is being opened can be searched.
    pub searchable: Notify,
    shards: RefCell<AHashMap<ShardAddr, Slot>>,
    on_failure: RefCell<Option<FailureHandler>>,
}

enum Slot {
    Opening {
        /// What changed since the shard's spec was made.
        mapping: Option<Arc<Mapping>>,
        settings: Option<Box<ShardSettings>>,
        /// The shard as its commit point has it, for searches, while the translog is replayed.
        committed: Option<Rc<OpenShard>>,
    },
    Open(Rc<OpenShard>),
    /// It could not be opened, and why.
    Failed(Error),
}

impl Host {
    /// Runs on the core that the host is for.
    pub fn new(config: HostConfig, mapping_change: MappingChange) -> Self {
        keep_records(KEPT_RECORD_BYTES);
        config.neighbours.enter();
        let core = Rc::new(Core {
            admission: Admission::new(config.write_queue_bytes, config.write_pressure.clone(), config.pressure.clone()),
            contexts: Contexts::default(),
            request_cache: RequestCache::new(config.request_cache_bytes),
            part_files: PartFiles::new(config.pressure.clone()),
            index_memory: IndexMemory::new(config.index_memory.clone(), rt::current_core()),
            config,
            mapping_change,
            merge_turn: Turn::new(),
            buffer_bytes: Cell::new(0),
            buffers_freed: Notify::new(),
            searchable: Notify::new(),
            shards: RefCell::default(),
            on_failure: RefCell::default(),
        });
        let weak = Rc::downgrade(&core);
        rt::spawn(async move {
            loop {
                rt::sleep(IDLE_CHECK_EVERY).await;
                let Some(core) = weak.upgrade() else { return };
                core.open_shards().iter().for_each(OpenShard::flush_if_idle);
            }
        })
        .detach();
        let weak = Rc::downgrade(&core);
        rt::spawn(async move {
            loop {
                rt::sleep(REAP_EVERY).await;
                let Some(core) = weak.upgrade() else { return };
                core.reap_contexts();
                core.part_files.prune();
                core.balance_memory().await;
            }
        })
        .detach();
        Self { core }
    }

    /// Tells `handler` of every shard that fails from now on.
    pub fn on_failure(&self, handler: FailureHandler) {
        self.core.on_failure.replace(Some(handler));
    }

    /// Opens a shard: creates it where its folder holds none, otherwise recovers it. Opening one that is open changes nothing.
    pub async fn open_shard(&self, spec: ShardSpec) -> Result<()> {
        let addr = spec.addr();
        {
            let mut shards = self.core.shards.borrow_mut();
            match shards.get(&addr) {
                Some(Slot::Open(_)) => return Ok(()),
                Some(Slot::Opening { .. }) => return Err(not_ready(&addr)),
                Some(Slot::Failed(_)) | None => {
                    shards.insert(addr.clone(), Slot::Opening { mapping: None, settings: None, committed: None })
                }
            };
        }
        let opening = Opening { core: &self.core, addr: &addr };
        match open_shard(self.core.clone(), spec).await {
            Ok(shard) => opening.done(shard),
            Err(error) => {
                opening.failed(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Flushes and closes a shard; its folder stays. Closing one that is not open changes nothing.
    pub async fn close_shard(&self, addr: &ShardAddr) -> Result<()> {
        match self.take(addr) {
            Some(shard) => shard.close(true).await,
            None => Ok(()),
        }
    }

    /// Closes a shard and removes its folder.
    pub async fn delete_shard(&self, addr: &ShardAddr) -> Result<()> {
        if let Some(shard) = self.take(addr)
            && let Err(error) = shard.close(false).await
        {
            tracing::warn!(index_uuid = %addr.index_uuid, shard = addr.shard, "closing a deleted shard: {error}");
        }
        ShardFolder::new(&self.core.config.data, &addr.index_uuid, addr.shard).remove().await
    }

    /// Flushes and closes all shards: the end of the node. The first error is given; all shards are closed all the same.
    pub async fn shutdown(&self) -> Result<()> {
        let close = |addr: ShardAddr| {
            let host = self.clone();
            rt::spawn(async move { host.close_shard(&addr).await })
        };
        let closing: Vec<_> = self.shards().into_iter().map(close).collect();
        let mut result = Ok(());
        for closed in closing {
            result = result.and(closed.await);
        }
        result
    }

    /// Whether the shard can do what is asked of it now: one that is being opened can be searched as soon as its commit point is read.
    pub fn can_answer(&self, addr: &ShardAddr, request: &ShardRequest) -> bool {
        match self.core.shards.borrow().get(addr) {
            Some(Slot::Open(_)) => true,
            Some(Slot::Opening { committed, .. }) => committed.is_some() && request.is_search(),
            _ => false,
        }
    }

    /// Resolves when some shard that is being opened can be searched from then on.
    pub async fn searchable(&self) {
        self.core.searchable.wait().await;
    }

    /// The shards that are open here.
    pub fn shards(&self) -> Vec<ShardAddr> {
        self.core.open_shards().iter().map(|shard| shard.addr.clone()).collect()
    }

    /// Documents of the index are parsed by `mapping` from now on.
    pub fn update_mapping(&self, index_uuid: &str, mapping: &Arc<Mapping>) {
        self.core.for_shards_of(index_uuid, |slot| match slot {
            Slot::Open(shard) => shard.shard.borrow_mut().set_mapping(mapping.clone()),
            Slot::Opening { mapping: newest, committed, .. } => {
                *newest = Some(mapping.clone());
                if let Some(shard) = committed {
                    shard.shard.borrow_mut().set_mapping(mapping.clone());
                }
            }
            Slot::Failed(_) => {}
        });
    }

    /// Shards of the index follow `settings` from now on.
    pub fn update_settings(&self, index_uuid: &str, settings: &ShardSettings) {
        self.core.for_shards_of(index_uuid, |slot| match slot {
            Slot::Open(shard) => shard.update_settings(settings.clone()),
            Slot::Opening { settings: newest, .. } => *newest = Some(Box::new(settings.clone())),
            Slot::Failed(_) => {}
        });
    }

    /// Answers a request to a shard of this core.
    pub async fn handle(&self, addr: &ShardAddr, request: ShardRequest) -> Result<ShardReply> {
        let shard = self.core.find_for(addr, request.is_search())?;
        match request {
            ShardRequest::Get(get) => shard.get(&get).await.map(ShardReply::Got),
            ShardRequest::Search(ask) => shard.search(&ask).await.map(|found| ShardReply::Searched(Box::new(found))),
            ShardRequest::Fetch(ask) => shard.fetch(*ask).await.map(ShardReply::Fetched),
            // What the others keep while they wait would make every search's future larger, which is moved on its way here.
            other => Box::pin(handle_other(shard, other)).await,
        }
    }

    /// Takes a shard out; no request finds it from now on. One that is being opened stays.
    fn take(&self, addr: &ShardAddr) -> Option<Rc<OpenShard>> {
        let mut shards = self.core.shards.borrow_mut();
        if matches!(shards.get(addr), Some(Slot::Opening { .. })) {
            return None;
        }
        match shards.remove(addr) {
            Some(Slot::Open(shard)) => Some(shard),
            _ => None,
        }
    }
}

/// Answers whatever is no search.
async fn handle_other(shard: Rc<OpenShard>, request: ShardRequest) -> Result<ShardReply> {
    match request {
        ShardRequest::Get(_) | ShardRequest::Search(_) | ShardRequest::Fetch(_) => {
            Err(Error::new(ErrorKind::IllegalState, "a search went the way of the others"))
        }
        ShardRequest::Write { ops, refresh } => shard.write(ops, refresh).await.map(ShardReply::Written),
        ShardRequest::MultiGet(gets) => shard.multi_get(&gets).await.map(ShardReply::MultiGot),
        ShardRequest::Describe(ask) => shard.describe(&ask).await.map(ShardReply::Described),
        ShardRequest::Explain(ask) => shard.explain(&ask).await.map(ShardReply::Explained),
        ShardRequest::CanMatch(ask) => shard.can_match(&ask).await.map(ShardReply::CanMatch),
        ShardRequest::TermVectors(ask) => {
            shard.term_vectors(&ask).await.map(|found| ShardReply::TermVectors(Box::new(found)))
        }
        ShardRequest::Gather(ask) => shard.gather(&ask).await.map(|found| ShardReply::Gathered(Box::new(found))),
        ShardRequest::Scroll(ask) => shard.scroll(&ask).await.map(|found| ShardReply::Searched(Box::new(found))),
        ShardRequest::OpenContext(wanted) => shard.open_point_in_time(*wanted).await.map(|()| ShardReply::Opened),
        ShardRequest::FreeContexts(which) => Ok(ShardReply::Freed(shard.free_contexts(&which))),
        ShardRequest::PointsInTime => Ok(ShardReply::PointsInTime(shard.points_in_time())),
        ShardRequest::Refresh => shard.refresh().await.map(|()| ShardReply::Refreshed),
        ShardRequest::Flush { force, wait_if_ongoing } => {
            shard.flush(force, wait_if_ongoing).await.map(ShardReply::Flushed)
        }
        ShardRequest::ForceMerge { max_segments, only_expunge_deletes, flush } => {
            let goal = match (only_expunge_deletes, max_segments) {
                (true, _) => {
                    let allowed_pct = shard.settings.borrow().expunge_deletes_allowed_pct;
                    Some(ForceMerge::ExpungeDeletes { allowed_pct })
                }
                (false, Some(most)) => Some(ForceMerge::Segments(most)),
                (false, None) => None,
            };
            shard.force_merge(goal).await?;
            if flush {
                shard.flush(false, true).await?;
            }
            Ok(ShardReply::Merged)
        }
        ShardRequest::ClearCaches(which) => {
            shard.clear_caches(&which);
            Ok(ShardReply::Cleared)
        }
        ShardRequest::Stats => Ok(ShardReply::Stats(Box::new(shard.stats()))),
        ShardRequest::Snapshot(place) => {
            shard.snapshot(*place).await.map(|kept| ShardReply::Snapshotted(Box::new(kept)))
        }
        ShardRequest::Segments => Ok(ShardReply::Segments(shard.segments())),
        ShardRequest::Recovery => Ok(ShardReply::Recovery(shard.recovery)),
    }
}

impl Core {
    pub fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }

    pub fn find(&self, addr: &ShardAddr) -> Result<Rc<OpenShard>> {
        self.find_for(addr, false)
    }

    /// The shard, if it is open; to search it, one that is being opened is shown as its commit point has it.
    fn find_for(&self, addr: &ShardAddr, search: bool) -> Result<Rc<OpenShard>> {
        match self.shards.borrow().get(addr) {
            Some(Slot::Open(shard)) => Ok(shard.clone()),
            Some(Slot::Opening { committed: Some(shard), .. }) if search => Ok(shard.clone()),
            Some(Slot::Opening { .. }) => Err(not_ready(addr)),
            Some(Slot::Failed(error)) => Err(could_not_open(addr, error)),
            None => Err(Error::new(ErrorKind::ShardNotFound, "no such shard")
                .with("index_uuid", &*addr.index_uuid)
                .with("shard", addr.shard.to_string())),
        }
    }

    /// A shard that is being opened can be searched from now on.
    pub fn show_committed(&self, shard: OpenShard) {
        if let Some(Slot::Opening { committed, .. }) = self.shards.borrow_mut().get_mut(&shard.addr) {
            *committed = Some(Rc::new(shard));
        }
        self.searchable.notify_all();
    }

    /// A shard of this core cannot go on.
    pub fn tell_of_failure(&self, addr: &ShardAddr, error: &Error) {
        let handler = self.on_failure.borrow().clone();
        if let Some(handler) = handler {
            handler(addr, error);
        }
    }

    /// In an order that does not change from one start to the next.
    pub fn open_shards(&self) -> Vec<Rc<OpenShard>> {
        let open = |slot: &Slot| match slot {
            Slot::Open(shard) => Some(shard.clone()),
            Slot::Opening { .. } | Slot::Failed(_) => None,
        };
        let mut shards: Vec<Rc<OpenShard>> = self.shards.borrow().values().filter_map(open).collect();
        shards.sort_by(|a, b| a.addr.cmp(&b.addr));
        shards
    }

    fn for_shards_of(&self, index_uuid: &str, each: impl Fn(&mut Slot)) {
        let mut shards = self.shards.borrow_mut();
        shards.iter_mut().filter(|(addr, _)| &*addr.index_uuid == index_uuid).for_each(|(_, slot)| each(slot));
    }

    /// Seals the largest buffer when all buffers of the core together take too much memory. A writer who finds them at twice the
    /// bound waits: sealing cannot keep up.
    pub async fn bound_buffers(&self) {
        while self.buffer_bytes.get() > self.config.index_buffer_bytes {
            let shards = self.open_shards();
            let largest = shards.iter().max_by_key(|shard| shard.shard.borrow().open_buffer_bytes());
            if let Some(shard) = largest.filter(|shard| shard.shard.borrow().has_open_writes()) {
                shard.seal_for_memory();
            }
            if self.buffer_bytes.get() <= 2 * self.config.index_buffer_bytes {
                return;
            }
            // A failed shard frees nothing and rings nothing: look again after a while.
            rt::timeout(Duration::from_millis(100), self.buffers_freed.wait()).await;
        }
    }
}

/// A shard being opened; if that fails or is given up, its place is free again.
struct Opening<'a> {
    core: &'a Core,
    addr: &'a ShardAddr,
}

impl Opening<'_> {
    fn failed(self, error: Error) {
        self.core.shards.borrow_mut().insert(self.addr.clone(), Slot::Failed(error));
    }

    fn done(self, shard: OpenShard) {
        let shard = Rc::new(shard);
        let mut shards = self.core.shards.borrow_mut();
        let before = shards.insert(self.addr.clone(), Slot::Open(shard.clone()));
        let Some(Slot::Opening { mapping, settings, .. }) = before else { return };
        if let Some(mapping) = mapping {
            shard.shard.borrow_mut().set_mapping(mapping);
        }
        if let Some(settings) = settings {
            shard.update_settings(*settings);
        }
        drop(shards);
        shard.verify_files();
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        let mut shards = self.core.shards.borrow_mut();
        if matches!(shards.get(self.addr), Some(Slot::Opening { .. })) {
            shards.remove(self.addr);
        }
    }
}

#[cold]
fn could_not_open(addr: &ShardAddr, cause: &Error) -> Error {
    Error::new(ErrorKind::NoShardAvailable, "the shard could not be opened")
        .with("index_uuid", &*addr.index_uuid)
        .with("shard", addr.shard.to_string())
        .caused_by(cause.clone())
}

#[cold]
fn not_ready(addr: &ShardAddr) -> Error {
    Error::new(ErrorKind::NoShardAvailable, "the shard is being opened")
        .with("index_uuid", &*addr.index_uuid)
        .with("shard", addr.shard.to_string())
}
