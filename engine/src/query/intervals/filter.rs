//! What keeps only some intervals of a rule: how they stand to those of another rule, or a script.

use super::parse;
use super::rule::Rule;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::Field;
use crate::query::PlanContext;
use crate::query::node::Node;
use crate::query::script_of;
use crate::score::intervals::{Relation, Source};
use crate::script::{Script, context};
use std::sync::Arc;

#[derive(Debug)]
pub enum Filter {
    /// By the name of the relation, which is looked at when everything else is known to be there.
    Relation {
        name: String,
        rule: Box<Rule>,
    },
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
            if !matches!(field.node.value, Value::Object(_)) {
                let (at, token) = (field.node.location(field.node.pos()), field.node.token());
                let reason = format!("{at} [script] Expected START_OBJECT but was: {token}");
                return Err(Error::new(ErrorKind::XContentParse, reason).at(field.node.pos()));
            }
            let script = script_of(field.node)?;
            check_alone(node)?;
            return Ok(Self::Script(script));
        }
        if field.node.object().is_none() {
            return Err(field.node.error(format!("Expected [START_OBJECT] but got [{}]", field.node.token())));
        }
        let Some(inner) = field.node.fields().next() else {
            return Err(field.node.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        let rule =
            parse::parse(inner.key, inner.key_pos, inner.node).map_err(|error| error.at(inner.node.last_pos()))?;
        check_alone(field.node)?;
        check_alone(node)?;
        Ok(Self::Relation { name: field.key.to_lowercase(), rule: Box::new(rule) })
    }

    pub fn apply(&self, cx: &PlanContext, field: &Field, source: Source) -> Result<Source> {
        match self {
            Self::Relation { name, rule } => {
                let by = rule.source(cx, field)?;
                let Some((_, relation)) = Relation::NAMES.iter().find(|(known, _)| known == name) else {
                    return Err(Error::illegal_argument(format!("Unknown filter type [{name}]")));
                };
                source.filtered(*relation, by, cx.limits.max_clause_count)
            }
            Self::Script(script) => {
                script.check(&context::INTERVAL, cx.mapping)?;
                Ok(Source::Scripted(Box::new(source), script.clone()))
            }
        }
    }
}
