//! `_nodes/usage`: how often each kind of request was asked for.

use super::super::{ApiRequest, Method, Reply, Route};
use super::is_chosen;
use crate::coordinate::{Core, clock};
use pith_engine::json::Writer;
use pith_engine::{Error, Result};
use std::collections::BTreeMap;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "nodes_usage_action",
        params: &[&["timeout"]],
        handler: |core, request| Box::pin(usage(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    row("/_nodes/usage"),
    row("/_nodes/{nodeId}/usage"),
    row("/_nodes/usage/{metric}"),
    row("/_nodes/{nodeId}/usage/{metric}"),
];

/// Handlers that the reference calls otherwise than `<name>_action`.
const NAMES: &[(&str, &str)] = &[
    ("scroll", "search_scroll_action"),
    ("field_caps", "field_capabilities_action"),
    ("index", "document_index_action"),
    ("get", "document_get_action"),
    ("get_source", "document_get_source_action"),
    ("create", "document_create_action"),
    ("update", "document_update_action"),
    ("delete", "document_delete_action"),
    ("mget", "document_mget_action"),
    ("term_vectors", "document_term_vectors_action"),
    ("multi_term_vectors", "document_multi_term_vectors_action"),
    ("cat_nodeattrs_action", "cat_node_attrs_action"),
    ("delete_all_pits", "delete_pit_action"),
    ("get_all_pits", "get_all_pit_action"),
    ("delete_by_query_rethrottle", "rethrottle_action"),
    ("reindex_rethrottle", "rethrottle_action"),
    ("update_by_query_rethrottle", "rethrottle_action"),
    ("list_dangling_indices", "list_dangling_indices"),
    ("import_dangling_index", "import_dangling_index"),
    ("delete_dangling_index", "delete_dangling_index"),
    ("put_script", "put_stored_script_action"),
    ("get_script", "get_stored_scripts_action"),
    ("delete_script", "delete_stored_script_action"),
    ("get_script_contexts", "script_context_action"),
    ("get_script_languages", "script_language_action"),
    ("scripts_painless_execute", "_scripts_painless_execute"),
    ("scripts_painless_context", "_scripts_painless_context"),
    ("index_aliases_action", "indices_aliases_action"),
    ("ingest_processor_grok_get", "ingest_processor_grok_get"),
    ("msearch_template", "multi_search_template_action"),
    ("remote_store_stats", "remote_store_stats"),
    ("remote_store_metadata", "remote_store_metadata"),
    ("wlm_stats_list", "wlm_stats_list"),
    ("search_shards", "cluster_search_shards_action"),
    ("tasks.list", "list_tasks_action"),
    ("tasks.get", "get_task_action"),
    ("tasks.cancel", "cancel_tasks_action"),
];

async fn usage(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("NodesUsageRequest", "timeout")?;
    let metrics = request.list("metric");
    if metrics.len() > 1 && metrics.contains(&"_all") {
        return Err(Error::illegal_argument(format!(
            "request [{}] contains _all and individual metrics [{}]",
            request.path,
            request.param("metric").unwrap_or_default()
        )));
    }
    let wants = |metric: &str| metrics.is_empty() || metrics.contains(&"_all") || metrics.contains(&metric);
    let chosen = is_chosen(&core.state(), core.node_id(), request.param("nodeId").unwrap_or("_all"));
    let count = u64::from(chosen);
    let mut w = Writer::new();
    w.begin_object().key("_nodes").begin_object().key("total").u64(count).key("successful").u64(count);
    w.key("failed").u64(0).end_object();
    w.key("cluster_name").string(&core.state().cluster_name).key("nodes").begin_object();
    if chosen {
        w.key(core.node_id()).begin_object();
        w.key("timestamp").i64(clock::now_ms()).key("since").u64(core.facts()?.started_ms);
        if wants("rest_actions") {
            w.key("rest_actions").begin_object();
            for (name, count) in counts(&core).await? {
                w.key(&name).u64(count);
            }
            w.end_object();
        }
        w.end_object();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

/// How often each handler was asked, by the reference's name of it.
async fn counts(core: &Core) -> Result<BTreeMap<String, u64>> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for figures in core.figures().await? {
        for (name, count) in figures.requests {
            *counts.entry(reference_name(name)).or_default() += count;
        }
    }
    Ok(counts)
}

fn reference_name(name: &str) -> String {
    match NAMES.iter().find(|(own, _)| *own == name) {
        Some((_, theirs)) => (*theirs).to_owned(),
        None if name.ends_with("_action") || name.contains("views") => name.to_owned(),
        None => format!("{}_action", name.replace('.', "_")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_called_as_the_reference_calls_them() {
        let names = ["search", "scroll", "nodes_usage_action", "tasks.list", "get"].map(reference_name);
        let expected =
            ["search_action", "search_scroll_action", "nodes_usage_action", "list_tasks_action", "document_get_action"];
        assert_eq!(names, expected);
    }
}
