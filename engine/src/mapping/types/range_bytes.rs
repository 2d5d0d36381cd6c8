//! All ranges of a document as the reference keeps them in one value, which scripts are given as a text.

use super::range_bound::{number_of, plain_end};
use std::char::decode_utf16;

/// How the ends of ranges are written: numbers in as few bytes as they need, fractions and addresses in all of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndForm {
    Number,
    Float,
    Double,
    Ip,
}

impl EndForm {
    /// By the name of the type of the field.
    pub fn of_type(name: &str) -> Self {
        match name {
            "float_range" => Self::Float,
            "double_range" => Self::Double,
            "ip_range" => Self::Ip,
            _ => Self::Number,
        }
    }

    fn write(self, end: u128, out: &mut Vec<u8>) {
        match self {
            Self::Number => write_number(number_of(end), out),
            Self::Float => out.extend((number_of(end) as i32 ^ i32::MIN).to_be_bytes()),
            Self::Double => out.extend((number_of(end) ^ i64::MIN).to_be_bytes()),
            Self::Ip => out.extend(end.to_be_bytes()),
        }
    }
}

/// The value that all ranges of a document are kept in, from the terms of the field in their order.
pub fn together(form: EndForm, terms: &[Vec<u8>]) -> Vec<u8> {
    let mut out = vec![];
    let mut count = terms.len();
    while count >= 0x80 {
        out.push(count as u8 | 0x80);
        count >>= 7;
    }
    out.push(count as u8);
    for term in terms {
        let (lo, hi) = term.split_at(term.len() / 2);
        form.write(plain_end(lo), &mut out);
        form.write(plain_end(hi), &mut out);
    }
    out
}

/// The sign in one bit, how many bytes follow in four, and the number's highest bits in three. Of negative numbers all bits
/// but the sign are turned, so that bytes have the order of numbers.
fn write_number(number: i64, out: &mut Vec<u8>) {
    let value = if number < 0 { !number } else { number } as u64;
    let more = (64 - value.leading_zeros() as usize + 7 - 3) / 8;
    let bytes = value.to_be_bytes();
    let highest = if more < 8 { bytes[7 - more] } else { 0 };
    let head = 0x80 | (more as u8) << 3 | highest;
    let turn = if number < 0 { 0xff } else { 0 };
    out.push(head ^ turn);
    out.extend(bytes[8 - more..].iter().map(|byte| byte ^ turn));
}

/// Bytes as a text in the way of the reference, which looks at the first of the bytes of a character alone. What is missing at
/// the end is zero; halves of characters are replaced, as no text can hold them.
pub fn read_as_utf8(bytes: &[u8]) -> String {
    let mut units: Vec<u16> = vec![];
    let mut at = 0;
    let low = |at: &mut usize| {
        let bits = bytes.get(*at).map_or(0, |byte| u32::from(byte & 0x3f));
        *at += 1;
        bits
    };
    while let Some(&first) = bytes.get(at) {
        at += 1;
        let bits = u32::from(first);
        let code = match first {
            ..0xc0 => bits,
            0xc0..0xe0 => (bits & 0x1f) << 6 | low(&mut at),
            0xe0..0xf0 => (bits & 0xf) << 12 | low(&mut at) << 6 | low(&mut at),
            0xf0.. => (bits & 7) << 18 | low(&mut at) << 12 | low(&mut at) << 6 | low(&mut at),
        };
        match code.checked_sub(0x1_0000) {
            None => units.push(code as u16),
            Some(above) => units.extend([(above >> 10) as u16 + 0xd800, (above & 0x3ff) as u16 + 0xdc00]),
        }
    }
    decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(ends: &[i64]) -> Vec<u8> {
        let ends: Vec<Vec<u8>> = ends.iter().map(|end| (*end as u64 ^ 1 << 63).to_be_bytes().to_vec()).collect();
        together(EndForm::Number, &ends.chunks(2).map(<[_]>::concat).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        assert_eq!(numbers(&[2, 22]), [1, 0x82, 0x88, 0x16]);
        assert_eq!(numbers(&[-1, 0]), [1, 0x7f, 0x80]);
        assert_eq!(numbers(&[-5001, -2]), [1, 0x6f, 0xec, 0x77, 0x7e]);
        assert_eq!(numbers(&[5, 5, 7, i64::MAX]).len(), 1 + 1 + 1 + 1 + 9);
    }

    #[test]
    fn bytes_that_are_no_text_are_read_as_one() {
        assert_eq!(read_as_utf8(&[1, 0x82, 0x88, 0x16]), "\u{1}\u{82}\u{88}\u{16}");
        assert_eq!(read_as_utf8(&[0x6f, 0xec, 0x77, 0x7e]), "o\u{cdfe}");
        assert_eq!(read_as_utf8("é 😀".as_bytes()), "é 😀");
        assert_eq!(read_as_utf8(&[0xff, 0xff]), "\u{fffd}\u{fffd}");
    }
}
