//! `_segments`: the segments of each shard.

use super::super::index_options::INDEX_PARAMS;
use super::super::root::REFERENCE_LUCENE_VERSION;
use super::super::targets::resolve_shown;
use super::super::{ApiRequest, Method, Reply, Route};
use super::stats_sections::for_people;
use crate::cluster::{IndicesOptions, State};
use crate::coordinate::Core;
use crate::coordinate::broadcast::{Broadcast, broadcast};
use crate::coordinate::{SegmentInfo, ShardReply, ShardRequest};
use pith_engine::Result;
use pith_engine::json::Writer;
use std::collections::BTreeMap;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "indices_segments_action",
        params: &[INDEX_PARAMS, &["verbose"]],
        handler: |core, request| Box::pin(segments(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row("/_segments"), row("/{index}/_segments")];

async fn segments(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.flag("verbose", false)?;
    let state = core.state();
    let indexes = resolve_shown(&request, &state, IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED)?;
    let answers = broadcast(&core, &indexes, || ShardRequest::Segments).await;
    let mut w = Writer::new();
    w.begin_object();
    answers.write_header(&state, &mut w);
    w.key("indices").begin_object();
    for (index, shards) in by_index(&answers) {
        w.key(index).begin_object().key("shards").begin_object();
        for (shard, segments) in shards {
            w.key(&shard.to_string()).begin_array();
            write_shard(&state, segments, &mut w);
            w.end_array();
        }
        w.end_object().end_object();
    }
    w.end_object().end_object();
    let answer = w.finish();
    Ok(Reply::json(200, if request.common.human { for_people(answer) } else { answer }))
}

/// The segments of each shard that answered, by the name of its index.
pub fn by_index(answers: &Broadcast) -> BTreeMap<&str, Vec<(u32, &[SegmentInfo])>> {
    let mut by_index: BTreeMap<&str, Vec<(u32, &[SegmentInfo])>> = BTreeMap::new();
    for answer in &answers.answers {
        if let Ok(ShardReply::Segments(segments)) = &answer.reply {
            by_index.entry(&answer.index.name).or_default().push((answer.shard, segments));
        }
    }
    by_index
}

/// The number in a segment's name.
pub fn generation(segment: &SegmentInfo) -> u64 {
    let digits: String = segment.name.chars().filter(char::is_ascii_alphanumeric).collect();
    u64::from_str_radix(&digits, 36).unwrap_or(0)
}

fn write_shard(state: &State, segments: &[SegmentInfo], w: &mut Writer) {
    w.begin_object();
    w.key("routing").begin_object();
    w.key("state").string("STARTED").key("primary").bool(true).key("node").string(&state.manager);
    w.end_object();
    w.key("num_committed_segments").u64(segments.iter().filter(|segment| segment.committed).count() as u64);
    w.key("num_search_segments").u64(segments.iter().filter(|segment| segment.visible).count() as u64);
    w.key("segments").begin_object();
    for segment in segments {
        w.key(&segment.name).begin_object();
        w.key("generation").u64(generation(segment));
        w.key("num_docs").u64(segment.docs.into());
        w.key("deleted_docs").u64(segment.deleted.into());
        w.key("size_in_bytes").u64(segment.bytes);
        w.key("memory_in_bytes").u64(0);
        w.key("committed").bool(segment.committed);
        w.key("search").bool(segment.visible);
        w.key("version").string(REFERENCE_LUCENE_VERSION);
        w.key("compound").bool(true);
        w.end_object();
    }
    w.end_object().end_object();
}
