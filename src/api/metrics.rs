//! `_prometheus/metrics`: what a node does, in the text format of Prometheus.

use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::IndexMeta;
use crate::coordinate::broadcast::broadcast;
use crate::coordinate::{Core, CoreFigures, ShardReply, ShardRequest};
use crate::observe::system;
use pith_engine::Result;
use pith_engine::shard::ShardStats;
use pith_net::rt;
use std::fmt::{Display, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_prometheus/metrics",
    name: "prometheus_metrics_action",
    params: &[],
    handler: |core, request| Box::pin(metrics(core, request)),
}];

async fn metrics(core: Rc<Core>, _: ApiRequest) -> Result<Reply> {
    let mut page = Page::default();
    let cores = core.figures().await?;
    write_cores(&cores, &mut page);
    write_stretches(&cores, &mut page);
    write_syncs(&cores, &mut page);
    let indexes: Vec<Arc<IndexMeta>> = core.state().indices.values().cloned().collect();
    let mut sum = ShardStats::default();
    for answer in broadcast(&core, &indexes, || ShardRequest::Stats).await.answers {
        if let Ok(ShardReply::Stats(stats)) = answer.reply {
            sum.add(&stats);
        }
    }
    write_shards(&sum, &mut page);
    write_node(&core, &mut page)?;
    Ok(Reply::text(200, page.text))
}

/// Lines of metrics; each begins with its help and type.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string does not fail.
        let _ = write!(self.text, "# HELP pith_{name} {help}\n# TYPE pith_{name} {kind}\n");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _ = writeln!(self.text, "pith_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.line(name, "", value);
    }
}

