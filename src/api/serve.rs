//! The way of one request: route, parameters, body, handler, and the reply in the form that the client asked for.

use super::actions::{ends_with_client, task_of};
use super::binary::smile_stream_to_json;
use super::body::{MediaType, PARSE_BYTES_MAX, to_json};
use super::door;
use super::request::Common;
use super::route::Found;
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Router, authenticate, params, permissions, targets, unknown, values};
use crate::coordinate::Core;
use crate::security::{Acting, acting};
use crate::tasks::Measured;
use bytes::Bytes;
use futures_lite::FutureExt;
use pith_engine::json::{self, Value};
use pith_engine::{Error, ErrorKind, Result, deprecated};
use pith_net::http::Peer;
use pith_net::rt;
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;

/// A request as the wire gives it.
#[derive(Clone, Debug)]
pub struct Incoming {
    pub method: Method,
    /// Path and query string, still escaped.
    pub target: String,
    pub content_type: Option<String>,
    pub accept: Option<String>,
    pub opaque_id: Option<String>,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The tenant that is asked for.
    pub tenant: Option<String>,
    /// The other end of the connection.
    pub remote: Option<SocketAddr>,
    pub body: Bytes,
    /// Whoever waits for the answer.
    pub peer: Peer,
}

/// An answer as the wire takes it.
#[derive(Debug, PartialEq)]
pub struct Outgoing {
    pub status: u16,
    pub headers: Vec<(Cow<'static, str>, String)>,
    pub body: Vec<u8>,
}

/// Answers one request. It never fails: whatever goes wrong is an answer, a panic of a handler too.
pub async fn serve(core: &Rc<Core>, router: &Router, request: Incoming) -> Outgoing {
    let opaque_id = request.opaque_id.clone();
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let parsed = params::parse_query(query);
    let find = |name: &str| {
        let given = parsed.as_ref().ok().and_then(|list| list.iter().rev().find(|(n, _)| n == name));
        given.map(|(_, value)| value.clone())
    };
    let format = find("format");
    let pretty = find("pretty").and_then(|value| params::boolean(&value).ok());
    let media = MediaType::of_reply(format.as_deref(), request.accept.as_deref(), request.content_type.as_deref());
    let path = path.to_owned();
    let (reply, common) = if authenticate::asks(&core.state(), &request) {
        match rt::boxed(|| authenticate::authenticate(core, &request)).await {
            Ok(subject) => {
                let answering = rt::boxed(|| answer(core, router, request, path, parsed, pretty));
                Acting::new(Some(subject), answering).await
            }
            Err(refused) => (*refused, Common { pretty, ..Common::default() }),
        }
    } else {
        answer(core, router, request, path, parsed, pretty).await
    };
    let mut outgoing = finish(reply, common, media, opaque_id).await;
    if outgoing.status == 429
        && !outgoing.headers.iter().any(|(name, _)| name == door::RETRY_AFTER)
        && let Ok(facts) = core.facts()
    {
        outgoing.headers.push((door::RETRY_AFTER.into(), facts.pressure.retry_after_seconds().to_string()));
    }
    outgoing
}

/// The path as it is told: `//host/path` would name a host first.
fn told_path(path: &str) -> &str {
    match path.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
        None => path,
    }
}

/// Bodies larger than this are filtered and laid out off the core.
const LAYOUT_BYTES_MAX: usize = 64 << 10;

