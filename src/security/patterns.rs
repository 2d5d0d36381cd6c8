//! Patterns of names and actions: `*` and `?` as wildcards, or a regular expression between slashes.

use regex::Regex;

/// Characters that a pattern may have; longer ones match nothing.
const PATTERN_MAX: usize = 1_024;

/// A pattern that is ready for use.
#[derive(Clone, Debug)]
pub enum Pattern {
    All,
    Exact(String),
    /// Ends in the only `*`.
    Prefix(String),
    Wild(String),
    Regular(Box<Regex>),
    /// A regular expression that is none.
    Nothing,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        if text == "*" {
            return Self::All;
        }
        if text.len() > PATTERN_MAX {
            return Self::Nothing;
        }
        if let Some(inner) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            let built = regex::RegexBuilder::new(&format!("^(?:{inner})$")).size_limit(1 << 20).build();
            return built.map_or(Self::Nothing, |regex| Self::Regular(Box::new(regex)));
        }
        match text.strip_suffix('*') {
            Some(prefix) if !prefix.contains(['*', '?']) => Self::Prefix(prefix.to_owned()),
            _ if text.contains(['*', '?']) => Self::Wild(text.to_owned()),
            _ => Self::Exact(text.to_owned()),
        }
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exact(exact) => exact == text,
            Self::Prefix(prefix) => text.starts_with(prefix.as_str()),
            Self::Wild(pattern) => wild(pattern.as_bytes(), text.as_bytes()),
            Self::Regular(regex) => regex.is_match(text),
            Self::Nothing => false,
        }
    }
}

/// Whether `text` matches `pattern`: `*` is any run of characters, `?` is one. Goes back to the last `*` only, so the work is the product of the
/// lengths at most.
fn wild(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, t) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_and_regular_expressions() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).matches(text);
        assert!(matches("*", "") && matches("a", "a") && !matches("a", "ab"));
        assert!(matches("indices:data/*", "indices:data/read") && !matches("indices:data/*", "indices:admin"));
        assert!(matches("*:.tasks", "x:.tasks") && matches("a?c*", "abcd") && !matches("a?c", "ac"));
        assert!(matches("*a*b*", "xxaxxbxx") && !matches("*a*b", "xxaxxbx"));
        assert!(matches("/log-[0-9]+/", "log-17") && !matches("/log-[0-9]+/", "log-17x"));
        assert!(!matches("/(/", "("));
    }
}
