//! Field types: a file per type, one table.
//!
//! A type is a row (name, parameters, constructor) and a [`FieldType`]: what is indexed of a value, what terms and ranges
//! mean, how doc values are written.
//!
//! What this room does not know: where in a document a value stands, segments, queries.

mod alias;
mod binary;
mod boolean;
mod constant_keyword;
mod date;
mod ip;
mod keyword;
mod metadata;
mod numeric;
mod scaled_float;
#[cfg(test)]
mod tests;
mod text;
mod token_count;

pub use alias::NAME as ALIAS;
pub(super) use alias::path as alias_path;
pub use date::DEFAULT_FORMAT as DEFAULT_DATE_FORMAT;
pub use ip::{format_ip, parse_ip};
pub(super) use metadata::{RESERVED, fields as metadata_fields};

use super::date::DateFormat;
use super::doc_value::DocValueFormat;
use super::document::{Sink, Token};
use super::field::{DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, RangeBounds};
use super::number::NumberKind;
use super::params::{Param, Params};
use crate::analysis::{Analyzer, Normalizer};
use crate::error::{Error, Result};
use crate::json::Value;
use std::sync::Arc;

/// A row of the table.
pub struct TypeRow {
    pub name: &'static str,
    pub params: &'static [Param],
    /// The parameter before which `fields` and `copy_to` are printed; at the end if `None`.
    pub fields_before: Option<&'static str>,
    /// Whether `fields`, `copy_to` and the parameters all types share are accepted.
    pub plain: bool,
    /// Checks what parameters mean together, and completes them.
    pub check: fn(&mut Params, &FieldContext) -> Result<()>,
    pub build: fn(&Params, &FieldContext) -> Result<Built>,
}

/// What a type makes of its parameters.
pub struct Built {
    pub spec: IndexSpec,
    pub kind: Box<dyn FieldType>,
}

/// Where a field stands while it is checked and built.
pub struct FieldContext<'a> {
    /// Full dotted name.
    pub name: &'a str,
    /// Of the index; analyzers are shared with the fields.
    pub analysis: &'a Arc<crate::analysis::Registry>,
}

impl FieldContext<'_> {
    /// The last part of the name: what most messages call the field.
    pub fn short_name(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}

/// The types of fields, by name.
pub static TABLE: &[&TypeRow] = &[
    &text::ROW,
    &keyword::ROW,
    &numeric::LONG,
    &numeric::INTEGER,
    &numeric::SHORT,
    &numeric::BYTE,
    &numeric::DOUBLE,
    &numeric::FLOAT,
    &numeric::HALF_FLOAT,
    &numeric::UNSIGNED_LONG,
    &scaled_float::ROW,
    &date::ROW,
    &date::NANOS_ROW,
    &boolean::ROW,
    &ip::ROW,
    &binary::ROW,
    &constant_keyword::ROW,
    &token_count::ROW,
    &alias::ROW,
];

/// The row of the type `name`.
pub fn row(name: &str) -> Option<&'static TypeRow> {
    TABLE.iter().copied().find(|row| row.name == name)
}

/// What the values of one field become. Immutable; shared by all cores.
pub trait FieldType: Send + Sync {
    fn family(&self) -> Family;

    /// Adds the ops of one value. The error is the cause that the reader wraps.
    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()>;

    fn term(&self, field: &Field, value: &Value, cx: &DateContext) -> Result<Exact>;

    fn range(&self, field: &Field, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange>;

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat>;

    fn parse_missing_number(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<i64> {
        match self.number_kind() {
            Some(kind) => kind.encode_value(value, true),
            None => super::number::parse_i64(&value.to_text(), true),
        }
    }

    /// The type that messages and field capabilities name, if not the one of the mapping.
    fn reported_type(&self) -> Option<&'static str> {
        None
    }

    /// Whether term and range queries can go over doc values where there is no index.
    fn searches_doc_values(&self) -> bool {
        true
    }

    fn number_kind(&self) -> Option<NumberKind> {
        None
    }

    fn search_analyzer(&self) -> Option<&Arc<Analyzer>> {
        None
    }

    fn search_quote_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.search_analyzer()
    }

    /// Analyses values while indexing, for what analyses them again (highlighting, term vectors).
    fn index_analyzer(&self) -> Option<&Arc<Analyzer>> {
        None
    }

    fn normalizer(&self) -> Option<&Arc<Normalizer>> {
        None
    }

    fn splits_queries_on_whitespace(&self) -> bool {
        false
    }

    fn fielddata(&self) -> bool {
        false
    }

    /// Whether sorts and aggregations can work; the error says what to do about it.
    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        if field.spec.doc_values != DocValues::None {
            return Ok(());
        }
        let name = &field.name;
        Err(Error::illegal_argument(format!(
            "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.type_name
        )))
    }

    fn similarity(&self) -> &str {
        "BM25"
    }

    /// Whether term queries are scored by similarity; if not, all matches score 1.
    fn uses_similarity(&self) -> bool {
        true
    }

    fn ignore_above(&self) -> Option<u32> {
        None
    }

    fn null_value(&self) -> Option<&Value> {
        None
    }

    fn date_format(&self) -> Option<&Arc<DateFormat>> {
        None
    }

    fn constant(&self) -> Option<&str> {
        None
    }
}

/// For types whose parameters stand for themselves.
fn no_check(_: &mut Params, _: &FieldContext) -> Result<()> {
    Ok(())
}

/// A format was given to a field that has none.
fn no_format(field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<()> {
    let (name, type_name) = (&field.name, field.type_name);
    if format.is_some() {
        return Err(Error::illegal_argument(format!(
            "Field [{name}] of type [{type_name}] does not support custom formats"
        )));
    }
    if time_zone.is_some() {
        return Err(Error::illegal_argument(format!(
            "Field [{name}] of type [{type_name}] does not support custom time zones"
        )));
    }
    Ok(())
}

/// Ranges make no sense of this field.
fn no_range(field: &Field) -> Error {
    Error::illegal_argument(format!(
        "Field [{}] of type [{}] does not support range queries",
        field.name, field.type_name
    ))
}
