//! A window of a posting list as a bitset; see `write` for its layout.

use crate::codec::bytes::{u16_at, u32_at, u64_at};
use crate::codec::packed;
use crate::codec::simd;
use crate::segment::WINDOW;
use crate::segment::bits::WINDOW_WORDS;

const RANK_DOCS: u32 = 512;
const RANKS_BYTES: usize = (WINDOW / RANK_DOCS) as usize * 2;
pub(super) const BITS_BYTES: usize = WINDOW_WORDS * 8;
const RANGES_BYTES: usize = (WINDOW / super::RANGE_DOCS) as usize;

/// Where the parts of a bitset stand in the postings section.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dense {
    /// First document of the window.
    pub base: u32,
    pub count: u32,
    ranks: usize,
    pub bits: usize,
    pub ranges: usize,
    groups: usize,
    group_bytes: usize,
    freqs: usize,
}

impl Dense {
    /// The bitset whose data starts at `at` and whose last document is `last_doc`.
    pub fn new(bytes: &[u8], at: usize, last_doc: u32, positions: bool) -> Self {
        let count = u32_at(bytes, at);
        let ranks = at + 4;
        let bits = ranks + RANKS_BYTES;
        let ranges = bits + BITS_BYTES;
        let groups = ranges + RANGES_BYTES;
        let group_bytes = if positions { 8 } else { 4 };
        let freqs = groups + (count as usize).div_ceil(simd::BLOCK) * group_bytes;
        Self { base: last_doc / WINDOW * WINDOW, count, ranks, bits, ranges, groups, group_bytes, freqs }
    }

    /// The word with the first document that is `target` (within the window) or later: its number, and its bits from that
    /// document on.
    #[inline]
    pub fn word_from(&self, bytes: &[u8], target: u32) -> Option<(usize, u64)> {
        let local = target - self.base;
        let at = (local / 64) as usize;
        let word = u64_at(bytes, self.bits + at * 8) & (u64::MAX << (local % 64));
        if word != 0 { Some((at, word)) } else { self.next_word(bytes, at + 1) }
    }

    /// The first word from number `at` on that is not empty.
    #[inline]
    pub fn next_word(&self, bytes: &[u8], at: usize) -> Option<(usize, u64)> {
        let words = bytes[self.bits..self.bits + BITS_BYTES].as_chunks::<8>().0;
        for (at, word) in words.iter().enumerate().skip(at) {
            let word = u64::from_le_bytes(*word);
            if word != 0 {
                return Some((at, word));
            }
        }
        None
    }

    /// Documents of the window before `doc`.
    #[inline]
    pub fn rank(&self, bytes: &[u8], doc: u32) -> u32 {
        let local = doc - self.base;
        let before = u32::from(u16_at(bytes, self.ranks + (local / RANK_DOCS) as usize * 2));
        let range = &bytes[self.bits + (local / RANK_DOCS * RANK_DOCS / 8) as usize..];
        before + simd::rank(range, (local % RANK_DOCS) as usize)
    }

    /// The bits of the window.
    pub fn bits<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.bits..self.bits + BITS_BYTES]
    }

    /// The best quantised tf-norm of each range of the window; 0 where it has no document.
    pub fn range_bests<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.ranges..self.ranges + RANGES_BYTES]
    }

    /// Writes documents from `doc` on into `out` until that is full or the window ends; gives their number.
    pub fn docs_from(&self, bytes: &[u8], doc: u32, out: &mut [u32]) -> usize {
        let local = doc - self.base;
        let mut mask = u64::MAX << (local % 64);
        let mut len = 0;
        for at in (local / 64) as usize..WINDOW_WORDS {
            let mut word = u64_at(bytes, self.bits + at * 8) & mask;
            mask = u64::MAX;
            let base = self.base + (at * 64) as u32;
            while word != 0 {
                let Some(out) = out.get_mut(len) else { return len };
                *out = base + word.trailing_zeros();
                word &= word - 1;
                len += 1;
            }
        }
        len
    }

    /// Unpacks the frequencies of group `group` (of 128 documents by rank).
    pub fn freqs(&self, bytes: &[u8], group: u32, out: &mut [u32; simd::BLOCK]) {
        let meta = u32_at(bytes, self.groups + group as usize * self.group_bytes);
        simd::unpack(&bytes[self.freqs + (meta >> 6) as usize..], (meta & 63) as u8, out);
        out.iter_mut().for_each(|freq| *freq = freq.wrapping_add(1));
    }

    /// The sums of the frequencies of a group up to each of its documents, that one included.
    pub fn freq_sums(&self, bytes: &[u8], group: u32, out: &mut [u32; simd::BLOCK]) {
        let meta = u32_at(bytes, self.groups + group as usize * self.group_bytes);
        // They are kept less one, as distances are.
        simd::unpack_deltas(&bytes[self.freqs + (meta >> 6) as usize..], (meta & 63) as u8, 0, out);
    }

    /// The frequency of one document, by rank.
    #[inline]
    pub fn freq(&self, bytes: &[u8], rank: u32) -> u32 {
        let meta = u32_at(bytes, self.groups + (rank as usize / simd::BLOCK) * self.group_bytes);
        let group = &bytes[self.freqs + (meta >> 6) as usize..];
        packed::get(group, (meta & 63) as u8, rank as usize % simd::BLOCK) as u32 + 1
    }

    /// Where the positions of a group start, from those of the unit.
    pub fn positions_at(&self, bytes: &[u8], group: u32) -> u32 {
        u32_at(bytes, self.groups + group as usize * self.group_bytes + 4)
    }
}

/// Writes the number of documents, the ranks and the bits.
pub(super) fn write_bits(count: u32, words: &[u64; WINDOW_WORDS], out: &mut Vec<u8>) {
    out.extend_from_slice(&count.to_le_bytes());
    let mut before = 0u32;
    for range in words.chunks((RANK_DOCS / 64) as usize) {
        out.extend_from_slice(&(before as u16).to_le_bytes());
        before += simd::count(range);
    }
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}
