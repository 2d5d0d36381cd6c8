//! `boosting`: matches of one query, those of another one lowered.

use super::node::{Common, Node, unsupported};
use super::table::parse_node;
use super::{Kind, PlanContext, Query, fields};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::{self, Plan};

#[derive(Debug)]
struct Boosting {
    positive: Query,
    negative: Query,
    negative_boost: f32,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut positive, mut negative, mut negative_boost) = (None, None, -1.0f32);
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            ("positive", Value::Object(_)) => positive = Some(parse_node(field.node)?),
            ("negative", Value::Object(_)) => negative = Some(parse_node(field.node)?),
            (key, Value::Object(_)) => return Err(unsupported(field.node, "boosting", key)),
            (_, Value::Null) => {}
            ("negative_boost", _) => negative_boost = field.node.f32()?,
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, "boosting", key)),
        }
    }
    let missing = |what: &str| node.error_at_end(format!("[boosting] query requires '{what}' query to be set'"));
    let positive = positive.ok_or_else(|| missing("positive"))?;
    let negative = negative.ok_or_else(|| missing("negative"))?;
    if negative_boost < 0.0 {
        return Err(node.error_at_end("[boosting] query requires 'negative_boost' to be set to be a positive value'"));
    }
    Ok(Query::new(common, Boosting { positive, negative, negative_boost }))
}

impl Kind for Boosting {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        if self.negative_boost < 0.0 {
            return Err(Error::illegal_argument("query requires negativeBoost to be set to positive value"));
        }
        let positive = self.positive.plan(cx)?;
        if fields::is_rewritten_to_none(&positive) {
            return Ok(positive);
        }
        // What it grows to is known once scores are wanted, and not before.
        let (negative, asked) = match self.negative.plan(cx) {
            Err(error) if error.is_of_rewriting() => (Err(error), self.negative.plan(&cx.as_written())?.to_string()),
            planned => planned.map(|plan| (Ok(plan.clone()), plan.to_string()))?,
        };
        let negative_boost = self.negative_boost;
        Ok(Plan::custom(score::Boosting { positive, negative, asked, negative_boost }))
    }

    fn is_match_none(&self) -> bool {
        self.positive.kind.is_match_none()
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.positive.can_match(cx)
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.positive, &self.negative]
    }

    fn matched_children(&self, scored: bool) -> Vec<(&Query, bool)> {
        vec![(&self.positive, scored)]
    }
}
