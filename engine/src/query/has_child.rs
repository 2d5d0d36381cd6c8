//! `has_child`: parents some child of which matches a query. `has_parent`: children whose parent does.

use super::fields::any;
use super::nested::read_score_mode;
use super::node::{Common, Node, unsupported};
use super::{Behind, Inner, InnerQuery, Kind, PlanContext, Query};
use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Field;
use crate::score::{BoolPlan, JoinScore, KeyJoin, MultiTerm, Plan, TermSet};
use crate::search::InnerHits;
use std::sync::Arc;

#[derive(Debug)]
struct HasChild {
    child: String,
    query: Query,
    score: JoinScore,
    min_children: u64,
    max_children: u64,
    ignore_unmapped: bool,
    inner: Option<InnerHits>,
}

#[derive(Debug)]
struct HasParent {
    parent: String,
    query: Query,
    score: bool,
    ignore_unmapped: bool,
    inner: Option<InnerHits>,
}

/// Most children unless the query says otherwise.
const MAX_CHILDREN: u64 = i32::MAX as u64;

const NO_CHILDREN_DEPRECATED: &str = "[min_children] 0 will be rejected starting in 8.0. Using 1 instead of 0 will return the \
     same result set.";

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut inner = None;
    let (mut child, mut query, mut score, mut ignore_unmapped) = (None, None, JoinScore::None, false);
    let (mut min_children, mut max_children) = (1i64, MAX_CHILDREN as i64);
    for field in node.fields_in_lists() {
        let is_object = matches!(field.node.value, Value::Object(_));
        match field.key {
            "query" if is_object => query = Some(super::parse_node(field.node)?),
            "inner_hits" if is_object => inner = Some(InnerHits::parse(field.node)?),
            key if is_object => return Err(unsupported(field.node, "has_child", key)),
            _ if field.node.value.is_null() => {}
            "type" => child = Some(field.node.text()?),
            "score_mode" => score = read_score_mode(&field.node.text()?).map_err(|error| error.at(field.node.pos()))?,
            "ignore_unmapped" => ignore_unmapped = field.node.bool()?,
            "min_children" => min_children = i64::from(field.node.i32()?),
            "max_children" => max_children = i64::from(field.node.i32()?),
            key if common.take(key, field.node)? => {}
            key => return Err(unsupported(field.node, "has_child", key)),
        }
    }
    let child = child.ok_or_else(|| Error::illegal_argument("[has_child] requires 'type' field"))?;
    let query = query.ok_or_else(|| Error::illegal_argument("[has_child] requires 'query' field"))?;
    let refuse = |reason: &str| Err(Error::illegal_argument(format!("[has_child] {reason}")));
    if min_children == 0 {
        note(NO_CHILDREN_DEPRECATED);
    }
    if min_children < 0 {
        return refuse("requires non-negative 'min_children' field");
    }
    if max_children < 0 {
        return refuse("requires non-negative 'max_children' field");
    }
    if max_children < min_children {
        return refuse("'max_children' is less than 'min_children'");
    }
    // None at all is what no limit is: parents without children are never found.
    let (min_children, max_children) = (min_children as u64, max_children as u64);
    Ok(Query::new(common, HasChild { child, query, score, min_children, max_children, ignore_unmapped, inner }))
}

pub fn parse_parent(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut inner = None;
    let (mut parent, mut query, mut score, mut ignore_unmapped) = (None, None, false, false);
    for field in node.fields_in_lists() {
        let is_object = matches!(field.node.value, Value::Object(_));
        match field.key {
            "query" if is_object => query = Some(super::parse_node(field.node)?),
            "inner_hits" if is_object => inner = Some(InnerHits::parse(field.node)?),
            key if is_object => return Err(unsupported(field.node, "has_parent", key)),
            _ if field.node.value.is_null() => {}
            "parent_type" => parent = Some(field.node.text()?),
            "score" => score = field.node.bool()?,
            "ignore_unmapped" => ignore_unmapped = field.node.bool()?,
            key if common.take(key, field.node)? => {}
            key => return Err(unsupported(field.node, "has_parent", key)),
        }
    }
    let parent = parent.ok_or_else(|| Error::illegal_argument("[has_parent] requires 'parent_type' field"))?;
    let query = query.ok_or_else(|| Error::illegal_argument("[has_parent] requires 'query' field"))?;
    Ok(Query::new(common, HasParent { parent, query, score, ignore_unmapped, inner }))
}

