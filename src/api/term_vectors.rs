//! The terms of documents: `_termvectors` and `_mtermvectors`.

use super::document::{BODY_PARAMS, validation_failed};
use super::mget::told_of;
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::term_vectors::{Vectors, check_together, term_vectors};
use crate::coordinate::{Core, clock};
use pith_engine::java_order::java_order;
use pith_engine::json::{self, Value, Writer};
use pith_engine::query::{Node, Source};
use pith_engine::search::TermVectorsRequest;
use pith_engine::shard::VersionType;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::time::Instant;

const PARAMS: &[&str] = &[
    "offsets",
    "positions",
    "payloads",
    "routing",
    "realtime",
    "version",
    "version_type",
    "preference",
    "term_statistics",
    "termStatistics",
    "field_statistics",
    "fieldStatistics",
    "fields",
];

const fn one(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "term_vectors",
        params: &[PARAMS, BODY_PARAMS],
        handler: |core, request| Box::pin(run_one(core, request)),
    }
}

const fn many(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "multi_term_vectors",
        params: &[PARAMS, BODY_PARAMS, &["ids"]],
        handler: |core, request| Box::pin(run_many(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    one(Method::Get, "/{index}/_termvectors"),
    one(Method::Post, "/{index}/_termvectors"),
    one(Method::Get, "/{index}/_termvectors/{id}"),
    one(Method::Post, "/{index}/_termvectors/{id}"),
    many(Method::Get, "/_mtermvectors"),
    many(Method::Post, "/_mtermvectors"),
    many(Method::Get, "/{index}/_mtermvectors"),
    many(Method::Post, "/{index}/_mtermvectors"),
];

async fn run_one(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let started = Instant::now();
    let mut wanted = of_params(&request)?;
    if let Some(body) = request.body_opt()? {
        let (value, source) = (object(&body)?, Source::new(&body));
        wanted.take_body(Node::root(&value, &source))?;
    }
    // The address counts more than what the body says of it.
    wanted.index = request.param("index").map(str::to_owned);
    validation_failed(&wanted.problems())?;
    let id = wanted.id.clone();
    let found = term_vectors(&core, vec![wanted]).await.pop().unwrap_or_else(|| Err(unanswered()))?;
    let mut w = Writer::new();
    write_found(&found, id.as_deref(), clock::took_ms(started), &mut w);
    Ok(Reply::ok(w))
}

async fn run_many(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let started = Instant::now();
    let wanted = parse_many(&request)?;
    let mut problems = vec![];
    if wanted.is_empty() {
        problems.push("multi term vectors: no documents requested".to_owned());
    }
    for (at, one) in wanted.iter().enumerate() {
        let mut of_one = one.problems();
        if !of_one.is_empty() {
            // The last document with a mistake is told of, and no other.
            of_one.push(format!("at multi term vectors for doc {at}"));
            problems = of_one;
        }
    }
    validation_failed(&problems)?;
    check_together(&core, &wanted)?;
    let names: Vec<(String, Option<String>)> =
        wanted.iter().map(|one| (one.index.clone().unwrap_or_default(), one.id.clone())).collect();
    let results = term_vectors(&core, wanted).await;
    let took_ms = clock::took_ms(started);
    let mut w = Writer::new();
    w.begin_object().key("docs").begin_array();
    for ((index, id), result) in names.iter().zip(results) {
        match result {
            Ok(found) => write_found(&found, id.as_deref(), took_ms, &mut w),
            Err(error) => {
                w.begin_object().key("_index").string(told_of(&error, index)).key("_id");
                match id {
                    Some(id) => w.string(id),
                    None => w.null(),
                };
                w.key("error");
                traced(of_item(error, index), request.common.error_trace).write_with_root_cause(&mut w);
                w.end_object();
            }
        }
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// An index that is missing is not named as a resource where others are asked beside it.
fn of_item(error: Error, index: &str) -> Error {
    match error.kind() {
        ErrorKind::IndexNotFound => {
            Error::new(error.kind(), error.reason()).with("index", index).with("index_uuid", "_na_")
        }
        _ => error,
    }
}

fn write_found(vectors: &Vectors, id: Option<&str>, took_ms: u64, w: &mut Writer) {
    w.begin_object().key("_index").string(&vectors.index.name);
    if let Some(id) = id {
        w.key("_id").string(id);
    }
    let found = &vectors.found;
    w.key("_version").u64(found.version).key("found").bool(found.vectors.is_some()).key("took").u64(took_ms);
    if let Some(bytes) = &found.vectors {
        w.key("term_vectors").raw(bytes);
    }
    w.end_object();
}

/// What the parameters say for all documents.
fn of_params(request: &ApiRequest) -> Result<TermVectorsRequest> {
    let default = TermVectorsRequest::default();
    request.param("version_type").map(VersionType::parse).transpose()?;
    let flag = |names: [&str; 2], default| match request.flag_opt(names[0])? {
        Some(flag) => Ok(flag),
        None => request.flag(names[1], default),
    };
    Ok(TermVectorsRequest {
        index: request.param("index").map(str::to_owned),
        id: request.param("id").map(str::to_owned),
        routing: request.param("routing").map(str::to_owned),
        version: request.long_opt("version")?.and_then(VersionType::sought),
        realtime: request.flag("realtime", true)?,
        fields: request.has("fields").then(|| request.list("fields").into_iter().map(str::to_owned).collect()),
        offsets: request.flag("offsets", true)?,
        positions: request.flag("positions", true)?,
        payloads: request.flag("payloads", true)?,
        term_statistics: flag(["term_statistics", "termStatistics"], false)?,
        field_statistics: flag(["field_statistics", "fieldStatistics"], true)?,
        ..default
    })
}

fn parse_many(request: &ApiRequest) -> Result<Vec<TermVectorsRequest>> {
    let mut template = of_params(request)?;
    let mut ids: Vec<String> = request.list("ids").into_iter().map(str::to_owned).collect();
    let mut wanted = vec![];
    if let Some(body) = request.body_opt()? {
        let (value, source) = (object(&body)?, Source::new(&body));
        for field in Node::root(&value, &source).fields() {
            match (field.key, field.node.value) {
                ("docs", Value::Array(_)) => {
                    for item in field.node.items() {
                        if item.object().is_none() {
                            return Err(Error::illegal_argument("docs array element should include an object"));
                        }
                        let mut one = template.clone();
                        one.take_body(item)?;
                        wanted.push(one);
                    }
                }
                ("ids", Value::Array(items)) => ids.extend(items.iter().map(Value::to_text)),
                ("parameters", Value::Object(_)) => template.take_body(field.node)?,
                (key, Value::Array(_)) => {
                    return Err(Error::new(ErrorKind::Parse, format!("no parameter named [{key}] and type ARRAY")));
                }
                (key, Value::Object(_)) => {
                    return Err(Error::new(ErrorKind::Parse, format!("no parameter named [{key}] and type OBJECT")));
                }
                (key, _) => {
                    let reason = format!("_mtermvectors: Parameter [{key}] not supported");
                    return Err(Error::new(ErrorKind::Parse, reason));
                }
            }
        }
    }
    // They are a set of Java's.
    ids.sort();
    ids.dedup();
    wanted.extend(java_order(ids).into_iter().map(|id| TermVectorsRequest { id: Some(id), ..template.clone() }));
    Ok(wanted)
}

/// The body, which has to be an object.
fn object(body: &[u8]) -> Result<Value> {
    match json::parse(body)? {
        object @ Value::Object(_) => Ok(object),
        _ => Err(Error::new(ErrorKind::Parse, "failed to parse term vectors request. an object is expected")),
    }
}

#[cold]
fn unanswered() -> Error {
    Error::new(ErrorKind::IllegalState, "the document was not looked for")
}
