//! `text`: analysed strings.

use super::{Built, FieldContext, FieldType, Part, TypeRow, no_range};
use crate::analysis::{Analyzer, Registry};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, FielddataFilter, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{
    BOOST, Default, INDEX, Kind, META, Param, Params, STORE, java_text, leftovers, not_a_map, read_int,
};
use crate::mapping::parse_java_f64;
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::ops::{Bound, RangeInclusive};
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "text", params: PARAMS, fields_before: Some("meta"), plain: true, check, build };

/// What stands behind a field's name in that of the field of its pairs of words.
pub const PAIRS: &str = "._index_phrase";
/// What stands behind it in that of the field of what its terms begin with.
pub const BEGINNINGS: &str = "._index_prefix";

/// Kept and shown. In the reference it makes some requests faster; answers do not depend on it, and here those requests are
/// answered from positions.
pub(super) const TERM_VECTOR: Param = Param::new(
    "term_vector",
    Kind::Choice(&[
        "no",
        "yes",
        "with_positions",
        "with_offsets",
        "with_positions_offsets",
        "with_positions_payloads",
        "with_positions_offsets_payloads",
    ]),
    Default::Text("no"),
);

static PARAMS: &[Param] = &[
    BOOST,
    INDEX,
    STORE,
    META,
    Param::new("index_options", Kind::Choice(&["positions", "docs", "freqs", "offsets"]), Default::Text("positions")),
    TERM_VECTOR,
    Param::bool("norms", true).only_off().told_before("term_vector"),
    Param::new("analyzer", Kind::Analyzer, Default::Text("default")).shown_if_given(),
    Param::new("search_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("search_quote_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("similarity", Kind::Similarity, Default::None).nullable(),
    Param::bool("eager_global_ordinals", false).changeable(),
    Param::new("position_increment_gap", Kind::Int, Default::Int(-1)),
    Param::bool("fielddata", false).changeable(),
    Param::new("fielddata_frequency_filter", Kind::Own(read_frequency_filter), Default::None).changeable(),
    Param::new("index_prefixes", Kind::Own(read_prefixes), Default::None).nullable(),
    Param::bool("index_phrases", false).told_before("index_prefixes"),
    // Text has no doc values; the reference accepts whatever is written here.
    Param::new("doc_values", Kind::Text, Default::None).changeable().hidden(),
];

#[derive(Debug)]
pub(super) struct Text {
    pub index_analyzer: Arc<Analyzer>,
    pub search_analyzer: Arc<Analyzer>,
    pub search_quote_analyzer: Arc<Analyzer>,
    pub similarity: Option<String>,
    /// Which terms may be loaded by document, if any.
    pub fielddata: Option<FielddataFilter>,
    pub indexed: bool,
    pub stored: bool,
    /// Whether existence has to be written apart, as there are no norms to tell it.
    pub exists: bool,
    /// Whether terms by document are asked for although there are no terms: what is stored cannot be written so.
    pub vectors_without_terms: bool,
    /// All matches score the same.
    pub alike: bool,
    /// Whether queries for prefixes cost no more than terms do.
    pub prefixes: bool,
    /// How what terms begin with is indexed, if it is.
    pub beginnings: Option<Beginnings>,
    /// How pairs of words are indexed, if they are: phrases are found, and scored, by them.
    pub pairs: Option<IndexSpec>,
}

/// What terms begin with, as terms of a field of their own.
#[derive(Debug)]
pub(super) struct Beginnings {
    /// In code points.
    lengths: RangeInclusive<usize>,
    spec: IndexSpec,
}

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    let name = cx.name;
    let refuse = |reason: String| Err(Error::illegal_argument(reason));
    let indexed = params.get(PARAMS, "index") == &Value::Bool(true);
    let options = params.get(PARAMS, "index_options").as_str().unwrap_or_default();
    let positions = indexed && matches!(options, "positions" | "offsets");
    if !positions && params.get(PARAMS, "position_increment_gap") != &Value::Int(-1) {
        return refuse(format!("Cannot set position_increment_gap on field [{name}] without positions enabled"));
    }
    if params.get(PARAMS, "fielddata") == &Value::Bool(true) && !indexed {
        return refuse(format!("Cannot enable fielddata on a [text] field that is not indexed: [{name}]"));
    }
    if params.get(PARAMS, "index_phrases") == &Value::Bool(true) {
        if !indexed {
            return refuse(format!("Cannot set index_phrases on unindexed field [{name}]"));
        }
        if !positions {
            return refuse(format!("Cannot set index_phrases on field [{name}] if positions are not enabled"));
        }
    }
    if !params.get(PARAMS, "index_prefixes").is_null() && !indexed {
        return refuse(format!("Cannot set index_prefixes on unindexed field [{name}]"));
    }
    show_analyzers(PARAMS, params, cx.analysis);
    Ok(())
}

