//! The kernels for AVX-512: those over scores, where sixteen lanes and expansion by mask pay.
//!
//! Frequencies are kept by rank, scores are added up by document. `VPEXPANDD` brings the frequencies of sixteen documents from
//! the one order into the other; a document that does not have the term gets frequency 0 and so scores exactly 0.

use super::{BLOCK, Kernels, scalar};
use std::arch::x86_64::*;

/// `others`, with the kernels of this file, if the processor has what they need.
pub fn kernels(others: Kernels) -> Option<Kernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("popcnt");
    has.then_some(Kernels {
        // SAFETY (of all): these functions are reachable only through this table, which is handed out only after the
        // processor was seen to have what they need.
        count: |words| unsafe { count(words) },
        // SAFETY: as above.
        and_count: |a, b| unsafe { and_count(a, b) },
        // SAFETY: as above.
        or_bytes: |words, bytes| unsafe { or_bytes(words, bytes) },
        // SAFETY: as above.
        and_bytes: |words, bytes| unsafe { and_bytes(words, bytes) },
        // SAFETY: as above.
        add_bounds: |bests, step, cap, sums| unsafe { add_bounds(bests, step, cap, sums) },
        // SAFETY: as above.
        above: |values, limit, out| unsafe { above(values, limit, out) },
        // SAFETY: as above.
        look_up: |keys, table, out| unsafe { look_up(keys, table, out) },
        // SAFETY: as above.
        add_scores: |docs, freqs, inverses, weight, slots| unsafe { add_scores(docs, freqs, inverses, weight, slots) },
        // SAFETY: as above.
        find_common: |docs, wanted, others, places| unsafe { find_common(docs, wanted, others, places) },
        // SAFETY: as above.
        scores: |freqs, inverses, weight, out| unsafe { scores(freqs, inverses, weight, out) },
        ..others
    })
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn count(words: &[u64]) -> u32 {
    scalar::count(words)
}

#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn and_count(a: &[u64], b: &[u64]) -> u32 {
    scalar::and_count(a, b)
}

#[target_feature(enable = "avx512f,avx512vl")]
fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::or_bytes(words, bytes);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::and_bytes(words, bytes);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn add_bounds(bests: &[u8], step: f32, cap: f32, sums: &mut [f32]) {
    scalar::add_bounds(bests, step, cap, sums);
}

#[target_feature(enable = "avx512f")]
fn above(values: &[f32], limit: f32, out: &mut [u64]) {
    let limit = _mm512_set1_ps(limit);
    for (word, values) in out.iter_mut().zip(values.chunks(64)) {
        *word = 0;
        for (at, lanes) in values.as_chunks::<16>().0.iter().enumerate() {
            let mask = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(load(lanes), limit);
            *word |= u64::from(mask) << (at * 16);
        }
    }
}

/// Keys of 128 and more are rare (lengths of tens of thousands), so the first half of the table stays in registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn look_up(keys: &[u8], table: &[f32; 256], out: &mut [f32]) {
    let parts = table.as_chunks::<16>().0;
    let [a, b, c, d] = [0, 2, 4, 6].map(|at| (load(&parts[at]), load(&parts[at + 1])));
    let len = keys.len().min(out.len());
    let (chunks, rest) = keys[..len].as_chunks::<16>();
    let (outs, rest_out) = out[..len].as_chunks_mut::<16>();
    scalar::look_up(rest, table, rest_out);
    for (keys, out) in chunks.iter().zip(outs) {
        // SAFETY: sixteen bytes, and the load needs no alignment.
        let bytes = unsafe { _mm_loadu_si128(keys.as_ptr().cast()) };
        if _mm_movemask_epi8(bytes) != 0 {
            scalar::look_up(keys, table, out);
            continue;
        }
        let at = _mm512_cvtepu8_epi32(bytes);
        // Five bits choose within a pair of registers, two more choose the pair.
        let low = _mm512_mask_mov_ps(
            _mm512_permutex2var_ps(a.0, at, a.1),
            _mm512_test_epi32_mask(at, _mm512_set1_epi32(32)),
            _mm512_permutex2var_ps(b.0, at, b.1),
        );
        let high = _mm512_mask_mov_ps(
            _mm512_permutex2var_ps(c.0, at, c.1),
            _mm512_test_epi32_mask(at, _mm512_set1_epi32(32)),
            _mm512_permutex2var_ps(d.0, at, d.1),
        );
        store(out, _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(at, _mm512_set1_epi32(64)), high));
    }
}

