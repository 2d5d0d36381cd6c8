//! Paths of fields: names and indexes with dots between them.

use crate::error::{Error, ErrorKind, Result};
use std::fmt;

/// A path that was cut at its dots.
#[derive(Debug)]
pub(super) struct Path<'t> {
    text: &'t str,
    /// Whether it begins below `_ingest` and not in the document.
    pub ingest: bool,
    pub parts: Vec<&'t str>,
}

impl<'t> Path<'t> {
    pub fn parse(text: &'t str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::illegal_argument("path cannot be null nor empty"));
        }
        let (ingest, rest) = match (text.strip_prefix("_ingest."), text.strip_prefix("_source.")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => (false, text),
        };
        if rest.is_empty() {
            return Err(Error::illegal_argument(format!("path [{text}] is not valid")));
        }
        // Empty names at the end do not count.
        let mut parts: Vec<&str> = rest.split('.').collect();
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
        if parts.is_empty() {
            return Err(Error::new(ErrorKind::ArrayIndexOutOfBounds, "Index -1 out of bounds for length 0"));
        }
        Ok(Self { text, ingest, parts })
    }

    /// The last name, and those before it.
    pub fn split(&self) -> Result<(&'t str, &[&'t str])> {
        match self.parts.split_last() {
            Some((leaf, parents)) => Ok((leaf, parents)),
            None => Err(Error::illegal_argument(format!("path [{self}] is not valid"))),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}
