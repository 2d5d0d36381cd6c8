//! What is wrong with a regular expression, in Java's words: the mistakes that people make. What this does not find is left
//! to the engine that the expression is compiled for.

use crate::{Error, ErrorKind, Result};

/// Refuses an expression that Java refuses.
pub(super) fn check(pattern: &str) -> Result<()> {
    let mut scan = Scan { pattern, chars: pattern.chars().collect(), at: 0 };
    let (mut depth, mut before) = (0u32, Before::Nothing);
    while let Some(&c) = scan.chars.get(scan.at) {
        let place = scan.at;
        scan.at += 1;
        before = match c {
            '\\' => {
                if scan.at == scan.chars.len() {
                    return Err(scan.error("Unescaped trailing backslash", scan.at));
                }
                scan.escape();
                Before::Atom
            }
            '[' => {
                scan.class()?;
                Before::Atom
            }
            '(' => {
                depth += 1;
                scan.opened()?;
                Before::Nothing
            }
            ')' => {
                if depth == 0 {
                    return Err(scan.error_before("Unmatched closing ')'", place));
                }
                depth -= 1;
                Before::Atom
            }
            '|' => Before::Nothing,
            '*' | '+' | '?' => match before {
                Before::Nothing => return Err(scan.error(&format!("Dangling meta character '{c}'"), place)),
                Before::Quantified if c == '*' => {
                    return Err(scan.error(&format!("Dangling meta character '{c}'"), place));
                }
                Before::Quantified => Before::Done,
                Before::Done => return Err(scan.error(&format!("Dangling meta character '{c}'"), place)),
                Before::Atom => Before::Quantified,
            },
            '{' => {
                scan.repetition()?;
                Before::Quantified
            }
            _ => Before::Atom,
        };
    }
    if depth > 0 {
        return Err(scan.error("Unclosed group", scan.chars.len()));
    }
    Ok(())
}

/// What a quantifier would stand behind.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Atom,
    /// A quantifier, which one more character may make lazy or possessive.
    Quantified,
    Done,
}

struct Scan<'p> {
    pattern: &'p str,
    chars: Vec<char>,
    at: usize,
}

impl Scan<'_> {
    /// The error, with a mark under the character that it is about unless that is behind the end.
    fn error(&self, what: &str, at: usize) -> Error {
        let mut text = format!("{what} near index {at}\n{}", self.pattern);
        if at < self.chars.len() {
            text = format!("{text}\n{}^", " ".repeat(at));
        }
        Error::new(ErrorKind::PatternSyntax, text)
    }

    fn error_before(&self, what: &str, at: usize) -> Error {
        match at.checked_sub(1) {
            Some(at) => self.error(what, at),
            None => Error::new(ErrorKind::PatternSyntax, format!("{what}\n{}", self.pattern)),
        }
    }

    /// Passes what stands behind a backslash; all of `\Q…\E`.
    fn escape(&mut self) {
        if self.chars.get(self.at) == Some(&'Q') {
            let rest = &self.chars[self.at..];
            let end = rest.windows(2).position(|pair| pair == ['\\', 'E']).map_or(rest.len(), |at| at + 2);
            self.at += end;
        } else {
            let braced = matches!(self.chars.get(self.at), Some('p' | 'P' | 'x' | 'k' | 'N'));
            self.at += 1;
            if braced && self.chars.get(self.at) == Some(&'{') {
                let rest = &self.chars[self.at..];
                self.at += rest.iter().position(|c| *c == '}').map_or(0, |at| at + 1);
            }
        }
    }

    /// Passes a class, of which the bracket has been read.
    fn class(&mut self) -> Result<()> {
        let mut depth = 1u32;
        let mut first = true;
        if self.chars.get(self.at) == Some(&'^') {
            self.at += 1;
        }
        while let Some(&c) = self.chars.get(self.at) {
            self.at += 1;
            match c {
                '\\' => self.escape(),
                '[' => depth += 1,
                ']' if !first => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                low => {
                    if let (Some('-'), Some(high)) = (self.chars.get(self.at), self.chars.get(self.at + 1))
                        && !matches!(high, ']' | '[' | '\\')
                    {
                        self.at += 2;
                        if *high < low {
                            return Err(self.error("Illegal character range", self.at - 1));
                        }
                    }
                }
            }
            first = false;
        }
        Err(self.error("Unclosed character class", self.chars.len().saturating_sub(1)))
    }

    /// Looks at what stands behind an opening parenthesis.
    fn opened(&mut self) -> Result<()> {
        if self.chars.get(self.at) != Some(&'?') {
            return Ok(());
        }
        self.at += 1;
        match (self.chars.get(self.at), self.chars.get(self.at + 1)) {
            (Some('=' | '!' | ':' | '>'), _) => self.at += 1,
            (Some('<'), Some('=' | '!')) => self.at += 2,
            (Some('<'), _) => {
                let rest = &self.chars[self.at..];
                let Some(end) = rest.iter().position(|c| *c == '>') else {
                    let what = "named capturing group is missing trailing '>'";
                    return Err(self.error(what, self.chars.len()));
                };
                self.at += end + 1;
            }
            _ => {
                while self.chars.get(self.at).is_some_and(|c| "idmsuxU-".contains(*c)) {
                    self.at += 1;
                }
                if !matches!(self.chars.get(self.at), Some(')' | ':')) {
                    return Err(self.error("Unknown inline modifier", self.at));
                }
                if self.chars.get(self.at) == Some(&':') {
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// Passes `{2,3}`, of which the brace has been read.
    fn repetition(&mut self) -> Result<()> {
        let number = |scan: &mut Self| {
            let from = scan.at;
            while scan.chars.get(scan.at).is_some_and(char::is_ascii_digit) {
                scan.at += 1;
            }
            scan.chars[from..scan.at].iter().collect::<String>().parse::<u64>().ok()
        };
        let Some(least) = number(self) else { return Err(self.error("Illegal repetition", self.at)) };
        let mut most = Some(least);
        if self.chars.get(self.at) == Some(&',') {
            self.at += 1;
            most = number(self);
        }
        if self.chars.get(self.at) != Some(&'}') {
            return Err(self.error("Unclosed counted closure", self.at));
        }
        if most.is_some_and(|most| most < least) {
            return Err(self.error("Illegal repetition range", self.at));
        }
        self.at += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn mistakes_in_the_words_of_java() {
        let cases = [
            ("(", "Unclosed group near index 1\n("),
            ("[a", "Unclosed character class near index 1\n[a\n ^"),
            ("a)", "Unmatched closing ')' near index 0\na)\n^"),
            ("*a", "Dangling meta character '*' near index 0\n*a\n^"),
            ("a**", "Dangling meta character '*' near index 2\na**\n  ^"),
            ("a{", "Illegal repetition near index 2\na{"),
            ("a{2,1}", "Illegal repetition range near index 5\na{2,1}\n     ^"),
            ("(?<n", "named capturing group is missing trailing '>' near index 4\n(?<n"),
            ("\\", "Unescaped trailing backslash near index 1\n\\"),
            ("[b-a]", "Illegal character range near index 3\n[b-a]\n   ^"),
            ("(?z)", "Unknown inline modifier near index 2\n(?z)\n  ^"),
        ];
        for (pattern, reason) in cases {
            assert_eq!(check(pattern).unwrap_err().reason(), reason);
        }
        for fine in
            ["", "a|", "()", "[[:alpha:]]", "[]a]", "a*?b+?c??", r"\Q*(\E", r"\p{L}{2}", "(?i)x(?:y)z{3,}", "a?+"]
        {
            assert!(check(fine).is_ok(), "{fine}");
        }
    }
}
