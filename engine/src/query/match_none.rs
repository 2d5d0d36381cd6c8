//! `match_none`: no document.

use super::can_match;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct MatchNone;

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    for field in node.fields() {
        if matches!(field.node.value, Value::Object(_) | Value::Array(_) | Value::Null) {
            let reason = format!("[match_none] unknown token [{}] after [{}]", field.node.token(), field.key);
            return Err(field.node.error(reason));
        }
        if !common.take(field.key, field.node)? {
            return Err(unsupported(field.node, "match_none", field.key));
        }
    }
    Ok(Query::new(common, MatchNone))
}

impl Kind for MatchNone {
    fn is_match_none(&self) -> bool {
        true
    }

    fn plan(&self, _cx: &PlanContext) -> Result<Plan> {
        Ok(Plan::nothing("User requested \"match_none\" query."))
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }
}
