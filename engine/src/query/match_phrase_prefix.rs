//! `match_phrase_prefix`: a phrase whose last term is a prefix.

use super::Query;
use super::match_query::parse_match;
use super::node::Node;
use super::text::Shape;
use crate::error::Result;

const KEYS: &[&str] = &["analyzer", "slop", "max_expansions", "zero_terms_query"];

pub fn parse(node: Node) -> Result<Query> {
    parse_match(node, "match_phrase_prefix", Shape::PhrasePrefix, KEYS)
}
