//! A search on its way through a pipeline.

use super::hits::{Answered, Hit, Hits, copied};
use super::pipeline::{Both, Pipeline};
use super::record::{Record, Records};
use super::step::{ResponseProcessor, Step};
use crate::error::{Error, Result};
use crate::json::{Map, Value, Writer};
use crate::pace::Pace;
use crate::search::SearchRequest;
use std::sync::Arc;

/// What steps leave for later ones.
pub(super) type Attributes = Map;

/// One search, one pipeline.
#[derive(Debug)]
pub struct Run {
    pipeline: Arc<Pipeline>,
    /// Figures of all pipelines.
    total: Both,
    clock_ns: fn() -> u64,
    attributes: Attributes,
    /// Of a verbose run, in which no failure of a step ends the search.
    records: Option<Records>,
}

impl Run {
    pub fn new(pipeline: Arc<Pipeline>, total: &Both, verbose: bool, clock_ns: fn() -> u64) -> Self {
        let records = verbose.then(Records::default);
        Self { pipeline, total: total.clone(), clock_ns, attributes: Map::new(), records }
    }

    /// Changes a request before it is searched.
    pub fn request(&mut self, request: &mut SearchRequest, now_ms: i64) -> Result<()> {
        if let Some(error) = &self.pipeline.broken {
            return Err(error.clone());
        }
        let pipeline = self.pipeline.clone();
        if pipeline.requests.is_empty() {
            return Ok(());
        }
        let started = (self.clock_ns)();
        let total = self.total.request.clone();
        let running = (pipeline.stats.request.begin(), total.begin());
        let mut result = Ok(());
        for step in &pipeline.requests {
            let input = self.records.as_ref().map(|_| request.shown().to_bytes());
            let step_started = (self.clock_ns)();
            let step_running = step.stats.begin();
            let outcome = step.work.change(request, &mut self.attributes, now_ms);
            let took_ns = (self.clock_ns)().saturating_sub(step_started);
            step_running.end(outcome.is_err(), took_ns);
            let output = (input.is_some() && outcome.is_ok()).then(|| request.shown().to_bytes());
            result = self.settle(step, took_ns, outcome, input.zip(Some(output)));
            if result.is_err() {
                break;
            }
        }
        let took_ns = (self.clock_ns)().saturating_sub(started);
        running.0.end(result.is_err(), took_ns);
        running.1.end(result.is_err(), took_ns);
        result
    }

    /// Changes the hits of an answer before they are shown.
    pub async fn response(&mut self, hits: &mut Hits, pace: &Pace) -> Result<()> {
        let pipeline = self.pipeline.clone();
        if pipeline.responses.is_empty() {
            return Ok(());
        }
        let started = (self.clock_ns)();
        let total = self.total.response.clone();
        let running = (pipeline.stats.response.begin(), total.begin());
        let mut result = Ok(());
        for step in &pipeline.responses {
            let input = self.records.as_ref().map(|_| copies(&hits.objects)).transpose()?;
            let step_started = (self.clock_ns)();
            let step_running = step.stats.begin();
            let outcome = apply(&*step.work, hits, &self.attributes, self.records.is_some(), pace).await;
            let took_ns = (self.clock_ns)().saturating_sub(step_started);
            step_running.end(outcome.is_err(), took_ns);
            let output = (input.is_some() && outcome.is_ok()).then(|| copies(&hits.objects)).transpose()?;
            result = self.settle(step, took_ns, outcome, input.zip(Some(output)));
            if result.is_err() {
                break;
            }
        }
        let took_ns = (self.clock_ns)().saturating_sub(started);
        running.0.end(result.is_err(), took_ns);
        running.1.end(result.is_err(), took_ns);
        result
    }

    /// What the steps so far left for later ones.
    pub fn attributes(&self) -> &Map {
        &self.attributes
    }

    /// What a verbose run has to tell.
    pub fn into_records(self) -> Option<Records> {
        self.records
    }

    /// Notes what a step has done; gives its failure if that ends the search.
    fn settle<P: ?Sized>(
        &mut self,
        step: &Step<P>,
        took_ns: u64,
        result: Result<()>,
        shown: Option<(Vec<u8>, Option<Vec<u8>>)>,
    ) -> Result<()> {
        let failure = result.err();
        if let (Some(records), Some((input, output))) = (&mut self.records, shown) {
            let (kind, tag, took_ms) = (step.kind, step.tag.clone(), took_ns / 1_000_000);
            records.push(Record { kind, tag, took_ms, failure, input, output });
            return Ok(());
        }
        failure.filter(|_| !step.ignore_failure).map_or(Ok(()), Err)
    }
}

async fn apply(
    work: &dyn ResponseProcessor,
    hits: &mut Hits,
    attributes: &Attributes,
    copied: bool,
    pace: &Pace,
) -> Result<(), Error> {
    let answered = Answered { collapsed_by: hits.collapsed_by.as_deref(), copied };
    let mut pass = work.begin(&answered, attributes)?;
    if let Some(most) = pass.most.filter(|most| *most < hits.objects.len()) {
        hits.objects.truncate(most);
        hits.made_anew = true;
    }
    if !pass.visits {
        hits.made_anew |= pass.makes_anew;
        return Ok(());
    }
    // Until all hits have been looked at they stand where they stood, changed or not, as in the reference.
    let mut stays = vec![true; hits.objects.len()];
    for (object, stays) in hits.objects.iter_mut().zip(&mut stays) {
        pace.tick(u32::try_from(object.len() / 4).unwrap_or(u32::MAX)).await;
        let mut hit = Hit::read(object)?;
        let visited = work.visit(&mut hit, &mut pass);
        if let Some(bytes) = hit.written() {
            *object = bytes;
        }
        *stays = visited?;
    }
    hits.made_anew |= pass.makes_anew;
    hits.collapsed_by = pass.collapses_by.or(hits.collapsed_by.take());
    let mut stays = stays.into_iter();
    hits.objects.retain(|_| stays.next().unwrap_or(true));
    Ok(())
}

/// An array of hits as a verbose run shows them: what the reference makes of them by writing and reading them once.
fn copies(objects: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut w = Writer::new();
    w.begin_array();
    for object in objects {
        w.raw(&copied(object)?);
    }
    w.end_array();
    Ok(w.finish())
}

/// The name of an attribute of steps that go together by a prefix.
pub(super) fn attribute_name(prefix: Option<&str>, name: &str) -> String {
    match prefix {
        Some(prefix) => format!("{prefix}.{name}"),
        None => name.to_owned(),
    }
}

/// The whole number that an attribute is.
pub(super) fn whole_attribute(attributes: &Attributes, name: &str) -> Option<usize> {
    attributes.get(name).and_then(Value::as_i64).and_then(|number| usize::try_from(number).ok())
}
