//! What has a say in whether a copy may be on the node: a row for each decider, in the order in which they are asked.
//!
//! Most can only ever agree where there is one node; they are here for what they say when somebody asks for an explanation.

use super::node_filters::{NodeFilters, Takes};
use super::{AllocationStatus, CopyState, IndexMeta, Node, RecoverySource, Seed, ShardCopy, State, UnassignedReason};
use crate::settings::units::moment;
use crate::settings::{Setting, cluster_setting, index_setting};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Yes,
    /// Later, when less is going on.
    Throttle,
    No,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "YES",
            Self::Throttle => "THROTTLE",
            Self::No => "NO",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    pub why: Cow<'static, str>,
}

/// A copy, and the node that it may be on.
pub struct Case<'a> {
    state: &'a State,
    index: &'a IndexMeta,
    shard: usize,
    copy: &'a ShardCopy,
    primary: bool,
    node: &'a Node,
    /// Whether somebody reads why.
    told: bool,
}

type Decide = fn(&Case<'_>) -> Option<Decision>;

/// One decider.
struct Decider {
    name: &'static str,
    /// Whether a copy may come to the node; nothing where it does not concern the copy.
    allocate: Decide,
    /// Whether a copy that is there may stay.
    remain: Option<Decide>,
}

const fn row(name: &'static str, allocate: Decide) -> Decider {
    Decider { name, allocate, remain: None }
}

const fn lasting(name: &'static str, allocate: Decide, remain: Decide) -> Decider {
    Decider { name, allocate, remain: Some(remain) }
}

const DECIDERS: &[Decider] = &[
    row("max_retry", |_| yes("shard has no previous failures")),
    row("resize", resize),
    row("replica_after_primary_active", after_primary),
    row("cluster_concurrent_recoveries", concurrent_recoveries),
    row("enable", enable),
    row("node_version", version),
    row("snapshot_in_progress", |case| match case.primary {
        true => yes("no snapshots are currently running"),
        false => yes("the shard is not being snapshotted"),
    }),
    row("restore_in_progress", restore),
    lasting("filter", filter, filter),
    lasting("search_replica_allocation", no_search_node, no_search_node),
    row("same_shard", same_shard),
    lasting("disk_threshold", single_node, single_node),
    row("throttling", throttling),
    lasting("shards_limit", |case| limit(case, u64::ge), |case| limit(case, u64::gt)),
    lasting("awareness", awareness, awareness),
    lasting("load_awareness", load_awareness, load_awareness),
    lasting("target_pool", same_pool, same_pool),
    row("remote_store_migration", |case| match case.primary {
        true => yes(
            "[none migration_direction]: primary shard copy can be allocated to a non-remote node for strict compatibility mode",
        ),
        false => yes(
            "[none migration_direction]: replica shard copy can be allocated to a non-remote node for strict compatibility mode",
        ),
    }),
];

impl<'a> Case<'a> {
    /// The case of a primary, where there is such a copy and a node.
    pub fn of_primary(state: &'a State, index: &'a IndexMeta, shard: usize) -> Option<Self> {
        let (copy, node) = (state.copies(index).get(shard)?, state.nodes.get(&state.manager)?);
        Some(Self { state, index, shard, copy, primary: true, node, told: true })
    }

    pub fn of_replica(state: &'a State, index: &'a IndexMeta, shard: usize) -> Option<Self> {
        Some(Self { primary: false, ..Self::of_primary(state, index, shard)? })
    }

    /// The same for somebody who does not ask why.
    pub fn brief(self) -> Self {
        Self { told: false, ..self }
    }

    /// What each decider says about the copy's coming to the node.
    pub fn allocation(&self) -> impl Iterator<Item = (&'static str, Decision)> {
        DECIDERS.iter().filter_map(|decider| Some((decider.name, (decider.allocate)(self)?)))
    }

    /// What each says about its staying there.
    pub fn remaining(&self) -> impl Iterator<Item = (&'static str, Decision)> {
        DECIDERS.iter().filter_map(|decider| Some((decider.name, decider.remain?(self)?)))
    }

    /// Whether the node is the one that has, or had, the copy.
    pub fn is_where_it_was(&self) -> bool {
        let replaces = self.copy.unassigned.reason == UnassignedReason::ExistingIndexRestored;
        self.copy.source == RecoverySource::Existing || replaces
    }

    fn primary_is_active(&self) -> bool {
        self.copy.state == CopyState::Started
    }

    fn told(&self, verdict: Verdict, why: impl FnOnce() -> String) -> Option<Decision> {
        let why = if self.told { why() } else { String::new() };
        Some(Decision { verdict, why: why.into() })
    }

    fn no(&self, why: impl FnOnce() -> String) -> Option<Decision> {
        self.told(Verdict::No, why)
    }
}

fn yes(why: &'static str) -> Option<Decision> {
    Some(Decision { verdict: Verdict::Yes, why: why.into() })
}

/// A number that is set, or the default of its row.
fn number(set: Option<&str>, default: &str) -> i64 {
    set.unwrap_or(default).trim().parse().unwrap_or(-1)
}

fn cluster_number(state: &State, key: &str) -> i64 {
    number(state.cluster_setting(key).as_deref(), cluster_setting(key).map_or("-1", |row| row.default))
}

/// A clone or a split begins beside its source, once that is there.
fn resize(case: &Case<'_>) -> Option<Decision> {
    let Some(Seed::Resize { source, source_shards }) = case.index.seed.as_deref() else { return None };
    if !case.primary || case.copy.source != RecoverySource::LocalShards {
        return None;
    }
    let Some(from) = case.state.index_by_uuid(&source.uuid) else {
        return case.no(|| format!("resize source index [{source}] doesn't exists"));
    };
    if case.index.number_of_shards < *source_shards {
        return None;
    }
    let shard = case.shard / (case.index.number_of_shards / (*source_shards).max(1)).max(1) as usize;
    match case.state.copies(from).get(shard).map(|copy| &copy.state) {
        Some(CopyState::Started) => yes("source primary is allocated on this node"),
        _ => case.no(|| format!("source primary shard [[{}][{shard}]] is not active", from.name)),
    }
}

fn after_primary(case: &Case<'_>) -> Option<Decision> {
    match (case.primary, case.primary_is_active()) {
        (true, _) => yes("shard is primary and can be allocated"),
        (false, true) => yes("primary shard for this replica is already active"),
        (false, false) => case.no(|| "primary shard for this replica is not yet active".to_owned()),
    }
}

/// What is opened at a time is not counted: the cores see to it. But none is none.
fn concurrent_recoveries(case: &Case<'_>) -> Option<Decision> {
    const KEY: &str = "cluster.routing.allocation.cluster_concurrent_recoveries";
    match cluster_number(case.state, KEY) {
        0 => case.told(Verdict::Throttle, || {
            format!("too many shards are concurrently relocating [0], limit: [0] cluster setting [{KEY}=0]")
        }),
        limit if limit < 0 => yes("undefined cluster concurrent recoveries"),
        limit => case.told(Verdict::Yes, || {
            format!("below threshold [{limit}] for concurrent recoveries, current relocating shard count [0]")
        }),
    }
}

fn enable(case: &Case<'_>) -> Option<Decision> {
    const INDEX_KEY: &str = "index.routing.allocation.enable";
    const CLUSTER_KEY: &str = "cluster.routing.allocation.enable";
    let of_index = case.index.settings.text(INDEX_KEY).map(str::to_owned);
    let setting = if of_index.is_some() { ("index", INDEX_KEY) } else { ("cluster", CLUSTER_KEY) };
    let value = of_index.or_else(|| case.state.cluster_setting(CLUSTER_KEY));
    let value = value.map_or_else(|| "all".to_owned(), |value| value.to_lowercase());
    let refuse = |what: &str| case.no(|| format!("{what} due to {} setting [{}={value}]", setting.0, setting.1));
    let is_new = case.primary && case.copy.source != RecoverySource::Existing;
    match value.as_str() {
        "none" => refuse("no allocations are allowed"),
        "new_primaries" if is_new => yes("new primary allocations are allowed"),
        "new_primaries" => refuse("non-new primary allocations are forbidden"),
        "primaries" if case.primary => yes("primary allocations are allowed"),
        "primaries" => refuse("replica allocations are forbidden"),
        _ => yes("all allocations are allowed"),
    }
}

fn version(case: &Case<'_>) -> Option<Decision> {
    match (case.primary, case.copy.source, case.primary_is_active()) {
        (true, RecoverySource::Snapshot, _) => {
            yes("node version [3.8.0] is the same or newer than snapshot version [3.8.0]")
        }
        (true, ..) => yes("the primary shard is new or already existed on the node"),
        (false, _, true) => yes(
            "can allocate replica shard to a node with version [3.8.0] since this is equal-or-newer than the primary version [3.8.0]",
        ),
        (false, _, false) => yes("no active primary shard yet"),
    }
}

/// What could not be restored when it was to be is not tried again by itself.
fn restore(case: &Case<'_>) -> Option<Decision> {
    let Some(Seed::Snapshot(seed)) = case.index.seed.as_deref() else {
        return yes("ignored as shard is not being recovered from a snapshot");
    };
    if !case.primary || case.copy.source != RecoverySource::Snapshot {
        return yes("ignored as shard is not being recovered from a snapshot");
    }
    if case.copy.unassigned.status != AllocationStatus::DecidersNo {
        return yes("shard is currently being restored");
    }
    case.no(|| {
        let details = case.copy.unassigned.details.as_deref().unwrap_or_default();
        format!(
            "shard has failed to be restored from the snapshot [{}:{}/{}] because of [{details}] - manually close or delete the \
             index [{}] in order to retry to restore the snapshot again or use the reroute API to force the allocation of an \
             empty primary shard",
            seed.repository, seed.snapshot, seed.snapshot_uuid, case.index.name
        )
    })
}

/// The groups of filters: what their filters take, whether what they match is wanted, and what is said of the cluster's.
const GROUPS: &[(&str, Takes, bool, &str)] = &[
    ("require", Takes::All, true, "node does not match"),
    ("include", Takes::Any, true, "node does not"),
    ("exclude", Takes::Any, false, "node matches"),
];

fn filter(case: &Case<'_>) -> Option<Decision> {
    for (group, takes, wanted, what) in GROUPS {
        let prefix = format!("cluster.routing.allocation.{group}.");
        let settings = cluster_settings(case.state, &prefix);
        let filters = NodeFilters::read(settings.iter().map(|(key, value)| (*key, *value)), &prefix, *takes);
        if let Some(filters) = filters.filter(|filters| filters.matches(case.node) != *wanted) {
            return case.no(|| {
                format!("{what} cluster setting [cluster.routing.allocation.{group}] filters [{}]", filters.text())
            });
        }
    }
    for (group, takes, wanted, ..) in GROUPS {
        let prefix = format!("index.routing.allocation.{group}.");
        let filters = NodeFilters::read(case.index.settings.with_prefix(&prefix), &prefix, *takes);
        if let Some(filters) = filters.filter(|filters| filters.matches(case.node) != *wanted) {
            // The reference names the last group with the dot that its keys go on with.
            let (what, dot) = if *wanted { ("node does not match", "") } else { ("node matches", ".") };
            return case.no(|| {
                format!("{what} index setting [index.routing.allocation.{group}{dot}] filters [{}]", filters.text())
            });
        }
    }
    yes("node passes include/exclude/require filters")
}

/// The settings in force whose keys begin with `prefix`.
fn cluster_settings<'s>(state: &'s State, prefix: &'s str) -> BTreeMap<&'s str, &'s Setting> {
    let layers = [&*state.configured, &state.persistent, &state.transient];
    layers.into_iter().flat_map(|settings| settings.with_prefix(prefix)).collect()
}

