//! Indexes as a whole: making and deleting them, their mappings, settings, aliases and templates, their upkeep.
//!
//! A file for each family of requests. What they have in common is in [`super::targets`].

use super::Route;

mod alias_actions;
pub mod aliases;
mod blocks;
mod body_places;
mod create;
pub mod data_streams;
mod delete;
mod field_defaults;
mod field_mapping;
mod get;
mod mapping;
mod open_close;
pub mod recovery;
mod resize;
mod resolve;
mod rollover;
pub mod segments;
mod settings;
mod shard_stores;
mod simulate;
pub mod stats;
pub mod stats_sections;
mod stream_modify;
mod template_fields;
mod template_names;
pub mod templates;
mod upgrade;
mod upkeep;
mod validate_query;

pub use create::expected_object;

/// The rows of all families.
pub const ROUTES: &[&[Route]] = &[
    aliases::DELETE_ROUTES,
    aliases::GET_ROUTES,
    aliases::PUT_ROUTES,
    aliases::UPDATE_ROUTES,
    blocks::ROUTES,
    create::ROUTES,
    data_streams::ROUTES,
    delete::ROUTES,
    field_mapping::ROUTES,
    get::ROUTES,
    mapping::GET_ROUTES,
    mapping::PUT_ROUTES,
    open_close::ROUTES,
    recovery::ROUTES,
    resize::ROUTES,
    resolve::ROUTES,
    rollover::ROUTES,
    segments::ROUTES,
    settings::GET_ROUTES,
    settings::PUT_ROUTES,
    shard_stores::ROUTES,
    simulate::ROUTES,
    stats::ROUTES,
    stream_modify::ROUTES,
    templates::COMPONENT_DELETE,
    templates::COMPONENT_GET,
    templates::COMPONENT_PUT,
    templates::INDEX_DELETE,
    templates::INDEX_GET,
    templates::INDEX_PUT,
    templates::LEGACY_DELETE,
    templates::LEGACY_GET,
    templates::LEGACY_PUT,
    upgrade::GET_ROUTES,
    upgrade::POST_ROUTES,
    validate_query::ROUTES,
    upkeep::CLEAR_CACHE_ROUTES,
    upkeep::FLUSH_ROUTES,
    upkeep::SYNCED_FLUSH_ROUTES,
    upkeep::FORCE_MERGE_ROUTES,
    upkeep::REFRESH_ROUTES,
];
