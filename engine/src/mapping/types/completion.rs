//! `completion`: inputs that the completion suggester completes.
//!
//! An entry is a doc value: the weight (4 bytes, big-endian), the number of contexts and each with its name and value, all
//! behind their lengths (4 bytes), the same for the keys that it is found by, then the input. [`decode_completion`] reads
//! it. The keys are the terms of the field.

use super::{Built, FieldContext, FieldType, PLAIN_TERMS, TypeRow, bare_spec};
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{geohash_letters_within, read_point};
use crate::json::{Map, Value};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token, takes_from_fields, without_contexts};
use crate::mapping::field::{DateContext, Exact, Family, Field, FieldRange, IndexSpec, RangeBounds};
use crate::mapping::params::{Default, Kind, META, Param, Params, java_text};
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

pub static ROW: TypeRow =
    TypeRow { name: "completion", params: PARAMS, fields_before: None, plain: true, check, build };

static PARAMS: &[Param] = &[
    Param::new("analyzer", Kind::Analyzer, Default::Text("simple")).always_shown(),
    Param::new("search_analyzer", Kind::Analyzer, Default::None).changeable(),
    Param::bool("preserve_separators", true).always_shown(),
    Param::bool("preserve_position_increments", true).always_shown(),
    Param::new("max_input_length", Kind::Own(read_length), Default::Int(50)).changeable().always_shown(),
    Param::new("contexts", Kind::Own(read_contexts), Default::None).nullable(),
    META,
];

fn read_length(_: &str, value: &Value) -> Result<Value> {
    let length = crate::mapping::params::read_int(value)?;
    if length > 0 {
        return Ok(Value::Int(length));
    }
    Err(Error::illegal_argument(format!("[max_input_length] must be > 0 but was [{length}]")))
}

/// Most contexts of a field.
const CONTEXTS_MAX: usize = 10;

fn read_contexts(field: &str, value: &Value) -> Result<Value> {
    let list: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        other => vec![other],
    };
    if list.len() > CONTEXTS_MAX {
        return Err(Error::illegal_argument(format!(
            "Limit of completion field contexts [{CONTEXTS_MAX}] has been exceeded on field [{field}]"
        )));
    }
    if list.is_empty() {
        return Err(Error::new(ErrorKind::Parse, "expected at least one context mapping"));
    }
    let read = list.into_iter().map(|context| read_context(context, !matches!(value, Value::Array(_))));
    Ok(Value::Array(read.collect::<Result<_>>()?))
}

/// A context as it is shown.
fn read_context(context: &Value, alone: bool) -> Result<Value> {
    let missing = |what: &str| Error::new(ErrorKind::Parse, format!("missing [{what}] in context mapping"));
    let Value::Object(map) = context else {
        return Err(match alone {
            true => Error::new(ErrorKind::Parse, "expected a list or an entry of context mapping"),
            false => Error::new(
                ErrorKind::ClassCast,
                "class java.lang.String cannot be cast to class java.util.Map (java.lang.String and java.util.Map are in module java.base of loader 'bootstrap')",
            ),
        });
    };
    let text = |key: &str| context.get(key).map(java_text);
    let name = text("name").ok_or_else(|| missing("name"))?;
    let kind = text("type").ok_or_else(|| missing("type"))?.to_uppercase();
    if !matches!(kind.as_str(), "CATEGORY" | "GEO") {
        let given = text("type").unwrap_or_default();
        return Err(Error::illegal_argument(format!("No context type for [{given}]")));
    }
    let geo = kind == "GEO";
    let known = |key: &str| matches!(key, "name" | "type" | "path") || (geo && key == "precision");
    let rest: Vec<String> = map
        .iter()
        .filter(|(key, _)| !known(key))
        .map(|(key, value)| format!(" [{key} : {}]", java_text(value)))
        .collect();
    if !rest.is_empty() {
        let reason = format!("Mapping definition for [{name}] has unsupported parameters: {}", rest.concat());
        return Err(Error::new(ErrorKind::MapperParsing, reason));
    }
    let mut shown = Map::default();
    shown.insert("name", Value::from(name.as_str()));
    shown.insert("type", Value::from(kind.as_str()));
    if geo {
        let letters = match context.get("precision") {
            None | Some(Value::Null) => PRECISION_DEFAULT,
            Some(Value::String(text)) => match text.parse::<i64>() {
                Ok(letters) => letters,
                Err(_) => i64::from(geohash_letters_within(text)?),
            },
            Some(number) => number.as_i64().unwrap_or(PRECISION_DEFAULT),
        };
        shown.insert("precision", Value::Int(letters));
    }
    if let Some(path) = text("path") {
        shown.insert("path", Value::from(path.as_str()));
    }
    Ok(Value::Object(shown))
}

