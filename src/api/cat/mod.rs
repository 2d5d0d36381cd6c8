//! `_cat`: the state of things as tables for people.
//!
//! A file for each table, or for a few small ones that tell of the same. `table` makes text or JSON of columns and cells;
//! `statistics` holds the columns of shard statistics that several tables have.

use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use pith_engine::Result;
use std::rc::Rc;

mod aliases;
mod cluster;
mod count;
mod indices;
mod nodes;
mod recovery;
mod segments;
mod shards;
mod snapshots;
mod statistics;
pub mod table;
mod tasks;
mod templates;
mod thread_pool;

/// The rows of all tables.
pub const ROUTES: &[&[Route]] = &[
    LIST_ROUTES,
    aliases::ROUTES,
    cluster::ROUTES,
    count::ROUTES,
    indices::ROUTES,
    nodes::ROUTES,
    recovery::ROUTES,
    segments::ROUTES,
    shards::ROUTES,
    tasks::ROUTES,
    snapshots::ROUTES,
    templates::ROUTES,
    thread_pool::ROUTES,
];

const LIST_ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_cat",
    name: "cat_action",
    params: &[table::TABLE_PARAMS],
    handler: |core, request| Box::pin(list(core, request)),
}];

/// The tables that there are.
async fn list(_core: Rc<Core>, _request: ApiRequest) -> Result<Reply> {
    let mut text = "=^.^=\n".to_owned();
    for route in ROUTES.iter().copied().flatten().filter(|route| route.path != "/_cat") {
        text.push_str(route.path);
        text.push('\n');
    }
    Ok(Reply::text(200, text))
}
