//! What can be seen of a running node from outside: its log and the figures of its process and machine.
//!
//! - [`logging`]: lines to stderr as text or JSON, and their levels, which may change while the node runs.
//! - [`facts`]: what stays true of a node while it runs.
//! - [`pressure`]: how much waits, and when it will be less. [`bookings`]: who was told to come again, and when.
//! - [`Compilations`]: scripts compiled of late, and how many may be.
//! - [`system`]: processor, memory, files and disk, as the kernel tells them.
//! - [`control_groups`]: what the kernel accounts to the groups of the process, and to disks.
//! - [`threads`]: what the threads of the process did.
//!
//! What this room does not know: indexes, shards, requests.

pub mod bookings;
mod compilations;
pub mod control_groups;
pub mod facts;
pub mod logging;
pub mod pressure;
pub mod system;
pub mod threads;

pub use compilations::Compilations;
pub use facts::{Changes, Ends, Facts, WritePressure};
pub use pressure::Pressure;
