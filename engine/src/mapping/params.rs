//! Parameters of field types: declared as tables, read, compared, merged and printed by one piece of code.

use crate::analysis::Registry;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, Writer, java_simple_class, no_cast};
use crate::mapping::MappingSettings;
use crate::mapping::number::parse_java_f64;
use crate::score::similarity::{self, Similarity};
use std::sync::Arc;

/// One parameter of a type. The order of a type's table is the order of printing and of conflict messages.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub kind: Kind,
    pub default: Default,
    pub change: Change,
    pub null: Null,
    pub show: Show,
    /// The parameter of the table that conflicts of this one are told before, if not in its place.
    pub told_before: Option<&'static str>,
}

/// How a parameter is read.
#[derive(Debug)]
pub enum Kind {
    Bool,
    Int,
    Float,
    /// Any scalar, as text.
    Text,
    Choice(&'static [&'static str]),
    /// The name of an analyzer; must be configured.
    Analyzer,
    /// The name of a normalizer; must be configured.
    Similarity,
    /// String to string.
    Meta,
    /// Read by a function of the type, given the field's name.
    Own(fn(&str, &Value) -> Result<Value>),
}

#[derive(Debug)]
pub enum Default {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'static str),
    EmptyObject,
    /// What the index settings say of `index.mapping.ignore_malformed` and `index.mapping.coerce`.
    IgnoreMalformed,
    Coerce,
}

#[derive(Clone, Copy, Debug)]
pub enum Change {
    Allowed,
    Refused,
    /// As a norms parameter: from true to false only.
    OnlyOff,
    /// As a function of the type says, given the field's name, the old value and the new one; the error is the conflict.
    Checked(fn(&str, &Value, &Value) -> std::result::Result<(), String>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Null {
    Refused,
    /// Stands for the default.
    Default,
    /// Is read as any other value.
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Show {
    /// Where it differs from the default.
    Changed,
    /// Where it was given.
    Given,
    /// Even where the default holds.
    Always,
    /// Never: accepted for old mappings only.
    Never,
}

impl Param {
    pub const fn new(name: &'static str, kind: Kind, default: Default) -> Self {
        Self {
            name,
            kind,
            default,
            change: Change::Refused,
            null: Null::Refused,
            show: Show::Changed,
            told_before: None,
        }
    }

    pub const fn bool(name: &'static str, default: bool) -> Self {
        Self::new(name, Kind::Bool, Default::Bool(default))
    }

    pub const fn changeable(mut self) -> Self {
        self.change = Change::Allowed;
        self
    }

    pub const fn merged(mut self, check: fn(&str, &Value, &Value) -> std::result::Result<(), String>) -> Self {
        self.change = Change::Checked(check);
        self
    }

    pub const fn only_off(mut self) -> Self {
        self.change = Change::OnlyOff;
        self
    }

    pub const fn nullable(mut self) -> Self {
        self.null = Null::Default;
        self
    }

    pub const fn null_is_read(mut self) -> Self {
        self.null = Null::Read;
        self
    }

    pub const fn shown_if_given(mut self) -> Self {
        self.show = Show::Given;
        self
    }

    pub const fn always_shown(mut self) -> Self {
        self.show = Show::Always;
        self
    }

    pub const fn hidden(mut self) -> Self {
        self.show = Show::Never;
        self
    }

    pub const fn told_before(mut self, other: &'static str) -> Self {
        self.told_before = Some(other);
        self
    }
}

pub const INDEX: Param = Param::bool("index", true);
pub const DOC_VALUES: Param = Param::bool("doc_values", true);
pub const STORE: Param = Param::bool("store", false);
pub const META: Param = Param::new("meta", Kind::Meta, Default::EmptyObject).changeable();
pub const BOOST: Param = Param::new("boost", Kind::Float, Default::Float(1.0)).changeable();
pub const IGNORE_MALFORMED: Param =
    Param::new("ignore_malformed", Kind::Bool, Default::IgnoreMalformed).changeable().shown_if_given();
pub const COERCE: Param = Param::new("coerce", Kind::Bool, Default::Coerce).changeable().shown_if_given();
/// What types of an older kind say of parameters that differ.
pub fn same_index(field: &str, old: &Value, new: &Value) -> std::result::Result<(), String> {
    same(old, new, || {
        let differs = format!("mapper [{field}] has different");
        format!("\n[{differs} [index] values, {differs} [index_options] values]")
    })
}

pub fn same_doc_values(field: &str, old: &Value, new: &Value) -> std::result::Result<(), String> {
    same(old, new, || format!("\n[mapper [{field}] has different [doc_values] values]"))
}

pub fn same_store(field: &str, old: &Value, new: &Value) -> std::result::Result<(), String> {
    same(old, new, || format!("\n[mapper [{field}] has different [store] values]"))
}

fn same(old: &Value, new: &Value, conflict: impl Fn() -> String) -> std::result::Result<(), String> {
    if old == new { Ok(()) } else { Err(conflict()) }
}

/// Sparse index over doc values: kept and shown; our columns have least and greatest values per window anyway.
pub const SKIP_LIST: Param = Param::bool("skip_list", false);

/// Where the conflict of a parameter is told among those of its table.
fn place_of_conflict(table: &[Param], at: usize) -> (usize, usize) {
    let other = table[at].told_before.and_then(|name| table.iter().position(|param| param.name == name));
    other.map_or((at, usize::MAX), |other| (other, at))
}

/// A value as conflicts have it: an object is one of Java's that write themselves.
fn told(value: &Value) -> String {
    let text = java_text(value);
    match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|inner| !inner.is_empty()) {
        Some(inner) if matches!(value, Value::Object(_)) => format!("{{ {inner} }}"),
        _ => text,
    }
}

/// What reading parameters needs to know beside them.
#[derive(Clone, Copy)]
pub struct ParamContext<'a> {
    pub analysis: &'a Arc<Registry>,
    pub settings: &'a MappingSettings,
}

/// The values of a table's parameters; `None` where the default holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    values: Vec<Option<Value>>,
    /// Defaults, resolved against the index settings.
    defaults: Vec<Value>,
}

