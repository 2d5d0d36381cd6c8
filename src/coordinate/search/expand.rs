//! The inner hits of collapsed hits: for each hit and each definition a search of its own.

use super::failures::expand_failed;
use super::run::{Found, SearchOptions, search_parts};
use super::targets::Scope;
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::join::join_all;
use pith_engine::json::{self, Value, Writer};
use pith_engine::query::{Bool, Common, Node, Query, Source, exists, term};
use pith_engine::search::{Collapse, InnerHits, SearchRequest};
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::sync::Arc;

/// Groups that are looked into at the same time, unless the request says otherwise.
const CONCURRENT_DEFAULT: usize = 8;

/// One search for the inner hits of one hit.
struct Group<'a> {
    hit: usize,
    inner: &'a InnerHits,
    request: Arc<SearchRequest>,
}

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
        let groups = groups(found, collapse);
        // They are looked for where the search itself was.
        let (routing, preference) = found.asked_of.clone();
        let scope = Scope { routing, preference, ..Scope::of_indexes(&found.targets) };
        let results: Vec<RefCell<Option<Result<Vec<u8>>>>> = groups.iter().map(|_| RefCell::new(None)).collect();
        let next = Cell::new(0);
        let concurrent = collapse.max_concurrent.unwrap_or(CONCURRENT_DEFAULT).min(groups.len());
        let workers = (0..concurrent).map(|_| async {
            loop {
                let at = next.get();
                next.set(at + 1);
                let Some(group) = groups.get(at) else { return };
                let answer = search_parts(core, &group.request, &scope, &own).await;
                results[at].replace(Some(answer.map(|answer| {
                    let mut w = Writer::new();
                    answer.write_hits(&group.request, &mut w);
                    w.finish()
                })));
            }
        });
        join_all(workers).await;
        let mut results = groups.iter().zip(results).peekable();
        for (at, hit) in hits.iter_mut().enumerate() {
            let mut added = vec![];
            while let Some((group, result)) = results.next_if(|(group, _)| group.hit == at) {
                if let Some(answer) = result.into_inner() {
                    let answer = answer.map_err(expand_failed)?;
                    added.push((group.inner.name.clone().unwrap_or_default(), answer));
                }
            }
            add(hit, &added)?;
        }
        Ok(())
    })
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

fn groups<'a>(found: &'a Found, collapse: &'a Collapse) -> Vec<Group<'a>> {
    let mut groups = vec![];
    for (at, (_, hit)) in found.reduced.hits.iter().enumerate() {
        let same = match hit.group.as_deref() {
            None | Some(Value::Null) => Bool { must_not: vec![exists(&collapse.field)], ..Bool::default() },
            Some(value) => Bool { filter: vec![term(&collapse.field, value.clone())], ..Bool::default() },
        };
        let query = Bool { must: found.request.query.clone().into_iter().collect(), ..same };
        let query = Query::new(Common::default(), query);
        for inner in &collapse.inner_hits {
            let request = Arc::new(SearchRequest {
                query: Some(query.clone()),
                post_filter: found.request.post_filter.clone(),
                total_hits_as_int: found.request.total_hits_as_int,
                ..(*inner.request).clone()
            });
            groups.push(Group { hit: at, inner, request });
        }
    }
    groups
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
