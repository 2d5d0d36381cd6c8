//! `_ingest/pipeline/_simulate`: what a pipeline would make of documents.

use super::ingest::{body_object, check_size};
use super::trace::traced;
use super::{ApiRequest, Reply};
use crate::coordinate::Core;
use crate::coordinate::ingest::{runner, timestamp};
use crate::tasks::check_memory;
use pith_engine::ingest::{Document, Flow, Outcome, Pipeline, TraceEntry};
use pith_engine::java_order::java_ordered;
use pith_engine::json::{Map, Value, Writer, java_class, java_text};
use pith_engine::pace::Pace;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;

/// What a pipeline is called that is part of the request.
const OWN_ID: &str = "_simulate_pipeline";

/// As large as an answer becomes: so large may a request be.
const ANSWER_BYTES_MAX: usize = 100 << 20;

pub async fn simulate(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let verbose = request.flag("verbose", false);
    let (mut body, verbose) = (body_object(&request)?, verbose?);
    let state = core.state();
    let pipeline = match request.param("id") {
        Some(id) => state
            .pipelines
            .get(id)
            .cloned()
            .ok_or_else(|| Error::illegal_argument(format!("pipeline [{id}] does not exist")))?,
        None => {
            let config = object(&mut body, "pipeline")?;
            let pipeline = Pipeline::parse(OWN_ID, &config, &*state)?;
            check_size(&core, &pipeline)?;
            Arc::new(pipeline)
        }
    };
    let docs = documents(&mut body)?;
    let trace = request.common.error_trace;
    let pace = Pace::new(rt::must_give_way);
    let run = runner(&state, &pace);
    let mut w = Writer::new();
    w.begin_object().key("docs").begin_array();
    for mut doc in docs {
        rt::yield_if_needed().await;
        check_answer(&core, &w)?;
        if verbose {
            let record = run.traced(&pipeline, &mut doc).await?;
            w.begin_object().key("processor_results").begin_array();
            for entry in &record.entries {
                if let Outcome::Success(doc) | Outcome::Ignored(doc, _) = &entry.outcome {
                    doc.check_copied()?;
                    doc.check_written()?;
                }
                write_entry(&mut w, entry, trace);
                rt::yield_if_needed().await;
                check_answer(&core, &w)?;
            }
            w.end_array().end_object();
            continue;
        }
        match run.document(&pipeline, &mut doc).await {
            Ok(Flow::Dropped) => drop(w.null()),
            Ok(Flow::Goes) => {
                doc.check_copied()?;
                doc.check_written()?;
                w.begin_object();
                write_document(&mut w, &doc);
                w.end_object();
            }
            Err(failure) if failure.escaped => return Err(failure.error),
            Err(failure) => {
                w.begin_object().key("error");
                traced(failure.error, trace).write_with_root_cause(&mut w);
                w.end_object();
            }
        }
    }
    w.end_array().end_object();
    Ok(Reply::ok(w))
}

/// That the answer may grow further. It is held as a whole until it is sent, and each document in it may be a large one.
fn check_answer(core: &Core, answer: &Writer) -> Result<()> {
    if answer.len() > ANSWER_BYTES_MAX {
        let reason =
            format!("the documents of the answer take more than [{ANSWER_BYTES_MAX}] bytes; simulate fewer at once");
        return Err(Error::illegal_argument(reason));
    }
    check_memory(&core.facts()?.pressure)
}

fn write_entry(w: &mut Writer, entry: &TraceEntry, trace: bool) {
    w.begin_object().key("processor_type").string(entry.kind).key("status").string(entry.outcome.status());
    if let Some(description) = &entry.description {
        w.key("description").string(description);
    }
    if let Some(tag) = &entry.tag {
        w.key("tag").string(tag);
    }
    if let Some((condition, holds)) = &entry.condition {
        w.key("if").begin_object().key("condition").string(condition).key("result").bool(*holds).end_object();
    }
    match &entry.outcome {
        Outcome::Success(doc) => write_document(w, doc),
        Outcome::Failed(error) => {
            w.key("error");
            traced(error.clone(), trace).write_with_root_cause(w);
        }
        Outcome::Ignored(doc, error) => {
            w.key("ignored_error").begin_object().key("error");
            traced(error.clone(), trace).write_with_root_cause(w);
            w.end_object();
            write_document(w, doc);
        }
        Outcome::Dropped | Outcome::Skipped | Outcome::Called => {}
    }
    w.end_object();
}

/// Writes `"doc":{…}`: metadata as texts, the fields, what pipelines say of themselves.
fn write_document(w: &mut Writer, doc: &Document) {
    let (metadata, source, ingest) = doc.copied();
    w.key("doc").begin_object();
    for (key, value) in metadata.iter().filter(|(_, value)| !value.is_null()) {
        w.key(key).string(&java_text(value));
    }
    w.key("_source").value(&Value::Object(source));
    w.key("_ingest").value(&Value::Object(ingest));
    w.end_object();
}

fn documents(body: &mut Map) -> Result<Vec<Document>> {
    let docs = match body.remove("docs") {
        None | Some(Value::Null) => return Err(missing("docs")),
        Some(Value::Array(docs)) => docs,
        Some(other) => return Err(wrong("docs", "a list", &other)),
    };
    if docs.is_empty() {
        return Err(Error::illegal_argument("must specify at least one document in [docs]"));
    }
    docs.into_iter().map(document).collect()
}

fn document(value: Value) -> Result<Document> {
    let Value::Object(mut map) = value else {
        return Err(Error::illegal_argument("malformed [docs] section, should include an inner object"));
    };
    let source = object(&mut map, "_source")?;
    let mut metadata = Map::new();
    metadata.insert("_index", name(&mut map, "_index")?.unwrap_or_else(|| "_index".to_owned()));
    metadata.insert("_id", name(&mut map, "_id")?.unwrap_or_else(|| "_id".to_owned()));
    if let Some(routing) = name(&mut map, "_routing")? {
        metadata.insert("_routing", routing);
    }
    for key in ["_version", "_if_seq_no", "_if_primary_term"] {
        match map.remove(key) {
            None | Some(Value::Null) => {}
            Some(Value::Int(number)) => metadata.insert(key, number),
            Some(_) => {
                let reason = format!("Failed to parse parameter [{key}], only int or long is accepted");
                return Err(Error::illegal_argument(reason));
            }
        }
    }
    if let Some(kind) = map.remove("_version_type").filter(|kind| !kind.is_null()) {
        let Value::String(kind) = kind else { return Err(wrong("_version_type", "a string", &kind)) };
        pith_engine::shard::VersionType::parse(&kind)?;
        metadata.insert("_version_type", kind);
    }
    Ok(Document::new(metadata, java_ordered(source), timestamp()))
}

fn object(map: &mut Map, key: &str) -> Result<Map> {
    match map.remove(key) {
        None | Some(Value::Null) => Err(missing(key)),
        Some(Value::Object(object)) => Ok(object),
        Some(other) => Err(wrong(key, "a map", &other)),
    }
}

/// A name, which may be given as a number.
fn name(map: &mut Map, key: &str) -> Result<Option<String>> {
    match map.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Int(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(wrong(key, "a string or int", &other)),
    }
}

#[cold]
fn missing(key: &str) -> Error {
    property(key, "required property is missing")
}

#[cold]
fn wrong(key: &str, wanted: &str, found: &Value) -> Error {
    property(key, &format!("property isn't {wanted}, but of type [{}]", java_class(found)))
}

#[cold]
fn property(key: &str, reason: &str) -> Error {
    Error::new(ErrorKind::Parse, format!("[{key}] {reason}")).with("property_name", key)
}
