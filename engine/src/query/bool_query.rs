//! `bool`: clauses that must match, may match, filter and must not match.

use super::declared::{ARRAY, Declared, FLAG, NULL, NUMERIC, OBJECT, SCALAR, STRING, list};
use super::match_all::APPROXIMATE_ALL;
use super::minimum_should_match::minimum;
use super::node::{Common, Node};
use super::table::{is_passed_over, parse_node};
use super::{Kind, PlanContext, Query, ShardContext, fields};
use crate::deprecated::note_renamed;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::{BoolPlan, Plan};

/// Also what other rooms build conjunctions from (alias filters, by-query requests).
#[derive(Debug)]
pub struct Bool {
    pub must: Vec<Query>,
    pub filter: Vec<Query>,
    pub should: Vec<Query>,
    pub must_not: Vec<Query>,
    pub minimum_should_match: Option<String>,
    pub adjust_pure_negative: bool,
}

impl Default for Bool {
    fn default() -> Self {
        Self {
            must: vec![],
            filter: vec![],
            should: vec![],
            must_not: vec![],
            minimum_should_match: None,
            adjust_pure_negative: true,
        }
    }
}

const CLAUSES: u8 = OBJECT | ARRAY | NULL;
const PARSER: Declared = Declared {
    name: "bool",
    fields: &[
        ("must", CLAUSES),
        ("should", CLAUSES),
        ("must_not", CLAUSES),
        ("mustNot", CLAUSES),
        ("filter", CLAUSES),
        ("minimum_should_match", SCALAR),
        ("adjust_pure_negative", FLAG),
        ("boost", NUMERIC),
        ("_name", STRING),
    ],
};

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut bool_query = Bool::default();
    for field in node.fields() {
        let inner = field.node;
        match field.key {
            "must" => bool_query.must = clauses("must", inner)?,
            "filter" => bool_query.filter = clauses("filter", inner)?,
            "should" => bool_query.should = clauses("should", inner)?,
            "must_not" => bool_query.must_not = clauses("must_not", inner)?,
            "mustNot" => {
                note_renamed(&format!("[bool]{}", inner.location(inner.pos())), "mustNot", "must_not");
                bool_query.must_not = clauses("must_not", inner)?;
            }
            "minimum_should_match" => {
                PARSER.check(&field)?;
                bool_query.minimum_should_match = (!inner.value.is_null()).then(|| inner.text()).transpose()?;
            }
            "adjust_pure_negative" => bool_query.adjust_pure_negative = PARSER.read(&field, |node| node.bool())?,
            _ => PARSER.read_common(&field, &mut common)?,
        }
    }
    Ok(Query::new(common, bool_query))
}

fn clauses(occur: &str, node: Node) -> Result<Vec<Query>> {
    match node.value {
        Value::Null => Ok(vec![]),
        Value::Object(_) | Value::Array(_) => clauses_of(node).map_err(|error| node.failed_field("bool", occur, error)),
        _ => Err(Error::new(
            ErrorKind::XContentParse,
            format!("{} [bool] {occur} doesn't support values of type: {}", node.location(node.pos()), node.token()),
        )
        .at(node.pos())),
    }
}

fn clauses_of(node: Node) -> Result<Vec<Query>> {
    let clauses = list(node, |item| (!is_passed_over(&item)).then(|| parse_node(item)).transpose())?;
    Ok(clauses.into_iter().flatten().collect())
}

impl Bool {
    pub fn query(self) -> Query {
        Query::new(Common::default(), self)
    }
}

