//! What a request needs to be allowed: the reference's actions of each route, asked of whoever sent it. What single items of a request need (documents
//! of a bulk, searches of a multi-search) is asked where the items are worked on, in `coordinate`.

use super::ApiRequest;
use super::index_options::index_options;
use super::scroll::ids_of_body;
use crate::cluster::{self, IndicesOptions, State};
use crate::coordinate::allowed::{SECURITY_INDEX, check_index, check_name, check_whole};
use crate::coordinate::search::indexes_of_point_in_time;
use crate::coordinate::{Core, clock};
use crate::security::{Pattern, Subject, is_cluster_action};
use pith_engine::Result;
use pith_engine::json::Value;

/// Who may do what to whom is asked by the handlers of the security interface themselves.
const OWN_RULES: &str = "security_";

/// Asks whether the subject may send the request.
pub fn check(core: &Core, subject: &Subject, request: &ApiRequest) -> Result<()> {
    let name = request.route.name;
    if name.starts_with(OWN_RULES) {
        return Ok(());
    }
    let state = core.state();
    let expressions = request.list(index_param(name));
    if expressions.contains(&SECURITY_INDEX) {
        return Err(subject.refusal(""));
    }
    match name {
        "analyze" => return check_analyze(&state, subject, &expressions),
        // Its indexes are those of the point in time, which is asked for them later.
        "search" if expressions.is_empty() && names_point_in_time(request) => {
            return check_somewhere(subject, "indices:data/read/search");
        }
        "delete_pit" => {
            return check_points_in_time(&state, subject, request, "indices:data/read/point_in_time/delete");
        }
        "cat_pit_segments_action" if !request.path.trim_end_matches('/').ends_with("/_all") => {
            return check_points_in_time(&state, subject, request, "indices:monitor/point_in_time/segments");
        }
        "index_aliases_action" => return check_alias_actions(&state, subject, request),
        "index_put_alias_action" | "index_delete_aliases_action" => {
            return check_one_alias(&state, subject, request);
        }
        "create_index_action" if makes_aliases(request) => {
            return together(subject, &["indices:admin/create", ALIASES], |action| {
                expressions.iter().try_for_each(|index| check_literal(&state, subject, action, index))
            });
        }
        // The one request of this kind needs both.
        "search_shards" => {
            return together(subject, actions(name), |action| {
                check_indexes(&state, subject, action, request, &expressions)
            });
        }
        _ => {}
    }
    if name == "update" || is_resize(name) {
        let what = if name == "update" { "Update is not supported" } else { "Resize is not supported" };
        let mut indexes =
            expressions.iter().filter_map(|index| cluster::resolve_write(&state, index, None, clock::now_ms()).ok());
        indexes.try_for_each(|(index, _)| check_whole(&state, &index, what))?;
    }
    for action in actions(name) {
        match is_cluster_action(action) {
            true => subject.check(action)?,
            false => check_indexes(&state, subject, action, request, &expressions)?,
        }
        // What is made of an index needs the same as the index itself.
        let is_of_target = is_resize(name) || name == "rollover_index_action";
        if is_of_target && *action != STATISTICS {
            let targets = ["target", "new_index"].into_iter().filter_map(|key| request.param(key));
            targets.into_iter().try_for_each(|target| check_literal(&state, subject, action, target))?;
        }
    }
    Ok(())
}

/// Asks for several actions at once: the refusal names all that are missing.
fn together(subject: &Subject, actions: &[&'static str], ask: impl Fn(&'static str) -> Result<()>) -> Result<()> {
    let missing: Vec<&str> = actions.iter().copied().filter(|action| ask(action).is_err()).collect();
    if missing.is_empty() { Ok(()) } else { Err(subject.refusal(&missing.join(", "))) }
}

/// The parameter that names indexes.
fn index_param(name: &str) -> &'static str {
    match name {
        "resolve_index_action"
        | "create_data_stream_action"
        | "delete_data_stream_action"
        | "get_data_streams_action"
        | "data_stream_stats_action" => "name",
        _ => "index",
    }
}

/// Whether the request names one index, alias or data stream that is written to.
fn writes_one(name: &str) -> bool {
    matches!(name, "index" | "create" | "update" | "delete" | "create_index_action" | "create_data_stream_action")
}

