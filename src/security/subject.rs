//! One user with all roles, and what it may do.

use super::patterns::Pattern;
use super::privileges::Role;
use super::store::{Section, Store, texts};
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Answers about indexes that a subject remembers.
const REMEMBERED_MAX: usize = 4_096;

/// An index under all of its names.
#[derive(Clone, Copy, Debug)]
pub struct IndexName<'a> {
    pub name: &'a str,
    pub aliases: &'a [&'a str],
    pub stream: Option<&'a str>,
}

impl<'a> IndexName<'a> {
    /// A name that is nothing but a name.
    pub fn bare(name: &'a str) -> Self {
        Self { name, aliases: &[], stream: None }
    }
}

/// One user, as it has shown itself.
pub struct Subject {
    pub name: String,
    pub backend_roles: Vec<String>,
    pub attributes: BTreeMap<String, String>,
    pub requested_tenant: Option<String>,
    /// What follows from the mappings.
    pub roles: Vec<String>,
    granted: Vec<Granted>,
    cluster: Vec<Arc<Role>>,
    remembered: RefCell<Remembered>,
}

/// Answers by action and index, for one version of the cluster's state.
#[derive(Default)]
struct Remembered {
    version: u64,
    answers: HashMap<(&'static str, Arc<str>), bool>,
}

/// What one grant allows this subject.
struct Granted {
    patterns: Vec<Pattern>,
    role: Arc<Role>,
    at: usize,
    documents: Option<String>,
}

/// Whether an action concerns the cluster, whatever indexes its request may name.
pub fn is_cluster_action(action: &str) -> bool {
    ["cluster:", "indices:admin/template/", "indices:admin/index_template/", "indices:data/read/scroll", "restapi:"]
        .iter()
        .any(|prefix| action.starts_with(prefix))
        || matches!(
            action,
            "indices:data/write/bulk"
                | "indices:data/write/reindex"
                | "indices:data/read/mget"
                | "indices:data/read/msearch"
                | "indices:data/read/msearch/template"
                | "indices:data/read/mtv"
                | "indices:data/read/search/template/render"
        )
}

impl Subject {
    /// The user of this name, if there is one. `remote` is the address that it comes from, `tenant` what it asked for.
    pub fn new(store: &Store, name: &str, remote: Option<&str>, tenant: Option<&str>) -> Option<Self> {
        let user = store.get(Section::Users, name)?;
        let backend_roles: Vec<String> = texts(user, "backend_roles").map(str::to_owned).collect();
        let attributes = user.get("attributes").and_then(Value::as_object);
        let attributes: BTreeMap<String, String> = attributes
            .into_iter()
            .flat_map(|attributes| attributes.iter())
            .map(|(key, value)| (format!("attr.internal.{key}"), value.to_text()))
            .collect();
        let mut roles: Vec<String> = vec![];
        for (role, mapping) in store.section(Section::Mappings) {
            let any = |key: &str, test: &dyn Fn(&Pattern) -> bool| {
                texts(mapping, key).any(|pattern| test(&Pattern::new(pattern)))
            };
            let mut all = texts(mapping, "and_backend_roles").map(Pattern::new).peekable();
            let mapped = any("users", &|pattern| pattern.matches(name))
                || any("backend_roles", &|pattern| backend_roles.iter().any(|role| pattern.matches(role)))
                || any("hosts", &|pattern| remote.is_some_and(|ip| pattern.matches(ip)))
                || (all.peek().is_some() && all.all(|pattern| backend_roles.iter().any(|role| pattern.matches(role))));
            if mapped {
                roles.push(role.clone());
            }
        }
        roles.extend(texts(user, "opendistro_security_roles").map(str::to_owned));
        // The role that everybody has comes first, as it does in the reference's answers.
        roles.sort_by_key(|role| (role != "own_index", role.clone()));
        roles.dedup();
        let mut subject = Self {
            name: name.to_owned(),
            backend_roles,
            attributes,
            requested_tenant: tenant.map(str::to_owned),
            roles,
            granted: vec![],
            cluster: vec![],
            remembered: RefCell::default(),
        };
        subject.take_roles(store);
        Some(subject)
    }

    fn take_roles(&mut self, store: &Store) {
        self.cluster = self.roles.iter().filter_map(|role| store.privileges().role(role).cloned()).collect();
        let mut granted = vec![];
        for role in &self.cluster {
            for (at, grant) in role.indexes.iter().enumerate() {
                let patterns = grant.patterns.iter().map(|pattern| Pattern::new(&self.fill_in(pattern))).collect();
                let documents = grant.documents.as_deref().map(|query| self.fill_in_json(query));
                granted.push(Granted { patterns, role: role.clone(), at, documents });
            }
        }
        self.granted = granted;
    }

    /// Puts what the user is into a pattern that asks for it.
    fn fill_in(&self, text: &str) -> String {
        self.filled(text, str::to_owned)
    }

