//! The sections of statistics: one row each, what it is called in a request and what it writes.

use super::super::cat::table::bytes_text;
use super::super::{ApiRequest, unknown};
use crate::coordinate::clock::time_text;
use crate::coordinate::search::PhasesFigures;
use crate::settings::glob;
use pith_engine::Result;
use pith_engine::json::{self, Map, Value, Writer};
use pith_engine::shard::{SearchStats, ShardStats};
use std::collections::BTreeMap;

/// One section of `_stats` and of the index statistics of a node.
pub struct Section {
    /// Its name in a request.
    pub metric: &'static str,
    /// The key it is written under.
    pub key: &'static str,
    write: fn(&ShardStats, &Shown, &mut Writer),
}

/// What a request wants to see in the sections beside their sums.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Patterns of groups of searches.
    pub groups: Vec<String>,
    /// Patterns of fields; none unless the request names some.
    pub fielddata_fields: Vec<String>,
    pub completion_fields: Vec<String>,
    /// Sizes by kind of file.
    pub file_sizes: bool,
    /// The phases of all searches of the node, where it is asked as a whole.
    pub search_phases: Option<PhasesFigures>,
}

impl Shown {
    /// Reads the parameters that the wanted sections know; those that belong to sections that are not wanted are refused.
    pub fn of(request: &ApiRequest, wanted: Option<&[&str]>) -> Result<Self> {
        let wants = |metric: &str| wanted.is_none_or(|wanted| wanted.contains(&metric));
        let (fielddata, completion) = (wants("fielddata"), wants("completion"));
        let known = [
            ("fields", fielddata || completion),
            ("fielddata_fields", fielddata),
            ("completion_fields", completion),
            ("include_segment_file_sizes", wants("segments")),
            ("include_unloaded_segments", wants("segments")),
        ];
        let unread = known.iter().filter(|(name, known)| !known && request.has(name)).map(|(name, _)| *name);
        unknown::refuse(request.route, &request.path, unread)?;
        let list = |name: &str| -> Vec<String> { request.list(name).into_iter().map(str::to_owned).collect() };
        let fields = |own: &str, wanted: bool| match (wanted, request.has(own)) {
            (false, _) => vec![],
            (true, true) => list(own),
            (true, false) => list("fields"),
        };
        Ok(Self {
            groups: list("groups"),
            fielddata_fields: fields("fielddata_fields", fielddata),
            completion_fields: fields("completion_fields", completion),
            file_sizes: request.flag("include_segment_file_sizes", false)?,
            search_phases: None,
        })
    }
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
pub fn write_sections(stats: &ShardStats, wanted: Option<&[&str]>, shown: &Shown, w: &mut Writer) {
    for section in SECTIONS {
        if wanted.is_none_or(|wanted| wanted.contains(&section.metric)) {
            w.key(section.key).begin_object();
            (section.write)(stats, shown, w);
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
    readable_of("", value)
}

/// `value`, which stands under `parent`.
fn readable_of(parent: &str, value: Value) -> Value {
    let map = match value {
        Value::Object(map) => map,
        Value::Array(items) => {
            return Value::Array(items.into_iter().map(|item| readable_of(parent, item)).collect());
        }
        other => return other,
    };
    let mut readable = Map::new();
    for entry in map.entries {
        let number = entry.value.as_i64().and_then(|number| u64::try_from(number).ok());
        if let Some((name, text)) = number.and_then(|number| in_words(parent, &entry.key, number)) {
            readable.insert(name, text);
        }
        let below = readable_of(&entry.key, entry.value);
        readable.insert(entry.key, below);
    }
    Value::Object(readable)
}

/// What a figure is called whose name does not tell, and what kind of figure it is: places, names and unit.
const IN_WORDS: &[(&str, &str, &str, Unit)] = &[
    ("segments", "fixed_bit_set_memory_in_bytes", "fixed_bit_set", Unit::Bytes),
    ("warmer", "total_time_millis", "total_time", Unit::Millis),
    ("warmer", "total_send_time_millis", "total_send_time", Unit::Millis),
    ("warmer", "total_receive_time_millis", "total_receive_time", Unit::Millis),
    ("warmer", "total_bytes_sent", "total_sent_size", Unit::Bytes),
    ("warmer", "total_bytes_received", "total_received_size", Unit::Bytes),
    ("total_upload_size", "started_bytes", "started", Unit::Bytes),
    ("total_upload_size", "succeeded_bytes", "succeeded", Unit::Bytes),
    ("total_upload_size", "failed_bytes", "failed", Unit::Bytes),
    ("total_download_size", "started_bytes", "started", Unit::Bytes),
    ("total_download_size", "succeeded_bytes", "succeeded", Unit::Bytes),
    ("total_download_size", "failed_bytes", "failed", Unit::Bytes),
    ("refresh_size_lag", "total_bytes", "total", Unit::Bytes),
    ("refresh_size_lag", "max_bytes", "max", Unit::Bytes),
];

/// Figures that nobody reads in words.
const NUMBERS_ALONE: &[(&str, &str)] =
    &[("overall", "total_time_in_millis"), ("devices", "io_time_in_millis"), ("total", "io_time_in_millis")];

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Millis,
}

/// The figure as people read it, and the name that it has then.
fn in_words<'a>(parent: &str, key: &'a str, number: u64) -> Option<(&'a str, String)> {
    if NUMBERS_ALONE.contains(&(parent, key)) {
        return None;
    }
    let listed = IN_WORDS.iter().find(|(place, name, ..)| (*place, *name) == (parent, key));
    let (name, unit) = match listed {
        Some((_, _, name, unit)) => (*name, *unit),
        None => match (key.strip_suffix("_in_millis"), key.strip_suffix("_in_bytes")) {
            (Some(name), _) => (name, Unit::Millis),
            (_, Some(name)) => (name, Unit::Bytes),
            _ => return None,
        },
    };
    let text = match unit {
        Unit::Bytes => bytes_text(number),
        Unit::Millis if number == 0 => "0s".to_owned(),
        Unit::Millis => time_text(number as i64),
    };
    Some((name, text))
}

const fn ms(ns: u64) -> u64 {
    ns / 1_000_000
}

fn numbers(w: &mut Writer, fields: &[(&str, u64)]) {
    for (key, value) in fields {
        w.key(key).u64(*value);
    }
}

fn docs(s: &ShardStats, _: &Shown, w: &mut Writer) {
    numbers(w, &[("count", s.docs.count), ("deleted", s.docs.deleted)]);
}

fn store(s: &ShardStats, _: &Shown, w: &mut Writer) {
    numbers(w, &[("size_in_bytes", s.store_bytes), ("reserved_in_bytes", 0)]);
}

fn indexing(s: &ShardStats, _: &Shown, w: &mut Writer) {
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

fn get(s: &ShardStats, _: &Shown, w: &mut Writer) {
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

fn search(s: &ShardStats, shown: &Shown, w: &mut Writer) {
    w.key("open_contexts").u64(s.search.open_contexts);
    searches(&s.search, w);
    if let Some(phases) = &shown.search_phases {
        phases.write(w.key("request"));
    }
    let chosen = |name: &str| shown.groups.iter().any(|pattern| pattern == "_all" || glob(pattern, name));
    let mut groups = s.search_groups.iter().filter(|(name, _)| chosen(name)).peekable();
    if groups.peek().is_some() {
        w.key("groups").begin_object();
        for (name, stats) in groups {
            w.key(name).begin_object();
            searches(stats, w);
            w.end_object();
        }
        w.end_object();
    }
}

fn searches(q: &SearchStats, w: &mut Writer) {
    numbers(
        w,
        &[
            ("query_total", q.query_total),
            ("query_time_in_millis", ms(q.query_time_ns)),
            ("query_current", q.query_current),
            ("query_failed", q.query_failed),
            ("concurrent_query_total", 0),
            ("concurrent_query_time_in_millis", 0),
            ("concurrent_query_current", 0),
        ],
    );
    w.key("concurrent_avg_slice_count").f64(0.0);
    numbers(
        w,
        &[
            ("startree_query_total", 0),
            ("startree_query_time_in_millis", 0),
            ("startree_query_current", 0),
            ("startree_query_failed", 0),
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

fn merges(s: &ShardStats, _: &Shown, w: &mut Writer) {
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
    // Merged segments are made ready for copies on other nodes; there are none.
    w.key("warmer").begin_object();
    numbers(
        w,
        &[
            ("total_invocations_count", 0),
            ("total_time_millis", 0),
            ("total_failure_count", 0),
            ("total_bytes_sent", 0),
            ("total_bytes_received", 0),
            ("total_send_time_millis", 0),
            ("total_receive_time_millis", 0),
            ("ongoing_count", 0),
        ],
    );
    w.end_object();
}

fn refresh(s: &ShardStats, _: &Shown, w: &mut Writer) {
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

fn flush(s: &ShardStats, _: &Shown, w: &mut Writer) {
    let f = &s.flush;
    numbers(w, &[("total", f.total), ("periodic", f.periodic), ("total_time_in_millis", ms(f.total_time_ns))]);
}

fn warmer(_: &ShardStats, _: &Shown, w: &mut Writer) {
    numbers(w, &[("current", 0), ("total", 0), ("total_time_in_millis", 0)]);
}

fn query_cache(_: &ShardStats, _: &Shown, w: &mut Writer) {
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

fn fielddata(s: &ShardStats, shown: &Shown, w: &mut Writer) {
    numbers(w, &[("memory_size_in_bytes", s.fielddata_bytes()), ("evictions", 0)]);
    by_field(&s.fielddata, &shown.fielddata_fields, "memory_size_in_bytes", w);
}

fn completion(s: &ShardStats, shown: &Shown, w: &mut Writer) {
    numbers(w, &[("size_in_bytes", s.completion_bytes())]);
    by_field(&s.completion, &shown.completion_fields, "size_in_bytes", w);
}

/// Writes the sizes of the fields that patterns name, if there are patterns.
fn by_field(sizes: &BTreeMap<String, u64>, patterns: &[String], key: &str, w: &mut Writer) {
    if patterns.is_empty() {
        return;
    }
    w.key("fields").begin_object();
    for (field, bytes) in sizes.iter().filter(|(field, _)| patterns.iter().any(|pattern| glob(pattern, field))) {
        w.key(field).begin_object().key(key).u64(*bytes).end_object();
    }
    w.end_object();
}

fn segments(s: &ShardStats, shown: &Shown, w: &mut Writer) {
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
    write_remote_segments(w);
    w.key("file_sizes").begin_object();
    // A segment is one file: what it holds stands here by the kinds of its sections.
    for (kind, bytes) in g.section_bytes.iter().filter(|_| shown.file_sizes) {
        w.key(kind).begin_object().key("size_in_bytes").u64(*bytes);
        w.key("description").string(&kind.replace('_', " ")).end_object();
    }
    w.end_object();
}

/// Segments in a remote store, and copied to other nodes: there are none.
fn write_remote_segments(w: &mut Writer) {
    let transferred = |w: &mut Writer, key: &str| {
        w.key(key).begin_object();
        numbers(w, &[("started_bytes", 0), ("succeeded_bytes", 0), ("failed_bytes", 0)]);
        w.end_object();
    };
    w.key("remote_store").begin_object().key("upload").begin_object();
    transferred(w, "total_upload_size");
    w.key("refresh_size_lag").begin_object();
    numbers(w, &[("total_bytes", 0), ("max_bytes", 0)]);
    w.end_object();
    numbers(w, &[("max_refresh_time_lag_in_millis", 0), ("total_time_spent_in_millis", 0)]);
    w.key("pressure").begin_object().key("total_rejections").u64(0).end_object();
    w.end_object().key("download").begin_object();
    transferred(w, "total_download_size");
    w.key("total_time_spent_in_millis").u64(0).end_object().end_object();
    w.key("segment_replication").begin_object();
    numbers(w, &[("max_bytes_behind", 0), ("total_bytes_behind", 0), ("max_replication_lag", 0)]);
    w.end_object();
}

fn translog(s: &ShardStats, _: &Shown, w: &mut Writer) {
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
    // There is no remote store that it could be kept in.
    w.key("remote_store").begin_object().key("upload").begin_object().key("total_uploads").begin_object();
    numbers(w, &[("started", 0), ("failed", 0), ("succeeded", 0)]);
    w.end_object().key("total_upload_size").begin_object();
    numbers(w, &[("started_bytes", 0), ("failed_bytes", 0), ("succeeded_bytes", 0)]);
    w.end_object().end_object().end_object();
}

fn request_cache(s: &ShardStats, _: &Shown, w: &mut Writer) {
    let c = &s.request_cache;
    numbers(
        w,
        &[
            ("memory_size_in_bytes", c.memory_bytes),
            ("evictions", c.evictions),
            ("hit_count", c.hits),
            ("miss_count", c.misses),
        ],
    );
}

fn recovery(_: &ShardStats, _: &Shown, w: &mut Writer) {
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
