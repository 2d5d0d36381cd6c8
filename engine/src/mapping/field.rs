//! A field as queries, sorts, aggregations and the writer see it.

use super::date::DateFormat;
use super::derived::Derived;
use super::doc_value::DocValueFormat;
use super::types::{BEGINNINGS, FieldType, PAIRS, SearchAsYouType};
use crate::analysis::{Analyzer, Normalizer};
use crate::error::{Error, Result};
use crate::json::{Map, Value, Writer};
use std::fmt;
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;

/// A field's number within one [`Mapping`](super::Mapping) value; another mapping numbers its fields differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

/// What the segment keeps of a field.
#[derive(Clone, Debug)]
pub struct IndexSpec {
    pub indexed: Indexed,
    pub doc_values: DocValues,
    /// Whether the length of the field is kept, for scoring. Only fields of terms have norms.
    pub norms: bool,
    pub stored: bool,
    /// Analyses [`FieldOp::Text`](crate::writer::FieldOp::Text) values; only text fields have it.
    pub analyzer: Option<Arc<Analyzer>>,
    /// Whether tokens at the position of another add to the length that is kept.
    pub count_overlaps: bool,
    /// Positions between two values of one field of one document.
    pub position_increment_gap: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    No,
    Terms { freqs: bool, positions: bool, offsets: bool },
    Points,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocValues {
    None,
    /// Order-preserving numbers (see [`number`](super::number)).
    Numeric,
    /// Byte strings by ordinal.
    Ordinals,
}

/// Which terms `fielddata` loads, by the share of a segment's documents that they are in; greater than 1 it is a number of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FielddataFilter {
    pub min: f64,
    pub max: f64,
    /// In smaller segments all terms are loaded.
    pub segment_size_min: u32,
}

impl Default for FielddataFilter {
    fn default() -> Self {
        Self { min: 0.0, max: f64::from(i32::MAX), segment_size_min: 0 }
    }
}

impl FielddataFilter {
    /// How many documents a term has to be in, where `docs` have terms.
    fn frequencies(self, docs: u32) -> RangeInclusive<u32> {
        if docs < self.segment_size_min {
            return 0..=u32::MAX;
        }
        let number = |share: f64| if share > 1.0 { share as u32 } else { (f64::from(docs) * share) as u32 };
        number(self.min)..=number(self.max)
    }
}

/// What kind of values a field holds, as far as queries and aggregations distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Text,
    Keyword,
    /// One value for all documents of the index.
    ConstantKeyword,
    /// `byte`, `short`, `integer`, `long`, `token_count`.
    Integer,
    UnsignedLong,
    /// `half_float`, `float`, `double`, `scaled_float`.
    Float,
    Boolean,
    Date,
    Ip,
    Binary,
    Id,
    Index,
    Routing,
    Source,
    SeqNo,
    Version,
    PrimaryTerm,
    FieldNames,
    Ignored,
    DocCount,
    NestedPath,
    /// `integer_range`, `date_range`, …
    Range,
    /// `rank_feature`.
    Feature,
    /// `rank_features`.
    Features,
    /// `version`: semantic versions.
    SemanticVersion,
    Completion,
    /// `join`.
    Join,
    Percolator,
    GeoPoint,
    GeoShape,
}

impl Family {
    /// Whether a text that is looked for is analysed in any way, be it as one word.
    pub fn is_analysed(self) -> bool {
        !matches!(
            self,
            Self::Binary | Self::Feature | Self::Features | Self::Percolator | Self::DocCount | Self::Source
        )
    }

    /// Values with an order that sums and ranges make sense of: what numeric aggregations accept.
    pub fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Integer
                | Self::UnsignedLong
                | Self::Float
                | Self::Boolean
                | Self::Date
                | Self::SeqNo
                | Self::Version
                | Self::PrimaryTerm
                | Self::DocCount
        )
    }

    /// Metadata fields stand in every mapping, begin with `_` and are not part of its output.
    pub fn is_metadata(self) -> bool {
        matches!(
            self,
            Self::Id
                | Self::Index
                | Self::Routing
                | Self::Source
                | Self::SeqNo
                | Self::Version
                | Self::PrimaryTerm
                | Self::FieldNames
                | Self::Ignored
                | Self::DocCount
                | Self::NestedPath
        )
    }
}

/// What a value of a term query looks up.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// One indexed term.
    Bytes(Vec<u8>),
    /// One encoded number.
    Number(i64),
    /// Inclusive encoded numbers: a date that names a whole day.
    Numbers(i64, i64),
    /// Inclusive terms: an address block.
    BytesRange(Vec<u8>, Vec<u8>),
    /// All documents: a constant field that has the value.
    All,
    /// Terms for which a test holds.
    Matching(Arc<dyn TermTest>),
    /// No document can have this value.
    Nothing,
}

