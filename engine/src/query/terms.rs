//! `terms`: documents with any of some exact values.

use super::bitmap;
use super::declared::without;
use super::lookup::Lookup;
use super::node::{Common, Node, unsupported};
use super::range::as_asked;
use super::table::parse_node;
use super::{Kind, PlanContext, Query, Sought, SoughtValues};
use super::{can_match, fields, one_value};
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::Family;
use crate::mapping::java_base64;
use crate::score::Plan;

#[derive(Debug)]
struct Terms {
    field: String,
    values: Vec<Value>,
    lookup: Option<TermsLookup>,
    kind: ValueType,
}

/// What the values are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ValueType {
    #[default]
    Default,
    /// One value, which is a set of numbers.
    Bitmap,
}

/// The document whose values are meant, and where in it they stand.
#[derive(Debug)]
struct TermsLookup {
    document: Lookup,
    path: String,
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut found: Option<(String, Vec<Value>)> = None;
    let (mut lookup, mut kind) = (None, Ok(ValueType::Default));
    for field in node.fields() {
        match field.node.value {
            Value::Array(items) => {
                if found.is_some() {
                    return Err(field.node.error("[terms] query does not support multiple fields"));
                }
                check_values(field.node, "terms", field.key)?;
                found = Some((field.key.to_owned(), tokens_of(items)));
            }
            Value::Object(_) => {
                if let Some((first, _)) = &found {
                    let reason = "[terms] query does not support more than one field. Already got";
                    return Err(field.node.error(format!("{reason}: [{first}] but also found [{}]", field.key)));
                }
                found = Some((field.key.to_owned(), vec![]));
                lookup = Some(parse_lookup(field.node)?);
            }
            Value::Null => {
                return Err(field.node.error(format!("[terms] unknown token [VALUE_NULL] after [{}]", field.key)));
            }
            _ if field.key == "value_type" => kind = value_type(&field.node.text()?),
            _ if common.take(field.key, field.node)? => {}
            _ => return Err(unsupported(field.node, "terms", field.key)),
        }
    }
    let Some((field, values)) = found else {
        return Err(node.error_at_end(
            "[terms] query requires a field name, followed by array of terms or a document lookup specification",
        ));
    };
    let kind = kind?;
    if field.is_empty() {
        return Err(Error::illegal_argument("field name cannot be null."));
    }
    if kind == ValueType::Bitmap && lookup.is_none() {
        bitmap_of(&values)?;
    }
    Ok(Query::new(common, Terms { field, values, lookup, kind }))
}

/// Refuses what is no value. A list within the list ends both: the reader does not know that there are two.
pub fn check_values(node: Node, kind: &str, key: &str) -> Result<()> {
    let Some(End { list, within }) = first_end(node)? else { return Ok(()) };
    let (at, token) = list.behind();
    Err(match (token, within) {
        ("END_ARRAY", _) => list.error_at(at, format!("[{kind}] unknown token [END_ARRAY] after [{key}]")),
        // The object that the list stands in seems to end the query.
        ("END_OBJECT", Some(object)) => {
            let (at, token) = object.behind();
            let reason = format!("[{kind}] malformed query, expected [END_OBJECT] but found [{token}]");
            list.error_at(at, reason)
        }
        ("VALUE_NULL", _) => list.error_at(at, format!("[{kind}] unknown token [VALUE_NULL] after [{key}]")),
        ("START_ARRAY", None) if kind == "terms" => {
            list.error_at(at, "[terms] query does not support multiple fields".to_owned())
        }
        ("START_OBJECT", None) if kind == "terms" => {
            let reason = "[terms] query does not support more than one field. Already got";
            list.error_at(at, format!("{reason}: [{key}] but also found [{key}]"))
        }
        _ => list.error_at(at, format!("[{kind}] query does not support [{key}]")),
    })
}

/// The first list that ends within another one.
struct End<'a> {
    list: Node<'a>,
    /// The object that it stands in.
    within: Option<Node<'a>>,
}

