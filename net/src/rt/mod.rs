//! Our thin face of glommio: one executor per core, and everything that may be asked of it.
//!
//! ```text
//! topology   which cpu each executor is pinned to
//! preflight  what the machine must offer, checked before anything starts
//! run        starts the executors, gathers how they ended
//! core       what one core knows of itself: task queues, live tasks, inbox
//! task       spawn, cancel, join; a panic stays inside its task
//! time       sleep, timeout, interval, yielding
//! sync       notification and one-shot between tasks of one core
//! offload    blocking work, on threads that are not cores
//! bell       wakes a parked task from any thread
//! remote     posting a closure to another core
//! signal     SIGTERM and SIGINT as something to await
//! stall      counts the times that a core was not handed back
//! vigil      keeps glommio from oversleeping
//! socket     TCP streams with vectored writes; listening
//! file/      io_uring files, folders, the append file of a translog
//! ```
//!
//! All sharp edges of glommio are handled here, each beside a comment that names it. What this room does not know: HTTP, the mesh, and anything
//! that travels over them. A core never takes a lock and never makes a blocking file call; both belong into `offload`.

pub(crate) mod bell;
mod core;
pub mod file;
mod offload;
mod preflight;
mod remote;
mod run;
mod signal;
mod socket;
mod stall;
mod sync;
mod task;
mod time;
mod topology;
mod vigil;

pub use self::{
    core::{current_core, on_core},
    offload::offload,
    preflight::{preflight, prepare_data_path},
    remote::Remote,
    run::{block_on, run},
    signal::StopSignal,
    socket::{Accepted, TcpListener, TcpStream, listen, resolve},
    stall::stalls,
    sync::{Event, Notify, OneshotReceiver, OneshotSender, oneshot},
    task::{Class, Panicked, Task, panics, spawn, spawn_in},
    time::{Interval, interval, need_preempt, sleep, timeout, yield_if_needed, yield_now},
    topology::Topology,
};

pub(crate) use self::{socket::shutdown, task::report_panic};
