//! Making writes visible: when asked for, on the index's interval, and early where memory runs short.

use super::open_shard::OpenShard;
use super::popular::Prepared;
use crate::store::open_segment;
use bytes::Bytes;
use pith_engine::Result;
use pith_engine::pace::Pace;
use pith_net::rt::{self, Class};
use std::rc::Rc;
use std::time::Instant;

impl OpenShard {
    /// Everything written before this call is visible to searches that begin after it.
    pub async fn refresh(self: &Rc<Self>) -> Result<()> {
        let seq_no = self.shard.borrow().max_seq_no();
        self.refresh_to(seq_no).await
    }

    /// As [`Self::refresh`], for the operations up to `seq_no`. One refresh serves all who wait for it.
    pub async fn refresh_to(self: &Rc<Self>, seq_no: i64) -> Result<()> {
        self.check_open()?;
        let shard = self.clone();
        self.to_the_end(async move { shard.refresh_now(seq_no, true).await }).await
    }

    async fn refresh_now(self: &Rc<Self>, seq_no: i64, asked_for: bool) -> Result<()> {
        let _turn = self.refresh_turn.take().await;
        self.check_open()?;
        {
            let shard = self.shard.borrow();
            if !shard.needs_refresh() || shard.visible_seq_no() >= seq_no {
                return Ok(());
            }
        }
        let started = Instant::now();
        if self.shard.borrow().has_open_writes() {
            self.seal(false).await?;
        }
        // Whoever asks for a refresh waits for it.
        let prepared = if asked_for { Prepared::default() } else { self.prepare().await };
        if self.shard.borrow_mut().publish(prepared.next.clone()) {
            self.core.request_cache.clear(&self.addr);
            self.keep(prepared);
        }
        self.upkeep.refresh_owed.set(false);
        self.visible.notify_all();
        let stats = &mut self.counters.borrow_mut().refresh;
        stats.external_total += 1;
        stats.external_total_time_ns += started.elapsed().as_nanos() as u64;
        Ok(())
    }

    /// Turns the open buffer into a segment without showing it to searches. With `roll`, the translog begins a new
    /// generation at the very same point, whose number this gives. The refresh turn must be held, and the task must not be cancelled.
    pub async fn seal(self: &Rc<Self>, roll: bool) -> Result<Option<u64>> {
        let started = Instant::now();
        let (job, generation) = {
            let mut shard = self.shard.borrow_mut();
            let generation = roll.then(|| self.translog.roll());
            (shard.freeze(), generation)
        };
        let view = match job {
            None => None,
            Some(job) => {
                let sealed = async {
                    let mut sealed = job.run(&Pace::new(rt::must_give_way)).await?;
                    let bytes = Bytes::from(std::mem::take(&mut sealed.bytes));
                    let segment = open_segment(&sealed.name, bytes).await?;
                    Ok(sealed.opened(segment))
                };
                // The frozen writes have no other place to go: without their segment the shard cannot go on.
                Some(sealed.await.inspect_err(|error: &pith_engine::Error| self.fail(error.clone()))?)
            }
        };
        self.shard.borrow_mut().install(view, self.core.now_ms());
        self.account_buffers();
        let stats = &mut self.counters.borrow_mut().refresh;
        stats.total += 1;
        stats.total_time_ns += started.elapsed().as_nanos() as u64;
        self.schedule_merge();
        Ok(generation)
    }

    /// Plans the next refresh of the index's interval, if there is anything to show.
    pub fn schedule_refresh(self: &Rc<Self>) {
        let Some(interval) = self.settings.borrow().refresh_interval else { return };
        if self.upkeep.refresh_scheduled.get() || !self.shard.borrow().needs_refresh() {
            return;
        }
        self.upkeep.refresh_scheduled.set(true);
        // A weak reference: an interval of a day must not keep a deleted shard in memory.
        let shard = Rc::downgrade(self);
        rt::spawn(async move {
            rt::sleep(interval).await;
            let Some(shard) = shard.upgrade().filter(|shard| shard.is_open()) else { return };
            shard.upkeep.refresh_scheduled.set(false);
            shard.scheduled_refresh().await;
        })
        .detach();
    }

    async fn scheduled_refresh(self: &Rc<Self>) {
        let interval = self.settings.borrow().refresh_interval;
        if interval.is_none() {
            return;
        }
        if self.is_search_idle() && self.upkeep.listeners.get() == 0 {
            self.upkeep.refresh_owed.set(true);
            return;
        }
        let seq_no = self.shard.borrow().max_seq_no();
        let shard = self.clone();
        if let Err(error) = self.to_the_end(async move { shard.refresh_now(seq_no, false).await }).await {
            tracing::warn!(index_uuid = %self.addr.index_uuid, shard = self.addr.shard, "refresh failed: {error}");
            return;
        }
        self.schedule_refresh();
    }

    /// Nobody has searched for a while, and nobody asked for refreshes all the same.
    fn is_search_idle(&self) -> bool {
        let settings = self.settings.borrow();
        !settings.refresh_interval_is_explicit
            && rt::elapsed(self.upkeep.last_search.get()) >= settings.search_idle_after
    }

    /// Makes up for the refresh that was left out while nobody searched.
    pub async fn refresh_if_owed(self: &Rc<Self>) -> Result<()> {
        if self.upkeep.refresh_owed.get() {
            // Boxed, since every search has room for what waits here.
            Box::pin(self.refresh()).await?;
        }
        Ok(())
    }

    /// Seals the buffer in the background to free memory.
    pub fn seal_for_memory(self: &Rc<Self>) {
        if self.upkeep.sealing_for_memory.replace(true) {
            return;
        }
        let shard = self.clone();
        rt::spawn_in(Class::Background, async move {
            let _turn = shard.refresh_turn.take().await;
            if shard.is_open() && shard.shard.borrow().has_open_writes() {
                // A failure has failed the shard, and is logged.
                let _ = shard.seal(false).await;
            }
            shard.upkeep.sealing_for_memory.set(false);
            shard.core.buffers_freed.notify_all();
        })
        .detach();
    }
}
