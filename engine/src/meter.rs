//! What is read of segments: counted on each thread where values are decoded, so that the cost of a piece of work is the
//! difference of two readings. Equal work on equal segments reads the same.

use std::cell::Cell;
use std::ops::{Add, Sub};

/// What has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Documents, frequencies and positions unpacked from posting lists, in blocks of 128.
    pub postings: u64,
    /// Values of columns: those looked up for documents, and those that filters went over.
    pub column_values: u64,
    /// Bytes of the packed values that were read.
    pub bytes: u64,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            postings: self.postings.wrapping_add(other.postings),
            column_values: self.column_values.wrapping_add(other.column_values),
            bytes: self.bytes.wrapping_add(other.bytes),
        }
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            postings: self.postings.wrapping_sub(earlier.postings),
            column_values: self.column_values.wrapping_sub(earlier.column_values),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
        }
    }
}

thread_local! {
    static POSTINGS: Cell<u64> = const { Cell::new(0) };
    static COLUMN_VALUES: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static SCRIPTS: Cell<u64> = const { Cell::new(0) };
}

/// What this thread has read since it began.
pub fn counts() -> Counts {
    Counts { postings: POSTINGS.get(), column_values: COLUMN_VALUES.get(), bytes: BYTES.get() }
}

/// Machines for scripts over documents that this thread has set up since it began.
pub(crate) fn scripts() -> u64 {
    SCRIPTS.get()
}

/// Counts a machine for a script over documents.
pub(crate) fn script() {
    SCRIPTS.set(SCRIPTS.get().wrapping_add(1));
}

/// Counts packed numbers of posting lists, `width` bits each.
#[inline]
pub(crate) fn postings(values: usize, width: u8) {
    POSTINGS.set(POSTINGS.get().wrapping_add(values as u64));
    bits(values, width);
}

/// Counts packed values of a column, `width` bits each.
#[inline]
pub(crate) fn column(values: usize, width: u8) {
    COLUMN_VALUES.set(COLUMN_VALUES.get().wrapping_add(values as u64));
    bits(values, width);
}

/// Counts bytes that are read as they are: the words of bitsets.
#[inline]
pub(crate) fn bytes(count: usize) {
    BYTES.set(BYTES.get().wrapping_add(count as u64));
}

#[inline]
fn bits(values: usize, width: u8) {
    bytes((values * usize::from(width)).div_ceil(8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_readings_is_what_was_read_between_them() {
        let before = counts();
        postings(128, 5);
        column(3, 7);
        bytes(8);
        assert_eq!(counts() - before, Counts { postings: 128, column_values: 3, bytes: 80 + 3 + 8 });
    }
}
