//! What is wrong with the parameters of a pipeline, in the words of the parser that the reference has for its kind.

use super::path::GapPolicy;
use super::table::Parameters;
use super::{moving_avg, serial_diff};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Value, java_int, java_text, line_col};
use crate::query::declared::{ARRAY, Declared, NUMERIC, OBJECT, STRING, texts};
use crate::query::{Field, Node, Source, script_of};
use crate::script::Script;
use crate::search::sort_parse;
use std::sync::Arc;

/// How the reference reads a kind.
enum Parser {
    /// By a table of fields.
    Fields,
    /// By hand; what it has branches for tells apart what it does not know of.
    Hand(&'static [&'static str]),
    /// As all that work on the buckets of a sibling.
    Metrics,
}

fn parser_of(kind: &str) -> Parser {
    match kind {
        "bucket_script" | "bucket_sort" | "cumulative_sum" | "moving_fn" => Parser::Fields,
        "bucket_selector" => Parser::Hand(&["VALUE_STRING", "START_ARRAY", "START_OBJECT"]),
        "derivative" => Parser::Hand(&["VALUE_STRING", "START_ARRAY"]),
        "moving_avg" => Parser::Hand(&["VALUE_STRING", "VALUE_NUMBER", "VALUE_BOOLEAN", "START_ARRAY", "START_OBJECT"]),
        "serial_diff" => Parser::Hand(&["VALUE_STRING", "VALUE_NUMBER", "START_ARRAY"]),
        _ => Parser::Metrics,
    }
}

const SCRIPT: (&str, u8) = ("script", STRING | OBJECT);
const PATHS: (&str, u8) = ("buckets_path", STRING | ARRAY);
const NAMED_PATHS: (&str, u8) = ("buckets_path", STRING | ARRAY | OBJECT);
const FORMAT: (&str, u8) = ("format", STRING);
const GAP: (&str, u8) = ("gap_policy", STRING);
const SORT: (&str, u8) = ("sort", OBJECT | ARRAY);

/// What kinds with a table of fields declare.
fn declared(kind: &str) -> Option<&'static Declared> {
    match kind {
        "bucket_script" => Some(&Declared { name: "bucket_script", fields: &[NAMED_PATHS, SCRIPT, FORMAT, GAP] }),
        "bucket_sort" => {
            Some(&Declared { name: "bucket_sort", fields: &[SORT, ("from", NUMERIC), ("size", NUMERIC), GAP] })
        }
        "cumulative_sum" => Some(&Declared { name: "cumulative_sum", fields: &[PATHS, FORMAT] }),
        "moving_fn" => Some(&Declared {
            name: "moving_fn",
            fields: &[("buckets_path", STRING), SCRIPT, ("window", NUMERIC), ("shift", NUMERIC), FORMAT, GAP],
        }),
        _ => None,
    }
}

