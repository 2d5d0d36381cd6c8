//! `_nodes`: what nodes are.

use super::super::indices::stats_sections::for_people;
use super::super::root::REFERENCE_VERSION;
use super::super::{ApiRequest, Method, Reply, Route};
use super::{aggregations, is_chosen};
use crate::api::cat::thread_pool::{Kind, POOLS};
use crate::cluster::{Node, State};
use crate::coordinate::Core;
use crate::observe::system::{self, Machine};
use pith_engine::Result;
use pith_engine::ingest::processor_kinds;
use pith_engine::json::Writer;
use pith_engine::search_pipeline::{request_kinds, response_kinds};
use pith_net::rt;
use std::rc::Rc;

const fn row(path: &'static str) -> Route {
    Route {
        method: Method::Get,
        path,
        name: "nodes_info_action",
        params: &[&["timeout", "flat_settings", "settings_filter"]],
        handler: |core, request| Box::pin(info(core, request)),
    }
}

pub const ROUTES: &[Route] = &[
    row("/_nodes"),
    row("/_nodes/{nodeId}"),
    row("/_nodes/{nodeId}/{metrics}"),
    row("/_nodes/{nodeId}/info/{metrics}"),
];

const METRICS: [&str; 12] = [
    "settings",
    "os",
    "process",
    "jvm",
    "thread_pool",
    "transport",
    "http",
    "plugins",
    "ingest",
    "search_pipelines",
    "aggregations",
    "indices",
];

async fn info(core: Rc<Core>, request: ApiRequest) -> Result<Reply> {
    request.time_ms_of("NodesInfoRequest", "timeout")?;
    let flat = request.flag("flat_settings", false)?;
    let state = core.state();
    let first = request.param("nodeId").unwrap_or("_all");
    // `/_nodes/{x}` is a filter of nodes, unless all its words are metrics.
    let words: Vec<&str> = first.split(',').collect();
    let only_metrics = !request.has("metrics") && words.iter().all(|word| METRICS.contains(word));
    let (filter, metrics) = if only_metrics { ("_all", words) } else { (first, request.list("metrics")) };
    let chosen = is_chosen(&state, core.node_id(), filter);
    let machine = rt::offload(system::machine).await;
    let count = u64::from(chosen);
    let mut w = Writer::new();
    w.begin_object();
    w.key("_nodes")
        .begin_object()
        .key("total")
        .u64(count)
        .key("successful")
        .u64(count)
        .key("failed")
        .u64(0)
        .end_object();
    w.key("cluster_name").string(&state.cluster_name);
    w.key("nodes").begin_object();
    if let Some(node) = state.nodes.get(core.node_id()).filter(|_| chosen) {
        w.key(core.node_id()).begin_object();
        write_identity(node, &mut w);
        let wants = |metric: &str| metrics.is_empty() || metrics.contains(&"_all") || metrics.contains(&metric);
        for (metric, write) in PARTS {
            if wants(metric) {
                write(&Subject { core: &core, state: &state, node, machine: &machine, flat }, &mut w);
            }
        }
        w.end_object();
    }
    w.end_object().end_object();
    let answer = w.finish();
    Ok(Reply::json(200, if request.common.human { for_people(answer) } else { answer }))
}

fn write_identity(node: &Node, w: &mut Writer) {
    w.key("name").string(&node.name);
    w.key("transport_address").string(&node.transport_address);
    w.key("host").string(&node.host);
    w.key("ip").string(&node.ip);
    w.key("version").string(REFERENCE_VERSION);
    w.key("build_type").string("tar");
    w.key("build_hash").string(crate::REFERENCE_BUILD_HASH);
    write_roles(node, w);
}

/// Writes `roles` and `attributes`.
pub fn write_roles(node: &Node, w: &mut Writer) {
    w.key("roles").begin_array();
    for role in node.roles.iter() {
        w.string(role);
    }
    w.end_array();
    w.key("attributes").begin_object();
    for (name, value) in &node.attributes {
        w.key(name).string(value);
    }
    w.end_object();
}

struct Subject<'a> {
    core: &'a Core,
    state: &'a State,
    node: &'a Node,
    machine: &'a Machine,
    flat: bool,
}

