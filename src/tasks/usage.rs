//! Processor time and memory that a task has taken.

use pith_engine::meter::{self, Counts};
use std::cell::Cell;
use std::time::Instant;
use tikv_jemalloc_ctl::thread::{ThreadLocal, allocatedp, deallocatedp};

/// What one run of a task took, or many together. A run is one poll: what happens between two hand-backs of the core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    pub cpu_ns: u64,
    /// Bytes allocated; what was freed again is not taken off.
    pub bytes: u64,
    /// What was read of segments.
    pub read: Counts,
}

impl Cost {
    pub fn plus(self, other: Self) -> Self {
        Self { cpu_ns: self.cpu_ns + other.cpu_ns, bytes: self.bytes + other.bytes, read: self.read + other.read }
    }
}

/// What a task has taken so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    pub total: Cost,
    pub least: Cost,
    pub most: Cost,
    pub runs: u64,
}

impl Usage {
    pub fn average(&self) -> Cost {
        let runs = self.runs.max(1);
        Cost { cpu_ns: self.total.cpu_ns / runs, bytes: self.total.bytes / runs, read: Counts::default() }
    }

    pub fn add(&mut self, cost: Cost) {
        let first = self.runs == 0;
        self.runs += 1;
        self.total = self.total.plus(cost);
        self.most.cpu_ns = self.most.cpu_ns.max(cost.cpu_ns);
        self.most.bytes = self.most.bytes.max(cost.bytes);
        self.least = match first {
            true => cost,
            false => Cost {
                cpu_ns: self.least.cpu_ns.min(cost.cpu_ns),
                bytes: self.least.bytes.min(cost.bytes),
                ..self.least
            },
        };
    }
}

/// Measures one run. A core is pinned and its runs are not interrupted by others of ours, so the time that goes by is the
/// processor's, but for what the system takes.
#[derive(Clone, Copy)]
pub struct Meter {
    started: Instant,
    allocated: u64,
    read: Counts,
    freed: u64,
}

impl Meter {
    pub fn start() -> Self {
        Self { started: Instant::now(), allocated: allocated(), freed: freed(), read: meter::counts() }
    }

    /// Bytes that were allocated since and are not free again; negative where others' bytes were freed.
    pub fn held(&self) -> i64 {
        (allocated() - self.allocated) as i64 - (freed() - self.freed) as i64
    }

    /// What the run has taken so far.
    pub fn read(&self) -> Cost {
        Cost {
            cpu_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            bytes: allocated().saturating_sub(self.allocated),
            read: meter::counts() - self.read,
        }
    }
}

thread_local! {
    static ALLOCATED: Cell<Option<ThreadLocal<u64>>> = Cell::new(allocatedp::read().ok());
    static FREED: Cell<Option<ThreadLocal<u64>>> = Cell::new(deallocatedp::read().ok());
}

/// Bytes that this thread has ever allocated; 0 with an allocator that does not count them.
fn allocated() -> u64 {
    ALLOCATED.with(read)
}

/// Bytes that this thread has ever freed, whoever had allocated them.
fn freed() -> u64 {
    FREED.with(read)
}

fn read(counter: &Cell<Option<ThreadLocal<u64>>>) -> u64 {
    let at = counter.take();
    let bytes = at.as_ref().map_or(0, |counter| counter.get());
    counter.set(at);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up() {
        let cost = |cpu_ns, bytes, postings| Cost { cpu_ns, bytes, read: Counts { postings, ..Counts::default() } };
        let mut usage = Usage::default();
        usage.add(cost(10, 4, 128));
        usage.add(cost(30, 2, 256));
        assert_eq!(usage.total, cost(40, 6, 384));
        let times = |cost: Cost| (cost.cpu_ns, cost.bytes);
        assert_eq!((times(usage.least), times(usage.most), times(usage.average())), ((10, 2), (30, 4), (20, 3)));
    }
}
