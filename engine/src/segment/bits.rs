//! A set of documents of one window, as 1,024 words: where bulk evaluation meets.

use super::WINDOW;
use crate::codec::simd;

/// Words of 64 documents in a window.
pub const WINDOW_WORDS: usize = (WINDOW / 64) as usize;

/// Documents of one window. The window is fixed by [`WindowBits::reset`]; documents are given by their full number.
#[derive(Clone, Debug)]
pub struct WindowBits {
    window: u32,
    words: Box<[u64; WINDOW_WORDS]>,
}

impl Default for WindowBits {
    fn default() -> Self {
        Self::new(0)
    }
}

impl WindowBits {
    /// The empty set over window number `window` (documents `window * WINDOW ..`).
    pub fn new(window: u32) -> Self {
        Self { window, words: Box::new([0; WINDOW_WORDS]) }
    }

    /// Empties the set and moves it to another window.
    pub fn reset(&mut self, window: u32) {
        self.window = window;
        self.words.fill(0);
    }

    pub fn window(&self) -> u32 {
        self.window
    }

    /// The first document of the window.
    pub fn base(&self) -> u32 {
        self.window * WINDOW
    }

    /// The first document after the window. (As u64: the last window ends past the largest `u32`.)
    pub fn end(&self) -> u64 {
        (u64::from(self.window) + 1) * u64::from(WINDOW)
    }

    pub fn words(&self) -> &[u64; WINDOW_WORDS] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut [u64; WINDOW_WORDS] {
        &mut self.words
    }

    /// Adds a document of the window.
    #[inline]
    pub fn insert(&mut self, doc: u32) {
        debug_assert_eq!(doc / WINDOW, self.window);
        let at = doc % WINDOW;
        self.words[(at / 64) as usize] |= 1 << (at % 64);
    }

    #[inline]
    pub fn remove(&mut self, doc: u32) {
        debug_assert_eq!(doc / WINDOW, self.window);
        let at = doc % WINDOW;
        self.words[(at / 64) as usize] &= !(1 << (at % 64));
    }

    /// Whether it holds `doc`, a document of the window.
    #[inline]
    pub fn contains(&self, doc: u32) -> bool {
        debug_assert_eq!(doc / WINDOW, self.window);
        let at = doc % WINDOW;
        self.words[(at / 64) as usize] >> (at % 64) & 1 == 1
    }

    /// Adds all documents in `lo..hi`, which is cut to the window.
    pub fn insert_range(&mut self, lo: u32, hi: u32) {
        let (lo, hi) = (u64::from(lo).max(u64::from(self.base())), u64::from(hi).min(self.end()));
        if lo < hi {
            let base = u64::from(self.base());
            set_range(&mut self.words[..], (lo - base) as usize, (hi - base) as usize);
        }
    }

    pub fn count(&self) -> u32 {
        simd::count(&self.words[..])
    }

