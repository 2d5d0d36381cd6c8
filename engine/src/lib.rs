//! The search engine of Pith: bytes in, bytes out.
//!
//! It knows no runtime, file, socket, clock or thread: time, randomness and bytes of files come in as arguments, and what
//! has to be written goes out as values.

#![forbid(unsafe_op_in_unsafe_fn)]

pub mod aggs;
pub mod analysis;
mod byte_strings;
mod chunked;
pub mod codec;
pub mod deprecated;
pub mod did_you_mean;
pub mod error;
pub mod geo;
pub mod ingest;
pub mod java_order;
mod java_regex;
pub mod join;
pub mod json;
pub mod mapping;
pub mod meter;
pub mod murmur3;
pub mod pace;
pub mod profile;
pub mod query;
pub mod regexp;
pub mod score;
pub mod script;
pub mod search;
pub mod search_pipeline;
pub mod segment;
pub mod shard;
pub mod writer;

pub use error::{Error, ErrorKind, Result};
