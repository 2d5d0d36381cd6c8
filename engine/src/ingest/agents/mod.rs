//! What a program says of itself when it asks for something (`User-Agent`), taken apart by lists of regular expressions.
//!
//! - [`Patterns`]: the lists of one file, and what they make of a text. `pattern`: one expression with what it stands for.
//! - `needle`: what a text must contain for an expression to match. Of some 1,100 expressions a text is held against, it leaves
//!   a few dozen, and only these are ever compiled.
//! - `built_in`: the lists of the uap-core project, which everybody knows. `seen`: texts that came before.
//!
//! Files of the node's own are [`install`]ed when it starts, before any core runs.

mod built_in;
mod needle;
mod pattern;
mod seen;

use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use pattern::Pattern;
pub(super) use pattern::Versioned;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// The name of the lists that are built in.
pub(super) const BUILT_IN: &str = "_default_";

/// Longer texts are refused: each is held against all expressions. Servers take 8 KB of headers altogether.
const AGENT_BYTES_MAX: usize = 8 << 10;

/// How many texts are remembered, unless the node says otherwise (`ingest.user_agent.cache_size`).
pub const CACHE_SIZE: usize = 1_000;

/// A text comes from a list of at most so many expressions.
const PATTERNS_MAX: usize = 20_000;

static INSTALLED: OnceLock<Agents> = OnceLock::new();

/// All files of lists, by name.
struct Agents {
    files: BTreeMap<String, Arc<Patterns>>,
    cache_size: usize,
}

impl Agents {
    fn built_in() -> Self {
        let patterns = Arc::new(built_in::read());
        Self { files: BTreeMap::from([(BUILT_IN.to_owned(), patterns)]), cache_size: CACHE_SIZE }
    }
}

/// Makes these the lists of the process, beside those that are built in. What was installed first stays.
pub fn install(files: impl IntoIterator<Item = (String, Patterns)>, cache_size: usize) {
    let mut agents = Agents { cache_size, ..Agents::built_in() };
    agents.files.extend(files.into_iter().map(|(name, patterns)| (name, Arc::new(patterns))));
    let _ = INSTALLED.set(agents);
}

fn installed() -> &'static Agents {
    INSTALLED.get_or_init(Agents::built_in)
}

/// The lists of a file.
pub fn patterns(file: &str) -> Option<Arc<Patterns>> {
    installed().files.get(file).cloned()
}

/// What is told of a program: itself, the operating system and the device.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Details {
    pub program: Option<Versioned>,
    pub system: Option<Versioned>,
    pub device: Option<Versioned>,
}

/// The lists of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    programs: Vec<Pattern>,
    systems: Vec<Pattern>,
    devices: Vec<Pattern>,
}

impl Patterns {
    /// Reads what a file in the notation of uap-core says. All expressions are tried: a mistake in one is told now.
    pub fn from_value(file: &Value) -> Result<Self> {
        let mut patterns = Self::default();
        for (key, list) in file.as_object().into_iter().flat_map(|object| object.iter()) {
            let Some(own) = patterns.list(key) else { continue };
            let malformed = |what: &str| {
                Error::new(ErrorKind::Parse, format!("malformed regular expression file, should continue with {what}"))
            };
            let items = list.as_array().ok_or_else(|| malformed("'array' after 'object'"))?;
            if items.len() > PATTERNS_MAX {
                return Err(Error::illegal_argument(format!("a list may have at most [{PATTERNS_MAX}] expressions")));
            }
            for item in items {
                let item = item.as_object().ok_or_else(|| malformed("'object'"))?;
                let text = |key: &str| match item.get(key) {
                    None | Some(Value::Null) => None,
                    Some(Value::String(text)) => Some(Cow::Owned(text.clone())),
                    Some(other) => Some(Cow::Owned(crate::json::java_text(other))),
                };
                let pattern = Pattern::new(key, text).ok_or_else(|| malformed("'regex'"))?;
                pattern.check()?;
                own.push(pattern);
            }
        }
        match [&patterns.programs, &patterns.systems, &patterns.devices].iter().all(|list| list.is_empty()) {
            true => Err(Error::new(ErrorKind::Parse, "not a valid regular expression file")),
            false => Ok(patterns),
        }
    }

    /// The list that a file has under this name.
    fn list(&mut self, name: &str) -> Option<&mut Vec<Pattern>> {
        match name {
            pattern::PROGRAMS => Some(&mut self.programs),
            pattern::SYSTEMS => Some(&mut self.systems),
            pattern::DEVICES => Some(&mut self.devices),
            _ => None,
        }
    }

    /// Takes a text apart, or remembers what came of it.
    pub(super) fn parse(self: &Arc<Self>, agent: &str) -> Result<Rc<Details>> {
        if agent.len() > AGENT_BYTES_MAX {
            return Err(Error::illegal_argument(format!(
                "a user agent may have at most [{AGENT_BYTES_MAX}] bytes, not [{}]",
                agent.len()
            )));
        }
        Ok(seen::get(self, agent, installed().cache_size, || self.take_apart(agent)))
    }

    fn take_apart(&self, agent: &str) -> Details {
        let lower = agent.to_ascii_lowercase();
        let first = |list: &[Pattern]| list.iter().find_map(|pattern| pattern.find(agent, &lower));
        Details { program: first(&self.programs), system: first(&self.systems), device: first(&self.devices) }
    }
}

#[cfg(test)]
mod tests;
