//! Pipeline aggregations: computed from the merged results of other aggregations, on the core that answers.
//!
//! - [`table`]: one row per kind, and the parameters that all of them have.
//! - [`path`]: `buckets_path`: from a level of the tree to numbers.
//! - [`check`]: what a path may name, and in which order pipelines are computed.
//! - [`run`]: the walk over the merged results.
//! - `refusal`: what is wrong with parameters.
//! - `bucket_metrics`, `bucket_percentiles`: siblings: one result beside the buckets they look at.
//! - `derivative`, `cumulative_sum`, `serial_diff`, `bucket_script`, `moving_fn`, `moving_avg`, `bucket_sort`: parents: a result in each bucket, or other buckets.
//!
//! A bucket's pipeline results stand behind those of its sub-aggregations, in the order in which they are computed. What this
//! room does not know: shards and documents.

mod bucket_metrics;
mod bucket_percentiles;
mod bucket_script;
mod bucket_sort;
mod check;
mod cumulative_sum;
mod derivative;
mod moving_avg;
mod moving_fn;
mod path;
mod refusal;
mod run;
mod serial_diff;
mod table;
mod value;

pub(crate) use check::check_and_order;
pub(crate) use run::{check_formats, run};
pub(crate) use table::{PIPELINES, Pipeline, parse};
pub(crate) use value::{PipelineValue, render};
