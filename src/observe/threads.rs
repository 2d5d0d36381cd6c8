//! What the threads of the process did, as the kernel tells it. Reading takes file calls: on a core, offload.

use std::fs;

/// One reading of one thread. Times are since it began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    pub id: u64,
    pub name: String,
    /// On a processor.
    pub cpu_ns: u64,
    /// Ready to run, waiting for a processor.
    pub wait_ns: u64,
    /// Waiting for a disk.
    pub block_ns: u64,
}

/// A tick of `/proc`, of which there are 100 in a second.
const TICK_NS: u64 = 10_000_000;

/// All threads of the process.
pub fn threads() -> Vec<Thread> {
    let Ok(entries) = fs::read_dir("/proc/self/task") else { return vec![] };
    entries.flatten().filter_map(|entry| thread(&entry.path())).collect()
}

/// None for a thread that has ended meanwhile.
fn thread(folder: &std::path::Path) -> Option<Thread> {
    let id = folder.file_name()?.to_str()?.parse().ok()?;
    let name = fs::read_to_string(folder.join("comm")).ok()?.trim_end().to_owned();
    let schedule = fs::read_to_string(folder.join("schedstat")).ok()?;
    let mut times = schedule.split_whitespace().map_while(|text| text.parse::<u64>().ok());
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // Behind the name, which may hold anything, the 40th number is the time of waiting for disks.
    let blocked = stat.rsplit(')').next()?.split_whitespace().nth(39)?.parse::<u64>().unwrap_or(0);
    Some(Thread {
        id,
        name,
        cpu_ns: times.next().unwrap_or(0),
        wait_ns: times.next().unwrap_or(0),
        block_ns: blocked * TICK_NS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_thread_is_there_and_has_worked() {
        let all = threads();
        assert!(all.iter().any(|thread| thread.id == u64::from(std::process::id())));
        assert!(all.iter().any(|thread| thread.cpu_ns > 0));
    }
}
