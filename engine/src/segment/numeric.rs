//! Numeric doc values, by window: a frame of reference and packed multiples of a divisor.
//!
//! ```text
//! 0   8  values of all documents together
//! 8   8  smallest value, 16  8  largest value
//! 24  4  documents with a value
//! 28  4  bytes of the set
//! 32     the set, see docset
//!        per window of documents:
//!   8  smallest value   8  largest value   8  divisor
//!   4  values in the window
//!   1  width of offsets: 255 if no document of the window has several values
//!   1  width of values
//!   8  where the data of the window starts, from the start of the section
//!        data of a window with n documents that have values:
//!   n + 1 offsets, packed: where the values of each document start (only where there are several)
//!   values, packed: (value - smallest) / divisor; those of a document ascending
//! ```

use super::blocks::Extremes;
use super::docset;
use super::{DocSet, WINDOW};
use crate::codec::bytes::{i64_at, u32_at, u64_at};
use crate::codec::packed;
use crate::pace::Pace;
use bytes::Bytes;
use std::sync::{Arc, OnceLock};

const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 38;
pub(super) const SINGLE: u8 = 255;

/// Numbers by document.
#[derive(Clone)]
pub struct NumericColumn(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    docs: DocSet,
    value_count: u64,
    min: i64,
    max: i64,
    windows: Vec<Window>,
    /// By window; see [`super::blocks`].
    extremes: Vec<OnceLock<Extremes>>,
}

/// What is known of the values of a window.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) divisor: u64,
    pub(super) count: u32,
    /// Rank of the first document of the window.
    rank: u32,
    pub(super) offset_width: u8,
    pub(super) value_width: u8,
    pub(super) offsets: usize,
    pub(super) values: usize,
}

impl Window {
    #[inline]
    pub(super) fn value(&self, bytes: &[u8], index: usize) -> i64 {
        crate::meter::column(1, self.value_width);
        self.decode(packed::get(&bytes[self.values..], self.value_width, index))
    }

    #[inline]
    pub(super) fn decode(&self, packed: u64) -> i64 {
        self.min.wrapping_add(packed.wrapping_mul(self.divisor) as i64)
    }

    /// The indexes of the values of the document with rank `rank` within the window.
    #[inline]
    pub(super) fn indexes(&self, bytes: &[u8], rank: usize) -> std::ops::Range<usize> {
        if self.offset_width == SINGLE {
            return rank..rank + 1;
        }
        let offset = |i| packed::get(&bytes[self.offsets..], self.offset_width, i) as usize;
        offset(rank)..offset(rank + 1)
    }

    /// The packed numbers that stand for values in `lo..=hi`; `None` if there are none among those of the window.
    pub(super) fn raw_range(&self, lo: i64, hi: i64) -> Option<(u64, u64)> {
        if self.count == 0 || lo > self.max || hi < self.min {
            return None;
        }
        let above = |value: i64| (value as u64).wrapping_sub(self.min as u64);
        let raw_lo = above(lo.max(self.min)).div_ceil(self.divisor);
        let raw_hi = above(hi.min(self.max)) / self.divisor;
        (raw_lo <= raw_hi).then_some((raw_lo, raw_hi))
    }
}

impl NumericColumn {
    pub(crate) fn new(max_doc: u32, bytes: Bytes) -> Self {
        let (count, set) = (u32_at(&bytes, 24), u32_at(&bytes, 28) as usize);
        let docs = DocSet::new(max_doc, count, bytes.slice(HEADER_BYTES..HEADER_BYTES + set));
        let windows = (0..max_doc.div_ceil(WINDOW)).map(|window| {
            let at = HEADER_BYTES + set + window as usize * ENTRY_BYTES;
            let (rank, after) = (docs.window_rank(window), docs.window_rank(window + 1));
            let (offset_width, value_width) = (bytes[at + 28], bytes[at + 29]);
            let offsets = u64_at(&bytes, at + 30) as usize;
            let offsets_len = match offset_width {
                SINGLE => 0,
                width => packed::bytes_len((after - rank) as usize + 1, width),
            };
            Window {
                min: i64_at(&bytes, at),
                max: i64_at(&bytes, at + 8),
                divisor: u64_at(&bytes, at + 16),
                count: u32_at(&bytes, at + 24),
                rank,
                offset_width,
                value_width,
                offsets,
                values: offsets + offsets_len,
            }
        });
        let windows: Vec<Window> = windows.collect();
        let extremes = windows.iter().map(|_| OnceLock::new()).collect();
        let (value_count, min, max) = (u64_at(&bytes, 0), i64_at(&bytes, 8), i64_at(&bytes, 16));
        Self(Arc::new(Inner { docs, value_count, min, max, windows, extremes, bytes }))
    }

