//! Krovetz' stemmer of English: endings are taken off as long as a dictionary knows what is left. The dictionary is that
//! of the Lemur project. Its lines are exceptions (`!`), words with other words as their stems (`>`), and words (`=`).

use hashbrown::HashMap;
use std::sync::LazyLock;

/// What the dictionary says of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Word,
    /// Is no stem of words in -ed and -ing.
    Exception,
    StemsTo(&'static str),
}

static DICTIONARY: LazyLock<HashMap<&'static str, Entry, ahash::RandomState>> = LazyLock::new(|| {
    let mut dictionary = HashMap::default();
    for line in include_str!("kstem_words.txt").lines() {
        let mut words = line.split(' ');
        match words.next() {
            Some("!") => dictionary.extend(words.map(|word| (word, Entry::Exception))),
            Some(">") => {
                dictionary.extend(words.next().zip(words.next()).map(|(word, stem)| (word, Entry::StemsTo(stem))))
            }
            _ => dictionary.extend(words.map(|word| (word, Entry::Word))),
        }
    }
    dictionary
});

/// Words of fewer letters, or of this many and more, are not stemmed.
const LENGTHS: std::ops::Range<usize> = 3..50;

pub(crate) fn kstem(word: &mut String) {
    if !LENGTHS.contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    match DICTIONARY.get(word.as_str()) {
        Some(Entry::StemsTo(stem)) => *word = (*stem).to_owned(),
        Some(_) => {}
        None => {
            let mut stemmer = Stemmer { word: std::mem::take(word), found: None };
            stemmer.run();
            *word = match stemmer.found {
                Some(Entry::StemsTo(stem)) => stem.to_owned(),
                _ => stemmer.word,
            };
        }
    }
}

struct Stemmer {
    word: String,
    /// What the dictionary says of `word`, if it was asked last and knew it.
    found: Option<Entry>,
}

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

/// Whether the stem ends in the same consonant twice.
fn is_doubled(stem: &str) -> bool {
    let bytes = stem.as_bytes();
    match bytes {
        [.., a, b] => a == b && is_consonant(bytes, bytes.len() - 1),
        _ => false,
    }
}

fn has_vowel(stem: &str) -> bool {
    (0..stem.len()).any(|at| !is_consonant(stem.as_bytes(), at))
}

fn shorter(stem: &str) -> &str {
    &stem[..stem.len().saturating_sub(1)]
}

impl Stemmer {
    fn run(&mut self) {
        let steps: [fn(&mut Self); 17] = [
            Self::plural,
            Self::past_tense,
            Self::aspect,
            Self::ity,
            Self::ness,
            Self::ion,
            Self::er_and_or,
            Self::ly,
            Self::al,
            Self::ive,
            Self::ize,
            Self::ment,
            Self::ble,
            Self::ism,
            Self::ic,
            Self::ncy,
            Self::nce,
        ];
        for step in steps {
            step(self);
            if self.found.is_some() {
                return;
            }
        }
    }

    /// What stands before the suffix, if the word ends with it and has more.
    fn before(&self, suffix: &str) -> Option<String> {
        self.word.strip_suffix(suffix).filter(|stem| !stem.is_empty()).map(str::to_owned)
    }

    /// Takes the candidate if the dictionary knows it.
    fn attempt(&mut self, candidate: String) -> bool {
        self.found = DICTIONARY.get(candidate.as_str()).copied();
        if self.found.is_some() {
            self.word = candidate;
        }
        self.found.is_some()
    }

    /// Takes the candidate, known or not.
    fn settle(&mut self, candidate: String) {
        self.found = DICTIONARY.get(candidate.as_str()).copied();
        self.word = candidate;
    }

    /// Takes the first of the candidates that is known.
    fn any(&mut self, candidates: impl IntoIterator<Item = String>) -> bool {
        candidates.into_iter().any(|candidate| self.attempt(candidate))
    }

