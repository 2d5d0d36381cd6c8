//! `rank_feature`: documents with a feature, the better the larger (or smaller) it is.

use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::Family;
use crate::score::{FeatureFunction, FeatureQuery, FeatureSource, Plan};

#[derive(Debug)]
struct RankFeature {
    field: String,
    function: FeatureFunction,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut name, mut function) = (None, None);
    for field in node.fields() {
        let unknown = |key: &str| {
            let reason = format!("{} [rank_feature] unknown field [{key}]", node.location(field.key_pos));
            field.node.error(reason.clone()).caused_by(Error::new(ErrorKind::XContentParse, reason))
        };
        match (field.key, field.node.value) {
            ("field", Value::String(text)) => name = Some(text.clone()),
            ("linear" | "log" | "saturation" | "sigmoid", Value::Object(_)) => {
                if function.is_some() {
                    return Err(Error::illegal_argument(
                        "Can only specify one of [log], [saturation], [sigmoid] and [linear]",
                    ));
                }
                function = Some(read_function(field.key, field.node)?);
            }
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unknown(key)),
        }
    }
    let field = name.ok_or_else(|| Error::illegal_argument("Required [field]"))?;
    let function = function.unwrap_or(FeatureFunction::Saturation { pivot: None });
    Ok(Query::new(common, RankFeature { field, function }))
}

fn read_function(name: &str, node: Node) -> Result<FeatureFunction> {
    let (mut scaling_factor, mut pivot, mut exponent) = (None, None, None);
    for field in node.fields() {
        match (name, field.key) {
            ("log", "scaling_factor") => scaling_factor = Some(field.node.f32()?),
            ("saturation" | "sigmoid", "pivot") => pivot = Some(field.node.f32()?),
            ("sigmoid", "exponent") => exponent = Some(field.node.f32()?),
            (_, key) => return Err(unsupported(field.node, name, key)),
        }
    }
    let required =
        |value: Option<f32>, name: &str| value.ok_or_else(|| Error::illegal_argument(format!("Required [{name}]")));
    Ok(match name {
        "linear" => FeatureFunction::Linear,
        "log" => FeatureFunction::Log { scaling_factor: required(scaling_factor, "scaling_factor")? },
        "saturation" => FeatureFunction::Saturation { pivot },
        _ => FeatureFunction::Sigmoid { pivot: required(pivot, "pivot")?, exponent: required(exponent, "exponent")? },
    })
}

impl Kind for RankFeature {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(Plan::nothing(format!("unmapped field [{}]", self.field)));
        };
        if field.family() != Family::Feature {
            return Err(Error::illegal_argument(format!(
                "[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [{}]",
                field.type_name
            )));
        }
        if field.has_positive_score_impact() == Some(false) {
            let refused = match self.function {
                FeatureFunction::Log { .. } => Some("log"),
                FeatureFunction::Linear => Some("linear"),
                _ => None,
            };
            if let Some(name) = refused {
                return Err(Error::illegal_argument(format!(
                    "Cannot use the [{name}] function with a field that has a negative score impact as it would trigger negative scores"
                )));
            }
        }
        let source = match field.feature() {
            Some((field, feature)) => FeatureSource { field: field.clone(), feature: Some(feature.to_owned()) },
            None => FeatureSource { field: field.name.clone(), feature: None },
        };
        Ok(FeatureQuery { source, function: self.function }.plan())
    }
}