fn no_search_node(case: &Case<'_>) -> Option<Decision> {
    case.told(Verdict::Yes, || {
        let shard = if case.primary {
            case.copy.summary(case.index, case.shard, case.node)
        } else {
            case.copy.replica_summary(case.index, case.shard)
        };
        format!("node and shard are compatible. node: [{}], is search node: [false], shard: [{shard}]", case.node.id)
    })
}

fn same_shard(case: &Case<'_>) -> Option<Decision> {
    if case.primary || !case.copy.is_assigned() {
        return yes("this node does not hold a copy of this shard");
    }
    case.no(|| case.copy.already_here(case.index, case.shard, case.node))
}

fn single_node(_: &Case<'_>) -> Option<Decision> {
    yes("there is only a single data node present")
}

/// As [`concurrent_recoveries`].
fn throttling(case: &Case<'_>) -> Option<Decision> {
    const PRIMARIES: &str = "cluster.routing.allocation.node_initial_primaries_recoveries";
    const REPLICAS: &str = "cluster.routing.allocation.node_initial_replicas_recoveries";
    if !case.primary {
        return match case.primary_is_active() {
            true => case.told(Verdict::Yes, || {
                let limit = cluster_number(case.state, REPLICAS);
                format!("below shard recovery limit of outgoing: [0 < {limit}] incoming: [0 < {limit}]")
            }),
            false => case.no(|| "primary shard for this replica is not yet active".to_owned()),
        };
    }
    match cluster_number(case.state, PRIMARIES) {
        0 => case.told(Verdict::Throttle, || {
            format!("reached the limit of ongoing initial primary recoveries [0], cluster setting [{PRIMARIES}=0]")
        }),
        limit => case.told(Verdict::Yes, || format!("below primary recovery limit of [{limit}]")),
    }
}

