//! The table of query names, and the parsing of `{"name": {…}}`.

use super::node::{Node, ParseFn, check_boost, is_own_boost, negative_boost};
use super::written::before_boost;
use super::{
    Query, bool_query, boosting, combined_fields, common_terms, constant_score, dis_max, distance_feature, exists,
    function_score, fuzzy, geo_box, geo_distance, geo_shape, has_child, ids, intervals, match_all, match_bool_prefix,
    match_none, match_phrase, match_phrase_prefix, match_query, more_like_this, multi_match, nested, parent_id,
    percolate, prefix, query_string, range, rank_feature, regexp, script, simple_query_string, span, template, term,
    terms, terms_set, wildcard, wrapper,
};
use crate::deprecated::note;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

/// One row per kind of query.
pub const NAMES: &[(&str, ParseFn)] = &[
    ("bool", bool_query::parse),
    ("boosting", boosting::parse),
    ("combined_fields", combined_fields::parse),
    ("common", common_terms::parse),
    ("constant_score", constant_score::parse),
    ("dis_max", dis_max::parse),
    ("distance_feature", distance_feature::parse),
    ("exists", exists::parse),
    ("field_masking_span", span::parse_mask),
    ("function_score", function_score::parse),
    ("fuzzy", fuzzy::parse),
    ("geo_bounding_box", geo_box::parse),
    ("geo_distance", geo_distance::parse),
    ("geo_polygon", geo_box::parse_polygon),
    ("geo_shape", geo_shape::parse),
    ("has_child", has_child::parse),
    ("has_parent", has_child::parse_parent),
    ("ids", ids::parse),
    ("intervals", intervals::parse),
    ("match", match_query::parse),
    ("match_all", match_all::parse),
    ("match_bool_prefix", match_bool_prefix::parse),
    ("match_none", match_none::parse),
    ("match_phrase", match_phrase::parse),
    ("match_phrase_prefix", match_phrase_prefix::parse),
    ("more_like_this", more_like_this::parse),
    ("multi_match", multi_match::parse),
    ("nested", nested::parse),
    ("parent_id", parent_id::parse),
    ("percolate", percolate::parse),
    ("prefix", prefix::parse),
    ("query_string", query_string::parse_node),
    ("range", range::parse),
    ("rank_feature", rank_feature::parse),
    ("regexp", regexp::parse),
    ("script", script::parse_filter),
    ("script_score", script::parse_score),
    ("simple_query_string", simple_query_string::parse),
    ("span_containing", span::parse_containing),
    ("span_field_masking", span::parse_mask),
    ("span_first", span::parse_first),
    ("span_gap", span::parse_gap),
    ("span_multi", span::parse_multi),
    ("span_near", span::parse_near),
    ("span_not", span::parse_not),
    ("span_or", span::parse_or),
    ("span_term", span::parse_term),
    ("span_within", span::parse_within),
    ("template", template::parse),
    ("term", term::parse),
    ("terms", terms::parse),
    ("terms_set", terms_set::parse),
    ("wildcard", wildcard::parse),
    ("wrapper", wrapper::parse),
];

/// Names that others have come after, and what is told to whoever uses them.
const DEPRECATED: &[(&str, &str)] = &[
    (
        "common",
        "Deprecated field [common] used, replaced by [[match] query which can efficiently skip blocks of documents if the \
         total number of hits is not tracked]",
    ),
    ("field_masking_span", "Deprecated field [field_masking_span] used, expected [span_field_masking] instead"),
];

/// The queries of a list. What is no object is passed over where an object follows: the reader looks for one beyond it.
pub fn parse_list(node: Node) -> Result<Vec<(Node, Query)>> {
    parse_list_by(node, |item| Ok((item, parse_node(item)?)))
}

/// The same with what each item is made to before the next one is read.
pub fn parse_list_by<'n, T>(node: Node<'n>, parse: impl Fn(Node<'n>) -> Result<T>) -> Result<Vec<T>> {
    node.items().filter(|item| !is_passed_over(item)).map(parse).collect()
}

