//! Users, roles, role mappings, action groups and tenants: shown, put, patched and deleted in one way.

use super::super::{ApiRequest, Method, Reply, Route};
use super::answers::{check_access, complaint, message, secured};
use super::change::{Entries, check_changeable, hash_password, keep, make};
use super::patch::{apply, check_patch};
use crate::coordinate::Core;
use crate::security::validate::{Complaint, check, check_map};
use crate::security::{Entry, Section, flag};
use pith_engine::Result;
use pith_engine::json::{Map, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

macro_rules! rows {
    ($($section:ident $path:literal),* $(,)?) => {
        &[$(
            Route { method: Method::Get, path: concat!("/_plugins/_security/api/", $path), name: "security_get_all",
                params: &[], handler: |core, request| Box::pin(get_all(core, request, Section::$section)) },
            Route { method: Method::Patch, path: concat!("/_plugins/_security/api/", $path), name: "security_patch_all",
                params: &[], handler: |core, request| Box::pin(patch_all(core, request, Section::$section)) },
            Route { method: Method::Get, path: concat!("/_plugins/_security/api/", $path, "/{name}"), name: "security_get",
                params: &[], handler: |core, request| Box::pin(get(core, request, Section::$section)) },
            Route { method: Method::Put, path: concat!("/_plugins/_security/api/", $path, "/{name}"), name: "security_put",
                params: &[], handler: |core, request| Box::pin(put(core, request, Section::$section)) },
            Route { method: Method::Patch, path: concat!("/_plugins/_security/api/", $path, "/{name}"), name: "security_patch",
                params: &[], handler: |core, request| Box::pin(patch(core, request, Section::$section)) },
            Route { method: Method::Delete, path: concat!("/_plugins/_security/api/", $path, "/{name}"), name: "security_delete",
                params: &[], handler: |core, request| Box::pin(delete(core, request, Section::$section)) },
            Route { method: Method::Get, path: concat!("/_opendistro/_security/api/", $path), name: "security_get_all",
                params: &[], handler: |core, request| Box::pin(get_all(core, request, Section::$section)) },
            Route { method: Method::Patch, path: concat!("/_opendistro/_security/api/", $path), name: "security_patch_all",
                params: &[], handler: |core, request| Box::pin(patch_all(core, request, Section::$section)) },
            Route { method: Method::Get, path: concat!("/_opendistro/_security/api/", $path, "/{name}"), name: "security_get",
                params: &[], handler: |core, request| Box::pin(get(core, request, Section::$section)) },
            Route { method: Method::Put, path: concat!("/_opendistro/_security/api/", $path, "/{name}"), name: "security_put",
                params: &[], handler: |core, request| Box::pin(put(core, request, Section::$section)) },
            Route { method: Method::Patch, path: concat!("/_opendistro/_security/api/", $path, "/{name}"), name: "security_patch",
                params: &[], handler: |core, request| Box::pin(patch(core, request, Section::$section)) },
            Route { method: Method::Delete, path: concat!("/_opendistro/_security/api/", $path, "/{name}"), name: "security_delete",
                params: &[], handler: |core, request| Box::pin(delete(core, request, Section::$section)) },
        )*]
    };
}

pub const ROUTES: &[Route] = rows![
    Users "internalusers",
    Users "user",
    Roles "roles",
    Mappings "rolesmapping",
    Groups "actiongroups",
    Groups "actiongroup",
    Tenants "tenants",
];

/// Ends a handler with an answer that is none of its own.
macro_rules! or_reply {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(refused) => return Ok(refused),
        }
    };
}

/// An entry as it is shown: nobody sees the hash of a password.
fn shown(section: Section, entry: &Map) -> Map {
    let mut entry = entry.clone();
    if section == Section::Users {
        // In its place, so that the order of the keys stays.
        if let Some(hash) = entry.get_mut("hash") {
            *hash = Value::String(String::new());
        }
    }
    entry
}

async fn get_all(core: Rc<Core>, _: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    let visible = store.section(section).iter().filter(|(_, entry)| !flag(entry, "hidden"));
    let all: Map = visible.map(|(name, entry)| (name.as_str(), shown(section, entry))).collect();
    Ok(Reply::json(200, Value::Object(all).to_bytes()))
}

fn not_found(section: Section, name: &str) -> Reply {
    message(404, &format!("{} '{name}' not found.", section.noun()))
}

async fn get(core: Rc<Core>, request: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    let name = request.path_param("name");
    let Some(entry) = store.get(section, name).filter(|entry| !flag(entry, "hidden")) else {
        return Ok(not_found(section, name));
    };
    Ok(Reply::json(200, Value::Object(Map::from_iter([(name, shown(section, entry))])).to_bytes()))
}

async fn put(core: Rc<Core>, request: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    let name = request.path_param("name").to_owned();
    let mut given = match check(section, &request.body) {
        Ok(given) => given,
        Err(wrong) => return Ok(complaint(&wrong)),
    };
    or_reply!(check_changeable(store.section(section), &name));
    or_reply!(hash_password(&core, &name, &mut given).await?);
    let existed = std::cell::Cell::new(false);
    let kept = keep(&core, &request, section, |entries, store| {
        check_changeable(entries, &name)?;
        let made = make(section, &name, &given, entries.get(&name), store)?;
        existed.set(entries.insert(name.clone(), made).is_some());
        Ok(())
    });
    or_reply!(kept.await?);
    Ok(match existed.get() {
        true => message(200, &format!("'{name}' updated.")),
        false => message(201, &format!("'{name}' created.")),
    })
}

