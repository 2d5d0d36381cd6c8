//! Kernels over blocks of 128 packed integers, over windows of bits, and over the scores of many documents.
//!
//! Each kernel has a scalar twin ([`scalar`]) that defines what it does, and on x86-64 a version for AVX2 ([`avx2`], [`lanes_avx2`]) and, where
//! that pays, for AVX-512 ([`avx512`], [`unpack_avx512`]). Which one runs is decided once, at the first call. Scores are made of the same float
//! operations in the same order by all of them, and so are equal to the last bit.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod column;
#[cfg(target_arch = "x86_64")]
mod column_avx2;
#[cfg(target_arch = "x86_64")]
mod column_avx512;
#[cfg(target_arch = "x86_64")]
mod column_filter_avx512;
#[cfg(target_arch = "x86_64")]
mod column_narrow;
mod column_scalar;
#[cfg(target_arch = "x86_64")]
mod lanes_avx2;
#[cfg(target_arch = "x86_64")]
mod lanes_avx512;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod unpack_avx512;

use crate::meter;
use std::sync::LazyLock;

/// Integers in a block.
pub const BLOCK: usize = 128;

/// Words of the sets that numbers are looked up in by their low sixteen bits.
pub const SET_WORDS: usize = (1 << 16) / 64;

/// The widest packed integer that kernels take.
pub const BLOCK_WIDTH_MAX: u8 = 32;

type FindCommon = fn(&[u32; BLOCK], [u64; 2], &[u32; BLOCK], &mut [u8; BLOCK]) -> [u64; 2];
type Choose = fn(&[u8], &[u64], &[u64], &mut [u64]);
type AddScores = fn([u64; 2], &[u32], &[f32; BLOCK], f32, &mut [f32; BLOCK]);

#[derive(Clone, Copy)]
struct Kernels {
    unpack: fn(&[u8], u8, &mut [u32; BLOCK]),
    unpack_deltas: fn(&[u8], u8, u32, &mut [u32; BLOCK]),
    count: fn(&[u64]) -> u32,
    and_count: fn(&[u64], &[u64]) -> u32,
    rank: fn(&[u8], usize) -> u32,
    or_bytes: fn(&mut [u64], &[u8]),
    and_bytes: fn(&mut [u64], &[u8]),
    choose: Choose,
    add_bounds: fn(&[u8], f32, f32, &mut [f32]),
    above: fn(&[f32], f32, &mut [u64]),
    look_up: fn(&[u8], &[f32; 256], &mut [f32]),
    add_scores: AddScores,
    find_common: FindCommon,
    below: fn(&[u32; BLOCK], u32) -> u32,
    contained: fn(&[u64; SET_WORDS], &[u32]) -> u32,
    scores: fn(&[u32; BLOCK], &[f32; BLOCK], f32, &mut [f32; BLOCK]),
    near: fn(&[u8], u64, u32, &mut [u64]),
    keep_following: fn(&mut [u32], u32, &[u32], u32) -> usize,
}

const SCALAR: Kernels = Kernels {
    unpack: scalar::unpack,
    unpack_deltas: scalar::unpack_deltas,
    count: scalar::count,
    and_count: scalar::and_count,
    rank: scalar::rank,
    or_bytes: scalar::or_bytes,
    and_bytes: scalar::and_bytes,
    choose: scalar::choose,
    add_bounds: scalar::add_bounds,
    above: scalar::above,
    look_up: scalar::look_up,
    add_scores: scalar::add_scores,
    find_common: scalar::find_common,
    below: scalar::below,
    contained: scalar::contained,
    scores: scalar::scores,
    near: scalar::near,
    keep_following: scalar::keep_following,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = avx2::kernels() {
        let kernels = lanes_avx2::kernels(kernels).unwrap_or(kernels);
        let kernels = avx512::kernels(kernels).unwrap_or(kernels);
        return unpack_avx512::kernels(kernels).unwrap_or(kernels);
    }
    SCALAR
});

/// What memory is read by.
pub const CACHE_LINE: usize = 64;

