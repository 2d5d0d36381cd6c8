//! Pipelines, and the set of all that there are.

use super::Stats;
use super::processor::Step;
use crate::error::Error;
use crate::json::Map;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A pipeline, ready to run.
pub struct Pipeline {
    pub id: String,
    pub description: Option<String>,
    pub version: Option<i32>,
    pub(super) steps: Vec<Step>,
    pub(super) on_failure: Vec<Step>,
    pub stats: Stats,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pipeline [{}] of {} processors", self.id, self.steps.len())
    }
}

impl Pipeline {
    /// A pipeline that fails every document.
    pub fn broken(id: &str, error: Error) -> Self {
        let step = Step::failing(error);
        Self {
            id: id.to_owned(),
            description: None,
            version: None,
            steps: vec![step],
            on_failure: vec![],
            stats: Stats::default(),
        }
    }

    /// Goes on with the figures of a pipeline that this one takes the place of: its own, and those of its steps as far as
    /// they are the same ones.
    pub fn continue_stats(&mut self, old: &Self) {
        self.stats = old.stats.clone();
        let same = self.steps.len() == old.steps.len();
        for (step, old) in self.steps.iter_mut().zip(&old.steps).filter(|_| same) {
            if step.kind == old.kind && step.tag == old.tag {
                step.stats = old.stats.clone();
            }
        }
    }

    /// Whether it does nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// How many processors there are at the first level.
    pub fn processors(&self) -> usize {
        self.steps.len() + self.on_failure.len()
    }

    /// Name, kind and figures of each step.
    pub fn step_stats(&self) -> impl Iterator<Item = (String, &'static str, &Stats)> {
        self.steps.iter().map(|step| (step.stats_name(), step.outer_kind(), &step.stats))
    }
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
    /// Figures of all documents.
    pub total: Stats,
}

impl Pipelines {
    pub fn get(&self, id: &str) -> Option<&Arc<Pipeline>> {
        self.by_id.get(id).map(|stored| &stored.pipeline)
    }
}
