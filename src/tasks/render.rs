//! A task as JSON.

use super::registry::TaskInfo;
use super::usage::Cost;
use crate::settings::units::{duration_text, moment};
use pith_engine::json::Writer;
use std::time::Duration;

/// How much of a task is shown.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// What it is for, and how far.
    pub detailed: bool,
    /// What it has taken up to now.
    pub running: bool,
    /// Whether times stand there for people too.
    pub human: bool,
}

impl TaskInfo {
    /// `node:number`.
    pub fn full_id(&self, node_id: &str) -> String {
        format!("{node_id}:{}", self.id)
    }

    /// How it came about: what a node sends to itself, a part of an action (`…[n]`), comes `direct`.
    pub fn kind(&self) -> &'static str {
        if self.parent.is_some() && self.action.ends_with(']') { "direct" } else { "transport" }
    }

    /// Writes the fields of an object.
    pub fn write_fields(&self, node_id: &str, view: View, w: &mut Writer) {
        let View { detailed, running, human } = view;
        w.key("node").string(node_id).key("id").u64(self.id);
        w.key("type").string(self.kind());
        w.key("action").string(self.action);
        if detailed {
            if let Some(status) = &self.status {
                w.key("status").raw(if human { &status.for_people } else { &status.plain });
            }
            w.key("description").string(&self.description);
        }
        if human {
            w.key("start_time").string(&moment(self.start_ms.max(0) as u64));
        }
        w.key("start_time_in_millis").i64(self.start_ms);
        if human {
            w.key("running_time").string(&duration_text(Duration::from_nanos(self.running_ns)));
        }
        w.key("running_time_in_nanos").u64(self.running_ns);
        w.key("cancellable").bool(self.cancellable).key("cancelled").bool(self.cancelled);
        if let Some(parent) = self.parent {
            w.key("parent_task_id").string(&format!("{node_id}:{parent}"));
        }
        w.key("headers").begin_object();
        if let Some(id) = &self.opaque_id {
            w.key("X-Opaque-Id").string(id);
        }
        w.end_object();
        if detailed && running {
            self.write_usage(w);
        }
        if let Some(at_ms) = self.cancelled_ms {
            w.key("cancellation_time_millis").i64(at_ms);
        }
    }

    fn write_usage(&self, w: &mut Writer) {
        let cost = |w: &mut Writer, key: &str, cost: Cost| {
            w.key(key).begin_object();
            w.key("cpu_time_in_nanos").u64(cost.cpu_ns).key("memory_in_bytes").u64(cost.bytes).end_object();
        };
        w.key("resource_stats").begin_object();
        cost(w, "average", self.usage.average());
        cost(w, "total", self.usage.total);
        cost(w, "min", self.usage.least);
        cost(w, "max", self.usage.most);
        // A task stays on its core: it runs there many times, and never on two at once.
        w.key("thread_info").begin_object();
        w.key("thread_executions").u64(self.usage.runs).key("active_threads").u64(0).end_object();
        w.end_object();
    }
}
