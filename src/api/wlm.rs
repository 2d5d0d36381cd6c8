//! `_wlm/stats` and `_list/wlm_stats`: what groups of work take. There is the one group that everything belongs to that nobody has
//! put into another: all searches.

use super::cat::list::TAINTED_TOKEN;
use super::cat::table::{Align, Cell, Column, column, table};
use super::nodes::is_chosen;
use super::{ApiRequest, Method, Reply, Route};
use crate::cluster::breaker_bytes;
use crate::coordinate::Core;
use crate::observe::system;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pith_engine::json::Writer;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt;
use std::rc::Rc;

const fn route(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "wlm_stats_action",
        params: &[],
        handler: |core, request| Box::pin(stats(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    route("/_wlm/stats"),
    route("/_wlm/stats/{workloadGroupId}"),
    route("/_wlm/{nodeId}/stats"),
    route("/_wlm/{nodeId}/stats/{workloadGroupId}"),
    Route {
        method: Method::Get,
        path: "/_list/wlm_stats",
        name: "wlm_stats_list",
        params: &[&["v", "format", "size", "sort", "order", "next_token"]],
        handler: |core, request| Box::pin(list(core, request)),
    },
];

/// The group of all that belongs to no other.
const DEFAULT_GROUP: &str = "DEFAULT_WORKLOAD_GROUP";

/// What a group has taken.
struct Taken {
    completions: u64,
    rejections: u64,
    /// Parts of all processor time and of all memory that requests may take, for what runs now.
    cpu: f64,
    memory: f64,
}

async fn taken(core: &Core) -> Result<Taken> {
    let figures = core.figures().await?;
    let running = core.all_tasks().await?;
    let cores = figures.len().max(1) as f64;
    let cpu = running
        .iter()
        .filter(|task| task.action.starts_with("indices:data/read/search"))
        .map(|task| task.usage.total.cpu_ns as f64 / task.running_ns.max(1) as f64 / cores)
        .sum();
    let held: u64 = figures.iter().map(|of| of.request_bytes).sum();
    let machine = rt::offload(system::machine).await;
    let limit = breaker_bytes(&core.state(), "indices.breaker.request", machine.memory_bytes).max(1);
    Ok(Taken {
        completions: figures.iter().map(|of| of.searches.completed).sum(),
        rejections: figures.iter().map(|of| of.searches.rejected).sum(),
        cpu,
        memory: held as f64 / limit as f64,
    })
}

async fn stats(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let chosen = is_chosen(&core.state(), core.node_id(), request.param("nodeId").unwrap_or("_all"));
    let unknown = request.list("workloadGroupId").into_iter().find(|id| !matches!(*id, DEFAULT_GROUP | "_all"));
    let mut w = Writer::new();
    w.begin_object().key("_nodes").begin_object();
    w.key("total").u64(chosen.into()).key("successful").u64((chosen && unknown.is_none()).into());
    let failure = unknown.filter(|_| chosen).map(|id| {
        let cause = Error::new(ErrorKind::ResourceNotFound, format!("WorkloadGroup with id {id} does not exist"));
        let reason = format!("Failed node [{}]", core.node_id());
        Error::new(ErrorKind::FailedNode, reason).with("node_id", &**core.node_id()).caused_by(cause)
    });
    w.key("failed").u64(failure.is_some().into());
    if let Some(error) = &failure {
        w.key("failures").begin_array();
        error.write(&mut w);
        w.end_array();
    }
    w.end_object().key("cluster_name").string(&core.state().cluster_name);
    if chosen && failure.is_none() {
        let taken = taken(&core).await?;
        w.key(core.node_id()).begin_object().key("workload_groups").begin_object();
        w.key(DEFAULT_GROUP).begin_object();
        w.key("total_completions").u64(taken.completions).key("total_rejections").u64(taken.rejections);
        w.key("total_cancellations").u64(0);
        for (name, usage) in [("cpu", taken.cpu), ("memory", taken.memory)] {
            w.key(name).begin_object().key("current_usage").f64(usage + 0.0);
            w.key("cancellations").u64(0).key("rejections").u64(0).end_object();
        }
        w.end_object().end_object().end_object();
    }
    w.end_object();
    Ok(Reply::ok(w))
}

const PAGE_DEFAULT: i32 = 10;
const PAGE_MAX: i32 = 100;

async fn list(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    let size = request.int("size", PAGE_DEFAULT)?;
    if !(1..=PAGE_MAX).contains(&size) {
        return Err(Error::new(ErrorKind::Parse, "Invalid value for 'size'. Allowed range: 1 to 100"));
    }
    one_of(&request, "sort", "sort field", &["node_id", "workload_group"], &["workload_group", "node_id"])?;
    one_of(&request, "order", "sort order", &["asc", "desc"], &["asc", "desc"])?;
    if let Some(token) = request.param("next_token").filter(|token| !token.is_empty()) {
        // There is one group on one node: no page has another one after it.
        let details = match STANDARD.decode(token) {
            Ok(_) => "Invalid pagination token format",
            Err(_) => TAINTED_TOKEN,
        };
        let mut w = Writer::new();
        w.begin_object().key("error").string(CHANGED).key("details").string(details);
        w.end_object();
        return Ok(Reply::json(400, w.finish()));
    }
    let taken = taken(&core).await?;
    let cells = [
        core.node_id().to_string(),
        DEFAULT_GROUP.to_owned(),
        taken.completions.to_string(),
        taken.rejections.to_string(),
        "0".to_owned(),
        format!("{:?}", taken.cpu),
        format!("{:?}", taken.memory),
    ];
    let mut last: [String; COLUMNS.len()] = std::array::from_fn(|_| "-".to_owned());
    last[0] = "No more pages available".to_owned();
    let lined = |cells: [String; COLUMNS.len()]| {
        let mut row = vec![];
        for cell in cells {
            if !row.is_empty() {
                row.push(Cell::from(SEPARATOR));
            }
            row.push(Cell::from(cell));
        }
        row
    };
    table(&request, &columns(), vec![lined(cells), lined(last)])
}

const CHANGED: &str = "Pagination state has changed (e.g., new workload groups added or removed). Please restart pagination from the beginning by omitting the 'next_token' parameter.";

fn one_of(request: &ApiRequest, name: &str, what: &str, allowed: &[&str], listed: &[&str]) -> Result<()> {
    let Some(given) = request.param(name).filter(|given| !allowed.contains(given)) else { return Ok(()) };
    let quoted: Vec<String> = allowed.iter().map(|value| format!("'{value}'")).collect();
    let reason = format!("Invalid value for '{name}'. Allowed: {}", quoted.join(", "));
    let cause = format!("Invalid {what}: {given}. Allowed values: {}", listed.join(", "));
    Err(Error::new(ErrorKind::Parse, reason).caused_by(Error::illegal_argument(cause)))
}

const SEPARATOR: &str = "|";

const COLUMNS: [&str; 7] = [
    "NODE_ID",
    "WORKLOAD_GROUP_ID",
    "TOTAL_COMPLETIONS",
    "TOTAL_REJECTIONS",
    "TOTAL_CANCELLATIONS",
    "CPU_USAGE",
    "MEMORY_USAGE",
];

/// Separators are columns of their own, in every form of the table.
fn columns() -> Vec<Column> {
    let mut columns = vec![];
    for name in COLUMNS {
        if !columns.is_empty() {
            columns.push(column(SEPARATOR, "", Align::Left, ""));
        }
        columns.push(column(name, "", Align::Left, ""));
    }
    columns
}
