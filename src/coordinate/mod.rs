//! From a request to the shards that answer it, and back.
//!
//! - [`allowed`]: the last question before indexes and shards are asked: is it allowed to whom it is done for?
//! - [`core`]: what one core knows of the node: the cluster state, the mesh to the other cores, its own shards.
//! - [`message`]: what cores ask of each other.
//! - [`write`](mod@write): operations on documents: missing indexes created, routed, one message per core, answers in order.
//! - [`ingest`]: documents through pipelines before that. [`update`](mod@update): updates of indexes that have some.
//! - [`bulk_gate`]: how many bulk requests are taken apart at once.
//! - [`read`]: documents by id, one or many.
//! - [`search`]: searches and counts.
//! - [`snapshots`]: kept outside, and brought back.
//! - [`by_query`]: writing what a search finds, and the results of such work that nobody waits for.
//! - [`broadcast`](mod@broadcast): one question to many shards.
//! - `script_host`: what scripts of requests ask of the node: stored ones, and leave to compile.
//! - [`ids`], [`clock`]: ids for documents without one, the time of day.
//!
//! This room does not know HTTP, parameters or how shards keep their documents.

pub mod admission;
pub mod allowed;
pub mod analyze_cache;
pub mod broadcast;
pub mod bulk_gate;
pub mod by_query;
pub mod clock;
pub mod closed;
pub mod core;
pub mod ids;
pub mod ingest;
pub mod message;
pub mod read;
mod script_host;
pub mod search;
pub mod snapshots;
pub mod term_vectors;
pub mod update;
pub mod write;

pub use core::{Core, CoreFigures, Links, MANAGER_CORE, ShardHandler, SubmitHandler};
pub use message::{Answer, Changed, Message};

/// What requests to shards are made of, for those who ask through this room.
pub use crate::shards::{CacheAsk, ClearCaches, Recovery, RefreshPolicy, SegmentInfo, ShardReply, ShardRequest};