    /// The same for JSON: whatever the user is called, it stays what it is put into.
    fn fill_in_json(&self, text: &str) -> String {
        self.filled(text, |value| {
            let quoted = Value::from(value).to_bytes();
            String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned()
        })
    }

    fn filled(&self, text: &str, written: impl Fn(&str) -> String) -> String {
        if !text.contains("${") {
            return text.to_owned();
        }
        let quoted =
            |names: &[String]| names.iter().map(|name| format!("\"{}\"", written(name))).collect::<Vec<_>>().join(",");
        let name = written(&self.name);
        let mut text = text.replace("${user_name}", &name).replace("${user.name}", &name);
        for key in ["${user_roles}", "${user.roles}"] {
            text = text.replace(key, &quoted(&self.backend_roles));
        }
        for key in ["${user_securityRoles}", "${user.securityRoles}"] {
            text = text.replace(key, &quoted(&self.roles));
        }
        for (key, value) in &self.attributes {
            text = text.replace(&format!("${{{key}}}"), &written(value));
        }
        text
    }

    /// Whether an action on the cluster is allowed.
    pub fn may(&self, action: &str) -> bool {
        self.cluster.iter().any(|role| role.cluster.iter().any(|pattern| pattern.matches(action)))
    }

    /// The same, as an error.
    pub fn check(&self, action: &str) -> Result<()> {
        if self.may(action) { Ok(()) } else { Err(self.refusal(action)) }
    }

    /// Whether one of these is among the permissions of the cluster, by name.
    pub fn has_cluster_permission(&self, names: &[&str]) -> bool {
        self.cluster.iter().any(|role| names.iter().any(|name| role.cluster_names.contains(*name)))
    }

    /// Whether an action on one index is allowed.
    pub fn may_on(&self, action: &str, index: IndexName<'_>) -> bool {
        self.granted.iter().any(|granted| granted.covers(index) && granted.allows(action))
    }

    /// Whether an action is allowed on any index at all.
    pub fn may_somewhere(&self, action: &str) -> bool {
        self.granted.iter().any(|granted| granted.allows(action))
    }

    /// The same as [`Subject::may_on`] for an index that exists, remembered while the state of the cluster stays the same.
    pub fn may_on_known(
        &self,
        version: u64,
        action: &'static str,
        uuid: &Arc<str>,
        ask: impl FnOnce() -> bool,
    ) -> bool {
        let mut remembered = self.remembered.borrow_mut();
        if remembered.version != version || remembered.answers.len() >= REMEMBERED_MAX {
            *remembered = Remembered { version, answers: HashMap::new() };
        }
        *remembered.answers.entry((action, uuid.clone())).or_insert_with(ask)
    }

    /// The queries of which documents of an index have to match one; none where all may be seen. A role that restricts nothing does not
    /// lift what others restrict.
    pub fn documents(&self, index: IndexName<'_>) -> Vec<&str> {
        // Most roles hide nothing: names are compared only for those that do.
        let hiding = self.granted.iter().filter_map(|granted| Some((granted, granted.documents.as_deref()?)));
        hiding.filter(|(granted, _)| granted.covers(index)).map(|(_, query)| query).collect()
    }

    /// Tenants by name, and whether they may be written to; the user's own is among them.
    pub fn tenants(&self, store: &Store) -> Vec<(String, bool)> {
        let mut tenants: Vec<(String, bool)> = vec![];
        for name in store.section(Section::Tenants).keys() {
            let matching = self.cluster.iter().flat_map(|role| &role.tenants);
            let matching = matching.filter(|(pattern, _)| Pattern::new(&self.fill_in(pattern)).matches(name));
            if let Some(writes) = matching.map(|(_, writes)| *writes).reduce(|one, other| one || other) {
                tenants.push((name.clone(), writes));
            }
        }
        // The global one first, the own one last.
        tenants.sort_by_key(|(name, _)| (name != "global_tenant", name.clone()));
        tenants.push((self.name.clone(), true));
        tenants
    }

    /// The error of an action that is not allowed.
    #[cold]
    pub fn refusal(&self, action: &str) -> Error {
        Error::new(ErrorKind::Security, format!("no permissions for [{action}] and {self}"))
    }
}

impl Granted {
    fn allows(&self, action: &str) -> bool {
        self.role.indexes[self.at].actions.iter().any(|pattern| pattern.matches(action))
    }

    fn covers(&self, index: IndexName<'_>) -> bool {
        let mut names = [Some(index.name), index.stream].into_iter().flatten().chain(index.aliases.iter().copied());
        names.any(|name| self.patterns.iter().any(|pattern| pattern.matches(name)))
    }
}

/// As the reference shows users.
impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenant = self.requested_tenant.as_deref().unwrap_or("null");
        let roles = self.backend_roles.join(", ");
        write!(f, "User [name={}, backend_roles=[{roles}], requestedTenant={tenant}]", self.name)
    }
}