/// How many copies the node may hold, of one index and of all. `reached` tells whether a count stands in the way of the copy.
fn limit(case: &Case<'_>, reached: fn(&u64, &u64) -> bool) -> Option<Decision> {
    const INDEX_KEY: &str = "index.routing.allocation.total_shards_per_node";
    const CLUSTER_KEY: &str = "cluster.routing.allocation.total_shards_per_node";
    let of_index =
        number(case.index.settings.text(INDEX_KEY), index_setting(INDEX_KEY).map_or("-1", |row| row.default));
    let of_cluster = cluster_number(case.state, CLUSTER_KEY);
    if of_index <= 0 && of_cluster <= 0 {
        return case.told(Verdict::Yes, || {
            format!(
                "total shard limits are disabled: [index: {of_index}, index primary: -1, cluster: {of_cluster}, cluster primary: \
                 -1] <= 0"
            )
        });
    }
    let assigned = |copies: &[ShardCopy]| copies.iter().filter(|copy| copy.is_assigned()).count() as u64;
    let all: u64 = case.state.routing.values().map(|copies| assigned(copies)).sum();
    if of_cluster > 0 && reached(&all, &(of_cluster as u64)) {
        return case.no(|| {
            format!("too many shards [{all}] allocated to this node, cluster setting [{CLUSTER_KEY}={of_cluster}]")
        });
    }
    let own = assigned(case.state.copies(case.index));
    if of_index > 0 && reached(&own, &(of_index as u64)) {
        return case.no(|| {
            format!(
                "too many shards [{own}] allocated to this node for index [{}], index setting [{INDEX_KEY}={of_index}]",
                case.index.name
            )
        });
    }
    case.told(Verdict::Yes, || {
        format!(
            "the shard count [{all}] for this node is under the index limit [{of_index}], index primary limit [-1], cluster level \
             node limit [{of_cluster}] and cluster level primary node limit [-1]"
        )
    })
}

