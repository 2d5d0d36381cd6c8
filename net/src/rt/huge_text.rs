//! The program's code on huge pages.
//!
//! A request goes through a little of very much code, spread over hundreds of pages of 4 KiB, each of which needs an entry in the
//! processor's table of translations; what others run between two requests pushes these out. The code is therefore copied to
//! anonymous memory of 2 MiB pages once, before anything starts, and that memory put in its place. (Kernels can do the like for
//! files only where they were built for it, and rarely are.)

use std::{fs, io, ptr};

use super::huge_memory::{HUGE, never, whole};

/// Puts the whole huge pages of the program's code on huge pages, once. Gives the bytes that were moved; an error leaves everything as
/// it was. Who looks for the names of what runs (`perf`, say) no longer finds them by the file, so this can be left out.
pub fn huge_text() -> io::Result<usize> {
    if never() {
        return Ok(0);
    }
    let Some((start, end)) = text()? else { return Ok(0) };
    let pages = whole(start, end - start);
    if pages.is_empty() {
        return Ok(0);
    }
    let (start, len) = (pages.start, pages.len());
    let copy = Mapping::aligned(len)?;
    // SAFETY: `len` bytes from `start` are mapped and readable, being code of this program; the new mapping is known to nobody else. The calls
    // change that mapping alone, until the last one moves it, as one step of the kernel, to where the same bytes were: whoever
    // executes there, this function included, notices nothing.
    unsafe {
        let place = copy.start as *mut libc::c_void;
        check(libc::madvise(place, len, libc::MADV_HUGEPAGE))?;
        ptr::copy_nonoverlapping(start as *const u8, place.cast::<u8>(), len);
        check(libc::mprotect(place, len, libc::PROT_READ | libc::PROT_EXEC))?;
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let moved = libc::mremap(place, len, len, flags, start as *mut libc::c_void);
        if moved == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
    }
    // It is somewhere else now.
    std::mem::forget(copy);
    Ok(len)
}

/// Where the code of this program is mapped.
fn text() -> io::Result<Option<(usize, usize)>> {
    let program = std::env::current_exe()?;
    let maps = fs::read_to_string("/proc/self/maps")?;
    let found = maps.lines().find_map(|line| {
        let mut parts = line.split_ascii_whitespace();
        let (range, rights) = (parts.next()?, parts.next()?);
        let path = parts.nth(3)?;
        let (start, end) = range.split_once('-')?;
        let parse = |text| usize::from_str_radix(text, 16).ok();
        (rights == "r-xp" && std::path::Path::new(path) == program).then_some((parse(start)?, parse(end)?))
    });
    Ok(found)
}

/// Memory that is given back when this is dropped.
struct Mapping {
    start: usize,
    len: usize,
}

impl Mapping {
    /// Of `len` bytes, a multiple of [`HUGE`], which begin at one as well.
    fn aligned(len: usize) -> io::Result<Self> {
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping at a place that the kernel chooses.
        let mapped = unsafe { libc::mmap(ptr::null_mut(), len + HUGE, rights, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let (first, start) = (mapped as usize, (mapped as usize).next_multiple_of(HUGE));
        // What stands before and behind goes back at once.
        drop(Self { start: first, len: start - first });
        drop(Self { start: start + len, len: first + HUGE - start });
        Ok(Self { start, len })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the pages are of a mapping of ours, and nothing refers to them. A length of 0 is refused, which is no harm.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.len) };
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_on_after_it_was_moved() {
        let before = text().expect("the list of mappings").expect("this program");
        let moved = huge_text().expect("memory for a copy");
        assert_eq!(moved % HUGE, 0);
        assert!(moved <= before.1 - before.0);
        assert_eq!("still here".len(), 10);
    }
}
