//! The values of many documents at once: what goes over columns works on these instead of asking document by document.

use super::numeric::{NumericColumn, SINGLE, Window};
use super::{WINDOW, docset};
use crate::codec::packed;
use crate::codec::simd::column;

/// Numbers in memory that is kept: what is written over has been written once.
#[derive(Default)]
struct Numbers {
    room: Vec<i64>,
    len: usize,
}

impl Numbers {
    fn as_slice(&self) -> &[i64] {
        &self.room[..self.len]
    }

    /// So many more numbers, which are unspecified.
    fn add(&mut self, count: usize) -> &mut [i64] {
        let from = self.len;
        self.len += count;
        if self.room.len() < self.len {
            self.room.resize(self.len.max(2 * self.room.len()), 0);
        }
        &mut self.room[from..self.len]
    }

    fn extend_from_slice(&mut self, numbers: &[i64]) {
        self.add(numbers.len()).copy_from_slice(numbers);
    }
}

/// Values of a batch of documents, in the order of the documents. Kept between batches for its memory.
#[derive(Default)]
pub struct Batch {
    values: Numbers,
    /// For each value the place of its document in the batch; unused unless `mixed`.
    places: Vec<u32>,
    /// Not every document has exactly one value.
    mixed: bool,
    docs: usize,
    /// Documents that have a value.
    having: usize,
    raw: Vec<u64>,
    ranks: Vec<u32>,
    holders: Vec<u32>,
    ends: Vec<u64>,
    list_ends: Vec<u32>,
}

impl Batch {
    /// The values; those of one document ascend, equal ones are kept.
    pub fn values(&self) -> &[i64] {
        self.values.as_slice()
    }

    /// Every document of the batch has exactly one value, so that value `i` is that of document `i`.
    pub fn is_one_each(&self) -> bool {
        !self.mixed && self.values.len == self.docs
    }

    /// For each value the place of its document in the batch; none if [`Batch::is_one_each`].
    pub fn places(&self) -> Option<&[u32]> {
        (!self.is_one_each()).then_some(&self.places)
    }

    /// How many documents of the batch have no value.
    pub fn without(&self) -> usize {
        self.docs - self.having
    }

    /// Calls `f` with the place of each document and its values, which may be none.
    pub fn for_each_doc(&self, mut f: impl FnMut(usize, &[i64])) {
        if self.is_one_each() {
            self.values().iter().enumerate().for_each(|(place, value)| f(place, std::slice::from_ref(value)));
            return;
        }
        let mut at = 0;
        for place in 0..self.docs {
            let from = at;
            while self.places.get(at) == Some(&(place as u32)) {
                at += 1;
            }
            f(place, &self.values()[from..at]);
        }
    }

    /// Changes every value. `f` keeps their order.
    pub fn map(&mut self, f: impl Fn(i64) -> i64) {
        let Numbers { room, len } = &mut self.values;
        room[..*len].iter_mut().for_each(|value| *value = f(*value));
    }

    /// Gives every document without a value this one.
    pub fn fill_missing(&mut self, missing: i64) {
        if self.without() == 0 {
            return;
        }
        self.mix();
        let (values, places) = (std::mem::take(&mut self.values), std::mem::take(&mut self.places));
        let mut at = 0;
        for place in 0..self.docs as u32 {
            let from = at;
            while places.get(at) == Some(&place) {
                at += 1;
            }
            match from == at {
                true => self.values.extend_from_slice(&[missing]),
                false => self.values.extend_from_slice(&values.as_slice()[from..at]),
            }
            self.places.resize(self.values.len, place);
        }
        self.having = self.docs;
        self.mixed = self.values.len != self.docs;
    }

    /// A batch of documents that have no values.
    pub fn clear(&mut self, docs: usize) {
        self.values.len = 0;
        self.places.clear();
        (self.docs, self.having, self.mixed) = (docs, 0, false);
    }

