//! `terms`: documents with any of some exact values.

use super::fields;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct Terms {
    field: String,
    values: Vec<Value>,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<(String, Vec<Value>)> = None;
    for field in node.fields() {
        match field.node.value {
            Value::Array(items) => {
                if found.is_some() {
                    return Err(field.node.error("[terms] query does not support multiple fields"));
                }
                if let Some(null) = field.node.items().find(|item| item.value.is_null()) {
                    return Err(null.error("No value specified for terms query"));
                }
                found = Some((field.key.to_owned(), items.clone()));
            }
            Value::Object(_) => {
                if found.is_some() {
                    return Err(field.node.error("[terms] query does not support more than one field"));
                }
                return Err(field.node.error("[terms] lookup of terms in a document is not supported yet"));
            }
            _ if common.take(field.key, field.node)? => {}
            _ => return Err(unsupported(field.node, "terms", field.key)),
        }
    }
    let Some((field, values)) = found else {
        return Err(node.error_at_end(
            "[terms] query requires a field name, followed by array of terms or a document lookup specification",
        ));
    };
    Ok(Query::new(common, Terms { field, values }))
}

impl Kind for Terms {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let (count, limit) = (self.values.len(), cx.limits.max_terms_count);
        if count > limit {
            return Err(Error::illegal_argument(format!(
                "The number of terms [{count}] used in the Terms Query request has exceeded the allowed maximum of [{limit}]. This maximum can be set by changing the [index.max_terms_count] index level setting."
            )));
        }
        match cx.field(&self.field) {
            Some(field) => fields::terms(cx, field, &self.values),
            None => Ok(Plan::nothing(format!("unmapped field [{}]", self.field))),
        }
    }
}