impl Parameters<'_> {
    /// Refuses, where kinds have a table of fields, what is not in it or cannot be read, before anything is missed.
    pub(crate) fn check_declared(&self, entry: &Entry) -> Result<()> {
        let Some(declared) = declared(self.kind) else { return Ok(()) };
        let source = Source::new(self.body);
        let node = Node::of_entry(entry, &source);
        declared.read(&Field { key: &entry.key, key_pos: entry.key_pos, node }, |node| match entry.key.as_str() {
            "window" | "shift" => node.i32().map(drop),
            "script" => script_of(node).map(drop),
            "sort" => sort_parse::parse(node).map(drop),
            _ => Ok(()),
        })
    }

    /// Refuses, where kinds are read by hand, what they have no name for with such a value and numbers that they do not take, before
    /// what stands behind is looked at.
    pub(crate) fn check_by_hand(&self, entry: &Entry) -> Result<()> {
        let Parser::Hand(_) = parser_of(self.kind) else { return Ok(()) };
        match (self.kind, entry.key.as_str(), entry.value.token()) {
            (_, "buckets_path" | "format" | "gap_policy", _)
            | ("derivative", "unit", "VALUE_STRING")
            | ("moving_avg", "model", "VALUE_STRING")
            | ("moving_avg", "minimize", "VALUE_BOOLEAN")
            | ("moving_avg", "settings", "START_OBJECT") => Ok(()),
            ("bucket_selector", "script", "VALUE_STRING" | "START_OBJECT") => {
                script_of(Node::of_entry(entry, &Source::new(self.body))).map(drop)
            }
            ("serial_diff", "lag", "VALUE_NUMBER") => serial_diff::lag(self, entry).map(drop),
            ("moving_avg", "window", "VALUE_NUMBER") => moving_avg::window(self, entry).map(drop),
            ("moving_avg", "predict", "VALUE_NUMBER") => moving_avg::predict(self, entry).map(drop),
            _ => Err(self.wrong_type(entry)),
        }
    }

    /// The texts of a list or an object.
    pub(crate) fn texts(&self, entry: &Entry) -> Result<Vec<String>> {
        let source = Source::new(self.body);
        let node = Node::of_entry(entry, &source);
        let read = |node: Node| match node.value {
            Value::Array(_) if declared(self.kind).is_some_and(|declared| declared.fields.contains(&PATHS)) => {
                texts(node)
            }
            Value::Array(_) => node.items().map(|item| item.text()).collect(),
            // Read by hand they are whatever there is, as a text.
            _ if declared(self.kind).is_none() => {
                let text = |field: Field| match field.node.value {
                    Value::Null if self.kind != "bucket_selector" => field.node.text(),
                    value => Ok(java_text(value)),
                };
                node.fields().map(text).collect()
            }
            _ => node.fields().map(|field| field.node.text()).collect(),
        };
        read(node).map_err(|cause| match declared(self.kind) {
            Some(declared) => node.failed_field(declared.name, &entry.key, cause),
            None => cause,
        })
    }

    /// The script that the kind needs.
    pub(crate) fn need_script(&mut self) -> Result<Arc<Script>> {
        let Some(entry) = self.take("script") else {
            return Err(match parser_of(self.kind) {
                Parser::Hand(_) => self.missing("script", "bucket_selector "),
                _ => Error::illegal_argument("Required [script]"),
            });
        };
        match &entry.value {
            Value::String(_) | Value::Object(_) => script_of(Node::of_entry(entry, &Source::new(self.body))),
            _ => Err(self.wrong_type(entry)),
        }
    }

    /// The kind needs a path, which is missed when all else has been read.
    pub(crate) fn need_path(&self) -> Result<()> {
        if !self.paths.is_empty() || self.names_paths {
            return Ok(());
        }
        if let Some(entry) = self.rest.iter().find(|entry| entry.key != "script") {
            return Err(self.unknown(entry));
        }
        let what = match self.kind {
            "bucket_selector" => "bucket_selector ",
            "derivative" | "serial_diff" => "derivative ",
            "moving_avg" => "movingAvg ",
            _ => "",
        };
        Err(self.missing("buckets_path", what))
    }

    #[cold]
    fn missing(&self, key: &str, what: &str) -> Error {
        self.error_at(self.end, format!("Missing required field [{key}] for {what}aggregation [{}]", self.name))
    }

    #[cold]
    pub(crate) fn error(&self, entry: &Entry, reason: String) -> Error {
        self.error_at(entry.value_pos, reason)
    }

    #[cold]
    pub(crate) fn error_at(&self, pos: u32, reason: String) -> Error {
        let (line, col) = line_col(self.body, pos);
        Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col)
    }

    /// The kind has no such parameter.
    #[cold]
    pub(crate) fn unknown(&self, entry: &Entry) -> Error {
        match parser_of(self.kind) {
            Parser::Fields => {
                let (line, col) = line_col(self.body, entry.key_pos);
                let reason = format!("[{line}:{col}] [{}] unknown field [{}]", self.kind, entry.key);
                Error::new(ErrorKind::XContentParse, reason)
            }
            _ => self.wrong_type(entry),
        }
    }

    /// The parameter has no values like this one.
    #[cold]
    pub(crate) fn wrong_type(&self, entry: &Entry) -> Error {
        let (token, key, name) = (entry.value.token(), &entry.key, self.name);
        match parser_of(self.kind) {
            Parser::Fields => {
                let (line, col) = line_col(self.body, entry.value_pos);
                let reason = format!("[{line}:{col}] [{}] {key} doesn't support values of type: {token}", self.kind);
                Error::new(ErrorKind::XContentParse, reason)
            }
            Parser::Hand(tokens) if tokens.contains(&token) => {
                self.error(entry, format!("Unknown key for a {token} in [{name}]: [{key}]."))
            }
            Parser::Hand(_) => self.error(entry, format!("Unexpected token {token} in [{name}].")),
            Parser::Metrics => self.error(entry, format!("Unexpected token {token} [{key}] in [{name}]")),
        }
    }

    /// A value that could not be read, where kinds have a table of fields.
    #[cold]
    pub(crate) fn failed_at(&self, entry: &Entry, pos: u32, cause: Error) -> Error {
        match parser_of(self.kind) {
            Parser::Fields => {
                let (line, col) = line_col(self.body, pos);
                let reason = format!("[{line}:{col}] [{}] failed to parse field [{}]", self.kind, entry.key);
                Error::new(ErrorKind::XContentParse, reason).caused_by(cause)
            }
            _ => cause,
        }
    }

    pub(crate) fn text<'e>(&self, entry: &'e Entry) -> Result<&'e str> {
        entry.value.as_str().ok_or_else(|| self.wrong_type(entry))
    }

    /// A whole number: fractions are cut off, and where there is a table of fields texts are read.
    pub(crate) fn integer(&self, entry: &Entry) -> Result<i64> {
        match (&entry.value, parser_of(self.kind)) {
            (Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_), _) => {
                let read = Node::of_entry(entry, &Source::new(self.body)).i32();
                read.map(i64::from).map_err(|cause| self.failed_at(entry, entry.value_pos, cause))
            }
            (Value::String(text), Parser::Fields) => {
                java_int(text).map_err(|cause| self.failed_at(entry, entry.value_pos, cause))
            }
            _ => Err(self.wrong_type(entry)),
        }
    }

    pub(super) fn read_gap(&self, entry: &Entry) -> Result<GapPolicy> {
        let text = self.text(entry)?;
        // Some kinds read it whatever its case.
        let text = match matches!(self.kind, "bucket_script" | "bucket_sort" | "moving_fn") {
            true => std::borrow::Cow::from(text.to_lowercase()),
            false => text.into(),
        };
        match &*text {
            "skip" => Ok(GapPolicy::Skip),
            "insert_zeros" => Ok(GapPolicy::InsertZeros),
            other => {
                let reason = format!("Invalid gap policy: [{other}], accepted values: [insert_zeros, skip]");
                Err(self.failed_at(entry, entry.value_pos, self.error(entry, reason)))
            }
        }
    }
}
