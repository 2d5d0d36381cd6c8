//! Work that a request starts and does not wait for: `wait_for_completion=false`.

use super::unknown::refuse;
use super::{ApiRequest, Reply};
use crate::coordinate::Core;
use crate::coordinate::by_query::stored::store;
use crate::security::Acting;
use crate::tasks::{Description, Measured, NewTask, Running};
use pith_engine::Result;
use pith_engine::json::Writer;
use pith_net::rt;
use std::future::Future;
use std::rc::Rc;

/// How long work in the background may take.
pub const TASK_TIMEOUT: &str = "task_execution_timeout";

/// Whether the request waits for its work; only one that does not may say how long the work may take.
pub fn waits(request: &ApiRequest) -> Result<bool> {
    let waits = request.flag("wait_for_completion", true)?;
    if waits && request.has(TASK_TIMEOUT) {
        refuse(request.route, &request.path, std::iter::once(TASK_TIMEOUT))?;
    }
    Ok(waits)
}

/// Runs `work` as a task and answers with the task's id. What it gives is stored as the task's result.
pub fn detach(
    core: &Rc<Core>,
    request: &ApiRequest,
    action: &'static str,
    description: String,
    work: impl Future<Output = Result<Vec<u8>>> + 'static,
) -> Reply {
    let opaque_id = request.opaque_id.as_deref().map(Into::into);
    follow(core, core.tasks.begin(NewTask::request(action, opaque_id).described(Description::Text(description))), work)
}

/// The same for a task that has begun.
pub fn follow(core: &Rc<Core>, running: Running, work: impl Future<Output = Result<Vec<u8>>> + 'static) -> Reply {
    let task = running.task().clone();
    let mut w = Writer::new();
    w.begin_object().key("task").string(&task.info().full_id(core.node_id())).end_object();
    let core = core.clone();
    let to_the_end = Box::pin(async move {
        let result = work.await;
        if let Err(error) = Acting::new(None, Box::pin(store(&core, &task.info(), result))).await {
            tracing::error!(task = task.id, "the result of a task could not be stored: {error}");
        }
    });
    rt::spawn(Measured::new(running, to_the_end)).detach();
    Reply::ok(w)
}
