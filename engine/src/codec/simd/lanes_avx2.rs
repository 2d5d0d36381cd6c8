//! The kernels for AVX2 over scores, documents, positions and words, eight lanes at a time. What AVX-512 does by masks is done by tables of
//! permutations and by comparing lanes with each other turned round.

use super::{BLOCK, Kernels, scalar};
use std::arch::x86_64::*;

/// `others`, with the kernels of this file, if the processor has what they need.
pub fn kernels(others: Kernels) -> Option<Kernels> {
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt");
    has.then_some(Kernels {
        // SAFETY (of all): these functions are reachable only through this table, which is handed out only after the
        // processor was seen to have what they need.
        add_scores: |docs, freqs, inverses, weight, slots| unsafe { add_scores(docs, freqs, inverses, weight, slots) },
        // SAFETY: as above.
        find_common: |docs, wanted, others, places| unsafe { find_common(docs, wanted, others, places) },
        // SAFETY: as above.
        near: |bytes, wanted, most, out| unsafe { near(bytes, wanted, most, out) },
        // SAFETY: as above.
        keep_following: |starts, offset, sums, before| unsafe { keep_following(starts, offset, sums, before) },
        ..others
    })
}

/// Of each set of eight documents, how many of it come before each of its own; -1 for others.
static RANKS: [[i8; 8]; 256] = {
    let mut all = [[-1; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut at, mut rank) = (0, 0);
        while at < 8 {
            if set >> at & 1 == 1 {
                all[set][at] = rank;
                rank += 1;
            }
            at += 1;
        }
        set += 1;
    }
    all
};

/// Fewer documents of a block are scored one by one.
const TOGETHER_MIN: u32 = 36;

/// The operations of the scalar twin, in its order; nothing is fused. A document that does not have the term gets frequency 0 and so
/// scores exactly 0.
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn add_scores(docs: [u64; 2], freqs: &[u32], inverses: &[f32; BLOCK], weight: f32, slots: &mut [f32; BLOCK]) {
    if docs[0].count_ones() + docs[1].count_ones() < TOGETHER_MIN {
        return scalar::add_scores(docs, freqs, inverses, weight, slots);
    }
    let (weight, one) = (_mm256_set1_ps(weight), _mm256_set1_ps(1.0));
    let mut rank = 0;
    let lanes = inverses.as_chunks::<8>().0.iter().zip(slots.as_chunks_mut::<8>().0);
    for (at, (inverses, slots)) in lanes.enumerate() {
        let set = (docs[at / 8] >> (at % 8 * 8)) as u8;
        if set == 0 {
            continue;
        }
        let next: &[u32; 8] = freqs[rank..].first_chunk().expect("padded");
        rank += set.count_ones() as usize;
        let ranks = i64::from_le_bytes(RANKS[set as usize].map(|rank| rank as u8));
        let ranks = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(ranks));
        let by_rank = _mm256_permutevar8x32_epi32(load(next), ranks);
        // Frequencies are less than 2^31, so that they are the same with a sign.
        let freqs = _mm256_cvtepi32_ps(_mm256_andnot_si256(_mm256_srai_epi32::<31>(ranks), by_rank));
        let below = _mm256_add_ps(one, _mm256_mul_ps(freqs, load_floats(inverses)));
        let scores = _mm256_sub_ps(weight, _mm256_div_ps(weight, below));
        let sums = _mm256_add_ps(load_floats(slots), scores);
        // SAFETY: eight floats, and the store needs no alignment.
        unsafe { _mm256_storeu_ps(slots.as_mut_ptr(), sums) };
    }
}

/// From so many documents on both sides are gone through side by side.
const MERGED_MIN: u32 = 28;

#[target_feature(enable = "avx2,popcnt,bmi1,lzcnt")]
fn find_common(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    match wanted[0].count_ones() + wanted[1].count_ones() {
        MERGED_MIN.. => find_many(docs, wanted, others, places),
        _ => find_few(docs, wanted, others, places),
    }
}

