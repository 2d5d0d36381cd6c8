//! The processors, a file for each kind: what it reads of its configuration, and what it does to a document.
//!
//! `string`: what those that change texts have in common. `murmur`: hashes of the processors that make routing values.
//!
//! What this room does not know: conditions, failures and the order of steps (see `run`).

pub(super) mod acl_routing;
pub(super) mod append;
pub(super) mod bytes;
pub(super) mod case;
pub(super) mod community_id;
pub(super) mod convert;
pub(super) mod copy;
pub(super) mod csv;
pub(super) mod date;
pub(super) mod date_index_name;
mod date_input;
mod date_names;
pub(super) mod dissect;
pub(super) mod dot_expander;
pub(super) mod drop;
pub(super) mod fail;
pub(super) mod fingerprint;
pub(super) mod foreach;
pub(super) mod grok;
pub(super) mod gsub;
pub(super) mod hierarchical_routing;
pub(super) mod html_strip;
pub(super) mod join;
pub(super) mod json;
pub(super) mod kv;
mod murmur;
pub(super) mod pipeline;
pub(super) mod remove;
pub(super) mod remove_by_pattern;
pub(super) mod rename;
pub(super) mod script;
pub(super) mod set;
pub(super) mod sort;
pub(super) mod split;
pub(super) mod split_to_fields;
mod string;
pub(super) mod temporal_routing;
pub(super) mod trim;
pub(super) mod urldecode;
pub(super) mod user_agent;

/// What scripts can call too.
pub(crate) use acl_routing::acl_routing_value;
pub(crate) use bytes::parse as parse_bytes;
pub(crate) use hierarchical_routing::path_anchor;
pub(crate) use json::parse as parse_json;
pub(crate) use murmur::routing_number;
pub(crate) use sort::order as java_item_order;
pub(crate) use temporal_routing::Granularity;
pub(crate) use urldecode::decode as decode_url;
