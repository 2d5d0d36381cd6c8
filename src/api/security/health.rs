//! `health`, `whoami` and the caches: what is there without any user.

use super::super::route::route;
use super::super::{ApiRequest, Reply, Route};
use super::answers::{check_access, message, secured};
use crate::coordinate::Core;
use pith_engine::Result;
use pith_engine::json::Writer;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[
    route!(Get "/_plugins/_security/health" "security_health" &[&["mode"]], health),
    route!(Post "/_plugins/_security/health" "security_health" &[&["mode"]], health),
    route!(Get "/_opendistro/_security/health" "security_health" &[&["mode"]], health),
    route!(Post "/_opendistro/_security/health" "security_health" &[&["mode"]], health),
    route!(Get "/_plugins/_security/whoami" "security_whoami" &[], whoami),
    route!(Post "/_plugins/_security/whoami" "security_whoami" &[], whoami),
    route!(Get "/_opendistro/_security/whoami" "security_whoami" &[], whoami),
    route!(Delete "/_plugins/_security/api/cache" "security_flush_cache" &[], flush),
    route!(Delete "/_opendistro/_security/api/cache" "security_flush_cache" &[], flush),
];

async fn health(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let state = core.state();
    let mode = request.param("mode").unwrap_or("strict");
    let is_up = state.secured().is_some();
    let mut w = Writer::new();
    w.begin_object().key("message");
    match is_up || mode.eq_ignore_ascii_case("lenient") {
        true => w.null(),
        false => w.string("Not initialized"),
    };
    w.key("mode").string(mode).key("status").string(if is_up { "UP" } else { "DOWN" });
    let minutes = state.configured.text("plugins.security.cache.ttl_minutes");
    let minutes = minutes.and_then(|text| text.parse().ok()).unwrap_or(60);
    w.key("settings").begin_object().key("plugins.security.cache.ttl_minutes").u64(minutes).end_object();
    w.end_object();
    Ok(Reply::json(if is_up { 200 } else { 503 }, w.finish()))
}

/// Who somebody is by a certificate. None is looked at beyond the handshake, so nobody is anybody by it.
async fn whoami(_: Rc<Core>, _: ApiRequest) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object().key("dn").null().key("is_admin").bool(false).key("is_node_certificate_request").bool(false);
    w.end_object();
    Ok(Reply::ok(w))
}

/// Has this core verify all passwords anew. The others find that out for themselves: what they remember holds only while the password
/// stays what it is.
async fn flush(core: Rc<Core>, _: ApiRequest) -> Result<Reply> {
    let (subject, _) = secured(&core.state())?;
    if let Err(refused) = check_access(&core, &subject, "cache") {
        return Ok(refused);
    }
    core.logins.forget_all();
    Ok(message(200, "Cache flushed successfully."))
}
