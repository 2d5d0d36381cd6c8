//! Several searches in one request: `_msearch`.

use super::body::{PARSE_BYTES_MAX, WRITE_BYTES_MAX};
use super::document::{BODY_PARAMS, validation_failed};
use super::index_options::{INDEX_PARAMS, expand_wildcards, index_options};
use super::search::{cancel_after, globally, offload_noting, options_of};
use super::trace::traced;
use super::{ApiRequest, Method, Reply, Route, params, search_cache};
use crate::cluster::{IndicesOptions, State};
use crate::coordinate::search::{Scope, SearchOptions, search};
use crate::coordinate::{Core, clock};
use crate::tasks::{Measured, NewTask, current};
use bytes::Bytes;
use pith_engine::java_order::java_ordered;
use pith_engine::join::for_each_of;
use pith_engine::json::{self, Value, Writer, java_text};
use pith_engine::search::SearchRequest;
use pith_engine::{Error, ErrorKind, Result, deprecated};
use pith_net::rt;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

const PARAMS: &[&str] = &[
    "max_concurrent_searches?",
    "max_concurrent_shard_requests",
    "pre_filter_shard_size?",
    "rest_total_hits_as_int",
    "typed_keys",
    "search_type",
    "ccs_minimize_roundtrips",
    "css_minimize_roundtrips",
    "cancel_after_time_interval",
    "routing",
];

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "msearch",
        params: &[INDEX_PARAMS, BODY_PARAMS, PARAMS],
        handler: |core, request| rt::boxed(|| run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_msearch"),
    route(Method::Post, "/_msearch"),
    route(Method::Get, "/{index}/_msearch"),
    route(Method::Post, "/{index}/_msearch"),
];

/// Searches of one request that run at the same time, unless it says otherwise.
const CONCURRENT_DEFAULT: usize = 16;

/// One search of the request.
struct Entry {
    /// Or why there is none: that of the others is not touched by it.
    request: Result<Arc<SearchRequest>>,
    scope: Scope,
    options: SearchOptions,
}

async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    run_entries(core, request, |line, params| SearchRequest::parse(Some(line), params).map(Ok)).await
}

/// Makes a search of a line and the parameters that count for it. An error of its own is one of the whole request.
type ReadEntry<'r> = &'r dyn Fn(&[u8], &[(String, String)]) -> Result<Result<SearchRequest>>;