async fn finish(reply: Reply, common: Common, media: MediaType, opaque_id: Option<String>) -> Outgoing {
    let status = reply.status;
    let mut headers: Vec<(Cow<'static, str>, String)> = vec![];
    let mut reply = reply;
    for (name, value) in std::mem::take(&mut reply.headers) {
        headers.push((name.into(), value));
    }
    if let Some(id) = opaque_id {
        headers.push(("X-Opaque-Id".into(), id));
    }
    headers.push(("X-OpenSearch-Version".into(), crate::VERSION_HEADER.to_owned()));
    let (content_type, body) = match reply.layout_bytes(&common, media) > LAYOUT_BYTES_MAX {
        true => rt::offload(move || reply.render(&common, media)).await,
        false => reply.render(&common, media),
    };
    headers.push(("content-type".into(), content_type.into_owned()));
    Outgoing { status, headers, body }
}

/// Requests whose body is read as a whole, and may be long.
const READ_WHOLE: [&str; 13] = [
    "cluster_update_settings_action",
    "create_index_action",
    "index_aliases_action",
    "ingest_put_pipeline_action",
    "ingest_simulate_pipeline_action",
    "put_component_template_action",
    "put_composable_index_template_action",
    "put_index_template_action",
    "put_mapping_action",
    "search_put_pipeline_action",
    "simulate_index_template_action",
    "simulate_template_action",
    "update_settings_action",
];

async fn read_ahead(body: Bytes) -> Result<Value> {
    rt::offload(move || json::parse_prefix(&body).map(|(value, _)| value)).await
}

/// Finds the route and runs it; gives the common parameters back with the reply.
async fn answer(
    core: &Rc<Core>,
    router: &Router,
    request: Incoming,
    path: String,
    parsed: Result<Vec<(String, String)>>,
    pretty: Option<bool>,
) -> (Reply, Common) {
    let plain = Common { pretty, ..Common::default() };
    let query = match parsed {
        Ok(query) => query,
        Err(error) => return (Reply::error(&error), plain),
    };
    if let Some(given) = request.content_type.as_deref().filter(|given| !is_media_type(given)) {
        return (Reply::error(&no_media_type(given)), plain);
    }
    if !request.body.is_empty() && request.content_type.as_deref().and_then(MediaType::parse).is_none() {
        let given = request.content_type.as_deref().unwrap_or_default();
        return (Reply::plain_error(406, &format!("Content-Type header [{given}] is not supported"), true), plain);
    }
    let (route, segments) = match router.find(request.method, &path) {
        Found::Route(route, segments) => (route, segments),
        Found::OtherMethods(allowed) => return (other_methods(&request, &allowed), plain),
        Found::Nothing if request.method == Method::Options => return (Reply::empty(200), plain),
        Found::Nothing => {
            let method = request.method.name();
            let path = told_path(&path);
            let path = params::decode(path, false).unwrap_or_else(|_| path.to_owned());
            return (
                Reply::plain_error(400, &format!("no handler found for uri [{path}] and method [{method}]"), false),
                plain,
            );
        }
    };
    let _entered = match door::enter(core, route, &segments, &request) {
        Ok(entered) => entered,
        Err(refused) => return (*refused, plain),
    };
    let mut all = query;
    for (name, raw) in segments {
        match params::decode(&raw, false) {
            Ok(value) => all.push((name.to_owned(), value)),
            Err(_) => return (malformed_escape(), plain),
        }
    }
    let common = match common_params(&all) {
        Ok(common) => common,
        Err(error) => return (Reply::error(&error), plain),
    };
    let trace = common.error_trace;
    let keep = Common { pretty: common.pretty, ..common.clone() };
    // One by the new name is read first, and nobody gets past a bad one.
    let new_name_is_bad = || {
        let new = all.iter().rev().find(|(name, _)| name == NEW_TIMEOUT);
        new.is_some_and(|(name, value)| params::time_ms(name, value).is_err())
    };
    let says_old_name = all.iter().any(|(name, _)| name == OLD_TIMEOUT) && unknown::in_route(route, OLD_TIMEOUT);
    let by_old_name = says_old_name && !new_name_is_bad();
    let mut deprecated = vec![];
    let mut running = std::pin::pin!(run(core, (route, router.path_params(route)), request, path, all, common));
    let reply = poll_fn(|cx| deprecated::collect(&mut deprecated, || running.as_mut().poll(cx))).await;
    let (reply, common) = match reply {
        Ok(reply) => (reply, keep),
        // Errors are not subject to `filter_path`.
        Err(error) => (Reply::error(&traced(error, trace)), Common { filter_path: vec![], ..keep }),
    };
    let reply = match by_old_name {
        // One call says that it stays longer.
        true if route.name == "get_aliases_action" => reply.with_warning(&OLD_TIMEOUT_WARNING.replace("3.0", "4.0")),
        true => reply.with_warning(OLD_TIMEOUT_WARNING),
        false => reply,
    };
    if SYSTEM_ALLOWED.contains(&route.name) {
        deprecated.retain(|note| note != crate::cluster::SYSTEM_INDEXES);
    }
    (deprecated.iter().fold(reply, |reply, text| reply.with_warning(text)), common)
}

/// Routes that come to indexes of the system as to any other.
const SYSTEM_ALLOWED: &[&str] = &[
    "cat_alias_action",
    "cat_health_action",
    "cat_indices_action",
    "cat_pit_segments_action",
    "cat_segments_action",
    "cat_shards_action",
    "cluster_allocation_explain_action",
    "cluster_health_action",
    "cluster_reroute_action",
    "cluster_state_action",
    "get_aliases_action",
    "indices_shard_stores_action",
    "indices_stats_action",
    "recovery_action",
];

/// Routes whose bodies are values one after the other.
const STREAMS: &[&str] = &["bulk", "msearch", "msearch_template"];

/// Why a form cannot hold a stream of values.
fn no_stream(media: MediaType) -> Option<&'static str> {
    match media {
        MediaType::Yaml => Some("Content-Type [YAML] does not support stream parsing. Use JSON or SMILE instead"),
        MediaType::Cbor => Some("Content-Type [CBOR] does not support stream parsing. Use JSON or SMILE instead"),
        MediaType::Json | MediaType::NdJson | MediaType::Smile => None,
    }
}

