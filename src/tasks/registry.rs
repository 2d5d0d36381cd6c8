//! The tasks of one core.

use super::memory;
use super::progress::{Progress, Told};
use super::usage::{Cost, Meter, Usage};
use crate::security::{Subject, acting};
use bytes::Bytes;
use pith_net::rt::Event;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How many cores a number can tell apart.
const CORES_MAX: u64 = 1 << 10;

/// The core that a task is on.
pub fn core_of_task(id: u64) -> usize {
    (id % CORES_MAX) as usize
}

/// The tasks that run on one core. Clones are the same.
#[derive(Clone)]
pub struct Tasks {
    inner: Rc<Inner>,
}

struct Inner {
    core: u64,
    made: Cell<u64>,
    running: RefCell<BTreeMap<u64, Rc<Task>>>,
}

/// Who a task works for.
#[derive(Clone, Debug)]
pub struct Parent {
    pub id: u64,
    pub opaque_id: Option<Arc<str>>,
}

/// What a task does, for people.
#[derive(Debug, Default)]
pub enum Description {
    #[default]
    None,
    Text(String),
    /// Of a search: its indexes as they were named, and its body. Laid out only when somebody asks.
    Search {
        indexes: String,
        body: Bytes,
    },
}

/// A task to begin.
#[derive(Debug)]
pub struct NewTask {
    action: &'static str,
    description: Description,
    cancellable: bool,
    parent: Option<Parent>,
    opaque_id: Option<Arc<str>>,
}

impl NewTask {
    /// What a client asks for.
    pub fn request(action: &'static str, opaque_id: Option<Arc<str>>) -> Self {
        Self { action, description: Description::None, cancellable: false, parent: None, opaque_id }
    }

    /// A part of another task.
    pub fn child(action: &'static str, parent: Option<Parent>) -> Self {
        let opaque_id = parent.as_ref().and_then(|parent| parent.opaque_id.clone());
        Self { action, description: Description::None, cancellable: false, parent, opaque_id }
    }

    pub fn cancellable(self) -> Self {
        Self { cancellable: true, ..self }
    }

    pub fn described(self, description: Description) -> Self {
        Self { description, ..self }
    }
}

/// A task while it runs.
pub struct Task {
    pub id: u64,
    /// Whom it works for: whoever what began it worked for.
    pub subject: Option<Rc<Subject>>,
    what: NewTask,
    start_ms: i64,
    started: Instant,
    cancelled: Event,
    /// When that was asked for first.
    cancelled_ms: Cell<Option<i64>>,
    usage: Cell<Usage>,
    /// The run that is on right now.
    run: Cell<Option<Meter>>,
    /// What others did for it on other cores.
    elsewhere: Cell<Cost>,
    /// Its part in the memory that requests hold on this core.
    held: Cell<i64>,
    /// How far it is, if it is one that tells.
    progress: RefCell<Option<Rc<dyn Progress>>>,
}

/// A task as others see it.
#[derive(Clone, Debug)]
pub struct TaskInfo {
    pub id: u64,
    pub parent: Option<u64>,
    pub action: &'static str,
    pub description: String,
    pub opaque_id: Option<Arc<str>>,
    pub start_ms: i64,
    pub running_ns: u64,
    pub cancellable: bool,
    pub cancelled: bool,
    pub cancelled_ms: Option<i64>,
    pub status: Option<Told>,
    pub usage: Usage,
}

/// What is asked of the core that a task is on.
#[derive(Debug)]
pub enum TaskAsk {
    /// All that run.
    List,
    Get(u64),
    /// Cancels these, and whatever works for them here; answers with all of those.
    Cancel(Vec<u64>),
    /// Changes the speed of one that has any.
    Rethrottle(u64, f32),
}

impl Tasks {
    pub fn new(core: usize) -> Self {
        let inner = Inner { core: core as u64, made: Cell::new(0), running: RefCell::default() };
        Self { inner: Rc::new(inner) }
    }

    /// Begins a task, which ends when what is given back is dropped.
    pub fn begin(&self, what: NewTask) -> Running {
        let made = self.inner.made.get() + 1;
        self.inner.made.set(made);
        let now_ms = now_ms();
        let task = Rc::new(Task {
            id: made * CORES_MAX + self.inner.core,
            subject: acting::current(),
            what,
            start_ms: now_ms,
            started: Instant::now(),
            cancelled: Event::new(),
            cancelled_ms: Cell::default(),
            usage: Cell::default(),
            run: Cell::default(),
            elsewhere: Cell::default(),
            held: Cell::new(0),
            progress: RefCell::default(),
        });
        self.inner.running.borrow_mut().insert(task.id, task.clone());
        Running { tasks: self.clone(), task }
    }

    pub fn list(&self) -> Vec<TaskInfo> {
        self.inner.running.borrow().values().map(|task| task.info()).collect()
    }

    fn find(&self, id: u64) -> Option<Rc<Task>> {
        self.inner.running.borrow().get(&id).cloned()
    }

