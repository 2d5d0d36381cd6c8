//! What runs on one core, from its start to its end.

use super::cluster_loop::ClusterLoop;
use super::data_folder::Paths;
use super::reconcile::Reconciler;
use super::{disk_monitor, http, transport};
use crate::api;
use crate::cluster::{BlockLevel, Change, State, blocks};
use crate::coordinate::{Answer, Core, Links, Message, SubmitHandler};
use crate::observe::Facts;
use crate::shards::{Host, HostConfig, MappingChange};
use pith_engine::Error;
use pith_net::http as wire;
use pith_net::mesh::{Mesh, MeshSeat};
use pith_net::rt::{self, StopSignal};
use pith_net::tls::Acceptor;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What a core gets from whoever starts it.
pub struct CoreSeat {
    pub mesh: MeshSeat<Message, Answer>,
    pub http: wire::Seat,
    /// The port for other nodes, on core 0.
    pub transport: Option<TcpListener>,
    pub state: Arc<State>,
    pub facts: Arc<Facts>,
    pub paths: Paths,
    pub host: HostConfig,
    pub limits: wire::Limits,
    /// What makes the connections of clients secure, if they are to be.
    pub tls: Option<Acceptor>,
    pub stop: StopSignal,
    /// Cores that have answered all their requests.
    pub drained: Arc<AtomicUsize>,
    /// Cores that can be asked.
    pub joined: Arc<AtomicUsize>,
}

/// How long a core waits for the others, to begin or to end.
const WAIT_MAX: Duration = Duration::from_secs(60);

pub async fn run_core(id: usize, seat: CoreSeat) {
    let CoreSeat { mesh, http, transport, state, facts, paths, host, limits, tls, stop, drained, joined } = seat;
    let data = paths.root().to_owned();
    let (core, reconciler) = assemble(Parts { id, mesh, state: state.clone(), facts, paths, host });
    // A core that follows the state reports to the managing one, which must be there.
    let cores = core.mesh().map_or(1, Mesh::cores);
    joined.fetch_add(1, Ordering::Release);
    wait_for_all(&joined, cores).await;
    reconciler.follow(&state);
    if let Some(listener) = transport {
        rt::spawn(transport::refuse_connections(listener, stop.clone())).detach();
    }
    if id == crate::coordinate::MANAGER_CORE {
        disk_monitor::start(core.clone(), data);
    }
    serve(&core, http, limits, tls, stop).await;
    drained.fetch_add(1, Ordering::Release);
    // Other cores may still ask this one while they answer their last requests.
    wait_for_all(&drained, cores).await;
    if let Err(error) = reconciler.shutdown().await {
        tracing::error!("core {id} could not flush all shards: {error}");
    }
}

/// What a core is made of, but for its ports.
pub(super) struct Parts {
    pub id: usize,
    pub mesh: MeshSeat<Message, Answer>,
    pub state: Arc<State>,
    pub facts: Arc<Facts>,
    pub paths: Paths,
    pub host: HostConfig,
}

/// Puts a core together. It answers requests from now on; its shards are opened when the reconciler follows the state.
pub(super) fn assemble(parts: Parts) -> (Rc<Core>, Rc<Reconciler>) {
    let Parts { id, mesh, state, facts, paths, host } = parts;
    let core = Rc::new(Core::new(id, facts.node_id.clone(), state));
    let host = Host::new(host, mapping_change(&core));
    let reconciler = Reconciler::new(core.clone(), host, paths.root().to_owned());
    let mesh = {
        let (core, reconciler) = (core.clone(), reconciler.clone());
        mesh.join(move |_, message| {
            let (core, reconciler) = (core.clone(), reconciler.clone());
            Box::pin(async move {
                match message {
                    Message::Publish(state) => {
                        core.publish(state.clone());
                        reconciler.follow(&state);
                        Answer::Done
                    }
                    other => core.answer(other).await,
                }
            })
        })
    };
    let submit: Option<SubmitHandler> = (id == crate::coordinate::MANAGER_CORE).then(|| {
        let changes = ClusterLoop::start(core.clone(), paths.metadata());
        let submit: SubmitHandler = Rc::new(move |change| {
            let changes = changes.clone();
            Box::pin(async move { changes.submit(change).await })
        });
        submit
    });
    let shards = reconciler.clone();
    core.connect(Links {
        mesh,
        shards: Rc::new(move |addr, request| rt::boxed(|| shards.clone().handle(addr, request))),
        submit,
        facts,
    });
    (core, reconciler)
}

async fn serve(core: &Rc<Core>, seat: wire::Seat, limits: wire::Limits, tls: Option<Acceptor>, stop: StopSignal) {
    let router = Rc::new(api::Router::new(&api::routes(core.state().secured().is_some())));
    let served = core.clone();
    let handler: wire::Handler = Rc::new(move |request| {
        let (core, router) = (served.clone(), router.clone());
        rt::boxed(|| async move { http::respond(&core, &router, request).await })
    });
    let gone = http::cancel_when_gone(core.clone());
    wire::serve(seat, wire::Config { limits, error_page: http::error_page, stop, tls }, handler, gone).await;
}

/// A mapping that documents ask for, made part of the cluster's metadata.
fn mapping_change(core: &Rc<Core>) -> MappingChange {
    let core = Rc::downgrade(core);
    Rc::new(move |uuid, mapping| {
        let core = core.upgrade();
        Box::pin(async move {
            let core = core.ok_or_else(|| Error::illegal_argument("the node is closing"))?;
            let state = core.state();
            let index = state.index_by_uuid(&uuid).ok_or_else(|| Error::index_not_found(&uuid))?;
            blocks::check(&state, BlockLevel::MetadataWrite, [&**index])?;
            core.submit(Change::PutMapping { indexes: vec![index.id()], mapping }).await.map(drop)
        })
    })
}

/// Waits until all cores have counted themselves; not for ever, so that a core that died does not hold the others.
async fn wait_for_all(count: &AtomicUsize, cores: usize) {
    let began = Instant::now();
    while count.load(Ordering::Acquire) < cores && began.elapsed() < WAIT_MAX {
        rt::sleep(Duration::from_millis(1)).await;
    }
}
