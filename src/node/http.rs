//! Between the wire and the interface: requests and answers in each other's form, limits, refusals.

use crate::api::serve::{Incoming, Outgoing, serve};
use crate::api::{Method, Router};
use crate::coordinate::Core;
use crate::settings::Settings;
use crate::settings::units::{parse_bytes, parse_time_ms};
use pith_engine::json::Writer;
use pith_net::http::{self, Limits, Refusal, Request, Response};
use pith_net::rt;
use std::rc::Rc;
use std::time::Duration;

/// Answers one request.
pub async fn respond(core: &Rc<Core>, router: &Router, request: Request) -> Response {
    let mut incoming = Incoming {
        method: method(request.method),
        target: request.target().to_owned(),
        content_type: None,
        accept: None,
        opaque_id: None,
        authorization: None,
        tenant: None,
        remote: Some(request.remote),
        body: request.body,
        peer: request.peer,
    };
    for (name, value) in request.headers.iter() {
        if let Some(kept) = kept_header(&mut incoming, name) {
            kept.get_or_insert_with(|| value.to_owned());
        }
    }
    into_response(serve(core, router, incoming).await)
}

/// Where the first header of this name is kept, if any is.
fn kept_header<'a>(incoming: &'a mut Incoming, name: &str) -> Option<&'a mut Option<String>> {
    // Told apart by length first: most headers are none of these.
    let (known, kept) = match name.len() {
        6 => ("accept", &mut incoming.accept),
        11 => ("x-opaque-id", &mut incoming.opaque_id),
        12 => ("content-type", &mut incoming.content_type),
        13 => ("authorization", &mut incoming.authorization),
        14 => ("securitytenant", &mut incoming.tenant),
        _ => return None,
    };
    name.eq_ignore_ascii_case(known).then_some(kept)
}

/// What is done when a client is gone that waited for a task: it is cancelled.
pub fn cancel_when_gone(core: Rc<Core>) -> http::Gone {
    Rc::new(move |task| {
        let core = core.clone();
        let cancelling = async move {
            if let Err(error) = core.cancel_task(task).await {
                tracing::warn!(task, "could not cancel what nobody waits for: {error}");
            }
        };
        rt::spawn(cancelling).detach();
    })
}

fn into_response(outgoing: Outgoing) -> Response {
    let Outgoing { status, headers, body } = outgoing;
    let mut response = Response::new(status).body(body);
    response.headers = headers;
    response
}

fn method(method: http::Method) -> Method {
    match method {
        http::Method::Get => Method::Get,
        http::Method::Head => Method::Head,
        http::Method::Put => Method::Put,
        http::Method::Post => Method::Post,
        http::Method::Delete => Method::Delete,
        http::Method::Options => Method::Options,
        http::Method::Patch => Method::Patch,
        http::Method::Trace => Method::Trace,
        http::Method::Connect => Method::Connect,
    }
}

/// The answer to a request that never reached the interface.
pub fn error_page(refusal: &Refusal) -> Response {
    let mut w = Writer::new();
    let object = |w: &mut Writer, kind: &str, reason: &str| {
        w.begin_object().key("type").string(kind).key("reason").string(reason);
    };
    w.begin_object().key("error").begin_object().key("root_cause").begin_array();
    object(&mut w, refusal.kind, &refusal.reason);
    w.end_object().end_array();
    w.key("type").string(refusal.kind).key("reason").string(&refusal.reason);
    if let Some(cause) = &refusal.cause {
        w.key("caused_by");
        object(&mut w, "illegal_argument_exception", cause);
        w.end_object();
    }
    w.end_object().key("status").u64(refusal.status.into()).end_object();
    Response::new(refusal.status)
        .header("X-OpenSearch-Version", crate::VERSION_HEADER)
        .header("content-type", "application/json; charset=UTF-8")
        .body(w.finish())
}

/// The limits that the settings under `http` ask for.
pub fn limits(settings: &Settings) -> Result<Limits, String> {
    let mut limits = Limits::default();
    let sizes = [
        ("http.max_content_length", &mut limits.body_bytes),
        ("http.max_header_size", &mut limits.header_bytes),
        ("http.max_initial_line_length", &mut limits.line_bytes),
    ];
    for (key, slot) in sizes {
        if let Some(text) = settings.text(key) {
            let bytes = parse_bytes(key, text).map_err(|error| error.reason().to_owned())?;
            *slot = usize::try_from(bytes)
                .ok()
                .filter(|bytes| *bytes > 0)
                .ok_or(format!("[{key}] must be positive, not [{text}]"))?;
        }
    }
    if let Some(text) = settings.text("http.read_timeout") {
        let ms = parse_time_ms("http.read_timeout", text).map_err(|error| error.reason().to_owned())?;
        // The reference's 0 means no limit, which here is a day: a connection that says nothing for so long is gone.
        let wait = Duration::from_millis(ms.clamp(0, 86_400_000) as u64);
        limits.body_timeout = if wait.is_zero() { Duration::from_secs(86_400) } else { wait };
    }
    Ok(limits)
}
