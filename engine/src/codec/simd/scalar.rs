//! The scalar twins: what the kernels mean, and what runs where there is no AVX2.

use super::BLOCK;
use crate::codec::packed;

pub fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = packed::get(bytes, width, i) as u32;
    }
}

pub fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    let mut last = before;
    for (i, out) in out.iter_mut().enumerate() {
        last = last.wrapping_add(1).wrapping_add(packed::get(bytes, width, i) as u32);
        *out = last;
    }
}

#[inline]
pub fn count(words: &[u64]) -> u32 {
    words.iter().map(|w| w.count_ones()).sum()
}

#[inline]
pub fn and_count(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

#[inline]
pub fn rank(bytes: &[u8], bits: usize) -> u32 {
    let words = bytes.as_chunks::<8>().0;
    let whole: u32 = words[..bits / 64].iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
    whole + (u64::from_le_bytes(words[bits / 64]) & ((1 << (bits % 64)) - 1)).count_ones()
}

#[inline]
pub fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word |= u64::from_le_bytes(*bytes.first_chunk().expect("chunks of eight"));
    }
}

#[inline]
pub fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word &= u64::from_le_bytes(*bytes.first_chunk().expect("chunks of eight"));
    }
}
