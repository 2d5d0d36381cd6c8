//! Scripts by themselves: `_scripts/painless/_execute`, and what they can name: `_scripts/painless/_context`.

use super::document::BODY_PARAMS;
use super::{ApiRequest, Method, Reply, Route, script_contexts};
use crate::cluster::single_not_found;
use crate::coordinate::{Core, clock};
use pith_engine::error::validation_text;
use pith_engine::json::{self, Entry, Map, Value, Writer, line_col};
use pith_engine::query::{Node, Source, script_of};
use pith_engine::script::{Listing, Script, Setup, execute_filter, execute_score, execute_test};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

const fn execute_route(method: Method) -> Route {
    Route {
        method,
        path: "/_scripts/painless/_execute",
        name: "scripts_painless_execute",
        params: &[BODY_PARAMS],
        handler: |core, request| Box::pin(execute(core, request)),
    }
}

const CONTEXT: Route = Route {
    method: Method::Get,
    path: "/_scripts/painless/_context",
    name: "scripts_painless_context",
    params: &[&["context"]],
    handler: |_, request| Box::pin(context(request)),
};

pub const ROUTES: &[Route] = &[execute_route(Method::Get), execute_route(Method::Post), CONTEXT];

/// The places of scripts, or what scripts of one of them can name.
async fn context(request: ApiRequest) -> Result<Reply> {
    let mut w = Writer::new();
    let Some(name) = request.param("context") else {
        w.begin_object().key("contexts").begin_array();
        for name in script_contexts::names() {
            w.string(name);
        }
        w.end_array().end_object();
        return Ok(Reply::ok(w));
    };
    let unknown = || Error::illegal_argument(format!("script context [{name}] not found"));
    let known = script_contexts::names().find(|known| *known == name).ok_or_else(unknown)?;
    let mut listing = Listing::begin(known, &mut w);
    while listing.step(&mut w) {
        rt::yield_now().await;
    }
    Ok(Reply::ok(w))
}

/// What a request asks to be run.
struct Execute {
    script: Arc<Script>,
    context: String,
    setup: Option<ContextSetup>,
}

/// The document that a script is run for, where its context has one.
#[derive(Default)]
struct ContextSetup {
    index: Option<String>,
    document: Option<Value>,
    query: Option<Value>,
}

const PARSER: &str = "painless_execute_request";

fn parse(text: &[u8]) -> Result<Execute> {
    let value = json::parse(text)?;
    let Value::Object(map) = &value else {
        return Err(at(text, 0, &format!("Expected START_OBJECT but was: {}", value.token())));
    };
    let (mut script, mut context, mut setup) = (None, "painless_test".to_owned(), None);
    for Entry { key, value, key_pos, value_pos } in &map.entries {
        match (key.as_str(), value) {
            ("script", Value::Object(_)) => {
                let failed = |error: Error| {
                    let place = error.place().unwrap_or(*value_pos);
                    at(text, place, "failed to parse field [script]").caused_by(error)
                };
                script = Some(script_of(Node::at(value, *value_pos, &Source::new(text))).map_err(failed)?);
            }
            ("context", Value::String(name)) => context = name.clone(),
            ("context_setup", Value::Object(map)) => {
                let failed = |error: Error| {
                    let place = error.place().unwrap_or(*value_pos);
                    at(text, place, "failed to parse field [context_setup]").caused_by(error)
                };
                setup = Some(parse_setup(map, text).map_err(failed)?);
            }
            ("script" | "context" | "context_setup", other) => {
                let what = format!("{key} doesn't support values of type: {}", other.token());
                return Err(at(text, *value_pos, &what));
            }
            _ => return Err(at(text, *key_pos, &format!("unknown field [{key}]"))),
        }
        // Once all fields are there the request is made, and what is wrong with it is a mistake of the last.
        if script.is_some()
            && setup.is_some()
            && map.entries.iter().any(|entry| entry.key == "context" && entry.key_pos <= *key_pos)
        {
            let place = Script::refused_at(text, *value_pos, &Error::illegal_argument(""));
            let failed = |error| at(text, place, &format!("failed to parse field [{key}]")).caused_by(error);
            check_context(&context).map_err(failed)?;
        }
    }
    let script = script.ok_or_else(|| Error::illegal_argument("Required [script]"))?;
    check_context(&context)?;
    Ok(Execute { script, context, setup })
}