/// Runs the searches of a request whose lines `read` understands.
pub async fn run_entries(
    core: Rc<Core>,
    request: ApiRequest,
    read: impl Fn(&[u8], &[(String, String)]) -> Result<Result<SearchRequest>> + Send + 'static,
) -> Result<Reply> {
    let started = Instant::now();
    index_options(&request, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?;
    let concurrent = match request.int_opt("max_concurrent_searches")? {
        Some(count) if count < 1 => {
            return Err(Error::illegal_argument("maxConcurrentSearchRequests must be positive"));
        }
        Some(count) => count.unsigned_abs() as usize,
        None => CONCURRENT_DEFAULT,
    };
    let several = request.route.name == "msearch";
    for name in ["pre_filter_shard_size", "max_concurrent_shard_requests"].into_iter().filter(|_| several) {
        request.int_opt(name)?;
    }
    request.flag_opt("ccs_minimize_roundtrips")?;
    request.flag_opt("css_minimize_roundtrips")?;
    let body = request.body_or_source()?;
    let state = core.state();
    // What a short line of a template makes can be long.
    let long = body.len() > PARSE_BYTES_MAX || !several;
    let read_all = move || {
        let entries = parse(&request, &state, &body, &read);
        (request, entries)
    };
    let (request, entries) = match long {
        true => offload_noting(read_all).await,
        false => read_all(),
    };
    let entries = entries?;
    // Neither has anything to save here: see the same parameters of `_search`. They are set on each search when it has been read.
    if several && request.int_opt("pre_filter_shard_size")?.is_some_and(|size| size < 1) {
        return Err(Error::illegal_argument("preFilterShardSize must be >= 1"));
    }
    if several && request.int_opt("max_concurrent_shard_requests")?.is_some_and(|count| count < 1) {
        return Err(Error::illegal_argument("maxConcurrentShardRequests must be >= 1"));
    }
    request.check_known()?;
    if entries.is_empty() {
        validation_failed(&["no requests added".to_owned()])?;
    }
    let results: Vec<Slot> = entries.iter().map(|_| RefCell::new(None)).collect();
    for_each_of(entries.len(), concurrent, async |at| {
        let entry = &entries[at];
        let result = match &entry.request {
            Ok(request) => {
                let parent = current().map(|task| task.as_parent());
                let task = core.tasks.begin(NewTask::child("indices:data/read/search", parent).cancellable());
                Measured::new(task, Box::pin(search(&core, request, &entry.scope, &entry.options))).await
            }
            Err(error) => Err(error.clone()),
        };
        results[at].replace(Some(result));
        // What fails at once, or is answered from what is kept, gives way nowhere else.
        rt::yield_if_needed().await;
    })
    .await;
    let (took_ms, error_trace) = (clock::took_ms(started), request.common.error_trace);
    match long || results.iter().map(answer_bytes).sum::<usize>() > WRITE_BYTES_MAX {
        true => {
            rt::offload(move || {
                // Freed here as well: there may be very many.
                drop(entries);
                write(results, took_ms, error_trace)
            })
            .await
        }
        false => write(results, took_ms, error_trace),
    }
}

/// What is kept of an entry until all are done.
type Slot = RefCell<Option<Result<Vec<u8>>>>;

fn answer_bytes(slot: &Slot) -> usize {
    slot.borrow().as_ref().map_or(0, |result| result.as_ref().map_or(0, Vec::len))
}

fn write(results: Vec<Slot>, took_ms: u64, error_trace: bool) -> Result<Reply> {
    let mut w = Writer::with_capacity(256 + results.iter().map(answer_bytes).sum::<usize>());
    w.begin_object().key("took").u64(took_ms).key("responses").begin_array();
    for result in results {
        match result.into_inner() {
            Some(Ok(mut answer)) => {
                // The answer is an object; the status goes in at its end.
                answer.pop();
                answer.extend_from_slice(b",\"status\":200}");
                w.raw(&answer);
            }
            Some(Err(error)) => {
                let error = traced(error, error_trace);
                w.begin_object().key("error");
                error.write_with_root_cause(&mut w);
                w.key("status").u64(error.status().into()).end_object();
            }
            None => drop(w.null()),
        }
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

fn parse(request: &ApiRequest, state: &State, body: &Bytes, read: ReadEntry) -> Result<Vec<Entry>> {
    let mut options = SearchOptions { cancel_after_ms: cancel_after(request, state)?, ..options_of(state) };
    let pre_filter = if request.route.name == "msearch" { request.int_opt("pre_filter_shard_size")? } else { None };
    if let Some(size) = pre_filter {
        options.pre_filter_shard_size = Some(size.unsigned_abs() as usize);
    }
    let scope = Scope {
        indexes: request.list("index").into_iter().map(str::to_owned).collect(),
        options: index_options(request, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?,
        routing: request.param("routing").map(str::to_owned),
        preference: None,
    };
    options.global_statistics = globally(request.param("search_type"))?;
    request.flag_opt("rest_total_hits_as_int")?;
    let shared = ["rest_total_hits_as_int", "typed_keys"];
    let params: Vec<(String, String)> =
        request.params().iter().filter(|(name, _)| shared.contains(&name.as_str())).cloned().collect();
    let mut entries = vec![];
    // A request may begin with an empty line, still.
    let mut rest: &[u8] = body;
    if let Some(behind) = rest.strip_prefix(b"\n") {
        deprecated::note(
            "support for empty first line before any action metadata in msearch API is deprecated and will be removed \
             in the next major version",
        );
        rest = behind;
    }
    while !rest.is_empty() {
        let header = line(&mut rest)?;
        let (mut scope, mut options, mut cached) = (scope.clone(), options.clone(), None);
        if !header.iter().all(u8::is_ascii_whitespace) {
            cached = read_header(header, &mut scope, &mut options)?;
        }
        if rest.is_empty() {
            break;
        }
        let text = line(&mut rest)?;
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::new(ErrorKind::Parsing, "Expected [START_OBJECT] but found [null]")
                .with("line", 1i64)
                .with("col", 0i64));
        }
        let parsed =
            read(text, &params)?.map(|parsed| Arc::new(SearchRequest { human: request.common.human, ..parsed }));
        // The line of a template does not say what is searched for.
        if let (Ok(parsed), "msearch") = (&parsed, request.route.name) {
            options.cache = search_cache::ask(state, parsed, Some(text), &params, cached)?;
        }
        entries.push(Entry { request: parsed, scope, options });
    }
    Ok(entries)
}

/// Takes the next line off `rest`.
fn line<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8]> {
    let Some(end) = memchr::memchr(b'\n', rest) else {
        return Err(Error::illegal_argument("The msearch request must be terminated by a newline [\n]"));
    };
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Ok(line)
}

/// Gives whether results are to be kept, if the header says so.
fn read_header(text: &[u8], scope: &mut Scope, options: &mut SearchOptions) -> Result<Option<bool>> {
    let mut cached = None;
    let (value, _) = json::parse_prefix(text)?;
    // Anything but an object says nothing, as in the reference.
    let Value::Object(map) = value else { return Ok(None) };
    // Which key is refused first follows from the order in which the reference keeps them; what options say is looked at last.
    let map = java_ordered(map);
    let mut of_indexes = OfIndexes::default();
    for (key, value) in map.iter() {
        match key {
            "index" | "indices" => scope.indexes = names(value)?,
            "search_type" | "searchType" => options.global_statistics = globally(text_of(value).as_deref())?,
            "request_cache" | "requestCache" => cached = Some(flag_said(key, value)?),
            "phase_took" => options.phase_took = said(value)??,
            // There is no remote cluster: see the same parameters of `_search`.
            "ccs_minimize_roundtrips" | "ccsMinimizeRoundtrips" | "css_minimize_roundtrips" => {
                said(value)??;
            }
            "preference" => scope.preference = text_of(value),
            "routing" => scope.routing = text_of(value),
            "allow_partial_search_results" => options.allow_partial = flag_said("null", value)?,
            "cancel_after_time_interval" | "cancelAfterTimeInterval" => {
                options.cancel_after_ms = time_ms(value)?.filter(|ms| *ms >= 0);
            }
            "expand_wildcards" | "expandWildcards" => of_indexes.wildcards = Some(value),
            "ignore_unavailable" | "ignoreUnavailable" => of_indexes.unavailable = Some(value),
            "allow_no_indices" | "allowNoIndices" => of_indexes.none = Some(value),
            "ignore_throttled" | "ignoreThrottled" => of_indexes.throttled = Some(value),
            other => {
                let reason = format!("key [{other}] is not supported in the metadata section");
                return Err(Error::illegal_argument(reason));
            }
        }
    }
    of_indexes.apply(&mut scope.options)?;
    Ok(cached)
}

/// What a header says of the indexes that are meant, which counts when all of it has been read.
#[derive(Default)]
struct OfIndexes<'v> {
    wildcards: Option<&'v Value>,
    unavailable: Option<&'v Value>,
    none: Option<&'v Value>,
    throttled: Option<&'v Value>,
}

