//! What is checked of an entry before it is kept, and how it is kept.

use super::super::authenticate::hash;
use super::super::targets::{Submitted, submit};
use super::super::{ApiRequest, Reply};
use super::answers::{complaint, message, parts_count, secured};
use crate::cluster::{Change, PutSecurity};
use crate::coordinate::Core;
use crate::security::validate::{Complaint, entry};
use crate::security::{Entry, ROUNDS, Section, Store, flag, is_hash, texts};
use pith_engine::json::{Map, Value};
use pith_engine::{ErrorKind, Result};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// How often a change begins anew because others were faster.
const TRIES: usize = 10;

/// Entries of a section; each costs a little for every user that is looked up.
const ENTRIES_MAX: usize = 10_000;

/// The entries of a section while they are being changed.
pub type Entries = BTreeMap<String, Entry>;

/// The work of a hash of a password, as configured.
pub fn rounds(core: &Core) -> u32 {
    let state = core.state();
    let text = state.configured.text("plugins.security.password.hashing.bcrypt.rounds").map(str::to_owned);
    text.and_then(|text| text.parse().ok()).unwrap_or(ROUNDS)
}

/// Changes the entries of a section, on every core, durably; begins anew where somebody else was faster. The answer that `change` gives
/// ends it.
pub async fn keep(
    core: &Rc<Core>,
    request: &ApiRequest,
    section: Section,
    change: impl Fn(&mut Entries, &Store) -> std::result::Result<(), Reply>,
) -> Result<std::result::Result<(), Reply>> {
    let mut tries = 0;
    loop {
        let (_, seen) = secured(&core.state())?;
        let mut entries = seen.section(section).clone();
        if let Err(refused) = change(&mut entries, &seen) {
            return Ok(Err(refused));
        }
        if !parts_count(core)
            && let Err(refused) = check_parts(section, &entries, &seen)
        {
            return Ok(Err(refused));
        }
        if entries.len() > ENTRIES_MAX {
            return Ok(Err(message(400, &format!("there can be at most {ENTRIES_MAX} entries in {}", section.name()))));
        }
        let put = Change::PutSecurity(Box::new(PutSecurity { seen, section, entries }));
        match submit(core, request, put).await {
            Err(error) if error.kind() == ErrorKind::VersionConflict && tries < TRIES => tries += 1,
            Err(error) if error.kind() == ErrorKind::VersionConflict => return Ok(Err(message(409, error.reason()))),
            Err(error) => return Err(error),
            Ok(Submitted::Done(_) | Submitted::Unacknowledged(_)) => return Ok(Ok(())),
            Ok(Submitted::NotYet) => {
                return Ok(Err(message(500, "the change will take place, but has not within the time of the request")));
            }
        }
    }
}

/// Nobody makes, changes or gives away what opens single parts of the interface: who may use it could make others of itself.
fn check_parts(section: Section, entries: &Entries, seen: &Store) -> std::result::Result<(), Reply> {
    let opens = |name: &str, entry: &Map| {
        let is_part = |action: &str| action.starts_with("restapi:admin/");
        match section {
            Section::Roles => texts(entry, "cluster_permissions").any(is_part),
            Section::Groups => texts(entry, "allowed_actions").any(is_part),
            Section::Mappings => {
                let role = seen.get(Section::Roles, name);
                role.is_some_and(|role| texts(role, "cluster_permissions").any(is_part))
            }
            Section::Users | Section::Tenants => false,
        }
    };
    let before = seen.section(section);
    let made = entries.iter().filter(|(name, entry)| before.get(*name) != Some(*entry));
    let gone = before.iter().filter(|(name, entry)| entries.get(*name) != Some(*entry));
    match made.chain(gone).any(|(name, entry)| opens(name, entry)) {
        true => Err(message(403, "Access denied")),
        false => Ok(()),
    }
}

