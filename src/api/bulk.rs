//! Many operations in one request: `_bulk`.

use super::bulk_lines::{BulkItem, Defaults, parse};
use super::document::{
    SOURCE_PARAMS, SourceChoice, WRITE_PARAMS, validation_failed, write_done, write_options, write_updated_source,
};
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::{BlockLevel, blocks};
use crate::coordinate::write::{ITEMS_AT_ONCE, ItemOutcome, write_piped};
use crate::coordinate::{Core, clock};
use pith_engine::json::Writer;
use pith_engine::pace::Pace;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::time::Instant;

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "bulk",
        params: &[WRITE_PARAMS, SOURCE_PARAMS, &["pipeline", "require_alias"]],
        handler: |core, request| rt::boxed(|| bulk(core, request)),
    }
}

const fn stream(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "streaming_bulk_action",
        params: &[WRITE_PARAMS, SOURCE_PARAMS, &["pipeline", "require_alias"]],
        handler: |_, request| Box::pin(async move { refuse_stream(&request) }),
    }
}

/// A bulk whose answer comes while it is sent needs a connection of another kind, which is not what is listened for.
fn refuse_stream(request: &ApiRequest) -> Result<Reply> {
    let (path, method) = (&request.path, request.method.name());
    let reason =
        format!("The engine does not support HTTP streaming, unable to serve uri [{path}] and method [{method}]");
    Err(Error::new(ErrorKind::IllegalState, reason))
}

pub const ROUTES: &[Route] = &[
    stream(Method::Post, "/_bulk/stream"),
    stream(Method::Put, "/_bulk/stream"),
    stream(Method::Post, "/{index}/_bulk/stream"),
    stream(Method::Put, "/{index}/_bulk/stream"),
    route(Method::Post, "/_bulk"),
    route(Method::Put, "/_bulk"),
    route(Method::Post, "/{index}/_bulk"),
    route(Method::Put, "/{index}/_bulk"),
];

async fn bulk(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let start = Instant::now();
    let defaults = Defaults {
        index: request.param("index").map(str::to_owned),
        routing: request.param("routing").map(str::to_owned),
        pipeline: request.param("pipeline").map(str::to_owned),
        require_alias: request.given_flag("require_alias")?.unwrap_or(false),
        source: SourceChoice::from_params(&request)?,
    };
    let options = write_options(&request)?;
    let mut problems = vec![];
    let body = request.required_body()?;
    let place = core.bulks.enter(body.len()).await;
    let parsed = parse(body, &defaults, &mut problems, &Pace::new(rt::must_give_way)).await?;
    request.check_known()?;
    if parsed.is_empty() {
        problems.insert(0, "no requests added".into());
    }
    validation_failed(&problems)?;
    let mut shown = Vec::with_capacity(parsed.len());
    let mut items = Vec::with_capacity(parsed.len());
    for BulkItem { action, item, source } in parsed {
        shown.push((action, source));
        items.push(item);
    }
    // What forbids all writes is told once, not of each.
    blocks::check_cluster(&core.state(), BlockLevel::Write)?;
    let (outcomes, piped) = place.hold(write_piped(&core, items, &options)).await;
    let mut w = Writer::with_capacity(64 + outcomes.len() * 192);
    w.begin_object();
    w.key("took").u64(clock::took_ms(start));
    if let Some(piped) = &piped {
        w.key("ingest_took").u64(piped.took_ms);
    }
    w.key("errors").bool(outcomes.iter().any(|outcome| outcome.result.is_err()));
    w.key("items").begin_array();
    let order = piped.as_ref().map(|piped| piped.order.as_slice());
    for at in 0..outcomes.len() {
        if at % ITEMS_AT_ONCE == 0 {
            rt::yield_if_needed().await;
        }
        let at = order.and_then(|order| order.get(at)).copied().unwrap_or(at);
        let ((action, source), outcome) = (&shown[at], &outcomes[at]);
        write_outcome(&mut w, action, source.as_ref(), outcome, request.common.error_trace);
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

fn write_outcome(w: &mut Writer, action: &str, source: Option<&SourceChoice>, outcome: &ItemOutcome, trace: bool) {
    // An update whose document no pipeline lets through never became one.
    let action = if action == "update" && outcome.id.is_none() { "index" } else { action };
    w.begin_object().key(action).begin_object();
    match &outcome.result {
        Ok(done) => {
            write_done(w, &outcome.index, outcome.id.as_deref().unwrap_or_default(), done, done.copies());
            write_updated_source(w, done, source);
            w.key("status").u64(done.outcome.result.status().into());
        }
        Err(error) => {
            w.key("_index").string(&outcome.index).key("_id");
            match &outcome.id {
                Some(id) => w.string(id),
                None => w.null(),
            };
            w.key("status").u64(error.status().into()).key("error");
            traced(error.clone(), trace).write(w);
        }
    }
    w.end_object().end_object();
}
