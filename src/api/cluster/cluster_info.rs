//! What disks and shards hold, as `_cluster/allocation/explain` shows it with `include_disk_info`.

use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, ShardReply, ShardRequest};
use crate::observe::system::{self, Disk};
use pith_engine::Result;
use pith_engine::json::Writer;
use pith_net::rt;
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct ClusterInfo {
    node_id: String,
    node_name: String,
    path: String,
    disk: Disk,
    /// Bytes by shard, as the reference names it.
    shards: BTreeMap<String, u64>,
}

impl ClusterInfo {
    pub async fn read(core: &Core) -> Result<Self> {
        let state = core.state();
        let indexes: Vec<Arc<_>> = state.indices.values().cloned().collect();
        let mut shards = BTreeMap::new();
        for answer in broadcast(core, &indexes, || ShardRequest::Stats).await.answers {
            if let Ok(ShardReply::Stats(stats)) = answer.reply {
                shards.insert(format!("[{}][{}][p]", answer.index.name, answer.shard), stats.store_bytes);
            }
        }
        let data = core.facts()?.data.clone();
        let path = data.display().to_string();
        let disk = rt::offload(move || system::disk(&data)).await;
        let node_name = state.nodes.get(core.node_id()).map_or_else(String::new, |node| node.name.clone());
        Ok(Self { node_id: core.node_id().to_string(), node_name, path, disk, shards })
    }

    /// Writes `cluster_info`.
    pub fn write(&self, w: &mut Writer) {
        w.key("cluster_info").begin_object();
        w.key("nodes").begin_object().key(&self.node_id).begin_object().key("node_name").string(&self.node_name);
        // A node has one folder for data.
        for key in ["least_available", "most_available"] {
            let total = self.disk.total_bytes;
            let free = self.disk.available_bytes.min(total);
            let percent =
                |part: u64| if total == 0 { 0.0 } else { (part as f64 * 1000.0 / total as f64).round() / 10.0 };
            w.key(key).begin_object().key("path").string(&self.path);
            w.key("total_bytes").u64(total).key("used_bytes").u64(total - free).key("free_bytes").u64(free);
            w.key("free_disk_percent").f64(percent(free)).key("used_disk_percent").f64(percent(total - free));
            w.end_object();
        }
        w.end_object().end_object();
        w.key("shard_sizes").begin_object();
        for (shard, bytes) in &self.shards {
            w.key(&format!("{shard}_bytes")).u64(*bytes);
        }
        w.end_object();
        w.key("shard_paths").begin_object();
        for shard in self.shards.keys() {
            w.key(shard).string(&self.path);
        }
        w.end_object();
        w.key("reserved_sizes").begin_array().end_array().end_object();
    }
}
