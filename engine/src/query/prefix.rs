//! `prefix`: documents with a term that begins with a text.

use super::node::Node;
use super::pattern::{CaseInsensitive, automaton_text};
use super::rewrite::Rewrite;
use super::wildcard::{PatternParams, parse_pattern};
use super::{Kind, PlanContext, Query};
use super::{can_match, fields, one_value};
use crate::error::Result;
use crate::mapping::{Field, SearchAsYouType};
use crate::score::{MultiTerm, Plan, TermSet};
use std::sync::Arc;

#[derive(Debug)]
struct Prefix(PatternParams);

pub fn parse(node: Node) -> Result<Query> {
    let (common, params) = parse_pattern(node, "prefix", &["value"])?;
    Ok(Query::new(common, Prefix(params)))
}

impl Kind for Prefix {
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.0.field) else {
            return Ok(fields::rewritten_to_none());
        };
        let pattern = format!("{}*", self.0.value);
        if let Some(plan) = one_value::plan(cx, field, &pattern, self.0.case_insensitive) {
            return Ok(plan);
        }
        let value = fields::indexed_text(field, &self.0.value);
        let terms = prefix_terms(field, &value, self.0.case_insensitive);
        fields::check_has_terms(cx, field, "prefix")?;
        check_expensive(cx, field)?;
        self.0.rewrite.check()?;
        match indexed_prefix(cx, field, &value, self.0.case_insensitive, &self.0.rewrite) {
            Some(plan) => Ok(plan),
            None => fields::pattern_plan(cx, field, &self.0.rewrite, terms),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }

    fn is_multi_term(&self) -> bool {
        true
    }
}

/// Prefixes that are indexed cost no more than a term.
fn check_expensive(cx: &PlanContext, field: &Field) -> Result<()> {
    if field.has_prefixes() {
        return Ok(());
    }
    cx.check_expensive(
        "[prefix] queries",
        " For optimised prefix queries on text fields please enable [index_prefixes].",
    )
}

/// Documents with a term of `field` that begins with `value`.
pub fn prefix_plan(cx: &PlanContext, field: &Field, value: &str, case_insensitive: bool) -> Plan {
    let indexed = indexed_prefix(cx, field, value, case_insensitive, &Rewrite::Default);
    indexed.unwrap_or_else(|| Plan::MultiTerm(prefix_terms(field, value, case_insensitive)))
}

/// The same where beginnings of terms are terms of a field of their own. Only a `rewrite` that scores has them scored.
pub fn indexed_prefix(
    cx: &PlanContext,
    field: &Field,
    value: &str,
    case_insensitive: bool,
    rewrite: &Rewrite,
) -> Option<Plan> {
    if field.type_name != SearchAsYouType::NAME || value.encode_utf16().count() > SearchAsYouType::PREFIX_MAX {
        return None;
    }
    let prefixes = cx.field(&SearchAsYouType::prefix_field(&field.name))?;
    if !case_insensitive {
        let term = Plan::term(&prefixes.name, value);
        return Some(match rewrite {
            Rewrite::Default | Rewrite::Constant | Rewrite::ConstantBoolean => term.constant(),
            _ => term,
        });
    }
    let set = TermSet::Pattern(Arc::new(CaseInsensitive::literal(value)));
    let text = format!("{}:{value}", prefixes.name);
    Some(Plan::MultiTerm(MultiTerm { field: prefixes.name.clone(), set, text }))
}

/// Terms of `field` that begin with `value`.
pub fn prefix_terms(field: &Field, value: &str, case_insensitive: bool) -> MultiTerm {
    let set = if case_insensitive {
        TermSet::Pattern(Arc::new(CaseInsensitive::prefix(value)))
    } else {
        TermSet::Prefix(value.as_bytes().to_vec())
    };
    let text = match case_insensitive {
        true => automaton_text(&field.name, value),
        false => format!("{}:{value}*", field.name),
    };
    MultiTerm { field: field.name.clone(), set, text }
}
