//! Which copies may be opened: the one place where a copy that has no core gets one.
//!
//! At the end of every change what waits is looked at. A copy of which something is on the disk is opened whatever the settings say,
//! as the node that holds it is the only one that can; a new one as the [deciders](super::deciders) say.

use super::change::ApplyContext;
use super::deciders::{Case, Verdict};
use super::{AllocationStatus, CopyState, IndexMeta, ShardCopy, State};
use std::cmp::Reverse;
use std::sync::Arc;

/// Gives cores to those of the waiting copies that may have one.
pub fn allocate(state: &mut State, cx: &mut ApplyContext<'_>) {
    let is_waiting = |copy: &ShardCopy| copy.state == CopyState::Unassigned;
    state.unassigned = 0;
    if !state.routing.values().any(|copies| copies.iter().any(is_waiting)) {
        return;
    }
    for name in in_order(state) {
        let shards = state.index(&name).map_or(0, |index| state.copies(index).len());
        for shard in 0..shards {
            let Some(index) = state.index(&name).filter(|index| is_waiting(&state.copies(index)[shard])) else {
                continue;
            };
            match verdict(state, index, shard) {
                Verdict::Yes => assign(state, &name, shard, cx),
                verdict => {
                    state.unassigned += 1;
                    let status = match verdict {
                        Verdict::Throttle => AllocationStatus::DecidersThrottled,
                        _ => AllocationStatus::DecidersNo,
                    };
                    if let Some(copy) = copy_mut(state, &name, shard) {
                        copy.unassigned.status = status;
                    }
                }
            }
        }
    }
}

/// Whether a primary may be opened now.
fn verdict(state: &State, index: &IndexMeta, shard: usize) -> Verdict {
    let Some(case) = Case::of_primary(state, index, shard) else { return Verdict::No };
    // What comes back in the place of another goes where that was.
    let existing = case.is_where_it_was();
    let mut decided = Verdict::Yes;
    for (_, decision) in case.brief().allocation() {
        match decision.verdict {
            Verdict::No if !existing => return Verdict::No,
            Verdict::Throttle => decided = Verdict::Throttle,
            _ => {}
        }
    }
    decided
}

/// Gives a copy to its core. One of a closed index is there without anybody opening it.
pub(super) fn assign(state: &mut State, name: &str, shard: usize, cx: &mut ApplyContext<'_>) {
    let Some(index) = state.indices.get_mut(name).map(Arc::make_mut) else { return };
    index.primary_terms[shard] += 1;
    if !index.was_assigned(shard) {
        index.allocation_ids[shard] = (cx.new_id)().into();
    }
    let (id, primary_term) = (index.allocation_ids[shard].clone(), index.primary_terms[shard]);
    let assigned = if index.is_open() { CopyState::Initializing } else { CopyState::Started };
    if let Some(copy) = copy_mut(state, name, shard) {
        (copy.state, copy.allocation_id, copy.primary_term) = (assigned, id, primary_term);
    }
}

pub(super) fn copy_mut<'s>(state: &'s mut State, name: &str, shard: usize) -> Option<&'s mut ShardCopy> {
    let uuid = &state.indices.get(name)?.uuid;
    Arc::make_mut(state.routing.get_mut(uuid)?).get_mut(shard)
}