    /// Adds a document with its values.
    pub fn push_doc(&mut self, values: &[i64]) {
        if values.len() != 1 {
            self.mix();
        }
        self.values.extend_from_slice(values);
        if self.mixed {
            self.places.resize(self.values.len, self.docs as u32);
        }
        self.docs += 1;
        self.having += usize::from(!values.is_empty());
    }

    /// From here on documents and values do not go side by side.
    fn mix(&mut self) {
        if !self.mixed {
            self.mixed = true;
            self.places.extend(0..self.values.len as u32);
        }
    }

    /// Appends what stands in `raw`.
    fn push_raw(&mut self, window: &Window) {
        let values = self.values.add(self.raw.len());
        column::unsigned(values).copy_from_slice(&self.raw);
        column::scale(values, window.divisor as i64, window.min);
    }
}

/// Whether the documents are numbers that follow each other.
#[inline]
fn is_run(docs: &[u32]) -> bool {
    match (docs.first(), docs.last()) {
        (Some(first), Some(last)) if (last - first) as usize == docs.len() - 1 => column::is_run(docs),
        _ => false,
    }
}

/// Most documents have no more values than this.
const FEW: usize = 8;

/// Appends the place of each document as often as it has values, given where those of each end and where the first begin. How many these are
/// cannot be foreseen, so that room for a few is written at once, and written over by the next document.
fn push_places<E: Copy + Into<u64>>(begin: u64, ends: &[E], holder: impl Fn(usize) -> usize, places: &mut Vec<u32>) {
    let Some(last) = ends.last() else { return };
    let before = places.len();
    let all = ((*last).into() - begin) as usize;
    places.resize(before + all + FEW, 0);
    let (mut at, mut begin) = (before, begin);
    for (i, end) in ends.iter().enumerate() {
        let end = (*end).into();
        let (place, count) = (holder(i) as u32, (end - begin) as usize);
        places[at..at + FEW].fill(place);
        if count > FEW {
            places[at + FEW..at + count].fill(place);
        }
        at += count;
        begin = end;
    }
    places.truncate(before + all);
}

impl NumericColumn {
    /// Reads all values of `docs` (ascending; equal ones may follow each other) into `batch`.
    pub fn read(&self, docs: &[u32], batch: &mut Batch) {
        batch.clear(docs.len());
        let mut rest = docs;
        while let Some(first) = rest.first() {
            let window = first / WINDOW;
            let within = match rest.last() {
                Some(last) if last / WINDOW == window => rest.len(),
                _ => rest.partition_point(|doc| doc / WINDOW == window),
            };
            let here;
            (here, rest) = rest.split_at(within);
            self.read_window(window, here, docs.len() - rest.len() - here.len(), batch);
        }
        if batch.having == batch.docs && batch.values.len == batch.docs {
            batch.mixed = false;
        }
    }

    /// `docs` are of one window; the first one stands at `place` of the batch.
    fn read_window(&self, number: u32, docs: &[u32], place: usize, batch: &mut Batch) {
        let window = self.window(number);
        if window.count == 0 {
            return batch.mix();
        }
        let base = number * WINDOW;
        let (mut ranks, mut holders) = (std::mem::take(&mut batch.ranks), std::mem::take(&mut batch.holders));
        ranks.clear();
        holders.clear();
        let full = self.docs().is_window_full(number);
        if !full {
            self.docs().ranks(number, docs, &mut ranks, &mut holders);
        }
        // Either all documents have values and their ranks are their places in the window, or ranks were looked up.
        let (from, places) = if full { (base, docs) } else { (0, &ranks[..]) };
        batch.having += places.len();
        let holder = |i: usize| if full { place + i } else { place + holders[i] as usize };
        if !full && places.len() < docs.len() {
            batch.mix();
        }
        if window.offset_width == SINGLE {
            let values = batch.values.add(places.len());
            self.unpack(window, from, places, column::unsigned(values));
            column::scale(values, window.divisor as i64, window.min);
            if batch.mixed {
                batch.places.extend((0..places.len()).map(|i| holder(i) as u32));
            }
        } else {
            batch.mix();
            self.read_several(window, from, places, holder, batch);
        }
        (batch.ranks, batch.holders) = (ranks, holders);
    }

