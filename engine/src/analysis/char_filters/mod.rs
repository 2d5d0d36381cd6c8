//! Char filters: a file per kind, one row per kind in [`TABLE`].

mod html_entities;
mod html_strip;
mod mapping;
mod pattern_replace;

use super::offsets::Filtered;
use super::params::Params;
use super::registry::Kind;
use crate::Result;

pub(crate) use html_strip::strip_html;
pub(crate) use mapping::{Mapping, unescape};

/// Changes a text before it is tokenized, keeping track of where its parts came from.
pub(crate) trait CharFilter: Send + Sync + std::fmt::Debug {
    /// Writes the changed `text` to `out`, which is empty.
    fn filter(&self, text: &str, out: &mut Filtered);

    /// Whether what is not analyzed as a whole, a prefix or a pattern, goes through the filter, too.
    fn normalizes(&self) -> bool {
        false
    }
}

/// A kind of char filter.
pub(crate) struct Row {
    pub kind: &'static str,
    /// Cannot be used by its kind's name alone.
    pub needs_params: bool,
    pub build: fn(&Params) -> Result<Box<dyn CharFilter>>,
}

impl Kind for Row {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

pub(crate) const TABLE: &[Row] = &[
    Row { kind: "html_strip", needs_params: false, build: html_strip::build },
    Row { kind: "mapping", needs_params: true, build: mapping::build },
    Row { kind: "pattern_replace", needs_params: true, build: pattern_replace::build },
];
