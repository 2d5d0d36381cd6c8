//! The patterns that everybody knows, one a line: its name, a space, the expression. They are those of Logstash's core
//! patterns (Apache License 2.0), which users of grok count on by name.

use std::collections::HashMap;
use std::sync::OnceLock;

static TEXT: &str = include_str!("patterns.txt");

/// Names and expressions, in order.
pub fn bank() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines().filter_map(|line| line.split_once(' '))
}

/// The expression of a name.
pub(super) fn get(name: &str) -> Option<&'static str> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    BY_NAME.get_or_init(|| bank().collect()).get(name).copied()
}
