//! Where documents come from: a scroll of this cluster, or one of another.

use super::remote::{Asking, Remote};
use super::spec::ByQuery;
use crate::coordinate::Core;
use crate::coordinate::search::{Answer, SearchOptions, free_scrolls, scroll_parts, search_parts};
use bytes::Bytes;
use pith_engine::json::{self, Value};
use pith_engine::search::ShardFailure;
use pith_engine::{Error, Result};
use std::sync::Arc;

/// The key of a hit's source.
const SOURCE: &[u8] = br#""_source":"#;

/// A document of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub index: String,
    pub id: String,
    pub routing: Option<String>,
    pub seq_no: Option<u64>,
    pub primary_term: Option<u64>,
    pub version: Option<u64>,
    pub source: Option<Bytes>,
}

/// What one search gave.
pub struct Page {
    /// All documents that match.
    pub total: u64,
    pub found: Vec<Result<Found>>,
    pub failures: Vec<ShardFailure>,
    /// Searches that were sent again.
    pub retries: u64,
}

/// A scroll that has begun.
pub enum Pages<'a> {
    Here { core: &'a Core, scroll: Option<String>, asked: &'a ByQuery },
    There(Box<Asking<'a>>),
}

impl<'a> Pages<'a> {
    /// Begins a scroll; gives its first page.
    pub async fn begin(core: &'a Core, asked: &'a ByQuery) -> Result<(Self, Page)> {
        if let Some(remote) = &asked.remote {
            return Self::begin_there(core, asked, remote).await;
        }
        let options = SearchOptions {
            scroll: Some(asked.keep_alive),
            // Writing what some shards found and others could not is no answer.
            allow_partial: false,
            ..SearchOptions::default()
        };
        let answer = search_parts(core, &asked.request(), &asked.scope, &options).await?;
        let scroll = answer.id.clone().map(|(_, id)| id);
        Ok((Self::Here { core, scroll, asked }, Page::of(answer)))
    }

    async fn begin_there(core: &'a Core, asked: &'a ByQuery, remote: &'a Arc<Remote>) -> Result<(Self, Page)> {
        let mut asking = Asking::new(core, remote);
        let page = asking.begin(asked).await?;
        Ok((Self::There(Box::new(asking)), page))
    }

    /// The next page; `None` where there can be none.
    pub async fn next(&mut self) -> Result<Option<Page>> {
        match self {
            Self::Here { scroll: None, .. } => Ok(None),
            Self::Here { core, scroll: Some(scroll), asked } => {
                scroll_parts(core, scroll, Some(asked.keep_alive)).await.map(|answer| Some(Page::of(answer)))
            }
            Self::There(asking) => asking.next().await,
        }
    }

    /// Lets the scroll go. What cannot be freed now ends by itself.
    pub async fn end(self) {
        match self {
            Self::Here { core, scroll: Some(scroll), .. } => _ = free_scrolls(core, Some(&[scroll])).await,
            Self::Here { .. } => {}
            Self::There(asking) => asking.end().await,
        }
    }
}

impl Page {
    fn of(answer: Answer) -> Self {
        let found = answer.hits.iter().map(|hit| Found::read(hit)).collect();
        let total = answer.reduced.total.map_or(0, |(total, _)| total);
        Self { total, found, failures: answer.header.failures, retries: 0 }
    }
}

impl Found {
    /// Reads the object of a hit, as a shard has written it. Its source goes on as it is, without being read here.
    pub fn read(hit: &[u8]) -> Result<Self> {
        // Quotes in texts are escaped, and what stands before the source are texts and numbers: this is the key.
        let Some(at) = memchr::memmem::find(hit, SOURCE) else { return Ok(Self::of(&json::parse(hit)?, None)) };
        let mut head = hit[..at].trim_ascii_end().to_vec();
        if head.last() == Some(&b',') {
            head.pop();
        }
        head.push(b'}');
        let rest = &hit[at + SOURCE.len()..];
        let source = Bytes::copy_from_slice(&rest[..json::tokens::value_end(rest)]);
        Ok(Self::of(&json::parse(&head)?, Some(source)))
    }

    /// A hit whose source is known.
    pub fn of(hit: &Value, source: Option<Bytes>) -> Self {
        let text = |name: &str| hit.get(name).and_then(Value::as_str).map(str::to_owned);
        let number = |name: &str| hit.get(name).and_then(Value::as_i64).and_then(|number| u64::try_from(number).ok());
        Self {
            index: text("_index").unwrap_or_default(),
            id: text("_id").unwrap_or_default(),
            routing: text("_routing"),
            seq_no: number("_seq_no"),
            primary_term: number("_primary_term"),
            version: number("_version"),
            source,
        }
    }

    /// The source, or the error that there is none.
    pub fn expect_source(&self) -> Result<Bytes> {
        let missing = || Error::illegal_argument(format!("[{}][{}] didn't store _source", self.index, self.id));
        self.source.clone().ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_hits_are_taken_as_they_are() {
        let hit = br#"{"_index":"i","_id":"\"_source\":{","_version":3,"_seq_no":5,"_primary_term":1,"_score":null,"_source":{"a": "}" , "_source":{}},"sort":[7]}"#;
        let found = Found::read(hit).unwrap();
        assert_eq!(found.id, "\"_source\":{");
        assert_eq!((found.version, found.seq_no, found.primary_term), (Some(3), Some(5), Some(1)));
        assert_eq!(found.source.as_deref(), Some(&br#"{"a": "}" , "_source":{}}"#[..]));
        let without = Found::read(br#"{"_index":"i","_id":"1","sort":[7]}"#).unwrap();
        assert_eq!((without.id.as_str(), &without.source), ("1", &None));
    }
}