/// Copies are spread over the values of attributes, so that a node without one can hold none.
fn awareness(case: &Case<'_>) -> Option<Decision> {
    const KEY: &str = "cluster.routing.allocation.awareness.attributes";
    let listed = case.state.cluster_setting(KEY).unwrap_or_default();
    let attributes: Vec<&str> = listed.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if attributes.is_empty() {
        return yes(
            "allocation awareness is not enabled, set cluster setting [cluster.routing.allocation.awareness.attributes] to enable it",
        );
    }
    match attributes.iter().find(|name| !case.node.attributes.contains_key(**name)) {
        Some(missing) => case.no(|| {
            format!(
                "node does not contain the awareness attribute [{missing}]; required attributes cluster setting [{KEY}={}]",
                attributes.join(",")
            )
        }),
        None => yes("node meets all awareness attribute requirements"),
    }
}

fn load_awareness(_: &Case<'_>) -> Option<Decision> {
    yes(
        "overload awareness allocation is not enabled, set cluster setting [cluster.routing.allocation.load_awareness.skew_factor] and cluster setting [cluster.routing.allocation.load_awareness.provisioned_capacity] to enable it",
    )
}

fn same_pool(_: &Case<'_>) -> Option<Decision> {
    yes("Routing pools are compatible. Shard pool: [LOCAL_ONLY], node pool: [LOCAL_ONLY]")
}

