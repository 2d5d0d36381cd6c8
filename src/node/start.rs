//! From a configuration to a node that serves, and to its end.

use super::config::Config;
use super::core_loop::{CoreSeat, run_core};
use super::data_folder::{DataFolder, new_id};
use super::{http, memory, metadata, tls};
use crate::cluster::Node;
use crate::observe::Compilations;
use crate::observe::facts::StatusCounts;
use crate::observe::{Facts, Pressure, logging};
use crate::settings::units::parse_bytes;
use crate::shards::{HostConfig, Neighbours, NodeMemory};
use pith_engine::analysis::Registry;
use pith_net::rt::{self, StopSignal};
use pith_net::{http as wire, mesh};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Share of the machine's memory for documents that are not sealed yet (`indices.memory.index_buffer_size`).
const INDEX_BUFFER_PERCENT: f64 = 10.0;
/// The same for segments (`node.search.cache.size`).
const INDEX_PERCENT: f64 = 50.0;
/// The same for results of searches that are kept (`indices.requests.cache.size`).
const REQUEST_CACHE_PERCENT: f64 = 1.0;
/// Share of the machine's memory for writes being handled (`indexing_pressure.memory.limit`).
const WRITE_QUEUE_PERCENT: f64 = 10.0;

/// Reads and makes what all indexes share; a core that had to do it first would be held up.
fn prepare_analysis(config: &Config) -> Result<(), String> {
    super::config_folder::read(&config.folder).install();
    drop(Registry::built_in());
    super::processors::prepare(&config.settings)
}

/// Runs a node until `stop` is set. All that can be wrong with the machine, the folder or the ports is found before
/// anything starts, and told in the error.
pub fn run(config: Config, stop: StopSignal) -> Result<(), String> {
    let began = Instant::now();
    let folder = DataFolder::open(&config.data)?;
    let (http_listener, http) = listen("http", config.http)?;
    let (transport_listener, transport) = listen("transport", config.transport)?;
    prepare_analysis(&config)?;
    let node = this_node(&config, &folder, http, transport);
    let node_id = node.id.clone();
    let state = Arc::new(metadata::load(&folder, &config, node)?);
    logging::set_levels(&[&state.configured, &state.persistent]);
    let tls = tls::acceptor(&config.settings, &config.folder)?;
    let cores = config.topology.len();
    let seats = wire::seats(http_listener, cores);
    let host = host_config(&config, folder.paths.root(), memory::of(&state))?;
    let limits = wire::Limits { bodies: host.pressure.bodies.clone(), ..http::limits(&config.settings)? };
    let facts = Arc::new(Facts {
        node_id,
        started: began,
        started_ms: crate::coordinate::clock::now_ms().max(0) as u64,
        data: folder.paths.root().to_owned(),
        stop: stop.clone(),
        http_body_bytes: limits.body_bytes as u64,
        http: seats[0].stats(),
        analyze_cache: Arc::default(),
        write_pressure: host.write_pressure.clone(),
        statuses: StatusCounts::default(),
        changes: Default::default(),
        pressure: host.pressure.clone(),
        compilations: Compilations::default(),
    });
    let (drained, joined) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seats = mesh::build(cores).into_iter().zip(seats).map(|(mesh, http)| {
        Some(CoreSeat {
            mesh,
            http,
            transport: None,
            state: state.clone(),
            facts: facts.clone(),
            paths: folder.paths.clone(),
            host: host.clone(),
            limits: limits.clone(),
            tls: tls.clone(),
            stop: stop.clone(),
            drained: drained.clone(),
            joined: joined.clone(),
        })
    });
    let mut seats: Vec<Option<CoreSeat>> = seats.collect();
    if let Some(Some(first)) = seats.first_mut() {
        first.transport = Some(transport_listener);
    }
    tracing::info!(
        cluster = config.cluster_name,
        node = config.node_name,
        id = &*facts.node_id,
        cores,
        data = %folder.paths.root().display(),
        indexes = state.indices.len(),
        "starting"
    );
    tracing::info!(%http, %transport, took_ms = began.elapsed().as_millis() as u64, "listening");
    // Each core takes its own seat, once, before anything runs on it.
    let seats = Arc::new(Mutex::new(seats));
    let ended = rt::run(&config.topology, move |core| {
        let seat = seats.lock().ok().and_then(|mut seats| seats.get_mut(core).and_then(Option::take));
        async move {
            if let Some(seat) = seat {
                run_core(core, seat).await;
            }
        }
    });
    drop(folder);
    how_it_ended(ended.map_err(|error| format!("the cores cannot be started: {error}"))?)
}

