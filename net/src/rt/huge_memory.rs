//! Memory that is read for long on huge pages.
//!
//! Asking for huge pages when memory is taken means that the kernel clears 2 MiB at a touch, which keeps the core for 0.1 ms (several,
//! where a host has to find the memory first), and for buffers that grow and go it is work for nothing. So whoever knows that
//! memory will stay asks for it afterwards.

use std::{fs, ops::Range, time::Instant};

use super::{offload::offload, time::sleep};

/// What the kernel makes huge pages of, and the alignment that they need.
pub(super) const HUGE: usize = 2 << 20;

/// Tells whether the kernel makes any.
const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// Whether the kernel was told to make none.
pub(super) fn never() -> bool {
    fs::read_to_string(ENABLED).is_ok_and(|modes| modes.contains("[never]"))
}

/// For each moment in which a page is moved, so many without.
const PAUSE: u32 = 20;

/// Puts what `hold` gives on huge pages, but for what is before the first and behind the last boundary of one, as long as it gives the
/// same. Gives the bytes that are on huge pages then. Runs on a thread that is no core and copies the memory, some 0.2 ms a MiB. Readers
/// go on meanwhile, but whoever touches a page of the process for the first time waits, also on a core: so page by page, and
/// with pauses, which are the longer the longer a page takes (50 ms, where a host has to find the memory first). A kernel that cannot
/// (before 6.1) or has no such pages left leaves the memory as it is.
pub async fn on_huge_pages<T: AsRef<[u8]> + Send + 'static>(hold: impl Fn() -> Option<T>) -> usize {
    let place = |held: &T| whole(held.as_ref().as_ptr() as usize, held.as_ref().len());
    let (Some(first), false) = (hold(), offload(never).await) else { return 0 };
    let (pages, mut moved) = (place(&first), 0);
    drop(first);
    for start in pages.clone().step_by(HUGE) {
        let Some(held) = hold().filter(|held| place(held) == pages) else { break };
        let began = Instant::now();
        let collapse = move || {
            let moved = collapse_one(start);
            drop(held);
            moved
        };
        if !offload(collapse).await {
            break;
        }
        moved += HUGE;
        sleep(began.elapsed() * PAUSE).await;
    }
    moved
}

/// Where whole huge pages stand in memory that starts here: from the first boundary to the last.
pub(super) fn whole(start: usize, len: usize) -> Range<usize> {
    start.next_multiple_of(HUGE)..(start + len) / HUGE * HUGE
}

fn collapse_one(start: usize) -> bool {
    // SAFETY: whoever called holds the memory. The kernel copies it to other pages and maps these in their place: no byte
    // changes, and who reads meanwhile waits for the page or does not notice.
    unsafe { libc::madvise(start as *mut libc::c_void, HUGE, libc::MADV_COLLAPSE) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_moved_stays_as_it_was() {
        let bytes: Vec<u8> = (0..3 * HUGE + 12_345).map(|i| (i / 7) as u8).collect();
        let pages = whole(bytes.as_ptr() as usize, bytes.len());
        let moved = pages.clone().step_by(HUGE).take_while(|start| collapse_one(*start)).count();
        assert!(moved <= 3 && moved <= pages.len() / HUGE);
        assert!(bytes.iter().enumerate().all(|(i, byte)| *byte == (i / 7) as u8));
    }

    #[test]
    fn only_whole_pages_are_moved() {
        assert_eq!(whole(1, 2 * HUGE - 2), HUGE..HUGE);
        assert_eq!(whole(HUGE, HUGE), HUGE..2 * HUGE);
        assert!(whole(HUGE + 1, 100).is_empty());
    }
}
