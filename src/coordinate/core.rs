//! What one core knows of the node.

use super::admission::{GateFigures, SearchGate};
use super::analyze_cache::AnalyzeCache;
use super::bulk_gate::BulkGate;
use super::ids::IdSource;
use super::script_host::CoreScripts;
use super::search::{KnownLimits, PhaseCounters, PhasesFigures};
use super::{Answer, Changed, Message, allowed, clock};
use crate::cluster::{Change, IndexMeta, Outcome, State};
use crate::notify::Deliveries;
use crate::observe::Facts;
use crate::security::{Credentials, Store, Subject};
use crate::shards::{ContextKey, MemoryFigures, ShardAddr, ShardReply, ShardRequest, SyncTimes};
use crate::tasks::{
    Cost, Measured, NewTask, Parent, Part, TaskAsk, TaskInfo, Tasks, core_of_task, current, held_bytes,
};
use pith_engine::join::join_all;
use pith_engine::script::set_host;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::mesh::{Lost, Mesh, MeshStats};
use pith_net::rt::{self, Busy, Figures, Notify};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// Runs a request on a shard of this core.
pub type ShardHandler = Rc<dyn Fn(ShardAddr, ShardRequest) -> LocalFuture<Result<ShardReply>>>;

/// Applies a change to the cluster's metadata; only the core that manages it has one.
pub type SubmitHandler = Rc<dyn Fn(Change) -> LocalFuture<Changed>>;

/// The core that manages the cluster's metadata.
pub const MANAGER_CORE: usize = 0;

/// The context of everything that runs on one core. There is one per core, shared by `Rc`.
pub struct Core {
    id: usize,
    node_id: Arc<str>,
    state: RefCell<Arc<State>>,
    /// Rung at every newer state.
    changed: Notify,
    links: OnceCell<Links>,
    ids: IdSource,
    /// Scrolls and points in time made so far.
    contexts_made: Cell<u64>,
    /// Answers of `_analyze`.
    analyze_cache: OnceCell<AnalyzeCache>,
    /// What runs here.
    pub tasks: Tasks,
    pub known_limits: KnownLimits,
    /// Notifications that are being delivered.
    pub deliveries: Deliveries,
    /// Passwords that were verified here.
    pub logins: Rc<Credentials>,
    /// Users that sent requests.
    subjects: RefCell<Subjects>,
    searches: SearchGate,
    pub bulks: BulkGate,
    /// The phases of the searches that this core has coordinated.
    pub search_phases: PhaseCounters,
    /// How often each handler was asked for something.
    requests: RefCell<BTreeMap<&'static str, u64>>,
}

/// Users by name, address and tenant, as one version of the store has them.
#[derive(Default)]
struct Subjects {
    store: Option<Arc<Store>>,
    ready: HashMap<(String, Option<IpAddr>, Option<String>), Rc<Subject>>,
}

/// Users that a core keeps ready; when there are more, all are made anew.
const SUBJECTS_MAX: usize = 1_000;

/// What one core has done and does.
#[derive(Clone, Debug, Default)]
pub struct CoreFigures {
    pub loop_figures: Figures,
    pub busy_per_mille: u32,
    pub mesh: MeshStats,
    pub ring_waiting: usize,
    pub searches: GateFigures,
    pub search_phases: PhasesFigures,
    pub tasks: usize,
    pub request_bytes: u64,
    pub memory: MemoryFigures,
    pub syncs: SyncTimes,
    /// By handler, how often it was asked for something.
    pub requests: BTreeMap<&'static str, u64>,
}

/// What a core is connected to once the node has started it.
pub struct Links {
    pub mesh: Mesh<Message, Answer>,
    pub shards: ShardHandler,
    pub submit: Option<SubmitHandler>,
    pub facts: Arc<Facts>,
}

impl Core {
    pub fn new(id: usize, node_id: Arc<str>, state: Arc<State>) -> Self {
        Self {
            id,
            node_id,
            state: RefCell::new(state),
            changed: Notify::new(),
            links: OnceCell::new(),
            ids: IdSource::random(),
            contexts_made: Cell::new(0),
            analyze_cache: OnceCell::new(),
            tasks: Tasks::new(id),
            known_limits: KnownLimits::default(),
            deliveries: Deliveries::default(),
            logins: Rc::default(),
            subjects: RefCell::default(),
            searches: SearchGate::default(),
            bulks: BulkGate::default(),
            search_phases: PhaseCounters::default(),
            requests: RefCell::default(),
        }
    }

    /// A handler was asked for something.
    pub fn count_request(&self, handler: &'static str) {
        *self.requests.borrow_mut().entry(handler).or_default() += 1;
    }

