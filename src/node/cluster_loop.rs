//! Changes of the cluster's metadata: one at a time, on the core that manages it.
//!
//! Changes that wait are applied one after the other, made durable together, and told to every core before the next ones
//! begin. Whoever asked for one gets the answer when, besides, the shards that it brought are open or have failed.

use super::data_folder::new_id;
use super::{memory, metadata};
use crate::cluster::{self, ApplyContext, Change, CopyState, State};
use crate::coordinate::{Changed, Core, Message, clock};
use crate::observe::{Changes, logging};
use pith_engine::join::join_all;
use pith_engine::{Error, ErrorKind, Result, deprecated};
use pith_net::rt::{self, Notify, OneshotSender, oneshot};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Changes that may wait for their turn; further ones are refused.
const QUEUE_MAX: usize = 10_000;

/// Changes that are made durable together.
const BATCH_MAX: usize = 64;

/// A handle to the loop. Clones are the same loop.
#[derive(Clone)]
pub struct ClusterLoop {
    inner: Rc<Inner>,
}

struct Inner {
    core: Rc<Core>,
    file: PathBuf,
    queue: RefCell<VecDeque<Pending>>,
    filled: Notify,
}

struct Pending {
    change: Change,
    answer: OneshotSender<Changed>,
}

impl ClusterLoop {
    /// Starts the loop; to be called on the managing core, once its [`Core`] is connected or about to be.
    pub fn start(core: Rc<Core>, file: PathBuf) -> Self {
        let inner = Rc::new(Inner { core, file, queue: RefCell::default(), filled: Notify::new() });
        let running = inner.clone();
        rt::spawn(async move {
            loop {
                let batch = running.take_batch();
                if batch.is_empty() {
                    running.filled.wait().await;
                } else {
                    running.run(batch).await;
                }
            }
        })
        .detach();
        Self { inner }
    }

    /// Asks for a change, and waits until it has happened everywhere.
    pub async fn submit(&self, change: Change) -> Changed {
        let (answer, result) = oneshot();
        {
            let mut queue = self.inner.queue.borrow_mut();
            if queue.len() >= QUEUE_MAX {
                let reason = "too many changes of the cluster state are waiting";
                return Changed::refused(Error::new(ErrorKind::RejectedExecution, reason));
            }
            queue.push_back(Pending { change, answer });
        }
        self.inner.filled.notify_one();
        result.await.unwrap_or_else(|| {
            let reason = "the change of the cluster state was given up: the node is closing";
            Changed::refused(Error::new(ErrorKind::IllegalState, reason))
        })
    }
}

impl Inner {
    fn take_batch(&self) -> Vec<Pending> {
        let mut queue = self.queue.borrow_mut();
        let count = queue.len().min(BATCH_MAX);
        queue.drain(..count).collect()
    }

    /// Makes the changes one after the other; keeps and tells what comes of all of them together.
    async fn run(&self, batch: Vec<Pending>) {
        let (began, before) = (Instant::now(), self.core.state());
        let (changes, answers): (Vec<Change>, Vec<_>) = batch.into_iter().map(|p| (p.change, p.answer)).unzip();
        let Applied { state, keeps, changed } = self.apply(before.clone(), changes).await;
        let state = Arc::new(state);
        let mut made = vec![];
        for (answer, (changed, at_once)) in answers.into_iter().zip(changed) {
            match changed.outcome {
                Ok(_) => made.push((answer, changed, at_once)),
                // Whoever asked may be gone.
                Err(_) => drop(answer.send(changed)),
            }
        }
        if state.version != before.version
            && let Err(error) = self.make(&before, &state, keeps).await
        {
            for (answer, ..) in made {
                drop(answer.send(Changed::refused(error.clone())));
            }
            self.count(|changes| &changes.failed, 1);
            return;
        }
        if state.version != before.version {
            self.count(|changes| &changes.made, 1);
            self.count(|changes| &changes.took_us, began.elapsed().as_micros() as u64);
        }
        for (answer, changed, at_once) in made {
            if at_once {
                drop(answer.send(changed));
                continue;
            }
            // The next change must not wait for shards to open: opening them ends in changes, too.
            let (core, state) = (self.core.clone(), state.clone());
            rt::spawn(async move {
                core.wait_for(|now| settled(&state, now)).await;
                drop(answer.send(changed));
            })
            .detach();
        }
    }