/// The analyzers for indexing, searching and phrases that the parameters of `table` name.
pub(super) fn analyzers(table: &'static [Param], params: &Params, analysis: &Registry) -> Result<[Arc<Analyzer>; 3]> {
    let find = |name: &str| match (analysis.analyzer(name), name) {
        (Some(analyzer), _) => Ok(analyzer),
        (None, "default") => Ok(analysis.default_analyzer()),
        _ => Err(Error::illegal_argument(format!("analyzer [{name}] has not been configured in mappings"))),
    };
    let Named { index, search, quote, .. } = Named::of(table, params, analysis);
    let index = find(&index)?;
    index.check_stable("index time")?;
    Ok([index, find(&search)?, find(&quote)?])
}

/// Keeps of the three analyzers those that the reference shows: each that is another one than it would be if nothing were said of
/// it, and each that those after it differ from.
pub(super) fn show_analyzers(table: &'static [Param], params: &mut Params, analysis: &Registry) {
    let named = Named::of(table, params, analysis);
    let [index, search, quote] = [named.index, named.search, named.quote].map(Value::from);
    let show_search = named.says_search || quote != search;
    let show_index = index.as_str() != Some("default") || search != index || quote != index;
    params.set(table, "search_quote_analyzer", named.says_quote.then_some(quote));
    params.set(table, "search_analyzer", show_search.then_some(search));
    params.set(table, "analyzer", show_index.then_some(index));
}

/// The analyzers for indexing, searching and phrases.
struct Named {
    index: String,
    search: String,
    quote: String,
    /// Whether the mapping names another one for searching than it would be otherwise.
    says_search: bool,
    says_quote: bool,
}

