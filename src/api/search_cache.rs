//! Which searches may be answered from what shards keep, and what their results are kept under.
//!
//! Judged by the text of a request: it is enough that no request passes whose answer could differ from the last one on the
//! same documents. Some that could pass do not; they are computed.

use super::params;
use crate::cluster::State;
use crate::coordinate::CacheAsk;
use pith_engine::Result;
use pith_engine::search::SearchRequest;
use std::sync::Arc;

/// URL parameters that the result of a shard does not depend on.
const PASSED_OVER: &[&str] = &[
    "index",
    "request_cache",
    "routing",
    "preference",
    "pretty",
    "human",
    "error_trace",
    "filter_path",
    "format",
    "typed_keys",
    "ignore_unavailable",
    "allow_no_indices",
    "expand_wildcards",
    "ignore_throttled",
    "allow_partial_search_results",
    "batched_reduce_size",
    "pre_filter_shard_size",
    "max_concurrent_shard_requests",
    "cancel_after_time_interval",
    "ccs_minimize_roundtrips",
    "search_type",
];

/// What makes an answer depend on more than the documents: chance, clocks, other documents, names of indexes.
const UNSTEADY: &[&str] =
    &["random", "currentTimeMillis", "nanoTime", "Date()", "\"like\"", "indices_boost", "percolate", "\"template\""];

/// What results may be kept under; none if they may not be kept.
pub fn ask(
    state: &State,
    search: &SearchRequest,
    body: Option<&[u8]>,
    given: &[(String, String)],
    wanted: Option<bool>,
) -> Result<Option<CacheAsk>> {
    let tells_cost = given.iter().any(|(name, value)| name == "cost" && value != "false");
    if tells_cost || wanted == Some(false) || search.profile || search.point_in_time.is_some() || search.slice.is_some()
    {
        return Ok(None);
    }
    if wanted.is_none() && search.size > largest(state)? {
        return Ok(None);
    }
    let body = std::str::from_utf8(body.unwrap_or_default()).unwrap_or("now");
    let relevant = given.iter().filter(|(name, _)| !PASSED_OVER.contains(&name.as_str()));
    let mut key = body.to_owned();
    for (name, value) in relevant {
        key.extend(["\0", name, "=", value]);
    }
    if !is_steady(&key) {
        return Ok(None);
    }
    if key.contains("script") {
        // A script may be a stored one, which changes with the state.
        key.push_str(&format!("\0{}", state.version));
    }
    Ok(Some(CacheAsk { key: Arc::from(key.into_bytes()), wanted: wanted == Some(true) }))
}

/// The largest page that is kept without being asked for.
fn largest(state: &State) -> Result<usize> {
    let name = "indices.requests.cache.maximum_cacheable_size";
    let most = state.cluster_setting(name).map(|text| params::int(name, &text)).transpose()?;
    Ok(usize::try_from(most.unwrap_or(0)).unwrap_or(0))
}

fn is_steady(text: &str) -> bool {
    // A decay without an origin begins at this moment.
    let decays = ["\"gauss\"", "\"exp\"", "\"linear\""].iter().any(|name| text.contains(name));
    !has_word(text, "now")
        && !UNSTEADY.iter().any(|part| text.contains(part))
        && (!decays || text.contains("\"origin\""))
}

/// Whether `word` stands in the text by itself.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinate::Core;

    fn key(body: &str, params: &[(&str, &str)], wanted: Option<bool>) -> Option<CacheAsk> {
        let params: Vec<(String, String)> = params.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let search = SearchRequest::parse(Some(body.as_bytes()), &params).unwrap();
        ask(&Core::for_test().state(), &search, Some(body.as_bytes()), &params, wanted).unwrap()
    }

    #[test]
    fn pages_without_hits_are_kept_and_others_when_asked_for() {
        let same = |a: Option<CacheAsk>, b: Option<CacheAsk>| a.unwrap().key == b.unwrap().key;
        assert!(key(r#"{"size":0}"#, &[], None).is_some());
        assert!(key(r#"{"size":1}"#, &[], None).is_none());
        assert!(key(r#"{"size":1}"#, &[], Some(true)).unwrap().wanted);
        assert!(key(r#"{"size":0}"#, &[], Some(false)).is_none());
        assert!(key(r#"{"size":0,"profile":true}"#, &[], Some(true)).is_none());
        assert!(same(key("", &[("size", "0"), ("pretty", "true")], None), key("", &[("size", "0")], None)));
        assert!(!same(key("", &[("size", "0"), ("q", "a")], None), key("", &[("size", "0")], None)));
        // Totals that are to be a number are counted to the end.
        assert!(!same(
            key("", &[("size", "0"), ("rest_total_hits_as_int", "true")], None),
            key("", &[("size", "0")], None)
        ));
    }

    #[test]
    fn answers_that_may_change_are_not_kept() {
        let kept = |query: &str| key(&format!(r#"{{"size":0,"query":{query}}}"#), &[], None).is_some();
        assert!(kept(r#"{"range":{"d":{"gte":"2020-01-01"}}}"#));
        assert!(!kept(r#"{"range":{"d":{"gte":"now-1d/d"}}}"#));
        assert!(kept(r#"{"match":{"t":"known nowhere"}}"#));
        assert!(!kept(r#"{"function_score":{"random_score":{}}}"#));
        assert!(!kept(r#"{"function_score":{"gauss":{"d":{"scale":"1d"}}}}"#));
        assert!(kept(r#"{"function_score":{"gauss":{"d":{"scale":"1d","origin":"2020-01-01"}}}}"#));
    }
}
