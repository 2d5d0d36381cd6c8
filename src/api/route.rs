//! The table of routes and the matching of paths.
//!
//! A family contributes rows; a [`Router`] is built from all of them once per core. Where several rows match a path,
//! the order is the reference's: all segments literal; then only the first segment a parameter; then only the last one;
//! then whatever has its literal segments first. The first row in that order that has the request's method wins.

use super::{ApiRequest, Reply};
use crate::coordinate::Core;
use ahash::AHashMap;
use pith_engine::Result;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

/// What runs a request. Written in a table as `|core, request| Box::pin(get_document(core, request))`.
pub type Handler = fn(Rc<Core>, ApiRequest) -> Pin<Box<dyn Future<Output = Result<Reply>>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    Get,
    Head,
    Put,
    Post,
    Delete,
    Options,
    Patch,
    Trace,
    Connect,
}

impl Method {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
            Self::Connect => "CONNECT",
        }
    }
}

/// The order in which `Allow` names methods.
const ALLOW_ORDER: [Method; 6] = [Method::Get, Method::Head, Method::Put, Method::Post, Method::Delete, Method::Patch];

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Route {
    pub method: Method,
    /// Segments in braces are parameters: `/{index}/_doc/{id}`.
    pub path: &'static str,
    /// What the handler is called in logs and statistics.
    pub name: &'static str,
    /// Lists of the query parameters that the route knows beside the common ones. A name that ends in `?` is one that
    /// the reference reads only when it is given: it is accepted, but never proposed for a misspelt one.
    pub params: &'static [&'static [&'static str]],
    pub handler: Handler,
}

/// A row whose handler takes nothing but the request: method, path, name and parameters, then the handler.
macro_rules! route {
    ($method:ident $path:literal $name:literal $params:expr, $handler:ident) => {
        $crate::api::Route {
            method: $crate::api::Method::$method,
            path: $path,
            name: $name,
            params: $params,
            handler: |core, request| Box::pin($handler(core, request)),
        }
    };
}
pub(crate) use route;

impl Route {
    /// The names of the parameters in the path.
    pub fn path_params(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(parameter)
    }
}

/// The name in a segment that is a parameter.
fn parameter(segment: &'static str) -> Option<&'static str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.method.name(), self.path, self.name)
    }
}

/// What a path and a method lead to.
#[derive(Debug)]
pub enum Found {
    /// The row, and the raw (still escaped) segments that stand for its path parameters.
    Route(&'static Route, Vec<(&'static str, String)>),
    /// The path is known, the method is not among those allowed.
    OtherMethods(Vec<Method>),
    Nothing,
}

#[derive(Default, Debug)]
struct Node {
    literals: AHashMap<&'static str, usize>,
    parameter: Option<usize>,
    rows: Vec<&'static Route>,
}

/// All rows as a tree over path segments.
#[derive(Debug)]
pub struct Router {
    nodes: Vec<Node>,
    /// By the name of a route, the path parameters of all routes of that name.
    path_params: AHashMap<&'static str, Vec<&'static str>>,
}

/// Longest path that is matched, in segments. No route comes near it, and it bounds the search.
const SEGMENTS_MAX: usize = 16;

