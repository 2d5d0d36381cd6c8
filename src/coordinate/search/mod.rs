//! Searches: which shards are asked, one message for each core, results reduced, winners fetched, the answer written.
//!
//! - [`targets`](mod@targets): indexes, routing and preference to shards.
//! - `asked`: the shards and the point in time that a search reads. `contexts`, `context_id`: scrolls and points in time; `foreign_scroll`: what clients know of those of a node of the reference.
//! - [`run`]: the phases. `fetching`: the documents of what was found. `expand`: the inner hits of collapsed hits. `answer`: all that is shown. [`limits`]: settings to the bounds that a shard keeps.
//! - [`explain`](mod@explain): the score of one document. [`validate`](mod@validate): what a query comes to.
//! - [`lookups`]: documents that queries name. `gather`: the statistics of all shards. `pipelined`: search pipelines.
//! - `off_core`: merging and writing that take long. [`failures`]: shards that could not answer, and what that makes of the search.
//!
//! This room does not know what a query means; it never looks into a document.

mod answer;
mod asked;
mod context_id;
mod contexts;
mod expand;
mod explain;
pub mod failures;
mod fetching;
mod field_caps;
mod foreign_scroll;
mod gather;
mod limits;
mod lookups;
mod off_core;
mod phases;
mod pipelined;
mod prefilter;
mod run;
mod targets;
mod validate;

pub use answer::Answer;
pub use contexts::{
    Created, check_point_in_time, delete_points_in_time, free_scrolls, indexes_of_point_in_time, open_point_in_time,
    points_in_time, scroll, scroll_parts,
};
pub use explain::{Explained, explain};
pub use field_caps::{FieldCapsAsk, field_caps};
pub use limits::{KnownLimits, limits};
pub use phases::{PhaseCounters, PhasesFigures};
pub use run::{SearchOptions, count, search, search_parts, search_piped_parts};
pub use targets::{Copies, Preference, Scope, Target, Targets, targets, targets_behind};
pub use validate::{Described, validate};
