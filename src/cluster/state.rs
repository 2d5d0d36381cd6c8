//! The state of the cluster: one immutable value that every core holds.

use super::{
    CopyState, DataStream, IndexMeta, IndexState, Repository, RepositoryWork, Scripts, ShardCopy, Templates, Views,
    VotingExclusion, Weights,
};
use crate::notify;
use crate::security::Store;
use crate::settings::Settings;
use pith_engine::ingest::Pipelines;
use pith_engine::search_pipeline;
use pith_engine::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything that all nodes agree on, and where the copies of the shards are. Changed only by [`super::apply`].
#[derive(Clone)]
pub struct State {
    pub cluster_name: Arc<str>,
    pub cluster_uuid: Arc<str>,
    /// Counts the changes.
    pub version: u64,
    /// Differs in every state ever published.
    pub state_uuid: Arc<str>,
    /// Counts the elections.
    pub term: u64,
    /// The id of the node that applies changes.
    pub manager: Arc<str>,
    pub nodes: BTreeMap<Arc<str>, Arc<Node>>,
    pub indices: BTreeMap<Arc<str>, Arc<IndexMeta>>,
    /// Alias → the names of its indexes, ordered. Derived from `indices`.
    pub aliases: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// By name.
    pub data_streams: BTreeMap<Arc<str>, Arc<DataStream>>,
    /// Index → the data stream that it belongs to. Derived from `data_streams`.
    pub backing: BTreeMap<Arc<str>, Arc<str>>,
    /// Uuid of an index → its primary copies by shard number.
    pub routing: BTreeMap<Arc<str>, Arc<Vec<ShardCopy>>>,
    pub persistent: Settings,
    pub transient: Settings,
    /// What the configuration file and the command line set on the managing node; below `transient` and `persistent`.
    pub configured: Arc<Settings>,
    pub templates: Arc<Templates>,
    pub scripts: Arc<Scripts>,
    /// Channels that messages go to, and what they need.
    pub notifications: Arc<notify::Configs>,
    pub voting_exclusions: Arc<Vec<VotingExclusion>>,
    /// How searches are weighed between values of an attribute; `None` as long as nobody has said.
    pub weights: Option<Arc<Weights>>,
    pub views: Arc<Views>,
    /// Ingest pipelines.
    pub pipelines: Arc<Pipelines>,
    pub search_pipelines: Arc<search_pipeline::Pipelines>,
    pub repositories: BTreeMap<String, Arc<Repository>>,
    /// How many primaries may not be placed: as long as there are none, nobody has to look for them. Derived from `routing`.
    pub unassigned: usize,
    /// What is being done in repositories, by their names. Not kept.
    pub repository_work: BTreeMap<String, Arc<RepositoryWork>>,
    /// Indexes that were deleted lately, newest last.
    pub graveyard: Arc<Vec<Tombstone>>,
    /// Users, roles and what belongs to them; `None` until the node was first started with security.
    pub security: Option<Arc<Store>>,
}

/// A member of the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Stays the same as long as the data folder does.
    pub id: Arc<str>,
    /// Differs at every start.
    pub ephemeral_id: String,
    pub name: String,
    pub host: String,
    pub ip: String,
    pub transport_address: String,
    pub http_address: String,
    /// By name, ordered.
    pub roles: Vec<String>,
    pub attributes: BTreeMap<String, String>,
    pub cores: usize,
}

impl Node {
    /// The node as the reference writes it in texts: name, ids, addresses, roles, attributes.
    pub fn summary(&self) -> String {
        let initial = |role: &String| if role == "cluster_manager" { 'm' } else { role.chars().next().unwrap_or('-') };
        let mut roles: Vec<char> = self.roles.iter().map(initial).collect();
        roles.sort_unstable();
        let roles: String = roles.into_iter().collect();
        let (name, id, ephemeral_id, host) = (&self.name, &self.id, &self.ephemeral_id, &self.host);
        let text = format!("{{{name}}}{{{id}}}{{{ephemeral_id}}}{{{host}}}{{{}}}{{{roles}}}", self.transport_address);
        if self.attributes.is_empty() {
            return text;
        }
        let attributes: Vec<String> = self.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{text}{{{}}}", attributes.join(", "))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tombstone {
    pub name: Arc<str>,
    pub uuid: Arc<str>,
    pub delete_date_ms: u64,
}

impl State {
    /// The state of a node's first start.
    pub fn initial(cluster_name: &str, node: Node, configured: Settings) -> Self {
        Self {
            cluster_name: cluster_name.into(),
            cluster_uuid: "_na_".into(),
            version: 0,
            state_uuid: "_na_".into(),
            term: 1,
            manager: node.id.clone(),
            nodes: BTreeMap::from([(node.id.clone(), Arc::new(node))]),
            indices: BTreeMap::new(),
            aliases: BTreeMap::new(),
            data_streams: BTreeMap::new(),
            backing: BTreeMap::new(),
            routing: BTreeMap::new(),
            persistent: Settings::new(),
            transient: Settings::new(),
            configured: Arc::new(configured),
            templates: Arc::default(),
            scripts: Arc::default(),
            notifications: Arc::default(),
            voting_exclusions: Arc::default(),
            weights: None,
            views: Arc::default(),
            pipelines: Arc::default(),
            search_pipelines: Arc::default(),
            repositories: BTreeMap::new(),
            unassigned: 0,
            repository_work: BTreeMap::new(),
            graveyard: Arc::default(),
            security: None,
        }
    }

