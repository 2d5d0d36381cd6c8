//! What takes long and has no place to give way, on a thread that is no core.

use pith_engine::search::{self, Reduced, SearchRequest, ShardResult};
use pith_engine::{Result, deprecated, pace};
use pith_net::rt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What weighs more is merged and written off the core: some thousand buckets, about a millisecond.
pub(super) const LONG_WEIGHT: usize = 512 << 10;

/// Merges the results of shards.
pub(super) async fn reduce(
    request: &Arc<SearchRequest>,
    results: Vec<(u32, ShardResult)>,
    max_buckets: u64,
) -> Result<Reduced> {
    match search::reduce_weight(request, results.iter().map(|(_, result)| result)) > LONG_WEIGHT {
        true => {
            let request = request.clone();
            off_core(move || search::reduce(&request, results, max_buckets)).await
        }
        false => search::reduce(request, results, max_buckets),
    }
}

/// Runs `work` off the core; what it notes of deprecated things is noted here. It is told when nobody waits for it any more.
pub(super) async fn off_core<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    struct Waiting(Arc<AtomicBool>);
    impl Drop for Waiting {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let waiting = Waiting(Arc::new(AtomicBool::new(false)));
    let abandoned = waiting.0.clone();
    let (done, notes) = rt::offload(move || {
        let mut notes = vec![];
        let done = pace::while_wanted(abandoned, || deprecated::collect(&mut notes, work));
        (done, notes)
    })
    .await;
    notes.into_iter().for_each(deprecated::note);
    done
}
