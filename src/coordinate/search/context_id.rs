//! What clients hold of a scroll or a point in time: its key and the shards that it is on, as text.
//!
//! ```text
//! 1        kind: 1 = scroll, 2 = point in time
//! varint   number of the context;  varint + bytes   who made it
//! 8        when it was made, milliseconds since 1970, little-endian
//! varint   runs of shards of one index, in the order of the search, each:
//!   varint + bytes  uuid of the index;  varint  filters of aliases, each varint + bytes of JSON
//!   varint  shards, each: varint number
//! ```
//!
//! All of it in base64 of the URL alphabet.

use super::super::allowed::{check_filters, restrict};
use super::foreign_scroll;
use super::targets::Target;
use crate::cluster::{IndexMeta, State};
use crate::coordinate::core::core_of;
use crate::shards::ContextKey;
use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE, URL_SAFE_NO_PAD};
use pith_engine::codec::varint::{self, Reader};
use pith_engine::json::{self, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContextKind {
    Scroll = 1,
    PointInTime = 2,
}

/// A decoded id.
pub struct ContextId {
    pub key: ContextKey,
    /// Runs of shards, each with the uuid of its index and the filters that restrict it.
    places: Vec<Place>,
}

struct Place {
    index_uuid: String,
    filters: Vec<Value>,
    shards: Vec<u32>,
}

/// Indexes and shards of an id; far more than any cluster has.
const ITEMS_MAX: u64 = 1 << 20;

/// Makes the id of a context on the shards of `targets`.
pub fn encode(kind: ContextKind, key: &ContextKey, created_ms: i64, targets: &[Target]) -> String {
    let mut out = vec![kind as u8];
    varint::write(&mut out, key.number);
    varint::write_bytes(&mut out, key.maker.as_bytes());
    out.extend_from_slice(&created_ms.to_le_bytes());
    // The order is kept: of hits that are equal those of the first shard stand first, on every page.
    let runs: Vec<&[Target]> = targets.chunk_by(|a, b| a.index.uuid == b.index.uuid).collect();
    varint::write(&mut out, runs.len() as u64);
    for run in runs {
        let target = &run[0];
        varint::write_bytes(&mut out, target.index.uuid.as_bytes());
        varint::write(&mut out, target.filters.len() as u64);
        for filter in target.filters.iter() {
            varint::write_bytes(&mut out, &filter.to_bytes());
        }
        varint::write(&mut out, run.len() as u64);
        run.iter().for_each(|target| varint::write(&mut out, u64::from(target.shard)));
    }
    URL_SAFE.encode(out)
}

/// Reads an id of the kind; `None` if it is none.
pub fn decode(kind: ContextKind, text: &str) -> Option<ContextId> {
    let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
    let mut reader = Reader::new(&bytes);
    if reader.u8()? != kind as u8 {
        return None;
    }
    let number = reader.varint()?;
    let maker = std::str::from_utf8(reader.sized()?).ok()?.into();
    reader.bytes(size_of::<i64>())?;
    let mut places = vec![];
    for _ in 0..count(&mut reader)? {
        let index_uuid = std::str::from_utf8(reader.sized()?).ok()?.to_owned();
        let filters = (0..count(&mut reader)?).map(|_| json::parse(reader.sized()?).ok()).collect::<Option<_>>()?;
        let shards = (0..count(&mut reader)?).map(|_| u32::try_from(reader.varint()?).ok()).collect::<Option<_>>()?;
        places.push(Place { index_uuid, filters, shards });
    }
    reader.is_at_end().then_some(ContextId { key: ContextKey { maker, number }, places })
}

fn count(reader: &mut Reader<'_>) -> Option<u64> {
    reader.varint().filter(|count| *count <= ITEMS_MAX)
}

impl ContextId {
    /// The indexes that the context is on, as far as they are there.
    pub fn indexes(&self, state: &State) -> Vec<Arc<IndexMeta>> {
        self.places.iter().filter_map(|place| state.index_by_uuid(&place.index_uuid).cloned()).collect()
    }

    /// Whether the current subject may have looked up what the filters name, which clients can write into an id.
    pub fn check_filters(&self, state: &State) -> Result<()> {
        self.places.iter().try_for_each(|place| check_filters(state, &place.filters))
    }

    /// The shards that the context is on, in the order of searches; and how many are not there any more.
    pub fn targets(&self, state: &State) -> Result<(Vec<Target>, usize)> {
        let (mut targets, mut gone) = (vec![], 0);
        for place in &self.places {
            let Some(index) = state.index_by_uuid(&place.index_uuid).filter(|index| index.is_open()) else {
                gone += place.shards.len();
                continue;
            };
            // Whoever made the context may have seen more.
            let filters = Arc::new(restrict(state, index, place.filters.clone())?);
            for &shard in &place.shards {
                let core = core_of(index, shard)?;
                targets.push(Target { index: index.clone(), shard, core, filters: filters.clone() });
            }
        }
        Ok((targets, gone))
    }
}

/// Reads the id of a scroll.
pub fn scroll(text: &str) -> Result<ContextId> {
    decode(ContextKind::Scroll, text).ok_or_else(|| foreign_scroll::refusal(text))
}

/// Reads the id of a scroll that is to end; none if it is one of the reference's, whose scrolls are not here.
pub fn scroll_to_end(text: &str) -> Result<Option<ContextId>> {
    match decode(ContextKind::Scroll, text) {
        None => foreign_scroll::check(text).map(|()| None),
        found => Ok(found),
    }
}

/// Reads the id of a point in time.
pub fn point_in_time(text: &str) -> Result<ContextId> {
    decode(ContextKind::PointInTime, text).ok_or_else(|| {
        let error = Error::illegal_argument(format!("invalid id: [{text}]"));
        if let Some(unsupported) = other_version(text) {
            return unsupported;
        }
        let empty = || text.is_empty().then(|| Error::without_reason(ErrorKind::EndOfFile));
        match undecodable(text).or_else(empty) {
            Some(cause) => error.caused_by(cause),
            None => error,
        }
    })
}

/// What keeps a text from being base64.
pub(super) fn undecodable(text: &str) -> Option<Error> {
    let digits = text.trim_end_matches('=');
    let wrong = digits.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    let reason = match wrong {
        _ if text.len() == 1 => "Input byte[] should at least have 2 bytes for base64 bytes".to_owned(),
        Some(wrong) => format!("Illegal base64 character {:x}", u32::from(wrong)),
        None if digits.len() % 4 == 1 => "Last unit does not have enough valid bits".to_owned(),
        None => return None,
    };
    Some(Error::illegal_argument(reason))
}

/// As the reference reads it, bits to spare or not.
pub(super) const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
);

/// The release that an id says it was made by: the reference's ids begin with the number of one. Those without the bit of its own
/// releases are of another product.
fn other_version(text: &str) -> Option<Error> {
    const OWN: u64 = 0x0800_0000;
    let bytes = LENIENT.decode(text.trim_end_matches('=')).ok()?;
    let version = Reader::new(&bytes).varint().filter(|version| version & OWN == 0)?;
    let part = |unit: u64| version / unit % 100;
    let reason = format!("Unsupported version [ES {}.{}.{}]", part(1_000_000), part(10_000), part(100));
    Some(Error::new(ErrorKind::UnsupportedVersion, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_and_damaged_ones_do_not() {
        let key = ContextKey { maker: "m".into(), number: 300 };
        let id = encode(ContextKind::Scroll, &key, 7, &[]);
        let decoded = scroll(&id).unwrap();
        assert_eq!(decoded.key, key);
        assert!(point_in_time(&id).is_err());
        for len in 0..id.len() - 2 {
            assert!(decode(ContextKind::Scroll, &id[..len]).is_none(), "{len}");
        }
        assert_eq!(scroll("ü").err().unwrap().reason(), "Cannot parse scroll id");
    }
}
