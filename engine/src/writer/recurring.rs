//! Values of a text field that come again and again: requests of a log, titles of the documents that parts are of. What they were
//! analysed to stands in the field's log already, and is copied from there.

use crate::analysis::Analyzer;
use ahash::RandomState;
use hashbrown::HashTable;
use std::sync::Arc;

/// Values that are longer seldom come again.
const VALUE_BYTES_MAX: usize = 1 << 10;
/// When the values known, or their bytes, come to more, all are forgotten and those that come often are soon known again.
const VALUES_MAX: usize = 1 << 15;
const BYTES_MAX: usize = 1 << 20;
/// After so many values it is judged whether looking for them pays: it does where one of eight is known.
const JUDGED_AFTER: u32 = 1 << 10;
const KNOWN_OF: u32 = 8;
/// Where it does not, so many values go by before the next try.
const PAUSE: u32 = 1 << 14;

/// What a value that is the first of its document was analysed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Analyzed {
    /// Where its tokens begin in the log, and how many entries they take.
    pub log_start: usize,
    pub log_len: u32,
    /// Tokens, jumps not counted.
    pub tokens: u32,
    /// The state of the document behind the value.
    pub base: u32,
    pub next: u32,
    pub length: u32,
}

/// The values of a field that are known.
#[derive(Default)]
pub(super) struct Recurring {
    /// Whose tokens they are.
    analyzer: Option<Arc<Analyzer>>,
    known: HashTable<Known>,
    bytes: Vec<u8>,
    hasher: RandomState,
    asked: u32,
    found: u32,
    /// Values that go by without a look.
    pause: u32,
}

#[derive(Clone, Copy)]
struct Known {
    hash: u64,
    start: u32,
    len: u32,
    analyzed: Analyzed,
}

/// What is known of a value.
pub(super) enum Lookup {
    Known(Analyzed),
    /// Nothing yet; it may be kept under this hash.
    New(u64),
    /// It is not looked for.
    Unasked,
}

impl Recurring {
    pub fn find(&mut self, analyzer: &Arc<Analyzer>, value: &str) -> Lookup {
        if value.len() > VALUE_BYTES_MAX {
            return Lookup::Unasked;
        }
        if self.pause > 0 {
            self.pause -= 1;
            return Lookup::Unasked;
        }
        if !self.analyzer.as_ref().is_some_and(|known| Arc::ptr_eq(known, analyzer)) {
            self.forget();
            self.analyzer = Some(analyzer.clone());
        }
        if self.asked == JUDGED_AFTER {
            let pays = self.found >= JUDGED_AFTER / KNOWN_OF;
            (self.asked, self.found) = (0, 0);
            if !pays {
                *self = Self { pause: PAUSE, ..Self::default() };
                return Lookup::Unasked;
            }
        }
        self.asked += 1;
        let hash = self.hasher.hash_one(value.as_bytes());
        let bytes = &self.bytes;
        let is_same = |known: &Known| {
            let start = known.start as usize;
            known.hash == hash && bytes[start..start + known.len as usize] == *value.as_bytes()
        };
        match self.known.find(hash, is_same) {
            Some(known) => {
                self.found += 1;
                Lookup::Known(known.analyzed)
            }
            None => Lookup::New(hash),
        }
    }

    /// Keeps what a value was analysed to that was not known, under the hash that [`Recurring::find`] gave.
    pub fn keep(&mut self, hash: u64, value: &str, analyzed: Analyzed) {
        if self.known.len() == VALUES_MAX || self.bytes.len() + value.len() > BYTES_MAX {
            self.forget();
        }
        let known = Known { hash, start: self.bytes.len() as u32, len: value.len() as u32, analyzed };
        self.bytes.extend_from_slice(value.as_bytes());
        self.known.insert_unique(hash, known, |known| known.hash);
    }

    fn forget(&mut self) {
        self.known.clear();
        self.bytes.clear();
    }

    pub fn memory_bytes(&self) -> usize {
        self.known.capacity() * (size_of::<Known>() + 1) + self.bytes.capacity()
    }
}

#[cfg(test)]
impl Recurring {
    /// Knows no value for a long time: the slow twin.
    pub fn never() -> Self {
        Self { pause: u32::MAX, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Registry;

    fn analyzed(n: usize) -> Analyzed {
        Analyzed { log_start: n, log_len: 1, tokens: 1, base: 1, next: 1, length: 1 }
    }

    /// Asks for a value and keeps it if it is new.
    fn ask(recurring: &mut Recurring, analyzer: &Arc<Analyzer>, value: &str, n: usize) -> Option<usize> {
        match recurring.find(analyzer, value) {
            Lookup::Known(known) => return Some(known.log_start),
            Lookup::New(hash) => recurring.keep(hash, value, analyzed(n)),
            Lookup::Unasked => {}
        }
        None
    }

    #[test]
    fn values_are_known_by_their_analyzer() {
        let registry = Registry::built_in();
        let (a, b) = (registry.analyzer("standard").unwrap(), registry.analyzer("simple").unwrap());
        let mut recurring = Recurring::default();
        assert_eq!(ask(&mut recurring, &a, "x", 1), None);
        assert_eq!(ask(&mut recurring, &a, "x", 2), Some(1));
        assert_eq!(ask(&mut recurring, &b, "x", 3), None);
        assert_eq!(ask(&mut recurring, &b, "x", 4), Some(3));
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        assert_eq!((ask(&mut recurring, &b, &long, 5), ask(&mut recurring, &b, &long, 6)), (None, None));
    }

    #[test]
    fn what_does_not_pay_is_left_alone_for_a_while() {
        let analyzer = Registry::built_in().analyzer("standard").unwrap();
        let mut recurring = Recurring::default();
        for n in 0..JUDGED_AFTER {
            assert_eq!(ask(&mut recurring, &analyzer, &n.to_string(), 0), None);
        }
        assert!(recurring.memory_bytes() > 0);
        assert_eq!(ask(&mut recurring, &analyzer, "1", 0), None);
        assert_eq!(recurring.memory_bytes(), 0);
        (0..PAUSE).for_each(|_| assert_eq!(ask(&mut recurring, &analyzer, "1", 0), None));
        assert_eq!(ask(&mut recurring, &analyzer, "1", 7), None);
        assert_eq!(ask(&mut recurring, &analyzer, "1", 8), Some(7));
    }

    #[test]
    fn memory_is_bounded() {
        let analyzer = Registry::built_in().analyzer("standard").unwrap();
        let mut recurring = Recurring::default();
        let bound = 2 * (VALUES_MAX * (size_of::<Known>() + 1) * 8 / 7 + BYTES_MAX);
        for n in 0..2 * VALUES_MAX {
            // One of two is known, so that all are kept.
            ask(&mut recurring, &analyzer, &format!("{}{n}", "x".repeat(n % 100)), n);
            assert_eq!(ask(&mut recurring, &analyzer, &format!("{}{n}", "x".repeat(n % 100)), 0), Some(n));
            assert!(recurring.memory_bytes() <= bound);
        }
    }
}
