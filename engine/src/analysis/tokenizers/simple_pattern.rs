//! `simple_pattern` and `simple_pattern_split`: the longest matches of an expression in Lucene's syntax as tokens, or what
//! stands between them.

use super::{Raw, Stop, Tokenizer};
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::error::{ErrorKind, Result};
use crate::regexp::{self, Dfa, Flags, MAX_STATES};

/// Characters of a text that are looked at without a match, some of them again and again: after these nothing more is found.
const WASTED_MAX: usize = 100_000_000;

#[derive(Debug)]
pub(crate) struct SimplePattern {
    dfa: Dfa,
    split: bool,
}

fn read(params: &Params, split: bool) -> Result<Box<dyn Tokenizer>> {
    let pattern = params.text("pattern").unwrap_or_default();
    let dfa =
        Dfa::new(&regexp::parse(&pattern, Flags::ALL, false)?, MAX_STATES).map_err(|error| match error.kind() {
            // Where no query stands around it, the reference takes it for a failure of its own.
            ErrorKind::TooComplexToDeterminize => error.with_status(500),
            _ => error,
        })?;
    Ok(Box::new(SimplePattern { dfa, split }))
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    read(params, false)
}

pub(super) fn build_split(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    read(params, true)
}

impl Tokenizer for SimplePattern {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        self.tokenize_within(text, WASTED_MAX, sink);
    }

    fn stops(&self) -> Stop {
        if self.split { Stop::BehindSeparator } else { Stop::AtToken }
    }
}

/// What begins at a place.
enum Longest {
    /// A match up to here, not empty.
    Match(usize),
    Nothing,
    /// What might have become a match, had the text not ended. Nothing after it is looked at, as in the reference.
    TextEnds,
}

impl SimplePattern {
    fn tokenize_within(&self, text: &str, mut left: usize, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let (mut at, mut from) = (0, 0);
        while at < text.len() {
            let end = match self.longest(text, at, &mut left) {
                Longest::Match(end) => end,
                Longest::Nothing => {
                    at += text[at..].chars().next().map_or(1, char::len_utf8);
                    continue;
                }
                Longest::TextEnds => break,
            };
            let (start, stop) = if self.split { (std::mem::replace(&mut from, end), at) } else { (at, end) };
            at = end;
            if start < stop && !sink(Raw::new(text, start, stop, WORD)) {
                return;
            }
        }
        if self.split && from < text.len() {
            sink(Raw::new(text, from, text.len(), WORD));
        }
    }

    /// `left` is what may still be looked at without a match.
    fn longest(&self, text: &str, start: usize, left: &mut usize) -> Longest {
        let (mut state, mut found) = (0, None);
        for (at, c) in text[start..].char_indices() {
            let Some(next) = self.dfa.step(state, c.into()) else {
                return found.map_or(Longest::Nothing, Longest::Match);
            };
            state = next;
            if self.dfa.accepts(state) {
                found = Some(start + at + c.len_utf8());
            } else if *left == 0 {
                break;
            } else {
                *left -= 1;
            }
        }
        found.map_or(Longest::TextEnds, Longest::Match)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Registry;
    use crate::json::parse;

    fn tokens(kind: &str, pattern: &str, text: &str) -> Result<String> {
        let settings = format!(
            r#"{{"tokenizer":{{"t":{{"type":"{kind}","pattern":"{pattern}"}}}},"analyzer":{{"a":{{"tokenizer":"t"}}}}}}"#
        );
        let registry = Registry::from_settings(&parse(settings.as_bytes())?)?;
        let analyzer = registry.analyzer("a").expect("it is defined");
        Ok(analyzer.tokens(text).into_iter().map(|token| token.text).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn the_longest_matches_or_what_stands_between_them() {
        for (pattern, text, matches, between) in [
            ("<1-12>", "a1b12c130", "1|12|1|3", "a|b|c|0"),
            ("[a-d]+&[c-z]+", "abcdef", "cd", "ab|ef"),
            ("a|abc", "abcab", "abc|a", "b"),
            ("\\\"a.\\\"", "aba.", "a.", "ab"),
            ("", "ab", "", "ab"),
        ] {
            assert_eq!(tokens("simple_pattern", pattern, text).unwrap(), matches, "{pattern}");
            assert_eq!(tokens("simple_pattern_split", pattern, text).unwrap(), between, "{pattern}");
        }
    }

    #[test]
    fn what_the_end_cuts_off_is_the_last_that_is_looked_at() {
        assert_eq!(tokens("simple_pattern", "abc|b", "ab abcab").unwrap(), "b|abc");
        assert_eq!(tokens("simple_pattern_split", "abc|b", "ab abcab").unwrap(), "a| |ab");
    }

    #[test]
    fn refuses_as_lucene_does() {
        for (pattern, reason) in [
            ("(a", "expected ')' at position 2"),
            ("<abc>", "'abc' not found"),
            ("<1-x>", "interval syntax error at position 4"),
            ("a{2,1}", "invalid repetition range(out of order): 2..1"),
        ] {
            assert_eq!(tokens("simple_pattern", pattern, "").unwrap_err().reason(), reason, "{pattern}");
        }
        assert_eq!(tokens("simple_pattern", ".*a.{30}", "").unwrap_err().status(), 500);
    }

    #[test]
    fn hostile_texts_take_bounded_effort() {
        let dfa = Dfa::new(&regexp::parse("a*b|c", Flags::ALL, false).unwrap(), MAX_STATES).unwrap();
        let found = |wasted: usize| {
            let mut found = vec![];
            let pattern = SimplePattern { dfa: dfa.clone(), split: false };
            pattern.tokenize_within("caaaaaaaacaaab", wasted, &mut |raw| {
                found.push(raw.text.to_owned());
                true
            });
            found
        };
        assert_eq!(found(100), ["c", "c", "aaab"]);
        assert_eq!(found(30), ["c"]);
    }
}
