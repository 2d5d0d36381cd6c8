//! `token_count`: an integer, the number of tokens of an analysed string.

use super::numeric::{number_format, number_spec, push_number};
use super::{Built, FieldContext, FieldType, TypeRow, no_check};
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, RangeBounds};
use crate::mapping::number::{NumberKind, has_decimal_part};
use crate::mapping::params::{DOC_VALUES, Default, INDEX, Kind, META, Param, Params, SKIP_LIST, STORE};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "token_count", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    INDEX,
    DOC_VALUES,
    STORE,
    Param::new("analyzer", Kind::Analyzer, Default::None).changeable().shown_if_given(),
    Param::new("null_value", Kind::Int, Default::None).nullable(),
    Param::bool("enable_position_increments", true),
    META,
    SKIP_LIST,
];

struct TokenCount {
    indexed: bool,
    doc_values: bool,
    stored: bool,
    analyzer: Arc<Analyzer>,
    null_value: Option<Value>,
    /// Counts positions, so that a removed stop word counts too; else tokens that stand at positions of their own.
    position_increments: bool,
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let name = params.get(PARAMS, "analyzer").as_str().ok_or_else(|| {
        let reason = format!("Analyzer must be set for field [{}] but wasn't.", cx.short_name());
        Error::new(ErrorKind::MapperParsing, reason)
    })?;
    let kind = TokenCount {
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        analyzer: cx.analysis.analyzer(name).unwrap_or_else(|| cx.analysis.default_analyzer()),
        null_value: params.given(PARAMS, "null_value").cloned(),
        position_increments: flag("enable_position_increments"),
    };
    Ok(Built { spec: number_spec(kind.indexed, kind.doc_values, kind.stored), kind: Box::new(kind) })
}

impl TokenCount {
    fn count(&self, text: &str) -> i64 {
        let mut scratch = crate::analysis::Scratch::default();
        let (mut positions, mut last) = (0i64, None);
        let mut sink = |token: &crate::analysis::Token<'_>| {
            if last != Some(token.position) {
                positions += 1;
                last = Some(token.position);
            }
        };
        let end = self.analyzer.analyze(text, &mut scratch, &mut sink);
        if self.position_increments { i64::from(end.position) } else { positions }
    }
}

impl FieldType for TokenCount {
    fn family(&self) -> Family {
        Family::Integer
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let value = match (&token.value, &self.null_value) {
            (Scalar::Null, None) => return Ok(()),
            (Scalar::Null, Some(null)) => null.as_i64().unwrap_or(0),
            _ => self.count(&token.text()?),
        };
        push_number(field, value, self.indexed, self.doc_values, sink);
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::Long(value) });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        if has_decimal_part(value) {
            return Ok(Exact::Nothing);
        }
        Ok(Exact::Number(NumberKind::Integer.encode_asked(value, true)?))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let range = NumberKind::Integer.range(bounds.lower(), bounds.upper())?;
        Ok(range.map_or(FieldRange::Nothing, |(lo, hi)| FieldRange::Numbers(lo, hi)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, None, time_zone)?;
        number_format(NumberKind::Integer, format)
    }

    fn reported_type(&self) -> Option<&'static str> {
        Some("integer")
    }

    fn number_kind(&self) -> Option<NumberKind> {
        Some(NumberKind::Integer)
    }

    fn counts_tokens(&self) -> bool {
        true
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }
}
