//! `keyword`: strings as they are, or normalized.

use super::text::text_range;
use super::{Built, FieldContext, FieldType, TypeRow, no_check};
use crate::analysis::Normalizer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{BOOST, DOC_VALUES, Default, INDEX, Kind, META, Param, Params, STORE, java_text};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

/// Longest term of an index, in bytes.
pub const MAX_TERM_BYTES: usize = 32_766;

pub static ROW: TypeRow =
    TypeRow { name: "keyword", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    INDEX,
    DOC_VALUES,
    STORE,
    Param::new("null_value", Kind::Text, Default::None).nullable(),
    Param::bool("eager_global_ordinals", false).changeable(),
    Param::new("ignore_above", Kind::Int, Default::Int(i32::MAX as i64)).changeable(),
    Param::new("index_options", Kind::Choice(&["docs", "freqs"]), Default::Text("docs")),
    Param::bool("norms", false).only_off(),
    Param::new("similarity", Kind::Similarity, Default::None).nullable(),
    Param::bool("use_similarity", false).changeable(),
    // Looked for when the mapping is built, after all of it has been read.
    Param::new("normalizer", Kind::Text, Default::Text("default")),
    Param::bool("split_queries_on_whitespace", false).changeable(),
    BOOST,
    META,
];

pub(super) struct Keyword {
    pub indexed: bool,
    pub doc_values: bool,
    pub stored: bool,
    pub exists: bool,
    pub null_value: Option<Value>,
    /// In UTF-16 units.
    pub ignore_above: usize,
    pub normalizer: Option<Arc<Normalizer>>,
    pub similarity: Option<String>,
    pub use_similarity: bool,
    pub splits_queries: bool,
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let normalizer = match params.get(PARAMS, "normalizer").as_str() {
        None | Some("default") => None,
        Some(name) => Some(cx.analysis.normalizer(name).ok_or_else(|| {
            let field = cx.name;
            Error::new(ErrorKind::MapperParsing, format!("normalizer [{name}] not found for field [{field}]"))
        })?),
    };
    let (indexed, doc_values, stored) = (flag("index"), flag("doc_values"), flag("store"));
    let norms = indexed && flag("norms");
    let freqs = params.get(PARAMS, "index_options").as_str() == Some("freqs");
    let ignore_above = params.get(PARAMS, "ignore_above").as_i64().unwrap_or(i64::MAX);
    let spec = IndexSpec {
        indexed: if indexed { Indexed::Terms { freqs, positions: false, offsets: false } } else { Indexed::No },
        doc_values: if doc_values { DocValues::Ordinals } else { DocValues::None },
        norms,
        stored,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    };
    let kind = Keyword {
        indexed,
        doc_values,
        stored,
        exists: !doc_values && !norms && (indexed || stored),
        null_value: params.given(PARAMS, "null_value").cloned(),
        ignore_above: usize::try_from(ignore_above.max(0)).unwrap_or(usize::MAX),
        normalizer,
        similarity: params.get(PARAMS, "similarity").as_str().map(str::to_owned),
        use_similarity: flag("use_similarity"),
        // The normalizer that is there of itself takes texts as a whole, even for queries.
        splits_queries: flag("split_queries_on_whitespace")
            && !params.get(PARAMS, "normalizer").as_str().is_some_and(|name| cx.analysis.has_built_in_normalizer(name)),
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

impl Keyword {
    /// Whether a value is too long to be indexed.
    fn is_ignored(&self, text: &str) -> bool {
        // Bytes are at least as many as UTF-16 units: short values need no counting.
        text.len() > self.ignore_above && text.encode_utf16().count() > self.ignore_above
    }

    fn normalize(&self, text: String) -> Vec<u8> {
        match &self.normalizer {
            Some(normalizer) => normalizer.normalize(&text).into_owned().into_bytes(),
            None => text.into_bytes(),
        }
    }
}

impl FieldType for Keyword {
    fn family(&self) -> Family {
        Family::Keyword
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        // Asked before the text is taken: strings with escapes are copied for that.
        if let Scalar::String(text) = &token.value
            && self.is_ignored(text)
        {
            return Ok(());
        }
        let text = match (&token.value, &self.null_value) {
            (Scalar::Null, None) => return Ok(()),
            (Scalar::Null, Some(null)) => Cow::Owned(java_text(null)),
            _ => token.text()?,
        };
        if self.is_ignored(&text) {
            return Ok(());
        }
        let text = match &self.normalizer {
            Some(normalizer) => Cow::Owned(normalizer.normalize(&text).into_owned()),
            None => text,
        };
        push_bytes(field, text, self.indexed, self.doc_values, self.stored, sink);
        if self.exists {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(self.normalize(java_text(value))))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(text_range(bounds, |text| self.normalize(text)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn normalizer(&self) -> Option<&Arc<Normalizer>> {
        self.normalizer.as_ref()
    }

    fn splits_queries_on_whitespace(&self) -> bool {
        self.splits_queries
    }

    fn similarity(&self) -> Option<&str> {
        self.similarity.as_deref()
    }

    fn uses_similarity(&self) -> bool {
        self.use_similarity
    }

    fn ignore_above(&self) -> Option<u32> {
        u32::try_from(self.ignore_above).ok().filter(|above| *above < i32::MAX as u32)
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }
}

/// One value as term, doc value and stored text.
fn push_bytes<'a>(
    field: &Field,
    text: Cow<'a, str>,
    indexed: bool,
    doc_values: bool,
    stored: bool,
    sink: &mut Sink<'_, 'a>,
) {
    let bytes = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    if (indexed || doc_values) && bytes.len() > MAX_TERM_BYTES {
        return sink.refuse(if indexed { immense_term(field, &bytes) } else { immense_doc_value(field) });
    }
    if stored {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(text) });
    }
    if doc_values {
        sink.push(FieldOp::Ordinal { field: field.id, value: bytes.clone() });
    }
    if indexed {
        sink.push(FieldOp::Term { field: field.id, value: bytes });
    }
}

#[cold]
fn immense_doc_value(field: &Field) -> Error {
    let name = &field.name;
    Error::illegal_argument(format!("DocValuesField \"{name}\" is too large, must be <= {MAX_TERM_BYTES}"))
}

/// The refusal of a value that is too long for a term. It is an error of the whole document, not of the field.
#[cold]
pub fn immense_term(field: &Field, bytes: &[u8]) -> Error {
    let prefix: Vec<_> = bytes.iter().take(30).map(|b| (*b as i8).to_string()).collect();
    let (name, length, max) = (&field.name, bytes.len(), MAX_TERM_BYTES);
    let cause =
        Error::new(ErrorKind::MaxBytesLengthExceeded, format!("bytes can be at most {max} in length; got {length}"));
    Error::illegal_argument(format!(
        "Document contains at least one immense term in field=\"{name}\" (whose UTF8 encoding is longer than the max length {max}), all of which were skipped.  Please correct the analyzer to not produce such terms.  The prefix of the first immense term is: '[{}]...', original message: bytes can be at most {max} in length; got {length}",
        prefix.join(", ")
    ))
    .caused_by(cause)
}
