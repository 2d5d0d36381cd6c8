//! Queries: from their JSON to [`Plan`](crate::score::Plan)s.
//!
//! - [`parse()`]: one query object, by the table of names in `table`. A file per kind holds its parameters, its parsing,
//!   and what it becomes for a mapping ([`Kind::plan`]).
//! - [`Query`]: a parsed query with boost and name, independent of any index; shared by all shards of a request.
//! - `adapt`: what fields of some types do to the plans on them. `derived`: those whose values scripts give.
//! - `node`: JSON with positions, and the errors of the reference's parser. `fields`: what values mean for a field.
//! - `analyzed`: texts as analyzers read them. `text`: these to terms, synonyms, booleans and phrases; `graph`, `graph_text`: where
//!   there are several ways through them. `minimum_should_match`,
//!   `pattern`, `fuzziness`, `term_scan`, `edits`: parts of several kinds. `query_string`: the syntax of Lucene.
//!
//! What this room does not know: segments beyond looking up terms, scoring (see `score`), requests (see `search`).

mod adapt;
mod analyzed;
mod approximation;
mod as_mapped;
mod as_you_type;
mod bitmap;
mod bool_query;
mod boosting;
mod can_match;
mod combined_fields;
mod common_terms;
mod constant_score;
mod context;
pub mod declared;
mod derived;
mod dis_max;
mod distance_feature;
mod edits;
mod exists;
pub mod fields;
mod function_score;
mod fuzziness;
mod fuzzy;
mod geo_box;
mod geo_distance;
mod geo_field;
mod geo_shape;
mod graph;
mod graph_text;
mod has_child;
mod ids;
mod inner;
mod intervals;
mod ip_text;
mod lookup;
mod match_all;
mod match_bool_prefix;
mod match_none;
mod match_phrase;
mod match_phrase_prefix;
mod match_query;
mod minimum_should_match;
mod more_like_this;
mod multi_match;
mod nested;
mod nested_scope;
mod node;
mod now_range;
mod one_value;
mod parent_id;
mod pattern;
mod percolate;
mod percolate_candidates;
mod phrase_prefix;
mod prefix;
mod present;
pub mod query_string;
mod range;
mod rank_feature;
mod regexp;
mod rewrite;
mod rewritten_range;
pub(crate) mod script;
mod simple_query_string;
mod span;
mod stored;
mod table;
mod template;
mod term;
mod term_scan;
mod terms;
mod terms_set;
mod text;
mod time_value;
mod tree;
mod unclosed;
mod wildcard;
mod wildcard_pieces;
mod wrapper;
mod written;

#[cfg(test)]
mod tests;

pub use crate::score::Scorer;
pub use approximation::{as_asked, is_approximated, narrowed};
pub use bool_query::Bool;
pub use context::{PlanContext, QueryLimits, SearchLimits, ShardContext, SideBySide};
pub use declared::declares;
pub use exists::exists;
pub use fuzziness::Fuzziness;
pub use geo_box::{InBox, Sides, sides as read_sides};
pub use geo_distance::read_distance_type;
pub use geo_field::Validation;
pub use has_child::key_field;
pub use ids::ids;
pub use inner::{Behind, Inner, InnerQuery};
pub use lookup::Lookup;
pub(crate) use match_all::APPROXIMATE_ALL;
pub use match_all::match_all;
pub(crate) use nested::{not_nested, of_path};
pub use nested_scope::{is_roots, roots};
pub use node::{Common, Field, Node, Source};
pub use one_value::wildcard_matches;
pub use parent_id::parent_id;
#[cfg(test)]
pub(crate) use pattern::automaton_text;
pub use percolate::Percolation;
pub use regexp::{Expression, Flags, check_regexp_length, regexp_automaton, regexp_terms};
pub use rewrite::{ScoredTerm, expand};
pub use rewritten_range::rewritten_range;
pub use script::{document_script_of, document_script_or_list, script_of};
pub use stored::{check_alias_filter, check_stored_queries};
pub use table::{NAMES, parse_inner, parse_node};
pub use term::term;
pub use term_scan::{FuzzyOptions, fuzzy_terms};
pub use time_value::time_value_ms;
pub use unclosed::reread;

