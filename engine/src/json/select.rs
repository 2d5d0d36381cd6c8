//! `_source` filtering: the parts of a document that include and exclude patterns leave.
//!
//! A pattern is a dotted path in which `*` stands for any characters, dots too; it means the field and everything below
//! it. Works on tokens: what is kept stays as it was written, in its order.

use super::tokens::{Token, Tokens, unescape};
use crate::error::{Error, Result};

/// Which fields of a document are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    /// Empty: everything.
    pub includes: Vec<String>,
    pub excludes: Vec<String>,
}

impl Select {
    /// Refuses what is wanted and not wanted at once.
    pub fn checked(self) -> Result<Self> {
        match self.excludes.iter().find(|entry| self.includes.contains(entry)) {
            None => Ok(self),
            Some(entry) => Err(Error::illegal_argument(format!(
                "The same entry [{entry}] cannot be both included and excluded in _source."
            ))),
        }
    }

    pub fn is_everything(&self) -> bool {
        self.includes.is_empty() && self.excludes.is_empty()
    }

    /// The part of `document`, a JSON object, that is wanted.
    pub fn apply(&self, document: &[u8]) -> Vec<u8> {
        if self.is_everything() {
            return document.to_vec();
        }
        let mut run =
            Run { select: self, out: Vec::with_capacity(document.len()), path: String::new(), open: vec![], key: None };
        let mut tokens = Tokens::new(document);
        while let Some(token) = tokens.next() {
            match token {
                Token::Key(key) => run.key = Some(key),
                Token::Scalar(text) => run.scalar(text),
                Token::BeginObject => run.begin(true, &mut tokens),
                Token::BeginArray => run.begin(false, &mut tokens),
                Token::EndObject | Token::EndArray => run.end(),
            }
        }
        run.out
    }
}

struct Open {
    object: bool,
    /// Where it begins in the output, with the comma and the key before it.
    start: usize,
    /// Length of the path that leads to it.
    path_len: usize,
    filled: bool,
    /// The patterns include it as a whole.
    accepted: bool,
    /// No pattern has anything to say about what is inside.
    copied: bool,
    /// It stands in an array.
    element: bool,
}

struct Run<'a> {
    select: &'a Select,
    out: Vec<u8>,
    path: String,
    open: Vec<Open>,
    key: Option<&'a [u8]>,
}

impl<'a> Run<'a> {
    /// Appends the pending key to the path; gives the length to go back to.
    fn enter(&mut self) -> usize {
        let back = self.open.last().map_or(0, |open| open.path_len);
        self.path.truncate(back);
        if let Some(key) = self.key {
            if back > 0 {
                self.path.push('.');
            }
            self.path.push_str(&unescape(key));
        }
        back
    }

    fn lead(&mut self) {
        if self.open.last().is_some_and(|open| open.filled) {
            self.out.push(b',');
        }
        if let Some(key) = self.key.take() {
            self.out.extend_from_slice(key);
            self.out.push(b':');
        }
    }

    fn accepts(&self) -> bool {
        self.select.includes.is_empty() || any_match(&self.select.includes, &self.path)
    }

    fn in_copy(&self) -> bool {
        self.open.last().is_some_and(|open| open.copied)
    }

    fn scalar(&mut self, text: &[u8]) {
        if !self.in_copy() {
            self.enter();
            if any_match(&self.select.excludes, &self.path) || !self.accepts() {
                self.key = None;
                return;
            }
        }
        self.lead();
        self.out.extend_from_slice(text);
        self.fill();
    }

    fn begin(&mut self, object: bool, tokens: &mut Tokens<'a>) {
        let element = self.open.last().is_some_and(|open| !open.object);
        let root = self.open.is_empty();
        let (accepted, copied) = if self.in_copy() {
            (true, true)
        } else if root {
            (self.select.includes.is_empty(), false)
        } else {
            self.enter();
            let accepted = self.accepts();
            let below = format!("{}.", self.path);
            let excluded = any_match(&self.select.excludes, &self.path);
            if excluded || (!accepted && !self.select.includes.iter().any(|p| can_match(p, &below))) {
                self.key = None;
                return skip(tokens);
            }
            (accepted, accepted && !self.select.excludes.iter().any(|p| can_match(p, &below)))
        };
        let start = self.out.len();
        self.lead();
        self.out.push(if object { b'{' } else { b'[' });
        let path_len = self.path.len();
        self.open.push(Open { object, start, path_len, filled: false, accepted, copied, element });
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let keep = open.filled || open.copied || (open.accepted && !open.element) || self.open.is_empty();
        if keep {
            self.out.push(if open.object { b'}' } else { b']' });
            self.fill();
        } else {
            self.out.truncate(open.start);
        }
    }

