//! The background of what is significant: which documents it is of, and how many of them have a value that is looked up by a query.

use super::format::Format;
use super::partial::Key;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Family, Field};
use crate::query::{Query, ShardContext, term};
use crate::segment::NO_MORE_DOCS;
use ahash::AHashMap;
use std::sync::Arc;

/// The documents that stand for all, where a filter names them: a bit each, by segment.
pub(super) struct Background {
    segments: Vec<Vec<u64>>,
    pub(super) count: u64,
}

impl Background {
    pub(super) fn new(query: &Query, cx: &ShardContext) -> Result<Self> {
        if query.is_changeable() {
            let reason = "features that prevent cachability are disabled on this context";
            return Err(Error::illegal_argument(reason));
        }
        if goes_by_now(query, cx)? {
            let reason = "features that prevent cachability are disabled on this context";
            let refusal = Error::new(ErrorKind::Parse, "could not read the current timestamp");
            return Err(refusal.caused_by(Error::illegal_argument(reason)));
        }
        Self::of(query, cx)
    }

    fn of(query: &Query, cx: &ShardContext) -> Result<Self> {
        // Errors are not those of the search's query.
        let weighing = cx.weighing();
        let mut weight = query.bare_plan(cx)?.weight(&weighing, false, 1.0)?;
        let (mut segments, mut count) = (vec![], 0);
        for view in &cx.snapshot.segments {
            let mut bits = vec![0u64; (view.max_doc() as usize).div_ceil(64)];
            if let Some(mut scorer) = weight.scorer(view)? {
                let mut doc = scorer.doc();
                while doc != NO_MORE_DOCS {
                    if view.is_live(doc) {
                        bits[doc as usize / 64] |= 1 << (doc % 64);
                        count += 1;
                    }
                    doc = scorer.next();
                }
            }
            segments.push(bits);
        }
        weighing.faults.check()?;
        Ok(Self { segments, count })
    }

    pub(super) fn has(&self, segment: usize, doc: u32) -> bool {
        self.segments[segment][doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    /// How many documents are in both.
    fn shared(&self, other: &Self) -> u64 {
        let words = self.segments.iter().flatten().zip(other.segments.iter().flatten());
        words.map(|(a, b)| u64::from((a & b).count_ones())).sum()
    }
}

/// Whether a query asks what time it is: at another one, later or earlier, it is planned otherwise.
fn goes_by_now(query: &Query, cx: &ShardContext) -> Result<bool> {
    const CENTURIES_MS: i64 = 400 * 365 * 24 * 3_600_000;
    let planned = query.bare_plan(cx)?.to_string();
    for other_ms in [cx.now_ms + CENTURIES_MS, cx.now_ms - CENTURIES_MS] {
        let other = ShardContext { now_ms: other_ms, ..cx.clone() };
        if query.bare_plan(&other)?.to_string() != planned {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Counts the documents that have a text, where the words of a source are no terms of its field: each by a query for it, once.
pub(super) struct ByQuery {
    cx: ShardContext,
    field: Arc<str>,
    counts: AHashMap<String, u64>,
}

impl ByQuery {
    /// None where the values are terms of the field. What is shown by a format of the request is looked up as it is shown.
    pub(super) fn of(field: &Field, of_texts: bool, formatted: bool, cx: &ShardContext) -> Option<Self> {
        let terms = matches!(field.family(), Family::Text | Family::Keyword | Family::Completion | Family::Join);
        let needed = field.family() == Family::Index || (of_texts || formatted) && !terms;
        needed.then(|| Self { cx: cx.clone(), field: field.name.clone(), counts: AHashMap::new() })
    }

    /// Costs a search of the shard for each value that was not asked for before.
    pub(super) fn count(&mut self, key: &Key, format: &Format, background: Option<&Background>) -> Result<u64> {
        let text = match key {
            Key::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
            // As the number with a sign that it is kept as.
            Key::Unsigned(value) => format.whole_text(*value as i64).unwrap_or_else(|| value.to_string()),
            key => format.key_text(key),
        };
        if let Some(count) = self.counts.get(&text) {
            return Ok(*count);
        }
        let found = Background::of(&term(&self.field, Value::from(text.as_str())), &self.cx)?;
        let count = background.map_or(found.count, |background| background.shared(&found));
        self.counts.insert(text, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn a_background_does_not_ask_what_time_it_is() {
        let mapping = r#"{"properties":{"w":{"type":"date"},"k":{"type":"keyword"}}}"#;
        let cx = shard(mapping, &[&[r#"{"w":"2020-01-01","k":"a"}"#]]);
        let ask = |bound: &str| {
            let filter = format!(r#"{{"range":{{"w":{{"lt":"{bound}"}}}}}}"#);
            let agg = format!(r#"{{"significant_terms":{{"field":"k","background_filter":{filter}}}}}"#);
            search(&cx, &format!(r#"{{"size":0,"aggs":{{"s":{agg}}}}}"#))
        };
        for bound in ["now", "now-1d/d"] {
            assert!(ask(bound).contains("could not read the current timestamp"), "{bound}: {}", ask(bound));
        }
        assert!(ask("2021").contains(r#""bg_count":1"#), "{}", ask("2021"));
    }

    #[test]
    fn words_that_are_no_terms_are_looked_up_by_queries() {
        let mapping = r#"{"properties":{"n":{"type":"long"},"k":{"type":"keyword"}}}"#;
        let cx = shard(mapping, &[&[r#"{"n":5,"k":"a"}"#, r#"{"n":5,"k":"a"}"#, r#"{"n":7,"k":"b"}"#, r#"{"n":5}"#]]);
        let ask = |more: &str| {
            let agg = format!(r#"{{"significant_text":{{"field":"n","min_doc_count":1{more}}}}}"#);
            search(&cx, &format!(r#"{{"size":0,"query":{{"term":{{"k":"a"}}}},"aggs":{{"s":{agg}}}}}"#))
        };
        let all = ask("");
        assert!(all.contains(r#""bg_count":4,"buckets":[{"key":"5","doc_count":2,"#), "{all}");
        assert!(all.contains(r#""bg_count":3}"#), "{all}");
        let some = ask(r#","background_filter":{"exists":{"field":"k"}}"#);
        assert!(some.contains(r#""bg_count":3,"buckets":[{"key":"5","doc_count":2,"#), "{some}");
        assert!(some.contains(r#""bg_count":2}"#), "{some}");
    }
}
