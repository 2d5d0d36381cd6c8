//! `rank_feature`: documents with a feature, the better the larger (or smaller) it is.

use super::declared::{Declared, NUMERIC, OBJECT, STRING, unbuildable};
use super::node::{Common, Node, check_boost};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::mapping::Family;
use crate::score::{FeatureFunction, FeatureQuery, FeatureSource, FoundIn, Plan, float_text};

#[derive(Debug)]
struct RankFeature {
    field: String,
    function: FeatureFunction,
}

const PARSER: Declared = Declared {
    name: "feature",
    fields: &[
        ("field", STRING),
        ("boost", NUMERIC),
        ("_name", STRING),
        ("log", OBJECT),
        ("saturation", OBJECT),
        ("sigmoid", OBJECT),
        ("linear", OBJECT),
    ],
};

const LOG: Declared = Declared { name: "log", fields: &[("scaling_factor", NUMERIC)] };
const SATURATION: Declared = Declared { name: "saturation", fields: &[("pivot", NUMERIC)] };
const SIGMOID: Declared = Declared { name: "sigmoid", fields: &[("pivot", NUMERIC), ("exponent", NUMERIC)] };
const LINEAR: Declared = Declared { name: "linear", fields: &[] };

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut name, mut function) = (None, None);
    let mut functions = 0;
    for field in node.fields() {
        match field.key {
            "field" => name = Some(PARSER.read(&field, |node| node.text())?),
            "linear" | "log" | "saturation" | "sigmoid" => {
                functions += 1;
                function = Some(PARSER.read(&field, |node| read_function(field.key, node))?);
            }
            _ => PARSER.take_common(&field, &mut common)?,
        }
    }
    let field = name.ok_or_else(|| Error::illegal_argument("Required [field]"))?;
    if functions > 1 {
        let cause = Error::illegal_argument("Can only specify one of [log], [saturation], [sigmoid] and [linear]");
        return Err(unbuildable("feature", cause));
    }
    let function = function.unwrap_or(FeatureFunction::Saturation { pivot: None });
    check_boost(common.boost).map_err(|cause| unbuildable("feature", cause))?;
    Ok(Query::new(common, RankFeature { field, function }))
}

fn read_function(name: &str, node: Node) -> Result<FeatureFunction> {
    let (mut scaling_factor, mut pivot, mut exponent) = (None, None, None);
    let parser = match name {
        "log" => LOG,
        "saturation" => SATURATION,
        "sigmoid" => SIGMOID,
        _ => LINEAR,
    };
    for field in node.fields() {
        let value = Some(parser.read(&field, |node| node.f32())?);
        match field.key {
            "scaling_factor" => scaling_factor = value,
            "pivot" => pivot = value,
            _ => exponent = value,
        }
    }
    let required = |names: &str| Err(Error::illegal_argument(format!("Required [{names}]")));
    match (name, scaling_factor, pivot, exponent) {
        ("linear", ..) => Ok(FeatureFunction::Linear),
        ("log", Some(scaling_factor), ..) => Ok(FeatureFunction::Log { scaling_factor }),
        ("log", ..) => required("scaling_factor"),
        ("saturation", ..) => Ok(FeatureFunction::Saturation { pivot }),
        (_, _, Some(pivot), Some(exponent)) => Ok(FeatureFunction::Sigmoid { pivot, exponent }),
        (_, _, None, None) => required("pivot, exponent"),
        (_, _, None, _) => required("pivot"),
        _ => required("exponent"),
    }
}

/// Parameters that no function has a meaning for.
fn check_function(function: FeatureFunction) -> Result<()> {
    let above_zero = |name: &str, value: f32| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::illegal_argument(format!("{name} must be > 0, got: {}", float_text(value)))),
    };
    match function {
        FeatureFunction::Log { scaling_factor } if !(scaling_factor >= 1.0 && scaling_factor.is_finite()) => {
            let value = float_text(scaling_factor);
            Err(Error::illegal_argument(format!("scalingFactor must be >= 1, got: {value}")))
        }
        FeatureFunction::Saturation { pivot: Some(pivot) } => above_zero("pivot", pivot),
        FeatureFunction::Sigmoid { pivot, exponent } => {
            above_zero("pivot", pivot)?;
            above_zero("exp", exponent)
        }
        _ => Ok(()),
    }
}

impl Kind for RankFeature {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.feature(&self.field) else {
            return Ok(Plan::nothing(""));
        };
        if field.family() != Family::Feature {
            return Err(Error::illegal_argument(format!(
                "[rank_feature] query only works on [rank_feature] fields and features of [rank_features] fields, not [{}]",
                field.type_name
            )));
        }
        // Of several features nobody asks.
        let negative = field.has_positive_score_impact() == Some(false) && field.feature().is_none();
        if negative && matches!(self.function, FeatureFunction::Log { .. }) {
            return Err(Error::illegal_argument(
                "Cannot use the [log] function with a field that has a negative score impact as it would trigger negative scores",
            ));
        }
        check_function(self.function)?;
        let source = match field.feature() {
            Some((field, feature)) => FeatureSource { field: field.clone(), feature: Some(feature.to_owned()) },
            None => FeatureSource { field: field.name.clone(), feature: None },
        };
        let found_in = Some(FoundIn { snapshot: cx.snapshot.clone(), rewritten: false });
        Ok(FeatureQuery { source, function: self.function, found_in }.plan())
    }
}
