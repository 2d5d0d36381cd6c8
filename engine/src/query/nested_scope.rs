//! Which queries might match nested documents, and which might match others: decides, as in the reference, where a filter
//! has to keep them apart.

use super::PlanContext;
use crate::mapping::Mapping;
use crate::score::{BlockJoin, BoolPlan, Plan};
use std::sync::Arc;

/// The plan for root documents alone: with a filter where it might match nested ones.
pub fn roots_only(plan: Plan, cx: &PlanContext) -> Plan {
    if !cx.mapping.has_nested() || !might_match_nested(&plan, cx.mapping) {
        return plan;
    }
    Plan::Bool(BoolPlan { must: vec![plan], filter: vec![roots()], ..BoolPlan::default() })
}

/// All root documents.
pub fn roots() -> Plan {
    let field: Arc<str> = ROOTS.into();
    Plan::Exists { text: format!("FieldExistsQuery [field={field}]"), field }
}

/// Whether a plan is the one for all root documents.
pub fn is_roots(plan: &Plan) -> bool {
    matches!(plan, Plan::Exists { field, .. } if &**field == ROOTS)
}

/// The field that root documents alone have.
const ROOTS: &str = "_primary_term";

/// Whether a plan might match documents that are nested.
fn might_match_nested(plan: &Plan, mapping: &Mapping) -> bool {
    might_match(plan, &|name| match mapping.field(name) {
        _ if name.starts_with('_') => true,
        None => false,
        Some(_) => mapping.nested_scope(name).is_some(),
    })
}

/// Whether a plan might match documents other than those nested under `path`.
pub fn might_match_others(plan: &Plan, mapping: &Mapping, path: &str) -> bool {
    might_match(plan, &|name| match mapping.nested_scope(name) {
        _ if name.starts_with('_') => true,
        _ if mapping.field(name).is_none() => false,
        Some(scope) if scope == path => {
            mapping.nested_object(scope).is_some_and(|own| own.include_in_parent || own.include_in_root)
        }
        _ => true,
    })
}

/// `by_field` decides for plans on the terms or numbers of one field.
fn might_match(plan: &Plan, by_field: &dyn Fn(&str) -> bool) -> bool {
    match plan {
        Plan::Constant(inner) | Plan::Boost(inner, _) => might_match(inner, by_field),
        Plan::Nothing(_) => false,
        Plan::Term { field, .. } => by_field(field),
        Plan::Points(points) => points.is_set() || by_field(&points.field),
        Plan::MultiTerm(multi_term) if multi_term.is_set() => by_field(&multi_term.field),
        Plan::Bool(plan) => {
            let mut required = plan.must.iter().chain(&plan.filter).peekable();
            match required.peek() {
                Some(_) => required.all(|plan| might_match(plan, by_field)),
                None => plan.should.iter().any(|plan| might_match(plan, by_field)),
            }
        }
        Plan::Custom(node) => match node.0.as_any().and_then(|node| node.downcast_ref::<BlockJoin>()) {
            Some(join) => join.parent.is_some(),
            None => node.0.judged_like().is_none_or(|plan| might_match(plan, by_field)),
        },
        _ => true,
    }
}
