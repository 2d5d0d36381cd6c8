//! Java's syntax of regular expressions, rewritten into that of the engines.

use crate::{Error, ErrorKind, Result};

/// Java's flags, as far as they have a counterpart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    case_insensitive: bool,
    /// Whether letters beyond ASCII have two cases, too.
    unicode_case: bool,
    pub(super) multi_line: bool,
    dot_all: bool,
    pub(super) literal: bool,
    pub(super) comments: bool,
    unix_lines: bool,
    unicode_classes: bool,
}

impl Flags {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut flags = Self::default();
        for name in text.split('|').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.to_uppercase();
            match name.as_str() {
                "CASE_INSENSITIVE" => flags.case_insensitive = true,
                "MULTILINE" => flags.multi_line = true,
                "DOTALL" => flags.dot_all = true,
                "UNICODE_CASE" => flags.unicode_case = true,
                "CANON_EQ" => {}
                "UNIX_LINES" => flags.unix_lines = true,
                "LITERAL" => flags.literal = true,
                "COMMENTS" => flags.comments = true,
                "UNICODE_CHAR_CLASS" | "UNICODE_CHARACTER_CLASS" => flags.all_of_unicode(true),
                _ => return Err(Error::illegal_argument(format!("Unknown regex flag [{name}]"))),
            }
        }
        Ok(flags)
    }

    /// Classes of Unicode have its letters in both cases as well.
    fn all_of_unicode(&mut self, on: bool) {
        self.unicode_classes = on;
        self.unicode_case |= on;
    }
}

/// Rewrites Java's syntax into that of the linear engine, or of the one that tracks back. Which letters stand for both of their
/// cases is written out: the engines fold all of Unicode, and classes such as `\w` with it.
pub(super) fn translate(pattern: &str, flags: Flags, backtracking: bool) -> Result<String> {
    let chars = pattern.chars().collect::<Vec<_>>();
    let out = String::with_capacity(pattern.len() + 16);
    let mut translator = Translator { pattern, chars, at: 0, flags, outer: vec![], out, backtracking };
    if flags.literal {
        pattern.chars().for_each(|c| translator.literal(c));
        return Ok(translator.out);
    }
    while translator.at < translator.chars.len() {
        translator.element()?;
    }
    Ok(translator.out)
}

struct Translator<'p> {
    pattern: &'p str,
    chars: Vec<char>,
    at: usize,
    flags: Flags,
    /// The flags around each group that is open.
    outer: Vec<Flags>,
    out: String,
    /// Whether the engine can look around and go back.
    backtracking: bool,
}

