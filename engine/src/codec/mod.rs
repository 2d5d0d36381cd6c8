//! Building blocks of the byte layouts: little-endian reads, varints, bit packing, offsets, checked sections.
//!
//! Knows nothing of documents or terms. [`simd`] is the only room of the crate with `unsafe`.

pub mod bytes;
