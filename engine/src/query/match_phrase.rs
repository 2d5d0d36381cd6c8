//! `match_phrase`: terms of a text next to each other.

use super::Query;
use super::match_query::parse_match;
use super::node::Node;
use super::text::Shape;
use crate::error::Result;

const KEYS: &[&str] = &["analyzer", "slop", "zero_terms_query"];

pub fn parse(node: Node) -> Result<Query> {
    parse_match(node, "match_phrase", Shape::Phrase, KEYS)
}