    /// Users and roles, where everybody is asked who they are.
    pub fn secured(&self) -> Option<&Arc<Store>> {
        self.security.as_ref().filter(|_| is_secured(&self.configured))
    }

    /// The index of this name; aliases are not looked at.
    pub fn index(&self, name: &str) -> Option<&Arc<IndexMeta>> {
        self.indices.get(name)
    }

    pub fn index_by_uuid(&self, uuid: &str) -> Option<&Arc<IndexMeta>> {
        self.indices.values().find(|index| &*index.uuid == uuid)
    }

    /// The index of this id, or the error that it is gone.
    pub fn expect_index(&self, id: &IndexId) -> Result<&Arc<IndexMeta>> {
        self.indices.get(&id.name).filter(|index| index.uuid == id.uuid).ok_or_else(|| Error::index_not_found(&id.name))
    }

    /// Whether an index, alias or data stream of this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.indices.contains_key(name) || self.aliases.contains_key(name) || self.data_streams.contains_key(name)
    }

    /// The primary copies of an index, by shard number.
    pub fn copies(&self, index: &IndexMeta) -> &[ShardCopy] {
        self.routing.get(&index.uuid).map_or(&[], |copies| copies)
    }

    /// Whether no core may have the shard's primary yet.
    pub fn is_unassigned(&self, index: &IndexMeta, shard: u32) -> bool {
        self.unassigned > 0
            && self.copies(index).get(shard as usize).is_some_and(|copy| copy.state == CopyState::Unassigned)
    }

    /// Whether that is so of any shard of the index.
    pub fn lacks_primaries(&self, index: &IndexMeta) -> bool {
        self.unassigned > 0 && (0..index.number_of_shards).any(|shard| self.is_unassigned(index, shard))
    }

    /// The names of those of which that is so.
    pub fn lacking_primaries<'i>(&self, indexes: &'i [Arc<IndexMeta>]) -> Vec<&'i str> {
        indexes.iter().filter(|index| self.lacks_primaries(index)).map(|index| &*index.name).collect()
    }

    /// Whether it is so of all of them.
    pub fn lacks_all_primaries(&self, index: &IndexMeta) -> bool {
        self.unassigned > 0 && (0..index.number_of_shards).all(|shard| self.is_unassigned(index, shard))
    }

    /// The value in force of a cluster setting: transient before persistent before configured. `None`: its default.
    pub fn cluster_setting(&self, key: &str) -> Option<String> {
        [&self.transient, &self.persistent, &*self.configured]
            .into_iter()
            .find_map(|settings| settings.get(key))
            .map(|setting| setting.text())
    }

    /// Whether nothing that a change can touch differs. Versions are not looked at.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.has_same_indices(other)
            && self.routing == other.routing
            && self.persistent == other.persistent
            && self.transient == other.transient
            && self.data_streams == other.data_streams
            && self.templates == other.templates
            && self.scripts == other.scripts
            && self.notifications == other.notifications
            && self.voting_exclusions == other.voting_exclusions
            && self.weights == other.weights
            && self.views == other.views
            && super::pipelines::same(&self.pipelines, &other.pipelines)
            && super::search_pipelines::same(&self.search_pipelines, &other.search_pipelines)
            && self.repositories == other.repositories
            && self.repository_work == other.repository_work
            && self.security == other.security
    }

    /// Whether no index differs in what is kept of it.
    pub fn has_same_indices(&self, other: &Self) -> bool {
        let same_index = |(a, b): (&Arc<IndexMeta>, &Arc<IndexMeta>)| Arc::ptr_eq(a, b);
        self.indices.len() == other.indices.len() && self.indices.values().zip(other.indices.values()).all(same_index)
    }

    /// What must hold of every state. Only debug builds look.
    pub(super) fn check(&self) {
        for (name, index) in &self.indices {
            debug_assert_eq!(*name, index.name);
            debug_assert!(!self.aliases.contains_key(name), "an alias is called like an index");
            let copies = self.routing.get(&index.uuid).map_or(0, |copies| copies.len());
            debug_assert_eq!(copies, index.number_of_shards as usize, "every shard has a place in the routing table");
            debug_assert_eq!(index.cores.len(), copies);
        }
        debug_assert_eq!(self.routing.len(), self.indices.len());
    }

    /// Recomputes what is derived from `indices`. Every change that touches them ends with it.
    pub(super) fn derive(&mut self) {
        let streams = self.data_streams.values();
        self.backing =
            streams.flat_map(|stream| stream.indices.iter().map(|id| (id.name.clone(), stream.name.clone()))).collect();
        self.aliases.clear();
        for index in self.indices.values() {
            for alias in index.aliases.keys() {
                self.aliases.entry(alias.clone()).or_default().push(index.name.clone());
            }
        }
    }

    /// How many shards of open indexes each core holds.
    pub fn shards_by_core(&self, cores: usize) -> Vec<usize> {
        let mut counts = vec![0; cores];
        for index in self.indices.values().filter(|index| index.state == IndexState::Open) {
            for &core in &index.cores {
                if let Some(count) = counts.get_mut(core) {
                    *count += 1;
                }
            }
        }
        counts
    }
}

/// Whether the configuration of a node asks for security.
pub fn is_secured(configured: &Settings) -> bool {
    configured.text("plugins.security.disabled") == Some("false")
}

/// Names an index past doubt: a new index of the same name has another uuid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId {
    pub name: Arc<str>,
    pub uuid: Arc<str>,
}

/// Names one shard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShardId {
    pub index_uuid: Arc<str>,
    pub shard: u32,
}

impl std::fmt::Display for IndexId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}/{}]", self.name, self.uuid)
    }
}
