//! A JSON value together with where it stands, and the errors that the reference's parser raises there.

use super::Query;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value, java_double, java_int, java_long, line_col};
use std::cell::Cell;

/// The text that nodes point into.
pub struct Source<'a> {
    pub(super) body: &'a [u8],
    /// Queries that are being parsed, one within the other.
    depth: Cell<u32>,
    /// Of some arrays, the item whose place was asked for last: whoever asks for all of them asks in their order.
    known: [Cell<KnownItem>; KNOWN_ITEMS],
}

/// Where item `index` of the array at `array` begins.
#[derive(Clone, Copy, Default)]
struct KnownItem {
    array: u32,
    index: u32,
    /// 0 for none: no item begins where the text does.
    pos: u32,
}

/// Arrays within one another take turns.
const KNOWN_ITEMS: usize = 4;

/// Deepest nesting of queries. What works on a query goes down it by recursion, so the stack bounds it.
const QUERY_DEPTH_MAX: u32 = 200;

impl<'a> Source<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self::at_depth(body, 0)
    }

    /// For a text that is read later than what it stands within, which is so deep.
    pub fn at_depth(body: &'a [u8], depth: u32) -> Self {
        Self { body, depth: Cell::new(depth), known: Default::default() }
    }

    /// For a text that stands within a query of another one: both count towards the depth.
    pub fn within(self, outer: &Node) -> Self {
        self.depth.set(outer.source.depth.get());
        self
    }

    /// Where item `index` of the array at `array` begins.
    fn item_pos(&self, array: u32, index: u32) -> u32 {
        let known = &self.known[array as usize % KNOWN_ITEMS];
        let last = known.get();
        let (from, mut at) = match last.pos > 0 && last.array == array && last.index <= index {
            true => (last.index, last.pos as usize),
            false => (0, skip_space(self.body, array as usize + 1)),
        };
        for _ in from..index {
            at = skip_space(self.body, skip_value(self.body, at));
            if self.body.get(at) == Some(&b',') {
                at = skip_space(self.body, at + 1);
            }
        }
        known.set(KnownItem { array, index, pos: at as u32 });
        at as u32
    }
}

/// A value and its place.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub value: &'a Value,
    pub(super) place: Place,
    pub(super) source: &'a Source<'a>,
}

/// Only keys and values of objects know their position; that of array items is found when an error needs it.
#[derive(Clone, Copy)]
pub(super) enum Place {
    At(u32),
    Item { array: u32, index: u32 },
}

/// The parameters that all queries have.
#[derive(Clone, Debug)]
pub struct Common {
    pub boost: f32,
    pub name: Option<String>,
}

impl Default for Common {
    fn default() -> Self {
        Self { boost: 1.0, name: None }
    }
}

