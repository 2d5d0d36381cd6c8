//! What cores ask of each other over the mesh.

use super::CoreFigures;
use crate::cluster::{Change, Outcome, State};
use crate::shards::{ShardAddr, ShardReply, ShardRequest};
use crate::tasks::{Cost, Parent, TaskAsk, TaskInfo};
use pith_engine::deprecated::note;
use pith_engine::{Error, Result};
use std::sync::Arc;

pub enum Message {
    /// Requests to shards of the asked core; they run together, each as a task of its own that works for `parent`. One message
    /// per core, however many shards.
    Shards { parent: Option<Parent>, requests: Vec<(ShardAddr, ShardRequest)> },
    /// A change of the cluster's metadata, for the core that manages it. Answered when all cores have the new state and
    /// its shards are open.
    Submit(Box<Change>),
    /// What the asked core has done.
    Measure,
    /// About the tasks of the asked core.
    Tasks(TaskAsk),
    /// The state that holds from now on.
    Publish(Arc<State>),
}

#[derive(Debug)]
pub enum Answer {
    /// In the order of the requests, and what they took together.
    Shards(Vec<Result<ShardReply>>, Cost),
    Submitted(Changed),
    Tasks(Vec<TaskInfo>),
    Measured(Box<CoreFigures>),
    Done,
}

/// What has come of a change of the metadata, with what it uses that is deprecated.
#[derive(Debug)]
pub struct Changed {
    pub outcome: Result<Outcome>,
    pub notes: Vec<String>,
}

impl Changed {
    pub fn refused(error: Error) -> Self {
        Self { outcome: Err(error), notes: vec![] }
    }

    /// Notes what there is to note for the request that asked.
    pub fn told(self) -> Result<Outcome> {
        self.notes.into_iter().for_each(note);
        self.outcome
    }
}