    /// No document has more than one value.
    pub fn single_valued(&self) -> bool {
        self.0.value_count == u64::from(self.0.docs.count())
    }

    /// Values of all documents together.
    pub fn value_count(&self) -> u64 {
        self.0.value_count
    }

    /// The documents that have a value.
    pub fn docs(&self) -> &DocSet {
        &self.0.docs
    }

    /// The smallest value; `None` if there is none.
    pub fn min(&self) -> Option<i64> {
        (self.0.value_count > 0).then_some(self.0.min)
    }

    /// The largest value; `None` if there is none.
    pub fn max(&self) -> Option<i64> {
        (self.0.value_count > 0).then_some(self.0.max)
    }

    /// Smallest and largest value in a window; `None` if no document of it has one.
    pub fn window_range(&self, window: u32) -> Option<(i64, i64)> {
        let window = self.0.windows.get(window as usize)?;
        (window.count > 0).then_some((window.min, window.max))
    }

    pub fn has(&self, doc: u32) -> bool {
        self.0.docs.contains(doc)
    }

    pub(super) fn window(&self, number: u32) -> &Window {
        &self.0.windows[number as usize]
    }

    pub(super) fn extremes(&self, number: u32) -> &OnceLock<Extremes> {
        &self.0.extremes[number as usize]
    }

