//! One regular expression with what it stands for.

use super::needle::needle;
use crate::analysis::{JavaRegex, linear_regex};
use crate::error::{ErrorKind, Result};
use memchr::memmem::Finder;
use regex_automata::meta::Regex;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Names of lists in files.
pub const PROGRAMS: &str = "user_agent_parsers";
pub const SYSTEMS: &str = "os_parsers";
pub const DEVICES: &str = "device_parsers";

/// Parts of a version: major, minor, patch and build.
pub const VERSION_PARTS: usize = 4;

/// A name and the parts of a version, as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned {
    pub name: String,
    pub version: [Option<String>; VERSION_PARTS],
}

impl Versioned {
    /// The version up to the first part that is not known; none without a major one.
    pub fn full_version(&self) -> Option<String> {
        let known: Vec<&str> = self.version.iter().map_while(Option::as_deref).collect();
        (!known.is_empty()).then(|| known.join("."))
    }
}

#[derive(Debug)]
pub struct Pattern {
    regex: Cow<'static, str>,
    ignores_case: bool,
    /// What a text contains if the expression matches; in small letters where case does not matter.
    needle: Finder<'static>,
    /// What stands for the groups of the expression.
    name: Option<Cow<'static, str>>,
    version: [Option<Cow<'static, str>>; VERSION_PARTS],
    /// Made when a text comes that has the needle; nothing if it cannot be compiled.
    compiled: OnceLock<Option<Compiled>>,
}

/// As they were written.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let key = |pattern: &Self| {
            (pattern.regex.clone(), pattern.ignores_case, pattern.name.clone(), pattern.version.clone())
        };
        key(self) == key(other)
    }
}

impl Eq for Pattern {}

#[derive(Debug)]
enum Compiled {
    Linear(Regex),
    Backtracking(JavaRegex),
}

impl Pattern {
    /// `text` knows the texts of an item of the list; none without an expression.
    pub fn new(list: &str, text: impl Fn(&str) -> Option<Cow<'static, str>>) -> Option<Self> {
        let regex = text("regex")?;
        let ignores_case = text("regex_flag").as_deref() == Some("i");
        let parts = |prefix: &str| [1, 2, 3, 4].map(|part| text(&format!("{prefix}v{part}_replacement")));
        let (name, version) = match list {
            PROGRAMS => (text("family_replacement"), parts("")),
            SYSTEMS => (text("os_replacement"), parts("os_")),
            _ => (text("device_replacement"), Default::default()),
        };
        let mut needle = needle(&regex);
        if ignores_case {
            needle.make_ascii_lowercase();
        }
        let needle = Finder::new(needle.as_bytes()).into_owned();
        Some(Self { regex, ignores_case, needle, name, version, compiled: OnceLock::new() })
    }

    /// Whether the expression can be compiled.
    pub fn check(&self) -> Result<()> {
        self.compile().map(drop)
    }

    fn compile(&self) -> Result<Compiled> {
        let flags = if self.ignores_case { "CASE_INSENSITIVE" } else { "" };
        match linear_regex(&self.regex, flags) {
            Ok(regex) => Ok(Compiled::Linear(regex)),
            Err(error) if error.kind() == ErrorKind::IllegalArgument => {
                JavaRegex::bounded(&self.regex, flags).map(Compiled::Backtracking)
            }
            Err(error) => Err(error),
        }
    }

    /// What the expression finds in a text, which is given in small letters as well.
    pub fn find(&self, text: &str, lower: &str) -> Option<Versioned> {
        let searched = if self.ignores_case { lower } else { text };
        self.needle.find(searched.as_bytes())?;
        self.find_slowly(text)
    }

    /// The same without a look at the needle.
    pub fn find_slowly(&self, text: &str) -> Option<Versioned> {
        let compiled = match self.compiled.get() {
            Some(compiled) => compiled,
            None => {
                // Whoever else compiles it at the same time does not wait.
                let _ = self.compiled.set(self.compile().ok());
                self.compiled.get()?
            }
        };
        let (captures, groups) = match compiled.as_ref()? {
            Compiled::Linear(regex) => {
                let mut captures = regex.create_captures();
                regex.captures(text, &mut captures);
                (captures, regex.captures_len())
            }
            Compiled::Backtracking(regex) => {
                let mut captures = regex.captures();
                regex.find(text, 0, &mut captures);
                (captures, regex.group_count())
            }
        };
        if !captures.is_match() {
            return None;
        }
        let group = |number: usize| {
            let span = (number < groups).then(|| captures.get_group(number)).flatten();
            span.map(|span| &text[span.range()])
        };
        let name = match (&self.name, group(1)) {
            // Only the first group is put in, and once.
            (Some(name), Some(first)) => name.replacen("$1", first, 1),
            (Some(name), None) => name.to_string(),
            (None, first) => first?.to_owned(),
        };
        let mut parts = 0..VERSION_PARTS;
        let version = [(); VERSION_PARTS].map(|()| {
            let part = parts.next()?;
            self.version[part].as_deref().or_else(|| group(part + 2)).map(str::to_owned)
        });
        Some(Versioned { name, version })
    }
}
