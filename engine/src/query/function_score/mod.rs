//! `function_score`: a query whose scores functions of the documents change.
//!
//! - `function`: the functions. - `decay`: those by distance. This file: the query around them.

mod decay;
mod function;

use super::match_all::match_all;
use super::node::{Common, Field, Node};
use super::table::parse_node;
use super::{Kind, PlanContext, Query, fields};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::score::Plan;
use crate::score::functions::{BoostMode, FilteredFunction, FunctionScore, ScoreMode};
use function::FunctionSpec;
pub use function::{numbers, salt};

#[derive(Debug)]
struct Function {
    filter: Option<Query>,
    spec: FunctionSpec,
    name: Option<String>,
}

impl Function {
    fn alone(spec: FunctionSpec) -> Self {
        Self { filter: None, spec, name: None }
    }
}

#[derive(Debug)]
struct FunctionScoreQuery {
    query: Query,
    functions: Vec<Function>,
    score_mode: ScoreMode,
    boost_mode: BoostMode,
    max_boost: f32,
    min_score: Option<f32>,
}

const NAME: &str = "function_score";

/// What came first: functions come alone or as an array, not both.
#[derive(Default)]
struct Seen {
    single: Option<String>,
    array: bool,
}

impl Seen {
    fn check(&self, field: &Field) -> Result<()> {
        if let Some(first) = &self.single {
            return Err(field.node.error(format!(
                "failed to parse [{NAME}] query. already found function [{first}], now encountering [{}]. use [functions] array if you want to define several functions.",
                field.key
            )));
        }
        if self.array {
            return Err(misplaced(
                field,
                format!(
                    "you can either define [functions] array or a single function, not both. already found [functions] array, now encountering [{}].",
                    field.key
                ),
            ));
        }
        Ok(())
    }
}

fn misplaced(field: &Field, what: String) -> Error {
    field.node.error(format!("failed to parse [{NAME}] query. [{what}]"))
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let (mut query, mut functions) = (None, vec![]);
    let (mut score_mode, mut boost_mode) = (ScoreMode::Multiply, BoostMode::Multiply);
    let (mut max_boost, mut min_score) = (f32::MAX, None);
    let mut seen = Seen::default();
    for field in node.fields() {
        let at_value = |error: Error| error.at(field.node.pos());
        match (field.key, field.node.value) {
            ("query", Value::Object(_)) => {
                if query.is_some() {
                    let reason = format!("failed to parse [{NAME}] query. [query] is already defined.");
                    return Err(field.node.error(reason));
                }
                query = Some(parse_node(field.node)?);
            }
            (key, Value::Object(_)) => {
                seen.check(&field)?;
                functions.push(Function::alone(FunctionSpec::parse(key, field.node)?));
                seen.single = Some(key.to_owned());
            }
            ("functions", Value::Array(_)) => {
                if let Some(first) = &seen.single {
                    let what = format!(
                        "you can either define [functions] array or a single function, not both. already found [{first}], now encountering [functions]."
                    );
                    return Err(misplaced(&field, what));
                }
                seen.array = true;
                functions = field.node.items().map(parse_function).collect::<Result<_>>()?;
            }
            (key, Value::Array(_)) => {
                return Err(field
                    .node
                    .error(format!("failed to parse [{NAME}] query. array [{key}] is not supported")));
            }
            // The reader has no name for what it finds there, and goes on.
            (_, Value::Null) => {}
            ("score_mode", _) => score_mode = ScoreMode::of(&field.node.text()?).map_err(at_value)?,
            ("boost_mode", _) => boost_mode = BoostMode::of(&field.node.text()?).map_err(at_value)?,
            ("max_boost", _) => max_boost = field.node.f32()?,
            ("min_score", _) => min_score = Some(field.node.f32()?),
            (key, _) if common.take(key, field.node)? => {}
            (key, _) => {
                seen.check(&field)?;
                if key != "weight" {
                    return Err(unknown_field(&field));
                }
                let weight = FunctionSpec::weight_alone(field.node.f32()?).map_err(at_value)?;
                functions.push(Function::alone(weight));
                seen.single = Some(key.to_owned());
            }
        }
    }
    let query = query.unwrap_or_else(match_all);
    let parsed = FunctionScoreQuery { query, functions, score_mode, boost_mode, max_boost, min_score };
    Ok(Query::new(common, parsed))
}

fn unknown_field(field: &Field) -> Error {
    field.node.error(format!("failed to parse [{NAME}] query. field [{}] is not supported", field.key))
}

