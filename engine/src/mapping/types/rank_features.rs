//! `rank_features`: positive numbers by name, for `rank_feature` queries alone.
//!
//! A feature is a term (its name) and a doc value: the name, a zero byte, and the number's bits.

use super::rank_feature::{PARAMS, feature_value, refuse_aggregating, refuse_query};
use super::{Built, FieldContext, FieldType, PLAIN_TERMS, TypeRow, bare_spec, no_check};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldId, FieldRange, IndexSpec, RangeBounds};
use crate::mapping::number::parse_java_f64;
use crate::mapping::params::Params;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "rank_features", params: PARAMS, fields_before: None, plain: true, check: no_check, build };

struct RankFeatures {
    positive: bool,
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let positive = params.get(PARAMS, "positive_score_impact") == &Value::Bool(true);
    let spec = IndexSpec { indexed: PLAIN_TERMS, ..bare_spec() };
    Ok(Built { spec, kind: Box::new(RankFeatures { positive }) })
}

/// The doc value of a feature.
fn encode(feature: &str, value: f32) -> Vec<u8> {
    [feature.as_bytes(), &[0], &value.to_bits().to_be_bytes()].concat()
}

/// What doc values of a feature begin with.
pub fn feature_prefix(feature: &str) -> Vec<u8> {
    [feature.as_bytes(), &[0]].concat()
}

/// The number of a doc value.
pub fn decode_feature(bytes: &[u8]) -> Option<f32> {
    bytes.last_chunk().map(|bits| f32::from_bits(u32::from_be_bytes(*bits)))
}

impl RankFeatures {
    fn add(&self, field: &Field, feature: &str, value: &Value, sink: &mut Sink) -> Result<()> {
        let number = match value {
            Value::Null => return Ok(()),
            Value::Array(_) | Value::Object(_) | Value::Bool(_) => {
                let token = value.token();
                return Err(Error::illegal_argument(format!(
                    "[rank_features] fields take hashes that map a feature to a strictly positive float, but got unexpected token {token}"
                )));
            }
            Value::String(text) => parse_java_f64(text)? as f32,
            value => value.as_f64().unwrap_or(f64::INFINITY) as f32,
        };
        let name = &field.name;
        let term = Cow::Owned(feature.as_bytes().to_vec());
        let own = FieldOp::Term { field: field.id, value: term };
        if sink.ops.contains(&own) {
            return Err(Error::illegal_argument(format!(
                "[rank_features] fields do not support indexing multiple values for the same rank feature [{name}.{feature}] in the same document"
            )));
        }
        let number = feature_value(number, self.positive, feature, name)?;
        sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(encode(feature, number)) });
        sink.push(own);
        Ok(())
    }
}

impl FieldType for RankFeatures {
    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn names_field_in_errors(&self) -> bool {
        false
    }

    fn family(&self) -> Family {
        Family::Features
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        match &token.value {
            Scalar::Object => {
                let features = token.json()?;
                let features = features.as_object().into_iter().flat_map(|map| map.iter());
                features.into_iter().try_for_each(|(feature, value)| self.add(field, feature, value, sink))
            }
            _ => Err(Error::illegal_argument(format!(
                "[rank_features] fields must be json objects, expected a START_OBJECT but got: {}",
                token.type_name()
            ))),
        }
    }

    /// A feature, as the query for one names it.
    fn sub_field(&self, field: &Field, path: &str) -> Option<Field> {
        let kind = Feature { positive: self.positive, field: field.name.clone(), feature: path.to_owned() };
        Some(Field {
            id: FieldId(u32::MAX),
            name: format!("{}.{path}", field.name).into(),
            spec: bare_spec(),
            type_name: "rank_features",
            boost: 1.0,
            meta: None,
            hidden: true,
            derived: None,
            kind: Box::new(kind),
        })
    }

    fn term(&self, _field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Err(refuse_query("rank_features"))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(super::no_range(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, zone)?;
        Err(refuse_aggregating("rank_features"))
    }

    fn check_aggregatable(&self, _field: &Field) -> Result<()> {
        Err(refuse_aggregating("rank_features"))
    }
}

/// One feature of such a field.
struct Feature {
    positive: bool,
    field: Arc<str>,
    feature: String,
}

impl FieldType for Feature {
    fn family(&self) -> Family {
        Family::Feature
    }

    fn index<'a>(&self, field: &Field, _token: &Token<'a>, _sink: &mut Sink<'_, 'a>) -> Result<()> {
        Err(Error::illegal_argument(format!("Cannot write to the feature [{}]", field.name)))
    }

    fn term(&self, _field: &Field, _value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Nothing)
    }

    fn range(&self, _field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(FieldRange::Nothing)
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, zone)?;
        Err(refuse_aggregating("rank_features"))
    }

    fn check_aggregatable(&self, _field: &Field) -> Result<()> {
        Err(refuse_aggregating("rank_features"))
    }

    fn has_positive_score_impact(&self) -> Option<bool> {
        Some(self.positive)
    }

    fn feature(&self) -> Option<(&Arc<str>, &str)> {
        Some((&self.field, &self.feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_keep_their_numbers() {
        let bytes = encode("foo", 3.0);
        assert!(bytes.starts_with(&feature_prefix("foo")));
        assert_eq!(decode_feature(&bytes), Some(3.0));
        assert_eq!(feature_value(3.3, true, "f", "f"), Ok(3.296_875));
    }
}
