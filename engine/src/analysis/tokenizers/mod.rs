//! Tokenizers: a file per kind, one row per kind in [`TABLE`].

pub(crate) mod chars;
mod classic;
mod keyword;
mod longest;
mod ngram;
mod path_hierarchy;
mod pattern;
mod simple_pattern;
mod standard;
mod thai;
mod uax_url_email;

use super::params::Params;
use super::registry::{Kind, Limits};
use crate::Result;

pub(crate) use keyword::Keyword;
pub(crate) use pattern::Pattern;
pub(crate) use standard::{Standard, max_token_length};
pub(crate) use thai::Thai;

/// Cuts a text into tokens.
pub(crate) trait Tokenizer: Send + Sync + std::fmt::Debug {
    /// Hands the tokens of `text` to `sink`, in order of their positions, until it answers `false`.
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool);

    /// The same, and the increment of what was left out behind the last token.
    fn tokenize_to_end(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) -> u32 {
        self.tokenize(text, sink);
        0
    }

    /// Where a text ends of which only the first tokens are asked for.
    fn stops(&self) -> Stop {
        Stop::AtToken
    }

    /// Shows the attribute `termFrequency` in explanations; one does not.
    fn shows_frequency(&self) -> bool {
        true
    }
}

/// How far a tokenizer has read when it hands out a token.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Stop {
    #[default]
    AtToken,
    /// What separates the token from the next one has been read.
    BehindSeparator,
    /// The text is read at once.
    AtEnd,
}

/// A token as a tokenizer finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    pub text: &'a str,
    /// Bytes of the tokenizer's input that the token stands for.
    pub start: usize,
    pub end: usize,
    pub increment: u32,
    pub kind: &'static str,
}

impl<'a> Raw<'a> {
    /// The token that is `text[start..end]`, one position after the token before it.
    #[inline]
    pub fn new(text: &'a str, start: usize, end: usize, kind: &'static str) -> Self {
        Self { text: &text[start..end], start, end, increment: 1, kind }
    }
}

/// A kind of tokenizer.
pub(crate) struct Row {
    pub kind: &'static str,
    pub build: fn(&Params, Limits) -> Result<Box<dyn Tokenizer>>,
}

/// Kinds whose mistakes show only where they are used.
pub(crate) const LATE: &[&str] = &[
    "classic",
    "edge_ngram",
    "keyword",
    "letter",
    "ngram",
    "path_hierarchy",
    "PathHierarchy",
    "standard",
    "uax_url_email",
    "whitespace",
];

impl Kind for Row {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

pub(crate) const TABLE: &[Row] = &[
    Row { kind: "char_group", build: chars::build_char_group },
    Row { kind: "classic", build: classic::build },
    Row { kind: "edge_ngram", build: ngram::build_edge },
    Row { kind: "edgeNGram", build: ngram::refuse_old_edge },
    Row { kind: "keyword", build: keyword::build },
    Row { kind: "letter", build: chars::build_letter },
    Row { kind: "lowercase", build: chars::build_lowercase },
    Row { kind: "ngram", build: ngram::build },
    Row { kind: "nGram", build: ngram::refuse_old },
    Row { kind: "path_hierarchy", build: path_hierarchy::build },
    Row { kind: "PathHierarchy", build: path_hierarchy::build_old },
    Row { kind: "pattern", build: pattern::build },
    Row { kind: "simple_pattern", build: simple_pattern::build },
    Row { kind: "simple_pattern_split", build: simple_pattern::build_split },
    Row { kind: "standard", build: standard::build },
    Row { kind: "thai", build: thai::build },
    Row { kind: "uax_url_email", build: uax_url_email::build },
    Row { kind: "whitespace", build: chars::build_whitespace },
];
