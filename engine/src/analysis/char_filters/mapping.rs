//! `mapping`: replaces some texts by others, the longest first.

use super::CharFilter;
use crate::analysis::offsets::Filtered;
use crate::analysis::params::Params;
use crate::{Error, ErrorKind, Result};
use daachorse::{DoubleArrayAhoCorasick, DoubleArrayAhoCorasickBuilder, MatchKind};
use hashbrown::HashSet;
use std::fmt;

pub(crate) struct Mapping {
    /// Finds what is replaced: of what begins at one place, the longest. One pass, however much is sought (Aho and Corasick, 1975).
    finder: DoubleArrayAhoCorasick<u32>,
    /// What is replaced, and by what.
    rules: Vec<(String, String)>,
}

pub(super) fn build(params: &Params) -> Result<Box<dyn CharFilter>> {
    let Some(lines) = params.words_or_file("mappings")?.map(|words| words.0) else {
        return Err(Error::illegal_argument("mapping requires either `mappings` or `mappings_path` to be configured"));
    };
    let (mut rules, mut known) = (vec![], HashSet::new());
    for (number, line) in lines.iter().enumerate() {
        let invalid =
            || Error::new(ErrorKind::Runtime, format!("Line [{}]: Invalid mapping rule : [{line}]", number + 1));
        // The last arrow separates.
        let (from, to) = line.rsplit_once("=>").ok_or_else(invalid)?;
        let unescaped = |text: &str| {
            unescape(text.trim())
                .map_err(|error| Error::new(ErrorKind::Runtime, format!("Line [{}]: {}", number + 1, error.reason())))
        };
        let (from, to) = (unescaped(from)?, unescaped(to)?);
        if from.is_empty() {
            return Err(Error::illegal_argument("cannot match the empty string"));
        }
        if !known.insert(from.clone()) {
            return Err(Error::illegal_argument(format!("match \"{from}\" was already added")));
        }
        rules.push((from, to));
    }
    Ok(Box::new(Mapping::new(rules)?))
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.rules).finish()
    }
}

/// `\n`, `\t`, `\uXXXX` and the like; a backslash before another character stands for that.
pub(crate) fn unescape(text: &str) -> Result<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            None => return Err(Error::illegal_argument(format!("Invalid escaped char in [{text}]"))),
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('u') => {
                let code = chars.as_str().get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                chars = chars.as_str().get(4..).unwrap_or_default().chars();
                let code = code.ok_or_else(|| Error::illegal_argument(format!("Invalid escaped char in [{text}]")))?;
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            Some(other) => other,
        });
    }
    Ok(out)
}

impl Mapping {
    /// Replaces one text, of one character or more, by another.
    pub fn of(from: &str, to: &str) -> Result<Self> {
        Self::new(vec![(from.to_owned(), to.to_owned())])
    }

    /// None of the texts that are replaced is empty, and none is there twice.
    fn new(rules: Vec<(String, String)>) -> Result<Self> {
        let builder = DoubleArrayAhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest);
        let finder = builder.build(rules.iter().map(|(from, _)| from));
        let finder = finder.map_err(|error| Error::illegal_argument(format!("mapping: {error}")))?;
        Ok(Self { finder, rules })
    }
}

impl CharFilter for Mapping {
    fn filter(&self, text: &str, out: &mut Filtered) {
        let mut copied = 0;
        for found in self.finder.leftmost_find_iter(text) {
            let (from, to) = &self.rules[found.value() as usize];
            out.copy(&text[copied..found.start()]);
            out.replace(from, to);
            copied = found.end();
        }
        out.copy(&text[copied..]);
    }

    fn normalizes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn replaces_the_longest() {
        let json = r#"{"mappings":["a=>1","ab => 22","\\u0063=>","é=>e\\n"]}"#;
        let definition = parse(json.as_bytes()).unwrap();
        let filter = build(&Params::of("x", definition.as_object().unwrap())).unwrap();
        let mut out = Filtered::default();
        filter.filter("abacé", &mut out);
        assert_eq!(out.text, "221e\n");
        assert_eq!((out.correct(2), out.correct(3), out.correct(5)), (2, 4, 5));
    }
}
