//! The kernels over columns for AVX2.
//!
//! Eight values of `w` bits fill `w` bytes, so groups of eight begin at byte boundaries. Widths up to 25 are unpacked as in
//! [`super::avx2`]: a byte shuffle brings four bytes to each 32-bit lane, a shift by lane and a mask do the rest. Wider
//! ones take an eight-byte load for each value, shifted and masked in 64-bit lanes.

use super::avx2::{Unpacker, WIDTH_MAX};
use super::column::{ColumnKernels, Lists, Run};
use super::column_narrow as narrow;
use super::column_scalar as scalar;
use crate::codec::packed;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// Values in a group.
const GROUP: usize = 8;

/// The kernels, if the processor has what they need.
pub fn kernels() -> Option<ColumnKernels> {
    let has_all = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    has_all.then_some(ColumnKernels {
        // SAFETY (of all): these functions are reachable only through this table, which is handed out only after the
        // processor was seen to have AVX2, POPCNT, BMI1 and BMI2.
        unpack: |bytes, width, start, out| unsafe { unpack(bytes, width, start, out) },
        // SAFETY: as above.
        gather: |bytes, width, base, indexes, out| unsafe { gather(bytes, width, base, indexes, out) },
        // SAFETY: as above.
        gather_lists: |lists, base, ranks, out, ends| unsafe { gather_lists(lists, base, ranks, out, ends) },
        // SAFETY: as above.
        filter: |bytes, width, run, within, words| unsafe { filter(bytes, width, run, within, words) },
        // SAFETY: as above.
        range: |bytes, width, run| unsafe { range(bytes, width, run) },
        // SAFETY: as above.
        push_bits: |words, base, out| unsafe { push_bits(words, base, out) },
        // SAFETY: as above.
        count_within: |values, lo, hi| unsafe { count_within(values, lo, hi) },
        // SAFETY: as above.
        is_run: |numbers| unsafe { is_run(numbers) },
        // SAFETY: as above.
        greatest: |numbers| unsafe { greatest(numbers) },
        // SAFETY: as above.
        scale: |numbers, by, plus| unsafe { scale(numbers, by, plus) },
    })
}

/// How many whole groups from byte `from` on can be loaded without touching bytes past the end.
fn loadable(bytes: &[u8], width: u8, from: usize) -> usize {
    let width = width as usize;
    // The last load of a group begins at most at its last value and takes 8 bytes; those of the narrow way begin at
    // `width / 2` and take 16.
    let touched = (width / 2 + 16).max(7 * width / 8 + 8);
    match bytes.len().checked_sub(from + touched) {
        Some(left) if width > 0 => left / width + 1,
        _ => 0,
    }
}

/// The groups of a run: values before the first whole one, whole ones, and where the first of them stands in bytes.
fn groups(bytes: &[u8], width: u8, run: Run) -> (usize, usize, usize) {
    let head = (run.start.next_multiple_of(GROUP) - run.start).min(run.len);
    let at = (run.start + head) / GROUP * width as usize;
    let whole = (run.len - head) / GROUP;
    (head, if head < run.len { whole.min(loadable(bytes, width, at)) } else { 0 }, at)
}

/// Loads eight values of 26 to 56 bits as two times four lanes.
struct Wide {
    offsets: [usize; GROUP],
    shifts: [__m256i; 2],
    mask: __m256i,
}

