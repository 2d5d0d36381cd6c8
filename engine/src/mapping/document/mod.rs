//! A document's bytes to the ops of its fields: the hot path of indexing.
//!
//! - `walk`: one pass over the document along the mapping's tree; known fields are found by one hash look-up per key.
//! - `nested`: objects that are documents of their own. `copies`: values that go to other fields too.
//! - `new_fields`: what the mapping does not know yet. `additions`: whether that goes together.
//! - `value`: the tokens that field types take, and where their ops go.
//! - `keys`: duplicate keys of an object. `preview`: values in error messages.
//!
//! What this room does not know: field types (they take tokens), where documents come from.

mod additions;
mod contexts;
mod copies;
mod flat;
mod keys;
mod nested;
mod new_fields;
mod preview;
#[cfg(test)]
mod tests;
mod value;
mod walk;

pub(super) use contexts::{takes_from_fields, without_contexts};
pub use value::{Scalar, Sink, Takes, Token};
pub(super) use walk::parse;
pub use walk::{DocumentScratch, Parsed, failed_to_parse};
