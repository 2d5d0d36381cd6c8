//! What keeps only some intervals of a rule: how they stand to those of another rule.

use super::rule::Rule;
use crate::error::Result;
use crate::mapping::Field;
use crate::query::PlanContext;
use crate::query::node::Node;
use crate::score::intervals::{Relation, Source};

#[derive(Debug)]
pub struct Filter {
    relation: Relation,
    rule: Box<Rule>,
}

impl Filter {
    pub fn parse(node: Node) -> Result<Self> {
        let Some(field) = node.fields().next() else {
            return Err(node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        if field.key == "script" {
            return Err(field.node.error("[intervals] a filter by script needs a script engine for intervals"));
        }
        let relation = Relation::NAMES.iter().find(|(name, _)| *name == field.key);
        let Some((_, relation)) = relation else {
            return Err(crate::error::Error::illegal_argument(format!("Unknown filter type [{}]", field.key)));
        };
        let Some(inner) = field.node.fields().next() else {
            return Err(field.node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        let rule = Rule::parse(inner.key, inner.key_pos, inner.node)?;
        Ok(Self { relation: *relation, rule: Box::new(rule) })
    }

    pub fn fields<'a>(&'a self, out: &mut Vec<&'a str>) {
        self.rule.fields(out);
    }

    pub fn apply(&self, cx: &PlanContext, field: &Field, source: Source) -> Result<Source> {
        let by = Box::new(self.rule.source(cx, field)?);
        Ok(Source::Filter { source: Box::new(source), relation: self.relation, by })
    }
}
