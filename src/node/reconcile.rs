//! A core's shards made to agree with the cluster's state.
//!
//! For each shard one task at a time opens, closes or deletes it; what is wanted meanwhile waits for that task, and only
//! the newest wish counts. Shards that were opened (or could not be) are reported to the cluster, many in one change.

use crate::cluster::{self, Change, CopyState, IndexMeta, RecoverySource, Seed, ShardCopy, ShardId, State};
use crate::coordinate::Core;
use crate::shards::{Host, ShardAddr, ShardReply, ShardRequest, ShardSeed, ShardSettings, ShardSpec};
use crate::store::{Keep, index_folder};
use futures_lite::FutureExt;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, Notify, file};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a shard that fails is opened anew before it is left alone; the count begins again when it has held for a while.
const REOPENINGS_MAX: u32 = 5;
const REOPENINGS_FORGOTTEN: Duration = Duration::from_secs(60);
/// How long the first reopening waits; each further one twice as long.
const REOPEN_AFTER: Duration = Duration::from_millis(200);

/// How long a report that was not taken waits for its next try.
const REPORT_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How long a request waits for a shard that is being opened.
const OPENING_WAIT: Duration = Duration::from_secs(30);

type OpenResult = (ShardId, Result<(), Arc<str>>);

/// The shards of one core, and the state that they follow.
pub struct Reconciler {
    core: Rc<Core>,
    host: Host,
    data: PathBuf,
    /// The indexes as they were when the shards were last made to agree, by uuid.
    known: RefCell<HashMap<Arc<str>, Known>>,
    /// The shards that a task is at work on, and what is wanted of them after that.
    moving: RefCell<HashMap<ShardAddr, Option<Goal>>>,
    /// Rung whenever a task is done with its shard.
    moved: Notify,
    /// What is to be reported.
    results: RefCell<Vec<OpenResult>>,
    reporting: Cell<bool>,
    /// How often shards were opened anew because they failed, and when last.
    reopened: RefCell<HashMap<ShardAddr, (u32, Instant)>>,
    /// The core comes to its end.
    ending: Cell<bool>,
}

/// An index, and where its copies were.
#[derive(Clone)]
struct Known {
    index: Arc<IndexMeta>,
    copies: Arc<Vec<ShardCopy>>,
}

impl Known {
    fn copy(&self, shard: u32) -> Option<&ShardCopy> {
        self.copies.get(shard as usize)
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.index, &other.index) && Arc::ptr_eq(&self.copies, &other.copies)
    }
}

/// What is wanted of a shard.
enum Goal {
    Open(Arc<IndexMeta>),
    /// The same, of one that is there already: it has failed, or is to begin anew.
    Reopen(Arc<IndexMeta>),
    /// Opens it empty, whatever there is.
    Renew(Arc<IndexMeta>),
    Close,
    Delete,
}

impl Reconciler {
    pub fn new(core: Rc<Core>, host: Host, data: PathBuf) -> Rc<Self> {
        let this = Rc::new(Self {
            core,
            host,
            data,
            known: RefCell::default(),
            moving: RefCell::default(),
            moved: Notify::new(),
            results: RefCell::default(),
            reporting: Cell::new(false),
            reopened: RefCell::default(),
            ending: Cell::new(false),
        });
        let weak = Rc::downgrade(&this);
        this.host.on_failure(Rc::new(move |addr, error| {
            if let Some(this) = weak.upgrade() {
                this.failed(addr, error);
            }
        }));
        this
    }

    /// Follows a newer state. Mappings and settings count when this returns; shards are opened and closed from here on.
    pub fn follow(self: &Rc<Self>, state: &State) {
        if self.ending.get() {
            return;
        }
        let mut known = self.known.borrow_mut();
        let mut next: HashMap<Arc<str>, Known> = HashMap::with_capacity(state.indices.len());
        for index in state.indices.values() {
            let before = known.remove(&index.uuid);
            let now =
                Known { index: index.clone(), copies: state.routing.get(&index.uuid).cloned().unwrap_or_default() };
            if before.as_ref().is_none_or(|before| !before.is(&now)) {
                self.follow_index(before.as_ref(), &now);
            }
            next.insert(index.uuid.clone(), now);
        }
        for (_, gone) in known.drain() {
            for addr in self.shards_here(&gone.index) {
                self.want(addr, Goal::Delete);
            }
        }
        *known = next;
    }

    fn follow_index(self: &Rc<Self>, before: Option<&Known>, now: &Known) {
        let index = &now.index;
        if let Some(before) = before.map(|before| &before.index) {
            if !Arc::ptr_eq(&before.mapping, &index.mapping) {
                self.host.update_mapping(&index.uuid, &index.mapping);
            }
            if before.settings != index.settings
                && let Ok(settings) = shard_settings(index)
            {
                self.host.update_settings(&index.uuid, &settings);
            }
        }
        for addr in self.shards_here(index) {
            let before = before.and_then(|before| Some((before.index.is_open(), before.copy(addr.shard)?)));
            let copy = now.copy(addr.shard).filter(|_| index.is_open());
            if let Some(goal) = goal(before, copy, index) {
                self.want(addr, goal);
            }
        }
    }

