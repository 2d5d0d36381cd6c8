//! Searching: `_search`.

use super::body::PARSE_BYTES_MAX;
use super::document::{BODY_PARAMS, SOURCE_PARAMS};
use super::index_options::{INDEX_PARAMS, index_options};
use super::{ApiRequest, Method, Reply, Route, search_cache};
use crate::cluster::{IndicesOptions, State};
use crate::coordinate::Core;
use crate::coordinate::search::{Scope, SearchOptions, search};
use pith_engine::search::{SearchRequest, SortBy, TotalHits};
use pith_engine::{Error, ErrorKind, Result, deprecated};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

/// Parameters of a query string query.
pub const QUERY_PARAMS: &[&str] = &["q", "df?", "analyzer?", "analyze_wildcard?", "default_operator?", "lenient?"];
/// Which shards are asked, and how.
pub const SHARD_PARAMS: &[&str] = &["routing", "preference"];
/// What the engine reads.
const SEARCH_PARAMS: &[&str] = &[
    "from?",
    "size?",
    "sort",
    "explain?",
    "version?",
    "seq_no_primary_term?",
    "timeout?",
    "terminate_after?",
    "stored_fields",
    "docvalue_fields",
    "track_scores?",
    "track_total_hits?",
    "stats",
    "suggest_field",
    "suggest_mode?",
    "suggest_size?",
    "suggest_text?",
    "rest_total_hits_as_int",
    "typed_keys",
    "include_named_queries_score?",
];
/// What the coordinating core reads.
const COORDINATE_PARAMS: &[&str] =
    &["search_type", "scroll", "request_cache", "search_pipeline", "verbose_pipeline?", "index?", "cost?"];

/// How the parts of a search are brought together. Searches by query only check it ([`check_coordination`]).
pub const COORDINATION_PARAMS: &[&str] = &[
    "batched_reduce_size",
    "pre_filter_shard_size?",
    "max_concurrent_shard_requests?",
    "allow_partial_search_results?",
    "cancel_after_time_interval",
    "ccs_minimize_roundtrips",
    "phase_took?",
];

/// All that a search may say.
pub const SEARCH_ALL_PARAMS: &[&[&str]] = &[
    INDEX_PARAMS,
    QUERY_PARAMS,
    SHARD_PARAMS,
    SOURCE_PARAMS,
    BODY_PARAMS,
    SEARCH_PARAMS,
    COORDINATE_PARAMS,
    COORDINATION_PARAMS,
];

