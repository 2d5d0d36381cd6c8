//! Java's flags of regular expressions.

use super::node::Case;
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    pub case_insensitive: bool,
    /// Whether letters beyond ASCII have two cases, too.
    pub unicode_case: bool,
    pub multi_line: bool,
    pub dot_all: bool,
    pub literal: bool,
    pub comments: bool,
    pub unix_lines: bool,
    pub unicode_classes: bool,
}

impl Flags {
    /// Names of Java's constants with `|` between them.
    pub fn parse(text: &str) -> Result<Self> {
        let mut flags = Self::default();
        for name in text.split('|').map(str::trim).filter(|name| !name.is_empty()) {
            let name = name.to_uppercase();
            match name.as_str() {
                "CASE_INSENSITIVE" => flags.case_insensitive = true,
                "MULTILINE" => flags.multi_line = true,
                "DOTALL" => flags.dot_all = true,
                "UNICODE_CASE" => flags.unicode_case = true,
                // Texts are compared as they are, whatever is canonically the same.
                "CANON_EQ" => {}
                "UNIX_LINES" => flags.unix_lines = true,
                "LITERAL" => flags.literal = true,
                "COMMENTS" => flags.comments = true,
                "UNICODE_CHAR_CLASS" | "UNICODE_CHARACTER_CLASS" => flags.switch('U', true),
                _ => return Err(Error::illegal_argument(format!("Unknown regex flag [{name}]"))),
            }
        }
        Ok(flags)
    }

    /// Whether there is a flag of this letter within expressions.
    pub fn is_letter(c: char) -> bool {
        "imsducxU".contains(c)
    }

    /// Switches the flag of a letter.
    pub fn switch(&mut self, letter: char, on: bool) {
        match letter {
            'i' => self.case_insensitive = on,
            'm' => self.multi_line = on,
            's' => self.dot_all = on,
            'd' => self.unix_lines = on,
            'u' => self.unicode_case = on,
            'x' => self.comments = on,
            // Classes of Unicode have its letters in both cases as well.
            'U' => (self.unicode_classes, self.unicode_case) = (on, on),
            _ => {}
        }
    }

    pub fn case(&self) -> Case {
        match (self.case_insensitive, self.unicode_case) {
            (false, _) => Case::Sensitive,
            (true, false) => Case::Ascii,
            (true, true) => Case::Unicode,
        }
    }
}
