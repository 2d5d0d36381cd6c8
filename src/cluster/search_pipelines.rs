//! Search pipelines, by id.

use super::{Outcome, State};
use crate::settings::glob;
use pith_engine::json::{Map, Value};
use pith_engine::search_pipeline::{Pipeline, Pipelines, Stored};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

/// A pipeline to be put, compiled by whoever asks.
#[derive(Clone, Debug)]
pub struct PutSearchPipeline {
    pub id: String,
    pub config: Map,
    pub pipeline: Arc<Pipeline>,
}

/// Keeps a pipeline, in the place of one of the same id, whose figures it goes on with.
pub fn put(state: &mut State, put: PutSearchPipeline) -> Outcome {
    let PutSearchPipeline { id, config, mut pipeline } = put;
    let pipelines = Arc::make_mut(&mut state.search_pipelines);
    if let Some(old) = pipelines.get(&id) {
        // Nobody else has it yet; should somebody, the figures begin anew.
        if let Some(pipeline) = Arc::get_mut(&mut pipeline) {
            pipeline.continue_stats(old);
        }
    }
    pipelines.by_id.insert(id, Stored { config, pipeline });
    Outcome::Done
}

/// Deletes the pipelines that `pattern` matches.
pub fn delete(state: &mut State, pattern: &str) -> Result<Outcome> {
    let pipelines = Arc::make_mut(&mut state.search_pipelines);
    let before = pipelines.by_id.len();
    pipelines.by_id.retain(|id, _| !glob(pattern, id));
    if pipelines.by_id.len() == before && pattern != "*" {
        return Err(Error::new(ErrorKind::ResourceNotFound, format!("pipeline [{pattern}] is missing")));
    }
    Ok(Outcome::Done)
}

/// The pipelines as they are kept.
pub fn to_value(pipelines: &Pipelines) -> Value {
    Value::Object(pipelines.by_id.iter().map(|(id, stored)| (id.as_str(), stored.config.clone())).collect())
}

/// What [`to_value`] made. A pipeline that cannot be read any more fails the searches that ask for it.
pub fn from_value(value: &Value, scripts: &State) -> Option<Pipelines> {
    let mut pipelines = Pipelines::default();
    for (id, config) in value.as_object()?.iter() {
        let config = config.as_object()?.clone();
        let pipeline = Pipeline::parse(id, &config, scripts).unwrap_or_else(|error| Pipeline::broken(id, error));
        pipelines.by_id.insert(id.to_owned(), Stored { config, pipeline: Arc::new(pipeline) });
    }
    Some(pipelines)
}

/// Whether two sets are the same; pipelines are by their identity.
pub(super) fn same(a: &Pipelines, b: &Pipelines) -> bool {
    a.by_id.len() == b.by_id.len()
        && a.by_id.iter().zip(&b.by_id).all(|((a, x), (b, y))| a == b && Arc::ptr_eq(&x.pipeline, &y.pipeline))
}