    /// Has a shard opened, closed or deleted, after whatever is happening to it.
    fn want(self: &Rc<Self>, addr: ShardAddr, goal: Goal) {
        let mut moving = self.moving.borrow_mut();
        if let Some(next) = moving.get_mut(&addr) {
            *next = Some(goal);
            return;
        }
        moving.insert(addr.clone(), None);
        let this = self.clone();
        rt::spawn(async move {
            let mut goal = Some(goal);
            while let Some(wanted) = goal.take() {
                this.reach(&addr, wanted).await;
                goal = this.moving.borrow_mut().get_mut(&addr).and_then(Option::take);
            }
            this.moving.borrow_mut().remove(&addr);
            this.moved.notify_all();
        })
        .detach();
    }

    async fn reach(self: &Rc<Self>, addr: &ShardAddr, goal: Goal) {
        let cleared = match &goal {
            Goal::Reopen(_) => self.host.close_shard(addr).await,
            Goal::Renew(_) => self.host.delete_shard(addr).await,
            _ => Ok(()),
        };
        if let Err(error) = cleared {
            tracing::warn!(index_uuid = &*addr.index_uuid, shard = addr.shard, "before it is opened anew: {error}");
        }
        match goal {
            Goal::Open(index) | Goal::Reopen(index) | Goal::Renew(index) => {
                let result = self.open(addr, &index).await;
                if let Err(error) = &result {
                    tracing::error!(index = &*index.name, shard = addr.shard, "the shard could not be opened: {error}");
                    if error.kind() == ErrorKind::Io {
                        self.reopen_later(addr);
                    }
                }
                let shard = ShardId { index_uuid: addr.index_uuid.clone(), shard: addr.shard };
                self.report((shard, result.map_err(|error| error.to_string().into())));
            }
            Goal::Close => {
                if let Err(error) = self.host.close_shard(addr).await {
                    tracing::error!(index_uuid = &*addr.index_uuid, shard = addr.shard, "closing a shard: {error}");
                }
            }
            Goal::Delete => {
                if let Err(error) = self.host.delete_shard(addr).await {
                    tracing::error!(index_uuid = &*addr.index_uuid, shard = addr.shard, "deleting a shard: {error}");
                }
                // The folder of the index goes with the last of its shards, on whichever core that is: a folder with shards
                // in it is not removed.
                let folder = index_folder(&self.data, &addr.index_uuid);
                let _ = file::remove_dir(&folder).await;
            }
        }
    }

    /// A shard cannot go on: the cluster is told, and it is opened anew from what the disk holds.
    fn failed(self: &Rc<Self>, addr: &ShardAddr, error: &Error) {
        let shard = ShardId { index_uuid: addr.index_uuid.clone(), shard: addr.shard };
        self.report((shard, Err(error.to_string().into())));
        self.reopen_later(addr);
    }

    fn reopen_later(self: &Rc<Self>, addr: &ShardAddr) {
        let now = Instant::now();
        let times = {
            let mut reopened = self.reopened.borrow_mut();
            reopened.retain(|_, (_, last)| now.duration_since(*last) < REOPENINGS_FORGOTTEN);
            let (times, last) = reopened.entry(addr.clone()).or_insert((0, now));
            (*times, *last) = (*times + 1, now);
            *times
        };
        if times > REOPENINGS_MAX {
            tracing::error!(index_uuid = &*addr.index_uuid, shard = addr.shard, "the shard fails again and again");
            return;
        }
        let (this, addr) = (self.clone(), addr.clone());
        rt::spawn(async move {
            rt::sleep(REOPEN_AFTER * 2u32.pow(times - 1)).await;
            let known = this.known.borrow().get(&addr.index_uuid).cloned();
            // It may have been taken from its core meanwhile. That it failed may not have been told yet.
            let is_here =
                |known: &Known| known.copy(addr.shard).is_some_and(|copy| copy.state != CopyState::Unassigned);
            if let Some(known) = known.filter(|known| known.index.is_open() && is_here(known) && !this.ending.get()) {
                this.want(addr, Goal::Reopen(known.index));
            }
        })
        .detach();
    }

    async fn open(&self, addr: &ShardAddr, index: &IndexMeta) -> Result<()> {
        // One that was to be made of something may have been asked for empty.
        let source = self.core.state().copies(index).get(addr.shard as usize).map(|copy| copy.source);
        let seeded = source != Some(RecoverySource::Empty);
        let spec = ShardSpec {
            index: index.name.clone(),
            index_uuid: addr.index_uuid.clone(),
            shard: addr.shard,
            mapping: self.newest_mapping(index),
            settings: shard_settings(index)?,
            primary_term: index.primary_terms.get(addr.shard as usize).copied().unwrap_or(1),
            seed: index.seed.as_deref().filter(|_| seeded).map(|seed| shard_seed(seed, index, addr.shard)),
        };
        self.host.open_shard(spec).await
    }

