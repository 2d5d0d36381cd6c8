//! Placing copies by hand: the commands of a reroute, one after the other, each on what the one before left.

use super::allocation::{assign, copy_mut};
use super::change::ApplyContext;
use super::{CopyState, IndexMeta, Node, RecoverySource, ShardCopy, State, UnassignedInfo, UnassignedReason};
use pith_engine::{Error, ErrorKind, Result};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Reroute {
    pub commands: Vec<Command>,
    /// Whether copies that could not be opened are tried again.
    pub retry_failed: bool,
    /// Whether what cannot be done is told, instead of undoing all of it.
    pub explain: bool,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub index: String,
    pub shard: u32,
    /// The id of the node that the command is about; for a move the one that it goes from.
    pub node: Arc<str>,
    /// The id of the node that a move goes to.
    pub to: Option<Arc<str>>,
    /// `allow_primary` or `accept_data_loss`.
    pub flag: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    Move,
    Cancel,
    AllocateReplica,
    AllocateStalePrimary,
    AllocateEmptyPrimary,
}

impl CommandKind {
    const ALL: [Self; 5] =
        [Self::Move, Self::Cancel, Self::AllocateReplica, Self::AllocateStalePrimary, Self::AllocateEmptyPrimary];

    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Cancel => "cancel",
            Self::AllocateReplica => "allocate_replica",
            Self::AllocateStalePrimary => "allocate_stale_primary",
            Self::AllocateEmptyPrimary => "allocate_empty_primary",
        }
    }
}

/// What was decided about a command, by whom and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub decider: String,
    pub yes: bool,
    pub why: String,
    /// What is answered where nobody asked for explanations.
    error: Option<Error>,
}

impl Decided {
    fn yes(decider: &str, why: String) -> Self {
        Self { decider: decider.to_owned(), yes: true, why, error: None }
    }

    fn no(decider: &str, why: String, error: Error) -> Self {
        Self { decider: decider.to_owned(), yes: false, why, error: Some(error) }
    }
}

pub fn apply(state: &mut State, request: Reroute, cx: &mut ApplyContext<'_>) -> Result<Vec<Decided>> {
    request.commands.iter().try_for_each(|command| check_stale(state, command))?;
    let mut all = vec![];
    for command in &request.commands {
        let decided = decide(state, command)?;
        if let Some(error) = decided.error.as_ref().filter(|_| !request.explain) {
            return Err(error.clone());
        }
        if decided.yes {
            carry_out(state, command, cx);
        }
        all.push(decided);
    }
    if request.retry_failed {
        retry_failed(state);
    }
    Ok(all)
}

/// What could not be opened waits again, as new copies do.
fn retry_failed(state: &mut State) {
    let is_failed = |copy: &ShardCopy| matches!(copy.state, CopyState::Failed(_));
    let State { indices, routing, .. } = state;
    for index in indices.values() {
        let Some(copies) = routing.get_mut(&index.uuid).filter(|copies| copies.iter().any(is_failed)) else { continue };
        for (shard, copy) in Arc::make_mut(copies).iter_mut().enumerate().filter(|(_, copy)| is_failed(copy)) {
            (copy.state, copy.source) = (CopyState::Unassigned, RecoverySource::of(index, shard));
        }
    }
}

/// An old copy can be had again only where there is one.
fn check_stale(state: &State, command: &Command) -> Result<()> {
    if command.kind != CommandKind::AllocateStalePrimary {
        return Ok(());
    }
    match state.index(&command.index) {
        None => Err(Error::index_not_found(&command.index)),
        Some(index) if !index.was_assigned(command.shard as usize) && command.shard < index.number_of_shards => {
            let (index, shard) = (&command.index, command.shard);
            Err(Error::illegal_argument(format!("No data for shard [{shard}] of index [{index}] found on any node")))
        }
        _ => Ok(()),
    }
}

fn decide(state: &State, command: &Command) -> Result<Decided> {
    let node = |id: &Arc<str>| state.nodes.get(id).cloned().ok_or_else(|| Error::illegal_argument("no such node"));
    let from = node(&command.node)?;
    let Some(index) = state.index(&command.index) else {
        let error = no_such_index(&command.index);
        return match command.kind {
            CommandKind::Cancel => Err(error),
            CommandKind::Move => Ok(decide_move(command, None, &from, &from)),
            kind => Ok(Decided::no(&decider_of(kind), error.reason().to_owned(), error)),
        };
    };
    let copy = state.copies(index).get(command.shard as usize);
    Ok(match command.kind {
        CommandKind::Cancel => decide_cancel(command, copy, &from),
        CommandKind::Move => decide_move(
            command,
            copy.map(|copy| (&**index, copy)),
            &from,
            &*node(command.to.as_ref().unwrap_or(&command.node))?,
        ),
        CommandKind::AllocateReplica => decide_replica(command, (index, copy), &from),
        _ => decide_primary(command, (index, copy)),
    })
}

fn decider_of(kind: CommandKind) -> String {
    format!("{} (allocation command)", kind.name())
}

fn decide_cancel(command: &Command, copy: Option<&ShardCopy>, node: &Node) -> Decided {
    const DECIDER: &str = "cancel_allocation_command";
    let (shard, node) = (command.shard, node.summary());
    let no = |why: String| {
        let error = Error::illegal_argument(format!("[cancel_allocation] {why}"));
        Decided::no(DECIDER, why, error)
    };
    match copy.map(|copy| &copy.state) {
        Some(CopyState::Started) if !command.flag => {
            no(format!("can't cancel {shard} on node {node}, shard is primary and started"))
        }
        Some(CopyState::Initializing) if !command.flag => {
            no(format!("can't cancel {shard} on node {node}, shard is primary and initializing its state"))
        }
        Some(CopyState::Started | CopyState::Initializing) => {
            Decided::yes(DECIDER, format!("shard {shard} on node {node} can be cancelled"))
        }
        _ => no(format!("can't cancel {shard}, failed to find it on node {node}")),
    }
}

