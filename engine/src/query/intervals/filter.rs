//! What keeps only some intervals of a rule: how they stand to those of another rule, or a script.

use super::rule::Rule;
use crate::error::Result;
use crate::mapping::Field;
use crate::query::PlanContext;
use crate::query::node::Node;
use crate::query::script_of;
use crate::score::intervals::{Relation, Source};
use crate::script::Script;
use std::sync::Arc;

#[derive(Debug)]
pub enum Filter {
    Relation { relation: Relation, rule: Box<Rule> },
    Script(Arc<Script>),
}

/// Refuses an object with a second field.
fn check_alone(node: Node) -> Result<()> {
    match node.fields().nth(1) {
        Some(second) => Err(node.error_at(second.key_pos, "Expected [END_OBJECT] but got [FIELD_NAME]")),
        None => Ok(()),
    }
}

impl Filter {
    pub fn parse(node: Node) -> Result<Self> {
        let Some(field) = node.fields().next() else {
            return Err(node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        if field.key == "script" {
            let script = script_of(field.node)?;
            check_alone(node)?;
            return Ok(Self::Script(script));
        }
        let relation = Relation::NAMES.iter().find(|(name, _)| *name == field.key);
        let Some((_, relation)) = relation else {
            return Err(crate::error::Error::illegal_argument(format!("Unknown filter type [{}]", field.key)));
        };
        if field.node.object().is_none() {
            return Err(field.node.error(format!("Expected [START_OBJECT] but got [{}]", field.node.token())));
        }
        let Some(inner) = field.node.fields().next() else {
            return Err(field.node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        let rule =
            Rule::parse(inner.key, inner.key_pos, inner.node).map_err(|error| error.at(inner.node.last_pos()))?;
        check_alone(field.node)?;
        check_alone(node)?;
        Ok(Self::Relation { relation: *relation, rule: Box::new(rule) })
    }

    pub fn fields<'a>(&'a self, out: &mut Vec<&'a str>) {
        if let Self::Relation { rule, .. } = self {
            rule.fields(out);
        }
    }

    pub fn apply(&self, cx: &PlanContext, field: &Field, source: Source) -> Result<Source> {
        match self {
            Self::Relation { relation, rule } => {
                source.filtered(*relation, rule.source(cx, field)?, cx.limits.max_clause_count)
            }
            Self::Script(script) => Ok(Source::Scripted(Box::new(source), script.clone())),
        }
    }
}
