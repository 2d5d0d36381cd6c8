//! `ids`: documents by `_id`.

use super::can_match;
use super::declared::{Declared, NUMERIC, STRING, STRINGS, texts};
use super::node::{Common, Node};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, Result};
use crate::score::{BlockIds, Plan};

#[derive(Debug)]
struct Ids {
    values: Vec<String>,
}

const PARSER: Declared =
    Declared { name: "ids", fields: &[("values", STRINGS), ("boost", NUMERIC), ("_name", STRING)] };

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut values = Vec::new();
    for field in node.fields() {
        let read = match field.key {
            "values" => PARSER.read(&field, texts).map(|read| values = read),
            _ => PARSER.read_common(&field, &mut common),
        };
        read.map_err(|cause| {
            let at = cause.place().unwrap_or(field.node.pos());
            field.node.error_at(at, cause.reason()).caused_by(cause)
        })?;
    }
    Ok(Query::new(common, Ids { values }))
}

/// The documents of these ids.
pub fn ids(values: Vec<String>) -> Query {
    Query::new(Common::default(), Ids { values })
}

/// The plan of these ids, none of which may be empty: nested documents bear the id of their document, too.
pub fn plan_ids(cx: &PlanContext, ids: Vec<String>) -> Result<Plan> {
    if ids.iter().any(String::is_empty) {
        return Err(Error::illegal_argument("Ids can't be empty"));
    }
    Ok(if cx.nested_path.is_some() { Plan::custom(BlockIds(ids)) } else { Plan::Ids(ids) })
}

impl Kind for Ids {
    fn is_replaced(&self) -> bool {
        self.values.is_empty()
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let plan = plan_ids(cx, self.values.clone())?;
        // Before a mapping there are no ids.
        let is_none = self.values.is_empty() || cx.mapping.is_unsaid();
        Ok(if is_none { super::fields::rewritten_to_none() } else { plan })
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }
}
