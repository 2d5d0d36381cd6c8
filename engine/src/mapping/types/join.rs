//! `join`: parents and children among the documents of an index. The field holds the relation's name; a field for each
//! parent (`field#parent`) holds the `_id` of the parent, in the parent itself and in its children.

use super::{Built, FieldContext, FieldType, PLAIN_TERMS, Part, TypeRow, bare_spec};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value, java_class};
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Takes, Token};
use crate::mapping::field::{DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, RangeBounds};
use crate::mapping::params::{Default, Kind, Param, Params, java_text, leftovers, read_named_bool};
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::sync::Arc;

pub static ROW: TypeRow = TypeRow { name: "join", params: PARAMS, fields_before: None, plain: false, check, build };

static PARAMS: &[Param] = &[
    Param::new("eager_global_ordinals", Kind::Own(read_eager), Default::Bool(true))
        .null_is_read()
        .changeable()
        .always_shown(),
    Param::new("relations", Kind::Own(read_relations), Default::EmptyObject)
        .null_is_read()
        .always_shown()
        .merged(merge_relations),
];

/// Parents with the names of their children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relations(Vec<(String, Vec<String>)>);

impl Relations {
    fn of(value: &Value) -> Self {
        let children = |value: &Value| match value {
            Value::Array(items) => items.iter().map(java_text).collect(),
            other => vec![java_text(other)],
        };
        let children = |value: &Value| {
            let mut children: Vec<String> = children(value);
            let mut seen = std::collections::HashSet::new();
            children.retain(|child| seen.insert(child.clone()));
            children
        };
        let entries = value.as_object().into_iter().flat_map(Map::iter);
        Self(entries.map(|(parent, value)| (parent.to_owned(), children(value))).collect())
    }

    /// One child stands by itself, as the reference shows it.
    fn to_value(&self) -> Value {
        let shown = |children: &[String]| match children {
            [child] => Value::from(child.as_str()),
            children => Value::Array(children.iter().map(|child| Value::from(child.as_str())).collect()),
        };
        Value::Object(self.0.iter().map(|(parent, children)| (parent.clone(), shown(children))).collect())
    }

    pub fn children(&self, parent: &str) -> &[String] {
        self.0.iter().find(|(name, _)| name == parent).map_or(&[], |(_, children)| children)
    }

    pub fn is_parent(&self, name: &str) -> bool {
        self.0.iter().any(|(parent, _)| parent == name)
    }

    pub fn parent_of(&self, child: &str) -> Option<&str> {
        let found = self.0.iter().find(|(_, children)| children.iter().any(|name| name == child));
        found.map(|(parent, _)| parent.as_str())
    }

    fn knows(&self, name: &str) -> bool {
        self.is_parent(name) || self.parent_of(name).is_some()
    }
}

fn read_eager(_: &str, value: &Value) -> Result<Value> {
    Ok(Value::Bool(read_named_bool("eager_global_ordinals", value)?))
}

fn read_relations(_: &str, value: &Value) -> Result<Value> {
    let Value::Object(map) = value else {
        if value.is_null() {
            let reason = "Cannot invoke \"Object.getClass()\" because \"node\" is null";
            return Err(Error::new(ErrorKind::NullPointer, reason));
        }
        let class = java_class(value);
        let reason = format!("relations should be a hash but was of type: class {class}");
        return Err(Error::new(ErrorKind::Parse, reason));
    };
    if map.iter().any(|(_, children)| children.is_null()) {
        let reason = "Cannot invoke \"Object.toString()\" because the return value of \"java.util.Map$Entry.getValue()\" is null";
        return Err(Error::new(ErrorKind::NullPointer, reason));
    }
    let mut seen: Vec<String> = vec![];
    let relations = Relations::of(value);
    for (parent, children) in &relations.0 {
        for child in children {
            if child == parent || seen.contains(child) {
                let what = if child == parent { "itself" } else { "more than one parent" };
                return Err(Error::illegal_argument(format!("[{child}] cannot have {what} as a parent")));
            }
            seen.push(child.clone());
        }
    }
    Ok(relations.to_value())
}

/// Relations may come, none may go.
fn merge_relations(field: &str, old: &Value, new: &Value) -> std::result::Result<(), String> {
    let (old, new) = (Relations::of(old), Relations::of(new));
    let parents = old.0.iter().filter(|(parent, _)| !new.is_parent(parent));
    let mut gone: Vec<String> =
        parents.map(|(parent, _)| format!("cannot remove parent [{parent}] in join field [{field}]")).collect();
    for (parent, children) in old.0.iter().filter(|(parent, _)| new.is_parent(parent)) {
        let lost = children.iter().filter(|child| !new.children(parent).contains(child));
        gone.extend(lost.map(|child| format!("cannot remove child [{child}] in join field [{field}]")));
    }
    if gone.is_empty() { Ok(()) } else { Err(format!("\n[{}]", gone.join(", "))) }
}

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    if !cx.name.contains('.') {
        return Ok(());
    }
    let relations = leftovers(std::iter::once(("relations", params.get(PARAMS, "relations"))));
    let field = cx.name;
    Err(Error::illegal_argument(format!(
        "join field [{field}] cannot be added inside an object or in a multi-field:{relations}"
    )))
}

fn spec() -> IndexSpec {
    IndexSpec { indexed: PLAIN_TERMS, doc_values: DocValues::Ordinals, ..bare_spec() }
}

