//! Which shards a search asks: its indexes, narrowed by routing and preference.

use super::super::allowed::{check_search, of_missing, restrict};
use super::super::clock;
use super::super::core::core_of;
use crate::cluster::{self, BlockLevel, IndexMeta, IndicesOptions, State, blocks, shards_of_routing};
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One shard to ask.
#[derive(Clone)]
pub struct Target {
    pub index: Arc<IndexMeta>,
    pub shard: u32,
    pub core: usize,
    /// Queries of the aliases that led here, of which one has to match; empty: no restriction.
    pub filters: Arc<Vec<Value>>,
}

/// The shards that a search means.
#[derive(Clone, Default)]
pub struct Targets {
    /// Those that there is a core to ask for.
    pub found: Vec<Target>,
    /// Those that no core may have yet.
    pub unassigned: Vec<UnassignedTarget>,
}

/// A shard that cannot be asked: its number and its index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnassignedTarget {
    pub shard: u32,
    pub index: Arc<str>,
}

/// Which indexes and shards are meant.
#[derive(Clone, Debug)]
pub struct Scope {
    pub indexes: Vec<String>,
    pub options: IndicesOptions,
    pub routing: Option<String>,
    pub preference: Option<String>,
}

impl Scope {
    /// The indexes that these shards belong to.
    pub fn of_indexes(targets: &[Target]) -> Self {
        let mut indexes: Vec<String> = targets.iter().map(|target| target.index.name.to_string()).collect();
        indexes.sort_unstable();
        indexes.dedup();
        Self { indexes, options: IndicesOptions::STRICT_EXPAND_OPEN_FORBID_CLOSED, routing: None, preference: None }
    }
}

/// The shards in the order in which ties between their hits are decided: by number, then by index.
pub fn targets(state: &State, node_id: &str, scope: &Scope) -> Result<Targets> {
    targets_behind(state, node_id, scope, BlockLevel::Read)
}

/// The same for what is asked at a level of its own.
pub fn targets_behind(state: &State, node_id: &str, scope: &Scope, level: BlockLevel) -> Result<Targets> {
    let now_ms = clock::now_ms();
    let found = cluster::resolve_search(state, &scope.indexes, &scope.options, scope.routing.as_deref(), now_ms)
        .map_err(|error| of_missing(state, &scope.indexes, error))?;
    let mut indexes = found.iter().map(|resolved| &*resolved.index);
    match level {
        // Searches look at one after the other, and tell of the first.
        BlockLevel::Read => {
            blocks::check_cluster(state, level)?;
            indexes.try_for_each(|index| blocks::check(state, level, [index]))?;
        }
        _ => blocks::check(state, level, indexes)?,
    }
    found.iter().try_for_each(|resolved| check_search(state, &resolved.index))?;
    let preference = Preference::new(scope.preference.as_deref());
    let (mut out, mut unassigned, mut replicas_only) = (vec![], vec![], false);
    for resolved in found {
        let index = resolved.index;
        let filters = Arc::new(restrict(state, &index, resolved.filters)?);
        let shards: BTreeSet<u32> = match &resolved.routing {
            None => (0..index.number_of_shards).collect(),
            Some(values) => values.iter().flat_map(|value| shards_of_routing(&index, value)).collect(),
        };
        for shard in shards {
            match preference.copies(state, node_id, &index.name, shard)? {
                Copies::OfOthers => continue,
                Copies::Any => {}
                Copies::Replicas => replicas_only = true,
            }
            if state.is_unassigned(&index, shard) {
                unassigned.push(UnassignedTarget { shard, index: index.name.clone() });
                continue;
            }
            let core = core_of(&index, shard)?;
            out.push(Target { index: index.clone(), shard, core, filters: filters.clone() });
        }
    }
    out.sort_by(|a, b| (a.shard, &a.index.name).cmp(&(b.shard, &b.index.name)));
    if replicas_only {
        return Err(super::failures::phase_failed("query", "all shards failed", &[]));
    }
    unassigned.sort();
    Ok(Targets { found: out, unassigned })
}

/// What a `preference` decides where there is one copy of each shard, on one node. Custom strings, `_local`, `_primary` and the like all
/// lead to that copy.
#[derive(Clone, Copy, Debug)]
pub struct Preference<'a>(Option<&'a str>);

/// The copies of one shard that a preference takes.
#[derive(Debug, PartialEq)]
pub enum Copies {
    /// It names other shards.
    OfOthers,
    Any,
    /// Of which none is ever active here.
    Replicas,
}

impl<'a> Preference<'a> {
    pub fn new(text: Option<&'a str>) -> Self {
        Self(text.filter(|text| text.starts_with('_')))
    }

