//! From documents to segments.
//!
//! - `document`: a document as it comes, already taken apart by its mapping
//! - `buffer`: documents in memory until they are sealed; `field`, `term_table`: what it keeps of a field;
//!   `recurring`: values whose tokens are known
//! - `seal`: a buffer becomes a segment
//! - `merge`: segments become one; `merge_terms`, `merge_columns` by kind of data; `merge_policy` decides which
//! - `order`: where documents of sorted indices go
//! - `sort`: sorting in slices
//!
//! Not known here: where bytes are written, when a buffer is full, which operations a document came from.

mod ahead;
mod buffer;
mod document;
mod field;
mod merge;
mod merge_columns;
mod merge_policy;
mod merge_terms;
mod order;
mod recurring;
mod seal;
mod sort;
mod term_table;

#[cfg(test)]
mod tests;

pub use ahead::TextAhead;
pub use buffer::Buffer;
pub use document::{FieldOp, IndexDocument};
pub use merge::{DocMap, merge, merge_in_order};
pub use merge_policy::{MergeSettings, SegmentSize, plan_forced_merge, plan_merges, plan_small_merge};
pub use seal::{seal, seal_in_order};
pub(crate) use sort::sort_paced_by;