/// Whether the reader looks beyond an item of a list, which is no object while one follows.
pub fn is_passed_over(item: &Node) -> bool {
    !matches!(item.value, Value::Object(_) | Value::Array(_)) && item.behind().1 == "START_OBJECT"
}

/// A query that something else asks for. What the reader of JSON refuses in it is told by who asked, at the place: see `told`.
pub fn parse_inner(node: Node, told: impl FnOnce(u32) -> Error) -> Result<Query> {
    parse_node(node).map_err(|error| match error.kind() {
        ErrorKind::InputCoercion => told(error.place().unwrap_or(node.last_pos())).caused_by(error),
        _ => error,
    })
}

/// Parses one query object.
pub fn parse_node(node: Node) -> Result<Query> {
    let Value::Object(map) = node.value else {
        return Err(node.error_at(node.after().0, "[_na] query malformed, must start with start_object"));
    };
    let mut fields = node.fields();
    let Some(field) = fields.next() else {
        let at = node.location(node.end_pos());
        let reason = format!("query malformed, empty clause found at {at}");
        return Err(Error::illegal_argument(reason).at(node.end_pos()));
    };
    debug_assert!(!map.is_empty(), "a field was found");
    let name = field.key;
    if !matches!(field.node.value, Value::Object(_)) {
        return Err(field.node.error(format!("[{name}] query malformed, no start_object after query name")));
    }
    if let Some((_, text)) = DEPRECATED.iter().find(|(old, _)| *old == name) {
        note(*text);
    }
    let parse = NAMES.iter().find(|(known, _)| *known == name).map(|(_, parse)| parse);
    let query: Query = match parse {
        Some(parse) => node
            .nested(|| parse(field.node).and_then(|query| check_boost(query.boost).map(|()| query)))
            .map_err(|error| refused(name, field.node, error))?,
        None => return Err(unknown(name, field.node)),
    };
    match fields.next() {
        Some(second) => Err(node.error_at(
            second.key_pos,
            format!("[{name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]"),
        )),
        None => Ok(query),
    }
}

/// What a query refuses when all of it has been read, the reader stands at its end. Its own negative boost is told with the query.
#[cold]
fn refused(name: &str, node: Node, error: Error) -> Error {
    let error = error.rephrased(&|reason| match is_own_boost(reason).then(|| before_boost(name, node)).flatten() {
        Some(query) => negative_boost(&query).reason().to_owned(),
        None => reason.to_owned(),
    });
    match (error.kind(), error.place()) {
        (ErrorKind::IllegalArgument, None) => error.at(node.end_pos()),
        _ => error,
    }
}

fn unknown(name: &str, node: Node) -> Error {
    let names = NAMES.iter().map(|(name, _)| *name);
    let reason = match did_you_mean(name, names) {
        Some(hint) => format!("unknown query [{name}] {hint}"),
        None => format!("unknown query [{name}]"),
    };
    let cause = format!("{} unknown field [{name}]", node.location(node.pos()));
    node.error(reason).caused_by(Error::new(ErrorKind::NamedObjectNotFound, cause))
}

/// `did you mean [x]?`, or `did you mean any of [x, y]?`, for names that are close.
pub fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let mut close: Vec<(f32, &str)> = known
        .filter_map(|candidate| {
            let length = name.chars().count().max(candidate.chars().count()).max(1);
            let similarity = 1.0 - edit_distance(name, candidate) as f32 / length as f32;
            (similarity > 0.5).then_some((similarity, candidate))
        })
        .collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    match close.as_slice() {
        [] => None,
        [(_, one)] => Some(format!("did you mean [{one}]?")),
        many => {
            let names: Vec<&str> = many.iter().map(|(_, name)| *name).collect();
            Some(format!("did you mean any of [{}]?", names.join(", ")))
        }
    }
}

/// Insertions, deletions and substitutions between two short names.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // Names of queries are short; an endless one is as far as any.
    for (i, ca) in a.chars().take(256).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_get_a_hint() {
        let names = || NAMES.iter().map(|(name, _)| *name);
        assert_eq!(did_you_mean("mtch", names()).as_deref(), Some("did you mean [match]?"));
        assert_eq!(did_you_mean("nonsense", names()), None);
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
    }
}
