//! Building blocks of the byte layouts.
//!
//! - [`bytes`]: little-endian reads at an offset; [`varint`]: variable-length integers and a checked reader
//! - [`packed`]: arrays of integers of equal bit width, with random access
//! - [`bisect`]: binary search over all integers
//! - [`hash`]: a keyed hash that is the same on every machine
//! - [`simd`]: kernels over blocks of 128 packed integers and over windows of bits; the only room of the crate with `unsafe`
//!
//! Knows nothing of documents, terms or files.

pub mod bisect;
pub mod bytes;
pub mod hash;
pub mod packed;
pub mod simd;
pub mod varint;
