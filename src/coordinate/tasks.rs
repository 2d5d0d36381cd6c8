//! What runs long on a core: tasks that can be seen, waited for, slowed down and cancelled.
//!
//! A task belongs to the core that runs it; its number says which, so that any core can ask for it. Results of tasks that nobody
//! waits for are kept for a while.

use super::clock;
use pith_engine::{Error, Result};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// Results kept on a core for those who ask later; the oldest go first.
const RESULTS_MAX: usize = 1000;

/// The tasks of one core.
pub struct Tasks {
    core: u64,
    made: Cell<u64>,
    running: RefCell<Vec<Rc<Task>>>,
    finished: RefCell<VecDeque<TaskInfo>>,
}

/// A task while it runs.
pub struct Task {
    pub id: u64,
    action: &'static str,
    description: String,
    opaque_id: Option<String>,
    start_ms: i64,
    started: Instant,
    cancelled: Cell<bool>,
    /// What it has done so far, as JSON.
    status: RefCell<Vec<u8>>,
    /// Set from outside to change its speed.
    pub requests_per_second: Cell<f32>,
}

/// A task as others see it.
#[derive(Clone, Debug)]
pub struct TaskInfo {
    pub id: u64,
    pub action: &'static str,
    pub description: String,
    pub opaque_id: Option<String>,
    pub start_ms: i64,
    pub running_ns: u64,
    pub cancelled: bool,
    pub status: Vec<u8>,
    /// The body of the answer, or the error, once it is done.
    pub result: Option<Result<Vec<u8>>>,
}

/// What is asked of the core that a task is on.
#[derive(Debug)]
pub enum TaskAsk {
    /// All that run.
    List,
    /// One, running or finished.
    Get(u64),
    Cancel(u64),
    Rethrottle(u64, f32),
}

/// How many cores a number can tell apart.
const CORES_MAX: u64 = 1 << 10;

/// The core that a task is on.
pub fn core_of_task(id: u64) -> usize {
    (id % CORES_MAX) as usize
}

impl Tasks {
    pub fn new(core: usize) -> Self {
        Self { core: core as u64, made: Cell::new(0), running: RefCell::default(), finished: RefCell::default() }
    }

    /// Begins a task. Its end is told by [`Tasks::end`].
    pub fn begin(&self, action: &'static str, description: String, opaque_id: Option<String>) -> Rc<Task> {
        self.made.set(self.made.get() + 1);
        let task = Rc::new(Task {
            id: self.made.get() * CORES_MAX + self.core,
            action,
            description,
            opaque_id,
            start_ms: clock::now_ms(),
            started: Instant::now(),
            cancelled: Cell::new(false),
            status: RefCell::default(),
            requests_per_second: Cell::new(f32::INFINITY),
        });
        self.running.borrow_mut().push(task.clone());
        task
    }

    /// Ends a task; its result is kept if it is given.
    pub fn end(&self, task: &Task, result: Option<Result<Vec<u8>>>) {
        self.running.borrow_mut().retain(|running| running.id != task.id);
        if let Some(result) = result {
            let mut finished = self.finished.borrow_mut();
            finished.push_back(TaskInfo { result: Some(result), ..task.info() });
            if finished.len() > RESULTS_MAX {
                finished.pop_front();
            }
        }
    }

    pub fn answer(&self, ask: &TaskAsk) -> Vec<TaskInfo> {
        let running = self.running.borrow();
        let find = |id: u64| running.iter().find(|task| task.id == id);
        match ask {
            TaskAsk::List => running.iter().map(|task| task.info()).collect(),
            TaskAsk::Get(id) => {
                let finished = self.finished.borrow();
                let kept = finished.iter().find(|task| task.id == *id).cloned();
                find(*id).map(|task| task.info()).or(kept).into_iter().collect()
            }
            TaskAsk::Cancel(id) => find(*id)
                .map(|task| {
                    task.cancelled.set(true);
                    task.info()
                })
                .into_iter()
                .collect(),
            TaskAsk::Rethrottle(id, requests_per_second) => find(*id)
                .map(|task| {
                    task.requests_per_second.set(*requests_per_second);
                    task.info()
                })
                .into_iter()
                .collect(),
        }
    }
}

impl Task {
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }

    pub fn set_status(&self, status: Vec<u8>) {
        self.status.replace(status);
    }

    fn info(&self) -> TaskInfo {
        TaskInfo {
            id: self.id,
            action: self.action,
            description: self.description.clone(),
            opaque_id: self.opaque_id.clone(),
            start_ms: self.start_ms,
            running_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            cancelled: self.cancelled.get(),
            status: self.status.borrow().clone(),
            result: None,
        }
    }
}

/// The error of a task that is not there.
pub fn missing(task: &str) -> Error {
    Error::new(
        pith_engine::ErrorKind::ResourceNotFound,
        format!("task [{task}] isn't running and hasn't stored its results"),
    )
}
