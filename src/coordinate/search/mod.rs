//! Searches: which shards are asked, one message for each core, results reduced, winners fetched, the answer written.
//!
//! - [`targets`](mod@targets): indexes, routing and preference to shards.
//! - [`run`]: the phases. [`limits`]: settings to the bounds that a shard keeps.
//! - [`explain`](mod@explain): the score of one document.
//! - [`failures`]: shards that could not answer, and what that makes of the search.
//!
//! This room does not know what a query means; it never looks into a document.

mod explain;
pub mod failures;
mod limits;
mod run;
mod targets;

pub use explain::{Explained, explain};
pub use run::{SearchOptions, count, search};
pub use targets::{Scope, Target, targets};
