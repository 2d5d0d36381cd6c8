//! Reading the values that hits are sorted by.

use super::geo_sort::GeoDistanceSort;
use super::nested_sort::{NestedColumn, NestedValues};
use super::result::SortValue;
use super::script_sort::{Given, SortScript};
use super::sort_parse::{Missing, Mode, NumericType, Sort, SortBy};
use super::sort_unmapped::{address, anonymous, own_shown, unmapped};
use super::sort_values::{
    date_after, nested_bytes, nested_number, number, number_after, number_of, places_of, sort_number,
};
use crate::codec::bisect::last_holding;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, java_int};
use crate::mapping::number::NumberKind;
use crate::mapping::{DocValueFormat, DocValues, Family, Field};
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
        missing: Key,
        max: bool,
        format: DocValueFormat,
    },
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
        let source = match &sort.by {
            SortBy::Script(script) => Source::Script(Box::new(SortScript::new(script, sort.descending, cx)?)),
            SortBy::Score => Source::Score,
            SortBy::Doc => Source::Doc { shard: 0 },
            SortBy::ShardDoc => Source::Doc { shard: u64::from(cx.shard) << 32 },
            SortBy::Field { name, .. } if name == "_index" && !no_fields => Source::Index(cx.index.clone()),
            SortBy::GeoDistance(by) => {
                Source::Distance { sort: by.checked(sort.descending)?, name: geo_field(by, cx)? }
            }
            SortBy::Field { name, missing, mode, unmapped_type, numeric_type, .. } => {
                let below = cx.mapping.field(name).is_none().then(|| cx.below_derived(name)).flatten();
                let field = cx.mapping.field(name).filter(|_| !no_fields);
                match (field.or(below.as_ref()), unmapped_type) {
                    (Some(field), _) => field_source(field, sort.descending, missing, *mode, *numeric_type, cx)?,
                    (None, Some(kind)) => unmapped(kind, sort.descending, missing, *mode, *numeric_type, cx)?,
                    (None, None) => {
                        return Err(query_shard(cx, format!("No mapping found for [{name}] in order to sort on")));
                    }
                }
            }
        };
        let nested = sort.nested().map(|nested| NestedValues::new(nested, cx)).transpose()?;
        // The reference turns a descending order of such fields round once more.
        let turned = sort.descending
            && matches!(&sort.by, SortBy::Field { name, .. } if cx.mapping.field(name).is_some_and(|field| field.type_name == "wildcard"));
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
            (Source::Bytes { .. }, Column::Bytes(column)) if column.single_valued() => Some(column),
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
            (Source::Bytes { .. }, Value::Null) => Key::Null,
            (Source::Number { missing, .. } | Source::Unmapped { missing, .. }, Value::Null) => Key::Number(*missing),
            (Source::Script(script), Value::String(text)) if script.text => Key::Bytes(text.clone().into_bytes()),
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

fn query_shard(cx: &ShardContext, reason: String) -> Error {
    Error::new(ErrorKind::QueryShard, reason).with("index", &*cx.index).with("index_uuid", &*cx.index_uuid)
}

/// The field of a sort by distance; `None` where there is none and that is fine.
fn geo_field(by: &GeoDistanceSort, cx: &ShardContext) -> Result<Option<Arc<str>>> {
    match cx.mapping.field(&by.field) {
        Some(field) if field.family() == Family::GeoPoint => Ok(Some(field.name.clone())),
        Some(field) => Err(Error::illegal_argument(format!(
            "unable to apply geo distance sort to field of type [{}]",
            field.type_name
        ))),
        None if by.ignore_unmapped => Ok(None),
        None => Err(Error::illegal_argument(format!(
            "failed to find mapper for [{}] for geo distance based sort",
            by.field
        ))),
    }
}

pub(super) fn field_source(
    field: &Field,
    descending: bool,
    missing: &Missing,
    mode: Option<Mode>,
    numeric_type: Option<NumericType>,
    cx: &ShardContext,
) -> Result<Source> {
    if field.family() == Family::Id {
        return Ok(Source::Id);
    }
    // The one value of all documents is that of the index's name, to the reference.
    if field.constant().is_some() {
        return Ok(Source::Index(cx.index.clone()));
    }
    let numeric = field.spec.doc_values == DocValues::Numeric;
    // Whether places can be sorted comes up only after what they are taken for.
    if numeric_type.is_some() && matches!(field.type_name, "geo_point" | "geo_shape" | "flat_object") {
        return Err(no_number(field, cx));
    }
    field.check_sortable()?;
    super::check_fielddata(field, cx)?;
    if numeric {
        let from = field.number_kind().unwrap_or(NumberKind::Long);
        let mut shown = shown_of(field, numeric_type)?;
        if numeric_type == Some(NumericType::DateNanos) && field.family() != Family::Date {
            let reason = "trying to convert a known date time formatter to a nanosecond one, wrong field used?";
            return Err(Error::illegal_argument(reason));
        }
        match (numeric_type, field.type_name) {
            (Some(NumericType::DateNanos), "date") => shown = Shown::Nanos,
            (Some(NumericType::Date), "date_nanos") => shown = Shown::Millis,
            (Some(NumericType::Double), "date_nanos") => shown = Shown::MillisDouble,
            _ => {}
        }
        let missing = match missing {
            Missing::Value(value) => sort_number(value, shown)?,
            first => extreme(shown, descending == (*first == Missing::First)),
        };
        let mode = mode.unwrap_or(if descending { Mode::Max } else { Mode::Min });
        return Ok(Source::Number { name: field.name.clone(), missing, mode, from, shown });
    }
    check_mode(mode, cx)?;
    if numeric_type.is_some() {
        return Err(no_number(field, cx));
    }
    if field.family() == Family::Binary {
        return Err(Error::illegal_argument("can't sort on binary field"));
    }
    let max = match mode {
        Some(mode) => mode == Mode::Max,
        None => descending,
    };
    let missing = match missing {
        Missing::Value(value) => Key::Bytes(field.parse_missing_bytes(value)?),
        _ => Key::Null,
    };
    Ok(Source::Bytes { name: field.name.clone(), missing, max, format: field.doc_value_format(None, None)? })
}

#[cold]
fn no_number(field: &Field, cx: &ShardContext) -> Error {
    let kind = field.type_name;
    query_shard(cx, format!("[numeric_type] option cannot be set on a non-numeric field, got {kind}"))
}

/// Refuses to compute with what is no number.
fn check_mode(mode: Option<Mode>, cx: &ShardContext) -> Result<()> {
    match mode {
        Some(Mode::Avg | Mode::Sum | Mode::Median) => {
            Err(query_shard(cx, "we only support AVG, MEDIAN and SUM on number based fields".to_owned()))
        }
        _ => Ok(()),
    }
}

fn shown_of(field: &Field, numeric_type: Option<NumericType>) -> Result<Shown> {
    Ok(match numeric_type {
        Some(NumericType::Double) => Shown::Double,
        Some(NumericType::Long | NumericType::Date | NumericType::DateNanos) => Shown::Long,
        None => own_shown(field.derived.as_ref().map_or(field.type_name, |derived| derived.type_name.as_str())),
    })
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
