//! Order-preserving encodings of numbers as `i64`.

/// What is no number comes behind all numbers, whatever sign its computation has left it.
pub fn encode_f64(value: f64) -> i64 {
    let bits = if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() } as i64;
    bits ^ ((bits >> 63) & i64::MAX)
}

pub fn decode_f64(value: i64) -> f64 {
    f64::from_bits((value ^ ((value >> 63) & i64::MAX)) as u64)
}

pub fn encode_f32(value: f32) -> i64 {
    let bits = value.to_bits() as i32;
    (bits ^ ((bits >> 31) & i32::MAX)).into()
}

/// What lies beyond the infinities, which no float is encoded as, is one of them: so that decoding keeps the order of all
/// numbers, as searches among them need.
pub fn decode_f32(value: i64) -> f32 {
    const INFINITY: i32 = f32::INFINITY.to_bits() as i32;
    let value = value.clamp(i64::from(!INFINITY), i64::from(INFINITY)) as i32;
    f32::from_bits((value ^ ((value >> 31) & i32::MAX)) as u32)
}

/// Rounds to the nearest half float (ties to even) and encodes that.
pub fn encode_half(value: f32) -> i64 {
    let bits = half_bits(value) as i16;
    (bits ^ ((bits >> 15) & i16::MAX)).into()
}

pub fn decode_half(value: i64) -> f32 {
    const INFINITY: i16 = 0x7c00;
    let value = value.clamp(i64::from(!INFINITY), i64::from(INFINITY)) as i16;
    let bits = (value ^ ((value >> 15) & i16::MAX)) as u16;
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits >> 10) & 0x1f);
    let fraction = f32::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 and more round to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal halves: the value in units of 2^-24, rounded to even.
        let units = f32::from_bits(magnitude) * 2f32.powi(24);
        return sign | units.round_ties_even() as u16;
    }
    let rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
    sign | ((rounded - 0x3800_0000) >> 13) as u16
}

pub fn encode_u64(value: u64) -> i64 {
    (value ^ (1 << 63)) as i64
}

pub fn decode_u64(value: i64) -> u64 {
    value as u64 ^ (1 << 63)
}

/// Puts the encoded `unsigned_long` values of a document, in ascending order, into that in which the reference has them: as if they had signs.
pub fn in_signed_order(values: &mut [i64]) {
    let small = values.partition_point(|value| *value < 0);
    values.rotate_left(small);
}
