//! Writing what a search finds: update by query, delete by query and reindex.
//!
//! - [`spec`]: what is asked for.
//! - `pages`: where documents come from: a scroll of this cluster,
//! - [`remote`]: or one of another, over its interface.
//! - `run`: slices, pages of a scroll, one bulk for each page.
//! - `progress`: how far an operation is, and the pauses that keep it to its speed.
//! - `scripted`: what a script makes of each document.
//! - [`stored`]: the results that nobody waits for.
//! - [`status`]: what has been done so far, and how it is shown.
//!
//! Every page is searched in one point in time, and every document written only if it has not changed since: what changed is
//! a conflict. This room does not know how requests arrive.

mod pages;
mod progress;
pub mod remote;
mod run;
mod scripted;
pub mod spec;
pub mod status;
pub mod stored;

pub use run::{SOURCE_OPTIONS, check_enough, refused, run, sources};
pub use spec::{ByQuery, Destination, Work};
pub use status::{Outcome, Status};
