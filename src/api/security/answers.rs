//! The form of what is answered, and who may ask.

use super::super::Reply;
use crate::cluster::State;
use crate::coordinate::Core;
use crate::security::validate::Complaint;
use crate::security::{Store, Subject, acting};
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use std::rc::Rc;
use std::sync::Arc;

/// Roles that may use the interface, where no setting names others.
const ROLES_ENABLED: [&str; 2] = ["all_access", "security_rest_api_access"];

/// `{"status":…,"message":…}`.
pub fn message(status: u16, message: &str) -> Reply {
    let name = match status {
        200 => "OK",
        201 => "CREATED",
        400 => "BAD_REQUEST",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        409 => "CONFLICT",
        _ => "INTERNAL_SERVER_ERROR",
    };
    let mut w = Writer::new();
    w.begin_object().key("status").string(name).key("message").string(message).end_object();
    Reply::json(status, w.finish())
}

pub fn complaint(complaint: &Complaint) -> Reply {
    Reply::json(400, complaint.to_bytes())
}

/// Who asks, and the store as it is.
pub fn secured(state: &State) -> Result<(Rc<Subject>, Arc<Store>)> {
    match (acting::current(), state.secured()) {
        (Some(subject), Some(store)) => Ok((subject, store.clone())),
        _ => Err(Error::new(
            ErrorKind::IllegalState,
            "OpenSearch Security is not enabled: start the node with [plugins.security.disabled: false]",
        )),
    }
}

/// Whether a role of the subject opens the interface to it.
pub fn has_enabled_role(core: &Core, subject: &Subject) -> bool {
    let configured =
        core.state().configured.get("plugins.security.restapi.roles_enabled").map(|setting| setting.list());
    let enabled = |role: &String| match &configured {
        Some(roles) => roles.contains(role),
        None => ROLES_ENABLED.contains(&role.as_str()),
    };
    subject.roles.iter().any(enabled)
}

/// Whether permissions for single parts of the interface count (`plugins.security.restapi.admin.enabled`).
pub fn parts_count(core: &Core) -> bool {
    core.state().configured.text("plugins.security.restapi.admin.enabled") == Some("true")
}

/// Whether the subject may use a part of the interface; the answer if it may not.
pub fn check_access(core: &Core, subject: &Subject, endpoint: &str) -> std::result::Result<(), Reply> {
    // A wildcard among the permissions is not meant: the interface is for those who were given it by name.
    let explicit =
        parts_count(core) && subject.has_cluster_permission(&[&format!("restapi:admin/{endpoint}"), "restapi:admin/*"]);
    if explicit || has_enabled_role(core, subject) {
        return Ok(());
    }
    Err(message(
        403,
        &format!(
            "No permission to access REST API: User {} with Security roles [{}] does not have any role privileged for admin \
             access. No client TLS certificate found in request",
            subject.name,
            subject.roles.join(", ")
        ),
    ))
}