impl Params {
    pub fn new(table: &'static [Param], cx: ParamContext) -> Self {
        let defaults = table.iter().map(|param| default_of(param, cx)).collect();
        Self { values: vec![None; table.len()], defaults }
    }

    /// Reads the parameter `name`; `false` if the table has none of this name.
    pub fn read(
        &mut self,
        table: &'static [Param],
        name: &str,
        value: &Value,
        field: &str,
        type_name: &str,
        cx: ParamContext,
    ) -> Result<bool> {
        let Some(at) = table.iter().position(|param| param.name == name) else { return Ok(false) };
        let param = &table[at];
        if value.is_null() && param.null != Null::Read {
            if param.null == Null::Refused {
                return Err(Error::new(
                    ErrorKind::MapperParsing,
                    format!("[{name}] on mapper [{field}] of type [{type_name}] must not have a [null] value"),
                ));
            }
            self.values[at] = None;
            return Ok(true);
        }
        self.values[at] = Some(read_value(param, value, field, cx)?);
        Ok(true)
    }

    /// Checks choices, in the order of the table.
    pub fn check_choices(&self, table: &'static [Param]) -> Result<()> {
        for (param, value) in table.iter().zip(&self.values) {
            let (Kind::Choice(choices), Some(text)) = (&param.kind, value.as_ref().and_then(Value::as_str)) else {
                continue;
            };
            if !choices.contains(&text) {
                let (name, choices) = (param.name, choices.join(", "));
                let reason = format!("Unknown value [{text}] for field [{name}] - accepted values are [{choices}]");
                return Err(Error::new(ErrorKind::MapperParsing, reason));
            }
        }
        Ok(())
    }

    fn at(&self, table: &'static [Param], name: &str) -> usize {
        table.iter().position(|param| param.name == name).expect("types ask for parameters of their own tables")
    }