/// Eight documents against eight others at once, of which those go on whose last is the lesser; as in Lemire, Boytsov and Kurz,
/// "SIMD compression and the intersection of sorted integers" (2014).
#[target_feature(enable = "avx2,popcnt,bmi1,lzcnt")]
fn find_many(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    const CHUNKS: usize = BLOCK / 8;
    let (docs, others) = (docs.as_chunks::<8>().0, others.as_chunks::<8>().0);
    let wanted: [u8; CHUNKS] = std::array::from_fn(|at| (wanted[at / 8] >> (at % 8 * 8)) as u8);
    // The last one wanted of each eight.
    let lasts: [u32; CHUNKS] = std::array::from_fn(|at| docs[at][7 - (wanted[at].leading_zeros() as usize).min(7)]);
    let mut left = (0..CHUNKS).fold(0u32, |left, at| left | u32::from(wanted[at] != 0) << at);
    let numbers = Turned::of(_mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
    let zero = _mm256_setzero_si256();
    // The places of the current documents among the others plus one, as far as they were found.
    let mut found = zero;
    let (mut all, mut other) = ([0u64; 2], 0);
    while left != 0 && other < CHUNKS {
        let at = left.trailing_zeros() as usize;
        let here = numbers.at_equal(load(&docs[at]), &Turned::of(load(&others[other])));
        let before = _mm256_and_si256(_mm256_cmpgt_epi32(here, zero), _mm256_set1_epi32(other as i32 * 8));
        found = _mm256_or_si256(found, _mm256_add_epi32(here, before));
        let (own, last) = (lasts[at], others[other][7]);
        other += usize::from(last <= own);
        if own <= last || other == CHUNKS {
            let bits = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(found, zero))) as u8 & wanted[at];
            all[at / 8] |= u64::from(bits) << (at % 8 * 8);
            let words = _mm256_packs_epi32(_mm256_sub_epi32(found, _mm256_set1_epi32(1)), zero);
            let bytes = _mm256_packs_epi16(words, zero);
            let (low, high) = (_mm256_extract_epi32::<0>(bytes) as u32, _mm256_extract_epi32::<4>(bytes) as u32);
            places.as_chunks_mut::<8>().0[at] = (u64::from(low) | u64::from(high) << 32).to_le_bytes();
            left &= left - 1;
            found = zero;
        }
    }
    all
}

/// Eight lanes turned round in all ways: within their halves, and within the halves exchanged.
struct Turned([__m256i; 8]);

impl Turned {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(lanes: __m256i) -> Self {
        let other = _mm256_permute2x128_si256::<1>(lanes, lanes);
        Self([
            lanes,
            _mm256_shuffle_epi32::<0b00_11_10_01>(lanes),
            _mm256_shuffle_epi32::<0b01_00_11_10>(lanes),
            _mm256_shuffle_epi32::<0b10_01_00_11>(lanes),
            other,
            _mm256_shuffle_epi32::<0b00_11_10_01>(other),
            _mm256_shuffle_epi32::<0b01_00_11_10>(other),
            _mm256_shuffle_epi32::<0b10_01_00_11>(other),
        ])
    }

    /// The number, of those turned here, of the lane that each of `lanes` equals, or 0.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn at_equal(&self, lanes: __m256i, others: &Turned) -> __m256i {
        let of = |at: usize| _mm256_and_si256(_mm256_cmpeq_epi32(lanes, others.0[at]), self.0[at]);
        let four =
            |at: usize| _mm256_or_si256(_mm256_or_si256(of(at), of(at + 1)), _mm256_or_si256(of(at + 2), of(at + 3)));
        _mm256_or_si256(four(0), four(4))
    }
}

/// Each document by itself: how many eights end before it tells in which it would be, without a branch, since none could be foreseen.
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn find_few(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    /// Signed comparisons of numbers without a sign.
    const SIGN: u32 = 1 << 31;
    let chunks = others.as_chunks::<8>().0;
    let last = |from: usize| load(&std::array::from_fn(|at| chunks[from + at][7] ^ SIGN));
    let lasts = [last(0), last(8)];
    let mut found = [0; 2];
    for half in 0..2 {
        let mut word = wanted[half];
        while word != 0 {
            let i = half * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            let doc = _mm256_set1_epi32((docs[i] ^ SIGN) as i32);
            let [low, high] = lasts.map(|lasts| lanes_of(_mm256_cmpgt_epi32(doc, lasts)));
            let at = ((low | high << 8).count_ones() as usize).min(chunks.len() - 1);
            let equal = lanes_of(_mm256_cmpeq_epi32(load(&chunks[at]), _mm256_set1_epi32(docs[i] as i32)));
            found[half] |= u64::from(equal != 0) << (i % 64);
            places[i] = (at * 8) as u8 + (equal.trailing_zeros() & 7) as u8;
        }
    }
    found
}

