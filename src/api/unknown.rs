//! The error for parameters that a route does not know, with proposals.

use super::{Route, params};
use pith_engine::did_you_mean;
use pith_engine::{Error, Result};
use std::collections::BTreeSet;

/// Parameters that every route knows.
pub const COMMON: &[&str] = &["pretty", "human", "error_trace", "filter_path", "format"];

/// Parameters that go with a query string in `q`, and are read only beside it.
const WITH_QUERY_STRING: &[&str] = &["df", "analyzer", "analyze_wildcard", "lenient", "default_operator"];

/// Parameters of a suggestion, which are read only beside `suggest_field`.
const WITH_SUGGESTION: &[&str] = &["suggest_mode", "suggest_size", "suggest_text"];

/// Where a query in the body keeps that of the address from being read, and whether `q` itself is looked at before that.
const BODY_FIRST: &[(&str, bool)] =
    &[("count", false), ("cat_count_action", false), ("validate_query", false), ("explain", true)];

/// Routes whose handlers refuse unknown parameters themselves, once they have read the others.
pub const READ_FIRST: &[&str] = &[
    "analyze",
    "bulk",
    "count",
    "create",
    "delete",
    "delete_by_query",
    "delete_by_query_rethrottle",
    "explain",
    "field_caps",
    "get",
    "get_source",
    "index",
    "indices_stats_action",
    "mget",
    "msearch",
    "msearch_template",
    "multi_term_vectors",
    "nodes_stats_action",
    "reindex",
    "reindex_rethrottle",
    "search",
    "search_template",
    "tasks.cancel",
    "tasks.get",
    "term_vectors",
    "update",
    "update_by_query",
    "update_by_query_rethrottle",
];

/// Routes that cannot do without a body, and look for it before anything else is told.
const BODY_NEEDED: &[&str] = &[
    "bulk",
    "clone_snapshot_action",
    "cluster_update_settings_action",
    "create",
    "index",
    "index_aliases_action",
    "ingest_put_pipeline_action",
    "ingest_simulate_pipeline_action",
    "mget",
    "msearch",
    "msearch_template",
    "put_component_template_action",
    "put_composable_index_template_action",
    "put_index_template_action",
    "put_mapping_action",
    "put_repository_action",
    "put_script",
    "rank_eval",
    "reindex",
    "scripts_painless_execute",
    "search_put_pipeline_action",
    "search_template",
    "update_settings_action",
];

/// Refuses parameters that neither the route nor every route knows. `in_path` are those that a path of this kind of request has;
/// `path` is the raw path of the request, which comes with a body of its own or not.
pub fn check(
    route: &Route,
    in_path: &[&'static str],
    path: &str,
    params: &[(String, String)],
    has_body: bool,
) -> Result<()> {
    let names = || params.iter().map(|(name, _)| name.as_str());
    // A parameter can stand for the body; where there is one, nobody reads it.
    let instead = |name: &str| matches!(name, "source" | "source_content_type");
    let stands_in = names().any(|name| name == "source");
    let says_body = has_body || stands_in && in_route(route, "source");
    if !says_body && BODY_NEEDED.contains(&route.name) {
        // The handler refuses it for that.
        return Ok(());
    }
    let body_first = BODY_FIRST.iter().find(|(name, _)| says_body && *name == route.name);
    let beside = match body_first {
        Some(_) => false,
        None => !in_route(route, "q") || names().any(|name| name == "q"),
    };
    let unread = |name: &str| name == "q" && matches!(body_first, Some((_, false)));
    let suggests = !in_route(route, "suggest_field") || names().any(|name| name == "suggest_field");
    let idle = |name: &str| {
        unread(name) || !beside && WITH_QUERY_STRING.contains(&name) || !suggests && WITH_SUGGESTION.contains(&name)
    };
    let known = |name: &str| COMMON.contains(&name) || in_path.contains(&name) || in_route(route, name);
    let is_unknown = |name: &&str| {
        !known(name) || idle(name) || has_body && instead(name) || !stands_in && *name == "source_content_type"
    };
    if names().any(|name| is_unknown(&name)) {
        let read = |name: &str| names().any(|given| given == name) && !is_unknown(&name);
        return Err(unrecognized(route, path, &names().filter(is_unknown).collect(), read));
    }
    Ok(())
}

/// Refuses parameters that the route knows, but not in this request.
pub fn refuse<'a>(route: &Route, path: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let unread: BTreeSet<&str> = names.collect();
    if unread.is_empty() { Ok(()) } else { Err(unrecognized(route, path, &unread, |_| false)) }
}

