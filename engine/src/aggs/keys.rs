//! The values of a source as keys of buckets, for kinds whose keys have a part from each of several sources.

use super::partial::Key;
use super::source::Source;
use crate::error::{Error, ErrorKind, Result};
use crate::segment::SegmentView;

/// Bytes that are the same for the same key.
pub(crate) fn key_bytes(key: &Key) -> Vec<u8> {
    match key {
        Key::Bytes(bytes) => bytes.to_vec(),
        Key::Long(v) => v.to_le_bytes().to_vec(),
        Key::Unsigned(v) => v.to_le_bytes().to_vec(),
        Key::Double(v) => v.to_bits().to_le_bytes().to_vec(),
        Key::Many(parts) => {
            let mut bytes = vec![];
            for part in parts {
                let part = key_bytes(part);
                bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&part);
            }
            bytes
        }
    }
}

/// A source and what it read last.
pub(crate) struct KeySource {
    pub(crate) source: Source,
    /// Whether a number that a document has twice comes twice.
    repeats: bool,
    numbers: Vec<i64>,
    ords: Vec<u32>,
}

impl KeySource {
    pub(crate) fn new(source: Source) -> Self {
        Self { source, repeats: false, numbers: vec![], ords: vec![] }
    }

    pub(crate) fn repeating(source: Source) -> Self {
        Self { repeats: true, ..Self::new(source) }
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) {
        self.source.enter_segment(view);
    }

    /// The values of a document as numbers that are the same for the same value within this segment, in the values' order.
    /// A stand-in for missing bytes is [`MISSING`]. Clears `out` first.
    pub(crate) fn codes(&mut self, doc: u32, out: &mut Vec<i64>) -> Result<()> {
        out.clear();
        if !self.source.is_bytes() {
            self.source.numbers(doc, &mut self.numbers)?;
            if !self.repeats {
                self.numbers.dedup();
            }
            out.extend_from_slice(&self.numbers);
            return Ok(());
        }
        self.source.ords(doc, &mut self.ords)?;
        out.extend(self.ords.iter().map(|ord| i64::from(*ord)));
        if out.is_empty() && self.source.missing_bytes().is_some() {
            out.push(MISSING);
        }
        Ok(())
    }

    /// The key that a code of this segment stands for.
    pub(crate) fn key(&self, code: i64) -> Key {
        if !self.source.is_bytes() {
            return self.source.number_key(code);
        }
        match u32::try_from(code) {
            Ok(ord) => Key::Bytes(self.source.term(ord).into()),
            Err(_) => Key::Bytes(self.source.missing_bytes().unwrap_or_default().into()),
        }
    }
}

/// The code of the bytes that stand in for none.
const MISSING: i64 = -1;

/// The most combinations that one document may have: as many as an answer may have buckets, rounded up. Every list with many values
/// multiplies them, and all those of a document are gone through at once.
const COMBINATIONS_MAX: usize = 65_536;

/// Calls `each` with every combination of one code from each list.
pub(crate) fn for_each_combination(lists: &[Vec<i64>], mut each: impl FnMut(&[i64]) -> Result<()>) -> Result<()> {
    if lists.iter().any(Vec::is_empty) {
        return Ok(());
    }
    let all = lists.iter().try_fold(1usize, |all, list| all.checked_mul(list.len()));
    if all.is_none_or(|all| all > COMBINATIONS_MAX) {
        return Err(too_many_combinations());
    }
    let mut at = vec![0; lists.len()];
    let mut codes: Vec<i64> = lists.iter().map(|list| list[0]).collect();
    loop {
        each(&codes)?;
        let mut place = lists.len();
        loop {
            let Some(next) = place.checked_sub(1) else { return Ok(()) };
            place = next;
            at[place] += 1;
            if at[place] < lists[place].len() {
                codes[place] = lists[place][at[place]];
                break;
            }
            at[place] = 0;
            codes[place] = lists[place][0];
        }
    }
}

/// Bytes of keys that an aggregation may hold on one shard. Each combination has copies of its values, which may be long; the
/// bound on buckets knows nothing of that.
const KEY_BYTES_MAX: usize = 128 << 20;

/// What the keys of an aggregation take.
#[derive(Debug, Default)]
pub(crate) struct KeyBytes(usize);

impl KeyBytes {
    /// Counts another key.
    pub(crate) fn hold<'k>(&mut self, parts: impl IntoIterator<Item = &'k Key>) -> Result<()> {
        self.0 += bytes_of(parts);
        match self.0 > KEY_BYTES_MAX {
            true => Err(Error::new(
                ErrorKind::CircuitBreaking,
                format!(
                    "[request] Data too large: the keys of an aggregation take more than [{KEY_BYTES_MAX}] bytes on one shard"
                ),
            )),
            false => Ok(()),
        }
    }

    /// A key that was counted is not held any more.
    pub(crate) fn release<'k>(&mut self, parts: impl IntoIterator<Item = &'k Key>) {
        self.0 = self.0.saturating_sub(bytes_of(parts));
    }
}

fn bytes_of<'k>(parts: impl IntoIterator<Item = &'k Key>) -> usize {
    let of_part = |key: &Key| match key {
        Key::Bytes(bytes) => size_of::<Key>() + bytes.len(),
        _ => size_of::<Key>(),
    };
    parts.into_iter().map(of_part).sum()
}

#[cold]
fn too_many_combinations() -> Error {
    Error::new(
        ErrorKind::CircuitBreaking,
        format!("[request] Data too large: a document has more than [{COMBINATIONS_MAX}] combinations of values"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_come_in_order() {
        let mut found = vec![];
        for_each_combination(&[vec![1, 2], vec![3], vec![4, 5]], |codes| {
            found.push(codes.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(found, [[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]]);
        for_each_combination(&[vec![1], vec![]], |_| panic!("nothing to combine")).unwrap();
        let many = vec![vec![1, 2, 3, 4, 5, 6, 7]; 60];
        let error = for_each_combination(&many, |_| panic!("too many to combine")).unwrap_err();
        assert!(error.to_string().contains("more than [65536] combinations"), "{error}");
    }

    #[test]
    fn keys_are_counted_by_their_length() {
        let long = Key::Bytes(vec![b'a'; 1 << 20].into());
        let mut held = KeyBytes::default();
        for _ in 0..127 {
            held.hold([&long]).unwrap();
        }
        assert!(
            held.hold([&long, &Key::Long(1)]).unwrap_err().to_string().contains("take more than [134217728] bytes")
        );
        held.release([&long, &long]);
        held.hold([&long]).unwrap();
    }
}
