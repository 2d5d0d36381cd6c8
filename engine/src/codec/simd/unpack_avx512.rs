//! Unpacking for AVX-512 with VBMI: sixteen values of `w` bits fill `2 * w` bytes, so that one load has them all. `VPERMB` brings the
//! four bytes in which each of them begins into its lane (enough for `w + 7 <= 32` bits), a shift by lane and a mask do the rest.
//! Distances are added up within the sixteen in four steps; from one sixteen to the next only the last sum is carried.

use super::{BLOCK, Kernels};
use std::arch::x86_64::*;

/// Values unpacked at once.
const LANES: usize = 16;

/// The widest value for which four bytes always suffice.
const WIDTH_MAX: u8 = 25;

/// `others`, with the kernels of this file, if the processor has what they need.
pub fn kernels(others: Kernels) -> Option<Kernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi");
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
struct Places {
    bytes: [u8; 64],
    shifts: [u32; LANES],
}

static PLACES: [Places; WIDTH_MAX as usize + 1] = {
    let mut all = [Places { bytes: [0; 64], shifts: [0; LANES] }; WIDTH_MAX as usize + 1];
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

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn unpack_deltas(bytes: &[u8], width: u8, before: u32, out: &mut [u32; BLOCK]) {
    if width > WIDTH_MAX {
        return super::scalar::unpack_deltas(bytes, width, before, out);
    }
    with_padding(bytes, width, |bytes| {
        let lanes = Unpacker::new(width);
        // What all distances are more than what is packed comes to, up to each lane.
        let ones = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
        let (zero, last) = (_mm512_setzero_si512(), _mm512_set1_epi32(15));
        let mut carry = _mm512_add_epi32(_mm512_set1_epi32(before as i32), ones);
        for (i, out) in out.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let sums = lanes.load(bytes, i);
            let sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<15>(sums, zero));
            let sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<14>(sums, zero));
            let sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<12>(sums, zero));
            let sums = _mm512_add_epi32(sums, _mm512_alignr_epi32::<8>(sums, zero));
            let sums = _mm512_add_epi32(sums, carry);
            store(out, sums);
            carry = _mm512_add_epi32(_mm512_permutexvar_epi32(last, sums), ones);
        }
    });
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
        let places = &PLACES[width as usize];
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
        let from = &bytes[i * 2 * self.width..][..64];
        // SAFETY: the slice is 64 bytes long, and the load needs no alignment.
        let all = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
        let begun = _mm512_permutexvar_epi8(self.bytes, all);
        _mm512_and_si512(_mm512_srlv_epi32(begun, self.shifts), self.mask)
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(out: &mut [u32; LANES], values: __m512i) {
    // SAFETY: `out` is 64 bytes long, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), values) }
}
