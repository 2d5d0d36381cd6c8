//! The terms of a field: blocks of 16 with shared prefixes, and an index of the blocks.
//!
//! ```text
//! 0   8  number of terms
//! 8   4  number of blocks b
//! 12  8  where the index starts
//! 20  1  flags: 1 = terms have postings, 2 = frequencies, 4 = positions, 8 = letters
//! 21     blocks
//! index: b times
//!   8  the first eight bytes of the first term of the block as a big-endian number, padded with zeros
//!   8  where the block starts
//! letters, where they are kept: per term
//!   8  which letters it has, see letters
//!
//! block: varint bytes of the keys, then the keys of 16 terms (of the last block: what is left):
//!   varint bytes shared with the term before (the first: 0), varint length of the rest, the rest
//!   then, if terms have postings:
//!   varint, varint   where the postings and the positions of the first term start
//!   per term:
//!     varint         doc_freq
//!     varint         total_term_freq - doc_freq                   (frequencies only)
//!     1              best tf-norm, see postings                   (frequencies only)
//!     1              tenth best tf-norm                           (frequencies and doc_freq of 128 or more only)
//!     varint         doc_freq = 1: the document; else: bytes of its postings
//!     varint         bytes of its positions                       (positions only)
//! ```

use super::key_scan::{Keys, index_key};
use super::partial::PartSection;
use super::postings::{ListPlace, PostingsSource, UNITS_DOCS_MIN, for_each_of_short};
use super::{Postings, TermIter, Want};
use crate::codec::bytes::{u32_at, u64_at};
use crate::codec::varint;
use bytes::Bytes;
use std::cmp::Ordering;
use std::ops::{Bound, Range};
use std::sync::Arc;

pub(crate) const BLOCK_TERMS: usize = 16;
/// From this many documents on the tenth best is kept.
pub(super) const RANKED_DOCS_MIN: u32 = 128;
pub(super) const HEADER_BYTES: usize = 21;
pub(super) const INDEX_ENTRY_BYTES: usize = 16;
pub(super) const HAS_POSTINGS: u8 = 1;
pub(super) const HAS_FREQS: u8 = 2;
pub(super) const HAS_POSITIONS: u8 = 4;
/// Of terms with frequencies, which are words: those are looked for by what is similar. Older dictionaries have none.
pub(super) const HAS_LETTERS: u8 = 8;
const LETTERS_BYTES: usize = 8;

/// The sorted terms of a field, or of a column of bytes.
#[derive(Clone)]
pub struct Terms(Arc<Inner>);

pub(super) struct Inner {
    pub(super) bytes: Bytes,
    pub(super) len: u64,
    blocks: usize,
    pub(super) index: usize,
    flags: u8,
    source: PostingsSource,
}

/// What is known of a term without touching its postings. Valid for the [`Terms`] it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermInfo {
    pub doc_freq: u32,
    /// Equal to `doc_freq` where frequencies are not indexed.
    pub total_term_freq: u64,
    /// The place of the term among all of the field.
    pub ord: u64,
    pub(crate) place: ListPlace,
}

impl Terms {
    pub(crate) fn new(bytes: Bytes, source: PostingsSource) -> Self {
        let (len, blocks) = (u64_at(&bytes, 0), u32_at(&bytes, 8) as usize);
        let (index, flags) = (u64_at(&bytes, 12) as usize, bytes[20]);
        let letters = if flags & HAS_LETTERS == 0 { 0 } else { len as usize * LETTERS_BYTES };
        assert!(index + blocks * INDEX_ENTRY_BYTES + letters == bytes.len(), "checked layout");
        Self(Arc::new(Inner { bytes, len, blocks, index, flags, source }))
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.0
    }

