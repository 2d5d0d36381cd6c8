//! `_tasks`: what runs, one task, cancelling; and `_rethrottle` of operations by query.

use super::by_query::requests_per_second;
use super::document::validation_failed;
use super::nodes::info::write_roles;
use super::nodes::is_chosen;
use super::route::route;
use super::targets::manager_timeout_ms;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::by_query::stored::{missing, stored};
use crate::security::Acting;
use crate::settings::glob;
use crate::tasks::{NewTask, TaskAsk, TaskInfo, View, current};
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The interface's documents have them for all tasks, where the reference refuses some.
const PARAMS: &[&str] = &[
    "nodes",
    "actions",
    "detailed",
    "parent_task_id",
    "wait_for_completion",
    "group_by",
    "timeout",
    "cluster_manager_timeout",
    "master_timeout?",
];
const RETHROTTLE_PARAMS: &[&str] = &["requests_per_second", "group_by"];
const TIMEOUT_DEFAULT_MS: i64 = 30_000;
const POLL: Duration = Duration::from_millis(10);

const fn rethrottle_route(path: &'static str, name: &'static str) -> Route {
    let handler: super::Handler = |core, request| Box::pin(rethrottle(core, request));
    Route { method: Method::Post, path, name, params: &[RETHROTTLE_PARAMS], handler }
}

const fn cancel_route(path: &'static str, params: &'static [&'static [&'static str]]) -> Route {
    let handler: super::Handler = |core, request| Box::pin(cancel(core, request));
    Route { method: Method::Post, path, name: "tasks.cancel", params, handler }
}

pub const ROUTES: &[Route] = &[
    route!(Get "/_tasks" "tasks.list" &[PARAMS], list),
    route!(Get "/_tasks/{task_id}" "tasks.get" &[PARAMS], get),
    // Here the task may stand behind the path as well.
    cancel_route("/_tasks/_cancel", &[PARAMS, &["task_id?"]]),
    cancel_route("/_tasks/{task_id}/_cancel", &[PARAMS]),
    rethrottle_route("/_update_by_query/{task_id}/_rethrottle", "update_by_query_rethrottle"),
    rethrottle_route("/_delete_by_query/{task_id}/_rethrottle", "delete_by_query_rethrottle"),
    rethrottle_route("/_reindex/{task_id}/_rethrottle", "reindex_rethrottle"),
];

/// `node:number`. A negative number is that of no task.
fn parse_id(text: &str) -> Result<(&str, u64)> {
    let malformed = || Error::illegal_argument(format!("malformed task id {text}"));
    let (node, number) = text.split_once(':').ok_or_else(malformed)?;
    let no_number = |_| {
        let cause = Error::new(ErrorKind::NumberFormat, format!("For input string: \"{number}\""));
        malformed().caused_by(cause)
    };
    let number: i64 = number.parse().map_err(no_number)?;
    Ok((node, u64::try_from(number).unwrap_or(u64::MAX)))
}

/// Whether it has the form of an id, but names no task.
fn is_none(text: &str) -> bool {
    text.split_once(':').is_some_and(|(_, number)| number == "-1")
}

/// The number of a task, if it is one of this node.
fn own_id(core: &Core, text: &str) -> Result<Option<u64>> {
    let (node, id) = parse_id(text)?;
    Ok((node == &**core.node_id()).then_some(id))
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let text = request.path_param("task_id");
    if is_none(text) {
        validation_failed(&["task id is required".to_owned()])?;
    }
    let id = own_id(&core, text)?;
    let wait = request.flag("wait_for_completion", false)?;
    manager_timeout_ms(&request)?;
    let timeout = Duration::from_millis(request.time_ms("timeout", TIMEOUT_DEFAULT_MS)?.max(0) as u64);
    request.check_known()?;
    let began = Instant::now();
    loop {
        let running = match id {
            Some(id) => core.task(id, TaskAsk::Get(id)).await?,
            None => None,
        };
        let Some(task) = running else { return finished(&core, text, id.is_some()).await };
        if wait && began.elapsed() < timeout {
            rt::sleep(POLL).await;
            continue;
        }
        if wait {
            let reason = format!("Timed out waiting for completion of task [{text}]");
            return Err(Error::new(ErrorKind::Timeout, reason));
        }
        let mut w = Writer::new();
        w.begin_object().key("completed").bool(false).key("task");
        let view = View { detailed: true, running: true, human: request.common.human };
        write_task(&core, &task, view, &[], &mut w);
        w.end_object();
        return Ok(Reply::ok(w));
    }
}

