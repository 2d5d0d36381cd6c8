//! Terms within a few edits of a text, found by going over a sorted dictionary.
//!
//! The automaton of Levenshtein distance is simulated with a word of bits for each number of edits (Wu and Manber, "Fast
//! text searching allowing errors", 1992), with transpositions of neighbours added: bit `i` says that what was read agrees
//! with the first `i` characters of the text within so many edits. States of a prefix are kept for the next term that
//! shares it. Where no edit is left, only a few characters can follow: the dictionary is gone through from one of these to
//! the next, and what no continuation can save is passed over.
//!
//! Where a dictionary knows the letters of its terms, only those whose letters are about those of the text are read.

use crate::segment::{KeyScan, NearTerms, TermInfo, Terms};

/// The most edits that can be allowed.
const EDITS_MAX: usize = 2;
/// The longest text: one bit more than it has characters.
const CHARS_MAX: usize = 63;

/// What was read so far, by number of edits.
type Bits = [u64; EDITS_MAX + 1];

#[derive(Clone, Copy)]
struct State {
    bits: Bits,
    /// The places of the last character in the text.
    mask: u64,
    /// Bytes read.
    end: usize,
}

pub struct Edits {
    wanted: Vec<char>,
    max: usize,
    transpositions: bool,
    ascii: [u64; 128],
    /// The other characters of the text, and their places.
    others: Vec<(char, u64)>,
    /// After nothing, after the first character of the current term, and so on, as long as there is hope.
    states: Vec<State>,
}

/// What became of a term.
#[derive(Debug, PartialEq)]
enum Verdict {
    Within(usize),
    /// Nothing that begins with so many of its bytes is near enough, or only what goes on with that character or a later one.
    Hopeless(usize, Option<char>),
    Without,
}

/// How far a term is from the text, if it is so near. The distance is that of the whole matrix, for one term at a time.
pub fn edits_between(wanted: &[char], term: &str, max: usize, transpositions: bool) -> Option<usize> {
    let term: Vec<char> = term.chars().take(wanted.len() + max + 1).collect();
    if term.len().abs_diff(wanted.len()) > max {
        return None;
    }
    let mut rows = [vec![], (0..=wanted.len()).collect::<Vec<usize>>(), vec![0; wanted.len() + 1]];
    for (i, letter) in term.iter().enumerate() {
        rows[2][0] = i + 1;
        for (j, other) in wanted.iter().enumerate() {
            let mut edits = (rows[1][j] + usize::from(letter != other)).min(rows[2][j] + 1).min(rows[1][j + 1] + 1);
            if transpositions && i > 0 && j > 0 && term[i - 1] == *other && wanted[j - 1] == *letter {
                edits = edits.min(rows[0][j - 1] + 1);
            }
            rows[2][j + 1] = edits;
        }
        rows.rotate_left(1);
        rows[2] = vec![0; wanted.len() + 1];
    }
    Some(rows[1][wanted.len()]).filter(|edits| *edits <= max)
}

/// What a term within so many edits of a text counts for: below zero where more is changed than there is.
pub fn closeness(wanted: usize, term: &[u8], edits: usize) -> f32 {
    let length = String::from_utf8_lossy(term).chars().count().min(wanted).max(1);
    if edits == 0 { 1.0 } else { 1.0 - edits as f32 / length as f32 }
}

impl Edits {
    pub fn new(wanted: &[char], max: usize, transpositions: bool) -> Self {
        let (mut ascii, mut others) = ([0u64; 128], Vec::<(char, u64)>::new());
        for (i, letter) in wanted.iter().enumerate().take(CHARS_MAX) {
            match ascii.get_mut(*letter as usize) {
                Some(places) => *places |= 1 << i,
                None => match others.iter_mut().find(|(other, _)| other == letter) {
                    Some((_, places)) => *places |= 1 << i,
                    None => others.push((*letter, 1 << i)),
                },
            }
        }
        let max = max.min(EDITS_MAX);
        // Characters of the text may be left out from the start.
        let bits = std::array::from_fn(|edits| if edits <= max { (1 << (edits + 1)) - 1 } else { 0 });
        let states = vec![State { bits, mask: 0, end: 0 }];
        Self { wanted: wanted.to_vec(), max, transpositions, ascii, others, states }
    }

