//! The cluster as a whole: health, state, settings, statistics.

use super::Route;

mod allocation_explain;
mod analysis_stats;
mod awareness;
mod cluster_info;
mod health;
mod pending_tasks;
mod remote_info;
mod reroute;
pub mod routing;
mod settings;
mod state;
mod stats;
mod voting;

/// The rows of all families.
pub const ROUTES: &[&[Route]] = &[
    allocation_explain::ROUTES,
    awareness::ROUTES,
    health::ROUTES,
    pending_tasks::ROUTES,
    remote_info::ROUTES,
    reroute::ROUTES,
    settings::GET_ROUTES,
    settings::PUT_ROUTES,
    state::ROUTES,
    stats::ROUTES,
    voting::ROUTES,
];