    /// Whether there is anything that the one copy may not fulfil.
    pub fn is_particular(self) -> bool {
        self.0.is_some()
    }

    /// Reads what is wanted of one shard. What does not concern it is not looked at: nothing is wrong where there is no shard to ask, nor
    /// behind the number of the shard.
    pub fn copies(self, state: &State, node_id: &str, index: &str, shard: u32) -> Result<Copies> {
        let Some(mut rest) = self.0 else { return Ok(Copies::Any) };
        if kind_of(rest) == "_shards" {
            let list = behind(rest, "_shards")?;
            let (numbers, next) = list.split_once('|').unwrap_or((list, ""));
            if !names(numbers, shard)? {
                return Ok(Copies::OfOthers);
            }
            if next.is_empty() {
                return Ok(Copies::Any);
            }
            rest = next;
        }
        match kind_of(rest) {
            "_local" | "_only_local" | "_primary" | "_primary_first" | "_replica_first" => Ok(Copies::Any),
            "_replica" | "_search_replica" => Ok(Copies::Replicas),
            "_prefer_nodes" => behind(rest, "_prefer_nodes").map(|_| Copies::Any),
            "_only_nodes" => {
                check_nodes(behind(rest, "_only_nodes")?, state, node_id, index, shard).map(|()| Copies::Any)
            }
            "_shards" => Err(Error::illegal_argument("unknown preference [SHARDS]")),
            other => Err(Error::illegal_argument(format!("no Preference for [{other}]"))),
        }
    }
}

/// What stands before the colon.
fn kind_of(text: &str) -> &str {
    text.split_once(':').map_or(text, |(kind, _)| kind)
}

/// What stands behind the colon that has to be there.
fn behind<'a>(text: &'a str, kind: &str) -> Result<&'a str> {
    let missing = || {
        let (from, length) = (kind.len() + 1, kind.len());
        let reason = format!("Range [{from}, {length}) out of bounds for length {length}");
        Error::new(ErrorKind::StringIndexOutOfBounds, reason)
    };
    text.get(kind.len() + 1..).ok_or_else(missing)
}

/// Whether a list of numbers has this one.
fn names(numbers: &str, shard: u32) -> Result<bool> {
    let numbers = numbers.trim_end_matches(',');
    for number in numbers.split(',').filter(|_| !numbers.is_empty()) {
        let refused = |_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{number}\""));
        if i64::from(number.parse::<i32>().map_err(refused)?) == i64::from(shard) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check_nodes(wanted: &str, state: &State, node_id: &str, index: &str, shard: u32) -> Result<()> {
    let node = state.nodes.get(node_id);
    let matches = |pattern: &str| {
        let glob = |text: &str| crate::settings::glob(pattern, text);
        matches!(pattern, "_local" | "_all" | "_master" | "_cluster_manager")
            || glob(node_id)
            || node.is_some_and(|node| glob(&node.name) || glob(&node.ip) || glob(&node.host))
    };
    if wanted.split(',').any(matches) {
        return Ok(());
    }
    Err(Error::illegal_argument(format!("no data nodes with criteria [{wanted}] found for shard: [{index}][{shard}]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences() {
        let state = crate::coordinate::Core::for_test().state();
        let copies = |text, shard| {
            Preference::new(Some(text)).copies(&state, "n", "i", shard).map_err(|error| error.reason().to_owned())
        };
        for any in
            ["abc", "_shards:0,2|_local", "_shards:2|", "_shards:2,x", "_local:x", "_prefer_nodes:x", "_only_nodes:a,n"]
        {
            assert_eq!(copies(any, 2), Ok(Copies::Any), "{any}");
        }
        for others in ["_shards:", "_shards:,", "_shards:1,3|_foo"] {
            assert_eq!(copies(others, 2), Ok(Copies::OfOthers), "{others}");
        }
        assert_eq!(copies("_shards:2|_replica:x", 2), Ok(Copies::Replicas));
        for (text, reason) in [
            ("_foo:1", "no Preference for [_foo]"),
            ("_shards:2|foo", "no Preference for [foo]"),
            ("_shards:2|_shards:2", "unknown preference [SHARDS]"),
            ("_shards:x", "For input string: \"x\""),
            ("_shards:1,,2", "For input string: \"\""),
            ("_shards", "Range [8, 7) out of bounds for length 7"),
            ("_only_nodes:a", "no data nodes with criteria [a] found for shard: [i][2]"),
        ] {
            assert_eq!(copies(text, 2), Err(reason.to_owned()), "{text}");
        }
    }
}
