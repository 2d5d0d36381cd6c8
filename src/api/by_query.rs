//! `_update_by_query` and `_delete_by_query`; and what all operations by query share.

use super::background::follow;
use super::document::{BODY_PARAMS, SOURCE_PARAMS, validation_failed};
use super::index_options::INDEX_PARAMS;
use super::search::{
    COORDINATION_PARAMS, QUERY_PARAMS, SHARD_PARAMS, check_coordination, check_place, globally_by_address, scope,
};
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::by_query::status::Shown;
use crate::coordinate::by_query::{ByQuery, Work, check_enough, refused, run};
use crate::coordinate::write::parse_wait_for;
use crate::coordinate::{Core, clock};
use crate::tasks::{Description, Measured, NewTask};
use pith_engine::deprecated::note;
use pith_engine::java_order::java_ordered;
use pith_engine::json::{self, Map, Value};
use pith_engine::script::Script;
use pith_engine::search::{SearchRequest, TotalHits};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How an operation by query is carried out.
pub const RUN_PARAMS: &[&str] = &[
    "refresh",
    "timeout",
    "wait_for_active_shards",
    "wait_for_completion",
    "requests_per_second",
    "slices",
    "max_docs?",
];

const BY_QUERY_PARAMS: &[&str] = &[
    "conflicts",
    "scroll",
    "scroll_size",
    "search_timeout?",
    "search_type",
    "size",
    "sort",
    "from?",
    "stats",
    "terminate_after",
    "version?",
    "request_cache",
    "index?",
    "explain?",
    "seq_no_primary_term?",
    "track_scores?",
    "docvalue_fields",
    "stored_fields",
    "track_total_hits?",
    "include_named_queries_score?",
    "rest_total_hits_as_int",
    "search_pipeline",
    "verbose_pipeline?",
];

/// What of these says how the documents are found, and is read where a search is.
const OF_SEARCH: &[&str] = &[
    "version",
    "sort",
    "_source",
    "_source_includes",
    "_source_excludes",
    "terminate_after",
    "stats",
    "explain",
    "seq_no_primary_term",
    "track_scores",
    "docvalue_fields",
    "stored_fields",
    "track_total_hits",
    "include_named_queries_score",
    "search_pipeline",
    "verbose_pipeline",
];

const SCROLL_SIZE_DEFAULT: i32 = 1000;
/// Documents of a page that any index allows.
const PAGE_MAX: usize = 10_000;
const KEEP_ALIVE_DEFAULT_MS: i64 = 300_000;

