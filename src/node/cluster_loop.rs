//! Changes of the cluster's metadata: one at a time, on the core that manages it.
//!
//! A change is applied, made durable, and told to every core before the next one begins. Whoever asked for it gets the
//! answer when, besides, the shards that it brought are open or have failed.

use super::data_folder::new_id;
use super::metadata;
use crate::cluster::{self, ApplyContext, Change, CopyState, Outcome, State};
use crate::coordinate::join::join_all;
use crate::coordinate::{Core, Message, clock};
use crate::observe::logging;
use pith_engine::{Error, ErrorKind, Result};
use pith_net::rt::{self, Notify, OneshotSender, oneshot};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// Changes that may wait for their turn; further ones are refused.
const QUEUE_MAX: usize = 10_000;

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
    answer: OneshotSender<Result<Outcome>>,
}

impl ClusterLoop {
    /// Starts the loop; to be called on the managing core, once its [`Core`] is connected or about to be.
    pub fn start(core: Rc<Core>, file: PathBuf) -> Self {
        let inner = Rc::new(Inner { core, file, queue: RefCell::default(), filled: Notify::new() });
        let running = inner.clone();
        rt::spawn(async move {
            loop {
                let next = running.queue.borrow_mut().pop_front();
                match next {
                    Some(pending) => running.run(pending).await,
                    None => running.filled.wait().await,
                }
            }
        })
        .detach();
        Self { inner }
    }

    /// Asks for a change, and waits until it has happened everywhere.
    pub async fn submit(&self, change: Change) -> Result<Outcome> {
        let (answer, result) = oneshot();
        {
            let mut queue = self.inner.queue.borrow_mut();
            if queue.len() >= QUEUE_MAX {
                return Err(Error::new(
                    ErrorKind::RejectedExecution,
                    "too many changes of the cluster state are waiting",
                ));
            }
            queue.push_back(Pending { change, answer });
        }
        self.inner.filled.notify_one();
        let outcome = result.await.unwrap_or_else(|| {
            Err(Error::new(
                ErrorKind::IllegalState,
                "the change of the cluster state was given up: the node is closing",
            ))
        })?;
        Ok(outcome)
    }
}

impl Inner {
    async fn run(&self, pending: Pending) {
        let opens_shards = !matches!(pending.change, Change::CopiesOpened(_));
        let result = self.make(pending.change).await;
        match result {
            // The next change must not wait for shards to open: opening them ends in changes, too.
            Ok((outcome, state)) if opens_shards => {
                let core = self.core.clone();
                rt::spawn(async move {
                    core.wait_for(|now| settled(&state, now)).await;
                    let _ = pending.answer.send(Ok(outcome));
                })
                .detach();
            }
            // Whoever asked may be gone.
            Ok((outcome, _)) => drop(pending.answer.send(Ok(outcome))),
            Err(error) => drop(pending.answer.send(Err(error))),
        }
    }

    /// Applies a change, keeps it, and tells every core.
    async fn make(&self, change: Change) -> Result<(Outcome, Arc<State>)> {
        let before = self.core.state();
        let keeps = !matches!(change, Change::CopiesOpened(_));
        let mut context = ApplyContext {
            now_ms: clock::now_ms().max(0) as u64,
            new_id: &mut new_id,
            cores: self.core.mesh()?.cores(),
        };
        let (next, outcome) = cluster::apply(&before, change, &mut context)?;
        if next.version == before.version {
            return Ok((outcome, before));
        }
        let next = Arc::new(next);
        if keeps {
            self.keep(&next).await?;
        }
        if next.persistent != before.persistent || next.transient != before.transient {
            logging::set_levels(&[&next.configured, &next.persistent, &next.transient]);
        }
        self.tell(&next).await;
        Ok((outcome, next))
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
