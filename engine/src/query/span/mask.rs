//! `field_masking_span`: spans of one field as if they stood in another.

use super::{boxed, clause};
use crate::error::Result;
use crate::json::Value;
use crate::query::node::{Common, Node, check_name, unsupported};
use crate::query::{Kind, PlanContext, Query};
use crate::score::Plan;
use crate::score::spans::Span;

/// What its errors call it.
const NAME: &str = "span_field_masking";

#[derive(Debug)]
struct Mask {
    inner: Query,
    field: String,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut inner, mut name) = (None, None);
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("query", Value::Object(_)) => inner = Some(clause(field.node, NAME, "query")?),
            (key, Value::Object(_)) => return Err(unsupported(field.node, NAME, key)),
            ("field", _) => name = Some(field.node.text()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => return Err(unsupported(field.node, NAME, key)),
        }
    }
    let inner = inner.ok_or_else(|| node.error_at_end(format!("{NAME} must have [query] span query clause")))?;
    let field = name.ok_or_else(|| node.error_at_end(format!("{NAME} must have [field] set for it")))?;
    check_name(&field)?;
    Ok(Query::new(common, Mask { inner, field }))
}

impl Kind for Mask {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.span(cx).map(Plan::custom)
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.inner]
    }

    fn is_span(&self) -> bool {
        true
    }

    fn span(&self, cx: &PlanContext) -> Result<Span> {
        let field = cx.field(&self.field).map_or_else(|| self.field.as_str().into(), |field| field.name.clone());
        Ok(Span::Mask { inner: boxed(&self.inner, cx)?, field })
    }
}
