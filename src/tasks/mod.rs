//! What runs: every request is a task, and so is every part of it that runs on a shard.
//!
//! - [`registry`]: the tasks of one core, found by number; how they are cancelled and slowed down.
//! - [`measured`]: a future that runs as a task: what it costs is counted, and what it asks of other cores is its child.
//! - `memory`: what all requests of a core hold together, and its bound.
//! - [`progress`]: what a task that takes long tells of itself, and how it is slowed down.
//! - `render`: a task as JSON.
//! - [`usage`]: processor time and memory that a task has taken.
//!
//! A task belongs to the core that runs it; its number says which, so that any core can ask for it. This room does not know what
//! the tasks do.

pub mod measured;
mod memory;
pub mod progress;
pub mod registry;
mod render;
pub mod usage;

pub use measured::{Measured, Part, cancelled_error, check_cancelled, current, within_task};
pub use memory::{check_memory, check_total, held_bytes, too_much};
pub use progress::{Progress, Told};
pub use registry::{Description, NewTask, Parent, Running, Task, TaskAsk, TaskInfo, Tasks, core_of_task};
pub use render::View;
pub use usage::{Cost, Meter, Usage};
