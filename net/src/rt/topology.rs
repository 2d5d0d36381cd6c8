//! Which CPU each executor runs on.

use std::{io, mem};

/// One executor per entry; an entry is the CPU that it is pinned to. CPUs may repeat when there are more executors
/// than CPUs: the executors then share all listed CPUs and the kernel spreads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    pub cpus: Vec<usize>,
}

impl Topology {
    /// `n` executors on the CPUs that this process may use, starting over when there are fewer CPUs. At least one.
    pub fn first(n: usize) -> Self {
        let allowed = allowed_cpus();
        Self { cpus: allowed.iter().copied().cycle().take(n.max(1)).collect() }
    }

    /// Exactly these CPUs, one executor each. An empty list means one executor on the first allowed CPU.
    pub fn list(cpus: &[usize]) -> Self {
        if cpus.is_empty() { Self::first(1) } else { Self { cpus: cpus.to_vec() } }
    }

    /// One executor on each CPU that this process may use (cpusets and `taskset` are respected).
    pub fn detect() -> Self {
        Self { cpus: allowed_cpus() }
    }

    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// True when executors outnumber CPUs, so that spinning for work would take the CPU from whoever makes it.
    pub fn is_crowded(&self) -> bool {
        self.distinct().len() < self.cpus.len()
    }

    /// The CPUs that executor `core` is bound to: its own, or all of them when they are shared.
    pub(super) fn binding(&self, core: usize) -> Vec<usize> {
        if self.is_crowded() { self.distinct() } else { vec![self.cpus[core]] }
    }

    fn distinct(&self) -> Vec<usize> {
        let mut cpus = self.cpus.clone();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    }
}

fn allowed_cpus() -> Vec<usize> {
    // SAFETY: an all-zero cpu_set_t is a valid empty set, and the kernel writes at most the size that it is told.
    let set = unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        if libc::sched_getaffinity(0, mem::size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return vec![0];
        }
        set
    };
    // SAFETY: the index stays below CPU_SETSIZE, the number of bits in the set.
    let cpus: Vec<usize> =
        (0..libc::CPU_SETSIZE as usize).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect();
    if cpus.is_empty() { vec![0] } else { cpus }
}

/// Binds the calling thread. Callers treat failure as a warning: an unpinned executor is slower, not wrong.
pub(super) fn bind_current_thread(cpus: &[usize]) -> io::Result<()> {
    // SAFETY: an all-zero cpu_set_t is a valid empty set; indexes are checked against its number of bits.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        for &cpu in cpus.iter().filter(|&&cpu| cpu < libc::CPU_SETSIZE as usize) {
            libc::CPU_SET(cpu, &mut set);
        }
        if libc::sched_setaffinity(0, mem::size_of::<libc::cpu_set_t>(), &set) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_executors_than_cpus_share_all_of_them() {
        let topology = Topology { cpus: vec![0, 1, 0, 1] };
        assert!(topology.is_crowded());
        assert_eq!(topology.binding(3), vec![0, 1]);
        assert_eq!(Topology { cpus: vec![4, 7] }.binding(1), vec![7]);
        assert_eq!(Topology::first(9).len(), 9);
        assert_eq!(Topology::first(0).len(), 1);
        assert_eq!(Topology::list(&[3, 5]).cpus, vec![3, 5]);
    }
}