fn check_context(name: &str) -> Result<()> {
    if matches!(name, "painless_test" | "filter" | "score") {
        return Ok(());
    }
    let cause = Error::new(ErrorKind::UnsupportedOperation, format!("unsupported script context name [{name}]"));
    let what = format!("Failed to build [{PARSER}] after last required field arrived");
    Err(Error::new(ErrorKind::XContentParse, what).caused_by(cause))
}

fn parse_setup(map: &Map, text: &[u8]) -> Result<ContextSetup> {
    const PARSER: &str = "execute_script_context";
    let mut setup = ContextSetup::default();
    for Entry { key, value, key_pos, value_pos } in &map.entries {
        let wrong = |pos: u32, what: &str| {
            let (line, col) = line_col(text, pos);
            Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{PARSER}] {what}"))
        };
        match (key.as_str(), value) {
            ("index", Value::String(name)) => setup.index = Some(name.clone()),
            ("document", Value::Object(_)) => setup.document = Some(value.clone()),
            ("query", Value::Object(_)) => setup.query = Some(value.clone()),
            ("index" | "document" | "query", other) => {
                let what = format!("{key} doesn't support values of type: {}", other.token());
                return Err(wrong(*value_pos, &what).at(*value_pos));
            }
            _ => return Err(wrong(*key_pos, &format!("unknown field [{key}]")).at(*value_pos)),
        }
    }
    Ok(setup)
}

#[cold]
fn at(text: &[u8], pos: u32, what: &str) -> Error {
    let (line, col) = line_col(text, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{PARSER}] {what}"))
}

/// What is wrong with a request, all of it at once.
fn check(execute: &Execute) -> Result<()> {
    let setup = execute.setup.as_ref();
    let lacks_index = setup.is_none_or(|setup| setup.index.is_none());
    let lacks_document = setup.is_none_or(|setup| setup.document.is_none());
    let of_document = execute.context != "painless_test";
    let wrong: Vec<&str> = [
        (execute.script.is_stored(), "only inline scripts are supported"),
        (of_document && lacks_index, "index is a required parameter for current context"),
        (of_document && lacks_document, "document is a required parameter for current context"),
    ]
    .iter()
    .filter(|(is_wrong, _)| *is_wrong)
    .map(|(_, what)| *what)
    .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::ActionRequestValidation, validation_text(wrong)))
}

async fn execute(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let execute = parse(&request.body_or_source()?)?;
    check(&execute)?;
    let now_ms = clock::now_ms();
    let mut w = Writer::new();
    w.begin_object().key("result");
    if execute.context == "painless_test" {
        // An index that is named has to be there, though nothing is asked of it.
        if let Some(index) = execute.setup.as_ref().and_then(|setup| setup.index.as_deref()) {
            core.state().index(index).ok_or_else(|| single_not_found(index))?;
        }
        w.string(&execute_test(&execute.script, now_ms)?);
    } else {
        let given = execute.setup.unwrap_or_default();
        let (index, document) = (given.index.unwrap_or_default(), given.document.unwrap_or(Value::Null));
        let state = core.state();
        let meta = state.index(&index).ok_or_else(|| single_not_found(&index))?;
        let setup = Setup {
            index: &index,
            index_uuid: &meta.uuid,
            mapping: &meta.mapping,
            document: &document,
            query: given.query.as_ref(),
        };
        if execute.context == "filter" {
            w.bool(execute_filter(&execute.script, &setup, now_ms)?);
        } else {
            w.f64(execute_score(&execute.script, &setup, now_ms)?);
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}
