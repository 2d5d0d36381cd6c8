//! The best hits by sort values.

use super::result::ShardHit;
use super::sort_keys::{Column, Key, KeyReader, Scratch};
use super::sort_parse::{Sort, SortBy};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::query::ShardContext;
use crate::segment::{Batch, NumericColumn, OrdinalColumn, SegmentView};
use std::cmp::Ordering;

/// Every number.
const ALL: (i64, i64) = (i64::MIN, i64::MAX);

/// Keeps the `size` best documents offered. Among equals earlier ones win.
pub struct TopSorted {
    size: usize,
    readers: Vec<KeyReader>,
    after: Option<Vec<Key>>,
    /// Of documents with the keys of `after` those count that stand behind this one.
    after_doc: Option<(u32, u32)>,
    /// Whether hits carry their sort values.
    shows_sort: bool,
    /// A max-heap: the worst hit kept stands first.
    heap: Vec<Entry>,
    columns: Vec<Column>,
    /// The numbers of the first column that are still to be offered of this segment, from and to.
    left: (i64, i64),
    /// Documents of this segment come in no order: equal ones are told apart by their numbers.
    unordered: bool,
    segment: u32,
    doc_base: u64,
    scratch: Scratch,
    batch: Batch,
    /// First keys of documents that may enter, and their places in a batch.
    open: Vec<(i64, u32)>,
}

/// More documents of a batch than this, and than so many times those that are wanted, are not offered one by one.
const MANY: usize = 64;
const MANY_TIMES: usize = 4;

struct Entry {
    keys: Vec<Key>,
    segment: u32,
    doc: u32,
    score: f32,
}

impl TopSorted {
    pub fn new(sorts: &[Sort], after: Option<&[Value]>, size: usize, cx: &ShardContext) -> Result<Self> {
        let readers = sorts.iter().map(|sort| KeyReader::new(sort, cx)).collect::<Result<Vec<_>>>()?;
        readers.iter().try_for_each(KeyReader::check_missing)?;
        let after = after.map(|values| after_keys(&readers, sorts, values, cx)).transpose()?;
        let heap = Vec::with_capacity(size.min(1024));
        let (scratch, batch) = (Scratch::default(), Batch::default());
        Ok(Self {
            size,
            readers,
            after,
            after_doc: None,
            shows_sort: true,
            heap,
            columns: vec![],
            left: ALL,
            unordered: false,
            segment: 0,
            doc_base: 0,
            scratch,
            batch,
            open: vec![],
        })
    }

    /// For scrolls: the hits behind `hit`, which an earlier search on this snapshot found. Without sort keys they are in
    /// the order of their scores.
    pub fn scroll(sorts: &[Sort], hit: Option<&ShardHit>, size: usize, cx: &ShardContext) -> Result<Self> {
        let by_score = [Sort::by_name("_score")];
        let mut top = Self::new(if sorts.is_empty() { &by_score } else { sorts }, None, size, cx)?;
        top.shows_sort = !sorts.is_empty();
        let found = hit.and_then(|hit| Some((hit, cx.snapshot.segments.get(hit.segment as usize)?)));
        if let Some((hit, view)) = found {
            let before = cx.snapshot.segments.iter().take(hit.segment as usize);
            let doc_base = before.map(|view| u64::from(view.max_doc())).sum();
            top.enter_segment(hit.segment, view, doc_base)?;
            let keys = top.readers.iter().zip(&top.columns);
            let keys = keys.map(|(r, c)| r.key(c, view, hit.doc, doc_base, hit.score, &mut top.scratch)).collect();
            top.after = Some(keys);
            top.after_doc = Some((hit.segment, hit.doc));
        }
        Ok(top)
    }

    /// Whether as many hits are kept as are wanted.
    pub fn is_full(&self) -> bool {
        self.heap.len() == self.size
    }

    /// The error of a script that hits are sorted by.
    pub fn check(&self) -> Result<()> {
        self.readers.iter().try_for_each(KeyReader::check)
    }

