//! The kernels for AVX2.
//!
//! Unpacking: eight values of `w` bits fill `w` bytes. The first four lie within 16 bytes from the start of those, the
//! other four within 16 bytes from byte `w / 2`. A byte shuffle brings the four bytes that hold each value into its lane
//! (enough for `w + 7 <= 32` bits, so widths up to 25), a shift by lane and a mask do the rest. Shuffle and shifts depend
//! on the width alone and come from a table.

use super::{BLOCK, Kernels, scalar};
use std::arch::x86_64::*;

/// The widest value for which four bytes always suffice.
pub(super) const WIDTH_MAX: u8 = 25;

/// The kernels, if the processor has what they need.
pub fn kernels() -> Option<Kernels> {
    (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")).then_some(Kernels {
        // SAFETY (of all): these functions are reachable only through this table, which is handed out only after
        // the processor was seen to have AVX2 and POPCNT.
        unpack: |bytes, width, out| unsafe { unpack(bytes, width, out) },
        // SAFETY: as above.
        unpack_deltas: |bytes, width, before, out| unsafe { unpack_deltas(bytes, width, before, out) },
        // SAFETY: as above.
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
        look_up: scalar::look_up,
        add_scores: scalar::add_scores,
        keep_following: scalar::keep_following,
        find_common: scalar::find_common,
        // SAFETY: as above.
        below: |numbers, limit| unsafe { below(numbers, limit) },
        contained: scalar::contained,
        // SAFETY: as above.
        scores: |freqs, inverses, weight, out| unsafe { scores(freqs, inverses, weight, out) },
        // SAFETY: as above.
        near: |bytes, wanted, most, out| unsafe { near(bytes, wanted, most, out) },
    })
}

/// How to bring eight values of one width into their lanes.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Lanes {
    shuffle: [u8; 32],
    shift: [u32; 8],
}

static LANES: [Lanes; WIDTH_MAX as usize + 1] = {
    let mut all = [Lanes { shuffle: [0; 32], shift: [0; 8] }; WIDTH_MAX as usize + 1];
    let mut width = 0;
    while width <= WIDTH_MAX as usize {
        let mut lane = 0;
        while lane < 8 {
            // Bits from the start of the 16 bytes that the lane's half is loaded from.
            let bit = if lane < 4 { lane * width } else { lane * width - (4 * width / 8) * 8 };
            let mut byte = 0;
            while byte < 4 {
                all[width].shuffle[lane * 4 + byte] = (bit / 8 + byte) as u8;
                byte += 1;
            }
            all[width].shift[lane] = (bit % 8) as u32;
            lane += 1;
        }
        width += 1;
    }
    all
};

/// Bytes that the loads of a block of this width touch.
const fn touched(width: u8) -> usize {
    15 * width as usize + width as usize / 2 + 16
}

/// Enough for the widest block.
const PADDED: usize = touched(WIDTH_MAX);

#[target_feature(enable = "avx2")]
fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    if width > WIDTH_MAX {
        return scalar::unpack(bytes, width, out);
    }
    with_padding(bytes, width, |bytes| {
        let lanes = Unpacker::new(width);
        for (i, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            store(out, lanes.load(bytes, i));
        }
    });
}

#[target_feature(enable = "avx2")]
fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    if width > WIDTH_MAX {
        return scalar::unpack_deltas(bytes, width, before, out);
    }
    with_padding(bytes, width, |bytes| {
        let lanes = Unpacker::new(width);
        let ones = _mm256_set1_epi32(1);
        let last = _mm256_set1_epi32(7);
        let mut carry = _mm256_set1_epi32(before as i32);
        for (i, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let deltas = _mm256_add_epi32(lanes.load(bytes, i), ones);
            let sums = _mm256_add_epi32(prefix_sums(deltas), carry);
            store(out, sums);
            carry = _mm256_permutevar8x32_epi32(sums, last);
        }
    });
}

/// Calls `f` with `bytes`, or with a copy of them if the loads of a block would touch bytes past their end.
#[inline]
#[target_feature(enable = "avx2")]
fn with_padding(bytes: &[u8], width: u8, mut f: impl FnMut(&[u8])) {
    if bytes.len() >= touched(width) {
        return f(bytes);
    }
    let mut padded = [0; PADDED];
    padded[..bytes.len()].copy_from_slice(bytes);
    f(&padded);
}

