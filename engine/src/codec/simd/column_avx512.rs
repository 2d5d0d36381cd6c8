//! The kernels over columns for AVX-512: documents of a window of bits, and values that are counted.
//!
//! `VPCOMPRESSB` brings the places of a word's set bits together at once (VBMI2); sixteen at a time they are widened to
//! documents.

use super::column::ColumnKernels;
use super::column_scalar;
use std::arch::x86_64::*;

/// Documents stored at once.
const LANES: usize = 16;

/// The places of the bits of a word.
const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        places[i] = i as u8;
        i += 1;
    }
    places
};

/// `others`, with the kernels of this file, if the processor has what it needs.
pub fn kernels(others: ColumnKernels) -> Option<ColumnKernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("popcnt");
    has.then_some(ColumnKernels {
        // SAFETY: the functions are reachable only through this table, which is handed out only after the processor was seen
        // to have what it needs.
        push_bits: |words, base, out| unsafe { push_bits(words, base, out) },
        // SAFETY: as above.
        count_within: |values, lo, hi| unsafe { count_within(values, lo, hi) },
        ..others
    })
}

/// Vectors of 512 bits compare without a sign and count by masks.
#[target_feature(enable = "avx512f,avx512bw")]
fn count_within(values: &[i64], lo: i64, hi: i64) -> u64 {
    column_scalar::count_within(values, lo, hi)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512vpopcntdq,popcnt")]
fn push_bits(words: &[u64], base: u32, out: &mut Vec<u32>) {
    let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
    // Sixteen are stored at a time, so that up to fifteen are written past the last one.
    out.reserve(count + LANES);
    let (from, mut at) = (out.len(), out.len());
    let free = out.as_mut_ptr();
    // SAFETY: `PLACES` has the 64 bytes that are loaded.
    let places = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    for (i, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
        let first = _mm512_set1_epi32((base + i as u32 * 64) as i32);
        let set = _mm512_maskz_compress_epi8(*word, places);
        let parts = [
            _mm512_castsi512_si128(set),
            _mm512_extracti32x4_epi32::<1>(set),
            _mm512_extracti32x4_epi32::<2>(set),
            _mm512_extracti32x4_epi32::<3>(set),
        ];
        let len = word.count_ones() as usize;
        for (part, places) in parts.into_iter().enumerate().take(len.div_ceil(LANES)) {
            let docs = _mm512_add_epi32(_mm512_cvtepu8_epi32(places), first);
            // SAFETY: fewer than `len` documents of this word, and those of the words before it, were stored, so that this
            // begins before `from + count`, and sixteen more than those were reserved.
            unsafe { _mm512_storeu_si512(free.add(at + part * LANES).cast(), docs) };
        }
        at += len;
    }
    debug_assert_eq!(at, from + count);
    // SAFETY: `count` documents were stored one after the other from `from` on, within what was reserved.
    unsafe { out.set_len(from + count) };
}
