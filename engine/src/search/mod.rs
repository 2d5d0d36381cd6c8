//! Searches: the request, its execution on one shard in slices, the reduce over shards, the fetching of hits, the response.
//!
//! - [`SearchRequest`]: body and URL parameters, parsed once and shared by all shards (`request`, `asked_fields`, `sort_parse`, `source`).
//! - [`ShardSearch`]: a resumable state machine over the segments and windows of one shard ([`Budget`], [`Step`]).
//!   `begin` answers what needs none.
//!   `stretch` are its steps; `top_sorted` keeps the best hits by sort values, `sort_keys` reads those values, of
//!   which `sort_values` makes one for each document, `sort_points` and `sort_windows` find the best of them without reading all.
//! - [`reduce()`]: the results of all shards to one list. [`FetchTask`]: hits to JSON. [`write_response`]: the whole answer.
//! - [`PipelineChoice`]: what a request says of search pipelines.
//! - [`Template`]: search templates.
//! - `collapse`: the best hit of each group; `leaders`: groups from the best hits alone.
//! - `profiling`: where the time of a search goes.
//! - [`Suggest`]: other spellings, and ends of what was begun.
//! - `highlight`: the parts of texts that the query matches.
//! - [`term_vectors`]: the terms of one document. `gather`: what the scores of several shards go by together.
//! - [`explain`]: one document of one shard.
//!
//! What this room does not know: which shards there are and how they are reached, HTTP, the kinds of queries and
//! aggregations.

mod approximated;
mod asked_beside;
mod asked_fields;
mod begin;
mod budget;
mod can_match;
mod check;
mod collapse;
mod counted_beforehand;
mod early_end;
mod explain;
mod fetch;
mod fielddata;
mod finish;
mod gather;
mod geo_sort;
mod highlight;
mod inner_hits;
mod leaders;
mod mixed_sort;
mod mustache;
mod nested_place;
mod nested_sort;
mod params;
mod parts;
mod pipelined;
mod profiling;
mod reader;
mod reduce;
mod request;
mod rescore;
mod response;
mod result;
mod script_fields;
mod script_sort;
mod shard_search;
mod sort_keys;
pub(crate) mod sort_parse;
mod sort_points;
mod sort_source;
mod sort_unmapped;
mod sort_values;
mod sort_windows;
mod source;
mod stretch;
mod stride;
mod suggest;
mod term_vectors;
mod top_sorted;

#[cfg(test)]
mod answers;
#[cfg(test)]
mod derived_answers;
#[cfg(test)]
mod described;
#[cfg(test)]
mod found_answers;
#[cfg(test)]
mod layouts;
#[cfg(test)]
mod marked_answers;
#[cfg(test)]
mod option_answers;
#[cfg(test)]
mod refused_answers;
#[cfg(test)]
mod request_answers;
#[cfg(test)]
mod similarity_answers;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod text_answers;

pub use asked_fields::DocValueField;
pub use begin::Begun;
pub use budget::{Budget, Step};
pub use can_match::{CanMatch, SortBounds, can_match, query_can_match};
pub(crate) use check::index_boost;
pub use check::{before_suggestions, check_sort, check_unsearched};
pub use collapse::Collapse;
pub use explain::explain;
pub use fetch::{FetchTask, fetch_all, views_of, write_stored};
pub(crate) use fielddata::{check_fielddata, lacks_fielddata, not_castable};
pub use fielddata::{load_fielddata, wanted_fielddata};
pub use gather::gather;
pub use highlight::Highlight;
pub use inner_hits::InnerHits;
pub use mustache::Template;
pub use params::URL_PARAMS;
pub use parts::Part;
pub use pipelined::PipelineChoice;
pub use reader::{PointInTime, Slice};
pub use reduce::{Reduced, compare as compare_hits, reduce, reduce_weight};
pub use request::{SearchRequest, TotalHits};
pub use rescore::Rescore;
pub(crate) use rescore::RescoreTask;
pub use response::{ShardFailure, ShardsHeader, write_body, write_hits, write_response};
pub use result::{ShardHit, ShardResult, SortValue};
pub use script_fields::ScriptField;
pub use shard_search::{Reads, ShardScope, ShardSearch};
pub use sort_parse::{FieldSort, Missing, Mode, NumericType, Sort, SortBy};
pub(crate) use sort_parse::{ID_FIELDDATA_DEPRECATED, simplified};
pub use source::{SourceSpec, StoredFields};
pub use suggest::{ShardSuggestions, Suggest, SuggestTask, Suggested};
pub use term_vectors::{TermVectorsRequest, analyzer_named_for, named_analyzers, term_vectors};
pub use top_sorted::TopSorted;

pub use crate::query::{SearchLimits, ShardContext};
