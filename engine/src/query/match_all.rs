//! `match_all`: every document.

use super::declared::{Declared, NUMERIC, STRING};
use super::node::{Common, Node};
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::score::Plan;

#[derive(Debug)]
struct MatchAll;

pub fn parse(node: Node) -> Result<Query> {
    Ok(Query::new(parse_common(node)?, MatchAll))
}

/// The reference may stop short where it has seen enough of all documents, and says so.
pub const APPROXIMATE_ALL: &str = "ApproximateScoreQuery(originalQuery=*:*, approximationQuery=Approximate(*:*))";

/// The query of a request that has none.
pub fn match_all() -> Query {
    Query::new(Common::default(), MatchAll)
}

const PARSER: Declared = Declared { name: "match_all", fields: &[("boost", NUMERIC), ("_name", STRING)] };

/// An object that may hold nothing but what all queries have.
fn parse_common(node: Node) -> Result<Common> {
    let mut common = Common::default();
    for field in node.fields() {
        PARSER
            .read_common(&field, &mut common)
            .map_err(|refused| field.node.error(refused.reason()).caused_by(refused))?;
    }
    Ok(common)
}

impl Kind for MatchAll {
    fn is_match_all(&self) -> bool {
        true
    }

    fn plan(&self, _cx: &PlanContext) -> Result<Plan> {
        Ok(Plan::All.written_as(APPROXIMATE_ALL))
    }
}
