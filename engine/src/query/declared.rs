//! Objects whose fields are declared with what they may hold, and the errors of the reference's parser of such objects.

use super::node::{Common, Field, Node, check_boost};
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

// What a field may hold: a sum of these.
pub const STRING: u8 = 1;
pub const NUMBER: u8 = 2;
pub const BOOL: u8 = 4;
pub const NULL: u8 = 8;
pub const OBJECT: u8 = 16;
pub const ARRAY: u8 = 32;
/// Numbers and flags may be written as texts.
pub const NUMERIC: u8 = NUMBER | STRING;
pub const FLAG: u8 = BOOL | STRING;
/// Texts, numbers and flags.
pub const VALUE: u8 = STRING | NUMBER | BOOL;
pub const SCALAR: u8 = STRING | NUMBER | BOOL | NULL;
pub const STRINGS: u8 = STRING | ARRAY;
pub const ANY: u8 = SCALAR | OBJECT | ARRAY;

/// The parser that declares the last field of a path within a search, for errors that lie in a field's value: of the queries
/// that have values in which more can be wrong than one value, those that parse them so.
pub fn declares(path: &[&str]) -> Option<&'static str> {
    match path {
        [.., "bool", "must" | "should" | "filter" | "must_not"] => Some("bool"),
        _ => None,
    }
}

/// The name of a parser, and the fields that it knows.
pub struct Declared {
    pub name: &'static str,
    pub fields: &'static [(&'static str, u8)],
}

impl Declared {
    /// Refuses what is no object.
    pub fn check_object(&self, node: Node) -> Result<()> {
        if matches!(node.value, Value::Object(_)) {
            return Ok(());
        }
        Err(self.expected_object(node, (node.pos(), node.token())))
    }

    /// The same where the reader looks at what comes next before it gives up. False: the object that comes next is read in the
    /// place of this value.
    pub fn check_next_object(&self, node: Node) -> Result<bool> {
        if matches!(node.value, Value::Object(_)) {
            return Ok(true);
        }
        let next = node.after();
        if next.1 == "START_OBJECT" {
            return Ok(false);
        }
        Err(self.expected_object(node, next))
    }

    /// Refuses the token at this position, where an object was to begin.
    pub fn expected_object(&self, node: Node, (pos, token): (u32, &str)) -> Error {
        self.error(node, pos, format!("Expected START_OBJECT but was: {token}")).at(pos)
    }

    /// The objects of a list, or the one instead of it. What stands before one is passed over: the object is read in its place.
    pub fn objects<'a>(&self, node: Node<'a>) -> Result<Vec<Node<'a>>> {
        let objects = list(node, |item| Ok(self.check_next_object(item)?.then_some(item)))?;
        Ok(objects.into_iter().flatten().collect())
    }

    /// Refuses a name that is not declared, and a value of a type that it does not take.
    pub fn check(&self, field: &Field) -> Result<()> {
        let node = field.node;
        let Some((_, holds)) = self.fields.iter().find(|(name, _)| *name == field.key) else {
            let known = did_you_mean::suffix(field.key, self.fields.iter().map(|(name, _)| *name));
            // The reader has gone on to the value before it looks.
            let error = self.error(node, field.key_pos, format!("unknown field [{}]{known}", field.key));
            return Err(error.at(node.pos()));
        };
        let is = match node.value {
            Value::String(_) => STRING,
            Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_) => NUMBER,
            Value::Bool(_) => BOOL,
            Value::Null => NULL,
            Value::Object(_) => OBJECT,
            Value::Array(_) => ARRAY,
        };
        if holds & is != 0 {
            return Ok(());
        }
        let reason = format!("{} doesn't support values of type: {}", field.key, node.token());
        Err(self.error(node, node.pos(), reason).at(node.pos()))
    }

    /// The same for a parser of another name that knows no more fields.
    pub fn checked_as(&self, name: &'static str, field: &Field) -> Result<()> {
        Self { name, fields: self.fields }.check(field)
    }

    /// Reads a field; errors say that it was in this field of this parser.
    pub fn read<T>(&self, field: &Field, read: impl FnOnce(Node) -> Result<T>) -> Result<T> {
        self.check(field)?;
        read(field.node).map_err(|cause| field.node.failed_field(self.name, field.key, cause))
    }

    /// Reads the fields that all queries have; the field has been checked.
    pub fn read_common(&self, field: &Field, common: &mut Common) -> Result<()> {
        self.take_common(field, common)?;
        check_boost(common.boost).map_err(|cause| field.node.failed_field(self.name, field.key, cause))
    }

    /// The same for a query whose negative boost is refused when all of it has been read.
    pub fn take_common(&self, field: &Field, common: &mut Common) -> Result<()> {
        self.read(field, |node| common.take(field.key, node).map(drop))
    }

    fn error(&self, node: Node, pos: u32, reason: String) -> Error {
        Error::new(ErrorKind::XContentParse, format!("{} [{}] {reason}", node.location(pos), self.name))
    }
}

