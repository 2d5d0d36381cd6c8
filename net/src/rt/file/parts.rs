//! A file that is read part by part, each of them kept as long as somebody has use for it.

use std::{
    fs, io,
    ops::Range,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;

use super::{ReadFile, cached::Mapping, handle::open_past_cache, named, on_pool, simulated_disk};

/// A file that never changes, open for reading. Parts of one that the page cache holds are shown as they lie there, without a copy.
///
/// The kernel may drop pages of these when memory runs short, and whoever touches one then waits for the disk, and has no way to be told
/// that it failed: parts are meant for a while, until the file has been read as a whole.
pub struct PartFile {
    source: Source,
    path: PathBuf,
    len: u64,
}

enum Source {
    Held(Arc<Held>),
    Disk(ReadFile),
}

/// A file that the page cache holds.
struct Held {
    file: fs::File,
    mapping: Mapping,
    /// Nothing of it was missing when it was opened.
    whole: bool,
}

/// What opening a file gave.
enum Opened {
    Held(Held),
    Disk { file: fs::File, len: u64, align: u64 },
}

/// Parts keep the mapping.
struct Owner(Arc<Held>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.mapping.as_ref()
    }
}

impl PartFile {
    pub async fn open(path: &Path) -> io::Result<Self> {
        let (len, source) = match simulated_disk() {
            Some(_) => {
                let file = ReadFile::open(path).await?;
                (file.len(), Source::Disk(file))
            }
            None => match on_pool(path, "open", Held::open).await? {
                Opened::Held(held) => (held.mapping.len() as u64, Source::Held(Arc::new(held))),
                Opened::Disk { file, len, align } => (len, Source::Disk(ReadFile::of(file, path, len, align))),
            },
        };
        Ok(Self { source, path: path.to_owned(), len })
    }

    /// Opens the file to be read past the page cache, for parts that are kept for long.
    pub async fn open_past_cache(path: &Path) -> io::Result<Self> {
        let file = match simulated_disk() {
            Some(_) => ReadFile::open(path).await?,
            None => {
                let opened = on_pool(path, "open", |path| {
                    let (file, align) = open_past_cache(path)?;
                    let len = file.metadata()?.len();
                    Ok((file, len, align))
                });
                let (file, len, align) = opened.await?;
                ReadFile::of(file, path, len, align)
            }
        };
        Ok(Self { len: file.len(), source: Source::Disk(file), path: path.to_owned() })
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of a range. One that reaches past the end is an error of kind `UnexpectedEof`.
    pub async fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        if range.start > range.end || range.end > self.len {
            let what = format!("bytes {}..{} reach past the end of", range.start, range.end);
            return Err(named(&self.path, &what, io::ErrorKind::UnexpectedEof.into()));
        }
        match &self.source {
            Source::Disk(file) => file.read_range(range).await.map(Bytes::from),
            Source::Held(held) => {
                let (held, range) = (held.clone(), range.start as usize..range.end as usize);
                match held.whole {
                    true => Ok(held.part(range)),
                    false => on_pool(&self.path, "read", move |_| held.settled(range)).await,
                }
            }
        }
    }
}

impl Held {
    /// Maps the file, or opens it past the page cache where most of it would have to be read. Blocks for a moment.
    fn open(path: &Path) -> io::Result<Opened> {
        let file = fs::File::open(path)?;
        let mapping = Mapping::of(&file)?;
        let (len, missing) = (mapping.len() as u64, mapping.missing(0..mapping.len())?);
        if mapping.is_held(missing) {
            return Ok(Opened::Held(Self { file, mapping, whole: missing == 0 }));
        }
        let (file, align) = open_past_cache(path)?;
        Ok(Opened::Disk { file, len, align })
    }

    fn part(self: Arc<Self>, range: Range<usize>) -> Bytes {
        Bytes::from_owner(Owner(self)).slice(range)
    }

    /// The range, of which what is missing is read first. Blocks for as long as that takes.
    fn settled(self: Arc<Self>, range: Range<usize>) -> io::Result<Bytes> {
        if self.mapping.missing(range.clone())? == 0 || self.mapping.read_missing(range.clone()) {
            return Ok(self.part(range));
        }
        let mut content = vec![0; range.len()];
        self.file.read_exact_at(&mut content, range.start as u64)?;
        Ok(content.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_the_file_holds() {
        let path = std::env::temp_dir().join(format!("pith-parts-{}", std::process::id()));
        let content: Vec<u8> = (0..100_000u32).map(|n| (n / 7) as u8).collect();
        fs::write(&path, &content).unwrap();
        let Opened::Held(held) = Held::open(&path).unwrap() else { panic!("it was just written") };
        assert!(held.whole);
        let held = Arc::new(held);
        fs::remove_file(&path).unwrap();
        for range in [0..0, 5..9, 4_000..9_000, 99_999..100_000, 0..100_000] {
            assert_eq!(held.clone().part(range.clone()), content[range.clone()]);
            assert_eq!(held.clone().settled(range.clone()).unwrap(), content[range]);
        }
    }
}
