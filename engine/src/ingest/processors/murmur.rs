//! MurmurHash3 in its form for 64 bits with results of 128, by which processors make routing values.

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Both halves of the hash, with seed 0.
pub(super) fn hash128(data: &[u8]) -> (u64, u64) {
    let (mut h1, mut h2) = (0u64, 0u64);
    let (blocks, tail) = data.as_chunks::<16>();
    for block in blocks {
        let (k1, k2) = block.split_at(8);
        h1 = (h1 ^ mix1(word(k1))).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix2(word(k2))).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
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

/// The first half as a number without a sign, in decimal.
pub(super) fn routing_number(text: &str) -> String {
    (hash128(text.as_bytes()).0 as i64).checked_abs().unwrap_or(0).to_string()
}

/// At most eight bytes, the lowest first.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
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
    fn hashes_as_the_reference() {
        assert_eq!(hash128(b""), (0, 0));
        assert_eq!(hash128(b"a/b"), (3_798_723_486_112_599_867, 10_790_639_924_316_421_268));
        assert_eq!(routing_number("a"), "8839064797231613815");
        assert_ne!(hash128(b"0123456789abcdef0"), hash128(b"0123456789abcdef1"));
    }
}
