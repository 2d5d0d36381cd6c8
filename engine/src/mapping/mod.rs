//! Mappings: what fields an index has, and what becomes of a document's values and a query's.
//!
//! - [`Mapping`]: immutable, shared by all cores; a change gives a new one ([`Mapping::merge`]).
//! - `compile`: definitions to that form.
//! - `derived`: fields whose values scripts make.
//! - `definition`: the tree of objects and fields as it was written: reading, merging, printing. `params`: the table-driven
//!   parameters of a field.
//! - [`types`]: a file per field type, one table: parameters, what is indexed of a value, what terms and ranges mean.
//! - [`Field`]: a field as queries, aggregations and the writer see it. [`DocValueFormat`]: values back to text.
//! - `document`: one pass over a document's bytes to [`FieldOp`](crate::writer::FieldOp)s. `dynamic`: the fields that a document brings along.
//! - [`date`]: formats and date math. [`number`]: encodings and conversions.
//!
//! What this room does not know: segments, queries, index settings other than [`MappingSettings`], where a mapping is kept and
//! how a change of it is agreed on.

#[cfg(test)]
mod cases;
mod compile;
pub mod date;
mod decimal_format;
mod decimal_pattern;
mod definition;
mod derived;
mod doc_value;
mod document;
mod dynamic;
mod field;
mod index_sort;
pub mod java_base64;
mod locale;
#[expect(clippy::module_inception, reason = "the room is named after its main type")]
mod mapping;
pub mod number;
mod params;
mod settings;
pub mod types;

pub use date::DateFormat;
pub use decimal_format::DecimalFormat;
pub use definition::note_ineffective;
pub use derived::{Derived, DerivedDefinition, DerivedFields, parse_all as parse_derived};
pub use doc_value::{DocValueFormat, base64};
pub use document::{DocumentScratch, Parsed, failed_to_parse};
pub use field::{
    DateContext, DocValues, Exact, Family, Field, FieldId, FieldRange, IndexSpec, Indexed, RangeBounds, Relation,
    TermTest,
};
pub use index_sort::{IndexSort, IndexSortKey};
pub use locale::check_locale;
pub(crate) use mapping::simple_match;
pub use mapping::{Mapping, SourceFilter};
pub use number::parse_java_f64;
pub(crate) use params::java_text;
pub use settings::MappingSettings;
pub(crate) use types::check_block;
pub(crate) use types::no_range;
pub use types::{CompletionContext, CompletionEntry, CompletionOptions, completion_keys, decode_completion};
pub use types::{SearchAsYouType, format_ip, java_ip, parse_ip};
