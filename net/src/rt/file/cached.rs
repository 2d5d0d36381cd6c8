//! Files that the page cache holds, but for a few pages. A process that starts anew soon after the last one finds there what that one wrote.

use std::{fs, io, os::fd::AsRawFd, path::Path, ptr};

use bytes::Bytes;

use super::{on_pool, simulated_disk};

/// What the kernel's cache is made of; smaller pages are nowhere in use.
const PAGE: usize = 4096;

/// How much of a file the cache has to hold, in quarters. The kernel takes cold pages back all the time, a few here and there.
const HELD_QUARTERS: usize = 3;

/// The content of a file, as it lies in the page cache, where what is missing is read first; `None` where most of it would have to be
/// read. The file must never change.
///
/// It is meant for the time until the file has been read: the kernel may drop pages when memory runs short, and whoever touches one of
/// these waits for the disk, and has no way to be told that it failed.
pub async fn map_cached(path: &Path) -> io::Result<Option<Bytes>> {
    if simulated_disk().is_some() {
        return Ok(None);
    }
    on_pool(path, "map", |path| {
        let mapping = Mapping::of(&fs::File::open(path)?)?;
        let missing = mapping.missing()?;
        let here = missing == 0 || (mapping.is_held(missing) && mapping.read_missing());
        Ok(here.then(|| Bytes::from_owner(mapping)))
    })
    .await
}

/// Whether the page cache holds most of a file that is open. Blocks for a moment: for pool threads.
pub(super) fn is_cached(file: &fs::File) -> io::Result<bool> {
    let mapping = Mapping::of(file)?;
    Ok(mapping.is_held(mapping.missing()?))
}

/// A file, readable as memory; unmapped when this is dropped.
struct Mapping {
    start: *mut libc::c_void,
    /// 0: nothing is mapped, as nothing can be.
    len: usize,
}

// SAFETY: The memory is only read, and belongs to nobody else.
unsafe impl Send for Mapping {}

impl Mapping {
    fn of(file: &fs::File) -> io::Result<Self> {
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

    /// Pages that the cache does not hold.
    fn missing(&self) -> io::Result<usize> {
        if self.len == 0 {
            return Ok(0);
        }
        let mut pages = vec![0u8; self.len.div_ceil(PAGE)];
        // SAFETY: The range is the mapping, which begins at a page; `pages` has a byte for each of its pages.
        if unsafe { libc::mincore(self.start, self.len, pages.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(pages.iter().filter(|page| *page & 1 == 0).count())
    }

    fn is_held(&self, missing: usize) -> bool {
        missing <= self.len.div_ceil(PAGE) * (4 - HELD_QUARTERS) / 4
    }

    /// Reads what is missing. False where that fails (which whoever reads the file will be told), or where the kernel cannot (before 5.14).
    fn read_missing(&self) -> bool {
        // SAFETY: The range is the mapping. The call reads, and changes no memory that anybody knows of.
        unsafe { libc::madvise(self.start, self.len, libc::MADV_POPULATE_READ) == 0 }
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
            assert!(mapping.missing().unwrap() == 0 && is_cached(&file).unwrap());
            assert!(mapping.len == 0 || mapping.read_missing());
            assert_eq!(mapping.as_ref(), content);
            let bytes = Bytes::from_owner(mapping);
            fs::remove_file(&path).unwrap();
            assert_eq!(bytes, content, "the file's name is gone, not what it holds");
        }
    }
}
