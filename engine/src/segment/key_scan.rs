//! Going over the terms of a dictionary with a look at no more of them than needed: what an automaton is run by.
//!
//! Keys of a block share prefixes with the one before, and know how much. A scan that cannot accept anything that begins as
//! the current term does passes over all terms that share it, without reading them.

use super::terms::{BLOCK_TERMS, INDEX_ENTRY_BYTES, Inner};
use super::{TermInfo, Terms};
use crate::codec::bytes::u64_at;
use crate::codec::varint;
use std::cmp::Ordering;

pub struct KeyScan {
    terms: Terms,
    /// What all terms of the scan begin with.
    prefix: Vec<u8>,
    term: Vec<u8>,
    keys: Keys,
    /// The place of the term that comes next.
    next: u64,
    /// How much the current term shares with the one given before it.
    shared: usize,
    /// How much the next one shares with the current one at most, since others between them were passed over.
    shared_max: usize,
}

impl Terms {
    /// The terms that begin with `prefix`.
    pub fn scan(&self, prefix: &[u8]) -> KeyScan {
        let mut scan = KeyScan {
            terms: self.clone(),
            prefix: prefix.to_vec(),
            term: vec![],
            keys: Keys::default(),
            next: 0,
            shared: 0,
            shared_max: usize::MAX,
        };
        scan.seek(prefix);
        scan
    }
}

impl KeyScan {
    fn inner(&self) -> &Inner {
        self.terms.inner()
    }

    /// The next term, and how many of its bytes are those of the one given before; `None` at the end. Costs next to nothing for
    /// a term that shares most of its bytes.
    #[allow(clippy::should_implement_trait, reason = "lends its items")]
    pub fn next(&mut self) -> Option<(usize, &[u8])> {
        if self.next >= self.inner().len {
            return None;
        }
        if self.keys.left == 0 {
            self.keys = Keys::new(self.inner(), (self.next / BLOCK_TERMS as u64) as usize);
        }
        let (kept, rest) = self.keys.next(&self.terms.inner().bytes);
        // The first key of a block tells nothing of what it shares.
        let same = self.term[kept..].iter().zip(rest).take_while(|(a, b)| a == b).count();
        self.shared = (kept + same).min(std::mem::replace(&mut self.shared_max, usize::MAX));
        self.term.truncate(kept);
        self.term.extend_from_slice(rest);
        self.next += 1;
        // What the term before began with too needs no second look.
        if self.shared < self.prefix.len() && !self.term.starts_with(&self.prefix) {
            self.next = self.inner().len;
            return None;
        }
        Some((self.shared, &self.term))
    }

    /// Passes over all terms that begin with the first `length` bytes of the current one.
    pub fn skip_prefix(&mut self, length: usize) {
        let inner = self.terms.inner();
        while self.keys.left > 0 {
            let before = self.keys;
            let (shared, _) = self.keys.next(&inner.bytes);
            if shared < length {
                self.keys = before;
                break;
            }
            self.next += 1;
        }
        // All that were passed over begin alike, and what comes next builds on that alone.
        self.term.truncate(length);
        if self.keys.left > 0 {
            return;
        }
        if self.next >= inner.len {
            return;
        }
        // The block is at its end: whole blocks are passed over by what their index tells of their first terms.
        let Some(after) = successor(&self.term[..length]) else {
            self.next = inner.len;
            return;
        };
        let block = (self.next / BLOCK_TERMS as u64) as usize;
        let key = index_key(&after);
        let first = |block: usize| u64_at(&inner.bytes, inner.index + block * INDEX_ENTRY_BYTES);
        if first(block) < key {
            self.seek(&after);
        }
    }

    /// Passes over all terms that begin with the first `length` bytes of the current one and go on with less than `next`.
    pub fn skip_to(&mut self, length: usize, next: &[u8]) {
        self.shared_max = length;
        let inner = self.terms.inner();
        while self.keys.left > 0 {
            let before = self.keys;
            let (shared, rest) = self.keys.next(&inner.bytes);
            if shared < length || !is_less(&self.term[length..shared], rest, next) {
                self.keys = before;
                return;
            }
            self.term.truncate(shared);
            self.term.extend_from_slice(rest);
            self.next += 1;
        }
        if self.next < inner.len {
            self.term.truncate(length);
            self.term.extend_from_slice(next);
            self.skip_on(length, next);
        }
    }