    /// The number of terms.
    pub fn len(&self) -> u64 {
        self.0.len
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the dictionary, of the postings, and of the positions.
    pub(crate) fn section_bytes(&self) -> [usize; 3] {
        let Inner { bytes, source, .. } = &*self.0;
        debug_assert!(source.lists.is_none(), "what is merged has been read");
        [bytes.len(), source.postings.len(), source.positions.len()]
    }

    pub fn get(&self, term: &[u8]) -> Option<TermInfo> {
        let (block, i) = self.0.find(term).ok()?;
        Some(self.0.info(block, i))
    }

    /// The place of `term` among all terms, or that of the first term after it.
    pub fn ord_of(&self, term: &[u8]) -> Result<u64, u64> {
        let ord = |(block, i): (usize, usize)| (block * BLOCK_TERMS + i) as u64;
        self.0.find(term).map(ord).map_err(ord)
    }

    /// Whether a term stands between the first and the last one, whether or not it is there.
    pub fn may_have(&self, term: &[u8]) -> bool {
        let last = self.len().checked_sub(1).map(|last| self.term(last));
        last.is_some_and(|last| self.term(0).as_slice() <= term && term <= last.as_slice())
    }

    /// The term at a place below [`Terms::len`].
    pub fn term(&self, ord: u64) -> Vec<u8> {
        assert!(ord < self.0.len, "term {ord} of {}", self.0.len);
        let inner = &*self.0;
        let mut keys = Keys::new(inner, (ord / BLOCK_TERMS as u64) as usize);
        let mut term = vec![];
        for _ in 0..=ord % BLOCK_TERMS as u64 {
            keys.next_into(&inner.bytes, &mut term);
        }
        term
    }

    pub fn iter(&self) -> TermIter {
        self.range(Bound::Unbounded, Bound::Unbounded)
    }

    pub fn range(&self, lo: Bound<&[u8]>, hi: Bound<&[u8]>) -> TermIter {
        let mut iter = TermIter::new(self, hi.map(<[u8]>::to_vec));
        match lo {
            Bound::Unbounded => {}
            Bound::Included(lo) => iter.seek_ge(lo),
            Bound::Excluded(lo) => iter.seek_ge(&[lo, &[0]].concat()),
        }
        iter
    }

    pub fn prefix(&self, prefix: &[u8]) -> TermIter {
        // The first term after all that have the prefix: the prefix with its last byte that can grow grown.
        let last = prefix.iter().rposition(|byte| *byte != 0xff);
        let after = last.map(|last| [&prefix[..last], &[prefix[last] + 1]].concat());
        let lo = if prefix.is_empty() { Bound::Unbounded } else { Bound::Included(prefix) };
        self.range(lo, after.as_deref().map_or(Bound::Unbounded, Bound::Excluded))
    }

    /// A cursor over the documents of a term, on its first one.
    pub fn postings(&self, term: TermInfo, want: Want) -> Postings {
        let source = &self.0.source;
        match &source.lists {
            None => Postings::open(source, term.doc_freq, term.place, want),
            Some(lists) => self.read_postings(lists, term, want),
        }
    }

    /// The same for evaluation in bulk, which goes by windows: no first document is looked for.
    pub fn list(&self, term: TermInfo, want: Want) -> Postings {
        let source = &self.0.source;
        match &source.lists {
            None => Postings::whole(source, term.doc_freq, term.place, want),
            Some(lists) => self.read_postings(lists, term, want),
        }
    }

    /// Calls `each` with the documents of a short list and how often each has the term (1 where frequencies are not indexed). False, without
    /// a call, if the list is not short, or not in memory as part of its section.
    #[inline]
    pub fn for_each_of_short(&self, term: TermInfo, each: impl FnMut(u32, u32)) -> bool {
        let source = &self.0.source;
        let is_short = term.doc_freq < UNITS_DOCS_MIN && source.lists.is_none();
        if is_short {
            for_each_of_short(source, term.doc_freq, term.place, each);
        }
        is_short
    }

    /// The same where lists are read one by one: if this one has not been, a list of the first document stands in for it.
    fn read_postings(&self, [postings, positions]: &[PartSection; 2], term: TermInfo, want: Want) -> Postings {
        let source = &self.0.source;
        let (list, at) = self.0.places(term.ord);
        let found = postings.find(list);
        let positions = match want {
            Want::Positions => positions.find(at),
            Want::Docs | Want::Freqs => Some(Bytes::new()),
        };
        let (doc_freq, place, postings, positions) = match (found, positions) {
            (Some(postings), Some(positions)) => {
                let start = if term.doc_freq == 1 { term.place.start } else { 0 };
                (term.doc_freq, ListPlace { start, positions: 0, ..term.place }, postings, positions)
            }
            _ => {
                let place = ListPlace { start: 0, positions: 0, single_freq: 1, ..term.place };
                (1, place, Bytes::new(), Bytes::from_static(FIRST_POSITION))
            }
        };
        let source = PostingsSource { postings, positions, lists: None, ..source.clone() };
        Postings::open(&source, doc_freq, place, want)
    }
}

/// Position 0 of a document that has no other: a width of 0 bits, and nothing that takes them.
const FIRST_POSITION: &[u8] = &[0];

/// Terms whose postings are not at hand: only the terms themselves are to be read.
pub(crate) fn keys_of(bytes: Bytes) -> Terms {
    Terms::new(bytes, PostingsSource::default())
}

impl Inner {
    pub(super) fn block_start(&self, block: usize) -> usize {
        u64_at(&self.bytes, self.index + block * INDEX_ENTRY_BYTES + 8) as usize
    }

