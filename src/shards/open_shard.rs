//! One shard that is open on this core: the engine's shard, its translog, and who is doing what with them.

use super::host::Core;
use super::huge_pages;
use super::protocol::{ClearCaches, Recovery, SegmentInfo, ShardAddr};
use super::settings::ShardSettings;
use super::turn::Turn;
use crate::store::{ShardFolder, Translog};
use pith_engine::mapping::Mapping;
use pith_engine::segment::SegmentView;
use pith_engine::shard::{DocsStats, SeqNoStats, Shard, ShardStats, TranslogStats};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, Event, Notify};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

/// Turns are taken in this order, never the other way: flush, refresh. Writes have a turn of their own, under which a write may wait
/// for a mapping change; nothing that waits for writes runs inside the other two.
pub struct OpenShard {
    pub addr: ShardAddr,
    pub core: Rc<Core>,
    pub folder: ShardFolder,
    pub shard: RefCell<Shard>,
    pub translog: Translog,
    pub settings: RefCell<ShardSettings>,
    /// How it was opened.
    pub recovery: Recovery,
    pub write_turn: Turn,
    pub refresh_turn: Turn,
    pub flush_turn: Turn,
    /// Rung when searches see more than before, and when the shard closes or fails.
    pub visible: Notify,
    /// Set when the shard closes or fails: nobody should wait for anything any more.
    pub closing: Event,
    pub upkeep: Upkeep,
    /// What is counted as it happens; the rest of the statistics is looked up when asked for.
    pub counters: RefCell<ShardStats>,
    phase: RefCell<Phase>,
}

/// What is planned or running in the background.
pub struct Upkeep {
    pub refresh_scheduled: Cell<bool>,
    pub sync_scheduled: Cell<bool>,
    pub flush_scheduled: Cell<bool>,
    pub merge_scheduled: Cell<bool>,
    /// Somebody waits for the shard to come to rest.
    pub rest_awaited: Cell<bool>,
    pub flushing: Cell<bool>,
    pub sealing_for_memory: Cell<bool>,
    /// This shard's part in the core's `buffer_bytes`.
    pub buffer_bytes: Cell<usize>,
    /// Writes that wait for a refresh.
    pub listeners: Cell<usize>,
    pub last_search: Cell<Instant>,
    pub last_write: Cell<Instant>,
    /// A scheduled refresh was left out because nobody searches; the next search makes up for it.
    pub refresh_owed: Cell<bool>,
}

enum Phase {
    Open,
    Closing,
    /// Nothing more can be promised: an I/O error of the translog, or a bug met halfway through a change.
    Failed(Error),
}

impl OpenShard {
    pub fn new(
        addr: ShardAddr,
        core: Rc<Core>,
        folder: ShardFolder,
        shard: Shard,
        translog: Translog,
        settings: ShardSettings,
        recovery: Recovery,
    ) -> Self {
        let now = rt::now();
        huge_pages::settle_all(shard.snapshot());
        Self {
            addr,
            core,
            folder,
            shard: RefCell::new(shard),
            translog,
            settings: RefCell::new(settings),
            recovery,
            write_turn: Turn::new(),
            refresh_turn: Turn::new(),
            flush_turn: Turn::new(),
            visible: Notify::new(),
            closing: Event::new(),
            upkeep: Upkeep {
                refresh_scheduled: Cell::new(false),
                sync_scheduled: Cell::new(false),
                flush_scheduled: Cell::new(false),
                merge_scheduled: Cell::new(false),
                rest_awaited: Cell::new(false),
                flushing: Cell::new(false),
                sealing_for_memory: Cell::new(false),
                buffer_bytes: Cell::new(0),
                listeners: Cell::new(0),
                last_search: Cell::new(now),
                last_write: Cell::new(now),
                refresh_owed: Cell::new(false),
            },
            counters: RefCell::default(),
            phase: RefCell::new(Phase::Open),
        }
    }

    /// Refuses work on a shard that is closing or has failed.
    pub fn check_open(&self) -> Result<()> {
        match &*self.phase.borrow() {
            Phase::Open => Ok(()),
            Phase::Closing => Err(self.blame(Error::new(ErrorKind::IllegalState, "the shard is closed"))),
            Phase::Failed(error) => Err(error.clone()),
        }
    }

    pub fn is_open(&self) -> bool {
        matches!(*self.phase.borrow(), Phase::Open)
    }

    /// No new work from now on; waiters are let go.
    pub fn begin_close(&self) {
        let mut phase = self.phase.borrow_mut();
        if matches!(*phase, Phase::Open) {
            *phase = Phase::Closing;
        }
        drop(phase);
        self.visible.notify_all();
        self.closing.set();
        self.core.request_cache.forget(&self.addr);
        self.account_buffers();
    }

    /// The shard cannot go on. Every request to it is answered with `error` from now on.
    pub fn fail(&self, error: Error) {
        if matches!(*self.phase.borrow(), Phase::Failed(_)) {
            return;
        }
        tracing::error!(index_uuid = %self.addr.index_uuid, shard = self.addr.shard, "shard failed: {error}");
        let was_open = self.is_open();
        *self.phase.borrow_mut() = Phase::Failed(self.blame(error.clone()));
        self.visible.notify_all();
        self.closing.set();
        self.account_buffers();
        if was_open {
            self.core.tell_of_failure(&self.addr, &error);
        }
    }