    /// [`KeyScan::skip_to`] at the end of a block, with `term` the first text that is not to be passed over. What is looked for is
    /// mostly in the next block.
    fn skip_on(&mut self, length: usize, next: &[u8]) {
        let inner = self.terms.inner();
        let after = (self.next / BLOCK_TERMS as u64) as usize + 1;
        let is_beyond = (after * BLOCK_TERMS) as u64 >= inner.len
            || u64_at(&inner.bytes, inner.index + after * INDEX_ENTRY_BYTES) > index_key(&self.term);
        if !is_beyond {
            let mut target = std::mem::take(&mut self.term);
            self.seek(&target);
            if self.term.is_empty() {
                target.truncate(length);
                self.term = target;
            }
            return;
        }
        self.keys = Keys::new(inner, after - 1);
        let start = self.keys;
        let (_, first) = self.keys.next(&inner.bytes);
        if first >= &self.term[..] {
            self.keys = start;
            return;
        }
        self.term.clear();
        self.term.extend_from_slice(first);
        self.next += 1;
        self.skip_to(length, next);
    }

    /// Makes `next` give the first term that is `target` or after it; never goes back.
    pub fn seek(&mut self, target: &[u8]) {
        let inner = self.terms.inner();
        let from = (self.next / BLOCK_TERMS as u64) as usize;
        let (block, i) = inner.find_from(from, target).unwrap_or_else(|place| place);
        let ord = (block * BLOCK_TERMS + i) as u64;
        if ord <= self.next {
            return;
        }
        let same_block = self.keys.left > 0 && self.next / BLOCK_TERMS as u64 == block as u64;
        if i < BLOCK_TERMS && ord < inner.len {
            let mut done = self.next % BLOCK_TERMS as u64;
            if !same_block {
                self.keys = Keys::new(inner, block);
                done = 0;
            }
            let bytes = self.terms.inner().bytes.clone();
            for _ in done..i as u64 {
                self.keys.next_into(&bytes, &mut self.term);
            }
        } else {
            self.keys.left = 0;
        }
        self.next = ord;
    }

    /// What is known of the current term.
    pub fn info(&self) -> TermInfo {
        let ord = self.next - 1;
        self.inner().info((ord / BLOCK_TERMS as u64) as usize, (ord % BLOCK_TERMS as u64) as usize)
    }
}

/// Whether two pieces together stand before `other`, and before all that begins as it does.
#[inline]
fn is_less(first: &[u8], second: &[u8], other: &[u8]) -> bool {
    let same = first.len().min(other.len());
    first[..same].cmp(&other[..same]).then_with(|| second.cmp(&other[same..])) == Ordering::Less
}

/// The first text after all that begin with `prefix`; `None` if there is none.
pub(super) fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    Some([&prefix[..last], &[prefix[last] + 1]].concat())
}

/// The first eight bytes of a term as a number of the same order.
pub(crate) fn index_key(term: &[u8]) -> u64 {
    let mut key = [0; 8];
    let len = term.len().min(8);
    key[..len].copy_from_slice(&term[..len]);
    u64::from_be_bytes(key)
}

/// A place among the keys of a block.
#[derive(Clone, Copy, Default)]
pub(super) struct Keys {
    at: usize,
    pub(super) left: usize,
}

impl Keys {
    pub(super) fn new(inner: &Inner, block: usize) -> Self {
        let left = (inner.len - (block * BLOCK_TERMS) as u64).min(BLOCK_TERMS as u64) as usize;
        let mut at = inner.block_start(block);
        varint::read(&inner.bytes, &mut at);
        Self { at, left }
    }

