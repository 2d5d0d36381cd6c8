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

use io_uring::{opcode, squeue, types};

use super::ALIGN;
use crate::rt::reactor::perform;

/// The kernel takes lengths of 32 bits; callers stay far below.
const LEN_MAX: usize = 1 << 30;

/// Every operation keeps the descriptor open until the kernel has answered it. An operation that was given up may not have reached the
/// kernel yet, and a number that was closed meanwhile could be that of another file by then.
pub(super) struct RingFile {
    file: Rc<File>,
}

impl RingFile {
    pub fn new(file: File) -> Self {
        Self { file: Rc::new(file) }
    }

    /// Up to `len` bytes from `pos`, in an aligned buffer, so that files opened with O_DIRECT can be read. Less at the end of the
    /// file.
    pub async fn read_at(&self, pos: u64, len: usize) -> io::Result<Rc<Buffer>> {
        let buffer = Rc::new(Buffer::new(len)?);
        let entry = opcode::Read::new(self.fd(), buffer.start.as_ptr(), len as u32).offset(pos).build();
        let read = self.repeat(&entry, &buffer).await?;
        assert!(read <= buffer.capacity, "the kernel reads no more than it was asked for");
        buffer.len.set(read);
        Ok(buffer)
    }

    /// Writes all of `data` at `pos`. A disk that takes only a part is asked again, and then tells why.
    pub async fn write_all_at(&self, data: Vec<u8>, pos: u64) -> io::Result<()> {
        let data = Rc::new(data);
        let mut done = 0;
        while let Some(rest) = data.get(done..).filter(|rest| !rest.is_empty()) {
            let len = rest.len().min(LEN_MAX) as u32;
            let entry = opcode::Write::new(self.fd(), rest.as_ptr(), len).offset(pos + done as u64).build();
            match self.repeat(&entry, &data).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => done += written,
            }
        }
        Ok(())
    }

    pub async fn fdatasync(&self) -> io::Result<()> {
        let entry = opcode::Fsync::new(self.fd()).flags(types::FsyncFlags::DATASYNC).build();
        self.repeat(&entry, &Rc::new(())).await.map(|_| ())
    }

    /// Tells of errors that the file system kept for the end.
    pub async fn close(self) -> io::Result<()> {
        // An operation that was given up closes the file when it is answered.
        let Some(file) = Rc::into_inner(self.file) else { return Ok(()) };
        let entry = opcode::Close::new(types::Fd(file.into_raw_fd())).build();
        perform(entry, None).await.map(|_| ())
    }

    /// Performs `entry`, which may point into `memory`, again and again when the kernel was interrupted before it began.
    async fn repeat<T: 'static>(&self, entry: &squeue::Entry, memory: &Rc<T>) -> io::Result<usize> {
        loop {
            let kept = Rc::new((self.file.clone(), memory.clone()));
            match perform(entry.clone(), Some(kept)).await {
                Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => {
                    crate::rt::yield_now().await;
                }
                performed => return performed,
            }
        }
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

    /// One that holds `bytes`.
    pub fn of(bytes: &[u8]) -> io::Result<Self> {
        let buffer = Self::new(bytes.len())?;
        // SAFETY: the memory is new and as large as `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.start.as_ptr(), bytes.len()) };
        buffer.len.set(bytes.len());
        Ok(buffer)
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
