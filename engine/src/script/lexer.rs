//! Text to tokens. Whether a slash begins a regular expression depends on the token before it, and what follows a dot is a
//! name even if it is a keyword elsewhere.

use super::error::Compile;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tok {
    /// Names and keywords alike.
    Word,
    /// A name or number behind a dot.
    Member,
    Integer,
    Octal,
    Hex,
    Decimal,
    Str,
    Regex,
    Punct(&'static str),
    Eof,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Tok,
    pub start: u32,
    pub end: u32,
}

/// Longest first, so that the first that fits is the token.
const PUNCTUATION: &[&str] = &[
    ">>>=", "<<=", ">>=", ">>>", "===", "!==", "==~", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "<<",
    ">>", "<=", ">=", "==", "!=", "=~", "&&", "||", "?.", "?:", "::", "->", "{", "}", "[", "]", "(", ")", "$", ".",
    ",", ";", "!", "~", "*", "/", "%", "+", "-", "<", ">", "&", "^", "|", "?", ":", "=",
];

pub const KEYWORDS: &[&str] = &[
    "if",
    "else",
    "while",
    "do",
    "for",
    "in",
    "continue",
    "break",
    "return",
    "new",
    "try",
    "catch",
    "throw",
    "this",
    "instanceof",
    "true",
    "false",
    "null",
    "def",
    "boolean",
    "byte",
    "short",
    "char",
    "int",
    "long",
    "float",
    "double",
];

pub const PRIMITIVES: &[&str] = &["boolean", "byte", "short", "char", "int", "long", "float", "double"];

/// The tokens up to the end, or up to what is none. A parser that stumbles before that has the earlier error.
pub fn lex(source: &str) -> (Vec<Token>, Option<Compile>) {
    let mut lexer = Lexer { source, bytes: source.as_bytes(), at: 0, tokens: vec![] };
    loop {
        // Behind a dot the reference has a name or a number, and nothing before it.
        let space = lexer.byte(0);
        if lexer.is_after_dot() && space.is_ascii_whitespace() {
            let start = lexer.at;
            lexer.push(Tok::Eof, start);
            let shown = space.escape_ascii().to_string();
            return (lexer.tokens.clone(), Some(lexer.unexpected(&shown, "")));
        }
        lexer.skip_space();
        let start = lexer.at;
        if start >= lexer.bytes.len() {
            lexer.push(Tok::Eof, start);
            return (lexer.tokens, None);
        }
        match lexer.token() {
            Ok(kind) => lexer.push(kind, start),
            Err(error) => {
                lexer.at = start;
                lexer.push(Tok::Eof, start);
                return (lexer.tokens, Some(error));
            }
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Tok, start: usize) {
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
    }

    fn is_after_dot(&self) -> bool {
        matches!(self.tokens.last().map(|t| t.kind), Some(Tok::Punct("." | "?.")))
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => self.at += 1,
                (b'/', b'/') => self.at += memchr::memchr2(b'\n', b'\r', &self.bytes[self.at..]).unwrap_or(self.rest()),
                (b'/', b'*') => match memchr::memmem::find(&self.bytes[self.at + 2..], b"*/") {
                    Some(length) => self.at += length + 4,
                    None => return,
                },
                _ => return,
            }
        }
    }

    fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn token(&mut self) -> Result<Tok, Compile> {
        let byte = self.byte(0);
        let after_dot = self.is_after_dot();
        if after_dot && byte != b'_' && !byte.is_ascii_alphanumeric() {
            let c = self.source[self.at..].chars().next().unwrap_or(' ');
            return Err(self.unexpected(&c.to_string(), ""));
        }
        if byte == b'_' || byte.is_ascii_alphabetic() {
            self.take(|b| b == b'_' || b.is_ascii_alphanumeric());
            return Ok(if after_dot { Tok::Member } else { Tok::Word });
        }
        if byte.is_ascii_digit() {
            if after_dot {
                self.take(|b| b.is_ascii_digit());
                return Ok(Tok::Member);
            }
            return Ok(self.number());
        }
        match byte {
            b'"' | b'\'' => return self.string(byte),
            b'/' if self.regex_may_begin() => {
                if self.regex() {
                    return Ok(Tok::Regex);
                }
                // Where an expression may begin nothing is divided.
                if self.byte(1) != b'=' {
                    let rest = &self.source[self.at..];
                    let text = rest.split_inclusive('\n').next().unwrap_or(rest).replace('\n', "\\n");
                    return Err(self.unexpected(&text, ""));
                }
            }
            _ => {}
        }
        let rest = &self.bytes[self.at..];
        match PUNCTUATION.iter().find(|p| rest.starts_with(p.as_bytes())) {
            Some(punct) => {
                self.at += punct.len();
                Ok(Tok::Punct(punct))
            }
            None => {
                let c = self.source[self.at..].chars().next().unwrap_or(' ');
                Err(self.unexpected(&c.to_string(), ""))
            }
        }
    }

    fn take(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Tok {
        if self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X') && self.byte(2).is_ascii_hexdigit() {
            self.at += 2;
            self.take(|b| b.is_ascii_hexdigit());
            self.take_one(b"lL");
            return Tok::Hex;
        }
        if self.byte(0) == b'0' && matches!(self.byte(1), b'0'..=b'7') {
            self.take(|b| matches!(b, b'0'..=b'7'));
            self.take_one(b"lL");
            return Tok::Octal;
        }
        let mut decimal = false;
        match self.byte(0) {
            b'0' => self.at += 1,
            _ => self.take(|b| b.is_ascii_digit()),
        }
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            decimal = true;
            self.at += 1;
            self.take(|b| b.is_ascii_digit());
        }
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                decimal = true;
                self.at += 1 + sign;
                self.take(|b| b.is_ascii_digit());
            }
        }
        self.take_one(if decimal { b"fFdD" } else { b"lLfFdD" });
        if decimal { Tok::Decimal } else { Tok::Integer }
    }

    fn take_one(&mut self, of: &[u8]) {
        if self.at < self.bytes.len() && of.contains(&self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn string(&mut self, quote: u8) -> Result<Tok, Compile> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.byte(0) {
                _ if self.at >= self.bytes.len() => {
                    let text = self.source[start..].to_owned();
                    self.at = start;
                    return Err(self.unexpected(&text, ""));
                }
                b'\\' if self.byte(1) == b'\\' || self.byte(1) == quote => self.at += 2,
                b'\\' => {
                    let end =
                        (self.at + 1..=self.at + 5).find(|e| *e > self.at + 1 && self.source.is_char_boundary(*e));
                    let text = self.source[start..end.unwrap_or(self.at + 1).min(self.bytes.len())].to_owned();
                    let q = quote as char;
                    self.at = start;
                    let valid = format!(
                        " The only valid escape sequences in strings starting with [{q}] are [\\\\] and [\\{q}]."
                    );
                    return Err(self.unexpected(&text, &valid));
                }
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(Tok::Str);
                    }
                }
            }
        }
    }

    /// A slash divides behind values and begins an expression elsewhere.
    fn regex_may_begin(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            Tok::Word => KEYWORDS.contains(&&self.source[last.start as usize..last.end as usize]),
            Tok::Integer | Tok::Octal | Tok::Hex | Tok::Decimal | Tok::Member => false,
            Tok::Punct("]" | ")") => false,
            _ => true,
        }
    }

    fn regex(&mut self) -> bool {
        let mut at = self.at + 1;
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n') => return false,
                Some(b'\\') => at += 2,
                Some(b'/') if at > self.at + 1 => break,
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        self.take(|b| b"cilmsUux".contains(&b));
        true
    }

    #[cold]
    fn unexpected(&self, text: &str, more: &str) -> Compile {
        Compile::illegal(self.at as u32, format!("unexpected character [{text}].{more}"))
            .because("lexer_no_viable_alt_exception")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        lex(source)
            .0
            .iter()
            .filter(|t| t.kind != Tok::Eof || lex(source).1.is_none())
            .map(|t| &source[t.start as usize..t.end as usize])
            .collect()
    }

    #[test]
    fn slashes_divide_or_quote() {
        assert_eq!(words("a / b / c"), ["a", "/", "b", "/", "c", ""]);
        assert_eq!(words("x =~ /a\\/b/i.c"), ["x", "=~", "/a\\/b/i", ".", "c", ""]);
        assert_eq!(words("return /a/"), ["return", "/a/", ""]);
        let reason = |source| lex(source).1.unwrap().reason;
        assert_eq!(reason("x++ / 2; \n 1"), "unexpected character [/ 2; \\n].");
        assert_eq!(reason("return 'a' / 2"), "unexpected character [/ 2].");
    }

    #[test]
    fn numbers_and_members() {
        let reason = |source| lex(source).1.unwrap().reason;
        assert_eq!(reason("a. b"), "unexpected character [ ].");
        assert_eq!(reason("a?.\nb"), "unexpected character [\\n].");
        assert_eq!(reason("a.)"), "unexpected character [)].");
        assert_eq!(words("a\n.b"), ["a", ".", "b", ""]);
        assert_eq!(words("1.5f+a.1?.if"), ["1.5f", "+", "a", ".", "1", "?.", "if", ""]);
        assert_eq!(words("0x1FL 017 1e-3 // end"), ["0x1FL", "017", "1e-3", ""]);
        assert!(["'a\\n'", "'a", "#"].iter().all(|source| lex(source).1.is_some()));
    }
}