    /// Connects the core; may happen once only.
    pub fn connect(&self, links: Links) {
        assert!(self.links.set(links).is_ok(), "core {} is connected already", self.id);
        if let Ok(facts) = self.facts() {
            self.searches.show(facts.pressure.clone(), self.id);
        }
        self.serve_scripts();
    }

    /// The user of this name with all that it may do, if there is one.
    pub fn subject(
        &self,
        store: &Arc<Store>,
        name: &str,
        ip: Option<IpAddr>,
        tenant: Option<&str>,
    ) -> Option<Rc<Subject>> {
        let mut subjects = self.subjects.borrow_mut();
        let same = subjects.store.as_ref().is_some_and(|known| Arc::ptr_eq(known, store));
        if !same || subjects.ready.len() >= SUBJECTS_MAX {
            *subjects = Subjects { store: Some(store.clone()), ready: HashMap::new() };
        }
        let key = (name.to_owned(), ip, tenant.map(str::to_owned));
        if let Some(subject) = subjects.ready.get(&key) {
            return Some(subject.clone());
        }
        let subject = Rc::new(Subject::new(store, name, ip.map(|ip| ip.to_string()).as_deref(), tenant)?);
        subjects.ready.insert(key, subject.clone());
        Some(subject)
    }

    /// A search was refused before it came to the gate.
    pub fn count_refused_search(&self) {
        self.searches.count_refused();
    }

    /// Scripts of this core go by the state that it knows from now on.
    fn serve_scripts(&self) {
        if let Ok(facts) = self.facts() {
            set_host(Rc::new(CoreScripts { state: self.state(), facts: facts.clone() }));
        }
    }

    /// The answers of `_analyze` that this core keeps.
    pub fn analyze_cache(&self) -> Result<&AnalyzeCache> {
        let stats = self.facts()?.analyze_cache.clone();
        Ok(self.analyze_cache.get_or_init(|| AnalyzeCache::new(stats)))
    }

    /// The number of this core, from 0.
    pub fn id(&self) -> usize {
        self.id
    }

    /// The id of the node that this core belongs to.
    pub fn node_id(&self) -> &Arc<str> {
        &self.node_id
    }

    /// The cluster's state as this core knows it.
    pub fn state(&self) -> Arc<State> {
        self.state.borrow().clone()
    }

    /// Takes over a newer state; an older one is passed over.
    pub fn publish(&self, state: Arc<State>) {
        let newer = state.version >= self.state.borrow().version;
        if newer {
            self.state.replace(state);
            self.serve_scripts();
            self.changed.notify_all();
        }
    }

    /// Waits until the state is as wanted. Without a bound: whoever calls has one.
    pub async fn wait_for(&self, wanted: impl Fn(&State) -> bool) {
        while !wanted(&self.state()) {
            self.changed.wait().await;
        }
    }

    /// What stays true of the node while it runs.
    pub fn facts(&self) -> Result<&Arc<Facts>> {
        Ok(&self.links()?.facts)
    }

    /// An id for a document that came without one.
    pub fn make_id(&self) -> String {
        self.ids.next(clock::now_ms().max(0) as u64)
    }

    /// A key for a scroll or a point in time.
    pub fn make_context_key(&self) -> ContextKey {
        let number = self.contexts_made.get() + 1;
        self.contexts_made.set(number);
        ContextKey { maker: self.make_id().into(), number }
    }

    pub fn mesh(&self) -> Result<&Mesh<Message, Answer>> {
        Ok(&self.links()?.mesh)
    }

    fn links(&self) -> Result<&Links> {
        self.links.get().ok_or_else(|| Error::new(ErrorKind::IllegalState, "the node is not started yet"))
    }

    /// Changes the cluster's metadata. When this returns, every core has the new state and its shards are open.
    pub async fn submit(&self, change: Change) -> Result<Outcome> {
        self.submit_elsewhere(change).await.told()
    }

    /// The same in a task that is not the request's, which its notes have to be brought to.
    pub async fn submit_elsewhere(&self, change: Change) -> Changed {
        match self.call(MANAGER_CORE, Message::Submit(Box::new(change))).await {
            Ok(Answer::Submitted(changed)) => changed,
            Ok(other) => Changed::refused(unexpected(&other)),
            Err(error) => Changed::refused(error),
        }
    }

    /// Asks one shard, on whichever core it is.
    pub async fn shard(&self, index: &IndexMeta, shard: u32, request: ShardRequest) -> Result<ShardReply> {
        let core = core_of(index, shard)?;
        let mut replies = self.shards(core, vec![(addr(index, shard), request)]).await;
        replies.pop().unwrap_or_else(|| Err(Error::new(ErrorKind::IllegalState, "a shard did not answer")))
    }

