//! The terms of documents: `_termvectors` and `_mtermvectors`.

use super::document::{BODY_PARAMS, validation_failed};
use super::mget::told_of;
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::term_vectors::{Vectors, check_together, give_id, term_vectors};
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
    let mut wanted = TermVectorsRequest { id: request.param("id").map(str::to_owned), ..Default::default() };
    if let Some(body) = request.body_opt()? {
        let (value, source) = (object(&body)?, Source::new(&body));
        wanted.take_body(Node::root(&value, &source))?;
    }
    take_params(&request, &mut wanted)?;
    request.check_known()?;
    // The address counts more than what the body says of it.
    wanted.index = request.param("index").map(str::to_owned);
    validation_failed(&wanted.problems())?;
    give_id(&mut wanted);
    let id = wanted.id.clone();
    let found = term_vectors(&core, vec![wanted]).await.pop().unwrap_or_else(|| Err(unanswered()))?;
    let mut w = Writer::new();
    write_found(&found, id.as_deref(), clock::took_ms(started), &mut w);
    Ok(Reply::ok(w))
}

async fn run_many(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let started = Instant::now();
    let mut wanted = parse_many(&request)?;
    wanted.iter_mut().for_each(give_id);
    request.check_known()?;
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
    let name = |one: &TermVectorsRequest| (one.index.clone().unwrap_or_default(), one.id.clone(), one.made_id.clone());
    let names: Vec<_> = wanted.iter().map(name).collect();
    let results = term_vectors(&core, wanted).await;
    let took_ms = clock::took_ms(started);
    let mut w = Writer::new();
    w.begin_object().key("docs").begin_array();
    for ((index, id, made_id), result) in names.iter().zip(results) {
        match result {
            Ok(found) => write_found(&found, id.as_deref(), took_ms, &mut w),
            Err(error) => {
                w.begin_object().key("_index").string(told_of(&error, index)).key("_id");
                match id.as_ref().or(made_id.as_ref()) {
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

/// Takes what the parameters say; it goes before what was said until then.
fn take_params(request: &ApiRequest, wanted: &mut TermVectorsRequest) -> Result<()> {
    if request.has("fields") {
        // They are a set together with those of the body.
        let named =
            request.list("fields").into_iter().map(|name| name.chars().filter(|c| !c.is_whitespace()).collect());
        let mut fields = wanted.fields.take().unwrap_or_default();
        fields.extend(named);
        wanted.fields = Some(fields);
    }
    for (name, flag) in [
        ("offsets", &mut wanted.offsets),
        ("positions", &mut wanted.positions),
        ("payloads", &mut wanted.payloads),
        ("realtime", &mut wanted.realtime),
    ] {
        *flag = request.flag(name, *flag)?;
    }
    // Without one, what a body said of it counts for nothing.
    wanted.routing = request.param("routing").map(str::to_owned);
    if let Some(version) = request.long_opt("version")? {
        wanted.version = VersionType::sought(version);
    }
    request.param("version_type").map(VersionType::parse).transpose()?;
    for name in ["termStatistics", "term_statistics"] {
        wanted.term_statistics = request.flag(name, wanted.term_statistics)?;
    }
    for name in ["fieldStatistics", "field_statistics"] {
        wanted.field_statistics = request.flag(name, wanted.field_statistics)?;
    }
    Ok(())
}

fn parse_many(request: &ApiRequest) -> Result<Vec<TermVectorsRequest>> {
    let mut template =
        TermVectorsRequest { index: request.param("index").map(str::to_owned), ..TermVectorsRequest::default() };
    take_params(request, &mut template)?;
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
                ("ids", Value::Array(items)) => {
                    if items.iter().any(|item| matches!(item, Value::Null | Value::Array(_) | Value::Object(_))) {
                        return Err(Error::illegal_argument("ids array element should only contain ids"));
                    }
                    ids.extend(items.iter().map(Value::to_text));
                }
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
