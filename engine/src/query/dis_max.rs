//! `dis_max`: the best score of several queries, and a share of the others.

use super::node::{Common, Node, unsupported};
use super::table::{parse_list, parse_node};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct DisMax {
    queries: Vec<Query>,
    tie_breaker: f32,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut queries = Vec::new();
    let mut tie_breaker = 0.0;
    for field in node.fields() {
        let inner = field.node;
        match (field.key, inner.value) {
            ("queries", Value::Object(_)) => queries.push(parse_node(inner)?),
            ("queries", Value::Array(items)) => {
                if items.is_empty() {
                    let reason = "[_na] query malformed, must start with start_object";
                    return Err(inner.error_at(inner.end_pos(), reason));
                }
                if let Some(first) = inner.items().next().filter(|item| item.object().is_none()) {
                    return Err(first.error("[_na] query malformed, must start with start_object"));
                }
                queries.extend(parse_list(inner)?.into_iter().map(|(_, query)| query));
            }
            (key, Value::Object(_) | Value::Array(_)) => return Err(unsupported(inner, "dis_max", key)),
            ("tie_breaker", _) => tie_breaker = inner.f32()?,
            (key, _) if common.take(key, inner)? => {}
            (key, _) => return Err(unsupported(inner, "dis_max", key)),
        }
    }
    if queries.is_empty() {
        return Err(node.error_at_end("[dis_max] requires 'queries' field with at least one clause"));
    }
    Ok(Query::new(common, DisMax { queries, tie_breaker }))
}

/// Refuses what the scores of the other alternatives cannot be multiplied by.
pub fn check_tie_breaker(tie_breaker: f32) -> Result<()> {
    match (0.0..=1.0).contains(&tie_breaker) {
        true => Ok(()),
        false => Err(Error::illegal_argument("tieBreakerMultiplier must be in [0, 1]")),
    }
}

impl Kind for DisMax {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let queries = self.queries.iter().filter(|query| !query.kind.is_null_on(cx));
        let plans = queries.map(|query| query.plan(cx)).collect::<Result<_>>()?;
        check_tie_breaker(self.tie_breaker)?;
        Ok(Plan::DisMax { plans, tie_breaker: self.tie_breaker })
    }

    fn required(&self) -> Vec<&Query> {
        vec![]
    }

    fn children(&self) -> Vec<&Query> {
        self.queries.iter().collect()
    }
}
