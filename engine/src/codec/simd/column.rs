//! Kernels over columns: arrays of integers of one bit width (see [`crate::codec::packed`]), of any length.
//!
//! As in [`super`], each kernel has a scalar twin that defines what it does ([`super::column_scalar`]) and a version for
//! AVX2 ([`super::column_avx2`]) or AVX-512 ([`super::column_avx512`], [`super::column_filter_avx512`]); which one runs is decided at the first call.
//! Filters of the narrowest columns are the same code for both ([`super::column_narrow`]).

use super::column_scalar;
#[cfg(target_arch = "x86_64")]
use super::{column_avx2, column_avx512, column_filter_avx512};
use crate::meter;
use std::sync::LazyLock;

type Filter = fn(&[u8], u8, Run, (u64, u64), &mut [u64]);

#[derive(Clone, Copy)]
pub(super) struct ColumnKernels {
    pub unpack: fn(&[u8], u8, usize, &mut [u64]),
    pub gather: fn(&[u8], u8, u32, &[u32], &mut [u64]),
    pub gather_lists: fn(&Lists<'_>, u32, &[u32], &mut Vec<u64>, &mut Vec<u32>),
    pub filter: Filter,
    pub range: fn(&[u8], u8, Run) -> (u64, u64),
    pub push_bits: fn(&[u64], u32, &mut Vec<u32>),
    pub count_within: fn(&[i64], i64, i64) -> u64,
    pub is_run: fn(&[u32]) -> bool,
    pub greatest: fn(&[u32]) -> u32,
    pub scale: fn(&mut [i64], i64, i64),
}

/// Some values of an array that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The index of the first.
    pub start: usize,
    pub len: usize,
}

/// Lists of values one behind the other: list `i` is those from offset `i` on and before offset `i + 1`.
pub struct Lists<'a> {
    pub offsets: &'a [u8],
    pub offset_width: u8,
    pub values: &'a [u8],
    pub value_width: u8,
}

const SCALAR: ColumnKernels = ColumnKernels {
    unpack: column_scalar::unpack,
    gather: column_scalar::gather,
    gather_lists: column_scalar::gather_lists,
    filter: column_scalar::filter,
    range: column_scalar::range,
    push_bits: column_scalar::push_bits,
    count_within: column_scalar::count_within,
    is_run: column_scalar::is_run,
    greatest: column_scalar::greatest,
    scale: column_scalar::scale,
};

static KERNELS: LazyLock<ColumnKernels> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernels) = column_avx2::kernels() {
        let kernels = column_avx512::kernels(kernels).unwrap_or(kernels);
        return column_filter_avx512::kernels(kernels).unwrap_or(kernels);
    }
    SCALAR
});

/// Unpacks the values `start ..` into `out`. The array must hold them all.
#[inline]
pub fn unpack(bytes: &[u8], width: u8, start: usize, out: &mut [u64]) {
    meter::column(out.len(), width);
    (KERNELS.unpack)(bytes, width, start, out);
}

/// Unpacks the values at `indexes[i] - base` into `out[i]`. Both slices are equally long, no index is below `base`, and
/// they ascend (equal ones may follow each other). The array must hold them all.
#[inline]
pub fn gather(bytes: &[u8], width: u8, base: u32, indexes: &[u32], out: &mut [u64]) {
    debug_assert_eq!(indexes.len(), out.len());
    meter::column(out.len(), width);
    (KERNELS.gather)(bytes, width, base, indexes, out);
}

/// Appends the values of the lists `ranks[i] - base` to `out`, and to `ends` how many stand there after each list. The arrays must hold
/// them all.
pub fn gather_lists(lists: &Lists<'_>, base: u32, ranks: &[u32], out: &mut Vec<u64>, ends: &mut Vec<u32>) {
    let before = out.len();
    (KERNELS.gather_lists)(lists, base, ranks, out, ends);
    meter::column(ranks.len(), lists.offset_width);
    meter::column(out.len() - before, lists.value_width);
}

/// Sets bit `i` of `words` where value `run.start + i` lies in `within`, both ends included; clears the other bits of the
/// words that `run.len` bits touch.
#[inline]
pub fn filter(bytes: &[u8], width: u8, run: Run, within: (u64, u64), words: &mut [u64]) {
    debug_assert!(words.len() >= run.len.div_ceil(64));
    meter::column(run.len, width);
    (KERNELS.filter)(bytes, width, run, within, words);
}

/// The smallest and the largest value of a run, which is not empty. It is not counted ([`crate::meter`]): what it gives is kept
/// with the segment, and is not the cost of the search that asks for it first.
#[inline]
pub fn range(bytes: &[u8], width: u8, run: Run) -> (u64, u64) {
    debug_assert!(run.len > 0);
    (KERNELS.range)(bytes, width, run)
}

/// Appends `base + i` for every set bit `i`, ascending.
#[inline]
pub fn push_bits(words: &[u64], base: u32, out: &mut Vec<u32>) {
    (KERNELS.push_bits)(words, base, out);
}