type Params = &'static [&'static [&'static str]];

const UPDATE_PARAMS: Params = &[
    INDEX_PARAMS,
    QUERY_PARAMS,
    SHARD_PARAMS,
    SOURCE_PARAMS,
    BODY_PARAMS,
    COORDINATION_PARAMS,
    RUN_PARAMS,
    BY_QUERY_PARAMS,
    &["pipeline"],
];
/// All but what stands last.
const DELETE_PARAMS: Params = match UPDATE_PARAMS.split_last() {
    Some((_pipeline, others)) => others,
    None => UPDATE_PARAMS,
};

const fn route(path: &'static str, name: &'static str, params: Params, handler: super::Handler) -> Route {
    Route { method: Method::Post, path, name, params, handler }
}

pub const ROUTES: &[Route] = &[
    route("/_update_by_query", "update_by_query", UPDATE_PARAMS, |core, request| Box::pin(update(core, request))),
    route("/{index}/_update_by_query", "update_by_query", UPDATE_PARAMS, |core, request| {
        Box::pin(update(core, request))
    }),
    route("/{index}/_delete_by_query", "delete_by_query", DELETE_PARAMS, |core, request| {
        Box::pin(delete(core, request))
    }),
];

async fn update(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut body = body_of(&request)?;
    let script = body.remove("script").filter(|script| !script.is_null());
    let script = script.map(|script| script_of(&script)).transpose()?;
    let pipeline = request.param("pipeline").map(str::to_owned);
    let asked = ByQuery { script, ..by_query(&request, body, Work::Update { pipeline }, vec![])? };
    let description = format!("update-by-query [{}]{}", asked.scope.indexes.join(", "), asked.updated_with());
    let shown = Shown { updated: true, created: false, human: false };
    start(core, &request, asked, "indices:data/write/update/byquery", description, shown, Ok(())).await
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = body_of(&request)?;
    let mut problems = vec![];
    if !request.names_indexes() {
        problems.push("use _all if you really want to delete from all existing indexes".to_owned());
    }
    if body.get("query").is_none() && !request.has("q") {
        problems.push("query is missing".to_owned());
    }
    let asked = by_query(&request, body, Work::Delete, problems)?;
    let description = format!("delete-by-query [{}]", asked.scope.indexes.join(", "));
    let shown = Shown { updated: false, created: false, human: false };
    start(core, &request, asked, "indices:data/write/delete/byquery", description, shown, Ok(())).await
}

/// A script as this call reads it: of several fields that name one the last counts, and fields that are unknown are passed over.
fn script_of(value: &Value) -> Result<Arc<Script>> {
    let map = match value {
        Value::Object(map) => map,
        Value::String(_) => return Script::parse(value),
        _ => return Err(Error::illegal_argument("Script value should be a String or a Map")),
    };
    let parse_error = |what: String| Error::new(ErrorKind::Parse, what);
    let (mut named, mut stored, mut read) = (None, false, Map::default());
    for (key, value) in map.iter() {
        match key {
            "inline" => note("Deprecated field [inline] used, expected [source] instead"),
            "stored" => note("Deprecated field [stored] used, expected [id] instead"),
            "source" | "id" | "lang" | "params" | "options" => {}
            _ => note(format!("script section does not support [{key}]")),
        }
        let is_text = matches!(value, Value::String(_) | Value::Null);
        match key {
            "source" | "inline" | "id" | "stored" | "lang" if !is_text => {
                return Err(parse_error(format!("Value must be of type String: [{key}]")));
            }
            "params" | "options" if value.is_null() => {
                return Err(Error::without_reason(ErrorKind::NullPointer));
            }
            "params" | "options" if value.as_object().is_none() => {
                return Err(parse_error(format!("Value must be of type Map: [{key}]")));
            }
            "source" | "inline" | "id" | "stored" => {
                (named, stored) = (Some(value.clone()), matches!(key, "id" | "stored"));
            }
            "options" => {}
            "lang" | "params" if !value.is_null() => read.insert(key, value.clone()),
            _ => {}
        }
    }
    let Some(named) = named.filter(|named| !named.is_null()) else {
        return Err(parse_error("Expected one of [source] or [id] fields, but found none".to_owned()));
    };
    if stored && read.get("lang").is_some() {
        return Err(Error::illegal_argument("[lang] cannot be specified for stored scripts"));
    }
    if let Some(options @ Value::Object(given)) = map.get("options")
        && !stored
        && !given.is_empty()
    {
        let options = json::java_text(options);
        return Err(Error::illegal_argument(format!("Unrecognized compile-time parameter(s): {options}")));
    }
    read.insert(if stored { "id" } else { "source" }, named);
    Script::parse(&Value::Object(read))
}

fn body_of(request: &ApiRequest) -> Result<Map> {
    match request.body_opt()? {
        None => Ok(Map::default()),
        Some(body) => match json::parse_prefix(&body)? {
            // It is written anew from a hash map before it is read as a search, which shows in where errors are.
            (Value::Object(map), _) => Ok(java_ordered(map)),
            // Whatever else it is says nothing.
            _ => Ok(Map::default()),
        },
    }
}

/// `problems` are those of the operation itself; they are told after those of its search.
fn by_query(request: &ApiRequest, mut body: Map, work: Work, problems: Vec<String>) -> Result<ByQuery> {
    let mut take = |name: &str| {
        let at = body.entries.iter().position(|entry| entry.key == name)?;
        Some(body.entries.remove(at).value)
    };
    if request.has("size") {
        note(SIZE_DEPRECATED);
    }
    // What is null here is not given. The URL wins, but what the body says has to be right all the same.
    let conflicts = match take("conflicts") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => return Err(json::no_cast(&other, "java.lang.String")),
    };
    proceeds(conflicts.as_deref())?;
    let conflicts = request.param("conflicts").map(str::to_owned).or(conflicts);
    let of_body = match take("max_docs") {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_f64() {
            Some(number) => Some(number as i64),
            None => return Err(json::no_cast(&value, "java.lang.Number")),
        },
    };
    let most: Vec<i64> = of_body.into_iter().chain(request.int_opt("size")?.map(i64::from)).collect();
    // As many slices as the body knows of.
    check_enough(agreed(&most)?, Some(1))?;
    let scroll_size = request.int_opt("scroll_size")?;
    let mut parameters: Vec<(String, String)> = vec![];
    let of_query = |name: &str| QUERY_PARAMS.iter().any(|known| known.trim_end_matches('?') == name);
    parameters.extend(request.params().iter().filter(|(name, _)| of_query(name)).cloned());
    for name in OF_SEARCH {
        parameters.extend(request.param(name).map(|value| ((*name).to_owned(), value.to_owned())));
    }
    // Every page asks all shards in one message and fails with any of them: what these say is only checked.
    check_coordination(request)?;
    // The first place is where all begin.
    let from = request.int("from", 0)?;
    let told = from != 0 || request.has("from") && matches!(work, Work::Delete);
    parameters.extend(told.then(|| ("from".to_owned(), from.to_string())));
    parameters.extend(request.param("search_type").map(|value| ("search_type".to_owned(), value.to_owned())));
    request.time_ms_opt("search_timeout")?;
    if let Some(timeout) = request.param("search_timeout") {
        parameters.push(("timeout".into(), timeout.to_owned()));
    }
    let cached = request.given_flag("request_cache")? == Some(true);
    let page = Page { scroll_size, sized: body.get("size").is_some(), cached };
    let (search, mut wrong) = page.search(&Value::Object(body), &parameters)?;
    check_place(request, &search)?;
    let asked = ByQuery { scope: scope(request)?, ..options(request, work, search, conflicts.as_deref(), &most)? };
    request.check_known()?;
    wrong.extend(problems_of(request, &asked));
    wrong.extend(problems);
    validation_failed(&wrong)?;
    Ok(asked)
}

