//! Processor time and memory that a task has taken.

use std::cell::Cell;
use std::time::Instant;
use tikv_jemalloc_ctl::thread::{ThreadLocal, allocatedp};

/// What one run of a task took, or many together. A run is one poll: what happens between two hand-backs of the core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    pub cpu_ns: u64,
    /// Bytes allocated; what was freed again is not taken off.
    pub bytes: u64,
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
        Cost { cpu_ns: self.total.cpu_ns / runs, bytes: self.total.bytes / runs }
    }

    pub fn add(&mut self, cost: Cost) {
        let first = self.runs == 0;
        self.runs += 1;
        self.total.cpu_ns += cost.cpu_ns;
        self.total.bytes += cost.bytes;
        self.most = Cost { cpu_ns: self.most.cpu_ns.max(cost.cpu_ns), bytes: self.most.bytes.max(cost.bytes) };
        self.least = match first {
            true => cost,
            false => Cost { cpu_ns: self.least.cpu_ns.min(cost.cpu_ns), bytes: self.least.bytes.min(cost.bytes) },
        };
    }
}

/// Measures one run. A core is pinned and its runs are not interrupted by others of ours, so the time that goes by is the
/// processor's, but for what the system takes.
pub struct Meter {
    started: Instant,
    allocated: u64,
}

impl Meter {
    pub fn start() -> Self {
        Self { started: Instant::now(), allocated: allocated() }
    }

    pub fn stop(self) -> Cost {
        Cost {
            cpu_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            bytes: allocated().saturating_sub(self.allocated),
        }
    }
}

thread_local! {
    static ALLOCATED: Cell<Option<ThreadLocal<u64>>> = Cell::new(allocatedp::read().ok());
}

/// Bytes that this thread has ever allocated; 0 with an allocator that does not count them.
fn allocated() -> u64 {
    ALLOCATED.with(|counter| {
        let at = counter.take();
        let bytes = at.as_ref().map_or(0, |counter| counter.get());
        counter.set(at);
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up() {
        let mut usage = Usage::default();
        usage.add(Cost { cpu_ns: 10, bytes: 4 });
        usage.add(Cost { cpu_ns: 30, bytes: 2 });
        assert_eq!(usage.total, Cost { cpu_ns: 40, bytes: 6 });
        assert_eq!(usage.least, Cost { cpu_ns: 10, bytes: 2 });
        assert_eq!(usage.most, Cost { cpu_ns: 30, bytes: 4 });
        assert_eq!(usage.average(), Cost { cpu_ns: 20, bytes: 3 });
    }
}
