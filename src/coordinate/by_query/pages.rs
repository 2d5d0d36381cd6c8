//! Where documents come from: a scroll of this cluster, or one of another.

use super::remote::{Asking, Remote};
use super::spec::{ByQuery, Work};
use crate::coordinate::Core;
use crate::coordinate::search::{Answer, SearchOptions, free_scrolls, scroll_parts, search_piped_parts};
use bytes::Bytes;
use memchr::memmem;
use pith_engine::json::scanner::Scanner;
use pith_engine::json::{MAX_DEPTH, Value};
use pith_engine::search::ShardFailure;
use pith_engine::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

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
        let answer = search_piped_parts(core, &asked.request(), &asked.scope, &options).await?;
        let scroll = answer.id.clone().map(|(_, id)| id);
        Ok((Self::Here { core, scroll, asked }, Page::of(answer)))
    }

    async fn begin_there(core: &'a Core, asked: &'a ByQuery, remote: &'a Arc<Remote>) -> Result<(Self, Page)> {
        let mut asking = Asking::new(core, remote);
        let page = asking.begin(asked).await?;
        Ok((Self::There(Box::new(asking)), page))
    }

    /// The next page; `None` where there can be none. The one after it is asked for `later` than usual.
    pub async fn next(&mut self, later: Duration) -> Result<Option<Page>> {
        match self {
            Self::Here { scroll: None, .. } => Ok(None),
            Self::Here { core, scroll: Some(scroll), asked } => {
                scroll_parts(core, scroll, Some(asked.keep_alive + later)).await.map(|answer| Some(Page::of(answer)))
            }
            Self::There(asking) => asking.next(later).await,
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
        let found = answer.hits.into_iter().map(Found::read).collect();
        let total = answer.reduced.total.map_or(0, |(total, _)| total);
        Self { total, found, failures: answer.header.failures, retries: 0 }
    }
}

impl Found {
    /// Reads the object of a hit, as a shard has written it: up to its source, which goes on as it is.
    pub fn read(hit: Vec<u8>) -> Result<Self> {
        let mut found = Self::default();
        if let Some(source) = found.read_to_source(&hit)? {
            found.source = Some(Bytes::from(hit).slice(source));
        }
        Ok(found)
    }

    /// Reads what stands before the source; gives where that is.
    fn read_to_source(&mut self, hit: &[u8]) -> Result<Option<Range<usize>>> {
        let text = std::str::from_utf8(hit).map_err(|_| unreadable())?;
        let mut scanner = Scanner::new(text);
        scanner.expect(b'{').map_err(|_| unreadable())?;
        loop {
            let (key, _) = scanner.key().map_err(|_| unreadable())?;
            if let Some(len) = (*key == *"_source").then(|| source_before_sort(&hit[scanner.at..])).flatten() {
                return Ok(Some(scanner.at..scanner.at + len));
            }
            let (start, end) = scanner.skip(MAX_DEPTH).map_err(|_| unreadable())?;
            let value = &text[start..end];
            let number = || value.parse().ok();
            match &*key {
                "_index" => self.index = string(value)?,
                "_id" => self.id = string(value)?,
                "_routing" => self.routing = Some(string(value)?),
                "_seq_no" => self.seq_no = number(),
                "_primary_term" => self.primary_term = number(),
                "_version" => self.version = number(),
                "_source" => return Ok(Some(start..end)),
                _ => {}
            }
            if !scanner.more(b'}').map_err(|_| unreadable())? {
                return Ok(None);
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
    pub fn take_source(&mut self) -> Result<Bytes> {
        let missing = || Error::illegal_argument(format!("[{}][{}] didn't store _source", self.index, self.id));
        self.source.take().ok_or_else(missing)
    }
}

/// The length of a source that only the numbers of `sort` follow in a hit, found from the end: reading through it would cost as much as
/// anything else that is done to it. Nothing where something else may stand between them.
fn source_before_sort(rest: &[u8]) -> Option<usize> {
    let numbers = rest.strip_suffix(b"]}")?;
    let digits = numbers.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b',')).count();
    let source = numbers[..numbers.len() - digits].strip_suffix(b",\"sort\":[")?;
    static BETWEEN: LazyLock<[memmem::Finder<'static>; 2]> =
        LazyLock::new(|| [",\"fields\":", ",\"highlight\":"].map(memmem::Finder::new));
    let is_alone = BETWEEN.iter().all(|key| key.find(source).is_none());
    is_alone.then_some(source.len())
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
        let found = Found::read(hit.to_vec()).unwrap();
        assert_eq!(found.id, "\"_source\":{");
        assert_eq!((found.version, found.seq_no, found.primary_term), (Some(3), Some(5), Some(1)));
        assert_eq!(found.source.as_deref(), Some(&br#"{"a": "}" , "_source":{}}"#[..]));
        let without = Found::read(br#"{"_index":"i","_id":"1","sort":[7]}"#.to_vec()).unwrap();
        assert_eq!((without.id.as_str(), &without.source), ("1", &None));
    }

    #[test]
    fn sources_end_where_the_hit_goes_on() {
        for source in [
            "{}",
            r#"{"a":1,"sort":[1]}"#,
            r#"{"fields":{"sort":[1]}}"#,
            r#"{"a":1,"fields":{"b":[2]}}"#,
            r#"{"a":",\"sort\":[3]}"}"#,
            r#"{ "a" : [ 1 ] }"#,
        ] {
            for after in [
                "",
                r#","sort":[7]"#,
                r#","sort":[7,-8]"#,
                r#","sort":["x"]"#,
                r#","sort":[7],"matched_queries":["q"]"#,
                r#","fields":{"_percolator_document_slot":[0]},"sort":[7]"#,
                r#","highlight":{"a":["sort"]},"sort":[7]"#,
                r#","inner_hits":{"a":{"hits":[{"sort":[7]}]}}"#,
            ] {
                let hit = format!(r#"{{"_index":"i","_id":"1","_source":{source}{after}}}"#);
                let found = Found::read(hit.into_bytes()).unwrap();
                assert_eq!(found.source.as_deref(), Some(source.as_bytes()), "{after}");
            }
        }
    }
}