    /// The value of a parameter, or its default.
    pub fn get(&self, table: &'static [Param], name: &str) -> &Value {
        let at = self.at(table, name);
        self.values[at].as_ref().unwrap_or(&self.defaults[at])
    }

    /// The value if it was given.
    pub fn given(&self, table: &'static [Param], name: &str) -> Option<&Value> {
        self.values[self.at(table, name)].as_ref()
    }

    /// Sets a parameter after reading: what one parameter implies for another.
    pub fn set(&mut self, table: &'static [Param], name: &str, value: Option<Value>) {
        let at = self.at(table, name);
        self.values[at] = value;
    }

    /// Takes the values of `update`, collecting what may not change.
    pub fn merge(&mut self, table: &'static [Param], update: &Params, field: &str, conflicts: &mut String) {
        let mut found: Vec<(usize, String)> = vec![];
        for (at, param) in table.iter().enumerate() {
            let (old, new) = (self.effective(at), update.effective(at));
            let allowed = match param.change {
                Change::Allowed => true,
                Change::Refused => false,
                Change::OnlyOff => old == &Value::Bool(true),
                Change::Checked(check) => match check(field, old, new) {
                    Ok(()) => true,
                    Err(conflict) => {
                        found.push((at, conflict));
                        continue;
                    }
                },
            };
            if old != new && !allowed {
                let name = param.name;
                let (old, new) = (told(old), told(new));
                found.push((at, format!("\n\tCannot update parameter [{name}] from [{old}] to [{new}]")));
                continue;
            }
            self.values[at].clone_from(&update.values[at]);
        }
        found.sort_by_key(|(at, _)| place_of_conflict(table, *at));
        conflicts.extend(found.into_iter().map(|(_, conflict)| conflict));
    }

    fn effective(&self, at: usize) -> &Value {
        self.values[at].as_ref().unwrap_or(&self.defaults[at])
    }

    /// Writes those parameters of `part` (a part of `table`) that are shown.
    pub fn write(&self, table: &'static [Param], part: &'static [Param], out: &mut Map) {
        for param in part {
            let at = self.at(table, param.name);
            let value = match (&self.values[at], param.show) {
                (Some(value), _) => value,
                (None, Show::Always) => &self.defaults[at],
                (None, _) => continue,
            };
            let show = match param.show {
                Show::Changed => *value != self.defaults[at],
                Show::Given | Show::Always => true,
                Show::Never => false,
            };
            if show {
                out.insert(param.name, value.clone());
            }
        }
    }
}

fn default_of(param: &Param, cx: ParamContext) -> Value {
    match param.default {
        Default::None => Value::Null,
        Default::Bool(b) => Value::Bool(b),
        Default::Int(i) => Value::Int(i),
        Default::Float(f) => Value::Float(f),
        Default::Text(s) => Value::from(s),
        Default::EmptyObject => Value::Object(Map::new()),
        Default::IgnoreMalformed => Value::Bool(cx.settings.ignore_malformed),
        Default::Coerce => Value::Bool(cx.settings.coerce),
    }
}

fn read_value(param: &Param, value: &Value, field: &str, cx: ParamContext) -> Result<Value> {
    Ok(match &param.kind {
        Kind::Bool => Value::Bool(read_bool(value)?),
        Kind::Int => Value::Int(read_int(value)?),
        Kind::Float => Value::Float(match value {
            Value::String(text) => parse_java_f64(text)?,
            other => other.as_f64().ok_or_else(|| not_a_number(other))?,
        }),
        // Whether a choice is one is seen when all has been read.
        Kind::Text | Kind::Choice(_) => Value::from(java_text(value)),
        Kind::Analyzer => {
            let text = java_text(value);
            if text != "default" && cx.analysis.analyzer(&text).is_none() {
                return Err(Error::illegal_argument(format!("analyzer [{text}] has not been configured in mappings")));
            }
            Value::from(text)
        }
        Kind::Similarity => {
            let text = java_text(value);
            if text == "classic" {
                return Err(similarity::no_classic());
            }
            let defined = || cx.settings.similarities.iter().any(|(name, _)| *name == text);
            if Similarity::built_in(&text).is_none() && !defined() {
                return Err(Error::new(
                    ErrorKind::MapperParsing,
                    format!("Unknown Similarity type [{text}] for field [{field}]"),
                ));
            }
            Value::from(text)
        }
        Kind::Meta => read_meta(value, field)?,
        Kind::Own(read) => read(field, value)?,
    })
}

