//! Reading: whole files and ranges.

use std::{
    fs, io,
    ops::{Deref, Range},
    path::{Path, PathBuf},
    rc::Rc,
};

use super::{handle::Handle, named, ring_file::Buffer};

/// Bytes asked for at once: copying a chunk out stays well under a millisecond.
const CHUNK: u64 = 1 << 20;

/// The whole content of a file.
pub async fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let file = ReadFile::open(path).await?;
    let read = file.read_range(0..file.len()).await;
    file.close().await?;
    read
}

/// A file open for reading, past the page cache unless that holds it. Its length is that at opening.
pub struct ReadFile {
    file: Handle,
    path: PathBuf,
    len: u64,
    /// Positions and lengths must be multiples of this.
    align: u64,
}

/// Bytes that were read. Cloning shares them.
#[derive(Clone)]
pub struct Block(Storage);

#[derive(Clone)]
enum Storage {
    /// In the buffer that the kernel wrote them to.
    Read { buffer: Rc<Buffer>, start: usize, end: usize },
    /// Put together from several reads.
    Joined(Rc<[u8]>),
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Storage::Read { buffer, start, end } => &buffer[*start..*end],
            Storage::Joined(bytes) => bytes,
        }
    }
}

impl ReadFile {
    pub async fn open(path: &Path) -> io::Result<Self> {
        let (file, len, align) = Handle::read(path).await?;
        Ok(Self { file, path: path.to_owned(), len, align })
    }

    /// A file of `len` bytes that is open already, for reads of multiples of `align`.
    pub(super) fn of(file: fs::File, path: &Path, len: u64, align: u64) -> Self {
        Self { file: Handle::of(file), path: path.to_owned(), len, align }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Exactly `len` bytes from `pos`, without a copy. A range that reaches past the end is an error of kind `UnexpectedEof`.
    pub async fn read_at(&self, pos: u64, len: usize) -> io::Result<Block> {
        if pos.checked_add(len as u64).is_none_or(|end| end > self.len) {
            return Err(named(&self.path, &format!("{len} bytes at {pos} reach past the end of"), self.eof()));
        }
        let (buffer, start) = self.read_aligned(pos, len as u64).await?;
        if buffer.len() >= start + len {
            return Ok(Block(Storage::Read { buffer, start, end: start + len }));
        }
        // The kernel may read less than it was asked for, though it hardly ever does.
        let mut joined = Vec::new();
        self.append_to(&mut joined, pos, len as u64).await?;
        Ok(Block(Storage::Joined(joined.into())))
    }

    /// As [`Self::read_at`], but of any length: read chunk by chunk and copied.
    pub async fn read_range(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let (mut content, len) = (Vec::new(), range.end - range.start);
        let reserved = usize::try_from(len).map(|len| content.try_reserve_exact(len));
        if !matches!(reserved, Ok(Ok(()))) {
            return Err(named(&self.path, "cannot read", io::ErrorKind::OutOfMemory.into()));
        }
        self.append_to(&mut content, range.start, len).await?;
        Ok(content)
    }

    pub async fn close(self) -> io::Result<()> {
        let Self { file, path, .. } = self;
        file.close().await.map_err(|error| named(&path, "cannot close", error))
    }

    /// Appends `len` bytes from `pos`, chunk by chunk.
    async fn append_to(&self, content: &mut Vec<u8>, mut pos: u64, len: u64) -> io::Result<()> {
        let end = pos + len;
        while pos < end {
            let wanted = CHUNK.min(end - pos);
            let (buffer, start) = self.read_aligned(pos, wanted).await?;
            let got = &buffer[start.min(buffer.len())..buffer.len().min(start + wanted as usize)];
            if got.is_empty() {
                return Err(named(&self.path, &format!("the file ends at {pos}, not at {}:", self.len), self.eof()));
            }
            content.extend_from_slice(got);
            pos += got.len() as u64;
            crate::rt::yield_if_needed().await;
        }
        Ok(())
    }

    /// Reads the aligned range around `len` bytes at `pos`; also returns where in the buffer `pos` lies.
    async fn read_aligned(&self, pos: u64, len: u64) -> io::Result<(Rc<Buffer>, usize)> {
        let from = pos - pos % self.align;
        let size = (pos - from + len).next_multiple_of(self.align);
        let read = self.file.read_at(from, size as usize).await;
        let buffer = read.map_err(|error| named(&self.path, "cannot read", error))?;
        Ok((buffer, (pos - from) as usize))
    }

    fn eof(&self) -> io::Error {
        io::ErrorKind::UnexpectedEof.into()
    }
}
