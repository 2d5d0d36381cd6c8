//! Whether what a formula names is there: parameters, and fields of numbers, dates or places.

use super::members::Member;
use super::{FieldRef, Node, failed};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Family, Mapping};
use crate::script::op::Program;

/// Fails where a formula names what is not there. Without a mapping there are no fields.
pub fn link(program: &Program, mapping: Option<&Mapping>, params: &Value) -> Result<()> {
    let Some(formula) = &program.formula else { return Ok(()) };
    let mut open = vec![formula];
    while let Some(node) = open.pop() {
        match node {
            Node::Number(_) => {}
            Node::Name(name, _) => check_name(program, name, params)?,
            Node::Field(field) => check_field(program, field, mapping)?,
            Node::Not(node) | Node::Negate(node) | Node::Complement(node) => open.push(node),
            Node::Binary(_, left, right) => open.extend([&**right, &**left]),
            Node::Choose(test, yes, no) => open.extend([&**no, &**yes, &**test]),
            Node::Call(_, arguments) => open.extend(arguments.iter().rev()),
        }
    }
    Ok(())
}

fn check_name(program: &Program, name: &str, params: &Value) -> Result<()> {
    let context = program.context;
    let cause = match params.get(name) {
        Some(value) if value.as_f64().is_some() => return Ok(()),
        Some(_) => Error::new(ErrorKind::Parse, format!("Parameter [{name}] must be a numeric type")),
        None if name == "_score" && context.scores => return Ok(()),
        None if name == "_value" && context.variables.iter().any(|(known, _)| *known == "_value") => return Ok(()),
        None => Error::new(ErrorKind::Parse, format!("Unknown variable [{name}]")),
    };
    Err(failed("link error", &program.source, (name, 0), cause))
}

fn check_field(program: &Program, asked: &FieldRef, mapping: Option<&Mapping>) -> Result<()> {
    let name = &asked.field;
    let wrong = |reason: String| {
        let cause = Error::new(ErrorKind::Parse, reason);
        Err(failed("link error", &program.source, (&asked.text, asked.name_at), cause))
    };
    let Some(field) = mapping.and_then(|mapping| mapping.field(name)) else {
        return wrong(format!("Field [{name}] does not exist in mappings"));
    };
    let (kind, fits): (_, fn(&Member) -> bool) = match field.family() {
        Family::Date => ("date", |member| !matches!(member, Member::Lat | Member::Lon)),
        Family::GeoPoint => ("geopoint", |member| matches!(member, Member::Lat | Member::Lon | Member::Empty)),
        family if family.is_numeric() => {
            ("numeric", |member| !matches!(member, Member::Lat | Member::Lon | Member::Date(_)))
        }
        _ => return wrong(format!("Field [{name}] must be numeric, date, or geopoint")),
    };
    if asked.member.as_ref().is_ok_and(fits) {
        return Ok(());
    }
    let what = match &asked.member {
        Err(what) => what.clone(),
        Ok(_) => {
            let last = asked.text.rsplit('.').next().unwrap_or_default();
            let what = if last.ends_with("()") { "method" } else { "variable" };
            format!("Member {what} [{}]", last.trim_end_matches("()"))
        }
    };
    let cause = Error::illegal_argument(format!("{what} does not exist for {kind} field [{name}]."));
    Err(failed("link error", &program.source, (&asked.text, 0), cause))
}