    fn count(&self, figure: fn(&Changes) -> &AtomicU64, by: u64) {
        if let Ok(facts) = self.core.facts() {
            figure(&facts.changes).fetch_add(by, Ordering::Relaxed);
        }
    }

    /// Makes the changes off the core: a mapping can have many fields and an analyzer many synonyms.
    async fn apply(&self, before: Arc<State>, changes: Vec<Change>) -> Applied {
        let (now_ms, cores) = (clock::now_ms().max(0) as u64, self.core.mesh().map(|mesh| mesh.cores()));
        rt::offload(move || {
            let mut applied = Applied { state: State::clone(&before), keeps: false, changed: vec![] };
            for change in changes {
                let internal = matches!(change, Change::CopiesOpened(_));
                let at_once = internal || matches!(change, Change::Reroute(_));
                let mut notes = vec![];
                let result = deprecated::collect(&mut notes, || {
                    let mut context = ApplyContext { now_ms, new_id: &mut new_id, cores: cores.clone()? };
                    cluster::apply(&applied.state, change, &mut context)
                });
                let outcome = result.map(|(next, outcome)| {
                    let to_keep = !internal || !next.has_same_indices(&applied.state);
                    applied.keeps |= next.version != applied.state.version && to_keep;
                    applied.state = next;
                    outcome
                });
                applied.changed.push((Changed { outcome, notes }, at_once));
            }
            applied
        })
        .await
    }

    /// Keeps the next state, if there is anything in it to keep, and tells every core.
    async fn make(&self, before: &State, next: &Arc<State>, keeps: bool) -> Result<()> {
        if keeps {
            self.keep(next).await?;
        }
        if next.persistent != before.persistent || next.transient != before.transient {
            logging::set_levels(&[&next.configured, &next.persistent, &next.transient]);
            if let Ok(facts) = self.core.facts() {
                memory::follow(&facts.pressure, next);
            }
        }
        self.tell(next).await;
        Ok(())
    }

    async fn keep(&self, state: &Arc<State>) -> Result<()> {
        // With many mappings this is more work than a core may be held up for.
        let state = state.clone();
        let bytes = rt::offload(move || cluster::encode(&state)).await;
        metadata::save(&self.file, &bytes).await.map_err(|error| {
            tracing::error!("the cluster state could not be kept in [{}]: {error}", self.file.display());
            Error::new(
                ErrorKind::Io,
                format!("the cluster state could not be kept in [{}]: {error}", self.file.display()),
            )
        })
    }

    async fn tell(&self, state: &Arc<State>) {
        let Ok(mesh) = self.core.mesh() else { return };
        let calls = (0..mesh.cores()).map(|core| mesh.call(core, Message::Publish(state.clone())));
        for (core, answer) in join_all(calls).await.into_iter().enumerate() {
            if answer.is_err() {
                tracing::error!("core {core} did not take the cluster state of version {}", state.version);
            }
        }
    }
}

/// What came of a batch of changes.
struct Applied {
    state: State,
    /// Whether there is anything new to keep.
    keeps: bool,
    /// What each of them did, and whether that is told before the shards that it brought are open.
    changed: Vec<(Changed, bool)>,
}

/// Whether no copy that was to be opened in `wanted` still is in `now`. Copies that are gone do not count.
fn settled(wanted: &State, now: &State) -> bool {
    let opening = |state: &State, uuid: &Arc<str>, shard: usize| {
        state
            .routing
            .get(uuid)
            .and_then(|copies| copies.get(shard))
            .is_some_and(|copy| copy.state == CopyState::Initializing)
    };
    wanted.routing.iter().all(|(uuid, copies)| {
        (0..copies.len()).all(|shard| !opening(wanted, uuid, shard) || !opening(now, uuid, shard))
    })
}
