//! Tokens of a document as field types take them, and where the ops go.

use crate::error::{Error, ErrorKind, Result};
use crate::json::{line_col, located, not_binary};
use crate::mapping::{DocValues, Field, FieldId, number};
use crate::writer::FieldOp;
use std::borrow::Cow;

/// One value of a field, as it stands in the document.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub value: Scalar<'a>,
    /// The document that it stands in, for positions in messages.
    pub source: &'a [u8],
    /// Byte offsets of the token.
    pub start: usize,
    pub end: usize,
    /// It stands behind the name of its field, and not in an array.
    pub named: bool,
}

/// Numbers stay digits until a type reads them.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Cow<'a, str>),
    /// An object: the whole of it for types that take objects, else its beginning.
    Object,
    /// A whole array, for types that take arrays as one value.
    Array,
}

/// Which values a type takes as they stand in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Takes {
    /// One scalar after the other; arrays are lists of values.
    Scalars,
    /// Objects too.
    Objects,
    /// Arrays too: what they mean is the type's.
    Arrays,
}

impl<'a> Token<'a> {
    /// The value as text, as the reference takes it (`null` must not come here).
    pub fn text(&self) -> Result<Cow<'a, str>> {
        match &self.value {
            Scalar::String(text) => Ok(text.clone()),
            Scalar::Number(digits) => Ok(Cow::Borrowed(digits)),
            Scalar::Bool(b) => Ok(Cow::Borrowed(if *b { "true" } else { "false" })),
            Scalar::Null => Ok(Cow::Borrowed("null")),
            Scalar::Object | Scalar::Array => {
                let (line, col) = line_col(self.source, self.start as u32);
                Err(Error::new(
                    ErrorKind::IllegalState,
                    format!("Can't get text on a {} at {line}:{col}", self.type_name()),
                ))
            }
        }
    }

    /// A number token is too large for a Java type.
    #[cold]
    pub fn overflow(&self, digits: &str, java_type: &str, lo: i64, hi: i64) -> Error {
        self.coercion(format!("Numeric value ({digits}) out of range of `{java_type}` ({lo} - {hi})"))
    }

    /// What the reference calls a token of this type.
    pub fn type_name(&self) -> &'static str {
        match &self.value {
            Scalar::Null => "VALUE_NULL",
            Scalar::Bool(_) => "VALUE_BOOLEAN",
            Scalar::Number(_) => "VALUE_NUMBER",
            Scalar::String(_) => "VALUE_STRING",
            Scalar::Object => "START_OBJECT",
            Scalar::Array => "START_ARRAY",
        }
    }

    /// The token's own text.
    pub fn raw(&self) -> &'a [u8] {
        self.source.get(self.start..self.end).unwrap_or_default()
    }

    /// The value as a tree, for types that take more than scalars.
    pub fn json(&self) -> Result<crate::json::Value> {
        crate::json::parse(self.raw())
    }

    /// Where the token ends, as line and column.
    pub fn end_line_col(&self) -> (u32, u32) {
        line_col(self.source, self.end as u32)
    }

    /// Where the token begins, as line and column.
    pub fn line_col(&self) -> (u32, u32) {
        line_col(self.source, self.start as u32)
    }

    /// A token has the wrong type for a number or boolean.
    #[cold]
    pub fn wrong_type(&self, expected: &str) -> Error {
        self.coercion(format!("Current token ({}) {expected}", self.precise_type_name()))
    }

    /// A token has the wrong type for base64.
    #[cold]
    pub fn not_binary(&self) -> Error {
        not_binary(self.precise_type_name(), self.end)
    }

    fn precise_type_name(&self) -> &'static str {
        match &self.value {
            Scalar::Bool(true) => "VALUE_TRUE",
            Scalar::Bool(false) => "VALUE_FALSE",
            Scalar::Number(digits) if digits.bytes().all(|b| b.is_ascii_digit() || b == b'-') => "VALUE_NUMBER_INT",
            Scalar::Number(_) => "VALUE_NUMBER_FLOAT",
            _ => self.type_name(),
        }
    }

    fn coercion(&self, what: String) -> Error {
        let reason = located(&what, self.end);
        Error::new(ErrorKind::InputCoercion, reason.clone()).caused_by(Error::new(ErrorKind::InputCoercion, reason))
    }

    /// Encodes a numeric token as the reference coerces it. `None` for an empty string.
    pub fn number(&self, kind: number::NumberKind, coerce: bool) -> Result<Option<i64>> {
        match &self.value {
            Scalar::Number(digits) => match kind.encode_digits(digits, coerce) {
                Ok(value) => Ok(Some(value)),
                Err(number::DigitsError::Other(error)) => Err(error),
                Err(number::DigitsError::Overflow(java_type, lo, hi)) => Err(self.overflow(digits, java_type, lo, hi)),
            },
            Scalar::String(text) if coerce && text.is_empty() => Ok(None),
            Scalar::String(text) => kind.encode_string(text, coerce).map(Some),
            _ => Err(self.wrong_type("not numeric, cannot use numeric value accessors")),
        }
    }
}

/// A document has two values by document where there is room for one.
#[cold]
pub(super) fn twice(name: &str) -> Error {
    let reason = format!(
        "DocValuesField \"{name}\" appears more than once in this document (only one value is allowed per field)"
    );
    Error::illegal_argument(reason)
}

/// Where the ops of a document go.
pub struct Sink<'s, 'a> {
    pub ops: &'s mut Vec<FieldOp<'a>>,
    /// Fields of which values were ignored.
    pub ignored: &'s mut Vec<FieldId>,
    /// The `_id` of the document.
    pub id: &'s str,
    /// The field whose name stands before the value in the document: the one that a multi-field is of, or that is copied.
    pub key: &'s str,
    /// It comes with a routing.
    pub routed: bool,
    /// The part of a value that its error is about, as the message shows it; the whole value if `None`.
    pub shown: &'s mut Option<String>,
    /// Why the document cannot be written although all of it parses.
    pub refusal: &'s mut Option<Error>,
}

impl<'a> Sink<'_, 'a> {
    pub fn push(&mut self, op: FieldOp<'a>) {
        self.ops.push(op);
    }

    /// Refuses the document, once the rest of it has been parsed without an error.
    pub fn refuse(&mut self, error: Error) {
        self.refusal.get_or_insert(error);
    }

    /// Refuses the document if it has a doc value of the field, of which it can have one alone.
    pub fn refuse_second(&mut self, field: &Field) {
        let is_value = |op: &FieldOp| matches!(op, FieldOp::Ordinal { field: of, .. } if *of == field.id);
        if field.spec.doc_values != DocValues::None && self.refusal.is_none() && self.ops.iter().any(is_value) {
            self.refuse(twice(&field.name));
        }
    }

    /// Notes that a value of the field was left out, unless it is an object, of which many types say nothing.
    pub fn ignore_scalar(&mut self, field: &Field, token: &Token) {
        if token.value != Scalar::Object {
            self.ignore(field);
        }
    }

    /// Notes that a value of the field was left out.
    pub fn ignore(&mut self, field: &Field) {
        if !self.ignored.contains(&field.id) {
            self.ignored.push(field.id);
        }
    }
}
