//! What a search reads of an index: a slice of it, or an earlier point in time.

use super::params::time_value;
use crate::codec::hash::murmur3_32;
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::number::NumberKind;
use crate::query::declared::{Declared, NUMERIC, STRING};
use crate::query::{Node, ShardContext};
use crate::score::encode_id;
use crate::segment::{NumericColumn, SegmentView};

/// `slice` of a request: the part `id` of `max`, told apart by the values of `field`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub field: String,
    pub id: u32,
    /// 0: nothing belongs to the slice.
    pub max: u32,
}

/// `pit` of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct PointInTime {
    pub id: String,
    /// For how long it is wanted from now on; none: as it was.
    pub keep_alive_ms: Option<u64>,
}

/// The `id` of a slice that has none: no document belongs to it.
const NO_ID: u32 = u32::MAX;

/// The seed with which the reference hashes terms of a slice.
const TERM_SEED: u32 = 7919;

impl Slice {
    pub fn parse(node: Node) -> Result<Self> {
        let (mut field, mut id, mut max) = ("_id".to_owned(), None, None);
        let wrong = |reason: &str| Err(Error::illegal_argument(reason));
        for option in node.fields() {
            if !SLICE.fields.iter().any(|(name, _)| *name == option.key) {
                return Err(unknown(node, SLICE.name, option.key, option.key_pos));
            }
            SLICE.read(&option, |value| {
                match (option.key, if option.key == "field" { 0 } else { value.i32()? }) {
                    ("field", _) => field = value.text()?,
                    ("id", ..0) => return wrong("id must be greater than or equal to 0"),
                    ("id", given) => id = Some(given.unsigned_abs()),
                    (_, ..=1) => return wrong("max must be greater than 1"),
                    (_, given) => max = Some(given.unsigned_abs()),
                }
                match (id, max) {
                    (Some(id), Some(max)) if max <= id => wrong("max must be greater than id"),
                    _ => Ok(()),
                }
            })?;
        }
        // One alone is let through by the reference: the first of none is everything, whatever else is nothing.
        let max = max.unwrap_or(u32::from(id == Some(0)));
        Ok(Self { field, id: id.unwrap_or(NO_ID), max })
    }

    /// Whether it says which of the slices it is.
    pub fn has_id(&self) -> bool {
        self.id != NO_ID
    }

    /// What leaves a shard out.
    fn of_none(&self) -> Slice {
        Slice { field: self.field.clone(), id: 0, max: 0 }
    }

    /// Whether a shard is left out altogether, so that nothing is looked for there.
    pub(super) fn leaves_shard_out(&self) -> bool {
        (self.id, self.max) == (0, 0)
    }

    /// What of shard `at`, counted among the `shards` of its index that are searched, belongs to the slice: a slice of the
    /// shard, or all of it.
    pub fn of_shard(&self, at: u32, shards: u32) -> Option<Slice> {
        let part = |id, max| Some(Slice { field: self.field.clone(), id, max });
        if self.max == 1 {
            return None;
        }
        if shards <= 1 {
            return part(self.id, self.max);
        }
        if self.id >= self.max {
            return Some(self.of_none());
        }
        // Even who gets all of a shard may not ask for it by a field that has no values.
        let whole = || if self.field == "_id" { None } else { part(0, 1) };
        if self.max < shards {
            return if at % self.max == self.id { whole() } else { Some(self.of_none()) };
        }
        // Several slices share a shard.
        if self.id % shards != at {
            return Some(self.of_none());
        }
        let extra = u32::from(self.max % shards > at);
        match (self.id / shards, self.max / shards + extra) {
            (_, 1) => whole(),
            (id, max) => part(id, max),
        }
    }
}

pub(super) fn unknown(node: Node, parser: &str, key: &str, key_pos: u32) -> Error {
    let reason = format!("{} [{parser}] unknown field [{key}]", node.location(key_pos));
    Error::new(ErrorKind::XContentParse, reason)
}

const SLICE: Declared = Declared { name: "slice", fields: &[("field", STRING), ("id", NUMERIC), ("max", NUMERIC)] };
const POINT_IN_TIME: Declared = Declared { name: "pit", fields: &[("id", STRING), ("keep_alive", STRING)] };

impl PointInTime {
    pub fn parse(node: Node) -> Result<Self> {
        let (mut id, mut keep_alive_ms) = (None, None);
        for option in node.fields() {
            match option.key {
                "id" => id = Some(POINT_IN_TIME.read(&option, |node| node.text())?),
                "keep_alive" => {
                    keep_alive_ms = POINT_IN_TIME
                        .read(&option, |node| time_value("keep_alive", &node.text()?))?
                        .map(|ms| ms.max(0) as u64);
                }
                key => return Err(unknown(node, "pit", key, option.key_pos)),
            }
        }
        Ok(Self { id: id.ok_or_else(|| Error::illegal_argument("point int time id is not provided"))?, keep_alive_ms })
    }
}

/// Tells which documents of a shard belong to a slice.
pub(super) enum SliceFilter {
    Nothing,
    /// By the hash of the id.
    Id {
        id: u32,
        max: u32,
    },
    /// By the values of a number field.
    Number {
        field: String,
        /// How values are kept, and how the reference keeps them: unsigned ones with another sign.
        flipped: i64,
        id: u32,
        max: u32,
    },
}

