//! What cores ask of each other over the mesh.

use super::CoreFigures;
use crate::cluster::{Change, Outcome, State};
use crate::shards::{ShardAddr, ShardReply, ShardRequest};
use crate::tasks::{Cost, Parent, TaskAsk, TaskInfo};
use pith_engine::Result;
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
    Submitted(Result<Outcome>),
    Tasks(Vec<TaskInfo>),
    Measured(Box<CoreFigures>),
    Done,
}
