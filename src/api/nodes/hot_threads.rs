//! `_nodes/hot_threads`: what the threads of a node are busy with, as text. Looked at twice, some time apart; beside each core
//! stand the tasks that kept it for too long lately.

use super::is_chosen;
use crate::api::{ApiRequest, Method, Reply, Route};
use crate::cluster::Node;
use crate::coordinate::{Core, clock};
use crate::observe::threads::{self, Thread};
use crate::settings::units::moment;
use pith_engine::deprecated::note;
use pith_engine::{Error, Result};
use pith_net::rt::{self, Stall};
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;
use std::time::{Duration, Instant};

const PARAMS: &[&str] = &["threads", "ignore_idle_threads", "type?", "interval", "snapshots", "timeout"];

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "nodes_hot_threads_action",
        params: &[PARAMS],
        handler: |core, request| Box::pin(hot_threads(core, request)),
    }
}

/// The first two are the names that the reference means; it still answers to the others.
pub const ROUTES: &[Route] = &[
    row("/_nodes/hot_threads"),
    row("/_nodes/{nodeId}/hot_threads"),
    row("/_nodes/hotthreads"),
    row("/_nodes/{nodeId}/hotthreads"),
    row("/_cluster/nodes/hot_threads"),
    row("/_cluster/nodes/{nodeId}/hot_threads"),
    row("/_cluster/nodes/hotthreads"),
    row("/_cluster/nodes/{nodeId}/hotthreads"),
];

/// Longest time between the two looks.
const INTERVAL_MS_MAX: i64 = 30_000;

/// What the threads are judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Cpu,
    Wait,
    Block,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "cpu" => Self::Cpu,
            "wait" => Self::Wait,
            "block" => Self::Block,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wait => "wait",
            Self::Block => "block",
        }
    }

    const fn time_ns(self, thread: &Thread) -> u64 {
        match self {
            Self::Cpu => thread.cpu_ns,
            Self::Wait => thread.wait_ns,
            Self::Block => thread.block_ns,
        }
    }
}

async fn hot_threads(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    note_old_name(request.route.path);
    let most = usize::try_from(request.int("threads", 3)?).unwrap_or(0);
    let ignore_idle = request.flag("ignore_idle_threads", true)?;
    let interval_ms = request.time_ms("interval", 500)?;
    request.int("snapshots", 10)?;
    request.time_ms_of("NodesHotThreadsRequest", "timeout")?;
    if interval_ms > INTERVAL_MS_MAX {
        let reason = format!("[interval] must not be longer than [{}]", clock::time_text(INTERVAL_MS_MAX));
        return Err(Error::illegal_argument(reason));
    }
    let Some(kind) = Kind::parse(request.param("type").unwrap_or("cpu")) else {
        // No node can look at its threads in a way that it does not know.
        return Ok(Reply::text(200, ""));
    };
    let state = core.state();
    let chosen = is_chosen(&state, core.node_id(), request.param("nodeId").unwrap_or("_all"));
    let mut text = String::new();
    if let Some(node) = state.nodes.get(core.node_id()).filter(|_| chosen) {
        let interval = Duration::from_millis(interval_ms.max(0).unsigned_abs());
        let started = Instant::now();
        let before = rt::offload(threads::threads).await;
        rt::sleep(interval).await;
        let after = rt::offload(threads::threads).await;
        let busy = busiest(kind, before, after);
        let busy: Vec<_> = busy.into_iter().filter(|(ns, _)| *ns > 0 || !ignore_idle).take(most).collect();
        write_head(node, &mut text);
        let interval_text = if interval_ms == 0 { "0s".to_owned() } else { clock::time_text(interval_ms) };
        let now = moment(u64::try_from(clock::now_ms()).unwrap_or(0));
        let _ = writeln!(
            text,
            "   Hot threads at {now}, interval={interval_text}, busiestThreads={most}, ignoreIdleThreads={ignore_idle}:",
        );
        write_threads(kind, &busy, started.elapsed(), &rt::recent_stalls(), &mut text);
    }
    Ok(Reply::text(200, text))
}

/// The name that the reference means; of the others a warning tells, whatever comes of the request.
fn note_old_name(path: &'static str) {
    let meant = ["/_nodes/hot_threads", "/_nodes/{nodeId}/hot_threads"];
    if !meant.contains(&path) {
        let instead = meant[usize::from(path.contains("{nodeId}"))];
        note(format!("[{path}] is a deprecated endpoint. Please use [{instead}] instead."));
    }
}

fn write_head(node: &Node, text: &mut String) {
    let _ = writeln!(text, "::: {}", node.summary());
}

/// The threads by the time that went by between two looks, the busiest first.
fn busiest(kind: Kind, before: Vec<Thread>, after: Vec<Thread>) -> Vec<(u64, Thread)> {
    let before: HashMap<u64, u64> = before.iter().map(|thread| (thread.id, kind.time_ns(thread))).collect();
    let spent = |thread: Thread| {
        let ns = kind.time_ns(&thread).saturating_sub(before.get(&thread.id).copied().unwrap_or(0));
        (ns, thread)
    };
    let mut spent: Vec<(u64, Thread)> = after.into_iter().map(spent).collect();
    spent.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.id.cmp(&other.id)));
    spent
}

fn write_threads(kind: Kind, busy: &[(u64, Thread)], elapsed: Duration, stalls: &[Stall], text: &mut String) {
    for (ns, thread) in busy {
        let percent = *ns as f64 * 100.0 / (elapsed.as_nanos().max(1) as f64);
        let (spent, whole) = (*ns as f64 / 1e6, elapsed.as_millis());
        let _ = writeln!(text, "   ");
        let _ = writeln!(
            text,
            "   {percent:4.1}% ({spent:.1}ms out of {whole}ms) {} usage by thread '{}'",
            kind.name(),
            thread.name
        );
        let own = stalls.iter().rev().filter(|stall| thread.name.ends_with(&format!("-{}", stall.core)));
        for stall in own {
            let (kept, ago) = (stall.kept.as_millis(), stall.at.elapsed().as_secs());
            let _ = writeln!(text, "     kept for {kept}ms by one task {ago}s ago");
            let _ = writeln!(text, "       {}", stall.task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(id: u64, name: &str, cpu_ns: u64) -> Thread {
        Thread { id, name: name.to_owned(), cpu_ns, ..Thread::default() }
    }

    #[test]
    fn the_busiest_come_first_with_what_kept_them() {
        let before = vec![thread(1, "core-0", 0), thread(2, "core-1", 1_000_000)];
        let after = vec![thread(1, "core-0", 5_000_000), thread(2, "core-1", 51_000_000), thread(3, "new", 0)];
        let busy = busiest(Kind::Cpu, before, after);
        assert_eq!(
            busy.iter().map(|(ns, thread)| (*ns, thread.id)).collect::<Vec<_>>(),
            [(50_000_000, 2), (5_000_000, 1), (0, 3)]
        );
        let stall = Stall { core: 1, task: "merge", at: Instant::now(), kept: Duration::from_millis(7) };
        let mut text = String::new();
        write_threads(Kind::Cpu, &busy[..1], Duration::from_millis(500), &[stall], &mut text);
        let expected = "   \n   10.0% (50.0ms out of 500ms) cpu usage by thread 'core-1'\n     kept for 7ms by one task 0s \
                        ago\n       merge\n";
        assert_eq!(text, expected);
    }
}
