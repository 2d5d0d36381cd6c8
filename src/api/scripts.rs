//! Stored scripts and search templates: `_scripts/{id}`.

use super::document::validation_failed;
use super::targets::{MANAGER_ALONE, TIMEOUTS, submit};
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{Change, StoredScript};
use crate::coordinate::Core;
use pith_engine::deprecated::note;
use pith_engine::json::{Map, Value, Writer, java_text, line_col};
use pith_engine::query::declared::{Declared, OBJECT, STRING};
use pith_engine::query::{Node, Source};
use pith_engine::script::{Script, context};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;

const fn put_route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "put_script",
        params: &[TIMEOUTS, &["context"]],
        handler: |core, request| Box::pin(put(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    put_route(Method::Put, "/_scripts/{id}"),
    put_route(Method::Post, "/_scripts/{id}"),
    put_route(Method::Put, "/_scripts/{id}/{context}"),
    put_route(Method::Post, "/_scripts/{id}/{context}"),
    Route {
        method: Method::Get,
        path: "/_script_language",
        name: "get_script_languages",
        params: &[],
        handler: |_, _| Box::pin(async { Ok(languages()) }),
    },
    Route {
        method: Method::Get,
        path: "/_scripts/{id}",
        name: "get_script",
        params: &[MANAGER_ALONE],
        handler: |core, request| Box::pin(get(core, request)),
    },
    Route {
        method: Method::Delete,
        path: "/_scripts/{id}",
        name: "delete_script",
        params: &[TIMEOUTS],
        handler: |core, request| Box::pin(delete(core, request)),
    },
];

/// Languages that scripts may be stored in.
const LANGUAGES: &[&str] = &["painless", "expression", "mustache"];
/// The option that says what a template given as an object was.
const CONTENT_TYPE: &str = "application/json; charset=UTF-8";

/// The places that scripts of each language may stand in.
const CONTEXTS: &[(&str, &[&str])] = &[
    (
        "expression",
        &["aggregation_selector", "aggs", "bucket_aggregation", "field", "filter", "number_sort", "score", "terms_set"],
    ),
    ("mustache", &["template"]),
    (
        "painless",
        &[
            "aggregation_selector",
            "aggs",
            "aggs_combine",
            "aggs_init",
            "aggs_map",
            "aggs_reduce",
            "analysis",
            "bucket_aggregation",
            "context_aware_grouping",
            "derived_field",
            "field",
            "filter",
            "ingest",
            "interval",
            "moving-function",
            "number_sort",
            "painless_test",
            "processor_conditional",
            "score",
            "script_heuristic",
            "search",
            "similarity",
            "similarity_weight",
            "string_sort",
            "template",
            "terms_set",
            "update",
        ],
    ),
];

fn languages() -> Reply {
    let mut w = Writer::new();
    w.begin_object().key("types_allowed").begin_array().string("inline").string("stored").end_array();
    w.key("language_contexts").begin_array();
    for (language, contexts) in CONTEXTS {
        w.begin_object().key("language").string(language).key("contexts").begin_array();
        contexts.iter().for_each(|context| {
            w.string(context);
        });
        w.end_array().end_object();
    }
    w.end_array().end_object();
    Reply::ok(w)
}

/// What the reference says of a template without anything in it.
const EMPTY_TEMPLATE: &str = "empty templates should no longer be used";

/// Ids stood behind languages once, with this between.
fn check_id(request: &ApiRequest) -> Result<()> {
    let wrong = request.path_param("id").contains('#');
    match wrong {
        true => validation_failed(&["id cannot contain '#' for stored script".to_owned()]),
        false => Ok(()),
    }
}

async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let script = parse(request.required_body()?)?;
    check_id(&request)?;
    let id = request.path_param("id").to_owned();
    if let Some(context) = request.param("context") {
        check_compiles(&script, context, &id)?;
    }
    let change = Change::PutScript { id, script: Box::new(script) };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_id(&request)?;
    let state = core.state();
    let id = request.path_param("id");
    let found = state.scripts.get(id);
    let mut w = Writer::new();
    w.begin_object().key("_id").string(id).key("found").bool(found.is_some());
    if let Some(script) = found {
        w.key("script").value(&script.to_value());
    }
    w.end_object();
    Ok(Reply::json(if found.is_some() { 200 } else { 404 }, w.finish()))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    check_id(&request)?;
    let change = Change::DeleteScript { id: request.path_param("id").to_owned() };
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

/// Compiles a script for the place that it is said to be for.
fn check_compiles(script: &StoredScript, context: &str, id: &str) -> Result<()> {
    let refuse = |why: String| {
        Err(Error::illegal_argument(format!("failed to parse/compile stored script [{id}]"))
            .caused_by(Error::illegal_argument(why)))
    };
    let known = |lang: &str| CONTEXTS.iter().any(|(known, of)| *known == lang && of.contains(&context));
    if !CONTEXTS.iter().any(|(_, contexts)| contexts.contains(&context)) {
        return refuse(format!("Unknown context [{context}]"));
    }
    match script.lang.as_str() {
        "mustache" if !known("mustache") => {
            refuse(format!("mustache engine does not know how to handle context [{context}]"))
        }
        // Templates are compiled when they are rendered.
        "mustache" => Ok(()),
        lang => match context::CONTEXTS.iter().find(|known| known.name == context) {
            Some(context) => match Script::new(&script.source, lang, Value::Object(Map::new())).program(context) {
                Ok(_) => Ok(()),
                Err(error) if error.kind() == ErrorKind::GeneralScript => {
                    let what = format!("failed to parse/compile stored script [{id}]");
                    Err(Error::illegal_argument(what).caused_by(error))
                }
                Err(error) => Err(error),
            },
            None => refuse(format!("scripts of the context [{context}] are not compiled by this node")),
        },
    }
}

const STORED: Declared = Declared {
    name: "stored script source",
    fields: &[("lang", STRING), ("source", STRING | OBJECT), ("code", STRING | OBJECT), ("options", OBJECT)],
};

fn parse(body: &[u8]) -> Result<StoredScript> {
    let (root, _) = pith_engine::json::parse_prefix(body)?;
    let malformed = |pos: u32, reason: &str| {
        let (line, col) = line_col(body, pos);
        Error::new(ErrorKind::Parsing, reason).with("line", line).with("col", col)
    };
    let begins = || malformed(0, &format!("unexpected token [{}], expected [{{]", root.token()));
    let map = root.as_object().ok_or_else(begins)?;
    let script = match map.entries.first() {
        None => {
            note(EMPTY_TEMPLATE);
            return Ok(StoredScript { lang: "mustache".to_owned(), source: String::new(), options: Map::new() });
        }
        Some(entry) if entry.key != "script" => {
            return Err(malformed(entry.key_pos, &format!("unexpected field [{}], expected [script]", entry.key)));
        }
        Some(entry) if entry.value.as_object().is_none() => {
            let token = entry.value.token();
            return Err(malformed(entry.value_pos, &format!("unexpected token [{token}], expected [{{, <source>]")));
        }
        Some(entry) => entry,
    };
    let text = Source::new(body);
    let (mut lang, mut source, mut options, mut illegal) = (None, None, Map::new(), None);
    for field in Node::of_entry(script, &text).fields() {
        // The reference passes over what it does not know here.
        if STORED.fields.iter().any(|(name, _)| *name == field.key) {
            STORED.check(&field)?;
        }
        let node = field.node;
        match field.key {
            "lang" => lang = Some(node.text()?),
            "source" | "code" => {
                if field.key == "code" {
                    let at = node.location(node.pos());
                    note(format!("[stored script source]{at} Deprecated field [code] used, expected [source] instead"));
                }
                if node.object().is_some() {
                    options.insert("content_type", CONTENT_TYPE);
                }
                source = Some(node.value.to_text());
            }
            "options" => STORED.read(&field, |given| {
                for option in given.fields() {
                    options.insert(option.key, option.node.text()?);
                }
                if given.fields().any(|option| option.key != "content_type") {
                    illegal = Some(java_text(given.value));
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    let lang = lang.ok_or_else(|| Error::illegal_argument("must specify lang for stored script"))?;
    let source = source.ok_or_else(|| Error::illegal_argument("must specify source for stored script"))?;
    if lang.is_empty() {
        return Err(Error::illegal_argument("lang cannot be empty"));
    }
    if source.is_empty() && lang != "mustache" {
        return Err(Error::illegal_argument("source cannot be empty"));
    }
    if let Some(shown) = illegal {
        return Err(Error::illegal_argument(format!("illegal compiler options [{shown}] specified")));
    }
    if !LANGUAGES.contains(&lang.as_str()) {
        return Err(Error::illegal_argument(format!("unable to put stored script with unsupported lang [{lang}]")));
    }
    Ok(StoredScript { lang, source, options })
}