/// Whether an entry may be changed; the answer if not.
pub fn check_changeable(entries: &Entries, name: &str) -> std::result::Result<(), Reply> {
    let Some(found) = entries.get(name) else { return Ok(()) };
    if flag(found, "hidden") {
        return Err(message(404, &format!("Resource '{name}' is not available.")));
    }
    for kind in ["static", "reserved"] {
        if flag(found, kind) {
            return Err(message(403, &format!("Resource '{name}' is {kind}.")));
        }
    }
    Ok(())
}

/// A password that a request holds becomes its hash. Everything else of it was checked.
pub async fn hash_password(core: &Core, name: &str, given: &mut Map) -> Result<std::result::Result<(), Reply>> {
    let Some(password) = given.remove("password") else {
        let wrong = given.get("hash").and_then(Value::as_str).is_some_and(|hash| !hash.is_empty() && !is_hash(hash));
        return Ok(match wrong {
            true => Err(message(400, "[hash] is no hash of bcrypt with 4 to 16 rounds")),
            false => Ok(()),
        });
    };
    let password = password.as_str().unwrap_or_default().to_owned();
    match hash(name.to_owned(), password, rounds(core)).await? {
        Ok(hash) => {
            given.insert("hash", hash);
            Ok(Ok(()))
        }
        Err(weakness) => Ok(Err(complaint(&Complaint::Reason(weakness.message().to_owned())))),
    }
}

/// The entry that a request makes, where entries before it and other sections let it.
pub fn make(
    section: Section,
    name: &str,
    given: &Map,
    before: Option<&Entry>,
    store: &Store,
) -> std::result::Result<Entry, Reply> {
    let mut given = given.clone();
    match section {
        Section::Users => check_user(name, &mut given, before, store)?,
        Section::Mappings => {
            check_role_exists(name, store)?;
        }
        Section::Groups => check_group(name, &given, store)?,
        Section::Roles | Section::Tenants => {}
    }
    Ok(Arc::new(entry(section, &given)))
}

fn check_user(name: &str, given: &mut Map, before: Option<&Entry>, store: &Store) -> std::result::Result<(), Reply> {
    if name.contains(':') {
        let what = "A restricted character(s) was detected in the account name. Please remove: ";
        return Err(message(400, &format!("{what}':'")));
    }
    let roles: Vec<String> = texts(given, "opendistro_security_roles").map(str::to_owned).collect();
    for role in &roles {
        check_role_exists(role, store)?;
        // Whoever may make users may not make one of them more than the cluster's own roles allow.
        if store.get(Section::Roles, role).is_some_and(|role| flag(role, "hidden")) {
            return Err(message(404, &format!("Resource '{role}' is not available.")));
        }
        // A mapping that may not be changed says who has the role; naming the role at a user would go around it.
        check_changeable(store.section(Section::Mappings), role)?;
    }
    if given.get("hash").and_then(Value::as_str).is_none_or(str::is_empty) {
        let known = before.and_then(|user| user.get("hash")).and_then(Value::as_str).filter(|hash| !hash.is_empty());
        match known {
            Some(hash) => given.insert("hash", hash),
            None => {
                let what = "Please specify either 'hash' or 'password' when creating a new internal user.";
                return Err(message(400, what));
            }
        }
    }
    Ok(())
}

fn check_role_exists(role: &str, store: &Store) -> std::result::Result<(), Reply> {
    match store.get(Section::Roles, role) {
        Some(_) => Ok(()),
        None => Err(message(404, &format!("role '{role}' not found."))),
    }
}

fn check_group(name: &str, given: &Map, store: &Store) -> std::result::Result<(), Reply> {
    let kind = given.get("type").and_then(Value::as_str);
    if let Some(other) = kind.filter(|kind| !matches!(*kind, "cluster" | "index")) {
        let what = "Supported types are: cluster, index.";
        return Err(message(400, &format!("Invalid action group type: {other}. {what}")));
    }
    if store.get(Section::Roles, name).is_some() {
        let what = "is an existing role. A action group cannot be named with an existing role name.";
        return Err(message(400, &format!("{name} {what}")));
    }
    if texts(given, "allowed_actions").any(|action| action == name) {
        return Err(message(400, &format!("{name} cannot be an allowed_action of itself")));
    }
    Ok(())
}