/// Bodies larger than this are made JSON off the core.
const CONVERTED_BYTES_MAX: usize = 16 << 10;

async fn json_of(media: MediaType, body: Bytes) -> Result<Bytes> {
    match media {
        _ if body.is_empty() => Ok(body),
        MediaType::Json | MediaType::NdJson => Ok(body),
        _ if body.len() > CONVERTED_BYTES_MAX => rt::offload(move || to_json(media, body)).await,
        _ => to_json(media, body),
    }
}

/// A stream of values in Smile as lines of JSON.
async fn lines_of(body: Bytes) -> Result<Bytes> {
    match body.len() > CONVERTED_BYTES_MAX {
        true => rt::offload(move || smile_stream_to_json(&body)).await,
        false => smile_stream_to_json(&body),
    }
}

const OLD_TIMEOUT: &str = "master_timeout";
const NEW_TIMEOUT: &str = "cluster_manager_timeout";
const OLD_TIMEOUT_WARNING: &str = "Parameter [master_timeout] is deprecated and will be removed in 3.0. To support inclusive \
                                   language, please use [cluster_manager_timeout] instead.";

async fn run(
    core: &Rc<Core>,
    (route, in_path): (&'static super::Route, &[&'static str]),
    request: Incoming,
    path: String,
    all: Vec<(String, String)>,
    common: Common,
) -> Result<Reply> {
    let unknown = unknown::check(route, in_path, &path, &all, !request.body.is_empty()).err();
    if let Some(error) = unknown.as_ref().filter(|_| !unknown::READ_FIRST.contains(&route.name)) {
        return Err(values::check(route, &all).err().unwrap_or_else(|| error.clone()));
    }
    let media = request.content_type.as_deref().and_then(MediaType::parse).unwrap_or(MediaType::Json);
    // A stream of values is not read as one value, so its form is judged before anything is read.
    if let (true, Some(message)) = (STREAMS.contains(&route.name), no_stream(media)) {
        return Ok(Reply::plain_error(406, message, true));
    }
    let peer = request.peer;
    let has_no_lines = matches!(media, MediaType::Cbor | MediaType::Smile) && !request.body.is_empty();
    let body = match (media, STREAMS.contains(&route.name)) {
        (MediaType::Smile, true) => lines_of(request.body).await?,
        _ => json_of(media, request.body).await?,
    };
    let tree = match READ_WHOLE.contains(&route.name) && body.len() > PARSE_BYTES_MAX {
        true => Some(read_ahead(body.clone()).await),
        false => None,
    };
    let remote = request.remote;
    let request = ApiRequest {
        method: request.method,
        remote,
        path,
        route,
        params: all,
        body,
        media,
        accept: request.accept,
        opaque_id: request.opaque_id,
        common,
        unknown,
        tree: tree.into(),
    };
    acting::check(|subject| permissions::check(core, subject, &request))?;
    targets::check_timeouts(&request)?;
    // A panic is a mistake of ours, but it must not take the core and everybody else's requests with it.
    core.count_request(route.name);
    let task = task_of(&request).map(|task| core.tasks.begin(task));
    if let Some(task) = task.as_ref().filter(|_| ends_with_client(route.name)) {
        peer.waits_for(task.task().id);
    }
    let handler = (route.handler)(core.clone(), request);
    let handler = AssertUnwindSafe(async move {
        match task {
            Some(task) => Measured::new(task, handler).await,
            None => handler.await,
        }
    });
    let reply = handler.catch_unwind().await.unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        tracing::error!(route = route.name, "a request panicked: {}", what.unwrap_or("without a message"));
        Err(Error::new(ErrorKind::IllegalState, "internal error, see the log of the node"))
    });
    if has_no_lines { reply.map_err(Error::without_lines) } else { reply }
}