/// With more parts that look for their terms among all of a field, a query may plan long: one takes up to a millisecond.
const MULTI_TERMS_MAX: usize = 16;

/// A query bound to one shard's snapshot.
pub type Weight = Box<dyn crate::score::Weight>;

use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::score::spans::Span;
use crate::score::{Plan, WeightContext};
use approximation::{range_alone, simplified};
use std::fmt::Debug;
use std::sync::Arc;

/// A parsed query. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Query {
    pub boost: f32,
    /// The `_name` that matching hits report.
    pub name: Option<String>,
    pub kind: Arc<dyn Kind>,
}

/// What a query wants of a field.
pub struct Sought<'a> {
    pub field: &'a str,
    pub values: SoughtValues,
}

pub enum SoughtValues {
    Terms(Vec<String>),
    Prefix(String),
    Wildcard(String),
    /// From and to, where there are such bounds.
    Range(Option<String>, Option<String>),
    /// Whatever a pattern of another kind finds.
    Other,
}

/// What each kind of query knows.
pub trait Kind: Debug + Send + Sync {
    /// What the query becomes for the mapping and snapshot of a shard, without boost.
    fn plan(&self, cx: &PlanContext) -> Result<Plan>;

    /// Whether a shard may have a match, by what the reference knows before it searches.
    fn can_match(&self, _cx: &PlanContext) -> bool {
        true
    }

    /// Whether it stands for the best of the terms that are like its own.
    fn takes_best_terms(&self) -> bool {
        false
    }

    /// Whether every document matches.
    fn is_match_all(&self) -> bool {
        false
    }

    /// Whether the query asks for no document, whatever the mapping is.
    fn is_match_none(&self) -> bool {
        false
    }

    /// Whether nothing stands for the query, which no other takes for a clause.
    fn is_null(&self) -> bool {
        false
    }

    /// Whether nothing is left of the query where the fields are as they are on this shard.
    fn is_null_on(&self, _cx: &PlanContext) -> bool {
        self.is_null()
    }

    /// What [`Query::check`] finds within it.
    fn check_children(&self, cx: &PlanContext) -> Result<()> {
        self.children().into_iter().try_for_each(|child| child.check(cx))
    }

    /// Queries within this one.
    fn children(&self) -> Vec<&Query> {
        Vec::new()
    }

    /// Those of them whose names hits can show on a shard.
    fn named_children(&self, _cx: &PlanContext) -> Vec<&Query> {
        self.children()
    }

    /// Those of them that have a say in what this one finds, and whether their scores count if its own do.
    fn matched_children(&self, scored: bool) -> Vec<(&Query, bool)> {
        self.children().into_iter().map(|child| (child, scored)).collect()
    }

    /// Those of them that whatever this one finds has to match.
    fn required(&self) -> Vec<&Query> {
        self.children()
    }

    /// What it wants of one field, if that can be told by looking at it.
    fn sought(&self) -> Option<Sought<'_>> {
        None
    }

    /// The name of a kind that makes no sense for documents outside of an index.
    fn refused_by_percolator(&self) -> Option<&'static str> {
        None
    }

    /// The percolation that this query is, whose hits say which of its documents they match.
    fn percolation(&self) -> Option<&Percolation> {
        None
    }

    /// Makes, of these variables and unless it has been made, what this query only announced when it was read: before shards are
    /// asked.
    fn fill(&self, _variables: &Map) -> Result<()> {
        Ok(())
    }

    /// The nested object whose documents the queries within look for.
    fn nested_path(&self) -> Option<&str> {
        None
    }

    /// What is to be shown of the documents behind its matches.
    fn inner(&self) -> Inner<'_> {
        Inner::Within
    }

    /// Whether this is one of the span queries, which may stand within one another.
    fn is_span(&self) -> bool {
        false
    }

    /// Whether the reference searches the segments of a shard side by side where this is the whole query.
    fn is_sliced(&self) -> bool {
        false
    }

    /// What a span query becomes below another one.
    fn span(&self, _cx: &PlanContext) -> Result<Span> {
        Err(Error::new(ErrorKind::IllegalState, "not a span query"))
    }

    /// What it becomes within `span_multi` where that is not all the terms that it is for.
    fn span_of_terms(&self, _cx: &PlanContext) -> Result<Option<Span>> {
        Ok(None)
    }

    /// Whether planning it may take longer than a core can be kept, however short its text is.
    fn plans_long(&self) -> bool {
        false
    }

    /// Whether the query is for all terms that something holds for.
    fn is_multi_term(&self) -> bool {
        false
    }

    /// Whether the reference puts another query in its place before it asks shards.
    fn is_replaced(&self) -> bool {
        !self.lookups().is_empty()
    }

    /// Whether the reference puts another query in its place, or in that of one within it, when a shard has it.
    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        self.children().into_iter().any(|query| query.is_replaced_on_shard(cx))
    }

    /// Whether it may find something else on the same documents: it goes by other documents, by the clock or by chance.
    fn is_changeable(&self) -> bool {
        false
    }

    /// The documents that have to be read before any shard can plan the query.
    fn lookups(&self) -> &[Lookup] {
        &[]
    }

    /// Errors that the reference finds before it builds queries, and hence reports without wrapping them.
    fn check(&self, _cx: &PlanContext) -> Result<()> {
        Ok(())
    }
}