fn check_page_size(size: i32) -> Result<()> {
    if size < 0 {
        return Err(Error::illegal_argument(format!("[size] parameter cannot be negative, found [{size}]")));
    }
    Ok(())
}

/// How the documents are gone through, page by page.
#[derive(Clone, Copy)]
pub struct Page {
    /// Documents of a page, where it is not the body that says it.
    pub scroll_size: Option<i32>,
    /// The body says it.
    pub sized: bool,
    /// Results are to be kept, which pages of a scroll cannot be.
    pub cached: bool,
}

impl Page {
    /// The search of a page, with what a conflict is known by; and what it may not ask for here, which is told once all else
    /// has been read.
    pub fn search(self, body: &Value, parameters: &[(String, String)]) -> Result<(SearchRequest, Vec<String>)> {
        let mut search = SearchRequest::parse(Some(&body.to_bytes()), parameters)?;
        let of_body = i32::try_from(search.size).ok().filter(|_| self.sized);
        let scroll_size = self.scroll_size.or(of_body).unwrap_or(SCROLL_SIZE_DEFAULT);
        check_page_size(scroll_size)?;
        let problems = self.problems(&search, scroll_size, body, parameters);
        let search_type = parameters.iter().rev().find(|(name, _)| name == "search_type");
        // Scores are of no matter here.
        globally_by_address(search_type.map(|(_, value)| value.as_str()))?;
        search.size = scroll_size.max(1) as usize;
        search.total_hits = TotalHits::Exact;
        search.version = true;
        search.seq_no_primary_term = true;
        if search.sort.is_empty() {
            // No order is asked for, so none is paid for.
            search.sort = SearchRequest::parse(Some(br#"{"sort":["_doc"]}"#), &[])?.sort;
        }
        Ok((search, problems))
    }

    fn problems(
        self,
        search: &SearchRequest,
        scroll_size: i32,
        body: &Value,
        parameters: &[(String, String)],
    ) -> Vec<String> {
        let mut problems = vec![];
        let mut refuse = |wrong: bool, problem: &str| {
            if wrong {
                problems.push(problem.to_owned());
            }
        };
        let counts_less = search.total_hits_given && search.total_hits != TotalHits::Exact;
        refuse(counts_less, "disabling [track_total_hits] is not allowed in a scroll context");
        refuse(search.from > 0, "using [from] is not allowed in a scroll context");
        refuse(scroll_size == 0, "[size] cannot be [0] in a scroll context");
        refuse(!search.rescore.is_empty(), "using [rescore] is not allowed in a scroll context");
        refuse(self.cached, "[request_cache] cannot be used in a scroll context");
        let pit = search.point_in_time.is_some();
        refuse(pit, "using [point in time] is not allowed in a scroll context");
        for name in ["from", "stored_fields"] {
            let given = body.get(name).is_some() || parameters.iter().any(|(given, _)| given == name);
            refuse(given, &format!("{name} is not supported in this context"));
        }
        problems
    }
}

/// What an operation may not ask for, told once all else has been read.
pub fn problems_of(request: &ApiRequest, asked: &ByQuery) -> Vec<String> {
    let none = "maxDocs should be greater than 0 if the request is limited to some number of documents or -1 if it isn't but it was [0]";
    let sliced = asked.slices != Some(1) && request.has("slices") && asked.request.slice.is_some();
    let checks = [
        (asked.max_docs == Some(0), none),
        (sliced, "can't specify both manual and automatic slicing at the same time"),
    ];
    checks.into_iter().filter(|(fails, _)| *fails).map(|(_, problem)| problem.to_owned()).collect()
}

/// What all operations by query read of the URL, in the reference's order; `most` is how many documents body and search want at
/// most.
pub fn options(
    request: &ApiRequest,
    work: Work,
    mut search: SearchRequest,
    conflicts: Option<&str>,
    most: &[i64],
) -> Result<ByQuery> {
    let proceed = proceeds(conflicts)?;
    if search.slice.as_ref().is_some_and(|slice| !slice.has_id()) {
        return Err(Error::illegal_argument("sliceId must be greater than 0 but was [-1]"));
    }
    let keep_alive = request.time_ms("scroll", KEEP_ALIVE_DEFAULT_MS)?;
    if keep_alive < 0 {
        let nanos = keep_alive.saturating_mul(1_000_000);
        return Err(Error::illegal_argument(format!("duration cannot be negative, was given [{nanos}]")));
    }
    let refresh = request.flag("refresh", false)?;
    let timeout_ms = request.time_ms("timeout", super::document::WRITE_TIMEOUT_MS)?;
    let slices = slices(request)?;
    let wait_for = request.param("wait_for_active_shards").map(parse_wait_for).transpose()?;
    let requests_per_second = requests_per_second(request)?.unwrap_or(f32::INFINITY);
    let of_url = request.int_opt("max_docs")?.map(i64::from);
    let max_docs = agreed(&most.iter().copied().chain(of_url).collect::<Vec<_>>())?;
    if of_url.is_some() {
        check_enough(max_docs, slices)?;
    }
    if let Some(max) = max_docs {
        // A page that may be too large for the indexes is told so as it was asked for.
        if search.size <= PAGE_MAX {
            search.size = search.size.min(usize::try_from(max).unwrap_or(usize::MAX)).max(1);
        }
    }
    Ok(ByQuery {
        work,
        script: None,
        request: search,
        scope: scope(request)?,
        remote: None,
        keep_alive: Duration::from_millis(keep_alive.max(0) as u64),
        max_docs,
        proceed,
        slices,
        requests_per_second,
        refresh,
        wait_for,
        timeout_ms,
    })
}

/// What a client is told that says `size` for `max_docs`.
pub const SIZE_DEPRECATED: &str = "Deprecated field [size] used, expected [max_docs] instead";

/// The one number that all of these are.
pub fn agreed(numbers: &[i64]) -> Result<Option<u64>> {
    let mut found: Option<i64> = None;
    for value in numbers.iter().copied() {
        if let Some(other) = found.replace(value).filter(|other| *other != value) {
            let reason = format!("[max_docs] set to two different values [{other}] and [{value}]");
            return Err(Error::illegal_argument(reason));
        }
        if value < 0 {
            return Err(Error::illegal_argument(format!("[max_docs] parameter cannot be negative, found [{value}]")));
        }
    }
    Ok(found.map(|value| value as u64))
}

/// Whether conflicts are passed over.
pub fn proceeds(conflicts: Option<&str>) -> Result<bool> {
    match conflicts {
        None | Some("abort") => Ok(false),
        Some("proceed") => Ok(true),
        Some(other) => {
            let reason = format!("conflicts may only be \"proceed\" or \"abort\" but was [{other}]");
            Err(Error::illegal_argument(reason))
        }
    }
}

fn slices(request: &ApiRequest) -> Result<Option<u32>> {
    match request.param("slices") {
        None => Ok(Some(1)),
        Some("auto") => Ok(None),
        Some(text) => match text.parse::<u32>() {
            Ok(slices @ 1..=1024) => Ok(Some(slices)),
            Ok(slices @ 1025..) => Err(Error::illegal_argument(format!(
                "The number of slices [{slices}] is too large. It must be less than [1024]. This limit can be set by changing the [index.max_slices_per_scroll] index level setting."
            ))),
            parsed => {
                let what = format!("[slices] must be a positive integer or the string \"auto\", but was [{text}]");
                let error = Error::illegal_argument(what);
                Err(if parsed.is_err() && text.parse::<i64>().is_err() {
                    error.caused_by(no_number(text))
                } else {
                    error
                })
            }
        },
    }
}

fn no_number(text: &str) -> Error {
    Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))
}