/// Whether wildcards mean hidden indexes although the request does not say so.
fn sees_hidden(name: &str) -> bool {
    matches!(name, "get_aliases_action" | "cat_alias_action" | "cat_shards_action" | "list_shards_action")
}

fn check_indexes(
    state: &State,
    subject: &Subject,
    action: &'static str,
    request: &ApiRequest,
    expressions: &[&str],
) -> Result<()> {
    let name = request.route.name;
    if writes_one(name) {
        return expressions.iter().try_for_each(|index| check_literal(state, subject, action, index));
    }
    let default = if sees_hidden(name) { IndicesOptions::STRICT_EXPAND_HIDDEN } else { IndicesOptions::STRICT_EXPAND };
    // What is wrong with the options, the handler says better.
    let options = index_options(request, default).unwrap_or(default);
    check_expressions(state, subject, action, expressions, &options)
}

/// Every index that the expressions mean must be allowed, and so must names that mean nothing yet. Patterns that nothing matches ask for
/// nothing. Whoever names a data stream asks for it, not for the indexes behind it.
fn check_expressions(
    state: &State,
    subject: &Subject,
    action: &'static str,
    expressions: &[&str],
    options: &IndicesOptions,
) -> Result<()> {
    let lenient = IndicesOptions { ignore_unavailable: true, allow_no_indices: true, forbid_closed: false, ..*options };
    let now_ms = clock::now_ms();
    // What cannot be resolved at all, the handler refuses in its own words; it is judged by its text here.
    let found = cluster::resolve(state, expressions, &lenient, now_ms).unwrap_or_default();
    for index in &found {
        match state.backing.get(&index.name) {
            Some(stream) if !names_itself(expressions, &index.name) => check_name(subject, action, stream)?,
            _ => check_index(state, subject, action, index)?,
        }
    }
    let mut after_pattern = false;
    for expression in expressions {
        let name = cluster::single_name(expression, now_ms).unwrap_or_else(|_| (*expression).to_owned());
        let is_pattern = name.contains('*') || name == "_all";
        // Only after a pattern a name is left out by a minus before it.
        let excludes = after_pattern && name.starts_with('-');
        if !is_pattern && !excludes && !state.has(&name) {
            check_name(subject, action, &name)?;
        }
        after_pattern |= is_pattern;
    }
    match found.is_empty() && cluster::is_all(expressions) {
        true => check_name(subject, action, "*"),
        false => Ok(()),
    }
}

/// Whether an index behind a data stream is meant by its own name, which is hidden: only patterns that begin with a dot find it.
fn names_itself(expressions: &[&str], name: &str) -> bool {
    let matches = |expression: &&str| {
        **expression == *name || (expression.starts_with('.') && Pattern::new(expression).matches(name))
    };
    expressions.iter().any(matches)
}

/// One name that is written to: the index behind it, or the name itself where there is none.
fn check_literal(state: &State, subject: &Subject, action: &'static str, name: &str) -> Result<()> {
    if name == SECURITY_INDEX {
        return Err(subject.refusal(""));
    }
    let now_ms = clock::now_ms();
    if state.data_streams.contains_key(name) {
        return check_name(subject, action, name);
    }
    match cluster::resolve_write(state, name, None, now_ms) {
        Ok((index, _)) => check_index(state, subject, action, &index),
        Err(_) => {
            let name = cluster::single_name(name, now_ms).unwrap_or_else(|_| name.to_owned());
            match state.index(&name) {
                Some(index) => check_index(state, subject, action, index),
                None => check_name(subject, action, &name),
            }
        }
    }
}

/// Text alone may be analyzed by whoever manages the cluster, or may do it on every index there could be.
fn check_analyze(state: &State, subject: &Subject, expressions: &[&str]) -> Result<()> {
    const ANALYZE: &str = "indices:admin/analyze";
    if expressions.is_empty() {
        if subject.has_cluster_permission(&["manage", "cluster_all", "cluster:*", "unlimited", "*"]) {
            return Ok(());
        }
        return check_name(subject, ANALYZE, "*");
    }
    expressions.iter().try_for_each(|name| check_literal(state, subject, ANALYZE, name))
}

