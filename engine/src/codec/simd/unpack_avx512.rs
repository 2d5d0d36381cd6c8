//! Unpacking for AVX-512 with VBMI: sixteen values of `w` bits fill `2 * w` bytes, so that one load has them all. `VPERMB` brings the
//! four bytes in which each of them begins into its lane (enough for `w + 7 <= 32` bits), a shift by lane and a mask do the rest.
//!
//! Distances are unpacked to their complements, which are what they come to negated, with the one that is not packed: no ones
//! are added. They are summed up in the narrowest lanes that hold one ([`SUMS_OF_4_MAX`]): four bytes, or two of sixteen bits, to a
//! sum of 32 bits (VNNI adds products of bytes). Sixteen such sums are then added up in four steps, and each distance is told from the sum that
//! ends its four by those behind it. So the steps serve 64 or 32 distances at once.

use super::lanes_avx512::{Picker, Places};
use super::{BLOCK, Kernels};
use std::arch::x86_64::*;

/// Values unpacked at once.
const LANES: usize = 16;

/// The widest value for which four bytes always suffice.
const WIDTH_MAX: u8 = 25;

/// The widest distances whose complements are bytes with a sign.
const SUMS_OF_4_MAX: u8 = 7;

/// The widest distances whose complements are integers of 16 bits with a sign.
const SUMS_OF_2_MAX: u8 = 15;

/// `others`, with the kernels of this file, if the processor has what they need.
pub fn kernels(others: Kernels) -> Option<Kernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vnni");
    has.then_some(Kernels {
        // SAFETY (of both): these functions are reachable only through this table, which is handed out only after the processor
        // was seen to have what they need.
        unpack: |bytes, width, out| unsafe { unpack(bytes, width, out) },
        // SAFETY: as above.
        unpack_deltas: |bytes, width, before, out| unsafe { unpack_deltas(bytes, width, before, out) },
        ..others
    })
}

/// How to bring sixteen values of one width into their lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Words {
    bytes: [u8; 64],
    shifts: [u32; LANES],
}

static WORDS: [Words; WIDTH_MAX as usize + 1] = {
    let mut all = [Words { bytes: [0; 64], shifts: [0; LANES] }; WIDTH_MAX as usize + 1];
    let mut width = 0;
    while width <= WIDTH_MAX as usize {
        let mut lane = 0;
        while lane < LANES {
            let bit = lane * width;
            let mut byte = 0;
            while byte < 4 {
                all[width].bytes[lane * 4 + byte] = (bit / 8 + byte) as u8;
                byte += 1;
            }
            all[width].shifts[lane] = (bit % 8) as u32;
            lane += 1;
        }
        width += 1;
    }
    all
};

/// The places of bytes for distances of each width.
static BYTES: [Places; SUMS_OF_4_MAX as usize + 1] = {
    let mut all = [Places::NONE; SUMS_OF_4_MAX as usize + 1];
    let mut width = 0;
    while width < all.len() {
        all[width] = Places::new(width, 1);
        width += 1;
    }
    all
};

/// The places of integers of 16 bits.
static HALVES: [Places; SUMS_OF_2_MAX as usize + 1] = {
    let mut all = [Places::NONE; SUMS_OF_2_MAX as usize + 1];
    let mut width = 0;
    while width < all.len() {
        all[width] = Places::new(width, 2);
        width += 1;
    }
    all
};

/// Bytes that the loads of a block of this width touch.
const fn touched(width: u8) -> usize {
    (BLOCK / LANES - 1) * 2 * width as usize + 64
}

/// Enough for the widest block.
const PADDED: usize = touched(WIDTH_MAX);

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unpack(bytes: &[u8], width: u8, out: &mut [u32; BLOCK]) {
    if width > WIDTH_MAX {
        return super::scalar::unpack(bytes, width, out);
    }
    with_padding(bytes, width, |bytes| {
        let lanes = Unpacker::new(width);
        for (i, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            store(out, lanes.load(bytes, i));
        }
    });
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    if width > WIDTH_MAX {
        return super::scalar::unpack_deltas(bytes, width, before, out);
    }
    let last = _mm512_set1_epi32(before as i32);
    with_padding(bytes, width, |bytes| {
        if width <= SUMS_OF_4_MAX {
            sums_of_4(bytes, width, last, out);
        } else if width <= SUMS_OF_2_MAX {
            sums_of_2(bytes, width, last, out);
        } else {
            sums(bytes, width, last, out);
        }
    });
}

/// Distances are bytes. Each of their sums of four is brought, with the four, to four lanes, of which the first takes off the last
/// three, the second the last two, the third the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn sums_of_4(bytes: &[u8], width: u8, mut last: __m512i, out: &mut [u32; BLOCK]) {
    const COUNT: usize = 64;
    let (picker, mask) = (Picker::new(&BYTES[width as usize]), _mm512_set1_epi8(((1u32 << width) - 1) as i8));
    let ones = _mm512_set1_epi8(1);
    let behind = _mm512_set4_epi32(0, 0x0100_0000, 0x0101_0000, 0x0101_0100);
    let fours = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    for (i, out) in out.as_chunks_mut::<COUNT>().0.iter_mut().enumerate() {
        let negated = not_and(picker.pick(at(bytes, i * COUNT / 8 * width as usize)), mask);
        let ends = _mm512_sub_epi32(last, prefix_sums(_mm512_dpbusd_epi32(_mm512_setzero_si512(), ones, negated)));
        last = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), ends);
        for (i, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let from = _mm512_add_epi32(fours, _mm512_set1_epi32(i as i32 * 4));
            let (end, four) = (_mm512_permutexvar_epi32(from, ends), _mm512_permutexvar_epi32(from, negated));
            store(out, _mm512_dpbusd_epi32(end, behind, four));
        }
    }
}

