//! Reads the positions of one document out of those of its group; see `write` for their layout.

use crate::codec::packed;
use crate::codec::simd::BLOCK;

/// Appends the positions of document `at` of a group with these frequencies, whose positions start at the beginning of
/// `bytes`.
pub(super) fn read(bytes: &[u8], freqs: &[u32], at: usize, out: &mut Vec<u32>) {
    let total: usize = freqs.iter().map(|freq| *freq as usize).sum();
    let first: usize = freqs[..at].iter().map(|freq| *freq as usize).sum();
    let (widths, mut data) = bytes.split_at(total.div_ceil(BLOCK));
    for width in &widths[..first / BLOCK] {
        data = &data[packed::bytes_len(BLOCK, *width)..];
    }
    let (mut position, mut index, mut block) = (0u32, first % BLOCK, first / BLOCK);
    for _ in 0..freqs[at] {
        if index == BLOCK {
            data = &data[packed::bytes_len(BLOCK, widths[block])..];
            (index, block) = (0, block + 1);
        }
        position = position.wrapping_add(packed::get(data, widths[block], index) as u32);
        out.push(position);
        index += 1;
    }
}