impl Translator<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn unsupported(&self, what: &str) -> Error {
        Error::illegal_argument(format!("regular expression [{}]: {what} is not supported", self.pattern))
    }

    fn invalid(&self, what: &str) -> Error {
        Error::new(ErrorKind::PatternSyntax, format!("{what} near index {}\n{}", self.at, self.pattern))
    }

    fn element(&mut self) -> Result<()> {
        let c = self.chars[self.at];
        self.at += 1;
        match c {
            '\\' => self.escape(false).map(|_| ()),
            '[' => self.class_in_case(),
            '(' => self.group(),
            ')' => {
                self.flags = self.outer.pop().unwrap_or(self.flags);
                self.out.push(c);
                Ok(())
            }
            '.' => {
                self.out.push_str(match (self.flags.dot_all, self.flags.unix_lines) {
                    (true, _) => r"(?s:.)",
                    (_, true) => r"[^\n]",
                    _ => r"[^\n\r\x{85}\x{2028}\x{2029}]",
                });
                Ok(())
            }
            '*' | '+' | '?' | '}' if self.peek(0) == Some('+') && !self.backtracking => {
                Err(self.unsupported("a possessive quantifier"))
            }
            '#' if self.flags.comments => {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
                Ok(())
            }
            c if self.flags.comments && c.is_ascii_whitespace() => Ok(()),
            '{' => {
                self.repetition();
                Ok(())
            }
            '*' | '+' | '?' | '}' | '|' | '^' | '$' => {
                self.out.push(c);
                Ok(())
            }
            c => {
                self.literal(c);
                Ok(())
            }
        }
    }

    /// The numbers of `{2}`, `{2,}` or `{2,5}`: what stands in them is no literal.
    fn repetition(&mut self) {
        self.out.push('{');
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_digit() || *c == ',') {
            self.out.push(c);
            self.at += 1;
        }
    }

    /// A character outside of classes that stands for itself, or for both of its cases.
    fn literal(&mut self, c: char) {
        match (self.flags.case_insensitive, self.flags.unicode_case) {
            (true, true) => {
                self.out.push_str("(?i:");
                push_literal(c, &mut self.out);
                self.out.push(')');
            }
            (true, false) if c.is_ascii_alphabetic() => {
                self.out.extend(['[', c.to_ascii_lowercase(), c.to_ascii_uppercase(), ']']);
            }
            _ => push_literal(c, &mut self.out),
        }
    }

    fn group(&mut self) -> Result<()> {
        self.outer.push(self.flags);
        if self.peek(0) != Some('?') {
            self.out.push('(');
            return Ok(());
        }
        match (self.peek(1), self.peek(2)) {
            (Some(c @ ('=' | '!' | '>')), _) if self.backtracking => {
                self.at += 2;
                self.out.extend(['(', '?', c]);
                Ok(())
            }
            (Some('<'), Some(c @ ('=' | '!'))) if self.backtracking => {
                self.at += 3;
                self.out.extend(['(', '?', '<', c]);
                Ok(())
            }
            (Some('='), _) => Err(self.unsupported("look-ahead")),
            (Some('!'), _) => Err(self.unsupported("negative look-ahead")),
            (Some('<'), Some('=' | '!')) => Err(self.unsupported("look-behind")),
            (Some('>'), _) => Err(self.unsupported("an atomic group")),
            (Some(':'), _) => {
                self.at += 2;
                self.out.push_str("(?:");
                Ok(())
            }
            (Some('<'), _) => {
                let rest = &self.chars[self.at + 2..];
                let len = rest.iter().position(|c| *c == '>').ok_or_else(|| self.invalid("Unclosed group name"))?;
                self.out.push_str("(?P<");
                self.out.extend(&rest[..=len]);
                self.at += len + 3;
                Ok(())
            }
            _ => self.inline_flags(),
        }
    }

    /// `(?i)`, which goes on to the end of the group around it, and `(?i:`.
    fn inline_flags(&mut self) -> Result<()> {
        self.at += 1;
        let (mut kept, mut on) = (String::from("(?"), true);
        loop {
            let c = self.peek(0).ok_or_else(|| self.invalid("Unclosed group"))?;
            self.at += 1;
            match c {
                '-' => {
                    on = false;
                    kept.push('-');
                }
                'm' => kept.push(c),
                'i' => self.flags.case_insensitive = on,
                'u' => self.flags.unicode_case = on,
                's' => self.flags.dot_all = on,
                'x' => self.flags.comments = on,
                'd' => self.flags.unix_lines = on,
                'U' => self.flags.all_of_unicode(on),
                ')' | ':' => {
                    if c == ')' {
                        self.outer.pop();
                    }
                    let kept = kept.trim_end_matches('-');
                    match (kept, c) {
                        ("(?", ')') => {}
                        _ => {
                            self.out.push_str(kept);
                            self.out.push(c);
                        }
                    }
                    return Ok(());
                }
                _ => return Err(self.invalid("Unknown inline modifier")),
            }
        }
    }

    /// A class outside of others, after its `[`.
    fn class_in_case(&mut self) -> Result<()> {
        if !(self.flags.case_insensitive && self.flags.unicode_case) {
            return self.class(0);
        }
        self.out.push_str("(?i:");
        self.class(0)?;
        self.out.push(')');
        Ok(())
    }

    /// A class after its `[`.
    fn class(&mut self, depth: usize) -> Result<()> {
        if depth > 50 {
            return Err(self.unsupported("so deep a nesting of classes"));
        }
        self.out.push('[');
        if self.peek(0) == Some('^') {
            self.at += 1;
            self.out.push('^');
        }
        let mut first = true;
        // The character that the last part was, and the one that a range begins with.
        let (mut last, mut from) = (None, None);
        loop {
            let c = self.peek(0).ok_or_else(|| self.invalid("Unclosed character class"))?;
            self.at += 1;
            let is_range = c == '-' && !first && self.peek(0).is_some_and(|c| !matches!(c, ']' | '[' | '&' | '-'));
            if is_range {
                self.out.push('-');
                from = last.take();
                continue;
            }
            self.other_case(last.take(), None);
            match c {
                ']' if !first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' => self.class(depth + 1)?,
                '\\' => last = self.escape(true)?,
                '&' if self.peek(0) == Some('&') => {
                    self.at += 1;
                    self.out.push_str("&&");
                }
                c => {
                    push_literal(c, &mut self.out);
                    last = Some(c);
                }
            }
            if from.is_some() {
                self.other_case(from.take(), last.take());
            }
            first = false;
        }
    }

    /// Adds to a class what a character, or the range from it on, is in the other case, where that is to match as well.
    fn other_case(&mut self, from: Option<char>, to: Option<char>) {
        let Some(from) = from.filter(|_| self.flags.case_insensitive && !self.flags.unicode_case) else { return };
        let to = to.unwrap_or(from);
        for (first, last) in [('a', 'z'), ('A', 'Z')] {
            let (from, to) = (from.max(first), to.min(last));
            if from <= to {
                let other = |c: char| char::from(c as u8 ^ 0x20);
                self.out.extend([other(from), '-', other(to)]);
            }
        }
    }

    /// An escape after its backslash. Within a class, the character that it stands for if it stands for one.
    fn escape(&mut self, in_class: bool) -> Result<Option<char>> {
        let c = self.peek(0).ok_or_else(|| self.invalid("Unexpected internal error"))?;
        self.at += 1;
        if let Some(literal) = self.escaped_literal(c)? {
            match in_class {
                true => push_literal(literal, &mut self.out),
                false => self.literal(literal),
            }
            return Ok(Some(literal));
        }
        // Within a class, a set needs no brackets of its own; negated ones do.
        let mut set = |inner: &str, negated: bool| {
            self.out.push_str(if negated { "[^" } else { "[" });
            self.out.push_str(inner);
            self.out.push(']');
        };
        let unicode = self.flags.unicode_classes;
        match c {
            'd' | 'D' => set(if unicode { r"\p{Nd}" } else { "0-9" }, c == 'D'),
            'w' | 'W' => set(if unicode { r"\w" } else { "A-Za-z0-9_" }, c == 'W'),
            's' | 'S' => set(if unicode { r"\s" } else { r"\t\n\x0B\f\r\x20" }, c == 'S'),
            'h' | 'H' => set(r"\x20\t\xA0\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}", c == 'H'),
            'v' | 'V' => set(r"\n\x0B\f\r\x{85}\x{2028}\x{2029}", c == 'V'),
            'R' if !in_class => self.out.push_str(r"(?:\r\n|[\n\x0B\f\r\x{85}\x{2028}\x{2029}])"),
            'b' if !in_class && self.backtracking && !unicode => self.out.push_str(WORD_BORDER),
            'b' if !in_class => self.out.push_str(if unicode { r"\b" } else { r"(?-u:\b)" }),
            'B' if !in_class => return Err(self.unsupported(r"\B")),
            'A' if !in_class => self.out.push_str(r"\A"),
            'z' | 'Z' if !in_class => self.out.push_str(r"\z"),
            'G' | 'X' | 'k' => return Err(self.unsupported(&format!("\\{c}"))),
            'p' | 'P' => self.property(c == 'P')?,
            'Q' => self.quotation(in_class),
            // In braces, so that no digit that follows is taken for one of the number.
            '1'..='9' if self.backtracking && !in_class => {
                let flags = if self.flags.case_insensitive { "i" } else { "" };
                self.out.push_str(&format!("(?{flags}:\\{c})"));
            }
            '1'..='9' => return Err(self.unsupported("a back reference")),
            _ => return Err(self.invalid("Illegal/unsupported escape sequence")),
        }
        Ok(None)
    }

    /// The character that an escape stands for, if it is one. `c` has been read.
    fn escaped_literal(&mut self, c: char) -> Result<Option<char>> {
        Ok(Some(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'c' => {
                let control =
                    self.peek(0).filter(char::is_ascii).ok_or_else(|| self.invalid("Illegal control escape"))?;
                self.at += 1;
                char::from(control as u8 ^ 64)
            }
            'x' | 'u' | '0' => self.code(c)?,
            c if c.is_ascii_alphanumeric() => return Ok(None),
            c => c,
        }))
    }

    /// `\Q…\E`: all literal.
    fn quotation(&mut self, in_class: bool) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\' && self.peek(0) == Some('E') {
                self.at += 1;
                return;
            }
            match in_class {
                true => {
                    push_literal(c, &mut self.out);
                    self.other_case(Some(c), None);
                }
                false => self.literal(c),
            }
        }
    }

    /// A character by its number: `\xhh`, `\x{h…h}`, `\uhhhh` (also in pairs), `\0o…`.
    fn code(&mut self, kind: char) -> Result<char> {
        let digits = |this: &mut Self, count: usize, radix: u32| {
            let mut value = 0u32;
            let mut taken = 0;
            while let Some(d) = this.peek(0).and_then(|c| c.to_digit(radix)).filter(|_| taken < count) {
                value = value.saturating_mul(radix).saturating_add(d);
                this.at += 1;
                taken += 1;
            }
            (value, taken)
        };
        let (value, well_formed) = match (kind, self.peek(0)) {
            ('x', Some('{')) => {
                self.at += 1;
                let (value, taken) = digits(self, 8, 16);
                let closed = self.peek(0) == Some('}');
                self.at += 1;
                (value, taken > 0 && closed)
            }
            ('x', _) => {
                let (value, taken) = digits(self, 2, 16);
                (value, taken == 2)
            }
            ('0', _) => {
                let (value, taken) = digits(self, 3, 8);
                (value, taken > 0)
            }
            _ => {
                let (high, taken) = digits(self, 4, 16);
                let pair = (0xd800..0xdc00).contains(&high) && self.peek(0) == Some('\\') && self.peek(1) == Some('u');
                if !pair {
                    (high, taken == 4)
                } else {
                    self.at += 2;
                    let (low, taken) = digits(self, 4, 16);
                    let low_is_low = (0xdc00..0xe000).contains(&low);
                    (0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff), taken == 4 && low_is_low)
                }
            }
        };
        let c = char::from_u32(value).filter(|_| well_formed);
        c.ok_or_else(|| self.invalid("Illegal character escape"))
    }

    fn property(&mut self, negated: bool) -> Result<()> {
        let name: String = match self.peek(0) {
            Some('{') => {
                let rest = &self.chars[self.at + 1..];
                let len =
                    rest.iter().position(|c| *c == '}').ok_or_else(|| self.invalid("Unclosed character family"))?;
                self.at += len + 2;
                rest[..len].iter().collect()
            }
            Some(c) => {
                self.at += 1;
                c.to_string()
            }
            None => return Err(self.invalid("Illegal character family")),
        };
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (!negated, name),
            None => (negated, name.as_str()),
        };
        let name = if self.flags.case_insensitive { in_both_cases(name) } else { name };
        let inner = match POSIX.iter().find(|(posix, _)| *posix == name) {
            Some((_, set)) => (*set).to_owned(),
            None if name.starts_with("In") || name.starts_with("block=") || name.starts_with("blk=") => {
                return Err(self.unsupported("a Unicode block"));
            }
            None => format!(r"\p{{{}}}", name.strip_prefix("Is").unwrap_or(name)),
        };
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(&inner);
        self.out.push(']');
        Ok(())
    }
}

