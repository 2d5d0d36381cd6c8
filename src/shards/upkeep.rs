//! What keeps a shard in shape while others use it: syncing, flushing, merging, and staying within the core's memory.

use super::huge_pages;
use super::open_shard::OpenShard;
use crate::store::{drop_unused, open_segment, publish_commit, read_whole, write_files};
use bytes::Bytes;
use pith_engine::Result;
use pith_engine::pace::Pace;
use pith_engine::shard::{ForceMerge, MergeJob};
use pith_engine::writer::MergeSettings;
use pith_net::rt::{self, Class};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A shard that nobody has written to for so long is flushed, so that its start is quick and its translog small.
const IDLE_FLUSH_AFTER: Duration = Duration::from_secs(300);

impl OpenShard {
    /// Plans what a write makes necessary. Waits only where the core's memory for buffers is far exceeded.
    pub async fn after_write(self: &Rc<Self>) -> Result<()> {
        self.schedule_refresh();
        self.schedule_rest();
        let uncommitted = self.translog.size_from(self.shard.borrow().committed_translog_generation());
        if uncommitted.bytes > self.settings.borrow().flush_threshold_bytes {
            self.schedule_flush();
        }
        self.core.bound_buffers().await;
        self.check_open()
    }

    /// Plans the sync of writes that were acknowledged before they were durable.
    pub fn schedule_sync(self: &Rc<Self>) {
        if self.upkeep.sync_scheduled.replace(true) {
            return;
        }
        let interval = self.settings.borrow().sync_interval;
        let shard = self.clone();
        rt::spawn(async move {
            rt::sleep(interval).await;
            shard.upkeep.sync_scheduled.set(false);
            if let Err(error) = shard.translog.sync_to(shard.translog.position()).await {
                shard.fail(error);
            }
        })
        .detach();
    }

    /// Flushes in the background because the translog has grown.
    fn schedule_flush(self: &Rc<Self>) {
        if self.upkeep.flush_scheduled.replace(true) {
            return;
        }
        let shard = self.clone();
        rt::spawn_in(Class::Background, async move {
            match shard.flush_now(false).await {
                Ok(_) => shard.counters.borrow_mut().flush.periodic += 1,
                Err(error) => {
                    tracing::error!(index_uuid = %shard.addr.index_uuid, shard = shard.addr.shard, "flush failed: {error}");
                }
            }
            shard.upkeep.flush_scheduled.set(false);
        })
        .detach();
    }

    /// Flushes in the background what is in memory only, so that it can be let go.
    pub fn flush_for_memory(self: &Rc<Self>) {
        if self.is_open() && self.shard.borrow().needs_flush() {
            self.schedule_flush();
        }
    }

    /// Flushes a shard that has come to rest. Asked now and then by the core.
    pub fn flush_if_idle(self: &Rc<Self>) {
        let idle = rt::elapsed(self.upkeep.last_write.get()) >= IDLE_FLUSH_AFTER;
        if idle && self.is_open() && self.shard.borrow().needs_flush() {
            self.schedule_flush();
        }
    }

    /// Makes a commit point of everything written before this call, and drops the translog that it covers. Gives whether there was
    /// anything to do. Without `wait`, a flush that is under way is left to itself.
    pub async fn flush(self: &Rc<Self>, force: bool, wait: bool) -> Result<bool> {
        self.check_open()?;
        let started = Instant::now();
        let shard = self.clone();
        let flushed = match !wait && self.upkeep.flushing.get() {
            true => false,
            false => self.to_the_end(async move { shard.flush_now(force).await }).await?,
        };
        if !flushed {
            // What was asked for counts, also where there was nothing to do.
            self.count_flush(started);
        }
        Ok(flushed)
    }

    fn count_flush(&self, started: Instant) {
        let stats = &mut self.counters.borrow_mut().flush;
        stats.total += 1;
        stats.total_time_ns += started.elapsed().as_nanos() as u64;
    }

    pub(super) async fn flush_now(self: &Rc<Self>, force: bool) -> Result<bool> {
        let _turn = self.flush_turn.take().await;
        if !force && !self.shard.borrow().needs_flush() {
            return Ok(false);
        }
        let started = Instant::now();
        self.upkeep.flushing.set(true);
        let written = self.write_commit().await;
        self.upkeep.flushing.set(false);
        written?;
        self.count_flush(started);
        Ok(true)
    }

    async fn write_commit(self: &Rc<Self>) -> Result<()> {
        let (plan, generation) = {
            let _turn = self.refresh_turn.take().await;
            let generation = self.seal(true).await?.expect("a generation was asked for");
            (self.shard.borrow_mut().plan_commit(generation), generation)
        };
        // The commit names the new generation, so its file has to be there before the commit is.
        self.translog.sync_generation(generation).await.inspect_err(|error| self.fail(error.clone()))?;
        write_files(&self.folder, &plan.files).await?;
        // Whether the commit point is there is not known if this fails, and what it names must not be written again.
        publish_commit(&self.folder, &plan.commit).await.inspect_err(|error| self.fail(error.clone()))?;
        self.shard.borrow_mut().committed(&plan);
        self.translog.trim_below(generation).await?;
        drop_unused(&self.folder, &plan.commit).await
    }

