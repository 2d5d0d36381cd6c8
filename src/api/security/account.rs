//! Who somebody is: `authinfo` and `api/account`; and a new password of one's own.

use super::super::authenticate::{hash, verify};
use super::super::route::route;
use super::super::{ApiRequest, Reply, Route};
use super::answers::{check_access, complaint, has_enabled_role, message, secured};
use super::change::{check_changeable, keep, rounds};
use crate::coordinate::Core;
use crate::security::validate::Complaint;
use crate::security::{Section, Store, Subject, is_hash};
use pith_engine::Result;
use pith_engine::json::{Value, Writer};
use std::rc::Rc;
use std::sync::Arc;

pub const ROUTES: &[Route] = &[
    route!(Get "/_plugins/_security/authinfo" "security_authinfo" &[&["auth_type", "verbose"]], authinfo),
    route!(Post "/_plugins/_security/authinfo" "security_authinfo" &[&["auth_type", "verbose"]], authinfo),
    route!(Get "/_opendistro/_security/authinfo" "security_authinfo" &[&["auth_type", "verbose"]], authinfo),
    route!(Get "/_plugins/_security/api/permissionsinfo" "security_permissions_info" &[], permissions_info),
    route!(Get "/_opendistro/_security/api/permissionsinfo" "security_permissions_info" &[], permissions_info),
    route!(Get "/_plugins/_security/api/account" "security_account" &[], account),
    route!(Get "/_opendistro/_security/api/account" "security_account" &[], account),
    route!(Put "/_plugins/_security/api/account" "security_put_account" &[], put),
    route!(Put "/_opendistro/_security/api/account" "security_put_account" &[], put),
];

async fn authinfo(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    let mut w = Writer::new();
    w.begin_object().key("user").string(&subject.to_string());
    w.key("user_name").string(&subject.name).key("user_requested_tenant");
    text_or_null(&mut w, subject.requested_tenant.as_deref());
    w.key("remote_address");
    text_or_null(&mut w, request.remote.map(|remote| remote.to_string()).as_deref());
    w.key("backend_roles");
    texts(&mut w, subject.backend_roles.iter());
    w.key("custom_attribute_names");
    texts(&mut w, subject.attributes.keys());
    w.key("roles");
    texts(&mut w, subject.roles.iter());
    write_tenants(&mut w, &subject, &store);
    w.key("principal").null().key("peer_certificates").string("0").key("sso_logout_url").null().end_object();
    Ok(Reply::ok(w))
}

/// The parts of the interface, as they are called where somebody may not use them.
const ENDPOINTS: [&str; 21] = [
    "ACCOUNT",
    "ACTIONGROUPS",
    "ALLOWLIST",
    "AUDIT",
    "AUTHTOKEN",
    "CACHE",
    "CONFIG",
    "INTERNALUSERS",
    "MIGRATE",
    "NODESDN",
    "PERMISSIONSINFO",
    "RATELIMITERS",
    "RESOURCE_SHARING",
    "ROLES",
    "ROLESMAPPING",
    "ROLLBACK_VERSION",
    "SSL",
    "SYSTEMINFO",
    "TENANTS",
    "VALIDATE",
    "VIEW_VERSION",
];

const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT"];

/// Whether the one who asks may use the interface: all of it by the roles that open it, or parts of it by permissions, or nothing.
async fn permissions_info(core: Rc<Core>, _: ApiRequest) -> Result<Reply> {
    let (subject, _) = secured(&core.state())?;
    let mut w = Writer::new();
    w.begin_object().key("user").string(&subject.to_string()).key("user_name").string(&subject.name);
    w.key("has_api_access").bool(has_enabled_role(&core, &subject));
    w.key("disabled_endpoints").begin_object();
    let closed = |name: &&str| check_access(&core, &subject, &name.to_lowercase()).is_err();
    for name in ENDPOINTS.iter().filter(|name| closed(name)) {
        w.key(name).begin_array();
        METHODS.iter().for_each(|method| _ = w.string(method));
        w.end_array();
    }
    w.end_object().end_object();
    Ok(Reply::ok(w))
}

async fn account(core: Rc<Core>, _: ApiRequest) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    let user = store.get(Section::Users, &subject.name);
    let flag = |name: &str| user.and_then(|user| user.get(name)).and_then(Value::as_bool) == Some(true);
    let mut w = Writer::new();
    w.begin_object().key("user_name").string(&subject.name);
    w.key("is_reserved").bool(flag("reserved")).key("is_hidden").bool(flag("hidden"));
    w.key("is_internal_user").bool(user.is_some()).key("user_requested_tenant");
    text_or_null(&mut w, subject.requested_tenant.as_deref());
    w.key("backend_roles");
    texts(&mut w, subject.backend_roles.iter());
    w.key("custom_attribute_names");
    texts(&mut w, subject.attributes.keys());
    write_tenants(&mut w, &subject, &store);
    w.key("roles");
    texts(&mut w, subject.roles.iter());
    w.end_object();
    Ok(Reply::ok(w))
}