/// Unpacks 128 integers of `width` bits (0 to 32, see [`super::packed`]).
///
/// `bytes` may hold fewer than 128 integers: those missing are unspecified.
#[inline]
pub fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    meter::postings(BLOCK, width);
    (KERNELS.unpack)(bytes, width, out);
}

/// Unpacks ascending numbers of which the distances less one are packed: `out[0] = before + 1 + d[0]`, and so on (wrapping,
/// so that `before` may be -1). Those missing in `bytes` are unspecified.
#[inline]
pub fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    meter::postings(BLOCK, width);
    (KERNELS.unpack_deltas)(bytes, width, before, out);
}

/// Asks for `len` bytes from `at` on, which will be read soon. Nothing is read, so they need not be there.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "others have no stable way to ask"))]
pub fn fetch_ahead(bytes: &[u8], at: usize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..len).step_by(CACHE_LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: all processors of this architecture have SSE, and nothing is read, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at + line).cast()) };
    }
}

/// The number of set bits.
#[inline]
pub fn count(words: &[u64]) -> u32 {
    (KERNELS.count)(words)
}

/// The number of bits set in both; the shorter slice decides.
#[inline]
pub fn and_count(a: &[u64], b: &[u64]) -> u32 {
    (KERNELS.and_count)(a, b)
}

/// The number of set bits among the first `bits` of `bytes`, which are little-endian words. The word with the bit after
/// those must be there.
#[inline]
pub fn rank(bytes: &[u8], bits: usize) -> u32 {
    (KERNELS.rank)(bytes, bits)
}

/// `words |= bytes`, where `bytes` are little-endian words; the shorter one decides.
#[inline]
pub fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    meter::bytes(bytes.len());
    (KERNELS.or_bytes)(words, bytes);
}

/// `words &= bytes`, where `bytes` are little-endian words; the shorter one decides.
#[inline]
pub fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    meter::bytes(bytes.len());
    (KERNELS.and_bytes)(words, bytes);
}

/// The bits of `with` where those of `bytes` are set, and always those of `without`. All are of the same length.
#[inline]
pub fn choose(bytes: &[u8], with: &[u64], without: &[u64], out: &mut [u64]) {
    debug_assert!(bytes.len() == out.len() * 8 && with.len() == out.len() && without.len() == out.len());
    (KERNELS.choose)(bytes, with, without, out);
}

/// `sums[i] += min(bests[i] * step, cap)`; the shorter one decides.
#[inline]
pub fn add_bounds(bests: &[u8], step: f32, cap: f32, sums: &mut [f32]) {
    (KERNELS.add_bounds)(bests, step, cap, sums);
}

/// Sets bit `i` of `out` if `values[i] > limit`, and clears it otherwise, for 64 values a word of `out`.
#[inline]
pub fn above(values: &[f32], limit: f32, out: &mut [u64]) {
    debug_assert_eq!(values.len(), out.len() * 64);
    (KERNELS.above)(values, limit, out);
}

/// `out[i] = table[keys[i]]`; the shorter one decides.
#[inline]
pub fn look_up(keys: &[u8], table: &[f32; 256], out: &mut [f32]) {
    (KERNELS.look_up)(keys, table, out);
}

/// Adds the BM25 scores of the documents whose bits are set to their slots: the n-th of them has frequency `freqs[n]`. There
/// must be [`FREQS_PADDING`] more frequencies than documents.
#[inline]
pub fn add_scores(docs: [u64; 2], freqs: &[u32], inverses: &[f32; BLOCK], weight: f32, slots: &mut [f32; BLOCK]) {
    let count = docs[0].count_ones() + docs[1].count_ones();
    assert!(freqs.len() >= count as usize + FREQS_PADDING);
    (KERNELS.add_scores)(docs, freqs, inverses, weight, slots);
}

/// What [`add_scores`] may read past the last frequency.
pub const FREQS_PADDING: usize = 16;

/// Which of the `wanted` documents of `docs` are among `others`, and where. Both ascend (of `docs` only those wanted need to);
/// places of others are unspecified.
#[inline]
pub fn find_common(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    (KERNELS.find_common)(docs, wanted, others, places)
}

/// How many of 128 ascending numbers are less than `limit`. (Halving would ask questions whose answers cannot be foreseen.)
#[inline]
pub fn below(numbers: &[u32; BLOCK], limit: u32) -> usize {
    (KERNELS.below)(numbers, limit) as usize
}