    /// Runs `work` in a task of its own, so that a caller who goes away (a client that hangs up) does not leave it half done.
    pub async fn to_the_end<T: 'static>(&self, work: impl Future<Output = Result<T>> + 'static) -> Result<T> {
        let (sender, receiver) = rt::oneshot();
        rt::spawn(async move {
            // Nobody may be waiting any more; the work is done all the same.
            let _ = sender.send(work.await);
        })
        .detach();
        match receiver.await {
            Some(result) => result,
            None => {
                let error = self.blame(Error::new(ErrorKind::IllegalState, "upkeep of the shard ended in the middle"));
                self.fail(error.clone());
                Err(error)
            }
        }
    }

    pub fn blame(&self, error: Error) -> Error {
        self.shard.borrow().identity().blame(error)
    }

    /// Brings the core's account of buffer memory up to date. To be called whenever a buffer grew or was sealed.
    pub fn account_buffers(&self) {
        let bytes = if self.is_open() { self.shard.borrow().buffer_bytes() } else { 0 };
        let before = self.upkeep.buffer_bytes.replace(bytes);
        self.core.buffer_bytes.set(self.core.buffer_bytes.get() - before + bytes);
    }

    /// Follows new settings of the index. A refresh that is planned already keeps its time.
    pub fn update_settings(self: &Rc<Self>, settings: ShardSettings) {
        self.shard.borrow_mut().set_gc_deletes(settings.gc_deletes_ms());
        let shorter = settings
            .refresh_interval
            .is_some_and(|new| self.settings.borrow().refresh_interval.is_none_or(|old| new < old));
        *self.settings.borrow_mut() = settings;
        if shorter {
            // The planned refresh may be hours away.
            self.upkeep.refresh_scheduled.set(false);
        }
        self.schedule_refresh();
    }

    pub fn stats(&self) -> ShardStats {
        let shard = self.shard.borrow();
        let mut stats = self.counters.borrow().clone();
        for view in shard.segment_views() {
            add_field_sizes(view, shard.mapping(), &mut stats);
            stats.docs.add(&DocsStats { count: view.live_count().into(), deleted: view.deleted_count().into() });
            stats.store_bytes += view.segment.file_len();
            stats.segments.count += 1;
            stats.segments.memory_bytes += view.segment.memory_bytes() as u64;
            for (kind, bytes) in view.segment.section_bytes().filter(|(_, bytes)| *bytes > 0) {
                *stats.segments.section_bytes.entry(kind).or_default() += bytes;
            }
        }
        stats.request_cache = self.core.request_cache.stats(&self.addr);
        stats.commit = Some(shard.commit_stats());
        stats.store_bytes += shard.commit_bytes();
        stats.segments.buffer_bytes = shard.buffer_bytes() as u64;
        stats.segments.version_map_bytes = shard.version_map_bytes() as u64;
        stats.refresh.listeners = self.upkeep.listeners.get() as u64;
        stats.seq_no = SeqNoStats {
            max_seq_no: shard.max_seq_no(),
            local_checkpoint: shard.local_checkpoint(),
            // There is one copy of the shard, so what it has, all have.
            global_checkpoint: shard.local_checkpoint(),
        };
        let all = self.translog.size_from(0);
        let uncommitted = self.translog.size_from(shard.committed_translog_generation());
        stats.translog = TranslogStats {
            operations: all.operations,
            size_bytes: all.bytes,
            uncommitted_operations: uncommitted.operations,
            uncommitted_size_bytes: uncommitted.bytes,
            earliest_last_modified_age_ms: all.age.as_millis() as u64,
        };
        stats
    }

    /// Empties caches. What was loaded of text fields counts as unused again.
    pub fn clear_caches(&self, which: &ClearCaches) {
        if which.requests {
            self.core.request_cache.clear(&self.addr);
        }
        if !which.fielddata {
            return;
        }
        let fields = &which.fields;
        let shard = self.shard.borrow();
        // What has not been read holds no fielddata either.
        for held in shard.segment_views().flat_map(|view| view.segment.field_sizes()).filter_map(|(_, _, held)| held) {
            if fields.is_empty() || fields.iter().any(|field| field == held.name()) {
                held.forget_ordinals_read();
            }
        }
    }

    pub fn segments(&self) -> Vec<SegmentInfo> {
        self.shard.borrow().segment_views().map(|view| self.about_segment(view)).collect()
    }

    /// What is told of a segment that this shard has or had.
    pub fn about_segment(&self, view: &SegmentView) -> SegmentInfo {
        let shard = self.shard.borrow();
        let visible = &shard.snapshot().segments;
        SegmentInfo {
            name: view.segment.name().to_owned(),
            docs: view.live_count(),
            deleted: view.deleted_count(),
            bytes: view.segment.file_len(),
            memory_bytes: view.segment.memory_bytes() as u64,
            committed: shard.is_committed(view),
            visible: visible.iter().any(|seen| seen.segment.name() == view.segment.name()),
        }
    }
}

/// Adds what a segment holds of completion fields, and of text fields what sorts and aggregations have used.
fn add_field_sizes(view: &SegmentView, mapping: &Mapping, stats: &mut ShardStats) {
    for (name, bytes, held) in view.segment.field_sizes() {
        let Some(field) = mapping.field(name) else { continue };
        if field.completion().is_some() {
            *stats.completion.entry(name.to_owned()).or_default() += bytes;
        }
        let used = held.map_or(0, |held| held.ordinal_bytes_read());
        if used > 0 && field.fielddata() {
            *stats.fielddata.entry(name.to_owned()).or_default() += used;
        }
    }
}
