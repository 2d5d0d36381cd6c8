//! Writes: in the order in which they came, one document at a time, acknowledged when they are as durable as the index asks for.

use super::open_shard::OpenShard;
use super::protocol::{RefreshPolicy, Written};
use super::settings::Durability;
use futures_lite::future;
use pith_engine::json::Value;
use pith_engine::shard::{Applied, GetStats, OpKind, RecordSink, WriteOp, WriteOutcome, WriteResult};
use pith_engine::writer::TextAhead;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How often one document may change the mapping before it is given up: each change should be the last.
const MAPPING_CHANGES_MAX: usize = 10;

/// What is written between two looks at the clock, in bytes, each operation counting as so many more.
const STRIDE_BYTES: usize = 2 << 10;
const OPERATION_BYTES: usize = 1 << 10;

/// Documents that are read together for operations that update them.
const UPDATES_AT_ONCE: usize = 256;

impl OpenShard {
    /// Applies `ops` in order. The outer error means that none of them may be taken as done.
    pub async fn write(self: &Rc<Self>, ops: Vec<WriteOp>, refresh: RefreshPolicy) -> Result<Written> {
        self.check_open()?;
        let _admitted = self.core.admission.admit(ops.iter().map(WriteOp::bytes).sum())?;
        let mut results = Vec::with_capacity(ops.len());
        {
            let _turn = self.write_turn.take().await;
            let (mut now_ms, mut written, mut last) = (self.core.now_ms(), 0, Instant::now());
            for (at, op) in ops.iter().enumerate() {
                if at % UPDATES_AT_ONCE == 0 {
                    self.read_ahead(&ops[at..ops.len().min(at + UPDATES_AT_ONCE)]).await;
                    last = Instant::now();
                }
                self.check_open()?;
                results.push(self.write_one(op, now_ms, &mut last).await);
                written += OPERATION_BYTES + op.bytes();
                if written >= STRIDE_BYTES {
                    rt::yield_if_needed().await;
                    (now_ms, written, last) = (self.core.now_ms(), 0, Instant::now());
                }
            }
        }
        drop(ops);
        self.upkeep.last_write.set(rt::now());
        self.account_buffers();
        self.make_durable().await?;
        self.after_write().await?;
        let last = results.iter().filter_map(|r| r.as_ref().ok()).filter(|o| o.result != WriteResult::Noop);
        let forced_refresh = match last.map(|outcome| outcome.seq_no as i64).max() {
            Some(seq_no) => self.make_visible(seq_no, refresh).await?,
            None => false,
        };
        Ok(Written { results, forced_refresh })
    }

    /// Reads the documents that the next operations update together: one after the other they would wait for the disk as often.
    async fn read_ahead(&self, ops: &[WriteOp]) {
        let updated = ops.iter().filter(|op| op.reads_document()).map(|op| &*op.id);
        let updated: Vec<&str> = updated.collect();
        if updated.len() > 1 {
            // What cannot be read is told when its turn comes: then it is read by itself.
            let _ = self.read_for_updates(&updated).await;
        }
    }

    /// `last` is when the operation before was done: one look at the clock for each.
    async fn write_one(&self, op: &WriteOp, now_ms: u64, last: &mut Instant) -> Result<WriteOutcome> {
        for _ in 0..MAPPING_CHANGES_MAX {
            if op.reads_document() {
                self.read_for_updates(&[&op.id]).await?;
                *last = Instant::now();
            }
            let texts = self.shard.borrow().texts_ahead(op);
            let ahead = match texts {
                Some(texts) => {
                    let ahead = rt::offload(texts).await;
                    self.check_open()?;
                    *last = Instant::now();
                    ahead
                }
                None => vec![],
            };
            match self.apply(op, ahead, now_ms, last)? {
                Applied::Done(outcome) => return Ok(outcome),
                Applied::NeedsMapping(change) => {
                    self.change_mapping(change).await?;
                    *last = Instant::now();
                }
            }
        }
        let why = format!("document [{}] still needs a mapping change after [{MAPPING_CHANGES_MAX}] of them", op.id);
        Err(self.blame(Error::new(ErrorKind::IllegalState, why)))
    }

    /// Waits for the change, but not longer than the shard is open: whoever closes it may be the one who has to make the change.
    async fn change_mapping(&self, change: Value) -> Result<()> {
        let changed = (self.core.mapping_change)(self.addr.index_uuid.clone(), change);
        let closed = async {
            self.closing.wait().await;
            self.check_open()
        };
        future::or(changed, closed).await?;
        self.check_open()
    }

