//! Contexts of completions that other fields of the document give: looked at when all of it has been read.

use crate::error::Error;
use crate::mapping::types::{CompletionContext, decode_completion};
use crate::mapping::{Family, FieldId, Mapping};
use crate::writer::FieldOp;

/// Why a document cannot be written: a completion that is told apart by contexts has none, or takes them from a field that can give none.
pub(super) fn refuse_contexts(mapping: &Mapping, ops: &[FieldOp]) -> Option<Error> {
    if !mapping.has_context_paths {
        return None;
    }
    ops.split(|op| matches!(op, FieldOp::EndNested)).find_map(|document| {
        document.iter().find_map(|op| {
            let FieldOp::Ordinal { field, value } = op else { return None };
            let field = mapping.by_id(*field);
            let contexts = match field.family() {
                Family::Completion => &field.kind.completion()?.contexts,
                _ => return None,
            };
            if !takes_from_fields(contexts) {
                return None;
            }
            let mut some = !decode_completion(value)?.contexts.is_empty();
            for context in contexts {
                match gives_some(mapping, document, context) {
                    Ok(gives) => some |= gives,
                    Err(error) => return Some(error),
                }
            }
            (!some).then(|| without_contexts(&field.name))
        })
    })
}

/// Whether some of the contexts come from other fields of the document.
pub(in crate::mapping) fn takes_from_fields(contexts: &[CompletionContext]) -> bool {
    contexts.iter().any(|context| context.path.is_some())
}

/// The types whose texts are contexts.
const TEXTS: [&str; 4] = ["keyword", "text", "match_only_text", "search_as_you_type"];

/// Whether the document has values of the field that a context comes from.
fn gives_some(mapping: &Mapping, document: &[FieldOp], context: &CompletionContext) -> Result<bool, Error> {
    // Nothing stands in a document under an alias.
    let of_path = |path: &str| mapping.field(path).filter(|field| *field.name == *path);
    let Some(field) = context.path.as_deref().and_then(of_path) else { return Ok(false) };
    if field.family() == Family::Percolator {
        // What is kept of a query has other names.
        return Ok(false);
    }
    let is_point = |op: &FieldOp| matches!(op, FieldOp::Point { field: of, .. } if *of == field.id);
    let has_any = document.iter().any(|op| value_of(op) == Some(field.id));
    if context.geo || !has_any {
        return Ok(has_any);
    }
    match field.family() {
        // Columns of texts give none.
        Family::Text | Family::Keyword if TEXTS.contains(&field.type_name) => {
            Ok(document.iter().any(|op| is_indexed(op, field.id)))
        }
        // Numbers are read as texts from columns, but not from points.
        Family::Boolean | Family::Completion => Ok(true),
        Family::Integer | Family::Float | Family::UnsignedLong | Family::Date if !document.iter().any(is_point) => {
            Ok(true)
        }
        _ => Err(Error::illegal_argument(format!(
            "Failed to parse context field [{}], only keyword and text fields are accepted",
            field.name
        ))),
    }
}

fn value_of(op: &FieldOp) -> Option<FieldId> {
    match op {
        FieldOp::Text { field, .. }
        | FieldOp::Term { field, .. }
        | FieldOp::Ordinal { field, .. }
        | FieldOp::Number { field, .. }
        | FieldOp::Point { field, .. } => Some(*field),
        _ => None,
    }
}

fn is_indexed(op: &FieldOp, id: FieldId) -> bool {
    matches!(op, FieldOp::Text { field, .. } | FieldOp::Term { field, .. } if *field == id)
}

#[cold]
pub(in crate::mapping) fn without_contexts(name: &str) -> Error {
    Error::illegal_argument(format!("Contexts are mandatory in context enabled completion field [{name}]"))
}