/// Finds it, in objects too, whose tokens are values. A null before it is refused.
fn first_end(node: Node<'_>) -> Result<Option<End<'_>>> {
    let is_value = |item: Node| !matches!(item.value, Value::Null | Value::Array(_) | Value::Object(_));
    if node.items().all(is_value) {
        return Ok(None);
    }
    let mut open: Vec<(Node, Option<Node>)> = node.items().map(|item| (item, None)).collect();
    open.reverse();
    let mut last = None;
    while let Some((value, within)) = open.pop() {
        // What is to be looked at next stands last.
        let mut from = open.len();
        match value.value {
            Value::Null => return Err(value.error("No value specified for terms query")),
            Value::Array(_) => {
                // What stands behind it is not read any more.
                open.clear();
                from = 0;
                open.extend(value.items().map(|item| (item, None)));
                last = Some(End { list: value, within });
            }
            Value::Object(_) => open.extend(value.fields().map(|field| (field.node, Some(value)))),
            _ => {}
        }
        open[from..].reverse();
    }
    Ok(last)
}

/// The values, of objects their tokens: the reader does not know that there are any.
pub fn tokens_of(items: &[Value]) -> Vec<Value> {
    let mut tokens = Vec::with_capacity(items.len());
    let mut open: Vec<(Option<&str>, Option<&Value>)> = items.iter().rev().map(|item| (None, Some(item))).collect();
    while let Some((key, value)) = open.pop() {
        tokens.extend(key.map(|key| Value::String(key.to_owned())));
        match value {
            Some(Value::Object(map)) => {
                tokens.push(Value::String("{".to_owned()));
                open.push((Some("}"), None));
                let entries: Vec<_> = map.iter().collect();
                open.extend(entries.into_iter().rev().map(|(key, value)| (Some(key), Some(value))));
            }
            Some(value) => tokens.push(as_asked(value)),
            None => {}
        }
    }
    tokens
}

fn value_type(name: &str) -> Result<ValueType> {
    match name.to_lowercase().as_str() {
        "default" => Ok(ValueType::Default),
        "bitmap" => Ok(ValueType::Bitmap),
        _ => Err(Error::illegal_argument(format!("{name} is not valid value_type"))),
    }
}

/// Values as unsigned numbers have them: where all are whole numbers with a sign, by their bits; else each as a text.
fn unsigned(values: &[Value]) -> Vec<Value> {
    let longs: Option<Vec<Value>> =
        values.iter().map(|value| value.as_i64().map(|long| Value::UInt(long as u64))).collect();
    let text = |value: &Value| match value {
        Value::Float(_) => value.clone(),
        value => Value::String(value.to_text()),
    };
    longs.unwrap_or_else(|| values.iter().map(text).collect())
}

/// The bytes of the one bitmap that stands for all values.
fn bitmap_of(values: &[Value]) -> Result<Vec<u8>> {
    let [Value::String(text)] = values else {
        return Err(Error::illegal_argument(
            "Invalid value for bitmap type: Expected a single-element array with a base64 encoded serialized bitmap.",
        ));
    };
    java_base64::decode_text(text).map_err(Error::illegal_argument)
}

/// What a lookup may say.
const LOOKUP_KEYS: &[&str] = &["index", "id", "path", "routing", "store", "query"];

/// A text, and nothing that could be made one.
fn lookup_text(key: &str, node: Node) -> Result<String> {
    if let Value::String(text) = node.value {
        return Ok(text.clone());
    }
    let (at, token) = (node.location(node.pos()), node.token());
    let reason = format!("{at} [terms_lookup] {key} doesn't support values of type: {token}");
    Err(Error::new(ErrorKind::XContentParse, reason))
}

fn parse_lookup(node: Node) -> Result<TermsLookup> {
    let (mut index, mut id, mut path, mut routing, mut query, mut store) = (None, None, None, None, None, false);
    for field in node.fields() {
        match field.key {
            "index" => index = Some(lookup_text("index", field.node)?),
            "id" => id = Some(lookup_text("id", field.node)?),
            "path" => path = Some(lookup_text("path", field.node)?),
            "routing" if field.node.value.is_null() => routing = None,
            "routing" => routing = Some(lookup_text("routing", field.node)?),
            "store" => store = field.node.bool()?,
            "query" => {
                let failed = |error| node.failed_field("terms_lookup", "query", error);
                query = Some(parse_node(field.node).map_err(failed)?);
            }
            key => {
                let at = node.location(field.key_pos);
                let known = did_you_mean::suffix(key, LOOKUP_KEYS.iter().copied());
                let reason = format!("{at} [terms_lookup] unknown field [{key}]{known}");
                return Err(Error::new(ErrorKind::XContentParse, reason).at(field.node.pos()));
            }
        }
    }
    let (Some(index), Some(path)) = (&index, &path) else {
        return Err(without(&[("index", index.is_none()), ("path", path.is_none())]).at(node.end_pos()));
    };
    let mut document = match (id, query) {
        (Some(id), None) => Lookup::required(index.clone(), id, routing),
        (None, Some(query)) => Lookup::matching(index.clone(), query, routing),
        (Some(_), Some(_)) => {
            let error = incomplete("[terms] query lookup element cannot specify both id and query.");
            // With the last of all that it is built of it is built.
            let last = node.fields().filter(|field| ["index", "path", "id", "query"].contains(&field.key)).last();
            return Err(match last {
                Some(last) => last.node.failed_field("terms_lookup", last.key, error),
                None => error,
            });
        }
        (None, None) => {
            let reason = "[terms] query lookup element requires specifying either the id or the query.";
            return Err(incomplete(reason).at(node.end_pos()));
        }
    };
    document.stored = store.then(|| path.clone());
    Ok(TermsLookup { document, path: path.clone() })
}

#[cold]
fn incomplete(reason: &str) -> Error {
    let failed =
        Error::new(ErrorKind::XContentParse, "Failed to build [terms_lookup] after last required field arrived");
    failed.caused_by(Error::illegal_argument(reason))
}

impl TermsLookup {
    fn values(&self, cx: &PlanContext) -> Result<Vec<Value>> {
        let mut values = vec![];
        for source in self.document.sources(cx.index)? {
            collect(&crate::json::parse(source)?, &self.path, &mut values);
        }
        Ok(values)
    }
}

/// The scalars at a dotted path, through arrays.
pub(crate) fn collect(value: &Value, path: &str, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, out)),
        Value::Object(map) => {
            for entry in &map.entries {
                if &*entry.key == path {
                    scalars(&entry.value, out);
                } else if let Some(rest) = path.strip_prefix(&*entry.key).and_then(|rest| rest.strip_prefix('.')) {
                    collect(&entry.value, rest, out);
                }
            }
        }
        _ => {}
    }
}