impl Common {
    /// Takes `boost` and `_name`; false for any other key.
    pub fn take(&mut self, key: &str, node: Node) -> Result<bool> {
        match key {
            "boost" => self.boost = node.f32()?,
            "_name" => self.name = Some(node.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Refuses a negative `boost`, which is only looked at when the rest of the query has been read.
pub fn check_boost(boost: f32) -> Result<()> {
    if is_negative_boost(boost) { Err(negative_boost(&crate::score::float_text(boost))) } else { Ok(()) }
}

/// Whether a boost is less than nothing: the reference compares boosts as Java does, to which so is a negative zero.
pub fn is_negative_boost(boost: f32) -> bool {
    boost < 0.0 || boost == 0.0 && boost.is_sign_negative()
}

/// The error of a negative boost in `what`.
pub fn negative_boost(what: &str) -> Error {
    Error::illegal_argument(format!("{NEGATIVE_BOOST}{what}], use a value between 0 and 1 to deboost"))
}

const NEGATIVE_BOOST: &str = "negative [boost] are not allowed in [";

/// Whether a boost is refused of which it has not been told yet in what.
pub fn is_own_boost(reason: &str) -> bool {
    let what = reason.strip_prefix(NEGATIVE_BOOST).and_then(|rest| rest.split_once(']'));
    what.is_some_and(|(boost, _)| boost.parse::<f32>().is_ok())
}

/// One key of an object.
pub struct Field<'a> {
    pub key: &'a str,
    pub key_pos: u32,
    pub node: Node<'a>,
}

impl<'a> Node<'a> {
    /// The whole of a text.
    pub fn root(value: &'a Value, source: &'a Source<'a>) -> Self {
        let at = skip_space(source.body, 0) as u32;
        Self { value, place: Place::At(at), source }
    }

    /// A value that begins at `pos` of the text.
    pub fn at(value: &'a Value, pos: u32, source: &'a Source<'a>) -> Self {
        Self { value, place: Place::At(pos), source }
    }

    /// The value of an entry of an object in the text.
    pub fn of_entry(entry: &'a Entry, source: &'a Source<'a>) -> Self {
        Self { value: &entry.value, place: Place::At(entry.value_pos), source }
    }

    /// Parses a query that may hold others, unless it is nested too deeply.
    pub fn nested<T>(&self, parse: impl FnOnce() -> Result<T>) -> Result<T> {
        let depth = self.source.depth.get();
        if depth >= QUERY_DEPTH_MAX {
            return Err(self.error(format!("queries are nested deeper than [{QUERY_DEPTH_MAX}]")));
        }
        self.source.depth.set(depth + 1);
        let parsed = parse();
        self.source.depth.set(depth);
        parsed
    }

    /// How many queries it stands within.
    pub fn depth(&self) -> u32 {
        self.source.depth.get()
    }

    pub fn body(&self) -> &'a [u8] {
        self.source.body
    }

    pub fn object(&self) -> Option<&'a Map> {
        self.value.as_object()
    }

    pub fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let source = self.source;
        let entries: &'a [Entry] = match self.value {
            Value::Object(map) => &map.entries,
            _ => &[],
        };
        entries.iter().map(move |entry| Field {
            key: &entry.key,
            key_pos: entry.key_pos,
            node: Node { value: &entry.value, place: Place::At(entry.value_pos), source },
        })
    }

    /// The fields of an object where a parser passes over the brackets of lists: each part of a list is a field of the list's name.
    pub fn fields_in_lists(&self) -> Vec<Field<'a>> {
        let mut found = vec![];
        // What is to be looked at next stands last.
        let mut open: Vec<Field<'a>> = self.fields().collect();
        open.reverse();
        while let Some(field) = open.pop() {
            if !matches!(field.node.value, Value::Array(_)) {
                found.push(field);
                continue;
            }
            let parts = field.node.items().map(|node| Field { key: field.key, key_pos: field.key_pos, node });
            let at = open.len();
            open.extend(parts);
            open[at..].reverse();
        }
        found
    }

    /// The items of an array; nothing for other values.
    pub fn items(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let (source, array) = (self.source, self.pos());
        let items: &'a [Value] = self.value.as_array().unwrap_or(&[]);
        let place = move |index| Place::Item { array, index: index as u32 };
        items.iter().enumerate().map(move |(index, value)| Node { value, place: place(index), source })
    }

    /// The items of an array, or the value itself.
    pub fn items_or_self(&self) -> Vec<Node<'a>> {
        match self.value {
            Value::Array(_) => self.items().collect(),
            _ => vec![*self],
        }
    }

    /// Where the value begins.
    pub fn pos(&self) -> u32 {
        match self.place {
            Place::At(pos) => pos,
            Place::Item { array, index } => self.source.item_pos(array, index),
        }
    }

    /// Where the value's last character stands: the closing bracket of an object or array.
    pub fn end_pos(&self) -> u32 {
        let begin = self.pos() as usize;
        let end = skip_value(self.source.body, begin);
        end.saturating_sub(1).max(begin) as u32
    }

    /// Where the value's last token stands: itself, or its closing bracket.
    pub fn last_pos(&self) -> u32 {
        match self.value {
            Value::Array(_) | Value::Object(_) => self.end_pos(),
            _ => self.pos(),
        }
    }

    /// Where the next token behind the value stands.
    pub fn next_pos(&self) -> u32 {
        let body = self.source.body;
        let mut at = skip_space(body, self.end_pos() as usize + 1);
        if body.get(at) == Some(&b',') {
            at = skip_space(body, at + 1);
        }
        at as u32
    }

    /// What the reader finds when it goes on from the first token of the value: where, and what.
    pub fn after(&self) -> (u32, &'static str) {
        match (self.value, self.items().next()) {
            (Value::Array(_), Some(first)) => (first.pos(), first.token()),
            (Value::Array(_), None) => (self.end_pos(), "END_ARRAY"),
            _ => self.behind(),
        }
    }

    /// The token behind the whole value: where, and what.
    pub fn behind(&self) -> (u32, &'static str) {
        let (pos, body) = (self.next_pos(), self.source.body);
        let token = match body.get(pos as usize) {
            Some(b'}') => "END_OBJECT",
            Some(b']') => "END_ARRAY",
            Some(b'{') => "START_OBJECT",
            Some(b'[') => "START_ARRAY",
            Some(b'n') => "VALUE_NULL",
            Some(b't' | b'f') => "VALUE_BOOLEAN",
            Some(b'-' | b'0'..=b'9') => "VALUE_NUMBER",
            _ => match body.get(skip_space(body, skip_value(body, pos as usize))) {
                Some(b':') => "FIELD_NAME",
                _ => "VALUE_STRING",
            },
        };
        (pos, token)
    }

    /// The parser's name for what stands here.
    pub fn token(&self) -> &'static str {
        self.value.token()
    }

    /// A `parsing_exception` at this value.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        self.error_at(self.pos(), reason)
    }

    /// A `parsing_exception` at the end of this value.
    pub fn error_at_end(&self, reason: impl Into<String>) -> Error {
        self.error_at(self.end_pos(), reason)
    }

    pub fn error_at(&self, pos: u32, reason: impl Into<String>) -> Error {
        let (line, col) = line_col(self.source.body, pos);
        Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col).at(pos)
    }

    /// `[line:col]` of a position, as some messages have it.
    pub fn location(&self, pos: u32) -> String {
        let (line, col) = line_col(self.source.body, pos);
        format!("[{line}:{col}]")
    }

    /// `x_content_parse_exception` for a failure below a declared field, with the failure as its cause.
    pub fn failed_field(&self, parser: &str, field: &str, cause: Error) -> Error {
        let noted = match (cause.field("line").and_then(Value::as_i64), cause.field("col").and_then(Value::as_i64)) {
            (Some(line), Some(col)) => Some(format!("[{line}:{col}]")),
            _ => match cause.reason().split_once(']') {
                Some((at, _)) if cause.kind() == ErrorKind::XContentParse && at.starts_with('[') => {
                    Some(format!("{at}]"))
                }
                _ => None,
            },
        };
        let at = match (cause.place(), noted) {
            (Some(place), _) => self.location(place),
            (None, Some(noted)) => noted,
            (None, None) => self.location(self.last_pos()),
        };
        let place = cause.place().unwrap_or(self.last_pos());
        let reason = format!("{at} [{parser}] failed to parse field [{field}]");
        Error::new(ErrorKind::XContentParse, reason).caused_by(cause).at(place)
    }

    /// The value as text: scalars as they are written. Objects and arrays are an error.
    pub fn text(&self) -> Result<String> {
        match self.value {
            Value::Array(_) | Value::Object(_) | Value::Null => Err(Error::new(
                ErrorKind::IllegalState,
                format!(
                    "Can't get text on a {} at {}",
                    self.token(),
                    self.location(self.pos()).replace(['[', ']'], "")
                ),
            )
            .at(self.pos())),
            // As it is written.
            Value::Float(_) => Ok(self.written()),
            scalar => Ok(scalar.to_text()),
        }
    }

    /// The value as what `find` knows by its text; errors stand where the value begins.
    pub fn named<T>(&self, find: impl Fn(&str) -> Result<T>) -> Result<T> {
        find(&self.text()?).map_err(|error| error.at(self.pos()))
    }

    fn written(&self) -> String {
        let written = self.body().get(self.pos() as usize..=self.end_pos() as usize).unwrap_or_default();
        String::from_utf8_lossy(written).into_owned()
    }

    pub fn f32(&self) -> Result<f32> {
        Ok(self.f64()? as f32)
    }

    pub fn f64(&self) -> Result<f64> {
        match self.value {
            Value::String(text) => java_double(text).map_err(|error| error.at(self.pos())),
            other => other.as_f64().ok_or_else(|| self.not_a_number()),
        }
    }

    pub fn i32(&self) -> Result<i32> {
        let wide = match self.value {
            Value::String(text) => java_int(text).map_err(|error| error.at(self.pos()))?,
            _ => self.whole("int", "-2147483648 - 2147483647")?,
        };
        i32::try_from(wide).map_err(|_| self.beyond("int", "-2147483648 - 2147483647"))
    }

    pub fn i64(&self) -> Result<i64> {
        match self.value {
            Value::String(text) => java_long(text).map_err(|error| error.at(self.pos())),
            _ => self.whole("long", "-9223372036854775808 - 9223372036854775807"),
        }
    }

    fn whole(&self, java_type: &str, range: &str) -> Result<i64> {
        match self.value {
            Value::Int(number) => Ok(*number),
            Value::Float(number) if number.abs() < 2f64.powi(63) => Ok(*number as i64),
            Value::Float(_) | Value::UInt(_) | Value::BigInt(_) => Err(self.beyond(java_type, range)),
            _ => Err(self.not_a_number()),
        }
    }

    /// A number that the type cannot hold.
    fn beyond(&self, java_type: &str, range: &str) -> Error {
        let digits = self.written();
        self.uncoerced(format!("Numeric value ({digits}) out of range of `{java_type}` ({range})"), self.end_pos() + 1)
    }

    fn not_a_number(&self) -> Error {
        self.coercion("not numeric, cannot use numeric value accessors")
    }

    /// The value is of a type that the reader cannot make another of.
    fn coercion(&self, what: &str) -> Error {
        let (token, length) = match self.value {
            Value::Bool(true) => ("VALUE_TRUE", 4),
            Value::Bool(false) => ("VALUE_FALSE", 5),
            Value::Null => ("VALUE_NULL", 4),
            Value::Array(_) | Value::Object(_) => (self.token(), 1),
            Value::Float(_) => ("VALUE_NUMBER_FLOAT", self.end_pos() + 1 - self.pos()),
            _ => ("VALUE_NUMBER_INT", self.end_pos() + 1 - self.pos()),
        };
        let offset = self.pos() + length;
        self.uncoerced(format!("Current token ({token}) {what}"), offset)
    }

    /// The reference shows such an error twice: as itself, and as its own cause.
    fn uncoerced(&self, what: String, offset: u32) -> Error {
        let reason = format!(
            "{what}\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); byte offset: #{offset}]"
        );
        let cause = Error::new(ErrorKind::InputCoercion, reason.clone());
        Error::new(ErrorKind::InputCoercion, reason).caused_by(cause).at(self.pos())
    }

    pub fn bool(&self) -> Result<bool> {
        match self.value {
            Value::Bool(value) => Ok(*value),
            Value::String(text) if text == "true" => Ok(true),
            Value::String(text) if text == "false" || text.is_empty() => Ok(false),
            Value::String(text) => {
                let reason = format!("Failed to parse value [{text}] as only [true] or [false] are allowed.");
                Err(Error::illegal_argument(reason).at(self.pos()))
            }
            _ => Err(self.coercion("not of boolean type")),
        }
    }
}

