//! Documents on their way through pipelines: conditions, failures and what is done about them, pipelines in pipelines.

use super::processor::{Foreach, Step, Work};
use super::template::Template;
use super::trace::{Outcome, Trace};
use super::{Document, Pipeline, Pipelines};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::pace::Pace;
use std::future::Future;
use std::pin::Pin;

/// Deepest nesting of pipelines in pipelines.
const PIPELINES_MAX: usize = 100;
/// What a step costs beside what it does, in units of [`Pace`].
const STEP_UNITS: u32 = 200;

/// What running needs to know.
pub struct Run<'a> {
    pub pipelines: &'a Pipelines,
    pub pace: &'a Pace,
    pub now_ms: i64,
    /// Nanoseconds since any moment, for the figures.
    pub clock: fn() -> u64,
}

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Goes,
    Dropped,
}

/// A failure, and the processor that it is laid to once that is known.
#[derive(Debug)]
pub struct Failure {
    pub error: Error,
    /// Nothing that pipelines say about failures applies to it, and the reference gives up all documents that it runs through the
    /// same pipelines in one request: `foreach` where there is no list.
    pub escaped: bool,
    origin: Option<Origin>,
}

#[derive(Debug)]
struct Origin {
    kind: &'static str,
    tag: Option<String>,
    /// The pipeline, where it ran within another one.
    pipeline: Option<String>,
}

type Ran = Result<Flow, Failure>;
type Running<'f> = Pin<Box<dyn Future<Output = Ran> + 'f>>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, escaped: false, origin: None }
    }
}

impl Failure {
    /// Lays the failure to a processor, unless it has been laid to one within.
    fn of(mut self, kind: &'static str, tag: Option<&str>, doc: &Document) -> Self {
        self.origin.get_or_insert_with(|| Origin {
            kind,
            tag: tag.map(str::to_owned),
            pipeline: doc.stack.last().filter(|_| doc.stack.len() > 1).cloned(),
        });
        self
    }
}

