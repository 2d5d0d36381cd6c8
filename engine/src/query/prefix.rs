//! `prefix`: documents with a term that begins with a text.

use super::fields;
use super::node::Node;
use super::pattern::CaseInsensitive;
use super::wildcard::{PatternParams, parse_pattern};
use super::{Kind, PlanContext, Query};
use crate::error::Result;
use crate::mapping::Field;
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
            return Ok(Plan::nothing(format!("unmapped field [{}]", self.0.field)));
        };
        fields::check_has_terms(cx, field, "prefix")?;
        fields::pattern_plan(cx, field, &self.0.rewrite, prefix_terms(field, &self.0.value, self.0.case_insensitive))
    }

    fn is_multi_term(&self) -> bool {
        true
    }
}

/// Terms of `field` that begin with `value`.
pub fn prefix_plan(field: &Field, value: &str, case_insensitive: bool) -> Plan {
    Plan::MultiTerm(prefix_terms(field, value, case_insensitive))
}

pub fn prefix_terms(field: &Field, value: &str, case_insensitive: bool) -> MultiTerm {
    let set = if case_insensitive {
        TermSet::Pattern(Arc::new(CaseInsensitive::prefix(value)))
    } else {
        TermSet::Prefix(value.as_bytes().to_vec())
    };
    MultiTerm { field: field.name.clone(), set, text: format!("{}:{value}*", field.name) }
}
