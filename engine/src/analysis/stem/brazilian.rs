//! A stemmer of Brazilian Portuguese: one derivational or one verbal ending, in the regions after the first syllables.

use super::word::Word;
use crate::analysis::char_table::is_letter;

/// The words to stem have more than two letters and fewer than thirty.
const LENGTHS: std::ops::Range<usize> = 3..30;

pub(crate) fn brazilian(word: &mut String) {
    let mut stem: String = word.to_lowercase().chars().map(plain).collect();
    for (at_end, marks) in [(false, "\"'-,;.?!"), (true, "-,;.?!'\"")] {
        if stem.chars().count() >= 2 {
            let found = if at_end { stem.chars().next_back() } else { stem.chars().next() };
            if let Some(c) = found.filter(|c| marks.contains(*c)) {
                let range = if at_end { 0..stem.len() - c.len_utf8() } else { c.len_utf8()..stem.len() };
                stem = stem[range].to_owned();
            }
        }
    }
    if !LENGTHS.contains(&stem.encode_utf16().count()) {
        return;
    }
    if stem.chars().all(is_letter) {
        Word::edit(&mut stem, |word| Regions::of(word).stem(word));
    }
    *word = stem;
}

fn plain(c: char) -> char {
    match c {
        'á' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        _ => c,
    }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Where the regions of the whole word begin; endings must lie inside one. They are those of the word before any cut.
struct Regions {
    first: Option<Region>,
    second: Option<Region>,
    verbal: Option<Region>,
}

/// The text of a region.
struct Region(Vec<char>);

impl Region {
    fn ends(&self, suffix: &str) -> bool {
        let mut rest = self.0.iter().rev();
        suffix.chars().rev().all(|c| rest.next() == Some(&c))
    }
}

/// What follows the first consonant after the first vowel. The last letter ends no search.
fn after_syllable(chars: &[char]) -> Option<Region> {
    let last = chars.len().checked_sub(1)?;
    let vowel = (0..last).find(|at| is_vowel(chars[*at]))?;
    let consonant = (vowel..last).find(|at| !is_vowel(chars[*at]))?;
    Some(Region(chars[consonant + 1..].to_vec()))
}

fn verbal(chars: &[char]) -> Option<Region> {
    let last = chars.len().checked_sub(1)?;
    let from = |at: usize| Some(Region(chars[at..].to_vec()));
    if last > 0
        && !is_vowel(chars[1])
        && let Some(vowel) = (2..last).find(|at| is_vowel(chars[*at]))
    {
        return from(vowel + 1);
    }
    if last > 1
        && is_vowel(chars[0])
        && is_vowel(chars[1])
        && let Some(consonant) = (2..last).find(|at| !is_vowel(chars[*at]))
    {
        return from(consonant + 1);
    }
    if last > 2 { from(3) } else { None }
}

/// Endings of nouns and adjectives, the longest first, and what takes their place.
const ENDINGS: &[(&str, &str)] = &[
    ("uciones", "u"),
    ("imentos", ""),
    ("amentos", ""),
    ("adores", ""),
    ("adoras", ""),
    ("logias", "logias"),
    ("encias", "ente"),
    ("amente", ""),
    ("idades", ""),
    ("acoes", ""),
    ("imento", ""),
    ("amento", ""),
    ("adora", ""),
    ("ismos", ""),
    ("istas", ""),
    ("logia", "log"),
    ("ucion", "u"),
    ("encia", "ente"),
    ("mente", ""),
    ("idade", ""),
    ("acao", ""),
    ("ezas", ""),
    ("icos", ""),
    ("icas", ""),
    ("ismo", ""),
    ("avel", ""),
    ("ivel", ""),
    ("ista", ""),
    ("osos", ""),
    ("osas", ""),
    ("ador", ""),
    ("ivas", ""),
    ("ivos", ""),
    ("iras", "ir"),
    ("eza", ""),
    ("ico", ""),
    ("ica", ""),
    ("oso", ""),
    ("osa", ""),
    ("iva", ""),
    ("ivo", ""),
    ("ira", "ir"),
];

/// Endings of verbs, the longest first.
const VERBS: &[&str] = &[
    "issemos", "essemos", "assemos", "ariamos", "eriamos", "iriamos", "iremos", "eremos", "aremos", "avamos", "iramos",
    "eramos", "aramos", "asseis", "esseis", "isseis", "arieis", "erieis", "irieis", "irmos", "iamos", "armos", "ermos",
    "areis", "ereis", "ireis", "asses", "esses", "isses", "astes", "assem", "essem", "issem", "ardes", "erdes",
    "irdes", "ariam", "eriam", "iriam", "arias", "erias", "irias", "estes", "istes", "aveis", "aria", "eria", "iria",
    "asse", "esse", "isse", "aste", "este", "iste", "arei", "erei", "irei", "aram", "eram", "iram", "avam", "arem",
    "erem", "irem", "ando", "endo", "indo", "arao", "erao", "irao", "adas", "idas", "aras", "eras", "iras", "avas",
    "ares", "eres", "ires", "ados", "idos", "amos", "emos", "imos", "ieis", "ada", "ida", "ara", "era", "ira", "iam",
    "ado", "ido", "ias", "ais", "eis", "ear", "ia", "ei", "am", "em", "ar", "er", "ir", "as", "es", "is", "eu", "iu",
    "ou",
];

impl Regions {
    fn of(word: &Word) -> Self {
        let first = after_syllable(word.chars());
        let second = first.as_ref().and_then(|region| after_syllable(&region.0));
        Self { first, second, verbal: verbal(word.chars()) }
    }

    fn stem(&self, word: &mut Word) {
        let altered = self.noun(word) || self.verb(word);
        let Some(region) = &self.verbal else { return };
        if altered {
            if region.ends("ci") && word.ends("i") {
                word.cut(1);
            }
        } else if let Some(rest) = ["os", "a", "i", "o"].iter().find(|rest| region.ends(rest)) {
            word.cut(rest.len());
        }
        if region.ends("e") {
            let silent = if region.ends("gue") {
                "u"
            } else if region.ends("cie") {
                "i"
            } else {
                ""
            };
            for letter in ["e", silent] {
                if word.ends(letter) {
                    word.cut(letter.len());
                }
            }
        }
    }

    fn noun(&self, word: &mut Word) -> bool {
        let row = ENDINGS.iter().find(|(ending, _)| {
            let region = match *ending {
                "amente" => &self.first,
                "iras" | "ira" => &self.verbal,
                _ => &self.second,
            };
            let preceded = !matches!(*ending, "iras" | "ira") || word.back(ending.len() + 1) == 'e';
            preceded && word.ends(ending) && region.as_ref().is_some_and(|region| region.ends(ending))
        });
        let Some((ending, by)) = row else { return false };
        word.replace(ending.len(), by);
        true
    }

    fn verb(&self, word: &mut Word) -> bool {
        let Some(region) = &self.verbal else { return false };
        let Some(ending) = VERBS.iter().find(|ending| region.ends(ending)) else { return false };
        // The original counts -ira as found, but does not remove it.
        if *ending != "ira" {
            word.cut(ending.len());
        }
        true
    }
}
