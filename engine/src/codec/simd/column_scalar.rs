//! The scalar twins of the kernels over columns.

use super::column::{Lists, Run};
use crate::codec::packed;

pub fn unpack(bytes: &[u8], width: u8, start: usize, out: &mut [u64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = packed::get(bytes, width, start + i);
    }
}

pub fn gather(bytes: &[u8], width: u8, base: u32, indexes: &[u32], out: &mut [u64]) {
    for (index, out) in indexes.iter().zip(out) {
        *out = packed::get(bytes, width, (index - base) as usize);
    }
}

pub fn gather_lists(lists: &Lists<'_>, base: u32, ranks: &[u32], out: &mut Vec<u64>, ends: &mut Vec<u32>) {
    for rank in ranks {
        let (first, end) = packed::get_pair(lists.offsets, lists.offset_width, (rank - base) as usize);
        out.extend((first..end).map(|index| packed::get(lists.values, lists.value_width, index as usize)));
        ends.push(out.len() as u32);
    }
}

pub fn filter(bytes: &[u8], width: u8, run: Run, within: (u64, u64), words: &mut [u64]) {
    words[..run.len.div_ceil(64)].fill(0);
    filter_from(bytes, width, run, 0, within, words);
}

/// The filter from value `from` of the run on.
pub fn filter_from(bytes: &[u8], width: u8, run: Run, from: usize, within: (u64, u64), words: &mut [u64]) {
    for i in from..run.len {
        let value = packed::get(bytes, width, run.start + i);
        words[i / 64] |= u64::from(within.0 <= value && value <= within.1) << (i % 64);
    }
}

pub fn range(bytes: &[u8], width: u8, run: Run) -> (u64, u64) {
    (run.start..run.start + run.len).fold((u64::MAX, 0), |(min, max), i| {
        let value = packed::get(bytes, width, i);
        (min.min(value), max.max(value))
    })
}

/// Compiled anew for each kind of processor, which makes vectors of it. `lo` is not above `hi`, so that one comparison tells.
#[inline(always)]
pub fn count_within(values: &[i64], lo: i64, hi: i64) -> u64 {
    let span = hi.wrapping_sub(lo) as u64;
    values.iter().map(|value| u64::from(value.wrapping_sub(lo) as u64 <= span)).sum()
}

/// Compiled anew for each kind of processor. No question is asked before the last number, so that it becomes vectors.
#[inline(always)]
pub fn is_run(numbers: &[u32]) -> bool {
    let first = numbers.first().copied().unwrap_or(0);
    let differing = numbers
        .iter()
        .enumerate()
        .fold(0, |differing, (at, number)| differing | number.wrapping_sub(first.wrapping_add(at as u32)));
    differing == 0
}

/// Compiled anew for each kind of processor; 0 of none.
#[inline(always)]
pub fn greatest(numbers: &[u32]) -> u32 {
    numbers.iter().fold(0, |greatest, number| greatest.max(*number))
}

/// Compiled anew for each kind of processor.
#[inline(always)]
pub fn scale(numbers: &mut [i64], by: i64, plus: i64) {
    match by {
        1 => numbers.iter_mut().for_each(|number| *number = number.wrapping_add(plus)),
        _ => numbers.iter_mut().for_each(|number| *number = number.wrapping_mul(by).wrapping_add(plus)),
    }
}

pub fn push_bits(words: &[u64], base: u32, out: &mut Vec<u32>) {
    for (at, word) in words.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            out.push(base + at as u32 * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
}
