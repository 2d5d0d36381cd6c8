//! The scalar twins: what the kernels mean, and what runs where there is no AVX2.

use super::{BLOCK, SET_WORDS};
use crate::codec::packed;

pub fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = packed::get(bytes, width, i) as u32;
    }
}

pub fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    let mut last = before;
    for (i, out) in out.iter_mut().enumerate() {
        last = last.wrapping_add(1).wrapping_add(packed::get(bytes, width, i) as u32);
        *out = last;
    }
}

#[inline]
pub fn count(words: &[u64]) -> u32 {
    words.iter().map(|w| w.count_ones()).sum()
}

#[inline]
pub fn and_count(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

#[inline]
pub fn rank(bytes: &[u8], bits: usize) -> u32 {
    let words = bytes.as_chunks::<8>().0;
    let whole: u32 = words[..bits / 64].iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
    whole + (u64::from_le_bytes(words[bits / 64]) & ((1 << (bits % 64)) - 1)).count_ones()
}

#[inline]
pub fn or_bytes(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word |= u64::from_le_bytes(*bytes.first_chunk().expect("chunks of eight"));
    }
}

#[inline]
pub fn and_bytes(words: &mut [u64], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word &= u64::from_le_bytes(*bytes.first_chunk().expect("chunks of eight"));
    }
}

#[inline]
pub fn choose(bytes: &[u8], with: &[u64], without: &[u64], out: &mut [u64]) {
    for (((out, bytes), with), without) in out.iter_mut().zip(bytes.as_chunks::<8>().0).zip(with).zip(without) {
        *out = without | with & u64::from_le_bytes(*bytes);
    }
}

#[inline]
pub fn add_bounds(bests: &[u8], step: f32, cap: f32, sums: &mut [f32]) {
    for (sum, best) in sums.iter_mut().zip(bests) {
        *sum += (f32::from(*best) * step).min(cap);
    }
}

#[inline]
pub fn above(values: &[f32], limit: f32, out: &mut [u64]) {
    for (word, values) in out.iter_mut().zip(values.chunks(64)) {
        *word = values.iter().rev().fold(0, |word, value| word << 1 | u64::from(*value > limit));
    }
}

#[inline]
pub fn look_up(keys: &[u8], table: &[f32; 256], out: &mut [f32]) {
    for (out, key) in out.iter_mut().zip(keys) {
        *out = table[*key as usize];
    }
}

#[inline]
pub fn add_scores(docs: [u64; 2], freqs: &[u32], inverses: &[f32; BLOCK], weight: f32, slots: &mut [f32; BLOCK]) {
    let mut freqs = freqs.iter();
    for (half, mut docs) in docs.into_iter().enumerate() {
        while docs != 0 {
            let at = half * 64 + docs.trailing_zeros() as usize;
            docs &= docs - 1;
            let Some(freq) = freqs.next() else { return };
            slots[at] += score(*freq, inverses[at], weight);
        }
    }
}

#[inline]
pub fn find_common(docs: &[u32; BLOCK], wanted: [u64; 2], others: &[u32; BLOCK], places: &mut [u8; BLOCK]) -> [u64; 2] {
    let (mut found, mut at) = ([0; 2], 0);
    for half in 0..2 {
        let mut word = wanted[half];
        while word != 0 {
            let i = half * 64 + word.trailing_zeros() as usize;
            word &= word - 1;
            while at < BLOCK - 1 && others[at] < docs[i] {
                at += 1;
            }
            if others[at] == docs[i] {
                found[half] |= 1 << (i % 64);
                places[i] = at as u8;
            }
        }
    }
    found
}

#[inline]
pub fn below(numbers: &[u32; BLOCK], limit: u32) -> u32 {
    numbers.iter().map(|number| u32::from(*number < limit)).sum()
}

#[inline]
pub fn contained(set: &[u64; SET_WORDS], numbers: &[u32]) -> u32 {
    numbers.iter().map(|number| (set[(number % (1 << 16) / 64) as usize] >> (number % 64)) as u32 & 1).sum()
}

#[inline]
pub fn scores(freqs: &[u32; BLOCK], inverses: &[f32; BLOCK], weight: f32, out: &mut [f32; BLOCK]) {
    for ((out, freq), inverse) in out.iter_mut().zip(freqs).zip(inverses) {
        *out = score(*freq, *inverse, weight);
    }
}

#[inline]
pub fn near(bytes: &[u8], wanted: u64, most: u32, out: &mut [u64]) {
    out.fill(0);
    for (i, bytes) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*bytes);
        let is_near = (word & !wanted).count_ones() <= most && (wanted & !word).count_ones() <= most;
        out[i / 64] |= u64::from(is_near) << (i % 64);
    }
}

#[inline]
fn score(freq: u32, inverse: f32, weight: f32) -> f32 {
    weight - weight / (1.0 + freq as f32 * inverse)
}

#[inline]
pub fn keep_following(starts: &mut [u32], offset: u32, sums: &[u32], before: u32) -> usize {
    let position = |at: usize| sums[at].wrapping_sub(before).wrapping_sub(at as u32 + 1);
    let (mut at, mut kept) = (0, 0);
    for i in 0..starts.len() {
        let wanted = starts[i].wrapping_add(offset);
        while at < sums.len() && position(at) < wanted {
            at += 1;
        }
        if at < sums.len() && position(at) == wanted {
            starts[kept] = starts[i];
            kept += 1;
        }
    }
    kept
}