fn scalars(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| scalars(item, out)),
        Value::Object(_) | Value::Null => {}
        scalar => out.push(scalar.clone()),
    }
}

impl Kind for Terms {
    fn sought(&self) -> Option<Sought<'_>> {
        let values = SoughtValues::Terms(self.values.iter().map(Value::to_text).collect());
        Some(Sought { field: &self.field, values })
    }

    fn is_match_none(&self) -> bool {
        self.lookup.is_none() && self.values.is_empty()
    }

    fn is_replaced(&self) -> bool {
        self.lookup.is_some() || self.is_match_none()
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let looked_up;
        let values = match &self.lookup {
            None => &self.values,
            Some(lookup) => {
                looked_up = lookup.values(cx)?;
                &looked_up
            }
        };
        let stands_as_text = self.lookup.as_ref().is_some_and(|lookup| lookup.document.stored.is_none());
        if self.kind == ValueType::Bitmap && !stands_as_text {
            return match cx.field(&self.field) {
                Some(_) if values.is_empty() => Ok(Plan::nothing("No terms supplied for terms query.")),
                Some(field) => bitmap::plan(cx, field, &bitmap_of(&values[..1])?),
                None => Ok(fields::rewritten_to_none()),
            };
        }
        let (count, limit) = (values.len(), cx.limits.max_terms_count);
        if count > limit {
            return Err(Error::illegal_argument(format!(
                "The number of terms [{count}] used in the Terms Query request has exceeded the allowed maximum of [{limit}]. This maximum can be set by changing the [index.max_terms_count] index level setting."
            )));
        }
        match cx.field(&self.field) {
            Some(field) if field.family() == Family::UnsignedLong => {
                Ok(one_value::rewritten(field, fields::terms(cx, field, &unsigned(values))?))
            }
            Some(field) => Ok(one_value::rewritten(field, fields::terms(cx, field, values)?)),
            None => Ok(fields::rewritten_to_none()),
        }
    }

    fn can_match(&self, cx: &PlanContext) -> bool {
        can_match::leaf(self.plan(cx), cx)
    }

    fn lookups(&self) -> &[Lookup] {
        self.lookup.as_ref().map_or(&[], |lookup| std::slice::from_ref(&lookup.document))
    }

    fn is_replaced_on_shard(&self, cx: &PlanContext) -> bool {
        one_value::is_decided(cx, &self.field)
    }
}