    pub(super) fn has_letters(&self) -> bool {
        self.flags & HAS_LETTERS != 0
    }

    /// The letters of these terms.
    pub(super) fn letters(&self, ords: Range<usize>) -> &[u8] {
        let start = self.index + self.blocks * INDEX_ENTRY_BYTES;
        &self.bytes[start + ords.start * LETTERS_BYTES..start + ords.end * LETTERS_BYTES]
    }

    fn first_term(&self, block: usize) -> &[u8] {
        let mut at = self.block_start(block);
        varint::read(&self.bytes, &mut at);
        // The first term shares nothing.
        at += 1;
        let len = varint::read(&self.bytes, &mut at) as usize;
        &self.bytes[at..at + len]
    }

    /// The last block whose first term is not after `term`; it is not before block `from`, if that is not 0.
    fn block_of(&self, from: usize, term: &[u8]) -> Option<usize> {
        let key = index_key(term);
        let (mut lo, mut hi) = (from, self.blocks);
        // What is looked for is mostly near.
        let mut step = 1;
        while from > 0 && lo + step < hi {
            match u64_at(&self.bytes, self.index + (lo + step) * INDEX_ENTRY_BYTES).cmp(&key) {
                Ordering::Less => lo += step,
                // Of blocks whose key is equal the first term decides.
                Ordering::Equal => break,
                Ordering::Greater => hi = lo + step,
            }
            step *= 2;
        }
        lo = self.first_with_key(key, lo, hi);
        while lo < hi && u64_at(&self.bytes, self.index + lo * INDEX_ENTRY_BYTES) == key {
            // One that has the key, and so has a term with the same eight bytes, is told by that.
            let mid = (lo + hi) / 2;
            let order = u64_at(&self.bytes, self.index + mid * INDEX_ENTRY_BYTES).cmp(&key);
            if order.then_with(|| self.first_term(mid).cmp(term)) == Ordering::Greater {
                hi = mid;
            } else {
                lo = mid + 1;
            }
        }
        lo.checked_sub(1)
    }

    /// The first of blocks `lo..hi` whose key is not before `key`; `hi` if there is none. Which way to go is reckoned, since nobody can
    /// foresee it.
    #[inline]
    fn first_with_key(&self, key: u64, lo: usize, hi: usize) -> usize {
        let (mut first, mut count) = (lo, hi - lo);
        while count > 0 {
            let half = count.div_ceil(2);
            let before = u64_at(&self.bytes, self.index + (first + half - 1) * INDEX_ENTRY_BYTES) < key;
            first += half & usize::from(before).wrapping_neg();
            count -= half;
        }
        first
    }

    /// Block and place in it of `term`, or of the first term after it.
    pub(super) fn find(&self, term: &[u8]) -> Result<(usize, usize), (usize, usize)> {
        self.find_from(0, term)
    }

