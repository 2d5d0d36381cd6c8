//! How a search of a shard begins: where all that is asked is known already, none is made.

use super::check::{check, first_refusal};
use super::request::SearchRequest;
use super::result::ShardResult;
use super::shard_search::{Reads, ShardScope, ShardSearch};
use crate::error::{ErrorKind, Result};
use crate::query::ShardContext;
use crate::score::{Plan, known_count};
use std::sync::Arc;

/// What a search is when its query has been planned.
pub enum Begun {
    /// All that was asked is known already.
    Answered(ShardResult),
    Searching(Box<ShardSearch>),
}

impl ShardSearch {
    /// The search of a part, or of an earlier point in time, as `scope` says; with its plan, if that was made elsewhere.
    pub fn begin(
        request: &Arc<SearchRequest>,
        cx: &ShardContext,
        scope: &ShardScope,
        plan: Option<Plan>,
    ) -> Result<Begun> {
        let plan = match plan {
            Some(plan) => plan,
            None => match Self::plan(request, cx) {
                // How many terms a pattern comes to is not found out where a slice leaves the shard out.
                Err(error) if error.kind() == ErrorKind::TooManyClauses && scope.is_left_out() => Plan::nothing(""),
                plan => plan?,
            },
        };
        let begun = match counted(request, cx, scope, &plan)? {
            Some(result) => return Ok(Begun::Answered(result)),
            None => Self::planned(request, cx.clone(), scope, plan),
        };
        begun.map(Begun::Searching).map_err(|error| first_refusal(request, cx, error))
    }
}

/// The answer to a request that wants nothing but the number of its query's matches, where that is known.
fn counted(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope, plan: &Plan) -> Result<Option<ShardResult>> {
    let counts_alone = request.first_window() == 0
        && request.sort.is_empty()
        && request.rescore.is_empty()
        && request.aggs.as_ref().is_none_or(|aggs| aggs.is_empty())
        && request.collapse.is_none()
        && request.post_filter.is_none()
        && request.min_score.is_none()
        && request.terminate_after.is_none()
        && cx.profile.is_none()
        && scope.slice.is_none()
        && !matches!(scope.reads, Reads::ScrollOn(_));
    let Some(limit) = request.total_hits.limit().filter(|_| counts_alone) else { return Ok(None) };
    let Some(total) = known_count(plan, &cx.snapshot, limit) else { return Ok(None) };
    check(request, cx, scope)?;
    Ok(Some(ShardResult { total, total_is_lower_bound: total > limit, ..ShardResult::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::shard;
    use crate::search::{Budget, Step};

    const MAPPING: &str = r#"{"properties":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"integer"}}}"#;
    const SEGMENTS: [&[&str]; 3] = [
        &[r#"{"t":"a b","k":"x","n":1}"#, r#"{"t":"a","n":2}"#],
        &[r#"{"t":"b","k":"x"}"#],
        &[r#"{"t":"a a","k":"y"}"#, r#"{"t":"c a"}"#, r#"{"t":"c"}"#],
    ];

    fn request(body: &str) -> Arc<SearchRequest> {
        Arc::new(SearchRequest::parse(Some(body.as_bytes()), &[]).unwrap())
    }

    fn begin(cx: &ShardContext, request: &Arc<SearchRequest>) -> Option<ShardResult> {
        match ShardSearch::begin(request, cx, &ShardScope::default(), None).unwrap() {
            Begun::Answered(result) => Some(result),
            Begun::Searching(_) => None,
        }
    }

    #[test]
    fn what_is_known_is_what_a_search_counts() {
        let cx = shard(MAPPING, &SEGMENTS);
        for query in
            [r#"{"match":{"t":"a"}}"#, r#"{"match":{"t":"none"}}"#, r#"{"term":{"k":{"value":"x","boost":2}}}"#]
        {
            for limit in ["true", "1", "2", "3", "100"] {
                let request = request(&format!(r#"{{"size":0,"track_total_hits":{limit},"query":{query}}}"#));
                let known = begin(&cx, &request).expect("a term where nothing is deleted");
                let mut search = ShardSearch::new(&request, cx.clone()).unwrap();
                while search.run(&Budget::unlimited()).unwrap() == Step::Yield {}
                let found = search.finish().unwrap();
                assert_eq!((known.total, known.total_is_lower_bound), (found.total, found.total_is_lower_bound));
                assert_eq!((known.terminated_early, known.max_score), (found.terminated_early, found.max_score));
            }
        }
    }

    #[test]
    fn all_else_is_searched_for() {
        let cx = shard(MAPPING, &SEGMENTS);
        for body in [
            r#"{"query":{"match":{"t":"a"}}}"#,
            r#"{"size":0,"query":{"match":{"t":"a b"}}}"#,
            r#"{"size":0,"query":{"match":{"t":"a"}},"min_score":0.1}"#,
            r#"{"size":0,"query":{"match":{"t":"a"}},"terminate_after":1}"#,
            r#"{"size":0,"query":{"match":{"t":"a"}},"post_filter":{"term":{"k":"x"}}}"#,
            r#"{"size":0,"query":{"match":{"t":"a"}},"aggs":{"n":{"max":{"field":"n"}}}}"#,
            r#"{"size":0,"query":{"match":{"t":"a"}},"sort":["n"]}"#,
        ] {
            assert!(begin(&cx, &request(body)).is_none(), "{body}");
        }
        let refused = request(r#"{"size":0,"from":10001,"query":{"match":{"t":"a"}}}"#);
        assert!(ShardSearch::begin(&refused, &cx, &ShardScope::default(), None).is_err());
    }
}