type OfCore = (&'static str, &'static str, &'static str, fn(&CoreFigures) -> f64);

/// Name, kind, help, and where the value is.
const CORE_METRICS: &[OfCore] = &[
    ("core_busy_ratio", "gauge", "Share of its time that the core works.", |c| f64::from(c.busy_per_mille) / 1e3),
    ("core_turns_total", "counter", "Rounds of the core's loop.", |c| c.loop_figures.turns as f64),
    ("core_polls_total", "counter", "Times that a task ran.", |c| c.loop_figures.polls as f64),
    ("core_queue_seconds_total", "counter", "Time that ready tasks waited in their rounds.", |c| {
        c.loop_figures.waited.as_secs_f64()
    }),
    ("core_longest_turn_seconds", "gauge", "The longest round.", |c| c.loop_figures.longest_turn.as_secs_f64()),
    ("core_ready_tasks", "gauge", "Tasks that are ready.", |c| c.loop_figures.ready as f64),
    ("core_tasks", "gauge", "Requests and parts of requests that run.", |c| c.tasks as f64),
    ("ring_calls_total", "counter", "Calls made to other cores.", |c| c.mesh.calls as f64),
    ("ring_handled_total", "counter", "Calls of other cores that were handled.", |c| c.mesh.handled as f64),
    ("ring_full_total", "counter", "Messages that met a full ring.", |c| c.mesh.full as f64),
    ("ring_waiting", "gauge", "Calls to other cores that wait for their answer.", |c| c.ring_waiting as f64),
    ("search_running", "gauge", "Searches that share the core.", |c| c.searches.running as f64),
    ("search_waiting", "gauge", "Searches that wait for their turn.", |c| c.searches.waiting as f64),
    ("search_completed_total", "counter", "Searches that have ended.", |c| c.searches.completed as f64),
    ("search_rejected_total", "counter", "Searches that were refused.", |c| c.searches.rejected as f64),
    ("segment_memory_bytes", "gauge", "Memory that segments hold as long as they are.", |c| c.memory.held as f64),
    ("segment_parts_bytes", "gauge", "Memory of parts of segments that were read.", |c| c.memory.parts.bytes as f64),
    ("segment_parts_limit_bytes", "gauge", "Memory that there is for parts.", |c| c.memory.parts.bytes_max as f64),
    ("segment_parts_hits_total", "counter", "Parts that were there.", |c| c.memory.parts.hits as f64),
    ("segment_parts_misses_total", "counter", "Parts that had to be read.", |c| c.memory.parts.misses as f64),
    ("segment_parts_evicted_bytes_total", "counter", "Parts that went.", |c| c.memory.parts.evicted_bytes as f64),
    ("request_memory_bytes", "gauge", "Memory that running requests hold.", |c| c.request_bytes as f64),
];

fn write_cores(cores: &[CoreFigures], page: &mut Page) {
    for (name, kind, help, value) in CORE_METRICS {
        page.head(name, kind, help);
        for (at, core) in cores.iter().enumerate() {
            page.line(name, &format!("core=\"{at}\""), value(core));
        }
    }
    page.head(
        "core_stalls_total",
        "counter",
        "Times that one task kept the core for more than 5 ms, and the last that did.",
    );
    for (at, core) in cores.iter().enumerate() {
        let task = core.loop_figures.stalled_by.unwrap_or_default().replace(['"', '\\'], "'");
        page.line("core_stalls_total", &format!("core=\"{at}\",task=\"{task}\""), core.loop_figures.stalls);
    }
}

fn write_stretches(cores: &[CoreFigures], page: &mut Page) {
    let name = "core_long_stretches_total";
    page.head(name, "counter", "Times that a task went on for more seconds without looking whether anybody waits.");
    for (at, core) in cores.iter().enumerate() {
        let counts = core.loop_figures.long_stretches;
        for (from, bound) in rt::LONG_STRETCHES.iter().enumerate() {
            let longer = counts[from..].iter().sum::<u64>();
            page.line(name, &format!("core=\"{at}\",gt=\"{}\"", bound.as_secs_f64()), longer);
        }
    }
}

fn write_syncs(cores: &[CoreFigures], page: &mut Page) {
    let name = "translog_sync_seconds";
    page.head(name, "histogram", "Time from the write of a group of records to its end on the disk.");
    for (at, core) in cores.iter().enumerate() {
        let mut below = 0;
        for (bound, count) in core.syncs.buckets() {
            below += count;
            let bound = bound.map_or_else(|| "+Inf".to_owned(), |bound| bound.as_secs_f64().to_string());
            page.line(&format!("{name}_bucket"), &format!("core=\"{at}\",le=\"{bound}\""), below);
        }
        page.line(&format!("{name}_sum"), &format!("core=\"{at}\""), core.syncs.total().as_secs_f64());
        page.line(&format!("{name}_count"), &format!("core=\"{at}\""), below);
    }
}

fn write_shards(sum: &ShardStats, page: &mut Page) {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let counters = [
        ("indexing_total", "Documents written.", sum.indexing.index_total as f64),
        ("indexing_seconds_total", "Time that writing them took.", seconds(sum.indexing.index_time_ns)),
        ("indexing_failed_total", "Documents that were refused.", sum.indexing.index_failed as f64),
        ("deletes_total", "Documents deleted.", sum.indexing.delete_total as f64),
        ("queries_total", "Query phases on shards.", sum.search.query_total as f64),
        ("queries_seconds_total", "Time that they took.", seconds(sum.search.query_time_ns)),
        ("fetches_total", "Fetch phases on shards.", sum.search.fetch_total as f64),
        ("fetches_seconds_total", "Time that they took.", seconds(sum.search.fetch_time_ns)),
        ("refreshes_total", "Buffers that were made segments.", sum.refresh.total as f64),
        ("flushes_total", "Commit points that were written.", sum.flush.total as f64),
        ("flushes_seconds_total", "Time that they took.", seconds(sum.flush.total_time_ns)),
        ("merges_total", "Merges.", sum.merges.total as f64),
        ("merges_seconds_total", "Time that they took.", seconds(sum.merges.total_time_ns)),
        ("merged_bytes_total", "Bytes that were merged.", sum.merges.total_bytes as f64),
    ];
    for (name, help, value) in counters {
        page.one(name, "counter", help, value);
    }
    let gauges = [
        ("documents", "Documents that are live.", sum.docs.count),
        ("documents_deleted", "Documents that are deleted and not merged away.", sum.docs.deleted),
        ("store_bytes", "Size of the segments.", sum.store_bytes),
        ("segments", "Segments.", sum.segments.count),
        ("segments_memory_bytes", "Memory that segments take.", sum.segments.memory_bytes),
        ("buffer_bytes", "Memory of documents that are not sealed yet.", sum.segments.buffer_bytes),
        ("merges_current", "Merges that run.", sum.merges.current),
        ("merge_debt_bytes", "Bytes of the merges that run.", sum.merges.current_bytes),
        ("translog_operations", "Operations in the translogs.", sum.translog.operations),
        (
            "translog_uncommitted_bytes",
            "Bytes of the translogs that no commit point covers.",
            sum.translog.uncommitted_size_bytes,
        ),
    ];
    for (name, help, value) in gauges {
        page.one(name, "gauge", help, value);
    }
}

fn write_node(core: &Core, page: &mut Page) -> Result<()> {
    let facts = core.facts()?;
    let system = system::read();
    page.one("stalls_total", "counter", "Stalls of all cores.", rt::stalls());
    page.one("panics_total", "counter", "Tasks that have panicked.", rt::panics());
    page.one("http_open_connections", "gauge", "Connections that are open.", facts.http.open());
    page.one("http_connections_total", "counter", "Connections that were accepted.", facts.http.opened());
    page.one("http_requests_total", "counter", "Requests.", facts.http.requests());
    let cache = &facts.analyze_cache;
    page.one("analyze_cache_hits_total", "counter", "Answers of _analyze from the cache.", cache.hits.load(Relaxed));
    page.one(
        "analyze_cache_misses_total",
        "counter",
        "Answers of _analyze that were made.",
        cache.misses.load(Relaxed),
    );
    page.one(
        "breaker_tripped_total",
        "counter",
        "Requests refused for their memory.",
        facts.pressure.tripped.load(Relaxed),
    );
    page.one("process_cpu_seconds_total", "counter", "Processor time.", system.cpu_total_ms as f64 / 1e3);
    page.one("uptime_seconds", "gauge", "Since the node started.", facts.started.elapsed().as_secs());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_prometheus_reads_them() {
        let mut page = Page::default();
        write_cores(&[CoreFigures::default(), CoreFigures::default()], &mut page);
        write_stretches(&[CoreFigures::default()], &mut page);
        write_syncs(&[CoreFigures::default()], &mut page);
        let expected = "# HELP pith_core_busy_ratio Share of its time that the core works.\n\
                        # TYPE pith_core_busy_ratio gauge\n\
                        pith_core_busy_ratio{core=\"0\"} 0\n\
                        pith_core_busy_ratio{core=\"1\"} 0\n";
        assert!(page.text.starts_with(expected), "{}", page.text);
        assert!(page.text.contains("pith_translog_sync_seconds_bucket{core=\"0\",le=\"+Inf\"} 0\n"), "{}", page.text);
        assert!(page.text.contains("pith_core_long_stretches_total{core=\"0\",gt=\"0.00025\"} 0\n"), "{}", page.text);
        for line in page.text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.rsplit_once(' ').is_some_and(|(_, value)| value.parse::<f64>().is_ok()), "{line}");
        }
    }
}