    fn fill(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.filled = true;
        }
    }
}

fn skip(tokens: &mut Tokens<'_>) {
    let mut depth = 1usize;
    for token in tokens {
        match token {
            Token::BeginObject | Token::BeginArray => depth += 1,
            Token::EndObject | Token::EndArray => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// Whether a pattern matches the path or one that leads to it.
fn any_match(patterns: &[String], path: &str) -> bool {
    let ends = || path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    patterns.iter().any(|pattern| match pattern.contains('*') {
        true => ends().any(|end| super::filter::glob(pattern, &path[..end])),
        false => path.strip_prefix(pattern.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
    })
}

/// Whether a pattern can match a path that begins with `prefix`.
fn can_match(pattern: &str, prefix: &str) -> bool {
    match pattern.split_once('*') {
        Some((literal, _)) => literal.starts_with(prefix) || prefix.starts_with(literal),
        None => pattern.starts_with(prefix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOC: &[u8] = br#"{"a":{"b":1,"c":[{"d":1},{"e":2},5,[{"d":2},7]],"x":{"y":{}}},"n":{},"arr":[[1,2],[]],"a.b":3,"em":[],"s":"q", "nul":null}"#;

    fn run(includes: &str, excludes: &str) -> String {
        let list = |text: &str| text.split(',').filter(|s| !s.is_empty()).map(str::to_owned).collect();
        String::from_utf8(Select { includes: list(includes), excludes: list(excludes) }.apply(DOC)).unwrap()
    }

    #[test]
    fn includes() {
        assert_eq!(run("a.b", ""), r#"{"a":{"b":1},"a.b":3}"#);
        assert_eq!(run("a.c.d", ""), r#"{"a":{"c":[{"d":1},[{"d":2}]]}}"#);
        assert_eq!(run("*.d", ""), r#"{"a":{"c":[{"d":1},[{"d":2}]]}}"#);
        assert_eq!(run("a.c.*", ""), r#"{"a":{"c":[{"d":1},{"e":2},[{"d":2}]]}}"#);
        assert_eq!(run("n,em", ""), r#"{"n":{},"em":[]}"#);
        assert_eq!(run("n.x", ""), "{}");
        assert_eq!(run("arr.x,s,nul", ""), r#"{"s":"q","nul":null}"#);
        assert_eq!(run("a.x.*", ""), r#"{"a":{"x":{"y":{}}}}"#);
        assert_eq!(run("a.,zz", ""), "{}");
        assert_eq!(run("a", ""), r#"{"a":{"b":1,"c":[{"d":1},{"e":2},5,[{"d":2},7]],"x":{"y":{}}},"a.b":3}"#);
    }

    #[test]
    fn excludes() {
        assert_eq!(
            run("", "a.c.d"),
            r#"{"a":{"b":1,"c":[{"e":2},5,[7]],"x":{"y":{}}},"n":{},"arr":[[1,2],[]],"a.b":3,"em":[],"s":"q","nul":null}"#
        );
        assert_eq!(
            run("", "*.d,*.y"),
            r#"{"a":{"b":1,"c":[{"e":2},5,[7]],"x":{}},"n":{},"arr":[[1,2]],"a.b":3,"em":[],"s":"q","nul":null}"#
        );
        assert_eq!(run("", "a.*"), r#"{"a":{},"n":{},"arr":[[1,2],[]],"em":[],"s":"q","nul":null}"#);
        assert_eq!(run("a,s", "a.b"), r#"{"a":{"c":[{"d":1},{"e":2},5,[{"d":2},7]],"x":{"y":{}}},"s":"q"}"#);
        assert_eq!(run("", "*"), "{}");
    }
}
