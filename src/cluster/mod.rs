//! The cluster's metadata: one immutable state, and the changes to it.
//!
//! - [`State`], [`IndexMeta`]: what all nodes agree on. [`Templates`]: what new indexes begin with.
//! - [`Change`], [`apply`]: the only way to a next state; a file for each kind of change (`create`, `delete`, `mappings`,
//!   `index_settings`, `aliases`, `open_close`, `cluster_settings`, `templates`, `pipelines`, `search_pipelines`, `voting`, `weights`, `views`).
//! - [`DataStream`]: a name for a row of indexes; `stream_members`: taking indexes in by hand. `rollover`: the next index of an alias or of a stream.
//! - [`Resize`]: an index made of another; [`Seed`]: where its documents come from.
//! - [`Repository`]: where snapshots are kept. [`Restore`]: indexes that come back from one.
//! - [`resolve`] and its kin: index expressions to indexes; `date_name`: date math in names; `names`: which names are valid.
//! - [`shard_of`]: documents to shards. `place`: shards to cores.
//! - [`ShardCopy`]: where a copy is in its life. [`allocation`]: which of them may be opened now, as the [`deciders`] say;
//!   `node_filters`: settings that name nodes. [`reroute`]: the same by hand.
//! - [`health`], [`blocks`]: what is active, what is forbidden. [`BREAKERS`]: how much memory the settings allow.
//! - `encode`: the state as bytes that survive a restart.
//!
//! What this room does not know: files, clocks, tasks, other cores. Time and ids come in as arguments; opening and closing
//! shards is for whoever applies a change.

mod aliases;
pub mod allocation;
pub mod blocks;
mod breakers;
mod change;
mod cluster_settings;
mod copy;
mod create;
mod data_streams;
mod date_name;
pub mod deciders;
mod delete;
mod encode;
pub mod health;
mod index_settings;
mod mappings;
mod meta;
mod names;
mod node_filters;
mod open_close;
mod pipelines;
mod place;
mod repositories;
pub mod reroute;
mod resize;
mod resolve;
mod restore;
mod rollover;
mod routing;
mod scripts;
mod search_pipelines;
mod security;
mod seed;
mod state;
mod stream_members;
mod system;
mod template_mappings;
mod templates;
pub mod views;
pub mod voting;
mod watermarks;
pub mod weights;

#[cfg(test)]
mod tests;

pub use crate::settings::ActiveShards;
pub use aliases::{AliasChange, check_alias, check_filter, check_filter_of};
pub use blocks::BlockLevel;
pub use breakers::{BREAKERS, breaker_bytes, breaker_overhead};
pub use change::{ApplyContext, Change, CreateIndex, Outcome, apply};
pub use copy::{AllocationStatus, CopyState, RecoverySource, ShardCopy, UnassignedInfo, UnassignedReason};
pub use create::check_no_stream;
pub use data_streams::{DEFAULT_TIMESTAMP, DataStream, check_unwritten};
pub use encode::{decode, encode, global_to_value, index_to_value, stream_from_value, stream_value as stream_to_value};
pub use health::{Health, Status, has_active};
pub use mappings::take_long;
pub use meta::{AliasMeta, IndexMeta, IndexState, VERSION_CREATED};
pub use names::{check_auto_create, check_new_index_name, check_not_reserved, invalid_index_name};
pub use open_close::{check_closing, restarted};
pub use pipelines::PutPipeline;
pub use repositories::{Repository, RepositoryWork, URL as URL_REPOSITORY, WorkKind, missing as repository_missing};
pub use resize::{Origin, Resize, ResizeKind, check_resize, shards_for_size};
pub use resolve::{
    IndicesOptions, Resolved, closed, is_all, named_for_write, resolve, resolve_read, resolve_search, resolve_streams,
    resolve_write, single_name, single_not_found, write_routing, write_target,
};
pub use restore::{Restore, RestoreIndex};
pub use rollover::{Rollover, RolloverTarget, next_name};
pub use routing::{shard_of, shards_of_routing};
pub use scripts::{Scripts, StoredScript};
pub use search_pipelines::PutSearchPipeline;
pub use security::PutSecurity;
pub use seed::{Seed, SnapshotSeed};
pub use state::{IndexId, Node, ShardId, State, Tombstone, is_secured};
pub use stream_members::StreamMember;
pub use system::SYSTEM_INDEXES;
pub use templates::{
    ComponentTemplate, IndexTemplate, LegacyTemplate, Pattern, Template, TemplateBody, TemplateContent, TemplateKind,
    Templates, check_index_template, composed_mapping, invalid_mappings, legacy_overlapping, matching_index_template,
    missing as template_missing, not_composable, overlapping, pattern_for, pattern_of_template, simulate,
    template_settings,
};
pub use views::{View, ViewChange, Views};
pub use voting::VotingExclusion;
pub use weights::{Weights, WeightsChange};