fn common_params(all: &[(String, String)]) -> Result<Common> {
    let find = |name: &str| all.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
    // Blanks say as little as no parameter.
    let said = |name: &str| find(name).filter(|text| text.is_empty() || !text.trim().is_empty());
    let flag = |name: &str| said(name).map(params::boolean).transpose();
    let filter_path: Vec<String> =
        find("filter_path").map(|text| params::list(text).map(str::to_owned).collect()).unwrap_or_default();
    if filter_path.iter().any(|filter| filter == "-") {
        return Err(Error::illegal_argument("filters cannot be null or empty"));
    }
    Ok(Common {
        pretty: flag("pretty")?,
        human: flag("human")?.unwrap_or(false),
        error_trace: flag("error_trace")?.unwrap_or(false),
        filter_path,
    })
}

/// The answer where the path is known but not the method.
fn other_methods(request: &Incoming, allowed: &[Method]) -> Reply {
    let names: Vec<&str> = allowed.iter().map(|method| method.name()).collect();
    if request.method == Method::Options {
        return Reply::empty(200).with_header("Allow", names.join(","));
    }
    let message = format!(
        "Incorrect HTTP method for uri [{}] and method [{}], allowed: [{}]",
        request.target,
        request.method.name(),
        names.join(", ")
    );
    Reply::plain_error(405, &message, true).with_header("Allow", names.join(","))
}

/// The reference takes a path that cannot be decoded for one whose method it does not know.
fn malformed_escape() -> Reply {
    let allowed = "GET, HEAD, PUT, POST, DELETE";
    Reply::plain_error(405, &format!("Unexpected HTTP method, allowed: [{allowed}]"), true)
        .with_header("Allow", allowed.replace(", ", ","))
}

/// Whether a header has the form of a kind and a kind of it, whatever they are.
pub fn is_media_type(given: &str) -> bool {
    let part = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(&b))
    };
    let name = given.split(';').next().unwrap_or_default().trim();
    name.split_once('/').is_some_and(|(kind, of)| part(kind) && part(of))
}