    fn unpack(&self, window: &Window, from: u32, places: &[u32], out: &mut [u64]) {
        let bytes = &self.bytes()[window.values..];
        match is_run(places) {
            true => column::unpack(bytes, window.value_width, (places[0] - from) as usize, out),
            false => column::gather(bytes, window.value_width, from, places, out),
        }
    }

    fn read_several(
        &self,
        window: &Window,
        from: u32,
        places: &[u32],
        holder: impl Fn(usize) -> usize,
        batch: &mut Batch,
    ) {
        let offsets = &self.bytes()[window.offsets..];
        let values = &self.bytes()[window.values..];
        if !is_run(places) {
            let (offset_width, value_width) = (window.offset_width, window.value_width);
            let lists = column::Lists { offsets, offset_width, values, value_width };
            batch.raw.clear();
            batch.list_ends.clear();
            column::gather_lists(&lists, from, places, &mut batch.raw, &mut batch.list_ends);
            batch.push_raw(window);
            push_places(0, &batch.list_ends, holder, &mut batch.places);
            return;
        }
        let mut ends = std::mem::take(&mut batch.ends);
        ends.clear();
        ends.resize(places.len() + 1, 0);
        column::unpack(offsets, window.offset_width, (places[0] - from) as usize, &mut ends);
        let (first, last) = (ends[0] as usize, ends[places.len()] as usize);
        batch.raw.clear();
        batch.raw.resize(last - first, 0);
        column::unpack(values, window.value_width, first, &mut batch.raw);
        batch.push_raw(window);
        push_places(ends[0], &ends[1..], holder, &mut batch.places);
        batch.ends = ends;
    }

    /// Sets the bits of the documents of a window that have a value in `lo..=hi`, which is not empty. Other bits are kept.
    pub fn filter_window(&self, number: u32, lo: i64, hi: i64, out: &mut super::WindowBits) {
        debug_assert!(lo <= hi && out.window() == number);
        let window = self.window(number);
        let Some((raw_lo, raw_hi)) = window.raw_range(lo, hi) else { return };
        if window.min >= lo && window.max <= hi {
            return self.docs().or_window(number, out);
        }
        let run = column::Run { start: 0, len: window.count as usize };
        let bytes = &self.bytes()[window.values..];
        let mut found = vec![0u64; run.len.div_ceil(64)];
        column::filter(bytes, window.value_width, run, (raw_lo, raw_hi), &mut found);
        if window.offset_width != SINGLE {
            found = self.values_to_ranks(number, window, &found);
        }
        match self.docs().is_window_full(number) {
            true => out.words_mut().iter_mut().zip(&found).for_each(|(out, found)| *out |= found),
            false => self.docs().or_ranks(number, &found, out),
        }
    }

    /// From bits by value to bits by document with values: set if any value's is.
    fn values_to_ranks(&self, number: u32, window: &Window, found: &[u64]) -> Vec<u64> {
        let count = self.docs().window_rank(number + 1) - self.docs().window_rank(number);
        let offsets = &self.bytes()[window.offsets..];
        let mut ranks = vec![0u64; (count as usize).div_ceil(64)];
        let mut rank = 0;
        docset::for_each_bit(found, |value| {
            // Values ascend, so that the document of the next one is the same or a later one.
            while packed::get(offsets, window.offset_width, rank + 1) as usize <= value {
                rank += 1;
            }
            ranks[rank / 64] |= 1 << (rank % 64);
        });
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Pace, block_on_ready};
    use crate::segment::WindowBits;

    fn column(max_doc: u32, values: &[(u32, i64)]) -> NumericColumn {
        let bytes = block_on_ready(crate::segment::numeric::write(max_doc, values, &Pace::never()));
        NumericColumn::new(max_doc, bytes.into())
    }