fn names_point_in_time(request: &ApiRequest) -> bool {
    let says = memchr::memmem::find(&request.body, b"\"pit\"").is_some();
    says && request.json_opt().ok().flatten().is_some_and(|body| body.get("pit").is_some())
}

/// What is done to points in time is done to their indexes. Ids that are none the handler refuses.
fn check_points_in_time(state: &State, subject: &Subject, request: &ApiRequest, action: &'static str) -> Result<()> {
    let body = request.body_opt().ok().flatten();
    let ids = body.and_then(|body| ids_of_body(&body, "pit_id").ok()).unwrap_or_default();
    let found: Result<Vec<_>> = ids.iter().map(|id| indexes_of_point_in_time(state, id)).collect();
    match found {
        Ok(found) if !ids.is_empty() => {
            found.iter().flatten().try_for_each(|index| check_index(state, subject, action, index))
        }
        _ => check_somewhere(subject, action),
    }
}

fn check_somewhere(subject: &Subject, action: &'static str) -> Result<()> {
    if subject.may_somewhere(action) { Ok(()) } else { Err(subject.refusal(action)) }
}

const ALIASES: &str = "indices:admin/aliases";
const STATISTICS: &str = "indices:monitor/stats";

/// Names and patterns in a field of an object, one or several.
fn texts<'v>(value: &'v Value, keys: &[&str]) -> Vec<&'v str> {
    let one = |value: &'v Value| -> Vec<&'v str> {
        match value {
            Value::String(text) => super::params::list(text).collect(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        }
    };
    keys.iter().filter_map(|key| value.get(key)).flat_map(one).collect()
}

/// Who changes what an index stands under must be allowed to do so to the index; names of aliases are not asked for.
fn check_alias_actions(state: &State, subject: &Subject, request: &ApiRequest) -> Result<()> {
    let Ok(Some(body)) = request.json_opt() else { return check_somewhere(subject, ALIASES) };
    let listed = body.get("actions").and_then(Value::as_array).unwrap_or_default();
    if listed.is_empty() {
        return check_somewhere(subject, ALIASES);
    }
    let all = || listed.iter().filter_map(Value::as_object).flat_map(|action| action.iter());
    let indexes: Vec<&str> = all().flat_map(|(_, what)| texts(what, &["index", "indices"])).collect();
    if indexes.contains(&SECURITY_INDEX) {
        return Err(subject.refusal(""));
    }
    // The reference judges the request as a whole: whoever deletes an index with it must be allowed to delete all that it names.
    let deletes = all().any(|(verb, _)| verb == "remove_index");
    let needed = if deletes { &[ALIASES, "indices:admin/delete"][..] } else { &[ALIASES] };
    let options = IndicesOptions::STRICT_EXPAND_HIDDEN;
    together(subject, needed, |action| check_expressions(state, subject, action, &indexes, &options))
}

fn check_one_alias(state: &State, subject: &Subject, request: &ApiRequest) -> Result<()> {
    let body = request.json_opt().ok().flatten().unwrap_or(Value::Null);
    let mut indexes = request.list("index");
    indexes.extend(texts(&body, &["index", "indices"]));
    if indexes.contains(&SECURITY_INDEX) {
        return Err(subject.refusal(""));
    }
    check_expressions(state, subject, ALIASES, &indexes, &IndicesOptions::STRICT_EXPAND_HIDDEN)
}

/// Whether an index is made with aliases, which needs what giving them later would need.
fn makes_aliases(request: &ApiRequest) -> bool {
    let body = request.json_opt().ok().flatten();
    body.as_ref().and_then(|body| body.get("aliases")).and_then(Value::as_object).is_some_and(|map| !map.is_empty())
}

/// What a route needs; all of it.
pub fn actions(name: &str) -> &'static [&'static str] {
    documents(name).or_else(|| indexes(name)).or_else(|| cluster_wide(name)).unwrap_or(&["cluster:admin/pith/unnamed"])
}