/// A condition on terms.
pub trait TermTest: fmt::Debug + Send + Sync {
    fn matches(&self, term: &[u8]) -> bool;

    /// How the query reads.
    fn text(&self) -> String;

    /// Whether it is known to match no term.
    fn finds_nothing(&self) -> bool {
        false
    }

    /// How it reads of the field's index, if the reference may ask that as well.
    fn index_text(&self, _field: &str) -> Option<String> {
        None
    }
}

impl PartialEq for dyn TermTest {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// What a range looks up.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldRange {
    /// Inclusive encoded numbers.
    Numbers(i64, i64),
    Bytes(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// Terms for which a test holds.
    Matching(Arc<dyn TermTest>),
    All,
    Nothing,
}

/// How the ranges of documents have to lie to that of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    #[default]
    Intersects,
    Contains,
    Within,
}

/// The bounds of a range query as they were written.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeBounds<'a> {
    pub gt: Option<&'a Value>,
    pub gte: Option<&'a Value>,
    pub lt: Option<&'a Value>,
    pub lte: Option<&'a Value>,
    /// Replaces the field's own date format.
    pub format: Option<&'a str>,
    /// Applies to dates without a zone of their own and to rounding.
    pub time_zone: Option<&'a str>,
    /// Only range fields ask for it.
    pub relation: Relation,
}

impl<'a> RangeBounds<'a> {
    /// The lower bound and whether it is included.
    pub fn lower(&self) -> Option<(&'a Value, bool)> {
        self.gte.map(|v| (v, true)).or(self.gt.map(|v| (v, false))).filter(|(v, _)| !v.is_null())
    }

    /// The upper bound and whether it is included.
    pub fn upper(&self) -> Option<(&'a Value, bool)> {
        self.lte.map(|v| (v, true)).or(self.lt.map(|v| (v, false))).filter(|(v, _)| !v.is_null())
    }
}

/// What dates in queries are relative to.
#[derive(Clone, Copy, Debug, Default)]
pub struct DateContext {
    /// Milliseconds since 1970 that `now` stands for.
    pub now_ms: i64,
}

/// One field of a mapping: its storage, and the behaviour of its type.
pub struct Field {
    pub id: FieldId,
    /// Full dotted name.
    pub name: Arc<str>,
    pub spec: IndexSpec,
    /// `keyword`, `long`, …: as the mapping names it.
    pub type_name: &'static str,
    /// The index-time boost of the mapping (1 unless set); multiplies scores of queries on this field.
    pub boost: f32,
    /// The `meta` parameter.
    pub meta: Option<Map>,
    /// A field of the segment alone, that requests do not know.
    pub hidden: bool,
    /// Where values come from that no document holds.
    pub derived: Option<Arc<Derived>>,
    pub(super) kind: Box<dyn FieldType>,
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({} {})", self.name, self.type_name)
    }
}

impl Field {
    pub fn family(&self) -> Family {
        self.kind.family()
    }

    /// Whether term and range queries can work, by an index or by doc values.
    pub fn is_searchable(&self) -> bool {
        self.spec.indexed != Indexed::No || (self.spec.doc_values != DocValues::None && self.kind.searches_doc_values())
    }

    /// Whether sorts and aggregations can work.
    pub fn is_aggregatable(&self) -> bool {
        self.spec.doc_values != DocValues::None || self.fielddata()
    }

