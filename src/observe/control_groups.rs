//! What the kernel accounts to the control groups of the process and of the disks, in both of its layouts. Reading takes file
//! calls: on a core, offload.

use std::fs;

/// The control groups of this process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlGroups {
    /// Of the processor; none where the kernel tells nothing.
    pub path: Option<String>,
    pub memory_path: String,
    pub usage_ns: u64,
    pub period_us: i64,
    /// -1: no bound.
    pub quota_us: i64,
    pub periods: u64,
    pub throttled: u64,
    pub throttled_ns: u64,
    /// As the kernel has it: a number, or `max`.
    pub memory_limit: String,
    pub memory_used: String,
}

const ROOT: &str = "/sys/fs/cgroup";

pub fn control_groups() -> ControlGroups {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path_of = |controller: &str| {
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            controllers.split(',').any(|name| name == controller).then(|| path.to_owned())
        })
    };
    match (path_of("cpu"), path_of("")) {
        (Some(cpu), _) => separate(cpu, path_of("cpuacct").unwrap_or_default(), path_of("memory").unwrap_or_default()),
        (None, Some(path)) => unified(path),
        (None, None) => ControlGroups::default(),
    }
}

/// Each controller has a tree of its own. A container sees its group as the root of the tree, whatever its path is outside.
fn separate(cpu: String, cpuacct: String, memory: String) -> ControlGroups {
    let read = |controller: &str, path: &str, file: &str| {
        text(&[format!("{ROOT}/{controller}{path}/{file}"), format!("{ROOT}/{controller}/{file}")])
    };
    let stat = read("cpu", &cpu, "cpu.stat");
    ControlGroups {
        usage_ns: read("cpuacct", &cpuacct, "cpuacct.usage").parse().unwrap_or(0),
        period_us: read("cpu", &cpu, "cpu.cfs_period_us").parse().unwrap_or(0),
        quota_us: read("cpu", &cpu, "cpu.cfs_quota_us").parse().unwrap_or(-1),
        periods: field(&stat, "nr_periods"),
        throttled: field(&stat, "nr_throttled"),
        throttled_ns: field(&stat, "throttled_time"),
        memory_limit: read("memory", &memory, "memory.limit_in_bytes"),
        memory_used: read("memory", &memory, "memory.usage_in_bytes"),
        memory_path: memory,
        path: Some(cpu),
    }
}

/// One tree for all.
fn unified(path: String) -> ControlGroups {
    let read = |file: &str| text(&[format!("{ROOT}{path}/{file}"), format!("{ROOT}/{file}")]);
    let (stat, bound) = (read("cpu.stat"), read("cpu.max"));
    let (quota, period) = bound.split_once(' ').unwrap_or(("max", "100000"));
    ControlGroups {
        usage_ns: field(&stat, "usage_usec").saturating_mul(1000),
        period_us: period.parse().unwrap_or(0),
        quota_us: quota.parse().unwrap_or(-1),
        periods: field(&stat, "nr_periods"),
        throttled: field(&stat, "nr_throttled"),
        throttled_ns: field(&stat, "throttled_usec").saturating_mul(1000),
        memory_limit: read("memory.max"),
        memory_used: read("memory.current"),
        memory_path: path.clone(),
        path: Some(path),
    }
}

fn text(candidates: &[String]) -> String {
    let found = candidates.iter().find_map(|file| fs::read_to_string(file).ok());
    found.unwrap_or_default().trim().to_owned()
}

fn field(stat: &str, name: &str) -> u64 {
    let line = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

/// What a block device has done since the machine started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceFigures {
    pub name: String,
    pub reads: u64,
    pub read_kilobytes: u64,
    pub read_ms: u64,
    pub writes: u64,
    pub written_kilobytes: u64,
    pub write_ms: u64,
    pub busy_ms: u64,
    /// Time of all requests together.
    pub queued_ms: u64,
}

/// The figures of a device such as `/dev/vda`.
pub fn device_figures(device: &str) -> Option<DeviceFigures> {
    let real = fs::canonicalize(device).ok()?;
    let name = real.file_name()?.to_str()?;
    let stats = fs::read_to_string("/proc/diskstats").ok()?;
    let line = stats.lines().find(|line| line.split_whitespace().nth(2) == Some(name))?;
    let numbers: Vec<u64> = line.split_whitespace().skip(3).map(|text| text.parse().unwrap_or(0)).collect();
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    Some(DeviceFigures {
        name: name.to_owned(),
        reads: number(0),
        // A sector is 512 bytes, whatever the device has.
        read_kilobytes: number(2) / 2,
        read_ms: number(3),
        writes: number(4),
        written_kilobytes: number(6) / 2,
        write_ms: number(7),
        busy_ms: number(9),
        queued_ms: number(10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_tells_is_read() {
        let groups = control_groups();
        assert!(groups.path.is_none_or(|path| path.starts_with('/')));
        assert_eq!(field("nr_periods 7\nnr_throttled 2\n", "nr_throttled"), 2);
        assert_eq!(device_figures("/dev/no-such-device"), None);
    }
}