fn documents(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "search" | "count" | "cat_count_action" => &["indices:data/read/search"],
        // Its searches are asked for one by one.
        "rank_eval" => &["indices:data/read/rank_eval"],
        "search_template" => &["indices:data/read/search/template", "indices:data/read/search"],
        "render_search_template" => &["indices:data/read/search/template/render"],
        "msearch" => &["indices:data/read/msearch"],
        "msearch_template" => &["indices:data/read/msearch/template"],
        "scroll" => &["indices:data/read/scroll"],
        "clear_scroll" => &["indices:data/read/scroll/clear"],
        "create_pit" => &["indices:data/read/point_in_time/create"],
        "delete_all_pits" => &["indices:data/read/point_in_time/delete"],
        "get_all_pits" => &["indices:data/read/point_in_time/readall"],
        "explain" => &["indices:data/read/explain"],
        "field_caps" => &["indices:data/read/field_caps"],
        "get" | "get_source" => &["indices:data/read/get"],
        "mget" => &["indices:data/read/mget"],
        "term_vectors" => &["indices:data/read/tv"],
        "multi_term_vectors" => &["indices:data/read/mtv"],
        "bulk" | "streaming_bulk_action" => &["indices:data/write/bulk"],
        "index" | "create" => &["indices:data/write/index"],
        "delete" => &["indices:data/write/delete"],
        "update" => &["indices:data/write/update"],
        "update_by_query" => &["indices:data/write/update/byquery", "indices:data/read/search"],
        "delete_by_query" => &["indices:data/write/delete/byquery", "indices:data/read/search"],
        "reindex" => &["indices:data/write/reindex"],
        _ => return None,
    })
}

fn is_resize(name: &str) -> bool {
    matches!(name, "clone_index_action" | "shrink_index_action" | "split_index_action")
}

fn indexes(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "validate_query" => &["indices:admin/validate/query"],
        "search_shards" => &["indices:admin/shards/search_shards", "indices:data/read/search"],
        "refresh_action" => &["indices:admin/refresh"],
        "flush_action" | "synced_flush_action" => &["indices:admin/flush"],
        "force_merge_action" => &["indices:admin/forcemerge"],
        "clear_indices_cache_action" => &["indices:admin/cache/clear"],
        "create_index_action" => &["indices:admin/create"],
        "delete_index_action" => &["indices:admin/delete"],
        "open_index_action" => &["indices:admin/open"],
        "close_index_action" => &["indices:admin/close"],
        "get_indices_action" => &["indices:admin/get"],
        "put_mapping_action" => &["indices:admin/mapping/put"],
        "get_mapping_action" => &["indices:admin/mappings/get"],
        "get_field_mapping_action" => &["indices:admin/mappings/fields/get"],
        "update_settings_action" => &["indices:admin/settings/update"],
        "get_settings_action" => &["indices:monitor/settings/get"],
        "get_aliases_action" | "cat_alias_action" => &["indices:admin/aliases/get"],
        "add_index_block_action" => &["indices:admin/block/add"],
        name if is_resize(name) => &["indices:admin/resize", STATISTICS],
        "rollover_index_action" => &["indices:admin/rollover", STATISTICS],
        "resolve_index_action" => &["indices:admin/resolve/index"],
        "indices_stats_action" => &[STATISTICS],
        "indices_segments_action" => &["indices:monitor/segments"],
        "cat_segments_action" => &["cluster:monitor/state", "indices:monitor/segments"],
        "cat_pit_segments_action" => &["indices:monitor/point_in_time/segments"],
        "indices_shard_stores_action" => &["indices:monitor/shard_stores"],
        "recovery_action" | "cat_recovery_action" => &["indices:monitor/recovery"],
        "cat_segment_replication_action" => &["indices:monitor/segment_replication"],
        "search_only_index_action" => &["indices:admin/scale/search_only"],
        "upgrade_action" => &["indices:admin/upgrade"],
        "upgrade_status_action" => &["indices:monitor/upgrade"],
        "cat_indices_action" | "list_indices_action" => {
            &["indices:monitor/settings/get", "cluster:monitor/state", "cluster:monitor/health", STATISTICS]
        }
        "cat_shards_action" | "list_shards_action" => &["cluster:monitor/shards", "cluster:monitor/state", STATISTICS],
        "get_index_template_action" => &["indices:admin/template/get"],
        "put_index_template_action" => &["indices:admin/template/put"],
        "delete_index_template_action" => &["indices:admin/template/delete"],
        "get_composable_index_template_action" => &["indices:admin/index_template/get"],
        "put_composable_index_template_action" => &["indices:admin/index_template/put"],
        "delete_composable_index_template_action" => &["indices:admin/index_template/delete"],
        "simulate_index_template_action" => &["indices:admin/index_template/simulate_index"],
        "simulate_template_action" => &["indices:admin/index_template/simulate"],
        "create_data_stream_action" => &["indices:admin/data_stream/create"],
        "delete_data_stream_action" => &["indices:admin/data_stream/delete"],
        "get_data_streams_action" => &["indices:admin/data_stream/get"],
        "data_stream_stats_action" => &["indices:monitor/data_stream/stats"],
        "modify_data_stream_action" => &["indices:admin/data_stream/modify"],
        "analyze" => &["indices:admin/analyze"],
        "delete_pit" => &["indices:data/read/point_in_time/delete"],
        "index_aliases_action" | "index_put_alias_action" | "index_delete_aliases_action" => &[ALIASES],
        _ => return None,
    })
}

