//! From a request to the shards that answer it, and back.
//!
//! - [`core`]: what one core knows of the node: the cluster state, the mesh to the other cores, its own shards.
//!
//! This room does not know HTTP, parameters or how shards keep their documents.

pub mod core;

pub use core::Core;
