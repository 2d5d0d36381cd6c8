//! Reads the positions of one document out of those of its group, or of all of it; see `write` for their layout.

use crate::codec::packed;
use crate::codec::simd::{self, BLOCK};
use crate::meter;

/// Appends the positions of a document of a group, whose positions start at the beginning of `bytes`: `total` of them, of
/// which those of the document are `first..end`.
pub(super) fn read(bytes: &[u8], total: usize, first: usize, end: usize, out: &mut Vec<u32>) {
    let (widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
    let skipped: usize = widths[..first / BLOCK].iter().map(|width| packed::bytes_len(BLOCK, *width)).sum();
    data = &data[skipped..];
    if first < end {
        // Those of a document seldom stand in two blocks: the width of the first is as good as that of each.
        meter::postings(end - first, widths[first / BLOCK]);
    }
    let (mut position, mut index, mut left) = (0u32, first % BLOCK, end - first);
    for width in &widths[first / BLOCK..] {
        let run = left.min(BLOCK - index);
        out.extend((index..index + run).map(|index| {
            position = position.wrapping_add(packed::get(data, *width, index) as u32);
            position
        }));
        (index, left) = (0, left - run);
        if left == 0 {
            break;
        }
        data = &data[packed::bytes_len(BLOCK, *width)..];
    }
}

/// Appends the distances of all `total` positions of a group, which start at the beginning of `bytes`.
pub(super) fn read_distances(bytes: &[u8], total: usize, out: &mut Vec<u32>) {
    let (widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
    let (mut block, mut left) = ([0; BLOCK], total);
    for width in widths {
        let count = left.min(BLOCK);
        simd::unpack(data, *width, &mut block);
        out.extend_from_slice(&block[..count]);
        data = &data[packed::bytes_len(count, *width)..];
        left -= count;
    }
}
