//! Field types: a file per type, one table.
//!
//! A type is a row (name, parameters, constructor) and a [`FieldType`]: what is indexed of a value, what terms and ranges
//! mean, how doc values are written.
//!
//! What this room does not know: where in a document a value stands, segments, queries.

mod alias;
mod binary;
mod boolean;
mod completion;
mod constant_keyword;
mod date;
mod flat_object;
mod geo_point;
mod geo_shape;
mod ip;
mod join;
mod keyword;
mod match_only_text;
mod metadata;
mod numeric;
mod percolator;
mod range;
mod range_bound;
pub mod range_bytes;
mod rank_feature;
mod rank_features;
mod scaled_float;
mod search_as_you_type;
mod semantic_version;
#[cfg(test)]
mod tests;
mod text;
mod token_count;
mod wildcard;

pub use alias::NAME as ALIAS;
pub(super) use alias::path as alias_path;
pub use completion::{CompletionContext, CompletionEntry, CompletionOptions, completion_keys, decode_completion};
pub use date::DEFAULT_FORMAT as DEFAULT_DATE_FORMAT;
pub(crate) use ip::check_block;
pub use ip::{format_ip, java_ip, parse_ip};
pub use join::Relations;
pub(super) use metadata::{RESERVED, fields as metadata_fields, is_name as is_metadata_name};
pub use rank_features::{decode_feature, feature_prefix};
pub use search_as_you_type::SearchAsYouType;
pub(super) use text::{BEGINNINGS, PAIRS};

use super::date::DateFormat;
use super::doc_value::DocValueFormat;
use super::document::{Sink, Takes, Token};
use super::field::{
    DateContext, DocValues, Exact, Family, Field, FieldId, FieldRange, FielddataFilter, IndexSpec, Indexed, RangeBounds,
};
use super::number::NumberKind;
use super::params::{Param, Params};
use crate::analysis::{Analyzer, Normalizer};
use crate::error::{Error, Result};
use crate::json::Value;
use std::ops::RangeInclusive;
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

/// A further field of the segment that a type brings along.
pub struct Part {
    /// What stands behind the name of the field.
    pub suffix: String,
    pub type_name: &'static str,
    /// Requests do not know it.
    pub hidden: bool,
    pub built: Built,
}

impl Part {
    pub(super) fn into_field(self, name: Arc<str>) -> Field {
        let Part { type_name, hidden, built: Built { spec, kind }, .. } = self;
        Field { id: FieldId(0), name, spec, type_name, boost: 1.0, meta: None, hidden, derived: None, kind }
    }
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
    &wildcard::ROW,
    &match_only_text::ROW,
    &search_as_you_type::ROW,
    &flat_object::ROW,
    &rank_feature::ROW,
    &rank_features::ROW,
    &range::INTEGER,
    &range::LONG,
    &range::FLOAT,
    &range::DOUBLE,
    &range::DATE,
    &range::IP,
    &semantic_version::ROW,
    &completion::ROW,
    &join::ROW,
    &geo_point::ROW,
    &geo_shape::ROW,
    &percolator::ROW,
];

/// The row of the type `name`.
pub fn row(name: &str) -> Option<&'static TypeRow> {
    TABLE.iter().copied().find(|row| row.name == name)
}

/// What the values of one field become. Immutable; shared by all cores.
pub trait FieldType: Send + Sync {
    fn family(&self) -> Family;

    /// Which values come to [`FieldType::index`].
    fn takes(&self) -> Takes {
        Takes::Scalars
    }

    /// An object that comes instead of a value is left where it is, and what is in it is read as if it stood beside the field.
    fn leaves_objects_unread(&self) -> bool {
        false
    }

    /// Whether an array within an array is a value like others, which the type refuses.
    fn refuses_lists_within_lists(&self) -> bool {
        false
    }

    /// Whether an error of a value says which field it is of.
    fn names_field_in_errors(&self) -> bool {
        true
    }

    /// The relations of a join field.
    fn relations(&self) -> Option<&Relations> {
        None
    }

    /// How the inputs of a completion field are compared.
    fn completion(&self) -> Option<&CompletionOptions> {
        None
    }

    /// Of a feature: whether documents score higher the larger it is.
    fn has_positive_score_impact(&self) -> Option<bool> {
        None
    }

    /// The set of features that this one is of, and its name there.
    fn feature(&self) -> Option<(&Arc<str>, &str)> {
        None
    }

    /// Puts an error of a value into words of the type's own.
    fn words_errors(&self) -> Option<fn(&Field, Error) -> Error> {
        None
    }

    /// Whether hits can be sorted by the values themselves; the error says why not.
    fn check_sortable(&self, field: &Field) -> Result<()> {
        self.check_aggregatable(field)
    }

    /// Whether the field's numbers are counts of tokens, which no source holds.
    fn counts_tokens(&self) -> bool {
        false
    }