    /// [`Inner::find`] where the term is known not to be before block `from`.
    pub(super) fn find_from(&self, from: usize, term: &[u8]) -> Result<(usize, usize), (usize, usize)> {
        let Some(block) = self.block_of(from, term) else { return Err((0, 0)) };
        let (bytes, mut keys) = (&self.bytes[..], Keys::new(self, block));
        let count = keys.left;
        // How much of `term` the last key agrees with; it is always less than `term` itself.
        let mut agreed = 0;
        for i in 0..count {
            let (shared, rest) = keys.next(bytes);
            match shared.cmp(&agreed) {
                Ordering::Greater => continue,
                Ordering::Less => return Err((block, i)),
                Ordering::Equal => {}
            }
            let wanted = &term[agreed..];
            // Mostly the first byte that they do not share tells.
            if let ([a, ..], [b, ..]) = (rest, wanted)
                && a < b
            {
                continue;
            }
            let same = rest.iter().zip(wanted).take_while(|(a, b)| a == b).count();
            match rest[same..].first().cmp(&wanted[same..].first()) {
                Ordering::Equal => return Ok((block, i)),
                Ordering::Greater => return Err((block, i)),
                Ordering::Less => agreed += same,
            }
        }
        Err((block, count))
    }

    /// Where the postings and the positions of the term at a place stand.
    fn places(&self, ord: u64) -> (Range<u64>, Range<u64>) {
        let (block, before) = ((ord / BLOCK_TERMS as u64) as usize, ord % BLOCK_TERMS as u64);
        let mut infos = Infos::new(self, block);
        infos.skip(self, before);
        let (postings, positions) = (infos.postings, infos.positions);
        infos.next(self, ord);
        (postings..infos.postings, positions..infos.positions)
    }

    /// What is known of term `i` of a block.
    pub(super) fn info(&self, block: usize, i: usize) -> TermInfo {
        let mut infos = Infos::new(self, block);
        infos.skip(self, i as u64);
        infos.next(self, (block * BLOCK_TERMS + i) as u64)
    }
}

/// A place among what a block knows of its terms.
#[derive(Clone, Copy, Default)]
pub(super) struct Infos {
    at: usize,
    postings: u64,
    positions: u64,
}

impl Infos {
    /// In front of the first term of a block.
    pub(super) fn new(inner: &Inner, block: usize) -> Self {
        if inner.flags & HAS_POSTINGS == 0 {
            return Self::default();
        }
        let mut at = inner.block_start(block);
        let keys = varint::read(&inner.bytes, &mut at) as usize;
        at += keys;
        let postings = varint::read(&inner.bytes, &mut at);
        let positions = varint::read(&inner.bytes, &mut at);
        Self { at, postings, positions }
    }

    /// Passes over some terms.
    pub(super) fn skip(&mut self, inner: &Inner, count: u64) {
        if inner.flags & HAS_POSTINGS == 0 {
            return;
        }
        let (bytes, has_freqs, has_positions) =
            (&inner.bytes[..], inner.flags & HAS_FREQS != 0, inner.flags & HAS_POSITIONS != 0);
        let Self { mut at, mut postings, mut positions } = *self;
        for _ in 0..count {
            let doc_freq = varint::read_u32(bytes, &mut at);
            if has_freqs {
                varint::read(bytes, &mut at);
                at += 1 + usize::from(doc_freq >= RANKED_DOCS_MIN);
            }
            let place = varint::read(bytes, &mut at);
            postings += if doc_freq == 1 { 0 } else { place };
            if has_positions {
                positions += varint::read(bytes, &mut at);
            }
        }
        *self = Self { at, postings, positions };
    }

