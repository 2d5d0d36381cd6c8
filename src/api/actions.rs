//! What the tasks of requests are called: the reference's action of each route.

use super::ApiRequest;
use crate::tasks::{Description, NewTask};

/// The task of a request; none for those that begin one of their own, which may outlive the request.
pub fn task_of(request: &ApiRequest) -> Option<NewTask> {
    let name = request.route.name;
    let opaque_id = request.opaque_id.as_deref().map(Into::into);
    let task = NewTask::request(action(name), opaque_id);
    Some(match name {
        "update_by_query" | "delete_by_query" | "reindex" => return None,
        "search" | "search_template" => task.cancellable().described(Description::Search {
            indexes: request.param("index").unwrap_or_default().to_owned(),
            body: request.body.clone(),
        }),
        name if CANCELLABLE.contains(&name) => task.cancellable(),
        _ => task,
    })
}

/// Routes whose work stops early when its task is cancelled.
const CANCELLABLE: &[&str] = &["count", "msearch", "msearch_template", "notifications_send_test", "scroll"];

/// Routes whose work is for the client alone: it ends when the client is gone.
pub fn ends_with_client(name: &str) -> bool {
    matches!(name, "search" | "search_template") || CANCELLABLE.contains(&name)
}

/// The action of a route; routes that are one action with several forms share it.
fn action(name: &str) -> &'static str {
    match name {
        "search" | "search_template" | "render_search_template" | "count" | "cat_count_action" => {
            "indices:data/read/search"
        }
        "msearch" | "msearch_template" => "indices:data/read/msearch",
        "scroll" => "indices:data/read/scroll",
        "clear_scroll" => "indices:data/read/scroll/clear",
        "create_pit" => "indices:data/read/point_in_time/create",
        "delete_pit" | "delete_all_pits" => "indices:data/read/point_in_time/delete",
        "get_all_pits" => "indices:data/read/point_in_time/readall",
        "explain" => "indices:data/read/explain",
        "field_caps" => "indices:data/read/field_caps",
        "rank_eval" => "indices:data/read/rank_eval",
        "get" | "get_source" => "indices:data/read/get",
        "mget" => "indices:data/read/mget",
        "bulk" | "streaming_bulk_action" | "index" | "create" | "delete" => "indices:data/write/bulk",
        "update" => "indices:data/write/update",
        "update_by_query_rethrottle" | "delete_by_query_rethrottle" | "reindex_rethrottle" => {
            "cluster:admin/reindex/rethrottle"
        }
        "tasks.list" | "cat_tasks_action" => "cluster:monitor/tasks/lists",
        "tasks.get" => "cluster:monitor/task/get",
        "tasks.cancel" => "cluster:admin/tasks/cancel",
        "analyze" => "indices:admin/analyze",
        "validate_query" => "indices:admin/validate/query",
        "search_shards" => "indices:admin/shards/search_shards",
        "refresh_action" => "indices:admin/refresh",
        "flush_action" | "synced_flush_action" => "indices:admin/flush",
        "force_merge_action" => "indices:admin/forcemerge",
        "clear_indices_cache_action" => "indices:admin/cache/clear",
        "create_index_action" => "indices:admin/create",
        "delete_index_action" => "indices:admin/delete",
        "open_index_action" => "indices:admin/open",
        "close_index_action" => "indices:admin/close",
        "get_indices_action" => "indices:admin/get",
        "put_mapping_action" => "indices:admin/mapping/put",
        "get_mapping_action" => "indices:admin/mappings/get",
        "get_field_mapping_action" => "indices:admin/mappings/fields/get",
        "update_settings_action" => "indices:admin/settings/update",
        "get_settings_action" => "indices:monitor/settings/get",
        "index_aliases_action" | "index_put_alias_action" | "index_delete_aliases_action" => "indices:admin/aliases",
        "get_aliases_action" | "cat_alias_action" => "indices:admin/aliases/get",
        "add_index_block_action" => "indices:admin/block/add",
        "resolve_index_action" => "indices:admin/resolve/index",
        "indices_stats_action" => "indices:monitor/stats",
        "indices_segments_action" | "cat_segments_action" => "indices:monitor/segments",
        "nodes_stats_action" => "cluster:monitor/nodes/stats",
        "nodes_info_action" => "cluster:monitor/nodes/info",
        "cluster_health_action" | "cat_health_action" => "cluster:monitor/health",
        "cluster_stats_action" => "cluster:monitor/stats",
        "cluster_update_settings_action" => "cluster:admin/settings/update",
        "pending_cluster_tasks_action" | "cat_pending_cluster_tasks_action" => "cluster:monitor/task",
        "main_action" => "cluster:monitor/main",
        "put_script" => "cluster:admin/script/put",
        "get_script" => "cluster:admin/script/get",
        "delete_script" => "cluster:admin/script/delete",
        "notifications_config_get" => "cluster:admin/opensearch/notifications/configs/get",
        "notifications_config_create" => "cluster:admin/opensearch/notifications/configs/create",
        "notifications_config_update" => "cluster:admin/opensearch/notifications/configs/update",
        "notifications_config_delete" => "cluster:admin/opensearch/notifications/configs/delete",
        "notifications_features" => "cluster:admin/opensearch/notifications/features",
        "notifications_channel_list" => "cluster:admin/opensearch/notifications/channels/get",
        "notifications_send_test" => "cluster:admin/opensearch/notifications/test_notification",
        // Whatever else there is reads the state of the cluster, or changes it.
        _ => "cluster:monitor/state",
    }
}
