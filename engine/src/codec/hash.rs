//! Hashes of bytes. The keyed one of 64 bits stands in files, so it must never change; the key keeps chosen inputs from
//! colliding. Murmur3 is what the reference hashes with where clients can see the outcome.

use super::bytes::u64_at;

const K0: u64 = 0xa076_1d64_78bd_642f;
const K1: u64 = 0xe703_7ed1_a0b4_28db;

/// Folded multiplication over 16 bytes at a time.
pub fn hash64(key: u64, bytes: &[u8]) -> u64 {
    let mut state = key ^ K0;
    let mut chunks = bytes.chunks_exact(16);
    for chunk in &mut chunks {
        state = fold(u64_at(chunk, 0) ^ K1, u64_at(chunk, 8) ^ state);
    }
    let rest = chunks.remainder();
    let mut last = [0u8; 16];
    last[..rest.len()].copy_from_slice(rest);
    state = fold(u64_at(&last, 0) ^ K1, u64_at(&last, 8) ^ state);
    fold(state ^ K0, bytes.len() as u64 ^ K1)
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Murmur3, the variant of 32 bits.
pub fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let scramble = |block: u32| block.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut hash = seed;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let block = chunk.iter().rev().fold(0, |block, byte| block << 8 | u32::from(*byte));
        hash = (hash ^ scramble(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        hash ^= scramble(rest.iter().rev().fold(0, |block, byte| block << 8 | u32::from(*byte)));
    }
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_what_files_hold() {
        assert_eq!(hash64(0, b""), hash64(0, b""));
        let all: std::collections::HashSet<u64> = (0..1_000u32).map(|i| hash64(7, i.to_string().as_bytes())).collect();
        assert_eq!(all.len(), 1_000);
        assert_ne!(hash64(1, b"a"), hash64(2, b"a"));
        assert_ne!(hash64(1, b"a"), hash64(1, b"a\0"));
    }

    #[test]
    fn murmur3_as_published() {
        assert_eq!(murmur3_32(b"", 0), 0);
        assert_eq!(murmur3_32(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3_32(b"test", 0x9747_b28c), 0x704b_81dc);
        assert_eq!(murmur3_32(b"Hello, world!", 0x9747_b28c), 0x2488_4cba);
    }
}
