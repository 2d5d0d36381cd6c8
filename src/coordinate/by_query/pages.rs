//! Where documents come from: a scroll of this cluster, or one of another.

use super::remote::{Asking, Remote};
use super::spec::{ByQuery, Work};
use crate::coordinate::Core;
use crate::coordinate::search::{Answer, SearchOptions, free_scrolls, scroll_parts, search_parts};
use bytes::Bytes;
use pith_engine::json::scanner::Scanner;
use pith_engine::json::{MAX_DEPTH, Value};
use pith_engine::search::ShardFailure;
use pith_engine::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// A document of a page.
#[derive(Clone, Debug, Default, PartialEq)]
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
            rewrites: !matches!(asked.work, Work::Reindex(_)),
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
    /// Reads the object of a hit, as a shard has written it: up to its source, which goes on as it is.
    pub fn read(hit: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(hit).map_err(|_| unreadable())?;
        let mut scanner = Scanner::new(text);
        scanner.expect(b'{').map_err(|_| unreadable())?;
        let mut found = Self::default();
        loop {
            let (key, _) = scanner.key().map_err(|_| unreadable())?;
            let (start, end) = scanner.skip(MAX_DEPTH).map_err(|_| unreadable())?;
            let value = &text[start..end];
            let number = || value.parse().ok();
            match &*key {
                "_index" => found.index = string(value)?,
                "_id" => found.id = string(value)?,
                "_routing" => found.routing = Some(string(value)?),
                "_seq_no" => found.seq_no = number(),
                "_primary_term" => found.primary_term = number(),
                "_version" => found.version = number(),
                "_source" => {
                    found.source = Some(Bytes::copy_from_slice(value.as_bytes()));
                    return Ok(found);
                }
                _ => {}
            }
            if !scanner.more(b'}').map_err(|_| unreadable())? {
                return Ok(found);
            }
        }
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

fn string(token: &str) -> Result<String> {
    Scanner::new(token).string().map(Cow::into_owned).map_err(|_| unreadable())
}

#[cold]
fn unreadable() -> Error {
    Error::new(ErrorKind::IllegalState, "a shard gave a hit that cannot be read")
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
