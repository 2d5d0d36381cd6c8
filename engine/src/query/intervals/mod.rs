//! `intervals`: positions of terms by rules. - `rule`: what the rules find, one function each. - `parse`: how they are read.
//! - `filter`: what filters intervals.

mod filter;
mod parse;
mod rule;

use super::node::{Common, Node};
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::json::Value;
use crate::score::Plan;
use crate::score::intervals::{Intervals, Source};
use rule::Rule;

#[derive(Debug)]
struct IntervalsQuery {
    field: String,
    rule: Rule,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut fields = node.fields();
    let Some(field) = fields.next() else {
        return Err(node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
    };
    if !matches!(field.node.value, Value::Object(_)) {
        return Err(field.node.error(format!("Expected [START_OBJECT] but got [{}]", field.node.token())));
    }
    let mut common = Common::default();
    let mut rule: Option<(&str, Rule)> = None;
    for inner in field.node.fields() {
        if common.take(inner.key, inner.node)? {
            continue;
        }
        if let Some((first, _)) = &rule {
            let reason = format!("Only one interval rule can be specified, found [{first}] and [{}]", inner.key);
            return Err(inner.node.error_at(inner.key_pos, reason));
        }
        rule = Some((inner.key, parse::parse(inner.key, inner.key_pos, inner.node)?));
    }
    if let Some(second) = fields.next() {
        return Err(node.error_at(second.key_pos, "Expected [END_OBJECT] but got [FIELD_NAME]"));
    }
    let (_, rule) = rule.ok_or_else(|| node.error_at_end("Missing intervals from interval query definition"))?;
    Ok(Query::new(common, IntervalsQuery { field: field.key.to_owned(), rule }))
}

impl Kind for IntervalsQuery {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.field) else {
            return Ok(Plan::nothing(""));
        };
        let mut masked = vec![];
        self.rule.fields(&mut masked);
        if masked.into_iter().any(|name| cx.field(name).is_none()) {
            return Ok(Plan::nothing(""));
        }
        let source: Source = self.rule.source(cx, field)?;
        Ok(Plan::custom(Intervals { field: field.name.clone(), source }))
    }
}