    /// How many of `from..end` there are; `from` is a document of the window, which the end is cut to.
    pub fn count_within(&self, from: u32, end: u64) -> u64 {
        let (lo, hi) =
            ((from - self.base()) as usize, (end.min(self.end()).max(from.into()) - u64::from(self.base())) as usize);
        let below = |at: usize| match at % 64 {
            0 => 0,
            bits => u64::from((self.words[at / 64] & ((1 << bits) - 1)).count_ones()),
        };
        u64::from(simd::count(&self.words[lo / 64..hi / 64])) + below(hi) - below(lo)
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// Keeps what is in both.
    pub fn and(&mut self, other: &[u64; WINDOW_WORDS]) {
        self.words.iter_mut().zip(other).for_each(|(a, b)| *a &= b);
    }

    /// Removes what is in `other`.
    pub fn and_not(&mut self, other: &[u64; WINDOW_WORDS]) {
        self.words.iter_mut().zip(other).for_each(|(a, b)| *a &= !b);
    }

    pub fn or(&mut self, other: &[u64; WINDOW_WORDS]) {
        self.words.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
    }

    /// Adds what `other`, a set of the same window, has of its documents `from..end`.
    pub fn or_within(&mut self, other: &WindowBits, from: u32, end: u32) {
        debug_assert_eq!(self.window, other.window);
        let (lo, hi) =
            ((from - self.base()) as usize, (u64::from(end).min(self.end()) - u64::from(self.base())) as usize);
        if lo >= hi {
            return;
        }
        let (first, last) = (lo / 64, (hi - 1) / 64);
        let (head, tail) = (u64::MAX << (lo % 64), u64::MAX >> (63 - (hi - 1) % 64));
        for at in first..=last {
            let head = if at == first { head } else { u64::MAX };
            let tail = if at == last { tail } else { u64::MAX };
            self.words[at] |= other.words[at] & head & tail;
        }
    }

    /// The first document of the set that is `from` or later.
    pub fn next(&self, from: u32) -> Option<u32> {
        if u64::from(from) >= self.end() {
            return None;
        }
        let at = from.saturating_sub(self.base());
        next_bit(&self.words[..], at as usize).map(|at| self.base() + at as u32)
    }

    /// Appends the documents in ascending order.
    pub fn push_into(&self, out: &mut Vec<u32>) {
        simd::column::push_bits(&self.words[..], self.base(), out);
    }

    /// Appends documents from `from` on, until there are `enough` of them or a little more. Gives the document to go on
    /// from; `None` at the end.
    pub fn push_some(&self, from: u32, enough: usize, out: &mut Vec<u32>) -> Option<u32> {
        const STEP: usize = 16;
        let mut at = (from - self.base()) as usize / 64;
        let mut first = self.words[at] & (u64::MAX << (from % 64));
        let stop = out.len() + enough;
        simd::column::push_bits(std::slice::from_mut(&mut first), self.base() + at as u32 * 64, out);
        at += 1;
        while at < WINDOW_WORDS && out.len() < stop {
            let end = (at + STEP).min(WINDOW_WORDS);
            simd::column::push_bits(&self.words[at..end], self.base() + at as u32 * 64, out);
            at = end;
        }
        (at < WINDOW_WORDS).then(|| self.base() + at as u32 * 64)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let mut from = Some(self.base());
        std::iter::from_fn(move || {
            let doc = self.next(from?)?;
            from = doc.checked_add(1);
            Some(doc)
        })
    }
}

/// Sets the bits `lo..hi`.
pub(crate) fn set_range(words: &mut [u64], lo: usize, hi: usize) {
    debug_assert!(lo < hi && hi <= words.len() * 64);
    let (first, last) = (lo / 64, (hi - 1) / 64);
    let (head, tail) = (u64::MAX << (lo % 64), u64::MAX >> (63 - (hi - 1) % 64));
    if first == last {
        words[first] |= head & tail;
        return;
    }
    words[first] |= head;
    words[first + 1..last].fill(u64::MAX);
    words[last] |= tail;
}

/// The first set bit at `from` or after.
#[inline]
pub(crate) fn next_bit(words: &[u64], from: usize) -> Option<usize> {
    let mut at = from / 64;
    let mut word = *words.get(at)? & (u64::MAX << (from % 64));
    while word == 0 {
        at += 1;
        word = *words.get(at)?;
    }
    Some(at * 64 + word.trailing_zeros() as usize)
}

#[inline]
pub(crate) fn for_each_bit(words: &[u64], mut found: impl FnMut(usize)) {
    for (at, word) in words.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            found(at * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_another_set_are_added_to_the_bit() {
        let mut other = WindowBits::new(2);
        let base = other.base();
        (0..1_000).for_each(|n| other.insert(base + n * 61));
        for (from, end) in [(0, 0), (0, 64), (61, 62), (60, 129), (5, 40_000), (30_000, 70_000), (0, WINDOW)] {
            let mut bits = WindowBits::new(2);
            bits.insert(base + 1);
            bits.or_within(&other, base + from, base + end);
            let expected = (0..WINDOW).filter(|n| *n == 1 || (from..end).contains(n) && n % 61 == 0 && n / 61 < 1_000);
            assert!(bits.iter().eq(expected.map(|n| base + n)), "{from}..{end}");
        }
    }

    #[test]
    fn ranges_are_cut_to_the_window() {
        let mut bits = WindowBits::new(1);
        bits.insert_range(10, WINDOW + 3);
        bits.insert_range(WINDOW + 63, WINDOW + 130);
        bits.insert_range(2 * WINDOW - 1, 3 * WINDOW);
        let expected: Vec<u32> =
            (WINDOW..WINDOW + 3).chain(WINDOW + 63..WINDOW + 130).chain([2 * WINDOW - 1]).collect();
        assert_eq!(bits.iter().collect::<Vec<_>>(), expected);
        assert_eq!(bits.count() as usize, expected.len());
        let mut pushed = vec![];
        bits.push_into(&mut pushed);
        assert_eq!(pushed, expected);
    }

    #[test]
    fn documents_come_in_portions() {
        let mut bits = WindowBits::new(1);
        (0..WINDOW).filter(|doc| doc % 3 == 1).for_each(|doc| bits.insert(WINDOW + doc));
        let (mut found, mut from) = (vec![], Some(WINDOW + 100));
        while let Some(next) = from {
            let before = found.len();
            from = bits.push_some(next, 500, &mut found);
            assert!(found.len() < before + 1_000);
        }
        assert!(bits.iter().filter(|doc| *doc >= WINDOW + 100).eq(found));
        for (from, end) in
            [(0, 1), (0, 64), (5, 5), (1, 63), (64, 129), (70, 100), (0, 2 * WINDOW), (WINDOW - 1, 9 * WINDOW)]
        {
            let (from, end) = (WINDOW + from, WINDOW + end);
            let expected = bits.iter().filter(|doc| (from..end).contains(doc)).count() as u64;
            assert_eq!(bits.count_within(from, end.into()), expected, "{from}..{end}");
        }
    }

    #[test]
    fn the_last_window_has_no_overflow() {
        let mut bits = WindowBits::new(WINDOW - 1);
        bits.insert(u32::MAX - 1);
        assert_eq!(bits.next(5), Some(u32::MAX - 1));
        assert_eq!(bits.iter().count(), 1);
    }
}