impl Router {
    pub fn new(families: &[&'static [Route]]) -> Self {
        let mut router = Self { nodes: vec![Node::default()], path_params: AHashMap::new() };
        for row in families.iter().copied().flatten() {
            let mut at = 0;
            for segment in segments(row.path) {
                at = router.child(at, segment);
            }
            assert!(
                router.nodes[at].rows.iter().all(|other| other.method != row.method),
                "two routes for {} {}",
                row.method.name(),
                row.path
            );
            router.nodes[at].rows.push(row);
            router.path_params.entry(row.name).or_default().extend(row.path_params());
        }
        router
    }

    /// What a request to `route` may say in its path. If this path has no room for it, it can be said as a query parameter:
    /// `/_search?index=a` is `/a/_search`.
    pub fn path_params(&self, route: &Route) -> &[&'static str] {
        self.path_params.get(route.name).map_or(&[], Vec::as_slice)
    }

    fn child(&mut self, at: usize, segment: &'static str) -> usize {
        let fresh = self.nodes.len();
        let slot = if segment.starts_with('{') {
            *self.nodes[at].parameter.get_or_insert(fresh)
        } else {
            *self.nodes[at].literals.entry(segment).or_insert(fresh)
        };
        if slot == fresh {
            self.nodes.push(Node::default());
        }
        slot
    }

    /// Finds the row for a raw path (without its query string).
    pub fn find(&self, method: Method, path: &str) -> Found {
        let path: Vec<&str> = segments(path).collect();
        if path.len() > SEGMENTS_MAX {
            return Found::Nothing;
        }
        let mut candidates = vec![];
        self.collect(0, &path, 0, 0, &mut candidates);
        // A path that is spelt out somewhere is no name of an index.
        if candidates.iter().any(|(wildcards, _)| *wildcards == 0) {
            candidates.retain(|(wildcards, _)| *wildcards == 0);
        }
        candidates.sort_by_key(|(wildcards, _)| match *wildcards {
            0 => 0,
            1 => 1,
            w if w == 1 << (path.len() - 1) => 2,
            _ => 3,
        });
        for (_, node) in &candidates {
            if let Some(row) = self.nodes[*node].rows.iter().find(|row| row.method == method) {
                let named = segments(row.path)
                    .zip(&path)
                    .filter_map(|(pattern, segment)| Some((parameter(pattern)?, (*segment).to_owned())));
                return Found::Route(row, named.collect());
            }
        }
        let allowed: Vec<Method> = ALLOW_ORDER
            .into_iter()
            .filter(|m| candidates.iter().any(|(_, node)| self.nodes[*node].rows.iter().any(|row| row.method == *m)))
            .collect();
        if allowed.is_empty() { Found::Nothing } else { Found::OtherMethods(allowed) }
    }

    /// Gathers all nodes with rows that `path` leads to, those with literal segments first; `wildcards` has a bit for
    /// each segment that stands for a parameter.
    fn collect(&self, at: usize, path: &[&str], depth: usize, wildcards: u32, out: &mut Vec<(u32, usize)>) {
        let node = &self.nodes[at];
        let Some(segment) = path.get(depth) else {
            if !node.rows.is_empty() {
                out.push((wildcards, at));
            }
            return;
        };
        if let Some(next) = node.literals.get(segment) {
            self.collect(*next, path, depth + 1, wildcards, out);
        }
        if let Some(next) = node.parameter.filter(|_| !segment.is_empty() || (depth == 0 && path.len() > 1)) {
            self.collect(next, path, depth + 1, wildcards | 1 << depth, out);
        }
    }
}

/// The segments of a path. Trailing slashes count for nothing. An empty segment stands for no parameter but the first: clients write
/// `//_refresh` for an empty list of indexes.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
    path.split('/').take(if path.is_empty() { 0 } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn row(method: Method, path: &'static str) -> Route {
        Route { method, path, name: path, params: &[], handler: |_, _| Box::pin(async { Ok(Reply::empty(200)) }) }
    }

    const ROWS: &[Route] = &[
        row(Method::Get, "/"),
        row(Method::Get, "/{index}"),
        row(Method::Put, "/{index}"),
        row(Method::Get, "/_search"),
        row(Method::Post, "/{index}/_search"),
        row(Method::Get, "/_cat/{what}"),
        row(Method::Get, "/{index}/_doc/{id}"),
    ];

    fn find(method: Method, path: &str) -> String {
        match Router::new(&[ROWS]).find(method, path) {
            Found::Route(row, params) => format!("{} {params:?}", row.path),
            Found::OtherMethods(allowed) => format!("{allowed:?}"),
            Found::Nothing => "nothing".into(),
        }
    }

    #[test]
    fn literal_before_parameter() {
        assert_eq!(find(Method::Get, "/"), "/ []");
        assert_eq!(find(Method::Get, "/_search"), "/_search []");
        assert_eq!(find(Method::Post, "//_search"), r#"/{index}/_search [("index", "")]"#);
        assert_eq!(find(Method::Get, "///_search"), "nothing");
        assert_eq!(find(Method::Get, "/a/_doc/b%2Fc/"), r#"/{index}/_doc/{id} [("index", "a"), ("id", "b%2Fc")]"#);
        assert_eq!(find(Method::Put, "/_search"), "[Get]");
        assert_eq!(find(Method::Post, "/_cat/_search"), r#"/{index}/_search [("index", "_cat")]"#);
    }

    #[test]
    fn other_methods_and_nothing() {
        assert_eq!(find(Method::Delete, "/a"), "[Get, Put]");
        assert_eq!(find(Method::Get, "/a//_doc"), "nothing");
        assert_eq!(find(Method::Get, "/a/b/c/d"), "nothing");
        assert_eq!(find(Method::Get, &"/a".repeat(500)), "nothing");
    }
}
