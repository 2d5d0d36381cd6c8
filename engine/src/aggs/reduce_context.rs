//! What is to be kept to while results are merged.

use crate::error::{Error, ErrorKind, Result};
use crate::query::ShardContext;

/// Limits that hold while shards are merged.
#[derive(Debug)]
pub(crate) struct ReduceContext {
    pub(crate) buckets: u64,
    pub(crate) buckets_max: u64,
    /// Whether the parts are all of one shard, each of which knows of all its documents.
    pub(crate) within_shard: bool,
    /// Whether the reference searches shards in slices, and merges what each shard has of them first.
    pub(crate) sliced: bool,
}

impl ReduceContext {
    /// Refuses an aggregation that asks for so many buckets by name before any of them is made.
    pub(crate) fn check_asked(n: usize, cx: &ShardContext) -> Result<()> {
        Self { buckets: 0, buckets_max: cx.limits.max_buckets, within_shard: false, sliced: false }.add_buckets(n)
    }

    /// Merges what one shard says, whose buckets are not those of the answer yet: only what a shard may hold bounds them.
    pub(crate) fn within_shard<T>(&mut self, merge: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mut own = Self { buckets: 0, buckets_max: u64::MAX, within_shard: true, ..*self };
        merge(&mut own)
    }

    /// Whether so many buckets more are too many.
    pub(crate) fn lacks_room(&self, n: usize) -> bool {
        self.buckets.saturating_add(n as u64) > self.buckets_max
    }

    /// Counts buckets of the final answer against `search.max_buckets`.
    pub(crate) fn add_buckets(&mut self, n: usize) -> Result<()> {
        self.buckets += n as u64;
        if self.buckets <= self.buckets_max {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::TooManyBuckets,
            format!(
                "Trying to create too many buckets. Must be less than or equal to: [{}] but was [{}]. This limit can be set by changing the [search.max_buckets] cluster level setting.",
                self.buckets_max, self.buckets
            ),
        )
        .with("max_buckets", self.buckets_max))
    }
}
