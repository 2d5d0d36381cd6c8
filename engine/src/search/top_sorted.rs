//! The best hits by sort values.

use super::result::ShardHit;
use super::sort_keys::{Column, Key, KeyReader, Scratch};
use super::sort_parse::{Sort, SortBy};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::ShardContext;
use crate::segment::SegmentView;
use std::cmp::Ordering;

/// Keeps the `size` best documents offered. Among equals earlier ones win.
pub struct TopSorted {
    size: usize,
    readers: Vec<KeyReader>,
    after: Option<Vec<Key>>,
    /// A max-heap: the worst hit kept stands first.
    heap: Vec<Entry>,
    columns: Vec<Column>,
    segment: u32,
    doc_base: u64,
    scratch: Scratch,
}

struct Entry {
    keys: Vec<Key>,
    segment: u32,
    doc: u32,
    score: f32,
}

impl TopSorted {
    pub fn new(sorts: &[Sort], after: Option<&[Value]>, size: usize, cx: &ShardContext) -> Result<Self> {
        let readers = sorts.iter().map(|sort| KeyReader::new(sort, cx)).collect::<Result<Vec<_>>>()?;
        let after = after.map(|values| after_keys(&readers, sorts, values, cx)).transpose()?;
        let heap = Vec::with_capacity(size.min(1024));
        Ok(Self { size, readers, after, heap, columns: vec![], segment: 0, doc_base: 0, scratch: Scratch::default() })
    }

    pub fn enter_segment(&mut self, segment: u32, view: &SegmentView, doc_base: u64) {
        self.columns = self.readers.iter().map(|reader| reader.column(view)).collect();
        self.segment = segment;
        self.doc_base = doc_base;
    }

    /// Offers live matches of the current segment, ascending. `scores` is empty if there are none.
    pub fn offer(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) {
        if self.size == 0 {
            return;
        }
        let plain = self.readers[0].is_plain_number(&self.columns[0]);
        if plain {
            self.readers[0].numbers(&self.columns[0], docs, &mut self.scratch);
        }
        for (i, &doc) in docs.iter().enumerate() {
            let score = scores.get(i).copied().unwrap_or(f32::NAN);
            let first = if plain {
                Key::Number(self.scratch.numbers[i])
            } else {
                self.readers[0].key(&self.columns[0], view, doc, self.doc_base, score, &mut self.scratch)
            };
            self.offer_one(view, doc, score, first);
        }
    }

    fn offer_one(&mut self, view: &SegmentView, doc: u32, score: f32, first: Key) {
        let full = self.heap.len() == self.size;
        let against_worst = if full { self.readers[0].compare(&first, &self.heap[0].keys[0]) } else { Ordering::Less };
        if against_worst == Ordering::Greater {
            return;
        }
        // A single key that is no better loses to the document that came first.
        if against_worst == Ordering::Equal && self.readers.len() == 1 {
            return;
        }
        let mut keys = Vec::with_capacity(self.readers.len());
        keys.push(first);
        for (reader, column) in self.readers.iter().zip(&self.columns).skip(1) {
            keys.push(reader.key(column, view, doc, self.doc_base, score, &mut self.scratch));
        }
        if self.after.as_ref().is_some_and(|after| compare(&self.readers, &keys, after) != Ordering::Greater) {
            return;
        }
        let entry = Entry { keys, segment: self.segment, doc, score };
        if !full {
            self.heap.push(entry);
            self.sift_up();
        } else if compare(&self.readers, &entry.keys, &self.heap[0].keys) == Ordering::Less {
            self.heap[0] = entry;
            self.sift_down();
        }
    }

    fn is_worse(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.heap[a], &self.heap[b]);
        let order = compare(&self.readers, &a.keys, &b.keys);
        order.then((a.segment, a.doc).cmp(&(b.segment, b.doc))) == Ordering::Greater
    }

    fn sift_up(&mut self) {
        let mut at = self.heap.len() - 1;
        while at > 0 && self.is_worse(at, (at - 1) / 2) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let mut worst = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.is_worse(child, worst) {
                    worst = child;
                }
            }
            if worst == at {
                return;
            }
            self.heap.swap(at, worst);
            at = worst;
        }
    }

    /// The hits, best first.
    pub fn finish(self) -> Vec<ShardHit> {
        let Self { mut heap, readers, .. } = self;
        heap.sort_by(|a, b| compare(&readers, &a.keys, &b.keys).then((a.segment, a.doc).cmp(&(b.segment, b.doc))));
        (heap.into_iter())
            .map(|entry| ShardHit {
                segment: entry.segment,
                doc: entry.doc,
                score: entry.score,
                sort: readers.iter().zip(&entry.keys).map(|(reader, key)| reader.show(key)).collect(),
            })
            .collect()
    }
}

fn compare(readers: &[KeyReader], a: &[Key], b: &[Key]) -> Ordering {
    for (reader, (a, b)) in readers.iter().zip(a.iter().zip(b)) {
        let order = reader.compare(a, b);
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

fn after_keys(readers: &[KeyReader], sorts: &[Sort], values: &[Value], cx: &ShardContext) -> Result<Vec<Key>> {
    if values.len() != readers.len() {
        return Err(Error::illegal_argument(format!(
            "search_after has {} value(s) but sort has {}.",
            values.len(),
            readers.len()
        )));
    }
    (readers.iter().zip(sorts).zip(values))
        .map(|((reader, sort), value)| {
            let name = match &sort.by {
                SortBy::Score => "_score",
                SortBy::Doc => "_doc",
                SortBy::Field { name, .. } => name,
            };
            reader.parse_after(value, name, cx)
        })
        .collect()
}
