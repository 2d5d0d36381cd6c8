//! Reading the values that hits are sorted by.

use super::geo_sort::GeoDistanceSort;
use super::nested_sort::{NestedColumn, NestedValues};
use super::result::SortValue;
use super::script_sort::{Given, SortScript};
use super::sort_parse::{Mode, Sort, SortBy};
use super::sort_source::{geo_field, no_median, own_source};
use super::sort_unmapped::{address, anonymous, unmapped};
use super::sort_values::{date_after, nested_bytes, nested_number, number, number_after, number_of, places_of};
use crate::codec::bisect::last_holding;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, java_int};
use crate::mapping::number::NumberKind;
use crate::mapping::{DocValueFormat, Family};
use crate::query::ShardContext;
use crate::segment::{NumericColumn, OrdinalColumn, SegmentView};
use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::Arc;

pub use super::sort_values::Scratch;

/// A value in the form in which it is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Encoded so that integers order as the numbers do.
    Number(i64),
    Float(f32),
    Bytes(Vec<u8>),
    Null,
}

/// One sort key of a request, resolved for a shard.
pub struct KeyReader {
    descending: bool,
    null_first: bool,
    source: Source,
    nested: Option<NestedValues>,
    /// The first key that lies before what nanoseconds can tell.
    before_epoch: Cell<Option<i64>>,
}

pub(super) enum Source {
    Script(Box<SortScript>),
    Score,
    /// Counted from `shard` on.
    Doc {
        shard: u64,
    },
    Id,
    /// The name of the index, which all documents share.
    Index(Arc<str>),
    /// How far places are; by the name of the field, unless there is none.
    Distance {
        name: Option<Arc<str>>,
        sort: GeoDistanceSort,
    },
    Number {
        name: Arc<str>,
        missing: i64,
        mode: Mode,
        from: NumberKind,
        shown: Shown,
    },
    Bytes {
        name: Arc<str>,
        /// What the terms of the field begin with among those of others.
        below: Option<String>,
        missing: Key,
        max: bool,
        format: DocValueFormat,
    },
    /// A field with a value for what has none that is no value of the field.
    Wrong(Error),
    /// A field that no document has.
    Unmapped {
        missing: i64,
        shown: Shown,
        /// The type that it is taken for.
        kind: String,
    },
}

/// What a number is shown as, and in which encoding it is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shown {
    Int,
    Long,
    ULong,
    Double,
    Float,
    /// Milliseconds as nanoseconds, and the other way round.
    Nanos,
    Millis,
    /// Nanoseconds as whole milliseconds that are compared as doubles.
    MillisDouble,
}

/// The column of the current segment.
pub enum Column {
    None,
    Number(NumericColumn),
    Bytes(OrdinalColumn),
    /// Of the documents nested in a root.
    Nested(NestedColumn),
}

impl KeyReader {
    pub fn new(sort: &Sort, cx: &ShardContext) -> Result<Self> {
        // As long as nothing has been said of documents and there was none, not even metadata fields are there.
        let no_fields = cx.snapshot.max_doc() == 0 && cx.mapping.is_unsaid();
        let nested = || sort.nested().map(|nested| NestedValues::new(nested, cx)).transpose();
        // Of a field that is there it is looked at first whose values count.
        let first = match &sort.by {
            SortBy::Field(by) if !no_fields && cx.mapping.field(&by.name).is_some() => Some(nested()?),
            _ => None,
        };
        let source = match &sort.by {
            SortBy::Script(script) => Source::Script(Box::new(SortScript::new(script, sort.descending, cx)?)),
            SortBy::Score => Source::Score,
            SortBy::Doc => Source::Doc { shard: 0 },
            SortBy::ShardDoc => Source::Doc { shard: u64::from(cx.shard) << 32 },
            SortBy::Field(by) if by.name == "_index" && !no_fields => Source::Index(cx.index.clone()),
            SortBy::GeoDistance(by) => {
                let (checked, name) = (by.checked(sort.descending)?, geo_field(by, cx)?);
                match by.nested.is_some() && by.mode == Some(Mode::Median) && name.is_some() {
                    true => Source::Wrong(no_median()),
                    false => Source::Distance { sort: checked, name },
                }
            }
            SortBy::Field(by) => {
                let name = &by.name;
                let below = || cx.below_derived(name).or_else(|| cx.mapping.below_flat_object(name));
                let below = cx.mapping.field(name).is_none().then(below).flatten();
                let field = cx.mapping.field(name).filter(|_| !no_fields);
                match (field.or(below.as_ref()), &by.unmapped_type) {
                    (Some(field), _) => own_source(field, by, sort.descending, cx)?,
                    (None, Some(kind)) => unmapped(kind, by, sort.descending, cx)?,
                    (None, None) => {
                        return Err(query_shard(cx, format!("No mapping found for [{name}] in order to sort on")));
                    }
                }
            }
        };
        let nested = first.map_or_else(nested, Ok)?;
        // The reference turns a descending order of such fields round once more.
        let turned = sort.descending
            && matches!(&sort.by, SortBy::Field(by) if cx.mapping.field(&by.name).is_some_and(|field| field.type_name == "wildcard"));
        let (descending, null_first) = (sort.descending && !turned, sort.null_first() != turned);
        Ok(Self { descending, null_first, source, nested, before_epoch: Cell::new(None) })
    }