impl Run<'_> {
    /// Runs `pipeline` over `doc`. Gives way as the pace asks for it.
    pub async fn document(&self, pipeline: &Pipeline, doc: &mut Document) -> Result<Flow, Failure> {
        self.pipeline(pipeline, doc, &mut None).await
    }

    /// The same, with a record of every step.
    pub async fn traced(&self, pipeline: &Pipeline, doc: &mut Document) -> Result<Trace> {
        let mut trace = Some(Trace::default());
        // Failures are part of the record, unless they end it.
        if let Err(failure) = self.pipeline(pipeline, doc, &mut trace).await
            && failure.escaped
        {
            return Err(failure.error);
        }
        let trace = trace.take().unwrap_or_default();
        match trace.broken {
            Some(error) => Err(error),
            None => Ok(trace),
        }
    }

    fn pipeline<'f>(
        &'f self,
        pipeline: &'f Pipeline,
        doc: &'f mut Document,
        trace: &'f mut Option<Trace>,
    ) -> Running<'f> {
        Box::pin(async move {
            if doc.stack.contains(&pipeline.id) {
                let reason = format!("Cycle detected for pipeline: {}", pipeline.id);
                return Err(Error::new(ErrorKind::IllegalState, reason).into());
            }
            if doc.stack.len() >= PIPELINES_MAX {
                let reason = format!("pipelines call one another more than [{PIPELINES_MAX}] deep");
                return Err(Error::illegal_argument(reason).into());
            }
            let (running, start) = (pipeline.stats.begin(), (self.clock)());
            doc.stack.push(pipeline.id.clone());
            doc.ingest_mut().insert("pipeline", pipeline.id.as_str());
            let mut ran = self.steps(&pipeline.steps, doc, trace).await;
            if let Err(failure) = &ran
                && !(pipeline.on_failure.is_empty() || failure.escaped)
            {
                put_failure(failure, doc);
                ran = self.on_failure(&pipeline.on_failure, doc, trace).await;
            }
            doc.stack.pop();
            match doc.stack.last().cloned() {
                Some(outer) => doc.ingest_mut().insert("pipeline", outer),
                None => drop(doc.ingest_mut().remove("pipeline")),
            }
            running.end(ran.is_err(), (self.clock)().saturating_sub(start));
            ran
        })
    }

    /// Runs steps one after the other, up to the first that fails or drops the document.
    async fn steps(&self, steps: &[Step], doc: &mut Document, trace: &mut Option<Trace>) -> Ran {
        for step in steps {
            let (running, start) = (step.stats.begin(), (self.clock)());
            let (ran, counts) = match self.applies(step, doc, trace) {
                Ok(false) => (Ok(Flow::Goes), false),
                Ok(true) => (self.step(step, doc, trace).await, true),
                Err(error) => (Err(error.into()), true),
            };
            let failed = ran.is_err();
            if counts {
                running.end(failed, (self.clock)().saturating_sub(start));
            }
            match ran {
                Ok(Flow::Goes) => {}
                Ok(Flow::Dropped) => return Ok(Flow::Dropped),
                Err(failure) => return Err(failure.of(step.outer_kind(), step.tag.as_deref(), doc)),
            }
        }
        Ok(Flow::Goes)
    }

    /// What is done about a failure that has been put into the document.
    async fn on_failure(&self, steps: &[Step], doc: &mut Document, trace: &mut Option<Trace>) -> Ran {
        let ran = self.steps(steps, doc, trace).await;
        for key in FAILURE_KEYS {
            doc.ingest_mut().remove(key);
        }
        ran
    }

    /// Whether the condition of a step holds.
    fn applies(&self, step: &Step, doc: &Document, trace: &mut Option<Trace>) -> Result<bool> {
        let Some(condition) = &step.condition else { return Ok(true) };
        let holds = condition.holds(doc, self.now_ms);
        if let Some(trace) = trace {
            match &holds {
                Ok(true) => trace.condition = Some((condition.source(), true)),
                Ok(false) => {
                    trace.condition = Some((condition.source(), false));
                    trace.add(step, Outcome::Skipped);
                }
                Err(error) => trace.break_off(error),
            }
        }
        holds
    }

    /// Runs one step whose condition holds, and what it does about failures.
    fn step<'f>(&'f self, step: &'f Step, doc: &'f mut Document, trace: &'f mut Option<Trace>) -> Running<'f> {
        Box::pin(async move {
            self.pace.tick(STEP_UNITS).await;
            let ran = self.work(step, doc, trace).await;
            if let Some(trace) = trace
                && let Some(outcome) = seen(step, &ran, doc, trace)
            {
                trace.add(step, outcome);
            }
            let failure = match ran {
                Err(failure) if step.guarded() && !failure.escaped => failure.of(step.kind, step.tag.as_deref(), doc),
                other => return other,
            };
            if step.ignore_failure {
                return Ok(Flow::Goes);
            }
            put_failure(&failure, doc);
            self.on_failure(&step.on_failure, doc, trace).await
        })
    }

    async fn work(&self, step: &Step, doc: &mut Document, trace: &mut Option<Trace>) -> Ran {
        match &step.work {
            Work::Simple(processor) => {
                processor.run(doc, self.now_ms)?;
                Ok(Flow::Goes)
            }
            Work::Drop => Ok(Flow::Dropped),
            Work::Foreach(foreach) => self.foreach(foreach, doc).await,
            Work::Pipeline(name) => self.call(step, name, doc, trace).await,
        }
    }

    async fn call(&self, step: &Step, name: &Template, doc: &mut Document, trace: &mut Option<Trace>) -> Ran {
        let name = name.render(doc)?;
        let Some(pipeline) = self.pipelines.get(&name) else {
            let reason = format!("Pipeline processor configured for non-existent pipeline [{name}]");
            if let Some(trace) = trace {
                trace.break_off(&Error::illegal_argument(reason.as_str()));
            }
            return Err(Error::new(ErrorKind::IllegalState, reason).into());
        };
        if let Some(trace) = trace {
            trace.add(step, Outcome::Called);
        }
        self.pipeline(pipeline, doc, trace).await
    }

    async fn foreach(&self, foreach: &Foreach, doc: &mut Document) -> Ran {
        let items = doc.list(&foreach.field, foreach.ignore_missing);
        let items = items.map_err(|error| Failure { error, escaped: true, origin: None })?;
        let Some(items) = items else {
            if foreach.ignore_missing {
                return Ok(Flow::Goes);
            }
            let reason = format!("field [{}] is null, cannot loop over its elements.", foreach.field);
            return Err(Error::illegal_argument(reason).into());
        };
        let items = items.to_vec();
        let mut done = Vec::with_capacity(items.len());
        for item in items {
            let before = doc.ingest_mut().remove("_value").unwrap_or(Value::Null);
            doc.ingest_mut().insert("_value", item);
            let ran = match self.applies(&foreach.step, doc, &mut None) {
                Ok(true) => self.step(&foreach.step, doc, &mut None).await,
                Ok(false) => Ok(Flow::Goes),
                Err(error) => Err(error.into()),
            };
            done.push(doc.ingest_mut().remove("_value").unwrap_or(Value::Null));
            doc.ingest_mut().insert("_value", before);
            match ran {
                Ok(Flow::Goes) => {}
                other => return other,
            }
        }
        doc.set(&foreach.field, Value::Array(done))?;
        Ok(Flow::Goes)
    }
}

/// What a trace says of a step that ran; calls of pipelines have been told of before.
fn seen(step: &Step, ran: &Ran, doc: &Document, trace: &mut Trace) -> Option<Outcome> {
    match ran {
        _ if matches!(step.work, Work::Pipeline(_)) => None,
        Ok(Flow::Goes) => trace.copy(doc).map(Outcome::Success),
        Ok(Flow::Dropped) => Some(Outcome::Dropped),
        Err(failure) if step.ignore_failure => trace.copy(doc).map(|doc| Outcome::Ignored(doc, failure.error.clone())),
        Err(failure) => Some(Outcome::Failed(failure.error.clone())),
    }
}

const FAILURE_KEYS: [&str; 4] =
    ["on_failure_message", "on_failure_processor_type", "on_failure_processor_tag", "on_failure_pipeline"];

/// Tells those who deal with a failure what it was.
fn put_failure(failure: &Failure, doc: &mut Document) {
    let mut root = &failure.error;
    while let Some(cause) = root.cause() {
        root = cause;
    }
    let message = root.reason().to_owned();
    let ingest = doc.ingest_mut();
    ingest.insert("on_failure_message", message);
    if let Some(origin) = &failure.origin {
        ingest.insert("on_failure_processor_type", origin.kind);
        ingest.insert("on_failure_processor_tag", origin.tag.as_deref().map_or(Value::Null, Value::from));
        if let Some(pipeline) = &origin.pipeline {
            ingest.insert("on_failure_pipeline", pipeline.as_str());
        }
    }
}
