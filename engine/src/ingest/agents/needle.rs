//! What a text must contain for an expression to match: the longest run of literal characters that no alternative, repetition or
//! condition can leave out. Found in one pass over the expression (in Java's syntax), with nothing compiled; expressions with
//! anything unusual in them have none.

use std::iter::Peekable;
use std::str::Chars;

/// Groups lie in each other no deeper than this, or nothing is said of the expression.
const DEPTH_MAX: usize = 50;

/// Empty where nothing is known.
pub fn needle(regex: &str) -> String {
    let mut scan = Scan { chars: regex.chars().peekable(), depth: 0 };
    match scan.alternatives() {
        // Something is left behind a bracket that closes nothing.
        Some(found) if scan.chars.peek().is_none() => found,
        _ => String::new(),
    }
}

struct Scan<'a> {
    chars: Peekable<Chars<'a>>,
    depth: usize,
}

/// What a quantifier stands behind.
enum Piece {
    Literal(char),
    /// With what it must contain.
    Group(String),
    Other,
}

enum Times {
    Once,
    Often,
    Maybe,
}

impl Scan<'_> {
    /// Up to the end of a group, or of the expression; none if something unusual comes.
    fn alternatives(&mut self) -> Option<String> {
        let (mut best, mut run, mut several) = (String::new(), String::new(), false);
        let longer = |best: &mut String, other: String| {
            if other.len() > best.len() {
                *best = other;
            }
        };
        loop {
            match self.chars.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.chars.next();
                    several = true;
                    continue;
                }
                Some(_) => {}
            }
            let piece = self.piece()?;
            let times = self.times()?;
            match (piece, &times) {
                (Piece::Literal(c), Times::Once | Times::Often) => run.push(c),
                (Piece::Group(text), Times::Once | Times::Often) => {
                    longer(&mut best, std::mem::take(&mut run));
                    longer(&mut best, text);
                }
                _ => longer(&mut best, std::mem::take(&mut run)),
            }
            // What is repeated may come between.
            if matches!(times, Times::Often) {
                longer(&mut best, std::mem::take(&mut run));
            }
        }
        longer(&mut best, run);
        Some(if several { String::new() } else { best })
    }

    fn piece(&mut self) -> Option<Piece> {
        Some(match self.chars.next()? {
            '(' => Piece::Group(self.group()?),
            '[' => {
                self.class()?;
                Piece::Other
            }
            '.' | '^' | '$' => Piece::Other,
            '\\' => match self.chars.next()? {
                'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' => Piece::Other,
                c if c.is_ascii_alphanumeric() => return None,
                c => Piece::Literal(c),
            },
            c => Piece::Literal(c),
        })
    }

    fn group(&mut self) -> Option<String> {
        if self.chars.peek() == Some(&'?') {
            self.chars.next();
            if self.chars.next()? != ':' {
                return None;
            }
        }
        self.depth += 1;
        let found = if self.depth > DEPTH_MAX { None } else { self.alternatives() }?;
        self.depth -= 1;
        (self.chars.next()? == ')').then_some(found)
    }

    fn class(&mut self) -> Option<()> {
        let mut first = true;
        loop {
            match self.chars.next()? {
                // Classes in classes, and what they have in common.
                '[' | '&' => return None,
                '\\' => drop(self.chars.next()?),
                ']' if !first => return Some(()),
                '^' if first => continue,
                _ => {}
            }
            first = false;
        }
    }

    fn times(&mut self) -> Option<Times> {
        let times = match self.chars.peek() {
            Some('?' | '*') => Times::Maybe,
            Some('+') => Times::Often,
            Some('{') => {
                self.chars.next();
                let least = self.chars.peek()?.to_digit(10)?;
                while *self.chars.peek()? != '}' {
                    self.chars.next();
                }
                // `{0…` of more digits is nothing that anybody writes.
                if least == 0 { Times::Maybe } else { Times::Often }
            }
            _ => return Some(Times::Once),
        };
        self.chars.next();
        // Reluctant, or possessive.
        if matches!(self.chars.peek(), Some('?' | '+')) {
            self.chars.next();
        }
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::needle;

    #[test]
    fn is_the_longest_text_that_cannot_be_left_out() {
        for (regex, expected) in [
            (r"(GeoEvent Server) (\d+)(?:\.(\d+)|)", "GeoEvent Server"),
            (r"(?:a|b)cd", "cd"),
            (r"abc?de", "ab"),
            (r"ab+c", "ab"),
            (r"ab{2}c", "ab"),
            (r"ab{0,2}cde", "cde"),
            (r"(abc)*d", "d"),
            (r"(abc)+d", "abc"),
            (r"abc|d", ""),
            (r"[xyz]\.\/\-q", "./-q"),
            (r"[]a]b", "b"),
            (r"[^]a]b", "b"),
            (r"^Foo(?:Bar\b)", "Foo"),
            (r"\x41bc", ""),
            (r"(?=abc)d", ""),
            (r"(?i)abc", ""),
            (r"a(b", ""),
            (r"a)b", ""),
            (r"[[a]b]c", ""),
        ] {
            assert_eq!(needle(regex), expected, "{regex}");
        }
        assert_eq!(needle(&"(".repeat(1_000_000)), "");
    }
}