impl SliceFilter {
    /// None where the slice is all of the shard.
    pub fn new(slice: &Slice, cx: &ShardContext) -> Result<Option<Self>> {
        let Slice { field, id, max } = slice.clone();
        if max == 0 {
            return Ok(Some(Self::Nothing));
        }
        // An index that nobody has said anything of does not know even that field.
        if field == "_id" && !cx.mapping.is_unsaid() {
            return Ok(Some(Self::Id { id, max }));
        }
        let known = cx.mapping.field(&field).filter(|_| !cx.mapping.is_unsaid());
        let known = known.ok_or_else(|| Error::illegal_argument(format!("field {field} not found")))?;
        if known.spec.doc_values != crate::mapping::DocValues::Numeric {
            return Err(Error::illegal_argument(format!("cannot load numeric doc values on {field}")));
        }
        // By an alias the reference finds no values.
        let flipped = if known.number_kind() == Some(NumberKind::UnsignedLong) { i64::MIN } else { 0 };
        Ok((max > 1).then_some(Self::Number { field, flipped, id, max }))
    }

    /// What is read of a segment.
    pub fn column(&self, view: &SegmentView) -> Option<NumericColumn> {
        match self {
            Self::Nothing | Self::Id { .. } => None,
            Self::Number { field, .. } => view.segment.field(field)?.numeric().cloned(),
        }
    }

    pub fn takes(&self, view: &SegmentView, column: Option<&NumericColumn>, doc: u32) -> bool {
        match self {
            Self::Nothing => false,
            Self::Id { id, max } => {
                let hash = murmur3_32(&encode_id(view.segment.id(doc)), TERM_SEED) as i32;
                i64::from(hash).rem_euclid(i64::from(*max)) == i64::from(*id)
            }
            Self::Number { id, max, flipped, .. } => {
                // Each value counts, so that documents may be in several slices; those without any are in the first one.
                let wanted = |hash: u64| i64::from(hash as u32 as i32).rem_euclid(i64::from(*max)) == i64::from(*id);
                let (mut has_values, mut any) = (false, false);
                if let Some(column) = column {
                    column.for_each(doc, |value| {
                        has_values = true;
                        any |= wanted(mix((value ^ flipped) as u64));
                    });
                }
                any || !has_values && *id == 0
            }
        }
    }
}

/// A well-known finalizer that spreads the bits of a number.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
    z = (z ^ (z >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
    z ^ (z >> 32)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shard;
    use super::*;
    use crate::query::Source;

    #[test]
    fn slices_that_lack_a_part() {
        let read = |text: &str| {
            let (value, source) = (crate::json::parse(text.as_bytes()).unwrap(), Source::new(text.as_bytes()));
            Slice::parse(Node::root(&value, &source)).unwrap()
        };
        let nothing = |slice: Option<Slice>| slice.is_some_and(|slice| slice.max == 0);
        assert_eq!([read(r#"{"id":0}"#).of_shard(3, 5), read(r#"{"id":0}"#).of_shard(0, 1)], [None, None]);
        assert!(nothing(read(r#"{"id":1}"#).of_shard(0, 5)) && nothing(read(r#"{"id":1}"#).of_shard(0, 1)));
        assert!((0..5).all(|at| nothing(read(r#"{"max":7}"#).of_shard(at, 5))) && nothing(read("{}").of_shard(0, 1)));
        // A shard alone is searched, and has nothing of it.
        let alone = read(r#"{"max":2}"#).of_shard(0, 1).unwrap();
        assert_eq!((alone.id, alone.max), (NO_ID, 2));
    }

    #[test]
    fn a_whole_shard_is_asked_for_by_its_field() {
        let slice = Slice { field: "n".into(), id: 1, max: 4 };
        let part = slice.of_shard(1, 3).unwrap();
        assert_eq!((part.id, part.max), (0, 1));
        let cx = shard(r#"{"properties":{"n":{"type":"long"},"t":{"type":"text"}}}"#, &[]);
        assert!(SliceFilter::new(&part, &cx).unwrap().is_none(), "nothing is left out");
        assert!(SliceFilter::new(&Slice { field: "t".into(), ..part }, &cx).is_err());
        assert_eq!(Slice { field: "_id".into(), ..slice }.of_shard(1, 3), None);
    }

    #[test]
    fn every_document_is_in_one_slice() {
        for (shards, max) in [(1, 2), (2, 2), (3, 2), (2, 5), (5, 3), (3, 7)] {
            for at in 0..shards {
                let slice = |id| Slice { field: "_id".into(), id, max };
                let parts: Vec<_> = (0..max).map(|id| slice(id).of_shard(at, shards)).collect();
                let whole = parts.iter().filter(|part| part.is_none()).count();
                let some: Vec<&Slice> = parts.iter().flatten().filter(|part| part.max > 0).collect();
                let ids: Vec<u32> = some.iter().map(|slice| slice.id).collect();
                match whole {
                    0 => assert_eq!(ids, (0..some.len() as u32).collect::<Vec<_>>(), "{shards} {max} {at}"),
                    whole => assert_eq!((whole, some.len()), (1, 0), "{shards} {max} {at}"),
                }
                assert!(some.iter().all(|slice| slice.max as usize == some.len()));
            }
        }
    }
}
