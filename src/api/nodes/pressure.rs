//! Parts of `_nodes/stats` about memory of writes, and about what only several nodes or a Java program have: those stand there
//! with nothing in them, for clients that look for them.

use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes pass one gate, on the core that holds their shard: what coordinates them holds no memory of its own beside it.
pub fn write_indexing_pressure(core: &Core, w: &mut Writer) -> Result<()> {
    let figures = &core.facts()?.write_pressure;
    let of = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
    w.key("indexing_pressure").begin_object().key("memory").begin_object();
    for (key, bytes) in [("current", of(&figures.current_bytes)), ("total", of(&figures.total_bytes))] {
        w.key(key).begin_object();
        for name in ["combined_coordinating_and_primary", "coordinating", "primary"] {
            w.key(&format!("{name}_in_bytes")).u64(bytes);
        }
        w.key("replica_in_bytes").u64(0).key("all_in_bytes").u64(bytes);
        if key == "total" {
            w.key("coordinating_rejections").u64(0);
            w.key("primary_rejections").u64(of(&figures.rejections)).key("replica_rejections").u64(0);
        }
        w.end_object();
    }
    w.key("limit_in_bytes").u64(of(&figures.limit_bytes)).end_object().end_object();
    Ok(())
}

/// No buffers outside of the memory that the process counts, and nothing that collects garbage: those who look how often that
/// happened (the public benchmark harness does) find that it never did.
pub fn write_no_pools(w: &mut Writer) {
    w.key("gc").begin_object().key("collectors").begin_object();
    for collector in ["young", "old"] {
        w.key(collector).begin_object();
        w.key("collection_count").u64(0).key("collection_time_in_millis").u64(0).end_object();
    }
    w.end_object().end_object();
    w.key("buffer_pools").begin_object();
    for pool in ["mapped", "direct"] {
        w.key(pool).begin_object();
        for key in ["count", "used_in_bytes", "total_capacity_in_bytes"] {
            w.key(key).u64(0);
        }
        w.end_object();
    }
    w.end_object();
}

/// What a node waits for or refuses for the sake of others.
pub fn write_alone(name: &str, w: &mut Writer) {
    w.key(name);
    match name {
        "repositories" => {
            w.begin_array().end_array();
            return;
        }
        "cluster_manager_throttling" => {
            w.begin_object().key("stats").begin_object().key("total_throttled_tasks").u64(0);
            w.key("throttled_tasks_per_task_type").begin_object().end_object().end_object();
        }
        "weighted_routing" => {
            w.begin_object().key("stats").begin_object().key("fail_open_count").u64(0).end_object();
        }
        "segment_replication_backpressure" => {
            w.begin_object().key("total_rejected_requests").u64(0);
        }
        // Writes of all shards pass one gate, which has a part of its own.
        "shard_indexing_pressure" => {
            w.begin_object().key("stats").begin_object().end_object();
            w.key("total_rejections_breakup_shadow_mode").begin_object();
            for key in ["node_limits", "no_successful_request_limits", "throughput_degradation_limits"] {
                w.key(key).u64(0);
            }
            w.end_object().key("enabled").bool(false).key("enforced").bool(false);
        }
        // No request is refused for what the machine does beside.
        "admission_control" => {
            w.begin_object();
            for key in ["global_io_usage", "global_cpu_usage", "global_native_memory_usage"] {
                w.key(key).begin_object().key("transport").begin_object();
                w.key("rejection_count").begin_object().end_object().end_object().end_object();
            }
        }
        // Searches wait at the door or are refused there; none is cancelled for what it takes.
        "search_backpressure" => {
            w.begin_object();
            for tasks in ["search_task", "search_shard_task"] {
                w.key(tasks).begin_object().key("resource_tracker_stats").begin_object();
                for (tracker, unit) in [
                    ("cpu_usage_tracker", "millis"),
                    ("heap_usage_tracker", "bytes"),
                    ("elapsed_time_tracker", "millis"),
                ] {
                    w.key(tracker).begin_object().key("cancellation_count").u64(0);
                    w.key(&format!("current_max_{unit}")).u64(0).key(&format!("current_avg_{unit}")).u64(0);
                    if unit == "bytes" {
                        w.key("rolling_avg_bytes").u64(0);
                    }
                    w.end_object();
                }
                w.end_object().key("completion_count").u64(0).key("cancellation_stats").begin_object();
                w.key("cancellation_count").u64(0).key("cancellation_limit_reached_count").u64(0);
                w.end_object().end_object();
            }
            w.key("mode").string("disabled");
        }
        // Searches look whether they are cancelled between two slices, so none runs on for long.
        "task_cancellation" => {
            w.begin_object();
            for tasks in ["search_task", "search_shard_task"] {
                w.key(tasks).begin_object().key("current_count_post_cancel").u64(0);
                w.key("total_count_post_cancel").u64(0).end_object();
            }
        }
        "remote_store" => _ = w.begin_object().key("last_successful_fetch_of_pinned_timestamps").i64(-1),
        _ => _ = w.begin_object(),
    }
    w.end_object();
}