#[target_feature(enable = "avx512f,popcnt")]
fn add_scores(docs: [u64; 2], freqs: &[u32], inverses: &[f32; BLOCK], weight: f32, slots: &mut [f32; BLOCK]) {
    let mut rank = 0;
    let lanes = inverses.as_chunks::<16>().0.iter().zip(slots.as_chunks_mut::<16>().0);
    for (at, (inverses, slots)) in lanes.enumerate() {
        let mask = (docs[at / 4] >> (at % 4 * 16)) as u16;
        if mask == 0 {
            continue;
        }
        let next: &[u32; 16] = freqs[rank..].first_chunk().expect("padded");
        rank += mask.count_ones() as usize;
        // SAFETY: sixteen integers, and the load needs no alignment.
        let by_rank = unsafe { _mm512_loadu_si512(next.as_ptr().cast()) };
        let freqs = _mm512_cvtepu32_ps(_mm512_maskz_expand_epi32(mask, by_rank));
        store(slots, _mm512_add_ps(load(slots), score(freqs, load(inverses), weight)));
    }
}

/// Goes through the others sixteen at a time.
#[target_feature(enable = "avx512f,avx512vl,bmi1,popcnt")]
fn find_common(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    let lanes = others.as_chunks::<16>().0;
    let last: [u32; BLOCK / 16] = std::array::from_fn(|at| lanes[at][15]);
    // SAFETY: eight integers, and the load needs no alignment.
    let last = unsafe { _mm256_loadu_si256(last.as_ptr().cast()) };
    let mut found = [0; 2];
    for half in 0..2 {
        let mut word = wanted[half];
        while word != 0 {
            let i = half * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            // How many sixteens end before the document: without a branch, since none could be foreseen.
            let before = _mm256_cmplt_epu32_mask(last, _mm256_set1_epi32(docs[i] as i32));
            let at = (before.count_ones() as usize).min(BLOCK / 16 - 1);
            // SAFETY: sixteen integers, and the load needs no alignment.
            let sixteen = unsafe { _mm512_loadu_si512(lanes[at].as_ptr().cast()) };
            let equal = _mm512_cmpeq_epi32_mask(sixteen, _mm512_set1_epi32(docs[i] as i32));
            found[half] |= u64::from(equal != 0) << (i % 64);
            places[i] = (at * 16) as u8 + (equal.trailing_zeros() & 15) as u8;
        }
    }
    found
}

#[target_feature(enable = "avx512f")]
fn scores(freqs: &[u32; BLOCK], inverses: &[f32; BLOCK], weight: f32, out: &mut [f32; BLOCK]) {
    let lanes = freqs.as_chunks::<16>().0.iter().zip(inverses.as_chunks::<16>().0).zip(out.as_chunks_mut::<16>().0);
    for ((freqs, inverses), out) in lanes {
        // SAFETY: sixteen integers, and the load needs no alignment.
        let freqs = unsafe { _mm512_loadu_si512(freqs.as_ptr().cast()) };
        store(out, score(_mm512_cvtepu32_ps(freqs), load(inverses), weight));
    }
}

/// The operations of the scalar twin, in its order; nothing is fused.
#[inline]
#[target_feature(enable = "avx512f")]
fn score(freqs: __m512, inverses: __m512, weight: f32) -> __m512 {
    let weight = _mm512_set1_ps(weight);
    let below = _mm512_add_ps(_mm512_set1_ps(1.0), _mm512_mul_ps(freqs, inverses));
    _mm512_sub_ps(weight, _mm512_div_ps(weight, below))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(lanes: &[f32; 16]) -> __m512 {
    // SAFETY: sixteen floats, and the load needs no alignment.
    unsafe { _mm512_loadu_ps(lanes.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(out: &mut [f32; 16], lanes: __m512) {
    // SAFETY: sixteen floats, and the store needs no alignment.
    unsafe { _mm512_storeu_ps(out.as_mut_ptr(), lanes) }
}
