//! Files that the page cache holds, but for a few pages. A process that starts anew soon after the last one finds there what that one wrote.

use std::{fs, io, ops::Range, os::fd::AsRawFd, ptr};

/// What the kernel's cache is made of; smaller pages are nowhere in use.
const PAGE: usize = 4096;

/// How much of a file the cache has to hold, in quarters. The kernel takes cold pages back all the time, a few here and there.
const HELD_QUARTERS: usize = 3;

/// Whether the page cache holds most of a file that is open. Blocks for a moment: for pool threads.
pub(super) fn is_cached(file: &fs::File) -> io::Result<bool> {
    let mapping = Mapping::of(file)?;
    Ok(mapping.is_held(mapping.missing(0..mapping.len())?))
}

/// A file, readable as memory; unmapped when this is dropped.
pub(super) struct Mapping {
    start: *mut libc::c_void,
    /// 0: nothing is mapped, as nothing can be.
    len: usize,
}

// SAFETY: The memory is only read, and belongs to nobody else.
unsafe impl Send for Mapping {}
// SAFETY: As above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn of(file: &fs::File) -> io::Result<Self> {
        let len = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if len == 0 {
            return Ok(Self { start: ptr::null_mut(), len });
        }
        // SAFETY: A new mapping at a place of the kernel's choice touches no memory that exists.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start, len })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Pages around `range` that the cache does not hold.
    pub fn missing(&self, range: Range<usize>) -> io::Result<usize> {
        assert!(range.end <= self.len, "a part of the file");
        if range.is_empty() {
            return Ok(0);
        }
        let first = range.start / PAGE * PAGE;
        let mut pages = vec![0u8; (range.end - first).div_ceil(PAGE)];
        // SAFETY: The range lies in the mapping and begins at a page; `pages` has a byte for each of its pages.
        let told = unsafe { libc::mincore(self.start.byte_add(first), range.end - first, pages.as_mut_ptr()) };
        if told != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(pages.iter().filter(|page| *page & 1 == 0).count())
    }

    /// Whether so many missing pages are few enough.
    pub fn is_held(&self, missing: usize) -> bool {
        missing <= self.len.div_ceil(PAGE) * (4 - HELD_QUARTERS) / 4
    }

    /// Reads what is missing around `range`. False where that fails (which whoever reads the file will be told), or where the kernel cannot
    /// (before 5.14).
    pub fn read_missing(&self, range: Range<usize>) -> bool {
        assert!(range.end <= self.len, "a part of the file");
        let first = range.start / PAGE * PAGE;
        // SAFETY: The range lies in the mapping and begins at a page. The call reads, and changes no memory that anybody knows of.
        unsafe { libc::madvise(self.start.byte_add(first), range.end - first, libc::MADV_POPULATE_READ) == 0 }
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: The mapping is readable, as long as the file was when it was made (which never changes), and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.cast::<u8>(), self.len) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: The mapping is ours, and nobody can borrow from it any more.
            unsafe { libc::munmap(self.start, self.len) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_pages_may_be_missing() {
        let mapping = Mapping { start: ptr::null_mut(), len: 0 };
        assert!(mapping.is_held(0));
        let mapping = std::mem::ManuallyDrop::new(Mapping { start: ptr::null_mut(), len: 8 * PAGE });
        assert!(mapping.is_held(2) && !mapping.is_held(3));
    }

    #[test]
    fn what_was_just_written_is_there() {
        let path = std::env::temp_dir().join(format!("pith-cached-{}", std::process::id()));
        for content in [vec![], vec![7; 3 * PAGE + 5]] {
            fs::write(&path, &content).unwrap();
            let file = fs::File::open(&path).unwrap();
            let mapping = Mapping::of(&file).unwrap();
            assert!(mapping.missing(0..mapping.len).unwrap() == 0 && is_cached(&file).unwrap());
            let part = mapping.len / 2..mapping.len;
            assert_eq!(mapping.missing(part.clone()).unwrap(), 0);
            assert!(mapping.len == 0 || mapping.read_missing(part));
            fs::remove_file(&path).unwrap();
            assert_eq!(mapping.as_ref(), content, "the file's name is gone, not what it holds");
        }
    }
}
