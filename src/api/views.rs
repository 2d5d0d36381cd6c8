//! `/views`: names for searches over patterns of indexes, made, shown, changed, deleted and searched.

use super::document::validation_failed;
use super::indices::expected_object;
use super::search::{SEARCH_ALL_PARAMS, run};
use super::targets::submit;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::views::{find, to_value};
use crate::cluster::{Change, View, ViewChange};
use crate::coordinate::{Core, clock};
use pith_engine::json::{Entry, Value, Writer, line_col};
use pith_engine::query::declared::check_given;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn route(method: Method, path: &'static str, name: &'static str, handler: super::Handler) -> Route {
    Route { method, path, name, params: &[], handler }
}

const fn search_route(method: Method) -> Route {
    Route {
        method,
        path: "/views/{view_name}/_search",
        name: "views:data/read/search",
        params: SEARCH_ALL_PARAMS,
        handler: |core, request| Box::pin(search(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/views", "views:data/read/list", |core, _| Box::pin(list(core))),
    route(Method::Post, "/views", "cluster:admin/views/create", |core, request| Box::pin(create(core, request))),
    route(Method::Get, "/views/{view_name}", "views:data/read/get", |core, request| Box::pin(get(core, request))),
    route(Method::Put, "/views/{view_name}", "cluster:admin/views/update", |core, request| {
        Box::pin(update(core, request))
    }),
    route(Method::Delete, "/views/{view_name}", "cluster:admin/views/delete", |core, request| {
        Box::pin(delete(core, request))
    }),
    search_route(Method::Get),
    search_route(Method::Post),
];

/// Names, and patterns of indexes, are shorter.
const NAME_CHARS: usize = 64;
const DESCRIPTION_CHARS: usize = 256;
const TARGETS_MAX: usize = 25;

async fn list(core: Rc<Core>) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().key("views").begin_array();
    for name in core.state().views.keys() {
        w.string(name);
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

fn shown(core: &Core, name: &str) -> Result<Reply> {
    let state = core.state();
    let mut w = Writer::new();
    w.begin_object().key("view").value(&to_value(find(&state.views, name)?)).end_object();
    Ok(Reply::ok(w))
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    shown(&core, request.path_param("view_name"))
}

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let view = parse(&request, None)?;
    let name = view.name.clone();
    submit(&core, &request, Change::View(Box::new(ViewChange::Create(view)))).await?;
    shown(&core, &name)
}

async fn update(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let name = request.path_param("view_name").to_owned();
    let view = parse(&request, Some(&name))?;
    submit(&core, &request, Change::View(Box::new(ViewChange::Update(view)))).await?;
    shown(&core, &name)
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let change = ViewChange::Delete { name: request.path_param("view_name").to_owned() };
    Ok(Reply::acknowledged(submit(&core, &request, Change::View(Box::new(change))).await?.is_done()))
}

/// A search of what the view stands for, whatever indexes the request names itself.
async fn search(core: Rc<Core>, mut request: ApiRequest) -> Result<Reply> {
    let targets = {
        let state = core.state();
        find(&state.views, request.path_param("view_name"))?.targets.join(",")
    };
    request.set_param("index", targets);
    run(core, request).await
}

const PARSER: &str = "create_view_request";

/// Reads a view. One that is changed has its name in the path.
fn parse(request: &ApiRequest, name: Option<&str>) -> Result<View> {
    let text = request.required_body()?;
    let body = request.json_declared(|path| match path {
        ["targets", _] => Some("target"),
        [_] => Some(PARSER),
        _ => None,
    })?;
    let map = body.as_object().ok_or_else(|| expected_object(PARSER, &body))?;
    let mut given_name = name.map(str::to_owned);
    let (mut description, mut targets) = (String::new(), None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "name" if name.is_none() => given_name = Some(words(PARSER, entry, text)?),
            "description" => description = words(PARSER, entry, text)?,
            "targets" => targets = Some(parse_targets(entry, text)?),
            other => return Err(at(text, entry.key_pos, &format!("[{PARSER}] unknown field [{other}]"))),
        }
    }
    check_given(&[("name", given_name.is_none()), ("targets", targets.is_none())])?;
    let (name, targets) = (given_name.unwrap_or_default(), targets.unwrap_or_default());
    validation_failed(&problems(&name, &description, &targets))?;
    let now_ms = clock::now_ms();
    Ok(View { name, description, created_at_ms: now_ms, modified_at_ms: now_ms, targets })
}

fn problems(name: &str, description: &str, targets: &[String]) -> Vec<String> {
    let mut problems = vec![];
    let mut refuse = |wrong: bool, problem: &str| {
        if wrong {
            problems.push(problem.to_owned());
        }
    };
    let is_long = |text: &str, most: usize| text.encode_utf16().count() > most;
    refuse(name.is_empty(), "name cannot be empty or null");
    refuse(is_long(name, NAME_CHARS), "name must be less than 64 characters in length");
    refuse(is_long(description, DESCRIPTION_CHARS), "description must be less than 256 characters in length");
    refuse(targets.is_empty(), "targets cannot be empty");
    refuse(targets.len() > TARGETS_MAX, "view cannot have more than 25 targets");
    for target in targets {
        refuse(target.is_empty(), "index pattern cannot be empty or null");
        refuse(is_long(target, NAME_CHARS), "target index pattern must be less than 64 characters in length");
    }
    problems
}

fn parse_targets(entry: &Entry, text: &[u8]) -> Result<Vec<String>> {
    let failed = |pos: u32, cause: Error, rooted: bool| {
        let error = at(text, pos, &format!("[{PARSER}] failed to parse field [targets]"));
        let error = if rooted { error.with_root_causes(vec![cause.clone()]) } else { error };
        error.caused_by(cause)
    };
    // One target may stand without a list around it.
    let alone = std::slice::from_ref(&entry.value);
    let list = entry.value.as_array().unwrap_or(alone);
    let mut targets = vec![];
    for target in list {
        let Value::Object(map) = target else {
            let reason = format!("[target] Expected START_OBJECT but was: {}", target.token());
            let cause = at(text, entry.value_pos, &reason);
            return Err(failed(entry.value_pos, cause, true));
        };
        let mut pattern = None;
        for field in &map.entries {
            if field.key == "indexPattern" {
                pattern = Some(words("target", field, text).map_err(|cause| failed(field.value_pos, cause, true))?);
                continue;
            }
            let hint = pith_engine::did_you_mean::suffix(&field.key, ["indexPattern"]);
            let cause = at(text, field.key_pos, &format!("[target] unknown field [{}]{hint}", field.key));
            return Err(failed(field.value_pos, cause, true));
        }
        let missing = || failed(entry.value_pos, Error::illegal_argument("Required [indexPattern]"), false);
        targets.push(pattern.ok_or_else(missing)?);
    }
    Ok(targets)
}

fn words(object: &str, entry: &Entry, text: &[u8]) -> Result<String> {
    let wrong = || {
        let reason = format!("[{object}] {} doesn't support values of type: {}", entry.key, entry.value.token());
        at(text, entry.value_pos, &reason)
    };
    entry.value.as_str().map(str::to_owned).ok_or_else(wrong)
}

#[cold]
fn at(text: &[u8], pos: u32, what: &str) -> Error {
    let (line, col) = line_col(text, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] {what}"))
}
