//! Ingest pipelines: documents changed by processors before they are indexed.
//!
//! - [`Pipeline`]: read from its configuration by `compile`; [`Pipelines`]: all of them. [`Stats`]: their figures.
//! - [`Run`]: documents through pipelines, with conditions, failures and pipelines in pipelines. [`Trace`]: the record of it.
//! - [`Document`]: fields and metadata; `path`: how fields are named.
//! - `processor`: what a processor is, and the table of kinds; `processors`: a file for each kind.
//! - `config`: settings of processors; `template`: settings with `{{field}}` in them; `script`: conditions and scripts.
//! - [`agents`]: what browsers say of themselves, by lists of regular expressions.
//! - [`allowed`]: which kinds of processors a node may have.
//! - [`grok`]: named patterns to regular expressions; `pattern`: regular expressions of Java's syntax.
//!
//! What this room does not know: indexes, the cluster, who asks for a pipeline, clocks.

pub mod agents;
pub mod allowed;
mod bounds;
mod compile;
mod config;
mod document;
mod foreign;
pub mod grok;
mod path;
mod pattern;
mod pipeline;
mod processor;
mod processors;
mod run;
mod script;
mod stats;
mod template;
mod trace;

#[cfg(test)]
mod tests;

pub(crate) use config::{Config, not_castable};
pub use document::{Document, METADATA};
pub use pattern::Pattern;
pub use pipeline::{Pipeline, Pipelines, Stored};
pub use processor::processor_kinds;
pub(crate) use processors::{
    Granularity, acl_routing_value, decode_url, java_item_order, parse_bytes, parse_json, path_anchor, routing_number,
};
pub use run::{Failure, Flow, Run};
pub(crate) use script::read as read_script;
pub use script::{NoScripts, Scripts};
pub use stats::{Figures, Stats};
pub use trace::{Outcome, Trace, TraceEntry};
