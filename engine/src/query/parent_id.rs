//! `parent_id`: the children of one parent.

use super::has_child::{join_field, key_field, of_relations};
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::{BoolPlan, Plan};

#[derive(Debug)]
struct ParentId {
    child: Option<String>,
    id: Option<String>,
    ignore_unmapped: bool,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut query = ParentId { child: None, id: None, ignore_unmapped: false };
    for field in node.fields() {
        match field.key {
            key if matches!(field.node.value, Value::Object(_) | Value::Array(_) | Value::Null) => {
                return Err(unsupported(field.node, "parent_id", key));
            }
            "type" => query.child = Some(field.node.text()?),
            "id" => query.id = Some(field.node.text()?),
            "ignore_unmapped" => query.ignore_unmapped = field.node.bool()?,
            key if common.take(key, field.node)? => {}
            key => return Err(unsupported(field.node, "parent_id", key)),
        }
    }
    Ok(Query::new(common, query))
}

/// The children of a type that one parent has.
pub fn parent_id(child: &str, id: &str) -> Query {
    let query = ParentId { child: Some(child.to_owned()), id: Some(id.to_owned()), ignore_unmapped: false };
    Query::new(Common::default(), query)
}

impl Kind for ParentId {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[joining] queries", "")?;
        let none = || cx.error(format!("[parent_id] no join field found for index [{}]", cx.index));
        let Some(field) = join_field(cx, "parent_id", self.ignore_unmapped).map_err(|_| none())? else {
            return Ok(Plan::nothing(""));
        };
        let child = self.child.as_deref().unwrap_or_default();
        let Some(parent) = field.relations().and_then(|relations| relations.parent_of(child)) else {
            if self.ignore_unmapped {
                return Ok(Plan::nothing(""));
            }
            let child = self.child.as_deref().unwrap_or("null");
            return Err(cx.error(format!("[parent_id] no relation found for child [{child}]")));
        };
        let Some(id) = &self.id else {
            let reason = "Cannot invoke \"org.apache.lucene.util.BytesRef.compareTo(org.apache.lucene.util.BytesRef)\" because \"target\" is null";
            return Err(Error::new(ErrorKind::NullPointer, reason));
        };
        let own = Plan::term(&key_field(field, parent), id.as_bytes());
        let filter = vec![of_relations(field, &[child])];
        Ok(Plan::Bool(BoolPlan { must: vec![own], filter, ..BoolPlan::default() }))
    }
}
