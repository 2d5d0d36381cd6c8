//! MurmurHash3 (Austin Appleby): in 32 bits what the reference routes documents and deals out terms by; the form for 64 bits with
//! results of 128 makes routing values and tells distinct values apart.

use crate::codec::bytes::{u32_at, u64_at};

/// The hash of `bytes`.
pub fn hash(bytes: &[u8], seed: u32) -> i32 {
    const C1: u32 = 0xcc9e_2d51;
    const C2: u32 = 0x1b87_3593;
    let mix = |block: u32| block.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    let mut h = seed;
    let (blocks, tail) = bytes.as_chunks::<4>();
    for block in blocks {
        h ^= mix(u32::from_le_bytes(*block));
        h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    if !tail.is_empty() {
        h ^= mix(tail.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
    }
    h ^= bytes.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^= h >> 16;
    h as i32
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Both halves of the hash, with seed 0.
pub fn hash128(data: &[u8]) -> (u64, u64) {
    let (mut h1, mut h2) = (0u64, 0u64);
    let (blocks, tail) = data.as_chunks::<16>();
    for block in blocks {
        let (k1, k2) = (u64_at(block, 0), u64_at(block, 8));
        h1 = (h1 ^ mix1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (k1, k2) = tail.split_at(tail.len().min(8));
    h2 ^= mix2(word(k2)) ^ data.len() as u64;
    h1 ^= mix1(word(k1)) ^ data.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    (h1, h2.wrapping_add(h1))
}

/// At most eight bytes, the lowest first: of two halves that may overlap.
fn word(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    match bytes {
        [_, _, _, _, ..] => {
            let (low, high) = (u32_at(bytes, 0), u32_at(bytes, len - 4));
            u64::from(low) | u64::from(high) << (8 * (len - 4))
        }
        [first, ..] => {
            let (middle, last) = (bytes[len / 2], bytes[len - 1]);
            u64::from(*first) | u64::from(middle) << (8 * (len / 2)) | u64::from(last) << (8 * (len - 1))
        }
        [] => 0,
    }
}

fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        for (text, seed, expected) in
            [("", 0, 0), ("", 1, 0x514e_28b7_u32), ("test", 0, 0xba6b_d213), ("Hello, world!", 0, 0xc036_3e43)]
        {
            assert_eq!(hash(text.as_bytes(), seed) as u32, expected, "{text}");
        }
    }

    #[test]
    fn words_are_their_bytes() {
        let bytes = [0x91, 2, 0x83, 4, 0x75, 6, 0xf7, 8];
        for len in 0..=8 {
            let slow = bytes[..len].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            assert_eq!(word(&bytes[..len]), slow, "{len}");
        }
    }

    #[test]
    fn longer_hashes_as_the_reference() {
        assert_eq!(hash128(b""), (0, 0));
        assert_eq!(hash128(b"a/b"), (3_798_723_486_112_599_867, 10_790_639_924_316_421_268));
        assert_ne!(hash128(b"0123456789abcdef0"), hash128(b"0123456789abcdef1"));
    }
}