/// `true` and `false`, as booleans or as text.
pub fn read_bool(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(b) => Ok(*b),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        other => Err(Error::illegal_argument(format!(
            "Failed to parse value [{}] as only [true] or [false] are allowed.",
            java_text(other)
        ))),
    }
}

/// A boolean of the mapping's own nodes, whose errors name it.
pub fn read_named_bool(name: &str, value: &Value) -> Result<bool> {
    if value.is_null() {
        return Err(Error::new(ErrorKind::NullPointer, "Cannot invoke \"Object.toString()\" because \"node\" is null"));
    }
    read_bool(value)
        .map_err(|cause| Error::illegal_argument(format!("Could not convert [{name}] to boolean")).caused_by(cause))
}

/// An integer of 32 bits; text is parsed, of decimals only those are taken that are whole.
pub fn read_int(value: &Value) -> Result<i64> {
    let number = match value {
        Value::Int(i) => i32::try_from(*i).ok().map(i64::from),
        Value::Float(f) if *f == (*f as i64) as f64 => i32::try_from(*f as i64).ok().map(i64::from),
        Value::Float(_) => {
            return Err(Error::illegal_argument(format!("{} is not an integer value", java_text(value))));
        }
        Value::String(text) => text.parse::<i32>().ok().map(i64::from),
        _ => None,
    };
    number.ok_or_else(|| match value {
        Value::Int(_) | Value::Float(_) => Error::new(ErrorKind::ArithmeticOverflow, "integer overflow"),
        _ => not_a_number(value),
    })
}

fn not_a_number(value: &Value) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", java_text(value)))
}

fn read_meta(value: &Value, field: &str) -> Result<Value> {
    let refuse = |reason: String| Err(Error::new(ErrorKind::MapperParsing, reason));
    let Value::Object(map) = value else {
        let (class, text) = (java_simple_class(value), java_text(value));
        return refuse(format!("[meta] must be an object, got {class}[{text}] for field [{field}]"));
    };
    for (_, value) in map.iter() {
        match value {
            Value::String(_) => {}
            Value::Null => return refuse(format!("[meta] values can't be null (field [{field}])")),
            other => {
                let (class, text) = (java_simple_class(other), java_text(other));
                return refuse(format!(
                    "[meta] values can only be strings, but got {class}[{text}] for field [{field}]"
                ));
            }
        }
    }
    let mut map = map.clone();
    map.sort();
    Ok(Value::Object(map))
}

/// Something else stands where the reference takes an object without asking.
pub fn not_a_map(value: &Value) -> Error {
    // What is null is said of texts there.
    let named = if value.is_null() { &Value::String(String::new()) } else { value };
    no_cast(named, "java.util.Map")
}

/// The value as Java's `toString` shows it: `{a=1, b=[x, y]}`.
pub fn java_text(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(java_text).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entries: Vec<_> = map.iter().map(|(key, value)| format!("{key}={}", java_text(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Float(_) => {
            let mut w = Writer::new();
            w.value(value);
            String::from_utf8(w.finish()).expect("the writer writes UTF-8").trim_matches('"').to_owned()
        }
        other => other.to_text(),
    }
}

/// ` [a : 1] [b : {c=2}]`: how leftover keys are shown in errors.
pub fn leftovers<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>) -> String {
    entries.map(|(key, value)| format!(" [{key} : {}]", java_text(value))).collect()
}
