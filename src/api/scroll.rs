//! The further pages of a scroll, and its end: `_search/scroll`.

use super::document::validation_failed;
use super::{ApiRequest, Method, Reply, Route, params};
use crate::coordinate::Core;
use crate::coordinate::search::{free_scrolls, scroll};
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, Result};
use std::rc::Rc;
use std::time::Duration;

const fn page(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "scroll",
        params: &[&["scroll", "scroll_id", "rest_total_hits_as_int"], super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(run(core, request)),
    }
}

const fn clear(path: &'static str) -> Route {
    Route {
        method: Method::Delete,
        path,
        name: "clear_scroll",
        params: &[&["scroll_id"], super::document::BODY_PARAMS],
        handler: |core, request| Box::pin(run_clear(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    page(Method::Get, "/_search/scroll"),
    page(Method::Post, "/_search/scroll"),
    page(Method::Get, "/_search/scroll/{scroll_id}"),
    page(Method::Post, "/_search/scroll/{scroll_id}"),
    clear("/_search/scroll"),
    clear("/_search/scroll/{scroll_id}"),
];

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut id = request.param("scroll_id").map(str::to_owned);
    let mut keep_alive = keep_alive(&request, "scroll")?;
    // What the body says counts more.
    if let Some(body) = request.body_opt()? {
        let body = parsed(&body)?;
        for (key, value) in object(&body)?.iter() {
            match (key, value) {
                ("scroll_id", Value::String(text)) => id = Some(text.clone()),
                ("scroll", Value::String(text)) => keep_alive = Some(duration("scroll", text)?),
                (key, value) => return Err(unknown(key, value)),
            }
        }
    }
    let Some(id) = id else {
        validation_failed(&["scrollId is missing".to_owned()])?;
        return Err(Error::illegal_argument("scrollId is missing"));
    };
    // It says how the page is written: what is wrong with the scroll counts first.
    let as_int = request.flag("rest_total_hits_as_int", false);
    let page = scroll(&core, &id, keep_alive, *as_int.as_ref().unwrap_or(&false)).await?;
    as_int?;
    Ok(Reply::json(200, page))
}

async fn run_clear(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut ids: Vec<String> = request.list("scroll_id").into_iter().map(str::to_owned).collect();
    if let Some(body) = request.body_opt()? {
        ids = ids_of_body(&body, "scroll_id")?;
    }
    if ids.is_empty() {
        validation_failed(&["no scroll ids specified".to_owned()])?;
    }
    let all = ids.iter().any(|id| id == "_all");
    let freed = free_scrolls(&core, if all { None } else { Some(&ids) }).await?;
    let mut w = Writer::new();
    w.begin_object().key("succeeded").bool(true).key("num_freed").u64(freed as u64).end_object();
    // A single scroll that is not there is not found.
    Ok(Reply::json(if freed > 0 || all { 200 } else { 404 }, w.finish()))
}

fn parsed(body: &[u8]) -> Result<Value> {
    pith_engine::json::parse(body)
        .map_err(|error| Error::illegal_argument("Failed to parse request body").caused_by(error))
}

/// The ids of a body: one, or a list.
pub fn ids_of_body(body: &[u8], name: &str) -> Result<Vec<String>> {
    let mut ids = vec![];
    for (key, value) in object(&parsed(body)?)?.iter() {
        match value {
            Value::Array(items) if key == name => {
                for item in items {
                    match item {
                        Value::Array(_) | Value::Object(_) | Value::Null => {
                            return Err(Error::illegal_argument(format!(
                                "{name} array element should only contain {name}"
                            )));
                        }
                        id => ids.push(id.to_text()),
                    }
                }
            }
            Value::Object(_) | Value::Null if key == name => {
                return Err(Error::illegal_argument(format!("{name} element should only contain {name}")));
            }
            id if key == name => ids.push(id.to_text()),
            _ => return Err(unknown(key, value)),
        }
    }
    Ok(ids)
}

fn object(value: &Value) -> Result<&pith_engine::json::Map> {
    value.as_object().ok_or_else(|| Error::illegal_argument("Malformed content, must start with an object"))
}

fn unknown(key: &str, value: &Value) -> Error {
    let token = value.token();
    Error::illegal_argument(format!(
        "Unknown parameter [{key}] in request body or parameter is of the wrong type[{token}] "
    ))
}

/// How long a context is wanted, if the request says.
pub fn keep_alive(request: &ApiRequest, name: &str) -> Result<Option<Duration>> {
    request.param(name).map(|text| duration(name, text)).transpose()
}

fn duration(name: &str, text: &str) -> Result<Duration> {
    Ok(Duration::from_millis(u64::try_from(params::time_ms(name, text)?).unwrap_or(0)))
}
