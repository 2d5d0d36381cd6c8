//! Reading many documents: `_mget`.

use super::body::{PARSE_BYTES_MAX, WRITE_BYTES_MAX};
use super::document::{BODY_PARAMS, SOURCE_PARAMS, SourceChoice, validation_failed};
use super::get_document::{Shown, read_options, write_document};
use super::search::offload_noting;
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::read::{Read, ReadItem, check_copies, read};
use crate::coordinate::search::Preference;
use pith_engine::json::{self, Entry, Map, Select, Value, Writer, line_col};
use pith_engine::query::{Node, Source};
use pith_engine::shard::VersionType;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;

const PARAMS: &[&str] = &["routing", "preference", "realtime", "refresh", "stored_fields", "fields?"];

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "mget",
        params: &[PARAMS, SOURCE_PARAMS, BODY_PARAMS],
        handler: |core, request| rt::boxed(|| mget(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_mget"),
    route(Method::Post, "/_mget"),
    route(Method::Get, "/{index}/_mget"),
    route(Method::Post, "/{index}/_mget"),
];

/// One document that is asked for, before it is known to be complete.
struct Wanted {
    index: Option<String>,
    id: Option<String>,
    routing: Option<String>,
    version: Option<u64>,
    shown: Shown,
}

async fn mget(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let options = read_options(&request)?;
    if request.has("fields") {
        return Err(Error::illegal_argument(
            "The parameter [fields] is no longer supported, please use [stored_fields] to retrieve stored fields or \
             _source filtering if the field is not stored",
        ));
    }
    SourceChoice::from_params(&request)?;
    let long = request.body.len() > PARSE_BYTES_MAX;
    let (request, asked) = match long {
        true => {
            offload_noting(move || {
                let asked = ask(&request);
                (request, asked)
            })
            .await
        }
        false => {
            let asked = ask(&request);
            (request, asked)
        }
    };
    let (items, shown) = asked?;
    let mut results = read(&core, &items, options).await;
    let preference = Preference::new(request.param("preference"));
    for (item, result) in items.iter().zip(&mut results) {
        if item.id.is_empty() {
            *result = Err(Error::illegal_argument("Ids can't be empty"));
        }
        if preference.is_particular() {
            if let Err(error) = check_copies(&core, "get", item, preference) {
                *result = Err(error);
            }
            rt::yield_if_needed().await;
        }
    }
    let source_bytes = |result: &Result<Read>| {
        let document = result.as_ref().ok().and_then(|read| read.document.as_ref());
        document.and_then(|document| document.source.as_ref()).map_or(0, |source| source.len())
    };
    let error_trace = request.common.error_trace;
    match long || results.iter().map(source_bytes).sum::<usize>() > WRITE_BYTES_MAX {
        true => rt::offload(move || write(&items, &shown, &results, error_trace)).await,
        false => write(&items, &shown, &results, error_trace),
    }
}

/// What the request asks for, and what is to be shown of each.
fn ask(request: &ApiRequest) -> Result<(Vec<ReadItem>, Vec<Shown>)> {
    let wanted = parse(request)?;
    request.check_known()?;
    let mut problems = vec![];
    if wanted.is_empty() {
        problems.push("no documents to get".into());
    }
    for (i, one) in wanted.iter().enumerate() {
        if one.index.is_none() {
            problems.push(format!("index is missing for doc {i}"));
        }
        if one.id.is_none() {
            problems.push(format!("id is missing for doc {i}"));
        }
    }
    validation_failed(&problems)?;
    let item = |one: Wanted| {
        let (index, id) = (one.index.unwrap_or_default(), one.id.unwrap_or_default());
        (ReadItem { index, id, routing: one.routing, version: one.version }, one.shown)
    };
    Ok(wanted.into_iter().map(item).unzip())
}

fn write(items: &[ReadItem], shown: &[Shown], results: &[Result<Read>], error_trace: bool) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().key("docs").begin_array();
    for ((item, shown), result) in items.iter().zip(shown).zip(results) {
        match result.as_ref().map_err(Clone::clone).and_then(|found| object(found, &item.id, shown)) {
            Ok(document) => drop(w.raw(&document)),
            Err(error) => {
                // What was read is known by its own name.
                let asked = result.as_ref().map_or(&*item.index, |found| &found.index.name);
                w.begin_object().key("_index").string(told_of(&error, asked)).key("_id").string(&item.id).key("error");
                traced(error, error_trace).write_with_root_cause(&mut w);
                w.end_object();
            }
        }
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// The index that an item tells where it fails: by its own name, once that is known.
pub fn told_of<'a>(error: &'a Error, asked: &'a str) -> &'a str {
    let known = error.field("index").and_then(Value::as_str);
    let of_known = matches!(error.kind(), ErrorKind::RoutingMissing | ErrorKind::VersionConflict);
    known.filter(|_| of_known).unwrap_or(asked)
}

/// One document's object. Written aside, because a field that cannot be shown makes an error of the whole document.
fn object(found: &Read, id: &str, shown: &Shown) -> Result<Vec<u8>> {
    let mut w = Writer::new();
    w.begin_object();
    write_document(&mut w, found, id, shown)?;
    w.end_object();
    Ok(w.finish())
}

fn parse(request: &ApiRequest) -> Result<Vec<Wanted>> {
    let body = request.body_or_source()?;
    let (value, _) = json::parse_prefix(&body)?;
    let Value::Object(map) = &value else {
        let token = value.token();
        return Err(parsing(&body, 0, format!("unexpected token [{token}], expected [START_OBJECT]")));
    };
    let mut wanted = vec![];
    for entry in &map.entries {
        let Value::Array(items) = &entry.value else {
            let token = entry.value.token();
            let what = format!("unexpected token [{token}], expected [FIELD_NAME] or [START_ARRAY]");
            return Err(parsing(&body, entry.value_pos, what));
        };
        match entry.key.as_str() {
            "docs" => {
                for item in items {
                    let Value::Object(fields) = item else {
                        return Err(Error::illegal_argument("docs array element should include an object"));
                    };
                    wanted.push(one_of_docs(request, &body, fields)?);
                }
            }
            "ids" => {
                for item in items {
                    if matches!(item, Value::Null | Value::Object(_) | Value::Array(_)) {
                        return Err(Error::illegal_argument("ids array element should only contain ids"));
                    }
                    let mut one = defaults(request)?;
                    one.id = Some(item.to_text());
                    wanted.push(one);
                }
            }
            other => {
                let what = format!("unknown key [{other}] for a START_ARRAY, expected [docs] or [ids]");
                return Err(parsing(&body, entry.value_pos, what));
            }
        }
    }
    Ok(wanted)
}

/// What the request's parameters say for documents that do not say it themselves.
fn defaults(request: &ApiRequest) -> Result<Wanted> {
    Ok(Wanted {
        index: request.param("index").map(str::to_owned),
        id: None,
        routing: request.param("routing").map(str::to_owned),
        version: None,
        shown: Shown::new(SourceChoice::from_params(request)?, stored_of(request)),
    })
}

fn stored_of(request: &ApiRequest) -> Option<Vec<String>> {
    request.param("stored_fields").map(|text| super::params::parts(text).map(str::to_owned).collect())
}

fn one_of_docs(request: &ApiRequest, body: &[u8], fields: &Map) -> Result<Wanted> {
    let mut one = defaults(request)?;
    let (mut source, mut stored) = (None, None);
    let source_text = Source::new(body);
    for entry in &fields.entries {
        let value = &entry.value;
        match entry.key.as_str() {
            key if value.as_object().is_some() && key != "_source" => {
                return Err(Error::illegal_argument("docs array element should include an object"));
            }
            // Nothing is said by it.
            _ if value.is_null() => {}
            "_index" => one.index = Some(value.to_text()),
            "_id" => one.id = Some(value.to_text()),
            "routing" => one.routing = Some(value.to_text()),
            "stored_fields" => stored = Some(texts(Node::of_entry(entry, &source_text))?),
            "fields" => {
                let what = "Unsupported field [fields] used, expected [stored_fields] instead".to_owned();
                return Err(parsing(body, entry.value_pos, what));
            }
            "version" => one.version = version(entry)?,
            "version_type" => drop(VersionType::parse(&value.to_text())?),
            "_source" => source = Some(source_of(Node::of_entry(entry, &source_text))?),
            other => {
                let what = format!("failed to parse multi get request. unknown field [{other}]");
                return Err(Error::new(ErrorKind::Parse, what));
            }
        }
    }
    if source.is_some() || stored.is_some() {
        // What one of the two does not say stays as the request has it.
        let source = source.map_or_else(|| SourceChoice::from_params(request), |source| Ok(Some(source)))?;
        one.shown = Shown::new(source, stored.or_else(|| stored_of(request)));
    }
    Ok(one)
}

/// `_source` as this call reads it: flags may be texts, and a pattern is any single value.
fn source_of(node: Node) -> Result<SourceChoice> {
    let some = |includes, excludes| {
        let select = Select { includes, excludes }.checked()?;
        Ok(SourceChoice { fetch: true, select })
    };
    match node.value {
        Value::Bool(false) => Ok(SourceChoice::NONE),
        Value::Bool(true) => Ok(SourceChoice::ALL),
        Value::String(text) if text == "false" => Ok(SourceChoice::NONE),
        Value::String(text) if text == "true" => Ok(SourceChoice::ALL),
        Value::String(_) | Value::Array(_) => some(texts(node)?, vec![]),
        Value::Object(map) => {
            let (mut includes, mut excludes) = (vec![], vec![]);
            for (entry, field) in map.entries.iter().zip(node.fields()) {
                let list = match field.key {
                    "includes" | "include" => &mut includes,
                    "excludes" | "exclude" => &mut excludes,
                    _ => return Err(no_text(node, entry.key_pos, "FIELD_NAME")),
                };
                if matches!(field.node.value, Value::Null | Value::Object(_)) {
                    return Err(Error::new(ErrorKind::Parse, "unexpected token while parsing source settings"));
                }
                list.extend(texts(field.node)?);
            }
            some(includes, excludes)
        }
        other => Err(Error::new(ErrorKind::Parse, format!("illegal type for _source: [{}]", other.token()))),
    }
}

fn texts(node: Node) -> Result<Vec<String>> {
    let text = |item: Node| match item.value {
        Value::Null | Value::Array(_) | Value::Object(_) => Err(no_text(item, item.pos(), item.token())),
        value => Ok(value.to_text()),
    };
    node.items_or_self().into_iter().map(text).collect()
}

/// What is said where something else stands than a single value.
fn no_text(node: Node, pos: u32, token: &str) -> Error {
    let (line, col) = line_col(node.body(), pos);
    Error::new(ErrorKind::IllegalState, format!("Can't get text on a {token} at {line}:{col}"))
}

fn version(entry: &Entry) -> Result<Option<u64>> {
    let text = entry.value.to_text();
    let number: i64 = text.parse().map_err(|_| Error::illegal_argument(format!("For input string: \"{text}\"")))?;
    Ok(u64::try_from(number).ok())
}

#[cold]
fn parsing(body: &[u8], pos: u32, what: String) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::Parsing, what).with("line", i64::from(line)).with("col", i64::from(col))
}