pub(super) struct Unpacker {
    width: usize,
    shuffle: __m256i,
    shift: __m256i,
    mask: __m256i,
}

impl Unpacker {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new(width: u8) -> Self {
        let lanes = &LANES[width as usize];
        // SAFETY: both arrays are 32 bytes long, and the loads need no alignment.
        let (shuffle, shift) = unsafe {
            (_mm256_loadu_si256(lanes.shuffle.as_ptr().cast()), _mm256_loadu_si256(lanes.shift.as_ptr().cast()))
        };
        Self { width: width as usize, shuffle, shift, mask: _mm256_set1_epi32(((1u32 << width) - 1) as i32) }
    }

    /// Values `8 * i ..` of a block that is padded to what [`touched`] gives.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn load(&self, bytes: &[u8], i: usize) -> __m256i {
        let low = &bytes[i * self.width..][..16];
        let high = &bytes[i * self.width + self.width / 2..][..16];
        // SAFETY: both slices are 16 bytes long, and the loads need no alignment.
        let both = unsafe {
            _mm256_inserti128_si256(
                _mm256_castsi128_si256(_mm_loadu_si128(low.as_ptr().cast())),
                _mm_loadu_si128(high.as_ptr().cast()),
                1,
            )
        };
        let words = _mm256_shuffle_epi8(both, self.shuffle);
        _mm256_and_si256(_mm256_srlv_epi32(words, self.shift), self.mask)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn prefix_sums(values: __m256i) -> __m256i {
    let values = _mm256_add_epi32(values, _mm256_slli_si256(values, 4));
    let values = _mm256_add_epi32(values, _mm256_slli_si256(values, 8));
    // The shifts stay within halves: add the last sum of the low half to the high half.
    let low_last = _mm256_shuffle_epi32(values, 0xff);
    _mm256_add_epi32(values, _mm256_permute2x128_si256(low_last, low_last, 0x08))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(out: &mut [u32; 8], values: __m256i) {
    // SAFETY: `out` is 32 bytes long, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), values) }
}

#[target_feature(enable = "avx2,popcnt")]
fn count(words: &[u64]) -> u32 {
    scalar::count(words)
}

#[target_feature(enable = "avx2,popcnt")]
fn and_count(a: &[u64], b: &[u64]) -> u32 {
    scalar::and_count(a, b)
}

#[target_feature(enable = "avx2,popcnt")]
fn rank(bytes: &[u8], bits: usize) -> u32 {
    scalar::rank(bytes, bits)
}

#[target_feature(enable = "avx2")]
fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::or_bytes(words, bytes);
}

#[target_feature(enable = "avx2")]
fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    scalar::and_bytes(words, bytes);
}

#[target_feature(enable = "avx2")]
fn choose(bytes: &[u8], with: &[u64], without: &[u64], out: &mut [u64]) {
    scalar::choose(bytes, with, without, out);
}

#[target_feature(enable = "avx2")]
fn add_bounds(bests: &[u8], step: f32, cap: f32, sums: &mut [f32]) {
    scalar::add_bounds(bests, step, cap, sums);
}

#[target_feature(enable = "avx2")]
fn below(numbers: &[u32; BLOCK], limit: u32) -> u32 {
    scalar::below(numbers, limit)
}

#[target_feature(enable = "avx2")]
fn above(values: &[f32], limit: f32, out: &mut [u64]) {
    let limit = _mm256_set1_ps(limit);
    for (word, values) in out.iter_mut().zip(values.chunks(64)) {
        *word = 0;
        for (at, eight) in values.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: eight floats are 32 bytes, and the load needs no alignment.
            let eight = unsafe { _mm256_loadu_ps(eight.as_ptr()) };
            let mask = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(eight, limit));
            *word |= u64::from(mask as u8) << (at * 8);
        }
    }
}

#[target_feature(enable = "avx2")]
fn scores(freqs: &[u32; BLOCK], inverses: &[f32; BLOCK], weight: f32, out: &mut [f32; BLOCK]) {
    scalar::scores(freqs, inverses, weight, out);
}

#[target_feature(enable = "avx2,popcnt")]
fn near(bytes: &[u8], wanted: u64, most: u32, out: &mut [u64]) {
    scalar::near(bytes, wanted, most, out);
}
