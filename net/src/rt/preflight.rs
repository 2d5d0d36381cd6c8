//! What the machine must offer, checked before anything starts, so that a refusal names its cause.

use std::{
    fs, io,
    io::Write,
    os::fd::{AsRawFd, FromRawFd, OwnedFd},
    path::Path,
};

use io_uring::IoUring;

/// Descriptors that there is room for from the beginning (half a MiB of the kernel's memory).
const DESCRIPTORS: u64 = 64 << 10;

/// Checks io_uring (by making a ring), raises the limits of locked memory and of open files as far as allowed and makes room for
/// descriptors. The message says what to do. To be called before there are threads, if that can be.
pub fn preflight() -> Result<(), String> {
    raise(libc::RLIMIT_MEMLOCK);
    raise(libc::RLIMIT_NOFILE);
    reserve_descriptors();
    try_ring()
}

/// Has the kernel enlarge the table of open files now. In a process with threads that takes until every processor has done something
/// else, 10 ms and more each time that the table doubles; the core that accepts the connection which does not fit would stand still.
fn reserve_descriptors() {
    let last = limit(libc::RLIMIT_NOFILE).rlim_cur.clamp(1, DESCRIPTORS) - 1;
    // Without it everything works, with those delays.
    let Ok(any) = fs::File::open("/dev/null") else { return };
    // SAFETY: duplicating a descriptor touches no memory, and the one that is made belongs to nobody else.
    unsafe {
        let high = libc::fcntl(any.as_raw_fd(), libc::F_DUPFD_CLOEXEC, last as libc::c_int);
        if high >= 0 {
            drop(OwnedFd::from_raw_fd(high));
        }
    }
}

/// Makes the folder of a data path and proves that files in it can be written, synced and read back; the error names the path. At
/// boot, before executors start; blocks.
pub fn prepare_data_path(dir: &Path) -> io::Result<()> {
    let named = |what: &str, error: io::Error| {
        io::Error::new(error.kind(), format!("cannot {what} the data path [{}]: {error}", dir.display()))
    };
    fs::create_dir_all(dir).map_err(|error| named("create", error))?;
    let probe = dir.join(format!(".probe-{}", std::process::id()));
    let written =
        fs::File::create(&probe).and_then(|mut file| file.write_all(&[7; 4096]).and_then(|()| file.sync_all()));
    let read = written.and_then(|()| fs::read(&probe));
    let removed = fs::remove_file(&probe);
    let read = read.map_err(|error| named("write to", error))?;
    removed.map_err(|error| named("remove from", error))?;
    if read == [7; 4096] {
        Ok(())
    } else {
        Err(named("trust", io::Error::other("it does not return what was written")))
    }
}

/// Raises the soft limit of open files to the hard one.
pub(super) fn raise_open_files() {
    raise(libc::RLIMIT_NOFILE);
}

fn raise(resource: libc::__rlimit_resource_t) {
    let limit = limit(resource);
    if limit.rlim_cur < limit.rlim_max {
        let raised = libc::rlimit { rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max };
        // SAFETY: the structure is valid and outlives the call. Failing leaves the limit as it was, which is no error.
        unsafe { libc::setrlimit(resource, &raised) };
    }
}

fn limit(resource: libc::__rlimit_resource_t) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit structure, which lives on this stack.
    unsafe { libc::getrlimit(resource, &mut limit) };
    limit
}

fn try_ring() -> Result<(), String> {
    let error = match IoUring::new(4) {
        // The flag came with 5.13, and so did polls that go on after their first answer.
        Ok(ring) if ring.params().is_feature_resource_tagging() => return Ok(()),
        Ok(_) => return Err("the io_uring of this kernel is too old: Linux 5.13 or newer is needed".to_owned()),
        Err(error) => error,
    };
    Err(match error.raw_os_error() {
        Some(libc::EPERM) => {
            let disabled = fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
            match disabled.trim() {
                "1" | "2" => format!(
                    "io_uring is switched off (kernel.io_uring_disabled = {}): set `sysctl kernel.io_uring_disabled=0`",
                    disabled.trim()
                ),
                _ => "io_uring is forbidden (EPERM), most likely by a seccomp filter: run the container with a profile that \
                      allows io_uring_setup, io_uring_enter and io_uring_register"
                    .to_owned(),
            }
        }
        Some(libc::ENOSYS) => "this kernel has no io_uring: Linux 5.13 or newer is needed".to_owned(),
        Some(libc::ENOMEM) => format!(
            "io_uring could not get memory: raise the limit of locked memory, now {} KiB, with `ulimit -l`, LimitMEMLOCK= of the \
             systemd unit or --ulimit memlock of the container",
            limit(libc::RLIMIT_MEMLOCK).rlim_cur >> 10
        ),
        _ => format!("io_uring_setup failed: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_passes() {
        assert_eq!(preflight(), Ok(()));
    }

    #[test]
    fn a_data_path_is_made_and_left_clean() {
        let dir = std::env::temp_dir().join(format!("pith-net-prepare-{}", std::process::id()));
        prepare_data_path(&dir).expect("the temporary folder is usable");
        assert_eq!(fs::read_dir(&dir).expect("it exists").count(), 0);
        fs::remove_dir_all(&dir).expect("it is ours");
    }
}