/// As [`sums_of_4`], with two distances of 16 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vnni")]
fn sums_of_2(bytes: &[u8], width: u8, mut last: __m512i, out: &mut [u32; BLOCK]) {
    const COUNT: usize = 32;
    let (picker, mask) = (Picker::new(&HALVES[width as usize]), _mm512_set1_epi16(((1u32 << width) - 1) as i16));
    let ones = _mm512_set1_epi16(1);
    let behind = _mm512_set1_epi64(0x0001_0000);
    let pairs = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    for (i, out) in out.as_chunks_mut::<COUNT>().0.iter_mut().enumerate() {
        let negated = not_and(picker.pick(at(bytes, i * COUNT / 8 * width as usize)), mask);
        let ends = _mm512_sub_epi32(last, prefix_sums(_mm512_dpwssd_epi32(_mm512_setzero_si512(), ones, negated)));
        last = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), ends);
        for (i, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let from = _mm512_add_epi32(pairs, _mm512_set1_epi32(i as i32 * 8));
            let (end, pair) = (_mm512_permutexvar_epi32(from, ends), _mm512_permutexvar_epi32(from, negated));
            store(out, _mm512_dpwssd_epi32(end, behind, pair));
        }
    }
}

/// As [`sums_of_4`], with pairs of 32 bits, of which the sums of two registers are brought to one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn sums(bytes: &[u8], width: u8, mut last: __m512i, out: &mut [u32; BLOCK]) {
    let lanes = Unpacker::new(width);
    let evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let pairs = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    for (i, out) in out.as_chunks_mut::<{ 2 * LANES }>().0.iter_mut().enumerate() {
        let negated = [lanes.load_complements(bytes, 2 * i), lanes.load_complements(bytes, 2 * i + 1)];
        // What is behind each even one, nothing behind the others.
        let behind = negated.map(|negated| _mm512_srli_epi64::<32>(negated));
        let [low, high] = [0, 1].map(|i| _mm512_add_epi32(negated[i], behind[i]));
        let ends = _mm512_sub_epi32(last, prefix_sums(_mm512_permutex2var_epi32(low, evens, high)));
        last = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), ends);
        for (i, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let from = _mm512_add_epi32(pairs, _mm512_set1_epi32(i as i32 * 8));
            store(out, _mm512_add_epi32(_mm512_permutexvar_epi32(from, ends), behind[i]));
        }
    }
}

/// Adds to each lane all those before it.
#[inline]
#[target_feature(enable = "avx512f")]
fn prefix_sums(lanes: __m512i) -> __m512i {
    // The first of these operations does not wait for the part of the processor that the others wait for.
    let sums = _mm512_add_epi32(lanes, _mm512_slli_epi64::<32>(lanes));
    let sums = _mm512_add_epi32(sums, _mm512_maskz_shuffle_epi32::<0b01_01_01_01>(0xcccc, sums));
    let sums = _mm512_add_epi32(
        sums,
        _mm512_maskz_permutexvar_epi32(
            0xf0f0,
            _mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11, 11, 11, 11),
            sums,
        ),
    );
    _mm512_add_epi32(sums, _mm512_maskz_permutexvar_epi32(0xff00, _mm512_set1_epi32(7), sums))
}

/// Calls `f` with `bytes`, or with a copy of them if the loads of a block would touch bytes past their end.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn with_padding(bytes: &[u8], width: u8, mut f: impl FnMut(&[u8])) {
    if bytes.len() >= touched(width) {
        return f(&bytes[..touched(width)]);
    }
    let mut padded = [0; PADDED];
    padded[..bytes.len()].copy_from_slice(bytes);
    f(&padded[..touched(width)]);
}

struct Unpacker {
    width: usize,
    bytes: __m512i,
    shifts: __m512i,
    mask: __m512i,
}

impl Unpacker {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn new(width: u8) -> Self {
        let places = &WORDS[width as usize];
        // SAFETY: both arrays are 64 bytes long, and the loads need no alignment.
        let (bytes, shifts) = unsafe {
            (_mm512_loadu_si512(places.bytes.as_ptr().cast()), _mm512_loadu_si512(places.shifts.as_ptr().cast()))
        };
        Self { width: width as usize, bytes, shifts, mask: _mm512_set1_epi32(((1u32 << width) - 1) as i32) }
    }

    /// Values `16 * i ..` of a block of which there are as many bytes as [`touched`] gives.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn load(&self, bytes: &[u8], i: usize) -> __m512i {
        _mm512_and_si512(self.shifted(bytes, i), self.mask)
    }

    /// The complements of these values.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn load_complements(&self, bytes: &[u8], i: usize) -> __m512i {
        not_and(self.shifted(bytes, i), self.mask)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn shifted(&self, bytes: &[u8], i: usize) -> __m512i {
        let from = &bytes[i * 2 * self.width..][..64];
        // SAFETY: the slice is 64 bytes long, and the load needs no alignment.
        let all = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
        _mm512_srlv_epi32(_mm512_permutexvar_epi8(self.bytes, all), self.shifts)
    }
}

/// `!(a & b)`, in one operation.
#[inline]
#[target_feature(enable = "avx512f")]
fn not_and(a: __m512i, b: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0b0011_1111>(a, b, b)
}

#[inline]
fn at(bytes: &[u8], from: usize) -> &[u8; 64] {
    bytes[from..].first_chunk().expect("padded")
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(out: &mut [u32; LANES], values: __m512i) {
    // SAFETY: `out` is 64 bytes long, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), values) }
}