/// The speed that the URL asks for.
pub fn requests_per_second(request: &ApiRequest) -> Result<Option<f32>> {
    let Some(text) = request.param("requests_per_second") else { return Ok(None) };
    let refuse = || {
        Error::illegal_argument("[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.")
    };
    let cause = || match text {
        "" => Error::new(ErrorKind::NumberFormat, "empty String"),
        _ => no_number(text),
    };
    // As numbers are spelled in Java. Nothing is slowed down by a speed that is no number.
    let number = match text.trim() {
        "NaN" | "+NaN" | "-NaN" | "Infinity" | "+Infinity" => return Ok(Some(f32::INFINITY)),
        "-Infinity" => return Err(refuse()),
        text => text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text),
    };
    let parsed = if number.contains(['n', 'N']) { Err(()) } else { number.parse::<f32>().map_err(drop) };
    match parsed.map_err(|()| refuse().caused_by(cause()))? {
        -1.0 => Ok(Some(f32::INFINITY)),
        speed if speed > 0.0 => Ok(Some(speed)),
        _ => Err(refuse()),
    }
}

/// Runs the operation as a task: to its end, or in the background, where what `checked` found wrong is the task's own.
pub async fn start(
    core: Rc<Core>,
    request: &ApiRequest,
    asked: ByQuery,
    action: &'static str,
    description: String,
    shown: Shown,
    checked: Result<()>,
) -> Result<Reply> {
    let wait = request.flag("wait_for_completion", true)?;
    let began = Instant::now();
    let opaque_id = request.opaque_id.as_deref().map(Into::into);
    let new = NewTask::request(action, opaque_id).cancellable().described(Description::Text(description));
    let running = core.tasks.begin(new);
    let task = running.task().clone();
    // What is told later is told without regard to the operation.
    let shown = match wait {
        true => Shown { human: request.common.human, ..shown },
        false => Shown::ALL,
    };
    if wait {
        checked?;
        let outcome = Measured::new(running, Box::pin(run(&core, &asked, &task))).await?;
        return Ok(Reply::json(outcome.http_status(), outcome.body(shown, clock::took_ms(began))));
    }
    let work = {
        let core = core.clone();
        async move {
            checked.inspect_err(|_| refused(&task))?;
            let outcome = run(&core, &asked, &task).await?;
            Ok(outcome.body(shown, clock::took_ms(began)))
        }
    };
    Ok(follow(&core, running, work))
}