/// Up to two bits are told by taking the lowest away, so many times.
#[target_feature(enable = "avx2,popcnt")]
fn near(bytes: &[u8], wanted: u64, most: u32, out: &mut [u64]) {
    match most {
        0 => near_by::<0>(bytes, wanted, out),
        1 => near_by::<1>(bytes, wanted, out),
        2 => near_by::<2>(bytes, wanted, out),
        _ => scalar::near(bytes, wanted, most, out),
    }
}

#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn near_by<const MOST: u32>(bytes: &[u8], wanted: u64, out: &mut [u64]) {
    out.fill(0);
    let (all, ones) = (_mm256_set1_epi64x(wanted as i64), _mm256_set1_epi64x(-1));
    let (chunks, rest) = bytes.as_chunks::<32>();
    for (i, chunk) in chunks.iter().enumerate() {
        // SAFETY: 32 bytes, and the load needs no alignment.
        let words = unsafe { _mm256_loadu_si256(chunk.as_ptr().cast()) };
        let (mut more, mut fewer) = (_mm256_andnot_si256(all, words), _mm256_andnot_si256(words, all));
        for _ in 0..MOST {
            more = _mm256_and_si256(more, _mm256_add_epi64(more, ones));
            fewer = _mm256_and_si256(fewer, _mm256_add_epi64(fewer, ones));
        }
        let near = _mm256_cmpeq_epi64(_mm256_or_si256(more, fewer), _mm256_setzero_si256());
        out[i / 16] |= (_mm256_movemask_pd(_mm256_castsi256_pd(near)) as u64) << (i % 16 * 4);
    }
    let mut last = [0];
    scalar::near(rest, wanted, MOST, &mut last);
    if let Some(word) = out.get_mut(chunks.len() / 16) {
        *word |= last[0] << (chunks.len() % 16 * 4);
    }
}

/// Eight positions at once are asked whether they are the wanted one: how many come before it need not be foreseen.
#[target_feature(enable = "avx2")]
fn keep_following(starts: &mut [u32], offset: u32, sums: &[u32], before: u32) -> usize {
    let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let load = |at: usize| {
        let there = _mm256_cmpgt_epi32(_mm256_set1_epi32((sums.len() - at).min(8) as i32), places);
        // SAFETY: as many integers as lanes are set are left.
        let sums = unsafe { _mm256_maskload_epi32(sums[at..].as_ptr().cast(), there) };
        let behind = _mm256_set1_epi32(before.wrapping_add(at as u32 + 1) as i32);
        (lanes_of(there), _mm256_sub_epi32(_mm256_sub_epi32(sums, behind), places))
    };
    let (mut at, mut kept) = (0, 0);
    let (mut there, mut positions) = load(0);
    for i in 0..starts.len() {
        let wanted = starts[i].wrapping_add(offset);
        while at + 8 < sums.len() && sums[at + 7].wrapping_sub(before).wrapping_sub(at as u32 + 8) < wanted {
            at += 8;
            (there, positions) = load(at);
        }
        let found = lanes_of(_mm256_cmpeq_epi32(positions, _mm256_set1_epi32(wanted as i32))) & there;
        starts[kept] = starts[i];
        kept += usize::from(found != 0);
    }
    kept
}

/// A bit for each lane that is all ones.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes_of(lanes: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &[u32; 8]) -> __m256i {
    // SAFETY: eight integers, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_floats(lanes: &[f32; 8]) -> __m256 {
    // SAFETY: eight floats, and the load needs no alignment.
    unsafe { _mm256_loadu_ps(lanes.as_ptr()) }
}
