//! Porter's stemmer of 1980 with the two departures of its author's own program (`bli` → `ble`, `logi` → `log`).

/// Stems `word` in place.
pub(crate) fn porter(word: &mut String) {
    if word.is_ascii() {
        let mut bytes = std::mem::take(word).into_bytes();
        let len = stem(&mut bytes);
        bytes.truncate(len);
        *word = String::from_utf8(bytes).expect("stems of ASCII are ASCII");
    } else {
        // The reference counts in UTF-16 code units, and its double consonants are equal units.
        let mut units: Vec<u16> = word.encode_utf16().collect();
        let len = stem(&mut units);
        *word = String::from_utf16_lossy(&units[..len]);
    }
}

/// A letter as the rules compare it.
trait Letter: Copy + PartialEq + From<u8> {}
impl Letter for u8 {}
impl Letter for u16 {}

/// Stems the word in the slice; its letters are then the first so many.
fn stem<L: Letter>(word: &mut [L]) -> usize {
    if word.len() <= 2 {
        return word.len();
    }
    let mut stemmer = Stemmer { end: word.len(), stem: word.len(), word };
    stemmer.plurals();
    stemmer.past_and_gerund();
    stemmer.final_y();
    stemmer.double_suffixes();
    stemmer.endings();
    stemmer.last_suffixes();
    stemmer.final_e();
    stemmer.end
}

struct Stemmer<'w, L> {
    word: &'w mut [L],
    /// The word is what stands before this.
    end: usize,
    /// Where the suffix begins that was found last.
    stem: usize,
}

/// Pairs of suffix and replacement, for stems with a measure above 0.
type Rules = &'static [(&'static [u8], &'static [u8])];

const DOUBLE_SUFFIXES: &[(u8, Rules)] = &[
    (b'a', &[(b"ational", b"ate"), (b"tional", b"tion")]),
    (b'c', &[(b"enci", b"ence"), (b"anci", b"ance")]),
    (b'e', &[(b"izer", b"ize")]),
    (b'l', &[(b"bli", b"ble"), (b"alli", b"al"), (b"entli", b"ent"), (b"eli", b"e"), (b"ousli", b"ous")]),
    (b'o', &[(b"ization", b"ize"), (b"ation", b"ate"), (b"ator", b"ate")]),
    (b's', &[(b"alism", b"al"), (b"iveness", b"ive"), (b"fulness", b"ful"), (b"ousness", b"ous")]),
    (b't', &[(b"aliti", b"al"), (b"iviti", b"ive"), (b"biliti", b"ble")]),
    (b'g', &[(b"logi", b"log")]),
];

const ENDINGS: &[(u8, Rules)] = &[
    (b'e', &[(b"icate", b"ic"), (b"ative", b""), (b"alize", b"al")]),
    (b'i', &[(b"iciti", b"ic")]),
    (b'l', &[(b"ical", b"ic"), (b"ful", b"")]),
    (b's', &[(b"ness", b"")]),
];

const LAST_SUFFIXES: &[(u8, &[&[u8]])] = &[
    (b'a', &[b"al"]),
    (b'c', &[b"ance", b"ence"]),
    (b'e', &[b"er"]),
    (b'i', &[b"ic"]),
    (b'l', &[b"able", b"ible"]),
    (b'n', &[b"ant", b"ement", b"ment", b"ent"]),
    (b'o', &[b"ion", b"ou"]),
    (b's', &[b"ism"]),
    (b't', &[b"ate", b"iti"]),
    (b'u', &[b"ous"]),
    (b'v', &[b"ive"]),
    (b'z', &[b"ize"]),
];