/// A border of words of ASCII letters, for the engine that cannot switch Unicode off.
const WORD_BORDER: &str = "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))";

/// The class of the letters of a case together with those of the others.
fn in_both_cases(name: &str) -> &str {
    match name {
        "Lower" | "Upper" => "Alpha",
        "Lu" | "Ll" | "Lt" | "IsLu" | "IsLl" | "IsLt" => "LC",
        "javaLowerCase" | "javaUpperCase" | "IsLowercase" | "IsUppercase" => "IsCased",
        name => name,
    }
}

/// Classes of Java by names that mean something else, or nothing, to the engine.
const POSIX: &[(&str, &str)] = &[
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7F"),
    ("Alpha", "A-Za-z"),
    ("Digit", "0-9"),
    ("Alnum", "A-Za-z0-9"),
    ("Punct", r##"!-/:-@\[-`\{-~"##),
    ("Graph", "!-~"),
    ("Print", " -~"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("XDigit", "0-9A-Fa-f"),
    ("Space", r"\t\n\x0B\f\r "),
    ("javaLowerCase", r"\p{Lowercase}"),
    ("javaUpperCase", r"\p{Uppercase}"),
    ("javaWhitespace", r"[\p{Z}--[\x{A0}\x{2007}\x{202F}]]\t\n\x0B\f\r\x1C-\x1F"),
    ("javaLetter", r"\p{L}"),
    ("javaDigit", r"\p{Nd}"),
    ("javaLetterOrDigit", r"\p{L}\p{Nd}"),
    ("javaAlphabetic", r"\p{Alphabetic}"),
    ("LC", r"\p{Lu}\p{Ll}\p{Lt}"),
    ("LD", r"\p{L}\p{Nd}"),
    ("L1", r"\x00-\xFF"),
    ("all", r"\x{0}-\x{10FFFF}"),
];

/// Writes `c` so that it stands for itself, in a class and out of it.
fn push_literal(c: char, out: &mut String) {
    if c.is_ascii_punctuation() && c != '_' || c == ' ' {
        out.push('\\');
    }
    match c {
        '<' | '>' | ' ' => {
            out.pop();
            out.push_str(&format!("\\x{:02X}", c as u32));
        }
        c => out.push(c),
    }
}
