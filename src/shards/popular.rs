//! Results that are asked for again and again are found anew before a refresh or a merge shows other segments: otherwise the first to ask
//! after each would wait for what all others are spared.

use super::open_shard::OpenShard;
use super::request_cache::{CacheKey, Finding, Shown};
use pith_engine::search::ShardResult;
use pith_engine::segment::Snapshot;
use pith_net::rt;
use std::sync::Arc;
use std::time::Duration;

/// How long what is new stays unseen for that.
const PREPARING_MAX: Duration = Duration::from_millis(50);

/// Results on documents that are shown next.
#[derive(Default)]
pub struct Prepared {
    pub next: Option<Arc<Snapshot>>,
    results: Vec<(CacheKey, Finding, ShardResult)>,
}

impl OpenShard {
    /// Finds what is popular among what is shown next.
    pub(super) async fn prepare(&self) -> Prepared {
        let mut prepared = Prepared { next: self.shard.borrow().next_snapshot(), results: vec![] };
        let Some(next) = &prepared.next else { return prepared };
        let popular = {
            let shard = self.shard.borrow();
            let shown = Shown { snapshot: shard.snapshot(), mapping: shard.mapping() };
            self.core.request_cache.popular(&self.addr, &shown, next)
        };
        let results = &mut prepared.results;
        let find_all = async {
            for again in popular {
                let Finding { request, context, scope } = &again.finding;
                // What fails is told whoever asks next.
                if let Ok(result) = self.find(request, context, scope).await
                    && !result.timed_out
                {
                    results.push((again.key, again.finding, result));
                }
                rt::yield_if_needed().await;
            }
        };
        // What has not been found by then is found when somebody asks.
        let _ = rt::timeout(PREPARING_MAX, find_all).await;
        prepared
    }

    /// What was prepared is there for searches from now on, if they see what it was prepared for.
    pub(super) fn keep(&self, prepared: Prepared) {
        if prepared.next.is_none_or(|next| !Arc::ptr_eq(&next, self.shard.borrow().snapshot())) {
            return;
        }
        for (key, finding, result) in &prepared.results {
            self.core.request_cache.put(&self.addr, key, finding, result);
        }
    }
}
