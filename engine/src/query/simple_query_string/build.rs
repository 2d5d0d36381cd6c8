//! The tree of a simple query string to a plan.

use super::SimpleQueryString;
use super::parser::{Leaf, Tree, parse};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Field, Indexed};
use crate::query::minimum_should_match::minimum;
use crate::query::multi_match::{Given, Type, multi_field_plan, resolve, with_suffix};
use crate::query::prefix::{prefix_plan, prefix_terms};
use crate::query::rewrite::Rewrite;
use crate::query::term_scan::{FuzzyOptions, fuzzy_plan};
use crate::query::text::{Operator, TextOptions, ZeroTerms, is_dropped, named_analyzer, normalize_as_named};
use crate::query::wildcard_pieces::of_pieces;
use crate::query::{PlanContext, fields, one_value};
use crate::score::{BoolPlan, Plan};
use std::sync::Arc;

pub fn plan(cx: &PlanContext, query: &SimpleQueryString) -> Result<Plan> {
    named_analyzer(cx, &query.options)?;
    let (mut fields, all) = resolve(cx, &query.fields, Given::Hashed);
    fields.retain(|(name, _)| cx.field(name).is_some());
    let and = query.default_operator == Operator::And;
    let options = TextOptions {
        lenient: query.lenient.unwrap_or(all),
        operator: query.default_operator,
        zero_terms: ZeroTerms::Drop,
        ..query.options.clone()
    };
    // A star alone stands for all documents, whatever the fields.
    if query.query.trim_matches(|c| c <= ' ') == "*" {
        return Ok(Plan::All);
    }
    let nothing = || Plan::nothing("empty string passed to query parser");
    let builder = Builder { cx, query, fields, options };
    let Some(tree) = parse(&query.query, query.flags, and, |leaf| builder.leaf(&leaf))? else { return Ok(nothing()) };
    Ok(match (joined(cx, tree)?, &query.minimum_should_match) {
        // Where nothing is optional a plain number asks for more than there is.
        (Plan::Bool(inner), Some(spec)) => {
            let minimum_should_match = minimum(inner.should.len(), spec)?;
            Plan::Bool(BoolPlan { minimum_should_match, ..inner })
        }
        (plan, _) => plan,
    })
}

/// The plan of a tree of plans.
fn joined(cx: &PlanContext, tree: Tree<Plan>) -> Result<Plan> {
    let all = |trees: Vec<Tree<Plan>>| -> Result<Vec<Plan>> {
        crate::query::bool_query::check_clauses(cx, trees.len())?;
        trees.into_iter().map(|tree| joined(cx, tree)).collect()
    };
    Ok(match tree {
        Tree::Leaf(plan) => plan,
        Tree::All(trees) => Plan::Bool(BoolPlan { must: all(trees)?, ..BoolPlan::default() }),
        Tree::Any(trees) => Plan::Bool(BoolPlan { should: all(trees)?, ..BoolPlan::default() }),
        Tree::Not(inner) => {
            let must_not = vec![joined(cx, *inner)?];
            Plan::Bool(BoolPlan { must_not, should: vec![Plan::All], ..BoolPlan::default() })
        }
    })
}

struct Builder<'a> {
    cx: &'a PlanContext<'a>,
    query: &'a SimpleQueryString,
    fields: Vec<(Arc<str>, f32)>,
    options: TextOptions,
}

