//! `_cluster/allocation/explain`: why a copy of a shard is where it is, or nowhere.

use super::super::indices::expected_object;
use super::super::{ApiRequest, Method, Reply, Route, params};
use super::cluster_info::ClusterInfo;
use super::reroute::find_node;
use crate::cluster::deciders::{Case, Decision, Verdict};
use crate::cluster::reroute::no_such_shard;
use crate::cluster::{CopyState, IndexMeta, Node, ShardCopy, State, UnassignedInfo};
use crate::coordinate::Core;
use crate::settings::units::moment;
use pith_engine::json::{self, Value, Writer, line_col};
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

const fn row(method: Method) -> Route {
    Route {
        method,
        path: "/_cluster/allocation/explain",
        name: "cluster_allocation_explain_action",
        params: &[&["include_yes_decisions", "include_disk_info"]],
        handler: |core, request| Box::pin(explain(core, request)),
    }
}

pub const ROUTES: &[Route] = &[row(Method::Get), row(Method::Post)];

/// The copy that is asked about.
struct Asked {
    index: Arc<IndexMeta>,
    shard: u32,
    primary: bool,
}

async fn explain(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let named = request.body_opt()?.map(|body| parse(&body)).transpose()?;
    let with_yes = request.flag("include_yes_decisions", false)?;
    let with_disk = request.flag("include_disk_info", false)?;
    let state = core.state();
    let asked = match named.filter(|named| *named != Named::default()) {
        Some(named) => Some(find(&state, named, with_yes)?),
        None => first_unassigned(&state),
    };
    let asked = asked.ok_or_else(|| {
        Error::illegal_argument(format!(
            "unable to find any unassigned shards to explain [ClusterAllocationExplainRequest[useAnyUnassignedShard=true,\
             includeYesDecisions?={with_yes}]"
        ))
    })?;
    let info = if with_disk { Some(ClusterInfo::read(&core).await?) } else { None };
    let mut w = Writer::new();
    w.begin_object();
    w.key("index").string(&asked.index.name).key("shard").u64(asked.shard.into());
    w.key("primary").bool(asked.primary);
    let view = View { state: &state, asked: &asked, with_yes, info: info.as_ref() };
    let node = state.nodes.get(&state.manager);
    if let (Some(copy), Some(node)) = (state.copies(&asked.index).get(asked.shard as usize), node) {
        match (asked.primary, &copy.state) {
            (true, CopyState::Started) => view.write_started(node, &mut w),
            (true, CopyState::Failed(_)) => view.write_failed(copy, &mut w),
            (true, CopyState::Initializing) => _ = w.key("current_state").string("initializing"),
            (true, CopyState::Unassigned) => view.write_unassigned(&copy.unassigned, node, &mut w),
            (false, _) => view.write_unassigned(&copy.replicas, node, &mut w),
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}

/// What the body names.
#[derive(Default, PartialEq)]
struct Named {
    index: Option<String>,
    shard: Option<i32>,
    primary: Option<bool>,
    current_node: Option<String>,
}

fn parse(body: &[u8]) -> Result<Named> {
    let whole = json::parse(body)?;
    let Value::Object(map) = &whole else { return Err(expected_object("cluster/allocation/explain", &whole)) };
    let mut named = Named::default();
    for entry in &map.entries {
        let at = |pos: u32, what: String| {
            let (line, col) = line_col(body, pos);
            Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] [cluster/allocation/explain] {what}"))
        };
        let key = entry.key.as_str();
        let failed = |cause: Error| at(entry.value_pos, format!("failed to parse field [{key}]")).caused_by(cause);
        match (key, &entry.value) {
            ("index", Value::String(text)) => named.index = Some(text.clone()),
            ("current_node", Value::String(text)) => named.current_node = Some(text.clone()),
            ("shard", value @ (Value::String(_) | Value::Int(_) | Value::Float(_) | Value::UInt(_))) => {
                named.shard = Some(whole_number(&value.to_text()).map_err(failed)?);
            }
            ("primary", Value::Bool(primary)) => named.primary = Some(*primary),
            ("primary", Value::String(text)) => named.primary = Some(params::boolean(text).map_err(failed)?),
            ("index" | "current_node" | "shard" | "primary", value) => {
                let token = value.token();
                return Err(at(entry.value_pos, format!("{key} doesn't support values of type: {token}")));
            }
            _ => return Err(at(entry.key_pos, format!("unknown field [{key}]"))),
        }
    }
    Ok(named)
}

/// A number whose fraction is cut off.
fn whole_number(text: &str) -> Result<i32> {
    let number = text.parse::<f64>().ok().map(f64::trunc);
    let fits = number.filter(|number| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(number));
    let reason = || format!("For input string: \"{text}\"");
    fits.map(|number| number as i32).ok_or_else(|| Error::new(ErrorKind::NumberFormat, reason()))
}

/// The copy that is named.
fn find(state: &State, named: Named, with_yes: bool) -> Result<Asked> {
    let Named { index, shard, primary, current_node } = named;
    let missing = [("index", index.is_none()), ("shard", shard.is_none()), ("primary", primary.is_none())];
    let problems: Vec<String> =
        missing.iter().filter(|(_, missing)| *missing).map(|(name, _)| format!("{name} must be specified")).collect();
    super::super::document::validation_failed(&problems)?;
    if let Some(node) = &current_node {
        find_node(state, node)?;
    }
    let (index, shard, primary) = (index.unwrap_or_default(), shard.unwrap_or(0), primary.unwrap_or(true));
    let found = state.index(&index).ok_or_else(|| {
        Error::new(ErrorKind::IndexNotFound, format!("no such index [{index}]"))
            .with("index", index.as_str())
            .with("index_uuid", "_na_")
    })?;
    let copies = if primary { 1 } else { found.number_of_replicas };
    let in_index = u32::try_from(shard).ok().filter(|number| *number < found.number_of_shards);
    let number = in_index.ok_or_else(|| no_such_shard(found, shard.into()))?;
    if copies == 0 {
        let reason = format!(
            "unable to find any shards to explain [ClusterAllocationExplainRequest[index={index},shard={shard},\
             primary?={primary},includeYesDecisions?={with_yes}] in the routing table"
        );
        return Err(Error::illegal_argument(reason));
    }
    if let (false, Some(node)) = (primary, current_node) {
        let reason = format!("unable to find a replica shard assigned to node [{node}]");
        return Err(Error::illegal_argument(reason));
    }
    Ok(Asked { index: found.clone(), shard: number, primary })
}

/// A primary goes first, then a replica.
fn first_unassigned(state: &State) -> Option<Asked> {
    let primary = state.indices.values().find_map(|index| {
        let shard = state.copies(index).iter().position(|copy| !copy.is_assigned())?;
        Some(Asked { index: index.clone(), shard: shard as u32, primary: true })
    });
    let replica = || state.indices.values().find(|index| index.number_of_replicas > 0);
    primary.or_else(|| replica().map(|index| Asked { index: index.clone(), shard: 0, primary: false }))
}

fn write_attributes(node: &Node, key: &str, w: &mut Writer) {
    w.key(key).begin_object();
    node.attributes.iter().for_each(|(name, value)| _ = w.key(name).string(value));
    w.end_object();
}

fn write_decision(decider: &str, decision: &str, explanation: &str, w: &mut Writer) {
    w.begin_object().key("decider").string(decider).key("decision").string(decision);
    w.key("explanation").string(explanation).end_object();
}

/// What deciders say about moving copies as long as some wait.
fn rebalancing(index: &IndexMeta) -> [(&'static str, Decision); 5] {
    let decision = |verdict, why: &'static str| Decision { verdict, why: why.into() };
    let replicas = match index.number_of_replicas {
        0 => decision(Verdict::Yes, "rebalancing is allowed as all replicas are active in the cluster"),
        _ => decision(Verdict::No, "rebalancing is not allowed until all replicas in the cluster are active"),
    };
    let waiting = "the cluster has unassigned shards and cluster setting [cluster.routing.allocation.allow_rebalance] is set \
                   to [indices_all_active]";
    let few = "below threshold [2] for concurrent rebalances, current rebalance shard count [0]";
    [
        ("rebalance_only_when_active", replicas),
        ("cluster_rebalance", decision(Verdict::No, waiting)),
        ("concurrent_rebalance", decision(Verdict::Yes, few)),
        ("enable", decision(Verdict::Yes, "all rebalancing is allowed")),
        ("snapshot_in_progress", decision(Verdict::Yes, "no snapshots are currently running")),
    ]
}

/// What is explained, and how much of it is shown.
struct View<'a> {
    state: &'a State,
    asked: &'a Asked,
    with_yes: bool,
    info: Option<&'a ClusterInfo>,
}

impl View<'_> {
    /// Writes what deciders say, those that agree only where they are wanted.
    fn write_decisions(&self, decisions: &[(&'static str, Decision)], w: &mut Writer) {
        let shown = |decision: &&(&str, Decision)| self.with_yes || decision.1.verdict != Verdict::Yes;
        for (decider, decision) in decisions.iter().filter(shown) {
            write_decision(decider, decision.verdict.name(), &decision.why, w);
        }
    }

    fn write_started(&self, node: &Node, w: &mut Writer) {
        let (state, index) = (self.state, &self.asked.index);
        w.key("current_state").string("started");
        w.key("current_node").begin_object().key("id").string(&node.id).key("name").string(&node.name);
        w.key("transport_address").string(&node.transport_address);
        write_attributes(node, "attributes", w);
        w.key("weight_ranking").u64(1).end_object();
        self.info.inspect(|info| info.write(w));
        let case = Case::of_primary(state, index, self.asked.shard as usize);
        let remaining: Vec<_> = case.iter().flat_map(Case::remaining).collect();
        if remaining.iter().any(|(_, decision)| decision.verdict == Verdict::No) {
            w.key("can_remain_on_current_node").string("no");
            w.key("can_remain_decisions").begin_array();
            self.write_decisions(&remaining, w);
            w.end_array();
            w.key("can_move_to_other_node").string("no");
            w.key("move_explanation").string(
                "cannot move shard to another node, even though it is not allowed to remain on its current node",
            );
            return;
        }
        w.key("can_remain_on_current_node").string("yes");
        self.write_rebalance(w);
    }

    /// Writes why the copy stays, though it might go.
    fn write_rebalance(&self, w: &mut Writer) {
        let (state, index) = (self.state, &self.asked.index);
        let waiting = state.unassigned > 0 || state.indices.values().any(|index| index.number_of_replicas > 0);
        w.key("can_rebalance_cluster").string(if waiting { "no" } else { "yes" });
        if waiting {
            w.key("can_rebalance_cluster_decisions").begin_array();
            self.write_decisions(&rebalancing(index), w);
            w.end_array();
        }
        w.key("can_rebalance_to_other_node").string("no");
        let why = match waiting {
            true => "rebalancing is not allowed",
            false => {
                "cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance"
            }
        };
        w.key("rebalance_explanation").string(why);
    }

    fn write_info(&self, unassigned: &UnassignedInfo, w: &mut Writer) {
        w.key("current_state").string("unassigned");
        w.key("unassigned_info").begin_object().key("reason").string(unassigned.reason.name());
        w.key("at").string(&moment(unassigned.at_ms));
        if let Some(details) = &unassigned.details {
            w.key("details").string(details);
        }
        w.key("last_allocation_status").string(unassigned.status.decision()).end_object();
        self.info.inspect(|info| info.write(w));
    }

    fn write_failed(&self, copy: &ShardCopy, w: &mut Writer) {
        self.write_info(&copy.unassigned, w);
        w.key("can_allocate").string("no_valid_shard_copy");
        w.key("allocate_explanation")
            .string("cannot allocate because all found copies of the shard are either stale or corrupt");
    }

    fn write_unassigned(&self, unassigned: &UnassignedInfo, node: &Node, w: &mut Writer) {
        self.write_info(unassigned, w);
        let shard = self.asked.shard as usize;
        let case = match self.asked.primary {
            true => Case::of_primary(self.state, &self.asked.index, shard),
            false => Case::of_replica(self.state, &self.asked.index, shard),
        };
        let decisions: Vec<_> = case.iter().flat_map(Case::allocation).collect();
        let has = |verdict| decisions.iter().any(|(_, decision)| decision.verdict == verdict);
        let (word, why) = match (has(Verdict::No), has(Verdict::Throttle)) {
            (true, _) => ("no", "cannot allocate because allocation is not permitted to any of the nodes"),
            (false, true) => ("throttled", "allocation temporarily throttled"),
            (false, false) => ("yes", "can allocate the shard"),
        };
        w.key("can_allocate").string(word).key("allocate_explanation").string(why);
        w.key("node_allocation_decisions").begin_array().begin_object();
        w.key("node_id").string(&node.id).key("node_name").string(&node.name);
        w.key("transport_address").string(&node.transport_address);
        write_attributes(node, "node_attributes", w);
        w.key("node_decision").string(word).key("weight_ranking").u64(1);
        w.key("deciders").begin_array();
        self.write_decisions(&decisions, w);
        w.end_array().end_object().end_array();
    }
}
