//! One regular expression with what it stands for.

use super::needle::needle;
use crate::error::Result;
use crate::java_regex::JavaRegex;
use memchr::memmem::Finder;
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
    compiled: OnceLock<Option<JavaRegex>>,
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

    fn compile(&self) -> Result<JavaRegex> {
        JavaRegex::new(&self.regex, if self.ignores_case { "CASE_INSENSITIVE" } else { "" })
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
        let regex = compiled.as_ref()?;
        let mut captures = regex.captures();
        if !regex.find(text, 0, &mut captures) {
            return None;
        }
        let group = |number: usize| {
            let span = (number < regex.group_count()).then(|| captures.get_group(number)).flatten();
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