    /// Calls `f` with every term that begins with `prefix` and is near enough, its distance, and what is known of it.
    pub fn matching(&mut self, terms: &Terms, prefix: &[u8], f: impl FnMut(&[u8], usize, TermInfo)) {
        self.states.truncate(1);
        let text: String = self.wanted.iter().collect();
        match terms.near(prefix, &text, self.max) {
            Some(mut near) => self.among_near(&mut near, f),
            None => self.among_all(&mut terms.scan(prefix), f),
        }
    }

    fn among_near(&mut self, near: &mut NearTerms, mut f: impl FnMut(&[u8], usize, TermInfo)) {
        let mut found = vec![];
        while let Some((shared, term)) = near.next() {
            let verdict = match self.wanted.len() > CHARS_MAX {
                true => self.judge_long(term),
                false => self.read(shared, term).unwrap_or(Verdict::Without),
            };
            if let Verdict::Within(edits) = verdict {
                found.clear();
                found.extend_from_slice(term);
                f(&found, edits, near.info());
            }
        }
    }

    fn among_all(&mut self, scan: &mut KeyScan, mut f: impl FnMut(&[u8], usize, TermInfo)) {
        let mut found = vec![];
        while let Some((shared, term)) = scan.next() {
            let verdict = match self.wanted.len() > CHARS_MAX {
                true => self.judge_long(term),
                false => self.judge(shared, term),
            };
            match verdict {
                Verdict::Without => {}
                Verdict::Hopeless(length, None) => scan.skip_prefix(length),
                Verdict::Hopeless(length, Some(letter)) => {
                    scan.skip_to(length, letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Verdict::Within(edits) => {
                    found.clear();
                    found.extend_from_slice(term);
                    f(&found, edits, scan.info());
                }
            }
        }
    }

    /// For texts that do not fit into a word: a band of the matrix of distances, for terms of about the same length.
    fn judge_long(&self, term: &[u8]) -> Verdict {
        let Ok(term) = std::str::from_utf8(term) else { return Verdict::Without };
        if term.len() + 4 * self.max < self.wanted.len() {
            return Verdict::Without;
        }
        let term: Vec<char> = term.chars().take(self.wanted.len() + self.max + 1).collect();
        if term.len().abs_diff(self.wanted.len()) > self.max {
            return Verdict::Without;
        }
        let far = self.max + 1;
        // Cell `k` of row `i` is for the first `i + k - max` characters of the text.
        let width = 2 * self.max + 1;
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(term.len() + 1);
        for i in 0..=term.len() {
            let mut row = vec![far; width];
            for k in 0..width {
                let Some(j) = (i + k).checked_sub(self.max).filter(|j| *j <= self.wanted.len()) else { continue };
                if i == 0 || j == 0 {
                    row[k] = i.max(j).min(far);
                    continue;
                }
                let replaced = rows[i - 1][k] + usize::from(self.wanted[j - 1] != term[i - 1]);
                let inserted = rows[i - 1].get(k + 1).map_or(far, |cell| cell + 1);
                let removed = k.checked_sub(1).map_or(far, |before| row[before] + 1);
                let mut cell = replaced.min(inserted).min(removed);
                if self.transpositions
                    && i > 1
                    && j > 1
                    && self.wanted[j - 2] == term[i - 1]
                    && self.wanted[j - 1] == term[i - 2]
                {
                    cell = cell.min(rows[i - 2][k] + 1);
                }
                row[k] = cell.min(far);
            }
            rows.push(row);
        }
        let cell = (self.wanted.len() + self.max).checked_sub(term.len());
        let edits = cell.and_then(|cell| rows.last()?.get(cell)).filter(|edits| **edits <= self.max);
        edits.map_or(Verdict::Without, |edits| Verdict::Within(*edits))
    }

    fn mask(&self, letter: char) -> u64 {
        match self.ascii.get(letter as usize) {
            Some(places) => *places,
            None => self.others.iter().find(|(other, _)| *other == letter).map_or(0, |(_, places)| *places),
        }
    }

    /// The term shares its first `shared` bytes with the one judged before.
    fn judge(&mut self, shared: usize, term: &[u8]) -> Verdict {
        self.read(shared, term).unwrap_or_else(|| self.hopeless(term))
    }

    /// Reads the term on from what it shares with the one before. None if what was read so far leads nowhere.
    fn read(&mut self, shared: usize, term: &[u8]) -> Option<Verdict> {
        while self.states.last().is_some_and(|state| state.end > shared) {
            self.states.pop();
        }
        loop {
            let Some(last) = self.states.last() else { return Some(Verdict::Without) };
            let Some((letter, length)) = first_char(&term[last.end..]) else {
                // Either the term is at its end, or it is no text.
                let whole = last.end == term.len();
                let bit = 1u64 << self.wanted.len();
                let edits = last.bits.iter().position(|bits| bits & bit != 0).filter(|_| whole);
                return Some(edits.map_or(Verdict::Without, Verdict::Within));
            };
            let next = self.step(self.mask(letter), last.end + length);
            if next.bits[self.max] == 0 {
                return None;
            }
            self.states.push(next);
        }
    }

    /// What can be near enough after a term whose last state leads nowhere. Leaves the states of what it shares with that.
    fn hopeless(&mut self, term: &[u8]) -> Verdict {
        while let Some((last, before)) = self.states.split_last() {
            let Some((letter, length)) = first_char(&term[last.end..]) else { break };
            let spare = |state: &State| self.max.checked_sub(1).map_or(0, |fewer| state.bits[fewer]);
            if spare(last) != 0 {
                return Verdict::Hopeless(last.end + length, None);
            }
            let swapped = before.last().filter(|_| self.transpositions).map_or(0, spare) & (last.mask >> 1);
            let viable = last.bits[self.max] | swapped;
            let follows = (self.wanted.iter().enumerate())
                .filter_map(|(i, other)| (viable >> i & 1 == 1 && *other > letter).then_some(*other));
            if let Some(next) = follows.min() {
                return Verdict::Hopeless(last.end, Some(next));
            }
            // The state after nothing stays, for the next dictionary.
            if before.is_empty() {
                break;
            }
            self.states.pop();
        }
        Verdict::Hopeless(0, None)
    }

    #[inline]
    fn step(&self, mask: u64, end: usize) -> State {
        let at = self.states.len() - 1;
        let State { bits: before, mask: last, .. } = self.states[at];
        let earlier = if self.transpositions && at > 0 { self.states[at - 1].bits } else { Bits::default() };
        let mut bits = Bits::default();
        bits[0] = (before[0] & mask) << 1;
        for edits in 1..=self.max {
            let fewer = before[edits - 1];
            // The character agrees, is one too many, stands for another, or one was left out before it.
            bits[edits] = (before[edits] & mask) << 1 | fewer | fewer << 1 | bits[edits - 1] << 1;
            // It and the one before it have changed places.
            bits[edits] |= (earlier[edits - 1] & mask & last >> 1) << 2;
        }
        // Bits past the end of the text stand for nothing.
        let all = u64::MAX >> (CHARS_MAX - self.wanted.len());
        bits.iter_mut().for_each(|bits| *bits &= all);
        State { bits, mask, end }
    }
}

/// The first character of some bytes, and its length; `None` at the end and where there is no text.
#[inline]
fn first_char(bytes: &[u8]) -> Option<(char, usize)> {
    let first = *bytes.first()?;
    if first < 0x80 {
        return Some((first as char, 1));
    }
    let length = match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let letter = std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()?;
    Some((letter, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{TermMeta, Terms, TermsWriter, keys_of};

    fn terms(mut writer: TermsWriter, keys: &[String]) -> Terms {
        for (i, key) in keys.iter().enumerate() {
            let doc_freq = i as u32 + 2;
            writer.push(
                key.as_bytes(),
                &TermMeta { doc_freq, total_term_freq: u64::from(doc_freq), ..TermMeta::default() },
            );
        }
        keys_of(writer.finish().into())
    }

    /// With and without a look at letters.
    fn found(keys: &[String], wanted: &str, max: usize, transpositions: bool) -> Vec<(String, usize)> {
        let wanted: Vec<char> = wanted.chars().collect();
        let of = |writer: TermsWriter| {
            let (terms, mut found) = (terms(writer, keys), vec![]);
            Edits::new(&wanted, max, transpositions).matching(&terms, b"", |term, distance, info| {
                let term = String::from_utf8(term.to_vec()).unwrap();
                assert_eq!(keys[info.ord as usize], term);
                found.push((term, distance));
            });
            found
        };
        let all = of(TermsWriter::keys_only());
        assert_eq!(of(TermsWriter::with_postings(true, false)), all, "{wanted:?}");
        all
    }

    #[test]
    fn edits_are_counted() {
        for (term, expected) in [
            ("quick", Some(0)),
            ("quikc", Some(1)),
            ("qick", Some(1)),
            ("quiick", Some(1)),
            ("uick", Some(1)),
            ("brown", None),
            ("quack", Some(1)),
            ("qiuc", Some(2)),
            ("qui", Some(2)),
            ("q", None),
        ] {
            let found = found(&[term.to_owned()], "quick", 2, true);
            assert_eq!(found.first().map(|(_, edits)| *edits), expected, "{term}");
        }
        assert_eq!(found(&["quikc".to_owned()], "quick", 1, false), []);
    }

    /// The whole matrix.
    fn distance(a: &[char], b: &[char], transpositions: bool) -> usize {
        let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                cells[i][j] = match (i, j) {
                    (0, _) => j,
                    (_, 0) => i,
                    _ => {
                        let replaced = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        replaced.min(cells[i - 1][j] + 1).min(cells[i][j - 1] + 1)
                    }
                };
                if transpositions && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    cells[i][j] = cells[i][j].min(cells[i - 2][j - 2] + 1);
                }
            }
        }
        cells[a.len()][b.len()]
    }

    #[test]
    fn the_text_itself_is_found_by_all_of_it() {
        let words = ["a", "b", "e", "east", "elm", "f", "fox", "of", "ox", "é", "éa"];
        for left_out in 0..words.len() {
            let keys: Vec<String> =
                words.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, key)| (*key).to_owned()).collect();
            for (wanted, writer) in words.iter().flat_map(|wanted| {
                [TermsWriter::keys_only(), TermsWriter::with_postings(true, false)].map(|writer| (wanted, writer))
            }) {
                let (terms, mut found) = (terms(writer, &keys), vec![]);
                let letters: Vec<char> = wanted.chars().collect();
                let mut edits = Edits::new(&letters, 0, true);
                // In two dictionaries, one after the other.
                for _ in 0..2 {
                    edits.matching(&terms, wanted.as_bytes(), |term, edits, _| {
                        found.push((String::from_utf8(term.to_vec()).unwrap(), edits));
                    });
                }
                let expected: Vec<_> = keys
                    .iter()
                    .filter(|key| key == wanted)
                    .flat_map(|key| [(key.clone(), 0), (key.clone(), 0)])
                    .collect();
                assert_eq!(found, expected, "{wanted} among {keys:?}");
            }
        }
    }

    #[test]
    fn long_texts_are_told_apart_too() {
        let wanted: String = ('a'..='z').cycle().take(80).collect();
        let (mut swapped, mut shorter) = (wanted.clone().into_bytes(), wanted.clone());
        swapped.swap(70, 71);
        shorter.remove(3);
        let swapped = String::from_utf8(swapped).unwrap();
        let mut terms =
            vec![wanted.clone(), swapped.clone(), shorter.clone(), format!("{wanted}xyz"), "abc".to_owned()];
        terms.sort();
        for (max, transpositions) in [(2, true), (2, false), (1, true)] {
            let letters: Vec<char> = wanted.chars().collect();
            let all = (terms.iter())
                .map(|term| (term.clone(), distance(&letters, &term.chars().collect::<Vec<_>>(), transpositions)))
                .filter(|(_, edits)| *edits <= max);
            assert_eq!(found(&terms, &wanted, max, transpositions), all.collect::<Vec<_>>());
        }
    }

    #[test]
    fn passing_over_terms_loses_none() {
        let mut terms = vec![String::new()];
        for from in 0.. {
            if terms[from].chars().count() == 5 {
                break;
            }
            for letter in ['a', 'b', 'é', 'z'] {
                let longer = format!("{}{letter}", terms[from]);
                terms.push(longer);
            }
        }
        terms.sort();
        for wanted in ["", "a", "ab", "béa", "abba", "zazé", "abéab", "bbbbbbb"] {
            let letters: Vec<char> = wanted.chars().collect();
            for (max, transpositions) in [(1, true), (1, false), (2, true), (2, false)] {
                let all = (terms.iter())
                    .map(|term| (term.clone(), distance(&letters, &term.chars().collect::<Vec<_>>(), transpositions)))
                    .filter(|(_, edits)| *edits <= max);
                let found = found(&terms, wanted, max, transpositions);
                assert_eq!(found, all.collect::<Vec<_>>(), "{wanted:?} {max} {transpositions}");
            }
        }
    }

    #[test]
    fn one_term_is_near_another() {
        let near = |a: &str, b: &str, max, transpositions| {
            edits_between(&a.chars().collect::<Vec<_>>(), b, max, transpositions).is_some()
        };
        assert!(near("amber", "ambre", 1, true) && !near("amber", "ambre", 1, false));
        assert!(
            near("amber", "amer", 1, false) && near("ca", "abc", 3, true) && !near("amber", "ember quick", 2, true)
        );
    }
}
