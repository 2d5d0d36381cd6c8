//! Fields that are asked for beside the source: by their names, or with the format that their values are to have.

use super::sort_parse::ID_FIELDDATA_DEPRECATED;
use crate::deprecated::note;
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::Node;
use crate::query::declared::{Declared, NULL, STRING};

#[derive(Clone, Debug, PartialEq)]
pub struct DocValueField {
    pub field: String,
    pub format: Option<String>,
}

/// The list of `fields`.
pub fn fields(list: Node) -> Result<Vec<DocValueField>> {
    each(list, "fields", field_and_format)
}

/// The list of `docvalue_fields`.
pub fn columns(list: Node) -> Result<Vec<DocValueField>> {
    each(list, "docvalue_fields", docvalue_field)
}

/// What one object asks for, where it may stand for a list of it.
pub fn column_of(object: Node) -> Result<Vec<DocValueField>> {
    docvalue_field(object).map(|asked| vec![asked]).map_err(|error| error.at(object.end_pos()))
}

const DOCVALUE_FIELD: Declared =
    Declared { name: "docvalues_field", fields: &[("field", STRING), ("format", STRING | NULL)] };

/// The fields of a list. The object that comes behind a null is read in its place. So is the first of a list within the list,
/// whose end is then taken for that of the whole.
fn each(node: Node, key: &str, read: fn(Node) -> Result<DocValueField>) -> Result<Vec<DocValueField>> {
    let mut asked = vec![];
    for item in node.items() {
        match item.value {
            Value::Null if DOCVALUE_FIELD.check_next_object(item).is_ok() => {}
            Value::Array(items) if matches!(items.first(), Some(Value::Object(_))) => {
                each(item, key, read)?;
                let (at, token) = item.behind();
                return Err(item.error_at(at, format!("Unknown key for a {token} in [{key}].")));
            }
            _ => asked.push(read(item)?),
        }
    }
    Ok(asked)
}

/// Notes what is deprecated of a field that doc values are asked of.
fn docvalue_field(node: Node) -> Result<DocValueField> {
    let asked = field_and_format(node)?;
    if asked.format.as_deref() == Some("use_field_mapping") {
        note(FIELD_MAPPING_DEPRECATED);
    }
    if asked.field == "_id" {
        note(ID_FIELDDATA_DEPRECATED);
    }
    Ok(asked)
}

const FIELD_MAPPING_DEPRECATED: &str = "[use_field_mapping] is a special format that was only used to ease the transition to 7.x. \
     It has become the default and shouldn't be set explicitly anymore.";

fn field_and_format(node: Node) -> Result<DocValueField> {
    match node.value {
        Value::Object(_) => {
            let (mut name, mut format) = (None, None);
            for field in node.fields() {
                DOCVALUE_FIELD.check(&field)?;
                let text = field.node.value.as_str().map(str::to_owned);
                match field.key {
                    "field" => name = text,
                    _ => format = text,
                }
            }
            let field = name.ok_or_else(|| Error::illegal_argument("Required [field]"))?;
            Ok(DocValueField { field, format })
        }
        Value::Array(_) | Value::Null => {
            DOCVALUE_FIELD.check_next_object(node)?;
            Err(Error::illegal_argument("Required [field]"))
        }
        _ => Ok(DocValueField { field: node.text()?, format: None }),
    }
}