async fn delete(core: Rc<Core>, request: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, _) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    let name = request.path_param("name");
    let kept = keep(&core, &request, section, |entries, _| {
        check_changeable(entries, name)?;
        entries.remove(name).map(drop).ok_or_else(|| not_found(section, name))
    });
    or_reply!(kept.await?);
    Ok(message(200, &format!("'{name}' deleted.")))
}

/// What is answered to a patch that changes nothing.
const UNCHANGED: &str = "No updates required";

/// What an entry says: an empty list says what none says.
fn told(entry: &Map) -> Map {
    let is_empty = |value: &Value| match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        value => value.is_null(),
    };
    entry.iter().filter(|(_, value)| !is_empty(value)).map(|(key, value)| (key, value.clone())).collect()
}

/// What clients may patch of an entry: all but what only the cluster sets.
fn patchable(entry: &Map) -> Map {
    entry
        .iter()
        .filter(|(key, _)| !matches!(*key, "reserved" | "hidden" | "static"))
        .map(|(k, v)| (k, v.clone()))
        .collect()
}

async fn patch(core: Rc<Core>, request: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    let name = request.path_param("name").to_owned();
    or_reply!(check_patch(&request.body));
    let Some(before) = store.get(section, &name).filter(|entry| !flag(entry, "hidden")) else {
        return Ok(not_found(section, &name));
    };
    or_reply!(check_changeable(store.section(section), &name));
    let patched = or_reply!(apply(&request.body, Value::Object(patchable(before))));
    let Value::Object(patched) = patched else { return Ok(message(400, "the patch leaves no entry")) };
    if told(&patched) == told(&patchable(before)) {
        return Ok(message(200, UNCHANGED));
    }
    let changes =
        BTreeMap::from([(name.clone(), Some(or_reply!(checked(&core, section, &name, patched, before).await?)))]);
    or_reply!(keep_all(&core, &request, section, &store.section(section).clone(), changes).await?);
    Ok(message(200, &format!("'{name}' updated.")))
}

async fn patch_all(core: Rc<Core>, request: ApiRequest, section: Section) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    or_reply!(check_access(&core, &subject, section.name()));
    or_reply!(check_patch(&request.body));
    let before = store.section(section).clone();
    let open = before.iter().filter(|(_, entry)| !flag(entry, "hidden"));
    let all: Map = open.map(|(name, entry)| (name.as_str(), patchable(entry))).collect();
    let patched = or_reply!(apply(&request.body, Value::Object(all)));
    let Value::Object(patched) = patched else { return Ok(message(400, "the patch leaves no entries")) };
    let empty = Entry::default();
    let mut changes: BTreeMap<String, Option<Map>> = BTreeMap::new();
    for (name, entry) in patched.iter() {
        let old = before.get(name);
        let Some(entry) = entry.as_object() else {
            return Ok(complaint(&Complaint::Reason("Request body required for this action.".to_owned())));
        };
        if name.is_empty() {
            let what = if section == Section::Users { "username" } else { "name" };
            return Ok(complaint(&Complaint::Reason(format!("No {what} is given"))));
        }
        if old.is_none_or(|old| told(&patchable(old)) != told(entry)) {
            or_reply!(check_changeable(&before, name));
            let made = checked(&core, section, name, entry.clone(), old.unwrap_or(&empty)).await?;
            changes.insert(name.to_owned(), Some(or_reply!(made)));
        }
    }
    for (name, _) in before.iter().filter(|(name, entry)| !flag(entry, "hidden") && !patched.contains(name)) {
        or_reply!(check_changeable(&before, name));
        changes.insert(name.clone(), None);
    }
    if changes.is_empty() {
        return Ok(message(200, UNCHANGED));
    }
    or_reply!(keep_all(&core, &request, section, &before, changes).await?);
    Ok(message(200, "Resource updated."))
}

/// A patched entry as a request that was checked, its password hashed.
async fn checked(
    core: &Core,
    section: Section,
    name: &str,
    patched: Map,
    before: &Entry,
) -> Result<std::result::Result<Map, Reply>> {
    let mut patched = patched;
    // An empty hash is what clients are shown.
    if section == Section::Users && patched.get("hash").and_then(Value::as_str).is_some_and(str::is_empty) {
        patched.remove("hash");
    }
    let mut given = match check_map(section, patched) {
        Ok(given) => given,
        Err(wrong) => return Ok(Err(complaint(&wrong))),
    };
    // The hash that the user had need not be looked at again.
    if given.get("hash").is_some() && given.get("hash") == before.get("hash") && !given.contains("password") {
        return Ok(Ok(given));
    }
    Ok(hash_password(core, name, &mut given).await?.map(|()| given))
}

/// Keeps changes that were worked out from `before`; where the entries have changed since, nothing happens.
async fn keep_all(
    core: &Rc<Core>,
    request: &ApiRequest,
    section: Section,
    before: &Entries,
    changes: BTreeMap<String, Option<Map>>,
) -> Result<std::result::Result<(), Reply>> {
    let kept = keep(core, request, section, |entries, store| {
        for (name, given) in &changes {
            if entries.get(name) != before.get(name) {
                return Err(message(409, &format!("[{name}] was changed by somebody else meanwhile")));
            }
            check_changeable(entries, name)?;
            match given {
                Some(given) => {
                    let made = make(section, name, given, entries.get(name), store)?;
                    entries.insert(name.clone(), made);
                }
                None => drop(entries.remove(name)),
            }
        }
        Ok(())
    });
    kept.await
}