    /// Columns with every document, with gaps, sparse, with several values, and over windows of different kinds.
    fn columns() -> Vec<NumericColumn> {
        let max_doc = 2 * WINDOW + 300;
        let mix = |doc: u32| i64::from(doc.wrapping_mul(2_654_435_761) % 1_000) * 7 - 900;
        let single = |keep: fn(u32) -> bool| (0..max_doc).filter(move |d| keep(*d)).map(|d| (d, mix(d))).collect();
        let several = |keep: fn(u32) -> u32| {
            (0..max_doc)
                .flat_map(move |d| {
                    let mut values: Vec<i64> = (0..keep(d)).map(|i| mix(d.wrapping_add(i * 99))).collect();
                    values.sort_unstable();
                    values.into_iter().map(move |value| (d, value))
                })
                .collect()
        };
        let all: [Vec<(u32, i64)>; 8] = [
            single(|_| true),
            single(|d| d % 3 != 0),
            single(|d| d % 500 == 3),
            single(|d| d >= WINDOW),
            several(|d| d % 4),
            several(|d| if d < WINDOW { 1 } else { 1 + d % 2 }),
            several(|d| if d % 50 == 0 { 20 } else { d % 3 }),
            vec![],
        ];
        all.iter().map(|values| column(max_doc, values)).collect()
    }

    #[test]
    fn batches_equal_reading_one_by_one() {
        let picks: [Vec<u32>; 6] = [
            (0..4_096).collect(),
            (WINDOW - 100..WINDOW + 100).collect(),
            (0..2 * WINDOW + 300).step_by(37).collect(),
            vec![1, 1, 3, 3, 3, WINDOW + 4, WINDOW + 4],
            vec![2 * WINDOW + 299],
            vec![],
        ];
        let mut batch = Batch::default();
        for (c, column) in columns().iter().enumerate() {
            for docs in &picks {
                column.read(docs, &mut batch);
                let mut one = vec![];
                let (mut expected, mut places, mut without) = (vec![], vec![], 0);
                for (i, doc) in docs.iter().enumerate() {
                    column.values(*doc, &mut one);
                    expected.extend_from_slice(&one);
                    places.resize(expected.len(), i as u32);
                    without += usize::from(one.is_empty());
                }
                assert_eq!(batch.values(), expected, "column {c}");
                assert_eq!(batch.without(), without, "column {c}");
                let one_each = places.iter().copied().eq(0..docs.len() as u32);
                assert_eq!(batch.is_one_each(), one_each);
                assert!(batch.places().is_none_or(|found| found == places), "column {c}");
                batch.for_each_doc(|i, values| {
                    column.values(docs[i], &mut one);
                    assert_eq!(values, one);
                });
                batch.fill_missing(5);
                batch.for_each_doc(|i, values| {
                    column.values(docs[i], &mut one);
                    assert_eq!(values, if one.is_empty() { &[5][..] } else { &one[..] });
                });
            }
        }
    }

    #[test]
    fn filtered_windows_equal_reading_one_by_one() {
        for (c, column) in columns().iter().enumerate() {
            for (lo, hi) in [(-900, -900), (-200, 800), (i64::MIN, i64::MAX), (3, 3), (7_000, 8_000), (-901, 6_093)] {
                for window in 0..3 {
                    let mut bits = WindowBits::new(window);
                    column.filter_window(window, lo, hi, &mut bits);
                    let docs = window * WINDOW..((window + 1) * WINDOW).min(2 * WINDOW + 300);
                    let mut values = vec![];
                    let expected: Vec<u32> = docs
                        .filter(|doc| {
                            column.values(*doc, &mut values);
                            values.iter().any(|value| (lo..=hi).contains(value))
                        })
                        .collect();
                    assert!(bits.iter().eq(expected), "column {c} {lo}..={hi} window {window}");
                }
            }
        }
    }
}
