//! Which shards a search asks: its indexes, narrowed by routing and preference.

use super::super::allowed::{check_search, restrict};
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
pub fn targets(state: &State, node_id: &str, scope: &Scope) -> Result<Vec<Target>> {
    let now_ms = clock::now_ms();
    let found = cluster::resolve_search(state, &scope.indexes, &scope.options, scope.routing.as_deref(), now_ms)?;
    blocks::check(state, BlockLevel::Read, found.iter().map(|resolved| &*resolved.index))?;
    found.iter().try_for_each(|resolved| check_search(state, &resolved.index))?;
    let preference = Preference::parse(scope.preference.as_deref())?;
    let mut out = vec![];
    for resolved in found {
        let index = resolved.index;
        let filters = Arc::new(restrict(state, &index, resolved.filters)?);
        let shards: BTreeSet<u32> = match &resolved.routing {
            None => (0..index.number_of_shards).collect(),
            Some(values) => values.iter().flat_map(|value| shards_of_routing(&index, value)).collect(),
        };
        for shard in shards {
            if !preference.takes_shard(shard) {
                continue;
            }
            preference.check_nodes(state, node_id, &index, shard)?;
            let core = core_of(&index, shard)?;
            out.push(Target { index: index.clone(), shard, core, filters: filters.clone() });
        }
    }
    out.sort_by(|a, b| (a.shard, &a.index.name).cmp(&(b.shard, &b.index.name)));
    if preference.replicas_only && !out.is_empty() {
        return Err(super::failures::phase_failed("query", "all shards failed", &[]));
    }
    Ok(out)
}

/// What a `preference` decides where there is one copy of each shard, on one node.
#[derive(Debug, Default, PartialEq)]
pub struct Preference {
    shards: Option<Vec<u32>>,
    only_nodes: Option<String>,
    /// No replica is ever active here.
    replicas_only: bool,
}

impl Preference {
    /// Reads a preference. Custom strings, `_local`, `_primary` and the like all lead to the one copy that there is.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let mut preference = Self::default();
        let Some(mut rest) = text.filter(|text| text.starts_with('_')) else { return Ok(preference) };
        if let Some(after) = rest.strip_prefix("_shards:") {
            let (numbers, next) = after.split_once('|').unwrap_or((after, ""));
            let mut shards = vec![];
            for number in numbers.split(',').filter(|number| !number.is_empty()) {
                shards.push(
                    number
                        .parse()
                        .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{number}\"")))?,
                );
            }
            preference.shards = Some(shards);
            rest = next;
        }
        match rest {
            "" | "_local" | "_only_local" | "_primary" | "_primary_first" | "_replica_first" => {}
            "_replica" => preference.replicas_only = true,
            _ if rest.starts_with("_prefer_nodes:") || !rest.starts_with('_') => {}
            _ => match rest.strip_prefix("_only_nodes:") {
                Some(nodes) => preference.only_nodes = Some(nodes.to_owned()),
                None => return Err(Error::illegal_argument(format!("no Preference for [{rest}]"))),
            },
        }
        Ok(preference)
    }

    /// Whether only replicas will do, of which none is ever active.
    pub fn wants_replica(&self) -> bool {
        self.replicas_only
    }

    /// Whether there is anything that the one copy may not fulfil.
    pub fn is_particular(&self) -> bool {
        self.replicas_only || self.only_nodes.is_some()
    }

    fn takes_shard(&self, shard: u32) -> bool {
        self.shards.as_ref().is_none_or(|shards| shards.contains(&shard))
    }

    pub fn check_nodes(&self, state: &State, node_id: &str, index: &IndexMeta, shard: u32) -> Result<()> {
        let Some(wanted) = &self.only_nodes else { return Ok(()) };
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
        Err(Error::illegal_argument(format!(
            "no data nodes with criteria [{wanted}] found for shard: [{}][{shard}]",
            index.name
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences() {
        let parse = |text| Preference::parse(Some(text));
        assert_eq!(parse("abc").unwrap(), Preference::default());
        assert_eq!(parse("_shards:0,2|_local").unwrap().shards, Some(vec![0, 2]));
        assert_eq!(parse("_shards:").unwrap().shards, Some(vec![]));
        assert!(parse("_replica").unwrap().replicas_only);
        assert_eq!(parse("_foo").unwrap_err().reason(), "no Preference for [_foo]");
        assert_eq!(parse("_shards:x").unwrap_err().reason(), "For input string: \"x\"");
    }
}
