//! `_snapshot`: repositories, and the snapshots in them.
//!
//! - `repositories`: put, get, delete, verify, clean up. `make`: create, clone, delete. `show`: get and status. `bring_back`: restore.
//! - `body`: what their bodies have in common.

use super::Route;

mod body;
mod bring_back;
mod make;
mod repositories;
pub mod show;

pub use body::names;

/// The rows of all families.
pub const ROUTES: &[&[Route]] = &[bring_back::ROUTES, make::ROUTES, repositories::ROUTES, show::ROUTES];
