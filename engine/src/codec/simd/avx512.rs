//! The kernels for AVX-512: those over scores, where sixteen lanes and expansion by mask pay.
//!
//! Frequencies are kept by rank, scores are added up by document. `VPEXPANDD` brings the frequencies of sixteen documents from
//! the one order into the other; a document that does not have the term gets frequency 0 and so scores exactly 0.

use super::{BLOCK, Kernels, SET_WORDS, scalar};
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
        rank: |bytes, bits| unsafe { rank(bytes, bits) },
        // SAFETY: as above.
        or_bytes: |words, bytes| unsafe { or_bytes(words, bytes) },
        // SAFETY: as above.
        and_bytes: |words, bytes| unsafe { and_bytes(words, bytes) },
        // SAFETY: as above.
        choose: |bytes, with, without, out| unsafe { choose(bytes, with, without, out) },
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
        below: |numbers, limit| unsafe { below(numbers, limit) },
        // SAFETY: as above.
        contained: |set, numbers| unsafe { contained(set, numbers) },
        // SAFETY: as above.
        scores: |freqs, inverses, weight, out| unsafe { scores(freqs, inverses, weight, out) },
        // SAFETY: as above.
        near: |bytes, wanted, most, out| unsafe { near(bytes, wanted, most, out) },
        // SAFETY: as above.
        keep_following: |starts, offset, sums, before| unsafe { keep_following(starts, offset, sums, before) },
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

/// How many words there are to count cannot be foreseen: up to eight are counted at once.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn rank(bytes: &[u8], bits: usize) -> u32 {
    let Some(words) = bytes.first_chunk::<64>().filter(|_| bits < 512) else { return scalar::rank(bytes, bits) };
    // SAFETY: 64 bytes, and the load needs no alignment.
    let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    let whole = (1u8 << (bits / 64)) - 1;
    let last = _mm512_set1_epi64(((1u64 << (bits % 64)) - 1) as i64);
    let below = _mm512_mask_set1_epi64(last, whole, -1);
    // Of the words behind the last one nothing counts.
    let counts = _mm512_maskz_popcnt_epi64(whole << 1 | 1, _mm512_and_si512(words, below));
    _mm512_reduce_add_epi64(counts) as u32
}

#[target_feature(enable = "avx512f,avx512vl")]
fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::or_bytes(words, bytes);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::and_bytes(words, bytes);
}