    fn apply(&self, op: &WriteOp, ahead: Vec<TextAhead>, now_ms: u64, last: &mut Instant) -> Result<Applied> {
        let unfinished = FailUnlessDone { shard: self, done: false };
        let applied = self.translog.append(|generation, out| {
            let mut sink = RecordSink { generation, out };
            let mut shard = self.shard.borrow_mut();
            match ahead.is_empty() {
                true => shard.apply(op, now_ms, &mut sink),
                false => shard.apply_with(ahead, op, now_ms, &mut sink),
            }
        });
        unfinished.done();
        let applied = applied.inspect_err(|error| self.fail(error.clone()))?;
        let now = Instant::now();
        let took = now.duration_since(std::mem::replace(last, now));
        self.count(op, &applied, took, now_ms);
        if matches!(applied, Ok(Applied::Done(_))) {
            let shard = self.shard.borrow();
            let index = &shard.identity().index;
            self.settings.borrow().slow_log.written(index, &self.addr.index_uuid, op, took);
        }
        applied
    }

    fn count(&self, op: &WriteOp, applied: &Result<Applied>, took: Duration, now_ms: u64) {
        let took_ns = took.as_nanos() as u64;
        let counters = &mut *self.counters.borrow_mut();
        if matches!(op.kind, OpKind::Update(_)) {
            count_get(&mut counters.get, applied);
        }
        let stats = &mut counters.indexing;
        match (applied, &op.kind) {
            (Ok(Applied::Done(outcome)), _) if outcome.result == WriteResult::Noop => stats.noop_update_total += 1,
            (Ok(Applied::Done(outcome)), _)
                if matches!(outcome.result, WriteResult::Deleted | WriteResult::NotFound) =>
            {
                stats.delete_total += 1;
                stats.delete_time_ns += took_ns;
            }
            (Ok(Applied::Done(_)), _) => {
                stats.index_total += 1;
                stats.index_time_ns += took_ns;
                stats.last_index_ms = now_ms;
            }
            (Ok(Applied::NeedsMapping(_)), _) => stats.index_time_ns += took_ns,
            // A document that cannot be read never came to be indexed.
            (Err(error), OpKind::Index { .. } | OpKind::Create { .. })
                if error.kind() == ErrorKind::VersionConflict =>
            {
                stats.index_failed += 1;
            }
            (Err(_), _) => {}
        }
    }

    async fn make_durable(self: &Rc<Self>) -> Result<()> {
        let durability = self.settings.borrow().durability;
        if durability == Durability::Request || self.translog.is_behind() {
            let synced = self.translog.sync_to(self.translog.position()).await;
            return synced.inspect_err(|error| self.fail(error.clone()));
        }
        self.schedule_sync();
        Ok(())
    }

    /// Gives whether the write itself caused a refresh.
    async fn make_visible(self: &Rc<Self>, seq_no: i64, policy: RefreshPolicy) -> Result<bool> {
        match policy {
            RefreshPolicy::None => Ok(false),
            RefreshPolicy::Immediate => self.refresh_to(seq_no).await.map(|()| true),
            RefreshPolicy::WaitFor => {
                let listeners = &self.upkeep.listeners;
                if listeners.get() >= self.settings.borrow().max_refresh_listeners {
                    return self.refresh_to(seq_no).await.map(|()| true);
                }
                listeners.set(listeners.get() + 1);
                let waited = self.until_visible(seq_no).await;
                listeners.set(listeners.get() - 1);
                waited.map(|()| false)
            }
        }
    }

    async fn until_visible(&self, seq_no: i64) -> Result<()> {
        while self.shard.borrow().visible_seq_no() < seq_no {
            self.check_open()?;
            self.visible.wait().await;
        }
        Ok(())
    }
}

/// Fails the shard if a panic comes halfway through a change of it: what it holds then is unknown.
struct FailUnlessDone<'a> {
    shard: &'a OpenShard,
    done: bool,
}

impl FailUnlessDone<'_> {
    fn done(mut self) {
        self.done = true;
    }
}

impl Drop for FailUnlessDone<'_> {
    fn drop(&mut self) {
        if !self.done {
            let why = "a write ended in the middle; the shard has to be opened anew";
            self.shard.fail(Error::new(ErrorKind::IllegalState, why));
        }
    }
}

/// An update gets its document first.
fn count_get(stats: &mut GetStats, applied: &Result<Applied>) {
    match applied {
        Ok(Applied::Done(outcome)) if outcome.result == WriteResult::Created => stats.missing_total += 1,
        Ok(Applied::Done(_)) => stats.exists_total += 1,
        Ok(Applied::NeedsMapping(_)) => {}
        Err(error) => match error.kind() {
            ErrorKind::DocumentMissing => stats.missing_total += 1,
            // Of another version than was asked for it is neither.
            ErrorKind::VersionConflict => {}
            _ => stats.exists_total += 1,
        },
    }
}
