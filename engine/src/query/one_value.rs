//! Patterns on fields that have one value in all documents: `constant_keyword` and `_index`.

use super::PlanContext;
use super::fields::{rewritten_to_none, wildcard_matches};
use crate::mapping::{Family, Field};
use crate::score::Plan;

/// What a pattern comes to where all documents have one value: all of them or none. `*` stands for any characters.
/// `None` for other fields.
pub fn plan(cx: &PlanContext, field: &Field, pattern: &str, case_insensitive: bool) -> Option<Plan> {
    let value = match field.family() {
        Family::Index => &**cx.index,
        _ => field.constant()?,
    };
    let matches = match case_insensitive {
        true => wildcard_matches(&pattern.to_lowercase(), &value.to_lowercase()),
        false => wildcard_matches(pattern, value),
    };
    Some(if matches { Plan::All } else { rewritten_to_none() })
}

#[cfg(test)]
mod tests {
    use crate::query::{ShardContext, parse};
    use crate::search::tests::shard;

    fn described(cx: &ShardContext, query: &str) -> String {
        let value = crate::json::parse(query.as_bytes()).expect("a query");
        let query = parse(&value, query.as_bytes()).expect("a query that can be read");
        query.describe(cx, false).unwrap_or_else(|error| error.reason().to_owned())
    }

    #[test]
    fn all_documents_or_none() {
        let mapping = r#"{"properties":{"c":{"type":"constant_keyword","value":"always"},"i":{"type":"integer"}}}"#;
        let cx = shard(mapping, &[&[r#"{"i":1}"#]]);
        let none = r#"MatchNoDocsQuery("User requested "match_none" query.")"#;
        for (query, text) in [
            (r#"{"term":{"c":{"value":"ALWAYS","case_insensitive":true}}}"#, "*:*"),
            (r#"{"term":{"c":{"value":"never","case_insensitive":true}}}"#, none),
            (r#"{"prefix":{"c":"a*w"}}"#, "*:*"),
            (r#"{"prefix":{"c":"no"}}"#, none),
            (r#"{"wildcard":{"c":"a*s"}}"#, "*:*"),
            (r#"{"prefix":{"_index":"no"}}"#, none),
            (r#"{"term":{"_index":"no"}}"#, none),
            // What is wrong beside what matches nothing is never looked at.
            (r#"{"bool":{"must":[{"prefix":{"c":"no"}},{"fuzzy":{"i":"x"}}]}}"#, none),
        ] {
            assert_eq!(described(&cx, query), text, "{query}");
        }
    }
}
