//! A keyed 64-bit hash of bytes. It stands in files, so it must never change; the key keeps chosen inputs from colliding.

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
}