    /// The mapping may have changed since the goal was set.
    fn newest_mapping(&self, index: &IndexMeta) -> Arc<pith_engine::mapping::Mapping> {
        self.known.borrow().get(&index.uuid).map_or(&index.mapping, |known| &known.index.mapping).clone()
    }

    fn report(self: &Rc<Self>, result: OpenResult) {
        self.results.borrow_mut().push(result);
        if self.reporting.replace(true) {
            return;
        }
        let this = self.clone();
        rt::spawn(async move {
            loop {
                let results = std::mem::take(&mut *this.results.borrow_mut());
                if results.is_empty() || this.ending.get() {
                    break;
                }
                if let Err(error) = this.core.submit(Change::CopiesOpened(results.clone())).await {
                    // Others wait for this: a disk that refuses a change made at the same time does not refuse the next try.
                    tracing::warn!("the cluster could not be told of opened shards, and will be: {error}");
                    let newer = std::mem::replace(&mut *this.results.borrow_mut(), results);
                    this.results.borrow_mut().extend(newer);
                    rt::sleep(REPORT_AGAIN_AFTER).await;
                }
            }
            this.reporting.set(false);
        })
        .detach();
    }

    fn shards_here(&self, index: &IndexMeta) -> Vec<ShardAddr> {
        let here = index.cores.iter().enumerate().filter(|(_, core)| **core == self.core.id());
        here.map(|(shard, _)| ShardAddr { index_uuid: index.uuid.clone(), shard: shard as u32 }).collect()
    }

    /// Answers a request to a shard; one that is being opened is waited for.
    pub async fn handle(self: Rc<Self>, addr: ShardAddr, request: ShardRequest) -> Result<ShardReply> {
        if !self.host.can_answer(&addr, &request) && self.moving.borrow().contains_key(&addr) {
            let moved = async {
                while self.moving.borrow().contains_key(&addr) && !self.host.can_answer(&addr, &request) {
                    self.moved.wait().or(self.host.searchable()).await;
                }
            };
            if rt::timeout(OPENING_WAIT, moved).await.is_none() {
                return Err(Error::new(ErrorKind::NoShardAvailable, "the shard is still being opened")
                    .with("index_uuid", &*addr.index_uuid)
                    .with("shard", addr.shard.to_string()));
            }
        }
        self.host.handle(&addr, request).await
    }

    /// Flushes and closes all shards: the end of the core.
    pub async fn shutdown(&self) -> Result<()> {
        self.ending.set(true);
        self.host.shutdown().await
    }
}

/// What is wanted of a shard whose copy is another now. `copy` is the one of an open index, `before` what it was, and whether the
/// index was open.
fn goal(before: Option<(bool, &ShardCopy)>, copy: Option<&ShardCopy>, index: &Arc<IndexMeta>) -> Option<Goal> {
    let was_here = before.is_some_and(|(open, copy)| open && copy.state != CopyState::Unassigned);
    let is_new = before.is_none_or(|(open, before)| {
        let same = |copy: &ShardCopy| copy.primary_term == before.primary_term && copy.state == before.state;
        !open || !copy.is_some_and(same)
    });
    let Some(copy) = copy.filter(|copy| copy.state != CopyState::Unassigned) else {
        return was_here.then_some(Goal::Close);
    };
    let another = before.is_some_and(|(_, before)| before.allocation_id != copy.allocation_id);
    match (copy.state == CopyState::Initializing && is_new, was_here) {
        (false, _) => None,
        (true, false) => Some(Goal::Open(index.clone())),
        (true, true) if another => Some(Goal::Renew(index.clone())),
        (true, true) => Some(Goal::Reopen(index.clone())),
    }
}

/// Which part of an index's seed one of its shards is made of.
fn shard_seed(seed: &Seed, index: &IndexMeta, shard: u32) -> ShardSeed {
    match seed {
        Seed::Snapshot(from) => ShardSeed::Snapshot {
            location: PathBuf::from(&from.location),
            snapshot_uuid: from.snapshot_uuid.clone(),
            index_id: from.index_id.clone(),
        },
        Seed::Resize { source, source_shards } => {
            let (from, to) = (*source_shards, index.number_of_shards.max(1));
            let index_uuid = source.uuid.clone();
            if from >= to {
                let each = from / to;
                return ShardSeed::Shards { index_uuid, shards: shard * each..(shard + 1) * each, keep: None };
            }
            let of = shard / (to / from.max(1)).max(1);
            let index = index.clone();
            let keep: Keep = Arc::new(move |id, routing| cluster::shard_of(&index, id, routing) == shard);
            ShardSeed::Shards { index_uuid, shards: of..of + 1, keep: Some(keep) }
        }
    }
}

fn shard_settings(index: &IndexMeta) -> Result<ShardSettings> {
    ShardSettings::read(|key| index.settings.text(key))
}