/// One item of `functions`.
fn parse_function(node: Node) -> Result<Function> {
    if !matches!(node.value, Value::Object(_)) {
        return Err(node.error(format!(
            "failed to parse [START_OBJECT]. malformed query, expected a [{}] while parsing functions but got a [{NAME}] instead",
            node.token()
        )));
    }
    let (mut filter, mut weight, mut found) = (None, None, None::<(String, FunctionSpec)>);
    let mut name = None;
    for field in node.fields_in_lists() {
        match (field.key, field.node.value) {
            ("filter", Value::Object(_)) => filter = Some(parse_node(field.node)?),
            (key, Value::Object(_)) => {
                if let Some((first, _)) = &found {
                    return Err(field.node.error(format!(
                        "failed to parse function_score functions. already found [{first}], now encountering [{key}]."
                    )));
                }
                found = Some((key.to_owned(), FunctionSpec::parse(key, field.node)?));
            }
            (_, Value::Null) => {}
            ("weight", _) => weight = Some(field.node.f32()?),
            ("_name", _) => name = Some(field.node.text()?).filter(|name| !name.is_empty()),
            _ => return Err(unknown_field(&field)),
        }
    }
    let spec = match (found, weight) {
        (Some((_, spec)), None) => spec,
        (Some((_, spec)), Some(weight)) => spec.weighted(weight)?,
        (None, Some(weight)) => FunctionSpec::weight_alone(weight)?,
        (None, None) => {
            let reason = "failed to parse [function_score] query. an entry in functions list is missing a function.";
            return Err(node.error_at_end(reason));
        }
    };
    Ok(Function { filter, spec, name })
}

impl Kind for FunctionScoreQuery {
    fn is_changeable(&self) -> bool {
        self.functions.iter().any(|function| function.spec.is_chance())
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let query = self.query.plan_or(cx, Plan::All);
        if let Some(none) = query.as_ref().ok().filter(|query| fields::is_rewritten_to_none(query)) {
            return Ok(none.clone());
        }
        // Who only tells of a query does not ask what a shard has.
        if !cx.described && !self.query.can_match(cx) {
            return Ok(fields::rewritten_to_none());
        }
        // What is wrong with a function shows before what is wrong with the query.
        let functions = (self.functions.iter())
            .map(|function| {
                let bound = function.spec.bind(cx)?;
                // A filter that asks for everything is none, with a boost as well; one that only comes to that is a filter.
                let filter = function.filter.as_ref().filter(|filter| !filter.is_match_all());
                // So is one for a value that all documents have, which is replaced before.
                let filter = filter.filter(|filter| !filter.is_replaced_by_all(cx));
                let filter = filter.map(|filter| filter.plan(cx)).transpose()?;
                let filter_name = function.filter.as_ref().and_then(|filter| filter.name.clone());
                Ok(FilteredFunction { filter, filter_name, function: bound, name: function.name.clone() })
            })
            .collect::<Result<_>>()?;
        Ok(Plan::custom(FunctionScore {
            query: query?,
            name: self.query.name.clone(),
            functions,
            score_mode: self.score_mode,
            boost_mode: self.boost_mode,
            max_boost: self.max_boost,
            min_score: self.min_score,
        }))
    }

    fn is_match_none(&self) -> bool {
        self.query.kind.is_match_none()
    }

    /// Of functions nobody hears where the query is rewritten to nothing.
    fn check_children(&self, cx: &PlanContext) -> Result<()> {
        self.query.check(cx)?;
        match self.query.can_match(cx) {
            true => self.functions.iter().filter_map(|one| one.filter.as_ref()).try_for_each(|filter| filter.check(cx)),
            false => Ok(()),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        self.query.can_match(cx)
    }

    fn children(&self) -> Vec<&Query> {
        let filters = self.functions.iter().filter_map(|function| function.filter.as_ref());
        std::iter::once(&self.query).chain(filters).collect()
    }

    fn matched_children(&self, scored: bool) -> Vec<(&Query, bool)> {
        vec![(&self.query, scored)]
    }

    /// A filter that asks for everything is none.
    fn named_children(&self, _cx: &PlanContext) -> Vec<&Query> {
        // The query is made last, so that its names count.
        let filters = self.functions.iter().filter_map(|function| function.filter.as_ref());
        filters.filter(|query| !query.is_match_all()).chain([&self.query]).collect()
    }
}
