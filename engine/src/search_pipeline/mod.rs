//! Search pipelines: requests changed before they are searched, answers changed before they are shown.
//!
//! - [`Pipeline`]: read from its configuration; [`Pipelines`]: all of them. `step`: a processor with its options and figures,
//!   and the tables of kinds; `processors`: a file for each kind.
//! - [`Run`]: one search on its way through a pipeline; [`Hit`], [`Hits`]: what answers consist of as processors see them.
//! - `record`: what a verbose run tells of each step.
//!
//! What this room does not know: indexes, the cluster, who asks for a pipeline, clocks (one comes in as a function).

mod hits;
mod pipeline;
mod processors;
mod record;
mod run;
mod step;

#[cfg(test)]
mod tests;

pub use hits::{Hit, Hits};
pub use pipeline::{Pipeline, Pipelines, Stored};
pub use record::Records;
pub use run::Run;
pub use step::{request_kinds, response_kinds};