type Part = fn(&Subject<'_>, &mut Writer);

/// In the order in which they are written. What is asked for and has no row is nothing that Pith has.
const PARTS: &[(&str, Part)] = &[
    ("settings", |s, w| {
        let mut settings = s.state.configured.as_ref().clone();
        settings.insert("cluster.name", &*s.state.cluster_name);
        settings.insert("node.name", s.node.name.as_str());
        settings.insert("client.type", "node");
        // Typed clients need these to be there.
        let data = s.core.facts().map(|facts| facts.data.display().to_string()).unwrap_or_default();
        for (key, value) in [
            ("http.type.default", "pith"),
            ("transport.type.default", "pith"),
            ("path.home", &*data),
            ("path.data", &*data),
            ("path.logs", ""),
        ] {
            if !settings.contains(key) {
                settings.insert(key, value);
            }
        }
        w.key("settings");
        settings.write(w, s.flat);
    }),
    ("os", |s, w| {
        w.key("os").begin_object();
        w.key("refresh_interval_in_millis").u64(1000);
        w.key("name").string("Linux");
        w.key("pretty_name").string(&s.machine.system_name);
        w.key("arch").string(std::env::consts::ARCH);
        w.key("version").string(&s.machine.kernel);
        w.key("available_processors").u64(s.machine.processors as u64);
        w.key("allocated_processors").u64(s.node.cores as u64);
        w.end_object();
    }),
    ("process", |_, w| {
        w.key("process").begin_object();
        w.key("refresh_interval_in_millis").u64(1000);
        w.key("id").u64(std::process::id().into());
        w.key("mlockall").bool(false);
        w.end_object();
    }),
    // There is no virtual machine. Clients that look for the memory of one find that of the process.
    ("jvm", |s, w| {
        w.key("jvm").begin_object().key("pid").u64(std::process::id().into());
        w.key("start_time_in_millis").u64(s.core.facts().map_or(0, |facts| facts.started_ms));
        // There is no such machine; what it would run in is the process.
        for key in ["version", "vm_version"] {
            w.key(key).string(env!("CARGO_PKG_VERSION"));
        }
        for key in ["vm_name", "vm_vendor"] {
            w.key(key).string("pith");
        }
        w.key("bundled_jdk").bool(false).key("using_bundled_jdk").bool(false);
        w.key("mem").begin_object().key("heap_init_in_bytes").u64(0);
        w.key("heap_max_in_bytes").u64(s.machine.memory_bytes);
        for key in ["non_heap_init_in_bytes", "non_heap_max_in_bytes", "direct_max_in_bytes"] {
            w.key(key).u64(0);
        }
        w.end_object();
        for key in ["gc_collectors", "memory_pools", "input_arguments"] {
            w.key(key).begin_array().end_array();
        }
        w.key("using_compressed_ordinary_object_pointers").string("false");
        w.end_object();
    }),
    // Work of all kinds runs on the cores; none has threads of its own.
    ("thread_pool", |s, w| {
        w.key("thread_pool").begin_object();
        for (name, kind, _) in POOLS {
            w.key(name).begin_object().key("type").string(kind.name());
            match kind {
                Kind::Scaling => {
                    w.key("core").u64(1).key("max").u64(s.node.cores as u64).key("keep_alive").string("5m");
                }
                Kind::Fixed | Kind::Resizable => _ = w.key("size").u64(s.node.cores as u64),
            }
            w.key("queue_size").i64(-1).end_object();
        }
        w.end_object();
    }),
    ("transport", |s, w| {
        w.key("transport").begin_object();
        w.key("bound_address").begin_array().string(&s.node.transport_address).end_array();
        w.key("publish_address").string(&s.node.transport_address);
        w.key("profiles").begin_object().end_object();
        w.end_object();
    }),
    ("http", |s, w| {
        w.key("http").begin_object();
        w.key("bound_address").begin_array().string(&s.node.http_address).end_array();
        w.key("publish_address").string(&s.node.http_address);
        let limit = s.core.facts().map_or(0, |facts| facts.http_body_bytes);
        w.key("max_content_length_in_bytes").u64(limit);
        w.end_object();
    }),
    ("plugins", |_, w| {
        w.key("plugins").begin_array().end_array();
        // Clients ask what a node can do by the modules that it comes in with the reference.
        w.key("modules").begin_array();
        for (name, extends) in MODULES {
            w.begin_object().key("name").string(name).key("version").string(REFERENCE_VERSION);
            w.key("opensearch_version").string(REFERENCE_VERSION).key("description").string(name);
            w.key("java_version").string("").key("classname").string(name);
            w.key("custom_foldername").null();
            w.key("extended_plugins").begin_array();
            extends.iter().for_each(|module| _ = w.string(module));
            w.end_array().key("has_native_controller").bool(false);
            w.key("optional_extended_plugins").begin_array().end_array().end_object();
        }
        w.end_array();
    }),
    ("ingest", |_, w| {
        w.key("ingest").begin_object().key("processors").begin_array();
        for kind in processor_kinds() {
            w.begin_object().key("type").string(kind).end_object();
        }
        w.end_array().end_object();
    }),
    ("aggregations", |_, w| {
        w.key("aggregations");
        aggregations::write(w);
    }),
    ("search_pipelines", |_, w| {
        let kinds = |key: &str, kinds: &mut dyn Iterator<Item = &'static str>, w: &mut Writer| {
            w.key(key).begin_array();
            for kind in kinds {
                w.begin_object().key("type").string(kind).end_object();
            }
            w.end_array();
        };
        w.key("search_pipelines").begin_object();
        kinds("phase_results_processors", &mut std::iter::empty(), w);
        kinds("request_processors", &mut request_kinds(), w);
        kinds("response_processors", &mut response_kinds(), w);
        w.end_object();
    }),
];

/// The reference's modules whose work a node does, and the modules that they extend.
const MODULES: &[(&str, &[&str])] = &[
    ("aggs-matrix-stats", &[]),
    ("analysis-common", &["lang-painless"]),
    ("geo", &[]),
    ("ingest-common", &["lang-painless"]),
    ("ingest-user-agent", &[]),
    ("lang-expression", &[]),
    ("lang-mustache", &[]),
    ("lang-painless", &[]),
    ("mapper-extras", &[]),
    ("parent-join", &[]),
    ("percolator", &[]),
    ("rank-eval", &[]),
    ("reindex", &[]),
    ("search-pipeline-common", &[]),
];
