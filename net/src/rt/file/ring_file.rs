//! A file of one core's ring.

use std::{
    alloc::{Layout, alloc, dealloc, handle_alloc_error},
    cell::Cell,
    fs::File,
    io,
    ops::Deref,
    os::fd::{AsRawFd, IntoRawFd},
    ptr::NonNull,
    rc::Rc,
};

use io_uring::{opcode, types};

use super::ALIGN;
use crate::rt::reactor::perform;

/// The kernel takes lengths of 32 bits; callers stay far below.
const LEN_MAX: usize = 1 << 30;

pub(super) struct RingFile {
    file: File,
}

impl RingFile {
    pub fn new(file: File) -> Self {
        Self { file }
    }

    /// Up to `len` bytes from `pos`, in an aligned buffer, so that files opened with O_DIRECT can be read. Less at the end of the
    /// file.
    pub async fn read_at(&self, pos: u64, len: usize) -> io::Result<Rc<Buffer>> {
        let buffer = Rc::new(Buffer::new(len)?);
        let entry = opcode::Read::new(self.fd(), buffer.start.as_ptr(), len as u32).offset(pos).build();
        let read = perform(entry, Some(buffer.clone())).await?;
        assert!(read <= buffer.capacity, "the kernel reads no more than it was asked for");
        buffer.len.set(read);
        Ok(buffer)
    }

    /// Returns how many bytes were written.
    pub async fn write_at(&self, data: Vec<u8>, pos: u64) -> io::Result<usize> {
        let data = Rc::new(data);
        let entry = opcode::Write::new(self.fd(), data.as_ptr(), data.len().min(LEN_MAX) as u32).offset(pos).build();
        perform(entry, Some(data)).await
    }

    pub async fn fdatasync(&self) -> io::Result<()> {
        let entry = opcode::Fsync::new(self.fd()).flags(types::FsyncFlags::DATASYNC).build();
        perform(entry, None).await.map(|_| ())
    }

    pub async fn close(self) -> io::Result<()> {
        let entry = opcode::Close::new(types::Fd(self.file.into_raw_fd())).build();
        perform(entry, None).await.map(|_| ())
    }

    fn fd(&self) -> types::Fd {
        types::Fd(self.file.as_raw_fd())
    }
}

/// Memory that the kernel reads into; what was read is its content.
pub(super) struct Buffer {
    start: NonNull<u8>,
    capacity: usize,
    len: Cell<usize>,
}

impl Buffer {
    fn new(capacity: usize) -> io::Result<Self> {
        if capacity > LEN_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a read of more than 1 GiB"));
        }
        let layout = layout(capacity);
        // SAFETY: the layout's size is not 0.
        let start = NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Ok(Self { start, capacity, len: Cell::new(0) })
    }
}

fn layout(capacity: usize) -> Layout {
    Layout::from_size_align(capacity.max(1), ALIGN as usize).expect("below LEN_MAX, aligned to a power of two")
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `len` bytes were written by the kernel, which has answered and writes no more.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len.get()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; the reactor keeps a reference for as long as the kernel may write.
        unsafe { dealloc(self.start.as_ptr(), layout(self.capacity)) };
    }
}
