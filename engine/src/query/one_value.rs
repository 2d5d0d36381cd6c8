//! Patterns on fields that have one value in all documents: `constant_keyword` and `_index`.

use super::PlanContext;
use super::fields::rewritten_to_none;
use super::match_all::APPROXIMATE_ALL;
use crate::mapping::{Family, Field};
use crate::score::Plan;

/// What a pattern comes to where all documents have one value: all of them or none. `*` stands for any characters.
/// `None` for other fields.
pub fn plan(cx: &PlanContext, field: &Field, pattern: &str, case_insensitive: bool) -> Option<Plan> {
    let matches = match case_insensitive {
        true => wildcard_matches(&pattern.to_lowercase(), &value(cx, field)?.to_lowercase()),
        false => wildcard_matches(pattern, value(cx, field)?),
    };
    Some(if matches { Plan::All.written_as(APPROXIMATE_ALL) } else { rewritten_to_none() })
}

/// The same for a prefix within a query that asks fields itself and is not rewritten first.
pub fn prefix_of_field(cx: &PlanContext, field: &Field, prefix: &str) -> Option<Plan> {
    let matches = wildcard_matches(&format!("{prefix}*"), value(cx, field)?);
    Some(if matches { Plan::All } else { Plan::nothing("") })
}

/// A query of its own for a value or values. Where it asks for the value that all documents have, it is rewritten to one for
/// all documents before any field is asked.
pub fn rewritten(field: &Field, plan: Plan) -> Plan {
    match plan {
        Plan::All if field.constant().is_some() => Plan::All.written_as(APPROXIMATE_ALL),
        plan => plan,
    }
}

/// Whether a query of its own for a value comes to all documents or none before any field is asked: there is no such field, or it has
/// one value in all documents.
pub fn is_decided(cx: &PlanContext, name: &str) -> bool {
    cx.field(name).is_none_or(|field| value(cx, field).is_some())
}

/// The value that the field has in all documents.
fn value<'a>(cx: &'a PlanContext, field: &'a Field) -> Option<&'a str> {
    match field.family() {
        Family::Index => Some(cx.index),
        _ => field.constant(),
    }
}

/// `*` stands for any characters.
pub fn wildcard_matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{APPROXIMATE_ALL, wildcard_matches};
    use crate::search::tests::{described, shard};

    #[test]
    fn all_documents_or_none() {
        let mapping = r#"{"properties":{"c":{"type":"constant_keyword","value":"always"},"i":{"type":"integer"}}}"#;
        let cx = shard(mapping, &[&[r#"{"i":1}"#]]);
        let nothing = r#"MatchNoDocsQuery("")"#;
        let none = r#"MatchNoDocsQuery("User requested "match_none" query.")"#;
        for (query, text) in [
            (r#"{"term":{"c":{"value":"ALWAYS","case_insensitive":true}}}"#, APPROXIMATE_ALL),
            (r#"{"term":{"c":{"value":"never","case_insensitive":true}}}"#, none),
            (r#"{"prefix":{"c":"a*w"}}"#, APPROXIMATE_ALL),
            (r#"{"prefix":{"c":"no"}}"#, none),
            (r#"{"wildcard":{"c":"a*s"}}"#, APPROXIMATE_ALL),
            (r#"{"terms":{"_index":["*"]}}"#, APPROXIMATE_ALL),
            (r#"{"regexp":{"c":"a.*"}}"#, "*:*"),
            (r#"{"regexp":{"c":"n.*"}}"#, nothing),
            (r#"{"match_bool_prefix":{"c":"a"}}"#, nothing),
            (r#"{"match_bool_prefix":{"c":"always"}}"#, "*:*"),
            (r#"{"query_string":{"query":"c:a*"}}"#, "*:*"),
            (r#"{"query_string":{"query":"c:n*"}}"#, nothing),
            (r#"{"query_string":{"query":"_index:n*"}}"#, nothing),
            (r#"{"simple_query_string":{"query":"a*","fields":["c"]}}"#, "*:*"),
            (r#"{"simple_query_string":{"query":"n*","fields":["c"]}}"#, nothing),
            (r#"{"simple_query_string":{"query":" * ","fields":["c"]}}"#, "*:*"),
            (
                r#"{"query_string":{"query":"c:a*s"}}"#,
                "MatchNoDocsQuery(\"failed [c] query, caused by query_shard_exception:[Can only use wildcard queries on keyword and text fields - not on [c] which is of type [constant_keyword]]\")",
            ),
            (r#"{"prefix":{"_index":"no"}}"#, none),
            (r#"{"term":{"_index":"no"}}"#, none),
            // What is wrong beside what matches nothing is never looked at.
            (r#"{"bool":{"must":[{"prefix":{"c":"no"}},{"fuzzy":{"i":"x"}}]}}"#, none),
        ] {
            assert_eq!(described(&cx, query, false), text, "{query}");
        }
    }

    #[test]
    fn index_names_match_patterns() {
        assert!(wildcard_matches("a*c*e", "abcde") && wildcard_matches("abc", "abc") && wildcard_matches("*", ""));
        assert!(!wildcard_matches("a*c", "abcd") && !wildcard_matches("abc", "abcd") && !wildcard_matches("a*a", "a"));
    }
}
