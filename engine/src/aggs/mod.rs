//! Aggregations: a file per kind (parse, collect, reduce, render, tests) and one row each in [`parse`]'s table.
//!
//! - [`parse`]: the request's tree to [`Aggs`].
//! - [`kind`]: the traits a kind implements; [`collector`]: what a shard drives during a search.
//! - [`partial`]: the result of one shard, and its merging; `render` is the kind's.
//! - [`source`]: where the values of a document come from, `places` those of geo fields, `scripted` where a script gives them;
//!   [`format`]: how values are shown.
//!
//! - `doc_counts`: what documents count for.
//! - `profile`: what is spent on aggregations.
//! - `waiting`: documents that wait until it is known which buckets are answered.
//! - `bucket_table`, `ord_counts`, `tally`, `edges`: the tables by which buckets are found and counted.
//!
//! Collection is a column at a time: a batch of ascending doc ids goes down the tree, each with the number of the bucket
//! that owns it, so that no bucket has a hash map of its own. What this room does not know: how the documents were found.

mod accepted;
mod adjacency_matrix;
mod auto_date_collect;
mod auto_date_histogram;
mod bucket_table;
mod cardinality;
mod chosen_terms;
mod closest;
mod collector;
mod composite;
mod composite_key;
mod composite_parents;
mod composite_sources;
mod date_histogram;
mod date_interval;
mod declared;
mod deviation;
mod doc_counts;
mod doc_scores;
mod edges;
mod elsewhere;
mod ended;
mod extended_stats;
mod family;
mod filters;
mod footprint;
mod format;
mod geo_distance;
mod geo_grid;
mod geo_metric;
mod hdr;
mod histogram;
mod histogram_collect;
mod histogram_ranges;
mod hyperloglog;
mod ip_range;
mod keys;
mod kind;
mod matrix_stats;
mod merge_order;
mod metric;
mod multi_terms;
mod named_values;
mod nested;
mod ord_counts;
mod order;
mod parse;
mod partial;
mod percentiles;
mod pipeline;
mod places;
mod profile;
mod range;
mod ranking;
mod rare_terms;
mod reduce_context;
mod rounding;
mod sampler;
mod scripted;
mod scripted_metric;
mod significance;
mod significant_background;
mod significant_terms;
mod significant_text;
mod single;
mod sketch;
mod source;
mod source_config;
mod stats;
mod stats_collect;
mod tally;
mod tdigest;
mod terms;
mod terms_bytes;
mod terms_merge;
mod terms_numbers;
mod top_hits;
mod unmapped;
mod variable_width_histogram;
mod waiting;
mod weighted_avg;

#[cfg(test)]
mod merged_answers;
#[cfg(test)]
mod tests;

pub use collector::Collector;
pub use declared::{declares, makes_object};
pub use parse::{Agg, Aggs, kinds, parse};
pub use partial::{Partial, ShardAggs, join, reduce, render};
pub(crate) use profile::AskedBeside;
