//! The REST interface: from an HTTP request to a reply.
//!
//! - [`route`]: the table of routes and how a path finds its row.
//! - [`request`]: what a handler is given: parameters with typed getters, and the body.
//! - [`params`]: query strings, percent-escapes, booleans, numbers and time values, with the reference's errors.
//! - [`unknown`]: the error for parameters that a route does not know; `values`: what is told of the others before that.
//! - [`body`]: content types, and bodies that are not JSON; `binary`: those that are not text.
//! - [`reply`]: what a handler gives back.
//! - [`serve`]: the way of one request through all of them. `authenticate`: who sends it. `permissions`: what it needs to be allowed.
//!   `door`: what is refused before anything is made of it.
//!
//! Each family of the interface is one file: its rows in the table, the parsing of its parameters, its answers. A
//! family calls `coordinate` to get things done. This room does not know where shards live, how cores talk or how
//! anything is stored.

mod actions;
mod analyze;
mod authenticate;
mod background;
mod binary;
pub mod body;
mod bulk;
mod bulk_lines;
mod by_query;
mod cat;
mod cluster;
mod count;
mod dangling;
mod document;
mod door;
mod explain;
mod field_caps;
mod get_document;
pub mod index_options;
pub mod indices;
mod ingest;
mod ingest_simulate;
mod metrics;
mod mget;
mod msearch;
mod nodes;
mod notifications;
mod painless;
pub mod params;
mod permissions;
mod point_in_time;
mod rank_eval;
mod reindex;
mod reindex_remote;
mod remote_store;
pub mod reply;
pub mod request;
mod root;
pub mod route;
mod script_contexts;
mod scripts;
mod scroll;
mod search;
mod search_cache;
mod search_pipelines;
mod search_shards;
mod search_template;
mod security;
pub mod serve;
mod snapshots;
pub mod targets;
mod tasks;
mod term_vectors;
mod trace;
pub mod unknown;
mod update;
mod values;
mod views;
mod wlm;
mod write_document;

pub use reply::Reply;
pub use request::ApiRequest;
pub use route::{Handler, Method, Route, Router};

/// Every route of the interface, family by family.
pub fn routes(is_secured: bool) -> Vec<&'static [Route]> {
    let mut routes = vec![
        analyze::ROUTES,
        bulk::ROUTES,
        by_query::ROUTES,
        count::ROUTES,
        dangling::ROUTES,
        explain::ROUTES,
        field_caps::ROUTES,
        get_document::ROUTES,
        ingest::ROUTES,
        metrics::ROUTES,
        mget::ROUTES,
        msearch::ROUTES,
        notifications::ROUTES,
        painless::ROUTES,
        point_in_time::ROUTES,
        reindex::ROUTES,
        remote_store::ROUTES,
        root::ROUTES,
        script_contexts::ROUTES,
        scripts::ROUTES,
        scroll::ROUTES,
        search::ROUTES,
        search_pipelines::ROUTES,
        search_shards::ROUTES,
        rank_eval::ROUTES,
        search_template::ROUTES,
        tasks::ROUTES,
        term_vectors::ROUTES,
        update::ROUTES,
        views::ROUTES,
        wlm::ROUTES,
        write_document::ROUTES,
    ];
    routes.extend(cat::ROUTES);
    routes.extend(cluster::ROUTES);
    routes.extend(indices::ROUTES);
    routes.extend(nodes::ROUTES);
    // Without security nobody knows its paths, as where the plugin is not there.
    if is_secured {
        routes.extend(security::ROUTES);
    }
    routes.extend(snapshots::ROUTES);
    routes
}
