//! A node: everything wired together, from its configuration to its end.
//!
//! - [`Config`]: file, flags and defaults to one set of values. `data_folder`: the lock, the node's id, where things are.
//! - `config_folder`: the files beside the configuration file.
//! - `start`: from a configuration to executors that serve. `core_loop`: what runs on each core. `http`: between the
//!   wire and the interface. `transport`: the port for other nodes.
//!   `tls`: certificates and keys from the files that the settings name.
//! - `cluster_loop`: changes of the metadata, one at a time, on core 0. `metadata`: the file that keeps them. `memory`: bounds
//!   that follow its settings. `disk_monitor`: no more writes to a disk that is nearly full.
//!   `reconcile`: a core's shards made to agree with a new state.
//!
//! This room imports everything, and nothing but the command line imports it.

mod agent_files;
mod cluster_loop;
mod config;
mod config_folder;
mod core_loop;
mod data_folder;
mod disk_monitor;
mod http;
mod memory;
mod metadata;
mod processors;
mod reconcile;
#[cfg(test)]
mod simulated;
mod start;
mod tls;
mod transport;

pub use config::{Config, ConfigSources};
pub use start::run;
