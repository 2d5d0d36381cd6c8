//! What becomes of each command of `_cluster/reroute` on one node: the decision, and the error where nobody asks for decisions.

use crate::cluster::{CopyState, IndexMeta, Node, State};
use pith_engine::json::{Value, Writer};
use pith_engine::{Error, ErrorKind};

/// A command that could be read.
pub struct Command<'a> {
    pub kind: &'a str,
    pub index: &'a IndexMeta,
    pub shard: u32,
    /// The node that the command is about; for `move` the one that it goes from.
    pub node: &'a Node,
    /// The node that `move` goes to.
    pub to: Option<&'a Node>,
    /// All parameters as they were given, and the flag of the command.
    pub parameters: Vec<(&'static str, Value)>,
    /// `allow_primary` or `accept_data_loss`.
    pub flag: bool,
}

/// What was decided: whether the command goes, who says so and why, and what the error is otherwise.
struct Decided {
    decider: String,
    yes: bool,
    why: String,
    error: Error,
}

impl Command<'_> {
    /// The error of a command that cannot be carried out.
    pub fn refused(&self, state: &State) -> Option<Error> {
        let decided = self.decide(state);
        (!decided.yes).then_some(decided.error)
    }

    pub fn write_explained(&self, state: &State, w: &mut Writer) {
        let decided = self.decide(state);
        w.begin_object().key("command").string(self.kind);
        w.key("parameters").begin_object();
        self.parameters.iter().for_each(|(name, value)| _ = w.key(name).value(value));
        w.end_object();
        w.key("decisions").begin_array().begin_object();
        w.key("decider").string(&decided.decider).key("decision").string(if decided.yes { "YES" } else { "NO" });
        w.key("explanation").string(&decided.why).end_object().end_array();
        w.end_object();
    }

    fn decide(&self, state: &State) -> Decided {
        let copy = state.copies(self.index).get(self.shard as usize).map(|copy| &copy.state);
        let here = matches!(copy, Some(CopyState::Started | CopyState::Initializing));
        match self.kind {
            "cancel" => self.decide_cancel(copy),
            "move" => self.decide_move(here),
            _ => self.decide_allocate(copy.is_some(), here),
        }
    }

    fn decide_cancel(&self, copy: Option<&CopyState>) -> Decided {
        let (shard, node) = (self.shard, self.node.summary());
        let no = |why: String| {
            let error = Error::illegal_argument(format!("[cancel_allocation] {why}"));
            Decided { decider: "cancel_allocation_command".into(), yes: false, why, error }
        };
        match copy {
            Some(CopyState::Started) if !self.flag => {
                no(format!("can't cancel {shard} on node {node}, shard is primary and started"))
            }
            Some(CopyState::Initializing) if !self.flag => {
                no(format!("can't cancel {shard} on node {node}, shard is primary and initializing its state"))
            }
            // The copy would be opened anew where it is, which is the only place that it can have.
            Some(CopyState::Started | CopyState::Initializing) => {
                let why = format!("shard {shard} on node {node} can be cancelled");
                Decided { yes: true, ..no(why) }
            }
            _ => no(format!("can't cancel {shard}, failed to find it on node {node}")),
        }
    }

    fn decide_move(&self, here: bool) -> Decided {
        let (shard, node) = (self.shard, self.node.summary());
        if !here {
            let error = Error::illegal_argument(format!(
                "[move_allocation] can't move {shard}, failed to find it on node {node}"
            ));
            return Decided {
                decider: "move_allocation_command".into(),
                yes: false,
                why: "shard not found".into(),
                error,
            };
        }
        let why = format!("this shard is already allocated to this node [{}]", self.copy_summary());
        let to = self.to.map(Node::summary).unwrap_or_default();
        let reason = format!(
            "[move_allocation] can't move {shard}, from {node}, to {to}, since its not allowed, reason: [NO({why})]"
        );
        Decided { decider: "same_shard".into(), yes: false, why, error: Error::illegal_argument(reason) }
    }

    fn decide_allocate(&self, exists: bool, here: bool) -> Decided {
        let (kind, index, shard) = (self.kind, &self.index.name, self.shard);
        let no = |why: String| {
            let error = Error::illegal_argument(format!("[{kind}] {why}"));
            Decided { decider: format!("{kind} (allocation command)"), yes: false, why, error }
        };
        if !exists {
            return Decided { error: no_such_shard(self.index, shard.into()), ..no("no such shard".into()) };
        }
        match (kind == "allocate_replica", here) {
            (true, false) => no(format!(
                "trying to allocate a replica shard [{index}][{shard}], while corresponding primary shard is still unassigned"
            )),
            (true, true) if self.index.number_of_replicas > 0 => {
                let why = format!("a copy of this shard is already allocated to this node [{}]", self.copy_summary());
                let node = self.node.summary();
                let reason = format!(
                    "[{kind}] allocation of [{index}][{shard}] on node {node} is not allowed, reason: [NO({why})]"
                );
                Decided { decider: "same_shard".into(), yes: false, why, error: Error::illegal_argument(reason) }
            }
            (true, true) => no(format!(
                "all copies of [{index}][{shard}] are already assigned. Use the move allocation command instead"
            )),
            (false, true) => no(format!("primary [{index}][{shard}] is already assigned")),
            (false, false) => no(format!("the copy of [{index}][{shard}] failed where it is, its only place")),
        }
    }

    /// The copy as the reference writes one.
    fn copy_summary(&self) -> String {
        let id = self.index.allocation_ids.get(self.shard as usize).map_or("", |id| id);
        format!("[{}][{}], node[{}], [P], s[STARTED], a[id={id}]", self.index.name, self.shard, self.node.id)
    }
}

#[cold]
pub fn no_such_shard(index: &IndexMeta, shard: i64) -> Error {
    Error::new(ErrorKind::ShardNotFound, "no such shard")
        .with("index", &*index.name)
        .with("shard", shard.to_string())
        .with("index_uuid", &*index.uuid)
}
