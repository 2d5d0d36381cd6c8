//! Term vectors: the terms of one document, where they stand in it and how frequent they are.
//!
//! - [`TermVectorsRequest`]: which document (or text) and what of it.
//! - [`term_vectors`]: the answer for one shard. Vectors are never kept: the document's texts are analysed again, which gives
//!   what was kept where a mapping asks for that. `filter`: the terms that tell most.

mod filter;
mod request;
mod vectors;
mod write;

pub use request::{TermVectorsRequest, analyzer_named_for, named_analyzers};
pub use vectors::term_vectors;