fn cluster_wide(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "main_action" => &["cluster:monitor/main"],
        // Lists of addresses.
        "cat_action" | "list_action" => &[],
        "cluster_health_action" | "cat_health_action" => &["cluster:monitor/health"],
        "cluster_state_action"
        | "cluster_get_settings_action"
        | "cat_cluster_manager_action"
        | "cat_templates_action" => &["cluster:monitor/state"],
        "cluster_stats_action" => &["cluster:monitor/stats"],
        "cluster_update_settings_action" => &["cluster:admin/settings/update"],
        "cluster_reroute_action" => &["cluster:admin/reroute"],
        "cluster_allocation_explain_action" => &["cluster:monitor/allocation/explain"],
        "pending_cluster_tasks_action" | "cat_pending_cluster_tasks_action" => &["cluster:monitor/task"],
        "remote_cluster_info_action" => &["cluster:monitor/remote/info"],
        "add_voting_config_exclusions_action" => &["cluster:admin/voting_config/add_exclusions"],
        "clear_voting_config_exclusions_action" => &["cluster:admin/voting_config/clear_exclusions"],
        "get_decommission_state_action" => &["cluster:admin/decommission/awareness/get"],
        "get_weighted_routing_action" => &["cluster:admin/routing/awareness/weights/get"],
        "put_weighted_routing_action" => &["cluster:admin/routing/awareness/weights/put"],
        "delete_weighted_routing_action" => &["cluster:admin/routing/awareness/weights/delete"],
        "decommission_action" => &["cluster:admin/decommission/awareness/put"],
        "delete_decommission_state_action" => &["cluster:admin/decommission/awareness/delete"],
        "views:data/read/list" => &["views:data/read/list"],
        "views:data/read/get" => &["views:data/read/get"],
        "views:data/read/search" => &["views:data/read/search"],
        "cluster:admin/views/create" => &["cluster:admin/views/create"],
        "cluster:admin/views/update" => &["cluster:admin/views/update"],
        "cluster:admin/views/delete" => &["cluster:admin/views/delete"],
        "wlm_stats_action" | "wlm_stats_list" => &["cluster:monitor/wlm/stats"],
        "restore_remote_store_action" => &["cluster:admin/remotestore/restore"],
        "prune_filecache_action" => &["cluster:admin/filecache/prune"],
        "remote_store_stats" => &["cluster:monitor/_remotestore/stats"],
        "remote_store_metadata" => &["cluster:admin/remotestore/metadata"],
        "list_dangling_indices" => &["cluster:admin/indices/dangling/list"],
        "import_dangling_index" => &["cluster:admin/indices/dangling/import"],
        "delete_dangling_index" => &["cluster:admin/indices/dangling/delete"],
        "nodes_stats_action" | "cat_fielddata_action" => &["cluster:monitor/nodes/stats"],
        "cat_allocation_action" => &["cluster:monitor/state", "cluster:monitor/nodes/stats"],
        "cat_threadpool_action" | "cat_nodes_action" => {
            &["cluster:monitor/state", "cluster:monitor/nodes/info", "cluster:monitor/nodes/stats"]
        }
        "nodes_info_action" => &["cluster:monitor/nodes/info"],
        "cat_nodeattrs_action" | "cat_plugins_action" => &["cluster:monitor/state", "cluster:monitor/nodes/info"],
        "nodes_usage_action" => &["cluster:monitor/nodes/usage"],
        "nodes_hot_threads_action" => &["cluster:monitor/nodes/hot_threads"],
        "nodes_reload_action" => &["cluster:admin/nodes/reload_secure_settings"],
        "prometheus_metrics_action" => &["cluster:monitor/prometheus/metrics"],
        "tasks.list" | "cat_tasks_action" => &["cluster:monitor/tasks/lists"],
        "tasks.get" => &["cluster:monitor/task/get"],
        "tasks.cancel" => &["cluster:admin/tasks/cancel"],
        "update_by_query_rethrottle" | "delete_by_query_rethrottle" | "reindex_rethrottle" => {
            &["cluster:admin/reindex/rethrottle"]
        }
        "put_script" => &["cluster:admin/script/put"],
        "get_script" => &["cluster:admin/script/get"],
        "delete_script" => &["cluster:admin/script/delete"],
        "get_script_contexts" => &["cluster:admin/script_context/get"],
        "get_script_languages" => &["cluster:admin/script_language/get"],
        "scripts_painless_execute" => &["cluster:admin/scripts/painless/execute"],
        "scripts_painless_context" => &["cluster:admin/scripts/painless/context"],
        "get_component_template_action" => &["cluster:admin/component_template/get"],
        "put_component_template_action" => &["cluster:admin/component_template/put"],
        "delete_component_template_action" => &["cluster:admin/component_template/delete"],
        "ingest_get_pipeline_action" => &["cluster:admin/ingest/pipeline/get"],
        "ingest_put_pipeline_action" => &["cluster:admin/ingest/pipeline/put"],
        "ingest_delete_pipeline_action" => &["cluster:admin/ingest/pipeline/delete"],
        "ingest_simulate_pipeline_action" => &["cluster:admin/ingest/pipeline/simulate"],
        "ingest_processor_grok_get" => &["cluster:admin/ingest/processor/grok/get"],
        "search_get_pipeline_action" => &["cluster:admin/search/pipeline/get"],
        "search_put_pipeline_action" => &["cluster:admin/search/pipeline/put"],
        "search_delete_pipeline_action" => &["cluster:admin/search/pipeline/delete"],
        _ => return snapshots(name).or_else(|| notifications(name)),
    })
}

