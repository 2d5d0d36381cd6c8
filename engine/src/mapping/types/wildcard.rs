//! `wildcard`: strings as they are, for patterns. The reference keeps pieces of them and checks candidates; here patterns go
//! over the term dictionary, as for keywords.

use super::keyword::Keyword;
use super::{Built, FieldContext, PLAIN_TERMS, TypeRow, bare_spec, no_check};
use crate::error::Result;
use crate::json::Value;
use crate::mapping::field::{DocValues, IndexSpec};
use crate::mapping::params::{Default, Kind, META, Param, Params};

pub static ROW: TypeRow =
    TypeRow { name: "wildcard", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    Param::new("null_value", Kind::Text, Default::None).nullable(),
    Param::new("ignore_above", Kind::Int, Default::Int(i32::MAX as i64)).changeable(),
    Param::new("normalizer", Kind::Text, Default::Text("default")),
    Param::bool("doc_values", true).always_shown(),
    META,
    // Always indexed; the reference accepts whatever is written here.
    Param::new("index", Kind::Text, Default::None).changeable().hidden(),
];

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let normalizer = match params.get(PARAMS, "normalizer").as_str() {
        None | Some("default") => None,
        // One that the index does not have changes nothing.
        Some(name) => cx.analysis.normalizer(name),
    };
    let doc_values = params.get(PARAMS, "doc_values") == &Value::Bool(true);
    let ignore_above = params.get(PARAMS, "ignore_above").as_i64().unwrap_or(i64::MAX);
    let spec = IndexSpec {
        indexed: PLAIN_TERMS,
        doc_values: if doc_values { DocValues::Ordinals } else { DocValues::None },
        ..bare_spec()
    };
    let kind = Keyword {
        indexed: true,
        doc_values,
        stored: false,
        exists: !doc_values,
        null_value: params.given(PARAMS, "null_value").cloned(),
        ignore_above: usize::try_from(ignore_above.max(0)).unwrap_or(usize::MAX),
        normalizer,
        similarity: None,
        use_similarity: false,
        splits_queries: false,
    };
    Ok(Built { spec, kind: Box::new(kind) })
}