    fn plural(&mut self) {
        if !self.word.ends_with('s') {
            return;
        }
        if let Some(stem) = self.before("ies") {
            if !self.attempt(format!("{stem}ie")) {
                self.settle(stem + "y");
            }
        } else if let Some(stem) = self.before("es") {
            // Crosses are no crosse.
            let with_e = stem.len() > 1 && !stem.ends_with("ss");
            if with_e && self.attempt(format!("{stem}e")) || self.attempt(stem.clone()) {
                return;
            }
            self.word = stem + "e";
            if !with_e {
                self.settle(self.word.clone());
            }
        } else if self.word.len() > 3 && !self.word.ends_with("ss") && self.before("ous").is_none() {
            self.settle(shorter(&self.word).to_owned());
        }
    }

    /// The stem with e, if it is in the dictionary and no exception.
    fn with_e(&mut self, stem: &str) -> bool {
        let known = DICTIONARY.get(format!("{stem}e").as_str()).copied().filter(|entry| *entry != Entry::Exception);
        if known.is_some() {
            (self.word, self.found) = (format!("{stem}e"), known);
        }
        known.is_some()
    }

    fn past_tense(&mut self) {
        if self.word.len() <= 4 {
            return;
        }
        if let Some(stem) = self.before("ied") {
            if !self.attempt(format!("{stem}ie")) {
                self.settle(stem + "y");
            }
            return;
        }
        let Some(stem) = self.before("ed").filter(|stem| has_vowel(stem)) else { return };
        if self.with_e(&stem) || self.attempt(stem.clone()) {
            return;
        }
        if is_doubled(&stem) {
            if !self.attempt(shorter(&stem).to_owned()) {
                self.settle(stem);
            }
        } else if !stem.starts_with("un") {
            self.word = stem + "e";
        }
    }

    fn aspect(&mut self) {
        if self.word.len() <= 5 {
            return;
        }
        let Some(stem) = self.before("ing").filter(|stem| has_vowel(stem)) else { return };
        if self.with_e(&stem) || self.attempt(stem.clone()) {
            return;
        }
        if is_doubled(&stem) {
            if !self.attempt(shorter(&stem).to_owned()) {
                self.settle(stem);
            }
            return;
        }
        let bytes = stem.as_bytes();
        let two = bytes.len() > 1 && is_consonant(bytes, bytes.len() - 1) && is_consonant(bytes, bytes.len() - 2);
        self.word = if two { stem } else { stem + "e" };
    }

    fn ity(&mut self) {
        let Some(stem) = self.before("ity") else { return };
        if self.any([stem.clone(), format!("{stem}e")]) {
            return;
        }
        if let Some(root) = stem.strip_suffix("il") {
            self.settle(format!("{root}le"));
        } else if stem.ends_with("iv") {
            self.settle(stem + "e");
        } else if stem.ends_with("al") {
            self.settle(stem);
        } else if !self.attempt(self.word.clone()) {
            self.word = stem;
        }
    }

    fn ness(&mut self) {
        if let Some(stem) = self.before("ness") {
            self.settle(stem.strip_suffix('i').map_or(stem.clone(), |root| format!("{root}y")));
        }
    }

    fn ion(&mut self) {
        let Some(stem) = self.before("ion") else { return };
        if let Some(root) = self.before("ization") {
            self.settle(root + "ize");
            return;
        }
        if let Some(root) = self.before("ition") {
            if self.attempt(root + "e") {
                return;
            }
        } else if let Some(root) = self.before("ation")
            && self.any([format!("{root}ate"), format!("{root}e"), root])
        {
            return;
        }
        if let Some(root) = self.before("ication")
            && self.attempt(root + "y")
        {
            return;
        }
        self.any([format!("{stem}e"), stem]);
    }

