//! Pith: a clustered document search engine that speaks the OpenSearch REST interface.

pub mod api;
pub mod cli;
pub mod cluster;
pub mod coordinate;
mod node;
pub mod notify;
pub mod observe;
pub mod security;
pub mod settings;
pub mod shards;
pub mod store;
pub mod tasks;

/// The `X-OpenSearch-Version` of every response.
pub const VERSION_HEADER: &str = "OpenSearch/3.8.0 (opensearch)";

/// The build of the release whose interface this is; it stands in `Warning` headers.
pub const REFERENCE_BUILD_HASH: &str = "e5a3c5691be87af6c12dbe3e158c59c04ee72973";