    /// How many bytes the next key shares with the one before, and its others.
    #[inline]
    pub(super) fn next<'a>(&mut self, bytes: &'a [u8]) -> (usize, &'a [u8]) {
        debug_assert!(self.left > 0);
        self.left -= 1;
        let (shared, len) = match bytes[self.at..] {
            // Most keys are short.
            [shared @ ..0x80, len @ ..0x80, ..] => {
                self.at += 2;
                (usize::from(shared), usize::from(len))
            }
            _ => (varint::read(bytes, &mut self.at) as usize, varint::read(bytes, &mut self.at) as usize),
        };
        let rest = &bytes[self.at..self.at + len];
        self.at += len;
        (shared, rest)
    }

    /// Makes the key before in `term` the next one.
    #[inline]
    pub(super) fn next_into(&mut self, bytes: &[u8], term: &mut Vec<u8>) {
        let (shared, rest) = self.next(bytes);
        term.truncate(shared);
        term.extend_from_slice(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::terms_writer::{TermMeta, TermsWriter};

    fn terms(keys: &[String]) -> Terms {
        let mut writer = TermsWriter::with_postings(false, false);
        for (i, key) in keys.iter().enumerate() {
            writer.push(key.as_bytes(), &TermMeta { doc_freq: i as u32 + 2, ..TermMeta::default() });
        }
        super::super::keys_of(writer.finish().into())
    }

    fn keys() -> Vec<String> {
        let mut keys: Vec<String> =
            (0..2_000u32).map(|i| format!("{:o}", i.wrapping_mul(2_654_435_761) >> 12)).collect();
        keys.extend((0..200).map(|i| format!("same-beginning-{i:03}")));
        keys.sort();
        keys.dedup();
        keys
    }

    #[test]
    fn skipping_equals_leaving_out() {
        let keys = keys();
        let terms = terms(&keys);
        for prefix in ["", "1", "17", "same", "same-beginning-1", "x"] {
            // Passes over what begins as any third term does.
            for length in [1, 2, 3, 20] {
                let mut scan = terms.scan(prefix.as_bytes());
                let (mut found, mut before, mut count) = (vec![], String::new(), 0);
                while let Some((shared, term)) = scan.next() {
                    let term = String::from_utf8(term.to_vec()).unwrap();
                    assert!(before.is_empty() || before.as_bytes()[..shared] == term.as_bytes()[..shared]);
                    assert_eq!(u64::from(scan.info().doc_freq), scan.info().ord + 2);
                    count += 1;
                    let skip = length.min(term.len());
                    if count % 3 == 0 {
                        scan.skip_prefix(skip);
                        before = term[..skip].to_owned();
                    } else {
                        before = term.clone();
                    }
                    found.push((term, (count % 3 == 0).then_some(skip)));
                }
                let (mut expected, mut count) = (vec![], 0);
                let mut rest = keys.iter().filter(|key| key.starts_with(prefix)).peekable();
                while let Some(key) = rest.next() {
                    count += 1;
                    let skip = (count % 3 == 0).then_some(length.min(key.len()));
                    if let Some(skip) = skip {
                        while rest.next_if(|next| next.starts_with(&key[..skip])).is_some() {}
                    }
                    expected.push((key.clone(), skip));
                }
                assert_eq!(found, expected, "{prefix:?} {length}");
            }
        }
    }

    #[test]
    fn skipping_to_a_continuation_equals_leaving_out() {
        let mut keys = keys();
        keys.extend(["é", "éa", "éé", "ö", "öa"].map(|text| format!("same-beginning-1{text}")));
        keys.sort();
        let terms = terms(&keys);
        for prefix in ["", "1", "same", "same-beginning-1"] {
            for length in [0, 1, 2, 3, 16] {
                for next in ["3", "5", "a", "é", "ö"] {
                    let mut scan = terms.scan(prefix.as_bytes());
                    let (mut found, mut given, mut count) = (vec![], String::new(), 0);
                    while let Some((shared, term)) = scan.next() {
                        let term = String::from_utf8(term.to_vec()).unwrap();
                        assert!(
                            given.as_bytes()[..shared.min(given.len())] == term.as_bytes()[..shared.min(given.len())]
                        );
                        count += 1;
                        if count % 3 == 0 && length <= term.len() {
                            scan.skip_to(length, next.as_bytes());
                        }
                        given.clone_from(&term);
                        found.push(term);
                    }
                    let (mut expected, mut count) = (vec![], 0);
                    let mut rest = keys.iter().filter(|key| key.starts_with(prefix)).peekable();
                    while let Some(key) = rest.next() {
                        count += 1;
                        expected.push(key.clone());
                        let passed = |after: &&String| match after.as_bytes().strip_prefix(&key.as_bytes()[..length]) {
                            Some(after) => after < next.as_bytes(),
                            None => false,
                        };
                        while count % 3 == 0 && length <= key.len() && rest.next_if(passed).is_some() {}
                    }
                    assert_eq!(found, expected, "{prefix:?} {length} {next:?}");
                }
            }
        }
    }

    #[test]
    fn seeking_equals_leaving_out() {
        let keys = keys();
        let terms = terms(&keys);
        for step in [1, 7, 40, 900] {
            let mut scan = terms.scan(b"");
            let (mut found, mut expected) = (vec![], vec![]);
            for target in keys.iter().step_by(step).map(|key| format!("{key}+")) {
                scan.seek(target.as_bytes());
                found.extend(scan.next().map(|(_, term)| term.to_vec()));
                let at = expected.last().map_or(0, |last: &usize| last + 1);
                expected.extend((at..keys.len()).find(|i| keys[*i] >= target));
            }
            assert!(found.into_iter().eq(expected.into_iter().map(|i| keys[i].clone().into_bytes())), "{step}");
        }
    }
}
