//! JSON bytes as a stream of tokens that keep their spelling.
//!
//! The input has been checked or written by us: it is one complete JSON value, perhaps with spaces and comments (stored
//! documents keep them). Should it not be, the stream ends early; it never fails and never loops.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    /// With its quotes and escapes.
    Key(&'a [u8]),
    /// A string with its quotes and escapes, a number, `true`, `false` or `null`.
    Scalar(&'a [u8]),
}

#[derive(Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    /// For each open bracket whether it is an object.
    open: Vec<bool>,
    /// Whether the next string of the open object is a key.
    key_next: bool,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, open: vec![], key_next: false }
    }

    /// The next token without consuming it.
    pub fn peek(&mut self) -> Option<Token<'a>> {
        let (at, key_next, depth) = (self.at, self.key_next, self.open.len());
        let last = self.open.last().copied();
        let token = self.next();
        self.at = at;
        self.key_next = key_next;
        self.open.truncate(depth);
        if self.open.len() < depth {
            self.open.extend(last);
        }
        token
    }

    /// Passes over the value that comes next, with its spaces.
    pub fn value(&mut self) -> &'a [u8] {
        self.skip();
        let (start, depth) = (self.at, self.open.len());
        while self.next().is_some() && self.open.len() > depth {}
        &self.text[start..self.at]
    }

    fn in_object(&self) -> bool {
        self.open.last().copied().unwrap_or(false)
    }

    fn begin(&mut self, object: bool) {
        self.at += 1;
        self.open.push(object);
        self.key_next = object;
    }

    fn end(&mut self) {
        self.at += 1;
        self.open.pop();
        self.key_next = self.in_object();
    }

    /// Moves past spaces, commas, colons and comments.
    fn skip(&mut self) {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => self.at += 1,
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let rest = self.text.get(self.at + 2..).unwrap_or_default();
                    self.at += 2 + memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                }
                b'/' | b'#' => {
                    let rest = &self.text[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn scan_string(&mut self) -> &'a [u8] {
        let start = self.at;
        self.at += 1;
        while let Some(found) = memchr::memchr2(b'"', b'\\', self.text.get(self.at..).unwrap_or_default()) {
            self.at += found;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return &self.text[start..self.at];
            }
            self.at += 2;
        }
        self.at = self.text.len();
        &self.text[start..]
    }

    fn scan_bare(&mut self) -> &'a [u8] {
        let start = self.at;
        let ends = |b: &u8| matches!(b, b',' | b':' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'#');
        let rest = &self.text[start..];
        // At least one byte is taken, so that broken input cannot hold the stream in place.
        self.at += rest.iter().position(ends).unwrap_or(rest.len()).max(1);
        &self.text[start..self.at]
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip();
        let token = match *self.text.get(self.at)? {
            b'{' => {
                self.begin(true);
                return Some(Token::BeginObject);
            }
            b'[' => {
                self.begin(false);
                return Some(Token::BeginArray);
            }
            b'}' => {
                self.end();
                return Some(Token::EndObject);
            }
            b']' => {
                self.end();
                return Some(Token::EndArray);
            }
            b'"' if self.key_next => {
                let key = self.scan_string();
                self.key_next = false;
                return Some(Token::Key(key));
            }
            b'"' => Token::Scalar(self.scan_string()),
            _ => Token::Scalar(self.scan_bare()),
        };
        self.key_next = self.in_object();
        Some(token)
    }
}

/// Where the value that `text` begins with ends.
pub fn value_end(text: &[u8]) -> usize {
    let (mut tokens, mut depth) = (Tokens::new(text), 0usize);
    for token in tokens.by_ref() {
        match token {
            Token::BeginObject | Token::BeginArray => depth += 1,
            Token::EndObject | Token::EndArray => depth = depth.saturating_sub(1),
            Token::Key(_) | Token::Scalar(_) => {}
        }
        if depth == 0 {
            break;
        }
    }
    tokens.at
}

/// The text of a string token (with its quotes): escapes resolved.
pub fn unescape(token: &[u8]) -> String {
    let inner = token.strip_prefix(b"\"").unwrap_or(token);
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    if !inner.contains(&b'\\') {
        return String::from_utf8_lossy(inner).into_owned();
    }
    match super::parse(token) {
        Ok(super::Value::String(text)) => text,
        _ => String::from_utf8_lossy(inner).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_spelling() {
        let text = br#"{"a\"" : [1.50, "x", {}] /* c */, "b":null}"#;
        let tokens: Vec<Token> = Tokens::new(text).collect();
        use Token::*;
        assert_eq!(
            tokens,
            [
                BeginObject,
                Key(b"\"a\\\"\""),
                BeginArray,
                Scalar(b"1.50"),
                Scalar(b"\"x\""),
                BeginObject,
                EndObject,
                EndArray,
                Key(b"\"b\""),
                Scalar(b"null"),
                EndObject
            ]
        );
        assert_eq!(unescape(br#""a\"\u00e9""#), "a\"é");
    }

    #[test]
    fn broken_input_ends() {
        for text in [&b"\"abc"[..], b"{\"a\\", b"]]}", b"/* x", b"[1,/"] {
            assert!(Tokens::new(text).count() < 10);
        }
    }

    #[test]
    fn peek_changes_nothing() {
        let mut tokens = Tokens::new(b"[{\"a\":[]},1]");
        let mut seen = 0;
        loop {
            let peeked = tokens.peek();
            assert_eq!(peeked, tokens.next());
            if peeked.is_none() {
                break;
            }
            seen += 1;
        }
        assert_eq!(seen, 8);
    }
}
