//! `delimited_payload`, `delimited_term_freq` and `type_as_payload`: what a token carries beside its text.

use super::{TermFilter, TokenFilter};
use crate::analysis::params::Params;
use crate::analysis::registry::Context;
use crate::analysis::token::Term;
use crate::{Error, ErrorKind, Result};

/// How the text behind the delimiter becomes a payload.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Float,
    Int,
    Identity,
}

#[derive(Debug)]
pub(crate) struct DelimitedPayload {
    delimiter: char,
    encoding: Encoding,
}

fn delimiter(params: &Params) -> Result<char> {
    let Some(text) = params.text("delimiter") else { return Ok('|') };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(Error::illegal_argument(format!(
            "Setting [delimiter] must be a single, non-null character. [{text}] was provided."
        ))),
    }
}

pub(super) fn build_payload(params: &Params, _: &Context) -> Result<TokenFilter> {
    let encoding = match params.text("encoding").as_deref() {
        Some("int") => Encoding::Int,
        Some("identity") => Encoding::Identity,
        // Any other name is taken for the default.
        _ => Encoding::Float,
    };
    let delimiter = match params.text("delimiter") {
        None => '|',
        Some(text) => text
            .chars()
            .next()
            .ok_or_else(|| Error::new(ErrorKind::StringIndexOutOfBounds, "Index 0 out of bounds for length 0"))?,
    };
    Ok(TokenFilter::term(DelimitedPayload { delimiter, encoding }))
}

pub(super) fn payload_preset() -> TokenFilter {
    TokenFilter::term(DelimitedPayload { delimiter: '|', encoding: Encoding::Float })
}

impl TermFilter for DelimitedPayload {
    fn apply(&self, term: &mut Term) -> bool {
        term.payload.clear();
        let Some(at) = term.text.find(self.delimiter) else { return true };
        let value = &term.text[at + self.delimiter.len_utf8()..];
        match self.encoding {
            Encoding::Identity => term.payload.extend_from_slice(value.as_bytes()),
            Encoding::Float => match value.trim().parse::<f32>() {
                Ok(number) => term.payload.extend_from_slice(&number.to_be_bytes()),
                Err(_) => term.failure = Some(not_a_number(value)),
            },
            Encoding::Int => match value.parse::<i32>() {
                Ok(number) => term.payload.extend_from_slice(&number.to_be_bytes()),
                Err(_) => {
                    term.failure = Some(Error::new(ErrorKind::NumberFormat, "Unable to parse"));
                }
            },
        }
        term.text.truncate(at);
        true
    }

    fn shows_payload(&self) -> bool {
        true
    }
}

fn not_a_number(value: &str) -> Error {
    let reason =
        if value.trim().is_empty() { "empty String".to_owned() } else { format!("For input string: \"{value}\"") };
    Error::new(ErrorKind::NumberFormat, reason)
}

#[derive(Debug)]
pub(crate) struct DelimitedTermFrequency {
    delimiter: char,
}

pub(super) fn build_frequency(params: &Params, _: &Context) -> Result<TokenFilter> {
    let delimiter = delimiter(params)?;
    Ok(TokenFilter::term(DelimitedTermFrequency { delimiter }))
}

pub(super) fn frequency_preset() -> TokenFilter {
    TokenFilter::term(DelimitedTermFrequency { delimiter: '|' })
}

impl TermFilter for DelimitedTermFrequency {
    fn shows_frequency(&self) -> bool {
        true
    }

    fn apply(&self, term: &mut Term) -> bool {
        let Some(at) = term.text.find(self.delimiter) else { return true };
        match term.text[at + self.delimiter.len_utf8()..].parse::<i32>() {
            Ok(frequency) if frequency > 0 => term.frequency = frequency as u32,
            Ok(frequency) => {
                let reason = format!("Term frequency must be 1 or greater; got {frequency}");
                term.failure = Some(Error::illegal_argument(reason));
            }
            Err(_) => term.failure = Some(Error::new(ErrorKind::NumberFormat, "Unable to parse")),
        }
        term.text.truncate(at);
        true
    }
}

/// The type of a token as its payload.
#[derive(Debug)]
pub(crate) struct TypeAsPayload;

pub(super) fn type_preset() -> TokenFilter {
    TokenFilter::term(TypeAsPayload)
}

pub(super) fn build_type(_: &Params, _: &Context) -> Result<TokenFilter> {
    Ok(type_preset())
}

impl TermFilter for TypeAsPayload {
    fn apply(&self, term: &mut Term) -> bool {
        term.payload.clear();
        term.payload.extend_from_slice(term.kind.as_bytes());
        true
    }

    fn shows_payload(&self) -> bool {
        true
    }
}
