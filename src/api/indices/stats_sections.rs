//! The sections of statistics: one row each, what it is called in a request and what it writes.

use super::super::cat::table::bytes_text;
use crate::coordinate::clock::time_text;
use pith_engine::json::{self, Map, Value, Writer};
use pith_engine::shard::ShardStats;

/// One section of `_stats` and of the index statistics of a node.
pub struct Section {
    /// Its name in a request.
    pub metric: &'static str,
    /// The key it is written under.
    pub key: &'static str,
    write: fn(&ShardStats, &mut Writer),
}

/// In the order in which the reference writes them.
pub static SECTIONS: &[Section] = &[
    Section { metric: "docs", key: "docs", write: docs },
    Section { metric: "store", key: "store", write: store },
    Section { metric: "indexing", key: "indexing", write: indexing },
    Section { metric: "get", key: "get", write: get },
    Section { metric: "search", key: "search", write: search },
    Section { metric: "merge", key: "merges", write: merges },
    Section { metric: "refresh", key: "refresh", write: refresh },
    Section { metric: "flush", key: "flush", write: flush },
    Section { metric: "warmer", key: "warmer", write: warmer },
    Section { metric: "query_cache", key: "query_cache", write: query_cache },
    Section { metric: "fielddata", key: "fielddata", write: fielddata },
    Section { metric: "completion", key: "completion", write: completion },
    Section { metric: "segments", key: "segments", write: segments },
    Section { metric: "translog", key: "translog", write: translog },
    Section { metric: "request_cache", key: "request_cache", write: request_cache },
    Section { metric: "recovery", key: "recovery", write: recovery },
];

/// Writes the sections that are wanted as keys of the current object. `None`: all.
pub fn write_sections(stats: &ShardStats, wanted: Option<&[&str]>, w: &mut Writer) {
    for section in SECTIONS {
        if wanted.is_none_or(|wanted| wanted.contains(&section.metric)) {
            w.key(section.key).begin_object();
            (section.write)(stats, w);
            w.end_object();
        }
    }
}

/// Adds, before every time and size of an answer, the same for people: `"size":"208b"` before `"size_in_bytes":208`.
pub fn for_people(answer: Vec<u8>) -> Vec<u8> {
    match json::parse(&answer) {
        Ok(value) => with_readable(value).to_bytes(),
        Err(_) => answer,
    }
}

fn with_readable(value: Value) -> Value {
    let Value::Object(map) = value else { return value };
    let mut readable = Map::new();
    for entry in map.entries {
        if let Some(number) = entry.value.as_i64().and_then(|number| u64::try_from(number).ok()) {
            if let Some(name) = entry.key.strip_suffix("_in_millis") {
                let text = if number == 0 { "0s".to_owned() } else { time_text(number as i64) };
                readable.insert(name, text);
            } else if let Some(name) = entry.key.strip_suffix("_in_bytes") {
                readable.insert(name, bytes_text(number));
            }
        }
        readable.insert(entry.key, with_readable(entry.value));
    }
    Value::Object(readable)
}

const fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}

fn numbers(w: &mut Writer, fields: &[(&str, u64)]) {
    for (key, value) in fields {
        w.key(key).u64(*value);
    }
}

fn docs(s: &ShardStats, w: &mut Writer) {
    numbers(w, &[("count", s.docs.count), ("deleted", s.docs.deleted)]);
}

fn store(s: &ShardStats, w: &mut Writer) {
    numbers(w, &[("size_in_bytes", s.store_bytes), ("reserved_in_bytes", 0)]);
}

fn indexing(s: &ShardStats, w: &mut Writer) {
    let i = &s.indexing;
    numbers(
        w,
        &[
            ("index_total", i.index_total),
            ("index_time_in_millis", ms(i.index_time_ns)),
            ("index_current", i.index_current),
            ("index_failed", i.index_failed),
            ("delete_total", i.delete_total),
            ("delete_time_in_millis", ms(i.delete_time_ns)),
            ("delete_current", i.delete_current),
            ("noop_update_total", i.noop_update_total),
        ],
    );
    w.key("is_throttled").bool(false);
    numbers(w, &[("throttle_time_in_millis", 0), ("max_last_index_request_timestamp", i.last_index_ms)]);
}

fn get(s: &ShardStats, w: &mut Writer) {
    let g = &s.get;
    let time = ms(g.exists_time_ns + g.missing_time_ns);
    w.key("total").u64(g.exists_total + g.missing_total);
    w.key("getTime").string(&if time == 0 { "0s".to_owned() } else { time_text(time as i64) });
    numbers(
        w,
        &[
            ("time_in_millis", time),
            ("exists_total", g.exists_total),
            ("exists_time_in_millis", ms(g.exists_time_ns)),
            ("missing_total", g.missing_total),
            ("missing_time_in_millis", ms(g.missing_time_ns)),
            ("current", g.current),
        ],
    );
}

