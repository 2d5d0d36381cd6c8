//! Shards that have come to rest: what was written in many refreshes stands in small segments, which every search goes through one after
//! the other, and now there is time to make them few.

use super::open_shard::OpenShard;
use pith_engine::shard::ForceMerge;
use pith_net::rt::{self, Class};
use std::rc::Rc;
use std::time::Duration;

/// A shard is at rest when nobody has written to it for so long.
const REST_AFTER: Duration = Duration::from_secs(5);

impl OpenShard {
    /// Merges small segments once nobody writes any more. Called after writes.
    pub fn schedule_rest(self: &Rc<Self>) {
        if self.upkeep.rest_awaited.replace(true) {
            return;
        }
        let shard = Rc::downgrade(self);
        rt::spawn_in(Class::Background, async move {
            loop {
                rt::sleep(REST_AFTER).await;
                let Some(shard) = shard.upgrade().filter(|shard| shard.is_open()) else { return };
                if rt::elapsed(shard.upkeep.last_write.get()) >= REST_AFTER {
                    shard.upkeep.rest_awaited.set(false);
                    return shard.merge_small().await;
                }
            }
        })
        .detach();
    }

    /// Merges small segments as long as that is worth it.
    pub(super) async fn merge_small(self: &Rc<Self>) {
        loop {
            match self.merge_step(Some(ForceMerge::Small)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    if self.is_open() {
                        let (index_uuid, shard) = (&self.addr.index_uuid, self.addr.shard);
                        tracing::error!(%index_uuid, shard, "merge at rest failed: {error}");
                    }
                    return;
                }
            }
        }
    }
}
