//! Searches on their way through search pipelines: which one, and what it makes of the request and of the answer.

use super::answer::Answer;
use super::asked::Asked;
use super::targets::Scope;
use crate::cluster::State;
use crate::coordinate::{Core, clock};
use pith_engine::pace::Pace;
use pith_engine::search::SearchRequest;
use pith_engine::search_pipeline::{Hits, Pipeline, Run};
use pith_engine::{Error, Result};
use pith_net::rt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The name that stands for no pipeline.
const NONE: &str = "_none";
/// What settings name the pipeline of an index by.
const DEFAULT: &str = "index.search.default_pipeline";
/// What a pipeline is called that the request brings.
const AD_HOC: &str = "_ad_hoc_pipeline";

/// Sends the request through the pipeline that it or its indexes name; `None` if there is none.
pub fn begin(core: &Core, asked: &mut Asked, scope: &Scope) -> Result<Option<Run>> {
    let state = core.state();
    let verbose = asked.request.pipeline.verbose;
    let Some(pipeline) = chosen(&state, asked, scope)? else {
        if verbose {
            return Err(Error::illegal_argument(
                "The 'verbose pipeline' option requires a search pipeline to be defined.",
            ));
        }
        return Ok(None);
    };
    let mut run = Run::new(pipeline, &state.search_pipelines.total, verbose, clock_ns);
    let mut request = SearchRequest::clone(&asked.request);
    request.pipeline.routing.clone_from(&scope.routing);
    run.request(&mut request, asked.now_ms)?;
    request.fill(run.attributes())?;
    let routed = (request.pipeline.routing != scope.routing).then(|| request.pipeline.routing.clone());
    asked.replace(request)?;
    if let Some(routing) = routed {
        asked.route(core, &Scope { routing, ..scope.clone() })?;
    }
    Ok(Some(run))
}

/// Sends the answer through the same pipeline.
pub async fn end(mut run: Run, request: &SearchRequest, answer: &mut Answer) -> Result<()> {
    // Where no hits are asked for, or nothing but suggestions, there are none that could have been collapsed.
    let collapse = request.collapse.as_ref().filter(|_| request.size > 0 && !request.suggests_only());
    let mut hits = Hits {
        objects: std::mem::take(&mut answer.hits),
        collapsed_by: collapse.map(|collapse| collapse.field.clone()),
        made_anew: false,
    };
    run.response(&mut hits, &Pace::new(rt::must_give_way)).await?;
    answer.hits = hits.objects;
    answer.made_anew = hits.made_anew;
    answer.records = run.into_records();
    Ok(())
}

fn chosen(state: &State, asked: &Asked, scope: &Scope) -> Result<Option<Arc<Pipeline>>> {
    let choice = &asked.request.pipeline;
    let name = match (&choice.name, &choice.inline) {
        (Some(name), None) => name.as_str(),
        (Some(_), Some(_)) => {
            return Err(Error::illegal_argument(
                "Both named and inline search pipeline were specified. Please only specify one or the other.",
            ));
        }
        (None, Some(config)) => return Pipeline::parse_ad_hoc(AD_HOC, config, state).map(|made| Some(Arc::new(made))),
        // Only indexes that the request names have a say.
        (None, None) if scope.indexes.is_empty() => NONE,
        (None, None) => default_of(asked),
    };
    if name == NONE {
        return Ok(None);
    }
    match state.search_pipelines.get(name) {
        Some(pipeline) => Ok(Some(pipeline.clone())),
        None => Err(Error::illegal_argument(format!("Pipeline {name} is not defined"))),
    }
}

/// The pipeline that the indexes agree on; those that name none do not count.
fn default_of(asked: &Asked) -> &str {
    let mut found = NONE;
    for name in asked.targets.iter().filter_map(|target| target.index.settings.text(DEFAULT)) {
        if found != NONE && found != name {
            return NONE;
        }
        found = name;
    }
    found
}

/// Nanoseconds of a clock that never goes back.
fn clock_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    clock::nanos(*START.get_or_init(Instant::now))
}