fn how_it_ended(cores: Vec<Result<(), String>>) -> Result<(), String> {
    let failed: Vec<String> = cores.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() {
        tracing::info!("stopped");
        return Ok(());
    }
    Err(format!("a core ended early: {}", failed.join("; ")))
}

/// How long a port may be in use by a process that is gone: the kernel takes a moment to let go of the sockets in the rings
/// of one that was killed.
const PORT_GRACE: Duration = Duration::from_millis(500);

fn listen(which: &str, address: SocketAddr) -> Result<(TcpListener, SocketAddr), String> {
    let began = Instant::now();
    loop {
        match rt::listen(address) {
            Ok(listening) => return Ok(listening),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse && began.elapsed() < PORT_GRACE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(format!("cannot listen for {which} on [{address}]: {error}")),
        }
    }
}

fn this_node(config: &Config, folder: &DataFolder, http: SocketAddr, transport: SocketAddr) -> Node {
    let attribute = "node.attr.";
    let attributes = config.settings.with_prefix(attribute);
    let mut attributes: BTreeMap<String, String> =
        attributes.map(|(key, value)| (key[attribute.len()..].to_owned(), value.text())).collect();
    // Every node of the reference has it: its coordinator asks nodes so whether they take part in indexing pressure.
    attributes.entry("shard_indexing_pressure_enabled".to_owned()).or_insert_with(|| "true".to_owned());
    Node {
        id: folder.node_id.clone(),
        ephemeral_id: new_id(),
        name: config.node_name.clone(),
        host: transport.ip().to_string(),
        ip: transport.ip().to_string(),
        transport_address: transport.to_string(),
        http_address: http.to_string(),
        roles: ["cluster_manager", "data", "ingest"].map(str::to_owned).to_vec(),
        attributes,
        cores: config.topology.len(),
    }
}

fn host_config(config: &Config, data: &Path, pressure: Arc<Pressure>) -> Result<HostConfig, String> {
    let memory = crate::observe::system::read().memory_total_bytes.max(1 << 28);
    let share = |key: &str, percent: f64| -> Result<usize, String> {
        let bytes = match config.settings.text(key) {
            None => memory as f64 * percent / 100.0,
            Some(text) => match text.strip_suffix('%').and_then(|text| text.trim().parse::<f64>().ok()) {
                Some(percent) => memory as f64 * percent / 100.0,
                None => parse_bytes(key, text).map_err(|error| error.reason().to_owned())? as f64,
            },
        };
        Ok((bytes as usize / config.topology.len()).max(1 << 20))
    };
    // 0 is the reference's default, which there means that nothing is kept: here it leaves the size to the node.
    let index_bytes = match config.settings.text("node.search.cache.size") {
        None | Some("0" | "0b") => (memory as f64 * INDEX_PERCENT / 100.0) as usize,
        Some(_) => share("node.search.cache.size", INDEX_PERCENT)? * config.topology.len(),
    };
    Ok(HostConfig {
        data: data.to_owned(),
        index_memory: NodeMemory::new(index_bytes as u64, config.topology.len()),
        index_buffer_bytes: share("indices.memory.index_buffer_size", INDEX_BUFFER_PERCENT)?,
        write_queue_bytes: share("indexing_pressure.memory.limit", WRITE_QUEUE_PERCENT)?,
        request_cache_bytes: share("indices.requests.cache.size", REQUEST_CACHE_PERCENT)?,
        contexts: Arc::default(),
        neighbours: Neighbours::new(config.topology.len()),
        write_pressure: Arc::default(),
        pressure,
    })
}
