//! Roles made ready for questions: action groups expanded, patterns compiled.

use super::patterns::Pattern;
use super::store::{Entry, texts};
use pith_engine::json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Action groups that one permission may come to.
const EXPANDED_MAX: usize = 4_096;

/// All roles of a store.
#[derive(Default)]
pub struct Privileges {
    roles: BTreeMap<String, Arc<Role>>,
}

/// What a role allows.
pub struct Role {
    pub cluster: Vec<Pattern>,
    /// The permissions of the cluster by name: those that were given, the groups they are of, and what these come to.
    pub cluster_names: BTreeSet<String>,
    pub indexes: Vec<IndexGrant>,
    /// Patterns of tenants, and whether they may be written to.
    pub tenants: Vec<(String, bool)>,
}

/// What a role allows on some indexes.
pub struct IndexGrant {
    /// As they were given: they may name the user.
    pub patterns: Vec<String>,
    pub actions: Vec<Pattern>,
    /// The query that documents must match to be seen, if there is one.
    pub documents: Option<String>,
}

impl Privileges {
    pub fn new(roles: &BTreeMap<String, Entry>, groups: &BTreeMap<String, Entry>) -> Self {
        let role = |(name, entry): (&String, &Entry)| (name.clone(), Arc::new(Role::new(entry, groups)));
        Self { roles: roles.iter().map(role).collect() }
    }

    pub fn role(&self, name: &str) -> Option<&Arc<Role>> {
        self.roles.get(name)
    }
}

impl Role {
    fn new(entry: &Map, groups: &BTreeMap<String, Entry>) -> Self {
        let cluster_names = expand(texts(entry, "cluster_permissions"), groups);
        let objects = |key: &str| entry.get(key).and_then(Value::as_array).unwrap_or_default().iter();
        let grant = |grant: &Map| IndexGrant {
            patterns: texts(grant, "index_patterns").map(str::to_owned).collect(),
            actions: patterns(&expand(texts(grant, "allowed_actions"), groups)),
            documents: grant.get("dls").and_then(Value::as_str).filter(|dls| !dls.is_empty()).map(str::to_owned),
        };
        let tenants = objects("tenant_permissions").filter_map(Value::as_object).flat_map(|tenant| {
            let names = expand(texts(tenant, "allowed_actions"), groups);
            let writes = patterns(&names).iter().any(|pattern| pattern.matches("kibana:saved_objects/x/write"));
            texts(tenant, "tenant_patterns").map(move |pattern| (pattern.to_owned(), writes)).collect::<Vec<_>>()
        });
        Self {
            cluster: patterns(&cluster_names),
            indexes: objects("index_permissions").filter_map(Value::as_object).map(grant).collect(),
            tenants: tenants.collect(),
            cluster_names,
        }
    }
}

fn patterns(names: &BTreeSet<String>) -> Vec<Pattern> {
    names.iter().map(|name| Pattern::new(name)).collect()
}

/// The permissions, and all that the groups among them stand for.
fn expand<'e>(given: impl Iterator<Item = &'e str>, groups: &'e BTreeMap<String, Entry>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = given.collect();
    while let Some(name) = open.pop() {
        if found.len() < EXPANDED_MAX && found.insert(name.to_owned()) {
            open.extend(groups.get(name).into_iter().flat_map(|group| texts(group, "allowed_actions")));
        }
    }
    found
}