    pub fn enter_segment(&mut self, segment: u32, view: &SegmentView, doc_base: u64) -> Result<()> {
        self.columns = self.readers.iter().map(|reader| reader.column(view)).collect::<Result<_>>()?;
        self.left = ALL;
        self.unordered = false;
        self.segment = segment;
        self.doc_base = doc_base;
        Ok(())
    }

    /// From here on only documents whose number of the first column lies in `left` are taken, in this segment.
    pub fn restrict(&mut self, left: (i64, i64)) {
        self.left = left;
    }

    /// From here on documents of this segment are not offered in their order.
    pub fn leave_order(&mut self) {
        self.unordered = true;
    }

    /// The numbers of the first column that may still enter, from and to; for leads that are numbers.
    pub fn open_numbers(&self) -> (i64, i64) {
        let (lo, hi) = self.open_keys();
        let Some((reader, _)) = self.lead().filter(|_| lo <= hi) else { return (i64::MAX, i64::MIN) };
        let (lo, hi) = reader.numbers_within(lo, hi);
        (lo.max(self.left.0), hi.min(self.left.1))
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// What reads the first key, and the column it reads where that is one of single numbers.
    pub fn lead(&self) -> Option<(&KeyReader, &NumericColumn)> {
        let reader = self.readers.first()?;
        Some((reader, reader.numbers(self.columns.first()?)?))
    }

    /// Whether equal first keys may still be told apart.
    pub fn has_more_keys(&self) -> bool {
        self.readers.len() > 1 || self.after_doc.is_some() || self.unordered
    }

    /// The first keys, from and to, that can still enter; nothing can if the first is greater. For leads that are numbers.
    pub fn open_keys(&self) -> (i64, i64) {
        let (mut lo, mut hi) = ALL;
        let (Some(reader), more) = (self.readers.first(), self.has_more_keys()) else { return (lo, hi) };
        // With a single key, one that is equal to the worst or to where to go on from is out.
        let above = |key: i64| if more { Some(key) } else { key.checked_add(1) };
        let below = |key: i64| if more { Some(key) } else { key.checked_sub(1) };
        let nothing = (i64::MAX, i64::MIN);
        let worst = self.heap.first().filter(|_| self.heap.len() == self.size);
        let worst = worst.and_then(|entry| entry.keys.first());
        let after = self.after.as_ref().and_then(|keys| keys.first());
        let (from, to) = if reader.is_descending() { (worst, after) } else { (after, worst) };
        if let Some(Key::Number(key)) = from {
            let Some(key) = above(*key) else { return nothing };
            lo = key;
        }
        if let Some(Key::Number(key)) = to {
            let Some(key) = below(*key) else { return nothing };
            hi = key;
        }
        (lo, hi)
    }

    /// The first document from `doc` on that statistics do not rule out.
    pub fn next_open(&self, doc: u32, max_doc: u32) -> u32 {
        let Some((reader, column)) = self.lead() else { return doc };
        let (lo, hi) = self.open_keys();
        if lo > hi {
            return max_doc;
        }
        let missing_is_open = !column.docs().is_all() && (lo..=hi).contains(&reader.missing_number());
        let mut doc = doc;
        while doc < max_doc && !missing_is_open {
            let (range, next) = column.range_around(doc);
            let within = |(min, max): (i64, i64)| {
                reader.key_of(min) <= hi && reader.key_of(max) >= lo && min <= self.left.1 && max >= self.left.0
            };
            if range.is_some_and(within) {
                break;
            }
            doc = next;
        }
        doc.min(max_doc)
    }

    /// Offers live matches of the current segment, ascending. `scores` is empty if there are none.
    pub fn offer(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) {
        let (Some(first), Some(last)) = (docs.first(), docs.last()) else { return };
        if self.size == 0 {
            return;
        }
        if self.lead().is_some() {
            if self.next_open(*first, view.max_doc()) <= *last {
                self.offer_numbers(view, docs, scores);
            }
        } else if self.readers[0].ordinals(&self.columns[0]).is_some() {
            self.offer_ordinals(view, docs, scores);
        } else {
            for (i, &doc) in docs.iter().enumerate() {
                let score = scores.get(i).copied().unwrap_or(f32::NAN);
                let (reader, column) = (&self.readers[0], &self.columns[0]);
                let key = reader.key(column, view, doc, self.doc_base, score, &mut self.scratch);
                self.offer_one(view, doc, score, key);
            }
        }
    }

    fn offer_numbers(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) {
        let (mut batch, mut open) = (std::mem::take(&mut self.batch), std::mem::take(&mut self.open));
        let Some((reader, column)) = self.lead() else { return };
        column.read(docs, &mut batch);
        let (missing, plain) = (reader.missing_number(), reader.is_plain());
        let ((mut lo, mut hi), left) = (self.open_keys(), self.left);
        open.clear();
        // Which ones are open cannot be foreseen: each is written, and written over unless it was.
        open.resize(docs.len(), (0, 0));
        let mut count = 0;
        batch.for_each_doc(|place, values| {
            let (key, wanted) = match values.first() {
                Some(value) => {
                    let key = if plain { *value } else { reader.key_of(*value) };
                    (key, *value >= left.0 && *value <= left.1)
                }
                None => (missing, true),
            };
            open[count] = (key, place as u32);
            count += usize::from(wanted && key >= lo && key <= hi);
        });
        open.truncate(count);
        self.keep_best(&mut open);
        for (key, place) in &open {
            if *key < lo || *key > hi {
                continue;
            }
            let place = *place as usize;
            let score = scores.get(place).copied().unwrap_or(f32::NAN);
            if self.offer_one(view, docs[place], score, Key::Number(*key)) {
                (lo, hi) = self.open_keys();
            }
        }
        (self.batch, self.open) = (batch, open);
    }

    /// Leaves of many documents and their first keys those that may be among the best of them alone; otherwise, where keys get better from one
    /// document to the next as time does, each of them would enter.
    fn keep_best(&self, open: &mut Vec<(i64, u32)>) {
        let most = self.size.saturating_mul(MANY_TIMES).max(MANY);
        // By equal first keys alone nothing is said of what lies behind a place in their midst.
        if open.len() <= most || (self.after.is_some() && self.has_more_keys()) {
            return;
        }
        let descending = self.readers[0].is_descending();
        let least_of = |keys: &[(i64, u32)]| match descending {
            true => keys.iter().map(|(key, _)| *key).min(),
            false => keys.iter().map(|(key, _)| *key).max(),
        };
        let Some(least) = least_of(&open[open.len() - self.size..]) else { return };
        let reaches = |key: i64, least: i64| if descending { key >= least } else { key <= least };
        open.retain(|(key, _)| reaches(*key, least));
        if open.len() > most {
            let mut keys: Vec<i64> = open.iter().map(|(key, _)| *key).collect();
            let place = if descending { keys.len() - self.size } else { self.size - 1 };
            let least = *keys.select_nth_unstable(place).1;
            open.retain(|(key, _)| reaches(*key, least));
        }
    }

    /// Terms are compared by their ordinals, and read only where they enter.
    fn offer_ordinals(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) {
        let Some(column) = self.readers[0].ordinals(&self.columns[0]).cloned() else { return };
        let mut batch = std::mem::take(&mut self.batch);
        column.read(docs, &mut batch);
        let missing = self.readers[0].missing_key();
        let mut open = self.open_ordinals(&column);
        batch.for_each_doc(|place, ords| {
            let key = match ords.first() {
                Some(ord) if !open.contains(ord) => return,
                Some(ord) => Key::Bytes(column.term(*ord as u32).into_owned()),
                None => missing.clone(),
            };
            let score = scores.get(place).copied().unwrap_or(f32::NAN);
            if self.offer_one(view, docs[place], score, key) {
                open = self.open_ordinals(&column);
            }
        });
        self.batch = batch;
    }

    /// The ordinals whose terms are no worse than the worst hit kept.
    fn open_ordinals(&self, column: &OrdinalColumn) -> std::ops::Range<i64> {
        let all = 0..i64::from(column.num_ords());
        let worst = self.heap.first().filter(|_| self.heap.len() == self.size);
        let Some(Key::Bytes(worst)) = worst.and_then(|entry| entry.keys.first()) else { return all };
        let place = column.ord_of(worst);
        let first_not_less = i64::from(place.unwrap_or_else(|next| next));
        let first_greater = first_not_less + i64::from(place.is_ok());
        if self.readers[0].is_descending() { first_not_less..all.end } else { 0..first_greater }
    }

    /// Whether the document was kept.
    fn offer_one(&mut self, view: &SegmentView, doc: u32, score: f32, first: Key) -> bool {
        let full = self.heap.len() == self.size;
        let against_worst = if full { self.readers[0].compare(&first, &self.heap[0].keys[0]) } else { Ordering::Less };
        if against_worst == Ordering::Greater {
            return false;
        }
        // A single key that is no better loses to the document that came first.
        if against_worst == Ordering::Equal && self.readers.len() == 1 && !self.unordered {
            return false;
        }
        let mut keys = Vec::with_capacity(self.readers.len());
        keys.push(first);
        for (reader, column) in self.readers.iter().zip(&self.columns).skip(1) {
            keys.push(reader.key(column, view, doc, self.doc_base, score, &mut self.scratch));
        }
        if let Some(after) = &self.after {
            let order = compare(&self.readers, &keys, after);
            let behind = order == Ordering::Equal && self.after_doc.is_some_and(|place| (self.segment, doc) > place);
            if order != Ordering::Greater && !behind {
                return false;
            }
        }
        let entry = Entry { keys, segment: self.segment, doc, score };
        if !full {
            self.heap.push(entry);
            self.sift_up();
        } else if self.is_before(&entry, &self.heap[0]) {
            self.heap[0] = entry;
            self.sift_down();
        } else {
            return false;
        }
        true
    }

    fn is_worse(&self, a: usize, b: usize) -> bool {
        self.is_before(&self.heap[b], &self.heap[a])
    }

    fn is_before(&self, a: &Entry, b: &Entry) -> bool {
        let order = compare(&self.readers, &a.keys, &b.keys);
        order.then((a.segment, a.doc).cmp(&(b.segment, b.doc))) == Ordering::Less
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
        self.finish_page(0)
    }

    /// The hits behind the first `passed`, best first. Those before are told from them, but not put in order.
    pub fn finish_page(self, passed: usize) -> Vec<ShardHit> {
        let Self { mut heap, readers, shows_sort, .. } = self;
        let order = |a: &Entry, b: &Entry| {
            compare(&readers, &a.keys, &b.keys).then((a.segment, a.doc).cmp(&(b.segment, b.doc)))
        };
        if passed > 0 && passed < heap.len() {
            heap.select_nth_unstable_by(passed, order);
        }
        heap.drain(..passed.min(heap.len()));
        heap.sort_by(order);
        (heap.into_iter())
            .map(|entry| ShardHit {
                segment: entry.segment,
                doc: entry.doc,
                score: entry.score,
                sort: match shows_sort {
                    true => readers.iter().zip(&entry.keys).map(|(reader, key)| reader.show(key)).collect(),
                    false => vec![],
                },
                group: None,
                rescored: vec![],
            })
            .collect()
    }
}

pub(super) fn compare(readers: &[KeyReader], a: &[Key], b: &[Key]) -> Ordering {
    for (reader, (a, b)) in readers.iter().zip(a.iter().zip(b)) {
        let order = reader.compare(a, b);
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

pub(super) fn after_keys(
    readers: &[KeyReader],
    sorts: &[Sort],
    values: &[Value],
    cx: &ShardContext,
) -> Result<Vec<Key>> {
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
                SortBy::Script(_) => "_script",
                SortBy::Doc => "_doc",
                SortBy::ShardDoc => "_shard_doc",
                SortBy::GeoDistance(_) => "_geo_distance",
                SortBy::Field(by) => &by.name,
            };
            reader.parse_after(value, name, cx)
        })
        .collect()
}
