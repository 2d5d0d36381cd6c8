//! Figures of the process and the machine, as the kernel tells them. Reading them takes file calls: on a core, offload.

use std::fs;
use std::path::Path;

/// One reading. What the machine does not tell is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    pub open_files: u64,
    pub open_files_max: u64,
    /// Of this process, user and system together.
    pub cpu_total_ms: u64,
    pub virtual_bytes: u64,
    pub resident_bytes: u64,
    pub threads: u64,
    pub memory_total_bytes: u64,
    pub memory_free_bytes: u64,
    pub memory_available_bytes: u64,
    pub swap_total_bytes: u64,
    pub swap_free_bytes: u64,
    pub load: [f64; 3],
    /// Of all processors since boot, in ticks: busy and all.
    pub machine_busy_ticks: u64,
    pub machine_all_ticks: u64,
}

/// Ticks of `/proc` per second; the kernel has told user space 100 on every machine for decades.
const TICKS_PER_SECOND: u64 = 100;
const PAGE_BYTES: u64 = 4096;

pub fn read() -> Reading {
    let mut reading = Reading {
        open_files: fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64),
        open_files_max: open_files_max(),
        ..Reading::default()
    };
    if let Ok(stat) = fs::read_to_string("/proc/self/stat") {
        // The name of the process stands in brackets and may hold anything; what follows it are numbers.
        let numbers: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let number = |at: usize| numbers.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        reading.cpu_total_ms = (number(11) + number(12)) * 1000 / TICKS_PER_SECOND;
        reading.threads = number(17);
        reading.virtual_bytes = number(20);
        reading.resident_bytes = number(21) * PAGE_BYTES;
    }
    if let Ok(info) = fs::read_to_string("/proc/meminfo") {
        let field = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
        };
        reading.memory_total_bytes = field("MemTotal");
        reading.memory_free_bytes = field("MemFree");
        reading.memory_available_bytes = field("MemAvailable");
        reading.swap_total_bytes = field("SwapTotal");
        reading.swap_free_bytes = field("SwapFree");
    }
    if let Ok(load) = fs::read_to_string("/proc/loadavg") {
        for (slot, text) in reading.load.iter_mut().zip(load.split_whitespace()) {
            *slot = text.parse().unwrap_or(0.0);
        }
    }
    if let Some(line) = fs::read_to_string("/proc/stat").ok().as_deref().and_then(|stat| stat.lines().next()) {
        let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|text| text.parse().ok()).collect();
        let idle = ticks.get(3).unwrap_or(&0) + ticks.get(4).unwrap_or(&0);
        reading.machine_all_ticks = ticks.iter().take(8).sum();
        reading.machine_busy_ticks = reading.machine_all_ticks.saturating_sub(idle);
    }
    reading
}

fn open_files_max() -> u64 {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What stays the same of the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// Of the system, as it calls itself.
    pub system_name: String,
    pub kernel: String,
    pub processors: usize,
    pub memory_bytes: u64,
}

pub fn machine() -> Machine {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    Machine {
        system_name: name.unwrap_or("Linux").trim_matches('"').to_owned(),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned(),
        processors: std::thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: read().memory_total_bytes,
    }
}

/// The file system that a folder is on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disk {
    pub total_bytes: u64,
    pub free_bytes: u64,
    /// To those who are not root.
    pub available_bytes: u64,
    pub mount: String,
    pub device: String,
    pub kind: String,
}

pub fn disk(folder: &Path) -> Disk {
    let mut disk = Disk::default();
    if let Ok(sizes) = rustix::fs::statvfs(folder) {
        disk.total_bytes = sizes.f_blocks.saturating_mul(sizes.f_frsize);
        disk.free_bytes = sizes.f_bfree.saturating_mul(sizes.f_frsize);
        disk.available_bytes = sizes.f_bavail.saturating_mul(sizes.f_frsize);
    }
    if let Some((device, kind, mount)) = mount_of(folder) {
        (disk.device, disk.kind, disk.mount) = (device, kind, mount);
    }
    disk
}

/// The mount that holds `path`: its device, kind and mount point.
fn mount_of(path: &Path) -> Option<(String, String, String)> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let path = path.canonicalize().ok()?;
    mounts
        .lines()
        .filter_map(|line| {
            let mut parts = line.split_whitespace();
            let (device, point, kind) = (parts.next()?, parts.next()?, parts.next()?);
            path.starts_with(point).then(|| (device.to_owned(), kind.to_owned(), point.to_owned()))
        })
        .max_by_key(|(_, _, point)| point.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_this_process() {
        let reading = read();
        assert!(reading.open_files > 0 && reading.open_files_max > 0);
        assert!(reading.resident_bytes > 0 && reading.memory_total_bytes > 0);
        assert!(reading.machine_all_ticks >= reading.machine_busy_ticks);
        assert!(!machine().kernel.is_empty());
        let disk = disk(Path::new("/"));
        assert!(disk.total_bytes >= disk.free_bytes && disk.free_bytes >= disk.available_bytes && disk.total_bytes > 0);
    }
}
