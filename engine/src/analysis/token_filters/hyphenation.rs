//! Hyphenation by Liang's patterns, as the XML files of FOP hold them.

use hashbrown::HashMap;

/// Patterns, and the words that are hyphenated otherwise.
#[derive(Debug, Default)]
pub(super) struct Hyphenation {
    /// The letters of a pattern, and the values between them; the word's ends are dots.
    patterns: HashMap<Box<[char]>, Box<[u8]>>,
    /// Words and where they may be cut.
    exceptions: HashMap<Box<[char]>, Box<[usize]>>,
    /// Letters that count as others.
    classes: HashMap<char, char>,
    longest: usize,
}

impl Hyphenation {
    /// Reads the elements `classes`, `exceptions` and `patterns`. Comments and whatever else there is are left out.
    pub fn read(xml: &str) -> Option<Self> {
        let mut hyphenation = Self::default();
        let text = without_comments(xml);
        for class in element(&text, "classes").unwrap_or_default().split_whitespace() {
            let first = class.chars().next()?;
            hyphenation.classes.extend(class.chars().map(|c| (c, first)));
        }
        for exception in element(&text, "exceptions").unwrap_or_default().split_whitespace() {
            let (mut word, mut points) = (vec![], vec![]);
            for c in exception.chars() {
                if c == '-' { points.push(word.len()) } else { word.push(c) }
            }
            hyphenation.exceptions.insert(word.into(), points.into());
        }
        for pattern in element(&text, "patterns")?.split_whitespace() {
            let (mut letters, mut values) = (vec![], vec![0]);
            for c in pattern.chars() {
                match c.to_digit(10) {
                    Some(value) => *values.last_mut()? = value as u8,
                    None => {
                        letters.push(c);
                        values.push(0);
                    }
                }
            }
            hyphenation.longest = hyphenation.longest.max(letters.len());
            hyphenation.patterns.insert(letters.into(), values.into());
        }
        Some(hyphenation)
    }

    /// Where the word may be cut, with its beginning and its end; nothing if it may not be. Words with other characters
    /// than letters are not cut.
    pub fn points(&self, word: &[char]) -> Vec<usize> {
        let mut letters = vec!['.'];
        for c in word {
            match self.classes.get(c) {
                Some(class) => letters.push(*class),
                None if self.classes.is_empty() && c.is_alphabetic() => letters.extend(c.to_lowercase().next()),
                None => return vec![],
            }
        }
        letters.push('.');
        let inner = match self.exceptions.get(&letters[1..=word.len()]) {
            Some(points) => points.to_vec(),
            None => self.by_patterns(&letters),
        };
        if inner.is_empty() {
            return vec![];
        }
        std::iter::once(0).chain(inner).chain([word.len()]).collect()
    }

    fn by_patterns(&self, letters: &[char]) -> Vec<usize> {
        let mut values = vec![0u8; letters.len() + 1];
        for start in 0..letters.len() {
            for len in 1..=self.longest.min(letters.len() - start) {
                if let Some(found) = self.patterns.get(&letters[start..start + len]) {
                    for (value, found) in values[start..].iter_mut().zip(found.iter()) {
                        *value = (*value).max(*found);
                    }
                }
            }
        }
        // The first letter stands after the dot. At least one letter stays on each side.
        let len = letters.len() - 2;
        (1..len).filter(|at| values[at + 1] % 2 == 1).collect()
    }
}

fn without_comments(xml: &str) -> String {
    let mut text = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some(start) = rest.find("<!--") {
        text.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    text + rest
}

/// The text of the first element of this name.
fn element<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    let open = xml.find(&format!("<{name}"))?;
    let start = open + xml[open..].find('>')? + 1;
    let end = start + xml[start..].find(&format!("</{name}>"))?;
    Some(&xml[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_patterns_and_exceptions() {
        let xml = "<x><classes>aA bB cC</classes><!-- y --><exceptions>ab-cab</exceptions><patterns>a1b b2c1a .a2</patterns></x>";
        let hyphenation = Hyphenation::read(xml).unwrap();
        let points = |word: &str| hyphenation.points(&word.chars().collect::<Vec<_>>());
        assert_eq!(points("cabca"), [0, 2, 4, 5]);
        assert_eq!(points("abcab"), [0, 2, 5]);
        assert_eq!(points("a-b"), [0; 0]);
        assert!(Hyphenation::read("<x/>").is_none());
    }
}
