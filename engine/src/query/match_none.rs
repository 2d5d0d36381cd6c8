//! `match_none`: no document.

use super::can_match;
use super::match_all::parse_common;
use super::node::Node;
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::score::Plan;

#[derive(Debug)]
struct MatchNone;

pub fn parse(node: Node) -> Result<Query> {
    Ok(Query::new(parse_common(node, "match_none")?, MatchNone))
}

impl Kind for MatchNone {
    fn is_match_none(&self) -> bool {
        true
    }

    fn plan(&self, _cx: &PlanContext) -> Result<Plan> {
        Ok(Plan::nothing("User requested \"match_none\" query."))
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }
}
