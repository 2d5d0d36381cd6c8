//! The names of queries, in the order in which hits show those that match: that of the hash table which the reference
//! keeps them in.

use super::super::request::SearchRequest;
use crate::java_order::sort_by_slot;
use crate::query::{Query, ShardContext};

/// A query, and of one that asks for nested documents the path of those that it stands among.
pub type Among<'a> = (&'a Query, Option<&'a str>);

/// The names of a request, whose query `main` is, with the queries that bear them. Of queries with the same name the outermost
/// counts, and the last among equals; those of filters after the search count before those of the query, and those of rescorers before
/// both, the last one's before all.
pub fn in_shown_order<'a>(request: &'a SearchRequest, main: &'a Query, cx: &ShardContext) -> Vec<(&'a str, Among<'a>)> {
    let mut named: Vec<(&str, Among)> = Vec::new();
    distinct(main.named(cx), &mut named);
    let rescorers = request.rescore.iter().map(|rescore| &rescore.query);
    let beside = request.named_around.iter().chain(&request.post_filter).chain(rescorers);
    beside.for_each(|query| distinct(query.named(cx), &mut named));
    // Names of one slot stay in the order in which they came.
    sort_by_slot(&mut named, |(name, _)| name);
    named
}

/// Adds the queries, which come with the outer ones first, as the reference does: inner ones first.
fn distinct<'a>(queries: Vec<Among<'a>>, named: &mut Vec<(&'a str, Among<'a>)>) {
    for (query, path) in queries.into_iter().rev() {
        let Some(name) = query.name.as_deref() else { continue };
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = (query, path),
            None => named.push((name, (query, path))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{search, shard};

    #[test]
    fn what_is_nested_in_others_belongs_to_these() {
        let part = r#"{"type":"nested","properties":{"n":{"type":"integer"}}}"#;
        let mapping = format!(r#"{{"properties":{{"o":{{"type":"nested","properties":{{"p":{part}}}}}}}}}"#);
        let cx = shard(&mapping, &[&[r#"{"o":[{"p":[{"n":5}]}]}"#]]);
        let inner = r#"{"nested":{"path":"o.p","query":{"range":{"o.p.n":{"gte":1}}},"_name":"first"}}"#;
        let outer = format!(r#"{{"nested":{{"path":"o","query":{inner},"_name":"second","inner_hits":{{}}}}}}"#);
        let found = search(&cx, &format!(r#"{{"query":{outer}}}"#));
        assert!(found.contains(r#""matched_queries":["second"]"#), "{found}");
    }

    #[test]
    fn the_last_rescorer_that_bears_a_name_counts() {
        let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"a"}"#]]);
        let yes = r#"{"term":{"t":{"value":"a","_name":"n"}}}"#;
        let no = r#"{"bool":{"should":[{"match_all":{}},{"term":{"t":{"value":"b","_name":"n"}}}]}}"#;
        let named = |filter: &str, rescorers: &[&str]| {
            let rescorers: Vec<String> =
                rescorers.iter().map(|query| format!(r#"{{"query":{{"rescore_query":{query}}}}}"#)).collect();
            let body = format!(r#"{{"post_filter":{filter},"rescore":[{}]}}"#, rescorers.join(","));
            search(&cx, &body).contains(r#""matched_queries":["n"]"#)
        };
        assert_eq!([named(yes, &[no]), named(no, &[yes])], [false, true]);
        assert_eq!([named(yes, &[yes, no]), named(no, &[no, yes])], [false, true]);
    }
}
