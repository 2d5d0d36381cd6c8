//! `rank_feature`: one positive number per document, for `rank_feature` queries alone.

use super::{Built, FieldContext, FieldType, TypeRow, bare_spec, no_check};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, RangeBounds};
use crate::mapping::number::{NumberKind, java_f32, parse_java_f64};
use crate::mapping::params::{META, Param, Params};
use crate::writer::FieldOp;

pub static ROW: TypeRow =
    TypeRow { name: "rank_feature", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

pub(super) static PARAMS: &[Param] = &[Param::bool("positive_score_impact", true), META];

struct RankFeature {
    positive: bool,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let positive = params.get(PARAMS, "positive_score_impact") == &Value::Bool(true);
    // The numbers stand in a column that nothing but the field's own query reads.
    Ok(Built { spec: bare_spec(), kind: Box::new(RankFeature { positive }) })
}

/// The bits that the reference keeps of a feature: sign, exponent and the first bits of the mantissa.
const DROPPED_BITS: u32 = 15;

/// The number that stands for a feature: with all that is beyond nine bits of precision cut off, and inverted where large
/// features are to score low.
pub(super) fn feature_value(value: f32, positive: bool, feature: &str, field: &str) -> Result<f32> {
    if !value.is_finite() {
        let shown = java_f32(value);
        let reason = format!("featureValue must be finite, got: {shown} for feature {feature} on field {field}");
        return Err(Error::illegal_argument(reason));
    }
    let value = if positive { value } else { 1.0 / value };
    if value >= f32::MIN_POSITIVE && value.is_finite() {
        return Ok(f32::from_bits(value.to_bits() >> DROPPED_BITS << DROPPED_BITS));
    }
    let shown = java_f32(value);
    Err(Error::illegal_argument(format!(
        "featureValue must be a positive normal float, got: {shown} for feature {feature} on field {field} which is less than the minimum positive normal float: 1.1754944E-38"
    )))
}

pub(super) fn refuse_query(type_name: &str) -> Error {
    Error::illegal_argument(format!("Queries on [{type_name}] fields are not supported"))
}

pub(super) fn refuse_aggregating(type_name: &str) -> Error {
    Error::illegal_argument(format!("[{type_name}] fields do not support sorting, scripting or aggregating"))
}

impl FieldType for RankFeature {
    fn family(&self) -> Family {
        Family::Feature
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        if token.value == Scalar::Null {
            return Ok(());
        }
        let encoded = match &token.value {
            // Java reads what is no finite number too.
            Scalar::String(text) if !text.is_empty() => NumberKind::Float.encode_saturating(parse_java_f64(text)?),
            Scalar::Number(digits) => match digits.parse::<f64>() {
                Ok(value) => NumberKind::Float.encode_saturating(value),
                Err(_) => return Ok(()),
            },
            Scalar::String(_) => return Err(Error::new(ErrorKind::NumberFormat, "empty String")),
            _ => match token.number(NumberKind::Float, true)? {
                Some(encoded) => encoded,
                None => return Ok(()),
            },
        };
        let again = |op: &FieldOp| matches!(op, FieldOp::Number { field: other, .. } if *other == field.id);
        if sink.ops.iter().any(again) {
            let name = &field.name;
            return Err(Error::illegal_argument(format!(
                "[rank_feature] fields do not support indexing multiple values for the same field [{name}] in the same document"
            )));
        }
        let value = NumberKind::Float.decode(encoded) as f32;
        let value = feature_value(value, self.positive, &field.name, "_feature")?;
        sink.push(FieldOp::Number { field: field.id, value: NumberKind::Float.encode_saturating(f64::from(value)) });
        Ok(())
    }

    fn term(&self, _field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(refuse_query("rank_feature"))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(super::no_range(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, zone)?;
        Err(refuse_aggregating("rank_feature"))
    }

    fn check_aggregatable(&self, _field: &Field) -> Result<()> {
        Err(refuse_aggregating("rank_feature"))
    }

    fn has_positive_score_impact(&self) -> Option<bool> {
        Some(self.positive)
    }
}
