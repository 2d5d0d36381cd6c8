//! Arrays of integers of one bit width, without gaps, low bits first: value `i` stands at bits `i * width ..`.
//!
//! The same layout serves random access ([`get`]) and, for blocks of 128, the kernels of [`super::simd`]: eight values of
//! `w` bits fill exactly `w` bytes, so a kernel can load eight at a time from a byte boundary.

use super::bytes::u64_at;

/// Bits needed for values up to `max`: 0 to 56, or 64. (A value of up to 57 bits can be had with one unaligned load of
/// eight bytes; wider ones are rare and stored whole.)
pub fn width(max: u64) -> u8 {
    match 64 - max.leading_zeros() {
        bits @ 0..=56 => bits as u8,
        _ => 64,
    }
}

/// Bytes that `count` values take.
pub fn bytes_len(count: usize, width: u8) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends `values`, none of which is wider than `width` (0 to 56, or 64).
pub fn pack(values: impl IntoIterator<Item = u64>, width: u8, out: &mut Vec<u8>) {
    debug_assert!(width <= 56 || width == 64);
    if width == 0 {
        return;
    }
    if width == 64 {
        values.into_iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        return;
    }
    let width = u32::from(width);
    let (mut pending, mut bits) = (0u64, 0);
    for value in values {
        debug_assert!(value < 1 << width);
        pending |= value << bits;
        bits += width;
        if bits >= 64 {
            out.extend_from_slice(&pending.to_le_bytes());
            bits -= 64;
            // What of the value did not fit; nothing where it ended with the eight bytes.
            pending = value >> (width - bits);
        }
    }
    out.extend_from_slice(&pending.to_le_bytes()[..bits.div_ceil(8) as usize]);
}

/// Value `index` of an array that starts at the beginning of `bytes`.
#[inline]
pub fn get(bytes: &[u8], width: u8, index: usize) -> u64 {
    if width == 64 {
        return u64_at(bytes, index * 8);
    }
    let bit = index * width as usize;
    let mask = (1u64 << width) - 1;
    let word = match bytes.get(bit / 8..bit / 8 + 8) {
        Some(word) => u64_at(word, 0),
        None => tail_word(bytes, bit / 8),
    };
    word >> (bit % 8) & mask
}

/// The integers `index` and `index + 1`.
#[inline]
pub fn get_pair(bytes: &[u8], width: u8, index: usize) -> (u64, u64) {
    let bit = index * width as usize;
    match bytes.get(bit / 8..bit / 8 + 8) {
        // Both lie in eight bytes, wherever in its byte the first begins.
        Some(word) if width <= 28 => {
            let (word, mask) = (u64_at(word, 0) >> (bit % 8), (1u64 << width) - 1);
            (word & mask, word >> width & mask)
        }
        _ => (get(bytes, width, index), get(bytes, width, index + 1)),
    }
}

/// The last, fewer than eight bytes.
#[cold]
fn tail_word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    let rest = bytes.get(at..).unwrap_or(&[]);
    word[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_comes_back() {
        for width in (0..=56).chain([64]) {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            let values: Vec<u64> =
                (0..100u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask).chain([mask]).collect();
            let mut bytes = vec![];
            pack(values.iter().copied(), width, &mut bytes);
            assert_eq!(bytes.len(), bytes_len(values.len(), width));
            for (i, value) in values.iter().enumerate() {
                assert_eq!(get(&bytes, width, i), *value, "width {width}");
            }
        }
        assert_eq!((width(0), width(1), width(255), width(256), width(1 << 56), width(u64::MAX)), (0, 1, 8, 9, 64, 64));
    }
}
