//! What the blocks of a segment are compressed against: pieces of documents, so that what documents have in common (names of
//! fields, phrases, structure) is referred to instead of written in every block.
//!
//! The content is documents as they are, evenly chosen, not a trained dictionary: training looks at its samples for 50 to 100 ms
//! and makes blocks 2 to 4% smaller than that.
//!
//! The first dictionary of a shard comes of its first half megabyte. Documents change, so once many times more have been seen, a
//! buffer that follows gets a new one, chosen over all that the buffer before held. Merges take the one that was chosen over the most:
//! each document is compressed anew for that only as often as what a dictionary was chosen over has grown by [`GROWTH`].

use bytes::Bytes;
use std::sync::{Arc, OnceLock};
use zstd_safe::{CDict, DDict};

/// The most bytes of a dictionary, and half of the fewest.
const DICTIONARY_BYTES: usize = 32 << 10;
/// A dictionary is chosen over at least as many times its bytes.
const SPREAD: usize = 16;
/// Bytes of a document that are taken at most.
const PIECE_BYTES: usize = 1 << 10;
/// How many times more documents have to be there for a new dictionary.
const GROWTH: u32 = 16;
/// Content from which on it pays to have a dictionary.
pub(super) const WORTH_BYTES: usize = DICTIONARY_BYTES * SPREAD;
/// The level of compression: higher ones take longer than they are worth.
pub(super) const LEVEL: i32 = 3;

/// A dictionary. What the compressor makes of it is made when it is needed.
pub(crate) struct Dictionary {
    content: Bytes,
    /// Documents that it was chosen over.
    docs: u32,
    compressing: OnceLock<CDict<'static>>,
    expanding: OnceLock<DDict<'static>>,
}

impl Dictionary {
    pub fn new(content: Bytes, docs: u32) -> Arc<Self> {
        Arc::new(Self { content, docs, compressing: OnceLock::new(), expanding: OnceLock::new() })
    }

    pub fn content(&self) -> &Bytes {
        &self.content
    }

    pub fn docs(&self) -> u32 {
        self.docs
    }

    pub fn compressing(&self) -> &CDict<'static> {
        self.compressing.get_or_init(|| CDict::create(&self.content, LEVEL))
    }

    pub fn expanding(&self) -> &DDict<'static> {
        self.expanding.get_or_init(|| DDict::create(&self.content))
    }

    /// The same dictionary without what was made of it.
    pub fn at_rest(&self) -> Arc<Self> {
        Self::new(self.content.clone(), self.docs)
    }

    pub fn memory_bytes(&self) -> usize {
        let made = self.compressing.get().map_or(0, CDict::sizeof) + self.expanding.get().map_or(0, DDict::sizeof);
        self.content.len() + made
    }
}

/// Chooses pieces of documents for a dictionary, evenly over all it sees: when there is no more room, every other one goes.
pub(super) struct Sampler {
    pieces: Vec<u8>,
    ends: Vec<usize>,
    /// Bytes that are seen for a byte that is taken.
    spread: usize,
    /// Bytes to be seen until the next piece.
    skip: usize,
    seen: usize,
    docs: u32,
}

impl Default for Sampler {
    fn default() -> Self {
        Self { pieces: vec![], ends: vec![], spread: SPREAD, skip: 0, seen: 0, docs: 0 }
    }
}

impl Sampler {
    /// Looks at the next document.
    pub fn see(&mut self, record: &[u8]) {
        self.seen += record.len();
        self.docs += 1;
        if self.skip > 0 {
            self.skip = self.skip.saturating_sub(record.len());
            return;
        }
        let piece = &record[..record.len().min(PIECE_BYTES)];
        if self.pieces.len() + piece.len() > DICTIONARY_BYTES {
            self.thin_out();
        }
        self.pieces.extend_from_slice(piece);
        self.ends.push(self.pieces.len());
        self.skip = (piece.len() * self.spread).saturating_sub(record.len());
    }

    #[cold]
    fn thin_out(&mut self) {
        let (pieces, ends) = (std::mem::take(&mut self.pieces), std::mem::take(&mut self.ends));
        let mut start = 0;
        for (at, end) in ends.into_iter().enumerate() {
            if at % 2 == 1 {
                self.pieces.extend_from_slice(&pieces[start..end]);
                self.ends.push(self.pieces.len());
            }
            start = end;
        }
        self.spread *= 2;
    }

    /// A dictionary of what has been seen, once that is enough.
    pub fn dictionary(&self) -> Option<Arc<Dictionary>> {
        let enough = self.seen >= WORTH_BYTES && self.pieces.len() >= DICTIONARY_BYTES / 2;
        enough.then(|| Dictionary::new(self.pieces.clone().into(), self.docs))
    }

    /// The same where `known` was chosen over much less.
    pub fn better_than(&self, known: Option<&Dictionary>) -> Option<Arc<Dictionary>> {
        let outgrown = known.is_none_or(|known| self.docs / GROWTH >= known.docs());
        if outgrown { self.dictionary() } else { None }
    }

    pub fn memory_bytes(&self) -> usize {
        self.pieces.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_from_everywhere() {
        let mut sampler = Sampler::default();
        let mut dictionaries = vec![];
        for i in 0..420_000u32 {
            sampler.see(format!("{{\"number\":\"{i:08}\"}}").as_bytes());
            let known = dictionaries.last().map(|(_, own): &(u32, Arc<Dictionary>)| &**own);
            dictionaries.extend(sampler.better_than(known).map(|own| (i, own)));
        }
        assert_eq!(dictionaries.len(), 2, "the second one is chosen over 16 times as many documents");
        for (last, dictionary) in dictionaries {
            assert_eq!(dictionary.docs(), last + 1);
            let content = dictionary.content();
            assert!((DICTIONARY_BYTES / 2..=DICTIONARY_BYTES).contains(&content.len()));
            let numbers =
                content.chunks(21).map(|piece| str::from_utf8(&piece[11..19]).unwrap().parse::<u32>().unwrap());
            let quarters = numbers.fold([0; 4], |mut counts, number| {
                counts[(number * 4 / (last + 1)) as usize] += 1;
                counts
            });
            let (min, max) = (quarters.iter().min().unwrap(), quarters.iter().max().unwrap());
            assert!(max - min <= max / 2 + 2, "{quarters:?}");
        }
    }
}
