//! Queries on derived fields: what queries on fields become where a script gives the values.

use super::PlanContext;
use super::approximation::approximate_text;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::{DateFormat, Resolution};
use crate::mapping::{Derived, Field, Mapping};
use crate::score::{BoolPlan, DerivedQuery, MappingRef, Plan};
use crate::script::DerivedValues;
use crate::segment::Snapshot;
use std::sync::Arc;

/// Documents that are looked at to find out of what type a value below a derived object is.
const SAMPLE: u32 = 256;

/// The plan on a derived field: none where there is nothing to change.
pub fn wrap(inner: Plan, field: &Field, cx: &PlanContext) -> Plan {
    let Some(derived) = &field.derived else { return inner };
    if let Plan::Custom(node) = &inner
        && let Some(rewritten) = node.0.written()
    {
        // What is within is rewritten as well.
        return wrap(rewritten.clone(), field, cx).written_as(DerivedQuery::text(&inner));
    }
    let own = match Mapping::parse(&derived.mapping(&field.name), cx.mapping.analysis(), cx.mapping.settings()) {
        Ok(own) => Arc::new(own),
        Err(error) => return Plan::nothing(error.reason()),
    };
    let before = prefilter(&inner, derived);
    let inner = described(inner, &derived.type_name);
    let query = Plan::custom(DerivedQuery {
        inner,
        field: field.name.clone(),
        derived: derived.clone(),
        mapping: MappingRef(cx.mapping.clone()),
        own: MappingRef(own),
        now_ms: cx.dates.now_ms,
    });
    match before {
        Some(before) => Plan::Bool(BoolPlan { filter: vec![before, query], ..BoolPlan::default() }),
        None => query,
    }
}

/// The derived keyword that a plan looks at, where it is wrapped together with what scores its matches alike and with the text
/// that it has.
pub fn whole_field<'a>(plan: &Plan, cx: &'a PlanContext) -> Option<&'a Field> {
    fn within(plan: &Plan) -> Option<&Plan> {
        match plan {
            Plan::Constant(inner) => Some(inner),
            Plan::Custom(node) => node.0.written().or_else(|| node.0.shown()),
            _ => None,
        }
    }
    let mut leaf = within(plan)?;
    while let Some(inner) = within(leaf) {
        leaf = inner;
    }
    let field = cx.field(leaf.leaf_field()?)?;
    let derived = field.derived.as_ref()?;
    (derived.type_name == "keyword").then_some(field)
}

/// A plan under the text of the reference: ranges of numbers alone may be approximated, and places have no values of documents.
fn described(inner: Plan, type_name: &str) -> Plan {
    match inner {
        Plan::Points(points) if points.approximate => {
            let text = approximate_text(&points);
            Plan::Points(points).written_as(text)
        }
        plan if type_name == "geo_point" => {
            let text = plan.to_string();
            let of_points = text.strip_prefix("IndexOrDocValuesQuery(indexQuery=");
            match of_points.and_then(|rest| rest.split_once(", dvQuery=")) {
                Some((of_points, _)) => plan.written_as(of_points.to_owned()),
                None => plan,
            }
        }
        plan => plan,
    }
}

/// The same query on the text field that holds the words as well.
fn prefilter(inner: &Plan, derived: &Derived) -> Option<Plan> {
    let field: Arc<str> = derived.prefilter_field.as_deref().filter(|name| !name.is_empty())?.into();
    match inner.clone() {
        Plan::Constant(inner) => prefilter(&inner, derived),
        Plan::Term { term, .. } => Some(Plan::Term { field, term }),
        Plan::Synonyms { terms, .. } => Some(Plan::Synonyms { field, terms }),
        Plan::Phrase { positions, slop, .. } => Some(Plan::Phrase { field, positions, slop }),
        Plan::MultiTerm(mut terms) if !matches!(terms.set, crate::score::TermSet::Range(..)) => {
            terms.text = terms.text.replacen(&*terms.field, &field, 1);
            terms.field = field;
            Some(Plan::MultiTerm(terms))
        }
        _ => None,
    }
}

/// Checks what a query on the field needs beforehand.
pub fn check(field: &Field, cx: &PlanContext) -> Result<()> {
    let Some(derived) = &field.derived else { return Ok(()) };
    let Some(name) = derived.prefilter_field.as_deref().filter(|name| !name.is_empty()) else { return Ok(()) };
    let refuse = |reason: String| Err(Error::new(ErrorKind::Mapper, reason).with_status(500));
    match cx.mapping.field(name) {
        None => refuse(format!("prefilter_field[{name}] is not defined in the index mappings")),
        Some(field) if field.type_name != "text" => {
            refuse(format!("prefilter_field[{name}] should be of type text. Type found [{}].", field.type_name))
        }
        Some(_) => Ok(()),
    }
}

/// The field below a derived object that a name stands for: of the type that the definition names, or that its values have.
pub fn sub_field(name: &str, mapping: &Arc<Mapping>, snapshot: &Snapshot, now_ms: i64) -> Option<Field> {
    let (parent, path) = mapping.derived_parent(name)?;
    let type_name = match parent.property(path) {
        Some(type_name) => type_name,
        None => inferred(&parent.below(path, "keyword"), mapping, snapshot, now_ms)?.to_owned(),
    };
    parent.below(path, &type_name).field(name, mapping.param_context()).ok()
}

/// The type that dynamic mapping would give to the first value of a sample.
fn inferred(below: &Derived, mapping: &Arc<Mapping>, snapshot: &Snapshot, now_ms: i64) -> Option<&'static str> {
    let mut values = DerivedValues::new(below, mapping, now_ms).ok()?;
    for view in &snapshot.segments {
        values.enter_segment(view);
        for doc in (0..view.max_doc().min(SAMPLE)).filter(|doc| view.is_live(*doc) && view.segment.is_root(*doc)) {
            let found = values.read(doc).ok()?.iter().find_map(type_of);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::UInt(_) | Value::BigInt(_) => "long",
        Value::Float(_) => "float",
        Value::String(text) => {
            let format = DateFormat::parse("strict_date_optional_time");
            let is_date = format.is_ok_and(|format| Resolution::Millis.parse(&format, text).is_ok());
            if is_date && text.parse::<f64>().is_err() { "date" } else { "text" }
        }
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}