    /// Whether every match scores the same although the field is one of text.
    fn scores_alike(&self) -> bool {
        false
    }

    /// The hidden field that holds the terms of this one, and what they begin with there.
    fn terms_elsewhere(&self) -> Option<(&Arc<str>, &str)> {
        None
    }

    /// Whether a part of the field has its pairs of words.
    fn has_pairs(&self) -> bool {
        false
    }

    /// Whether the mapping has beginnings of terms indexed by themselves.
    fn has_prefixes(&self) -> bool {
        false
    }

    /// How long, in code points, the beginnings of terms are that a part of the field has.
    fn beginnings(&self) -> Option<RangeInclusive<usize>> {
        None
    }

    /// What multi-fields are given in the place of the value, where that is something else.
    fn texts_for_multi_fields(&self, _field: &Field, _token: &Token) -> Result<Option<Vec<String>>> {
        Ok(None)
    }

    /// Further fields that the values go to as well.
    fn parts(&self) -> Vec<Part> {
        vec![]
    }

    /// How many fields more than those of [`Self::parts`] the reference counts, which nothing here needs.
    fn further_fields(&self) -> usize {
        0
    }

    /// The field of this name below, where the mapping lists none.
    fn sub_field(&self, _field: &Field, _path: &str) -> Option<Field> {
        None
    }

    /// Adds the ops of one value. The error is the cause that the reader wraps.
    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()>;

    fn term(&self, field: &Field, value: &Value, cx: &DateContext) -> Result<Exact>;

    fn range(&self, field: &Field, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange>;

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat>;

    /// What stands in for the dates that documents lack, read as dates of requests are, in milliseconds whatever the field keeps.
    /// What keeps no dates has no format to read them by.
    fn parse_missing_date(&self, field: &Field, value: &Value, _how: &RangeBounds, now_ms: i64) -> Result<i64> {
        self.parse_missing_number(field, value, &DateContext { now_ms })
    }

    fn parse_missing_number(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<i64> {
        match self.number_kind() {
            Some(kind) => {
                // Whatever the kind of number, a text is read as a fraction.
                value.as_str().map_or(Ok(0.0), super::number::parse_java_f64)?;
                kind.encode_value(value, true)
            }
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

    /// Which terms may be loaded by document, if any.
    fn fielddata(&self) -> Option<FielddataFilter> {
        None
    }

    /// The ends of a range that a doc value stands for, both included; none where it stands for none of numbers.
    fn range_ends(&self, _term: &[u8]) -> Option<(f64, f64)> {
        None
    }

    /// How numbers within ranges are shown.
    fn range_format(&self, _format: Option<&str>, _time_zone: Option<&str>) -> Result<DocValueFormat> {
        Ok(DocValueFormat::Text)
    }

    /// Whether the type has values by document that anybody but the engine itself may read.
    fn can_have_doc_values(&self) -> bool {
        true
    }

    /// Whether sorts and aggregations can work; the error says what to do about it.
    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        let name = &field.name;
        if !self.can_have_doc_values() {
            return Err(Error::illegal_argument(format!(
                "Fielddata is not supported on field [{name}] of type [{}]",
                field.type_name
            )));
        }
        if field.spec.doc_values != DocValues::None {
            return Ok(());
        }
        Err(Error::illegal_argument(format!(
            "Can't load fielddata on [{name}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.type_name
        )))
    }

    fn similarity(&self) -> Option<&str> {
        None
    }

    /// Whether term queries are scored by similarity; if not, all matches score 1.
    fn uses_similarity(&self) -> bool {
        self.family() != Family::Keyword
    }

    fn ignore_above(&self) -> Option<u32> {
        None
    }

    /// Whether numbers with fractions are cut off for whole ones.
    fn coerces(&self) -> bool {
        true
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
/// Notes that a null value of a kind (`date`, `IP`) cannot be read, so that it stands for nothing, as in the reference.
fn note_no_null_value(text: &str, kind: &str, cx: &FieldContext) {
    crate::deprecated::note(format!(
        "Error parsing [{text}] as {kind} in [null_value] on field [{}]); [null_value] will be ignored",
        cx.short_name()
    ));
}

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

/// Storage that is told by nothing but the field's own recorded existence.
fn bare_spec() -> IndexSpec {
    IndexSpec {
        indexed: Indexed::No,
        doc_values: DocValues::None,
        norms: false,
        stored: false,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    }
}

/// Terms without frequencies.
const PLAIN_TERMS: Indexed = Indexed::Terms { freqs: false, positions: false, offsets: false };

/// Ranges make no sense of this field.
pub(crate) fn no_range(field: &Field) -> Error {
    Error::illegal_argument(format!(
        "Field [{}] of type [{}] does not support range queries",
        field.name, field.type_name
    ))
}