fn build(params: &Params, cx: &FieldContext) -> Result<Built> {
    if cx.name.contains('.') {
        let reason = format!("join field [{}] cannot be added inside an object or in a multi-field", cx.name);
        return Err(Error::illegal_argument(reason));
    }
    let relations = Arc::new(Relations::of(params.get(PARAMS, "relations")));
    Ok(Built { spec: spec(), kind: Box::new(Join { relations, keys_of: None }) })
}

struct Join {
    relations: Arc<Relations>,
    /// The parent whose ids this field holds; none if it holds the names of relations.
    keys_of: Option<String>,
}

/// Objects within the object of a document.
const DEPTH_MAX: usize = 32;

/// What a document says of itself.
struct Role {
    name: String,
    parent: Option<String>,
    /// What is left behind where an object within has ended the whole.
    left: Option<&'static str>,
}

impl Join {
    fn read(&self, field: &Field, token: &Token) -> Result<Option<Role>> {
        let own = field.name.split('#').next().unwrap_or_default();
        let role = match &token.value {
            Scalar::String(name) => Role { name: name.clone().into_owned(), parent: None, left: None },
            Scalar::Object => read_object(own, &token.json()?)?,
            _ => {
                // The reference has no name for the field here.
                let reason = format!("[null] expected START_OBJECT or VALUE_STRING but was: {}", token.type_name());
                return Err(Error::new(ErrorKind::IllegalState, reason));
            }
        };
        if !self.relations.knows(&role.name) {
            return Err(Error::illegal_argument(format!("unknown join name [{}] for field [{own}]", role.name)));
        }
        Ok(Some(role))
    }
}

fn read_object(field: &str, value: &Value) -> Result<Role> {
    let (mut name, mut parent) = (None, None);
    let left = read_entries(field, value, 0, &mut name, &mut parent)?;
    match name {
        Some(name) => Ok(Role { name, parent, left }),
        None => {
            Err(Error::new(ErrorKind::NullPointer, "Cannot invoke \"String.equals(Object)\" because \"name\" is null"))
        }
    }
}

/// A list is read as what stands in it; flags and nothing are passed over. The entries of an object within are read as if they stood here,
/// and end the whole: gives what is left behind then.
fn read_entries(
    field: &str,
    value: &Value,
    depth: usize,
    name: &mut Option<String>,
    parent: &mut Option<String>,
) -> Result<Option<&'static str>> {
    let unknown = |key: &str| Error::illegal_argument(format!("unknown field name [{key}] in join field [{field}]"));
    let mut entries = value.as_object().into_iter().flat_map(Map::iter).peekable();
    while let Some((key, value)) = entries.next() {
        for value in value.as_array().unwrap_or(std::slice::from_ref(value)) {
            match (key, value) {
                (_, Value::Null | Value::Bool(_)) => {}
                (_, Value::Object(_)) if depth < DEPTH_MAX => {
                    read_entries(field, value, depth + 1, name, parent)?;
                    return Ok(Some(if entries.peek().is_some() { "FIELD_NAME" } else { "END_OBJECT" }));
                }
                ("name", Value::String(text)) => *name = Some(text.clone()),
                ("parent", Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_)) => {
                    *parent = Some(java_text(value));
                }
                _ => return Err(unknown(key)),
            }
        }
    }
    Ok(None)
}

impl FieldType for Join {
    fn takes(&self) -> Takes {
        Takes::Objects
    }

    fn names_field_in_errors(&self) -> bool {
        false
    }

    fn parts(&self) -> Vec<Part> {
        let part = |parent: &String| Part {
            suffix: format!("#{parent}"),
            type_name: "parent",
            hidden: false,
            built: Built {
                spec: spec(),
                kind: Box::new(Join { relations: self.relations.clone(), keys_of: Some(parent.clone()) }),
            },
        };
        self.relations.0.iter().map(|(parent, _)| part(parent)).collect()
    }

    /// What tells that there is a join in the index.
    fn further_fields(&self) -> usize {
        1
    }

    fn family(&self) -> Family {
        Family::Join
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let Some(role) = self.read(field, token)? else { return Ok(()) };
        if let Some(token) = role.left {
            let reason = format!("Malformed content, found extra data after parsing: {token}");
            return Err(Error::illegal_argument(reason));
        }
        let name = &field.name;
        let own_parent = self.relations.parent_of(&role.name);
        let value = match &self.keys_of {
            None => {
                if own_parent.is_some() && role.parent.is_none() {
                    return Err(Error::illegal_argument(format!("[parent] is missing for join field [{name}]")));
                }
                if own_parent.is_some() && !sink.routed {
                    return Err(Error::illegal_argument(format!("[routing] is missing for join field [{name}]")));
                }
                role.name
            }
            Some(parent) if *parent == role.name => sink.id.to_owned(),
            Some(parent) if own_parent == Some(parent) => role.parent.unwrap_or_default(),
            Some(_) => return Ok(()),
        };
        let value: Cow<[u8]> = Cow::Owned(value.into_bytes());
        let again = |op: &FieldOp| matches!(op, FieldOp::Ordinal { field: other, .. } if *other == field.id);
        if self.keys_of.is_some() && sink.ops.iter().any(again) {
            sink.refuse(Error::illegal_argument(format!(
                "DocValuesField \"{}\" appears more than once in this document (only one value is allowed per field)",
                field.name
            )));
        }
        sink.push(FieldOp::Ordinal { field: field.id, value: value.clone() });
        sink.push(FieldOp::Term { field: field.id, value });
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        Ok(Exact::Bytes(java_text(value).into_bytes()))
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        Ok(super::text::text_range(bounds, String::into_bytes))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Text)
    }

    fn relations(&self) -> Option<&Relations> {
        if self.keys_of.is_none() { Some(&self.relations) } else { None }
    }
}
