//! Whether what a formula names is there: parameters, and fields of numbers, dates or places.

use super::members::Member;
use super::{Asked, FieldRef, Node, failed};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Family, Mapping};
use crate::script::op::Program;
use crate::script::text;

/// Fails where a formula names what is not there. Without a mapping there are no fields.
pub fn link(program: &Program, mapping: Option<&Mapping>, params: &Value) -> Result<()> {
    let Some(formula) = &program.formula else { return Ok(()) };
    visit(formula, &mut |node| match node {
        Node::Name { text, first } => check_name(program, text, first, params),
        // Parameters go before fields, whatever they are called.
        Node::Field(field) if params.get(&field.text).is_some() => check_name(program, &field.text, "doc", params),
        Node::Field(field) => check_field(program, field, mapping),
        _ => Ok(()),
    })
}

/// Calls `look` for each part, from left to right.
fn visit<'n>(formula: &'n Node, look: &mut dyn FnMut(&'n Node) -> Result<()>) -> Result<()> {
    let mut open = vec![formula];
    while let Some(node) = open.pop() {
        look(node)?;
        match node {
            Node::Number(_) | Node::Name { .. } | Node::Field(_) => {}
            Node::Not(node) | Node::Negate(node) | Node::Complement(node) => open.push(node),
            Node::Binary(_, left, right) => open.extend([&**right, &**left]),
            Node::Choose(test, yes, no) => open.extend([&**no, &**yes, &**test]),
            Node::Call(_, arguments) => open.extend(arguments.iter().rev()),
        }
    }
    Ok(())
}

/// Formulas over the numbers of buckets take these alone, and have to name each of them; what else they name is 0.
pub fn check_numbers(program: &Program, numbers: &Value) -> Result<()> {
    let (Some(formula), Value::Object(numbers)) = (&program.formula, numbers) else { return Ok(()) };
    let mut named = vec![];
    visit(formula, &mut |node| {
        match node {
            Node::Name { text, .. } => named.push(text.as_str()),
            Node::Field(field) => named.push(field.text.as_str()),
            _ => {}
        }
        Ok(())
    })?;
    let mut given: Vec<_> = numbers.iter().collect();
    // They are looked at in the order of a hash table.
    let table = (given.len() * 4 / 3 + 1).next_power_of_two().max(16) as u32;
    given.sort_by_key(|(name, _)| {
        let hash = text::hash(name) as u32;
        (hash ^ (hash >> 16)) & (table - 1)
    });
    for (name, value) in given {
        let wrong = match (named.contains(&name), value.as_f64()) {
            (true, Some(_)) => continue,
            (true, None) => format!(
                "Executable expressions scripts can only process numbers.  The variable [{name}] is not a number."
            ),
            (false, _) => format!("The variable [{name}] does not exist in the executable expressions script."),
        };
        return Err(Error::illegal_argument(format!("Error using {}. {wrong}", program.source)));
    }
    Ok(())
}

fn check_name(program: &Program, name: &str, first: &str, params: &Value) -> Result<()> {
    let context = program.context;
    let (reason, blanks) = match params.get(name) {
        Some(value) if value.as_f64().is_some() => return Ok(()),
        Some(_) => (format!("Parameter [{name}] must be a numeric type"), 0),
        None if name == "_score" && matches!(context.name, "aggs" | "filter" | "number_sort" | "score") => {
            return Ok(());
        }
        None if name == "_value" && matches!(context.name, "aggs" | "filter" | "score") => return Ok(()),
        None if first == "doc" => {
            ("Variable 'doc' must be used with a specific field like: doc['myfield']".to_owned(), 3)
        }
        None => (format!("Unknown variable [{first}]"), 0),
    };
    Err(failed("link error", &program.source, name, blanks, Error::new(ErrorKind::Parse, reason)))
}

fn check_field(program: &Program, asked: &FieldRef, mapping: Option<&Mapping>) -> Result<()> {
    let FieldRef { field: name, text, asked } = asked;
    let wrong = |blanks, cause| Err(failed("link error", &program.source, text, blanks, cause));
    let (member, called, of_date, found) = match asked {
        Asked::Malformed(reason) => return wrong(0, Error::illegal_argument(reason)),
        Asked::Member { name, called, of_date, found } => (name, *called, *of_date, found),
    };
    let Some(field) = mapping.and_then(|mapping| mapping.field(name)) else {
        return wrong(5, Error::new(ErrorKind::Parse, format!("Field [{name}] does not exist in mappings")));
    };
    if name == "_version" {
        return wrong(0, Error::illegal_argument("Fielddata is not supported on field [_version] of type [_version]"));
    }
    // Identifiers and flat objects have values, if none that a formula could read.
    let (identifier, flat) = (name == "_id", field.type_name == "flat_object");
    if let (false, Err(error)) = (identifier || flat, field.check_aggregatable()) {
        return wrong(0, Error::illegal_argument(error.reason()));
    }
    let (kind, fits): (_, fn(&Member) -> bool) = match field.family() {
        Family::Date if of_date => ("date object on", |_| true),
        Family::Date => ("date", |member| !matches!(member, Member::Lat | Member::Lon)),
        Family::GeoPoint => ("geo", |member| matches!(member, Member::Lat | Member::Lon | Member::Empty)),
        family if family.is_numeric() => {
            ("numeric", |member| !matches!(member, Member::Lat | Member::Lon | Member::Date(_)))
        }
        _ => {
            let reason = format!("Field [{name}] must be numeric, date, or geopoint");
            return wrong(5, Error::new(ErrorKind::Parse, reason));
        }
    };
    if found.as_ref().is_some_and(fits) {
        return Ok(());
    }
    let what = if called { "method" } else { "variable" };
    wrong(0, Error::illegal_argument(format!("Member {what} [{member}] does not exist for {kind} field [{name}].")))
}
