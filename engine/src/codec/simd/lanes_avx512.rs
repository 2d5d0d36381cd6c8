//! Packed values brought into lanes of 8, 16, 32 or 64 bits, with AVX-512 and VBMI: `VPERMB` brings the bytes of as many values as eight
//! bytes have lanes into these eight bytes, `VPMULTISHIFTQB` takes each lane's bits from where they begin. What stands in a lane
//! above a value's bits is left of others, and is for the caller to mask.

use std::arch::x86_64::*;

/// Where the lanes of 64 bytes come from, for values of one width.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Places {
    /// The bytes that each eight are made of.
    bytes: [u8; 64],
    /// For each byte of an eight, where in these its bits begin.
    bits: [u8; 64],
}

impl Places {
    pub const NONE: Self = Self { bytes: [0; 64], bits: [0; 64] };

    /// Values of `width` bits, which begin at the beginning of the bytes, in lanes of so many bytes. The values of each eight bytes have to
    /// lie within eight bytes, wherever in a byte the first of them begins.
    pub const fn new(width: usize, lane_bytes: usize) -> Self {
        let mut places = Self::NONE;
        let mut at = 0;
        while at < 64 {
            let begin = at / 8 * (8 / lane_bytes) * width;
            assert!(begin % 8 + 8 / lane_bytes * width <= 64);
            let byte = begin / 8 + at % 8;
            // What would be behind the 64 belongs to no value.
            places.bytes[at] = if byte < 64 { byte as u8 } else { 63 };
            places.bits[at] = ((begin % 8 + at % 8 / lane_bytes * width + at % lane_bytes * 8) % 64) as u8;
            at += 1;
        }
        places
    }
}

/// The places in registers.
#[derive(Clone, Copy)]
pub struct Picker {
    bytes: __m512i,
    bits: __m512i,
}

impl Picker {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub fn new(places: &Places) -> Self {
        // SAFETY: both arrays are 64 bytes long, and the loads need no alignment.
        unsafe {
            Self {
                bytes: _mm512_loadu_si512(places.bytes.as_ptr().cast()),
                bits: _mm512_loadu_si512(places.bits.as_ptr().cast()),
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub fn pick(&self, bytes: &[u8; 64]) -> __m512i {
        // SAFETY: 64 bytes, and the load needs no alignment.
        let all = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        _mm512_multishift_epi64_epi8(self.bits, _mm512_permutexvar_epi8(self.bytes, all))
    }
}