/// Refuses a field without a name.
pub fn check_name(field: &str) -> Result<()> {
    match field {
        "" => Err(Error::illegal_argument("field name is null or empty")),
        _ => Ok(()),
    }
}

/// The error of a clause that nothing is left of.
pub fn null_query() -> Error {
    Error::new(ErrorKind::NullPointer, "Query must not be null")
}

pub fn number_format(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

/// White space and comments.
pub(super) fn skip_space(body: &[u8], mut at: usize) -> usize {
    loop {
        match body.get(at) {
            Some(b' ' | b'\t' | b'\n' | b'\r') => at += 1,
            Some(b'/') if body.get(at + 1) == Some(&b'/') => {
                at += memchr::memchr(b'\n', &body[at..]).unwrap_or(body.len() - at);
            }
            Some(b'/') if body.get(at + 1) == Some(&b'*') => {
                at += memchr::memmem::find(&body[at..], b"*/").map_or(body.len() - at, |end| end + 2);
            }
            _ => return at.min(body.len()),
        }
    }
}

/// The position behind the value at `at`. The text is known to be JSON; anything else ends somewhere harmless.
fn skip_value(body: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    loop {
        at = skip_space(body, at);
        match body.get(at) {
            None => return body.len(),
            Some(b'"') => {
                at += 1;
                while let Some(byte) = body.get(at) {
                    match byte {
                        b'\\' => at += 2,
                        b'"' => break,
                        _ => at += 1,
                    }
                }
                at += 1;
            }
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
                continue;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            Some(b',' | b':') if depth > 0 => {
                at += 1;
                continue;
            }
            Some(_) => {
                let rest = &body[at..];
                at += rest.iter().position(|b| b" \t\r\n,:]}".contains(b)).unwrap_or(rest.len()).max(1);
            }
        }
        if depth == 0 {
            return at.min(body.len());
        }
    }
}

/// The error of a second field.
pub fn multiple_fields(node: Node, kind: &str, first: &str, second: &str) -> Error {
    node.error(format!("[{kind}] query doesn't support multiple fields, found [{first}] and [{second}]"))
}

/// The same for a list where one value is meant: the reader takes each part of it for a field.
pub fn multiple_fields_at(node: Node, kind: &str, first: &str, second: &str) -> Error {
    let reason = format!("[{kind}] query doesn't support multiple fields, found [{first}] and [{second}]");
    node.error_at(node.after().0, reason)
}

/// The error of an unknown key.
pub fn unsupported(node: Node, kind: &str, key: &str) -> Error {
    node.error(format!("[{kind}] query does not support [{key}]"))
}

pub type ParseFn = fn(Node) -> Result<Query>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_items_and_ends() {
        let body = br#"{"a": [1, {"x":"]"} , "s,", []]}"#;
        let value = crate::json::parse(body).unwrap();
        let source = Source::new(body);
        let array = Node::root(&value, &source).fields().next().unwrap().node;
        let positions: Vec<(u32, u32)> = array.items().map(|item| (item.pos(), item.end_pos())).collect();
        assert_eq!(positions, [(7, 7), (10, 18), (22, 25), (28, 29)]);
        assert_eq!(array.end_pos(), 30);
        // In whatever order they are asked for.
        let items: Vec<Node> = array.items().collect();
        assert_eq!([3, 0, 2, 1, 3].map(|at| items[at].pos()), [28, 7, 22, 10, 28]);
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |levels: usize| {
            let open = r#"{"bool":{"must":"#.repeat(levels);
            format!("{open}{}{}", r#"{"match_all":{}}"#, "}}".repeat(levels))
        };
        let parse = |text: String| crate::query::parse(&crate::json::parse(text.as_bytes()).unwrap(), text.as_bytes());
        assert!(parse(nested(150)).is_ok());
        assert!(parse(nested(250)).unwrap_err().to_string().contains("nested deeper than"));
    }
}