#[target_feature(enable = "avx512f")]
fn choose(bytes: &[u8], with: &[u64], without: &[u64], out: &mut [u64]) {
    scalar::choose(bytes, with, without, out);
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

/// From so many of sixteen documents on they are looked for together.
const TOGETHER_MIN: u32 = 5;

/// Looks for sixteen documents at once, by halving.
#[target_feature(enable = "avx512f,avx512vl,bmi1,popcnt")]
fn find_common(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    let all = others.as_chunks::<16>().0;
    // SAFETY: sixteen integers each, which need no alignment.
    let all = unsafe {
        let load = |at: usize| _mm512_loadu_si512(all[at].as_ptr().cast());
        [load(0), load(1), load(2), load(3), load(4), load(5), load(6), load(7)]
    };
    // The last of each eight, four of each pair of registers.
    let lasts = _mm512_setr_epi32(7, 15, 23, 31, 7, 15, 23, 31, 7, 15, 23, 31, 7, 15, 23, 31);
    let four = |at: usize| _mm512_permutex2var_epi32(all[at], lasts, all[at + 1]);
    let low = _mm512_mask_mov_epi32(four(0), 0x00f0, four(2));
    let eighths = _mm512_mask_mov_epi32(low, 0xff00, _mm512_mask_mov_epi32(four(4), 0xf000, four(6)));
    let (mut found, mut few) = ([0; 2], wanted);
    let chunks = docs.as_chunks::<16>().0.iter().zip(places.as_chunks_mut::<16>().0);
    for (at, (docs, places)) in chunks.enumerate() {
        let mask = (wanted[at / 4] >> (at % 4 * 16)) as u16;
        if mask.count_ones() < TOGETHER_MIN {
            continue;
        }
        few[at / 4] &= !(0xffff << (at % 4 * 16));
        // SAFETY: sixteen integers, and the load needs no alignment.
        let docs = unsafe { _mm512_loadu_si512(docs.as_ptr().cast()) };
        // How many of the others come before: first in eighths, then in ones.
        let mut place = _mm512_setzero_si512();
        for step in [8, 4, 2, 1] {
            let probe = _mm512_permutexvar_epi32(_mm512_add_epi32(place, _mm512_set1_epi32(step - 1)), eighths);
            let before = _mm512_cmplt_epu32_mask(probe, docs);
            place = _mm512_mask_add_epi32(place, before, place, _mm512_set1_epi32(step));
        }
        place = _mm512_slli_epi32::<3>(place);
        let (second, fourth) = (
            _mm512_test_epi32_mask(place, _mm512_set1_epi32(32)),
            _mm512_test_epi32_mask(place, _mm512_set1_epi32(64)),
        );
        // Five bits choose within a pair of registers, two more choose the pair.
        let look_up = |place: __m512i| {
            let pair = |at: usize| _mm512_permutex2var_epi32(all[at], place, all[at + 1]);
            let low = _mm512_mask_mov_epi32(pair(0), second, pair(2));
            let high = _mm512_mask_mov_epi32(pair(4), second, pair(6));
            _mm512_mask_mov_epi32(low, fourth, high)
        };
        for step in [4, 2, 1] {
            let probe = look_up(_mm512_add_epi32(place, _mm512_set1_epi32(step - 1)));
            let before = _mm512_cmplt_epu32_mask(probe, docs);
            place = _mm512_mask_add_epi32(place, before, place, _mm512_set1_epi32(step));
        }
        let equal = _mm512_cmpeq_epi32_mask(look_up(place), docs) & mask;
        found[at / 4] |= u64::from(equal) << (at % 4 * 16);
        // SAFETY: sixteen bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(places.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(place)) };
    }
    if few == [0; 2] {
        return found;
    }
    let found_few = find_few(docs, few, others, places);
    [found[0] | found_few[0], found[1] | found_few[1]]
}

/// Goes through the others sixteen at a time.
#[target_feature(enable = "avx512f,avx512vl,bmi1,popcnt")]
fn find_few(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
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

#[target_feature(enable = "avx512f,popcnt")]
fn below(numbers: &[u32; BLOCK], limit: u32) -> u32 {
    let limit = _mm512_set1_epi32(limit as i32);
    let mut all = 0u128;
    for lanes in numbers.as_chunks::<16>().0 {
        // SAFETY: sixteen integers, and the load needs no alignment.
        let lanes = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
        all = all << 16 | u128::from(_mm512_cmplt_epu32_mask(lanes, limit));
    }
    all.count_ones()
}

/// Sixteen at a time, by halves of the words.
#[target_feature(enable = "avx512f,popcnt")]
fn contained(set: &[u64; SET_WORDS], numbers: &[u32]) -> u32 {
    let (chunks, rest) = numbers.as_chunks::<16>();
    let mut count = scalar::contained(set, rest);
    for chunk in chunks {
        // SAFETY: sixteen integers, and the load needs no alignment.
        let numbers = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
        let halves = _mm512_srli_epi32::<5>(_mm512_and_si512(numbers, _mm512_set1_epi32(0xffff)));
        // SAFETY: sixteen bits by five are below 2,048, and the set has as many halves of words.
        let halves = unsafe { _mm512_i32gather_epi32::<4>(halves, set.as_ptr().cast()) };
        let bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(numbers, _mm512_set1_epi32(31)));
        count += _mm512_test_epi32_mask(halves, bit).count_ones();
    }
    count
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

/// Eight words at a time.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn near(bytes: &[u8], wanted: u64, most: u32, out: &mut [u64]) {
    out.fill(0);
    let (chunks, rest) = bytes.as_chunks::<64>();
    let (all, limit) = (_mm512_set1_epi64(wanted as i64), _mm512_set1_epi64(i64::from(most)));
    for (i, chunk) in chunks.iter().enumerate() {
        // SAFETY: 64 bytes, and the load needs no alignment.
        let words = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
        let more = _mm512_popcnt_epi64(_mm512_andnot_si512(all, words));
        let fewer = _mm512_popcnt_epi64(_mm512_andnot_si512(words, all));
        let near = _mm512_cmple_epu64_mask(_mm512_max_epu64(more, fewer), limit);
        out[i / 8] |= u64::from(near) << (i % 8 * 8);
    }
    let mut last = [0];
    scalar::near(rest, wanted, most, &mut last);
    if let Some(word) = out.get_mut(chunks.len() / 8) {
        *word |= last[0] << (chunks.len() % 8 * 8);
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

/// Sixteen positions at once are asked whether they are the wanted one: how many come before it need not be foreseen.
#[target_feature(enable = "avx512f")]
fn keep_following(starts: &mut [u32], offset: u32, sums: &[u32], before: u32) -> usize {
    let ones = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    let load = |at: usize| {
        let left = sums.len() - at;
        let mask = if left < 16 { (1u16 << left) - 1 } else { u16::MAX };
        // SAFETY: as many integers as the mask has bits are left.
        let sums = unsafe { _mm512_maskz_loadu_epi32(mask, sums[at..].as_ptr().cast()) };
        let behind = _mm512_set1_epi32(before.wrapping_add(at as u32) as i32);
        (mask, _mm512_sub_epi32(_mm512_sub_epi32(sums, behind), ones))
    };
    let (mut at, mut kept) = (0, 0);
    let (mut mask, mut positions) = load(0);
    for i in 0..starts.len() {
        let wanted = starts[i].wrapping_add(offset);
        while at + 16 < sums.len() && sums[at + 15].wrapping_sub(before).wrapping_sub(at as u32 + 16) < wanted {
            at += 16;
            (mask, positions) = load(at);
        }
        let found = _mm512_mask_cmpeq_epi32_mask(mask, positions, _mm512_set1_epi32(wanted as i32));
        starts[kept] = starts[i];
        kept += usize::from(found != 0);
    }
    kept
}