/// Letters of the cells of a place where nothing says how many.
const PRECISION_DEFAULT: i64 = 6;

fn check(params: &mut Params, _: &FieldContext) -> Result<()> {
    // Shown where it differs from the analyzer.
    let same = params.get(PARAMS, "search_analyzer") == params.get(PARAMS, "analyzer");
    if same {
        params.set(PARAMS, "search_analyzer", None);
    }
    Ok(())
}

struct Completion {
    analyzer: Arc<Analyzer>,
    search_analyzer: Arc<Analyzer>,
    options: CompletionOptions,
}

/// How inputs and the texts to complete are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionOptions {
    pub preserve_separators: bool,
    pub preserve_position_increments: bool,
    /// In UTF-16 units; what is beyond is cut off.
    pub max_input_length: usize,
    pub contexts: Vec<CompletionContext>,
}

/// A context that entries and requests are told apart by.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionContext {
    pub name: String,
    /// Of places, not of categories.
    pub geo: bool,
    /// The field that the values of documents come from, if the entries do not say them.
    pub path: Option<String>,
    /// As the mapping has it, for what else a context may say (`precision`).
    pub definition: Value,
}

/// One entry of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionEntry {
    pub input: String,
    pub weight: u32,
    /// Names and values.
    pub contexts: Vec<(String, String)>,
    /// What it is found by: see [`completion_keys`].
    pub keys: Vec<String>,
}

/// Stands between the words of a key, and for a word that was left out.
const SEPARATOR: char = '\u{1f}';
const HOLE: char = '\u{1e}';

/// Most ways to read one input, where words have others that stand for them.
const KEYS_MAX: usize = 16;

/// What an input, or a text to complete, is found by: its analysed words in a row, in each way to read them.
pub fn completion_keys(analyzer: &Analyzer, input: &str, options: &CompletionOptions) -> Vec<String> {
    let mut rows: Vec<String> = vec![];
    let mut before: Vec<String> = vec![String::new()];
    let mut position = None;
    for token in analyzer.tokens(input) {
        if position != Some(token.position) {
            let first = position.is_none();
            let skipped = token.position.saturating_sub(position.map_or(0, |last| last + 1));
            if !first {
                before = std::mem::take(&mut rows);
            }
            for row in &mut before {
                if !first && options.preserve_separators {
                    row.push(SEPARATOR);
                }
                for _ in 0..if options.preserve_position_increments { skipped.min(255) } else { 0 } {
                    row.push(HOLE);
                    row.extend(options.preserve_separators.then_some(SEPARATOR));
                }
            }
            position = Some(token.position);
        }
        let room = KEYS_MAX.saturating_sub(rows.len());
        rows.extend(before.iter().take(room).map(|row| format!("{row}{}", token.text)));
    }
    rows.dedup();
    rows
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    let find = |name: &Value| {
        let name = name.as_str().unwrap_or("simple");
        cx.analysis.analyzer(name).unwrap_or_else(|| cx.analysis.default_analyzer())
    };
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let analyzer = find(params.get(PARAMS, "analyzer"));
    let search_analyzer = match params.get(PARAMS, "search_analyzer") {
        Value::Null => analyzer.clone(),
        name => find(name),
    };
    let contexts = params.get(PARAMS, "contexts").as_array().unwrap_or(&[]);
    let context = |definition: &Value| CompletionContext {
        name: definition.get("name").map(java_text).unwrap_or_default(),
        geo: definition.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("geo")),
        path: definition.get("path").map(java_text),
        definition: definition.clone(),
    };
    let options = CompletionOptions {
        preserve_separators: flag("preserve_separators"),
        preserve_position_increments: flag("preserve_position_increments"),
        max_input_length: params.get(PARAMS, "max_input_length").as_i64().unwrap_or(50).max(1) as usize,
        contexts: contexts.iter().map(context).collect(),
    };
    let spec = IndexSpec { indexed: PLAIN_TERMS, norms: true, ..bare_spec() };
    Ok(Built { spec, kind: Box::new(Completion { analyzer, search_analyzer, options }) })
}

