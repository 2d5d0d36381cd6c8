//! Which names and patterns templates may have.

use pith_engine::error::validation_text;
use pith_engine::{Error, ErrorKind, Result};

const FORBIDDEN: [char; 9] = [' ', '"', '\\', '<', '|', ',', '>', '/', '?'];

/// Checks the name of a template and its patterns; all mistakes are told at once.
pub fn check_patterns(name: &str, patterns: &[String]) -> Result<()> {
    refused(name, &mistakes_of(name, patterns))
}

/// What is wrong with the name of a template and its patterns.
pub fn mistakes_of(name: &str, patterns: &[String]) -> Vec<String> {
    let mut mistakes = mistakes_of_name(name);
    if patterns.len() > PATTERNS_MAX {
        mistakes.push(format!("[{}] index_patterns are more than {PATTERNS_MAX}", patterns.len()));
    }
    for pattern in patterns.iter().take(PATTERNS_MAX) {
        check_pattern(pattern, &mut mistakes);
    }
    mistakes
}

/// Checks the name of what templates are composed of.
pub fn check_name(name: &str) -> Result<()> {
    refused(name, &mistakes_of_name(name))
}

/// Refuses the template `name` for its mistakes, if it has any.
pub fn refused(name: &str, mistakes: &[String]) -> Result<()> {
    if mistakes.is_empty() {
        return Ok(());
    }
    let listed = validation_text(mistakes);
    Err(Error::new(ErrorKind::InvalidIndexTemplate, format!("index_template [{name}] invalid, cause [{listed}]")))
}

fn mistakes_of_name(name: &str) -> Vec<String> {
    let mut mistakes: Vec<String> = vec![];
    if name.contains(' ') {
        mistakes.push("name must not contain a space".into());
    }
    if name.contains(',') {
        mistakes.push("name must not contain a ','".into());
    }
    if name.contains('#') {
        mistakes.push("name must not contain a '#'".into());
    }
    if name.contains('*') {
        mistakes.push("name must not contain a '*'".into());
    }
    if name.starts_with('_') {
        mistakes.push("name must not start with '_'".into());
    }
    if name.to_lowercase() != name {
        mistakes.push("name must be lower cased".into());
    }
    mistakes
}

/// No name that is longer exists; and comparing patterns takes the product of their lengths.
const PATTERN_BYTES_MAX: usize = 512;

/// Every new index is compared with every pattern.
const PATTERNS_MAX: usize = 10_000;

fn check_pattern(pattern: &str, mistakes: &mut Vec<String>) {
    if pattern.len() > PATTERN_BYTES_MAX {
        let beginning: String = pattern.chars().take(32).collect();
        return mistakes.push(format!("index_patterns [{beginning}...] is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    if pattern.contains(' ') {
        mistakes.push(format!("index_patterns [{pattern}] must not contain a space"));
    }
    if pattern.contains(',') {
        mistakes.push(format!("index_pattern [{pattern}] must not contain a ','"));
    }
    if pattern.contains('#') {
        mistakes.push(format!("index_pattern [{pattern}] must not contain a '#'"));
    }
    if pattern.contains(':') {
        mistakes.push(format!("index_pattern [{pattern}] must not contain a ':'"));
    }
    if pattern.starts_with('_') {
        mistakes.push(format!("index_pattern [{pattern}] must not start with '_'"));
    }
    if pattern.contains(FORBIDDEN) {
        mistakes.push(format!(
            "index_pattern [{pattern}] must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_listed() {
        let reason = |name: &str, pattern: &str| {
            check_patterns(name, &[pattern.to_owned()]).map_or_else(|error| error.reason().to_owned(), |()| "ok".into())
        };
        assert_eq!(reason("a", "a*"), "ok");
        assert_eq!(
            reason("T", "a*"),
            "index_template [T] invalid, cause [Validation Failed: 1: name must be lower cased;]"
        );
        assert_eq!(
            reason("t", "a b*"),
            "index_template [t] invalid, cause [Validation Failed: 1: index_patterns [a b*] must not contain a space;2: index_pattern [a b*] must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?];]"
        );
    }
}