    /// Cancels these tasks and whatever works for them on this core.
    pub fn cancel(&self, ids: &[u64]) -> Vec<TaskInfo> {
        let running = self.inner.running.borrow();
        let mut all = ids.to_vec();
        // Children begin after their parents, and a map of numbers that grow lists them in that order.
        for task in running.values() {
            if task.what.parent.as_ref().is_some_and(|parent| all.contains(&parent.id)) {
                all.push(task.id);
            }
        }
        let found: Vec<&Rc<Task>> = all.iter().filter_map(|id| running.get(id)).collect();
        found
            .into_iter()
            .map(|task| {
                task.cancelled.set();
                if let Some(progress) = &*task.progress.borrow() {
                    progress.cancelled();
                }
                task.cancelled_ms.set(task.cancelled_ms.get().or_else(|| Some(now_ms())));
                task.info()
            })
            .collect()
    }

    pub fn answer(&self, ask: &TaskAsk) -> Vec<TaskInfo> {
        match ask {
            TaskAsk::List => self.list(),
            TaskAsk::Get(id) => self.find(*id).map(|task| task.info()).into_iter().collect(),
            TaskAsk::Cancel(ids) => self.cancel(ids),
            TaskAsk::Rethrottle(id, speed) => {
                let task = self.find(*id);
                let set = |task: Rc<Task>| {
                    let progress = task.progress.borrow().clone();
                    let told = progress.map(|progress| {
                        progress.rethrottle(*speed);
                        progress.told_with_parts()
                    });
                    TaskInfo { status: told, ..task.info() }
                };
                task.map(set).into_iter().collect()
            }
        }
    }
}

/// Holds a task in the list of what runs.
pub struct Running {
    tasks: Tasks,
    task: Rc<Task>,
}

impl Running {
    pub fn task(&self) -> &Rc<Task> {
        &self.task
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.tasks.inner.running.borrow_mut().remove(&self.task.id);
        memory::hold(-self.task.held.replace(0));
    }
}

impl Task {
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_set()
    }

    /// Comes when the task is cancelled.
    pub async fn cancelled(&self) {
        self.cancelled.wait().await;
    }

    /// From now on `progress` tells how far it is.
    pub fn set_progress(&self, progress: Rc<dyn Progress>) {
        self.progress.replace(Some(progress));
    }

    pub fn begin_run(&self, meter: Meter) {
        self.run.set(Some(meter));
    }

    pub fn end_run(&self) {
        if let Some(meter) = self.run.take() {
            self.count_run(meter);
        }
    }

    /// It has run once more, since `meter` was started.
    pub fn count_run(&self, meter: Meter) {
        let mut usage = self.usage.get();
        usage.add(meter.read());
        self.usage.set(usage);
    }

    /// What was done for it on another core.
    pub fn took_elsewhere(&self, cost: Cost) {
        self.elsewhere.set(self.elsewhere.get().plus(cost));
    }

    /// What it and whatever works for it have taken up to now. What works for it on its own core does so within its runs.
    pub fn spent(&self) -> Cost {
        let now = self.run.get().map_or_else(Cost::default, |meter| meter.read());
        self.usage.get().total.plus(now).plus(self.elsewhere.get())
    }

    /// It has allocated so many bytes more than it has freed, and no other task counts them.
    pub fn holds(&self, bytes: i64) {
        self.held.set(self.held.get() + bytes);
        memory::hold(bytes);
    }

    /// What its children know of it.
    pub fn as_parent(&self) -> Parent {
        Parent { id: self.id, opaque_id: self.what.opaque_id.clone() }
    }

    pub fn info(&self) -> TaskInfo {
        TaskInfo {
            id: self.id,
            parent: self.what.parent.as_ref().map(|parent| parent.id),
            action: self.what.action,
            description: self.what.description.text(),
            opaque_id: self.what.opaque_id.clone(),
            start_ms: self.start_ms,
            running_ns: u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX),
            cancellable: self.what.cancellable,
            cancelled: self.is_cancelled(),
            cancelled_ms: self.cancelled_ms.get(),
            status: self.progress.borrow().as_ref().map(|progress| progress.told()),
            usage: self.usage.get(),
        }
    }
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Most of a search's body that its description shows.
const SOURCE_MAX: usize = 10_000;

impl Description {
    fn text(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Text(text) => text.clone(),
            Self::Search { indexes, body } => {
                let shown = &body[..body.len().min(SOURCE_MAX)];
                let source = String::from_utf8_lossy(shown);
                format!("indices[{indexes}], search_type[QUERY_THEN_FETCH], source[{}]", source.trim())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_tells_its_core_and_ends_with_its_task() {
        let tasks = Tasks::new(5);
        let running = tasks.begin(NewTask::request("a", None));
        let id = running.task().id;
        assert_eq!(core_of_task(id), 5);
        assert_eq!(tasks.answer(&TaskAsk::Get(id)).len(), 1);
        drop(running);
        assert!(tasks.answer(&TaskAsk::Get(id)).is_empty());
    }

    #[test]
    fn cancelling_reaches_children_of_children() {
        let tasks = Tasks::new(0);
        let top = tasks.begin(NewTask::request("a", Some("me".into())));
        let middle = tasks.begin(NewTask::child("b", Some(top.task().as_parent())));
        let low = tasks.begin(NewTask::child("c", Some(middle.task().as_parent())));
        let other = tasks.begin(NewTask::request("d", None));
        let told = tasks.cancel(&[top.task().id]);
        assert_eq!(told.iter().map(|task| task.action).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert!(low.task().is_cancelled());
        assert!(!other.task().is_cancelled());
        assert_eq!(low.task().info().opaque_id.as_deref(), Some("me"));
    }
}
