//! `ngram` and `edge_ngram`: pieces of the text as tokens, of runs of the wanted characters or of the whole text.

use super::{Raw, Stop, Tokenizer};
use crate::analysis::char_table::{is_digit, is_letter, is_punctuation, is_symbol, is_whitespace};
use crate::analysis::params::Params;
use crate::analysis::registry::Limits;
use crate::analysis::token::WORD;
use crate::analysis::token_filters::check_ngram_sizes;
use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Ngram {
    min: usize,
    max: usize,
    /// Only pieces that begin where a run begins.
    edges_only: bool,
    /// What a token may consist of: of some classes, or of these characters. None: anything.
    classes: Vec<fn(char) -> bool>,
    custom: Option<Vec<char>>,
}

pub(super) fn build(params: &Params, limits: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(read(params, Some(limits))?))
}

pub(super) fn build_edge(params: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Ok(Box::new(read(params, None)?))
}

/// The names of old are gone.
pub(super) fn refuse_old(_: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Err(renamed("nGram", "ngram"))
}

pub(super) fn refuse_old_edge(_: &Params, _: Limits) -> Result<Box<dyn Tokenizer>> {
    Err(renamed("edgeNGram", "edge_ngram"))
}

fn renamed(old: &str, new: &str) -> Error {
    Error::illegal_argument(format!(
        "The [{old}] tokenizer name was deprecated pre 1.0. Please change the tokenizer name to [{new}] for indices created in versions 3.0 or higher instead."
    ))
}

/// `limits` bound pieces that begin anywhere; those at the edges are few.
fn read(params: &Params, limits: Option<Limits>) -> Result<Ngram> {
    let (min, max) = (params.int("min_gram", 1)?, params.int("max_gram", 2)?);
    if let Some(limits) = limits {
        limits.check_ngram("NGram Tokenizer", min, max)?;
    }
    let mut classes: Vec<fn(char) -> bool> = vec![];
    let mut custom = None;
    for name in params.list("token_chars").unwrap_or_default() {
        classes.push(match name.to_lowercase().as_str() {
            "letter" => is_letter,
            "digit" => is_digit,
            "whitespace" => is_whitespace,
            "punctuation" => is_punctuation,
            "symbol" => is_symbol,
            "custom" => {
                let Some(chars) = params.text("custom_token_chars") else {
                    return Err(Error::illegal_argument(
                        "Token type: 'custom' requires setting `custom_token_chars`",
                    ));
                };
                // Halves of characters that take two units are no characters of a text.
                custom = Some(chars.chars().filter(|c| c.len_utf16() == 1).collect());
                continue;
            }
            other => {
                return Err(Error::illegal_argument(format!(
                    "Unknown token type: '{other}', must be one of [symbol, private_use, paragraph_separator, start_punctuation, unassigned, enclosing_mark, connector_punctuation, letter_number, other_number, math_symbol, lowercase_letter, space_separator, surrogate, initial_quote_punctuation, decimal_digit_number, digit, other_punctuation, dash_punctuation, currency_symbol, non_spacing_mark, custom, format, modifier_letter, control, uppercase_letter, other_symbol, end_punctuation, modifier_symbol, other_letter, line_separator, titlecase_letter, letter, punctuation, combining_spacing_mark, final_quote_punctuation, whitespace]"
                )));
            }
        });
    }
    check_ngram_sizes(min, max)?;
    Ok(Ngram { min: min as usize, max: max as usize, edges_only: limits.is_none(), classes, custom })
}

impl Ngram {
    fn wants(&self, c: char) -> bool {
        let within = self.custom.as_ref().map(|custom| custom.contains(&c));
        within.unwrap_or(self.classes.is_empty()) || self.classes.iter().any(|class| class(c))
    }

    /// Emits the pieces of one run, given where its characters begin and, last, where it ends.
    fn pieces(&self, text: &str, bounds: &[usize], sink: &mut dyn FnMut(Raw<'_>) -> bool) -> bool {
        let count = bounds.len() - 1;
        let starts = if self.edges_only { count.min(1) } else { count };
        (0..starts).all(|start| {
            (self.min..=self.max.min(count - start))
                .all(|size| sink(Raw::new(text, bounds[start], bounds[start + size], WORD)))
        })
    }
}

impl Tokenizer for Ngram {
    fn tokenize(&self, text: &str, sink: &mut dyn FnMut(Raw<'_>) -> bool) {
        let mut bounds = vec![];
        for (at, c) in text.char_indices() {
            if self.wants(c) {
                bounds.push(at);
            } else if !bounds.is_empty() {
                bounds.push(at);
                if !self.pieces(text, &bounds, sink) {
                    return;
                }
                bounds.clear();
            }
        }
        if !bounds.is_empty() {
            bounds.push(text.len());
            self.pieces(text, &bounds, sink);
        }
    }

    fn stops(&self) -> Stop {
        Stop::AtEnd
    }
}
