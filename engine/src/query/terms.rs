//! `terms`: documents with any of some exact values.

use super::fields;
use super::lookup::Lookup;
use super::node::{Common, Node, unsupported};
use super::{Kind, PlanContext, Query};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::score::Plan;

#[derive(Debug)]
struct Terms {
    field: String,
    values: Vec<Value>,
    lookup: Option<TermsLookup>,
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
    let mut lookup = None;
    for field in node.fields() {
        match field.node.value {
            Value::Array(items) => {
                if found.is_some() {
                    return Err(field.node.error("[terms] query does not support multiple fields"));
                }
                if let Some(null) = field.node.items().find(|item| item.value.is_null()) {
                    return Err(null.error("No value specified for terms query"));
                }
                found = Some((field.key.to_owned(), items.clone()));
            }
            Value::Object(_) => {
                if found.is_some() {
                    return Err(field.node.error("[terms] query does not support more than one field"));
                }
                found = Some((field.key.to_owned(), vec![]));
                lookup = Some(parse_lookup(field.node)?);
            }
            _ if common.take(field.key, field.node)? => {}
            _ => return Err(unsupported(field.node, "terms", field.key)),
        }
    }
    let Some((field, values)) = found else {
        return Err(node.error_at_end(
            "[terms] query requires a field name, followed by array of terms or a document lookup specification",
        ));
    };
    Ok(Query::new(common, Terms { field, values, lookup }))
}

fn parse_lookup(node: Node) -> Result<TermsLookup> {
    let (mut index, mut id, mut path, mut routing) = (None, None, None, None);
    for field in node.fields() {
        match field.key {
            "index" => index = Some(field.node.text()?),
            "id" => id = Some(field.node.text()?),
            "path" => path = Some(field.node.text()?),
            "routing" => routing = Some(field.node.text()?),
            "store" if !field.node.bool()? => {}
            "store" => {
                return Err(field.node.error("[terms_lookup] reading terms from stored fields is not supported"));
            }
            key => {
                let at = node.location(field.key_pos);
                let reason = format!("{at} [terms_lookup] unknown field [{key}]");
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
        }
    }
    match (index, id, path) {
        (Some(index), Some(id), Some(path)) => {
            let document = Lookup::required(index, id, routing);
            Ok(TermsLookup { document, path })
        }
        (index, id, path) => {
            let missing = [("index", index.is_none()), ("id", id.is_none()), ("path", path.is_none())];
            let missing: Vec<&str> = missing.iter().filter(|(_, gone)| *gone).map(|(name, _)| *name).collect();
            Err(Error::illegal_argument(format!("Required [{}]", missing.join(", "))))
        }
    }
}

impl TermsLookup {
    fn values(&self, cx: &PlanContext) -> Result<Vec<Value>> {
        let Some(source) = self.document.source(cx.index)? else { return Ok(vec![]) };
        let mut values = vec![];
        collect(&crate::json::parse(source)?, &self.path, &mut values);
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
    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        let looked_up;
        let values = match &self.lookup {
            None => &self.values,
            Some(lookup) => {
                looked_up = lookup.values(cx)?;
                &looked_up
            }
        };
        let (count, limit) = (values.len(), cx.limits.max_terms_count);
        if count > limit {
            return Err(Error::illegal_argument(format!(
                "The number of terms [{count}] used in the Terms Query request has exceeded the allowed maximum of [{limit}]. This maximum can be set by changing the [index.max_terms_count] index level setting."
            )));
        }
        match cx.field(&self.field) {
            Some(field) => fields::terms(cx, field, values),
            None => Ok(Plan::nothing(format!("unmapped field [{}]", self.field))),
        }
    }

    fn lookups(&self) -> &[Lookup] {
        self.lookup.as_ref().map_or(&[], |lookup| std::slice::from_ref(&lookup.document))
    }
}
