//! `_cat/tasks`.

use super::super::tasks::listed;
use super::super::{ApiRequest, Method, Reply, Route};
use super::count::clock_text;
use super::table::{Align, Cell, Column, TABLE_PARAMS, column, extra, help, table, wants_help};
use crate::coordinate::Core;
use pith_engine::Result;
use std::rc::Rc;

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/_cat/tasks",
    name: "cat_tasks_action",
    params: &[TABLE_PARAMS, &["nodes", "actions", "detailed", "parent_task_id"]],
    handler: |core, request| Box::pin(tasks(core, request)),
}];

const COLUMNS: &[Column] = &[
    extra("id", "", Align::Left, "id of the task with the node"),
    column("action", "ac", Align::Left, "task action"),
    column("task_id", "ti", Align::Left, "unique task id"),
    column("parent_task_id", "pti", Align::Left, "parent task id"),
    column("type", "ty", Align::Left, "task type"),
    column("start_time", "start", Align::Left, "start time in ms"),
    column("timestamp", "ts,hms,hhmmss", Align::Left, "start time in HH:MM:SS"),
    extra("running_time_ns", "time", Align::Left, "running time ns"),
    column("running_time", "time", Align::Left, "running time"),
    extra("node_id", "ni", Align::Left, "unique node id"),
    column("ip", "i", Align::Left, "ip address"),
    extra("port", "po", Align::Left, "bound transport port"),
    column("node", "n", Align::Left, "node name"),
    extra("version", "v", Align::Left, "es version"),
    extra("x_opaque_id", "x", Align::Left, "X-Opaque-ID header"),
];

const DESCRIPTION: Column = column("description", "desc", Align::Left, "task action");

/// Characters of a node's id that are shown.
const SHORT_ID: usize = 4;

async fn tasks(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let detailed = request.flag("detailed", false)?;
    let mut columns = COLUMNS.to_vec();
    if detailed {
        columns.push(DESCRIPTION);
    }
    if wants_help(&request)? {
        return Ok(help(&columns));
    }
    let state = core.state();
    let id = core.node_id();
    let node = state.nodes.get(&**id);
    let port = node.and_then(|node| node.transport_address.rsplit_once(':')).map(|(_, port)| port.to_owned());
    let mut rows = vec![];
    for task in listed(&core, &request).await? {
        let mut row: Vec<Cell> = vec![
            Cell::Number(task.id),
            task.action.into(),
            task.full_id(id).into(),
            task.parent.map_or("-".into(), |parent| format!("{id}:{parent}").into()),
            task.kind().into(),
            task.start_ms.to_string().into(),
            clock_text(task.start_ms).into(),
            Cell::Number(task.running_ns),
            Cell::Nanos(task.running_ns),
            id.get(..SHORT_ID).unwrap_or(id).into(),
            node.map_or(Cell::Null, |node| node.ip.as_str().into()),
            port.as_deref().map_or(Cell::Null, Cell::from),
            node.map_or(Cell::Null, |node| node.name.as_str().into()),
            super::super::root::REFERENCE_VERSION.into(),
            task.opaque_id.as_deref().unwrap_or("-").into(),
        ];
        if detailed {
            row.push(task.description.into());
        }
        rows.push(row);
    }
    table(&request, &columns, rows)
}
