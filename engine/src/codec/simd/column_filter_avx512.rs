//! The filter of columns for AVX-512 with VBMI. Values are brought into lanes of 8, 16, 32 or 64 bits, the narrowest that hold them, so
//! that the narrow ones, of which there are many, are compared many at a time.

use super::column::{ColumnKernels, Run};
use super::column_narrow as narrow;
use super::column_scalar as scalar;
use super::lanes_avx512::{Picker, Places};
use std::arch::x86_64::*;

/// The widest value that lies within eight bytes wherever in a byte it begins.
const WIDTH_MAX: u8 = 56;

/// Values whose bits end at the end of a byte.
const GROUP: usize = 8;

/// `others`, with the kernel of this file, if the processor has what it needs.
pub fn kernels(others: ColumnKernels) -> Option<ColumnKernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi");
    has.then_some(ColumnKernels {
        // SAFETY: the function is reachable only through this table, which is handed out only after the processor was seen
        // to have what it needs.
        filter: |bytes, width, run, within, words| unsafe { filter(bytes, width, run, within, words) },
        ..others
    })
}

/// Bits of a lane for values of this width. (Two of 31 bits do not always lie within eight bytes.)
const fn lane_bits(width: usize) -> usize {
    match width {
        0..=8 => 8,
        9..=16 => 16,
        17..=30 => 32,
        _ => 64,
    }
}

static PLACES: [Places; WIDTH_MAX as usize + 1] = {
    let mut all = [Places::NONE; WIDTH_MAX as usize + 1];
    let mut width = 1;
    while width <= WIDTH_MAX as usize {
        all[width] = Places::new(width, lane_bits(width) / 8);
        width += 1;
    }
    all
};

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn filter(bytes: &[u8], width: u8, run: Run, within: (u64, u64), words: &mut [u64]) {
    if (1..=narrow::WIDTH_MAX).contains(&width) {
        return narrow::filter(bytes, width, run, within, words);
    }
    let words = &mut words[..run.len.div_ceil(64)];
    words.fill(0);
    if width == 0 || width > WIDTH_MAX {
        return scalar::filter_from(bytes, width, run, 0, within, words);
    }
    let max = (1u64 << width) - 1;
    if within.0 > max {
        return;
    }
    let (lo, span) = (within.0, within.1.min(max) - within.0);
    let head = (run.start.next_multiple_of(GROUP) - run.start).min(run.len);
    scalar::filter_from(bytes, width, Run { len: head, ..run }, 0, within, words);
    let bytes = &bytes[((run.start + head) / GROUP * width as usize).min(bytes.len())..];
    let rest = (head, run.len);
    // In the range if the distance from its start, taken as unsigned, is no more than its length.
    match lane_bits(width as usize) {
        8 => {
            let (lo, span) = (_mm512_set1_epi8(lo as i8), _mm512_set1_epi8(span as i8));
            let inside = |values| _mm512_cmple_epu8_mask(_mm512_sub_epi8(values, lo), span);
            let mask = _mm512_set1_epi8(max as i8);
            filter_lanes::<64>(bytes, width, mask, rest, words, inside);
        }
        16 => {
            let (lo, span) = (_mm512_set1_epi16(lo as i16), _mm512_set1_epi16(span as i16));
            let inside = |values| u64::from(_mm512_cmple_epu16_mask(_mm512_sub_epi16(values, lo), span));
            let mask = _mm512_set1_epi16(max as i16);
            filter_lanes::<32>(bytes, width, mask, rest, words, inside);
        }
        32 => {
            let (lo, span) = (_mm512_set1_epi32(lo as i32), _mm512_set1_epi32(span as i32));
            let inside = |values| u64::from(_mm512_cmple_epu32_mask(_mm512_sub_epi32(values, lo), span));
            let mask = _mm512_set1_epi32(max as i32);
            filter_lanes::<16>(bytes, width, mask, rest, words, inside);
        }
        _ => {
            let (lo, span) = (_mm512_set1_epi64(lo as i64), _mm512_set1_epi64(span as i64));
            let inside = |values| u64::from(_mm512_cmple_epu64_mask(_mm512_sub_epi64(values, lo), span));
            let mask = _mm512_set1_epi64(max as i64);
            filter_lanes::<8>(bytes, width, mask, rest, words, inside);
        }
    }
}

/// Sets the bits `from..len` of `words` of those values that are `inside`, as many as there are lanes at a time. The values begin at
/// the beginning of `bytes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn filter_lanes<const LANES: usize>(
    bytes: &[u8],
    width: u8,
    mask: __m512i,
    (from, len): (usize, usize),
    words: &mut [u64],
    inside: impl Fn(__m512i) -> u64,
) {
    let picker = Picker::new(&PLACES[width as usize]);
    let lanes = |bytes: &[u8; 64]| inside(_mm512_and_si512(picker.pick(bytes), mask));
    let step = LANES / 8 * width as usize;
    let (mut at, mut bytes) = (from, bytes);
    while at + LANES <= len
        && let Some(next) = bytes.first_chunk::<64>()
    {
        put(words, at, LANES, lanes(next));
        (at, bytes) = (at + LANES, &bytes[step..]);
    }
    while at < len {
        let mut last = [0; 64];
        let there = bytes.len().min(step);
        last[..there].copy_from_slice(&bytes[..there]);
        let count = LANES.min(len - at);
        put(words, at, count, lanes(&last) & u64::MAX >> (64 - count));
        (at, bytes) = (at + count, &bytes[there..]);
    }
}

/// ORs `count` bits into `words` from bit `at` on.
#[inline]
fn put(words: &mut [u64], at: usize, count: usize, bits: u64) {
    let shift = at % 64;
    words[at / 64] |= bits << shift;
    if shift + count > 64
        && let Some(next) = words.get_mut(at / 64 + 1)
    {
        *next |= bits >> (64 - shift);
    }
}
