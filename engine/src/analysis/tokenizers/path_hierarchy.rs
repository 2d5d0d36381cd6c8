//! `path_hierarchy`: a path and all paths above it.

use super::{Raw, Stop, Tokenizer};
use crate::analysis::old_names::note_old_tokenizer;
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct PathHierarchy {
    delimiter: char,
    replacement: char,
    skip: usize,
    reverse: bool,
}

pub(super) fn build(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    let one_char = |key: &str, default: char| match params.text(key) {
        None => Ok(default),
        Some(text) => {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(c),
                _ => Err(Error::illegal_argument(format!("{key} must be a one char value"))),
            }
        }
    };
    let delimiter = one_char("delimiter", '/')?;
    let replacement = one_char("replacement", delimiter)?;
    let skip = params.int("skip", 0)?;
    let skip = usize::try_from(skip).map_err(|_| Error::illegal_argument("skip cannot be negative"))?;
    if params.int("buffer_size", 1024)? < 0 {
        return Err(Error::illegal_argument("bufferSize cannot be negative"));
    }
    Ok(Box::new(PathHierarchy { delimiter, replacement, skip, reverse: params.bool("reverse", false)? }))
}

/// By its old name.
pub(super) fn build_old(params: &Params, limits: Limits) -> Result<Box<dyn Tokenizer>> {
    note_old_tokenizer();
    build(params, limits)
}

impl Tokenizer for PathHierarchy {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        if text.is_empty() {
            return;
        }
        let replaced = match self.delimiter == self.replacement {
            true => None,
            false => {
                Some(text.chars().map(|c| if c == self.delimiter { self.replacement } else { c }).collect::<String>())
            }
        };
        let spans = if self.reverse { self.suffixes(text) } else { self.prefixes(text) };
        for (start, end) in spans {
            let mut raw = Raw::new(text, start, end, WORD);
            let token: String;
            if let Some(replaced) = &replaced {
                // Characters before `start` may differ in length from those that replaced them.
                let shift = |at: usize| {
                    let delimiters = text[..at].matches(self.delimiter).count();
                    at - delimiters * self.delimiter.len_utf8() + delimiters * self.replacement.len_utf8()
                };
                token = replaced[shift(start)..shift(end)].to_owned();
                raw.text = &token;
            }
            if !sink(raw) {
                return;
            }
        }
    }

    fn stops(&self) -> Stop {
        Stop::BehindSeparator
    }
}

impl PathHierarchy {
    /// `/a`, `/a/b`, …: all begin where the first part that is not skipped begins.
    fn prefixes(&self, text: &str) -> Vec<(usize, usize)> {
        let mut delimiters: Vec<usize> = text.match_indices(self.delimiter).map(|(at, _)| at).collect();
        if delimiters.first() == Some(&0) {
            delimiters.remove(0);
        }
        let start = match self.skip {
            0 => 0,
            skip => match delimiters.get(skip - 1) {
                Some(at) => *at,
                None => return vec![],
            },
        };
        let mut ends: Vec<usize> = delimiters.into_iter().skip(self.skip).collect();
        if start < text.len() {
            ends.push(text.len());
        }
        ends.into_iter().map(|end| (start, end)).collect()
    }

    /// `a/b`, `b`: all end where the last part that is not skipped ends.
    fn suffixes(&self, text: &str) -> Vec<(usize, usize)> {
        let width = self.delimiter.len_utf8();
        let mut starts = vec![0];
        starts.extend(text.match_indices(self.delimiter).map(|(at, _)| at + width));
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        let Some(kept) = starts.len().checked_sub(self.skip).filter(|kept| *kept > 0) else { return vec![] };
        let end = starts.get(kept).copied().unwrap_or(text.len());
        starts[..kept].iter().map(|start| (*start, end)).collect()
    }
}