impl ShardCopy {
    /// The primary as the reference writes one in texts.
    fn summary(&self, index: &IndexMeta, shard: usize, node: &Node) -> String {
        let (name, id) = (&index.name, &self.allocation_id);
        let source = || self.source_text(index);
        let on = match self.is_assigned() {
            true => format!("[{name}][{shard}], node[{}], [P]", node.id),
            false => format!("[{name}][{shard}], node[null], [P]"),
        };
        match &self.state {
            CopyState::Started => format!("{on}, s[STARTED], a[id={id}]"),
            CopyState::Initializing => format!(
                "{on}, recovery_source[{}], s[INITIALIZING], a[id={id}], unassigned_info[{}]",
                source(),
                self.unassigned.summary()
            ),
            CopyState::Unassigned | CopyState::Failed(_) => format!(
                "{on}, recovery_source[{}], s[UNASSIGNED], unassigned_info[{}]",
                source(),
                self.unassigned.summary()
            ),
        }
    }

    /// Why no further copy may come to the node.
    pub fn already_here(&self, index: &IndexMeta, shard: usize, node: &Node) -> String {
        format!("a copy of this shard is already allocated to this node [{}]", self.summary(index, shard, node))
    }

    fn replica_summary(&self, index: &IndexMeta, shard: usize) -> String {
        format!(
            "[{}][{shard}], node[null], [R], recovery_source[peer recovery], s[UNASSIGNED], unassigned_info[{}]",
            index.name,
            self.replicas.summary()
        )
    }

    fn source_text(&self, index: &IndexMeta) -> String {
        match (self.source, index.seed.as_deref()) {
            (RecoverySource::Snapshot, Some(Seed::Snapshot(seed))) => format!(
                "snapshot recovery [{}] from {}:{}/{}",
                seed.restore_id, seed.repository, seed.snapshot, seed.snapshot_uuid
            ),
            (RecoverySource::LocalShards, _) => "local shards recovery".to_owned(),
            (RecoverySource::Existing, _) => "existing store recovery; bootstrap_history_uuid=false".to_owned(),
            _ => "new shard recovery".to_owned(),
        }
    }
}

impl super::UnassignedInfo {
    fn summary(&self) -> String {
        let details = self.details.as_ref().map(|details| format!(" details[{details}],")).unwrap_or_default();
        let at = moment(self.at_ms);
        format!(
            "[reason={}], at[{at}], delayed=false,{details} allocation_status[{}]",
            self.reason.name(),
            self.status.name()
        )
    }
}