fn decide_move(command: &Command, copy: Option<(&IndexMeta, &ShardCopy)>, node: &Node, to: &Node) -> Decided {
    let shard = command.shard;
    let Some((index, copy)) = copy.filter(|(_, copy)| copy.is_assigned()) else {
        let reason = format!("[move_allocation] can't move {shard}, failed to find it on node {}", node.summary());
        let error = Error::illegal_argument(reason);
        return Decided::no("move_allocation_command", format!("shard {shard} not found"), error);
    };
    let why = copy.already_here(index, shard as usize, node);
    let reason = format!(
        "[move_allocation] can't move {shard}, from {}, to {}, since its not allowed, reason: [NO({why})]",
        node.summary(),
        to.summary()
    );
    Decided::no("same_shard", why, Error::illegal_argument(reason))
}

fn refused(kind: CommandKind, why: String) -> Decided {
    let error = Error::illegal_argument(format!("[{}] {why}", kind.name()));
    Decided::no(&decider_of(kind), why, error)
}

fn decide_replica(command: &Command, (index, copy): (&IndexMeta, Option<&ShardCopy>), node: &Node) -> Decided {
    let (kind, name, shard) = (command.kind, &index.name, command.shard);
    let Some(copy) = copy else { return missing(command, index) };
    if !copy.is_assigned() {
        return refused(
            kind,
            format!(
                "trying to allocate a replica shard [{name}][{shard}], while corresponding primary shard is still unassigned"
            ),
        );
    }
    if index.number_of_replicas == 0 {
        return refused(
            kind,
            format!("all copies of [{name}][{shard}] are already assigned. Use the move allocation command instead"),
        );
    }
    let why = copy.already_here(index, shard as usize, node);
    let reason = format!(
        "[{}] allocation of [{name}][{shard}] on node {} is not allowed, reason: [NO({why})]",
        kind.name(),
        node.summary()
    );
    Decided::no("same_shard", why, Error::illegal_argument(reason))
}

fn decide_primary(command: &Command, (index, copy): (&IndexMeta, Option<&ShardCopy>)) -> Decided {
    let (kind, name, shard) = (command.kind, &index.name, command.shard);
    let Some(copy) = copy else { return missing(command, index) };
    if copy.is_assigned() {
        return refused(kind, format!("primary [{name}][{shard}] is already assigned"));
    }
    // Where nothing is expected to be, nothing is lost.
    let new = kind == CommandKind::AllocateEmptyPrimary && copy.source == RecoverySource::Empty;
    if !command.flag && !new {
        return refused(
            kind,
            format!(
                "allocating an empty primary for [{name}][{shard}] can result in data loss. Please confirm by setting the \
                 accept_data_loss parameter to true"
            ),
        );
    }
    Decided::yes(&decider_of(kind), "ignore deciders".to_owned())
}

fn missing(command: &Command, index: &IndexMeta) -> Decided {
    let error = no_such_shard(index, command.shard.into());
    Decided::no(&decider_of(command.kind), error.reason().to_owned(), error)
}

fn carry_out(state: &mut State, command: &Command, cx: &mut ApplyContext<'_>) {
    let (name, shard) = (command.index.as_str(), command.shard as usize);
    match command.kind {
        CommandKind::Cancel => {
            // The term ends with the copy; the next one begins when it is opened.
            let Some(index) = state.indices.get_mut(name) else { return };
            Arc::make_mut(index).primary_terms[shard] += 1;
            let index = index.clone();
            if let Some(copy) = copy_mut(state, name, shard) {
                copy.unassign(&index, shard, UnassignedReason::RerouteCancelled, cx.now_ms);
            }
        }
        CommandKind::AllocateStalePrimary => assign(state, name, shard, cx),
        CommandKind::AllocateEmptyPrimary => {
            // What there was is forgotten with its id, and removed when the new one is opened.
            if let Some(index) = state.indices.get_mut(name) {
                Arc::make_mut(index).allocation_ids[shard] = "".into();
            }
            if let Some(copy) = copy_mut(state, name, shard) {
                let before = &copy.unassigned;
                let details = before.details.as_deref().unwrap_or("null");
                let details =
                    format!("force empty allocation from previous reason {}, {details}", before.reason.name());
                copy.unassigned = UnassignedInfo {
                    details: Some(details.into()),
                    status: before.status,
                    ..UnassignedInfo::new(UnassignedReason::ForcedEmptyPrimary, cx.now_ms)
                };
                copy.source = RecoverySource::Empty;
            }
            assign(state, name, shard, cx);
        }
        // There is no other node that a copy could go to.
        CommandKind::Move | CommandKind::AllocateReplica => {}
    }
}

/// As where the metadata are asked for an index: nothing was resolved.
fn no_such_index(name: &str) -> Error {
    Error::new(ErrorKind::IndexNotFound, format!("no such index [{name}]"))
        .with("index", name)
        .with("index_uuid", "_na_")
}

#[cold]
pub fn no_such_shard(index: &IndexMeta, shard: i64) -> Error {
    Error::new(ErrorKind::ShardNotFound, "no such shard")
        .with("index", &*index.name)
        .with("shard", shard.to_string())
        .with("index_uuid", &*index.uuid)
}
