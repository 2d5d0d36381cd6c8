//! `exists`: documents with any value of a field.

use super::fields;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct Exists {
    field: String,
}

/// An exists query made by code.
pub fn exists(field: &str) -> Query {
    Query::new(Common::default(), Exists { field: field.to_owned() })
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut name = None;
    for field in node.fields() {
        match field.key {
            _ if matches!(field.node.value, Value::Array(_) | Value::Object(_) | Value::Null) => {
                return Err(node.error_at(
                    field.node.pos(),
                    format!("[exists] unknown token [{}] after [{}]", field.node.token(), field.key),
                ));
            }
            "field" => name = Some(field.node.text()?),
            key if common.take(key, field.node)? => {}
            key => return Err(unsupported(field.node, "exists", key)),
        }
    }
    match name {
        Some(field) if field.is_empty() => Err(Error::illegal_argument("field name is null or empty")),
        Some(field) => Ok(Query::new(common, Exists { field })),
        None => Err(node.error_at_end("[exists] must be provided with a [field]")),
    }
}

impl Kind for Exists {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        Ok(match fields::exists(cx, &self.field)? {
            // It has been put aside before anybody asks what there is.
            Plan::Nothing(_) => fields::rewritten_to_none(),
            plan => plan,
        })
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        !matches!(self.plan(cx), Ok(Plan::Nothing(_)))
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        !self.can_match(cx)
    }
}
