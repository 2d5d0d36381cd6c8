//! `search_as_you_type`: text that comes with fields of its word pairs and triples, and of what they begin with.

use super::text::{TERM_VECTOR, Text, analyzers, show_analyzers};
use super::{Built, FieldContext, FieldType, Part, TypeRow, bare_spec};
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Sink, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds};
use crate::mapping::params::{Default, INDEX, Kind, META, Param, Params, STORE};
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "search_as_you_type", params: PARAMS, fields_before: Some("meta"), plain: true, check, build };

static PARAMS: &[Param] = &[
    // Text has no doc values, whatever is written here.
    Param::new("doc_values", Kind::Own(|_, _| Ok(Value::Bool(false))), Default::Bool(false))
        .changeable()
        .always_shown(),
    INDEX,
    STORE,
    META,
    Param::new("max_shingle_size", Kind::Int, Default::Int(3)).always_shown(),
    Param::new("index_options", Kind::Choice(&["positions", "docs", "freqs", "offsets"]), Default::Text("positions")),
    TERM_VECTOR,
    Param::bool("norms", true).only_off(),
    Param::new("analyzer", Kind::Analyzer, Default::Text("default")).shown_if_given().told_before("index_options"),
    Param::new("search_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("search_quote_analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("similarity", Kind::Similarity, Default::None).nullable().told_before("index_options"),
];

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    let size = params.get(PARAMS, "max_shingle_size").as_i64().unwrap_or_default();
    if !(2..=4).contains(&size) {
        let reason = format!("[max_shingle_size] must be at least [2] and at most [4], got [{size}]");
        return Err(Error::new(ErrorKind::MapperParsing, reason));
    }
    show_analyzers(PARAMS, params, cx.analysis);
    Ok(())
}

pub struct SearchAsYouType {
    text: Text,
    spec: IndexSpec,
    max_shingle_size: usize,
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let [index, search, quote] = analyzers(PARAMS, params, cx.analysis)?;
    let (indexed, stored) = (flag("index"), flag("store"));
    let norms = indexed && flag("norms");
    let options = params.get(PARAMS, "index_options").as_str().unwrap_or_default();
    let (freqs, positions) = (options != "docs", matches!(options, "positions" | "offsets"));
    let terms = Indexed::Terms { freqs, positions, offsets: options == "offsets" };
    let spec = IndexSpec {
        indexed: if indexed { terms } else { Indexed::No },
        norms,
        stored,
        analyzer: Some(index.clone()),
        position_increment_gap: index.indexed_gap(),
        ..bare_spec()
    };
    let text = Text {
        index_analyzer: index,
        search_analyzer: search,
        search_quote_analyzer: quote,
        similarity: params.get(PARAMS, "similarity").as_str().map(str::to_owned),
        fielddata: None,
        indexed,
        stored,
        exists: !norms && (indexed || stored),
        vectors_without_terms: false,
        alike: false,
        prefixes: true,
        beginnings: None,
        pairs: None,
    };
    let max_shingle_size = params.get(PARAMS, "max_shingle_size").as_i64().unwrap_or(3) as usize;
    Ok(Built { spec: spec.clone(), kind: Box::new(SearchAsYouType { text, spec, max_shingle_size }) })
}

impl SearchAsYouType {
    /// What its fields are called in mappings: itself, and those of word pairs and triples.
    pub const NAME: &str = "search_as_you_type";
    /// Longest beginning that is a term, in UTF-16 units.
    pub const PREFIX_MAX: usize = 20;

    /// Whether one of its fields is that of groups of words.
    pub fn is_group(name: &str) -> bool {
        name.rsplit_once("._").is_some_and(|(_, part)| part.ends_with("gram"))
    }

    /// The field of the beginnings that belongs to one of its fields.
    pub fn prefix_field(name: &str) -> String {
        let root = name.rsplit_once("._").filter(|_| Self::is_group(name)).map_or(name, |(root, _)| root);
        format!("{root}._index_prefix")
    }

    /// A field of the same values, analysed otherwise.
    fn part(&self, suffix: String, type_name: &'static str, index: Analyzer, search: [Analyzer; 2]) -> Part {
        let [search, quote] = search.map(Arc::new);
        let index = Arc::new(index);
        let position_increment_gap = index.indexed_gap();
        let spec =
            IndexSpec { stored: false, analyzer: Some(index.clone()), position_increment_gap, ..self.spec.clone() };
        let text = Text {
            index_analyzer: index,
            search_analyzer: search,
            search_quote_analyzer: quote,
            similarity: self.text.similarity.clone(),
            fielddata: None,
            indexed: self.text.indexed,
            stored: false,
            exists: false,
            vectors_without_terms: false,
            alike: false,
            prefixes: true,
            beginnings: None,
            pairs: None,
        };
        Part { suffix, type_name, hidden: false, built: Built { spec, kind: Box::new(text) } }
    }
}

impl FieldType for SearchAsYouType {
    fn check_aggregatable(&self, field: &Field) -> Result<()> {
        let (name, kind) = (&field.name, field.type_name);
        Err(Error::illegal_argument(format!("Fielddata is not supported on field [{name}] of type [{kind}]")))
    }

    fn parts(&self) -> Vec<Part> {
        let text = &self.text;
        let searched = [&text.search_analyzer, &text.search_quote_analyzer];
        let mut parts: Vec<Part> = (2..=self.max_shingle_size)
            .map(|size| {
                let shingles = |analyzer: &Arc<Analyzer>| analyzer.with_shingles(size);
                let index = shingles(&text.index_analyzer);
                self.part(format!("._{size}gram"), "search_as_you_type", index, searched.map(shingles))
            })
            .collect();
        let size = self.max_shingle_size;
        let index = text.index_analyzer.with_shingle_prefixes(size);
        // What is quoted is looked for as it is.
        let search = [text.search_analyzer.with_shingles(size), (*text.search_quote_analyzer).clone()];
        let mut prefixes = self.part("._index_prefix".to_owned(), "prefix", index, search);
        // Beginnings are as good in long texts as in short ones.
        prefixes.built.spec.norms = false;
        parts.push(prefixes);
        parts
    }

    fn has_prefixes(&self) -> bool {
        true
    }

    fn family(&self) -> Family {
        self.text.family()
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        self.text.index(field, token, sink)
    }

    fn term(&self, field: &Field, value: &Value, cx: &DateContext) -> Result<Exact> {
        self.text.term(field, value, cx)
    }

    fn range(&self, field: &Field, bounds: &RangeBounds, now_ms: i64) -> Result<FieldRange> {
        self.text.range(field, bounds, now_ms)
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        self.text.doc_value_format(field, format, time_zone)
    }

    fn searches_doc_values(&self) -> bool {
        false
    }

    fn search_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.text.search_analyzer()
    }

    fn search_quote_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.text.search_quote_analyzer()
    }

    fn index_analyzer(&self) -> Option<&Arc<Analyzer>> {
        self.text.index_analyzer()
    }

    fn similarity(&self) -> Option<&str> {
        self.text.similarity()
    }
}
