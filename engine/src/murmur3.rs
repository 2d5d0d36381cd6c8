//! MurmurHash3 (Austin Appleby), 32 bits: what the reference routes documents and deals out terms by.

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
}