impl<L: Letter> Stemmer<'_, L> {
    fn plurals(&mut self) {
        if !self.is(self.end - 1, b"s") {
            return;
        }
        if self.ends(b"sses") {
            self.end -= 2;
        } else if self.ends(b"ies") {
            self.set(b"i");
        } else if !self.is(self.end - 2, b"s") {
            self.end -= 1;
        }
    }

    fn past_and_gerund(&mut self) {
        if self.ends(b"eed") {
            if self.measure() > 0 {
                self.end -= 1;
            }
        } else if (self.ends(b"ed") || self.ends(b"ing")) && self.stem_has_vowel() {
            self.end = self.stem;
            if self.ends(b"at") || self.ends(b"bl") || self.ends(b"iz") {
                self.stem = self.end;
                self.set(b"e");
            } else if self.ends_double_consonant() {
                if !self.is(self.end - 1, b"lsz") {
                    self.end -= 1;
                }
            } else if self.measure() == 1 && self.ends_cvc(self.end) {
                self.set(b"e");
            }
        }
    }

    fn final_y(&mut self) {
        if self.ends(b"y") && self.stem_has_vowel() {
            self.word[self.end - 1] = b'i'.into();
        }
    }

    fn double_suffixes(&mut self) {
        if self.end > 1 {
            self.apply(DOUBLE_SUFFIXES, self.end - 2);
        }
    }

    fn endings(&mut self) {
        self.apply(ENDINGS, self.end - 1);
    }

    /// Applies the rules that belong to the letter at `key`.
    fn apply(&mut self, table: &[(u8, Rules)], key: usize) {
        let Some((_, rules)) = table.iter().find(|(letter, _)| self.is(key, &[*letter])) else { return };
        for (suffix, replacement) in *rules {
            if self.ends(suffix) {
                if self.measure() > 0 {
                    self.set(replacement);
                }
                return;
            }
        }
    }

    fn last_suffixes(&mut self) {
        if self.end < 2 {
            return;
        }
        let key = self.end - 2;
        let Some((_, suffixes)) = LAST_SUFFIXES.iter().find(|(letter, _)| self.is(key, &[*letter])) else { return };
        for suffix in *suffixes {
            let found = self.ends(suffix) && (*suffix != b"ion" || self.stem > 0 && self.is(self.stem - 1, b"st"));
            if found {
                if self.measure() > 1 {
                    self.end = self.stem;
                }
                return;
            }
        }
    }

    fn final_e(&mut self) {
        self.stem = self.end;
        if self.is(self.end - 1, b"e") {
            let measure = self.measure();
            if measure > 1 || measure == 1 && !self.ends_cvc(self.end - 1) {
                self.end -= 1;
            }
        }
        if self.is(self.end - 1, b"l") && self.ends_double_consonant() && self.measure() > 1 {
            self.end -= 1;
        }
    }

    /// Whether the letter at `at` is one of `letters`.
    fn is(&self, at: usize, letters: &[u8]) -> bool {
        letters.iter().any(|letter| self.word[at] == L::from(*letter))
    }

    /// Whether the word ends with `suffix`; remembers where it begins.
    fn ends(&mut self, suffix: &[u8]) -> bool {
        let Some(start) = self.end.checked_sub(suffix.len()) else { return false };
        let found = self.word[start..self.end].iter().zip(suffix).all(|(a, b)| *a == L::from(*b));
        if found {
            self.stem = start;
        }
        found
    }

    /// Puts `replacement` in the place of the suffix found last.
    fn set(&mut self, replacement: &[u8]) {
        for (at, letter) in replacement.iter().enumerate() {
            self.word[self.stem + at] = L::from(*letter);
        }
        self.end = self.stem + replacement.len();
    }

    /// Whether the letter at `at` is a consonant, given whether the one before it is.
    fn consonant_after(&self, at: usize, before: bool) -> bool {
        if self.is(at, b"y") { at == 0 || !before } else { !self.is(at, b"aeiou") }
    }

    fn is_consonant(&self, at: usize) -> bool {
        // A run of y alternates, beginning with what its first is.
        let run = (0..=at).rev().take_while(|i| self.is(*i, b"y")).count();
        if run == 0 {
            return !self.is(at, b"aeiou");
        }
        let first = at + 1 - run;
        let first_is_consonant = first == 0 || self.is(first - 1, b"aeiou");
        first_is_consonant == (run % 2 == 1)
    }

    /// How often a vowel is followed by a consonant in the stem.
    fn measure(&self) -> usize {
        let (mut before, mut count) = (true, 0);
        for at in 0..self.stem {
            let consonant = self.consonant_after(at, before);
            count += usize::from(consonant && !before);
            before = consonant;
        }
        count
    }

    fn stem_has_vowel(&self) -> bool {
        let mut before = true;
        (0..self.stem).any(|at| {
            before = self.consonant_after(at, before);
            !before
        })
    }

    fn ends_double_consonant(&self) -> bool {
        let end = self.end;
        end >= 2 && self.word[end - 1] == self.word[end - 2] && self.is_consonant(end - 1)
    }

    /// Whether what stands before `end` ends with consonant, vowel, consonant, the last not w, x or y.
    fn ends_cvc(&self, end: usize) -> bool {
        end >= 3
            && self.is_consonant(end - 1)
            && !self.is_consonant(end - 2)
            && self.is_consonant(end - 3)
            && !self.is(end - 1, b"wxy")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn stems_as_published() {
        let cases = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("sensibiliti", "sensibl"),
            ("apologi", "apolog"),
            ("triplicate", "triplic"),
            ("hopeful", "hope"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("controll", "control"),
            ("as", "as"),
            ("s", "s"),
            ("ied", "i"),
            ("sss", "sss"),
            ("ёъъed", "ёъъed"),
            ("aъъed", "aъ"),
            ("yyy", "yyi"),
        ];
        for (word, stem) in cases {
            let mut text = word.to_owned();
            super::porter(&mut text);
            assert_eq!(text, stem, "{word}");
        }
    }
}