fn search(s: &ShardStats, w: &mut Writer) {
    let q = &s.search;
    numbers(
        w,
        &[
            ("open_contexts", q.open_contexts),
            ("query_total", q.query_total),
            ("query_time_in_millis", ms(q.query_time_ns)),
            ("query_current", q.query_current),
            ("query_failed", 0),
            ("concurrent_query_total", 0),
            ("concurrent_query_time_in_millis", 0),
            ("concurrent_query_current", 0),
        ],
    );
    w.key("concurrent_avg_slice_count").f64(0.0);
    numbers(
        w,
        &[
            ("fetch_total", q.fetch_total),
            ("fetch_time_in_millis", ms(q.fetch_time_ns)),
            ("fetch_current", q.fetch_current),
            ("scroll_total", q.scroll_total),
            ("scroll_time_in_millis", ms(q.scroll_time_ns)),
            ("scroll_current", q.scroll_current),
            ("point_in_time_total", q.point_in_time_total),
            ("point_in_time_time_in_millis", ms(q.point_in_time_time_ns)),
            ("point_in_time_current", q.point_in_time_current),
            ("suggest_total", q.suggest_total),
            ("suggest_time_in_millis", ms(q.suggest_time_ns)),
            ("suggest_current", q.suggest_current),
            ("search_idle_reactivate_count_total", 0),
        ],
    );
}

fn merges(s: &ShardStats, w: &mut Writer) {
    let m = &s.merges;
    numbers(
        w,
        &[
            ("current", m.current),
            ("current_docs", m.current_docs),
            ("current_size_in_bytes", m.current_bytes),
            ("total", m.total),
            ("total_time_in_millis", ms(m.total_time_ns)),
            ("total_docs", m.total_docs),
            ("total_size_in_bytes", m.total_bytes),
            ("total_stopped_time_in_millis", 0),
            ("total_throttled_time_in_millis", 0),
            ("total_auto_throttle_in_bytes", 0),
            ("unreferenced_file_cleanups_performed", 0),
        ],
    );
}

fn refresh(s: &ShardStats, w: &mut Writer) {
    let r = &s.refresh;
    numbers(
        w,
        &[
            ("total", r.total),
            ("total_time_in_millis", ms(r.total_time_ns)),
            ("external_total", r.external_total),
            ("external_total_time_in_millis", ms(r.external_total_time_ns)),
            ("listeners", r.listeners),
        ],
    );
}

fn flush(s: &ShardStats, w: &mut Writer) {
    let f = &s.flush;
    numbers(w, &[("total", f.total), ("periodic", f.periodic), ("total_time_in_millis", ms(f.total_time_ns))]);
}

fn warmer(_: &ShardStats, w: &mut Writer) {
    numbers(w, &[("current", 0), ("total", 0), ("total_time_in_millis", 0)]);
}

fn query_cache(_: &ShardStats, w: &mut Writer) {
    numbers(
        w,
        &[
            ("memory_size_in_bytes", 0),
            ("total_count", 0),
            ("hit_count", 0),
            ("miss_count", 0),
            ("cache_size", 0),
            ("cache_count", 0),
            ("evictions", 0),
        ],
    );
}

fn fielddata(_: &ShardStats, w: &mut Writer) {
    numbers(w, &[("memory_size_in_bytes", 0), ("evictions", 0)]);
}

fn completion(s: &ShardStats, w: &mut Writer) {
    numbers(w, &[("size_in_bytes", s.completion_bytes)]);
}

fn segments(s: &ShardStats, w: &mut Writer) {
    let g = &s.segments;
    numbers(
        w,
        &[
            ("count", g.count),
            ("memory_in_bytes", g.memory_bytes),
            ("terms_memory_in_bytes", 0),
            ("stored_fields_memory_in_bytes", 0),
            ("term_vectors_memory_in_bytes", 0),
            ("norms_memory_in_bytes", 0),
            ("points_memory_in_bytes", 0),
            ("doc_values_memory_in_bytes", 0),
            ("index_writer_memory_in_bytes", g.buffer_bytes),
            ("version_map_memory_in_bytes", g.version_map_bytes),
            ("fixed_bit_set_memory_in_bytes", 0),
        ],
    );
    w.key("max_unsafe_auto_id_timestamp").i64(-1);
    w.key("file_sizes").begin_object().end_object();
}

fn translog(s: &ShardStats, w: &mut Writer) {
    let t = &s.translog;
    numbers(
        w,
        &[
            ("operations", t.operations),
            ("size_in_bytes", t.size_bytes),
            ("uncommitted_operations", t.uncommitted_operations),
            ("uncommitted_size_in_bytes", t.uncommitted_size_bytes),
            ("earliest_last_modified_age", t.earliest_last_modified_age_ms),
        ],
    );
}

fn request_cache(_: &ShardStats, w: &mut Writer) {
    numbers(w, &[("memory_size_in_bytes", 0), ("evictions", 0), ("hit_count", 0), ("miss_count", 0)]);
}

fn recovery(_: &ShardStats, w: &mut Writer) {
    numbers(w, &[("current_as_source", 0), ("current_as_target", 0), ("throttle_time_in_millis", 0)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_for_people() {
        let plain = br#"{"a":{"size_in_bytes":208,"time_in_millis":1500},"b":3}"#.to_vec();
        let expected = r#"{"a":{"size":"208b","size_in_bytes":208,"time":"1.5s","time_in_millis":1500},"b":3}"#;
        assert_eq!(String::from_utf8(for_people(plain)).unwrap(), expected);
    }
}