fn snapshots(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "get_repositories_action" | "cat_repositories_action" => &["cluster:admin/repository/get"],
        "put_repository_action" => &["cluster:admin/repository/put"],
        "delete_repository_action" => &["cluster:admin/repository/delete"],
        "verify_repository_action" => &["cluster:admin/repository/verify"],
        "cleanup_repository_action" => &["cluster:admin/repository/_cleanup"],
        "get_snapshots_action" | "cat_snapshot_action" => &["cluster:admin/snapshot/get"],
        "create_snapshot_action" => &["cluster:admin/snapshot/create"],
        "clone_snapshot_action" => &["cluster:admin/snapshot/clone"],
        "delete_snapshot_action" => &["cluster:admin/snapshot/delete"],
        "restore_snapshot_action" => &["cluster:admin/snapshot/restore"],
        "snapshot_status_action" => &["cluster:admin/snapshot/status"],
        _ => return None,
    })
}

fn notifications(name: &str) -> Option<&'static [&'static str]> {
    let verb = name.strip_prefix("notifications_")?;
    Some(match verb {
        _ if verb.contains("create") => &["cluster:admin/opensearch/notifications/configs/create"],
        _ if verb.contains("update") => &["cluster:admin/opensearch/notifications/configs/update"],
        _ if verb.contains("delete") => &["cluster:admin/opensearch/notifications/configs/delete"],
        _ if verb.contains("feature") => &["cluster:admin/opensearch/notifications/features"],
        _ if verb.contains("channel") => &["cluster:admin/opensearch/notifications/channels/get"],
        _ if verb.contains("test") => &["cluster:admin/opensearch/notifications/test_notification"],
        _ => &["cluster:admin/opensearch/notifications/configs/get"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_its_actions() {
        let without: Vec<&str> = super::super::routes(true)
            .into_iter()
            .flatten()
            .map(|route| route.name)
            .filter(|name| !name.starts_with(OWN_RULES) && actions(name).first() == Some(&"cluster:admin/pith/unnamed"))
            .collect();
        assert!(without.is_empty(), "routes that nobody but an administrator may use: {without:?}");
    }
}
