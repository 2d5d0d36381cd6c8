//! The names of queries, in the order in which hits show those that match: that of the hash table which the reference
//! keeps them in.

use super::super::request::SearchRequest;
use crate::java_order::sort_by_slot;
use crate::query::{Query, ShardContext};

/// The names of a request, whose query `main` is, with the queries that bear them. Of queries with the same name the outermost
/// counts, and the last among equals; those of filters after the search and of rescorers count before those of the query.
pub fn in_shown_order<'a>(request: &'a SearchRequest, main: &'a Query, cx: &ShardContext) -> Vec<(&'a str, &'a Query)> {
    let mut named: Vec<(&str, &Query)> = Vec::new();
    distinct(main.named(cx), &mut named);
    let rescorers = request.rescore.iter().map(|rescore| &rescore.query);
    distinct(request.post_filter.iter().chain(rescorers).flat_map(|query| query.named(cx)).collect(), &mut named);
    // Names of one slot stay in the order in which they came.
    sort_by_slot(&mut named, |(name, _)| name);
    named
}

/// Adds the queries, which come with the outer ones first, as the reference does: inner ones first.
fn distinct<'a>(queries: Vec<&'a Query>, named: &mut Vec<(&'a str, &'a Query)>) {
    for query in queries.into_iter().rev() {
        let Some(name) = query.name.as_deref() else { continue };
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = query,
            None => named.push((name, query)),
        }
    }
}
