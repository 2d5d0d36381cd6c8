//! Pipelines, and the set of all that there are.

use super::step::{Kind, REQUEST_KINDS, RESPONSE_KINDS, RequestProcessor, ResponseProcessor, Step};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::allowed::{Group, is_allowed};
use crate::ingest::{Config, Scripts, Stats, not_castable};
use crate::json::{Map, Value, java_class};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Most processors of one pipeline.
const PROCESSORS_MAX: usize = 10_000;

/// A pipeline, ready to run.
pub struct Pipeline {
    pub id: String,
    pub(super) requests: Vec<Step<dyn RequestProcessor>>,
    pub(super) responses: Vec<Step<dyn ResponseProcessor>>,
    /// What went through it: requests and answers.
    pub stats: Both,
    /// Why it fails every search: a stored one that cannot be read any more.
    pub(super) broken: Option<Error>,
}

/// Figures of requests and of answers.
#[derive(Clone, Debug, Default)]
pub struct Both {
    pub request: Stats,
    pub response: Stats,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "search pipeline [{}] of {} processors", self.id, self.requests.len() + self.responses.len())
    }
}

impl Pipeline {
    /// Reads a pipeline. `config` is the object that was put; `scripts` knows the stored scripts.
    pub fn parse(id: &str, config: &Map, scripts: &dyn Scripts) -> Result<Self> {
        Self::read(id, Config::new(config.clone()), scripts, false)
    }

    /// The same of one that a search brings along.
    pub fn parse_ad_hoc(id: &str, config: &Map, scripts: &dyn Scripts) -> Result<Self> {
        Self::read(id, Config::new(config.clone()).in_order(true), scripts, true)
    }

    fn read(id: &str, mut read: Config, scripts: &dyn Scripts, ordered: bool) -> Result<Self> {
        read.text_opt("description")?;
        read.int_opt("version")?;
        let requests =
            steps(read.list_opt("request_processors")?, (Group::SearchRequests, REQUEST_KINDS), scripts, ordered)?;
        let responses =
            steps(read.list_opt("response_processors")?, (Group::SearchResponses, RESPONSE_KINDS), scripts, ordered)?;
        // No kind works on the results of phases; plugins of the reference bring some.
        let none: (_, &[Kind<dyn RequestProcessor>]) = (Group::SearchPhaseResults, &[]);
        steps(read.list_opt("phase_results_processors")?, none, scripts, ordered)?;
        let rest = read.rest();
        if !rest.is_empty() {
            let reason = format!(
                "pipeline [{id}] doesn't support one or more provided configuration parameters [{}]",
                rest.join(", ")
            );
            return Err(Error::new(ErrorKind::Parse, reason));
        }
        Ok(Self { id: id.to_owned(), requests, responses, stats: Both::default(), broken: None })
    }

    /// A pipeline that fails every search.
    pub fn broken(id: &str, error: Error) -> Self {
        Self { id: id.to_owned(), requests: vec![], responses: vec![], stats: Both::default(), broken: Some(error) }
    }

    /// Goes on with the figures of a pipeline that this one takes the place of: its own, and those of its steps as far as
    /// they are the same ones.
    pub fn continue_stats(&mut self, old: &Self) {
        fn steps<P: ?Sized>(new: &mut [Step<P>], old: &[Step<P>]) {
            for (step, old) in new.iter_mut().zip(old) {
                if step.name() == old.name() {
                    step.stats = old.stats.clone();
                }
            }
        }
        self.stats = old.stats.clone();
        steps(&mut self.requests, &old.requests);
        steps(&mut self.responses, &old.responses);
    }

    /// Name, kind and figures of each step on requests.
    pub fn request_stats(&self) -> impl Iterator<Item = (String, &'static str, &Stats)> {
        self.requests.iter().map(|step| (step.name(), step.kind, &step.stats))
    }

    /// The same of those on answers.
    pub fn response_stats(&self) -> impl Iterator<Item = (String, &'static str, &Stats)> {
        self.responses.iter().map(|step| (step.name(), step.kind, &step.stats))
    }
}

/// The steps of a list of objects `{"<kind>": {…}}`.
fn steps<P: ?Sized>(
    list: Option<Vec<Value>>,
    (group, kinds): (Group, &[Kind<P>]),
    scripts: &dyn Scripts,
    ordered: bool,
) -> Result<Vec<Step<P>>> {
    let not_a_map = |value: &Value| not_castable(java_class(value), "java.util.Map");
    let mut steps = vec![];
    for item in list.unwrap_or_default() {
        let Value::Object(map) = item else { return Err(not_a_map(&item)) };
        for entry in map.entries {
            let Some(kind) = kinds.iter().find(|kind| kind.name == entry.key && is_allowed(group, kind.name)) else {
                return Err(Error::illegal_argument(format!("Invalid processor type {}", entry.key)));
            };
            let Value::Object(options) = entry.value else { return Err(not_a_map(&entry.value)) };
            let mut options = Config::new(options).in_order(ordered);
            let tag = options.text_opt("tag")?;
            let ignore_failure = options.flag("ignore_failure", false)?;
            let mut options = options.tagged(tag.as_deref());
            options.text_opt("description")?;
            let mut options = options.owned_by(kind.name, tag.as_deref());
            let work = (kind.build)(&mut options, scripts)?;
            let step = Step { kind: kind.name, tag, ignore_failure, work, stats: Stats::default() };
            let rest = options.rest();
            if !rest.is_empty() {
                let reason = format!(
                    "processor [{}] doesn't support one or more provided configuration parameters: [{}]",
                    step.name(),
                    rest.join(", ")
                );
                return Err(Error::new(ErrorKind::Parse, reason));
            }
            if steps.len() == PROCESSORS_MAX {
                let reason = format!("a search pipeline may have at most [{PROCESSORS_MAX}] processors of a list");
                return Err(Error::illegal_argument(reason));
            }
            steps.push(step);
        }
    }
    Ok(steps)
}

/// A pipeline as it was put, and what became of it.
#[derive(Clone, Debug)]
pub struct Stored {
    pub config: Map,
    pub pipeline: Arc<Pipeline>,
}

/// All pipelines by id.
#[derive(Clone, Debug, Default)]
pub struct Pipelines {
    pub by_id: BTreeMap<String, Stored>,
    /// Figures of all searches.
    pub total: Both,
}

impl Pipelines {
    pub fn get(&self, id: &str) -> Option<&Arc<Pipeline>> {
        self.by_id.get(id).map(|stored| &stored.pipeline)
    }
}
