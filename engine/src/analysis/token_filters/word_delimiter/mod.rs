//! `word_delimiter` and `word_delimiter_graph`: tokens cut where letters, digits and delimiters meet.
//!
//! - [`parts`]: the types of characters, and the parts of a token.
//! - [`flat`]: `word_delimiter`: parts at positions of their own, concatenations beside them.
//! - [`graph`]: `word_delimiter_graph`: concatenations span the positions of their parts.

mod flat;
mod graph;
mod parts;

use super::TokenFilter;
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::words::WordSet;
use crate::{Error, ErrorKind, Result};
use parts::{ALPHA, ALPHANUM, DELIMITER, DIGIT, LOWER, Types, UPPER};

/// What both filters are told.
#[derive(Debug)]
struct Options {
    types: Types,
    word_parts: bool,
    number_parts: bool,
    concat_words: bool,
    concat_numbers: bool,
    concat_all: bool,
    preserve_original: bool,
    protected: WordSet,
}

impl Options {
    fn read(params: &Params) -> Result<Self> {
        let mut types = Types {
            split_on_case_change: params.bool("split_on_case_change", true)?,
            split_on_numerics: params.bool("split_on_numerics", true)?,
            stem_possessive: params.bool("stem_english_possessive", true)?,
            own: vec![],
        };
        for (number, rule) in params.rules_or_file("type_table")?.unwrap_or_default().iter().enumerate() {
            types.own.push(type_rule(number + 1, rule)?);
        }
        let protected = params.words_or_file("protected_words")?;
        Ok(Self {
            types,
            word_parts: params.bool("generate_word_parts", true)?,
            number_parts: params.bool("generate_number_parts", true)?,
            concat_words: params.bool("catenate_words", false)?,
            concat_numbers: params.bool("catenate_numbers", false)?,
            concat_all: params.bool("catenate_all", false)?,
            preserve_original: params.bool("preserve_original", false)?,
            protected: protected.map_or_else(WordSet::default, |words| words.into_set(false)),
        })
    }

    /// Whether parts of this type are tokens.
    fn generates(&self, kind: u8) -> bool {
        self.word_parts && kind & ALPHA != 0 || self.number_parts && kind & DIGIT != 0
    }

    /// Whether parts of this type are joined.
    fn joins(&self, kind: u8) -> bool {
        self.concat_words && kind & ALPHA != 0 || self.concat_numbers && kind & DIGIT != 0
    }
}

/// `c => TYPE`.
fn type_rule(line: usize, rule: &str) -> Result<(u16, u8)> {
    let invalid =
        |what: &str| Error::new(ErrorKind::Runtime, format!("Line [{line}]: Invalid mapping rule: [{rule}]{what}"));
    let (from, kind) = rule.rsplit_once("=>").ok_or_else(|| invalid(""))?;
    let from = crate::analysis::char_filters::unescape(from.trim())?;
    let mut units = from.encode_utf16();
    let (Some(unit), None) = (units.next(), units.next()) else {
        return Err(invalid(". Only a single character is allowed."));
    };
    let kind = match kind.trim() {
        "LOWER" => LOWER,
        "UPPER" => UPPER,
        "ALPHA" => ALPHA,
        "DIGIT" => DIGIT,
        "ALPHANUM" => ALPHANUM,
        "SUBWORD_DELIM" => DELIMITER,
        _ => return Err(invalid(". Illegal type.")),
    };
    Ok((unit, kind))
}

pub(super) fn build(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(flat::WordDelimiter::new(Options::read(params)?)))
}

pub(super) fn build_graph(params: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(TokenFilter::stream(graph::WordDelimiterGraph {
        adjust_offsets: params.bool("adjust_offsets", true)?,
        ignore_keywords: params.bool("ignore_keywords", false)?,
        options: Options::read(params)?,
    }))
}