    pub fn column(&self, view: &SegmentView) -> Result<Column> {
        let column = self.own_column(view);
        match &self.nested {
            Some(nested) => Ok(Column::Nested(nested.column(view, column)?)),
            None => Ok(column),
        }
    }

    fn own_column(&self, view: &SegmentView) -> Column {
        let field = |name: &str| view.segment.field(name);
        match &self.source {
            Source::Script(script) => {
                script.enter_segment(view);
                Column::None
            }
            Source::Number { name, .. } | Source::Distance { name: Some(name), .. } => {
                field(name).and_then(|f| f.numeric()).map_or(Column::None, |column| Column::Number(column.clone()))
            }
            Source::Bytes { name, .. } => {
                field(name).and_then(|f| f.ordinals()).map_or(Column::None, |column| Column::Bytes(column.clone()))
            }
            _ => Column::None,
        }
    }

    /// The key of a document.
    pub fn key(
        &self,
        column: &Column,
        view: &SegmentView,
        doc: u32,
        doc_base: u64,
        score: f32,
        scratch: &mut Scratch,
    ) -> Key {
        match (&self.source, column) {
            (Source::Script(script), column) => match script.key_of(column, doc, score) {
                Given::Number(number) => Key::Number(NumberKind::Double.encode_saturating(number)),
                Given::Text(Some(text)) => Key::Bytes(text.into_bytes()),
                Given::Text(None) => Key::Null,
            },
            (Source::Score, _) => Key::Float(score),
            (Source::Doc { shard }, _) => Key::Number((shard + doc_base + u64::from(doc)) as i64),
            (Source::Index(name), _) => Key::Bytes(name.as_bytes().to_vec()),
            (Source::Id, _) => Key::Bytes(view.segment.id(doc).as_bytes().to_vec()),
            (Source::Number { missing, mode, from, shown, .. }, Column::Number(column)) => {
                let number = number(column, doc, *mode, *from, *shown, scratch);
                Key::Number(self.checked(number, *shown).unwrap_or(*missing))
            }
            (Source::Distance { sort, .. }, column) => {
                let mut places = std::mem::take(&mut scratch.values);
                places_of(column, doc, &mut places);
                let distance = sort.distance(&places, self.descending);
                scratch.values = places;
                Key::Number(NumberKind::Double.encode_saturating(distance))
            }
            (Source::Number { missing, mode, from, shown, .. }, Column::Nested(nested)) => {
                let number = nested_number(nested, doc, *mode, *from, *shown, scratch);
                Key::Number(self.checked(number, *shown).unwrap_or(*missing))
            }
            (Source::Bytes { missing, max, .. }, Column::Nested(nested)) => {
                nested_bytes(nested, doc, *max, scratch).map_or_else(|| missing.clone(), Key::Bytes)
            }
            (Source::Number { missing, .. } | Source::Unmapped { missing, .. }, _) => Key::Number(*missing),
            (Source::Bytes { missing, max, below: Some(below), .. }, Column::Bytes(column)) => {
                column.ords(doc, &mut scratch.ords);
                let own = |ord: &u32| Some(column.term(*ord).strip_prefix(below.as_bytes())?.to_vec());
                let mut ords = scratch.ords.iter();
                let found = if *max { ords.rev().find_map(own) } else { ords.find_map(own) };
                found.map_or_else(|| missing.clone(), Key::Bytes)
            }
            (Source::Bytes { missing, max, .. }, Column::Bytes(column)) => {
                let ord = if *max {
                    column.ords(doc, &mut scratch.ords);
                    scratch.ords.last().copied()
                } else {
                    column.first(doc)
                };
                ord.map_or_else(|| missing.clone(), |ord| Key::Bytes(column.term(ord).into_owned()))
            }
            (Source::Bytes { missing, .. }, _) => missing.clone(),
            (Source::Wrong(_), _) => Key::Null,
        }
    }

