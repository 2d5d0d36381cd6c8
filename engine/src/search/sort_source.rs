//! Where the keys of sorts by fields come from, and what fields cannot be sorted by.

use super::fielddata::{check_fielddata, not_castable};
use super::geo_sort::GeoDistanceSort;
use super::sort_keys::{Key, Shown, Source, extreme, query_shard};
use super::sort_parse::{FieldSort, Missing, Mode, NumericType};
use super::sort_unmapped::own_shown;
use super::sort_values::sort_number;
use crate::error::{Error, Result};
use crate::mapping::number::NumberKind;
use crate::mapping::{DocValues, Family, Field};
use crate::query::ShardContext;
use std::sync::Arc;

/// The field of a sort by distance; `None` where there is none and that is fine.
pub(super) fn geo_field(by: &GeoDistanceSort, cx: &ShardContext) -> Result<Option<Arc<str>>> {
    let below = cx.mapping.below_flat_object(&by.field);
    match cx.mapping.field(&by.field).or(below.as_ref()) {
        Some(field) if field.family() == Family::GeoPoint => {
            field.check_aggregatable()?;
            Ok(Some(field.name.clone()))
        }
        Some(field) => Err(no_place(field, cx)),
        None if by.ignore_unmapped => Ok(None),
        None => Err(Error::illegal_argument(format!(
            "failed to find mapper for [{}] for geo distance based sort",
            by.field
        ))),
    }
}

/// Where the keys of a sort by the values of a field come from.
pub(super) fn own_source(field: &Field, by: &FieldSort, descending: bool, cx: &ShardContext) -> Result<Source> {
    let source = field_source(field, by, descending, cx)?;
    let own = by.numeric_type.is_none_or(|wanted| wanted.type_name() == field.type_name);
    match source {
        // Where numbers are compared as they are, it is noticed at once.
        Source::Wrong(error) if own && by.nested.is_none() && matches!(by.mode, None | Some(Mode::Min | Mode::Max)) => {
            Err(error)
        }
        source => Ok(source),
    }
}

pub(super) fn field_source(field: &Field, by: &FieldSort, descending: bool, cx: &ShardContext) -> Result<Source> {
    let (mode, numeric_type) = (by.mode, by.numeric_type);
    let numeric = field.spec.doc_values == DocValues::Numeric;
    // Whether places can be sorted comes up only after what they are taken for.
    if matches!(field.type_name, "geo_point" | "geo_shape" | "flat_object" | "_id" | "_index" | "constant_keyword") {
        check_mode(mode, cx)?;
        if numeric_type.is_some() {
            return Err(no_number(field, cx));
        }
    }
    if field.family() == Family::Id {
        return Ok(Source::Id);
    }
    // The one value of all documents is that of the index's name, to the reference.
    if field.constant().is_some() {
        return Ok(Source::Index(cx.index.clone()));
    }
    field.check_sortable()?;
    check_fielddata(field, cx)?;
    if numeric {
        if by.nested.is_some() && mode == Some(Mode::Median) {
            // That is noticed where hits are compared, too.
            return Ok(Source::Wrong(no_median()));
        }
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
        let missing = match &by.missing {
            Missing::Value(value) => match sort_number(value, shown) {
                Ok(number) => number,
                // That is noticed where hits are compared.
                Err(error) => return Ok(Source::Wrong(error)),
            },
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
    let missing = match &by.missing {
        // What it counts as is not looked at.
        Missing::Value(value) if field.family() == Family::Range => Key::Bytes(value.to_text().into_bytes()),
        Missing::Value(value) => Key::Bytes(field.parse_missing_bytes(value)?),
        _ => Key::Null,
    };
    let (name, below) = match field.terms_elsewhere() {
        Some((elsewhere, beginning)) => (elsewhere.clone(), Some(beginning.to_owned())),
        None => (field.name.clone(), None),
    };
    Ok(Source::Bytes { name, below, missing, max, format: field.doc_value_format(None, None)? })
}

fn no_place(field: &Field, cx: &ShardContext) -> Error {
    let loaded = match field.constant() {
        Some(_) => Ok(()),
        None if field.type_name == "flat_object" => Ok(()),
        None => field.check_aggregatable(),
    };
    let refused = loaded.and_then(|()| check_fielddata(field, cx));
    refused.err().unwrap_or_else(|| not_castable(field, "IndexGeoPointFieldData"))
}

/// Nobody puts the values of nested documents in order.
#[cold]
pub(super) fn no_median() -> Error {
    Error::illegal_argument("Unsupported sort mode: MEDIAN")
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
