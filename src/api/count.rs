//! Counting: `_count`.

use super::document::BODY_PARAMS;
use super::index_options::INDEX_PARAMS;
use super::search::{QUERY_PARAMS, SHARD_PARAMS, scope};
use super::search_cache;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::search::{Scope, SearchOptions, count};
use pith_engine::json::{self, Entry, Misread, Value, line_col};
use pith_engine::query;
use pith_engine::search::SearchRequest;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

const COUNT_PARAMS: &[&str] = &["min_score", "terminate_after", "index?"];

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "count",
        params: &[INDEX_PARAMS, QUERY_PARAMS, SHARD_PARAMS, BODY_PARAMS, COUNT_PARAMS],
        handler: |core, request| rt::boxed(|| run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_count"),
    route(Method::Post, "/_count"),
    route(Method::Get, "/{index}/_count"),
    route(Method::Post, "/{index}/_count"),
];

/// The search whose matches a request wants counted, and where.
pub fn asked(request: &ApiRequest) -> Result<(SearchRequest, Scope)> {
    let scope = scope(request)?;
    let body = query_body(request.body_opt()?.as_deref())?;
    // A body's query wins over one in the URL.
    let mut params: Vec<(String, String)> =
        vec![("size".to_owned(), "0".to_owned()), ("track_total_hits".to_owned(), "true".to_owned())];
    let of_query = |name: &str| QUERY_PARAMS.iter().any(|known| known.trim_end_matches('?') == name);
    if !body.has_query {
        params.extend(request.params().iter().filter(|(name, _)| of_query(name)).cloned());
    }
    Ok((parse_request(&body, &params)?, scope))
}

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let (mut search_request, scope) = asked(&request)?;
    search_request.min_score = request.float_opt("min_score")?;
    search_request.terminate_after = match request.int("terminate_after", 0)? {
        0 => None,
        most => {
            let wrong = |_| Error::illegal_argument("terminateAfter must be > 0");
            Some(u64::try_from(most).map_err(wrong)?)
        }
    };
    request.check_known()?;
    // The same body asks something else of a search.
    let mut given = request.params().to_vec();
    given.push(("_count".to_owned(), String::new()));
    let cache = search_cache::ask(&core.state(), &search_request, request.body_opt()?.as_deref(), &given, None)?;
    let options = SearchOptions { cache, ..SearchOptions::default() };
    let answer = count(&core, &Arc::new(search_request), &scope, &options).await?;
    Ok(Reply::json(200, answer))
}

pub struct QueryBody {
    pub text: Option<Vec<u8>>,
    pub has_query: bool,
}

/// The body of a search from one that may hold nothing but a query. Positions in errors stay those of the request's own.
pub fn query_body(body: Option<&[u8]>) -> Result<QueryBody> {
    // A body that is blank says nothing.
    let text = match body.filter(|body| !body.trim_ascii().is_empty()) {
        None => None,
        Some(body) => {
            let (value, end) = json::parse_declared_prefix(body, query::declares).map_err(Misread::of_query)?;
            check_keys(body, &value)?;
            Some((body[..end].to_vec(), value))
        }
    };
    let has_query = text.as_ref().is_some_and(|(_, value)| value.get("query").is_some());
    Ok(QueryBody { text: text.map(|(body, _)| body), has_query })
}

fn check_keys(body: &[u8], value: &Value) -> Result<()> {
    let parsing = |pos: u32, reason: String| {
        let (line, col) = line_col(body, pos);
        Error::new(ErrorKind::Parsing, reason).with("line", i64::from(line)).with("col", i64::from(col))
    };
    let Value::Object(map) = value else {
        return Err(parsing(0, format!("Expected [START_OBJECT] but found [{}]", value.token())));
    };
    let mut before: Option<&Entry> = None;
    for entry in &map.entries {
        if entry.key != "query" {
            if let Some(read) = before {
                query::parse_at(&read.value, body, read.value_pos).map_err(|error| unreadable(Some(body), error))?;
            }
            return Err(parsing(entry.key_pos, format!("request does not support [{}]", entry.key)));
        }
        if entry.value.as_object().is_none() {
            let reason = "[_na] query malformed, must start with start_object";
            return Err(parsing(entry.value_pos, reason.to_owned()));
        }
        before = Some(entry);
    }
    Ok(())
}

/// Parses a body that may hold nothing but a query: whatever is wrong with it is a failure to parse.
pub fn parse_request(body: &QueryBody, params: &[(String, String)]) -> Result<SearchRequest> {
    let text = body.text.as_deref();
    SearchRequest::parse(text, params).map_err(|error| if body.has_query { unreadable(text, error) } else { error })
}

/// What is wrong with a query, as it is told of such a body.
pub fn unreadable(text: Option<&[u8]>, error: Error) -> Error {
    match error.kind() {
        // What is no JSON at all has no place in a query.
        ErrorKind::InputCoercion | ErrorKind::JsonParse if error.place().is_none() => error,
        ErrorKind::IllegalArgument
        | ErrorKind::InputCoercion
        | ErrorKind::JsonParse
        | ErrorKind::XContentParse
        | ErrorKind::Parse
        | ErrorKind::General
        | ErrorKind::IllegalState
        | ErrorKind::NumberFormat => {
            let place = || Some(line_col(text?, error.place()?)).map(|(line, col)| (line.into(), col.into()));
            let (line, col) = place().or_else(|| location(error.reason())).unwrap_or((1, 1));
            let failed = Error::new(ErrorKind::Parsing, "Failed to parse").with("line", line).with("col", col);
            match error.kind() {
                ErrorKind::Parse | ErrorKind::General => failed.with_root_causes(vec![error.clone()]).caused_by(error),
                _ => failed.caused_by(error),
            }
        }
        _ => error,
    }
}

/// The first `[line:column]` in a message.
fn location(reason: &str) -> Option<(i64, i64)> {
    reason.split('[').find_map(|part| {
        let (line, col) = part.split_once(']')?.0.split_once(':')?;
        Some((line.parse().ok()?, col.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let made = query_body(Some(br#"{"query":{"match_all":{}}}{}"#)).unwrap();
        assert_eq!(made.text.unwrap(), br#"{"query":{"match_all":{}}}"#);
        assert_eq!(location("empty clause found at [1:11]"), Some((1, 11)));
        assert_eq!(location("[x] nothing"), None);
        assert!(query_body(Some(b" \n")).unwrap().text.is_none());
        let error = query_body(Some(br#"{"size": 1}"#)).err().unwrap();
        assert_eq!((error.reason(), error.field("col")), ("request does not support [size]", Some(&Value::Int(2))));
        let error = query_body(Some(br#"{"query": {}, "size": 1}"#)).err().unwrap();
        assert_eq!((error.reason(), error.field("col")), ("Failed to parse", Some(&Value::Int(12))));
    }
}