/// What stands in a list, or the one thing instead of it.
pub fn list<'a, T>(node: Node<'a>, mut read: impl FnMut(Node<'a>) -> Result<T>) -> Result<Vec<T>> {
    if !matches!(node.value, Value::Array(_)) {
        return Ok(vec![read(node)?]);
    }
    let item = |item: Node<'a>| match item.value {
        Value::Array(_) => {
            Err(Error::new(ErrorKind::IllegalState, "expected value but got [START_ARRAY]").at(item.pos()))
        }
        _ => read(item),
    };
    node.items().map(item).collect()
}

/// The texts of a list, or the one instead of it.
pub fn texts(node: Node) -> Result<Vec<String>> {
    list(node, |item| item.text())
}

/// The error of an object without some of its fields: those that are said to be missing.
pub fn without(fields: &[(&str, bool)]) -> Error {
    let missing: Vec<&str> = fields.iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| *name).collect();
    Error::illegal_argument(format!("Required [{}]", missing.join(", ")))
}

/// Refuses an object in which a field is missing.
pub fn check_given(fields: &[(&str, bool)]) -> Result<()> {
    if fields.iter().any(|(_, is_missing)| *is_missing) { Err(without(fields)) } else { Ok(()) }
}

/// The error of an object whose parts are all there but do not go together.
pub fn unbuildable(name: &str, cause: Error) -> Error {
    let reason = format!("Failed to build [{name}] after last required field arrived");
    Error::new(ErrorKind::XContentParse, reason).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::node::Source;

    const PARSER: Declared =
        Declared { name: "p", fields: &[("field", STRING), ("sizes", STRINGS), ("size", NUMERIC)] };

    fn refused(body: &str) -> (String, String) {
        let value = crate::json::parse(body.as_bytes()).unwrap();
        let source = Source::new(body.as_bytes());
        let node = Node::root(&value, &source);
        let read = |field: Field| match field.key {
            "size" => PARSER.read(&field, |node| node.i32().map(drop)),
            _ => PARSER.read(&field, |node| texts(node).map(drop)),
        };
        let error = node.fields().try_for_each(read).unwrap_err();
        let outer = node.failed_field("outer", "f", error.clone());
        (error.reason().to_owned(), outer.reason().to_owned())
    }

    #[test]
    fn errors_tell_name_and_place() {
        let (inner, outer) = refused(r#"{"fields":"a"}"#);
        assert_eq!(inner, "[1:2] [p] unknown field [fields] did you mean [field]?");
        assert_eq!(outer, "[1:11] [outer] failed to parse field [f]");
        assert_eq!(refused(r#"{"field":3}"#).0, "[1:10] [p] field doesn't support values of type: VALUE_NUMBER");
        let (inner, outer) = refused(r#"{"size":"x"}"#);
        assert_eq!(inner, "[1:9] [p] failed to parse field [size]");
        assert_eq!(outer, "[1:9] [outer] failed to parse field [f]");
        assert_eq!(refused(r#"{"sizes":["a",[]]}"#).0, "[1:15] [p] failed to parse field [sizes]");
    }
}