impl OfIndexes<'_> {
    fn apply(self, options: &mut IndicesOptions) -> Result<()> {
        if let Some(value) = self.wildcards.filter(|value| !value.is_null()) {
            expand_wildcards(options, names(value)?.iter().map(String::as_str))?;
        }
        options.ignore_unavailable = flag("ignore_unavailable", self.unavailable, options.ignore_unavailable)?;
        options.allow_no_indices = flag("allow_no_indices", self.none, options.allow_no_indices)?;
        // No index is frozen.
        flag("ignore_throttled", self.throttled, true)?;
        Ok(())
    }
}

/// A list, or a text with commas; of anything else, the text that Java gives it.
fn names(value: &Value) -> Result<Vec<String>> {
    match value {
        Value::Null => Err(Error::new(ErrorKind::NullPointer, NO_NODE)),
        Value::Array(items) if items.iter().any(Value::is_null) => {
            Err(Error::new(ErrorKind::NullPointer, "index must not be null"))
        }
        Value::Array(items) => Ok(items.iter().map(java_text).collect()),
        one => Ok(params::names(&java_text(one)).into_iter().map(str::to_owned).collect()),
    }
}

/// What the reference says of nothing where there has to be something.
const NO_NODE: &str = "Cannot invoke \"Object.toString()\" because \"node\" is null";

fn text_of(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| java_text(value))
}

/// A number is milliseconds, a text has a unit.
fn time_ms(value: &Value) -> Result<Option<i64>> {
    let of_number = |ms: i64| match ms {
        ..-1 => Err(Error::illegal_argument(format!("duration cannot be negative, was given [{ms}]"))),
        ms => Ok(Some(ms)),
    };
    match value {
        Value::Null => Ok(None),
        Value::Int(ms) => of_number(*ms),
        // As Java cuts it to 64 bits.
        Value::UInt(ms) => of_number(ms.cast_signed()),
        Value::Float(ms) => of_number(*ms as i64),
        other => params::time_ms("XContentMapValues.nodeTimeValue", &java_text(other)).map(Some),
    }
}

/// A boolean that has to be said.
fn flag_said(key: &str, value: &Value) -> Result<bool> {
    said(value)?.map_err(|cause| unreadable(key, cause))
}

/// The boolean, or why it is none; nothing at all is an error of another kind.
fn said(value: &Value) -> Result<Result<bool>> {
    match value {
        Value::Null => Err(Error::new(ErrorKind::NullPointer, NO_NODE)),
        value => Ok(match java_text(value).as_str() {
            "" => Err(params::not_a_boolean("")),
            said => params::boolean(said),
        }),
    }
}

/// A boolean that says nothing where it is null or blank.
fn flag(key: &str, value: Option<&Value>, default: bool) -> Result<bool> {
    match value.and_then(text_of).filter(|text| !text.trim().is_empty()) {
        Some(text) => params::boolean(&text).map_err(|cause| unreadable(key, cause)),
        None => Ok(default),
    }
}

fn unreadable(key: &str, cause: Error) -> Error {
    Error::illegal_argument(format!("Could not convert [{key}] to boolean")).caused_by(cause)
}