impl Wide {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(width: u8) -> Self {
        let bit = |i: usize| i * width as usize;
        let shifts = |i: usize| {
            let shift = |i| (bit(i) % 8) as i64;
            _mm256_set_epi64x(shift(i + 3), shift(i + 2), shift(i + 1), shift(i))
        };
        Self {
            offsets: std::array::from_fn(|i| bit(i) / 8),
            shifts: [shifts(0), shifts(4)],
            mask: _mm256_set1_epi64x(((1u64 << width) - 1) as i64),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(&self, bytes: &[u8]) -> [__m256i; 2] {
        let word = |i: usize| match bytes.get(self.offsets[i]..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => i64::from_le_bytes(*chunk),
            None => 0,
        };
        let low = _mm256_set_epi64x(word(3), word(2), word(1), word(0));
        let high = _mm256_set_epi64x(word(7), word(6), word(5), word(4));
        [
            _mm256_and_si256(_mm256_srlv_epi64(low, self.shifts[0]), self.mask),
            _mm256_and_si256(_mm256_srlv_epi64(high, self.shifts[1]), self.mask),
        ]
    }
}

#[target_feature(enable = "avx2")]
fn unpack(bytes: &[u8], width: u8, start: usize, out: &mut [u64]) {
    if width == 0 {
        return out.fill(0);
    }
    if width > 56 {
        return scalar::unpack(bytes, width, start, out);
    }
    let (head, whole, at) = groups(bytes, width, Run { start, len: out.len() });
    scalar::unpack(bytes, width, start, &mut out[..head]);
    let (body, tail) = out[head..].split_at_mut(whole * GROUP);
    if width <= WIDTH_MAX {
        let lanes = Unpacker::new(width);
        for (i, out) in body.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            let values = lanes.load(&bytes[at..], i);
            store(
                out,
                [
                    _mm256_cvtepu32_epi64(_mm256_castsi256_si128(values)),
                    _mm256_cvtepu32_epi64(_mm256_extracti128_si256(values, 1)),
                ],
            );
        }
    } else {
        let lanes = Wide::new(width);
        for (i, out) in body.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            store(out, lanes.load(&bytes[at + i * width as usize..]));
        }
    }
    scalar::unpack(bytes, width, start + head + whole * GROUP, tail);
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(out: &mut [u64; GROUP], values: [__m256i; 2]) {
    // SAFETY: `out` is 64 bytes long, and the stores need no alignment.
    unsafe {
        _mm256_storeu_si256(out.as_mut_ptr().cast(), values[0]);
        _mm256_storeu_si256(out.as_mut_ptr().add(4).cast(), values[1]);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn gather(bytes: &[u8], width: u8, base: u32, indexes: &[u32], out: &mut [u64]) {
    if width == 0 {
        return out.fill(0);
    }
    if width > 56 {
        return scalar::gather(bytes, width, base, indexes, out);
    }
    let mask = (1u64 << width) - 1;
    // Indexes ascend: those whose eight bytes are all there come first.
    let last = bytes.len().checked_sub(8).map(|last| last * 8 / width as usize);
    let fit = last.map_or(0, |last| indexes.partition_point(|index| ((index - base) as usize) < last));
    let highest = indexes[..fit].iter().fold(0, |highest, index| highest.max(index - base));
    assert!(fit == 0 || highest as usize * width as usize / 8 + 8 <= bytes.len(), "indexes ascend");
    for (index, out) in indexes[..fit].iter().zip(out.iter_mut()) {
        let bit = (index - base) as usize * width as usize;
        // SAFETY: the eight bytes of the highest of these indexes were just seen to be within `bytes`, and those of a lesser index begin no
        // later. The load needs no alignment.
        let word = unsafe { bytes.as_ptr().add(bit / 8).cast::<[u8; 8]>().read_unaligned() };
        *out = u64::from_le_bytes(word) >> (bit % 8) & mask;
    }
    scalar::gather(bytes, width, base, &indexes[fit..], &mut out[fit..]);
}

/// Four values at a time: one load holds them if they have no more than 14 bits each. Where lists begin is looked up for some of them
/// together, so that the memory of all of their values is on its way before the first is read.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn gather_lists(lists: &Lists<'_>, base: u32, ranks: &[u32], out: &mut Vec<u64>, ends: &mut Vec<u32>) {
    const STEP_WIDTH_MAX: u8 = 14;
    const TOGETHER: usize = 32;
    let width = lists.value_width;
    if width == 0 || width > STEP_WIDTH_MAX {
        return scalar::gather_lists(lists, base, ranks, out, ends);
    }
    let by = i64::from(width);
    let (shifts, mask) = (_mm256_set_epi64x(3 * by, 2 * by, by, 0), _mm256_set1_epi64x((1 << width) - 1));
    let mut at = out.len();
    ends.reserve(ranks.len());
    let mut places = [(0, 0); TOGETHER];
    for ranks in ranks.chunks(TOGETHER) {
        let places = &mut places[..ranks.len()];
        let mut wanted = LIST_STEP;
        for (place, rank) in places.iter_mut().zip(ranks) {
            let (first, end) = packed::get_pair(lists.offsets, lists.offset_width, (rank - base) as usize);
            *place = (first as usize, end.saturating_sub(first) as usize);
            wanted += place.1;
            let byte = place.0 * width as usize / 8;
            // Fetching ahead reads nothing, whatever the address.
            _mm_prefetch::<_MM_HINT_T0>(lists.values.as_ptr().wrapping_add(byte).cast());
        }
        if at + wanted > out.len() {
            out.resize((at + wanted).max(2 * out.len()), 0);
        }
        for (first, count) in places.iter() {
            gather_list(lists, (*first, *count), (shifts, mask), &mut out[at..]);
            at += count;
            ends.push(at as u32);
        }
    }
    out.truncate(at);
}

/// Values that one load holds.
const LIST_STEP: usize = 4;

/// The values of one list, given its first and their number; `out` has room for some more. Most lists take one step, so that how many it
/// takes is asked after the first.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn gather_list(lists: &Lists<'_>, list: (usize, usize), (shifts, mask): (__m256i, __m256i), out: &mut [u64]) {
    let ((first, count), width) = (list, lists.value_width as usize);
    let mut done = 0;
    loop {
        let bit = (first + done) * width;
        let to: &mut [u64; LIST_STEP] = out[done..].first_chunk_mut().expect("some more");
        match lists.values.get(bit / 8..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(word) => {
                let word = _mm256_set1_epi64x((u64::from_le_bytes(*word) >> (bit % 8)) as i64);
                let values = _mm256_and_si256(_mm256_srlv_epi64(word, shifts), mask);
                // SAFETY: `to` holds four numbers, and the store needs no alignment.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), values) };
            }
            None => {
                let left = to.iter_mut().take(count - done);
                left.zip(first + done..).for_each(|(to, i)| *to = packed::get(lists.values, lists.value_width, i));
            }
        }
        done += LIST_STEP;
        if done >= count {
            return;
        }
    }
}

#[target_feature(enable = "avx2")]
fn filter(bytes: &[u8], width: u8, run: Run, within: (u64, u64), words: &mut [u64]) {
    if (1..=narrow::WIDTH_MAX).contains(&width) {
        return narrow::filter(bytes, width, run, within, words);
    }
    let words = &mut words[..run.len.div_ceil(64)];
    words.fill(0);
    if width == 0 || width > 56 {
        return scalar::filter_from(bytes, width, run, 0, within, words);
    }
    let max = (1u64 << width) - 1;
    if within.0 > max {
        return;
    }
    let within = (within.0, within.1.min(max));
    let (head, whole, at) = groups(bytes, width, run);
    scalar::filter_from(bytes, width, Run { len: head, ..run }, 0, within, words);
    let mut to = head;
    if width <= WIDTH_MAX {
        let lanes = Unpacker::new(width);
        let lo = _mm256_set1_epi32(within.0 as i32);
        let span = _mm256_set1_epi32((within.1 - within.0) as i32);
        for i in 0..whole {
            // In the range if the distance from its start, taken as unsigned, is no more than its length.
            let distance = _mm256_sub_epi32(lanes.load(&bytes[at..], i), lo);
            let inside = _mm256_cmpeq_epi32(_mm256_min_epu32(distance, span), distance);
            put(words, to, _mm256_movemask_ps(_mm256_castsi256_ps(inside)) as u64);
            to += GROUP;
        }
    } else {
        let lanes = Wide::new(width);
        let (lo, hi) = (_mm256_set1_epi64x(within.0 as i64), _mm256_set1_epi64x(within.1 as i64));
        for i in 0..whole {
            let outside = |values| {
                // At most 56 bits: signed comparisons do.
                let outside = _mm256_or_si256(_mm256_cmpgt_epi64(lo, values), _mm256_cmpgt_epi64(values, hi));
                _mm256_movemask_pd(_mm256_castsi256_pd(outside)) as u64
            };
            let [low, high] = lanes.load(&bytes[at + i * width as usize..]);
            put(words, to, !(outside(low) | outside(high) << 4) & 0xff);
            to += GROUP;
        }
    }
    scalar::filter_from(bytes, width, run, to, within, words);
}

/// ORs eight bits into `words` from bit `at` on.
#[inline]
fn put(words: &mut [u64], at: usize, bits: u64) {
    let shift = at % 64;
    words[at / 64] |= bits << shift;
    if shift > 64 - GROUP
        && let Some(next) = words.get_mut(at / 64 + 1)
    {
        *next |= bits >> (64 - shift);
    }
}

#[target_feature(enable = "avx2")]
fn range(bytes: &[u8], width: u8, run: Run) -> (u64, u64) {
    if width == 0 || width > 56 {
        return scalar::range(bytes, width, run);
    }
    let (head, whole, at) = groups(bytes, width, run);
    let (mut min, mut max) = scalar::range(bytes, width, Run { len: head, ..run });
    if width <= WIDTH_MAX {
        let lanes = Unpacker::new(width);
        let (mut least, mut most) = (_mm256_set1_epi32(-1), _mm256_setzero_si256());
        for i in 0..whole {
            let values = lanes.load(&bytes[at..], i);
            (least, most) = (_mm256_min_epu32(least, values), _mm256_max_epu32(most, values));
        }
        if whole > 0 {
            let (mut low, mut high) = ([0u32; GROUP], [0u32; GROUP]);
            super::avx2::store(&mut low, least);
            super::avx2::store(&mut high, most);
            min = low.iter().fold(min, |min, value| min.min(u64::from(*value)));
            max = high.iter().fold(max, |max, value| max.max(u64::from(*value)));
        }
    } else {
        let mut values = [0; GROUP];
        let lanes = Wide::new(width);
        for i in 0..whole {
            store(&mut values, lanes.load(&bytes[at + i * width as usize..]));
            (min, max) = values.iter().fold((min, max), |(min, max), value| (min.min(*value), max.max(*value)));
        }
    }
    let done = head + whole * GROUP;
    let rest = scalar::range(bytes, width, Run { start: run.start + done, len: run.len - done });
    debug_assert!(packed::bytes_len(run.start + run.len, width) <= bytes.len());
    (min.min(rest.0), max.max(rest.1))
}

/// The places of the set bits of every byte, one a byte, low first.
static PLACES: [[u8; 8]; 256] = {
    let mut all = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                all[byte][at] = bit as u8;
                at += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

/// Words with more bits than this are taken byte by byte, others bit by bit.
const SPARSE_BITS: u32 = 12;

#[target_feature(enable = "avx2")]
fn count_within(values: &[i64], lo: i64, hi: i64) -> u64 {
    scalar::count_within(values, lo, hi)
}

#[target_feature(enable = "avx2")]
fn is_run(numbers: &[u32]) -> bool {
    scalar::is_run(numbers)
}

#[target_feature(enable = "avx2")]
fn greatest(numbers: &[u32]) -> u32 {
    scalar::greatest(numbers)
}

#[target_feature(enable = "avx2")]
fn scale(numbers: &mut [i64], by: i64, plus: i64) {
    scalar::scale(numbers, by, plus);
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
fn push_bits(words: &[u64], base: u32, out: &mut Vec<u32>) {
    let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
    let from = out.len();
    // Eight more than there are: every byte stores eight, of which those past its own are overwritten by the next.
    out.reserve(count + GROUP);
    let room = &mut out.spare_capacity_mut()[..count + GROUP];
    let mut at = 0;
    for (i, word) in words.iter().enumerate() {
        let first = base + i as u32 * 64;
        let mut word = *word;
        if word == u64::MAX {
            let to = &mut room[at..at + 64];
            for (byte, to) in to.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let docs = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                store_new(to, _mm256_add_epi32(docs, _mm256_set1_epi32((first + byte as u32 * 8) as i32)));
            }
            at += 64;
            continue;
        }
        if word.count_ones() <= SPARSE_BITS {
            while word != 0 {
                room[at].write(first + word.trailing_zeros());
                at += 1;
                word &= word - 1;
            }
            continue;
        }
        for (byte, value) in word.to_le_bytes().into_iter().enumerate() {
            let places = i64::from_le_bytes(PLACES[value as usize]);
            let docs = _mm256_add_epi32(
                _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(places)),
                _mm256_set1_epi32((first + byte as u32 * 8) as i32),
            );
            store_new(room[at..].first_chunk_mut().expect("eight more than there are"), docs);
            at += value.count_ones() as usize;
        }
    }
    assert_eq!(at, count);
    // SAFETY: there is room for that many more, and each bit has written one number, the n-th to place n: those before `at` are all
    // written at any time.
    unsafe { out.set_len(from + count) };
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_new(out: &mut [MaybeUninit<u32>; GROUP], values: __m256i) {
    // SAFETY: `out` is 32 bytes long, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), values) }
}