/// Parses one query object. `body` is the text that `value` was parsed from, for positions in errors.
pub fn parse(value: &Value, body: &[u8]) -> Result<Query> {
    let source = Source::new(body);
    parse_node(Node::root(value, &source))
}

/// The same for a query that begins at `pos` of the text.
pub fn parse_at(value: &Value, body: &[u8], pos: u32) -> Result<Query> {
    let source = Source::new(body);
    parse_node(Node::at(value, pos, &source))
}

impl Query {
    pub fn new(common: Common, kind: impl Kind + 'static) -> Self {
        Self { boost: common.boost, name: common.name, kind: Arc::new(kind) }
    }

    /// Whether every document matches, whatever the mapping is.
    pub fn is_match_all(&self) -> bool {
        self.kind.is_match_all()
    }

    /// The plan for a shard, boost included, not simplified.
    pub fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let plan = adapt::adapt(self.kind.plan(cx)?, cx)?;
        if self.boost.is_infinite() && !matches!(plan, Plan::Nothing(_)) {
            return Err(Error::illegal_argument("boost must be a positive float, got Infinity"));
        }
        Ok(plan.boosted(self.boost))
    }

    /// The simplified plan for a shard, whose errors are those of its parts: what stands in other places than the search's query.
    pub fn bare_plan(&self, cx: &ShardContext) -> Result<Plan> {
        let cx = PlanContext::new(cx);
        self.check(&cx)?;
        Ok(self.plan(&cx).map_err(|error| cx.of_index(error))?.simplify())
    }

    /// The same as it was asked, whatever its patterns come to.
    pub fn asked_plan(&self, cx: &ShardContext) -> Result<Plan> {
        let cx = PlanContext::unexpanded(cx);
        self.check(&cx).and_then(|()| self.plan(&cx)).map_err(|error| cx.of_index(error))
    }

    /// The simplified plan for a shard. Errors are as a shard reports them.
    pub fn shard_plan(&self, cx: &ShardContext) -> Result<Plan> {
        let plan_cx = PlanContext::new(cx);
        self.check(&plan_cx)?;
        Ok(simplified(self.plan_of_all(&plan_cx, cx)?))
    }

    /// The plan as it is before it is simplified. What refuses a part of the query comes before what its patterns come to, which
    /// the reference finds out when all of it is made.
    fn plan_of_all(&self, cx: &PlanContext, shard: &ShardContext) -> Result<Plan> {
        self.whole_plan(cx).map_err(|error| {
            let refused = || self.plan(&PlanContext::unexpanded(shard)).err();
            wrap(if error.is_of_rewriting() { refused().unwrap_or(error) } else { error }, cx)
        })
    }

    /// The plan where no other query holds this one.
    fn whole_plan(&self, cx: &PlanContext) -> Result<Plan> {
        if self.kind.is_null_on(cx) {
            return Ok(Plan::nothing("No query left after rewrite."));
        }
        self.plan(cx)
    }

    /// The plan, or `other` for what another query takes where nothing is left of this one.
    fn plan_or(&self, cx: &PlanContext, other: Plan) -> Result<Plan> {
        if self.kind.is_null_on(cx) { Ok(other) } else { self.plan(cx) }
    }

    /// Whether nothing stands for the query. Where it may be left out it is as if it had not been asked.
    pub fn is_null(&self) -> bool {
        self.kind.is_null()
    }

    /// Whether planning this query or one within it may take long.
    pub fn plans_long(&self) -> bool {
        self.has_long_part() || self.multi_terms() > MULTI_TERMS_MAX
    }

    fn has_long_part(&self) -> bool {
        self.kind.plans_long() || self.kind.children().into_iter().any(Self::has_long_part)
    }

    /// How many parts look for their terms among all of a field.
    fn multi_terms(&self) -> usize {
        usize::from(self.kind.is_multi_term()) + self.kind.children().into_iter().map(Self::multi_terms).sum::<usize>()
    }

    /// [`Query::shard_plan`] for root documents alone: what searches look for.
    pub fn root_plan(&self, cx: &ShardContext) -> Result<Plan> {
        self.boosted_root_plan(cx, 1.0)
    }

    /// The same where nothing looks at the query before it is built.
    pub fn explained_plan(&self, cx: &ShardContext) -> Result<Plan> {
        let plan_cx = PlanContext::new(cx);
        self.check(&plan_cx).map_err(|error| wrap(error, &plan_cx))?;
        self.root_plan(cx)
    }

    /// The same with a boost, which does not reach what keeps other documents away.
    pub fn boosted_root_plan(&self, cx: &ShardContext, boost: f32) -> Result<Plan> {
        let plan = match cx.mapping.has_nested() {
            false if boost == 1.0 => self.shard_plan(cx)?,
            false => match self.shard_plan(cx)? {
                // Below the boost of an index it is not the whole query any more.
                Plan::Points(points) if is_approximated(&points) => {
                    let field = cx.mapping.field(&points.field);
                    let rewritten = field.and_then(|field| rewritten_range(&points, field, &PlanContext::new(cx)));
                    rewritten.unwrap_or_else(|| Plan::Points(as_asked(points))).boosted(boost).simplify()
                }
                plan => plan.boosted(boost).simplify(),
            },
            true => {
                let plan_cx = PlanContext::new(cx);
                self.check(&plan_cx)?;
                // Whether other documents might match is judged by the query as it was asked.
                simplified(nested_scope::roots_only(self.plan_of_all(&plan_cx, cx)?.boosted(boost), &plan_cx))
            }
        };
        bool_query::check_nested_clauses(cx, &plan)?;
        Ok(plan)
    }

    /// The plan for the documents nested under `path`, if any, without wrapping.
    pub fn plan_within(&self, cx: &ShardContext, path: Option<&str>) -> Result<Plan> {
        let root = PlanContext::new(cx);
        let plan = match path {
            Some(path) => {
                let inner = root.within(path);
                nested::within_path(&inner, self.plan(&inner).map_err(|error| wrap(error, &inner))?, path)
            }
            None => self.plan(&root).map_err(|error| wrap(error, &root))?,
        };
        Ok(plan.simplify())
    }

    /// The plan of a part of a request that is no query, within documents nested under `path`: errors are told as they are.
    pub fn plan_below(&self, cx: &ShardContext, path: &str) -> Result<Plan> {
        let root = PlanContext::new(cx);
        let inner = root.within(path);
        let plan = self.plan(&inner).map_err(|error| match error.kind() {
            ErrorKind::QueryShard => inner.of_index(error),
            _ => error,
        })?;
        Ok(nested::within_path(&inner, plan, path).simplify())
    }

    /// The plan of this query by itself, for documents that are known to be nested under `path`, or to be roots.
    pub fn plan_among(&self, cx: &ShardContext, path: Option<&str>) -> Result<Plan> {
        let root = PlanContext::new(cx);
        let nested = path.map(|path| root.within(path));
        let inner = nested.as_ref().unwrap_or(&root);
        Ok(simplified(self.plan(inner).map_err(|error| wrap(error, inner))?))
    }

    /// The query in the notation of Lucene: as it was asked, or `rewritten` to what runs.
    pub fn describe(&self, cx: &ShardContext, rewritten: bool) -> Result<String> {
        let mut plan_cx = PlanContext::new(cx);
        (plan_cx.described, plan_cx.unexpanded) = (true, !rewritten);
        let planned = self.check(&plan_cx).and_then(|()| self.whole_plan(&plan_cx));
        let plan = planned.map_err(|error| wrap(error, &plan_cx))?;
        let asked = plan.clone();
        let plan = nested_scope::roots_only(plan, &plan_cx);
        if !rewritten {
            return Ok(plan.to_string());
        }
        if let Ok(points) = range_alone(plan.clone()) {
            return Ok(approximation::approximate_text(&points));
        }
        if now_range::is_asked(&plan) {
            // What is approximated, whole, is not looked into.
            return Ok(plan.to_string());
        }
        Ok(match plan.clone().simplify() {
            // What comes to nothing is shown as it was asked.
            Plan::Nothing(_) => asked.to_string(),
            // Marked as one that is approximated only where it is the whole query as it was asked.
            Plan::All if asked.to_string() == APPROXIMATE_ALL => APPROXIMATE_ALL.to_owned(),
            plan => plan.to_string(),
        })
    }

    /// Whether a shard may have a match, by what the reference knows before it searches.
    pub fn can_match(&self, cx: &PlanContext) -> bool {
        self.kind.can_match(cx)
    }

    /// Errors that the reference finds before it builds queries.
    pub(crate) fn check(&self, cx: &PlanContext) -> Result<()> {
        // Shards are not given what is within a query that finds nothing whatever the shard is.
        if self.kind.is_match_none() {
            return Ok(());
        }
        self.kind.check(cx)?;
        self.kind.check_children(cx)
    }

    /// Binds the query to a shard's snapshot.
    pub fn weight(&self, cx: &ShardContext, scores: bool) -> Result<Weight> {
        self.weight_in(cx, &cx.weighing(), scores)
    }

    /// The same where faults and profiles go to a search's own. Profiles show it as it stands, scored or not.
    pub fn weight_in(&self, cx: &ShardContext, weight_cx: &WeightContext, scores: bool) -> Result<Weight> {
        self.weight_of(self.shard_plan(cx)?, weight_cx, scores)
    }

    /// The same of a plan of it.
    pub fn weight_of(&self, plan: Plan, weight_cx: &WeightContext, scores: bool) -> Result<Weight> {
        match &weight_cx.profiler {
            Some(_) => self.shown(plan, true).weight(weight_cx, scores, 1.0),
            None => plan.weight(weight_cx, scores, 1.0),
        }
    }

    /// A simplified plan of this query as profiles show it, where that tells more than it needs to run.
    pub fn shown(&self, plan: Plan, scores: bool) -> Plan {
        let named = |plan: Plan| match plan {
            Plan::All if self.is_match_all() => Plan::All.written_as(APPROXIMATE_ALL),
            // Marked as one that is approximated: only where it is the whole query as it was asked.
            Plan::Points(points) if is_approximated(&points) => {
                let text = format!(
                    "ApproximateScoreQuery(originalQuery={}, approximationQuery={})",
                    points.text, points.explained
                );
                Plan::Points(points).written_as(text)
            }
            Plan::Points(points) if points.of_now => {
                let text = now_range::asked(&points);
                Plan::Points(points).written_as(text)
            }
            plan => plan,
        };
        if scores {
            return named(plan);
        }
        // What is boosted is no longer the whole query.
        let is_whole = !matches!(plan, Plan::Boost(..));
        match plan.constant().simplify() {
            Plan::Constant(inner) if is_whole => Plan::Constant(Box::new(named(*inner))),
            plan => plan,
        }
    }
}

/// An error of building a query, as a shard reports it.
fn wrap(error: Error, cx: &PlanContext) -> Error {
    match error.kind() {
        ErrorKind::QueryShard => cx.of_index(error),
        ErrorKind::Parsing | ErrorKind::Runtime | ErrorKind::TooManyClauses | ErrorKind::TooManyNestedClauses => error,
        _ => cx.error(format!("failed to create query: {}", error.shown_reason())).caused_by(error),
    }
}