/// What a task has left behind.
async fn finished(core: &Core, text: &str, own: bool) -> Result<Reply> {
    if let Some(result) = Acting::new(None, Box::pin(stored(core, text))).await? {
        return Ok(Reply::json(200, result.to_vec()));
    }
    if own {
        return Err(missing(text, core));
    }
    let node = text.rsplit_once(':').map_or("", |(node, _)| node);
    let reason = format!(
        "task [{text}] belongs to the node [{node}] which isn't part of the cluster and there is no record of the task"
    );
    let cause = missing(text, core);
    let root = cause.cause().unwrap_or(&cause).clone();
    Err(Error::new(ErrorKind::ResourceNotFound, reason).with_root_causes(vec![root]).caused_by(cause))
}

async fn list(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    manager_timeout_ms(&request)?;
    let detailed = request.flag("detailed", false)?;
    let own = current().map(|task| task.id);
    let timeout = Duration::from_millis(request.time_ms("timeout", TIMEOUT_DEFAULT_MS)?.max(0) as u64);
    let mut found = listed(&core, &request).await?;
    if request.flag("wait_for_completion", false)? {
        let began = Instant::now();
        while found.iter().any(|task| Some(task.id) != own && task.parent != own) && began.elapsed() < timeout {
            rt::sleep(POLL).await;
            found = listed(&core, &request).await?;
        }
    }
    write_all(&core, &request, &found, detailed, None)
}

async fn cancel(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut cancelled = vec![];
    let asked = request.param("task_id").filter(|text| !is_none(text));
    let place = asked.map(parse_id).transpose()?;
    if let Some(parent) = request.param("parent_task_id").filter(|parent| !parent.is_empty()) {
        parse_id(parent)?;
    }
    let wait = request.flag("wait_for_completion", false)?;
    let timeout = Duration::from_millis(request.time_ms("timeout", TIMEOUT_DEFAULT_MS)?.max(0) as u64);
    request.check_known()?;
    match asked.zip(place) {
        Some((text, (node, id))) => {
            if !request.list("nodes").is_empty() {
                validation_failed(&["task id cannot be used together with node ids".to_owned()])?;
            }
            if node != &**core.node_id() {
                let cause = Error::new(ErrorKind::NoSuchNode, format!("No such node [{node}]")).with("node_id", node);
                return write_all(&core, &request, &[], true, Some((node, cause)));
            }
            let found = core.task(id, TaskAsk::Get(id)).await?;
            match found {
                Some(task) if task.cancellable => cancelled = core.cancel_task(id).await?,
                found => {
                    let cause = match found {
                        Some(_) => Error::illegal_argument(format!("task [{text}] doesn't support this operation")),
                        None => Error::new(ErrorKind::ResourceNotFound, format!("task [{text}] is not found")),
                    };
                    return write_all(&core, &request, &[], true, Some((node, cause)));
                }
            }
        }
        None => {
            for task in selected(&core, &request).await?.into_iter().filter(|task| task.cancellable) {
                cancelled.extend(core.cancel_task(task.id).await?);
            }
            cancelled.sort_by_key(|task| task.id);
            cancelled.dedup_by_key(|task| task.id);
        }
    }
    // Parts are cancelled with what they work for; only those are told that were asked for.
    let ids: Vec<u64> = cancelled.iter().map(|task| task.id).collect();
    if wait {
        wait_for_end(&core, &ids, timeout).await?;
    }
    cancelled.retain(|task| task.parent.is_none_or(|parent| !ids.contains(&parent)));
    write_all(&core, &request, &cancelled, false, None)
}

/// Waits until none of the tasks runs any more, or the time is over.
async fn wait_for_end(core: &Core, ids: &[u64], timeout: Duration) -> Result<()> {
    let began = Instant::now();
    for id in ids {
        while began.elapsed() < timeout && core.task(*id, TaskAsk::Get(*id)).await?.is_some() {
            rt::sleep(POLL).await;
        }
    }
    Ok(())
}

async fn rethrottle(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let text = request.path_param("task_id");
    // What names none, as `x:-1` does, would mean all of them to the reference.
    let (node, id) = parse_id(text)?;
    let Some(speed) = requests_per_second(&request)? else {
        return Err(Error::illegal_argument("requests_per_second is a required parameter"));
    };
    request.check_known()?;
    if node != &**core.node_id() {
        let cause = Error::new(ErrorKind::NoSuchNode, format!("No such node [{node}]")).with("node_id", node);
        return write_all(&core, &request, &[], true, Some((node, cause)));
    }
    match core.task(id, TaskAsk::Rethrottle(id, speed)).await? {
        Some(task) if task.status.is_some() => write_all(&core, &request, &[task], true, None),
        Some(_) => {
            let cause = Error::illegal_argument(format!("task [{text}] does nothing by query, and has no speed"));
            write_all(&core, &request, &[], true, Some((node, cause)))
        }
        None => {
            let cause = Error::new(ErrorKind::ResourceNotFound, format!("task [{text}] is missing"));
            write_all(&core, &request, &[], true, Some((node, cause)))
        }
    }
}

