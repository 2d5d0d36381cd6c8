//! Sets of whole numbers as roaring bitmaps in their portable format, read to ranges.
//!
//! ```text
//! cookie u32: 12346, then the number of containers u32
//!          or 12347 | (containers - 1) << 16, then a bit for each container: whether it is one of runs
//! for each container: key u16, values - 1 u16
//! offsets u32 of each container, unless there are runs and less than 4 containers
//! each container: runs      number u16, then (first u16, length - 1 u16) of each
//!                 values    u16 each, if there are 4096 or fewer
//!                 bits      8192 bytes
//! ```
//! A set of 64-bit numbers is a number of such sets u64, each behind the upper half u32 of its numbers. All little-endian.

use super::{PlanContext, fields};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Field;
use crate::mapping::number::NumberKind;
use crate::score::{Plan, PointSet};

const COOKIE: u32 = 12_346;
const COOKIE_OF_RUNS: u32 = 12_347;
/// Fewer containers have no offsets where there are runs.
const NO_OFFSETS: usize = 4;
/// Most values of a container that are listed one by one.
const VALUES_MAX: usize = 4_096;
const BITS_BYTES: usize = 8_192;

/// Any of the numbers of a roaring bitmap. Only two types of numbers know what to do with one.
pub fn plan(cx: &PlanContext, field: &Field, bytes: &[u8]) -> Result<Plan> {
    let failed = |what: &str| Error::illegal_argument(format!("Failed to deserialize the {what}."));
    let ranges: Vec<(i64, i64)> = match field.number_kind().filter(|_| !field.family().is_metadata()) {
        Some(NumberKind::Integer) => {
            let ranges = ranges32(bytes).ok_or_else(|| failed("bitmap"))?;
            ranges.into_iter().flat_map(|range| signed(range, 32)).collect()
        }
        Some(NumberKind::Long) => {
            let ranges = ranges64(bytes).ok_or_else(|| failed("64-bit bitmap"))?;
            ranges.into_iter().flat_map(|range| signed(range, 64)).collect()
        }
        Some(kind) => {
            let kind = kind.type_name();
            let reason = format!("Field [{kind}] of type [{kind}] does not support bitmap queries");
            return Err(Error::illegal_argument(reason));
        }
        // Other fields take it for a value like others.
        None => {
            fields::term(cx, field, &Value::String(String::new()))?;
            vec![]
        }
    };
    if ranges.is_empty() {
        return Ok(Plan::nothing("unmatchable value"));
    }
    let name = &field.name;
    let explained = format!("BitmapDocValuesQuery(field={name})");
    let text = format!("IndexOrDocValuesQuery(indexQuery=BitmapIndexQuery(field={name}), dvQuery={explained})");
    let ranges = fields::disjoint(ranges);
    Ok(Plan::Points(PointSet::new(name.clone(), ranges, text, explained)))
}

/// A range of numbers of so many bits without a sign, as Java reads them: the upper half is negative.
fn signed((first, last): (u64, u64), bits: u32) -> Vec<(i64, i64)> {
    let half = 1u64 << (bits - 1);
    let read = |number: u64| if bits == 32 { i64::from(number as u32 as i32) } else { number as i64 };
    if first < half && last >= half {
        return vec![(read(first), read(half - 1)), (read(half), read(last))];
    }
    vec![(read(first), read(last))]
}

/// Ascending ranges, both ends included.
pub type Ranges = Vec<(u64, u64)>;

/// The ranges of a set of 32-bit numbers; none if the bytes are no such set.
pub fn ranges32(bytes: &[u8]) -> Option<Ranges> {
    let mut out = vec![];
    read_set(&mut Bytes(bytes), 0, &mut out)?;
    Some(out)
}

