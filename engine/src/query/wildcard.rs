//! `wildcard`: documents with a term that a pattern of `*` and `?` matches.

use super::as_mapped::goes_over_values;
use super::node::{Common, Node, check_name, multiple_fields, unsupported};
use super::pattern::{self, Wildcard as WildcardPattern, automaton_text};
use super::rewrite::Rewrite;
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields, one_value};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::Field;
use crate::score::{MultiTerm, Plan, TermSet};
use std::sync::Arc;

/// What prefixes and wildcards are parsed into.
#[derive(Debug)]
pub struct PatternParams {
    pub field: String,
    pub value: String,
    pub case_insensitive: bool,
    pub rewrite: Rewrite,
}

#[derive(Debug)]
struct Wildcard(PatternParams);

pub fn parse(node: Node) -> Result<Query> {
    let (common, params) = parse_pattern(node, "wildcard", &["wildcard", "value"])?;
    Ok(Query::new(common, Wildcard(params)))
}

/// `{"field": "text"}` or `{"field": {value, boost, rewrite, case_insensitive}}`.
pub fn parse_pattern(node: Node, kind: &str, value_keys: &[&str]) -> Result<(Common, PatternParams)> {
    let mut common = Common::default();
    let mut found: Option<(String, Option<String>)> = None;
    let (mut case_insensitive, mut rewrite) = (false, Rewrite::Default);
    for field in node.fields() {
        if let Some((first, _)) = &found {
            return Err(multiple_fields(field.node, kind, first, field.key));
        }
        // Of these queries one takes nothing for a value that is missing.
        let text = |node: Node| match node.value {
            Value::Null if kind == "prefix" => Ok(None),
            _ => node.text().map(Some),
        };
        let Value::Object(_) = field.node.value else {
            found = Some((field.key.to_owned(), text(field.node)?));
            continue;
        };
        let mut value = None;
        for inner in field.node.fields() {
            match inner.key {
                key if value_keys.contains(&key) => value = text(inner.node)?,
                "rewrite" => rewrite = Rewrite::parse(inner.node)?,
                "case_insensitive" => case_insensitive = inner.node.bool()?,
                key if common.take(key, inner.node)? => {}
                key => return Err(unsupported(inner.node, kind, key)),
            }
        }
        found = Some((field.key.to_owned(), value));
    }
    let (field, value) = found.ok_or_else(|| Error::illegal_argument("field name is null or empty"))?;
    check_name(&field)?;
    let value = value.ok_or_else(|| Error::illegal_argument("value cannot be null"))?;
    Ok((common, PatternParams { field, value, case_insensitive, rewrite }))
}

impl Kind for Wildcard {
    fn sought(&self) -> Option<Sought<'_>> {
        Some(Sought { field: &self.0.field, values: SoughtValues::Wildcard(self.0.value.clone()) })
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let Some(field) = cx.field(&self.0.field) else {
            return Ok(fields::rewritten_to_none());
        };
        if let Some(plan) = one_value::plan(cx, field, &self.0.value, self.0.case_insensitive) {
            return Ok(plan);
        }
        self.0.rewrite.check()?;
        if field.type_name == "wildcard" && self.0.value.bytes().all(|b| b == b'*') {
            return Ok(match self.0.value.is_empty() {
                true => fields::like_nothing(),
                false => fields::exists_in(cx, field),
            });
        }
        let normalized = |part: &str| Ok(fields::indexed_text(field, part).into_owned());
        let pattern = pattern::between_wildcards(&self.0.value, normalized)?;
        // The reference goes over values in the case that is asked for.
        let case_insensitive = self.0.case_insensitive && !goes_over_values(field);
        let terms = wildcard_terms(field, &pattern, case_insensitive);
        fields::check_has_terms(cx, field, "wildcard")?;
        cx.check_expensive("[wildcard] queries", "")?;
        fields::pattern_plan(cx, field, &self.0.rewrite, terms)
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }

    fn is_multi_term(&self) -> bool {
        true
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        one_value::is_decided(cx, &self.0.field)
    }
}

/// Terms of `field` that the pattern matches.
pub fn wildcard_terms(field: &Field, pattern: &str, case_insensitive: bool) -> MultiTerm {
    let set = TermSet::Pattern(Arc::new(WildcardPattern::new(pattern, case_insensitive)));
    let text = match case_insensitive && field.type_name != "wildcard" {
        true => automaton_text(&field.name, pattern),
        false => format!("{}:{pattern}", field.name),
    };
    MultiTerm { field: field.name.clone(), set, text }
}
