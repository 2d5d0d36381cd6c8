//! Records that were read lately out of blocks that had to be decompressed for them, of all segments that a core searches together.
//! Documents, not their blocks: those that hits are made of stand in blocks with others that are not. CLOCK decides what goes: a page of ten
//! thousand hits passes through without pushing out what is read all the time.
//!
//! The cache is the thread's, which is a core's: fetching, inner hits and top hits of aggregations read through it alike.

use crate::segment::clock::Clock;
use bytes::Bytes;
use std::cell::RefCell;

thread_local! {
    static CACHE: RefCell<Clock<Key>> = RefCell::new(Clock::new(0));
}

/// Keeps at most so many bytes of records on this thread from now on; 0, as at first: none.
pub fn keep_records(bytes_max: usize) {
    CACHE.with_borrow_mut(|cache| cache.set_bytes_max(bytes_max));
}

/// The record of a document of the stored fields of number `of`, if it is kept.
pub(super) fn find(of: u64, doc: u32) -> Option<Bytes> {
    CACHE.with_borrow_mut(|cache| cache.find((of, doc)))
}

/// Keeps a record that [`find`] did not find.
pub(super) fn keep(of: u64, doc: u32, record: &[u8]) {
    CACHE.with_borrow_mut(|cache| {
        // A single document may be larger than all of the cache.
        if record.len() <= cache.bytes_max() / 8 {
            // A copy: the record shares the memory of its block.
            cache.keep((of, doc), Bytes::copy_from_slice(record));
        }
    });
}

/// The number of the stored fields, and the document.
type Key = (u64, u32);

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_record_bytes() -> usize {
        CACHE.with_borrow(Clock::bytes)
    }

    #[test]
    fn records_are_kept_while_there_is_room() {
        keep_records(12_000);
        (0..100).for_each(|doc| keep(7, doc, &[1; 1_000]));
        assert!((1_000..=12_000).contains(&kept_record_bytes()));
        assert_eq!((find(7, 99).map(|record| record.len()), find(7, 0), find(8, 99)), (Some(1_000), None, None));
        keep_records(0);
        assert_eq!((kept_record_bytes(), find(7, 99)), (0, None));
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        keep_records(4_000);
        keep(1, 1, &[0; 1_000]);
        assert_eq!(kept_record_bytes(), 0);
    }
}
