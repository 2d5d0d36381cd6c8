//! What documents count for: one each, or what their `_doc_count` says.
//!
//! Kinds count documents by one, many of them without looking at any. What a document counts for beyond that is added up here, by
//! the pairs of documents and buckets that go to sub-aggregations. Where a shard has no `_doc_count` nothing of this is done.

use super::kind::Owners;
use crate::query::ShardContext;
use crate::segment::{NumericColumn, SegmentView};

/// What the documents of each bucket count for beyond one each.
pub(crate) struct DocCounts {
    column: Option<NumericColumn>,
    beyond: Vec<u64>,
}

impl DocCounts {
    /// None if all documents of the shard count for one.
    pub(super) fn new(cx: &ShardContext) -> Option<Self> {
        let any = cx.snapshot.segments.iter().any(|view| column(view).is_some());
        any.then_some(Self { column: None, beyond: vec![] })
    }

    pub(super) fn enter_segment(&mut self, view: &SegmentView) {
        self.column = column(view).cloned();
    }

    pub(super) fn add(&mut self, docs: &[u32], owners: Owners<'_>) {
        let Some(column) = &self.column else { return };
        for (i, doc) in docs.iter().enumerate() {
            let beyond = column.first(*doc).map_or(0, |count| u64::try_from(count - 1).unwrap_or(0));
            if beyond > 0 {
                let bucket = owners.of(i) as usize;
                if bucket >= self.beyond.len() {
                    self.beyond.resize(bucket + 1, 0);
                }
                self.beyond[bucket] += beyond;
            }
        }
    }

    pub(super) fn of(&self, bucket: u32) -> u64 {
        self.beyond.get(bucket as usize).copied().unwrap_or(0)
    }

    /// Makes one bucket of those that have the same number in `same`.
    pub(super) fn join(&mut self, same: &[u32]) {
        let apart = std::mem::take(&mut self.beyond);
        self.beyond.resize(apart.len(), 0);
        apart.into_iter().zip(same).for_each(|(beyond, into)| self.beyond[*into as usize] += beyond);
    }
}

fn column(view: &SegmentView) -> Option<&NumericColumn> {
    view.segment.field("_doc_count")?.numeric().filter(|column| column.max().is_some_and(|max| max > 1))
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn documents_count_for_what_they_say() {
        let mapping = r#"{"properties":{"k":{"type":"keyword"},"n":{"type":"integer"},"d":{"type":"date"}}}"#;
        let first = [r#"{"k":"a","n":1,"d":1,"_doc_count":5}"#, r#"{"k":["a","b"],"n":1,"d":1}"#];
        let cx = shard(mapping, &[&first, &[r#"{"k":"b","n":7,"_doc_count":10}"#]]);
        let sum = r#""aggs":{"s":{"sum":{"field":"n"}}}"#;
        let bucket = |key: &str, count: u64| format!(r#"{{"key":{key},"doc_count":{count}"#);
        for (kind, counts) in [
            (r#""terms":{"field":"k"}"#, vec![bucket(r#""b""#, 11), bucket(r#""a""#, 6)]),
            (r#""terms":{"field":"n"}"#, vec![bucket("7", 10), bucket("1", 6)]),
            (r#""terms":{"field":"k","size":1}"#, vec![r#""sum_other_doc_count":6"#.into()]),
            (r#""histogram":{"field":"n","interval":5}"#, vec![bucket("0.0", 6), bucket("5.0", 10)]),
            (r#""date_histogram":{"field":"d","calendar_interval":"day"}"#, vec![r#""doc_count":6"#.into()]),
            (r#""range":{"field":"n","ranges":[{"to":3},{"from":3}]}"#, vec![r#""to":3.0,"doc_count":6"#.into()]),
            (r#""filters":{"filters":[{"term":{"k":"a"}}]}"#, vec![r#"{"doc_count":6"#.into()]),
            (r#""missing":{"field":"d"}"#, vec![r#"{"doc_count":10"#.into()]),
            (r#""composite":{"sources":[{"x":{"terms":{"field":"k"}}}]}"#, vec![r#"{"x":"b"},"doc_count":11"#.into()]),
        ] {
            for below in ["", ","] {
                let below = format!("{below}{}", if below.is_empty() { "" } else { sum });
                let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"x":{{{kind}{below}}}}}}}"#));
                assert!(counts.iter().all(|count| answer.contains(count)), "{kind}{below} {answer}");
            }
        }
    }
}