/// The doc value of an entry.
fn encode(entry: &CompletionEntry) -> Vec<u8> {
    let mut out = entry.weight.to_be_bytes().to_vec();
    out.push(entry.contexts.len().min(255) as u8);
    for text in entry.contexts.iter().take(255).flat_map(|(name, value)| [name, value]) {
        out.extend_from_slice(&(text.len() as u32).to_be_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    out.push(entry.keys.len().min(255) as u8);
    for key in entry.keys.iter().take(255) {
        out.extend_from_slice(&(key.len() as u32).to_be_bytes());
        out.extend_from_slice(key.as_bytes());
    }
    out.extend_from_slice(entry.input.as_bytes());
    out
}

/// The entry of a doc value.
pub fn decode_completion(bytes: &[u8]) -> Option<CompletionEntry> {
    let (weight, rest) = bytes.split_first_chunk()?;
    let (count, mut rest) = rest.split_first()?;
    let contexts: Option<Vec<_>> = (0..*count).map(|_| Some((take_text(&mut rest)?, take_text(&mut rest)?))).collect();
    let contexts = contexts?;
    let (count, after) = rest.split_first()?;
    rest = after;
    let keys: Option<Vec<_>> = (0..*count).map(|_| take_text(&mut rest)).collect();
    let (keys, input) = (keys?, String::from_utf8_lossy(rest).into_owned());
    Some(CompletionEntry { input, weight: u32::from_be_bytes(*weight), contexts, keys })
}

/// Takes a text behind its length.
fn take_text(rest: &mut &[u8]) -> Option<String> {
    let (length, after) = rest.split_first_chunk()?;
    let (text, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    *rest = after;
    Some(String::from_utf8_lossy(text).into_owned())
}

impl Completion {
    fn add(&self, field: &Field, entry: CompletionEntry, sink: &mut Sink) -> Result<()> {
        let CompletionEntry { input, weight, contexts, .. } = entry;
        if input.trim_matches(|sign| sign <= ' ').is_empty() {
            sink.ignore(field);
            return Ok(());
        }
        let needed = !self.options.contexts.is_empty() && !takes_from_fields(&self.options.contexts);
        if needed && contexts.is_empty() {
            sink.refuse(without_contexts(&field.name));
        }
        let reserved = |unit: &u16| matches!(unit, 0x1f | 0x1e | 0);
        if let Some((at, code)) = input.encode_utf16().enumerate().find(|(_, unit)| reserved(unit)) {
            return Err(Error::illegal_argument(format!(
                "Illegal input [{input}] UTF-16 codepoint [0x{code:x}] at position {at} is a reserved character"
            )));
        }
        // A surrogate pair is not cut in two.
        let (mut units, max) = (0, self.options.max_input_length);
        let fits = |c: &char| {
            units += c.len_utf16();
            units <= max
        };
        let input: String = input.chars().take_while(fits).collect();
        let keys = completion_keys(&self.analyzer, &input, &self.options);
        let bytes = encode(&CompletionEntry { input, weight, contexts, keys: keys.clone() });
        sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(bytes) });
        for key in keys {
            sink.push(FieldOp::Term { field: field.id, value: Cow::Owned(key.into_bytes()) });
        }
        Ok(())
    }

    fn object(&self, field: &Field, map: &Map, sink: &mut Sink) -> Result<()> {
        let (mut inputs, mut weight, mut contexts) = (vec![], 1, vec![]);
        for (key, value) in map.iter() {
            match key {
                "input" => inputs = read_inputs(value)?,
                "weight" => weight = read_weight(value)?,
                "contexts" => contexts = self.read_entry_contexts(field, value)?,
                _ => {
                    return Err(Error::illegal_argument(format!(
                        "unknown field name [{key}], must be one of [input, weight, contexts]"
                    )));
                }
            }
        }
        for input in inputs {
            self.add(field, CompletionEntry { input, weight, contexts: contexts.clone(), keys: vec![] }, sink)?;
        }
        Ok(())
    }

    fn read_entry_contexts(&self, field: &Field, value: &Value) -> Result<Vec<(String, String)>> {
        if self.options.contexts.is_empty() {
            let name = &field.name;
            return Err(Error::illegal_argument(format!("contexts field is not supported for field: [{name}]")));
        }
        let Value::Object(map) = value else {
            let token = value.token();
            return Err(Error::illegal_argument(format!("contexts must be an object or an array , but was [{token}]")));
        };
        let mut out = vec![];
        for (name, value) in map.iter() {
            let Some(context) = self.options.contexts.iter().find(|context| context.name == name) else {
                return Err(Error::illegal_argument(format!(
                    "Unknown context name [{name}], must be one of [{}]",
                    self.options.contexts.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
                )));
            };
            let items: Vec<&Value> = match value {
                Value::Array(items) if !(context.geo && items.iter().all(|item| item.as_f64().is_some())) => {
                    items.iter().collect()
                }
                value => vec![value],
            };
            for item in items {
                check_context(context, item, matches!(value, Value::Array(_)))?;
                out.push((name.to_owned(), context_text(item)));
            }
        }
        Ok(out)
    }
}

/// Refuses what cannot be the value of a context. A text that is no place has none, and is let pass.
fn check_context(context: &CompletionContext, value: &Value, listed: bool) -> Result<()> {
    let scalar = !matches!(value, Value::Object(_) | Value::Array(_) | Value::Null);
    if context.geo {
        return match value {
            Value::String(_) => Ok(()),
            Value::Object(map) if map.is_empty() => Err(Error::new(ErrorKind::Parse, "token [END_OBJECT] not allowed")),
            value => read_point(value, true).map(drop),
        };
    }
    if scalar {
        return Ok(());
    }
    let token = value.token();
    let reason = match listed {
        true => format!("context array must have string, number or boolean values, but was [{token}]"),
        false => format!(
            "contexts must be a string, number or boolean or a list of string, number or boolean, but was [{token}]"
        ),
    };
    Err(Error::new(ErrorKind::Parse, reason))
}

/// Places stay JSON: what they mean is the business of whoever compares them.
fn context_text(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Array(_) => String::from_utf8_lossy(&value.to_bytes()).into_owned(),
        other => java_text(other),
    }
}

