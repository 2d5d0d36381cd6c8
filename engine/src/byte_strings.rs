//! Byte strings by number, with no allocation for each and none that has to move when more come ([`crate::chunked`]).

use crate::chunked::Chunked;

/// Bytes of a chunk, and of the addresses that it takes. A longer string has a chunk of its own.
const CHUNK_BYTES: usize = 64 << 10;

/// Strings, numbered in the order in which they came. Each stands in one piece.
#[derive(Default)]
pub(crate) struct ByteStrings {
    chunks: Vec<Vec<u8>>,
    /// The address of each string: it ends where the next one begins, or with its chunk.
    starts: Chunked<u64>,
    bytes: usize,
}

impl ByteStrings {
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes of all strings together.
    pub fn bytes_len(&self) -> usize {
        self.bytes
    }

    /// Adds a string and gives its address.
    #[inline]
    pub fn push(&mut self, string: &[u8]) -> u64 {
        // Nothing stands at the end of a chunk: that is the address of the next one.
        let room = self.chunks.last().map_or(0, |chunk| CHUNK_BYTES.saturating_sub(chunk.len()));
        if room < string.len().max(1) {
            self.begin_chunk(string.len());
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        let address = (at * CHUNK_BYTES + chunk.len()) as u64;
        chunk.extend_from_slice(string);
        self.starts.push(address);
        self.bytes += string.len();
        address
    }

    #[cold]
    fn begin_chunk(&mut self, len: usize) {
        // The first one grows as vectors do: most holders have little.
        let capacity = if self.chunks.is_empty() { len } else { len.max(CHUNK_BYTES) };
        self.chunks.push(Vec::with_capacity(capacity));
    }

    #[inline]
    pub fn get(&self, number: usize) -> &[u8] {
        let start = self.starts.get(number) as usize;
        let (chunk, next) = (&self.chunks[start / CHUNK_BYTES], number + 1);
        let end = match next < self.len() {
            true => Some(self.starts.get(next) as usize).filter(|end| end / CHUNK_BYTES == start / CHUNK_BYTES),
            false => None,
        };
        &chunk[start % CHUNK_BYTES..end.map_or(chunk.len(), |end| end % CHUNK_BYTES)]
    }

    /// The string of this address and length.
    #[inline]
    pub fn at(&self, address: u64, len: usize) -> &[u8] {
        let (chunk, start) = (address as usize / CHUNK_BYTES, address as usize % CHUNK_BYTES);
        &self.chunks[chunk][start..start + len]
    }

    /// The lengths of all strings.
    pub fn lens(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).map(|number| self.get(number).len())
    }

    /// All bytes, those of each string behind those of the one before it, in pieces of up to `len`.
    pub fn pieces(&self, len: usize) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().flat_map(move |chunk| chunk.chunks(len))
    }

    pub fn memory_bytes(&self) -> usize {
        self.bytes + self.starts.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_of_all_lengths_are_found_again() {
        let lens =
            [0, 5, CHUNK_BYTES - 6, 1, 0, 3 * CHUNK_BYTES + 1, 0, 7, CHUNK_BYTES, CHUNK_BYTES, 2, 2 * CHUNK_BYTES, 9];
        let of = |n: usize, len: usize| -> Vec<u8> { (0..len).map(|at| (at * 31 + n) as u8).collect() };
        let mut strings = ByteStrings::default();
        let mut addresses = vec![];
        for (n, len) in lens.into_iter().enumerate() {
            addresses.push(strings.push(&of(n, len)));
        }
        for (n, len) in lens.into_iter().enumerate() {
            assert_eq!(strings.get(n), of(n, len), "{n}");
            assert_eq!(strings.at(addresses[n], len), of(n, len), "{n}");
        }
        let all: Vec<u8> = lens.into_iter().enumerate().flat_map(|(n, len)| of(n, len)).collect();
        assert_eq!(strings.pieces(1_000).flatten().copied().collect::<Vec<_>>(), all);
        assert_eq!((strings.len(), strings.bytes_len()), (lens.len(), all.len()));
        assert!(strings.lens().eq(lens));
    }
}
