//! Documents that have a value of a field, or of what a name stands for.

use super::PlanContext;
use super::fields::{any, rewritten_to_none};
use super::one_value::wildcard_matches;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::sort_by_slot;
use crate::mapping::{DocValues, Family, Field, Indexed};
use crate::score::{MultiTerm, Plan, TermSet};
use std::ops::Bound;

/// Whether values or lengths tell which documents have a field. Of completions the reference does not go by their lengths.
fn has_values_or_norms(field: &Field) -> bool {
    field.spec.doc_values != DocValues::None || field.spec.norms && field.family() != Family::Completion
}

pub fn exists_text(field: &Field) -> String {
    let name = &field.name;
    if has_values_or_norms(field) {
        format!("FieldExistsQuery [field={name}]")
    } else if field.family() == Family::Feature {
        format!("_feature:{name}")
    } else {
        format!("_field_names:{name}")
    }
}

/// Any value of one field. Where every document has one the reference rewrites the query to all documents.
pub fn exists_in(cx: &PlanContext, field: &Field) -> Plan {
    if field.constant().is_some() {
        return Plan::All;
    }
    if field.family() == Family::Ignored {
        let set = TermSet::Range(Bound::Unbounded, Bound::Unbounded);
        return Plan::MultiTerm(MultiTerm { field: field.name.clone(), set, text: format!("{}:[* TO *]", field.name) });
    }
    let text = exists_text(field);
    if field.family() == Family::Completion {
        // Of inputs that were left out nothing but the name is left.
        return Plan::term(&"_field_names".into(), field.name.as_bytes().to_vec());
    }
    let every = field.spec.indexed != Indexed::No
        && has_values_or_norms(field)
        && !cx.snapshot.segments.is_empty()
        && (cx.snapshot.segments.iter()).all(|view| {
            view.segment.field(&field.name).is_some_and(|of| of.exists_count() == u64::from(view.max_doc()))
        });
    match every {
        true => Plan::All.written_as(text),
        false => Plan::Exists { field: field.name.clone(), text },
    }
}

/// Fields of every mapping of the reference that nothing is kept in here, and how it refuses to look for documents that have them.
const HIDDEN: &[(&str, &str)] = &[
    ("_data_stream_timestamp", "Cannot run exists query on internal field [_data_stream_timestamp]"),
    ("_feature", "Cannot run exists query on [_feature]"),
];

/// Any value of the fields that `name`, a field, an object or a pattern, stands for.
pub fn exists(cx: &PlanContext, name: &str) -> Result<Plan> {
    let mut fields: Vec<&Field> = cx.mapping.matching(name);
    let is_object = cx.mapping.is_object(name);
    if fields.is_empty() && !is_object {
        fields.extend(cx.field(name));
    }
    if is_object {
        fields.extend(cx.mapping.under(name));
    }
    fields.retain(|field| !field.derived.as_ref().is_some_and(|derived| derived.of_search));
    // The reference has the names in a hash map.
    let mut named: Vec<(&str, Option<&Field>)> = fields.into_iter().map(|field| (&*field.name, Some(field))).collect();
    named.extend(HIDDEN.iter().filter(|(hidden, _)| wildcard_matches(name, hidden)).map(|(hidden, _)| (*hidden, None)));
    sort_by_slot(&mut named, |(name, _)| name);
    let mut plans = Vec::with_capacity(named.len());
    for (hidden, field) in named {
        let Some(field) = field else {
            let reason = HIDDEN.iter().find(|(name, _)| *name == hidden).map_or("", |(_, reason)| reason);
            return Err(Error::new(ErrorKind::UnsupportedOperation, reason));
        };
        if field.derived.is_some() {
            let reason = format!("Field [{}] of type [derived] does not support exist queries", field.name);
            return Err(Error::new(ErrorKind::UnsupportedOperation, reason));
        }
        match field.family() {
            Family::Id | Family::Index => plans.push(Plan::All),
            Family::SeqNo => plans.push(Plan::All.written_as(format!("FieldExistsQuery [field={}]", field.name))),
            // It is in no index that would tell that all documents have it.
            Family::Version => plans.push(Plan::All.shown_as(format!("FieldExistsQuery [field={}]", field.name))),
            Family::NestedPath => {
                let reason = "Cannot run exists() query against the nested field path";
                return Err(Error::new(ErrorKind::UnsupportedOperation, reason));
            }
            // What words begin with has no query of its own for that.
            _ if field.type_name == "prefix" => return Err(Error::without_reason(ErrorKind::UnsupportedOperation)),
            Family::Source => return Err(cx.error("The _source field is not searchable")),
            Family::FieldNames => {
                return Err(Error::new(ErrorKind::UnsupportedOperation, "Cannot run exists query on _field_names"));
            }
            Family::Features => {
                return Err(Error::illegal_argument("[rank_features] fields do not support [exists] queries"));
            }
            _ => plans.push(exists_in(cx, field)),
        }
    }
    Ok(match plans.len() {
        0 if !is_object && cx.field(name).is_some() => rewritten_to_none(),
        0 => Plan::nothing(format!("No field \"{name}\" exists in mappings.")),
        // What a pattern stands for is a query for each field.
        _ if name.contains('*') => any(plans.into_iter().map(Plan::constant).collect()).constant(),
        1 => plans.remove(0).constant(),
        _ => any(plans).constant(),
    })
}