    /// Begins background merges if the policy wants any.
    pub fn schedule_merge(self: &Rc<Self>) {
        if self.upkeep.merge_scheduled.replace(true) {
            return;
        }
        let shard = self.clone();
        rt::spawn_in(Class::Background, async move {
            let merged = loop {
                match shard.merge_step(None).await {
                    Ok(true) => {}
                    Ok(false) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            shard.upkeep.merge_scheduled.set(false);
            if let Err(error) = merged
                && shard.is_open()
            {
                tracing::error!(index_uuid = %shard.addr.index_uuid, shard = shard.addr.shard, "merge failed: {error}");
            }
        })
        .detach();
    }

    /// Merges until `goal` is reached; without one, until the policy wants no more.
    pub async fn force_merge(self: &Rc<Self>, goal: Option<ForceMerge>) -> Result<()> {
        self.refresh().await?;
        loop {
            self.check_open()?;
            let shard = self.clone();
            if !self.to_the_end(async move { shard.merge_step(goal).await }).await? {
                return Ok(());
            }
        }
    }

    /// Gives whether there was anything to merge.
    pub(super) async fn merge_step(self: &Rc<Self>, goal: Option<ForceMerge>) -> Result<bool> {
        // One merge at a time on a core: they share it with searches, and each needs memory for its result.
        let _turn = self.core.merge_turn.take().await;
        self.check_open()?;
        let settings = self.settings.borrow().merge;
        let max_merged_segment_bytes = settings.max_merged_segment_bytes.min(self.core.index_memory.merge_bytes_max());
        let settings = MergeSettings { max_merged_segment_bytes, ..settings };
        let planned = match goal {
            Some(goal) => self.shard.borrow_mut().plan_force_merge(&settings, goal),
            None => self.shard.borrow_mut().plan_merge(&settings, &self.rewritten_segments()),
        };
        match planned {
            // What nobody asked for waits until there is room.
            Some(job) if matches!(goal, None | Some(ForceMerge::Small)) && self.admit_merge(&job).is_err() => {
                self.shard.borrow_mut().abandon_merge(&job);
                Ok(false)
            }
            Some(job) => self.merge(job).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// Refuses a merge for which segments have to be read, where there is no room for them.
    fn admit_merge(&self, job: &MergeJob) -> Result<()> {
        match job.sources.iter().any(|view| view.segment.is_partial()) {
            true => self.core.index_memory.admit_merge(job.bytes()),
            false => Ok(()),
        }
    }

    async fn merge(self: &Rc<Self>, mut job: MergeJob) -> Result<()> {
        let started = Instant::now();
        let (docs, bytes) = (job.docs(), job.bytes());
        self.count_current_merge(1, docs, bytes);
        let merged = self.run_merge(&mut job).await;
        self.count_current_merge(-1, docs, bytes);
        if merged.is_err() {
            self.shard.borrow_mut().abandon_merge(&job);
        }
        merged?;
        let stats = &mut self.counters.borrow_mut().merges;
        stats.total += 1;
        stats.total_time_ns += started.elapsed().as_nanos() as u64;
        stats.total_docs += docs;
        stats.total_bytes += bytes;
        Ok(())
    }

    async fn run_merge(&self, job: &mut MergeJob) -> Result<()> {
        self.admit_merge(job)?;
        for view in &mut job.sources {
            if let Some(file) = self.core.part_files.of(&view.segment) {
                view.segment = read_whole(view.segment.name(), &file).await?;
            }
        }
        let mut merged = job.run(&Pace::new(rt::must_give_way)).await?;
        let bytes = Bytes::from(std::mem::take(&mut merged.bytes));
        let segment = open_segment(&merged.name, bytes).await?;
        huge_pages::settle(&segment);
        self.shard.borrow_mut().install_merge(merged, segment);
        if self.shard.borrow().shows_merges() {
            let prepared = self.prepare().await;
            self.shard.borrow_mut().publish_merge(prepared.next.clone());
            self.keep(prepared);
        }
        // What was read for the merge is not needed any more.
        job.sources.clear();
        Ok(())
    }

    fn count_current_merge(&self, sign: i64, docs: u64, bytes: u64) {
        let stats = &mut self.counters.borrow_mut().merges;
        stats.current = stats.current.saturating_add_signed(sign);
        stats.current_docs = stats.current_docs.saturating_add_signed(sign * docs as i64);
        stats.current_bytes = stats.current_bytes.saturating_add_signed(sign * bytes as i64);
    }

    /// Ends the life of the shard on this core. With `flush`, what it holds becomes a commit point first.
    pub async fn close(self: &Rc<Self>, flush: bool) -> Result<()> {
        let healthy = self.is_open();
        self.free_all_contexts();
        self.begin_close();
        // Writes under way finish; those that wait find the shard closed.
        let _writes = self.write_turn.take().await;
        if !healthy {
            // Whatever is under way ends before anybody opens the files anew.
            let _flushes = self.flush_turn.take().await;
            let _refreshes = self.refresh_turn.take().await;
            self.translog.abandon().await;
            return Ok(());
        }
        let flushed = if flush { self.flush_now(false).await.map(|_| ()) } else { Ok(()) };
        let _flushes = self.flush_turn.take().await;
        let closed = self.translog.close().await;
        flushed.and(closed)
    }
}
