//! `remove_by_pattern`: fields whose names match wildcards, or all others.

use super::super::compile::Compiler;
use super::super::config::{Config, texts_of};
use super::super::processor::{Processor, Work};
use super::super::{Document, METADATA};
use crate::error::{Error, Result};
use crate::java_order::java_order;
use crate::json::glob;
use ahash::AHashSet;

/// Bytes of names times bytes of patterns, so that no document keeps a core for long: each pattern may be tried at each place
/// of each name.
const COMPARED_MAX: usize = 200_000_000;

struct RemoveByPattern {
    patterns: Vec<String>,
    /// Whether what matches stays, and not what does not.
    keep: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let (key, patterns, keep) = match (config.take("field_pattern"), config.take("exclude_field_pattern")) {
        (Some(patterns), None) => ("field_pattern", patterns, false),
        (None, Some(patterns)) => ("exclude_field_pattern", patterns, true),
        _ => return Err(config.property("field_pattern", "either field_pattern or exclude_field_pattern must be set")),
    };
    let patterns = texts_of(patterns)?;
    let problems: Vec<String> = patterns.iter().flat_map(|pattern| problems(key, pattern)).collect();
    if !problems.is_empty() {
        let numbered: String = problems.iter().enumerate().map(|(at, text)| format!("{}: {text};", at + 1)).collect();
        return Err(config.property(key, &format!("Validation Failed: {numbered}")));
    }
    Ok(Work::Simple(Box::new(RemoveByPattern { patterns, keep })))
}

/// What no name of a field may hold.
const FORBIDDEN: [char; 9] = [' ', '"', '\\', '<', '|', ',', '>', '/', '?'];

fn problems(key: &str, pattern: &str) -> Vec<String> {
    let mut problems = vec![];
    if pattern.starts_with('_') {
        problems.push(format!("{key} [{pattern}] must not start with '_'"));
    }
    if pattern.contains('#') {
        problems.push(format!("{key} [{pattern}] must not contain a '#'"));
    }
    if pattern.contains(':') {
        problems.push(format!("{key} [{pattern}] must not contain a ':'"));
    }
    if pattern.contains(FORBIDDEN) {
        problems.push(format!(
            "{key} [{pattern}] must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]"
        ));
    }
    problems
}

impl Processor for RemoveByPattern {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        if self.patterns.is_empty() {
            return Ok(());
        }
        let patterns: usize = self.patterns.iter().map(String::len).sum();
        let names: usize = doc.root().iter().map(|(name, _)| name.len()).sum();
        if patterns.saturating_mul(names) > COMPARED_MAX {
            return Err(Error::illegal_argument(format!(
                "[{patterns}] bytes of patterns are too many for [{names}] bytes of names: one times the other may be \
                 [{COMPARED_MAX}] at most"
            )));
        }
        let matches = |key: &str| self.patterns.iter().any(|pattern| glob(pattern, key));
        let names = java_order(doc.root().iter().map(|(name, _)| name).collect());
        let unwanted = names.into_iter().filter(|name| !METADATA.contains(name) && matches(name) != self.keep);
        let unwanted: Vec<String> = unwanted.map(str::to_owned).collect();
        // Names are removed as paths, whatever dots they have; those without go together.
        match unwanted.iter().any(|name| name.contains('.')) {
            true => unwanted.iter().try_for_each(|name| doc.remove(name)),
            false => {
                let unwanted: AHashSet<String> = unwanted.into_iter().collect();
                doc.root_mut().entries.retain(|entry| !unwanted.contains(&entry.key));
                Ok(())
            }
        }
    }
}
