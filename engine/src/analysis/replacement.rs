//! What stands in the place of what a regular expression matches, in Java's syntax.

use super::java_regex::JavaRegex;
use crate::{Error, ErrorKind, Result};
use regex_automata::util::captures::Captures;

/// A replacement in Java's syntax: `$1`, `${name}`, `\x` for a literal x.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    parts: Vec<ReplacementPart>,
    /// A group that the expression does not have: an error where something is replaced.
    missing: Option<usize>,
}

#[derive(Clone, Debug)]
enum ReplacementPart {
    Text(String),
    Group(usize),
}

impl Replacement {
    pub fn parse(text: &str, pattern: &JavaRegex) -> Result<Self> {
        let (mut parts, mut missing) = (vec![], None);
        let mut literal = String::new();
        let groups = pattern.group_count();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => literal
                    .push(chars.next().ok_or_else(|| Error::illegal_argument("character to be escaped is missing"))?),
                '$' => {
                    let group = match chars.next() {
                        Some('{') => {
                            let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                            pattern
                                .group_index(&name)
                                .ok_or_else(|| Error::illegal_argument(format!("No group with name {{{name}}}")))?
                        }
                        Some(digit) if digit.is_ascii_digit() => {
                            let mut group = digit as usize - '0' as usize;
                            if group >= groups {
                                missing.get_or_insert(group);
                            }
                            // Further digits belong to the number as long as there is such a group.
                            while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                                if group * 10 + d as usize >= groups {
                                    break;
                                }
                                group = group * 10 + d as usize;
                                chars.next();
                            }
                            group
                        }
                        Some(_) => return Err(Error::illegal_argument("Illegal group reference")),
                        None => return Err(Error::illegal_argument("Illegal group reference: group index is missing")),
                    };
                    if !literal.is_empty() {
                        parts.push(ReplacementPart::Text(std::mem::take(&mut literal)));
                    }
                    parts.push(ReplacementPart::Group(group));
                }
                c => literal.push(c),
            }
        }
        if !literal.is_empty() {
            parts.push(ReplacementPart::Text(literal));
        }
        Ok(Self { parts, missing })
    }

    /// The error of replacing anything, if that cannot be done.
    pub fn failure(&self) -> Option<Error> {
        self.missing.map(|group| Error::new(ErrorKind::IndexOutOfBounds, format!("No group {group}")))
    }

    pub fn write(&self, text: &str, captures: &Captures, out: &mut String) {
        for part in &self.parts {
            match part {
                ReplacementPart::Text(literal) => out.push_str(literal),
                ReplacementPart::Group(group) => {
                    if let Some(span) = captures.get_group(*group) {
                        out.push_str(&text[span.range()]);
                    }
                }
            }
        }
    }
}
