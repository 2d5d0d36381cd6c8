//! Whether a query makes sense: `_validate/query`.

use super::super::count::{parse_request, query_body};
use super::super::document::{BODY_PARAMS, validation_failed};
use super::super::index_options::INDEX_PARAMS;
use super::super::index_options::index_options;
use super::super::search::{QUERY_PARAMS, scope};
use super::super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{IndicesOptions, blocks, resolve};
use crate::coordinate::broadcast::write_failure;
use crate::coordinate::search::{Described, Scope, validate};
use crate::coordinate::{Core, clock};
use pith_engine::json::Writer;
use pith_engine::search::SearchRequest;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const PARAMS: &[&str] = &["explain", "rewrite", "all_shards", "index?"];

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "validate_query",
        params: &[INDEX_PARAMS, QUERY_PARAMS, BODY_PARAMS, PARAMS],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_validate/query"),
    route(Method::Post, "/_validate/query"),
    route(Method::Get, "/{index}/_validate/query"),
    route(Method::Post, "/{index}/_validate/query"),
];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let explain = request.flag("explain", false)?;
    let rewrite = request.flag("rewrite", false)?;
    let all_shards = request.flag("all_shards", false)?;
    let strict = IndicesOptions { allow_no_indices: false, ..IndicesOptions::STRICT_EXPAND_OPEN };
    let scope = Scope { options: index_options(&request, strict)?, ..scope(&request)? };
    let parsed = match parse(&request) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::ActionRequestValidation => return Err(error),
        Err(error) => {
            let mut w = Writer::new();
            w.begin_object().key("valid").bool(false);
            if explain {
                w.key("error").string(&detailed(&error));
            }
            w.end_object();
            return Ok(Reply::ok(w));
        }
    };
    let described = match check_open(&core, &scope) {
        Ok(()) => validate(&core, &Arc::new(parsed), &scope, rewrite, all_shards).await,
        Err(error) => Err(error),
    };
    match described {
        Ok((described, missing)) => {
            Ok(Reply::ok(answer(&described, missing, explain || rewrite || all_shards, all_shards)))
        }
        // Where no shard could be asked, the answer tells why.
        Err(error) if error.kind() != ErrorKind::IndexNotFound => {
            let mut w = Writer::new();
            w.begin_object().key("_shards").begin_object();
            w.key("total").u64(0).key("successful").u64(0).key("failed").u64(0).end_object();
            w.key("valid").bool(false).key("explanations").begin_array();
            w.begin_object().key("valid").bool(false).key("error").string(error.reason()).end_object();
            w.end_array().end_object();
            Ok(Reply::ok(w))
        }
        Err(error) => Err(error),
    }
}

/// Closed indexes have no shards to ask, and others may have a block.
fn check_open(core: &Core, scope: &Scope) -> Result<()> {
    let state = core.state();
    let found = resolve(&state, &scope.indexes, &scope.options, clock::now_ms())?;
    blocks::check_search(&state, found.iter().map(|index| &**index))
}

fn parse(request: &ApiRequest) -> Result<SearchRequest> {
    let body = request.body_opt()?;
    let given = query_body(body.as_deref())?;
    let of_query = |name: &str| QUERY_PARAMS.iter().any(|known| known.trim_end_matches('?') == name);
    let mut params = vec![];
    if !given.has_query {
        if given.text.is_some() && !request.has("q") {
            validation_failed(&["query cannot be null".to_owned()])?;
        }
        params.extend(request.params().iter().filter(|(name, _)| of_query(name)).cloned());
    }
    parse_request(&given, &params)
}

/// A query that cannot be made is not valid. One that grows too much once it is made fails on the shard, and says nothing of whether it is.
fn answer(described: &[Described], missing: usize, explained: bool, all_shards: bool) -> Writer {
    let has_failed = |one: &&Described| one.text.as_ref().is_err_and(Error::is_of_rewriting);
    let (failed, told): (Vec<_>, Vec<_>) = described.iter().partition(has_failed);
    let mut w = Writer::new();
    w.begin_object().key("_shards").begin_object();
    w.key("total").u64((described.len() + missing) as u64).key("successful").u64(told.len() as u64);
    w.key("failed").u64(failed.len() as u64);
    write_failures(&failed, &mut w);
    w.end_object();
    w.key("valid").bool(told.iter().all(|one| one.text.is_ok()));
    if explained && !told.is_empty() {
        w.key("explanations").begin_array();
        for one in told {
            w.begin_object().key("index").string(&one.index);
            if all_shards {
                w.key("shard").u64(u64::from(one.shard));
            }
            w.key("valid").bool(one.text.is_ok());
            match &one.text {
                Ok(text) => w.key("explanation").string(text),
                Err(error) => w.key("error").string(&format!("[{}/{}] {}", one.index, one.index_uuid, detailed(error))),
            };
            w.end_object();
        }
        w.end_array();
    }
    w.end_object();
    w
}

fn write_failures(failed: &[&Described], w: &mut Writer) {
    if failed.is_empty() {
        return;
    }
    w.key("failures").begin_array();
    for one in failed {
        let Err(error) = &one.text else { continue };
        write_failure(one.shard, &one.index, None, error, w);
    }
    w.end_array();
}

