//! What a request may not ask of a shard.

use super::check_fielddata;
use super::collapse::TopCollapsed;
use super::request::SearchRequest;
use super::shard_search::{Reads, ShardScope, ShardSearch, collector};
use super::sort_keys::KeyReader;
use super::sort_parse::{Sort, SortBy};
use super::source::{SourceSpec, StoredFields};
use super::top_sorted::after_keys;
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::number::java_f32;
use crate::query::{Behind, Inner, PlanContext, Query, ShardContext};
use crate::script::context;
use smallvec::SmallVec;
use std::sync::Arc;

/// Checks a request against the limits of the index and what its parts mean together.
pub fn check(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope) -> Result<()> {
    let scrolls = scope.reads.scrolls();
    if let Some(number) = request.total_hits_refused {
        return Err(Error::illegal_argument(format!("totalHitsThreshold must be >= 0, got {number}")));
    }
    check_doc_values(request, cx)?;
    super::script_fields::check_count(request, cx)?;
    // What does not compile is found out before there are hits; where none are wanted nobody asks for it.
    let script_fields = request.script_fields.iter().filter(|_| request.size > 0);
    script_fields.into_iter().try_for_each(|field| field.script.check(&context::FIELD, &cx.mapping))?;
    check_inner_hits(request, cx)?;
    for query in request.highlight.iter().flat_map(|highlight| highlight.queries()) {
        let within = PlanContext::unexpanded(cx);
        query.plan(&within).map_err(|error| within.of_index(error))?;
    }
    check_search_after(request, cx, scrolls)?;
    check_slice(request, cx, scope, scrolls)?;
    let wants_source = request.source.as_ref().is_some_and(SourceSpec::is_wanted);
    if wants_source && request.stored_fields == Some(StoredFields::None) {
        return Err(search("[stored_fields] cannot be disabled if [_source] is requested"));
    }
    if request.fields_given && request.stored_fields == Some(StoredFields::None) {
        return Err(search("[stored_fields] cannot be disabled when using the [fields] option"));
    }
    if let Some(collapse) = &request.collapse {
        if scrolls {
            return Err(search("cannot use `collapse` in a scroll context"));
        }
        if !request.rescore.is_empty() {
            return Err(search("cannot use `collapse` in conjunction with `rescore`"));
        }
        let by_group = |sort: &Sort| matches!(&sort.by, SortBy::Field(by) if by.name == collapse.field);
        if request.search_after.is_some() && !matches!(request.sort.as_slice(), [only] if by_group(only)) {
            return Err(search(
                "collapse field and sort field must be the same when use `collapse` in conjunction with `search_after`",
            ));
        }
    }
    check_window(request, cx, scrolls)?;
    check_rescore(request, cx)?;
    Ok(())
}

/// The boost that the request gives this index.
pub fn index_boost(request: &SearchRequest, cx: &ShardContext) -> Result<f32> {
    let found = request.indices_boost.iter().find(|(name, _)| **name == *cx.index);
    let boost = found.map_or(1.0, |(_, boost)| *boost);
    if boost.is_sign_negative() {
        let boost = java_f32(boost);
        return Err(Error::illegal_argument(format!("boost must be a positive float, got {boost}")));
    }
    Ok(boost)
}

/// Of several mistakes the one that the reference comes to first: it makes the query, the filter behind it, inner hits, sorts and
/// aggregations, suggestions, rescorers, and only then looks at all else.
pub fn first_refusal(request: &SearchRequest, cx: &ShardContext, found: Error) -> Error {
    let rescorers = || request.rescore.iter().try_for_each(|rescore| rescore.query.shard_plan(cx).map(drop));
    let before = before_suggestions(request, cx);
    // Aggregations are made behind all else.
    let before = if before.as_ref().is_err_and(Error::is_late) { Ok(()) } else { before };
    before.and_then(|()| rescorers()).err().unwrap_or(found)
}

/// The same of what comes before suggestions.
pub fn before_suggestions(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    ShardSearch::plan(request, cx)?;
    beside_query(request, cx)
}

/// What stands beside the query, and is made after it and before suggestions.
pub fn beside_query(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let post_filter = request.post_filter.iter().try_for_each(|query| query.shard_plan(cx).map(drop));
    if post_filter.as_ref().is_err_and(|error| !error.is_of_rewriting()) {
        return post_filter;
    }
    check_inner_hits(request, cx)?;
    request.sort.iter().try_for_each(|sort| KeyReader::new(sort, cx).map(drop))?;
    collector(&Arc::new(request.clone()), cx)?;
    post_filter
}

/// What is refused of a request that nothing is searched for.
pub fn check_unsearched(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope) -> Result<()> {
    before_suggestions(request, cx)?;
    check(request, cx, scope).map_err(|error| first_refusal(request, cx, error))?;
    check_rescores(request, cx)
}

/// What is wrong with queries that would order hits anew.
pub fn check_rescores(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    request.rescore.iter().try_for_each(|rescore| match rescore.query.shard_plan(cx) {
        // Patterns are looked up where there are hits to score.
        Err(error) if !error.is_of_rewriting() => Err(error),
        _ => Ok(()),
    })
}

/// Refuses sort keys that the mapping does not know.
pub fn check_sort(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    if request.suggests_only() {
        request.sort.iter().try_for_each(|sort| KeyReader::new(sort, cx).map(drop))?;
    }
    Ok(())
}

fn search(reason: &str) -> Error {
    Error::new(ErrorKind::Search, reason)
}

