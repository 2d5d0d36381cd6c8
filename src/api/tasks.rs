//! `_tasks`: what runs, one task, cancelling; and `_rethrottle` of operations by query.

use super::by_query::requests_per_second;
use super::{ApiRequest, Method, Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::tasks::{TaskAsk, TaskInfo, missing};
use crate::settings::glob;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;
use std::time::{Duration, Instant};

const LIST_PARAMS: &[&str] =
    &["nodes", "actions", "detailed", "parent_task_id", "wait_for_completion", "group_by", "timeout", "task_id?"];
const TIMEOUT_DEFAULT_MS: i64 = 30_000;
const POLL: Duration = Duration::from_millis(10);

const fn route(method: Method, path: &'static str, name: &'static str, handler: super::Handler) -> Route {
    Route { method, path, name, params: &[LIST_PARAMS, &["requests_per_second"]], handler }
}

pub const ROUTES: &[Route] = &[
    route(Method::Get, "/_tasks", "tasks.list", |core, request| Box::pin(list(core, request))),
    route(Method::Get, "/_tasks/{task_id}", "tasks.get", |core, request| Box::pin(get(core, request))),
    route(Method::Post, "/_tasks/_cancel", "tasks.cancel", |core, request| Box::pin(cancel(core, request))),
    route(Method::Post, "/_tasks/{task_id}/_cancel", "tasks.cancel", |core, request| Box::pin(cancel(core, request))),
    route(Method::Post, "/_update_by_query/{task_id}/_rethrottle", "update_by_query_rethrottle", |core, request| {
        Box::pin(rethrottle(core, request))
    }),
    route(Method::Post, "/_delete_by_query/{task_id}/_rethrottle", "delete_by_query_rethrottle", |core, request| {
        Box::pin(rethrottle(core, request))
    }),
    route(Method::Post, "/_reindex/{task_id}/_rethrottle", "reindex_rethrottle", |core, request| {
        Box::pin(rethrottle(core, request))
    }),
];

/// `node:number`.
fn parse_id(text: &str) -> Result<(&str, u64)> {
    let malformed = || Error::illegal_argument(format!("malformed task id {text}"));
    let (node, number) = text.rsplit_once(':').ok_or_else(malformed)?;
    Ok((node, number.parse().map_err(|_| malformed())?))
}

/// The number of a task of this node.
fn own_id(core: &Core, text: &str) -> Result<u64> {
    let (node, id) = parse_id(text)?;
    if node == &**core.node_id() {
        return Ok(id);
    }
    let cause = missing(text);
    Err(Error::new(
        ErrorKind::ResourceNotFound,
        format!(
            "task [{text}] belongs to the node [{node}] which isn't part of the cluster and there is no record of the task"
        ),
    )
    .with_root_causes(vec![cause.clone()])
    .caused_by(cause))
}

async fn get(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let text = request.path_param("task_id");
    let id = own_id(&core, text)?;
    let timeout = Duration::from_millis(request.time_ms("timeout", TIMEOUT_DEFAULT_MS)?.max(0) as u64);
    let wait = request.flag("wait_for_completion", false)?;
    let began = Instant::now();
    loop {
        let task = core.task(id, TaskAsk::Get(id)).await?.ok_or_else(|| missing(text))?;
        if wait && task.result.is_none() {
            if began.elapsed() >= timeout {
                return Err(Error::new(
                    ErrorKind::Timeout,
                    format!("Timed out waiting for completion of task [{text}]"),
                ));
            }
            rt::sleep(POLL).await;
            continue;
        }
        let mut w = Writer::new();
        w.begin_object().key("completed").bool(task.result.is_some()).key("task");
        write_task(&core, &task, true, &mut w);
        match &task.result {
            Some(Ok(body)) => _ = w.key("response").raw(body),
            Some(Err(error)) => {
                w.key("error");
                error.write(&mut w);
            }
            None => {}
        }
        w.end_object();
        return Ok(Reply::ok(w));
    }
}

async fn list(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let detailed = request.flag("detailed", false)?;
    let this = core.tasks.begin("cluster:monitor/tasks/lists", String::new(), request.opaque_id.clone());
    let found = selected(&core, &request).await;
    core.tasks.end(&this, None);
    let mut found = found?;
    if request.flag("wait_for_completion", false)? {
        let timeout = Duration::from_millis(request.time_ms("timeout", TIMEOUT_DEFAULT_MS)?.max(0) as u64);
        let began = Instant::now();
        while found.iter().any(|task| task.id != this.id) && began.elapsed() < timeout {
            rt::sleep(POLL).await;
            found = selected(&core, &request).await?;
        }
    }
    write_all(&core, &request, &found, detailed)
}

async fn cancel(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let mut cancelled = vec![];
    if let Some(text) = request.param("task_id") {
        let id = own_id(&core, text)?;
        match core.task(id, TaskAsk::Cancel(id)).await? {
            Some(task) => cancelled.push(task),
            None => {
                let reason = format!("task [{text}] is not found");
                return Err(Error::new(ErrorKind::ResourceNotFound, reason));
            }
        }
    } else {
        for task in selected(&core, &request).await?.into_iter().filter(is_cancellable) {
            cancelled.extend(core.task(task.id, TaskAsk::Cancel(task.id)).await?);
        }
    }
    write_all(&core, &request, &cancelled, true)
}

async fn rethrottle(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let Some(speed) = requests_per_second(&request)? else {
        return Err(Error::illegal_argument("requests_per_second is a required parameter"));
    };
    let text = request.path_param("task_id");
    let id = own_id(&core, text)?;
    let found = core
        .task(id, TaskAsk::Rethrottle(id, speed))
        .await?
        .ok_or_else(|| Error::new(ErrorKind::ResourceNotFound, format!("task [{text}] is missing")))?;
    write_all(&core, &request, &[found], true)
}

/// The tasks that the parameters name.
async fn selected(core: &Core, request: &ApiRequest) -> Result<Vec<TaskInfo>> {
    let (actions, nodes) = (request.list("actions"), request.list("nodes"));
    let node = core.node_id();
    if !nodes.is_empty() && !nodes.iter().any(|name| *name == &**node || matches!(*name, "_local" | "_all" | "*")) {
        return Ok(vec![]);
    }
    let mut found = core.all_tasks().await?;
    found.retain(|task| actions.is_empty() || actions.iter().any(|pattern| glob(pattern, task.action)));
    // Nothing here has a parent.
    if let Some(parent) = request.param("parent_task_id") {
        parse_id(parent)?;
        found.clear();
    }
    Ok(found)
}

fn is_cancellable(task: &TaskInfo) -> bool {
    task.action.starts_with("indices:data/write/")
}

fn write_all(core: &Core, request: &ApiRequest, tasks: &[TaskInfo], detailed: bool) -> Result<Reply> {
    let mut w = Writer::new();
    w.begin_object();
    match request.param("group_by").unwrap_or("nodes") {
        "nodes" => {
            w.key("nodes").begin_object();
            if !tasks.is_empty() {
                write_node(core, tasks, detailed, &mut w);
            }
            w.end_object();
        }
        "parents" => {
            w.key("tasks").begin_object();
            for task in tasks {
                w.key(&full_id(core, task));
                write_task(core, task, detailed, &mut w);
            }
            w.end_object();
        }
        "none" => {
            w.key("tasks").begin_array();
            tasks.iter().for_each(|task| write_task(core, task, detailed, &mut w));
            w.end_array();
        }
        other => return Err(Error::illegal_argument(format!("invalid group_by [{other}]"))),
    }
    w.end_object();
    Ok(Reply::ok(w))
}

fn write_node(core: &Core, tasks: &[TaskInfo], detailed: bool, w: &mut Writer) {
    let state = core.state();
    let id = core.node_id();
    w.key(id).begin_object();
    if let Some(node) = state.nodes.get(&**id) {
        w.key("name").string(&node.name).key("transport_address").string(&node.transport_address);
        w.key("host").string(&node.host).key("ip").string(&node.transport_address);
        w.key("roles").begin_array();
        node.roles.iter().for_each(|role| _ = w.string(role));
        w.end_array();
    }
    w.key("tasks").begin_object();
    for task in tasks {
        w.key(&full_id(core, task));
        write_task(core, task, detailed, w);
    }
    w.end_object().end_object();
}

fn full_id(core: &Core, task: &TaskInfo) -> String {
    format!("{}:{}", core.node_id(), task.id)
}

fn write_task(core: &Core, task: &TaskInfo, detailed: bool, w: &mut Writer) {
    w.begin_object().key("node").string(core.node_id()).key("id").u64(task.id);
    w.key("type").string("transport").key("action").string(task.action);
    if !task.status.is_empty() {
        w.key("status").raw(&task.status);
    }
    if detailed {
        w.key("description").string(&task.description);
    }
    w.key("start_time_in_millis").i64(task.start_ms).key("running_time_in_nanos").u64(task.running_ns);
    let cancellable = is_cancellable(task);
    w.key("cancellable").bool(cancellable);
    w.key("cancelled").bool(task.cancelled);
    w.key("headers").begin_object();
    if let Some(id) = &task.opaque_id {
        w.key("X-Opaque-Id").string(id);
    }
    w.end_object().end_object();
}