    /// Refuses what documents without a value are to count as, where that is no value of the field.
    pub fn check_missing(&self) -> Result<()> {
        match &self.source {
            Source::Wrong(error) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    pub fn compare(&self, a: &Key, b: &Key) -> Ordering {
        let nulls = if self.null_first { Ordering::Less } else { Ordering::Greater };
        let order = match (a, b) {
            (Key::Number(a), Key::Number(b)) => a.cmp(b),
            (Key::Float(a), Key::Float(b)) => a.total_cmp(b),
            (Key::Bytes(a), Key::Bytes(b)) => a.cmp(b),
            (Key::Null, Key::Null) => return Ordering::Equal,
            (Key::Null, _) => return nulls,
            (_, Key::Null) => return nulls.reverse(),
            _ => Ordering::Equal,
        };
        if self.descending { order.reverse() } else { order }
    }

    /// The column that keys are read from, where every document has at most one number.
    pub fn numbers<'a>(&self, column: &'a Column) -> Option<&'a NumericColumn> {
        match (&self.source, column) {
            // Nanoseconds are reckoned for each match in turn: the first that has none is told.
            (Source::Number { shown: Shown::Nanos, .. }, _) => None,
            (Source::Number { .. }, Column::Number(column)) if column.single_valued() => Some(column),
            _ => None,
        }
    }

