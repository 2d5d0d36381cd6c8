//! `inner_hits`: the hits behind a hit, with what is to be shown of them.

use super::asked_fields::column_of;
use super::request::SearchRequest;
use super::sort_parse::simplified;
use super::source::StoredFields;
use crate::error::{Error, Result};
use crate::query::Node;
use crate::query::declared::{ARRAY, BOOL, Declared, FLAG, NUMERIC, OBJECT, STRING, STRINGS};
use std::sync::Arc;

/// One definition of inner hits.
#[derive(Clone, Debug)]
pub struct InnerHits {
    pub name: Option<String>,
    pub ignore_unmapped: bool,
    /// Page, sort and everything that hits show; the query is whoever's it is.
    pub request: Arc<SearchRequest>,
}

/// Hits of a group that are shown unless the definition says otherwise.
const SIZE_DEFAULT: usize = 3;

const PARSER: Declared = Declared {
    name: "inner_hits",
    fields: &[
        ("name", STRING),
        ("ignore_unmapped", FLAG),
        ("from", NUMERIC),
        ("size", NUMERIC),
        ("explain", FLAG),
        ("version", FLAG),
        ("seq_no_primary_term", FLAG),
        ("track_scores", FLAG),
        ("stored_fields", STRINGS),
        ("docvalue_fields", OBJECT | ARRAY),
        ("fields", OBJECT | ARRAY),
        ("script_fields", OBJECT),
        ("sort", OBJECT | ARRAY),
        ("_source", OBJECT | ARRAY | BOOL | STRING),
        ("highlight", OBJECT),
        ("collapse", OBJECT),
    ],
};

/// What groups are grouped by within: a field and nothing else.
fn take_collapse(request: &mut SearchRequest, node: Node) -> Result<()> {
    let invalid = |node: Node, at: u32| Err(node.error_at(at, "Invalid token in the inner collapse"));
    if node.fields().next().is_none() {
        return invalid(node, node.end_pos());
    }
    for field in node.fields() {
        if field.key != "field" || field.node.value.as_str().is_none() {
            return invalid(field.node, field.key_pos);
        }
    }
    request.take("collapse", node)
}

impl InnerHits {
    pub fn parse(node: Node) -> Result<Self> {
        Self::read(node)
    }

    /// One of the groups of a search. It asks for each stored field by itself, so that asking for none is not asking.
    fn of_group(node: Node) -> Result<Self> {
        let mut inner = Self::read(node)?;
        let asks = |stored: &StoredFields| matches!(stored, StoredFields::Fields(names) if !names.is_empty());
        let request = Arc::make_mut(&mut inner.request);
        request.stored_fields = request.stored_fields.take().filter(asks);
        Ok(inner)
    }

    fn read(node: Node) -> Result<Self> {
        let (mut name, mut ignore_unmapped) = (None, false);
        let mut request = SearchRequest { size: SIZE_DEFAULT, ..SearchRequest::default() };
        for field in node.fields() {
            match field.key {
                "name" => name = Some(PARSER.read(&field, |node| node.text())?),
                "ignore_unmapped" => ignore_unmapped = PARSER.read(&field, |node| node.bool())?,
                "from" | "size" if field.node.value.as_i64().is_some_and(|number| number < 0) => {
                    let cause = format!("illegal {} value, at least 0 or higher", field.key);
                    PARSER.read(&field, |_| Err(Error::illegal_argument(cause)))?;
                }
                "docvalue_fields" if field.node.object().is_some() => {
                    request.docvalue_fields = PARSER.read(&field, column_of)?;
                }
                "fields" if field.node.object().is_some() => {
                    (request.fields, request.fields_given) = (PARSER.read(&field, column_of)?, true);
                }
                "collapse" => PARSER.read(&field, |node| take_collapse(&mut request, node))?,
                key => PARSER.read(&field, |node| request.take(key, node))?,
            }
        }
        request.sort = simplified(request.sort);
        Ok(Self { name, ignore_unmapped, request: Arc::new(request) })
    }

    /// One definition, or several, of the groups of a search. Of those with the same name the last counts.
    pub fn of_groups(node: Node) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = vec![];
        for item in node.items_or_self() {
            if item.object().is_none() {
                return Err(item.error("Invalid token in inner_hits array"));
            }
            let one = Self::of_group(item)?;
            all.retain(|other| other.name != one.name);
            all.push(one);
        }
        Ok(all)
    }
}
