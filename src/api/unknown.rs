//! The error for parameters that a route does not know, with proposals.

use super::Route;
use pith_engine::did_you_mean;
use pith_engine::{Error, Result};
use std::collections::BTreeSet;

/// Parameters that every route knows.
pub const COMMON: &[&str] = &["pretty", "human", "error_trace", "filter_path", "format"];

/// Parameters that go with a query string in `q`, and are read only beside it.
const WITH_QUERY_STRING: &[&str] = &["df", "analyzer", "analyze_wildcard", "lenient", "default_operator"];

/// Refuses parameters that neither the route nor every route knows. `in_path` are those that a path of this kind of request has;
/// `path` is the raw path of the request.
pub fn check(route: &Route, in_path: &[&'static str], path: &str, params: &[(String, String)]) -> Result<()> {
    let names = || params.iter().map(|(name, _)| name.as_str());
    let idle =
        |name: &str| WITH_QUERY_STRING.contains(&name) && in_route(route, "q") && !names().any(|name| name == "q");
    let known = |name: &str| COMMON.contains(&name) || in_path.contains(&name) || in_route(route, name);
    let is_unknown = |name: &&str| !known(name) || idle(name);
    if names().any(|name| is_unknown(&name)) {
        return Err(unrecognized(route, path, &names().filter(is_unknown).collect()));
    }
    Ok(())
}

/// Refuses parameters that the route knows, but not in this request.
pub fn refuse<'a>(route: &Route, path: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let unread: BTreeSet<&str> = names.collect();
    if unread.is_empty() { Ok(()) } else { Err(unrecognized(route, path, &unread)) }
}

/// Whether a route has the query parameter.
pub fn in_route(route: &Route, name: &str) -> bool {
    // Compared by their bytes: the lengths tell most apart.
    let is = |given: &str| given.as_bytes().strip_suffix(b"?").unwrap_or(given.as_bytes()) == name.as_bytes();
    route.params.iter().any(|list| list.iter().any(|given| is(given)))
}

#[cold]
fn unrecognized(route: &Route, path: &str, unknown: &BTreeSet<&str>) -> Error {
    let plural = if unknown.len() > 1 { "s" } else { "" };
    let listed: Vec<String> = unknown
        .iter()
        .map(|name| {
            let proposals = proposals(route, name);
            match proposals.as_slice() {
                [] => format!("[{name}]"),
                [one] => format!("[{name}] -> did you mean [{one}]?"),
                many => format!("[{name}] -> did you mean any of [{}]?", many.join(", ")),
            }
        })
        .collect();
    Error::illegal_argument(format!("request [{path}] contains unrecognized parameter{plural}: {}", listed.join(", ")))
}

/// Known names that resemble `name`, best first.
fn proposals(route: &Route, name: &str) -> Vec<&'static str> {
    // One that the route knows, but not in this request, is no proposal for itself.
    let open = |known: &&&str| !known.ends_with('?') && **known != name;
    let proposed = COMMON.iter().chain(route.params.iter().copied().flatten()).filter(open);
    did_you_mean::suggestions(name, proposed.copied())
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
    fn proposes_what_resembles() {
        let check = |names: &[&str]| {
            let params: Vec<(String, String)> = names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
            check(&ROUTE, &["index"], "/a/_search", &params)
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
            reason(&["routng"]),
            "request [/a/_search] contains unrecognized parameter: [routng] -> did you mean any of [routing, rooting]?"
        );
    }
}