fn text_or_null(w: &mut Writer, text: Option<&str>) {
    match text {
        Some(text) => w.string(text),
        None => w.null(),
    };
}

fn texts<'t>(w: &mut Writer, texts: impl Iterator<Item = &'t String>) {
    w.begin_array();
    texts.for_each(|text| _ = w.string(text));
    w.end_array();
}

fn write_tenants(w: &mut Writer, subject: &Subject, store: &Store) {
    w.key("tenants").begin_object();
    subject.tenants(store).iter().for_each(|(name, writes)| _ = w.key(name).bool(*writes));
    w.end_object();
}

/// A new password, for whoever knows the old one.
async fn put(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let (subject, store) = secured(&core.state())?;
    let body = match read(&request) {
        Ok(body) => body,
        Err(wrong) => return Ok(complaint(&wrong)),
    };
    let Some(user) = store.get(Section::Users, &subject.name) else {
        return Ok(message(404, &format!("user '{}' not found.", subject.name)));
    };
    for flag in ["static", "reserved"] {
        if crate::security::flag(user, flag) {
            return Ok(message(403, &format!("Resource '{}' is {flag}.", subject.name)));
        }
    }
    let current = store.hash_of(&subject.name).map(str::to_owned);
    if !verify(body.current_password, current).await {
        return Ok(message(400, "Could not validate your current password."));
    }
    let hash = match body.new {
        New::Hash(hash) => hash,
        New::Password(password) => match hash(subject.name.clone(), password, rounds(&core)).await? {
            Ok(hash) => hash,
            Err(weakness) => return Ok(complaint(&Complaint::Reason(weakness.message().to_owned()))),
        },
    };
    let kept = keep(&core, &request, Section::Users, |entries, _| {
        check_changeable(entries, &subject.name)?;
        match entries.get_mut(&subject.name) {
            // The password that was verified is this user's no more, or something else of the user was changed: who asks looks again.
            Some(now) if now == user => Arc::make_mut(now).insert("hash", hash.as_str()),
            _ => return Err(message(409, &format!("[{}] was changed by somebody else meanwhile", subject.name))),
        };
        Ok(())
    });
    Ok(match kept.await? {
        Ok(()) => message(200, &format!("'{}' updated.", subject.name)),
        Err(refused) => refused,
    })
}

struct NewAccount {
    current_password: String,
    new: New,
}

enum New {
    Password(String),
    Hash(String),
}

fn read(request: &ApiRequest) -> std::result::Result<NewAccount, Complaint> {
    let reason = |text: &str| Complaint::Reason(text.to_owned());
    let Ok(Some(Value::Object(body))) = request.json_opt() else {
        return Err(reason(match request.body.is_empty() {
            true => "Request body required for this action.",
            false => "Could not parse content of request.",
        }));
    };
    if body.is_empty() {
        return Err(reason("Request body required for this action."));
    }
    let known = ["current_password", "password", "hash"];
    let invalid: Vec<String> =
        body.iter().map(|(key, _)| key.to_owned()).filter(|key| !known.contains(&key.as_str())).collect();
    let missing = if body.contains("current_password") { vec![] } else { vec!["current_password".to_owned()] };
    if !invalid.is_empty() || !missing.is_empty() {
        return Err(Complaint::Keys { invalid, missing });
    }
    let wrong = body.iter().filter(|(_, value)| value.as_str().is_none());
    let wrong: Vec<_> = wrong.map(|(key, _)| (key.to_owned(), "String expected".to_owned())).collect();
    if !wrong.is_empty() {
        return Err(Complaint::Types(wrong));
    }
    let text = |key: &str| body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let new = match (text("password"), text("hash")) {
        (Some(password), _) => New::Password(password),
        (None, Some(hash)) if is_hash(&hash) => New::Hash(hash),
        (None, Some(_)) => return Err(Complaint::Message("[hash] is no hash of bcrypt".to_owned())),
        (None, None) => {
            return Err(Complaint::Message("Both provided password and hash cannot be null/empty.".to_owned()));
        }
    };
    Ok(NewAccount { current_password: text("current_password").unwrap_or_default(), new })
}
