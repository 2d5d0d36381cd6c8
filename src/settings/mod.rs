//! Settings: what there is to set, and what it is set to.
//!
//! - [`Settings`], [`SettingsUpdate`]: flat keys with values, and changes to them.
//! - `index_table`, `cluster_table`, `idle_table` (what has no effect here): one row for each setting: key, kind, default, when it may change, one line of
//!   documentation. [`Row`] checks values in the reference's words; `checks` holds the forms that only one setting has.
//! - `check`: whole sets of settings, for indexes that are made or changed; `beside`: what settings need beside them.
//! - [`config_files`]: the files beside the configuration that settings of analysis name.
//! - [`units`]: time values and sizes in bytes.
//!
//! What this room does not know: what any setting does. Whoever obeys one reads it by its key.

mod active_shards;
mod beside;
mod check;
mod checks;
mod cluster_table;
mod config_files;
mod idle_table;
mod index_table;
mod map;
mod row;
pub mod units;

pub use active_shards::ActiveShards;
pub use beside::check_virtual_shards;
pub use check::{
    check_index, check_index_update, check_new_index, check_not_private, check_one, check_similarities,
    cluster_setting, index_setting, is_final_of_index, is_kept, is_static_of_index, mapping_settings, note_deprecated,
};
pub use cluster_table::CLUSTER_SETTINGS;
pub use config_files::{ConfigFolder, config_files};
pub use idle_table::IDLE_SETTINGS;
pub use index_table::INDEX_SETTINGS;
pub use map::{Setting, Settings, SettingsUpdate, glob, is_value, only_values};
pub use row::{Kind, Mode, Row};
