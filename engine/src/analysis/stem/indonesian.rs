//! Tala's stemmer of Indonesian: particles, possessives, prefixes and suffixes, as long as more than two syllables are left.

use super::word::Word;

/// Which prefix was removed; decides which suffix may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removed {
    Ke,
    Peng,
    Di,
    Meng,
    Ter,
    Ber,
    Pe,
}
use Removed::{Ber, Di, Ke, Meng, Pe, Peng, Ter};

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

struct Stemmer<'w> {
    word: &'w mut Word,
    syllables: usize,
    removed: Vec<Removed>,
}

pub(crate) fn indonesian(word: &mut String) {
    Word::edit(word, |word| {
        let syllables = word.chars().iter().filter(|c| is_vowel(**c)).count();
        let mut stemmer = Stemmer { word, syllables, removed: vec![] };
        stemmer.cut_one(&["kah", "lah", "pun"]);
        stemmer.cut_one(&["ku", "mu", "nya"]);
        if stemmer.first_prefix() {
            if stemmer.suffix() {
                stemmer.second_prefix();
            }
        } else {
            stemmer.second_prefix();
            stemmer.suffix();
        }
    });
}

impl Stemmer<'_> {
    fn cut_one(&mut self, suffixes: &[&str]) {
        if self.syllables > 2
            && let Some(suffix) = suffixes.iter().find(|suffix| self.word.ends(suffix))
        {
            self.word.cut(suffix.len());
            self.syllables -= 1;
        }
    }

    /// Removes `count` characters in front.
    fn cut_front(&mut self, count: usize, removed: Option<Removed>) -> bool {
        self.word.cut_front(count);
        self.removed.extend(removed);
        self.syllables -= 1;
        true
    }

    fn vowel_at(&self, at: usize) -> bool {
        self.word.chars().get(at).is_some_and(|c| is_vowel(*c))
    }

    fn first_prefix(&mut self) -> bool {
        if self.syllables <= 2 {
            return false;
        }
        /// Prefix, whether a vowel must follow, how much of it goes, what its last letter becomes.
        type Row = (&'static str, bool, usize, Option<char>, Removed);
        const TABLE: &[Row] = &[
            ("meng", false, 4, None, Meng),
            ("meny", true, 3, Some('s'), Meng),
            ("men", false, 3, None, Meng),
            ("mem", false, 3, None, Meng),
            ("me", false, 2, None, Meng),
            ("peng", false, 4, None, Peng),
            ("peny", true, 3, Some('s'), Peng),
            ("peny", false, 4, None, Peng),
            ("pen", true, 2, Some('t'), Peng),
            ("pen", false, 3, None, Peng),
            ("pem", false, 3, None, Peng),
            ("di", false, 2, None, Di),
            ("ter", false, 3, None, Ter),
            ("ke", false, 2, None, Ke),
        ];
        let row = TABLE.iter().find(|(prefix, before_vowel, ..)| {
            self.word.starts(prefix) && (!before_vowel || self.vowel_at(prefix.len()))
        });
        let Some((_, _, count, letter, removed)) = row else { return false };
        if let Some(letter) = letter {
            self.word.chars_mut()[*count] = *letter;
        }
        self.cut_front(*count, Some(*removed))
    }

    fn second_prefix(&mut self) -> bool {
        if self.syllables <= 2 {
            return false;
        }
        let chars = self.word.chars();
        if self.word.starts("ber") || self.word.is("belajar") {
            return self.cut_front(3, Some(Ber));
        }
        if self.word.starts("be") && chars.len() > 4 && !is_vowel(chars[2]) && chars[3] == 'e' && chars[4] == 'r' {
            return self.cut_front(2, Some(Ber));
        }
        if self.word.starts("per") || self.word.is("pelajar") {
            return self.cut_front(3, None);
        }
        self.word.starts("pe") && self.cut_front(2, Some(Pe))
    }

    fn suffix(&mut self) -> bool {
        if self.syllables <= 2 {
            return false;
        }
        let none_of = |prefixes: &[Removed]| !self.removed.iter().any(|removed| prefixes.contains(removed));
        let count = if self.word.ends("kan") && none_of(&[Ke, Peng, Pe]) {
            3
        } else if self.word.ends("an") && none_of(&[Di, Meng, Ter]) {
            2
        } else if self.word.ends("i") && !self.word.ends("si") && none_of(&[Ber, Ke, Peng]) {
            1
        } else {
            return false;
        };
        self.word.cut(count);
        self.syllables -= 1;
        true
    }
}