impl Named {
    /// Those of the mapping go before those that the index has for all fields (`default_search`, `default_search_quoted`), and these
    /// before the one for indexing. What is quoted is analysed as other searches are where the mapping says how.
    fn of(table: &'static [Param], params: &Params, analysis: &Registry) -> Self {
        let given = |name| params.given(table, name).and_then(Value::as_str).map(str::to_owned);
        let configured = |name: &str| analysis.analyzer(name).is_some().then(|| name.to_owned());
        let index = given("analyzer").unwrap_or_else(|| "default".to_owned());
        let otherwise = configured("default_search").unwrap_or_else(|| index.clone());
        let search = given("search_analyzer").unwrap_or_else(|| otherwise.clone());
        let says_search = search != otherwise;
        let of_all = configured("default_search_quoted").filter(|_| !says_search);
        let otherwise = of_all.unwrap_or_else(|| search.clone());
        let quote = given("search_quote_analyzer").unwrap_or_else(|| otherwise.clone());
        let says_quote = quote != otherwise;
        Self { index, search, quote, says_search, says_quote }
    }
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let [index_analyzer, search, quote] = analyzers(PARAMS, params, cx.analysis)?;
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let (indexed, stored) = (flag("index"), flag("store"));
    let options = params.get(PARAMS, "index_options").as_str().unwrap_or_default();
    let gap = match params.get(PARAMS, "position_increment_gap").as_i64() {
        Some(-1) | None => index_analyzer.indexed_gap(),
        Some(gap) => u32::try_from(gap.max(0)).unwrap_or(u32::MAX),
    };
    let norms = indexed && flag("norms");
    let spec = IndexSpec {
        indexed: match options {
            _ if !indexed => Indexed::No,
            "docs" => Indexed::Terms { freqs: false, positions: false, offsets: false },
            "freqs" => Indexed::Terms { freqs: true, positions: false, offsets: false },
            "offsets" => Indexed::Terms { freqs: true, positions: true, offsets: true },
            _ => Indexed::Terms { freqs: true, positions: true, offsets: false },
        },
        doc_values: DocValues::None,
        norms,
        stored,
        analyzer: Some(index_analyzer.clone()),
        count_overlaps: false,
        position_increment_gap: gap,
    };
    let kind = Text {
        index_analyzer: index_analyzer.clone(),
        search_analyzer: search,
        search_quote_analyzer: quote,
        similarity: params.get(PARAMS, "similarity").as_str().map(str::to_owned),
        fielddata: fielddata(PARAMS, params),
        indexed,
        stored,
        exists: !norms && (indexed || stored),
        vectors_without_terms: !indexed
            && stored
            && params.get(PARAMS, "term_vector").as_str().is_some_and(|kept| kept != "no"),
        alike: false,
        prefixes: false,
        beginnings: beginnings(params, &spec, &index_analyzer),
        pairs: flag("index_phrases").then(|| {
            let analyzer = index_analyzer.with_pairs();
            let position_increment_gap = analyzer.indexed_gap();
            IndexSpec { stored: false, analyzer: Some(Arc::new(analyzer)), position_increment_gap, ..spec.clone() }
        }),
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

/// What `index_prefixes` asks for. Beginnings are as good in long texts as in short ones, and need no frequencies without positions.
fn beginnings(params: &Params, spec: &IndexSpec, analyzer: &Analyzer) -> Option<Beginnings> {
    let Value::Object(sizes) = params.get(PARAMS, "index_prefixes") else { return None };
    let size = |name| sizes.get(name).and_then(Value::as_i64).and_then(|size| usize::try_from(size).ok());
    let lengths = size("min_chars")?..=size("max_chars")?;
    let indexed = match spec.indexed {
        Indexed::Terms { positions: false, .. } => Indexed::Terms { freqs: false, positions: false, offsets: false },
        indexed => indexed,
    };
    let analyzer = Some(Arc::new(analyzer.with_beginnings(*lengths.start(), *lengths.end())));
    let spec = IndexSpec { indexed, norms: false, stored: false, analyzer, ..spec.clone() };
    Some(Beginnings { lengths, spec })
}

impl FieldType for Text {
    fn parts(&self) -> Vec<Part> {
        let part = |suffix: &str, type_name, spec: &IndexSpec| {
            let kind = Text {
                index_analyzer: spec.analyzer.clone().unwrap_or_else(|| self.index_analyzer.clone()),
                search_analyzer: self.search_analyzer.clone(),
                search_quote_analyzer: self.search_quote_analyzer.clone(),
                similarity: self.similarity.clone(),
                fielddata: None,
                indexed: true,
                stored: false,
                exists: false,
                vectors_without_terms: false,
                alike: false,
                prefixes: false,
                beginnings: None,
                pairs: None,
            };
            let built = Built { spec: spec.clone(), kind: Box::new(kind) };
            Part { suffix: suffix.to_owned(), type_name, hidden: false, built }
        };
        let pairs = self.pairs.iter().map(|spec| part(PAIRS, "phrase", spec));
        pairs.chain(self.beginnings.iter().map(|of| part(BEGINNINGS, "prefix", &of.spec))).collect()
    }

    fn has_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    fn has_prefixes(&self) -> bool {
        self.prefixes || self.beginnings.is_some()
    }

    fn beginnings(&self) -> Option<RangeInclusive<usize>> {
        self.beginnings.as_ref().map(|of| of.lengths.clone())
    }

    fn family(&self) -> Family {
        Family::Text
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if token.value == Scalar::Null {
            return Ok(());
        }
        let value = token.text()?;
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(value.clone().into_owned()) });
        }
        if self.vectors_without_terms {
            sink.refuse(Error::illegal_argument(format!(
                "cannot store term vectors for a field that is not indexed (field=\"{}\")",
                field.name
            )));
        }
        if self.exists {
            sink.push(FieldOp::Exists { field: field.id });
        }
        if self.indexed {
            sink.push(FieldOp::Text { field: field.id, value });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(text_range(bounds, |text| text.into_bytes()))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn parse_missing_number(&self, field: &Field, _value: &Value, _cx: &DateContext) -> Result<i64> {
        Err(no_range(field))
    }

    fn searches_doc_values(&self) -> bool {
        false
    }

    fn search_analyzer(&self) -> Option<&Arc<Analyzer>> {
        Some(&self.search_analyzer)
    }

    fn search_quote_analyzer(&self) -> Option<&Arc<Analyzer>> {
        Some(&self.search_quote_analyzer)
    }

    fn index_analyzer(&self) -> Option<&Arc<Analyzer>> {
        Some(&self.index_analyzer)
    }

    fn fielddata(&self) -> Option<FielddataFilter> {
        self.fielddata
    }

    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        if self.fielddata.is_some() {
            return Ok(());
        }
        let name = &field.name;
        // The fields that belong to others have types of their own.
        if matches!(field.type_name, "prefix" | "phrase" | "search_as_you_type") {
            let kind = field.type_name;
            return Err(Error::illegal_argument(format!(
                "Fielddata is not supported on field [{name}] of type [{kind}]"
            )));
        }
        Err(Error::illegal_argument(format!(
            "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [{name}] in order to load field data by uninverting the inverted index. Note that this can use significant memory."
        )))
    }

