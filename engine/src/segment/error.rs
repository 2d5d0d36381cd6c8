//! Errors of damaged files: they name the file and the offset.

use crate::{Error, ErrorKind};

/// Where damage was found.
pub(crate) struct SegmentError<'a> {
    pub name: &'a str,
    pub offset: u64,
}

impl SegmentError<'_> {
    #[cold]
    pub fn corrupt(&self, what: &str) -> Error {
        Error::new(ErrorKind::CorruptIndex, format!("{what} (file [{}], offset {})", self.name, self.offset))
    }
}