/// The tasks that the parameters name, for a list: what looks for them on this node is one of them.
pub async fn listed(core: &Core, request: &ApiRequest) -> Result<Vec<TaskInfo>> {
    let parent = current().map(|task| task.as_parent());
    let _looking = core.tasks.begin(NewTask::child("cluster:monitor/tasks/lists[n]", parent));
    selected(core, request).await
}

/// The tasks that the parameters name.
pub async fn selected(core: &Core, request: &ApiRequest) -> Result<Vec<TaskInfo>> {
    let actions = request.list("actions");
    let nodes = request.param("nodes").filter(|nodes| !nodes.is_empty());
    let parent = match request.param("parent_task_id") {
        None | Some("" | "-1") => None,
        Some(text) if is_none(text) => None,
        Some(text) => Some(parse_id(text)?),
    };
    if nodes.is_some_and(|nodes| !is_chosen(&core.state(), core.node_id(), nodes)) {
        return Ok(vec![]);
    }
    let mut found = core.all_tasks().await?;
    found.retain(|task| actions.is_empty() || actions.iter().any(|pattern| glob(pattern, task.action)));
    if let Some((node, id)) = parent {
        found.retain(|task| node == &**core.node_id() && task.parent == Some(id));
    }
    Ok(found)
}

/// Writes tasks; `failed` is a node that could not do what it was asked for, and why.
fn write_all(
    core: &Core,
    request: &ApiRequest,
    tasks: &[TaskInfo],
    detailed: bool,
    failed: Option<(&str, Error)>,
) -> Result<Reply> {
    let view = View { detailed, running: true, human: request.common.human };
    let mut w = Writer::new();
    w.begin_object();
    if let Some((node, cause)) = failed {
        let reason = format!("Failed node [{node}]");
        let error = Error::new(ErrorKind::FailedNode, reason).with("node_id", node).caused_by(cause);
        w.key("node_failures").begin_array();
        error.write(&mut w);
        w.end_array();
    }
    match request.param("group_by").unwrap_or("nodes") {
        "nodes" => {
            w.key("nodes").begin_object();
            if !tasks.is_empty() {
                write_node(core, tasks, view, &mut w);
            }
            w.end_object();
        }
        "parents" => {
            w.key("tasks").begin_object();
            let is_part = |task: &&TaskInfo| task.parent.is_some_and(|id| tasks.iter().any(|other| other.id == id));
            for task in tasks.iter().filter(|task| !is_part(task)) {
                w.key(&task.full_id(core.node_id()));
                write_task(core, task, view, tasks, &mut w);
            }
            w.end_object();
        }
        "none" => {
            w.key("tasks").begin_array();
            tasks.iter().for_each(|task| write_task(core, task, view, &[], &mut w));
            w.end_array();
        }
        other => {
            let reason = format!("[group_by] must be one of [nodes], [parents] or [none] but was [{other}]");
            return Err(Error::illegal_argument(reason));
        }
    }
    w.end_object();
    Ok(Reply::ok(w))
}

fn write_node(core: &Core, tasks: &[TaskInfo], view: View, w: &mut Writer) {
    let state = core.state();
    let id = core.node_id();
    w.key(id).begin_object();
    if let Some(node) = state.nodes.get(&**id) {
        w.key("name").string(&node.name).key("transport_address").string(&node.transport_address);
        w.key("host").string(&node.host).key("ip").string(&node.transport_address);
        write_roles(node, w);
    }
    w.key("tasks").begin_object();
    for task in tasks {
        w.key(&task.full_id(id));
        write_task(core, task, view, &[], w);
    }
    w.end_object().end_object();
}

/// Writes a task, and those of `all` that work for it.
fn write_task(core: &Core, task: &TaskInfo, view: View, all: &[TaskInfo], w: &mut Writer) {
    w.begin_object();
    task.write_fields(core.node_id(), view, w);
    let mut children = all.iter().filter(|child| child.parent == Some(task.id)).peekable();
    if children.peek().is_some() {
        w.key("children").begin_array();
        children.for_each(|child| write_task(core, child, view, all, w));
        w.end_array();
    }
    w.end_object();
}
