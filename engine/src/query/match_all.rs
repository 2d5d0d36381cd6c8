//! `match_all`: every document.

use super::node::{Common, Node};
use super::table::did_you_mean;
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
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

/// An object that may hold nothing but what all queries have.
fn parse_common(node: Node) -> Result<Common> {
    let mut common = Common::default();
    for field in node.fields() {
        if !common.take(field.key, field.node)? {
            let hint = did_you_mean(field.key, ["_name", "boost"].into_iter());
            let hint = hint.map_or(String::new(), |hint| format!(" {hint}"));
            let reason = format!("{} [match_all] unknown field [{}]{hint}", node.location(field.key_pos), field.key);
            return Err(field.node.error(reason.clone()).caused_by(Error::new(ErrorKind::XContentParse, reason)));
        }
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
