//! The runtime: one executor per core on an io_uring of its own, and everything that may be asked of it.
//!
//! ```text
//! topology   which cpu each executor is pinned to
//! preflight  what the machine must offer, checked before anything starts
//! huge_text, huge_memory  the program's code, and memory that stays, on huge pages
//! run        starts the executors, gathers how they ended
//! executor   the loop of a core: what was answered, what is ready, sleep
//! core       what one core knows of itself: run queue, live tasks, ring, timers, inbox
//! run_queue  ready tasks by class, and which class is next
//! reactor    the ring: operations, watched sockets, the sleep of the core
//! home       how other threads wake a core's tasks
//! timers     what ends when
//! boxed      futures made where they stay
//! task       spawn, cancel, join; a panic stays inside its task
//! time       sleep, timeout, interval, yielding
//! sync       notification and one-shot between tasks of one core
//! offload    blocking work, on threads that are not cores
//! bell       wakes a parked task from any thread
//! remote     posting a closure to another core
//! signal     SIGTERM and SIGINT as something to await
//! busy       how much of its time a core works
//! figures    what a core has done, for those who watch it
//! stall      counts the times that a core was not handed back
//! socket     TCP streams with vectored writes; listening
//! simulation a core whose time and disk are made up, for tests
//! file/      io_uring files, folders, the append file of a translog
//! ```
//!
//! What this room does not know: HTTP, the mesh, and anything that travels over them. A core never takes a lock and never makes a
//! blocking file call; both belong into `offload`.

pub(crate) mod bell;
mod boxed;
mod busy;
mod core;
mod executor;
mod figures;
pub mod file;
mod gave_way;
mod home;
mod huge_memory;
mod huge_text;
mod offload;
mod preflight;
mod reactor;
mod remote;
mod run;
mod run_queue;
mod shell;
mod signal;
mod simulation;
mod socket;
mod stall;
mod sync;
mod task;
mod time;
mod timers;
mod topology;

pub use self::{
    boxed::boxed,
    busy::Busy,
    core::{current_core, on_core},
    figures::{Figures, LONG_STRETCHES},
    huge_memory::on_huge_pages,
    huge_text::huge_text,
    offload::offload,
    preflight::{preflight, prepare_data_path},
    remote::Remote,
    run::{block_on, run},
    signal::StopSignal,
    simulation::{Random, simulate},
    socket::{Accepted, TcpListener, TcpStream, listen, resolve},
    stall::{Stall, recent_stalls, stalls},
    sync::{Event, Notify, OneshotReceiver, OneshotSender, oneshot},
    task::{Class, Panicked, Task, panics, spawn, spawn_in},
    time::{
        Interval, elapsed, give_way, interval, must_give_way, need_preempt, now, sleep, timeout, yield_if_needed,
        yield_now,
    },
    topology::Topology,
};

pub(crate) use self::{
    socket::{has_hung_up, shutdown},
    task::report_panic,
};