const fn route(method: Method, path: &'static str) -> Route {
    Route {
        method,
        path,
        name: "search",
        params: SEARCH_ALL_PARAMS,
        handler: |core, request| rt::boxed(|| run(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_search"),
    route(Method::Post, "/_search"),
    route(Method::Get, "/{index}/_search"),
    route(Method::Post, "/{index}/_search"),
];

pub async fn run(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let body = request.body_opt()?;
    Ok(Reply::json(200, run_body(&core, &request, body.as_deref()).await?))
}

/// Runs the search that a body and the request's parameters describe; gives the body of the answer.
pub async fn run_body(core: &Core, request: &ApiRequest, body: Option<&[u8]>) -> Result<Vec<u8>> {
    let state = core.state();
    let mut options = match options(request, &state) {
        Ok(options) => options,
        Err(error) => {
            // What is wrong with the body is told before what is wrong with these parameters.
            parse_request(body, &[]).await?;
            return Err(error);
        }
    };
    let mut search_request = parse_request(body, request.params()).await?;
    let cached = request.flag_opt("request_cache")?;
    options.scroll = super::scroll::keep_alive(request, "scroll")?;
    let scope = scope(request)?;
    search_request.settle_total_hits()?;
    request.check_known()?;
    validate(request, &search_request)?;
    search_request.human = request.common.human;
    if options.scroll.is_some() {
        search_request.total_hits = TotalHits::Exact;
    }
    options.cache = search_cache::ask(&state, &search_request, body, request.params(), cached)?;
    let search_request = Arc::new(search_request);
    let answer = search(core, &search_request, &scope, &options).await;
    if search_request.body_bytes > PARSE_BYTES_MAX {
        // Freeing a tree of a million nodes takes as long as making it.
        rt::offload(move || drop(search_request)).await;
    }
    answer
}

/// Refuses what the address alone says wrong, for searches whose body is still to be made.
pub async fn check_address(core: &Core, request: &ApiRequest) -> Result<()> {
    options(request, &core.state())?;
    parse_request(None, request.params()).await?;
    request.flag_opt("request_cache")?;
    super::scroll::keep_alive(request, "scroll")?;
    scope(request).map(drop)
}

/// Runs `work` off the core; what it notes of deprecated things is noted here.
pub async fn offload_noting<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, notes) = rt::offload(move || {
        let mut notes = vec![];
        (deprecated::collect(&mut notes, work), notes)
    })
    .await;
    notes.into_iter().for_each(deprecated::note);
    done
}

/// The search that a body and parameters describe; its total hits are still to be settled.
async fn parse_request(body: Option<&[u8]>, params: &[(String, String)]) -> Result<SearchRequest> {
    match body {
        Some(body) if body.len() > PARSE_BYTES_MAX => {
            let (body, params) = (body.to_vec(), params.to_vec());
            offload_noting(move || SearchRequest::read(Some(&body), &params)).await
        }
        _ => SearchRequest::read(body, params),
    }
}

/// A point in time has its own shards: nothing else may say which are asked.
pub fn check_place(request: &ApiRequest, search: &SearchRequest) -> Result<()> {
    if search.point_in_time.is_none() {
        return Ok(());
    }
    let options = INDEX_PARAMS.iter().any(|name| request.has(name.trim_end_matches('?')));
    let given = [
        (request.names_indexes(), "indices"),
        (options, "indicesOptions"),
        (request.has("routing"), "routing"),
        (request.has("preference"), "preference"),
    ];
    let refused = given.iter().filter(|(given, _)| *given);
    let problems: Vec<String> =
        refused.map(|(_, what)| format!("[{what}] cannot be used with point in time")).collect();
    super::document::validation_failed(&problems)
}

/// What is told of sorting by places where a scroll goes through them.
const NO_PLACES: &str = "_shard_doc cannot be used with scroll. Use PIT + search_after instead.";

/// What a search may not ask for at all, whatever its indexes are.
fn validate(request: &ApiRequest, search: &SearchRequest) -> Result<()> {
    let mut problems: Vec<String> = vec![];
    let mut refuse = |wrong: bool, problem: &str| {
        if wrong {
            problems.push(problem.to_owned());
        }
    };
    let scrolls = request.has("scroll");
    check_place(request, search)?;
    let is_place = |by: &SortBy| {
        matches!(by, SortBy::ShardDoc) || matches!(by, SortBy::Field(field) if field.name == "_shard_doc")
    };
    let by_place = search.sort.iter().any(|sort| is_place(&sort.by));
    if search.point_in_time.is_some() {
        refuse(scrolls, "using [point in time] is not allowed in a scroll context");
        refuse(scrolls && by_place, NO_PLACES);
        return super::document::validation_failed(&problems);
    }
    if scrolls {
        let counts_less = search.total_hits_given && search.total_hits != TotalHits::Exact;
        refuse(counts_less, "disabling [track_total_hits] is not allowed in a scroll context");
        refuse(search.from > 0, "using [from] is not allowed in a scroll context");
        refuse(search.size == 0, "[size] cannot be [0] in a scroll context");
        refuse(!search.rescore.is_empty(), "using [rescore] is not allowed in a scroll context");
        let cached = request.flag_opt("request_cache")? == Some(true);
        refuse(cached, "[request_cache] cannot be used in a scroll context");
        refuse(by_place, NO_PLACES);
    }
    refuse(by_place, "_shard_doc is only supported with point-in-time (PIT). Add a PIT or remove _shard_doc.");
    super::document::validation_failed(&problems)
}

/// Indexes, routing and preference of a request.
pub fn scope(request: &ApiRequest) -> Result<Scope> {
    Ok(Scope {
        indexes: request.list("index").into_iter().map(str::to_owned).collect(),
        options: index_options(request, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?,
        routing: request.param("routing").map(str::to_owned),
        preference: request.param("preference").map(str::to_owned),
    })
}

/// What says how parts of a search are brought together: how many shards are reduced at once, and from how many on they are
/// asked first whether anything can match.
struct Batches {
    reduced: Option<i32>,
    pre_filter: Option<i32>,
}

/// Refuses what a search may not say of how it is coordinated.
pub fn check_coordination(request: &ApiRequest) -> Result<()> {
    batches(request)?;
    allow_partial(request, true)?;
    for flag in ["phase_took", "rest_total_hits_as_int"] {
        request.flag_opt(flag)?;
    }
    request.time_ms_opt("cancel_after_time_interval")?;
    Ok(())
}

fn batches(request: &ApiRequest) -> Result<Batches> {
    let at_least = |name: &str, shown: &str, least: i32| match request.int_opt(name)? {
        Some(value) if value < least => Err(Error::illegal_argument(format!("{shown} must be >= {least}"))),
        value => Ok(value),
    };
    let batched = at_least("batched_reduce_size", "batchedReduceSize", 2)?;
    // All shards of a core are asked in one message: a bound of concurrent requests would save nothing. It is only checked.
    let pre_filter = at_least("pre_filter_shard_size", "preFilterShardSize", 1)?;
    at_least("max_concurrent_shard_requests", "maxConcurrentShardRequests", 1)?;
    // There are no remote clusters, so there are no round trips to save.
    request.flag_opt("ccs_minimize_roundtrips")?;
    Ok(Batches { reduced: batched, pre_filter })
}

/// Whether an answer without some shards will do. Unlike other flags it may not stand there without a value.
fn allow_partial(request: &ApiRequest, default: bool) -> Result<bool> {
    if request.param("allow_partial_search_results").is_some_and(|value| value.trim().is_empty()) {
        return Err(Error::new(ErrorKind::NullPointer, NO_FLAG));
    }
    request.flag("allow_partial_search_results", default)
}

const NO_FLAG: &str = "Cannot invoke \"java.lang.Boolean.booleanValue()\" because the return value of \
     \"org.opensearch.rest.RestRequest.paramAsBoolean(String, java.lang.Boolean)\" is null";

/// How the search is carried out.
fn options(request: &ApiRequest, state: &State) -> Result<SearchOptions> {
    let batches = batches(request)?;
    let of_cluster = options_of(state);
    let allow_partial = allow_partial(request, of_cluster.allow_partial)?;
    let global_statistics = globally_by_address(request.param("search_type"))?;
    let mut options = SearchOptions {
        allow_partial,
        global_statistics,
        cancel_after_ms: cancel_after(request, state)?,
        cost: request.flag("cost", false)?,
        ..of_cluster
    };
    options.phase_took = request.flag("phase_took", options.phase_took)?;
    if let Some(size) = batches.reduced {
        options.batched_reduce_size = size.unsigned_abs() as usize;
    }
    if let Some(size) = batches.pre_filter {
        options.pre_filter_shard_size = Some(size.unsigned_abs() as usize);
    }
    Ok(options)
}

/// When a search is given up: as the request says, else as the cluster's settings do; never if neither does.
pub fn cancel_after(request: &ApiRequest, state: &State) -> Result<Option<i64>> {
    let name = "cancel_after_time_interval";
    let wanted = match request.time_ms_opt(name)? {
        Some(ms) => Some(ms),
        None => match state.cluster_setting("search.cancel_after_time_interval") {
            Some(text) => Some(super::params::time_ms(name, &text)?),
            None => None,
        },
    };
    Ok(wanted.filter(|ms| *ms >= 0))
}

/// How searches are carried out that say nothing of it.
pub fn options_of(state: &State) -> SearchOptions {
    let is = |name: &str, value: &str| state.cluster_setting(name).as_deref() == Some(value);
    SearchOptions {
        allow_partial: !is("search.default_allow_partial_results", "false"),
        phase_took: is("search.phase_took_enabled", "true"),
        counted: !is("search.request_stats_enabled", "false"),
        ..SearchOptions::default()
    }
}

/// [`globally`] where an address names the type: it tells of those that there were once.
pub fn globally_by_address(search_type: Option<&str>) -> Result<bool> {
    if let Some(gone @ ("query_and_fetch" | "dfs_query_and_fetch")) = search_type {
        return Err(Error::illegal_argument(format!("Unsupported search type [{gone}]")));
    }
    globally(search_type)
}

/// Whether a type of search goes by the statistics of all shards.
pub fn globally(search_type: Option<&str>) -> Result<bool> {
    match search_type {
        None | Some("query_then_fetch") => Ok(false),
        Some("dfs_query_then_fetch") => Ok(true),
        Some(other) => Err(Error::illegal_argument(format!("No search type for [{other}]"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_checked() {
        let state = Core::for_test().state();
        let reason = |params: &[(&str, &str)]| {
            options(&ApiRequest::for_test(&ROUTES[0], params, ""), &state).unwrap_err().reason().to_owned()
        };
        assert_eq!(reason(&[("batched_reduce_size", "1")]), "batchedReduceSize must be >= 2");
        assert_eq!(reason(&[("pre_filter_shard_size", "0")]), "preFilterShardSize must be >= 1");
        let request = ApiRequest::for_test(&ROUTES[0], &[("cancel_after_time_interval", "1s")], "");
        assert_eq!(options(&request, &state).unwrap().cancel_after_ms, Some(1_000));
        let request = ApiRequest::for_test(&ROUTES[0], &[("search_type", "foo")], "");
        assert_eq!(options(&request, &state).unwrap_err().reason(), "No search type for [foo]");
    }

    #[test]
    fn bodies_are_read_before_types_of_searches() {
        let core = Core::for_test();
        let request = ApiRequest::for_test(&ROUTES[0], &[("search_type", "count")], "");
        let reason = |body: &str| {
            let ran = futures_lite::future::block_on(run_body(&core, &request, Some(body.as_bytes())));
            ran.unwrap_err().reason().to_owned()
        };
        assert_eq!(reason(r#"{"none":1}"#), "Unknown key for a VALUE_NUMBER in [none].");
        assert_eq!(reason("{}"), "No search type for [count]");
    }
}
