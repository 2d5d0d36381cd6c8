//! `inner_hits`: the hits behind a hit, with what is to be shown of them.

use super::request::SearchRequest;
use crate::error::{Error, ErrorKind, Result};
use crate::query::Node;
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

impl InnerHits {
    pub fn parse(node: Node) -> Result<Self> {
        let (mut name, mut ignore_unmapped) = (None, false);
        let mut request = SearchRequest { size: SIZE_DEFAULT, ..SearchRequest::default() };
        for field in node.fields() {
            match field.key {
                "from" | "size" if field.node.value.as_i64().is_some_and(|number| number < 0) => {
                    let cause = format!("illegal {} value, at least 0 or higher", field.key);
                    let at = node.location(field.node.pos());
                    let reason = format!("{at} [inner_hits] failed to parse field [{}]", field.key);
                    return Err(Error::new(ErrorKind::XContentParse, reason).caused_by(Error::illegal_argument(cause)));
                }
                "name" => name = Some(field.node.text()?),
                "ignore_unmapped" => ignore_unmapped = field.node.bool()?,
                "from"
                | "size"
                | "explain"
                | "version"
                | "seq_no_primary_term"
                | "track_scores"
                | "stored_fields"
                | "docvalue_fields"
                | "fields"
                | "script_fields"
                | "sort"
                | "_source"
                | "highlight"
                | "collapse" => {
                    request.take(field.key, field.node)?;
                }
                key => return Err(super::reader::unknown(node, "inner_hits", key, field.key_pos)),
            }
        }
        Ok(Self { name, ignore_unmapped, request: Arc::new(request) })
    }

    /// One definition, or several. Of those with the same name the last counts.
    pub fn parse_all(node: Node) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = vec![];
        for item in node.items_or_self() {
            let one = Self::parse(item)?;
            all.retain(|other| other.name != one.name);
            all.push(one);
        }
        Ok(all)
    }
}