    /// Asks shards of one core in one message. Gives a result for each request, in order, whatever happens. What the current subject may
    /// not do is refused one by one.
    pub async fn shards(&self, core: usize, requests: Vec<(ShardAddr, ShardRequest)>) -> Vec<Result<ShardReply>> {
        let Some(refusals) = allowed::refusals(self, &requests) else { return self.ask_shards(core, requests).await };
        let going = requests.into_iter().zip(&refusals).filter(|(_, refusal)| refusal.is_none());
        let going: Vec<_> = going.map(|(request, _)| request).collect();
        let mut replies = match going.is_empty() {
            true => vec![],
            false => self.ask_shards(core, going).await,
        }
        .into_iter();
        let reply = |refusal: Option<Error>| match refusal {
            Some(error) => Err(error),
            None => {
                replies.next().unwrap_or_else(|| Err(Error::new(ErrorKind::IllegalState, "a shard did not answer")))
            }
        };
        refusals.into_iter().map(reply).collect()
    }

    async fn ask_shards(&self, core: usize, requests: Vec<(ShardAddr, ShardRequest)>) -> Vec<Result<ShardReply>> {
        let count = requests.len();
        let parent = current().map(|task| task.as_parent());
        let error = match self.links() {
            // Most are for shards of this very core. Boxed, as whoever asks would keep room for it otherwise.
            Ok(links) if core == self.id => {
                match links.mesh.work_here(rt::boxed(|| self.run_shards(parent, requests))).await {
                    Ok((replies, _)) => return replies,
                    Err(lost) => self.unanswered(lost),
                }
            }
            _ => match self.call(core, Message::Shards { parent, requests }).await {
                Ok(Answer::Shards(replies, cost)) if replies.len() == count => {
                    if let Some(task) = current() {
                        task.took_elsewhere(cost);
                    }
                    return replies;
                }
                Ok(other) => unexpected(&other),
                Err(error) => error,
            },
        };
        (0..count).map(|_| Err(error.clone())).collect()
    }

    /// Runs requests to shards of this core together, for `parent`; gives what they took as well, if no task of this core runs them.
    async fn run_shards(
        &self,
        parent: Option<Parent>,
        requests: Vec<(ShardAddr, ShardRequest)>,
    ) -> (Vec<Result<ShardReply>>, Cost) {
        let count = requests.len();
        let refused = |error: Error| ((0..count).map(|_| Err(error.clone())).collect(), Cost::default());
        let links = match self.links() {
            Ok(links) => links,
            Err(error) => return refused(error),
        };
        let is_search = |request: &ShardRequest| matches!(request, ShardRequest::Search(_) | ShardRequest::Scroll(_));
        let _pass = match requests.iter().any(|(_, request)| is_search(request)) {
            true => match self.searches.enter(Some(&links.facts.pressure)).await {
                Ok(pass) => Some(pass),
                Err(error) => return refused(error),
            },
            false => None,
        };
        let as_task = |request: &ShardRequest, parent: Option<Parent>| {
            let (action, cancellable) = request.action();
            let task = NewTask::child(action, parent);
            if cancellable { task.cancellable() } else { task }
        };
        if current().is_some() {
            let mut running = requests.into_iter().map(|(addr, request)| {
                let task = as_task(&request, parent.clone());
                Part::new(&self.tasks, task, (links.shards)(addr, request))
            });
            let replies = match (running.next(), count) {
                (Some(only), 1) => vec![only.await],
                (first, _) => join_all(first.into_iter().chain(running)).await,
            };
            return (replies, Cost::default());
        }
        let mut tasks = Vec::with_capacity(count);
        let running = requests.into_iter().map(|(addr, request)| {
            let task = self.tasks.begin(as_task(&request, parent.clone()));
            tasks.push(task.task().clone());
            Measured::new(task, (links.shards)(addr, request))
        });
        let replies = join_all(running).await;
        (replies, tasks.iter().fold(Cost::default(), |sum, task| sum.plus(task.spent())))
    }

    /// The task of this number, on whichever core it is, after doing to it what `ask` says.
    pub async fn task(&self, id: u64, ask: TaskAsk) -> Result<Option<TaskInfo>> {
        let core = core_of_task(id);
        if core >= self.mesh()?.cores() {
            return Ok(None);
        }
        Ok(self.ask_tasks(core, ask).await?.into_iter().next())
    }

    /// All tasks that run on the node.
    pub async fn all_tasks(&self) -> Result<Vec<TaskInfo>> {
        let mut all = vec![];
        for core in 0..self.mesh()?.cores() {
            all.extend(self.ask_tasks(core, TaskAsk::List).await?);
        }
        Ok(all)
    }

