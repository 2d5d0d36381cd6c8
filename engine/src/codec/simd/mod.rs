//! Kernels over blocks of 128 packed integers and over windows of bits.
//!
//! Each kernel has a scalar twin ([`scalar`]) that defines what it does, and on x86-64 a version for AVX2 ([`avx2`]). Which
//! one runs is decided once, at the first call.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod column;
#[cfg(target_arch = "x86_64")]
mod column_avx2;
mod column_scalar;
mod scalar;

use std::sync::LazyLock;

/// Integers in a block.
pub const BLOCK: usize = 128;

/// The widest packed integer that kernels take.
pub const BLOCK_WIDTH_MAX: u8 = 32;

#[derive(Clone, Copy)]
struct Kernels {
    unpack: fn(&[u8], u8, &mut [u32; BLOCK]),
    unpack_deltas: fn(&[u8], u8, u32, &mut [u32; BLOCK]),
    count: fn(&[u64]) -> u32,
    and_count: fn(&[u64], &[u64]) -> u32,
    rank: fn(&[u8], usize) -> u32,
    or_bytes: fn(&mut [u64], &[u8]),
    and_bytes: fn(&mut [u64], &[u8]),
}

const SCALAR: Kernels = Kernels {
    unpack: scalar::unpack,
    unpack_deltas: scalar::unpack_deltas,
    count: scalar::count,
    and_count: scalar::and_count,
    rank: scalar::rank,
    or_bytes: scalar::or_bytes,
    and_bytes: scalar::and_bytes,
};

static KERNELS: LazyLock<Kernels> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = avx2::kernels() {
        return kernels;
    }
    SCALAR
});

/// Unpacks 128 integers of `width` bits (0 to 32, see [`super::packed`]).
///
/// `bytes` may hold fewer than 128 integers: those missing are unspecified.
#[inline]
pub fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    (KERNELS.unpack)(bytes, width, out);
}

/// Unpacks ascending numbers of which the distances less one are packed: `out[0] = before + 1 + d[0]`, and so on (wrapping,
/// so that `before` may be -1). Those missing in `bytes` are unspecified.
#[inline]
pub fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    (KERNELS.unpack_deltas)(bytes, width, before, out);
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
    (KERNELS.or_bytes)(words, bytes);
}

/// `words &= bytes`, where `bytes` are little-endian words; the shorter one decides.
#[inline]
pub fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    (KERNELS.and_bytes)(words, bytes);
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::codec::packed;

    /// Numbers that look random, the same in each run.
    fn noise(seed: u64) -> impl Iterator<Item = u64> {
        (seed..).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
    }

    #[test]
    fn unpacking_equals_the_scalar_twin() {
        let Some(fast) = avx2::kernels() else { return };
        for width in 0..=32u8 {
            let values: Vec<u64> = noise(9).take(BLOCK).map(|v| v & ((1u64 << width) - 1)).collect();
            let mut bytes = vec![];
            packed::pack(values.iter().copied(), width, &mut bytes);
            for padding in [0, 1, 7, 16, 40] {
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
        let Some(fast) = avx2::kernels() else { return };
        for count in [1, 3, 9, 127] {
            let mut bytes = vec![];
            packed::pack((0..count).map(|v| v & 31), 5, &mut bytes);
            for kernels in [SCALAR, fast] {
                let mut out = [0; BLOCK];
                (kernels.unpack)(&bytes, 5, &mut out);
                assert!((0..count as usize).all(|i| out[i] == (i & 31) as u32));
            }
        }
    }

    #[test]
    fn bit_kernels_equal_their_scalar_twins() {
        let Some(fast) = avx2::kernels() else { return };
        for len in [0, 1, 5, 63, 1_024] {
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
        }
    }
}
