//! From documents to segments.
//!
//! - `document`: a document as it comes, already taken apart by its mapping.

mod document;

pub use document::{FieldOp, IndexDocument};
