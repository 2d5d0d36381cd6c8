//! The figures of search pipelines.

use pith_engine::ingest::{Figures, Stats};
use pith_engine::json::Writer;
use pith_engine::search_pipeline::Pipelines;

/// Writes the section `search_pipeline`.
pub fn write(pipelines: &Pipelines, w: &mut Writer) {
    w.key("search_pipeline").begin_object();
    figures("total_request", &pipelines.total.request, w);
    figures("total_response", &pipelines.total.response, w);
    w.key("pipelines").begin_object();
    for (id, stored) in &pipelines.by_id {
        let pipeline = &stored.pipeline;
        w.key(id).begin_object();
        figures("request", &pipeline.stats.request, w);
        figures("response", &pipeline.stats.response, w);
        steps("request_processors", pipeline.request_stats(), w);
        steps("response_processors", pipeline.response_stats(), w);
        w.end_object();
    }
    w.end_object();
    // Nothing makes processors by itself here.
    for (section, kinds) in [
        ("system_generated_processors", ["request_processors", "response_processors"]),
        ("system_generated_factories", ["request_processor_factories", "response_processor_factories"]),
    ] {
        w.key(section).begin_object();
        for kind in kinds {
            w.key(kind).begin_array().end_array();
        }
        w.end_object();
    }
    w.end_object();
}

fn steps<'s>(key: &str, steps: impl Iterator<Item = (String, &'static str, &'s Stats)>, w: &mut Writer) {
    w.key(key).begin_array();
    for (name, kind, stats) in steps {
        w.begin_object().key(&name).begin_object().key("type").string(kind);
        figures("stats", stats, w);
        w.end_object().end_object();
    }
    w.end_array();
}

fn figures(key: &str, stats: &Stats, w: &mut Writer) {
    let Figures { count, failed, current, time_ms } = stats.figures();
    w.key(key).begin_object().key("count").u64(count).key("time_in_millis").u64(time_ms);
    w.key("current").u64(current).key("failed").u64(failed).end_object();
}
