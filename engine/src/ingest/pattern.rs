//! Regular expressions in Java's syntax, for processors.

use crate::error::Result;
use crate::java_regex::{JavaRegex, Replacement};

/// A compiled expression.
#[derive(Debug)]
pub struct Pattern {
    regex: JavaRegex,
}

impl Pattern {
    pub fn new(text: &str) -> Result<Self> {
        JavaRegex::new(text, "").map(|regex| Self { regex })
    }

    /// `text` with all matches replaced, as Java's `replaceAll` does.
    pub fn replace_all(&self, text: &str, replacement: &str) -> Result<String> {
        let replacement = Replacement::parse(replacement, &self.regex);
        Ok(self.regex.replace(text, &replacement, true)?.unwrap_or_else(|| text.to_owned()))
    }

    /// The parts of `text` between matches, as Java's `split` gives them.
    pub fn split<'t>(&self, text: &'t str, limit: i32) -> Result<Vec<&'t str>> {
        self.regex.split(text, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_as_java_does() {
        for (pattern, replacement, text, expected) in [
            ("(\\d)(\\w)", "$2$1", "1a2b", "a1b2"),
            ("(?<n>a)", "<${n}>", "ba", "b<a>"),
            ("", "x", "ab", "xaxbx"),
            ("^|$", "|", "ab", "|ab|"),
            ("a(?=b)", "x", "ab ac", "xb ac"),
            ("(a)\\1", "x", "aab", "xb"),
            ("a++b", "x", "aaab", "x"),
            ("\\p{Alpha}", "x", "aä1", "xä1"),
            ("\\.", "\\\\", "a.b", "a\\b"),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().replace_all(text, replacement).unwrap(), expected, "{pattern}");
        }
        let reason = |replacement: &str| Pattern::new("a").unwrap().replace_all("a", replacement).unwrap_err();
        assert_eq!(reason("$5").reason(), "No group 5");
        assert_eq!(reason("\\").reason(), "character to be escaped is missing");
    }

    #[test]
    fn splits_as_java_does() {
        let split = |pattern: &str, text: &str, limit| {
            let parts = Pattern::new(pattern).unwrap().split(text, limit).unwrap();
            parts.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(split("-", "1-2--", 0), ["1", "2"]);
        assert_eq!(split("-", "1-2--", -1), ["1", "2", "", ""]);
        assert_eq!(split("-", "-1", 0), ["", "1"]);
        assert_eq!(split("", "abc", 0), ["a", "b", "c"]);
        assert_eq!(split("-", "", 0), [""]);
        assert_eq!(split("(?=\\d)", "a1b22c", 0), ["a", "1b", "2", "2c"]);
        assert_eq!(split("=", "a=b=c", 2), ["a", "b=c"]);
        assert!(split("-", "---", 0).is_empty());
    }

    #[test]
    fn mistakes_in_java_s_words() {
        let reason = |pattern: &str| Pattern::new(pattern).unwrap_err().reason().to_owned();
        assert_eq!(reason("["), "Unclosed character class near index 0\n[\n^");
        assert_eq!(reason("("), "Unclosed group near index 1\n(");
        assert_eq!(reason("{{q}}"), "Illegal repetition near index 1\n{{q}}\n ^");
        assert_eq!(reason("*"), "Dangling meta character '*' near index 0\n*\n^");
    }

    #[test]
    fn hostile_expressions_are_given_up() {
        let pattern = Pattern::new("(?=(a+)+\\1$)b").unwrap();
        assert!(pattern.replace_all(&"a".repeat(5_000), "x").is_err());
    }
}