#[cold]
fn no_media_type(given: &str) -> Error {
    let cause = Error::illegal_argument(format!("invalid Content-Type header [{given}]"));
    let reason = format!("java.lang.IllegalArgumentException: {}", cause.reason());
    Error::new(ErrorKind::ContentTypeHeader, reason).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::super::Route;
    use super::*;
    use futures_lite::future::block_on;

    const ROUTES: &[Route] = &[
        Route {
            method: Method::Get,
            path: "/{index}/_count",
            name: "test",
            params: &[],
            handler: |_, request| {
                Box::pin(async move {
                    let index = request.path_param("index");
                    if index == "panic" {
                        panic!("on purpose");
                    }
                    Ok(Reply::json(200, format!("{{\"count\":8,\"index\":\"{index}\"}}").into_bytes()))
                })
            },
        },
        Route {
            method: Method::Post,
            path: "/{index}/_count",
            name: "count",
            params: &[],
            handler: |_, request| Box::pin(async move { Ok(Reply::json(200, request.required_body()?.to_vec())) }),
        },
    ];

    fn ask_with(method: Method, target: &str, content_type: Option<&str>, body: &'static str) -> (u16, String) {
        let request = Incoming {
            method,
            target: target.to_owned(),
            content_type: content_type.map(str::to_owned),
            accept: None,
            opaque_id: None,
            authorization: None,
            tenant: None,
            remote: None,
            body: Bytes::from_static(body.as_bytes()),
            peer: Peer::default(),
        };
        let core = Rc::new(Core::for_test());
        let out = block_on(serve(&core, &Router::new(&[ROUTES]), request));
        (out.status, String::from_utf8(out.body).unwrap())
    }

    fn ask(method: Method, target: &str) -> (u16, String) {
        ask_with(method, target, None, "")
    }

    #[test]
    fn answers_and_forms() {
        assert_eq!(ask(Method::Get, "/a%2Fb/_count?"), (200, r#"{"count":8,"index":"a/b"}"#.into()));
        assert_eq!(ask(Method::Get, "/a/_count?filter_path=count&pretty").1, "{\n  \"count\" : 8\n}\n");
        assert_eq!(ask(Method::Get, "/a/_count?format=yaml").1, "---\ncount: 8\nindex: \"a\"\n");
        assert_eq!(ask_with(Method::Post, "/a/_count", Some("application/yaml"), "a: 1"), (200, "---\na: 1\n".into()));
    }

    #[test]
    fn errors_before_the_handler() {
        assert_eq!(
            ask(Method::Delete, "/a/_count?x"),
            (
                405,
                r#"{"error":"Incorrect HTTP method for uri [/a/_count?x] and method [DELETE], allowed: [GET, POST]","status":405}"#
                    .into()
            )
        );
        assert_eq!(
            ask(Method::Get, "/a/_nons/1?format=yaml"),
            (400, "---\nerror: \"no handler found for uri [/a/_nons/1] and method [GET]\"\n".into())
        );
        assert_eq!(
            ask(Method::Get, "/a%zz/_count"),
            (405, r#"{"error":"Unexpected HTTP method, allowed: [GET, HEAD, PUT, POST, DELETE]","status":405}"#.into())
        );
        assert_eq!(
            ask_with(Method::Post, "/a/_count", Some("text/plain"), "{}"),
            (406, r#"{"error":"Content-Type header [text/plain] is not supported","status":406}"#.into())
        );
        let refused = ask_with(Method::Get, "/a/_count", Some("nons"), "");
        assert!(refused.0 == 400 && refused.1.contains("invalid Content-Type header [nons]"));
        assert!(ask_with(Method::Get, "/a/_count", Some(""), "").1.contains("invalid Content-Type header []"));
        assert_eq!(ask_with(Method::Get, "/a/_count", Some("text/plain"), "").0, 200);
        assert_eq!(
            ask(Method::Get, "//a//_count"),
            (400, r#"{"error":"no handler found for uri [//_count] and method [GET]"}"#.into())
        );
        assert_eq!(ask(Method::Get, "/a/_count?filter_path=-").0, 400);
        assert_eq!(ask(Method::Options, "/x/y/z"), (200, String::new()));
    }

    #[test]
    fn errors_of_the_handler() {
        let (status, body) = ask_with(Method::Post, "/a/_count?filter_path=x", None, "");
        assert_eq!(
            (status, body.as_str()),
            (
                400,
                r#"{"error":{"root_cause":[{"type":"parse_exception","reason":"request body is required"}],"type":"parse_exception","reason":"request body is required"},"status":400}"#
            )
        );
        assert!(ask(Method::Post, "/a/_count?error_trace").1.contains("stack_trace"));
        assert_eq!(ask(Method::Get, "/panic/_count").0, 500);
        assert!(ask(Method::Get, "/a/_count?nons").1.contains("contains unrecognized parameter: [nons]"));
    }
}