    #[inline]
    pub(super) fn next(&mut self, inner: &Inner, ord: u64) -> TermInfo {
        let mut info = TermInfo { doc_freq: 0, total_term_freq: 0, ord, place: ListPlace::default() };
        if inner.flags & HAS_POSTINGS == 0 {
            return info;
        }
        let bytes = &inner.bytes;
        info.doc_freq = varint::read_u32(bytes, &mut self.at);
        info.total_term_freq = u64::from(info.doc_freq);
        if inner.flags & HAS_FREQS != 0 {
            info.total_term_freq += varint::read(bytes, &mut self.at);
            info.place.best = bytes[self.at];
            self.at += 1;
            if info.doc_freq >= RANKED_DOCS_MIN {
                info.place.tenth = bytes[self.at];
                self.at += 1;
            }
        }
        let start = varint::read(bytes, &mut self.at);
        if info.doc_freq == 1 {
            info.place.start = start;
            info.place.single_freq = info.total_term_freq as u32;
        } else {
            info.place.start = self.postings;
            self.postings += start;
        }
        if inner.flags & HAS_POSITIONS != 0 {
            info.place.positions = self.positions;
            self.positions += varint::read(bytes, &mut self.at);
        }
        info
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms_writer::{TermMeta, TermsWriter};
    use super::*;

    fn terms(keys: &[Vec<u8>]) -> Terms {
        let mut writer = TermsWriter::with_postings(true, true);
        for (i, key) in keys.iter().enumerate() {
            let i = i as u64;
            let meta = TermMeta {
                doc_freq: i as u32 % 3 + 1,
                total_term_freq: i % 3 + 1 + i,
                best: i as u8,
                tenth: 0,
                single: i as u32,
                postings_bytes: i,
                positions_bytes: 2 * i,
            };
            writer.push(key, &meta);
        }
        Terms::new(writer.finish().into(), PostingsSource::default())
    }

    fn keys(count: u32) -> Vec<Vec<u8>> {
        let mut keys: Vec<Vec<u8>> =
            (0..count).map(|i| format!("prefix-{:x}", i.wrapping_mul(2_654_435_761)).into()).collect();
        keys.extend([
            vec![],
            b"a".to_vec(),
            b"ab".to_vec(),
            vec![0xff, 0xff],
            vec![0xff, 0xff, 1],
            b"prefix-".to_vec(),
        ]);
        keys.sort();
        keys.dedup();
        keys
    }

    #[test]
    fn every_term_is_found_and_no_other() {
        for count in [0, 1, 9, 10, 11, 500] {
            let keys = keys(count);
            let terms = terms(&keys);
            assert_eq!(terms.len(), keys.len() as u64);
            let (mut postings, mut positions) = (0, 0);
            for (i, key) in keys.iter().enumerate() {
                let info = terms.get(key).unwrap();
                let i = i as u64;
                assert_eq!((info.doc_freq, info.total_term_freq, info.ord), (i as u32 % 3 + 1, i % 3 + 1 + i, i));
                let start = if info.doc_freq == 1 { i } else { postings };
                assert_eq!((info.place.start, info.place.positions, info.place.best), (start, positions, i as u8));
                postings += if info.doc_freq == 1 { 0 } else { i };
                positions += 2 * i;
                assert_eq!((terms.ord_of(key), &terms.term(i)), (Ok(i), key));
                let absent = [&key[..], &[0]].concat();
                let place = keys.partition_point(|key| *key < absent) as u64;
                assert_eq!(terms.ord_of(&absent), if terms.get(&absent).is_some() { Ok(place) } else { Err(place) });
            }
        }
    }

    fn drain(mut iter: TermIter) -> Vec<Vec<u8>> {
        let mut out = vec![];
        while let Some((term, info)) = iter.next() {
            out.push((term.to_vec(), info));
        }
        assert!(iter.next().is_none());
        out.iter().for_each(|(term, info)| assert_eq!(iter.terms.get(term), Some(*info)));
        out.into_iter().map(|(term, _)| term).collect()
    }

    #[test]
    fn ranges_prefixes_and_seeks_agree_with_a_sorted_list() {
        let keys = keys(200);
        let terms = terms(&keys);
        assert_eq!(drain(terms.iter()), keys);
        let bounds = [&b""[..], b"a", b"aa", b"prefix-8", b"prefix-c1", b"zz", &[0xff, 0xff], &[0xff, 0xff, 0xff]];
        for lo in bounds {
            for hi in bounds {
                for (lo, hi) in [
                    (Bound::Included(lo), Bound::Included(hi)),
                    (Bound::Excluded(lo), Bound::Excluded(hi)),
                    (Bound::Excluded(lo), Bound::Unbounded),
                ] {
                    let within = |key: &&Vec<u8>| std::ops::RangeBounds::<[u8]>::contains(&(lo, hi), &key[..]);
                    let expected: Vec<_> = keys.iter().filter(within).cloned().collect();
                    assert_eq!(drain(terms.range(lo, hi)), expected, "{lo:?} {hi:?}");
                }
            }
            let expected: Vec<_> = keys.iter().filter(|key| key.starts_with(lo)).cloned().collect();
            assert_eq!(drain(terms.prefix(lo)), expected);
            let mut iter = terms.iter();
            iter.next();
            iter.seek_ge(lo);
            let expected = keys[1..].iter().find(|key| &key[..] >= lo);
            assert_eq!(iter.next().map(|(term, _)| term.to_vec()).as_ref(), expected);
        }
    }
}