/// The join field of an index; `None` where there is none and that is fine.
pub fn join_field<'c>(cx: &'c PlanContext, query: &str, ignore_unmapped: bool) -> Result<Option<&'c Field>> {
    match cx.mapping.join_field() {
        None if !ignore_unmapped => Err(cx.error(format!("[{query}] no join field has been configured"))),
        field => Ok(field),
    }
}

/// Documents of any of these relations.
pub fn of_relations(field: &Field, names: &[&str]) -> Plan {
    let mut terms: Vec<Vec<u8>> = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    terms.sort_unstable();
    let text = match names {
        [name] => format!("{}:{name}", field.name),
        names => format!("{}:({})", field.name, names.join(" ")),
    };
    Plan::MultiTerm(MultiTerm { field: field.name.clone(), set: TermSet::Terms(terms), text })
}

/// The field that holds the ids of the parents of this name.
pub fn key_field(field: &Field, parent: &str) -> Arc<str> {
    format!("{}#{parent}", field.name).into()
}

/// A join before the reference has looked at the documents that it joins.
fn late_parsing(key: &str) -> String {
    format!("LateParsingQuery {{joinField={key}}}")
}

/// What matches of `query` are among documents of a relation.
fn among(field: &Field, name: &str, plan: Plan) -> Plan {
    Plan::Bool(BoolPlan { must: vec![plan], filter: vec![of_relations(field, &[name])], ..BoolPlan::default() })
}

impl Kind for HasChild {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[joining] queries", "")?;
        let Some(field) = join_field(cx, "has_child", self.ignore_unmapped)? else {
            return Ok(Plan::nothing(""));
        };
        let relations = field.relations().expect("a join field has relations");
        let Some(parent) = relations.parent_of(&self.child) else {
            if self.ignore_unmapped {
                return Ok(Plan::nothing(""));
            }
            let (name, child) = (&field.name, &self.child);
            return Err(cx.error(format!("[has_child] join field [{name}] doesn't hold [{child}] as a child")));
        };
        let key = key_field(field, parent);
        let written = late_parsing(&key);
        Ok(Plan::custom(KeyJoin {
            from: among(field, &self.child, self.query.plan_or(cx, Plan::All.boosted(0.0))?),
            key,
            to: of_relations(field, &[parent]),
            score: (self.score != JoinScore::None).then_some(self.score),
            counts: (self.min_children, self.max_children),
        })
        .written_as(written))
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.query]
    }

    fn inner(&self) -> Inner<'_> {
        InnerQuery::of(self.inner.as_ref(), &self.query, Behind::Children(&self.child))
    }

    fn refused_by_percolator(&self) -> Option<&'static str> {
        Some("has_child")
    }
}

impl Kind for HasParent {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        cx.check_expensive("[joining] queries", "")?;
        let Some(field) = join_field(cx, "has_parent", self.ignore_unmapped)? else {
            return Ok(Plan::nothing(""));
        };
        let relations = field.relations().expect("a join field has relations");
        if !relations.is_parent(&self.parent) {
            if self.ignore_unmapped {
                return Ok(Plan::nothing(""));
            }
            let (name, parent) = (&field.name, &self.parent);
            return Err(cx.error(format!("[has_parent] join field [{name}] doesn't hold [{parent}] as a parent")));
        }
        let children: Vec<&str> = relations.children(&self.parent).iter().map(String::as_str).collect();
        let to = children.iter().map(|child| Plan::term(&field.name, child.as_bytes())).collect();
        let key = key_field(field, &self.parent);
        let written = late_parsing(&key);
        Ok(Plan::custom(KeyJoin {
            from: among(field, &self.parent, self.query.plan_or(cx, Plan::All.boosted(0.0))?),
            key,
            to: any(to).constant().simplify(),
            score: self.score.then_some(JoinScore::Max),
            counts: (1, u64::MAX),
        })
        .written_as(written))
    }

    fn children(&self) -> Vec<&Query> {
        vec![&self.query]
    }

    fn inner(&self) -> Inner<'_> {
        InnerQuery::of(self.inner.as_ref(), &self.query, Behind::Parent(&self.parent))
    }

    fn refused_by_percolator(&self) -> Option<&'static str> {
        Some("has_parent")
    }
}
