//! Rings between cores: call and reply, back-pressure.
//!
//! ```text
//! ring    single producer, single consumer, bounded; no lock, no allocation after start
//! pending calls of one core that wait for their answer
//! seat    one core's end of the mesh: outboxes, running handlers, the resident task
//! visits  which cores a piece of work has called
//! models  loom checks of ring and doorbell together: order, no lost wake-up, full and empty edges
//! ```
//!
//! Every ordered pair of cores has two rings, one for requests and one for replies, made before the executors start. Requests
//! and replies do not share a ring, so that a core that takes no more requests still gets its answers.
//!
//! What this room does not know: what is called. Requests and replies are the caller's types, moved and never copied.

#[cfg(all(loom, test))]
mod models;
#[cfg(not(loom))]
mod pending;
pub(crate) mod ring;
#[cfg(not(loom))]
mod seat;
#[cfg(not(loom))]
mod visits;

#[cfg(not(loom))]
pub use self::seat::{Lost, Mesh, MeshSeat, MeshStats, build};
#[cfg(not(loom))]
pub(crate) use self::visits::Visits;
