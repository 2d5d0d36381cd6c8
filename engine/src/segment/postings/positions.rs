//! Reads the positions of one document out of those of its group; see `write` for their layout.

use crate::codec::packed;
use crate::codec::simd::BLOCK;

/// Appends the positions of document `at` of a group, whose positions start at the beginning of `bytes`. `starts` are the
/// numbers of positions before each document of the group, and in all.
pub(super) fn read(bytes: &[u8], starts: &[u32], at: usize, out: &mut Vec<u32>) {
    let total = starts[starts.len() - 1] as usize;
    let (first, end) = (starts[at] as usize, starts[at + 1] as usize);
    let (widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
    for width in &widths[..first / BLOCK] {
        data = &data[packed::bytes_len(BLOCK, *width)..];
    }
    let (mut position, mut index, mut block) = (0u32, first % BLOCK, first / BLOCK);
    for _ in first..end {
        if index == BLOCK {
            data = &data[packed::bytes_len(BLOCK, widths[block])..];
            (index, block) = (0, block + 1);
        }
        position = position.wrapping_add(packed::get(data, widths[block], index) as u32);
        out.push(position);
        index += 1;
    }
}
