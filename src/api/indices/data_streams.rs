//! `_data_stream`: making, showing and deleting data streams, and what they hold.

use super::super::route::route;
use super::super::targets::{manager_timeout_ms, submit};
use super::super::{ApiRequest, Reply, Route};
use crate::api::cat::table::bytes_text;
use crate::cluster::{
    Change, DataStream, IndexMeta, IndicesOptions, State, Status, health, matching_index_template, resolve_streams,
};
use crate::coordinate::broadcast::{ShardAnswer, broadcast};
use crate::coordinate::search::{Scope, SearchOptions, search};
use crate::coordinate::{Core, ShardReply, ShardRequest, clock};
use pith_engine::Result;
use pith_engine::json::{Map, Value, Writer, parse};
use pith_engine::search::SearchRequest;
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[
    route!(Put "/_data_stream/{name}" "create_data_stream_action" &[], create),
    route!(Delete "/_data_stream/{name}" "delete_data_stream_action" &[], delete),
    route!(Get "/_data_stream" "get_data_streams_action" &[], get),
    route!(Get "/_data_stream/{name}" "get_data_streams_action" &[], get),
    route!(Get "/_data_stream/_stats" "data_stream_stats_action" &[], stats),
    route!(Get "/_data_stream/{name}/_stats" "data_stream_stats_action" &[], stats),
];

async fn create(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let change = Change::CreateDataStream(request.path_param("name").to_owned());
    Ok(Reply::acknowledged(submit(&core, &request, change).await?.is_done()))
}

async fn delete(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let patterns = request.list("name").into_iter().map(str::to_owned).collect();
    Ok(Reply::acknowledged(submit(&core, &request, Change::DeleteDataStreams(patterns)).await?.is_done()))
}

/// The streams that a request names.
fn named(state: &State, request: &ApiRequest) -> Result<Vec<Arc<DataStream>>> {
    resolve_streams(state, &request.list("name"), clock::now_ms())
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let state = core.state();
    let shown: Vec<Value> = named(&state, &request)?.iter().map(|stream| shown(&state, stream)).collect();
    let body = Value::Object(Map::from_iter([("data_streams", Value::Array(shown))]));
    Ok(Reply::json(200, body.to_bytes()))
}

fn shown(state: &State, stream: &DataStream) -> Value {
    let Value::Object(mut map) = stream_value(stream) else { return Value::Null };
    let indexes = state.indexes_of_stream(stream);
    let status = indexes.iter().map(|index| health::index_health(state, index).status).max().unwrap_or(Status::Green);
    map.insert("status", status.name().to_uppercase());
    if let Some((name, _)) = matching_index_template(&state.templates, &stream.name, false) {
        map.insert("template", name);
    }
    Value::Object(map)
}

/// A stream as the cluster's state shows it.
pub fn stream_value(stream: &DataStream) -> Value {
    let index = |id: &crate::cluster::IndexId| {
        Value::Object(Map::from_iter([("index_name", &*id.name), ("index_uuid", &*id.uuid)]))
    };
    let field = Map::from_iter([("name", stream.timestamp_field.as_str())]);
    Value::Object(Map::from_iter([
        ("name", Value::from(&*stream.name)),
        ("timestamp_field", Value::Object(field)),
        ("indices", Value::Array(stream.indices.iter().map(index).collect())),
        ("generation", Value::from(stream.generation)),
    ]))
}

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let mut streams = named(&state, &request)?;
    let indexes: Vec<Arc<IndexMeta>> = streams.iter().flat_map(|stream| state.indexes_of_stream(stream)).collect();
    // Nothing is known of those that no core has any shard of.
    streams.retain(|stream| state.indexes_of_stream(stream).iter().any(|index| !state.lacks_all_primaries(index)));
    let backing = |stream: &DataStream| {
        let indexes = state.indexes_of_stream(stream);
        indexes.iter().filter(|index| !state.lacks_all_primaries(index)).count() as u64
    };
    let answers = broadcast(&core, &indexes, || ShardRequest::Stats).await;
    let store = |stream: &DataStream| -> u64 {
        let of_stream = answers.answers.iter().filter(|a| state.backing.get(&a.index.name) == Some(&stream.name));
        of_stream.map(store_bytes).sum()
    };
    let human = request.common.human;
    let size = |w: &mut Writer, key: &str, bytes: u64| {
        if human {
            w.key(key).string(&bytes_text(bytes));
        }
        w.key(&format!("{key}_bytes")).u64(bytes);
    };
    let mut w = Writer::new();
    w.begin_object();
    answers.write_header(&state, &mut w);
    w.key("data_stream_count").u64(streams.len() as u64).key("backing_indices");
    w.u64(streams.iter().map(|stream| backing(stream)).sum());
    size(&mut w, "total_store_size", streams.iter().map(|stream| store(stream)).sum());
    w.key("data_streams").begin_array();
    for stream in &streams {
        w.begin_object().key("data_stream").string(&stream.name);
        w.key("backing_indices").u64(backing(stream));
        size(&mut w, "store_size", store(stream));
        w.key("maximum_timestamp").i64(newest(&core, stream).await?).end_object();
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

fn store_bytes(answer: &ShardAnswer) -> u64 {
    match &answer.reply {
        Ok(ShardReply::Stats(stats)) => stats.store_bytes,
        _ => 0,
    }
}

/// The highest time of a stream's documents in milliseconds; 0 if it has none.
async fn newest(core: &Core, stream: &DataStream) -> Result<i64> {
    let field = Value::from(&stream.timestamp_field).to_bytes();
    let body = [&br#"{"size":0,"aggs":{"newest":{"max":{"field":"#[..], &field, b"}}}}"].concat();
    let asked = Arc::new(SearchRequest::parse(Some(&body), &[])?);
    let scope = Scope {
        indexes: vec![stream.name.to_string()],
        options: IndicesOptions::LENIENT_EXPAND_OPEN,
        routing: None,
        preference: None,
    };
    let answer = parse(&search(core, &asked, &scope, &SearchOptions::default()).await?)?;
    let value = answer.get("aggregations").and_then(|aggs| aggs.get("newest")).and_then(|max| max.get("value"));
    Ok(value.and_then(Value::as_f64).unwrap_or(0.0) as i64)
}
