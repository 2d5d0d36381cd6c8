//! Documents that a request's queries name: read before the shards are asked.

use crate::coordinate::Core;
use crate::coordinate::read::{ReadItem, ReadOptions, read};
use pith_engine::query::Lookup;
use pith_engine::search::SearchRequest;
use pith_engine::{ErrorKind, Result};
use std::sync::Arc;

/// Most documents that one request may have read.
const LOOKUPS_MAX: usize = 1_024;

/// Reads what the queries of `requests` need. `indexes`: those that are searched.
pub async fn resolve(core: &Core, requests: &[Arc<SearchRequest>], indexes: &[Arc<str>]) -> Result<()> {
    for (at, request) in requests.iter().enumerate() {
        let seen = requests[..at].iter().any(|earlier| Arc::ptr_eq(earlier, request));
        if seen {
            continue;
        }
        let open: Vec<&Lookup> = request.lookups().into_iter().filter(|lookup| !lookup.is_answered()).collect();
        if open.len() > LOOKUPS_MAX {
            return Err(pith_engine::Error::illegal_argument(format!(
                "the queries of a request may name at most [{LOOKUPS_MAX}] documents but name [{}]",
                open.len()
            )));
        }
        for lookup in open {
            answer(core, lookup, indexes).await?;
        }
    }
    Ok(())
}

async fn answer(core: &Core, lookup: &Lookup, indexes: &[Arc<str>]) -> Result<()> {
    let mut names: Vec<Arc<str>> = match &lookup.index {
        Some(name) => vec![name.as_str().into()],
        None => indexes.to_vec(),
    };
    names.sort();
    names.dedup();
    let item = |name: &Arc<str>| ReadItem {
        index: name.to_string(),
        id: lookup.id.clone(),
        routing: lookup.routing.clone(),
        version: None,
    };
    let items: Vec<ReadItem> = names.iter().map(item).collect();
    let found = read(core, &items, ReadOptions { realtime: true, refresh: false }).await;
    let mut answers = Vec::with_capacity(names.len());
    for (name, found) in names.into_iter().zip(found) {
        let document = match found {
            Ok(read) => read.document,
            // A document that is only one of several to be like need not exist, nor need its index.
            Err(error) if !lookup.required && error.kind() == ErrorKind::IndexNotFound => None,
            Err(error) => return Err(error),
        };
        answers.push((name, document.and_then(|document| document.source)));
    }
    lookup.answer(answers);
    Ok(())
}
