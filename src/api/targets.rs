//! What many families read from a request alike: which indexes it means, how long it waits, what it waits for.

use super::ApiRequest;
use super::background::{TASK_TIMEOUT, waits};
use super::index_options::index_options;
use super::unknown::in_route;
use super::values;
use crate::cluster::{
    self, ActiveShards, BlockLevel, Change, IndexId, IndexMeta, IndicesOptions, Outcome, State, blocks,
};
use crate::coordinate::{Core, clock};
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The parameters that [`submit`] reads.
pub const TIMEOUTS: &[&str] = &["timeout", "cluster_manager_timeout", "master_timeout?"];
/// For those whose own time is not to be said.
pub const MANAGER_ALONE: &[&str] = &["cluster_manager_timeout", "master_timeout?"];
/// For requests that only read.
pub const MANAGER_TIMEOUT: &[&str] = &["cluster_manager_timeout", "master_timeout?", "local"];

const MANAGER_TIMEOUT_MS: i64 = 30_000;
const TASK_TIMEOUT_MS: i64 = 3_600_000;

/// The indexes that the `index` of the request means.
pub fn resolve(request: &ApiRequest, state: &State, default: IndicesOptions) -> Result<Vec<Arc<IndexMeta>>> {
    let options = index_options(request, default)?;
    cluster::resolve(state, &request.list("index"), &options, clock::now_ms())
}

/// The same, for a request that shows their metadata, which a block may forbid.
pub fn resolve_shown(request: &ApiRequest, state: &State, default: IndicesOptions) -> Result<Vec<Arc<IndexMeta>>> {
    let indexes = resolve(request, state, default)?;
    blocks::check(state, BlockLevel::MetadataRead, indexes.iter().map(|index| &**index))?;
    Ok(indexes)
}

pub fn ids(indexes: &[Arc<IndexMeta>]) -> Vec<IndexId> {
    indexes.iter().map(|index| index.id()).collect()
}

/// How long a request waits for the cluster's manager, in milliseconds.
pub fn manager_timeout_ms(request: &ApiRequest) -> Result<i64> {
    let new = request.time_ms("cluster_manager_timeout", MANAGER_TIMEOUT_MS)?;
    if !request.has("master_timeout") {
        return Ok(new);
    }
    if request.has("cluster_manager_timeout") {
        return Err(Error::new(
            ErrorKind::Parse,
            "Please only use one of the request parameters [master_timeout, cluster_manager_timeout].",
        ));
    }
    request.time_ms("master_timeout", MANAGER_TIMEOUT_MS)
}

/// Routes whose handlers look at something else before they read how long to wait.
const READ_LATER: &[&str] = &["clone_snapshot_action", "tasks.get"];

/// Checks what a request says of waiting, so that nothing is begun for one that says it wrongly.
pub fn check_timeouts(request: &ApiRequest) -> Result<()> {
    // Most say nothing of it, and looking the route up costs more.
    let says = ["master_timeout", "cluster_manager_timeout", "timeout", "wait_for_active_shards"];
    let route = request.route;
    if says.iter().any(|name| request.has(name))
        && in_route(route, "master_timeout")
        && !READ_LATER.contains(&route.name)
    {
        values::check_before_timeouts(request)?;
        // Tables let one be given, and never look at it.
        if !["/_cat", "/_list"].iter().any(|tables| route.path.starts_with(tables)) {
            request.time_ms_opt("timeout")?;
        }
        manager_timeout_ms(request)?;
        active_shards(request)?;
    }
    Ok(())
}

/// What has become of a change that was asked for.
#[derive(Debug)]
pub enum Submitted {
    /// It holds on every core.
    Done(Outcome),
    /// It holds, but the request's time was over before anybody could say so.
    Unacknowledged(Outcome),
    /// It will happen, but not within the request's time.
    NotYet,
}

impl Submitted {
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Whether it holds, whoever has said so.
    pub fn holds(&self) -> bool {
        !matches!(self, Self::NotYet)
    }
}

/// How long a request waits for its change; one in the background has its own time.
fn change_timeout_ms(request: &ApiRequest) -> Result<i64> {
    let in_background = in_route(request.route, TASK_TIMEOUT) && !waits(request)?;
    match in_background {
        true => request.time_ms(TASK_TIMEOUT, TASK_TIMEOUT_MS),
        false => request.time_ms("timeout", MANAGER_TIMEOUT_MS),
    }
}

/// Asks for a change, and waits for it as long as `timeout` says.
pub async fn submit(core: &Rc<Core>, request: &ApiRequest, change: Change) -> Result<Submitted> {
    let manager_ms = manager_timeout_ms(request)?;
    let timeout_ms = change_timeout_ms(request)?;
    let before = core.state().version;
    let submitting = core.clone();
    // The change goes on when nobody waits for it any more.
    let mut running = rt::spawn(async move { submitting.submit_elsewhere(change).await });
    if timeout_ms <= 0 || manager_ms < 0 {
        let outcome = running.await.told()?;
        // Where nothing had to change, there is nobody to hear from.
        let late = timeout_ms <= 0 && core.state().version != before;
        return Ok(if late { Submitted::Unacknowledged(outcome) } else { Submitted::Done(outcome) });
    }
    let wait = Duration::from_millis(manager_ms.saturating_add(timeout_ms) as u64);
    match rt::timeout(wait, &mut running).await {
        Some(changed) => changed.told().map(Submitted::Done),
        None => {
            running.detach();
            Ok(Submitted::NotYet)
        }
    }
}

/// `wait_for_active_shards`, if the request has it.
pub fn active_shards(request: &ApiRequest) -> Result<Option<ActiveShards>> {
    request.param("wait_for_active_shards").map(ActiveShards::parse).transpose()
}

/// Waits until every shard of the indexes has as many active copies as asked for; false if `timeout` goes by first.
/// Without a wish of the request, the setting of each index counts.
pub async fn wait_for_copies(core: &Rc<Core>, request: &ApiRequest, names: &[Arc<str>]) -> Result<bool> {
    let wish = active_shards(request)?;
    let timeout_ms = change_timeout_ms(request)?;
    let enough = |state: &State| {
        names.iter().filter_map(|name| state.index(name)).all(|index| {
            let setting = index.settings.text("index.write.wait_for_active_shards");
            let wanted = wish.or_else(|| setting.and_then(|text| ActiveShards::parse(text).ok()));
            cluster::has_active(state, index, wanted.unwrap_or(ActiveShards::Count(1)))
        })
    };
    Ok(wait_for(core, timeout_ms, enough).await)
}

/// Waits until the state is as wanted; false if the time goes by first, or the node stops. A negative time is none at all.
pub async fn wait_for(core: &Rc<Core>, timeout_ms: i64, wanted: impl Fn(&State) -> bool) -> bool {
    if wanted(&core.state()) {
        return true;
    }
    let wait = Duration::from_millis(timeout_ms.max(0) as u64);
    let Ok(facts) = core.facts() else { return false };
    let comes_true = async {
        core.wait_for(wanted).await;
        true
    };
    let stops = async {
        facts.stop.wait().await;
        false
    };
    rt::timeout(wait, futures_lite::future::or(comes_true, stops)).await.unwrap_or(false)
}