/// The error and its causes in one line, as the reference writes them.
fn detailed(error: &Error) -> String {
    let mut lucene = is_lucene(error, false);
    let first = lucene;
    let mut text = one(error, lucene);
    let mut innermost = error;
    while let Some(cause) = innermost.cause() {
        lucene = is_lucene(cause, lucene);
        text = format!("{text}; nested: {}", one(cause, lucene));
        innermost = cause;
    }
    // The first cause comes once more, under the full name of its class, or with all of its own where it is the engine's.
    match error.cause() {
        Some(cause) if cause.kind() == ErrorKind::Parse && !is_lucene(cause, first) => {
            format!("{text};; {}", detailed(cause))
        }
        Some(cause) => match package(cause.kind()) {
            "" => format!("{text};; {}", detailed(cause)),
            package => format!("{text};; {package}.{}: {}", class(cause.kind()), cause.reason()),
        },
        None => text,
    }
}

/// Whether the parser of query strings refused something, alone or within what it says: its errors have a class of Lucene's.
fn is_lucene(error: &Error, within: bool) -> bool {
    let begins = ["Cannot parse '", "Encountered ", "Lexical error "];
    error.kind() == ErrorKind::Parse && (within || begins.iter().any(|begin| error.reason().starts_with(begin)))
}

fn one(error: &Error, lucene: bool) -> String {
    let engine = if error.kind() == ErrorKind::Parse && !lucene { "OpenSearch" } else { "" };
    format!("{engine}{}[{}]", class(error.kind()), error.reason())
}

/// The name of the exception's class: its type in camel case.
fn class(kind: ErrorKind) -> String {
    let capitalized = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or(String::new(), |first| format!("{}{}", first.to_ascii_uppercase(), chars.as_str()))
    };
    kind.type_name().split('_').map(capitalized).collect()
}

/// Where the class is from, if it is not one of the engine's.
fn package(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::IllegalArgument
        | ErrorKind::NumberFormat
        | ErrorKind::IllegalState
        | ErrorKind::NullPointer
        | ErrorKind::UnsupportedOperation
        | ErrorKind::ArrayIndexOutOfBounds
        | ErrorKind::ClassCast => "java.lang",
        ErrorKind::QueryValidation => "org.opensearch.index.query",
        ErrorKind::DateTimeParse => "java.time.format",
        ErrorKind::XContentParse | ErrorKind::NamedObjectNotFound => "org.opensearch.core.xcontent",
        ErrorKind::JsonEof | ErrorKind::JsonParse | ErrorKind::StreamRead | ErrorKind::InputCoercion => {
            "org.opensearch.tools.jackson.core"
        }
        ErrorKind::Parse => "org.apache.lucene.queryparser.classic",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_that_grow_too_much_fail_on_the_shard() {
        let of = |index: &str, text| Described { index: index.into(), index_uuid: "u".into(), shard: 0, text };
        let grown = || Err(Error::new(ErrorKind::TooManyClauses, "maxClauseCount is set to 1024"));
        let told = |described: &[Described]| String::from_utf8(answer(described, 0, true, false).finish()).unwrap();
        let failures = r#""failures":[{"shard":0,"index":"a","status":"INTERNAL_SERVER_ERROR","reason":{"type":"too_many_clauses","reason":"maxClauseCount is set to 1024"}}]"#;
        let shards = |total, successful| {
            format!(r#"{{"_shards":{{"total":{total},"successful":{successful},"failed":1,{failures}}}"#)
        };
        assert_eq!(told(&[of("a", grown())]), format!(r#"{},"valid":true}}"#, shards(1, 0)));
        let explained = r#""explanations":[{"index":"b","valid":true,"explanation":"*:*"}]"#;
        let both = [of("a", grown()), of("b", Ok("*:*".to_owned()))];
        assert_eq!(told(&both), format!(r#"{},"valid":true,{explained}}}"#, shards(2, 1)));
    }

    #[test]
    fn errors_in_one_line() {
        let cause = Error::new(ErrorKind::NumberFormat, "For input string: \"x\"");
        let error = Error::new(ErrorKind::QueryShard, "failed to create query: x").caused_by(cause);
        assert_eq!(
            detailed(&error),
            "QueryShardException[failed to create query: x]; nested: NumberFormatException[For input string: \"x\"];; java.lang.NumberFormatException: For input string: \"x\""
        );
        assert_eq!(detailed(&Error::new(ErrorKind::Parsing, "no")), "ParsingException[no]");
        let date = Error::new(ErrorKind::Parse, "no date").caused_by(
            Error::new(ErrorKind::IllegalArgument, "bad").caused_by(Error::new(ErrorKind::DateTimeParse, "x")),
        );
        let all = "OpenSearchParseException[no date]; nested: IllegalArgumentException[bad]; nested: DateTimeParseException[x];";
        assert_eq!(
            detailed(&Error::new(ErrorKind::QueryShard, "failed").caused_by(date)),
            format!("QueryShardException[failed]; nested: {all}; {all}; java.lang.IllegalArgumentException: bad")
        );
        let text = Error::new(ErrorKind::Parse, "Cannot parse 'x': cut").caused_by(Error::new(ErrorKind::Parse, "cut"));
        assert_eq!(
            detailed(&text),
            "ParseException[Cannot parse 'x': cut]; nested: ParseException[cut];; org.apache.lucene.queryparser.classic.ParseException: cut"
        );
    }
}
