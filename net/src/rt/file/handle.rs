//! An open file: one of the kernel's, through the ring, or one of a simulated disk. Which of the two is settled when it is opened.

use std::{fs, io, os::unix::fs::OpenOptionsExt, path::Path, rc::Rc};

use super::{
    ALIGN,
    cached::is_cached,
    on_pool,
    ring_file::{Buffer, RingFile},
    simulated::OpenFile,
    simulated_disk,
};

pub(super) enum Handle {
    Ring(RingFile),
    Simulated(OpenFile),
}

impl Handle {
    /// Creates the file, or empties it when it exists.
    pub async fn create(path: &Path) -> io::Result<Self> {
        if let Some(disk) = simulated_disk() {
            return OpenFile::create(disk, path).await.map(Self::Simulated);
        }
        let file = on_pool(path, "open", |path| fs::File::create(path)).await?;
        Ok(Self::Ring(RingFile::new(file)))
    }

    /// Opens the file for writing behind `at`; what it holds there is cut off, durably. A shorter file is an error.
    pub async fn append(path: &Path, at: u64) -> io::Result<Self> {
        let check = move |len: u64| match len < at {
            true => Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it has {len} bytes, not {at}"))),
            false => Ok(()),
        };
        if let Some(disk) = simulated_disk() {
            let (file, len) = OpenFile::open(disk, path).await?;
            check(len)?;
            if len > at {
                file.set_len(at).await?;
                file.sync().await?;
            }
            return Ok(Self::Simulated(file));
        }
        let opened = on_pool(path, "open", move |path| {
            let file = fs::OpenOptions::new().write(true).open(path)?;
            let len = file.metadata()?.len();
            check(len)?;
            if len > at {
                file.set_len(at)?;
                file.sync_all()?;
            }
            Ok(file)
        });
        Ok(Self::Ring(RingFile::new(opened.await?)))
    }

    /// Opens the file for reading, past the page cache where the file system allows it and the cache does not hold it. Also gives its length, and what positions
    /// and lengths of reads must be multiples of.
    pub async fn read(path: &Path) -> io::Result<(Self, u64, u64)> {
        if let Some(disk) = simulated_disk() {
            let (file, len) = OpenFile::open(disk, path).await?;
            return Ok((Self::Simulated(file), len, 1));
        }
        let opened = on_pool(path, "open", |path| {
            let (file, align) = open_direct(path)?;
            let len = file.metadata()?.len();
            Ok((file, len, align))
        });
        let (file, len, align) = opened.await?;
        Ok((Self::Ring(RingFile::new(file)), len, align))
    }

    /// A file that a pool thread has opened.
    pub fn of(file: fs::File) -> Self {
        Self::Ring(RingFile::new(file))
    }

    /// Up to `len` bytes from `pos`. Less at the end of the file.
    pub async fn read_at(&self, pos: u64, len: usize) -> io::Result<Rc<Buffer>> {
        match self {
            Self::Ring(file) => file.read_at(pos, len).await,
            Self::Simulated(file) => Buffer::of(&file.read_at(pos, len).await?).map(Rc::new),
        }
    }

    /// Writes all of `data` at `pos`.
    pub async fn write_all_at(&self, data: Vec<u8>, pos: u64) -> io::Result<()> {
        match self {
            Self::Ring(file) => file.write_all_at(data, pos).await,
            Self::Simulated(_) if data.is_empty() => Ok(()),
            Self::Simulated(file) => file.write_at(pos, &data).await,
        }
    }

    pub async fn fdatasync(&self) -> io::Result<()> {
        match self {
            Self::Ring(file) => file.fdatasync().await,
            Self::Simulated(file) => file.sync().await,
        }
    }

    /// Tells of errors that the file system kept for the end.
    pub async fn close(self) -> io::Result<()> {
        match self {
            Self::Ring(file) => file.close().await,
            Self::Simulated(_) => Ok(()),
        }
    }
}

/// Opens with O_DIRECT, or without it where the file system refuses, and where the page cache holds the file already. Blocks: for pool
/// threads.
fn open_direct(path: &Path) -> io::Result<(fs::File, u64)> {
    let file = fs::File::open(path)?;
    if file.metadata()?.is_file() && is_cached(&file)? {
        return Ok((file, 1));
    }
    open_past_cache(path)
}

/// Opens with O_DIRECT, or without it where the file system refuses.
pub(super) fn open_past_cache(path: &Path) -> io::Result<(fs::File, u64)> {
    match fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path) {
        Ok(file) => Ok((file, ALIGN)),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok((fs::File::open(path)?, 1)),
        Err(error) => Err(error),
    }
}