    /// Cancels a task and whatever works for it, on all cores; gives what was cancelled.
    pub async fn cancel_task(&self, id: u64) -> Result<Vec<TaskInfo>> {
        let first = core_of_task(id);
        let cores = self.mesh()?.cores();
        if first >= cores {
            return Ok(vec![]);
        }
        let mut cancelled = self.ask_tasks(first, TaskAsk::Cancel(vec![id])).await?;
        // What works for it elsewhere works for one of these.
        let ids: Vec<u64> = cancelled.iter().map(|task| task.id).chain([id]).collect();
        for core in (0..cores).filter(|core| *core != first) {
            cancelled.extend(self.ask_tasks(core, TaskAsk::Cancel(ids.clone())).await?);
        }
        Ok(cancelled)
    }

    async fn ask_tasks(&self, core: usize, ask: TaskAsk) -> Result<Vec<TaskInfo>> {
        match self.call(core, Message::Tasks(ask)).await? {
            Answer::Tasks(found) => Ok(found),
            other => Err(unexpected(&other)),
        }
    }

    /// What all cores have done, in their order.
    pub async fn figures(&self) -> Result<Vec<CoreFigures>> {
        let mut all = vec![];
        for core in 0..self.mesh()?.cores() {
            match self.call(core, Message::Measure).await? {
                Answer::Measured(figures) => all.push(*figures),
                other => return Err(unexpected(&other)),
            }
        }
        Ok(all)
    }

    fn own_figures(&self) -> CoreFigures {
        let mesh = self.mesh().ok();
        CoreFigures {
            loop_figures: Figures::current(),
            busy_per_mille: Busy::current().per_mille(),
            mesh: mesh.map(Mesh::stats).unwrap_or_default(),
            ring_waiting: mesh.map_or(0, Mesh::waiting),
            searches: self.searches.figures(),
            search_phases: self.search_phases.figures(),
            tasks: self.tasks.list().len(),
            request_bytes: held_bytes(),
            memory: MemoryFigures::current(),
            syncs: SyncTimes::current(),
            requests: self.requests.borrow().clone(),
        }
    }

    async fn call(&self, core: usize, message: Message) -> Result<Answer> {
        self.links()?.mesh.call(core, message).await.map_err(|lost| self.unanswered(lost))
    }

    #[cold]
    fn unanswered(&self, lost: Lost) -> Error {
        let reason = format!("core [{}] of node [{}] did not answer", lost.core, self.node_id);
        Error::new(ErrorKind::NoShardAvailable, reason)
    }

    /// Does what another core (or this one) asks for: the handler of the mesh.
    pub async fn answer(self: Rc<Self>, message: Message) -> Answer {
        match message {
            Message::Shards { parent, requests } => {
                let (replies, cost) = self.run_shards(parent, requests).await;
                Answer::Shards(replies, cost)
            }
            Message::Submit(change) => match self.links.get().and_then(|links| links.submit.as_ref()) {
                Some(submit) => Answer::Submitted(submit(*change).await),
                None => {
                    let reason = format!("core [{}] does not manage the cluster's metadata", self.id);
                    Answer::Submitted(Changed::refused(Error::new(ErrorKind::IllegalState, reason)))
                }
            },
            Message::Tasks(ask) => Answer::Tasks(self.tasks.answer(&ask)),
            Message::Measure => Answer::Measured(Box::new(self.own_figures())),
            Message::Publish(state) => {
                self.publish(state);
                Answer::Done
            }
        }
    }
}

/// The address of a shard.
pub fn addr(index: &IndexMeta, shard: u32) -> ShardAddr {
    ShardAddr { index_uuid: index.uuid.clone(), shard }
}

/// The core that holds a shard.
pub fn core_of(index: &IndexMeta, shard: u32) -> Result<usize> {
    index.cores.get(shard as usize).copied().ok_or_else(|| {
        Error::new(ErrorKind::ShardNotFound, "no such shard")
            .with("index", &*index.name)
            .with("shard", shard.to_string())
    })
}

#[cold]
fn unexpected(answer: &Answer) -> Error {
    Error::new(ErrorKind::IllegalState, format!("unexpected answer between cores: {answer:?}"))
}

#[cfg(test)]
impl Core {
    /// A core that is connected to nothing, of an empty cluster.
    pub fn for_test() -> Self {
        let node = crate::cluster::Node {
            id: "node".into(),
            ephemeral_id: "e".into(),
            name: "test".into(),
            host: "127.0.0.1".into(),
            ip: "127.0.0.1".into(),
            transport_address: "127.0.0.1:9300".into(),
            http_address: "127.0.0.1:9200".into(),
            roles: vec![],
            attributes: Default::default(),
            cores: 1,
        };
        let state = State::initial("test", node, Default::default());
        Self::new(0, "node".into(), Arc::new(state))
    }
}