/// How many values lie from `lo` to `hi`, both ends included; none where `lo` is greater.
#[inline]
pub fn count_within(values: &[i64], lo: i64, hi: i64) -> u64 {
    if lo > hi { 0 } else { (KERNELS.count_within)(values, lo, hi) }
}

/// Whether each number is one more than that before it.
#[inline]
pub fn is_run(numbers: &[u32]) -> bool {
    (KERNELS.is_run)(numbers)
}

/// The greatest of some numbers, if there are any.
#[inline]
pub fn greatest(numbers: &[u32]) -> Option<u32> {
    (!numbers.is_empty()).then(|| (KERNELS.greatest)(numbers))
}

/// `numbers[i] * by + plus` of each, wrapping.
#[inline]
pub fn scale(numbers: &mut [i64], by: i64, plus: i64) {
    if (by, plus) != (1, 0) {
        (KERNELS.scale)(numbers, by, plus);
    }
}

/// The same numbers, without a sign.
#[inline]
pub fn unsigned(numbers: &mut [i64]) -> &mut [u64] {
    let len = numbers.len();
    // SAFETY: both types have the same size and alignment, every value of the one is one of the other, and the borrow lasts as long.
    unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), len) }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::codec::packed;

    /// Numbers that look random, the same in each run.
    fn noise(seed: u64, count: usize, width: u8) -> Vec<u64> {
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        (seed..).take(count).map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) & mask).collect()
    }

    fn pack(values: &[u64], width: u8) -> Vec<u8> {
        let mut bytes = vec![];
        packed::pack(values.iter().copied(), width, &mut bytes);
        bytes
    }

    #[test]
    fn runs_and_gathers_equal_their_scalar_twins() {
        let Some(fast) = column_avx2::kernels() else { return };
        for width in (0..=56).chain([64]) {
            let values = noise(7, 331, width);
            let bytes = pack(&values, width);
            for (start, len) in [(0, 331), (0, 0), (1, 330), (7, 9), (8, 64), (13, 255), (330, 1)] {
                let (mut a, mut b) = (vec![1; len], vec![2; len]);
                (SCALAR.unpack)(&bytes, width, start, &mut a);
                (fast.unpack)(&bytes, width, start, &mut b);
                assert_eq!(a, values[start..start + len]);
                assert_eq!(a, b, "width {width} {start} {len}");
                if len > 0 {
                    let run = Run { start, len };
                    assert_eq!((SCALAR.range)(&bytes, width, run), (fast.range)(&bytes, width, run), "width {width}");
                }
            }
            let indexes: Vec<u32> = (0..331u32).filter(|i| i % 3 != 1).flat_map(|i| [i + 40, i + 40]).collect();
            let (mut a, mut b) = (vec![1; indexes.len()], vec![2; indexes.len()]);
            (SCALAR.gather)(&bytes, width, 40, &indexes, &mut a);
            (fast.gather)(&bytes, width, 40, &indexes, &mut b);
            assert_eq!(a, b, "width {width}");
            assert!(indexes.iter().zip(&a).all(|(i, value)| values[*i as usize - 40] == *value));
        }
    }

    #[test]
    fn lists_equal_their_scalar_twin() {
        let Some(fast) = column_avx2::kernels() else { return };
        let lens = [0, 1, 2, 1, 5, 9, 0, 4, 3, 17, 1, 8, 2];
        let offsets: Vec<u64> = (0..=lens.len()).map(|i| lens[..i].iter().sum()).collect();
        for value_width in [0, 1, 3, 7, 8, 13, 14, 15, 31, 64] {
            for offset_width in [6, 16, 28, 33] {
                let values = noise(3, offsets[lens.len()] as usize, value_width);
                let (offsets, values) = (pack(&offsets, offset_width), pack(&values, value_width));
                let lists = Lists { offsets: &offsets, offset_width, values: &values, value_width };
                for ranks in [&[10u32, 11, 13, 14, 15, 15, 18, 19, 21, 22][..], &[22], &[], &[19, 12, 19]] {
                    let (mut a, mut b) = ((vec![7], vec![]), (vec![7], vec![]));
                    (SCALAR.gather_lists)(&lists, 10, ranks, &mut a.0, &mut a.1);
                    (fast.gather_lists)(&lists, 10, ranks, &mut b.0, &mut b.1);
                    assert_eq!(a, b, "{value_width} {offset_width} {ranks:?}");
                }
            }
        }
    }

    #[test]
    fn filters_equal_their_scalar_twin() {
        let Some(avx2) = column_avx2::kernels() else { return };
        let both = [Some(avx2), column_filter_avx512::kernels(avx2)].into_iter().flatten();
        for (fast, width) in both.flat_map(|fast| (0..=56).chain([64]).map(move |width| (fast, width))) {
            let values = noise(3, 300, width);
            let bytes = pack(&values, width);
            let max = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            let ends = [0, 1, max / 3, values[5], max - max / 5, max, u64::MAX];
            for (lo, hi) in ends.iter().flat_map(|lo| ends.map(|hi| (*lo, hi))).filter(|(lo, hi)| lo <= hi) {
                for (start, len) in [(0, 300), (5, 100), (64, 64), (8, 292), (3, 297), (9, 1), (300, 0)] {
                    let run = Run { start, len };
                    let (mut a, mut b) = ([u64::MAX; 6], [u64::MAX; 6]);
                    (SCALAR.filter)(&bytes, width, run, (lo, hi), &mut a);
                    (fast.filter)(&bytes, width, run, (lo, hi), &mut b);
                    assert_eq!(a, b, "width {width} {lo}..={hi} at {run:?}");
                    for (i, value) in values[start..start + len].iter().enumerate() {
                        assert_eq!(a[i / 64] >> (i % 64) & 1 == 1, (lo..=hi).contains(value));
                    }
                }
            }
        }
    }

    #[test]
    fn counts_equal_their_scalar_twin() {
        let Some(avx2) = column_avx2::kernels() else { return };
        let faster = column_avx512::kernels(avx2).unwrap_or(avx2);
        let values: Vec<i64> = noise(5, 203, 64).into_iter().map(|value| value as i64).collect();
        let ends = [i64::MIN, -1, 0, 1, values[3], values[80], i64::MAX];
        for (lo, hi) in ends.iter().flat_map(|lo| ends.map(|hi| (*lo, hi))).filter(|(lo, hi)| lo <= hi) {
            for len in [0, 1, 7, 8, 64, 203] {
                let values = &values[..len];
                let expected = values.iter().filter(|value| (lo..=hi).contains(value)).count() as u64;
                assert_eq!((SCALAR.count_within)(values, lo, hi), expected);
                assert_eq!((avx2.count_within)(values, lo, hi), expected, "{lo}..={hi} of {len}");
                assert_eq!((faster.count_within)(values, lo, hi), expected, "{lo}..={hi} of {len}");
            }
        }
        assert_eq!(count_within(&values, 1, 0), 0);
    }

    #[test]
    fn bits_become_documents() {
        let Some(fast) = column_avx2::kernels() else { return };
        let faster = column_avx512::kernels(fast).unwrap_or(fast);
        let mut words = noise(1, 9, 64);
        words.extend([0, u64::MAX, 1, 1 << 63, 0x8000_0000_0001_0100]);
        let (mut a, mut b) = (vec![5], vec![5]);
        (SCALAR.push_bits)(&words, 70_000, &mut a);
        (fast.push_bits)(&words, 70_000, &mut b);
        assert_eq!(a, b);
        // Nothing past the documents may be touched, and nothing before them.
        let (mut c, mut none) = (vec![5], vec![]);
        (faster.push_bits)(&words, 70_000, &mut c);
        (faster.push_bits)(&[0, 0], 1, &mut none);
        assert_eq!((&c, none.len()), (&a, 0));
        for word in words.iter().flat_map(|word| (0..64).map(move |bits| word >> bits)) {
            let (mut a, mut c) = (vec![], vec![]);
            (SCALAR.push_bits)(&[word], 3, &mut a);
            (faster.push_bits)(&[word], 3, &mut c);
            assert_eq!(a, c, "{word:x}");
        }
        let count: u32 = words.iter().map(|word| word.count_ones()).sum();
        assert_eq!(a.len() as u32, 1 + count);
        assert!(a[1..].iter().all(|doc| words[(doc - 70_000) as usize / 64] >> ((doc - 70_000) % 64) & 1 == 1));
    }

    #[test]
    fn runs_and_the_greatest_are_found() {
        let mut kernels = vec![SCALAR];
        kernels.extend(column_avx2::kernels());
        for kernels in kernels {
            for len in [0, 1, 2, 7, 8, 9, 31, 32, 200] {
                let mut numbers: Vec<u32> = (70_000..70_000 + len).collect();
                assert!((kernels.is_run)(&numbers));
                assert_eq!((kernels.greatest)(&numbers), numbers.last().copied().unwrap_or(0));
                for at in 1..numbers.len() {
                    numbers.swap(0, at);
                    assert!(!(kernels.is_run)(&numbers), "{at} of {len}");
                    assert_eq!((kernels.greatest)(&numbers), 70_000 + len - 1);
                    numbers.swap(0, at);
                }
            }
            // As far apart as a run, with one twice and one left out.
            assert!(!(kernels.is_run)(&[1, 1, 3, 4]));
            assert_eq!((kernels.greatest)(&[3, u32::MAX, 1 << 31]), u32::MAX);
        }
        assert_eq!((greatest(&[]), greatest(&[0])), (None, Some(0)));
    }

    #[test]
    fn numbers_are_scaled_alike() {
        let numbers: Vec<i64> = noise(2, 77, 64).into_iter().map(|number| number as i64).collect();
        for (by, plus) in [(1, 0), (1, -7), (1_000, 0), (i64::MAX, i64::MIN), (3, 12)] {
            let expected: Vec<i64> = numbers.iter().map(|n| n.wrapping_mul(by).wrapping_add(plus)).collect();
            let mut kernels = vec![SCALAR];
            kernels.extend(column_avx2::kernels());
            for kernels in kernels {
                let mut scaled = numbers.clone();
                (kernels.scale)(&mut scaled, by, plus);
                assert_eq!(scaled, expected, "{by} {plus}");
            }
        }
    }
}