impl Kind for Bool {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let total = self.must.len() + self.filter.len() + self.should.len() + self.must_not.len();
        if total == 0 {
            return Ok(Plan::All.written_as(APPROXIMATE_ALL));
        }
        check_clauses(cx, total)?;
        // The reference knows what matches nothing before it makes any query, so nothing that is wrong beside it counts.
        let required: Vec<Result<Plan>> = self.must.iter().chain(&self.filter).map(|query| query.plan(cx)).collect();
        if required.iter().flatten().any(fields::is_rewritten_to_none) {
            return Ok(fields::rewritten_to_none());
        }
        let should: Vec<Result<Plan>> = self.should.iter().map(|query| query.plan(cx)).collect();
        let is_none = |plan: &Result<Plan>| plan.as_ref().is_ok_and(fields::is_rewritten_to_none);
        if required.is_empty() && !should.is_empty() && should.iter().all(is_none) {
            return Ok(fields::rewritten_to_none());
        }
        // In this order the reference makes them, and meets what is wrong with them.
        let mut required = required.into_iter();
        let must: Vec<Plan> = required.by_ref().take(self.must.len()).collect::<Result<_>>()?;
        // Behind what matches nothing no pattern is looked up.
        let ends_here = must.iter().any(|plan: &Plan| matches!(plan, Plan::Nothing(_)));
        let unless_ended = |plan: Result<Plan>| match plan {
            Err(error) if ends_here && error.is_of_rewriting() => Ok(Plan::nothing("")),
            plan => plan,
        };
        let must_not = self.must_not.iter().map(|query| unless_ended(query.plan(cx))).collect::<Result<_>>()?;
        let should = should.into_iter().map(unless_ended).collect::<Result<_>>()?;
        let filter = required.collect::<Result<_>>()?;
        let mut plan = BoolPlan { must, filter, should, must_not, ..BoolPlan::default() };
        let spec = self.minimum_should_match.as_deref();
        plan.minimum_should_match = match spec {
            Some(spec) => minimum(plan.should.len(), spec)?,
            None => 0,
        };
        let negative_only = plan.must.is_empty() && plan.filter.is_empty() && plan.should.is_empty();
        if negative_only && self.adjust_pure_negative {
            plan.minimum_should_match = 0;
            plan.filter.push(Plan::All);
        }
        Ok(Plan::Bool(plan))
    }

    fn is_match_all(&self) -> bool {
        self.children().is_empty()
    }

    fn is_match_none(&self) -> bool {
        let is_none = |query: &Query| query.kind.is_match_none();
        let mut required = self.must.iter().chain(&self.filter).peekable();
        match required.peek() {
            None => !self.should.is_empty() && self.should.iter().all(is_none),
            Some(_) => required.any(is_none),
        }
    }

    fn is_replaced(&self) -> bool {
        self.children().is_empty() || self.is_match_none()
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        let mut required = self.must.iter().chain(&self.filter).peekable();
        if required.peek().is_none() && !self.should.is_empty() {
            return self.should.iter().any(|clause| clause.can_match(cx));
        }
        required.all(|clause| clause.can_match(cx))
    }

    fn required(&self) -> Vec<&Query> {
        self.must.iter().chain(&self.filter).collect()
    }

    fn children(&self) -> Vec<&Query> {
        self.must.iter().chain(&self.must_not).chain(&self.should).chain(&self.filter).collect()
    }

    /// Where no scores count, what may match beside what must is nothing.
    fn matched_children(&self, scored: bool) -> Vec<(&Query, bool)> {
        let wanted = self.minimum_should_match.as_deref();
        let required = !self.must.is_empty() || !self.filter.is_empty();
        let idle = required
            && !scored
            && wanted.is_none_or(|wanted| minimum(self.should.len(), wanted).is_ok_and(|wanted| wanted == 0));
        let should = self.should.iter().filter(|_| !idle);
        let scoring = self.must.iter().chain(should).map(|query| (query, scored));
        scoring.chain(self.filter.iter().map(|query| (query, false))).collect()
    }

    /// Where a clause that is required is known to match nothing, nothing is left of those beside it.
    fn named_children(&self, cx: &PlanContext) -> Vec<&Query> {
        let is_none = |query: &Query| query.plan(cx).is_ok_and(|plan| fields::is_rewritten_to_none(&plan));
        match self.must.iter().chain(&self.filter).any(is_none) {
            true => vec![],
            false => self.children(),
        }
    }
}

/// Refuses more clauses than one boolean may have.
pub fn check_clauses(cx: &PlanContext, clauses: usize) -> Result<()> {
    if clauses > cx.limits.max_clause_count { Err(too_many(cx)) } else { Ok(()) }
}

/// Refuses more clauses than a query may have at all depths together. The reference looks before it counts the next one.
pub fn check_nested_clauses(cx: &ShardContext, plan: &Plan) -> Result<()> {
    let max = cx.limits.query.max_clause_count;
    if plan.clauses() <= max.saturating_add(1) {
        return Ok(());
    }
    let reason = format!("Query contains too many nested clauses; maxClauseCount is set to {max}");
    Err(Error::new(ErrorKind::TooManyNestedClauses, reason))
}

/// A query has grown to more clauses than one may have.
#[cold]
pub fn too_many(cx: &PlanContext) -> Error {
    let reason = format!("maxClauseCount is set to {}", cx.limits.max_clause_count);
    cx.error(format!("failed to create query: {reason}")).caused_by(Error::new(ErrorKind::TooManyClauses, reason))
}