fn check_window(request: &SearchRequest, cx: &ShardContext, scrolls: bool) -> Result<()> {
    let limit = cx.limits.max_result_window;
    let asked = request.from.saturating_add(request.size);
    // Suggestions alone have no hits.
    if asked <= limit || request.suggests_only() {
        return Ok(());
    }
    if let Some(collapse) = &request.collapse {
        TopCollapsed::new(collapse, &request.sort, None, 1, cx)?;
    }
    Err(Error::illegal_argument(match scrolls {
        true => format!(
            "Batch size is too large, size must be less than or equal to: [{limit}] but was [{asked}]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting."
        ),
        false => format!(
            "Result window is too large, from + size must be less than or equal to: [{limit}] but was [{asked}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting."
        ),
    }))
}

fn check_doc_values(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let limit = cx.limits.max_docvalue_fields;
    // A pattern counts as what it names.
    let named = |asked: &str| if asked.contains('*') { cx.mapping.matching_names(asked).len() } else { 1 };
    let asked: usize = request.docvalue_fields.iter().map(|asked| named(&asked.field)).sum();
    if asked > limit {
        return Err(Error::illegal_argument(format!(
            "Trying to retrieve too many docvalue_fields. Must be less than or equal to: [{limit}] but was [{asked}]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting."
        )));
    }
    if request.first_window() > 0 {
        let shown = request.docvalue_fields.iter().flat_map(|asked| cx.mapping.matching(&asked.field));
        shown.into_iter().try_for_each(|field| check_fielddata(field, cx))?;
    }
    Ok(())
}

fn check_inner_hits(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let limit = cx.limits.max_inner_result_window;
    let mut open: SmallVec<[&Query; 2]> = SmallVec::new();
    for query in request.query.iter().chain(&request.post_filter) {
        // Most queries are none with others within.
        if !matches!(query.kind.inner(), Inner::Within) || !query.kind.children().is_empty() {
            open.push(query);
        }
    }
    while let Some(query) = open.pop() {
        for inner in query.inner_hits()? {
            let asked = inner.hits.request.from.saturating_add(inner.hits.request.size);
            if asked > limit {
                let name = inner.hits.name.as_deref().unwrap_or("null");
                return Err(Error::illegal_argument(format!(
                    "Inner result window is too large, the inner hit definition's [{name}]'s from + size must be less than or equal to: [{limit}] but was [{asked}]. This limit can be set by changing the [index.max_inner_result_window] index level setting."
                )));
            }
            let nested = matches!(&inner.behind, Behind::Nested(path) if cx.mapping.nested_object(path).is_some());
            if nested && inner.hits.request.seq_no_primary_term {
                let reason = "nested documents are not assigned sequence numbers";
                return Err(Error::new(ErrorKind::UnsupportedOperation, reason));
            }
            open.push(inner.query);
        }
    }
    Ok(())
}

fn check_search_after(request: &SearchRequest, cx: &ShardContext, scrolls: bool) -> Result<()> {
    if request.search_after.is_none() {
        return Ok(());
    }
    if scrolls {
        return Err(search("`search_after` cannot be used in a scroll context."));
    }
    if request.from > 0 {
        return Err(search("`from` parameter must be set to 0 when `search_after` is used."));
    }
    if request.sort.is_empty() {
        return Err(Error::illegal_argument("Sort must contain at least one field."));
    }
    // What is wrong with the values comes before what they do not go with.
    let beside = request.collapse.is_some() || request.slice.is_some() || request.stored_fields.is_some();
    match beside || !request.rescore.is_empty() {
        true => check_after(request, cx),
        false => Ok(()),
    }
}

/// Refuses what hits cannot be sorted by, and values that no hit can stand behind.
pub fn check_after(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    let readers = request.sort.iter().map(|sort| KeyReader::new(sort, cx)).collect::<Result<Vec<_>>>()?;
    let after = request.search_after.as_deref();
    after.map_or(Ok(()), |values| after_keys(&readers, &request.sort, values, cx).map(drop))
}

fn check_slice(request: &SearchRequest, cx: &ShardContext, scope: &ShardScope, scrolls: bool) -> Result<()> {
    let Some(slice) = &request.slice else { return Ok(()) };
    let (limit, setting) = match (scrolls, scope.reads == Reads::PointInTime) {
        (true, _) => (cx.limits.max_slices_per_scroll, "index.max_slices_per_scroll"),
        (_, true) => (cx.limits.max_slices_per_pit, "index.max_slices_per_pit"),
        _ => return Err(search("`slice` cannot be used outside of a scroll context or PIT context")),
    };
    check_window(request, cx, scrolls)?;
    if slice.max > limit {
        let kind = if scrolls { ErrorKind::IllegalArgument } else { ErrorKind::RejectedExecution };
        let reason = format!(
            "The number of slices [{}] is too large. It must be less than [{limit}]. This limit can be set by changing the [{setting}] index level setting.",
            slice.max
        );
        return Err(Error::new(kind, reason));
    }
    Ok(())
}

fn check_rescore(request: &SearchRequest, cx: &ShardContext) -> Result<()> {
    if request.rescore.is_empty() {
        return Ok(());
    }
    if !request.sort.is_empty() {
        return Err(Error::illegal_argument("Cannot use [sort] option in conjunction with [rescore]."));
    }
    let limit = cx.limits.max_rescore_window;
    match request.rescore.iter().map(|rescore| rescore.window).find(|window| *window > limit) {
        None => Ok(()),
        Some(window) => Err(Error::illegal_argument(format!(
            "Rescore window [{window}] is too large. It must be less than [{limit}]. This prevents allocating massive heaps for storing the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting."
        ))),
    }
}
