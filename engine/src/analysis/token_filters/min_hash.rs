//! `min_hash`: the least hashes of all tokens, in buckets, as a sketch of the value.

use super::{StreamFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::{Item, TokenBuf};
use crate::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug)]
pub(crate) struct MinHash {
    hashes: u32,
    buckets: u32,
    set_size: usize,
    /// Empty buckets take the hash of the next that is not.
    rotate: bool,
}

/// Most tokens that rotation may fill a value with.
const SLOTS_MAX: u64 = 1 << 20;

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    let number = |key: &str, default: i64| match params.text(key) {
        None => Ok(default),
        Some(text) => text
            .parse::<i32>()
            .map(i64::from)
            .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))),
    };
    let hashes = number("hash_count", 1)?;
    let buckets = number("bucket_count", 512)?;
    let set_size = number("hash_set_size", 1)?;
    for (name, value) in [("hashCount", hashes), ("bucketCount", buckets), ("hashSetSize", set_size)] {
        if value <= 0 {
            return Err(Error::illegal_argument(format!("{name} must be greater than zero")));
        }
    }
    if [hashes, buckets, set_size].iter().fold(1u64, |slots, value| slots.saturating_mul(*value as u64)) > SLOTS_MAX {
        return Err(Error::illegal_argument(format!(
            "[hash_count] times [bucket_count] times [hash_set_size] of [{}] must not exceed [{SLOTS_MAX}]",
            params.name
        )));
    }
    Ok(TokenFilter::stream(MinHash {
        hashes: hashes as u32,
        buckets: buckets as u32,
        set_size: set_size as usize,
        rotate: params.text("with_rotation").map_or(buckets > 1, |text| text.eq_ignore_ascii_case("true")),
    }))
}

/// A hash as it is ordered: the high half first, unsigned.
type Hash = (u64, u64);

impl StreamFilter for MinHash {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        let Some(last) = input.items().last() else { return };
        let mut increment = 1;
        let hashes: Vec<Hash> = input.iter().map(|(text, _)| hash_text(text)).collect();
        let bucket_size = (1u64 << 32).div_ceil(u64::from(self.buckets));
        let mut text = String::new();
        for function in 0..self.hashes {
            let seed = murmur(&function.to_be_bytes());
            let mut buckets: BTreeMap<u32, BTreeSet<Hash>> = BTreeMap::new();
            for hash in &hashes {
                let mixed = (combine(hash.0, seed.0), combine(hash.1, seed.1));
                let set = buckets.entry(((mixed.0 >> 32) / bucket_size) as u32).or_default();
                set.insert(mixed);
                if set.len() > self.set_size {
                    set.pop_last();
                }
            }
            if self.rotate && self.set_size == 1 {
                fill(&mut buckets, self.buckets);
            }
            for hash in buckets.values().flatten() {
                self.write(function, *hash, &mut text);
                let item = Item { start: 0, end: last.end, increment, length: 1, kind: "MIN_HASH", ..*last };
                if !out.push(&text, Item { keyword: false, payload: (0, 0), ..item }) {
                    return;
                }
                increment = 0;
            }
        }
    }
}

fn fill(buckets: &mut BTreeMap<u32, BTreeSet<Hash>>, count: u32) {
    let full = buckets.clone();
    for bucket in 0..count {
        if !full.contains_key(&bucket) {
            // The next one, around the end.
            let next = full.range(bucket..).next().or_else(|| full.iter().next());
            if let Some((_, set)) = next {
                buckets.insert(bucket, set.clone());
            }
        }
    }
}

impl MinHash {
    /// The hash as UTF-16 code units, with the number of its function before it if there are several.
    fn write(&self, function: u32, (high, low): Hash, text: &mut String) {
        let units = |x: u64| [(x >> 48) as u16, (x >> 32) as u16, (x >> 16) as u16, x as u16];
        let mut all = vec![];
        if self.hashes > 1 {
            all.extend([(function >> 16) as u16, function as u16]);
        }
        all.extend(units(high));
        all.extend(&units(low)[..if self.hashes == 1 { 4 } else { 2 }]);
        text.clear();
        // Lone surrogates have no UTF-8.
        text.extend(char::decode_utf16(all).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
}

fn combine(hash: u64, seed: u64) -> u64 {
    hash.wrapping_mul(37).wrapping_add(seed)
}

fn hash_text(text: &str) -> Hash {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    murmur(&bytes)
}

/// MurmurHash3 for 64-bit machines, 128 bits, seed 0: second half first.
fn murmur(key: &[u8]) -> Hash {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let mix_1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix_2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let word = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(eight)
    };
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = key.chunks_exact(16);
    for block in &mut blocks {
        h1 ^= mix_1(word(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix_2(word(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let rest = blocks.remainder();
    if rest.len() > 8 {
        h2 ^= mix_2(word(&rest[8..]));
    }
    if !rest.is_empty() {
        h1 ^= mix_1(word(&rest[..rest.len().min(8)]));
    }
    h1 ^= key.len() as u64;
    h2 ^= key.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h2, h1)
}

fn finish(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}
