//! The inner hits of collapsed hits: for each hit and each definition a search of its own.

use super::failures::expand_failed;
use super::run::{Found, SearchOptions, search_parts};
use super::targets::Scope;
use crate::coordinate::Core;
use pith_engine::join::for_each_of;
use pith_engine::json::{self, Value, Writer};
use pith_engine::query::{Bool, Common, Node, Query, Source, exists, term};
use pith_engine::search::{Collapse, InnerHits, SearchRequest};
use pith_engine::{Error, Result};
use pith_net::rt;
use std::cell::RefCell;
use std::pin::Pin;
use std::sync::Arc;

/// Groups that are looked into at the same time, unless the request says otherwise.
const CONCURRENT_DEFAULT: usize = 8;

/// Inner hits that are kept until they are added to their hits. There may be many millions of them.
const SEARCHES_AT_ONCE: usize = 1_024;

/// Adds `inner_hits` to hits that stand for a group.
pub fn expand<'f>(
    core: &'f Core,
    found: &'f Found,
    hits: &'f mut [Vec<u8>],
    options: &SearchOptions,
) -> Pin<Box<dyn Future<Output = Result<()>> + 'f>> {
    // What groups are scored by is what the search is scored by.
    let own = SearchOptions { global_statistics: options.global_statistics, ..SearchOptions::default() };
    // Boxed, since groups may be collapsed in turn.
    Box::pin(async move {
        let Some(collapse) = found.request.collapse.as_ref().filter(|collapse| !collapse.inner_hits.is_empty()) else {
            return Ok(());
        };
        // They are looked for where the search itself was.
        let (routing, preference) = found.asked_of.clone();
        let scope = Scope { routing, preference, ..Scope::of_indexes(&found.targets) };
        let asking = Asking { core, found, collapse, scope, options: own };
        let hits_at_once = (SEARCHES_AT_ONCE / collapse.inner_hits.len()).max(1);
        let groups = found.reduced.hits.chunks(hits_at_once);
        for (hits, groups) in hits.chunks_mut(hits_at_once).zip(groups) {
            let groups = groups.iter().map(|(_, hit)| hit.group.as_deref());
            asking.expand_some(hits, groups.map(|group| of_group(found, collapse, group)).collect()).await?;
        }
        Ok(())
    })
}

/// What all searches of groups have in common.
struct Asking<'a> {
    core: &'a Core,
    found: &'a Found,
    collapse: &'a Collapse,
    scope: Scope,
    options: SearchOptions,
}

impl Asking<'_> {
    /// Adds inner hits to these hits, which stand for the groups that `queries` find.
    async fn expand_some(&self, hits: &mut [Vec<u8>], queries: Vec<Query>) -> Result<()> {
        let definitions = &self.collapse.inner_hits;
        let results: Vec<RefCell<Vec<u8>>> =
            (0..queries.len() * definitions.len()).map(|_| RefCell::default()).collect();
        let failure: RefCell<Option<(usize, Error)>> = RefCell::new(None);
        let concurrent = self.collapse.max_concurrent.unwrap_or(CONCURRENT_DEFAULT);
        for_each_of(results.len(), concurrent, async |at| {
            // The error of what stands first is told.
            if failure.borrow().as_ref().is_some_and(|(failed, _)| *failed < at) {
                return;
            }
            let request = self.request_of(&queries[at / definitions.len()], &definitions[at % definitions.len()]);
            match search_parts(self.core, &request, &self.scope, &self.options).await {
                Ok(answer) => {
                    let mut w = Writer::new();
                    answer.write_hits(&request, &mut w);
                    results[at].replace(w.finish());
                }
                Err(error) => note_first(&failure, at, error),
            }
            rt::yield_if_needed().await;
        })
        .await;
        if let Some((_, error)) = failure.into_inner() {
            return Err(expand_failed(error, &self.found.failures));
        }
        for (hit, results) in hits.iter_mut().zip(results.chunks(definitions.len())) {
            let named = definitions.iter().zip(results);
            let added: Vec<(String, Vec<u8>)> =
                named.map(|(inner, result)| (inner.name.clone().unwrap_or_default(), result.take())).collect();
            add(hit, &added)?;
            rt::yield_if_needed().await;
        }
        Ok(())
    }

    /// The search for the inner hits of one hit.
    fn request_of(&self, query: &Query, inner: &InnerHits) -> Arc<SearchRequest> {
        Arc::new(SearchRequest {
            query: Some(query.clone()),
            post_filter: self.found.request.post_filter.clone(),
            total_hits_as_int: self.found.request.total_hits_as_int,
            ..(*inner.request).clone()
        })
    }
}

/// Adds inner hits to a hit, which may have others of its query; those of the group take the place of what is named like them.
fn add(hit: &mut Vec<u8>, added: &[(String, Vec<u8>)]) -> Result<()> {
    let mut w = Writer::new();
    w.begin_object();
    let value = json::parse(hit)?;
    let source = Source::new(hit);
    let own = Node::root(&value, &source).fields().find(|field| field.key == "inner_hits");
    for inner in own.iter().flat_map(|own| own.node.fields()) {
        if !added.iter().any(|(name, _)| name == inner.key) {
            w.key(inner.key).raw(&hit[inner.node.pos() as usize..=inner.node.end_pos() as usize]);
        }
    }
    added.iter().for_each(|(name, hits)| {
        w.key(name).raw(hits);
    });
    w.end_object();
    // They are the last of a hit.
    let end = own.map_or(hit.len() - 1, |own| own.key_pos as usize - 1);
    hit.truncate(end);
    hit.extend_from_slice(b",\"inner_hits\":");
    hit.extend_from_slice(&w.finish());
    hit.push(b'}');
    Ok(())
}

/// Keeps the error of what stands first.
fn note_first(failure: &RefCell<Option<(usize, Error)>>, at: usize, error: Error) {
    let mut failure = failure.borrow_mut();
    if failure.as_ref().is_none_or(|(before, _)| at < *before) {
        *failure = Some((at, error));
    }
}

/// What is found of the group that a hit stands for.
fn of_group(found: &Found, collapse: &Collapse, group: Option<&Value>) -> Query {
    let same = match group {
        None | Some(Value::Null) => Bool { must_not: vec![exists(&collapse.field)], ..Bool::default() },
        Some(value) => Bool { filter: vec![term(&collapse.field, value.clone())], ..Bool::default() },
    };
    let query = Bool { must: found.request.query.clone().into_iter().collect(), ..same };
    Query::new(Common::default(), query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_hits_of_query_and_group_stand_together() {
        let added = [("g".to_owned(), b"{\"hits\":2}".to_vec()), ("b".to_owned(), b"3".to_vec())];
        let with = |hit: &str| {
            let mut hit = hit.as_bytes().to_vec();
            add(&mut hit, &added).unwrap();
            String::from_utf8(hit).unwrap()
        };
        assert_eq!(with(r#"{"_id":"1"}"#), r#"{"_id":"1","inner_hits":{"g":{"hits":2},"b":3}}"#);
        let own = r#"{"_id":"1","inner_hits":{"a":{"x":{"y":1.50}},"b":{}}}"#;
        assert_eq!(with(own), r#"{"_id":"1","inner_hits":{"a":{"x":{"y":1.50}},"g":{"hits":2},"b":3}}"#);
    }
}
