//! A vector in chunks: it grows without moving what it holds.
//!
//! A `Vec` that grows copies everything at once. One of a few million values, which are what a buffer holds before it is sealed, takes tens of
//! milliseconds for it (most of them for pages that are touched for the first time), and its core does nothing else meanwhile.

use std::ops::Range;

/// Bytes of a chunk: large enough that a slice of it is worth a loop, small enough to be made at once and used again by others.
const CHUNK_BYTES: usize = 64 << 10;

/// Values by number, in the order in which they came.
#[derive(Clone)]
pub(crate) struct Chunked<T> {
    /// Of [`Chunked::CHUNK`] values each.
    full: Vec<Vec<T>>,
    /// Grows as vectors do until it is as large as the others.
    last: Vec<T>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { full: vec![], last: vec![] }
    }
}

impl<T: Copy> Chunked<T> {
    /// Values of a chunk, a power of two.
    const CHUNK: usize = 1 << (CHUNK_BYTES / size_of::<T>()).ilog2();

    pub fn len(&self) -> usize {
        self.full.len() * Self::CHUNK + self.last.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn push(&mut self, value: T) {
        if self.last.len() == self.last.capacity() {
            self.make_room();
        }
        self.last.push(value);
    }

    /// Room for one value at least.
    #[cold]
    fn make_room(&mut self) {
        if self.last.len() < Self::CHUNK {
            let more = self.last.len().clamp(4, Self::CHUNK - self.last.len());
            return self.last.reserve_exact(more);
        }
        let next = Vec::with_capacity(Self::CHUNK);
        self.full.push(std::mem::replace(&mut self.last, next));
    }

    pub fn extend_from_slice(&mut self, mut values: &[T]) {
        while !values.is_empty() {
            if self.last.len() == self.last.capacity() {
                self.make_room();
            }
            let fit = values.len().min(self.last.capacity() - self.last.len());
            let (here, rest) = values.split_at(fit);
            self.last.extend_from_slice(here);
            values = rest;
        }
    }

    /// Adds values that are here already once more.
    pub fn extend_from_within(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            // What is added does not change what stands before it.
            let fit = self.slice_at(at, range.end).len();
            if self.last.capacity() - self.last.len() < fit {
                let values = self.slice_at(at, range.end).to_vec();
                self.extend_from_slice(&values);
            } else if at >= self.full.len() * Self::CHUNK {
                let start = at - self.full.len() * Self::CHUNK;
                self.last.extend_from_within(start..start + fit);
            } else {
                let (chunk, start) = (at / Self::CHUNK, at % Self::CHUNK);
                self.last.extend_from_slice(&self.full[chunk][start..start + fit]);
            }
            at += fit;
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> T {
        self.chunk(at / Self::CHUNK)[at % Self::CHUNK]
    }

    #[inline]
    fn chunk(&self, number: usize) -> &[T] {
        match self.full.get(number) {
            Some(chunk) => chunk,
            None => {
                assert!(number == self.full.len(), "chunk {number} of {}", self.full.len() + 1);
                &self.last
            }
        }
    }

    pub fn last(&self) -> Option<T> {
        self.last.last().or_else(|| self.full.last()?.last()).copied()
    }

    /// What stands together from `at` on, up to `end`.
    fn slice_at(&self, at: usize, end: usize) -> &[T] {
        let start = at % Self::CHUNK;
        let stop = (end - at + start).min(Self::CHUNK);
        &self.chunk(at / Self::CHUNK)[start..stop]
    }

    /// The values of `range`, in pieces that stand together; most ranges that are short are one.
    pub fn slices(&self, range: Range<usize>) -> impl Iterator<Item = &[T]> {
        let mut at = range.start;
        std::iter::from_fn(move || {
            (at < range.end).then(|| {
                let slice = self.slice_at(at, range.end);
                at += slice.len();
                slice
            })
        })
    }

    /// All values, in pieces of up to `len` that stand together.
    pub fn chunks(&self, len: usize) -> impl Iterator<Item = &[T]> {
        self.slices(0..self.len()).flat_map(move |slice| slice.chunks(len))
    }

    pub fn iter(&self) -> impl Iterator<Item = T> {
        self.slices(0..self.len()).flatten().copied()
    }

    /// The values from `start` on are taken out.
    pub fn split_off(&mut self, start: usize) -> Vec<T> {
        let mut taken = Vec::with_capacity(self.len() - start);
        self.slices(start..self.len()).for_each(|slice| taken.extend_from_slice(slice));
        while self.full.len() * Self::CHUNK > start {
            self.last = self.full.pop().expect("as many as there are");
        }
        self.last.truncate(start - self.full.len() * Self::CHUNK);
        taken
    }

    /// The first place of `0..len` for which `before` no longer holds; it holds for none after that.
    pub fn partition_point(&self, before: impl Fn(T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.get(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Memory of the values; of what a chunk has room for beyond them nothing has been touched.
    pub fn memory_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first values, enough of them for some chunks and a part.
    fn numbers(count: usize) -> Chunked<u64> {
        let mut chunked = Chunked::default();
        (0..count as u64).for_each(|n| chunked.push(n));
        chunked
    }

    #[test]
    fn values_are_found_where_a_vector_has_them() {
        let chunk = Chunked::<u64>::CHUNK;
        for count in [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk + 7] {
            let chunked = numbers(count);
            let plain: Vec<u64> = (0..count as u64).collect();
            assert_eq!((chunked.len(), chunked.is_empty(), chunked.last()), (count, count == 0, plain.last().copied()));
            assert!(chunked.iter().eq(plain.iter().copied()));
            assert!((0..count).all(|at| chunked.get(at) == plain[at]));
            assert_eq!(chunked.chunks(1_000).flatten().count(), count);
            for start in [0, 1, count / 2, count.saturating_sub(1), count] {
                let start = start.min(count);
                assert_eq!(chunked.slices(start..count).flatten().copied().collect::<Vec<_>>(), plain[start..]);
                assert_eq!(chunked.partition_point(|value| value < start as u64), start);
            }
        }
    }

    #[test]
    fn what_is_added_in_pieces_is_added_in_order() {
        let chunk = Chunked::<u64>::CHUNK;
        let mut chunked = numbers(chunk - 3);
        let mut plain: Vec<u64> = (0..chunk as u64 - 3).collect();
        for len in [1, 5, 2 * chunk, chunk + 1, 4] {
            let more: Vec<u64> = (0..len as u64).map(|n| n * 7).collect();
            chunked.extend_from_slice(&more);
            plain.extend_from_slice(&more);
            let range = plain.len() / 3..plain.len() / 3 + len;
            chunked.extend_from_within(range.clone());
            plain.extend_from_within(range);
            let end = plain.len() - 2..plain.len();
            chunked.extend_from_within(end.clone());
            plain.extend_from_within(end);
        }
        assert!(chunked.iter().eq(plain.iter().copied()));
    }

    #[test]
    fn the_end_is_taken_out() {
        let chunk = Chunked::<u64>::CHUNK;
        for (count, start) in [(10, 3), (chunk, chunk), (chunk + 5, chunk - 5), (3 * chunk, chunk), (3 * chunk + 1, 0)]
        {
            let mut chunked = numbers(count);
            assert_eq!(chunked.split_off(start), (start as u64..count as u64).collect::<Vec<_>>());
            assert_eq!(chunked.len(), start);
            chunked.push(77);
            assert_eq!((chunked.len(), chunked.last()), (start + 1, Some(77)));
            assert!((0..start).all(|at| chunked.get(at) == at as u64));
        }
    }
}
