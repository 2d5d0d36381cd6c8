//! `_cat`: the state of things as tables for people.
//!
//! A file for each table, or for a few small ones that tell of the same. `table` makes text or JSON of columns and cells;
//! `list` shows some of them page by page. `statistics` holds the columns of shard statistics that several tables have.

use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndexMeta;
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::java_order::sort_by_slot;
use std::rc::Rc;
use std::sync::Arc;

mod aliases;
mod cluster;
mod count;
mod fielddata;
mod indices;
pub mod list;
mod nodes;
mod recovery;
mod segment_replication;
mod segments;
mod shards;
mod snapshots;
mod statistics;
pub mod table;
mod tasks;
mod templates;
pub mod thread_pool;

/// The rows of all tables.
pub const ROUTES: &[&[Route]] = &[
    LIST_ROUTES,
    aliases::ROUTES,
    cluster::ROUTES,
    count::ROUTES,
    fielddata::ROUTES,
    indices::ROUTES,
    list::ROUTES,
    nodes::ROUTES,
    recovery::ROUTES,
    segment_replication::ROUTES,
    segments::PIT_ROUTES,
    segments::ROUTES,
    shards::ROUTES,
    tasks::ROUTES,
    snapshots::ROUTES,
    templates::ROUTES,
    thread_pool::ROUTES,
];

/// Puts indexes in the order in which the reference has them, where nobody asked for another.
fn as_hashed(indexes: &mut [Arc<IndexMeta>]) {
    sort_by_slot(indexes, |index| &index.name);
}

const LIST_ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_cat",
    name: "cat_action",
    params: &[],
    handler: |core, request| Box::pin(list(core, request)),
}];

/// The tables that there are, as the reference lists them.
const LISTED: &[&str] = &[
    "/_cat/allocation",
    "/_cat/segment_replication",
    "/_cat/segment_replication/{index}",
    "/_cat/shards",
    "/_cat/shards/{index}",
    "/_cat/cluster_manager",
    "/_cat/nodes",
    "/_cat/tasks",
    "/_cat/indices",
    "/_cat/indices/{index}",
    "/_cat/segments",
    "/_cat/segments/{index}",
    "/_cat/count",
    "/_cat/count/{index}",
    "/_cat/recovery",
    "/_cat/recovery/{index}",
    "/_cat/health",
    "/_cat/pending_tasks",
    "/_cat/aliases",
    "/_cat/aliases/{alias}",
    "/_cat/thread_pool",
    "/_cat/thread_pool/{thread_pools}",
    "/_cat/plugins",
    "/_cat/fielddata",
    "/_cat/fielddata/{fields}",
    "/_cat/nodeattrs",
    "/_cat/repositories",
    "/_cat/snapshots/{repository}",
    "/_cat/templates",
    "/_cat/pit_segments",
    "/_cat/pit_segments/{pit_id}",
];

async fn list(_core: Rc<Core>, _request: ApiRequest) -> Result<Reply> {
    let mut text = "=^.^=\n".to_owned();
    for path in LISTED {
        text.push_str(path);
        text.push('\n');
    }
    Ok(Reply::text(200, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path without the names of its parameters.
    fn shape(path: &str) -> String {
        path.split('/').map(|part| if part.starts_with('{') { "*" } else { part }).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn what_is_listed_is_there() {
        let routed: Vec<String> = ROUTES.iter().copied().flatten().map(|route| shape(route.path)).collect();
        // Points in time are named in a body.
        for path in LISTED.iter().filter(|path| !path.ends_with("{pit_id}")) {
            assert!(routed.contains(&shape(path)), "{path}");
        }
    }
}