    fn similarity(&self) -> Option<&str> {
        self.similarity.as_deref()
    }

    fn scores_alike(&self) -> bool {
        self.alike
    }
}

/// A range over terms: bounds as `term` encodes them.
pub(super) fn text_range(bounds: &RangeBounds, term: impl Fn(String) -> Vec<u8>) -> FieldRange {
    let bound = |end: Option<(&Value, bool)>| match end {
        None => Bound::Unbounded,
        Some((value, true)) => Bound::Included(term(java_text(value))),
        Some((value, false)) => Bound::Excluded(term(java_text(value))),
    };
    FieldRange::Bytes(bound(bounds.lower()), bound(bounds.upper()))
}

pub(super) fn read_prefixes(field: &str, value: &Value) -> Result<Value> {
    let mut sizes = [2, 5];
    for (at, value) in read_known(field, value, &["min_chars", "max_chars"])? {
        sizes[at] = read_int(value)?;
    }
    let [min, max] = sizes;
    if min > max {
        return Err(Error::illegal_argument(format!("min_chars [{min}] must be less than max_chars [{max}]")));
    }
    if min < 1 {
        return Err(Error::illegal_argument(format!("min_chars [{min}] must be greater than zero")));
    }
    if max >= 20 {
        return Err(Error::illegal_argument(format!("max_chars [{max}] must be less than 20")));
    }
    Ok(Value::Object(Map::from_iter([("min_chars", min), ("max_chars", max)])))
}

/// Between which frequencies terms are loaded; the empty filter is none.
pub(super) fn read_frequency_filter(field: &str, value: &Value) -> Result<Value> {
    let filter = FielddataFilter::default();
    let mut parts: [Value; 3] = [filter.min.into(), filter.max.into(), i64::from(filter.segment_size_min).into()];
    let known = read_known(field, value, &["min", "max", "min_segment_size"])?;
    if known.is_empty() {
        return Ok(Value::Null);
    }
    for (at, value) in known {
        parts[at] = match at {
            2 => read_int(value)?.into(),
            _ => parse_java_f64(&java_text(value))?.into(),
        };
    }
    let [min, max, segment_size_min] = parts;
    Ok(Value::Object(Map::from_iter([("min", min), ("max", max), ("min_segment_size", segment_size_min)])))
}

/// Which terms are loaded by document, if any are.
pub(super) fn fielddata(table: &'static [Param], params: &Params) -> Option<FielddataFilter> {
    if params.get(table, "fielddata") != &Value::Bool(true) {
        return None;
    }
    let filter = FielddataFilter::default();
    let Value::Object(given) = params.get(table, "fielddata_frequency_filter") else { return Some(filter) };
    let share = |name, default| given.get(name).and_then(Value::as_f64).unwrap_or(default);
    let size = given.get("min_segment_size").and_then(Value::as_i64).map_or(0, |size| size.max(0));
    Some(FielddataFilter {
        min: share("min", filter.min),
        max: share("max", filter.max),
        segment_size_min: u32::try_from(size).unwrap_or(u32::MAX),
    })
}

/// The known entries of a parameter that is an object, by their place among the names.
fn read_known<'v>(field: &str, value: &'v Value, names: &[&str]) -> Result<Vec<(usize, &'v Value)>> {
    let Value::Object(map) = value else {
        return Err(not_a_map(value));
    };
    let unknown: Vec<_> = map.iter().filter(|(key, _)| !names.contains(key)).collect();
    if !unknown.is_empty() {
        return Err(Error::new(
            ErrorKind::MapperParsing,
            format!("Mapping definition for [{field}] has unsupported parameters: {}", leftovers(unknown.into_iter())),
        ));
    }
    Ok(map.iter().filter_map(|(key, value)| Some((names.iter().position(|n| *n == key)?, value))).collect())
}