/// The names of the indexes with what waits, those first that want to be.
fn in_order(state: &State) -> Vec<Arc<str>> {
    let waits = |index: &&Arc<IndexMeta>| state.copies(index).iter().any(|copy| copy.state == CopyState::Unassigned);
    let mut indexes: Vec<&Arc<IndexMeta>> = state.indices.values().filter(waits).collect();
    let priority =
        |index: &IndexMeta| index.settings.text("index.priority").and_then(|text| text.parse().ok()).unwrap_or(1i64);
    indexes.sort_by_cached_key(|index| Reverse((priority(index), index.creation_date_ms, index.name.clone())));
    indexes.into_iter().map(|index| index.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reroute::{Command, CommandKind, Reroute};
    use super::super::tests::{change, create, node, update};
    use super::super::{Change, RecoverySource, ShardId, Status, UnassignedReason, decode, encode, health, restarted};
    use super::*;
    use crate::settings::{Settings, SettingsUpdate};

    fn empty() -> State {
        State::initial("test", node(), Settings::new())
    }

    fn cluster_settings(state: &State, text: &str) -> State {
        let change_of = Change::PutClusterSettings { persistent: update(text), transient: SettingsUpdate::default() };
        change(state, change_of).unwrap()
    }

    fn index_settings(state: &State, name: &str, text: &str) -> State {
        let indexes = vec![state.index(name).unwrap().id()];
        let update = update(text).normalized("index.");
        change(state, Change::PutIndexSettings { indexes, update, preserve_existing: false }).unwrap()
    }

    fn opened(state: &State, name: &str) -> State {
        let index = state.index(name).unwrap();
        let copies = state.copies(index).iter().enumerate();
        let opened = copies.filter(|(_, copy)| copy.state == CopyState::Initializing);
        let id = |shard: usize| ShardId { index_uuid: index.uuid.clone(), shard: shard as u32 };
        let results = opened.map(|(shard, _)| (id(shard), Ok(()))).collect();
        change(state, Change::CopiesOpened(results)).unwrap()
    }

    fn states(state: &State, name: &str) -> String {
        let index = state.index(name).unwrap();
        let letter = |copy: &ShardCopy| match copy.state {
            CopyState::Unassigned => 'u',
            CopyState::Initializing => 'i',
            CopyState::Started => 's',
            CopyState::Failed(_) => 'f',
        };
        state.copies(index).iter().map(letter).collect()
    }

    fn reroute(state: &State, kind: CommandKind, index: &str, flag: bool) -> Result<State, String> {
        let command = Command { kind, index: index.into(), shard: 0, node: "node".into(), to: None, flag };
        let request = Reroute { commands: vec![command], retry_failed: false, explain: false };
        change(state, Change::Reroute(request)).map_err(|error| error.reason().to_owned())
    }

    #[test]
    fn new_primaries_wait_for_the_settings() {
        let held = cluster_settings(&empty(), r#"{"cluster.routing.allocation.enable":"none"}"#);
        let state = change(&held, create("a", r#"{"number_of_shards":2,"number_of_replicas":0}"#, "{}")).unwrap();
        let index = state.index("a").unwrap();
        assert_eq!((states(&state, "a").as_str(), state.unassigned), ("uu", 2));
        assert_eq!((index.primary_terms.as_slice(), index.was_assigned(0)), (&[0, 0][..], false));
        assert_eq!(health::index_health(&state, index).status, Status::Red);
        let copy = &state.copies(index)[0];
        assert_eq!(copy.unassigned.status, AllocationStatus::DecidersNo);
        assert_eq!(copy.unassigned.reason, UnassignedReason::IndexCreated);

        let state = cluster_settings(&state, r#"{"cluster.routing.allocation.enable":"new_primaries"}"#);
        assert_eq!((states(&state, "a").as_str(), state.unassigned), ("ii", 0));
        let state = opened(&state, "a");
        let index = state.index("a").unwrap();
        assert_eq!((states(&state, "a").as_str(), index.primary_terms.as_slice()), ("ss", &[1, 1][..]));
        assert_eq!(health::index_health(&state, index).status, Status::Green);
    }

    #[test]
    fn what_is_on_the_disk_is_opened_whatever_the_settings_say() {
        let state = opened(&change(&empty(), create("a", "{}", "{}")).unwrap(), "a");
        let state = cluster_settings(&state, r#"{"cluster.routing.allocation.enable":"none"}"#);
        let state = index_settings(&state, "a", r#"{"routing.allocation.exclude._name":"*"}"#);
        assert_eq!(states(&state, "a"), "s");
        let id = state.index("a").unwrap().id();
        let state = change(&state, Change::CloseIndexes(vec![id.clone()])).unwrap();
        assert_eq!(states(&state, "a"), "s");
        let state = change(&state, Change::OpenIndexes(vec![id])).unwrap();
        assert_eq!((states(&state, "a").as_str(), state.index("a").unwrap().primary_terms[0]), ("i", 3));
        let cancelled = reroute(&opened(&state, "a"), CommandKind::Cancel, "a", true).unwrap();
        assert_eq!((states(&cancelled, "a").as_str(), cancelled.index("a").unwrap().primary_terms[0]), ("i", 5));
    }

    #[test]
    fn a_restart_keeps_what_never_was_anywhere() {
        let held = cluster_settings(&empty(), r#"{"cluster.routing.allocation.enable":"none"}"#);
        let state = change(&held, create("a", "{}", "{}")).unwrap();
        let mut back = decode(&encode(&state), "f", "test", node(), Settings::new()).unwrap();
        let mut cx = ApplyContext { now_ms: 5, new_id: &mut || "id".to_owned(), cores: 2 };
        restarted(&mut back, &mut cx);
        let copy = &back.copies(back.index("a").unwrap())[0];
        assert_eq!((states(&back, "a").as_str(), copy.source), ("u", RecoverySource::Empty));
        assert_eq!((copy.unassigned.reason, copy.unassigned.at_ms), (UnassignedReason::ClusterRecovered, 5));
    }

    #[test]
    fn shards_limits_count_what_is_assigned() {
        let limited = r#"{"number_of_shards":3,"routing.allocation.total_shards_per_node":2}"#;
        let state = change(&empty(), create("a", limited, "{}")).unwrap();
        assert_eq!(states(&state, "a"), "iiu");
        let state = cluster_settings(&opened(&state, "a"), r#"{"cluster.routing.allocation.total_shards_per_node":3}"#);
        let state = change(&state, create("b", r#"{"number_of_shards":2,"index.priority":5}"#, "{}")).unwrap();
        let state = index_settings(&state, "a", r#"{"routing.allocation.total_shards_per_node":null}"#);
        assert_eq!((states(&state, "a").as_str(), states(&state, "b").as_str()), ("ssu", "iu"));
        // Where one goes, the next comes: the one whose index goes first.
        let state = change(&state, Change::DeleteIndexes(vec![state.index("a").unwrap().id()])).unwrap();
        assert_eq!(states(&state, "b"), "ii");
    }

    #[test]
    fn empty_primaries_by_hand() {
        let filtered = r#"{"routing.allocation.include._name":"x"}"#;
        let state = change(&empty(), create("a", filtered, "{}")).unwrap();
        let stale = reroute(&state, CommandKind::AllocateStalePrimary, "a", true).err().unwrap();
        assert_eq!(stale, "No data for shard [0] of index [a] found on any node");
        let state = reroute(&state, CommandKind::AllocateEmptyPrimary, "a", false).unwrap();
        let copy = &state.copies(state.index("a").unwrap())[0];
        assert_eq!((states(&state, "a").as_str(), copy.source), ("i", RecoverySource::Empty));
        assert_eq!(
            copy.unassigned.details.as_deref(),
            Some("force empty allocation from previous reason INDEX_CREATED, null")
        );
        let again = reroute(&opened(&state, "a"), CommandKind::AllocateEmptyPrimary, "a", true).err().unwrap();
        assert_eq!(again, "[allocate_empty_primary] primary [a][0] is already assigned");
    }

    #[test]
    fn failed_copies_wait_to_be_tried_again() {
        let state = change(&empty(), create("a", "{}", "{}")).unwrap();
        let shard = ShardId { index_uuid: state.index("a").unwrap().uuid.clone(), shard: 0 };
        let state = change(&state, Change::CopiesOpened(vec![(shard, Err("why".into()))])).unwrap();
        assert_eq!(states(&state, "a"), "f");
        let request = Reroute { commands: vec![], retry_failed: true, explain: false };
        let state = change(&state, Change::Reroute(request)).unwrap();
        let copy = &state.copies(state.index("a").unwrap())[0];
        assert_eq!((states(&state, "a").as_str(), copy.source), ("i", RecoverySource::Existing));
        assert_eq!(copy.unassigned.reason, UnassignedReason::AllocationFailed);
    }

    /// Those who refuse, and why.
    fn refusals(state: &State) -> Vec<(&'static str, String)> {
        let case = Case::of_primary(state, state.index("a").unwrap(), 0).unwrap();
        let refused = case.allocation().filter(|(_, decision)| decision.verdict != Verdict::Yes);
        refused.map(|(decider, decision)| (decider, decision.why.into_owned())).collect()
    }

    #[test]
    fn deciders_say_why() {
        let filter = |why: &str| ("filter", why.to_owned());
        for (settings, expected) in [
            (
                r#"{"routing.allocation.enable":"NONE"}"#,
                (
                    "enable",
                    "no allocations are allowed due to index setting [index.routing.allocation.enable=none]".into(),
                ),
            ),
            (
                r#"{"routing.allocation.require._name":"n,m"}"#,
                filter(
                    "node does not match index setting [index.routing.allocation.require] filters [_name:\"n AND m\"]",
                ),
            ),
            (
                r#"{"routing.allocation.include.zone":"b,c"}"#,
                filter(
                    "node does not match index setting [index.routing.allocation.include] filters [zone:\"b OR c\"]",
                ),
            ),
            (
                r#"{"routing.allocation.exclude._id":"node"}"#,
                filter("node matches index setting [index.routing.allocation.exclude.] filters [_id:\"node\"]"),
            ),
        ] {
            let state = change(&empty(), create("a", settings, "{}")).unwrap();
            assert_eq!(refusals(&state), [expected], "{settings}");
        }
    }

    #[test]
    fn the_cluster_has_a_say_too() {
        for (settings, decider, why) in [
            (
                r#"{"cluster.routing.allocation.include._name":"x"}"#,
                "filter",
                "node does not cluster setting [cluster.routing.allocation.include] filters [_name:\"x\"]",
            ),
            (
                r#"{"cluster.routing.allocation.exclude._host":"h"}"#,
                "filter",
                "node matches cluster setting [cluster.routing.allocation.exclude] filters [_host:\"h\"]",
            ),
            (
                r#"{"cluster.routing.allocation.require._ip":"10.*"}"#,
                "filter",
                "node does not match cluster setting [cluster.routing.allocation.require] filters [_ip:\"10.*\"]",
            ),
            (
                r#"{"cluster.routing.allocation.awareness.attributes":"zone"}"#,
                "awareness",
                "node does not contain the awareness attribute [zone]; required attributes cluster setting \
                 [cluster.routing.allocation.awareness.attributes=zone]",
            ),
            (
                r#"{"cluster.routing.allocation.node_initial_primaries_recoveries":0}"#,
                "throttling",
                "reached the limit of ongoing initial primary recoveries [0], cluster setting \
                 [cluster.routing.allocation.node_initial_primaries_recoveries=0]",
            ),
        ] {
            let state = cluster_settings(&empty(), settings);
            let state = change(&state, create("a", "{}", "{}")).unwrap();
            assert_eq!((states(&state, "a").as_str(), refusals(&state)), ("u", vec![(decider, why.to_owned())]));
        }
    }
}
