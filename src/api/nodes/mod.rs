//! Nodes: what they are and what they do.
//!
//! `info`, `stats` and `hot_threads` are families (`aggregations`, `breakers` and `pressure` hold parts of them); what they and others share stands here: the choice of nodes, and figures of the machine.

use super::Route;
use crate::cluster::State;
use crate::coordinate::Core;
use crate::observe::system::Reading;
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::json::Writer;

mod aggregations;
mod breakers;
mod hot_threads;
pub mod info;
mod pressure;
mod reload;
mod search_pipelines;
mod stats;
mod usage;

/// The rows of all families.
pub const ROUTES: &[&[Route]] = &[hot_threads::ROUTES, info::ROUTES, reload::ROUTES, stats::ROUTES, usage::ROUTES];

/// Whether a comma-separated filter of nodes means this one: by id, name, address, role or attribute.
pub fn is_chosen(state: &State, id: &str, filter: &str) -> bool {
    let Some(node) = state.nodes.get(id) else { return false };
    let mut chosen = false;
    for part in filter.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let matched = match part.split_once(':') {
            Some(("master" | "cluster_manager" | "data" | "ingest", "true")) => true,
            Some(("master" | "cluster_manager" | "data" | "ingest" | "coordinating_only" | "voting_only", "false")) => {
                // Taking away a role that the node has takes the node away.
                let role = part.split(':').next().unwrap_or_default();
                if role != "coordinating_only" && role != "voting_only" {
                    chosen = false;
                }
                continue;
            }
            Some((attribute, value)) => node.attributes.get(attribute).is_some_and(|own| glob(value, own)),
            None => {
                matches!(part, "_all" | "_local" | "_master" | "_cluster_manager")
                    || [id, &node.name, &node.host, &node.ip, &node.transport_address]
                        .into_iter()
                        .any(|own| glob(part, own))
            }
        };
        chosen |= matched;
    }
    chosen
}

/// Writes `{"total_in_bytes":…,…}` of the machine's memory.
pub fn write_memory(system: &Reading, w: &mut Writer) {
    let total = system.memory_total_bytes;
    let used = total.saturating_sub(system.memory_available_bytes);
    let percent = |part: u64| (part * 100).checked_div(total).unwrap_or(0);
    w.begin_object();
    w.key("total_in_bytes").u64(total);
    w.key("free_in_bytes").u64(total - used);
    w.key("used_in_bytes").u64(used);
    w.key("free_percent").u64(percent(total - used));
    w.key("used_percent").u64(percent(used));
    w.end_object();
}

/// The share of all processors that this process took since it started.
pub fn process_cpu_percent(core: &Core, system: &Reading) -> Result<u64> {
    let up_ms = core.facts()?.started.elapsed().as_millis().max(1) as u64;
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    Ok((system.cpu_total_ms * 100 / up_ms / processors).min(100))
}

/// The share of all processors that were busy since the machine started.
pub fn machine_cpu_percent(system: &Reading) -> u64 {
    (system.machine_busy_ticks * 100).checked_div(system.machine_all_ticks).unwrap_or(0)
}