    /// The column that keys are read from, where every document has at most one ordinal.
    pub fn ordinals<'a>(&self, column: &'a Column) -> Option<&'a OrdinalColumn> {
        match (&self.source, column) {
            (Source::Bytes { below: None, .. }, Column::Bytes(column)) if column.single_valued() => Some(column),
            _ => None,
        }
    }

    /// The name of the field that [`KeyReader::numbers`] reads.
    pub fn field(&self) -> Option<&str> {
        match &self.source {
            Source::Number { name, shown, .. } if self.nested.is_none() && *shown != Shown::Nanos => Some(name),
            _ => None,
        }
    }

    pub fn is_descending(&self) -> bool {
        self.descending
    }

    /// What a document without a number counts as; for [`KeyReader::numbers`] alone.
    pub fn missing_number(&self) -> i64 {
        match &self.source {
            Source::Number { missing, .. } => *missing,
            _ => 0,
        }
    }

    /// What a document without bytes counts as.
    pub fn missing_key(&self) -> Key {
        match &self.source {
            Source::Bytes { missing, .. } => missing.clone(),
            _ => Key::Null,
        }
    }

    /// The key of a number of the column. Greater numbers have no lesser keys.
    #[inline]
    pub fn key_of(&self, number: i64) -> i64 {
        match &self.source {
            Source::Number { from, shown, .. } => convert(number, *from, *shown),
            _ => number,
        }
    }

    /// Whether the keys are the numbers of the column themselves.
    pub fn is_plain(&self) -> bool {
        matches!(&self.source, Source::Number { from, shown, .. } if same_encoding(*from, *shown))
    }

    /// The numbers of the column, from the first to the last, whose keys lie in `lo..=hi`; empty if the first is greater.
    pub fn numbers_within(&self, lo: i64, hi: i64) -> (i64, i64) {
        if self.is_plain() {
            return (lo, hi);
        }
        let below_lo = last_holding(|number| self.key_of(number) < lo);
        let upto_hi = last_holding(|number| self.key_of(number) <= hi);
        match (below_lo, upto_hi) {
            (Some(i64::MAX), _) | (_, None) => (1, 0),
            (before, Some(last)) => (before.map_or(i64::MIN, |number| number + 1), last),
        }
    }

    /// The error of a script that keys come from, or of a date that has no nanoseconds.
    pub fn check(&self) -> Result<()> {
        match (&self.source, self.before_epoch.get()) {
            (Source::Script(script), _) => script.check(),
            (_, Some(nanos)) => Err(Error::illegal_argument(format!(
                "milliSeconds [{}] are before the epoch in 1970 and cannot be converted to nanoseconds",
                nanos / 1_000_000
            ))),
            _ => Ok(()),
        }
    }

    /// A number of a document, noted if it lies before what nanoseconds can tell.
    fn checked(&self, number: Option<i64>, shown: Shown) -> Option<i64> {
        if let Some(nanos) = number.filter(|nanos| shown == Shown::Nanos && *nanos < 0) {
            self.before_epoch.set(self.before_epoch.get().or(Some(nanos)));
        }
        number
    }

    /// The value as it is shown.
    pub fn show(&self, key: &Key) -> SortValue {
        let shown = match &self.source {
            Source::Number { shown, .. } | Source::Unmapped { shown, .. } => *shown,
            Source::Distance { .. } | Source::Script(_) => Shown::Double,
            _ => Shown::Long,
        };
        match (key, &self.source) {
            (Key::Null, _) => SortValue::Null,
            (Key::Float(score), _) => SortValue::Float(*score),
            (Key::Number(number), _) => match shown {
                Shown::Int | Shown::Long | Shown::Nanos | Shown::Millis => SortValue::Long(*number),
                Shown::ULong => SortValue::ULong(crate::mapping::number::decode_u64(*number)),
                Shown::Double | Shown::MillisDouble => SortValue::Double(NumberKind::Double.decode(*number)),
                Shown::Float => SortValue::Float(NumberKind::Float.decode(*number) as f32),
            },
            (Key::Bytes(bytes), Source::Bytes { format: format @ DocValueFormat::Ip, .. }) => {
                SortValue::Bytes(bytes.clone(), format.bytes_text(bytes))
            }
            (Key::Bytes(bytes), _) => SortValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// A value of `search_after`.
    pub fn parse_after(&self, value: &Value, name: &str, cx: &ShardContext) -> Result<Key> {
        // What no long holds is read as its text is.
        let value = &match value {
            Value::UInt(_) | Value::BigInt(_) => Value::String(value.to_text()),
            value => value.clone(),
        };
        let anonymous_name;
        let name = match &self.source {
            Source::Unmapped { kind, .. } => {
                anonymous_name = format!("__anonymous_{kind}");
                &anonymous_name
            }
            // Sorts by what is no field have no name.
            Source::Score | Source::Doc { .. } => "null",
            Source::Distance { sort, .. } => &sort.field,
            _ => name,
        };
        // Texts that are no numbers are told with the field; what a format cannot read is told by the format.
        let wrong = |error: Error| match error.kind() {
            ErrorKind::NumberFormat => {
                let reason = format!("Failed to parse search_after value for field [{name}].");
                Error::illegal_argument(reason).caused_by(error)
            }
            _ => error,
        };
        Ok(match (&self.source, value) {
            (Source::Bytes { .. }, Value::Null) | (Source::Wrong(_), _) => Key::Null,
            (Source::Number { missing, .. } | Source::Unmapped { missing, .. }, Value::Null) => Key::Number(*missing),
            (Source::Script(script), Value::Null) if script.text => Key::Null,
            (Source::Script(script), value) if script.text => Key::Bytes(value.to_text().into_bytes()),
            (Source::Script(_), value) => {
                Key::Number(NumberKind::Double.encode_saturating(number_of(value).map_err(wrong)?))
            }
            (Source::Score, value) => Key::Float(number_of(value).map_err(wrong)? as f32),
            (Source::Doc { .. }, Value::String(text)) => Key::Number(java_int(text).map_err(wrong)?),
            (Source::Doc { .. }, value) => Key::Number(number_of(value).map_err(wrong)? as i64),
            (Source::Id | Source::Index(_), value) => Key::Bytes(value.to_text().into_bytes()),
            (Source::Number { name: field, shown, .. }, value) => {
                let encoded = match cx.mapping.field(field).filter(|_| *shown == Shown::Long) {
                    Some(field) => date_after(field, value, *shown, cx),
                    None => number_after(value, *shown),
                };
                Key::Number(encoded.map_err(wrong)?)
            }
            (Source::Distance { .. }, Value::Null) => Key::Number(NumberKind::Double.encode_saturating(f64::INFINITY)),
            (Source::Distance { .. }, value) => Key::Number(number_after(value, Shown::Double).map_err(wrong)?),
            (Source::Unmapped { shown, kind, .. }, value) => {
                let mapping = anonymous(kind, name)?;
                let encoded = match mapping.field(name).filter(|_| matches!(shown, Shown::Long | Shown::Nanos)) {
                    Some(field) => date_after(field, value, *shown, cx),
                    None => number_after(value, *shown),
                };
                Key::Number(encoded.map_err(wrong)?)
            }
            (Source::Bytes { name: field, format, .. }, value) => match cx.mapping.field(field) {
                Some(field) if field.family() == Family::Range => {
                    return Err(Error::without_reason(ErrorKind::UnsupportedOperation));
                }
                Some(field) if field.family() == Family::Ip => Key::Bytes(field.parse_missing_bytes(value)?),
                None if matches!(format, DocValueFormat::Ip) => Key::Bytes(address(value)?),
                Some(field) if field.type_name == "wildcard" => {
                    let reason = format!("Comparator type [CUSTOM] for field [{name}] is not supported.");
                    return Err(Error::illegal_argument(reason));
                }
                _ => Key::Bytes(value.to_text().into_bytes()),
            },
        })
    }
}

pub(super) fn query_shard(cx: &ShardContext, reason: String) -> Error {
    Error::new(ErrorKind::QueryShard, reason).with("index", &*cx.index).with("index_uuid", &*cx.index_uuid)
}

/// The largest or smallest number.
pub(super) fn extreme(shown: Shown, largest: bool) -> i64 {
    match (shown, largest) {
        (Shown::Int, true) => i64::from(i32::MAX),
        (Shown::Int, false) => i64::from(i32::MIN),
        (Shown::Long | Shown::ULong | Shown::Nanos | Shown::Millis, true) => i64::MAX,
        (Shown::Long | Shown::ULong | Shown::Nanos | Shown::Millis, false) => i64::MIN,
        (Shown::Double | Shown::MillisDouble, true) => NumberKind::Double.encode_saturating(f64::INFINITY),
        (Shown::Double | Shown::MillisDouble, false) => NumberKind::Double.encode_saturating(f64::NEG_INFINITY),
        (Shown::Float, true) => NumberKind::Float.encode_saturating(f64::INFINITY),
        (Shown::Float, false) => NumberKind::Float.encode_saturating(f64::NEG_INFINITY),
    }
}

fn same_encoding(from: NumberKind, shown: Shown) -> bool {
    match shown {
        Shown::Int | Shown::Long => from.is_integer(),
        Shown::ULong => matches!(from, NumberKind::UnsignedLong),
        Shown::Double => matches!(from, NumberKind::Double),
        Shown::Float => matches!(from, NumberKind::Float),
        Shown::Nanos | Shown::Millis | Shown::MillisDouble => false,
    }
}

pub(super) fn convert(encoded: i64, from: NumberKind, shown: Shown) -> i64 {
    match shown {
        Shown::Nanos => encoded.saturating_mul(1_000_000),
        Shown::Millis => encoded.div_euclid(1_000_000),
        _ if same_encoding(from, shown) => encoded,
        _ => encode_f64(decode(encoded, from, shown), shown),
    }
}

/// A number as it is reckoned with where it may have a fraction.
pub(super) fn decode(encoded: i64, from: NumberKind, shown: Shown) -> f64 {
    match shown {
        Shown::MillisDouble => encoded.div_euclid(1_000_000) as f64,
        _ => from.decode(encoded),
    }
}

pub(super) fn encode_f64(value: f64, shown: Shown) -> i64 {
    match shown {
        Shown::Int | Shown::Long | Shown::Nanos | Shown::Millis => value as i64,
        Shown::ULong => NumberKind::UnsignedLong.encode_saturating(value),
        Shown::Double | Shown::MillisDouble => NumberKind::Double.encode_saturating(value),
        Shown::Float => NumberKind::Float.encode_saturating(value),
    }
}
