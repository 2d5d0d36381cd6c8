//! The cluster as a whole: health, state, settings, statistics.

use super::Route;

mod health;
mod pending_tasks;
pub mod routing;
mod settings;
mod state;
mod stats;

/// The rows of all families.
pub const ROUTES: &[&[Route]] =
    &[health::ROUTES, pending_tasks::ROUTES, settings::GET_ROUTES, settings::PUT_ROUTES, state::ROUTES, stats::ROUTES];
