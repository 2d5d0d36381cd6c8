//! Starting a node on what a simulated disk holds, and asking it.

use crate::api::serve::{Incoming, serve};
use crate::api::{self, Method, Router};
use crate::cluster::Node;
use crate::coordinate::Core;
use crate::node::config::Config;
use crate::node::core_loop::{Parts, assemble};
use crate::node::data_folder::Paths;
use crate::node::metadata;
use crate::node::reconcile::Reconciler;
use crate::observe::Facts;
use crate::observe::facts::StatusCounts;
use crate::settings::Settings;
use crate::shards::{HostConfig, NodeMemory};
use bytes::Bytes;
use pith_net::http::{Peer, ServerStats};
use pith_net::mesh;
use pith_net::rt::{StopSignal, Topology, file};
use serde_json::Value;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

pub const DATA: &str = "/data";
pub const REPOSITORIES: &str = "/repositories";

/// A node on one simulated core.
#[derive(Clone)]
pub struct World {
    core: Rc<Core>,
    router: Rc<Router>,
    reconciler: Rc<Reconciler>,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
}

impl World {
    /// Starts a node. The error says why it cannot.
    pub async fn start() -> Result<Self, String> {
        let config = config();
        for folder in [DATA, REPOSITORIES] {
            file::create_dir_all(Path::new(folder)).await.map_err(|error| error.to_string())?;
        }
        let paths = Paths::at(Path::new(DATA));
        let bytes = match file::read_all(&paths.metadata()).await {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let state = Arc::new(metadata::state_of(bytes.as_deref(), &paths.metadata(), &config, this_node())?);
        for (left, _) in metadata::left_of_deleted(paths.root(), &state) {
            // As at a real start: what cannot be removed stays.
            let _ = file::remove_dir_all(&left).await;
        }
        let facts = facts();
        let parts = Parts {
            id: 0,
            mesh: mesh::build(1).pop().expect("one seat"),
            state: state.clone(),
            facts: facts.clone(),
            host: HostConfig {
                data: paths.root().to_owned(),
                index_buffer_bytes: 32 << 10,
                write_queue_bytes: 64 << 20,
                index_memory: NodeMemory::new(64 << 10, 1),
                request_cache_bytes: 1 << 20,
                contexts: Arc::default(),
                neighbours: Arc::default(),
                write_pressure: facts.write_pressure.clone(),
                pressure: facts.pressure.clone(),
            },
            paths,
        };
        let (core, reconciler) = assemble(parts);
        reconciler.follow(&state);
        Ok(Self { core, router: Rc::new(Router::new(&api::routes(false))), reconciler })
    }

    pub async fn ask(&self, method: Method, target: impl Into<String>, body: impl Into<String>) -> Answer {
        let body: String = body.into();
        let incoming = Incoming {
            method,
            target: target.into(),
            content_type: Some("application/json".to_owned()),
            accept: None,
            opaque_id: None,
            authorization: None,
            tenant: None,
            remote: None,
            body: Bytes::from(body),
            peer: Peer::default(),
        };
        let answer = serve(&self.core, &self.router, incoming).await;
        Answer { status: answer.status, body: serde_json::from_slice(&answer.body).unwrap_or(Value::Null) }
    }

    pub async fn get(&self, target: impl Into<String>) -> Answer {
        self.ask(Method::Get, target, "").await
    }

    pub async fn put(&self, target: impl Into<String>, body: impl Into<String>) -> Answer {
        self.ask(Method::Put, target, body).await
    }

    pub async fn post(&self, target: impl Into<String>, body: impl Into<String>) -> Answer {
        self.ask(Method::Post, target, body).await
    }

    pub async fn delete(&self, target: impl Into<String>) -> Answer {
        self.ask(Method::Delete, target, "").await
    }

    /// The clean end.
    pub async fn stop(&self) -> pith_engine::Result<()> {
        self.reconciler.shutdown().await
    }
}

fn config() -> Config {
    let mut settings = Settings::new();
    settings.insert("path.repo", REPOSITORIES);
    let port = |port| ([127, 0, 0, 1], port).into();
    Config {
        cluster_name: "pith".into(),
        node_name: "simulated".into(),
        data: DATA.into(),
        folder: format!("{DATA}/config").into(),
        http: port(9200),
        transport: port(9300),
        topology: Topology::first(1),
        settings,
    }
}

fn this_node() -> Node {
    Node {
        id: "node".into(),
        ephemeral_id: "e".into(),
        name: "simulated".into(),
        host: "127.0.0.1".into(),
        ip: "127.0.0.1".into(),
        transport_address: "127.0.0.1:9300".into(),
        http_address: "127.0.0.1:9200".into(),
        roles: ["cluster_manager", "data", "ingest"].map(str::to_owned).to_vec(),
        attributes: Default::default(),
        cores: 1,
    }
}

fn facts() -> Arc<Facts> {
    static STATS: OnceLock<ServerStats> = OnceLock::new();
    let stats = STATS.get_or_init(|| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("any port will do");
        pith_net::http::seats(listener, 1)[0].stats()
    });
    Arc::new(Facts {
        node_id: "node".into(),
        started: Instant::now(),
        started_ms: 0,
        data: DATA.into(),
        stop: StopSignal::new(),
        http_body_bytes: 100 << 20,
        http: stats.clone(),
        analyze_cache: Arc::default(),
        write_pressure: Arc::default(),
        statuses: StatusCounts::default(),
        changes: Default::default(),
        pressure: Arc::default(),
        compilations: crate::observe::Compilations::default(),
    })
}
