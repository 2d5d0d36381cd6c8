//! Snapshots: indexes and the cluster's metadata kept in a folder outside the data folder, and brought back.
//!
//! - `info`: what is known of a snapshot, and the index of a repository. `repositories`: where a repository is, and whose turn it is.
//! - `create`, `delete` (with clone and clean-up), `restore`: what is done. `show`: what there is.
//!
//! This room does not know how files lie in a repository, nor HTTP.

mod create;
mod delete;
mod info;
mod repositories;
mod restore;
mod show;

pub use create::{CreateSnapshot, Created, create};
pub use delete::{CloneSnapshot, clean_up, clone, delete};
pub use info::{IndexFiles, ShardFailure, SnapshotInfo};
pub use repositories::{check_location, check_name, check_settings, verify};
pub use restore::{RestoreSnapshot, Restored, restore};
pub use show::{Shown, current, list, missing, status};

/// What a clean-up took away, for those who ask through this room.
pub use crate::shards::repository::{Removed, ShardManifest};
