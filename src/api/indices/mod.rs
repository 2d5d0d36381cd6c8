//! Indexes as a whole: making and deleting them, their mappings, settings, aliases and templates, their upkeep.
//!
//! A file for each family of requests. What they have in common is in [`super::targets`].

use super::Route;

mod aliases;
mod create;
mod delete;
mod get;
mod mapping;
mod open_close;
mod settings;

/// The rows of all families.
pub const ROUTES: &[&[Route]] = &[
    aliases::DELETE_ROUTES,
    aliases::GET_ROUTES,
    aliases::PUT_ROUTES,
    aliases::UPDATE_ROUTES,
    create::ROUTES,
    delete::ROUTES,
    get::ROUTES,
    mapping::GET_ROUTES,
    mapping::PUT_ROUTES,
    open_close::ROUTES,
    settings::GET_ROUTES,
    settings::PUT_ROUTES,
];
