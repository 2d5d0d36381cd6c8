//! Scripts by themselves: `_scripts/painless/_execute`.

use super::document::{BODY_PARAMS, token_name};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::clock;
use pith_engine::json::{self, Entry, Value, Writer, line_col};
use pith_engine::script::{Script, execute_test};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

const fn execute_route(method: Method) -> Route {
    Route {
        method,
        path: "/_scripts/painless/_execute",
        name: "scripts_painless_execute",
        params: &[BODY_PARAMS],
        handler: |_, request| Box::pin(execute(request)),
    }
}

pub const ROUTES: &[Route] = &[execute_route(Method::Get), execute_route(Method::Post)];

/// What a request asks to be run.
struct Execute {
    script: Arc<Script>,
    context: String,
    setup: Option<Value>,
}

const PARSER: &str = "painless_execute_request";

fn parse(text: &[u8]) -> Result<Execute> {
    let value = json::parse(text)?;
    let Value::Object(map) = &value else {
        return Err(at(text, 0, &format!("Expected START_OBJECT but was: {}", token_name(&value))));
    };
    let (mut script, mut context, mut setup) = (None, "painless_test".to_owned(), None);
    for Entry { key, value, key_pos, value_pos } in &map.entries {
        match (key.as_str(), value) {
            ("script", Value::Object(_) | Value::String(_)) => {
                let failed = |error| at(text, *value_pos, "failed to parse field [script]").caused_by(error);
                script = Some(Script::parse(value).map_err(failed)?);
            }
            ("context", Value::String(name)) => context = name.clone(),
            ("context_setup", Value::Object(_)) => setup = Some(value.clone()),
            ("script" | "context" | "context_setup", other) => {
                let what = format!("{key} doesn't support values of type: {}", token_name(other));
                return Err(at(text, *value_pos, &what));
            }
            _ => return Err(at(text, *key_pos, &format!("unknown field [{key}]"))),
        }
    }
    let script = script.ok_or_else(|| Error::illegal_argument("Required [script]"))?;
    if !matches!(context.as_str(), "painless_test" | "filter" | "score") {
        let cause = format!("unsupported script context name [{context}]");
        let what = format!("Failed to build [{PARSER}] after last required field arrived");
        return Err(
            Error::new(ErrorKind::XContentParse, what).caused_by(Error::new(ErrorKind::UnsupportedOperation, cause))
        );
    }
    Ok(Execute { script, context, setup })
}

#[cold]
fn at(text: &[u8], pos: u32, what: &str) -> Error {
    let (line, col) = line_col(text, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [{PARSER}] {what}"))
}

async fn execute(request: ApiRequest) -> Result<Reply> {
    let execute = parse(&request.body_opt()?.unwrap_or_default())?;
    if execute.context != "painless_test" {
        let setup = if execute.setup.is_some() { "a document of an index" } else { "no document" };
        return Err(Error::illegal_argument(format!(
            "the context [{}] with {setup} is not supported yet",
            execute.context
        )));
    }
    let result = execute_test(&execute.script, clock::now_ms())?;
    let mut w = Writer::new();
    w.begin_object().key("result").string(&result).end_object();
    Ok(Reply::ok(w))
}