    /// Analyses the text of match queries. Only text fields have one; see [`Field::normalizer`] for keywords.
    pub fn search_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.kind.search_analyzer()
    }

    /// Analyses phrases.
    pub fn search_quote_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.kind.search_quote_analyzer()
    }

    /// Analyses values while indexing.
    pub fn index_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.kind.index_analyzer()
    }

    pub fn normalizer(&self) -> Option<&Arc<Normalizer>> {
        self.kind.normalizer()
    }

    /// Whether match queries split their text at white space (a parameter of keyword fields).
    pub fn splits_queries_on_whitespace(&self) -> bool {
        self.kind.splits_queries_on_whitespace()
    }

    /// The ends of the range that a doc value of a range field stands for; none of ranges of addresses.
    pub fn range_ends(&self, term: &[u8]) -> Option<(f64, f64)> {
        self.kind.range_ends(term)
    }

    /// How numbers within the field's ranges are shown.
    pub fn range_format(&self, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        self.kind.range_format(format, time_zone)
    }

    /// Whether the field may be sorted and aggregated by its analysed terms (text fields with `fielddata`).
    pub fn fielddata(&self) -> bool {
        self.kind.fielddata().is_some()
    }

    /// How many documents of a segment a term has to be in, to be loaded with them; `docs` of the segment have terms at all.
    pub fn fielddata_frequencies(&self, docs: u32) -> RangeInclusive<u32> {
        self.kind.fielddata().unwrap_or_default().frequencies(docs)
    }

    /// The `similarity` parameter, if the mapping says one.
    pub fn similarity(&self) -> Option<&str> {
        self.kind.similarity()
    }

    /// Whether term queries are scored by similarity; if not (keywords, unless they say otherwise), every match scores 1.
    pub fn uses_similarity(&self) -> bool {
        self.kind.uses_similarity()
    }

    /// The relations of a join field; none for all other fields.
    pub fn relations(&self) -> Option<&super::types::Relations> {
        self.kind.relations()
    }

    /// How the inputs of a completion field are compared; none for all other fields. Its entries are byte strings of the
    /// ordinals, which [`decode_completion`](super::types::decode_completion) reads.
    pub fn completion(&self) -> Option<&super::types::CompletionOptions> {
        self.kind.completion()
    }

    /// Of a feature: whether documents score higher the larger it is.
    pub fn has_positive_score_impact(&self) -> Option<bool> {
        self.kind.has_positive_score_impact()
    }

    /// The set of features that this one is of, and its name there.
    pub fn feature(&self) -> Option<(&Arc<str>, &str)> {
        self.kind.feature()
    }

    /// Refuses sorts by the values themselves, where they make no sense.
    pub fn check_sortable(&self) -> Result<()> {
        self.kind.check_sortable(self)
    }

    /// Whether the field's numbers are counts of tokens, which no source holds.
    pub fn counts_tokens(&self) -> bool {
        self.kind.counts_tokens()
    }

    /// Whether every match scores the same although the field is one of text.
    pub fn scores_alike(&self) -> bool {
        self.kind.scores_alike()
    }

    /// The hidden field that holds the terms of this one, and what they begin with there.
    pub fn terms_elsewhere(&self) -> Option<(&Arc<str>, &str)> {
        self.kind.terms_elsewhere()
    }

    /// The name of the field of this one's pairs of words, if there is one.
    pub fn pairs_field(&self) -> Option<Arc<str>> {
        self.kind.has_pairs().then(|| format!("{}{PAIRS}", self.name).into())
    }

    /// Whether the mapping has beginnings of terms indexed by themselves.
    pub fn has_prefixes(&self) -> bool {
        self.kind.has_prefixes()
    }

    /// The name of the field of what this one's terms begin with, and how long, in UTF-16 units, these beginnings are.
    pub fn beginnings(&self) -> Option<(String, RangeInclusive<usize>)> {
        if self.type_name == SearchAsYouType::NAME {
            return Some((SearchAsYouType::prefix_field(&self.name), 1..=SearchAsYouType::PREFIX_MAX));
        }
        Some((format!("{}{BEGINNINGS}", self.name), self.kind.beginnings()?))
    }

    /// Refuses sorts and aggregations where [`Field::is_aggregatable`] is false, saying what to do about it.
    pub fn check_aggregatable(&self) -> Result<()> {
        self.kind.check_aggregatable(self)
    }

    /// Longest value (in UTF-16 units) that is indexed.
    pub fn ignore_above(&self) -> Option<u32> {
        self.kind.ignore_above()
    }

    /// Whether numbers with fractions are cut off for whole ones.
    pub fn coerces(&self) -> bool {
        self.kind.coerces()
    }

    /// The value that stands for JSON null, if there is one.
    pub fn null_value(&self) -> Option<&Value> {
        self.kind.null_value()
    }

    /// The date format of a date field.
    pub fn date_format(&self) -> Option<&Arc<DateFormat>> {
        self.kind.date_format()
    }

    /// The one value that all documents have (`constant_keyword`).
    pub fn constant(&self) -> Option<&str> {
        self.kind.constant()
    }

    /// What a term query for `value` looks up. Errors are those of the reference (`For input string: "x"`, …).
    pub fn term(&self, value: &Value, cx: &DateContext) -> Result<Exact> {
        self.check_searchable()?;
        self.kind.term(self, value, cx)
    }

    /// Whether documents have words of it that can be told one by one: terms of texts.
    pub fn has_words(&self) -> bool {
        let of_texts =
            matches!(self.family(), Family::Text | Family::Keyword | Family::Ignored | Family::Routing | Family::Join);
        of_texts && matches!(self.spec.indexed, Indexed::Terms { .. })
    }

    /// What a range query looks up.
    pub fn range(&self, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange> {
        self.check_searchable()?;
        self.read_range(bounds, now_ms)
    }

    /// What the bounds of a range query come to, whether or not the field can be searched.
    pub fn read_range(&self, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange> {
        self.kind.range(self, bounds, now_ms)
    }

    /// Refuses queries where [`Field::is_searchable`] is false.
    pub fn check_searchable(&self) -> Result<()> {
        let own_refusal = matches!(
            self.family(),
            Family::Binary
                | Family::ConstantKeyword
                | Family::Feature
                | Family::Features
                | Family::GeoPoint
                | Family::GeoShape
        ) || self.family().is_metadata();
        if self.is_searchable() || own_refusal {
            return Ok(());
        }
        let name = &self.name;
        if self.family() == Family::SemanticVersion {
            return Err(Error::illegal_argument(format!(
                "Field [{name}] is neither indexed nor has doc_values enabled"
            )));
        }
        Err(Error::illegal_argument(if self.kind.searches_doc_values() {
            format!(
                "Cannot search on field [{name}] since it is both not indexed, and does not have doc_values enabled."
            )
        } else {
            format!("Cannot search on field [{name}] since it is not indexed.")
        }))
    }

    /// How values are written for `docvalue_fields`, aggregation keys and sorts. `format` and `time_zone` are the request's.
    pub fn doc_value_format(&self, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        self.kind.doc_value_format(self, format, time_zone)
    }

    /// Writes one encoded number. For more than a few values make the [`DocValueFormat`] once.
    pub fn write_doc_value_number(&self, value: i64, format: Option<&str>, w: &mut Writer) -> Result<()> {
        self.doc_value_format(format, None)?.write_number(value, w);
        Ok(())
    }

    /// Writes one byte string of the ordinals.
    pub fn write_doc_value_bytes(&self, value: &[u8], format: Option<&str>, w: &mut Writer) -> Result<()> {
        self.doc_value_format(format, None)?.write_bytes(value, w);
        Ok(())
    }

    /// How numbers of the field are encoded; none for dates, booleans and everything that is no number.
    pub fn number_kind(&self) -> Option<super::number::NumberKind> {
        self.kind.number_kind()
    }

    /// The number that an encoded number stands for: what sums and scripts work with.
    pub fn decode_number(&self, value: i64) -> f64 {
        self.kind.number_kind().map_or(value as f64, |kind| kind.decode(value))
    }

    /// Encodes a number, rounding to the field's type; out-of-range values go to the ends.
    pub fn encode_number(&self, value: f64) -> i64 {
        self.kind.number_kind().map_or(value as i64, |kind| kind.encode_saturating(value))
    }

    /// A `missing` value of sorts and aggregations as an encoded number.
    pub fn parse_missing_number(&self, value: &Value, cx: &DateContext) -> Result<i64> {
        self.kind.parse_missing_number(self, value, cx)
    }

    /// A `missing` value of aggregations over dates, numbers among them, in milliseconds; `how` has the format and the time zone it is read by.
    pub fn parse_missing_date(&self, value: &Value, how: &RangeBounds, now_ms: i64) -> Result<i64> {
        self.kind.parse_missing_date(self, value, how, now_ms)
    }

    /// A `missing` value of sorts and aggregations as a byte string of the ordinals.
    pub fn parse_missing_bytes(&self, value: &Value) -> Result<Vec<u8>> {
        // What stands in is shown as it was given, whatever a normalizer would make of it.
        if matches!(self.family(), Family::Keyword) {
            return Ok(value.to_text().into_bytes());
        }
        if matches!(self.family(), Family::Binary) {
            return super::java_base64::decode(value.to_text().as_bytes(), false).map_err(Error::illegal_argument);
        }
        match self.term(value, &DateContext::default())? {
            Exact::Bytes(bytes) => Ok(bytes),
            _ => Err(Error::illegal_argument(format!("Invalid missing value [{}]", value.to_text()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FielddataFilter;

    #[test]
    fn shares_of_documents_and_numbers_of_them() {
        let of = |min, max, segment_size_min, docs| FielddataFilter { min, max, segment_size_min }.frequencies(docs);
        assert_eq!(of(0.5, 2147483647.0, 0, 5), 2..=2147483647);
        assert_eq!(of(0.0, 2.0, 3, 3), 0..=2);
        assert_eq!(of(0.0, 2.0, 4, 3), 0..=u32::MAX);
        assert_eq!(of(0.0, 1.0, 0, 3), 0..=3);
    }
}