    /// Memory held beside the bytes of the segment.
    pub fn memory_bytes(&self) -> usize {
        let extremes: usize = self.0.extremes.iter().filter_map(OnceLock::get).map(|kept| size_of_val(&**kept)).sum();
        extremes + self.0.windows.len() * (size_of::<Window>() + size_of::<OnceLock<Extremes>>())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The window of a document and its rank within it.
    #[inline]
    fn place(&self, doc: u32) -> Option<(&Window, usize)> {
        let rank = self.0.docs.rank(doc)?;
        let window = &self.0.windows[(doc / WINDOW) as usize];
        Some((window, (rank - window.rank) as usize))
    }

    /// The smallest value of a document.
    #[inline]
    pub fn first(&self, doc: u32) -> Option<i64> {
        let (window, rank) = self.place(doc)?;
        let bytes = &self.0.bytes;
        Some(window.value(bytes, window.indexes(bytes, rank).start))
    }

    /// The largest value of a document.
    pub fn last(&self, doc: u32) -> Option<i64> {
        let (window, rank) = self.place(doc)?;
        let bytes = &self.0.bytes;
        Some(window.value(bytes, window.indexes(bytes, rank).end - 1))
    }

    /// All values of a document, ascending, equal ones kept; clears `out` first.
    pub fn values(&self, doc: u32, out: &mut Vec<i64>) {
        out.clear();
        self.for_each(doc, |value| out.push(value));
    }

    /// Calls `f` with all values of a document, ascending, equal ones kept.
    #[inline]
    pub fn for_each(&self, doc: u32, mut f: impl FnMut(i64)) {
        if let Some((window, rank)) = self.place(doc) {
            let bytes = &self.0.bytes;
            window.indexes(bytes, rank).for_each(|index| f(window.value(bytes, index)));
        }
    }
}

/// Writes the column of (document, value) pairs, which are sorted.
pub(crate) async fn write(max_doc: u32, values: &[(u32, i64)], pace: &Pace) -> Vec<u8> {
    debug_assert!(values.is_sorted());
    let (mut docs, mut range_of_all) = (Vec::with_capacity(values.len()), None);
    for slice in values.chunks(4_096) {
        docs.extend(slice.iter().map(|(doc, _)| *doc));
        let (min, max) = range(slice).expect("slices hold something");
        let (least, most) = range_of_all.unwrap_or((min, max));
        range_of_all = Some((min.min(least), max.max(most)));
        pace.tick(slice.len() as u32 / 4).await;
    }
    docs.dedup();
    let (min, max) = range_of_all.unwrap_or((0, 0));
    let mut out = Vec::with_capacity(HEADER_BYTES + values.len() * 4);
    out.extend_from_slice(&(values.len() as u64).to_le_bytes());
    out.extend_from_slice(&min.to_le_bytes());
    out.extend_from_slice(&max.to_le_bytes());
    out.extend_from_slice(&(docs.len() as u32).to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    docset::write(max_doc, &docs, &mut out, pace).await;
    let set = (out.len() - HEADER_BYTES) as u32;
    out[28..32].copy_from_slice(&set.to_le_bytes());
    let windows = max_doc.div_ceil(WINDOW) as usize;
    let mut entry = out.len();
    out.resize(entry + windows * ENTRY_BYTES, 0);
    let mut rest = values;
    for window in 0..windows as u32 {
        let here;
        (here, rest) = rest.split_at(rest.partition_point(|(doc, _)| doc / WINDOW == window));
        let fields = write_window(here, &mut out);
        out[entry..entry + ENTRY_BYTES].copy_from_slice(&fields);
        entry += ENTRY_BYTES;
        pace.tick(here.len() as u32).await;
    }
    assert!(rest.is_empty(), "documents past the segment");
    out
}

fn range(values: &[(u32, i64)]) -> Option<(i64, i64)> {
    let numbers = || values.iter().map(|(_, value)| *value);
    Some((numbers().min()?, numbers().max()?))
}

/// Appends the data of a window and gives its entry.
fn write_window(values: &[(u32, i64)], out: &mut Vec<u8>) -> [u8; ENTRY_BYTES] {
    let (min, max) = range(values).unwrap_or((0, 0));
    let above = |value: i64| (value as u64).wrapping_sub(min as u64);
    let mut divisor = 0;
    for (_, value) in values {
        divisor = greatest_common_divisor(divisor, above(*value));
        if divisor == 1 {
            break;
        }
    }
    let divisor = divisor.max(1);
    let start = out.len() as u64;
    let starts = || values.chunk_by(|a, b| a.0 == b.0);
    let several = starts().any(|values| values.len() > 1);
    let mut offset_width = SINGLE;
    if several {
        offset_width = packed::width(values.len() as u64);
        let mut end = 0;
        let ends = starts().map(|values| {
            end += values.len() as u64;
            end
        });
        packed::pack(std::iter::once(0).chain(ends), offset_width, out);
    }
    let value_width = packed::width(above(max) / divisor);
    packed::pack(values.iter().map(|(_, value)| above(*value) / divisor), value_width, out);
    let mut entry = [0; ENTRY_BYTES];
    entry[..8].copy_from_slice(&min.to_le_bytes());
    entry[8..16].copy_from_slice(&max.to_le_bytes());
    entry[16..24].copy_from_slice(&divisor.to_le_bytes());
    entry[24..28].copy_from_slice(&(values.len() as u32).to_le_bytes());
    (entry[28], entry[29]) = (offset_width, value_width);
    entry[30..].copy_from_slice(&start.to_le_bytes());
    entry
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::block_on_ready;

    fn write(max_doc: u32, values: &[(u32, i64)]) -> Vec<u8> {
        block_on_ready(super::write(max_doc, values, &Pace::never()))
    }

    fn check(max_doc: u32, values: &[(u32, i64)]) -> NumericColumn {
        let column = NumericColumn::new(max_doc, write(max_doc, values).into());
        let mut got = vec![];
        for doc in (0..max_doc).step_by(61).chain(values.iter().map(|(doc, _)| *doc)) {
            let expected: Vec<i64> = values.iter().filter(|(d, _)| *d == doc).map(|(_, value)| *value).collect();
            column.values(doc, &mut got);
            assert_eq!(got, expected, "doc {doc}");
            assert_eq!((column.first(doc), column.last(doc)), (expected.first().copied(), expected.last().copied()));
            assert_eq!(column.has(doc), !expected.is_empty());
        }
        assert_eq!(column.value_count(), values.len() as u64);
        assert_eq!(column.min(), values.iter().map(|(_, value)| *value).min());
        assert_eq!(column.max(), values.iter().map(|(_, value)| *value).max());
        column
    }

    #[test]
    fn constants_take_no_space_and_divisors_little() {
        let constant: Vec<(u32, i64)> = (0..1_000).map(|doc| (doc, -7)).collect();
        assert!(write(1_000, &constant).len() < 100);
        assert!(check(1_000, &constant).single_valued());
        let days: Vec<(u32, i64)> = (0..1_000).map(|doc| (doc, i64::from(doc % 16) * 86_400_000 - 5)).collect();
        assert!(write(1_000, &days).len() < 600);
        check(1_000, &days);
    }

    #[test]
    fn extremes_gaps_and_several_values() {
        check(10, &[]);
        check(10, &[(3, i64::MIN), (4, i64::MAX), (9, 0)]);
        let values: Vec<(u32, i64)> =
            (0..300).flat_map(|i| (0..i % 4).map(move |j| (i * 700, i64::from(j * i) << 20))).collect();
        let column = check(300 * 700, &values);
        assert!(!column.single_valued());
        assert_eq!(column.window_range(0), Some((0, (3 * 91 - 91i64) << 20)));
        assert_eq!(column.window_range(9), None);
    }
}