fn read_inputs(value: &Value) -> Result<Vec<String>> {
    let refuse = |what: &str, value: &Value| Error::illegal_argument(format!("{what}, but was [{}]", value.token()));
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::String(text) => Ok(text.clone()),
                other => Err(refuse("input array must have string values", other)),
            })
            .collect(),
        other => Err(refuse("input must be a string or array", other)),
    }
}

fn read_weight(value: &Value) -> Result<u32> {
    let number = match value {
        Value::String(text) => text
            .parse::<i64>()
            .map_err(|_| Error::illegal_argument(format!("weight must be an integer, but was [{text}]")))?,
        Value::Int(number) => *number,
        Value::Float(_) | Value::UInt(_) | Value::BigInt(_) => {
            return Err(Error::illegal_argument(format!("weight must be an integer, but was [{}]", java_text(value))));
        }
        other => {
            return Err(Error::illegal_argument(format!(
                "weight must be a number or string, but was [{}]",
                other.token()
            )));
        }
    };
    match u32::try_from(number).ok().filter(|weight| *weight <= i32::MAX as u32) {
        Some(weight) => Ok(weight),
        None => {
            Err(Error::illegal_argument(format!("weight must be in the interval [0..2147483647], but was [{number}]")))
        }
    }
}

impl FieldType for Completion {
    fn can_have_doc_values(&self) -> bool {
        false
    }

    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn names_field_in_errors(&self) -> bool {
        false
    }

    fn refuses_lists_within_lists(&self) -> bool {
        true
    }

    fn family(&self) -> Family {
        Family::Completion
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        match &token.value {
            Scalar::Null if token.named => return Ok(()),
            Scalar::String(text) => {
                let entry =
                    CompletionEntry { input: text.clone().into_owned(), weight: 1, contexts: vec![], keys: vec![] };
                self.add(field, entry, sink)?;
            }
            Scalar::Object => {
                if let Value::Object(map) = token.json()? {
                    self.object(field, &map, sink)?;
                }
            }
            _ => {
                let (line, col) = token.line_col();
                let name = if token.named { sink.key } else { "null" };
                let reason =
                    format!("failed to parse [{name}]: expected text or object, but got {}", token.type_name());
                return Err(Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col));
            }
        }
        // The field is there even if none of its inputs is kept.
        sink.push(FieldOp::Named { field: field.id });
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, field: &Field, _bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Err(super::no_range(field))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn searches_doc_values(&self) -> bool {
        false
    }

    fn search_analyzer(&self) -> Option<&Arc<Analyzer>> {
        Some(&self.search_analyzer)
    }

    fn index_analyzer(&self) -> Option<&Arc<Analyzer>> {
        Some(&self.analyzer)
    }

    fn completion(&self) -> Option<&CompletionOptions> {
        Some(&self.options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let contexts = vec![("place".to_owned(), "here".to_owned())];
        let entry =
            CompletionEntry { input: "One two".to_owned(), weight: 7, contexts, keys: vec!["one\u{1f}two".to_owned()] };
        assert_eq!(decode_completion(&encode(&entry)), Some(entry));
        assert_eq!(decode_completion(&[0, 0, 0, 1, 1, 0, 0, 0, 9, 1]), None);
    }
}