/// Whether a route has the query parameter.
pub fn in_route(route: &Route, name: &str) -> bool {
    // Compared by their bytes: the lengths tell most apart.
    let is = |given: &str| given.as_bytes().strip_suffix(b"?").unwrap_or(given.as_bytes()) == name.as_bytes();
    route.params.iter().any(|list| list.iter().any(|given| is(given)))
}

#[cold]
fn unrecognized(route: &Route, path: &str, unknown: &BTreeSet<&str>, read: impl Fn(&str) -> bool) -> Error {
    let plural = if unknown.len() > 1 { "s" } else { "" };
    let listed: Vec<String> = unknown
        .iter()
        .map(|name| {
            let proposals = proposals(route, name, &read);
            match proposals.as_slice() {
                [] => format!("[{name}]"),
                [one] => format!("[{name}] -> did you mean [{one}]?"),
                many => format!("[{name}] -> did you mean any of [{}]?", many.join(", ")),
            }
        })
        .collect();
    let path = params::decode(path, false).unwrap_or_else(|_| path.to_owned());
    Error::illegal_argument(format!("request [{path}] contains unrecognized parameter{plural}: {}", listed.join(", ")))
}

/// Known names that resemble `name`, best first. Those that are only looked at where they are given have to be among what was read.
fn proposals(route: &Route, name: &str, read: &impl Fn(&str) -> bool) -> Vec<&'static str> {
    // One that the route knows, but not in this request, is no proposal for itself.
    let open = |known: &'static str| match known.strip_suffix('?') {
        Some(bare) => read(bare).then_some(bare),
        None => Some(known).filter(|known| *known != name),
    };
    let proposed = COMMON.iter().chain(route.params.iter().copied().flatten());
    did_you_mean::suggestions(name, proposed.filter_map(|known| open(known)))
}

#[cfg(test)]
mod tests {
    use super::super::{Method, Reply};
    use super::*;

    const ROUTE: Route = Route {
        method: Method::Get,
        path: "/{index}/_search",
        name: "search",
        params: &[&["routing", "size?"], &["rooting", "q?", "df?"]],
        handler: |_, _| Box::pin(async { Ok(Reply::empty(200)) }),
    };

    #[test]
    fn a_query_in_the_body_is_the_only_one() {
        let params = [("q".to_owned(), "x".to_owned()), ("df".to_owned(), "t".to_owned())];
        let reason = |name, has_body| {
            let route = Route { name, ..ROUTE };
            check(&route, &[], "/p", &params, has_body).err().map(|error| error.reason().to_owned())
        };
        assert_eq!((reason("count", false), reason("search", true)), (None, None));
        let both = "request [/p] contains unrecognized parameters: [df], [q]";
        assert_eq!(reason("count", true).as_deref(), Some(both));
        assert_eq!(reason("explain", true).as_deref(), Some("request [/p] contains unrecognized parameter: [df]"));
        let route = Route { params: &[&["source?", "_source"]], ..ROUTE };
        let source = [("source".to_owned(), "{}".to_owned())];
        assert!(check(&route, &[], "/p", &source, false).is_ok());
        assert_eq!(
            check(&route, &[], "/p", &source, true).unwrap_err().reason(),
            "request [/p] contains unrecognized parameter: [source] -> did you mean [_source]?"
        );
    }

    #[test]
    fn proposes_what_resembles() {
        let check = |names: &[&str]| {
            let params: Vec<(String, String)> = names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
            check(&ROUTE, &["index"], "/a/_search", &params, false)
        };
        assert!(check(&["pretty", "size", "index", "routing"]).is_ok());
        let reason = |names: &[&str]| check(names).unwrap_err().reason().to_owned();
        assert_eq!(
            reason(&["prety", "humn"]),
            "request [/a/_search] contains unrecognized parameters: [humn] -> did you mean [human]?, [prety] -> did you \
             mean [pretty]?"
        );
        assert!(check(&["q", "df"]).is_ok());
        assert_eq!(reason(&["df"]), "request [/a/_search] contains unrecognized parameter: [df]");
        assert_eq!(reason(&["sizee"]), "request [/a/_search] contains unrecognized parameter: [sizee]");
        assert_eq!(
            reason(&["sizee", "size"]),
            "request [/a/_search] contains unrecognized parameter: [sizee] -> did you mean [size]?"
        );
        assert_eq!(
            reason(&["routng"]),
            "request [/a/_search] contains unrecognized parameter: [routng] -> did you mean any of [routing, rooting]?"
        );
    }
}
