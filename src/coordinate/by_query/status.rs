//! What has been done so far.

use crate::coordinate::clock::duration_text;
use pith_engine::Error;
use pith_engine::json::Writer;
use pith_engine::search::ShardFailure;
use std::time::Duration;

/// Counts of one worker, or of all together.
#[derive(Clone, Debug, Default)]
pub struct Status {
    pub slice: Option<u32>,
    pub total: u64,
    pub updated: u64,
    pub created: u64,
    pub deleted: u64,
    pub batches: u64,
    pub version_conflicts: u64,
    pub noops: u64,
    /// Searches of another cluster that were sent again.
    pub search_retries: u64,
    /// The pauses that have come to their end.
    pub throttled: Duration,
    pub requests_per_second: f32,
    pub cancelled: bool,
    /// How much of a pause is left.
    pub throttled_until: Duration,
    pub slices: Vec<Part>,
}

/// One slice of an operation, for those who look at the whole.
#[derive(Clone, Debug)]
pub enum Part {
    Running,
    Done(Status),
    Failed(Error),
}

/// Which counts an operation shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub updated: bool,
    pub created: bool,
    /// Whether times stand there for people too.
    pub human: bool,
}

impl Shown {
    /// As results that are stored show it.
    pub const ALL: Self = Self { updated: true, created: true, human: true };
    /// As those who look at the task see it.
    pub const OF_TASK: Self = Self { human: false, ..Self::ALL };
}

impl Status {
    /// All slices together: what those have done that are at their end, and the shortest of their pauses.
    pub fn of_parts(parts: Vec<Part>) -> Self {
        let mut whole = Self::default();
        let done = || parts.iter().filter_map(|part| if let Part::Done(part) = part { Some(part) } else { None });
        done().for_each(|part| whole.add(part));
        whole.throttled_until = done().map(|part| part.throttled_until).min().unwrap_or_default();
        Self { slices: parts, ..whole }
    }

    fn add(&mut self, part: &Status) {
        self.total += part.total;
        self.updated += part.updated;
        self.created += part.created;
        self.deleted += part.deleted;
        self.batches += part.batches;
        self.version_conflicts += part.version_conflicts;
        self.noops += part.noops;
        self.search_retries += part.search_retries;
        self.throttled += part.throttled;
        self.requests_per_second += part.requests_per_second;
        self.cancelled |= part.cancelled;
    }

    pub fn to_json(&self, shown: Shown) -> Vec<u8> {
        let mut w = Writer::new();
        w.begin_object();
        self.write(shown, &mut w);
        w.end_object();
        w.finish()
    }

    /// Writes the fields of an object.
    pub fn write(&self, shown: Shown, w: &mut Writer) {
        if let Some(slice) = self.slice {
            w.key("slice_id").u64(slice.into());
        }
        w.key("total").u64(self.total);
        if shown.updated {
            w.key("updated").u64(self.updated);
        }
        if shown.created {
            w.key("created").u64(self.created);
        }
        w.key("deleted").u64(self.deleted).key("batches").u64(self.batches);
        w.key("version_conflicts").u64(self.version_conflicts).key("noops").u64(self.noops);
        // Within the cluster what fails fails for good: there is no queue in between that could refuse it for a moment.
        w.key("retries").begin_object().key("bulk").u64(0).key("search").u64(self.search_retries).end_object();
        if shown.human {
            w.key("throttled").string(&duration_text(self.throttled));
        }
        w.key("throttled_millis").u64(self.throttled.as_millis() as u64);
        let speed = if self.requests_per_second.is_finite() { self.requests_per_second } else { -1.0 };
        w.key("requests_per_second").f32(speed);
        if self.cancelled {
            w.key("canceled").string("by user request");
        }
        if shown.human {
            w.key("throttled_until").string(&duration_text(self.throttled_until));
        }
        w.key("throttled_until_millis").u64(self.throttled_until.as_millis() as u64);
        if !self.slices.is_empty() {
            w.key("slices").begin_array();
            for slice in &self.slices {
                match slice {
                    Part::Running => _ = w.null(),
                    Part::Done(slice) => _ = w.raw(&slice.to_json(shown)),
                    Part::Failed(error) => error.write(w),
                }
            }
            w.end_array();
        }
    }
}

/// A document that could not be written.
#[derive(Clone, Debug)]
pub struct WriteFailure {
    pub index: String,
    pub id: Option<String>,
    pub error: Error,
}

/// The end of an operation.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub status: Status,
    pub timed_out: bool,
    pub write_failures: Vec<WriteFailure>,
    pub search_failures: Vec<ShardFailure>,
}

impl Outcome {
    pub fn http_status(&self) -> u16 {
        let writes = self.write_failures.iter().map(|failure| failure.error.status());
        let searches = self.search_failures.iter().map(|failure| failure.reason.status());
        writes.chain(searches).chain(self.timed_out.then_some(503)).max().unwrap_or(200)
    }

    /// The body of the answer.
    pub fn body(&self, shown: Shown, took_ms: u64) -> Vec<u8> {
        let mut w = Writer::new();
        w.begin_object().key("took").u64(took_ms).key("timed_out").bool(self.timed_out);
        self.status.write(shown, &mut w);
        w.key("failures").begin_array();
        for failure in &self.write_failures {
            w.begin_object().key("index").string(&failure.index);
            w.key("id");
            match &failure.id {
                Some(id) => w.string(id),
                None => w.null(),
            };
            w.key("cause");
            failure.error.write(&mut w);
            w.key("status").u64(failure.error.status().into()).end_object();
        }
        for failure in &self.search_failures {
            w.begin_object();
            if let Some(index) = &failure.index {
                w.key("index").string(index);
            }
            w.key("shard").i64(failure.shard.into());
            if let Some(node) = &failure.node {
                w.key("node").string(node);
            }
            w.key("status").u64(failure.reason.status().into()).key("reason");
            failure.reason.write(&mut w);
            w.end_object();
        }
        w.end_array().end_object();
        w.finish()
    }
}
