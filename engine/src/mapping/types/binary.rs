//! `binary`: base64 in documents; not searched.

use super::{Built, FieldContext, FieldType, TypeRow, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::json::base64;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{Default, Kind, META, Param, Params, STORE};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;

pub static ROW: TypeRow =
    TypeRow { name: "binary", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

static PARAMS: &[Param] = &[
    META,
    STORE,
    Param::bool("doc_values", false),
    // Never indexed; the reference accepts whatever is written here.
    Param::new("index", Kind::Text, Default::None).nullable().changeable().hidden(),
];

struct Binary {
    doc_values: bool,
    stored: bool,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let kind = Binary { doc_values: flag("doc_values"), stored: flag("store") };
    let spec = IndexSpec {
        indexed: Indexed::No,
        doc_values: if kind.doc_values { DocValues::Ordinals } else { DocValues::None },
        norms: false,
        stored: kind.stored,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

impl FieldType for Binary {
    fn family(&self) -> Family {
        Family::Binary
    }

    fn leaves_objects_unread(&self) -> bool {
        !(self.doc_values || self.stored)
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if token.value == Scalar::Null || !(self.doc_values || self.stored) {
            return Ok(());
        }
        let Scalar::String(text) = &token.value else {
            return Err(token.not_binary());
        };
        let bytes = base64::decode(text).map_err(|wrong| {
            // The preview goes on where reading ended.
            *sink.shown = text.get(wrong.read..).map(str::to_owned);
            wrong.error(token.start + 1)
        })?;
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::Bytes(bytes.clone()) });
        }
        if self.doc_values {
            sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(bytes) });
        } else {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(Error::new(ErrorKind::QueryShard, "Binary fields do not support searching"))
    }

    fn range(&self, _field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(Error::new(ErrorKind::QueryShard, "Binary fields do not support searching"))
    }

    /// Bytes are shown as they are, whatever the format says.
    fn doc_value_format(&self, _: &Field, _format: Option<&str>, _time_zone: Option<&str>) -> Result<DocValueFormat> {
        Ok(DocValueFormat::Binary)
    }
}
