//! The runtime and the wires of Pith.
//!
//! ```text
//! rt/     the runtime on io_uring: executors, tasks, timers, offload, files, sockets, signals, stall detector
//! mesh/   rings between cores: call and reply, back-pressure
//! tls/    connections that are encrypted, coming in and going out
//! http/   HTTP/1.1: sans-IO parser, connection, limits, compression, hand-out of sockets to cores
//! atomic  the atomics of std, or those of loom when its model checker runs the tests
//! ```
//!
//! Imports run one way: `http` → `tls`, `mesh` → `rt`, and nothing outside `rt` names io_uring.
//! This crate knows nothing of search: no index, shard, query, setting or error type of the engine. It never decides
//! what an error answer says (the caller hands it a function for that), and it opens no file of its own accord.
//!
//! `RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom cargo test -p pith-net --lib mesh` runs the model checks of the
//! doorbell and the rings; io_uring and all that stands on it are left out of such a build.

mod atomic;
#[cfg(not(loom))]
pub mod http;
pub mod mesh;
#[cfg(not(loom))]
pub mod rt;
#[cfg(not(loom))]
pub mod tls;

#[cfg(loom)]
mod rt {
    pub mod bell;
}
