//! `_source` filtering: the parts of a document that include and exclude patterns leave.
//!
//! A pattern is a dotted path in which `*` stands for any characters, dots too; it means the field and everything below
//! it. Works on tokens: the members of an object are put into the order of the reference's hash map where it ends, by their bytes.

use super::tokens::{Token, Tokens, unescape};
use super::write::{write_f64, write_string};
use crate::error::{Error, Result};
use crate::java_order::{hash_code, slot_of_hash, slots_of};
use std::ops::Range;

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

    /// The part of `document`, a JSON object, that is wanted, as where a document is asked for by its id: an object that is taken whole
    /// keeps its order.
    pub fn apply(&self, document: &[u8]) -> Vec<u8> {
        self.run(document, false)
    }

    /// As where documents are searched for: all objects are in hash maps, also those that are taken whole.
    pub fn apply_hashed(&self, document: &[u8]) -> Vec<u8> {
        self.run(document, true)
    }

    fn run(&self, document: &[u8], hashed: bool) -> Vec<u8> {
        if self.is_everything() { document.to_vec() } else { self.filtered(document, hashed) }
    }

    fn filtered(&self, document: &[u8], hashed: bool) -> Vec<u8> {
        let out = Vec::with_capacity(document.len());
        let mut run = Run { select: self, hashed, out, path: String::new(), open: vec![], key: None };
        let mut tokens = Tokens::new(document);
        while let Some(token) = tokens.next() {
            match token {
                Token::Key(key) => run.key(key),
                Token::Scalar(text) => run.scalar(text),
                Token::BeginObject => run.begin(true, &mut tokens),
                Token::BeginArray => run.begin(false, &mut tokens),
                Token::EndObject | Token::EndArray => run.end(),
            }
        }
        run.out
    }
}

/// A document, a JSON object, as the reference writes it once it has read it without minding its order.
pub fn hashed(document: &[u8]) -> Vec<u8> {
    Select::default().filtered(document, true)
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
    /// How many keys it has, wanted or not.
    keys: usize,
    /// What of an object has been written, unless it keeps its order.
    members: Vec<Member>,
}

impl Open {
    /// Whether its members are put into another order at its end.
    fn is_sorted(&self, hashed: bool) -> bool {
        self.object && (hashed || !self.copied)
    }
}

struct Member {
    hash: i32,
    /// Where its key begins in the output.
    start: usize,
}

struct Run<'a> {
    select: &'a Select,
    /// Whether objects that are taken whole are in hash maps too.
    hashed: bool,
    out: Vec<u8>,
    path: String,
    open: Vec<Open>,
    key: Option<&'a [u8]>,
}

impl<'a> Run<'a> {
    fn key(&mut self, key: &'a [u8]) {
        self.key = Some(key);
        if let Some(open) = self.open.last_mut() {
            open.keys += 1;
        }
    }

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
            let (start, hashed) = (self.out.len(), self.hashed);
            if let Some(open) = self.open.last_mut().filter(|open| open.is_sorted(hashed)) {
                open.members.push(Member { hash: hash_code(&unescape(key)), start });
            }
            write_scalar(&mut self.out, key);
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
        write_scalar(&mut self.out, text);
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
        let (filled, keys, members) = (false, 0, vec![]);
        self.open.push(Open { object, start, path_len, filled, accepted, copied, element, keys, members });
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let keep = open.filled || open.copied || (open.accepted && !open.element) || self.open.is_empty();
        if keep {
            sort_members(&mut self.out, &open);
            self.out.push(if open.object { b'}' } else { b']' });
            self.fill();
        } else {
            self.out.truncate(open.start);
            // An object in an object began as its member.
            let hashed = self.hashed;
            if let Some(parent) = self.open.last_mut().filter(|parent| parent.is_sorted(hashed)) {
                parent.members.pop();
            }
        }
    }

    fn fill(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.filled = true;
        }
    }
}

/// Puts the members of an object, with which the output ends, into their order. Those of one slot stand as they came from the map
/// of the whole object.
fn sort_members(out: &mut Vec<u8>, open: &Open) {
    let Some(first) = open.members.first().filter(|_| open.members.len() > 1) else { return };
    let ends = open.members.iter().skip(1).map(|next| next.start - 1).chain([out.len()]);
    let mut members: Vec<(i32, Range<usize>)> =
        open.members.iter().zip(ends).map(|(member, end)| (member.hash, member.start..end)).collect();
    for names in [open.keys, members.len()] {
        let slots = slots_of(names);
        members.sort_by_key(|(hash, _)| slot_of_hash(*hash, slots));
    }
    let mut sorted = Vec::with_capacity(out.len() - first.start);
    for (_, range) in members {
        if !sorted.is_empty() {
            sorted.push(b',');
        }
        sorted.extend_from_slice(&out[range]);
    }
    out.truncate(first.start);
    out.extend_from_slice(&sorted);
}

/// Writes a text, a number or a word as the reference does once it has read it.
fn write_scalar(out: &mut Vec<u8>, token: &[u8]) {
    match token.first() {
        Some(b'"') if token.contains(&b'\\') => write_string(out, &unescape(token)),
        Some(b'-' | b'0'..=b'9') if token.iter().any(|c| matches!(c, b'.' | b'e' | b'E')) => {
            match std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok()) {
                Some(number) if number.is_finite() => write_f64(out, number),
                _ => out.extend_from_slice(token),
            }
        }
        _ => out.extend_from_slice(token),
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
        assert_eq!(run("n,em", ""), r#"{"em":[],"n":{}}"#);
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
            r#"{"arr":[[1,2],[]],"a":{"b":1,"c":[{"e":2},5,[7]],"x":{"y":{}}},"s":"q","a.b":3,"nul":null,"em":[],"n":{}}"#
        );
        assert_eq!(
            run("", "*.d,*.y"),
            r#"{"arr":[[1,2]],"a":{"b":1,"c":[{"e":2},5,[7]],"x":{}},"s":"q","a.b":3,"nul":null,"em":[],"n":{}}"#
        );
        assert_eq!(run("", "a.*"), r#"{"arr":[[1,2],[]],"a":{},"s":"q","nul":null,"em":[],"n":{}}"#);
        assert_eq!(run("a,s", "a.b"), r#"{"a":{"c":[{"d":1},{"e":2},5,[{"d":2},7]],"x":{"y":{}}},"s":"q"}"#);
        assert_eq!(run("", "*"), "{}");
    }

    #[test]
    fn objects_are_in_hash_maps() {
        let select = Select { includes: vec![], excludes: vec!["nul".to_owned()] };
        let document = br#"{"x":{"title":1e3,"obj":{"zeta":"\u00e9","b":1.50}},"nul":1,"c":[{"k":1,"name":-0.0}]}"#;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        assert_eq!(
            text(select.apply(document)),
            r#"{"c":[{"k":1,"name":-0.0}],"x":{"title":1000.0,"obj":{"zeta":"é","b":1.5}}}"#
        );
        let all = r#"{"c":[{"name":-0.0,"k":1}],"x":{"obj":{"zeta":"é","b":1.5},"title":1000.0}}"#;
        assert_eq!(text(select.apply_hashed(document)), all);
        assert_eq!(text(hashed(br#"{"x":1,"c":{}}"#)), r#"{"c":{},"x":1}"#);
    }
}
