//! What stands in the place of what a regular expression matches, in Java's syntax.

use super::JavaRegex;
use crate::{Error, ErrorKind, Result};
use regex_automata::util::captures::Captures;
use std::str::Chars;

/// A replacement in Java's syntax: `$1`, `${name}`, `\x` for a literal x.
#[derive(Clone, Debug)]
pub(crate) struct Replacement {
    parts: Vec<ReplacementPart>,
    /// What is wrong with it: an error where something is replaced.
    failure: Option<Error>,
}

#[derive(Clone, Debug)]
enum ReplacementPart {
    Text(String),
    Group(usize),
}

impl Replacement {
    pub fn parse(text: &str, pattern: &JavaRegex) -> Self {
        let mut parts = vec![];
        let failure = read(text, pattern, &mut parts).err();
        Self { parts, failure }
    }

    /// The error of replacing anything, if that cannot be done.
    pub fn failure(&self) -> Option<Error> {
        self.failure.clone()
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

/// Reads a replacement up to its end, or to the first mistake.
fn read(text: &str, pattern: &JavaRegex, parts: &mut Vec<ReplacementPart>) -> Result<()> {
    let mut literal = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                let missing = || Error::illegal_argument("character to be escaped is missing");
                literal.push(rest.next().ok_or_else(missing)?);
            }
            '$' => {
                let group = group(&mut rest, pattern)?;
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
    Ok(())
}

/// The group that is named behind a `$`.
fn group(rest: &mut Chars<'_>, pattern: &JavaRegex) -> Result<usize> {
    match rest.next() {
        None => Err(Error::illegal_argument("Illegal group reference: group index is missing")),
        Some('{') => {
            let after = rest.as_str();
            let len = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            let (name, behind) = after.split_at(len);
            if name.is_empty() || !behind.starts_with('}') {
                return Err(Error::illegal_argument("named capturing group is missing trailing '}'"));
            }
            if name.starts_with(|c: char| c.is_ascii_digit()) {
                let reason = format!("capturing group name {{{name}}} starts with digit character");
                return Err(Error::illegal_argument(reason));
            }
            *rest = behind[1..].chars();
            pattern.group_index(name).ok_or_else(|| Error::illegal_argument(format!("No group with name {{{name}}}")))
        }
        Some(c) => {
            let first = c.to_digit(10).ok_or_else(|| Error::illegal_argument("Illegal group reference"))?;
            let mut group = first as usize;
            if group >= pattern.group_count() {
                return Err(Error::new(ErrorKind::IndexOutOfBounds, format!("No group {group}")));
            }
            // Further digits belong to the number as long as there is such a group.
            while let Some(digit) = rest.clone().next().and_then(|c| c.to_digit(10)) {
                let longer = group * 10 + digit as usize;
                if longer >= pattern.group_count() {
                    break;
                }
                group = longer;
                rest.next();
            }
            Ok(group)
        }
    }
}