    fn er_and_or(&mut self) {
        if let Some(stem) = self.before("izer") {
            self.settle(stem + "ize");
            return;
        }
        let Some(stem) = self.before("er").or_else(|| self.before("or")) else { return };
        if is_doubled(&stem) && self.attempt(shorter(&stem).to_owned()) {
            return;
        }
        if let Some(root) = stem.strip_suffix('i')
            && self.attempt(format!("{root}y"))
        {
            return;
        }
        if let Some(root) = stem.strip_suffix('e')
            && self.attempt(root.to_owned())
        {
            return;
        }
        self.any([shorter(&self.word).to_owned(), stem.clone(), format!("{stem}e")]);
    }

    fn ly(&mut self) {
        let Some(stem) = self.before("ly") else { return };
        if self.any([format!("{stem}le"), stem.clone()]) {
            return;
        }
        if stem.len() > 1 && stem.ends_with("ab") {
            self.word = stem + "le";
            return;
        }
        if let Some(root) = stem.strip_suffix('i')
            && self.attempt(format!("{root}y"))
        {
            return;
        }
        self.word = stem;
    }

    fn al(&mut self) {
        self.al_ending();
        if self.found.is_none() {
            // Defaults of the steps before may be words.
            self.found = DICTIONARY.get(self.word.as_str()).copied().filter(|entry| *entry != Entry::Exception);
        }
        // Words in -ive go on all the same.
        if self.before("ive").is_some() {
            self.found = None;
        }
    }

    fn al_ending(&mut self) {
        if self.word.len() < 4 {
            return;
        }
        let Some(stem) = self.before("al") else { return };
        if self.attempt(stem.clone()) || is_doubled(&stem) && self.attempt(shorter(&stem).to_owned()) {
            return;
        }
        if self.any([format!("{stem}e"), format!("{stem}um")]) {
            return;
        }
        if let Some(root) = stem.strip_suffix("ic") {
            if !self.any([root.to_owned(), format!("{root}y")]) {
                self.settle(stem);
            }
        } else if let Some(root) = stem.strip_suffix('i')
            && !self.attempt(root.to_owned())
        {
            self.settle(self.word.clone());
        }
    }

    fn ive(&mut self) {
        let Some(stem) = self.before("ive") else { return };
        if self.any([stem.clone(), format!("{stem}e")]) {
            return;
        }
        if let Some(root) = stem.strip_suffix("at")
            && self.any([format!("{root}e"), root.to_owned()])
        {
            return;
        }
        self.attempt(stem + "ion");
    }

    fn ize(&mut self) {
        let Some(stem) = self.before("ize") else { return };
        if self.attempt(stem.clone()) || is_doubled(&stem) && self.attempt(shorter(&stem).to_owned()) {
            return;
        }
        self.attempt(stem + "e");
    }

    fn ment(&mut self) {
        if let Some(stem) = self.before("ment") {
            self.attempt(stem);
        }
    }

    fn ble(&mut self) {
        let Some(stem) = self.before("ble").filter(|stem| stem.ends_with(['a', 'i'])) else { return };
        let root = shorter(&stem).to_owned();
        if self.attempt(root.clone()) || is_doubled(&root) && self.attempt(shorter(&root).to_owned()) {
            return;
        }
        self.any([format!("{root}e"), format!("{root}ate")]);
    }

    fn ism(&mut self) {
        if let Some(stem) = self.before("ism") {
            self.settle(stem);
        }
    }

    fn ic(&mut self) {
        let Some(stem) = self.before("ic") else { return };
        self.any([format!("{stem}ical"), format!("{stem}y"), format!("{stem}e"), stem]);
    }

    fn ncy(&mut self) {
        let Some(stem) = self.before("ncy").filter(|stem| stem.ends_with(['e', 'a'])) else { return };
        if !self.attempt(format!("{stem}nt")) {
            self.settle(stem + "nce");
        }
    }

    fn nce(&mut self) {
        let Some(stem) = self.before("nce").filter(|stem| stem.ends_with(['e', 'a'])) else { return };
        let root = shorter(&stem).to_owned();
        self.any([format!("{root}e"), root]);
    }
}
