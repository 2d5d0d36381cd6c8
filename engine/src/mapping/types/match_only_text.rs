//! `match_only_text`: analysed strings that are found but not ranked: every match scores 1.

use super::text::{TERM_VECTOR, Text, analyzers, fielddata, read_frequency_filter, read_prefixes, show_analyzers};
use super::{Built, FieldContext, TypeRow, bare_spec};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::field::{IndexSpec, Indexed};
use crate::mapping::params::{BOOST, Default, INDEX, Kind, META, Param, Params, STORE};

pub static ROW: TypeRow =
    TypeRow { name: "match_only_text", params: PARAMS, fields_before: Some("meta"), plain: true, check, build };

static PARAMS: &[Param] = &[
    BOOST,
    INDEX,
    STORE,
    META,
    Param::new("index_options", Kind::Choice(&["docs"]), Default::Text("docs")),
    TERM_VECTOR,
    Param::bool("norms", false),
    Param::new("analyzer", Kind::Analyzer, Default::Text("default")).shown_if_given(),
    Param::new("search_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("search_quote_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("similarity", Kind::Similarity, Default::None).nullable(),
    Param::bool("eager_global_ordinals", false).changeable(),
    Param::new("position_increment_gap", Kind::Int, Default::Int(-1)),
    Param::bool("fielddata", false).changeable(),
    Param::new("fielddata_frequency_filter", Kind::Own(read_frequency_filter), Default::None).changeable(),
    Param::new("index_prefixes", Kind::Own(read_prefixes), Default::None).nullable(),
    Param::bool("index_phrases", false),
    // Text has no doc values; the reference accepts whatever is written here.
    Param::new("doc_values", Kind::Text, Default::None).changeable().hidden(),
];

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    let refuse = |reason: &str| Err(Error::new(ErrorKind::MapperParsing, reason));
    if params.get(PARAMS, "norms") == &Value::Bool(true) {
        return refuse("Norms cannot be enabled on for match_only_text field");
    }
    if params.get(PARAMS, "index_phrases") == &Value::Bool(true) {
        return refuse("Index phrases cannot be enabled on for match_only_text field. Use text field instead");
    }
    if !params.get(PARAMS, "index_prefixes").is_null() {
        return refuse("Index prefixes cannot be enabled on for match_only_text field. Use text field instead");
    }
    show_analyzers(PARAMS, params, cx.analysis);
    Ok(())
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let [index, search, quote] = analyzers(PARAMS, params, cx.analysis)?;
    let (indexed, stored) = (flag("index"), flag("store"));
    let gap = match params.get(PARAMS, "position_increment_gap").as_i64() {
        Some(-1) | None => index.indexed_gap(),
        Some(gap) => u32::try_from(gap.max(0)).unwrap_or(u32::MAX),
    };
    // The reference checks phrases against the source; positions find the same documents.
    let terms = Indexed::Terms { freqs: true, positions: true, offsets: false };
    let spec = IndexSpec {
        indexed: if indexed { terms } else { Indexed::No },
        stored,
        analyzer: Some(index.clone()),
        count_overlaps: false,
        position_increment_gap: gap,
        ..bare_spec()
    };
    let kind = Text {
        index_analyzer: index,
        search_analyzer: search,
        search_quote_analyzer: quote,
        similarity: params.get(PARAMS, "similarity").as_str().map(str::to_owned),
        fielddata: fielddata(PARAMS, params),
        indexed,
        stored,
        exists: indexed || stored,
        vectors_without_terms: false,
        alike: true,
        prefixes: false,
        beginnings: None,
        pairs: None,
    };
    Ok(Built { spec, kind: Box::new(kind) })
}