/// How many of some numbers are in a set, as far as their low sixteen bits go.
#[inline]
pub fn contained(set: &[u64; SET_WORDS], numbers: &[u32]) -> u32 {
    (KERNELS.contained)(set, numbers)
}

/// The BM25 scores of 128 documents: `weight - weight / (1 + freq * inverse)`.
#[inline]
pub fn scores(freqs: &[u32; BLOCK], inverses: &[f32; BLOCK], weight: f32, out: &mut [f32; BLOCK]) {
    (KERNELS.scores)(freqs, inverses, weight, out);
}

/// Moves those of the ascending `starts` behind which, at `offset`, a position follows to the front, and gives their number. Positions
/// are kept as running sums of their distances plus one each: the first is `sums[0] - before - 1`, the next `sums[1] - before - 2`.
#[inline]
pub fn keep_following(starts: &mut [u32], offset: u32, sums: &[u32], before: u32) -> usize {
    (KERNELS.keep_following)(starts, offset, sums, before)
}

/// Sets bit `i` of `out` if word `i` of `bytes` (little-endian) has at most `most` bits that `wanted` lacks, and lacks at most
/// so many; clears it otherwise, and all that follow. There must be bits for all words.
#[inline]
pub fn near(bytes: &[u8], wanted: u64, most: u32, out: &mut [u64]) {
    assert!(bytes.len() <= out.len() * 512);
    meter::bytes(bytes.len());
    (KERNELS.near)(bytes, wanted, most, out);
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::codec::packed;

    /// Numbers that look random, the same in each run.
    fn noise(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }

    /// Those that this processor can run.
    fn fast() -> Vec<Kernels> {
        let Some(avx2) = avx2::kernels() else { return vec![] };
        let others = [lanes_avx2::kernels(avx2), avx512::kernels(avx2), unpack_avx512::kernels(avx2)];
        std::iter::once(avx2).chain(others.into_iter().flatten()).collect()
    }

    #[test]
    fn unpacking_equals_the_scalar_twin() {
        for (fast, width) in fast().into_iter().flat_map(|fast| (0..=32u8).map(move |width| (fast, width))) {
            let values: Vec<u64> = noise(9).take(BLOCK).map(|v| v & ((1u64 << width) - 1)).collect();
            let mut bytes = vec![];
            packed::pack(values.iter().copied(), width, &mut bytes);
            for padding in [0, 1, 7, 16, 40, 64] {
                let mut padded = bytes.clone();
                padded.resize(bytes.len() + padding, 0xff);
                let (mut a, mut b) = ([0; BLOCK], [1; BLOCK]);
                (SCALAR.unpack)(&padded, width, &mut a);
                (fast.unpack)(&padded, width, &mut b);
                assert_eq!(a, b, "width {width}");
                assert!(a.iter().zip(&values).all(|(a, v)| u64::from(*a) == *v));
                for before in [u32::MAX, 0, 77] {
                    (SCALAR.unpack_deltas)(&padded, width, before, &mut a);
                    (fast.unpack_deltas)(&padded, width, before, &mut b);
                    assert_eq!(a, b, "width {width} before {before}");
                    assert_eq!(a[0], before.wrapping_add(1).wrapping_add(values[0] as u32));
                }
            }
        }
    }

    #[test]
    fn short_blocks_unpack_what_they_hold() {
        for count in [1, 3, 9, 127] {
            let mut bytes = vec![];
            packed::pack((0..count).map(|v| v & 31), 5, &mut bytes);
            for kernels in std::iter::once(SCALAR).chain(fast()) {
                let mut out = [0; BLOCK];
                (kernels.unpack)(&bytes, 5, &mut out);
                assert!((0..count as usize).all(|i| out[i] == (i & 31) as u32));
            }
        }
    }

    #[test]
    fn bit_kernels_equal_their_scalar_twins() {
        for (fast, len) in fast().into_iter().flat_map(|fast| [0, 1, 5, 8, 63, 1_024].map(|len| (fast, len))) {
            let a: Vec<u64> = noise(1).take(len).collect();
            let b: Vec<u64> = noise(500).take(len).collect();
            let bytes: Vec<u8> = b.iter().flat_map(|w| w.to_le_bytes()).collect();
            assert_eq!((SCALAR.count)(&a), (fast.count)(&a));
            assert_eq!((SCALAR.and_count)(&a, &b), (fast.and_count)(&a, &b));
            for bits in (0..len * 64).step_by(13) {
                let expected = (0..bits).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).count() as u32;
                assert_eq!(((SCALAR.rank)(&bytes, bits), (fast.rank)(&bytes, bits)), (expected, expected));
            }
            let (mut x, mut y) = (a.clone(), a.clone());
            (SCALAR.or_bytes)(&mut x, &bytes);
            (fast.or_bytes)(&mut y, &bytes);
            assert_eq!(x, y);
            (SCALAR.and_bytes)(&mut x, &bytes);
            (fast.and_bytes)(&mut y, &bytes);
            assert_eq!(x, y);
            assert_eq!(x, b);
            let with: Vec<u64> = noise(900).take(len).collect();
            (SCALAR.choose)(&bytes, &with, &a, &mut x);
            (fast.choose)(&bytes, &with, &a, &mut y);
            assert_eq!(x, y);
            assert!((0..len).all(|at| x[at] == a[at] | b[at] & with[at]));
        }
    }

    #[test]
    fn numbers_in_a_set_are_counted_alike() {
        let mut set = [0; SET_WORDS];
        set.iter_mut().zip(noise(4)).for_each(|(word, random)| *word = random);
        (set[0], set[SET_WORDS - 1]) = (1, 1 << 63);
        let numbers: Vec<u32> =
            [0, 0xffff, 0x1_0000, u32::MAX].into_iter().chain(noise(8).map(|v| v as u32)).take(300).collect();
        for kernels in fast() {
            for len in [0, 1, 4, 15, 16, 17, 128, 300] {
                assert_eq!((SCALAR.contained)(&set, &numbers[..len]), (kernels.contained)(&set, &numbers[..len]));
            }
        }
        assert_eq!(contained(&set, &numbers[..4]), 4);
    }

    #[test]
    fn words_near_one_equal_the_scalar_twin() {
        let wanted = 0x0123_4567_89ab_cdef;
        for fast in fast() {
            for len in [0, 1, 7, 8, 63, 64, 65, 200] {
                // Few bits apart, and many.
                let words = noise(len as u64).zip(noise(77)).map(|(a, b)| wanted ^ (a & b & a.rotate_left(9) & 0x1f1f));
                let bytes: Vec<u8> = words.take(len).flat_map(u64::to_le_bytes).collect();
                for most in [0, 1, 2, 64] {
                    let (mut a, mut b) = ([0; 4], [u64::MAX; 4]);
                    (SCALAR.near)(&bytes, wanted, most, &mut a);
                    (fast.near)(&bytes, wanted, most, &mut b);
                    assert_eq!(a, b, "{len} {most}");
                }
            }
        }
    }

    #[test]
    fn positions_that_follow_are_the_scalar_twins() {
        for fast in fast() {
            for seed in 0..200 {
                let random: Vec<u64> = noise(seed * 77).take(100).collect();
                let ascending = |from: usize, len: u64, gap: u64| -> Vec<u32> {
                    let gaps = random[from..from + len as usize].iter().map(|v| (v % gap) as u32);
                    gaps.scan(0, |sum, gap| Some(std::mem::replace(sum, *sum + gap + 1))).collect()
                };
                let (starts, positions) = (ascending(0, random[0] % 9, 7), ascending(20, random[1] % 70, 3));
                let before = if seed % 3 == 0 { u32::MAX - 20 } else { random[2] as u32 };
                let sums = positions.iter().zip(1..).map(|(at, n)| at.wrapping_add(before).wrapping_add(n));
                let (sums, offset): (Vec<u32>, _) = (sums.collect(), random[3] as u32 % 4);
                let kept = starts.iter().copied().filter(|start| positions.contains(&(start + offset)));
                let kept: Vec<u32> = kept.collect();
                for kernels in [SCALAR, fast] {
                    let mut left = starts.clone();
                    let count = (kernels.keep_following)(&mut left, offset, &sums, before);
                    assert_eq!(left[..count], kept, "{starts:?} {positions:?} {offset}");
                }
            }
        }
    }

    #[test]
    fn score_kernels_equal_their_scalar_twins() {
        let table: [f32; 256] = std::array::from_fn(|i| 1.0 / (0.3 + i as f32 * 0.07));
        for fast in fast() {
            for seed in 0..40 {
                let random: Vec<u64> = noise(seed * 1_000).take(512).collect();
                let bests: Vec<u8> = random.iter().map(|v| *v as u8).collect();
                let (mut a, mut b) = ([0.5f32; 512], [0.5f32; 512]);
                (SCALAR.add_bounds)(&bests, 0.031, 5.5, &mut a);
                (fast.add_bounds)(&bests, 0.031, 5.5, &mut b);
                assert_eq!(a, b);
                let (mut x, mut y) = ([0u64; 8], [u64::MAX; 8]);
                (SCALAR.above)(&a, a[77], &mut x);
                (fast.above)(&a, a[77], &mut y);
                assert_eq!(x, y);
                let norms: Vec<u8> = bests.iter().map(|b| if seed % 2 == 0 { b & 127 } else { *b }).collect();
                for len in [128, 77, 3] {
                    let (mut c, mut d) = ([9f32; BLOCK], [9f32; BLOCK]);
                    (SCALAR.look_up)(&norms[..len], &table, &mut c);
                    (fast.look_up)(&norms[..len], &table, &mut d);
                    assert_eq!(c, d);
                }
                let ascending = |from: usize, gap: u64| -> [u32; BLOCK] {
                    let mut doc = 0;
                    std::array::from_fn(|i| {
                        doc += 1 + (random[from + i] % gap) as u32;
                        doc
                    })
                };
                let (one, other) = (ascending(0, 3 + seed), ascending(200, 4));
                for wanted in [[u64::MAX; 2], [random[0], random[1]], [random[2], 0], [0, 1 << 63]] {
                    // Those that are not wanted may be any.
                    let is_wanted = |i: usize| wanted[i / 64] >> (i % 64) & 1 == 1;
                    let one = std::array::from_fn(|i| if is_wanted(i) { one[i] } else { random[i] as u32 });
                    let (mut at, mut places) = ([0; BLOCK], [0; BLOCK]);
                    let found = (SCALAR.find_common)(&one, wanted, &other, &mut at);
                    assert_eq!((fast.find_common)(&one, wanted, &other, &mut places), found);
                    for i in (0..BLOCK).filter(|i| found[i / 64] >> (i % 64) & 1 == 1) {
                        assert_eq!((at[i], one[i]), (places[i], other[at[i] as usize]));
                    }
                }
                for limit in [0, 1, other[0], other[63], other[127], other[127] + 1, u32::MAX, one[(seed * 3) as usize]]
                {
                    assert_eq!((SCALAR.below)(&other, limit), (fast.below)(&other, limit));
                }
                let mut inverses = [0f32; BLOCK];
                (SCALAR.look_up)(&norms, &table, &mut inverses);
                let freqs: [u32; BLOCK + FREQS_PADDING] = std::array::from_fn(|i| 1 + random[i] as u32 % 9);
                for docs in
                    [[0, 0], [random[0], random[1]], [random[0] & random[2] & random[3], 1 << 63], [u64::MAX; 2]]
                {
                    let (mut c, mut d) = ([0.25f32; BLOCK], [0.25f32; BLOCK]);
                    (SCALAR.add_scores)(docs, &freqs, &inverses, 3.7, &mut c);
                    (fast.add_scores)(docs, &freqs, &inverses, 3.7, &mut d);
                    assert_eq!(c, d);
                }
                let (mut c, mut d) = ([0f32; BLOCK], [1f32; BLOCK]);
                (SCALAR.scores)(freqs.first_chunk().unwrap(), &inverses, 3.7, &mut c);
                (fast.scores)(freqs.first_chunk().unwrap(), &inverses, 3.7, &mut d);
                assert_eq!(c, d);
            }
        }
    }
}
