//! Analysis: what turns a text into the terms of an index.
//!
//! - [`Registry`]: the analyzers and normalizers of an index: those built in and those that `index.analysis` defines.
//! - [`Analyzer`]: char filters, a tokenizer and token filters in a row ([`chain`]); [`Normalizer`]: the same without
//!   a tokenizer, for keyword fields.
//! - [`AnalyzeRequest`], [`analyze()`]: the `_analyze` operation, from bytes to bytes.
//! - [`char_filters`], [`tokenizers`], [`token_filters`], [`analyzers`]: a file per kind, one table per room (name → constructor).
//! - [`token`]: tokens and their buffers. [`offsets`]: UTF-16 offsets, and the way back through char filters.
//! - [`stem`]: stemmers. [`fold`]: spellings to one. `java_breaks`: Java's boundaries of words and sentences;
//!   [`char_table`]: classes of characters;
//!   [`word_break`]: those of UAX #29. [`words`]: stop words. [`params`]: parameters of components.
//!
//! Filters that look at one token at a time run as the tokenizer goes, on one reused buffer; only from the first
//! filter on that looks at several are the tokens of a value held.
//!
//! What this room does not know: fields, mappings, indexes. Which analyzer a field has is the mapping's business.

mod analyze;
mod analyzer;
mod analyzers;
mod chain;
mod char_filters;
pub(crate) mod char_table;
mod derived;
mod files;
mod fold;
pub(crate) mod java_breaks;
mod normalizer;
mod offsets;
mod old_names;
mod params;
#[cfg(test)]
mod recorded;
mod refused;
mod registry;
mod request;
mod stem;
mod token;
mod token_filters;
mod tokenizers;
mod word_break;
mod words;

pub use analyze::{AnalyzeContext, FieldAnalysis, FieldLookup, analyze};
pub use analyzer::{Analyzer, POSITION_INCREMENT_GAP};
pub(crate) use char_filters::strip_html;
pub use files::{ConfigFiles, FileError, NoFiles};
pub use normalizer::Normalizer;
pub use old_names::{OLD_FILTER, OLD_TOKENIZER, note_old_filter, note_old_tokenizer};
pub use registry::{Limits, Registry};
pub use request::{ANALYZE_PARAMS, AnalyzeRequest};
pub use token::{End, OwnedToken, Scratch, Token};