impl Builder<'_> {
    /// None for what analysis leaves nothing of.
    fn leaf(&self, leaf: &Leaf) -> Result<Option<Plan>> {
        Ok(match leaf {
            Leaf::Text(text) => self.text(Type::MostFields, &self.fields, text, &self.options)?,
            Leaf::Phrase(text, slop) => {
                let options = TextOptions { slop: *slop, ..self.options.clone() };
                self.text(Type::Phrase, &self.quoted_fields(), text, &options)?
            }
            Leaf::Prefix(text) => Some(self.each(|name| self.prefix(name, text))?),
            Leaf::Fuzzy(text, edits) => Some(self.each(|name| self.fuzzy(name, text, *edits))?),
        })
    }

    fn text(&self, kind: Type, targets: &[(Arc<str>, f32)], text: &str, options: &TextOptions) -> Result<Option<Plan>> {
        if targets.is_empty() {
            return Ok(Some(Plan::nothing("unmapped fields []")));
        }
        let value = Value::String(text.to_owned());
        let plan = multi_field_plan(self.cx, kind, targets, &value, None, options)?;
        Ok((!is_dropped(&plan)).then_some(plan))
    }

    fn quoted_fields(&self) -> Vec<(Arc<str>, f32)> {
        with_suffix(self.cx, self.fields.clone(), self.query.quote_field_suffix.as_deref())
    }

    /// The plan of each field, the best of which count.
    fn each(&self, plan: impl Fn(&str) -> Result<Option<Plan>>) -> Result<Plan> {
        let mut plans = Vec::with_capacity(self.fields.len());
        for (name, boost) in &self.fields {
            let plan = match plan(name) {
                Err(error) if self.options.lenient && error.kind() != ErrorKind::TooManyClauses => {
                    Some(Plan::nothing(format!("failed query, caused by {}", error.reason())))
                }
                other => other?,
            };
            plans.extend(plan.map(|plan| plan.boosted(*boost)));
        }
        Ok(match plans.len() {
            1 => plans.remove(0),
            _ => Plan::DisMax { plans, tie_breaker: 1.0 },
        })
    }

    fn prefix(&self, name: &str, text: &str) -> Result<Option<Plan>> {
        let Some(field) = self.cx.field(name) else { return Ok(None) };
        if let Some(plan) = one_value::prefix_of_field(self.cx, field, text) {
            return Ok(Some(plan));
        }
        let checked = fields::check_has_terms(self.cx, field, "prefix");
        if checked.is_err() && self.query.analyze_wildcard {
            // What is analyzed is looked for whatever the field is.
            return Ok(Some(Plan::MultiTerm(prefix_terms(field, text, false))));
        }
        checked?;
        if field.type_name == "wildcard" {
            return self.prefix_of_wildcard(field, text).map(Some);
        }
        let is_flat = field.type_name == "flat_object" || field.terms_elsewhere().is_some();
        let has_terms = matches!(field.spec.indexed, Indexed::Terms { .. }) && !is_flat;
        if self.query.analyze_wildcard && !has_terms {
            // Looked for under the name that is given, where the index has no terms.
            return Ok(Some(Plan::nothing("no terms").written_as(format!("{name}:{text}*"))));
        }
        if self.query.analyze_wildcard {
            // Whatever else a field has for beginnings, what is analyzed is looked for among its terms.
            let prefix = |text: &str| Ok(Plan::MultiTerm(prefix_terms(field, text, false)));
            return crate::query::text::analyzed_prefix(self.cx, field, text, &self.options, &prefix);
        }
        let text = normalize_as_named(self.cx, field, text, &self.options)?;
        Ok(Some(prefix_plan(self.cx, field, &text, false)))
    }

    /// What is to be analyzed is held against the pieces of values, other texts against the values.
    fn prefix_of_wildcard(&self, field: &Field, text: &str) -> Result<Plan> {
        match self.query.analyze_wildcard {
            true => {
                let analyzer = named_analyzer(self.cx, &self.options)?;
                let text = analyzer.map_or_else(|| text.to_owned(), |analyzer| analyzer.normalize(text));
                Rewrite::Default.apply(self.cx, of_pieces(field, &format!("{text}*")))
            }
            false => {
                let text = normalize_as_named(self.cx, field, text, &self.options)?;
                fields::pattern_plan(self.cx, field, &Rewrite::Default, prefix_terms(field, &text, false))
            }
        }
    }

    fn fuzzy(&self, name: &str, text: &str, edits: u8) -> Result<Option<Plan>> {
        let Some(field) = self.cx.field(name) else { return Ok(None) };
        let fuzzy = field.constant().is_none() && field.type_name != "wildcard";
        if !fuzzy || fields::check_has_terms(self.cx, field, "fuzzy").is_err() {
            return Err(fields::no_fuzzy(field));
        }
        if let Some(reason) = self.options.refused_fuzzy {
            return Err(Error::illegal_argument(reason));
        }
        let options = FuzzyOptions {
            edits,
            prefix_length: self.options.prefix_length,
            max_expansions: self.options.max_expansions,
            transpositions: self.options.transpositions,
        };
        let text = normalize_as_named(self.cx, field, text, &self.options)?;
        Ok(Some(fuzzy_plan(self.cx, field, &text, options)))
    }
}
