//! `ids`: documents by `_id`.

use super::node::{Common, Node};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct Ids {
    values: Vec<String>,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut values = Vec::new();
    for field in node.fields() {
        match (field.key, field.node.value) {
            ("values", Value::Array(_)) => {
                values = field.node.items().map(|item| item.text()).collect::<Result<_>>()?;
            }
            ("values", Value::String(id)) => values = vec![id.clone()],
            ("values", _) => {
                let at = node.location(field.node.pos());
                let reason = format!("{at} [ids] values doesn't support values of type: {}", field.node.token());
                return Err(declared(field.node, reason));
            }
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => {
                let at = node.location(field.key_pos);
                let known = crate::did_you_mean::suffix(key, ["boost", "_name", "values", "type"]);
                return Err(declared(field.node, format!("{at} [ids] unknown field [{key}]{known}")));
            }
        }
    }
    Ok(Query::new(common, Ids { values }))
}

/// An error of a parser that declares its fields.
fn declared(node: Node, reason: String) -> Error {
    node.error(reason.clone()).caused_by(Error::new(ErrorKind::XContentParse, reason))
}

/// The documents of these ids.
pub fn ids(values: Vec<String>) -> Query {
    Query::new(Common::default(), Ids { values })
}

impl Kind for Ids {
    fn plan(&self, _cx: &PlanContext) -> Result<Plan> {
        if self.values.iter().any(String::is_empty) {
            return Err(Error::illegal_argument("Ids can't be empty"));
        }
        Ok(match self.values.len() {
            0 => super::fields::rewritten_to_none(),
            _ => Plan::Ids(self.values.clone()),
        })
    }
}
