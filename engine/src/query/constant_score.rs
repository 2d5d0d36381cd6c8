//! `constant_score`: a query whose matches all score the boost.

use super::fields::is_rewritten_to_none;
use super::node::{Common, Node, unsupported};
use super::table::parse_node;
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct ConstantScore {
    filter: Query,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut filter = None;
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("filter", Value::Object(_)) => {
                if filter.is_some() {
                    return Err(field.node.error("[constant_score] accepts only one 'filter' element."));
                }
                filter = Some(parse_node(field.node)?);
            }
            (key, Value::Object(_)) => return Err(unsupported(field.node, "constant_score", key)),
            (_, Value::Array(_) | Value::Null) => {
                return Err(field.node.error(format!("unexpected token [{}]", field.node.token())));
            }
            (key, value) if !value.is_null() && common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "constant_score", key)),
        }
    }
    match filter {
        Some(filter) => Ok(Query::new(common, ConstantScore { filter })),
        None => Err(node.error_at_end("[constant_score] requires a 'filter' element")),
    }
}

impl Kind for ConstantScore {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        Ok(match self.filter.plan(cx)? {
            none if is_rewritten_to_none(&none) => none,
            filter => filter.constant(),
        })
    }

    fn is_match_none(&self) -> bool {
        self.filter.kind.is_match_none()
    }

    fn is_replaced(&self) -> bool {
        self.is_match_none()
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.filter.can_match(cx)
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.filter]
    }

    fn matched_children(&self, _scored: bool) -> Vec<(&Query, bool)> {
        vec![(&self.filter, false)]
    }
}
