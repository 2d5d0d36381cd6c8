//! `match_bool_prefix`: any or all terms of a text, the last one as a prefix.

use super::Query;
use super::match_query::parse_match;
use super::node::Node;
use super::text::Shape;
use crate::error::Result;

const KEYS: &[&str] = &[
    "analyzer",
    "operator",
    "minimum_should_match",
    "fuzziness",
    "prefix_length",
    "max_expansions",
    "fuzzy_transpositions",
    "fuzzy_rewrite",
];

pub fn parse(node: Node) -> Result<Query> {
    parse_match(node, "match_bool_prefix", Shape::BooleanPrefix, KEYS)
}