/// The ranges of a set of 64-bit numbers.
pub fn ranges64(bytes: &[u8]) -> Option<Ranges> {
    let mut bytes = Bytes(bytes);
    let sets = bytes.u64()?;
    let mut out = vec![];
    for _ in 0..sets {
        let high = u64::from(bytes.u32()?) << 32;
        read_set(&mut bytes, high, &mut out)?;
    }
    out.sort_unstable();
    Some(out)
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

fn read_set(bytes: &mut Bytes, high: u64, out: &mut Ranges) -> Option<()> {
    let cookie = bytes.u32()?;
    let (containers, runs) = match cookie {
        COOKIE => (usize::try_from(bytes.u32()?).ok()?, None),
        _ if cookie & 0xffff == COOKIE_OF_RUNS => {
            let containers = (cookie >> 16) as usize + 1;
            (containers, Some(bytes.take(containers.div_ceil(8))?))
        }
        _ => return None,
    };
    if containers > 1 << 16 {
        return None;
    }
    let mut headers = Vec::with_capacity(containers);
    for _ in 0..containers {
        headers.push((bytes.u16()?, usize::from(bytes.u16()?) + 1));
    }
    if runs.is_none() || containers >= NO_OFFSETS {
        bytes.take(containers.checked_mul(4)?)?;
    }
    for (at, (key, count)) in headers.into_iter().enumerate() {
        let base = high | u64::from(key) << 16;
        let is_run = runs.is_some_and(|runs| runs[at / 8] >> (at % 8) & 1 == 1);
        if is_run {
            for _ in 0..bytes.u16()? {
                let (first, more) = (u64::from(bytes.u16()?), u64::from(bytes.u16()?));
                push(out, base + first, base + (first + more).min(0xffff));
            }
        } else if count <= VALUES_MAX {
            for _ in 0..count {
                let value = base + u64::from(bytes.u16()?);
                push(out, value, value);
            }
        } else {
            for (word, bits) in bytes.take(BITS_BYTES)?.chunks_exact(8).enumerate() {
                let mut bits = u64::from_le_bytes(bits.try_into().ok()?);
                while bits != 0 {
                    let first = bits.trailing_zeros();
                    let length = (bits >> first).trailing_ones();
                    let start = base + word as u64 * 64 + u64::from(first);
                    push(out, start, start + u64::from(length) - 1);
                    bits = if first + length == 64 { 0 } else { bits >> (first + length) << (first + length) };
                }
            }
        }
    }
    Some(())
}

/// Adds a range, to the last one if they touch.
fn push(out: &mut Ranges, first: u64, last: u64) {
    match out.last_mut() {
        Some((_, end)) if first <= end.saturating_add(1) && first >= *end => *end = last.max(*end),
        _ => out.push((first, last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn sets_of_values_and_of_runs() {
        let bytes = STANDARD.decode("OjAAAAEAAAAAAAEAEAAAAG8A3gA=").unwrap();
        assert_eq!(ranges32(&bytes), Some(vec![(111, 111), (222, 222)]));
        // One container of one run: 5 to 9.
        let runs = [0x3b, 0x30, 0, 0, 1, 1, 0, 4, 0, 1, 0, 5, 0, 4, 0];
        assert_eq!(ranges32(&runs), Some(vec![(65_541, 65_545)]));
        let both = [&1u64.to_le_bytes()[..], &2u32.to_le_bytes(), &runs].concat();
        assert_eq!(ranges64(&both), Some(vec![((2 << 32) + 65_541, (2 << 32) + 65_545)]));
        for end in 0..bytes.len() {
            assert_eq!(ranges32(&bytes[..end]), None);
        }
    }

    #[test]
    fn sets_of_bits() {
        let mut bytes = [COOKIE.to_le_bytes(), 1u32.to_le_bytes()].concat();
        bytes.extend([0, 0, 0x00, 0x20, 16, 0, 0, 0]);
        let mut bits = vec![0u8; BITS_BYTES];
        bits[7] = 0x80;
        bits[8] = 0x03;
        bits[20] = 0x05;
        bytes.extend(bits);
        assert_eq!(ranges32(&bytes), Some(vec![(63, 65), (160, 160), (162, 162)]));
    }
}
